"""Curves and values of a run on disk, in bounded memory: little more is read than is drawn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from fsconsole.recording import run_format as form
from fsconsole.recording.chunk import (
    HIGH,
    LOW,
    Chunk,
    ChunkError,
    Values,
    drawn,
    joined,
    read_blocks,
)
from fsconsole.recording.run_index import (
    Gap,
    RunIndex,
    Span,
    after_s,
    gap_of,
    index_of,
    read_index,
    read_span,
)
from fsconsole.recording.series import TIERS, Buckets, BucketSeries
from fsconsole.shares.flat import Floats
from fsconsole.shares.input_files import stamp_of

CACHE_BYTES = 128_000_000
MOST_TIMES = 20_000


class RunSeries(BucketSeries):
    """Samples of a run folder, complete or still being written; answers as `series.TieredSeries` does.

    An unreadable file becomes a gap. Several threads may call it.

    Attributes:
        index: index of the folder.
        revision: number that grows with every find of `look`.
        problem: reason why new samples cannot be read; empty without one.
    """

    def __init__(self, path: Path, quantities: Mapping[str, Mapping[str, Any]]) -> None:
        """Open a folder.

        Raises:
            OSError: the folder cannot be read.
        """
        self._path = path
        self._quantities = quantities
        self._names = tuple(quantities)
        self._cache: OrderedDict[tuple[str, str], Chunk] = OrderedDict()
        self._size = 0
        self._lock = RLock()
        self._damaged: dict[Span, str] = {}
        self.problem = ""
        self._stamp: object = None
        # Each tail has its chunks, its end and its gaps by their start.
        self._tails: dict[int, tuple[list[Chunk], int, dict[float, Gap]]] = {}
        self._tail: tuple[Chunk, ...] = ()
        self.index = RunIndex(())
        self.revision = 0
        self.look()

    def look(self) -> int:
        """Read the files written since the last call; return `revision`."""
        with self._lock:
            stamp = self._stamp_now()
            if stamp != self._stamp:
                self._stamp = stamp
                try:
                    self._read_index()
                    self.problem = ""
                except OSError as error:  # The folder or its disk is gone: samples read before stay.
                    if not self.revision:
                        raise
                    self.problem = f"{self._path} can no longer be read: {error.strerror or error}"
                self.revision += 1
        return self.revision

    @property
    def span_s(self) -> tuple[float, float]:
        """Times of the first and the last sample; (0, 0) without samples."""
        with self._lock:
            spans, tail = self.index.tiers[0], self._tail
            starts = [spans[0].first_s] if spans else [float(tail[0].times[0])] if tail else [0.0]
            ends = (
                [float(tail[-1].times[-1])]
                if tail
                else [max(span.last_s for span in spans)]
                if spans
                else starts
            )
            return starts[0], ends[0]

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Gaps in the samples, as far as known."""
        return self.index.gaps

    def values_at(self, quantity: str, nodes: Sequence[int], time_s: float) -> Floats:
        """Return values of nodes in the newest sample not after a time, float64 [nodes]; NaN for
        missing ones.
        """
        values = np.full(len(nodes), np.nan)
        with self._lock:
            chunk = None if self._is_in_gap(time_s) else self._at(quantity, time_s)
        if chunk is None or time_s < chunk.times[0]:
            return values
        at = int(np.searchsorted(chunk.times, time_s, "right")) - 1
        known, rows = _rows(chunk, nodes)
        values[known] = chunk.columns[quantity][rows, at]
        return values

    def sample_times(self, start_s: float, end_s: float, points: int = MOST_TIMES) -> Floats:
        """Return times of the samples between two times, s [k]; of a coarser tier beyond about `points`."""
        buckets = self._buckets(self._names[0], (), start_s, end_s, points, merges=False)
        times: Floats = buckets.times[~self._in_gaps(buckets.times)]
        return times[(times >= start_s) & (times <= end_s)].copy()

    # -- inside -------------------------------------------------------------------------------------------

    def _at(self, quantity: str, time_s: float) -> Chunk | None:
        """Return the chunk with the newest sample that is not after a time; None without one."""
        late = [chunk for chunk in self._tail if chunk.times[0] <= time_s]
        if late:
            return self._shown(late[-1], quantity)
        spans = self.index.within(0, time_s, time_s)
        return self._read(spans[0], quantity) if spans else None

    def _buckets(
        self,
        quantity: str,
        nodes: Sequence[int],
        start_s: float,
        end_s: float,
        points: int,
        *,
        merges: bool = True,
    ) -> Buckets:
        with self._lock:
            level = self._level(start_s, end_s, points)
            parts = self._parts(level, quantity, nodes, start_s, end_s, -np.inf)
        if not parts:
            nothing = np.empty((len(nodes), 0), np.float32)
            return Buckets(np.empty(0), nothing, nothing)
        times = np.concatenate([part.times for part in parts])
        low, high = (
            np.concatenate([getattr(part, one) for part in parts], axis=1) for one in ("low", "high")
        )
        first = max(0, int(np.searchsorted(times, start_s, "right")) - 1)
        last = int(np.searchsorted(times, end_s, "right")) + 1
        found = Buckets(times[first:last], low[:, first:last], high[:, first:last])
        if merges:
            found = found.merged(self._number(level, float(times[first])), points)
        return self._with_gaps(found, start_s, end_s)

    def _level(self, start_s: float, end_s: float, points: int) -> int:
        """Return the coarsest tier with enough buckets for about `points` points."""
        first_s, last_s = self.span_s
        start_s, end_s = max(start_s, first_s), min(end_s, last_s)
        for tier in range(TIERS - 1, 0, -1):
            if self.index.count(tier, start_s, end_s) >= points / 2:
                return tier
        return 0

    def _number(self, level: int, time_s: float) -> int:
        """Count the buckets before a time; the number stays while no chunk before it changes."""
        before = [span for span in self.index.tiers[level] if span.last_s < time_s]
        return sum(span.count for span in before)

    def _parts(
        self, level: int, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, since_s: float
    ) -> list[Buckets]:
        """Return the buckets of a tier from `since_s` on, and those of finer tiers where it has none."""
        parts: list[Buckets] = []
        for span in self.index.within(level, max(start_s, since_s), end_s):
            if span.last_s < since_s:
                continue
            if level and span.first_s > since_s:
                parts += self._between(level - 1, quantity, nodes, start_s, end_s, since_s, span.first_s)
            chunk = self._read(span, quantity)
            if chunk is None:
                continue
            since_s = after_s(span.last_s)
            parts.append(_part(chunk, quantity, nodes, level))
        if level:
            return parts + self._parts(level - 1, quantity, nodes, start_s, end_s, since_s)
        for chunk in self._tail:
            if chunk.times[0] <= end_s and chunk.times[-1] >= since_s:
                parts.append(_part(self._shown(chunk, quantity), quantity, nodes, 0))
        return parts

    def _between(
        self,
        level: int,
        quantity: str,
        nodes: Sequence[int],
        start_s: float,
        end_s: float,
        since_s: float,
        until_s: float,
    ) -> list[Buckets]:
        """Return buckets of finer tiers between two chunks of a tier; none if the chunks adjoin."""
        low_s = max(start_s, since_s)
        spans = self.index.within(0, low_s, until_s)
        if not any(low_s <= span.last_s and since_s <= span.first_s < until_s for span in spans):
            return []
        found = self._parts(level, quantity, nodes, low_s, min(end_s, until_s), since_s)
        return [part for part in (_before(one, until_s) for one in found) if len(part.times)]

    def _read(self, span: Span, quantity: str) -> Chunk | None:
        """Read a quantity of a chunk for drawing; None, and a new gap, if it cannot be read."""
        if quantity not in self._quantities:  # A missing column is not damage.
            return None
        key = (span.name, quantity)
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        names = [f"{quantity}{LOW}", f"{quantity}{HIGH}"] if span.tier else self._needed(quantity)
        try:
            chunk = read_span(self._path, span, names)
        except ChunkError as error:
            self._mark_damaged(span, str(error))
            return None
        if not span.tier:
            chunk = self._shown(chunk, quantity)
        self._cache[key] = chunk
        self._size += _size_of(chunk)
        while self._size > CACHE_BYTES and len(self._cache) > 1:
            self._size -= _size_of(self._cache.popitem(last=False)[1])
        return chunk

    def _needed(self, quantity: str) -> list[str]:
        where = self._quantities.get(quantity, {}).get("where")
        return [quantity] if where is None else [quantity, where]

    def _shown(self, chunk: Chunk, quantity: str) -> Chunk:
        return Chunk(chunk.times, chunk.ends, chunk.ids, {quantity: drawn(quantity, self._quantities, chunk)})

    def _mark_damaged(self, span: Span, why: str) -> None:
        self._damaged[span] = why
        self._apply_damage()
        self.revision += 1

    def _apply_damage(self) -> None:
        """Remove unreadable chunks; those of samples become gaps."""
        if not self._damaged:
            return
        gaps, tiers = set(self.index.gaps), []
        for spans in self.index.tiers:
            tiers.append([span for span in spans if span not in self._damaged])
            for at, span in enumerate(spans):
                if span in self._damaged and not span.tier:
                    end_s = spans[at + 1].first_s if at + 1 < len(spans) else after_s(span.last_s)
                    gaps.add(Gap(span.first_s, end_s, self._damaged[span]))
        self.index = index_of(tiers, self.index.tails, gaps)

    def _is_in_gap(self, time_s: float) -> bool:
        return any(gap.start_s <= time_s < gap.end_s for gap in self.gaps)

    def _in_gaps(self, times: Floats) -> np.ndarray[Any, np.dtype[np.bool_]]:
        inside = np.zeros(len(times), bool)
        for gap in self.gaps:
            inside |= (times >= gap.start_s) & (times < gap.end_s)
        return inside

    def _with_gaps(self, found: Buckets, start_s: float, end_s: float) -> Buckets:
        """Cut curves at gaps, where a coarse bucket may be partly unknown."""
        gaps = [gap for gap in self.gaps if gap.start_s <= end_s and gap.end_s >= start_s]
        if not gaps:
            return found
        stays = ~self._in_gaps(found.times)
        breaks = np.array([gap.start_s for gap in gaps])
        times = np.concatenate([found.times[stays], breaks])
        order = np.argsort(times, kind="stable")
        nothing = np.full((len(found.low), len(breaks)), np.nan, np.float32)
        low, high = (
            np.concatenate([values[:, stays], nothing], axis=1)[:, order]
            for values in (found.low, found.high)
        )
        return Buckets(times[order], low, high)

    # -- following ----------------------------------------------------------------------------------------

    def _stamp_now(self) -> tuple[object, ...]:
        """Return sizes and times of the index and of the tails, which change with every write."""
        names = [form.INDEX, *(form.tail_name(number) for number in (*self.index.tails, self._next_tail()))]
        return tuple(stamp_of(self._path / name) for name in dict.fromkeys(names))

    def _next_tail(self) -> int:
        spans = self.index.tiers[0] if self.index.tiers else ()
        return max([span.number for span in spans] + list(self.index.tails), default=0) + 1

    def _read_index(self) -> None:
        for _ in range(3):  # A tail may just be becoming a chunk, so a second look is worthwhile.
            self.index = read_index(self._path)
            try:
                self._read_tails()
                break
            except FileNotFoundError:
                continue
        self._apply_damage()

    def _read_tails(self) -> None:
        tails = {}
        for number in self.index.tails:
            chunks, offset, gaps = self._tails.get(number, ([], 0, {}))
            place = self._path / form.tail_name(number)
            fresh, offset, holes = read_blocks(place, self._names, offset)
            before = chunks[-1].times if chunks else [span.last_s for span in self.index.tiers[0]]
            found = [gap_of(hole, float(max(before, default=-np.inf)), place.name) for hole in holes]
            together = [joined([*chunks, *fresh])] if chunks or fresh else []
            # The block after a damaged one will show the end of the gap.
            tails[number] = (together, offset, gaps | {gap.start_s: gap for gap in found})
        self._tails = tails
        self._tail = tuple(chunk for chunks, _, _ in tails.values() for chunk in chunks)
        holes_now = {gap for _, _, gaps in tails.values() for gap in gaps.values()}
        if holes_now:
            self.index = index_of(self.index.tiers, self.index.tails, {*self.index.gaps, *holes_now})


def _part(chunk: Chunk, quantity: str, nodes: Sequence[int], level: int) -> Buckets:
    known, rows = _rows(chunk, nodes)
    low_name, high_name = (f"{quantity}{LOW}", f"{quantity}{HIGH}") if level else (quantity, quantity)
    low = np.full((len(nodes), len(chunk.times)), np.nan, np.float32)
    low[known] = chunk.columns[low_name][rows]
    high = low
    if level:
        high = np.full_like(low, np.nan)
        high[known] = chunk.columns[high_name][rows]
    return Buckets(chunk.times, low, high)


def _before(part: Buckets, until_s: float) -> Buckets:
    last = int(np.searchsorted(part.times, until_s, "left"))
    return Buckets(part.times[:last], part.low[:, :last], part.high[:, :last])


def _rows(chunk: Chunk, nodes: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return positions of nodes in `nodes`, and their rows in the chunk."""
    row_of = {node: row for row, node in enumerate(chunk.ids.tolist())}
    found = [(at, row_of[node]) for at, node in enumerate(nodes) if node in row_of]
    return [at for at, _ in found], [row for _, row in found]


def _size_of(chunk: Chunk) -> int:
    return sum(values.nbytes for values in chunk.columns.values()) + 2 * chunk.times.nbytes


__all__ = ["MOST_TIMES", "RunSeries", "Values"]
