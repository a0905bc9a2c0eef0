"""Where the blocks and ribbons of the surplus lie: givers above, takers below. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconsole.shares.saturation import Flow

GAP = 3.0


@dataclass(frozen=True, slots=True)
class Block:
    """What one row gives or takes: from x to x + w."""

    row: int
    x: float
    w: float
    amount: float


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A flow: from `top` to `top + w` above to `bottom` to `bottom + w` below."""

    giver: int
    taker: int
    top: float
    bottom: float
    w: float


@dataclass(frozen=True, slots=True)
class Ribbons:
    """Blocks in tree order, and the ribbons between them."""

    givers: tuple[Block, ...]
    takers: tuple[Block, ...]
    ribbons: tuple[Ribbon, ...]


def ribbons(found: Sequence[Flow], width: float) -> Ribbons:
    """Lay flows out over a width; a point is as wide above as below. NOBODY stands last."""
    total = sum(flow.amount for flow in found)
    givers, takers = _sums(found, giving=True), _sums(found, giving=False)
    if total <= 0:
        return Ribbons((), (), ())
    room = max(width - GAP * (max(len(givers), len(takers)) - 1), 1.0)
    scale = room / total
    above, below = _blocks(givers, scale, width), _blocks(takers, scale, width)
    top = {block.row: block.x for block in above}
    bottom = {block.row: block.x for block in below}
    placed = []
    for flow in sorted(found, key=lambda one: (_order(one.giver), _order(one.taker))):
        wide = flow.amount * scale
        placed.append(Ribbon(flow.giver, flow.taker, top[flow.giver], bottom[flow.taker], wide))
        top[flow.giver] += wide
        bottom[flow.taker] += wide
    return Ribbons(above, below, tuple(placed))


def _order(row: int) -> float:
    return float("inf") if row < 0 else row


def _sums(found: Sequence[Flow], *, giving: bool) -> dict[int, float]:
    sums: dict[int, float] = {}
    for flow in found:
        row = flow.giver if giving else flow.taker
        sums[row] = sums.get(row, 0.0) + flow.amount
    return dict(sorted(sums.items(), key=lambda item: _order(item[0])))


def _blocks(sums: dict[int, float], scale: float, width: float) -> tuple[Block, ...]:
    """Blocks over the whole width: what the gaps do not need is shared out among them."""
    gap = (width - sum(sums.values()) * scale) / (len(sums) - 1) if len(sums) > 1 else 0.0
    placed, x = [], 0.0
    for row, amount in sums.items():
        placed.append(Block(row, x, amount * scale, amount))
        x += amount * scale + gap
    return tuple(placed)
