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
        "Last calculated (sshare), ~ where it lags. After the arrow: next calculation, with the changes"
    ),
    Column.LEVEL_FS: "Shares divided by usage within the level. Fair Tree sorts siblings by it",
    Column.DEMAND: "Most that the node can use of the machine, for What if. Saturated: all it can get",
}

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
    Column.PART_OF_GROUP: 168,
    Column.PART_OF_MACHINE: 212,
    Column.USAGE: 72,
    Column.FAIRSHARE: 168,
    Column.LEVEL_FS: 72,
    Column.DEMAND: 112,
    Column.NOTE: 80,
}
