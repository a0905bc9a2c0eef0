"""Content of a report as plain data: the same for PDF and HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from fsconsole.figures.spec import FigureSpec, FigureStyle
from fsconsole.resources import this_program


@dataclass(frozen=True, slots=True)
class Table:
    """A table of words; the first `texts` columns are text, the others numbers.

    Attributes:
        title: title above the table.
        headers: headers of the columns.
        rows: rows with one cell per column.
        note: note below the table on marks and intervals.
        texts: number of left-aligned columns.
        groups: one word per column above the headers, common to neighbouring columns; may be empty.
    """

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    texts: int = 1
    groups: tuple[str, ...] = ()

    def spans(self) -> Iterator[tuple[str, int]]:
        """Yield the groups from left to right, with the number of their columns."""
        if any(self.groups):
            for group, columns in groupby(self.groups):
                yield group, len(list(columns))


@dataclass(frozen=True, eq=False, slots=True)
class Figure:
    """A figure; `about` describes it in words, for readers who cannot see it."""

    spec: FigureSpec
    about: str
    height_mm: float = 82.0


@dataclass(frozen=True, eq=False, slots=True)
class Section:
    """A heading with text, figures, tables and commands, in this order; each may be empty.

    Attributes:
        commands: lines for a terminal, or the text of a file.
    """

    title: str
    text: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Report:
    """A report.

    Attributes:
        title, kind: subject, and kind of the report.
        findings: sentences with numbers; the first page.
        sections: basis of the findings.
        style: style of the figures; their size is the report's.
    """

    title: str
    kind: str
    findings: tuple[str, ...]
    sections: tuple[Section, ...] = ()
    style: FigureStyle = field(default_factory=FigureStyle)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, in order."""
        return tuple(figure for section in self.sections for figure in section.figures)


def settings_table(title: str, settings: Mapping[str, object]) -> Table:
    """Return names and values, a row each."""
    return Table(
        title, ("Setting", "Value"), tuple((name, str(value)) for name, value in settings.items()), texts=2
    )


def provenance(facts: Mapping[str, object]) -> Section:
    """Return the source of the numbers, and the program that made the report."""
    words = {"Program": this_program(), **facts}
    return Section("Provenance", tables=(settings_table("", words),))


def to_redo(commands: Iterable[str], files: Sequence[tuple[str, str]] = ()) -> Section:
    """Return the commands that make the report again, and the text of the files that they read."""
    text = ["These commands produce this report again."]
    lines = ["\n".join(commands)]
    for name, content in files:
        text.append(f"{name} is printed below them.")
        lines.append(content.rstrip())
    return Section("Commands of this report", tuple(text), commands=tuple(lines))
