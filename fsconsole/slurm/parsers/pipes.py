"""Tables with fields apart by `|`, which the tools print with -P: a header, then a row a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fsconsole.slurm.parsers.findings import Findings, shown

Row = Mapping[str, str]

# People write these, so a | may be in them; as the last column such a text is still read whole.
_FREE_TEXT = frozenset(
    ("jobname", "name", "submitline", "comment", "admincomment", "systemcomment", "workdir")
)


def rows(
    text: str, found: Findings, needed: Sequence[str], command: str, columns: Sequence[str] = ()
) -> Iterator[tuple[int, Row]]:
    """Yield rows with line numbers, fields by the name of their column: lower case without blanks.

    A column that occurs twice gets #2 after its name. Rows with another number of fields than the header are
    left out and said.

    Args:
        text: what the tool printed.
        found: takes what is wrong.
        needed: columns without which the table says nothing.
        command: what prints such a table, for messages.
        columns: names of the columns where the tool was asked to print no header.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    names = header(columns or lines[0].rstrip("\r").split("|"))
    missing = [name for name in needed if name not in names]
    if missing:
        found.add(1, f"no column {', '.join(missing)}: this is not output of `{command}`")
        return
    start = 0 if columns else 1
    most = len(names) - 1 if names[-1] in _FREE_TEXT else -1
    for number, line in enumerate(lines[start:], start + 1):
        line = line.rstrip("\r")
        if not line.strip():
            continue
        fields = line.split("|", most)
        if len(fields) == len(names):
            yield number, dict(zip(names, fields, strict=True))
        else:
            found.add(number, _torn(line, len(fields), len(names)))


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
    return (
        f"{fields} fields, but the header has {wanted}: the line is cut off, or a name contains | "
        f"(it begins {shown(line[:20])})"
    )
