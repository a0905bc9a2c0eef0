"""Values of the newest snapshot by node, looked up one by one: only rows in sight ask for theirs."""

from __future__ import annotations

import math

from fsconsole.shares.flat import Ints
from fsconsole.targets.snapshot import Snapshot


class NewestValues:
    """What the last snapshot that was taken says of a node."""

    def __init__(self) -> None:
        self._snapshot: Snapshot | None = None
        self._ids: Ints | None = None
        self._row_of: dict[int, int] = {}
        self._at_work: frozenset[int] = frozenset()

    def take(self, snapshot: Snapshot | None) -> None:
        """Look values up in this snapshot from now on."""
        self._snapshot = snapshot
        if snapshot is None:
            return
        self._at_work = frozenset(row.node for row in snapshot.processes)
        if snapshot.sample.ids is not self._ids:  # the same array until the machine's tree changes
            self._ids = snapshot.sample.ids
            self._row_of = {node: row for row, node in enumerate(self._ids.tolist())}

    @property
    def is_empty(self) -> bool:
        """Whether there is no snapshot."""
        return self._snapshot is None

    def value(self, node: int, column: str) -> float:
        """Value of a node in a column of the sample; NaN where the machine has no such node."""
        row = self._row_of.get(node)
        if self._snapshot is None or row is None:
            return math.nan
        return float(self._snapshot.sample.columns[column][row])

    def is_active(self, node: int) -> bool:
        """Whether a user is logged in or has processes."""
        return self._snapshot is not None and (node in self._snapshot.logged_in or node in self._at_work)
