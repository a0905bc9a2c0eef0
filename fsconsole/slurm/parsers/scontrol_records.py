"""Records of `scontrol show` for jobs, nodes and partitions: Key=value, over several lines or in one.

Several lines are the safer form. User text (a job's name, its comment) is then at the end of a line or on a
separate one, so that it cannot be mistaken for another field. A record in which it still might be is left out
and reported.

User text may also hold the end of a line and behind it a record of its own. scontrol takes no format, but
that of its times (SLURM_TIME_FORMAT). With a mark in it (see `marks`) each record holds the mark in its
middle, and user text stands before and behind. What looks like a record without a mark is user text, or a
record that such a text tears.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing, shown
from fsconsole.slurm.parsers.marks import has_marks

T = TypeVar("T")
FREE_TEXT = "free text"
"""Key of what stands behind the fields of a record that people cannot write into."""

# Each of these lines holds one free text, which is not needed here.
_FREE_LINES = (
    "AdminComment=",
    "Command=",
    "Comment=",
    "Extra=",
    "MailUser=",
    "StdErr=",
    "StdIn=",
    "StdOut=",
    "SubmitLine=",
    "SystemComment=",
    "WorkDir=",
)
_NAME = "JobName="
_IN_DOUBT = "its text, or that of one beside it, contains a line break and a record"
# These stand before the name, where no user text is; a user may write them behind it.
_BEFORE_NAME = frozenset(("JobId", "ArrayJobId", "ArrayTaskId", "HetJobId", "HetJobOffset"))
# These fields follow a job's name if the whole record is in one line.
_AFTER_NAME = re.compile(r"(?: HetJobIdSet=\S*)? UserId=\S*\([0-9]+\) GroupId=\S*\([0-9]+\) MCS_label=")


@dataclass(slots=True)
class Record:
    """One record.

    Attributes:
        line: where it begins, from 1.
        fields: values as they are printed.
        doubtful: keys that occur twice with different values; the first one is in `fields`.
    """

    line: int
    fields: dict[str, str] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)

    def take(self, key: str, value: str) -> None:
        """Add a field; note its key as doubtful if it has another value already."""
        if self.fields.setdefault(key, value) != value:
            self.doubtful.add(key)


def _blocks(
    text: str, first: str, found: Findings, command: str, none: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each record, the first of which begins with the key `first`, and its number.

    Args:
        text: output of the tool, in either form.
        first: key at the beginning of each record, such as JobId.
        found: receives the problems.
        command: command that prints such a text, for messages.
        none: the tool's words for an empty output.
    """
    start, lines = 0, list[str]()
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = line.rstrip("\r")
        if line.startswith(f"{first}="):
            if lines:
                yield start, lines
            start, lines = number, [line]
        elif lines:
            lines.append(line)
        elif line.strip() and not line.startswith(none):
            found.add(number, f"{shown(line)} is not output of `{command}`: a record begins with {first}=")
    if lines:
        yield start, lines


def _whole_blocks(
    blocks: Iterable[tuple[int, list[str]]], mark: str, found: Findings
) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks without their marks; leave out those that may hold parts of other records.

    A block without a mark is the text behind the times of the record above, which may then go on in the block
    below; or it is a record whose name goes on there.
    """
    known = [(start, lines, any(mark in line for line in lines)) for start, lines in blocks]
    for place, (start, lines, _) in enumerate(known):
        if all(is_marked for *_, is_marked in known[max(place - 1, 0) : place + 2]):
            yield start, [line.replace(mark, "") for line in lines]
        else:
            found.add(start, f"a record was left out: {_IN_DOUBT} ({shown(lines[0][:40])})")


def listing(
    text: str,
    what: str,
    needed: tuple[str, ...],
    read: Callable[[Mapping[str, str]], T],
    mark: str = "",
    certain: tuple[str, ...] = (),
    free: re.Pattern[str] | None = None,
) -> Listing[T]:
    """Read all records of a kind from `scontrol show`; ScenarioError if problems prevent reading any.

    Args:
        text: output of the tool, in either form.
        what: scontrol's name of the kind, such as job.
        needed: keys without which a record is left out; the first one is its name.
        read: converts the fields of a record; DamagedError has the reason of a failure.
        mark: what each time ends with; empty if nothing.
        certain: more keys of which a record in doubt is left out.
        free: what the texts of people at the end of a record begin with, which are then one field.
    """
    found, made = Findings(), []
    first = needed[0]
    blocks = _blocks(text, first, found, f"scontrol show {what}", f"No {what}s in the system")
    if has_marks(text, mark):
        blocks = _whole_blocks(blocks, mark, found)
    for start, lines in blocks:
        record = _record(start, lines) if free is None else _record_with_end(start, lines, free)
        if not _has_needed(record, needed, certain, found):
            continue
        try:
            made.append(read(record.fields))
        except DamagedError as error:
            found.add(record.line, f"{what} {record.fields[first]} was left out: {error}")
    return found.listing(made)


def _has_needed(record: Record, keys: tuple[str, ...], certain: tuple[str, ...], found: Findings) -> bool:
    """Return True if a record has all of the keys, each of them and of the certain ones once; note faults."""
    kind, name = next(iter(record.fields.items()))
    if missing := [key for key in keys if key not in record.fields or (key == kind and not name)]:
        found.add(record.line, f"{kind} {name} was left out: it has no {', '.join(missing)}")
    elif doubtful := sorted(record.doubtful.intersection((*keys, *certain))):
        hint = "a name or comment seems to contain fields. Run scontrol without -o"
        found.add(record.line, f"{kind} {name} was left out: {', '.join(doubtful)} occurs twice ({hint})")
    else:
        return True
    return False


def _record(number: int, lines: list[str]) -> Record:
    record = Record(number)
    before, name, rest = lines[0].partition(_NAME)
    _take_pairs(record, before)
    head = {key: record.fields.get(key) for key in _BEFORE_NAME}
    if name:
        end = len(rest)
        if not any(line[:1] == " " and line.strip() for line in lines[1:]):
            end = _end_of_name(record, rest)
        record.take("JobName", rest[:end])
        _take_pairs(record, rest[end:])
    for line in lines[1:]:
        if not line.lstrip().startswith(_FREE_LINES):
            _take_pairs(record, line)
    if any(record.fields.get(key) != value for key, value in head.items()):
        record.doubtful.add("JobId")
    return record


def _record_with_end(number: int, lines: list[str], free: re.Pattern[str]) -> Record:
    record, whole = Record(number), " ".join(lines)
    found = free.search(whole)
    _take_pairs(record, whole[: found.start()] if found else whole)
    if found:
        record.take(FREE_TEXT, whole[found.end() :])
    return record


def _end_of_name(record: Record, rest: str) -> int:
    """Return the position at which a job's name ends that has all other fields behind it in its line."""
    ends = list(_AFTER_NAME.finditer(rest))
    if len(ends) > 1:
        record.doubtful.add("UserId")
    return ends[0].start() if ends else len(rest)


def _take_pairs(record: Record, text: str) -> None:
    for piece in text.split():
        key, equals, value = piece.partition("=")
        if equals:
            record.take(key, value)
