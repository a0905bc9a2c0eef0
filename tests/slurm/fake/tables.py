"""Tables with | between fields, read, cut to columns and printed. Standard library alone.

Every call of a fake tool imports this: a dataclass would be a quarter of its time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class Table:
    """Rows by the names of their columns."""

    __slots__ = ("names", "rows")

    def __init__(self, names: tuple[str, ...], rows: list[dict[str, str]]) -> None:
        self.names, self.rows = names, rows

    def text(self, columns: Mapping[str, str], has_header: bool) -> str:
        """Print some columns (by name, with their titles); one that no row has is empty."""
        lines = ["|".join(columns.values())] if has_header else []
        lines += ["|".join(row.get(name, "") for name in columns) for row in self.rows]
        return "".join(line + "\n" for line in lines)


def read_table(text: str, names: Sequence[str] = ()) -> Table:
    """Read a table; its first line is the header where no names are given."""
    lines = text.splitlines()
    titles = tuple(names) or tuple(lines.pop(0).split("|"))
    return Table(titles, [dict(zip(titles, line.split("|"), strict=False)) for line in lines])
