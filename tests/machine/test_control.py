"""Block diagrams, the fair line of figure 2-8, step responses."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.machine.checkpoint import save
from fsconsole.machine.insight.control import control_of, diagram_of, fair_line_of
from fsconsole.machine.insight.step_response import Step, measures, step_response
from fsconsole.machine.machine import Machine, machine_for
from fsconsole.policies.diagram import Diagram
from fsconsole.policies.registry import POLICIES
from tests.machine.worlds import ENDLESS, TWO_AND_ONE, same, scenario_of
from tests.texts import refuses_naming

BUSY = [("1", ENDLESS, 2), "2", "3"]


def busy(settings: dict[str, object] | None = None, until_s: float = 61.0) -> Machine:
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=BUSY), settings)
    machine.advance_to(until_s)
    return machine


def value(diagram: Diagram, start: str, end: str) -> float:
    return next(wire.value for wire in diagram.wires if (wire.start, wire.end) == (start, end))


@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("adjgroups", ["off", "share", "integral"])
@pytest.mark.parametrize("name", ["1", "A", "4"])
def test_every_wire_joins_blocks_that_are_there(policy: str, adjgroups: str, name: str) -> None:
    machine = busy({"policy.name": policy, "policy.adjgroups": adjgroups})
    diagram = diagram_of(machine, machine.tree.find(name).id)
    ids = [block.id for block in diagram.blocks]
    assert len(set(ids)) == len(ids)
    assert {wire.end for wire in diagram.wires} <= set(ids)
    assert {wire.start for wire in diagram.wires} <= {"", *ids}
    places = [(block.column, block.row) for block in diagram.blocks]
    assert len(set(places)) == len(places)
    assert {block.id for block in diagram.blocks} <= {wire.end for wire in diagram.wires} | {"increment"}


def test_wires_of_share_multiply_to_the_increment() -> None:
    machine = busy()
    diagram = diagram_of(machine, machine.tree.find("1").id)
    kusage, rate = value(diagram, "square", "rate"), value(diagram, "", "rate")
    assert value(diagram, "rate", "priority") == pytest.approx(kusage * rate, abs=0.5)
    share = value(diagram, "", "square")
    assert kusage == pytest.approx(value(diagram, "decay", "square") / share**2)
    # In a delta of one busy CPU all of it is charged to somebody.
    charged = [
        value(diagram_of(machine, machine.tree.find(name).id), "cpu", "decay") for name in ("1", "2", "3")
    ]
    assert sum(charged) == pytest.approx(1.0)


def test_a_group_has_a_share_node_under_feedback_alone() -> None:
    machine = busy({"policy.name": "feedback"})
    diagram = diagram_of(machine, machine.tree.find("A").id)
    assert "children" in [block.id for block in diagram.blocks]
    # Children of the root have no share node: base = actual.
    assert value(diagram, "error", "children") == pytest.approx(value(diagram, "redistribution", "error"))
    leaf = diagram_of(machine, machine.tree.find("1").id)
    base = value(leaf, "error", "terminator")
    increment = 1e6 * value(leaf, "", "terminator") / base
    assert value(leaf, "terminator", "priority") == pytest.approx(increment, abs=0.5)
    assert "only users" in diagram_of(busy(), machine.tree.find("A").id).about


def test_the_target_vector_leads_to_the_fair_line() -> None:
    """With nu so large that usages, and not the floor under them, decide."""
    machine = busy({"policy.name": "feedback", "policy.nu": 2.0}, until_s=300.0)
    line = fair_line_of(machine, machine.tree.find("1").id)
    assert line is not None
    assert (line.name, line.is_ruling, line.nu) == ("A", True, 2.0)
    one, two = line.children
    assert one.aim / one.part == pytest.approx(two.aim / two.part)  # on the fair line
    most = max(child.usage / child.part for child in line.children)
    assert one.aim / one.part == pytest.approx(2.0 * most)  # equation 10


@pytest.mark.parametrize(("nu", "until_s"), [(1.2, 20.0), (1.2, 320.0), (2.0, 320.0)])
def test_the_target_vector_is_what_the_policy_aims_at(nu: float, until_s: float) -> None:
    """At a redistribution, also where usages are so small that the floor under max(u/s) rules."""
    machine = busy({"policy.name": "feedback", "policy.nu": nu}, until_s=until_s)
    line = fair_line_of(machine, machine.tree.find("1").id)
    assert line is not None
    vector = np.array([child.aim - child.usage for child in line.children])
    rows = [machine.flat.row_of[child.node] for child in line.children]
    assert (vector >= 0).all()
    assert vector / vector.sum() == pytest.approx(machine.state.target[rows])


def test_no_fair_line_of_one_child() -> None:
    machine = machine_for(scenario_of({"A": (1, {"1": 1, "2": 0})}, loops=["1"]))
    assert fair_line_of(machine, machine.tree.find("1").id) is None
    assert not fair_line_of(busy(), machine.tree.find("1").id).is_ruling  # type: ignore[union-attr]


def test_the_control_view_warns_outside_the_stable_region() -> None:
    machine = busy({"policy.name": "feedback", "policy.k_mu": (1.5,)})
    found = control_of(machine, machine.tree.find("1").id)
    assert any("k_mu" in warning for warning in found.warnings)
    assert found.k_mu == (1.5,)
    assert control_of(busy(), machine.tree.find("1").id).warnings == ()


# -- step responses ---------------------------------------------------------------------------------------


def test_a_first_order_answer_settles_after_three_time_constants() -> None:
    times = np.linspace(-10, 200, 2101)
    found = measures(times, np.where(times > 0, 0.5 * (1 - np.exp(-np.maximum(times, 0) / 20)), 0.0))
    assert found.final == pytest.approx(0.5, abs=1e-3)
    assert found.settling_s == pytest.approx(20 * np.log(20), rel=0.02)
    assert found.overshoot == 0.0


def test_a_second_order_answer_overshoots_by_its_damping() -> None:
    times = np.linspace(-10, 300, 6201)
    damping, omega = 0.3, 0.2
    swing = omega * np.sqrt(1 - damping**2)
    after = np.maximum(times, 0)
    wave = np.cos(swing * after) + damping / np.sqrt(1 - damping**2) * np.sin(swing * after)
    found = measures(times, np.where(times > 0, 1 - np.exp(-damping * omega * after) * wave, 0.0))
    theory = np.exp(-np.pi * damping / np.sqrt(1 - damping**2))
    assert found.overshoot == pytest.approx(theory, abs=0.005)


def test_an_answer_that_swings_to_the_end_does_not_settle() -> None:
    times = np.linspace(0, 100, 1001)
    assert measures(times, 0.5 + 0.3 * np.sin(times)).settling_s is None


def test_another_user_starts_and_the_machine_is_untouched() -> None:
    machine = busy({"policy.half_life_s": 30.0}, until_s=200.0)
    tree, untouched = machine.tree, busy({"policy.half_life_s": 30.0}, until_s=200.0)
    step = Step("start", tree.find("4").id)
    found = step_response(save(machine), machine.scenario, tree.find("3").id, step, 300.0)
    assert found is not None
    assert same(machine, untouched)
    assert found.measures.before == pytest.approx(0.5, abs=0.05)  # B has one user of two groups
    assert found.measures.final == pytest.approx(0.25, abs=0.02)  # and two users after the step
    assert found.allocated_share[-1] == 0.25
    assert found.measures.settling_s is not None


def test_other_settings_are_tried_on_the_copy() -> None:
    machine = busy()
    step = Step("shares", machine.tree.find("B").id, 3.0)
    data, node = save(machine), machine.tree.find("3").id
    found = step_response(data, machine.scenario, node, step, 400.0, {"policy.half_life_s": 20.0})
    assert found is not None
    assert found.settings == {"policy.half_life_s": 20.0}
    assert found.measures.final == pytest.approx(0.75, abs=0.03)
    assert machine.policy_spec.half_life_s == 120.0
    with refuses_naming(ValueError, "half_life_s"):
        step_response(data, machine.scenario, node, step, 60.0, {"policy.half_life_s": -1.0})


def test_what_runs_stops_and_a_cancelled_one_ends() -> None:
    machine = busy()
    data, tree = save(machine), machine.tree
    stop = Step("stop", tree.find("A").id)
    found = step_response(data, machine.scenario, tree.find("3").id, stop, 60.0)
    assert found is not None
    assert found.cpu_rate[-1] == 1.0
    assert step_response(data, machine.scenario, 3, stop, 60.0, is_cancelled=lambda: True) is None
