"""Columns of the share tree's table."""

from __future__ import annotations

from enum import IntEnum


class Column(IntEnum):
    """Columns from left to right."""

    NAME = 0
    KIND = 1
    SHARES = 2
    PART_OF_GROUP = 3
    PART_OF_MACHINE = 4
    USAGE = 5
    FAIRSHARE = 6
    LEVEL_FS = 7
    DEMAND = 8
    NOTE = 9


TITLES = {
    Column.NAME: "Name",
    Column.KIND: "Kind",
    Column.SHARES: "Shares",
    Column.PART_OF_GROUP: "Share of group",
    Column.PART_OF_MACHINE: "Share of machine",
    Column.USAGE: "Usage",
    Column.FAIRSHARE: "FairShare",
    Column.LEVEL_FS: "LevelFS",
    Column.DEMAND: "Demand",
    Column.NOTE: "Note",
}

TIPS = {
    Column.SHARES: "Integer weight among siblings",
    Column.PART_OF_GROUP: "Shares divided by the sum of the siblings' shares",
    Column.PART_OF_MACHINE: "Share of group multiplied by that of all groups above",
    Column.USAGE: "Share of the cluster's decayed usage (NormUsage of sshare)",
    Column.FAIRSHARE: (
        "Last calculated value (sshare); ~ marks one that lags. "
        "After the arrow: next calculation, with the changes"
    ),
    Column.LEVEL_FS: "Shares divided by usage within the level. Fair Tree sorts siblings by it",
    Column.DEMAND: "Largest share of the machine that the node can use, for What if. Saturated: no limit",
}

_TITLES_OF_CLUSTER = {Column.PART_OF_GROUP: "Share of account", Column.PART_OF_MACHINE: "Share of cluster"}
_TIPS_OF_CLUSTER = {
    Column.PART_OF_MACHINE: (
        "Share of account multiplied by that of all accounts above: NormShares of classic fairshare"
    )
}


def title_of(column: Column, *, of_cluster: bool) -> str:
    """Return the title of a column, which has Slurm's words for a cluster."""
    return _TITLES_OF_CLUSTER.get(column, TITLES[column]) if of_cluster else TITLES[column]


def tip_of(column: Column, *, of_cluster: bool) -> str | None:
    """Return the tooltip of a column's title, which has Slurm's words for a cluster."""
    return _TIPS_OF_CLUSTER.get(column, TIPS.get(column)) if of_cluster else TIPS.get(column)


# Columns that the user can edit, in the order of Tab.
EDITABLE = (Column.NAME, Column.KIND, Column.SHARES, Column.NOTE)
# Columns that are empty for the root.
OF_MEMBERS = (Column.KIND, Column.SHARES, Column.DEMAND)
# Columns of only one type of document: of a machine, and of a cluster.
OF_MACHINE = frozenset({Column.DEMAND, Column.NOTE})
OF_CLUSTER = frozenset({Column.USAGE, Column.FAIRSHARE, Column.LEVEL_FS})
WIDTHS = {
    Column.NAME: 232,
    Column.KIND: 66,
    Column.SHARES: 70,
    Column.PART_OF_GROUP: 208,
    Column.PART_OF_MACHINE: 212,
    Column.USAGE: 72,
    Column.FAIRSHARE: 168,
    Column.LEVEL_FS: 72,
    Column.DEMAND: 112,
    Column.NOTE: 80,
}
