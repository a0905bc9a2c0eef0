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
    for blocks, end, place in ((found.givers, "giver", "top"), (found.takers, "taker", "bottom")):
        for block in blocks:
            mine = [ribbon for ribbon in found.ribbons if getattr(ribbon, end) == block.row]
            assert sum(ribbon.w for ribbon in mine) == pytest.approx(block.w)
            starts = [getattr(ribbon, place) for ribbon in mine]
            assert starts == sorted(starts)
            assert starts[0] == pytest.approx(block.x)


def test_no_surplus_has_no_ribbons() -> None:
    assert ribbons([], 300).givers == ()
