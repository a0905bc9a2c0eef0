"""Output of tools with --json: an object with one long list, read one record at a time.

The text of 20,000 jobs is about 80 MB, and several times that as Python objects. So only one record is held
at a time. Records before damage are read anyway.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from typing import Any

from fsconsole.slurm.parsers.findings import DamagedError, Findings, shown

Record = dict[str, Any]

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")


class _TornError(Exception):
    """The text is not JSON at a place."""

    def __init__(self, place: int, message: str) -> None:
        super().__init__(message)
        self.place = place


def records(text: str, key: str, found: Findings, command: str) -> Iterator[tuple[int, Record]]:
    """Yield places and values of the objects in the list `key` of the outermost object.

    Slurm's own entries under `errors` are added to the problems.

    Args:
        text: output of the tool.
        key: name of the list.
        found: receives the problems.
        command: command that prints such a text, for messages.
    """
    try:
        seen = yield from _members(text, key, found)
    except _TornError as torn:
        found.add(line_of(text, torn.place, found), str(torn))
        return
    if not seen:
        found.add(1, f"no list {key!r}: this is not output of `{command}`")


def line_of(text: str, place: int, found: Findings) -> int:
    """Return the line of a place, from 1; 0 where problems are only counted any more: counting lines is
    slow.
    """
    return 0 if found.is_full else text.count("\n", 0, place) + 1


def number(value: object, name: str) -> float | None:
    """Return a number in the form of any version: plain, null, or {"set": …, "infinite": …, "number": …}.

    None if it is not set, infinity if it is infinite.

    Raises:
        DamagedError: it is not a number.
    """
    if isinstance(value, dict):
        if value.get("infinite") is True:
            return float("inf")
        if value.get("set") is False:
            return None
        value = value.get("number")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2**63:
        msg = f"{name} is {shown(str(value)[:80])}, expected a number"
        raise DamagedError(msg)
    return value


def whole(value: object, name: str) -> int | None:
    """Return a whole number, None if it is not set or infinite.

    Raises:
        DamagedError: it is another value.
    """
    found = number(value, name)
    return None if found is None or found == float("inf") else int(found)


def words(value: object, name: str) -> str:
    """Return a text, empty for null.

    Raises:
        DamagedError: it is another value.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        msg = f"{name} is {shown(str(value)[:80])}, expected a text"
        raise DamagedError(msg)
    # JSON can hold half of a character pair, which breaks whatever shows or stores it.
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def word_list(value: object, name: str) -> tuple[str, ...]:
    """Return words that newer versions give as a list and older ones as one text."""
    if isinstance(value, list):
        return tuple(words(item, name) for item in value)
    one = words(value, name)
    return (one,) if one else ()


def _members(text: str, key: str, found: Findings) -> Generator[tuple[int, Record], None, bool]:
    """Parse the outermost object; return whether the list was in it."""
    seen = False
    at = _after(text, _skip(text, 1 if text.startswith("\ufeff") else 0), "{")
    while not text.startswith("}", at):
        name, at = _value(text, at)
        at = _skip(text, _after(text, _skip(text, at), ":"))
        if name == key and text.startswith("[", at):
            seen = True
            at = yield from _elements(text, at, found)
        else:
            value, at = _value(text, at)
            if name == "errors":
                _take_errors(value, found)
        at = _next(text, at, "}")
    return seen


def _elements(text: str, at: int, found: Findings) -> Generator[tuple[int, Record], None, int]:
    """Parse the list; return the place after it."""
    at = _after(text, at, "[")
    while not text.startswith("]", at):
        value, end = _value(text, at)
        if isinstance(value, dict):
            yield at, value
        else:
            found.add(line_of(text, at, found), f"{shown(str(value)[:80])} is not an object")
        at = _next(text, end, "]")
    return at + 1


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        cut = " (the output is cut off)" if error.pos >= len(text.rstrip()) - 1 else ""
        raise _TornError(error.pos, f"not JSON from here on: {error.msg}{cut}") from error
    # A number may have thousands of digits, or there may be thousands of brackets.
    except (ValueError, RecursionError) as error:
        raise _TornError(at, f"not JSON of a Slurm tool: {error}") from error


def _next(text: str, at: int, closing: str) -> int:
    """Return the place of the next element, or of the closing bracket."""
    at = _skip(text, at)
    return at if text.startswith(closing, at) else _after(text, at, ",")


def _after(text: str, at: int, sign: str) -> int:
    if text.startswith(sign, at):
        return _skip(text, at + 1)
    here = shown(text[at : at + 20]) if at < len(text) else "the end (the output is cut off)"
    raise _TornError(at, f"not JSON from here on: found {here}, expected a {sign}")


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _take_errors(value: object, found: Findings) -> None:
    for entry in value if isinstance(value, list) else ():
        parts = entry.values() if isinstance(entry, dict) else (entry,)
        message = ", ".join(str(part)[:200] for part in parts if part)
        found.add(0, f"Slurm says: {message or 'an error without a message'}")
