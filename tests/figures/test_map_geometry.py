from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.figures.map_geometry import Box, MapLayout, boxes, lefts
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import Kind, ShareTree
from tests.console.design.trees import navoceano
from tests.shares.big_trees import big_tree


def laid_out(tree: ShareTree, width: float = 1000.0, top: int = 0) -> tuple[FlatTree, list[Box]]:
    flat = FlatTree.of(tree)
    return flat, boxes(flat, flat.machine_share(), width, top=top)


def named(tree: ShareTree, flat: FlatTree, found: list[Box]) -> dict[str, Box]:
    return {tree.node(int(flat.ids[box.row])).name: box for box in found if not box.merged}


def test_widths_are_parts_of_the_machine() -> None:
    tree = navoceano()
    flat, found = laid_out(tree)
    box = named(tree, flat, found)
    assert box["Machine"] == Box(0, 0, 0, 1000, 32)
    assert box["User"][1:] == pytest.approx((250, 32, 750, 32, 0))
    assert box["Army"][1:] == pytest.approx((362.5, 96, 191.25, 32, 0))
    assert box["DoD Other"].right == pytest.approx(1000)


def test_zoom_gives_a_group_the_whole_width() -> None:
    tree = navoceano()
    flat = FlatTree.of(tree)
    dod = flat.row_of[tree.find("DoD").id]
    _, found = laid_out(tree, 1000, dod)
    box = named(tree, flat, found)
    assert box["DoD"] == Box(dod, 0, 0, 1000, 32)
    assert [round(box[name].w) for name in ("Army", "Navy R&D", "Air Force", "DoD Other")] == [
        300, 300, 300, 100
    ]  # fmt: skip
    assert not {"Machine", "User", "Staff"} & set(box)


def test_only_so_many_bands_are_drawn() -> None:
    flat = FlatTree.of(navoceano())
    found = boxes(flat, flat.machine_share(), 1000, bands=2, x=8, y=4, band_height=28)
    assert {box.y for box in found} == {4, 32}
    assert found[0].x == 8


def test_narrow_siblings_merge_and_hide_what_is_below() -> None:
    tree = ShareTree()
    tree.add(0, "wide", 9000)
    for number in range(50):
        group = tree.add(0, f"g{number}", 20, Kind.GROUP)
        tree.add(group.id, "u")
    _, found = laid_out(tree, 500)
    assert len(found) == 3
    assert found[2].merged == 50
    assert found[2].w == pytest.approx(50)


def test_runs_of_narrow_siblings_do_not_merge_over_a_wide_one() -> None:
    tree = ShareTree()
    for name, shares in (("a", 1), ("b", 1), ("wide", 996), ("c", 1), ("d", 1)):
        tree.add(0, name, shares)
    _, found = laid_out(tree, 1000)
    assert [(round(box.x), box.merged) for box in found[1:]] == [(0, 2), (2, 0), (998, 2)]


def test_zero_shares_take_no_room() -> None:
    tree = ShareTree()
    group = tree.add(0, "g", 0, Kind.GROUP)
    tree.add(group.id, "u")
    flat, found = laid_out(tree)
    assert found == [Box(0, 0, 0, 1000, 32)]
    assert boxes(flat, flat.machine_share(), 1000, top=1) == [Box(1, 0, 0, 1000, 32)]


def test_the_box_at_a_point() -> None:
    tree = navoceano()
    flat, found = laid_out(tree)
    layout = MapLayout(flat, found)
    box = named(tree, flat, found)
    assert layout.at(400, 100) == box["Army"]
    assert layout.at(10, 100) is None
    assert layout.at(400, 1000) is None
    assert layout.of_row(box["DoD"].row) == box["DoD"]


def test_boundaries_lie_between_siblings_alone() -> None:
    tree = navoceano()
    flat, found = laid_out(tree)
    layout = MapLayout(flat, found)
    box = named(tree, flat, found)
    for offset in (-5, 0, 5):
        hit = layout.boundary_at(box["Navy R&D"].x + offset, 100)
        assert hit is not None
        assert (hit.left, hit.right) == (box["Army"], box["Navy R&D"])
    assert layout.boundary_at(box["Navy R&D"].x + 5.1, 100) is None
    assert layout.boundary_at(box["Army"].x, 100) is None
    right = layout.boundary_right_of(box["NAVOCEANO"].row)
    assert right is not None
    assert right.right == box["DoD"]
    assert layout.boundary_right_of(box["DoD"].row) is None


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30), st.floats(20, 3000))
def test_children_fill_their_group(shares: list[int], width: float) -> None:
    tree = ShareTree()
    for number, value in enumerate(shares):
        tree.add(0, f"u{number}", value)
    _, found = laid_out(tree, width)
    inner = found[1:]
    lost = 0.5 * (len(shares) + 1)
    assert sum(box.w for box in inner) <= width * (1 + 1e-9)
    if sum(shares):
        assert sum(box.w for box in inner) >= width - lost
    for a, b in pairwise(inner):
        assert a.right <= b.x + 1e-6 * width


def test_a_large_tree_has_few_boxes() -> None:
    flat = FlatTree.of(big_tree(20_000))
    shares = flat.machine_share()
    found = boxes(flat, shares, 1000)
    assert 0 < len(found) < 1000 * len(flat.levels)
    left = lefts(flat, shares)
    assert np.all(left + shares <= 1 + 1e-9)
    for level in flat.levels[1:]:
        assert np.all(left[level] >= left[flat.parent[level]] - 1e-12)
