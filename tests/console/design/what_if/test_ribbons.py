"""Where ribbons lie."""

from __future__ import annotations

import pytest

from fsconsole.console.design.what_if.ribbons import ribbons
from fsconsole.shares.saturation import NOBODY, Flow

FLOWS = [Flow(1, 5, 0.2), Flow(2, 5, 0.1), Flow(2, 6, 0.1), Flow(1, NOBODY, 0.1)]


def test_blocks_fill_the_width_in_tree_order() -> None:
    found = ribbons(FLOWS, 300)
    assert [block.row for block in found.givers] == [1, 2]
    assert [block.row for block in found.takers] == [5, 6, NOBODY]
    for blocks in (found.givers, found.takers):
        assert blocks[0].x == 0
        assert blocks[-1].x + blocks[-1].w == pytest.approx(300)


def test_ribbons_fill_their_blocks_and_do_not_cross_within_one() -> None:
    found = ribbons(FLOWS, 300)
    for blocks, place in ((found.givers, "top"), (found.takers, "bottom")):
        for block in blocks:
            starts = {getattr(ribbon, place): ribbon.w for ribbon in found.ribbons}
            mine = [x for x in starts if block.x - 1e-6 <= x < block.x + block.w - 1e-6]
            assert mine == sorted(mine)
            assert mine[0] == pytest.approx(block.x)
            ends = [x + starts[x] for x in mine]
            assert [*mine[1:], block.x + block.w] == pytest.approx(ends)


def test_no_surplus_has_no_ribbons() -> None:
    assert ribbons([], 300).givers == ()
