"""Notes on runs in words: as a table, and as a document in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from fsconsole.recording.notes import Note
from fsconsole.text.durations import clock


def when_words(note: Note, epoch_s: float | None = None) -> str:
    """Write the instant or span of a note on the simulated clock, or on the wall clock where time 0 is known.

    Args:
        note: the note.
        epoch_s: seconds since 1970 at time 0 of its run; None where time is simulated.
    """

    def written(time_s: float) -> str:
        return clock(time_s) if epoch_s is None else wall_words(time_s, epoch_s)

    begin = written(note.time_s)
    return begin if note.until_s is None else f"{begin} to {written(note.until_s)}"


def wall_words(time_s: float, epoch_s: float) -> str:
    """Write date and time of day, to the second, of an instant."""
    at = datetime.fromtimestamp(epoch_s + time_s, UTC).astimezone()
    return at.replace(tzinfo=None).isoformat(" ", "seconds")


def wall_time(text: str, epoch_s: float) -> float:
    """Return the instant that `wall_words` wrote.

    Raises:
        ValueError: the text is another one; the message names a valid one.
    """
    try:
        return datetime.fromisoformat(text.strip()).timestamp() - epoch_s
    except (ValueError, OverflowError, OSError) as error:
        msg = f"{text.strip()!r} is not a date and time. Example: 2026-11-20 09:36:10"
        raise ValueError(msg) from error


def written_words(note: Note) -> str:
    """Write when a note was written: date and time of day."""
    return note.written[:16].replace("T", " ")


def markdown(title: str, notes: Sequence[Note], epoch_s: float | None = None) -> str:
    """Format notes as a document: a heading for each, its text, author and time."""
    parts = [f"# Notes on {_within(title)}"]
    for note in notes:
        signature = ", ".join(filter(None, (note.author, written_words(note))))
        parts += [f"## {when_words(note, epoch_s)}", _within(note.text), f"*{_within(signature)}*"]
    if not notes:
        parts.append("No notes yet.")
    return "\n\n".join(parts) + "\n"


# An underscore inside a word has no effect in Markdown.
_SIGNS = re.compile(r"[\\`*\[\]<>|&]|(?<![^\W_])_|_(?![^\W_])")


def _within(text: str) -> str:
    """Escape a text for a document, so that Markdown shows it as written."""
    lines = (_SIGNS.sub(r"\\\g<0>", line.rstrip()) for line in text.strip().splitlines())
    begins = ("#", "===", "---", "~~~")
    return "\n".join(f"\\{line}" if line.lstrip().startswith(begins) else line for line in lines)
