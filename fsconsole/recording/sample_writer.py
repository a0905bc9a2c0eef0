"""Writer of samples into a run folder: a tail that a kill can cut short, whole chunks, and coarser tiers.

It does not depend on the machine: any values that are read repeatedly can be stored with it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fsconsole.recording import run_format as form
from fsconsole.recording.background import BackgroundWriter
from fsconsole.recording.chunk import Chunk, Values, drawn, joined, to_block, to_parquet
from fsconsole.recording.rescaling import Rescaling
from fsconsole.recording.series import FACTOR, TIERS
from fsconsole.shares.files import naming, open_private, write_atomic
from fsconsole.shares.flat import Floats, Ints

CHUNK_ROWS = 100_000
TIER_ROWS = 32_000
_LEAST_SAMPLES, _MOST_SAMPLES = 2 * FACTOR, 4096
TAIL_EVERY_S = 2.0  # This much wall time is the most that a kill may lose.
SYNC_EVERY_S = 30.0  # This much wall time is the most that a power failure may lose in addition.


class SampleWriter:
    """Writer of samples, one by one; all access to the disk happens in one thread, in order.

    A failed write raises OSError at the next call at the latest.
    """

    def __init__(self, path: Path, quantities: Mapping[str, Mapping[str, Any]], next_chunk: int = 1) -> None:
        """Write into an existing folder, from a chunk on."""
        self._path = path
        self._names = tuple(quantities)
        self._sampled = tuple(name for name in quantities if not name.endswith(form.WITHOUT_SYSTEM))
        self._background = BackgroundWriter()
        self._tiers = _Tiers(path, quantities)
        self._number = next_chunk
        self._paths: list[str] = []
        self._ids: Ints = np.empty(0, np.int64)
        self._times: list[float] = []
        self._values: list[tuple[Floats, ...]] = []
        self._rescaling: Rescaling | None = None
        self._in_tail = 0
        self._tailed_at = self._synced_at = time.monotonic()
        # Loading the library takes as long as simulating some minutes of a small machine.
        self._background.submit(_load_parquet)

    @property
    def is_empty(self) -> bool:
        """True if nothing has been written."""
        return self._number == 1 and not self._times

    def append(
        self,
        time_s: float,
        ids: Ints,
        paths: list[str],
        columns: Mapping[str, Floats],
        rescaling: Rescaling | None = None,
    ) -> None:
        """Add a sample of all nodes; its arrays must not change later.

        Args:
            time_s: time of the sample.
            ids: node ids, [nodes].
            paths: the nodes' paths; the same list while the nodes are the same.
            columns: values by quantity, [nodes] each.
            rescaling: computes the quantities without system groups, if there are such groups.
        """
        if paths is not self._paths:
            is_same = paths == self._paths and np.array_equal(ids, self._ids)
            if rescaling is not None and self._rescaling is not None:
                is_same = is_same and rescaling.is_same(self._rescaling)
            if not is_same:
                self._seal()
            self._paths, self._ids, self._rescaling = paths, ids, rescaling
        self._times.append(time_s)
        self._values.append(tuple([columns[name] for name in self._sampled]))
        if len(self._times) >= _capacity(CHUNK_ROWS, len(ids)):
            self._seal()
        elif time.monotonic() - self._tailed_at >= TAIL_EVERY_S:
            self.flush()
        else:
            self._background.check()

    def gap(self, start_s: float, end_s: float, why: str) -> None:
        """Note a gap between two times and its reason; no line is drawn over it."""
        self._seal()
        line = {"gap": why, "first_s": start_s, "last_s": end_s}
        self._background.submit(lambda: append_index(self._path, [line]))

    def flush(self) -> None:
        """Write all samples to files that survive a kill."""
        first, self._in_tail = self._in_tail, len(self._times)
        self._tailed_at = time.monotonic()
        if first == len(self._times):
            self._background.check()
            return
        times, values, ids, rescaling = self._times[first:], self._values[first:], self._ids, self._rescaling
        place = self._path / form.tail_name(self._number)

        def write() -> None:
            columns = self._together(values, rescaling)
            block = to_block(np.array(times), ids, np.stack([columns[name] for name in self._names]))
            with naming(place), place.open("ab") as stream:
                stream.write(block)

        self._background.submit(write)

    def write(self, path: Path, make: Callable[[], bytes]) -> None:
        """Write a file after all samples added before it; from time to time flush it to the disk.

        `make` is called in the writing thread.
        """
        self.flush()
        is_synced = time.monotonic() - self._synced_at >= SYNC_EVERY_S
        self._synced_at = time.monotonic() if is_synced else self._synced_at
        self._background.submit(lambda: write_atomic(path, make(), sync=is_synced))

    def close(self) -> None:
        """Write the remaining data; raise the error of an earlier write."""
        try:
            self._seal()
            self._background.submit(self._tiers.seal)
            self._background.drain()
        finally:
            self._background.close()

    def feed(self, tier: int, chunk: Chunk) -> None:
        """Pass an existing chunk of the finer tier to a tier, when a run is continued."""
        self._background.submit(lambda: self._tiers.take(tier, chunk))

    def _seal(self) -> None:
        """Make a chunk of the samples added since the last one."""
        if not self._times:
            return
        times, values, ids, paths = self._times, self._values, self._ids, self._paths
        rescaling = self._rescaling
        number, self._number = self._number, self._number + 1
        self._times, self._values, self._in_tail = [], [], 0
        self._tailed_at = time.monotonic()

        def write() -> None:
            chunk_times = np.array(times)
            chunk = Chunk(chunk_times, chunk_times, ids, self._together(values, rescaling))
            write_chunk(self._path, number, 0, chunk, paths)
            (self._path / form.tail_name(number)).unlink(missing_ok=True)
            self._tiers.take(1, chunk)

        self._background.submit(write)

    def _together(self, values: list[tuple[Floats, ...]], rescaling: Rescaling | None) -> dict[str, Values]:
        """Return all quantities [nodes, k] of samples."""
        # One call for all arrays: NumPy's stack takes twenty times as long for many small ones.
        block = np.concatenate([array for arrays in values for array in arrays])
        block = block.reshape(len(values), len(self._sampled), -1)
        columns: dict[str, Values] = {
            name: np.ascontiguousarray(block[:, at].T) for at, name in enumerate(self._sampled)
        }
        return columns if rescaling is None else columns | rescaling.columns(columns)


class _Tiers:
    """Coarser tiers, each merged from the chunks of the finer one; for use by one thread."""

    def __init__(self, path: Path, quantities: Mapping[str, Mapping[str, Any]]) -> None:
        self._path, self._quantities = path, quantities
        self._waiting: dict[int, list[Chunk]] = {}
        self._numbers = dict(numbers_in(path))  # Each tier has the number of its last chunk here.

    def take(self, tier: int, finer: Chunk) -> None:
        """Merge a chunk of the tier below into a tier."""
        if tier >= TIERS:
            return
        if tier == 1:
            shown = {name: drawn(name, self._quantities, finer) for name in self._quantities}
            finer = Chunk(finer.times, finer.ends, finer.ids, shown)
        waiting = self._waiting.setdefault(tier, [])
        waiting.append(finer.coarsened(tuple(self._quantities)))
        if sum(len(one.times) for one in waiting) >= _capacity(TIER_ROWS, len(finer.ids)):
            self._write(tier)

    def seal(self) -> None:
        """Write the waiting buckets, finer tiers first; a tier of one bucket is not worth a file."""
        for tier in range(1, TIERS):
            if sum(len(one.times) for one in self._waiting.get(tier, ())) > 1:
                self._write(tier)

    def _write(self, tier: int) -> None:
        chunk = joined(self._waiting.pop(tier))
        number = self._numbers[tier] = self._numbers.get(tier, 0) + 1
        write_chunk(self._path, number, tier, chunk)
        self.take(tier + 1, chunk)


def write_chunk(path: Path, number: int, tier: int, chunk: Chunk, paths: Sequence[str] = ()) -> None:
    """Write a chunk's file, and its line of the index."""
    write_atomic(path / form.chunk_name(number, tier), to_parquet(chunk, paths))
    append_index(path, [index_line(number, tier, chunk)])


def index_line(number: int, tier: int, chunk: Chunk) -> dict[str, Any]:
    """Return the index entry of a chunk."""
    return {
        "tier": tier,
        "number": number,
        "first_s": float(chunk.times[0]),
        "last_s": float(chunk.ends[-1]),
        "count": len(chunk.times),
        "nodes": len(chunk.ids),
    }


def append_index(path: Path, lines: Sequence[Mapping[str, Any]], *, private: bool = False) -> None:
    """Append lines to the index; they need no flush to the disk, since the chunks contain the same data."""
    place = path / form.INDEX
    with naming(place), open_private(place) if private else place.open("a", encoding="utf-8") as stream:
        stream.write("".join(f"{json.dumps(line)}\n" for line in lines))


def numbers_in(path: Path) -> list[tuple[int, int]]:
    """Return tier and number of each chunk and tail of a folder, in order; tails have tier -1."""
    return sorted(place for item in path.iterdir() if (place := form.place_of(item.name)) is not None)


def _capacity(rows: int, nodes: int) -> int:
    samples = min(max(rows // max(1, nodes), _LEAST_SAMPLES), _MOST_SAMPLES)
    return samples // FACTOR * FACTOR


def _load_parquet() -> None:
    import polars  # noqa: F401, ICN001
