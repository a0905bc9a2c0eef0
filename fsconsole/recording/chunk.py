"""Chunks of samples: some times, all nodes, an array per quantity; as Parquet, and as blocks of a tail."""

from __future__ import annotations

import io
import json
import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.recording.series import FACTOR
from fsconsole.shares.flat import Floats, Ints
from fsconsole.shares.input_files import parquet_frame, read_limited

if TYPE_CHECKING:
    import polars as pl

LOW, HIGH = ".low", ".high"
ROWS_AT_ONCE = 32_768  # One node of a large tree is then read without the others.
_CHECKS = "fsconsole checks"  # A file's check sums of columns have this key.
_MAGIC = b"fsb2"
_HEAD = struct.Struct("<4sIQ")
_SIZE = struct.Struct("<QQQ")

Values = NDArray[np.floating[Any]]


class ChunkError(ValueError):
    """A chunk is damaged or lacks a column."""


@dataclass(frozen=True, eq=False, slots=True)
class Chunk:
    """Samples, or buckets of samples.

    Attributes:
        times: time of each sample, or of the first sample of each bucket, [k].
        ends: time of the last sample of each, [k]; the same array as `times` for samples.
        ids: node ids [nodes].
        columns: values by name, [nodes, k]; buckets under `name.low` and `name.high`.
    """

    times: Floats
    ends: Floats
    ids: Ints
    columns: Mapping[str, Values]

    def coarsened(self, names: Sequence[str]) -> Chunk:
        """Merge every `FACTOR` samples or buckets; the last bucket may have fewer."""
        edges = np.arange(0, len(self.times), FACTOR)
        last = np.append(edges[1:], len(self.times)) - 1
        columns: dict[str, Values] = {}
        for name in names:
            low = self.columns.get(f"{name}{LOW}", self.columns.get(name))
            high = self.columns.get(f"{name}{HIGH}", self.columns.get(name))
            assert low is not None and high is not None  # noqa: S101, PT018 (all chunks have all quantities)
            columns[f"{name}{LOW}"] = np.fmin.reduceat(low.astype(np.float32), edges, axis=1)
            columns[f"{name}{HIGH}"] = np.fmax.reduceat(high.astype(np.float32), edges, axis=1)
        return Chunk(self.times[edges], self.ends[last], self.ids, columns)


def drawn(name: str, quantities: Mapping[str, Mapping[str, Any]], chunk: Chunk) -> Values:
    """Return values of a quantity for drawing: NaN where the manifest marks them as meaningless."""
    values, quantity = chunk.columns[name], quantities.get(name, {})
    where, after_s = quantity.get("where"), quantity.get("after_s")
    if where is not None:
        values = np.where(chunk.columns[where] > 0, values, np.nan)
    if after_s is not None and len(chunk.times) and chunk.times[0] <= after_s:
        values = np.where(chunk.times > after_s, values, np.nan)
    return values


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Join chunks in order of time; a node has NaN while it was absent."""
    first = chunks[0]
    times = np.concatenate([one.times for one in chunks])
    ends = np.concatenate([one.ends for one in chunks])
    if all(np.array_equal(one.ids, first.ids) for one in chunks):
        ids = first.ids
        columns = {
            name: np.concatenate([one.columns[name] for one in chunks], axis=1) for name in first.columns
        }
        return Chunk(times, ends, ids, columns)
    ids = np.array(list(dict.fromkeys(node for one in chunks for node in one.ids.tolist())), np.int64)
    rows = {node: row for row, node in enumerate(ids.tolist())}
    columns = {
        name: np.full((len(ids), len(times)), np.nan, values.dtype) for name, values in first.columns.items()
    }
    at = 0
    for one in chunks:
        place = [rows[node] for node in one.ids.tolist()]
        for name, values in columns.items():
            values[place, at : at + len(one.times)] = one.columns[name]
        at += len(one.times)
    return Chunk(times, ends, ids, columns)


# -- Parquet ------------------------------------------------------------------------------------------------


def to_parquet(chunk: Chunk, paths: Sequence[str] = ()) -> bytes:
    """Return a chunk as a Parquet file, a row per node and time; samples include the nodes' paths."""
    import polars as pl

    count, nodes = len(chunk.times), len(chunk.ids)
    columns: dict[str, Any] = {"time_s": np.tile(chunk.times, nodes)}
    if chunk.ends is not chunk.times:
        columns["end_s"] = np.tile(chunk.ends, nodes)
    columns["node"] = np.repeat(chunk.ids, count)
    if paths:
        columns["path"] = pl.Series(paths).gather(np.repeat(np.arange(nodes), count))
    columns |= {name: values.ravel() for name, values in chunk.columns.items()}
    target, frame = io.BytesIO(), pl.DataFrame(columns)
    checks = json.dumps({name: _check_of(frame[name]) for name in frame.columns})
    frame.write_parquet(
        target,
        compression="zstd",
        compression_level=1,
        row_group_size=ROWS_AT_ONCE,
        metadata={_CHECKS: checks},
    )
    return target.getvalue()


def names_in(path: Path) -> list[str]:
    """Return the column names of a chunk's file.

    Raises:
        ChunkError: the file cannot be read.
    """
    import polars as pl

    try:
        return list(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, OSError) as error:
        msg = f"{path} is damaged: {error}"
        raise ChunkError(msg) from error


def read_parquet(path: Path, names: Sequence[str]) -> Chunk:
    """Read columns of a chunk.

    Raises:
        ChunkError: a column is missing or damaged.
    """
    frame = frame_of(path, ["time_s", "node", *(["end_s"] if _is_tier(path) else []), *names])
    node = frame["node"].to_numpy()
    if len(node) > 1 and node[0] != node[1] and frame["time_s"][0] != frame["time_s"][-1]:
        frame = _by_node(frame)
        node = frame["node"].to_numpy()
    nodes = 1 + int(np.count_nonzero(node[1:] != node[:-1])) if len(node) else 0
    if not nodes or len(node) % nodes:
        msg = f"{path} is damaged: its nodes have different numbers of samples"
        raise ChunkError(msg)
    count = len(node) // nodes
    times = frame["time_s"].head(count).to_numpy().copy()  # It is a copy, since a view would keep all rows.
    ends = frame["end_s"].head(count).to_numpy().copy() if "end_s" in frame.columns else times
    columns = {name: frame[name].to_numpy().reshape(nodes, count) for name in names}
    return Chunk(times, ends, node[::count].copy(), columns)


def _by_node(frame: pl.DataFrame) -> pl.DataFrame:
    """Put rows in order of nodes, where format 1 wrote them in order of time, those of each time alone; all
    nodes get all times.
    """
    grid = frame.select("node").unique().join(frame.select("time_s").unique(), how="cross")
    return grid.join(frame, ["node", "time_s"], how="left").sort("node", "time_s").select(frame.columns)


def frame_of(path: Path, names: Sequence[str]) -> pl.DataFrame:
    """Read columns of a chunk as a table.

    Raises:
        ChunkError: a column is missing or damaged.
    """
    import polars as pl

    try:
        frame = parquet_frame(path, names).rechunk()
        checks = json.loads(pl.read_parquet_metadata(path).get(_CHECKS, "{}"))
        damaged = [name for name in names if name in checks and checks[name] != _check_of(frame[name])]
    except pl.exceptions.ColumnNotFoundError as error:
        columns = ", ".join(name for name in names if name not in names_in(path))
        msg = f"{path} is damaged: column {columns} is missing"
        raise ChunkError(msg) from error
    except (pl.exceptions.PolarsError, OSError, ValueError, TypeError) as error:
        msg = f"{path} is damaged: {error}"
        raise ChunkError(msg) from error
    if damaged:
        msg = f"{path} is damaged: {damaged[0]} differs from its checksum"
        raise ChunkError(msg)
    return frame


def _check_of(values: pl.Series) -> int:
    """Return the check sum of a column, since a damaged file may unpack without an error."""
    import polars as pl

    if values.dtype != pl.String:
        return zlib.crc32(values.to_numpy().tobytes())
    runs = values.rle().struct
    names = "\n".join(map(str, runs.field("value").to_list()))
    return zlib.crc32(names.encode(), zlib.crc32(runs.field("len").to_numpy().tobytes()))


def _is_tier(path: Path) -> bool:
    return path.name.startswith("tier")


# -- tail ---------------------------------------------------------------------------------------------------


def to_block(times: Floats, ids: Ints, values: Floats) -> bytes:
    """Return samples as a block of a tail: times in s [k], ids [nodes], values [quantities, nodes, k].

    The order of the quantities is that of the manifest.
    """
    body = _SIZE.pack(*values.shape) + times.tobytes() + ids.tobytes() + values.tobytes()
    return _HEAD.pack(_MAGIC, zlib.crc32(body), len(body)) + body


def read_blocks(
    path: Path, names: Sequence[str], start: int = 0
) -> tuple[list[Chunk], int, list[tuple[float, float]]]:
    """Read the whole blocks of a tail from an offset on.

    A block that a kill cut off at the end is left out, and so are damaged blocks.

    Returns:
        The blocks, the end of the last one, and intervals of time with damaged blocks: from the last sample
            before them (minus infinity without one) to the first one after them. If none follows, the
            interval ends after their own last sample, as far as that is readable.

    Raises:
        FileNotFoundError: the tail is gone.
    """
    data = read_limited(path)
    found: list[Chunk] = []
    holes: list[tuple[float, float]] = []
    at, place = start, start
    while (place := data.find(_MAGIC, place)) >= 0:
        body, is_sound = _body_at(data, place)
        if body is None or not is_sound:
            place += 1
            continue
        chunk = _block(memoryview(body), names)
        if place > at:
            holes.append((float(found[-1].times[-1]) if found else -math.inf, float(chunk.times[0])))
        found.append(chunk)
        at = place = place + _HEAD.size + len(body)
    before_s = end_s = float(found[-1].times[-1]) if found else -math.inf
    place = at
    while (body := _body_at(data, place)[0]) is not None:  # The block is whole, but not what was written.
        end_s = _end_of(body, end_s)
        place += _HEAD.size + len(body)
    if place > at:
        holes.append((before_s, end_s))
    return found, at, holes


def _body_at(data: bytes, place: int) -> tuple[bytes | None, bool]:
    """Return the body of the block at a place and whether it is sound; None if it is cut off."""
    if not data.startswith(_MAGIC, place) or place + _HEAD.size > len(data):
        return None, False
    _, check, size = _HEAD.unpack_from(data, place)
    body = data[place + _HEAD.size : place + _HEAD.size + size]
    return (body, zlib.crc32(body) == check) if len(body) == size else (None, False)


def _end_of(damaged: bytes, before_s: float) -> float:
    """Return the time after the last sample of a damaged block; `before_s` if its times are damaged."""
    if len(damaged) < _SIZE.size:
        return before_s
    quantities, nodes, count = _SIZE.unpack_from(damaged)
    if not count or len(damaged) != _SIZE.size + 8 * (count + nodes + quantities * nodes * count):
        return before_s
    times = np.frombuffer(damaged, np.float64, count, _SIZE.size)
    is_sound = np.isfinite(times).all() and times[0] > before_s and (np.diff(times) > 0).all()
    return float(np.nextafter(times[-1], np.inf)) if is_sound else before_s


def _block(body: memoryview, names: Sequence[str]) -> Chunk:
    quantities, nodes, count = _SIZE.unpack_from(body)
    numbers = np.frombuffer(body, np.float64, offset=_SIZE.size)
    times, rest = numbers[:count], numbers[count:]
    ids = rest[:nodes].view(np.int64)
    values = rest[nodes:].reshape(quantities, nodes, count)
    return Chunk(times, times, ids, dict(zip(names, values, strict=True)))
