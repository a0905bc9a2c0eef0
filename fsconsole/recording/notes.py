"""Notes on a run: texts on an instant or a span, kept in the run's folder."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from fsconsole.recording.run_format import NOTES, RunError
from fsconsole.shares.files import write_atomic
from fsconsole.shares.stored_format import FormatError, StoredFormat
from fsconsole.text.numbers import thousands

LONGEST_TEXT = 10_000
_MARK_SIGNS = 60
FORMAT = StoredFormat("fsconsole notes", "a notes file")


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Note:
    """A note on a run.

    Attributes:
        time_s: the instant, or the start of the span, in simulated seconds.
        text: its text; may have several lines.
        until_s: end of the span; None for an instant.
        author: name of the author.
        written: date on the wall clock, as ISO 8601.
        number: its number in its run, from 1; 0 before it is added.
    """

    time_s: float
    text: str
    until_s: float | None = None
    author: str = ""
    written: str = field(default_factory=_now)
    number: int = 0

    def __post_init__(self) -> None:
        """Check text and times.

        Raises:
            ValueError: the note is not valid; the message says what to do.
        """
        if not self.text.strip():
            msg = "The note is empty. Write a text."
            raise ValueError(msg)
        if len(self.text) > LONGEST_TEXT:
            msg = (
                f"The note has {thousands(len(self.text))} characters. Write at most "
                f"{thousands(LONGEST_TEXT)}."
            )
            raise ValueError(msg)
        if not isfinite(self.time_s) or self.time_s < 0:
            msg = f"A note cannot be at {self.time_s:g} s. Choose a time from 0 on."
            raise ValueError(msg)
        if self.until_s is not None and not self.time_s < self.until_s < float("inf"):
            msg = f"The span would end at {self.until_s:g} s. Choose an end after {self.time_s:g} s."
            raise ValueError(msg)

    @property
    def mark(self) -> str:
        """The first words, for a mark in a plot or on a timeline."""
        return textwrap.shorten(self.text, _MARK_SIGNS, placeholder="…")


Notes = tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class NoteMark:
    """All notes that begin at an instant, as a plot marks them.

    Attributes:
        time_s: the instant.
        until_s: the latest end of their spans; None without spans.
        text: the first words of the first note, and the number of the others.
    """

    time_s: float
    until_s: float | None
    text: str


def note_marks(notes: Sequence[Note]) -> tuple[NoteMark, ...]:
    """Return the marks of notes, in order of time."""
    found: dict[float, list[Note]] = {}
    for note in notes:
        found.setdefault(note.time_s, []).append(note)
    made = []
    for time_s, (first, *others) in sorted(found.items()):
        ends = [note.until_s for note in (first, *others) if note.until_s is not None]
        text = f"{first.mark} (+{len(others)})" if others else first.mark
        made.append(NoteMark(time_s, max(ends, default=None), text))
    return tuple(made)


def with_note(notes: Sequence[Note], note: Note) -> Notes:
    """Return the notes with one more, in order of time; a note without a number gets the next one."""
    number = note.number or 1 + max((one.number for one in notes), default=0)
    return _sorted([*without_note(notes, number), replace(note, number=number)])


def without_note(notes: Sequence[Note], number: int) -> Notes:
    """Return the notes without the one with a number."""
    return tuple(one for one in notes if one.number != number)


def read_notes(run: Path) -> Notes:
    """Return the notes of a run folder, in order of time.

    Raises:
        RunError: the file does not contain notes.
    """
    path = run / NOTES
    try:
        return FORMAT.read(path, lambda data: _all_notes(data["notes"]))
    except FileNotFoundError:
        return ()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror or error}"
        raise RunError(msg) from error
    except FormatError as error:
        raise RunError(str(error)) from error


def _all_notes(rows: Any) -> Notes:
    found = notes_of(rows)
    if len({note.number for note in found}) < len(found):
        msg = "two notes have the same number"
        raise ValueError(msg)
    return _sorted(found)


def note_rows(notes: Notes) -> list[dict[str, Any]]:
    """Return notes as plain data, for a file."""
    return [asdict(note) for note in notes]


def notes_of(rows: Any) -> Notes:
    """Return the notes that plain data hold; LookupError, TypeError or ValueError where these do not."""
    return tuple(_note(row) for row in rows)


def numbered(notes: Notes) -> Notes:
    """Return notes of several runs as those of one, numbered from 1."""
    found: Notes = ()
    for note in notes:
        found = with_note(found, replace(note, number=0))
    return found


def change_notes(run: Path, change: Callable[[Notes], Notes]) -> Notes:
    """Apply a change to the present notes of a run folder; return the changed notes.

    Raises:
        RunError: the notes cannot be read or written.
    """
    changed = change(read_notes(run))
    data = {**FORMAT.header(), "notes": note_rows(changed)}
    try:
        write_atomic(run / NOTES, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        msg = f"cannot write {run / NOTES}: {error.strerror or error}"
        raise RunError(msg) from error
    return changed


def _sorted(notes: Sequence[Note]) -> Notes:
    return tuple(sorted(notes, key=lambda note: (note.time_s, note.until_s or note.time_s, note.number)))


_KINDS: dict[str, tuple[type[Any], ...]] = {
    "time_s": (float, int),
    "text": (str,),
    "until_s": (float, int, type(None)),
    "author": (str,),
    "written": (str,),
    "number": (int,),
}


def _note(row: Any) -> Note:
    known = {item.name for item in fields(Note)}
    values = {name: value for name, value in dict(row).items() if name in known}
    for name, kinds in _KINDS.items():
        if not isinstance(values[name], kinds) or isinstance(values[name], bool):
            msg = f"{name} of a note is {values[name]!r:.40}"
            raise TypeError(msg)
    if values["number"] < 1:
        msg = f"number of a note is {values['number']}"
        raise ValueError(msg)
    return Note(**values)
