"""Headers of files that are read again later: name and number of a format, and the program that wrote them.

A number rises when an older program would misread the file. A key that an older program may leave out does
not raise it. What only another version of the program can read is never called damaged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from fsconsole.resources import this_program
from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import MAX_JSON_BYTES, parsed_json, read_limited

FORMAT, NUMBER, PROGRAM = "format", "version", "program"
_PROGRAM = re.compile(r"fsconsole (\d+)\.(\d+)\.(\d+)(?: \(\w{1,40}\))?")
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
Made = TypeVar("Made")


class FormatError(ValueError):
    """A file is of another format or damaged; the message is a sentence that begins with the file."""


class OtherProgramError(FormatError):
    """Another version of the program wrote the file, which this one cannot read."""


@dataclass(frozen=True, slots=True)
class StoredFormat:
    """A format of files.

    Attributes:
        name: its name in the files.
        noun: what such a file is, in sentences, such as `a run folder`.
        number: the number that this program writes.
        oldest: the lowest number that it reads.
        was_bare: whether the files lacked the name or the number at first; those count as number 1.
    """

    name: str
    noun: str
    number: int = 1
    oldest: int = 1
    was_bare: bool = False

    def header(self) -> dict[str, Any]:
        """Return the entries with which a file begins."""
        return {FORMAT: self.name, NUMBER: self.number, PROGRAM: this_program()}

    def read(self, path: Path, made: Callable[[Any], Made], most: int = MAX_JSON_BYTES) -> Made:
        """Return the value that `made` makes of the contents of a JSON file with a header.

        Raises:
            OSError: the file cannot be read.
            OtherProgramError: another version of the program wrote it.
            FormatError: it is of another format, or damaged.
        """
        facts: object = None
        try:
            facts = parsed_json(read_limited(path, most))
            self.check(facts, path)
            return made(facts)
        except FormatError:
            raise
        except _DAMAGE as error:
            raise self.fault(facts, path, error) from error

    def check(self, facts: object, place: Path | str) -> int:
        """Return the number of a file; `facts` are what it holds.

        Raises:
            OtherProgramError: this program does not read it.
            FormatError: the file is of another format.
        """
        known = self.name if self.was_bare else None
        if not isinstance(facts, Mapping) or facts.get(FORMAT, known) != self.name:
            raise FormatError(f"{place} is not {self.noun} of fsconsole")
        number = facts.get(NUMBER, 1 if self.was_bare else None)
        if type(number) is not int or number < 1:
            raise FormatError(f"{place} is damaged: the number of its format is {number!r:.40}")
        by, this = _written_by(facts), this_program()
        if number > self.number:
            msg = (
                f"{place} is from a newer fsconsole{by}: its format has number {number}, and {this} "
                f"reads up to {self.number}"
            )
            raise OtherProgramError(msg)
        if number < self.oldest:
            msg = (
                f"{place} is from an older fsconsole{by}: its format has number {number}, and {this} "
                f"reads from {self.oldest} on"
            )
            raise OtherProgramError(msg)
        return number

    def keep_older(self, path: Path, *, private: bool = False) -> None:
        """Copy a file of a lower number to NAME-NUMBER beside it, before it is written in the form of today.

        Errors as of `read`.
        """
        data = read_limited(path, MAX_JSON_BYTES)
        number = self.check(parsed_json(data), path)
        copy = path.with_name(f"{path.stem}-{number}{path.suffix}")
        if number < self.number and not copy.exists():
            write_atomic(copy, data, private=private)

    def fault(self, facts: object, place: Path | str, why: object) -> FormatError:
        """Return the error of contents that cannot be used.

        A key that is missing is damage, as formats without it have a higher number. A key or value that is
        not known may be of a newer program. Commits of one version have no order.
        """
        if isinstance(why, KeyError):
            return FormatError(f"{place} is damaged: {why} is missing")
        by, this = facts.get(PROGRAM) if isinstance(facts, Mapping) else None, this_program()
        version, own = _version_of(by), _version_of(this)
        if version < own or by == this:
            return FormatError(f"{place} is damaged: {why}")
        age = "a newer" if version > own else "another"
        return OtherProgramError(f"{place} is from {age} fsconsole ({by}): {why}. This is {this}")


def _written_by(facts: object) -> str:
    by = facts.get(PROGRAM) if isinstance(facts, Mapping) else None
    return f" ({by})" if isinstance(by, str) and _PROGRAM.fullmatch(by) else ""


def _version_of(program: object) -> tuple[int, ...]:
    found = _PROGRAM.fullmatch(program) if isinstance(program, str) else None
    return tuple(map(int, found.groups())) if found is not None else ()
