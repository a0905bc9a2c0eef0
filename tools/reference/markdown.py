"""Parts of pages in Markdown: tables, cells, the line that says who wrote the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fsconsole.text.numbers import on_terminal

WRITTEN = "<!-- Written by `make reference` from the code. Do not edit. -->"


def page(title: str, about: str, *parts: str) -> str:
    """Return a page: title, one paragraph, and what follows, each separated by an empty line."""
    return on_terminal("\n\n".join((WRITTEN, f"# {title}", about, *filter(None, parts)))) + "\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, without the columns that are empty in all rows; empty where there are no rows."""
    cells = [[cell(text) for text in row] for row in rows]
    shown = [number for number in range(len(columns)) if any(row[number] for row in cells)]
    head = [columns[number] for number in shown]
    lines = [head, ["---"] * len(shown), *([row[number] for number in shown] for row in cells)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if cells else ""


def cell(text: str) -> str:
    """Return text as a cell: one line, with signs that mean something in Markdown escaped outside of code."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(part if part.startswith("`") else prose(part) for part in parts).replace("|", "\\|")


def prose(text: str) -> str:
    """Return text in which no sign means something in Markdown or HTML."""
    return re.sub(r"([*\[\]])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")


def code(text: str) -> str:
    """Return text as code; empty text stays empty."""
    return f"`{text}`" if text else ""


def sentence(text: str) -> str:
    """Return text with a capital where it begins with a plain word."""
    return text[:1].upper() + text[1:] if text[:2].isalpha() or text[:2] == "a " else text
