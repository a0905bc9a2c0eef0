"""Readings of many nodes at long intervals: every node's values, in bounded memory.

A cluster has tens of thousands of associations and is read once a minute, a simulated machine has dozens of
nodes and is sampled by the second; so all values of a reading are stored together, and when the memory is
full the older half is thinned to every second reading. Gaps stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from fsconsole.recording.series import band_of
from fsconsole.shares.flat import Floats

BUDGET_BYTES = 64_000_000
LEAST, MOST = 48, 2048  # The budget decides between these numbers of readings.
_SLACK = 64  # This many nodes may be added before the arrays grow.

Values = NDArray[np.float32]


class Readings:
    """Readings of `quantities` for nodes by id; one thread appends, another one reads.

    Attributes:
        revision: number that grows with every addition.
    """

    def __init__(self, quantities: Sequence[str], budget_bytes: int = BUDGET_BYTES) -> None:
        """Start without readings."""
        self._place = {name: at for at, name in enumerate(quantities)}
        self._budget = budget_bytes
        self._nodes: Sequence[int] = ()
        self._rows: NDArray[np.int64] = np.empty(0, np.int64)
        self._row_of: dict[int, int] = {}
        self._asked: tuple[Sequence[int], NDArray[np.int64]] = ((), np.empty(0, np.int64))
        self._count = 0
        self._times: Floats = np.empty(0)
        self._gaps: NDArray[np.bool_] = np.empty(0, bool)
        self._values: Values = np.empty((0, len(self._place), 0), np.float32)
        self._lock = Lock()
        self.revision = 0

    def __len__(self) -> int:
        return self._count

    @property
    def span_s(self) -> tuple[float, float]:
        """Times of the first and the last reading; (0, 0) without readings."""
        with self._lock:
            return (float(self._times[0]), float(self._times[self._count - 1])) if self._count else (0.0, 0.0)

    def append(self, time_s: float, nodes: Sequence[int], columns: Mapping[str, Floats]) -> bool:
        """Add a reading, values by quantity [nodes]; return False if it is not later than the last."""
        with self._lock:
            if not self._is_later(time_s):
                return False
            self._know(nodes)
            self._make_room()
            values = self._values[self._count]
            values[:] = np.nan
            for name, at in self._place.items():
                values[at, self._rows] = columns[name]
            self._keep(time_s, is_gap=False)
            return True

    def gap(self, time_s: float) -> bool:
        """Begin a gap, over which no line is drawn; return False within a gap or without a reading before."""
        with self._lock:
            if not self._count or self._gaps[self._count - 1] or not self._is_later(time_s):
                return False
            self._make_room()
            self._values[self._count] = np.nan
            self._keep(time_s, is_gap=True)
            return True

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, _points: int = 0
    ) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k], between two times and one beyond each; NaN where
        unknown.
        """
        with self._lock:
            first, last = self._between(start_s, end_s)
            times = self._times[first:last].copy()
            values = np.full((len(nodes), last - first), np.nan)
            rows = self._rows_of(nodes)
            known = rows >= 0
            if known.any():
                values[known] = self._values[first:last, self._place[quantity]][:, rows[known]].T
        return times, values

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, _points: int = 0
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest value over several nodes, [k] each; NaN where none has a
        value.
        """
        return band_of(*self.curves(quantity, nodes, start_s, end_s))

    def values_at(self, quantity: str, nodes: Sequence[int], time_s: float) -> Floats:
        """Return values of nodes in the newest reading not after a time, float64 [nodes].

        NaN without a reading, or for a quantity that is not kept.
        """
        with self._lock:
            return self._at(quantity, nodes, time_s)

    def sample_times(self, start_s: float, end_s: float) -> Floats:
        """Return times of the readings between two times, s [k], without gaps."""
        with self._lock:
            times, gaps = self._times[: self._count], self._gaps[: self._count]
            return times[~gaps & (times >= start_s) & (times <= end_s)].copy()

    # -- inside -------------------------------------------------------------------------------------------

    def _at(self, quantity: str, nodes: Sequence[int], time_s: float) -> Floats:
        found = np.full(len(nodes), np.nan)
        at = int(np.searchsorted(self._times[: self._count], time_s, "right")) - 1
        if at >= 0 and quantity in self._place:
            rows = self._rows_of(nodes)
            found[rows >= 0] = self._values[at, self._place[quantity], rows[rows >= 0]]
        return found

    def _rows_of(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Return rows of nodes, -1 for unknown ones; the result is cached, as there may be very many."""
        if nodes is self._asked[0] and len(nodes):
            return self._asked[1]
        rows = np.fromiter((self._row_of.get(node, -1) for node in nodes), np.int64, len(nodes))
        if isinstance(nodes, tuple):
            self._asked = (nodes, rows)
        return rows

    def _is_later(self, time_s: float) -> bool:
        return not self._count or time_s > self._times[self._count - 1]

    def _keep(self, time_s: float, *, is_gap: bool) -> None:
        self._times[self._count], self._gaps[self._count] = time_s, is_gap
        self._count += 1
        self.revision += 1

    def _between(self, start_s: float, end_s: float) -> tuple[int, int]:
        times = self._times[: self._count]
        first = max(0, int(np.searchsorted(times, start_s, "right")) - 1)
        return first, min(self._count, int(np.searchsorted(times, end_s, "right")) + 1)

    def _know(self, nodes: Sequence[int]) -> None:
        """Assign rows to new nodes; the same sequence again is recognised at no cost."""
        if nodes is self._nodes:
            return
        self._nodes = nodes
        self._asked = ((), np.empty(0, np.int64))
        for node in nodes:
            self._row_of.setdefault(node, len(self._row_of))
        self._rows = np.fromiter((self._row_of[node] for node in nodes), np.int64, len(nodes))
        if len(self._row_of) > self._values.shape[2]:
            self._grow(len(self._row_of) + _SLACK)

    def _grow(self, rows: int) -> None:
        """Make room for more nodes, which have no values so far."""
        capacity = int(np.clip(self._budget // (4 * len(self._place) * rows), LEAST, MOST))
        while self._count > capacity:
            self._thin()
        values = np.empty((capacity, len(self._place), rows), np.float32)
        before = self._values.shape[2]
        values[: self._count, :, :before] = self._values[: self._count]
        values[: self._count, :, before:] = np.nan
        times, gaps = np.empty(capacity), np.zeros(capacity, bool)
        times[: self._count], gaps[: self._count] = self._times[: self._count], self._gaps[: self._count]
        self._values, self._times, self._gaps = values, times, gaps

    def _make_room(self) -> None:
        if self._count == len(self._times):
            self._thin()

    def _thin(self) -> None:
        """Remove every second reading of the older half; a gap between two that stay is kept."""
        half = self._count // 2
        is_gap = self._gaps[:half]
        stays = ~is_gap & (np.cumsum(~is_gap) % 2 == 1)
        gaps = np.flatnonzero(is_gap)
        first_of_each = np.unique(np.cumsum(stays)[gaps], return_index=True)[1]
        stays[gaps[first_of_each]] = True
        kept = np.concatenate([np.flatnonzero(stays), np.arange(half, self._count)])
        for to, at in enumerate(kept.tolist()):
            self._values[to] = self._values[at]
            self._times[to], self._gaps[to] = self._times[at], self._gaps[at]
        self._count = len(kept)
