"""Comparing: the same run with other settings, held against the first."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from fsconsole.experiments.comparing import (
    DASHES,
    Comparison,
    Variant,
    _shaded_curve,
    compare,
    parse_settings,
)
from fsconsole.experiments.experiment import Cancelled
from fsconsole.experiments.variant_run import VariantRun
from fsconsole.figures.of_nodes import NodeSeries
from fsconsole.figures.spec import Curve
from fsconsole.resources import examples
from fsconsole.shares.edits import Remove
from fsconsole.shares.scenario.actions import ChangeTree
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Event, Scenario, SettingError
from fsconsole.shares.tree import ShareTree
from tests.texts import refuses, refuses_naming

OFF, INTEGRAL = {"policy.adjgroups": "off"}, {"policy.adjgroups": "integral"}
FOUR = (
    Variant("off", OFF),
    Variant("share", {"policy.adjgroups": "share"}),
    Variant("integral", INTEGRAL),
    Variant("feedback", {"policy.name": "feedback"}),
)


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return read_scenario(examples() / "two-organisations.yaml")


@pytest.fixture(scope="module")
def four(scenario: Scenario) -> Comparison:
    return compare(scenario, FOUR, 2700.0, digest="abc")


def cpu(comparison: Comparison, start_s: float, end_s: float) -> dict[str, tuple[float, ...]]:
    table = comparison.table(start_s, end_s, leave_out_system=True)
    return {row.path: row.cpu for row in table}


def test_who_is_saturated_gets_all_of_it_whatever_the_policy(four: Comparison) -> None:
    """u4 alone has the whole processor for 30 min."""
    assert cpu(four, 0, 1800)["root/B/u4"] == pytest.approx((1.0,) * 4)


def test_groups_have_the_sum_of_their_users_and_the_machine_is_shared_out(four: Comparison) -> None:
    found = cpu(four, 2100, 2700)
    users = np.array([found["root/A/u1"], found["root/A/u2"]])
    assert users.sum(axis=0) == pytest.approx(found["root/A"])
    assert np.add(found["root/A"], found["root/B"]) == pytest.approx(1.0)


def test_group_adjustment_and_feedback_give_the_organisation_that_waited_more(four: Comparison) -> None:
    """Figure 2-3: without adjustment the newcomer of B gets more than B's half; feedback makes A good."""
    off, _, integral, feedback = cpu(four, 2100, 2700)["root/A"]
    assert off < integral < feedback
    assert off < 0.5 < feedback


def test_differences_are_against_the_first(four: Comparison) -> None:
    rows = {row.path: row for row in four.table(2100, 2700, leave_out_system=True)}
    group = rows["root/A"]
    assert group.differences() == pytest.approx([value - group.cpu[0] for value in group.cpu[1:]])
    assert rows["root"].differences() == pytest.approx((0, 0, 0))


def test_the_same_settings_give_the_same_run(scenario: Scenario) -> None:
    same = compare(scenario, (Variant("one"), Variant("two")), 2200.0)
    for quantity in ("cpu_rate", "usage", "charge"):
        first, second = (run.quantities[quantity].values for run in same.runs)
        assert all(np.array_equal(first[node], second[node], equal_nan=True) for node in first)


def test_curves_have_the_nodes_colour_the_variants_dash_and_names_of_both(four: Comparison) -> None:
    tree = four.scenario.tree
    nodes = (tree.find("u1").id, tree.find("u3").id)
    figure = four.figure("cpu_rate", nodes, leave_out_system=True)
    assert [curve.name for curve in figure.curves] == [
        f"{who} ({letter})" for who in ("u1", "u3") for letter in "ABCD"
    ]
    assert [curve.dash for curve in figure.curves] == [*DASHES, *DASHES]
    assert len({curve.colour for curve in figure.curves[:4]}) == 1
    assert figure.caption.split(", ") == ["A off", "B share", "C integral", "D feedback"]
    assert figure.provenance.scenario_digest == "abc"
    assert figure.provenance.remarks[0].split(": ") == ["A off", "policy.adjgroups=off"]


def test_a_node_that_goes_away_on_the_way_is_left_out_of_the_table(scenario: Scenario) -> None:
    u2 = scenario.tree.find("u2").id
    events = (*scenario.events, Event(1900.0, ChangeTree((Remove(u2),))))
    changed = replace(scenario, events=tuple(sorted(events, key=lambda event: event.at_s)))
    found = compare(changed, FOUR[:2], 2000.0)
    assert "root/A/u2" not in cpu(found, 0, 2000)
    gone = found.runs[0].quantities["charge"].values[u2]
    assert not np.isnan(gone[0])
    assert np.isnan(gone[-1])


def test_progress_rises_to_one(scenario: Scenario) -> None:
    progress: list[float] = []
    compare(scenario, FOUR[:2], 60.0, progress=progress.append)
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


def test_a_wish_to_stop_ends_all_runs(scenario: Scenario) -> None:
    stop = threading.Event()
    with pytest.raises(Cancelled):
        compare(scenario, FOUR, 1e6, progress=lambda _: stop.set(), cancelled=stop.is_set)


@pytest.mark.parametrize("variants", [FOUR[:1], (*FOUR, Variant("more"))])
def test_two_to_four_variants_are_compared(scenario: Scenario, variants: tuple[Variant, ...]) -> None:
    with refuses(SettingError, "experiments.two-to-four-variants-can"):
        compare(scenario, variants, 60.0)


def test_settings_that_cannot_be_are_reported_with_the_variant(scenario: Scenario) -> None:
    with refuses_naming(SettingError, "odd: policy.nu:", "above 1", "100"):
        compare(scenario, (Variant("as it is"), Variant("odd", {"policy.nu": 0.5})), 60.0)


def test_settings_are_parted_by_commas_outside_brackets() -> None:
    found = parse_settings("policy.k_mu=[0.5, 0.7], policy.half_life_s=8 h,")
    assert found == {"policy.k_mu": (0.5, 0.7), "policy.half_life_s": 28800.0}
    answer = parse_settings("  ")
    assert answer == {}


def test_a_setting_that_is_unknown_says_which_may_be_meant() -> None:
    with refuses_naming(SettingError, "half_life_s", "policy.half_life_s"):
        parse_settings("half_life_s=8h")


def test_without_system_groups_the_others_make_up_the_whole() -> None:
    convex = read_scenario(examples() / "convex-series-1.yaml")
    found = compare(convex, (Variant("share"), Variant("flat", {"policy.name": "flat"})), 300.0)
    tree, rows = convex.tree, found.table(0, 300, leave_out_system=True)
    assert not any(tree.is_system(row.node) for row in rows)
    leaves = [row.cpu for row in rows if not tree.node(row.node).is_group]
    assert np.sum(leaves, axis=0) == pytest.approx((1.0, 1.0))


def test_nothing_is_shaded_where_only_one_run_has_values() -> None:
    first = Curve("u1", np.array([0.0, 10.0, 20.0]), np.array([1.0, 1.0, 1.0]))
    second = Curve("u1", np.array([10.0, 20.0, 30.0, 40.0]), np.array([2.0, 3.0, 4.0, 5.0]))
    band = [edge.tolist() for edge in _shaded_curve(first, second).band]
    assert band == [[1.0, 1.0, 4.0, 5.0], [2.0, 3.0, 4.0, 5.0]]


def test_a_run_can_be_cut_at_a_time() -> None:
    times = np.array([0.0, 5.0, 10.0])
    series = {name: NodeSeries(name, times, {1: times + 1}) for name in ("cpu_s", "charge")}
    cut = VariantRun(ShareTree(), series).until(7.0)
    assert cut.times.tolist() == [0.0, 5.0]
    assert cut.quantities["charge"].values[1].tolist() == [1.0, 6.0]
