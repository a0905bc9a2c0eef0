"""Notes on runs in words: as a table, and as a document in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.recording.notes import Note
from fsconsole.text.durations import clock


def when_words(note: Note) -> str:
    """Write the instant or span of a note on the simulated clock."""
    begin = clock(note.time_s)
    return begin if note.until_s is None else f"{begin} to {clock(note.until_s)}"


def written_words(note: Note) -> str:
    """Write when a note was written: date and time of day."""
    return note.written[:16].replace("T", " ")


def markdown(title: str, notes: Sequence[Note]) -> str:
    """Write notes as a document: a heading for each, its text, who wrote it and when."""
    parts = [f"# Notes on {title}"]
    for note in notes:
        signature = ", ".join(filter(None, (note.author, written_words(note))))
        parts += [f"## {when_words(note)}", _within(note.text), f"*{signature}*"]
    if not notes:
        parts.append("No notes yet.")
    return "\n\n".join(parts) + "\n"


def _within(text: str) -> str:
    """A text as a part of a document: its lines make no headings of it."""
    lines = (line.rstrip() for line in text.strip().splitlines())
    return "\n".join(f"\\{line}" if line.startswith(("#", "===", "---")) else line for line in lines)
