"""Live series of all nodes in constant memory: tiers of ever coarser minimum/maximum buckets.

The newest samples are kept one by one, older ones in buckets of 8, 64, 512 ... samples, so that a month of
seconds takes megabytes and peaks stay visible. One thread appends, another reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.flat import Floats

FACTOR = 8
TIERS = 7
BUDGET_BYTES = 4_000_000

Values = NDArray[np.float32]
Slots = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Buckets:
    """Buckets of some nodes: start times [k] and extremes [nodes, k], NaN where a node had no value."""

    times: Floats
    low: Values
    high: Values

    def since(self, time_s: float) -> Buckets:
        """Return the buckets that start at a time or later."""
        first = int(np.searchsorted(self.times, time_s, "left"))
        return Buckets(self.times[first:], self.low[:, first:], self.high[:, first:])

    def merged(self, number: int, points: int) -> Buckets:
        """Merge buckets to about `points`; groups align to bucket numbers, so that curves do not flicker."""
        size = 1
        while len(self.times) > points * size:
            size *= 2
        if size == 1:
            return self
        edges = np.arange(-(number % size), len(self.times), size)
        edges[0] = 0
        low, high = np.fmin.reduceat(self.low, edges, axis=1), np.fmax.reduceat(self.high, edges, axis=1)
        return Buckets(self.times[edges], low, high)

    def band(self) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest value over all nodes, [k] each; NaN where none has one."""
        if not len(self.low):
            nothing = np.full(len(self.times), np.nan)
            return self.times, nothing, nothing
        low, high = np.fmin.reduce(self.low, axis=0), np.fmax.reduce(self.high, axis=0)
        return self.times, low.astype(np.float64), high.astype(np.float64)

    def drawn(self) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k]: both extremes of each bucket, or its only value.

        The order of the extremes is unknown: the one that suits the trend is put at the start of the bucket
        and the other at its end, so that a monotonic curve stays monotonic.
        """
        if np.array_equal(self.low, self.high, equal_nan=True):
            return self.times, self.low.astype(np.float64)
        middle = self.low / 2 + self.high / 2  # The sum of two large values may not be a number.
        trend = np.zeros_like(middle)
        trend[:, 1:-1] = middle[:, 2:] - middle[:, :-2]
        if len(self.times) > 1:
            trend[:, 0], trend[:, -1] = middle[:, 1] - middle[:, 0], middle[:, -1] - middle[:, -2]
        falls = trend < 0
        values = np.empty((len(self.low), 2 * len(self.times)))
        values[:, 0::2] = np.where(falls, self.high, self.low)
        values[:, 1::2] = np.where(falls, self.low, self.high)
        times = np.repeat(self.times, 2)
        is_long = (self.low[:, :-1] != self.high[:, :-1]).any(axis=0, where=np.isfinite(self.low[:, :-1]))
        times[1:-1:2][is_long] = self.times[1:][is_long]
        return times, values


@dataclass(frozen=True, eq=False, slots=True)
class _Instant:
    """Values (quantities, slots), the largest within a span of time; exact if the span is one time."""

    span_s: tuple[float, float]
    values: Values


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
        """Slice of the buckets that are still kept."""
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
        """Make room for more nodes, which have no values so far."""
        for name in ("_low", "_high"):
            old = getattr(self, name)
            new = np.full((old.shape[0], slots, old.shape[2]), np.nan, np.float32)
            new[:, : old.shape[1]] = old
            setattr(self, name, new)

    def newest(self, buckets: int) -> tuple[float, Values, Values]:
        """Return the time of the first and extremes of the last few buckets."""
        last = slice(self._at - buckets, self._at)
        low, high = self._low[:, :, last], self._high[:, :, last]
        return float(self.times[last.start]), np.fmin.reduce(low, axis=2), np.fmax.reduce(high, axis=2)

    def part(self, quantity: int, slots: Slots, start_s: float, end_s: float) -> tuple[Buckets, int]:
        """Return the number of the bucket around `start_s`, and buckets from it to the one after `end_s`."""
        held = self.held
        times = self.times[held]
        first = max(0, int(np.searchsorted(times, start_s, "right")) - 1)
        last = min(len(times), int(np.searchsorted(times, end_s, "right")) + 1)
        where = slice(held.start + first, held.start + last)
        number = self.count - len(times) + first
        low, high = self._low[quantity, slots, where], self._high[quantity, slots, where]
        return Buckets(times[first:last].copy(), low, high), number

    def time_from_end(self, buckets: int) -> float:
        """Return the time of the first of the last few buckets."""
        return float(self.times[self._at - buckets])

    def column(self, index: int) -> Values:
        """Return values (quantities, slots) of one of the kept buckets."""
        column: Values = self._high[:, :, self.held.start + index]
        return column


def band_of(times: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return times, [k], and the smallest and the largest of values [nodes, k]; NaN where none is known."""
    if not len(values):
        nothing = np.full(len(times), np.nan)
        return times, nothing, nothing
    return times, np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)


class BucketSeries:
    """What is drawn of samples that are merged into buckets, each with its minimum and maximum."""

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int
    ) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k], between two times; NaN for an unknown node.

        There are at most about 2 * `points` of them. A series on the disk gives one beyond each end, and NaN
        over gaps.
        """
        return self._buckets(quantity, nodes, start_s, end_s, points).drawn()

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest value over several nodes, [k] each; NaN where none has a
        value.
        """
        return self._buckets(quantity, nodes, start_s, end_s, points).band()

    def _buckets(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int
    ) -> Buckets:
        raise NotImplementedError


class TieredSeries(BucketSeries):
    """Samples of `quantities` for nodes by id.

    Args:
        quantities: names of the columns to keep.
        expected_nodes: expected number of nodes; it determines the number of samples kept one by one.
    """

    def __init__(self, quantities: Sequence[str], expected_nodes: int = 16) -> None:
        """Start without samples."""
        self._quantities = {name: at for at, name in enumerate(quantities)}
        per_sample = 16 * len(quantities) * max(1, expected_nodes)
        self.capacity = int(np.clip(BUDGET_BYTES // per_sample, 512, 4096)) // FACTOR * FACTOR
        self._slots: dict[int, int] = {}
        self._tiers: list[_Tier] = []
        self._kept: dict[float, _Instant] = {}
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
            return self._first_s(), self._tiers[0].time_from_end(1)

    @property
    def nodes(self) -> frozenset[int]:
        """Ids of the nodes with values."""
        with self._lock:
            return frozenset(self._slots)

    def append(self, time_s: float, ids: Sequence[int], columns: Mapping[str, Floats]) -> None:
        """Add a sample, values by quantity [nodes]; nodes not seen before get a place."""
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
        """Return times in s and values of one node between two times, [k] each, at most about 2 * `points` of
        them.

        Where samples are merged, each bucket gives its minimum and maximum. Empty where nothing is known.
        """
        times, values = self.curves(quantity, (node,), start_s, end_s, points)
        return (times, values[0]) if node in self._slots else (np.empty(0), np.empty(0))

    def values_at(self, quantity: str, nodes: Sequence[int], time_s: float) -> Floats:
        """Return values of nodes in the newest sample not after a time, float64 [nodes]; NaN for
        missing ones.
        """
        values = np.full(len(nodes), np.nan)
        with self._lock:
            found = self._instant(time_s)
            if found is not None:
                row = found.values[self._quantities[quantity]]
                slots = np.array([self._slots.get(node, len(row)) for node in nodes], np.int64)
                known = slots < len(row)
                values[known] = row[slots[known]]
        return values

    def span_at(self, time_s: float) -> tuple[float, float]:
        """Return the interval whose largest values `values_at` gives; one time for a sample's own values."""
        with self._lock:
            found = self._instant(time_s)
            return (time_s, time_s) if found is None else found.span_s

    def keep(self, times: Iterable[float]) -> None:
        """Keep the present values at these instants, however old they become; release earlier ones."""
        with self._lock:
            found = {time_s: self._instant(time_s) for time_s in times}
            self._kept = {time_s: instant for time_s, instant in found.items() if instant is not None}

    def sample_times(self, start_s: float, end_s: float) -> Floats:
        """Return times of the finest samples still kept between two times, s [k]."""
        with self._lock:
            if not self._tiers:
                return np.empty(0)
            times = self._tiers[0].times[self._tiers[0].held]
            return times[(times >= start_s) & (times <= end_s)].copy()

    def _instant(self, time_s: float) -> _Instant | None:
        """Return the values known for an instant; None without samples."""
        if time_s in self._kept or not self._tiers:
            return self._kept.get(time_s)
        oldest = len(self._tiers) - 1
        level = next((at for at in range(oldest) if self._starts_s(at) <= time_s), oldest)
        tier = self._tiers[level]
        times = tier.times[tier.held]
        index = max(0, int(np.searchsorted(times, time_s, "right")) - 1)
        first_s = end_s = float(times[index])
        if level:
            next_s = float(times[index + 1]) if index + 1 < len(times) else self._end_of(level)
            end_s = min(next_s, self._tiers[0].time_from_end(1))
        return _Instant((first_s, end_s), tier.column(index).copy())

    def _slots_of(self, ids: Sequence[int]) -> Slots:
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

    def _buckets(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int
    ) -> Buckets:
        at = self._quantities[quantity]
        with self._lock:
            known = [place for place, node in enumerate(nodes) if node in self._slots]
            slots = np.array([self._slots[nodes[place]] for place in known], np.int64)
            parts = self._parts(at, slots, start_s, end_s, points) if self._tiers else []
        times = np.concatenate([part.times for part in parts]) if parts else np.empty(0)
        low, high = (np.full((len(nodes), len(times)), np.nan, np.float32) for _ in range(2))
        if parts and known:
            low[known] = np.concatenate([part.low for part in parts], axis=1)
            high[known] = np.concatenate([part.high for part in parts], axis=1)
        return Buckets(times, low, high)

    def _parts(self, quantity: int, slots: Slots, start_s: float, end_s: float, points: int) -> list[Buckets]:
        """Return buckets of the finest tier that reaches back far enough, then newer ones of finer tiers."""
        since = max(start_s, self._first_s())
        level = next(
            (at for at in range(len(self._tiers)) if self._starts_s(at) <= since),
            len(self._tiers) - 1,
        )
        parts = []
        for at in range(level, -1, -1):
            buckets, number = self._tiers[at].part(quantity, slots, since, end_s)
            if at < level:
                buckets = buckets.since(since)
            if len(buckets.times):
                parts.append(buckets.merged(number, points))
            since = self._end_of(at)
            if since > end_s:
                break
        return parts

    def _first_s(self) -> float:
        return self._starts_s(-1)

    def _starts_s(self, level: int) -> float:
        """Return the first time that a tier still has."""
        tier = self._tiers[level]
        return float(tier.times[tier.held.start])

    def _end_of(self, level: int) -> float:
        """Return the first time after the newest bucket of a tier."""
        for at in range(level, 0, -1):
            behind = self._tiers[at - 1].count - self._tiers[at].count * FACTOR
            if behind:
                return self._tiers[at - 1].time_from_end(behind)
        return float("inf")
