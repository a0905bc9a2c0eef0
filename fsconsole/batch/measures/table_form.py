"""The form of the paper's tables: a frame, titles and units of its columns, and its subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: its name in the frame.
        title: its heading.
        unit: `h`, `node-h`, `fraction` (0 .. 1, shown in percent), ...; empty for counts and words.
        group: heading over it and its neighbours, such as a policy; empty without one.
    """

    name: str
    title: str
    unit: str = ""
    group: str = ""

    @property
    def heading(self) -> str:
        """Group, title and unit in a line; fractions are in percent."""
        return self.heading_with(" ")

    def heading_with(self, between: str) -> str:
        """Return the heading with another text between the group and the title."""
        return f"{self.group}{between}{self.own_heading}" if self.group else self.own_heading

    @property
    def own_heading(self) -> str:
        """Title and unit, for a place that shows the group separately."""
        return f"{self.title}, {self.shown_unit}" if self.shown_unit else self.title

    @property
    def shown_unit(self) -> str:
        """The unit that is shown: fractions are in percent."""
        return "%" if self.unit == "fraction" else self.unit


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """A table of the paper for a study.

    Attributes:
        name: its name in the paper, such as `Table II(a)`.
        title: its subject.
        columns: columns of the frame, in order.
        frame: the rows; null for missing values.
        note: its method, if the paper leaves that open.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    frame: pl.DataFrame
    note: str = ""


# Tables of users under a policy share these columns and titles.
DEV = Column("dev_nh", "dev", "node-h")
MAX_WAIT = Column("max_wait_h", "MaxW", "h")
AVG_WAIT = Column("avg_wait_h", "AvgW", "h")
AVG_SLOWDOWN = Column("avg_bounded_slowdown", "AvgX")
USER = Column("user", "User")
MONTH = Column("month", "Month")

STATISTICS = {"min": "Min", "avg": "Avg", "median": "Median", "max": "Max"}


def statistics(of: str, suffix: str, group: str, unit: str, which: Sequence[str]) -> tuple[Column, ...]:
    """Return columns such as `nodes_min`, `nodes_avg`, one for each statistic (keys of STATISTICS)."""
    return tuple(Column(f"{of}_{what}{suffix}", STATISTICS[what], unit, group) for what in which)


def sizes(which: Sequence[str]) -> tuple[Column, ...]:
    """Return columns of nodes N, runtimes T and sizes N x T of jobs, named as in tables of users."""
    return (
        *statistics("nodes", "", "N", "nodes", which),
        *statistics("runtime", "_h", "T", "h", which),
        *statistics("size", "_nh", "N x T", "node-h", which),
    )


def under(group: str, column: Column) -> Column:
    """Return a copy of a column for a group, such as a policy."""
    return Column(f"{group} {column.name}", column.title, column.unit, group)
