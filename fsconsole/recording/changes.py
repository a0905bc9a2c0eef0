"""Samples of very many nodes as changes: each block has the differences from a prediction.

Of fifty thousand associations, some hundred have jobs: most values stay, or decay alike. A block contains
whole numbers, in steps that the manifest gives (`step`), as differences from a prediction; the first block of
a file, and the first one after nodes came or went, contains the values themselves. Blocks are only ever
appended, each with its check sum, so that a kill loses at most the last block.

A quantity's `predict` names its prediction: `decay`, the values before times a common factor; `above`, a
node's fraction of its parent's `of`; `top`, of the first node's; otherwise the values before, which are tried
for all quantities.
"""

from __future__ import annotations

import lzma
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.recording.chunk import ChunkError
from fsconsole.shares.files import naming, private_opener
from fsconsole.shares.flat import Floats, Ints
from fsconsole.shares.input_files import read_limited

SAMPLES_A_FILE = 96  # These are eight hours of a cluster that recalculates every 5 min.
_MAGIC = b"fsd1"
# A block begins with magic, check sum of the rest, check sum of this head, and bytes of the rest.
_HEAD = struct.Struct("<4sIIQ")
# The facts are time, nodes, whether the block is whole, and the common factor.
_FACTS = struct.Struct("<dQBd")
_PART = struct.Struct("<BQQ")  # A part has a prediction, bytes of small differences, and bytes of large ones.
_LARGE = -128  # Among small differences, this marks that the next large one applies.
_UNKNOWN = -(1 << 52)  # This marks a value that is not known.
_NOTHING, _BEFORE, _DECAY, _ABOVE, _TOP = range(5)  # Differences are taken from one of these predictions.
_NAMED = {"decay": _DECAY, "above": _ABOVE, "top": _TOP}
_PACKING = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 20, "lc": 0, "lp": 0, "pb": 0}]

Steps = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Block:
    """The place of a block.

    Attributes:
        path, start, end: its file, and its bytes there.
        time_s: time of the sample.
        is_whole: whether it can be read without earlier blocks.
        follows: whether no damage lies between it and the block before.
    """

    path: Path
    start: int
    end: int
    time_s: float
    is_whole: bool
    follows: bool


class ChangeEncoder:
    """Encoder of samples as consecutive blocks."""

    def __init__(self, quantities: Mapping[str, Mapping[str, Any]]) -> None:
        """Encode `quantities` as in the manifest; those computed from others are left out."""
        self._quantities = stored(quantities)
        self._ids: Ints = np.empty(0, np.int64)
        self._above: Ints = np.empty(0, np.int64)
        self._before: dict[str, Steps] = {}

    def forget(self) -> None:
        """Encode the next sample as a whole block."""
        self._before = {}

    def block(self, time_s: float, ids: Ints, above: Ints, columns: Mapping[str, Floats]) -> bytes:
        """Return a sample as a block.

        Args:
            time_s: time of the sample.
            ids: node ids, [nodes].
            above: row of the parent of each node, [nodes]; its own for the first.
            columns: values by quantity, [nodes] each; NaN where there is none.
        """
        is_same = np.array_equal(ids, self._ids) and np.array_equal(above, self._above)
        is_whole = not (self._before and is_same)
        now = {name: to_steps(columns[name], spec["step"]) for name, spec in self._quantities.items()}
        before = {} if is_whole else self._before
        factor = 1.0 if is_whole else _common_factor(self._quantities, before, now)
        parts = [_packed(np.diff(ids, prepend=0)), _packed(above)] if is_whole else []
        for name, spec in self._quantities.items():
            parts.append(_best(name, spec, now, before, above, factor))
        self._ids, self._above, self._before = ids, above, now
        return framed(time_s, len(ids), b"".join(parts), is_whole=is_whole, factor=factor)


@dataclass(frozen=True, eq=False, slots=True)
class Stretch:
    """Consecutive samples of the same nodes.

    Attributes:
        times: [k]; ids: node ids [nodes].
        columns: values [nodes, k] of the requested quantities.
    """

    times: Floats
    ids: Ints
    columns: Mapping[str, NDArray[np.float32]]


def framed(time_s: float, count: int, parts: bytes, *, is_whole: bool, factor: float = 1.0) -> bytes:
    """Return parts as a block that `blocks_of` can find."""
    body = _FACTS.pack(time_s, count, is_whole, factor) + parts
    head = struct.pack("<QI", len(body), zlib.crc32(body))
    return _HEAD.pack(_MAGIC, zlib.crc32(body), zlib.crc32(head), len(body)) + body


def parts_of(data: bytes, block: Block) -> memoryview:
    """Return the parts that `framed` packed."""
    return memoryview(data)[block.start + _HEAD.size + _FACTS.size : block.end]


def pack(data: bytes) -> bytes:
    """Compress bytes: a tenth smaller than zlib for differences that are mostly noise."""
    return lzma.compress(data, format=lzma.FORMAT_RAW, filters=_PACKING)


def unpack(data: bytes | memoryview) -> bytes:
    """Return the bytes that `pack` compressed.

    Raises:
        lzma.LZMAError: the data is something else.
    """
    return lzma.decompress(data, format=lzma.FORMAT_RAW, filters=_PACKING)


def append_block(path: Path, block: bytes) -> None:
    """Append a block to a private file; remove its partial bytes if that fails, such as on a full disk."""
    with naming(path), open(path, "ab", opener=private_opener) as stream:
        size = stream.tell()
        try:
            stream.write(block)
            stream.flush()
        except OSError:
            stream.truncate(size)
            raise


def blocks_of(path: Path, start: int = 0) -> list[Block]:
    """Find the undamaged blocks of a file from an offset on.

    A block that a kill cut off at the end is left out.

    Raises:
        OSError: the file cannot be read.
    """
    data = read_limited(path)
    found: list[Block] = []
    at, place = start, start
    while (place := data.find(_MAGIC, place)) >= 0:
        size = _size_at(data, place)
        if size is None:
            place += 1
            continue
        time_s, _, is_whole, _ = _FACTS.unpack_from(data, place + _HEAD.size)
        end = place + _HEAD.size + size
        found.append(Block(path, place, end, time_s, bool(is_whole), place == at))
        at = place = end
    return found


def read_stretch(
    blocks: Sequence[Block], quantities: Mapping[str, Mapping[str, Any]], names: Sequence[str]
) -> Stretch:
    """Read quantities of consecutive blocks of one file, the first of which is whole.

    Raises:
        ChunkError: the blocks are damaged or have changed.
    """
    kept, path = stored(quantities), blocks[0].path
    needed = _needed(kept, names)
    try:
        data = read_limited(path)
        state = _decoded(data, blocks[0], kept, needed, None)
        columns = {name: np.empty((len(state.ids), len(blocks)), np.float32) for name in names}
        for at, block in enumerate(blocks):
            state = state if not at else _decoded(data, block, kept, needed, state)
            for name in names:
                columns[name][:, at] = from_steps(state.steps[name], float(kept[name]["step"]))
    except (OSError, ValueError, KeyError, struct.error, lzma.LZMAError, IndexError) as error:
        msg = f"{path} is damaged: {error}"
        raise ChunkError(msg) from error
    return Stretch(np.array([block.time_s for block in blocks]), state.ids, columns)


def ids_of(block: Block) -> Ints:
    """Return node ids of a whole block, [nodes].

    Raises:
        ChunkError: the block is damaged.
    """
    try:
        return _decoded(read_limited(block.path), block, {}, frozenset(), None).ids
    except (OSError, ValueError, struct.error, lzma.LZMAError) as error:
        msg = f"{block.path} is damaged: {error}"
        raise ChunkError(msg) from error


def stored(quantities: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the quantities that blocks contain: those that are whole numbers of a step."""
    return {name: spec for name, spec in quantities.items() if "step" in spec}


def to_steps(values: Floats, step: float) -> Steps:
    """Return values as whole numbers of a step, int64 [...]; NaN, infinite and too large ones as unknown."""
    scaled = np.rint(values / step)
    known = np.isfinite(scaled) & (np.abs(scaled) < -_UNKNOWN)
    found: Steps = np.where(known, scaled, _UNKNOWN).astype(np.int64)
    return found


def from_steps(steps: Steps, step: float) -> Floats:
    """Return the values of whole numbers of a step, [...]; NaN for unknown ones."""
    values: Floats = np.where(steps == _UNKNOWN, np.nan, steps * step)
    return values


# -- inside -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class _State:
    ids: Ints
    above: Ints
    steps: Mapping[str, Steps]


def _needed(kept: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> frozenset[str]:
    """Return the requested quantities and those that their predictions need."""
    return frozenset(names) | {str(kept[name]["of"]) for name in names if "of" in kept[name]}


def _common_factor(
    quantities: Mapping[str, Mapping[str, Any]], before: Mapping[str, Steps], now: Mapping[str, Steps]
) -> float:
    """Return the common factor of the first decaying quantity since the sample before; 1 without one."""
    name = next((name for name, spec in quantities.items() if spec.get("predict") == "decay"), None)
    if name is None:
        return 1.0
    large = before[name] > 1000
    if not large.any():
        return 1.0
    factor = float(np.median(now[name][large] / before[name][large]))
    # The median is coarse for small values; the ratio of sums of the values near it is not.
    near = large & (np.abs(now[name] - factor * before[name]) <= 2)
    if near.any():
        factor = float(now[name][near].sum() / before[name][near].sum())
    return factor


def _predicted(
    way: int,
    spec: Mapping[str, Any],
    before: Steps | None,
    base: Steps | None,
    above: Ints,
    factor: float,
) -> Steps | int:
    if way == _BEFORE and before is not None:
        return before
    if way == _DECAY and before is not None:
        found: Steps = np.where(before == _UNKNOWN, _UNKNOWN, np.rint(before * factor)).astype(np.int64)
        return found
    if way in (_ABOVE, _TOP) and base is not None:
        whole = base[above] if way == _ABOVE else base[:1]
        share = np.zeros(len(base))
        np.divide(base, whole, out=share, where=whole > 0)
        return to_steps(share, float(spec["step"]))
    return 0


def _best(
    name: str,
    spec: Mapping[str, Any],
    now: Mapping[str, Steps],
    before: Mapping[str, Steps],
    above: Ints,
    factor: float,
) -> bytes:
    """Return the differences from the prediction that leaves the smallest ones, packed."""
    ways = [_BEFORE if before else _NOTHING]
    named = _NAMED.get(str(spec.get("predict")), _NOTHING)
    if named in (_ABOVE, _TOP) or (named == _DECAY and before):
        ways.append(named)
    base = now.get(str(spec.get("of")))
    packed = []
    for way in ways:
        expected = _predicted(way, spec, before.get(name), base, above, factor)
        packed.append(_packed(now[name] - expected, way))
    return min(packed, key=len)


def _packed(differences: Steps, way: int = _NOTHING) -> bytes:
    """Return differences as bytes, followed by those too large for a byte."""
    is_large = np.abs(differences) > 127
    small = np.where(is_large, _LARGE, differences).astype(np.int8)
    # Bytes of a kind together compress better.
    large = differences[is_large].astype("<i8").view(np.uint8).reshape(-1, 8).T
    one, two = pack(small.tobytes()), pack(large.tobytes())
    return _PART.pack(way, len(one), len(two)) + one + two


def _unpacked(data: memoryview, count: int) -> tuple[int, Steps, int]:
    """Return prediction, differences and the end of the part."""
    way, one, two = _PART.unpack_from(data)
    at = _PART.size
    small = np.frombuffer(unpack(data[at : at + one]), np.int8)
    large = np.frombuffer(unpack(data[at + one : at + one + two]), np.uint8)
    differences = small.astype(np.int64)
    if len(differences) != count:
        msg = f"{len(differences)} values of {count} nodes"
        raise ValueError(msg)
    differences[small == _LARGE] = np.ascontiguousarray(large.reshape(8, -1).T).view("<i8").ravel()
    return way, differences, at + one + two


def _decoded(
    data: bytes,
    block: Block,
    kept: Mapping[str, Mapping[str, Any]],
    needed: frozenset[str],
    before: _State | None,
) -> _State:
    view = memoryview(data)[block.start + _HEAD.size : block.end]
    _, count, is_whole, factor = _FACTS.unpack_from(view)
    at = _FACTS.size
    if is_whole:
        _, steps_of_ids, size = _unpacked(view[at:], count)
        _, above, more = _unpacked(view[at + size :], count)
        ids, at = np.cumsum(steps_of_ids), at + size + more
        before = _State(ids, above, {})
    if before is None:
        msg = "a change without an object"
        raise ValueError(msg)
    steps: dict[str, Steps] = {}
    for name in kept:
        if name not in needed:
            _, one, two = _PART.unpack_from(view, at)
            at += _PART.size + one + two
            continue
        way, differences, size = _unpacked(view[at:], count)
        at += size
        base = steps.get(str(kept[name].get("of")))
        expected = _predicted(way, kept[name], before.steps.get(name), base, before.above, factor)
        steps[name] = differences + expected
    return _State(before.ids, before.above, steps)


def _size_at(data: bytes, place: int) -> int | None:
    """Return the size of the body of the block at a place; None if there is none or it is damaged."""
    if place + _HEAD.size > len(data):
        return None
    _, check, head, size = _HEAD.unpack_from(data, place)
    if zlib.crc32(struct.pack("<QI", size, check)) != head:
        return None
    body = memoryview(data)[place + _HEAD.size : place + _HEAD.size + size]
    return size if len(body) == size >= _FACTS.size and zlib.crc32(body) == check else None
