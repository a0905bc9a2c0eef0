"""Samples stored as changes (`changes.py`), read in parts on demand, as `RunSeries` does."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.recording import run_format as form
from fsconsole.recording.changes import Block, Stretch, blocks_of, ids_of, read_stretch
from fsconsole.recording.chunk import Chunk, ChunkError
from fsconsole.recording.run_index import Gap, after_s, read_index
from fsconsole.recording.series import band_of
from fsconsole.shares.flat import Floats

CACHE_BYTES = 96_000_000
_MOST_ROWS = 200_000  # This many rows of single nodes are kept, so that no stretch is read twice.

Values = NDArray[np.float32]
Stamp = tuple[int, int]


class ChangeSeries:
    """Samples of a folder, complete or still growing; unreadable parts become gaps. It is thread-safe.

    A stretch is read as a whole, but only the rows of requested nodes are kept: a week of a large cluster
    fits into memory as curves, not as values of all nodes.

    Attributes:
        gaps: where samples are missing, in order of time.
        revision: number that grows with every find of `look`.
        problem: reason why new samples cannot be read; empty without one.
    """

    def __init__(self, path: Path, quantities: Mapping[str, Mapping[str, Any]]) -> None:
        """Open a folder.

        Raises:
            OSError: the folder cannot be read.
        """
        self._path, self._quantities = path, quantities
        self._lock = RLock()
        self._stamps: dict[Path, Stamp] = {}
        self._blocks: dict[Path, list[Block]] = {}
        self._stretches: list[tuple[Block, ...]] = []
        self._times: Floats = np.empty(0)
        self._firsts: Floats = np.empty(0)
        self._cache: OrderedDict[tuple[object, str], Stretch] = OrderedDict()
        self._size = 0
        self._rows: dict[tuple[object, str, int], Values] = {}
        self._damaged: dict[Block, str] = {}
        self.gaps: tuple[Gap, ...] = ()
        self.revision = 0
        self.problem = ""
        self.look()

    def look(self) -> int:
        """Read the samples written since the last call; return `revision`."""
        with self._lock:
            try:
                stamps = {path: _stamp(path) for path in sorted(self._path.iterdir()) if _counts(path.name)}
                if stamps != self._stamps:
                    self._read(stamps)
                self.problem = ""
            except OSError as error:  # The folder or its disk is gone: samples read before stay.
                if not self.revision:
                    raise
                self.problem = f"{self._path} can no longer be read: {error.strerror or error}"
        return self.revision

    @property
    def span_s(self) -> tuple[float, float]:
        """Times of the first and the last sample; (0, 0) without samples."""
        with self._lock:
            return (float(self._times[0]), float(self._times[-1])) if len(self._times) else (0.0, 0.0)

    @property
    def last_s(self) -> float | None:
        """Time of the last sample; None without samples."""
        with self._lock:
            return float(self._times[-1]) if len(self._times) else None

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int
    ) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k], between two times and one beyond each; NaN over
        gaps.
        """
        times, values = self._between(quantity, nodes, start_s, end_s)
        every = max(1, len(times) // max(2 * points, 1))
        if every > 1:  # Gaps stay, and so does the last sample.
            stays = (np.arange(len(times)) % every == 0) | (np.arange(len(times)) == len(times) - 1)
            stays |= np.isnan(values).all(axis=0) & bool(len(nodes))
            times, values = times[stays], values[:, stays]
        return times, values

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest value over several nodes, [k] each; NaN where none has a
        value.
        """
        return band_of(*self.curves(quantity, nodes, start_s, end_s, points))

    def values_at(self, quantity: str, nodes: Sequence[int], time_s: float) -> Floats:
        """Return values of nodes in the newest sample not after a time, float64 [nodes]; NaN for
        missing ones.
        """
        found = np.full(len(nodes), np.nan)
        with self._lock:
            at = int(np.searchsorted(self._firsts, time_s, "right")) - 1
            if at < 0 or self._is_in_gap(time_s) or quantity not in self._quantities:
                return found
            stretch = self._stretch(self._stretches[at], quantity)
            if stretch is not None:
                place = int(np.searchsorted(stretch.times, time_s, "right")) - 1
                known, rows = _places(stretch, nodes)
                found[known] = stretch.columns[quantity][rows, place]
        return found

    def sample_times(self, start_s: float, end_s: float, points: int = 20_000) -> Floats:
        """Return times of the samples between two times, s [k]; only some of more than about `points`."""
        with self._lock:
            times = self._times[(self._times >= start_s) & (self._times <= end_s)]
        return times[:: max(1, len(times) // max(2 * points, 1))].copy()

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield all samples, stretch by stretch; unreadable stretches become gaps."""
        with self._lock:
            stretches = list(self._stretches)
        for blocks in stretches:
            try:
                found = self._computed(blocks, names)
            except ChunkError as error:
                self._mark_damaged(blocks, str(error))
                continue
            columns = {name: values.astype(np.float64) for name, values in found.columns.items()}
            yield Chunk(found.times, found.times, found.ids, columns)

    # -- inside -------------------------------------------------------------------------------------------

    def _read(self, stamps: Mapping[Path, Stamp]) -> None:
        changed = [path for path, stamp in stamps.items() if self._stamps.get(path) != stamp]
        for path in changed:
            if path.name == form.INDEX:
                continue
            known = self._blocks.get(path, [])
            self._blocks[path] = [*known, *blocks_of(path, known[-1].end if known else 0)]
        self._blocks = {path: blocks for path, blocks in self._blocks.items() if path in stamps}
        self._stamps = dict(stamps)
        self._put_in_order()
        self.revision += 1

    def _put_in_order(self) -> None:
        """Form stretches from the blocks, and gaps from damage and from notes of missing samples."""
        stretches: list[list[Block]] = []
        gaps = list(read_index(self._path).gaps)
        last_s = -np.inf
        broken: Path | None = None  # No whole block has followed the damage of this file.
        for path in sorted(self._blocks):
            stretch: list[Block] = []
            for block in self._blocks[path]:
                broken = path if broken is None and not block.follows else broken
                if block.time_s <= last_s or (broken is not None and not block.is_whole):
                    continue
                if broken is not None:
                    begin_s = after_s(last_s) if last_s > -np.inf else 0.0
                    gaps.append(Gap(begin_s, block.time_s, f"{broken.name} is damaged"))
                    broken = None
                if block.is_whole:
                    stretch = [block]
                    stretches.append(stretch)
                else:
                    stretch.append(block)
                last_s = block.time_s
        self._stretches = [tuple(stretch) for stretch in stretches]
        self._apply(gaps)

    def _apply(self, gaps: Sequence[Gap]) -> None:
        """Replace stretches that could not be read by gaps."""
        gaps = list(gaps)
        for at, stretch in enumerate(self._stretches):
            if stretch[0] in self._damaged:
                after = (
                    self._stretches[at + 1][0].time_s
                    if at + 1 < len(self._stretches)
                    else after_s(stretch[-1].time_s)
                )
                gaps.append(Gap(stretch[0].time_s, after, self._damaged[stretch[0]]))
        self._stretches = [one for one in self._stretches if one[0] not in self._damaged]
        self._times = np.array([block.time_s for stretch in self._stretches for block in stretch])
        self._firsts = np.array([stretch[0].time_s for stretch in self._stretches])
        self.gaps = tuple(sorted(set(gaps), key=lambda gap: gap.start_s))

    def _mark_damaged(self, stretch: tuple[Block, ...], why: str) -> None:
        with self._lock:
            self._damaged[stretch[0]] = why
            self._apply(self.gaps)
            self.revision += 1

    def _between(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float
    ) -> tuple[Floats, Floats]:
        parts: list[tuple[Floats, Floats]] = []
        with self._lock:
            first = max(0, int(np.searchsorted(self._firsts, start_s, "right")) - 1)
            last = int(np.searchsorted(self._firsts, end_s, "right")) + 1
            for stretch in list(self._stretches[first:last]):
                rows = self._rows_of(stretch, quantity, nodes)
                if rows is not None:
                    parts.append((np.array([block.time_s for block in stretch]), rows))
            gaps = [gap for gap in self.gaps if gap.start_s <= end_s and gap.end_s >= start_s]
        if gaps and parts:
            nothing = np.full((len(nodes), len(gaps)), np.nan)
            parts.append((np.array([gap.start_s for gap in gaps]), nothing))
        if not parts:
            return np.empty(0), np.empty((len(nodes), 0))
        times = np.concatenate([one for one, _ in parts])
        values = np.concatenate([one for _, one in parts], axis=1)
        order = np.argsort(times, kind="stable")
        times, values = times[order], values[:, order]
        begin = max(0, int(np.searchsorted(times, start_s, "right")) - 1)
        end = int(np.searchsorted(times, end_s, "right")) + 1
        return times[begin:end], values[:, begin:end]

    def _rows_of(self, stretch: tuple[Block, ...], quantity: str, nodes: Sequence[int]) -> Floats | None:
        """Return values [nodes, k] of nodes in a stretch; None, and a new gap, if it cannot be read."""
        values = np.full((len(nodes), len(stretch)), np.nan)
        if quantity not in self._quantities:
            return values
        key = _key(stretch)
        kept = [self._rows.get((key, quantity, node)) for node in nodes]
        if any(row is None for row in kept):
            found = self._stretch(stretch, quantity)
            if found is None:
                return None
            known, rows = _places(found, nodes)
            values[known] = found.columns[quantity][rows]
            if len(self._rows) > _MOST_ROWS:
                self._rows.clear()
            if len(nodes) <= _MOST_ROWS // 10:
                for node, row in zip(nodes, values.astype(np.float32), strict=True):
                    self._rows[key, quantity, node] = row
        elif nodes:
            values[:] = np.stack([row for row in kept if row is not None])
        return values

    def _stretch(self, blocks: tuple[Block, ...], quantity: str) -> Stretch | None:
        key = (_key(blocks), quantity)
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        try:
            found = self._computed(blocks, (quantity,))
        except ChunkError as error:
            self._mark_damaged(blocks, str(error))
            return None
        self._cache[key] = found
        self._size += found.columns[quantity].nbytes
        while self._size > CACHE_BYTES and len(self._cache) > 1:
            (_, old), stretch = self._cache.popitem(last=False)
            self._size -= stretch.columns[old].nbytes
        return found

    def _computed(self, blocks: tuple[Block, ...], names: Sequence[str]) -> Stretch:
        """Read quantities of a stretch, and compute those that are quotients of others."""
        spec = {name: self._quantities[name].get("quotient") for name in names}
        parts = {name: tuple(of) if of else (name,) for name, of in spec.items()}
        needed = tuple(dict.fromkeys(part for of in parts.values() for part in of))
        if not needed:
            return Stretch(np.array([block.time_s for block in blocks]), ids_of(blocks[0]), {})
        found = read_stretch(blocks, self._quantities, needed)
        columns = {}
        for name, of in parts.items():
            values = found.columns[of[0]]
            if len(of) == 2:
                below = found.columns[of[1]]
                values = np.divide(values, below, out=np.full_like(values, np.nan), where=below > 0)
            columns[name] = values
        return Stretch(found.times, found.ids, columns)

    def _is_in_gap(self, time_s: float) -> bool:
        return any(gap.start_s <= time_s < gap.end_s for gap in self.gaps)


def _key(stretch: tuple[Block, ...]) -> object:
    return (stretch[0].path.name, stretch[0].start, len(stretch))


def _places(stretch: Stretch, nodes: Sequence[int]) -> tuple[list[int], NDArray[np.int64]]:
    """Return positions of nodes in `nodes`, and their rows in the stretch."""
    order = np.argsort(stretch.ids, kind="stable")
    asked = np.asarray(nodes, np.int64)
    if not len(asked):
        return [], asked
    at = np.minimum(np.searchsorted(stretch.ids[order], asked), len(order) - 1)
    rows = order[at]
    known = stretch.ids[rows] == asked
    return np.flatnonzero(known).tolist(), rows[known]


def _counts(name: str) -> bool:
    return name == form.INDEX or (name.startswith("changes-") and form.is_of_run(name))


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_size, found.st_mtime_ns
