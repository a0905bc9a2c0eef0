"""Tables with fields apart by `|`, which the tools print with -P: a header, then a row a line.

The tools print names as they are. Slurm lets a coordinator make an account whose name holds a `|` or the end
of a line: its row has too many fields, or is torn into several lines. What belongs to such a row is left out,
also where a part of it looks like a row of another account.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fsconsole.slurm.parsers.findings import Findings, shown

Row = Mapping[str, str]

_NAMES = frozenset(("account", "user", "partition", "parentname", "name"))
# People write these, so a | may be in them; as the last column such a text is still read whole.
_FREE_TEXT = frozenset(
    ("jobname", "name", "submitline", "comment", "admincomment", "systemcomment", "workdir")
)


def rows(
    text: str, found: Findings, needed: Sequence[str], command: str, columns: Sequence[str] = (),
    lost: list[str] | None = None,
) -> Iterator[tuple[int, Row]]:  # fmt: skip
    """Yield rows with line numbers, fields by the name of their column: lower case without blanks.

    A column that occurs twice gets #2 after its name. Rows with another number of fields than the header are
    left out and said.

    Args:
        text: what the tool printed.
        found: takes what is wrong.
        needed: columns without which the table says nothing.
        command: what prints such a table, for messages.
        columns: names of the columns where the tool was asked to print no header.
        lost: takes the lines that are left out, and with them what may belong to a torn row; without it only
            lines with another number of fields are left out.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    names = header(columns or lines[0].rstrip("\r").split("|"))
    if not _has_all(needed, names, found, command):
        return
    start = 0 if columns else 1
    most = len(names) - 1 if names[-1] in _FREE_TEXT else -1
    of_names = () if lost is None else (place for place, name in enumerate(names) if name in _NAMES)
    first = min(of_names, default=len(names))
    for one in whole_rows(lines[start:], start + 1, len(names), found, first, most):
        if one.fields is not None:
            yield one.number, dict(zip(names, one.fields, strict=True))
        elif lost is not None:
            lost.append(one.text)


def marked_rows(
    text: str, mark: str, found: Findings, needed: Sequence[str], command: str
) -> Iterator[tuple[int, Row]]:
    """Yield rows as `rows` does, of a table with a mark behind each field (see `marks`): names are whole."""
    width = text.partition("\n")[0].count(mark)
    fields = text.removeprefix("\ufeff").split(mark)
    names = header(fields[:width])
    if not _has_all(needed, names, found, command):
        return
    last = len(fields) - 1  # What is behind the last mark is the end of a line.
    for number, start in enumerate(range(width, last, width), 2):
        row = fields[start : start + width]
        if start + width > last:
            found.add(number, _torn("".join(row).lstrip(), last - start, width))
            return
        row[0] = row[0].lstrip("\r\n")  # The end of the line before.
        yield number, dict(zip(names, row, strict=True))


def _has_all(needed: Sequence[str], names: Sequence[str], found: Findings, command: str) -> bool:
    if missing := [name for name in needed if name not in names]:
        found.add(1, f"no column {', '.join(missing)}: this is not output of `{command}`")
    return not missing


class Line(NamedTuple):
    """A line of a table.

    Attributes:
        number: from 1.
        text: the line itself.
        fields: its fields; None if it is a torn row, or may belong to one.
        is_first: whether a row begins with it.
    """

    number: int
    text: str
    fields: list[str] | None
    is_first: bool


def whole_rows(
    lines: Sequence[str], start: int, width: int, found: Findings, first: int = 0, most: int = -1
) -> Iterator[Line]:
    """Yield the lines that are not blank.

    Args:
        lines: lines below the header.
        start: number of the first of them.
        width: how many fields a row has.
        found: takes what is wrong.
        first: place of the first column with a name, which the end of a line may be in.
        most: how often a line is divided at most; -1 for all.
    """
    torn = 0  # Fields of a torn row so far; it ends once it has as many as a row.
    for number, line in enumerate(lines, start):
        line = line.rstrip("\r")
        if not torn and not line.strip():
            continue
        fields = line.split("|", most)
        if torn:
            torn += len(fields) - 1
            torn = torn if torn < width else 0
            if len(fields) == width:
                found.add(number, f"left out, because it may belong to the torn line above ({_begin(line)})")
            yield Line(number, line, None, is_first=False)
        elif len(fields) == width:
            yield Line(number, line, fields, is_first=True)
        else:
            if first < len(fields) < width:
                torn = len(fields)
            found.add(number, _torn(line, len(fields), width))
            yield Line(number, line, None, is_first=True)


def header(columns: Sequence[str]) -> list[str]:
    """Return names of columns as `rows` calls them."""
    names: list[str] = []
    seen: Counter[str] = Counter()  # The part of a name before a # decides how often it occurs.
    for column in columns:
        stem = column.replace(" ", "").strip().lower()
        names.append(f"{stem}#{seen[stem] + 1}" if seen[stem] else stem)
        seen[names[-1].partition("#")[0]] += 1
    return names


def _torn(line: str, fields: int, wanted: int) -> str:
    reason = (
        "a name contains |" if fields > wanted else "the line is cut off, or a name contains a line break"
    )
    return f"{fields} fields, but the header has {wanted}: {reason} ({_begin(line)})"


def _begin(line: str) -> str:
    return f"it begins {shown(line[:20])}"
