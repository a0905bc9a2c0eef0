"""Live series of all nodes in constant memory: tiers of ever coarser minimum/maximum buckets.

The newest samples are kept one by one; older ones in buckets of 8, 64, 512 ... samples, so that a month
of seconds costs megabytes and peaks stay visible. One thread appends, another reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.flat import Floats

FACTOR = 8
TIERS = 7
BUDGET_BYTES = 4_000_000

Values = NDArray[np.float32]


class _Tier:
    """The last `capacity` buckets; buffers of twice the size keep every slice contiguous."""

    def __init__(self, capacity: int, quantities: int, slots: int) -> None:
        self.capacity = capacity
        self.count = 0
        self._at = 0
        self.times: Floats = np.empty(2 * capacity)
        self._low: Values = np.empty((quantities, slots, 2 * capacity), np.float32)
        self._high: Values = np.empty_like(self._low)

    @property
    def held(self) -> slice:
        """Where the buckets that are still there stand."""
        return slice(max(0, self._at - self.capacity), self._at)

    def append(self, time_s: float, low: Values, high: Values) -> None:
        if self._at == 2 * self.capacity:
            half = self.capacity
            for buffer in (self.times, self._low, self._high):
                buffer[..., :half] = buffer[..., half:]
            self._at = half
        self.times[self._at] = time_s
        self._low[:, :, self._at] = low
        self._high[:, :, self._at] = high
        self._at += 1
        self.count += 1

    def grow(self, slots: int) -> None:
        """Make room for more nodes; they have no values so far."""
        for name in ("_low", "_high"):
            old = getattr(self, name)
            new = np.full((old.shape[0], slots, old.shape[2]), np.nan, np.float32)
            new[:, : old.shape[1]] = old
            setattr(self, name, new)

    def newest(self, buckets: int) -> tuple[float, Values, Values]:
        """Time of the first and extremes of the last few buckets."""
        last = slice(self._at - buckets, self._at)
        low, high = self._low[:, :, last], self._high[:, :, last]
        return float(self.times[last.start]), np.fmin.reduce(low, axis=2), np.fmax.reduce(high, axis=2)

    def part(
        self, quantity: int, slot: int, start_s: float, end_s: float
    ) -> tuple[Floats, Values, Values, int]:
        """Buckets from the one that holds `start_s` to the one after `end_s`, and the first one's number."""
        held = self.held
        times = self.times[held]
        first = max(0, int(np.searchsorted(times, start_s, "right")) - 1)
        last = min(len(times), int(np.searchsorted(times, end_s, "right")) + 1)
        where = slice(held.start + first, held.start + last)
        number = self.count - len(times) + first
        return times[first:last], self._low[quantity, slot, where], self._high[quantity, slot, where], number

    def row(self, index: int, quantity: int) -> Values:
        """Values of all slots in one bucket of those held."""
        row: Values = self._high[quantity, :, self.held.start + index]
        return row


class TieredSeries:
    """Samples of `quantities` for nodes by id.

    Args:
        quantities: names of the columns that are kept.
        expected_nodes: how many nodes there will be; sets the number of samples kept one by one.
    """

    def __init__(self, quantities: Sequence[str], expected_nodes: int = 16) -> None:
        """Start empty."""
        self._quantities = {name: at for at, name in enumerate(quantities)}
        per_sample = 16 * len(quantities) * max(1, expected_nodes)
        self.capacity = int(np.clip(BUDGET_BYTES // per_sample, 512, 4096)) // FACTOR * FACTOR
        self._slots: dict[int, int] = {}
        self._tiers: list[_Tier] = []
        self._lock = Lock()
        self.revision = 0

    def __len__(self) -> int:
        return self._tiers[0].count if self._tiers else 0

    @property
    def span_s(self) -> tuple[float, float]:
        """Times of the first and the last sample; (0, 0) while empty."""
        with self._lock:
            if not self._tiers:
                return 0.0, 0.0
            oldest, newest = self._tiers[-1], self._tiers[0]
            return float(oldest.times[oldest.held.start]), float(newest.times[newest.held.stop - 1])

    def append(self, time_s: float, ids: Sequence[int], columns: Mapping[str, Floats]) -> None:
        """Add a sample; nodes not seen before get a place."""
        with self._lock:
            slots = self._slots_of(ids)
            if not self._tiers:
                self._tiers.append(_Tier(self.capacity, len(self._quantities), len(self._slots)))
            values = np.full((len(self._quantities), len(self._slots)), np.nan, np.float32)
            for name, at in self._quantities.items():
                values[at, slots] = columns[name]
            self._tiers[0].append(time_s, values, values)
            self._coarsen()
            self.revision += 1

    def curve(
        self, quantity: str, node: int, start_s: float, end_s: float, points: int
    ) -> tuple[Floats, Floats]:
        """(times, values) of one node between two times, at most about 2 * `points` of them.

        Where samples are merged, each bucket gives its minimum and maximum. Empty where nothing is known.
        """
        with self._lock:
            slot = self._slots.get(node)
            if slot is None or not self._tiers:
                return np.empty(0), np.empty(0)
            parts = self._parts(self._quantities[quantity], slot, start_s, end_s, points)
        times = np.concatenate([part[0] for part in parts])
        values = np.concatenate([part[1] for part in parts])
        return times, values

    def values_at(self, quantity: str, time_s: float) -> dict[int, float]:
        """Value of each node in the newest sample not after `time_s`; NaN where a node had none."""
        with self._lock:
            for tier in self._tiers:
                times = tier.times[tier.held]
                if times[0] <= time_s or tier is self._tiers[-1]:
                    index = max(0, int(np.searchsorted(times, time_s, "right")) - 1)
                    row = tier.row(index, self._quantities[quantity])
                    return {node: float(row[slot]) for node, slot in self._slots.items()}
        return {}

    def sample_times(self, start_s: float, end_s: float) -> Floats:
        """Times of the finest samples still held between two times."""
        with self._lock:
            if not self._tiers:
                return np.empty(0)
            times = self._tiers[0].times[self._tiers[0].held]
            return times[(times >= start_s) & (times <= end_s)].copy()

    def _slots_of(self, ids: Sequence[int]) -> NDArray[np.int64]:
        fresh = [int(node) for node in ids if int(node) not in self._slots]
        for node in fresh:
            self._slots[node] = len(self._slots)
        if fresh:
            for tier in self._tiers:
                tier.grow(len(self._slots))
        return np.array([self._slots[int(node)] for node in ids], np.int64)

    def _coarsen(self) -> None:
        for level in range(TIERS - 1):
            tier = self._tiers[level]
            if tier.count % FACTOR:
                return
            if level + 1 == len(self._tiers):
                self._tiers.append(_Tier(self.capacity, len(self._quantities), len(self._slots)))
            self._tiers[level + 1].append(*tier.newest(FACTOR))

    def _parts(
        self, quantity: int, slot: int, start_s: float, end_s: float, points: int
    ) -> list[tuple[Floats, Floats]]:
        """The coarsest tier that is needed, then what the finer ones have after its end."""
        level = next(
            (at for at, tier in enumerate(self._tiers) if tier.times[tier.held.start] <= start_s),
            len(self._tiers) - 1,
        )
        parts = []
        since = start_s
        for at in range(level, -1, -1):
            tier = self._tiers[at]
            # A bucket of tier `at` ends where the next finer tier has counted FACTOR more.
            times, low, high, number = tier.part(quantity, slot, since, end_s)
            if at < level:
                fresh = times >= since
                times, low, high = times[fresh], low[fresh], high[fresh]
            if len(times) == 0:
                continue
            parts.append(_merged(times, low, high, number, points))
            since = self._end_of(at)
            if since > end_s:
                break
        return parts or [(np.empty(0), np.empty(0))]

    def _end_of(self, level: int) -> float:
        """First time that the newest bucket of a tier does not cover."""
        if level == 0:
            return float("inf")
        behind = self._tiers[0].count - self._tiers[level].count * FACTOR**level
        finest = self._tiers[0]
        if behind == 0:
            return float("inf")
        return float(finest.times[finest.held.stop - behind])


def _merged(times: Floats, low: Values, high: Values, number: int, points: int) -> tuple[Floats, Floats]:
    """At most about 2 * points values; groups are aligned to bucket numbers, so they do not flicker."""
    size = 1
    while len(times) > points * size:
        size *= 2
    if size > 1:
        edges = np.arange(-(number % size), len(times), size)
        edges[0] = 0
        times, low, high = times[edges], np.fmin.reduceat(low, edges), np.fmax.reduceat(high, edges)
    if np.array_equal(low, high, equal_nan=True):
        return times.copy(), low.astype(np.float64)
    values = np.empty(2 * len(times))
    values[0::2], values[1::2] = low, high
    return np.repeat(times, 2), values
