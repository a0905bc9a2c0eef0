"""Where the blocks and wires of a diagram lie. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.policies.diagram import Block, Diagram, Wire

MARGIN = 10.0
INPUT = 34.0  # Height above the upper row, for inputs.
CHANNEL = 18.0  # Height below the lower row, for the feedback path.
_BLOCK_PART = 0.62  # Width of a block as a fraction of the distance between columns.
_MOST_BLOCK, _LEAST_BLOCK = 160.0, 70.0
_MOST_GAP = 120.0
_LOWEST, _HIGHEST = 32.0, 50.0
_LABEL = 120.0
_INPUTS_APART_PX = 26.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rect:
    """x, y of the upper left corner; width and height."""

    x: float
    y: float
    w: float
    h: float

    @property
    def middle(self) -> Point:
        """Centre of the rectangle."""
        return self.x + self.w / 2, self.y + self.h / 2

    def holds(self, x: float, y: float) -> bool:
        """Return True if a point is inside."""
        return self.x <= x <= self.x + self.w and self.y <= y <= self.y + self.h


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block and its place."""

    block: Block
    rect: Rect


@dataclass(frozen=True, slots=True)
class PlacedWire:
    """A wire, the corners of its way (the arrow is at the last), and the room for its label and value."""

    wire: Wire
    points: tuple[Point, ...]
    label: Rect


@dataclass(frozen=True, slots=True)
class Placed:
    """All of a diagram in px."""

    blocks: tuple[PlacedBlock, ...]
    wires: tuple[PlacedWire, ...]


def place(diagram: Diagram, width: float, height: float) -> Placed:
    """Lay blocks in a grid over the full width, with wires at right angles."""
    grid = _Grid.of(diagram, width, height)
    rects = {block.id: grid.rect(block) for block in diagram.blocks}
    wires = []
    for wire in diagram.wires:
        if wire.start:
            wires.append(_between(wire, grid, rects, diagram))
        else:
            inputs = [other for other in diagram.wires if other.end == wire.end and not other.start]
            wires.append(_input(wire, rects[wire.end], inputs.index(wire), len(inputs)))
    return Placed(tuple(PlacedBlock(block, rects[block.id]) for block in diagram.blocks), tuple(wires))


@dataclass(frozen=True, slots=True)
class _Grid:
    left: float
    top: float
    block: float
    gap: float
    high: float
    between: float

    @classmethod
    def of(cls, diagram: Diagram, width: float, height: float) -> _Grid:
        columns = 1 + max(block.column for block in diagram.blocks)
        pitch = (width - 2 * MARGIN) / columns
        block = min(max(_BLOCK_PART * pitch, _LEAST_BLOCK), _MOST_BLOCK)
        gap = min((width - 2 * MARGIN - columns * block) / max(columns - 1, 1), _MOST_GAP)
        room = height - INPUT - CHANNEL
        high = min(max(0.36 * room, _LOWEST), _HIGHEST)
        between = min(max(room - 2 * high, _LOWEST / 2), 2 * _HIGHEST)
        used = columns * block + (columns - 1) * gap
        return cls((width - used) / 2, INPUT, block, gap, high, between)

    def rect(self, block: Block) -> Rect:
        x = self.left + block.column * (self.block + self.gap)
        return Rect(x, self.top + block.row * (self.high + self.between), self.block, self.high)

    @property
    def channel(self) -> float:
        return self.top + 2 * self.high + self.between + CHANNEL / 2


def _input(wire: Wire, rect: Rect, number: int, count: int) -> PlacedWire:
    """Place a wire from above into a block; several are side by side."""
    x = rect.middle[0] + (number - (count - 1) / 2) * max(_INPUTS_APART_PX, rect.w / max(count, 1))
    x = min(max(x, rect.x + 6), rect.x + rect.w - 6) if count > 1 else x
    wide = rect.w * 1.5 / count
    left = rect.middle[0] + (number - count / 2) * wide  # Lines are side by side and never overlap.
    shift = max(-left, 0.0)
    label = Rect(left + shift, rect.y - INPUT, wide - shift, INPUT - 14)
    return PlacedWire(wire, ((x, rect.y - 14), (x, rect.y)), label)


def _between(wire: Wire, grid: _Grid, rects: dict[str, Rect], diagram: Diagram) -> PlacedWire:
    start, end = rects[wire.start], rects[wire.end]
    if start.y == end.y and end.x > start.x:
        return _ahead(wire, start, end)
    if start.x == end.x:
        is_last = start.x == max(rect.x for rect in rects.values())
        return _upright(wire, start, end, is_last=is_last and start.x > grid.left)
    if end.x > start.x:
        return _corner(wire, start, end)
    return _back(wire, grid, start, end, rects, diagram)


def _ahead(wire: Wire, start: Rect, end: Rect) -> PlacedWire:
    y, left = start.middle[1], start.x + start.w
    label = Rect(left, y - 17, end.x - left, 34)
    return PlacedWire(wire, ((left, y), (end.x, y)), label)


def _upright(wire: Wire, start: Rect, end: Rect, *, is_last: bool) -> PlacedWire:
    """Lead a wire straight up or down, with its label at the side that has room."""
    x = start.middle[0]
    down = end.y > start.y
    begin, stop = (start.y + start.h, end.y) if down else (start.y, end.y + end.h)
    top = min(begin, stop)
    left = x - 5 - _LABEL if is_last else x + 5
    return PlacedWire(wire, ((x, begin), (x, stop)), Rect(left, top, _LABEL, abs(stop - begin)))


def _corner(wire: Wire, start: Rect, end: Rect) -> PlacedWire:
    """Place a wire to the right, then up or down into the middle of the end."""
    y, x = start.middle[1], end.middle[0]
    stop = end.y + end.h if end.y < start.y else end.y
    left = start.x + start.w
    return PlacedWire(wire, ((left, y), (x, y), (x, stop)), Rect(left, y - 17, x - left, 34))


def _back(
    wire: Wire, grid: _Grid, start: Rect, end: Rect, rects: dict[str, Rect], diagram: Diagram
) -> PlacedWire:
    """Lead a wire down and left to its end; under all blocks where one is in the way."""
    x, y = start.middle[0], end.middle[1]
    row = next(block.row for block in diagram.blocks if block.id == wire.end)
    in_way = [
        rects[block.id]
        for block in diagram.blocks
        if block.row == row and end.x < rects[block.id].x < start.x and block.id != wire.start
    ]
    right = end.x + end.w
    if not in_way and start.y == end.y:
        return PlacedWire(wire, ((start.x, y), (right, y)), Rect(right, y - 17, start.x - right, 34))
    if not in_way:
        points = ((x, start.y + start.h), (x, y), (right, y))
        return PlacedWire(wire, points, Rect(x - 130, y - 17, 120, 34))
    low, into = grid.channel, end.middle[0]
    points_under = ((x, start.y + start.h), (x, low), (into, low), (into, end.y + end.h))
    return PlacedWire(wire, points_under, Rect(start.x - _LABEL - 6, low - 15, _LABEL, 14))
