"""The boxes of a share map: an icicle whose widths are fractions of the machine. No Qt here.

The same boxes serve painting and hit tests, in the map of a document and in small pictures of trees. Lengths
are logical pixels; y grows downwards, one band per level of the tree. A zoom moves from one view to another;
a border between two boxes moves along the band.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fsconsole.shares.flat import FlatTree, Floats, Ints

MERGE_BELOW_PX = 2.0
SKIP_BELOW_PX = 0.5
BOUNDARY_REACH_PX = 5.0
SNAP_FRACTION = 0.001
Pair = tuple[tuple[int, int], tuple[int, int]]


class Box(NamedTuple):
    """One rectangle of the map.

    Attributes:
        row: row of the node in the flat tree; of the first one where several are merged.
        merged: number of siblings that are too narrow to be drawn each; 0 for a box of one node.
    """

    row: int
    x: float
    y: float
    w: float
    h: float
    merged: int = 0

    @property
    def right(self) -> float:
        """Right edge in px."""
        return self.x + self.w

    def holds(self, x: float, y: float) -> bool:
        """Return True if a point is in the box."""
        return self.x <= x < self.x + self.w and self.y <= y < self.y + self.h


class Boundary(NamedTuple):
    """The border between two adjacent siblings."""

    left: Box
    right: Box

    @property
    def x(self) -> float:
        """Place of the border in px."""
        return self.right.x


def lefts(flat: FlatTree, shares: Floats) -> Floats:
    """Return the left edge of every row as a fraction of the machine, [rows]: children fill their group from
    its left.
    """
    left = np.zeros(len(flat))
    for level in flat.levels[1:]:
        before = np.cumsum(shares[level]) - shares[level]
        parent = flat.parent[level]
        left[level] = left[parent] + before - before[_first_siblings(parent)]
    return left


def boxes(
    flat: FlatTree,
    shares: Floats,
    width: float,
    *,
    top: int = 0,
    band_height: float = 32.0,
    bands: int | None = None,
    x: float = 0.0,
    y: float = 0.0,
) -> list[Box]:
    """Return boxes of the subtree at row `top`, which spans the whole width; band by band, left to right.

    Adjacent siblings narrower than 2 px are merged; their descendants are left out.

    Args:
        flat: the tree.
        shares: fraction of the machine of each row, [rows].
        width: px.
        top: row of the topmost box.
        band_height: px of a level.
        bands: number of levels to draw at most; all if None.
        x: left edge, px.
        y: upper edge, px.
    """
    whole = float(shares[top])
    scale = width / whole if whole > 0 else 0.0
    left = lefts(flat, shares)
    left = x + (left - left[top]) * scale
    wide = shares * scale
    found = [Box(top, x, y, width, band_height)]
    drawn = np.zeros(len(flat), np.bool_)
    drawn[top] = True
    for band, level in enumerate(_levels_below(flat, top, bands), 1):
        rows = level[drawn[flat.parent[level]]]
        thin = wide[rows] < MERGE_BELOW_PX
        drawn[rows] = ~thin
        at_y = y + band * band_height
        here = [Box(row, at_x, at_y, w, band_height) for row, at_x, w in _plain(rows[~thin], left, wide)]
        here += _merged(flat.parent, rows[thin], left, wide, at_y, band_height)
        if not here:
            break
        found += sorted(here, key=lambda box: box.x) if thin.any() else here
    return found


class MapLayout:
    """Boxes with lookups for the pointer and the keyboard."""

    def __init__(self, flat: FlatTree, found: Sequence[Box]) -> None:
        """Sort the boxes into bands."""
        self.flat = flat
        self.boxes = found
        self._by_row = {box.row: box for box in found if not box.merged}
        bands: dict[float, list[Box]] = {}
        for box in found:
            bands.setdefault(box.y, []).append(box)
        self._bands = list(bands.values())

    def of_row(self, row: int) -> Box | None:
        """Return the box of a node; None if it is merged or left out."""
        return self._by_row.get(row)

    def at(self, x: float, y: float) -> Box | None:
        """Return the box at a point."""
        band = self._band(y)
        place = bisect_right(band, x, key=lambda box: box.x) - 1
        return band[place] if place >= 0 and band[place].holds(x, y) else None

    def boundary_at(self, x: float, y: float, reach: float = BOUNDARY_REACH_PX) -> Boundary | None:
        """Return the nearest border between two siblings within reach of a point."""
        near = [b for b in self._boundaries(self._band(y)) if abs(b.x - x) <= reach]
        return min(near, key=lambda boundary: abs(boundary.x - x), default=None)

    def boundary_right_of(self, row: int) -> Boundary | None:
        """Return the border right of a node; None without a sibling there."""
        box = self.of_row(row)
        if box is None:
            return None
        return next((b for b in self._boundaries(self._band(box.y)) if b.left == box), None)

    def _band(self, y: float) -> list[Box]:
        return next((band for band in self._bands if band[0].y <= y < band[0].y + band[0].h), [])

    def _boundaries(self, band: list[Box]) -> list[Boundary]:
        parent = self.flat.parent
        return [
            Boundary(a, b)
            for a, b in pairwise(band)
            if not a.merged and not b.merged and parent[a.row] == parent[b.row]
        ]


def _first_siblings(parent: Ints) -> Ints:
    """Return, for each place of a level, the place of its first sibling; siblings are adjacent."""
    place = np.arange(len(parent))
    is_first = np.ones(len(parent), np.bool_)
    is_first[1:] = parent[1:] != parent[:-1]
    return np.maximum.accumulate(np.where(is_first, place, 0))


def _levels_below(flat: FlatTree, top: int, bands: int | None) -> list[Ints]:
    end = int(flat.end[top])
    inside = (level[(level > top) & (level < end)] for level in flat.levels)
    return [level for level in inside if len(level)][: None if bands is None else max(bands - 1, 0)]


def _plain(rows: Ints, left: Floats, wide: Floats) -> zip[tuple[int, float, float]]:
    return zip(rows.tolist(), left[rows].tolist(), wide[rows].tolist(), strict=True)


def _merged(parent: Ints, rows: Ints, left: Floats, wide: Floats, y: float, h: float) -> list[Box]:
    """Return boxes for runs of adjacent narrow siblings."""
    if not len(rows):
        return []
    touches = (left[rows[1:]] - (left[rows[:-1]] + wide[rows[:-1]])) < MERGE_BELOW_PX / 2
    starts = np.flatnonzero(np.concatenate(([True], ~(touches & (parent[rows[1:]] == parent[rows[:-1]])))))
    counts = np.diff(np.append(starts, len(rows)))
    widths = np.add.reduceat(wide[rows], starts)
    firsts = rows[starts]
    runs = zip(firsts.tolist(), left[firsts].tolist(), widths.tolist(), counts.tolist(), strict=True)
    return [Box(row, x, y, w, h, count) for row, x, w, count in runs if w >= SKIP_BELOW_PX]


@dataclass(frozen=True, slots=True)
class Zoom:
    """A zoom between a wide view and a narrow one, which `into`, a box of the wide view, fills.

    `is_inwards` is whether it moves from the wide view to the narrow one.
    """

    wide: Sequence[Box]
    into: Box
    is_inwards: bool

    def boxes(self, progress: float) -> list[Box]:
        """Return boxes of the wide view at a moment, progress running from 0 to 1."""
        t = progress if self.is_inwards else 1 - progress
        whole = self.wide[0]
        left = whole.x + t * (self.into.x - whole.x)
        scale = whole.w / max(whole.w + t * (self.into.w - whole.w), 1e-9)
        up = t * (self.into.y - whole.y)
        moved = (
            box._replace(x=whole.x + (box.x - left) * scale, w=box.w * scale, y=box.y - up)
            for box in self.wide
        )
        return [
            box for box in moved if box.right > whole.x and box.x < whole.right and box.y > whole.y - box.h
        ]


@dataclass(frozen=True, slots=True)
class BoundaryDrag:
    """A moving border between two neighbours whose shares keep their sum.

    Attributes:
        left, right: node ids; `shares_left`, `shares_right`: their shares before.
        start_px, end_px: extent of both together; `old_px`: old place of the border.
        machine: fraction of the machine of both together.
    """

    left: int
    right: int
    shares_left: int
    shares_right: int
    start_px: float
    old_px: float
    end_px: float
    machine: float

    @classmethod
    def at(
        cls, boundary: Boundary, nodes: tuple[int, int], shares: tuple[int, int], machine: float
    ) -> BoundaryDrag:
        """Begin at a border."""
        return cls(*nodes, *shares, boundary.left.x, boundary.x, boundary.right.right, machine)

    def moved_to(self, x: float, *, snap: bool = False) -> Pair:
        """Return whole shares for a border at x; with `snap`, those nearest to a step of 0.1 %."""
        width = self.end_px - self.start_px
        fraction = (x - self.start_px) / width if width > 0 else 0.0
        if snap and self.machine > 0:
            fraction = round(fraction * self.machine / SNAP_FRACTION) * SNAP_FRACTION / self.machine
        return self._pair(round(fraction * (self.shares_left + self.shares_right)))

    @property
    def machine_per_share(self) -> float:
        """Fraction of the machine of one share of the two."""
        return self.machine / max(self.shares_left + self.shares_right, 1)

    def moved_by(self, shares: int) -> Pair:
        """Return the shares of both after moving some to the left one."""
        return self._pair(self.shares_left + shares)

    def is_change(self, pair: Pair) -> bool:
        """Return True if a pair differs from the shares before."""
        return pair[0][1] != self.shares_left

    def _pair(self, left: int) -> Pair:
        total = self.shares_left + self.shares_right
        left = min(max(left, 0), total)
        return (self.left, left), (self.right, total - left)
