"""Places of diagrams and of the fair line; no Qt."""

from __future__ import annotations

import itertools

import pytest

from fsconsole.console.insight.diagram_geometry import Placed, Rect, place
from fsconsole.console.insight.fair_view import fair_places
from fsconsole.machine.insight.control import Child, diagram_of
from fsconsole.machine.machine import machine_for
from fsconsole.policies.registry import POLICIES
from tests.machine.worlds import TWO_AND_ONE, scenario_of

CASES = [(policy, "off") for policy in sorted(POLICIES)] + [("share", "share"), ("flat", "integral")]


def placed(policy: str, adjgroups: str, width: float, height: float, name: str = "1") -> Placed:
    settings = {"policy.name": policy, "policy.adjgroups": adjgroups}
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=["1", "3"]), settings)
    return place(diagram_of(machine, machine.tree.find(name).id), width, height)


def meet(one: Rect, two: Rect) -> bool:
    across = one.x < two.x + two.w and two.x < one.x + one.w
    return across and one.y < two.y + two.h and two.y < one.y + one.h


@pytest.mark.parametrize(("policy", "adjgroups"), CASES)
@pytest.mark.parametrize("size", [(900.0, 170.0), (560.0, 122.0), (640.0, 400.0)])
def test_blocks_lie_inside_and_apart(policy: str, adjgroups: str, size: tuple[float, float]) -> None:
    found = placed(policy, adjgroups, *size)
    for item in found.blocks:
        assert item.rect.x >= 0
        assert item.rect.x + item.rect.w <= size[0]
        assert item.rect.y + item.rect.h <= size[1]
    for one, two in itertools.combinations(found.blocks, 2):
        assert not meet(one.rect, two.rect)


@pytest.mark.parametrize(("policy", "adjgroups"), CASES)
def test_wires_have_right_angles_and_cross_no_block(policy: str, adjgroups: str) -> None:
    found = placed(policy, adjgroups, 900.0, 170.0)
    for wire in found.wires:
        for (x, y), (to_x, to_y) in itertools.pairwise(wire.points):
            assert x == to_x or y == to_y
            way = Rect(min(x, to_x), min(y, to_y), abs(to_x - x), abs(to_y - y))
            for item in found.blocks:
                inside = Rect(item.rect.x + 1, item.rect.y + 1, item.rect.w - 2, item.rect.h - 2)
                assert not meet(way, inside)


@pytest.mark.parametrize("name", ["1", "A"])
def test_values_of_the_feedback_diagram_do_not_cover_each_other(name: str) -> None:
    found = placed("feedback", "off", 900.0, 190.0, name)
    for one, two in itertools.combinations([wire.label for wire in found.wires if wire.wire.start], 2):
        assert not meet(one, two)


@pytest.mark.parametrize("width", [420.0, 620.0, 900.0])
def test_what_comes_in_from_outside_does_not_cover_each_other(width: float) -> None:
    """Equation 1 as printed takes a share and a number of processes into one block."""
    labels = [wire.label for wire in placed("exponential", "off", width, 150).wires if not wire.wire.start]
    assert len(labels) == 2
    assert not meet(*labels)
    assert all(label.x >= 0 and label.w > 80 for label in labels)


def test_the_fair_line_has_the_slope_of_the_shares() -> None:
    first, other = Child(1, "a", 0.25, 1e6, 1.1e6), Child(2, "b", 0.75, 3e6, 3.3e6)
    places = fair_places(first, other, 300.0, 200.0)
    assert places.at(0.0, 0.0) == (places.left, places.bottom)
    x, y = places.fair_end
    run, rise = (x - places.left) / places.side_x, (places.bottom - y) / places.side_y
    assert rise / run == pytest.approx(3.0)
    # Usages as the shares are lie on the line, and so does the target.
    for px, py in (places.position, places.target):
        assert (places.bottom - py) / places.side_y == pytest.approx(3 * (px - places.left) / places.side_x)
    assert places.top >= 3.3e6
