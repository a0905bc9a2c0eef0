"""A simulated machine's forecast is the machine itself: what is solved holds when it is done."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fsconsole.app.forecast.machine import (
    PartGoal,
    Present,
    curves,
    part_at,
    past_times,
    present,
    read_part_goal,
    share_ways,
    standing,
    used,
)
from fsconsole.cli.main import run
from fsconsole.machine.machine import Machine, machine_for
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.actions import ChangeTree
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from tests.texts import Expected, naming, refuses, says, worded, wording

TWO = examples() / "two-organisations.yaml"
AT_S = 35 * 60.0


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return read_scenario(TWO)


@pytest.fixture(scope="module")
def start(scenario: Scenario) -> Present:
    return present(scenario, AT_S, 60.0)


def _node(scenario: Scenario, name: str) -> int:
    return Names(scenario.tree).find(name).id


def _used(machine: Machine, node: int) -> float:
    ran = machine.flat.group_sum(machine.ran.astype(np.float64))
    return float(ran[machine.flat.row_of[node]])


def test_parts_are_what_the_machine_then_gives(scenario: Scenario, start: Present) -> None:
    a = _node(scenario, "A")
    (found,) = curves(start, (a,), (), 300.0)
    machine = machine_for(scenario)
    used = []
    for at_s in (AT_S - 60, AT_S, AT_S + 240, AT_S + 300):
        machine.advance(machine.spec.ticks(at_s))
        used.append(_used(machine, a))
    ticks = machine.spec.ticks(60.0) * machine.spec.cpus
    assert (found.times_s[0], found.times_s[-1]) == (0.0, 300.0)
    assert found.part[0] == pytest.approx((used[1] - used[0]) / ticks, abs=1e-9)
    assert found.part[-1] == pytest.approx((used[3] - used[2]) / ticks, abs=1e-2)


def test_no_changes_overlay_exactly_and_changes_begin_at_the_same_now(
    scenario: Scenario, start: Present
) -> None:
    a = _node(scenario, "A")
    before, again, other = (
        curves(start, (a,), changes, 300.0)[0]
        for changes in ((), (), (ChangeTree((SetShares(((a, 500),)),)),))
    )
    np.testing.assert_array_equal(before.part, again.part)
    np.testing.assert_array_equal(before.times_s, other.times_s)
    assert other.part[0] == before.part[0]
    assert other.part[-1] > before.part[-1]
    assert other.allocated[-1] == pytest.approx(500 / 550)


@pytest.mark.parametrize("policy", ["share", "feedback"])
def test_what_is_solved_is_what_the_machine_then_gives(scenario: Scenario, policy: str) -> None:
    changed = replace(scenario, policy=replace(scenario.policy, name=policy))
    begin = present(changed, AT_S, 60.0)
    u1, a = _node(changed, "u1"), _node(changed, "A")
    goal = PartGoal(u1, 0.4, 300.0)
    assert part_at(begin, goal, ()) < goal.part
    ways = share_ways(begin, goal)
    assert [way.node for way in ways] == [u1, a]
    own, group = ways
    for way in ways:
        change = ChangeTree((SetShares(((way.node, way.shares),)),))
        assert part_at(begin, goal, (change,)) == way.part
        assert way.is_enough == (way.part >= goal.part)
    assert group.is_enough
    assert group.shares > group.now
    # Within its group it gets more, whether or not that is enough.
    assert own.part > part_at(begin, goal, ())


def test_a_part_above_the_groups_own_is_out_of_reach_of_own_shares(
    scenario: Scenario, start: Present
) -> None:
    own, _group = share_ways(start, PartGoal(_node(scenario, "u1"), 0.9, 300.0))
    assert not own.is_enough
    assert 0.0 < own.part < 0.6


def test_shares_that_bring_nothing_stay(scenario: Scenario) -> None:
    idle = _node(scenario, "A")  # nobody of A is there before half an hour
    (way,) = share_ways(present(scenario, 60.0, 60.0), PartGoal(idle, 0.5, 60.0))
    assert (way.shares, way.part, way.is_enough) == (way.now, 0.0, False)


def test_what_was_done_in_the_window_before_now_stays_done(scenario: Scenario) -> None:
    machine = machine_for(scenario)
    a = _node(scenario, "A")
    past = []
    for time_s in past_times(AT_S, 60.0):
        machine.advance(machine.spec.ticks(time_s))
        past.append(used(machine))
    assert machine.act(ChangeTree((SetShares(((a, 500),)),))).done
    machine.advance(machine.spec.ticks(AT_S))
    now = standing(machine, 60.0, past)
    (found,) = curves(now, (a,), (), 300.0)
    assert found.allocated[-1] == pytest.approx(500 / 550)
    assert share_ways(now, PartGoal(a, 0.1, 300.0))[0].now == 500


@pytest.mark.parametrize(
    ("text", "part", "time_s"),
    [("part=0.5 in 10 min", 0.5, 600.0), ("50 % in 1 h", 0.5, 3600.0), ("part >= 0.25 by 90s", 0.25, 90.0)],
)
def test_wishes_are_read(text: str, part: float, time_s: float) -> None:
    assert read_part_goal(text, 3) == PartGoal(3, part, time_s)


@pytest.mark.parametrize("text", ["", "0.5", "part=2 in 10 min", "part=0.5 in Monday", "part=0.5.5 in 1 h"])
def test_wishes_that_are_none_are_refused(text: str) -> None:
    with refuses(ValueError, "app.forecast.is-not-goal-write-share"):
        read_part_goal(text, 3)


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert run(["tree", "forecast", str(TWO), "--at", "35min", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_command_line_forecasts_changes_and_solves(capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "--node",
        "root/A",
        "--until",
        "5min",
        "--share",
        "root/A=80",
        "--set",
        "policy.half_life_s=5min",
    )
    found = _json(capsys, *words)
    assert found["nodes"][0]["part"][0] == found["unchanged"][0]["part"][0]
    assert found["nodes"][0]["part"][-1] > found["unchanged"][0]["part"][-1]
    (way,) = _json(capsys, "--node", "root/A", "--solve", "part=0.7 in 4 min")["solution"]["ways"]
    assert way["is_enough"]
    done = _json(capsys, "--node", "root/A", "--until", "4min", "--share", f"root/A={way['becomes']}")
    assert done["nodes"][0]["part"][-1] == pytest.approx(way["reached"])
    answer = run(["tree", "forecast", str(TWO), "--node", "root/A", "--solve", "part=0.5 in 1 min"])
    assert answer == 0
    out = capsys.readouterr().out
    assert says(out, "cli.each-way-alone")
    assert says(out, "app.forecast.has-in-goal-is", when="1 min", basis="without changes", part_2="50.0 %")
    words = ("--node", "root/A", "--share", "root/A=80", "--until", "4min", "--solve", "part=0.7 in 2 min")
    assert run(["tree", "forecast", str(TWO), *words]) == 0
    out = capsys.readouterr().out
    basis = wording("app.forecast.with-changes-above")
    assert says(out, "app.forecast.has-in-goal-is", when="2 min", basis=basis, part_2="70.0 %")
    assert "without changes" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--node", "root/C"], naming("root/C")),
        (["--node", "root/A", "--share", "A"], naming("PATH=SHARES")),
        (["--node", "root/A", "--solve", "F=1 by Monday"], worded("app.forecast.is-not-goal-write-share")),
        ([], naming("--node")),
    ],
)
def test_wrong_use_is_answered(
    words: list[str], message: Expected, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tree", "forecast", str(Path(TWO)), *words]) == 2
    assert says(capsys.readouterr().err, message)
