"""Marks that nobody can guess, at the end of each record that a tool prints.

The tools print names as they are, so a job's name may hold the end of a line and behind it a whole row of
another job. A record ends at a mark and the end of a line; an end of a line without a mark is part of a name.

Each query has a mark of its own, because `ps` shows it to everybody on a login node while the tool runs. Text
without any mark is that of a capture (see `replay`), or of a tool that ignores what it is asked for. It is
read by lines: a tool that prints marks prints one in each record, whatever the names are.
"""

from __future__ import annotations

import secrets


def new_mark() -> str:
    """Return a mark for one query; it begins with no digit, as a format's width may stand before it."""
    return f"_{secrets.token_hex(4)}"


def has_marks(text: str, mark: str) -> bool:
    """Return True if the tool printed its records with marks."""
    return bool(mark) and mark in text


def records(text: str, mark: str = "") -> list[str]:
    """Return the records, or the lines of a text without marks."""
    text = text.removeprefix("\ufeff")
    if not has_marks(text, mark):
        return [line.rstrip("\r") for line in text.split("\n")] if "\r" in text else text.split("\n")
    if "\r" in text:
        text = text.replace(f"{mark}\r\n", f"{mark}\n")
    return text.split(f"{mark}\n")


def in_one_line(record: str) -> str:
    """Return a record with blanks for the ends of lines in its names."""
    return record.replace("\r", " ").replace("\n", " ")
