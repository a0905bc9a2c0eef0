"""What is done from outside: when it takes effect, what comes of it, and what is refused."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from fsconsole.machine.checkpoint import load, save
from fsconsole.machine.machine import NOT_DONE, Machine, machine_for
from fsconsole.machine.summary import summary_of
from fsconsole.shares.edits import Insert, Move, Remove, SetField, SetShares
from fsconsole.shares.scenario.actions import (
    CURRENT_ACCOUNT,
    MAX_PROCESSES,
    Action,
    ChangeTree,
    EndProcess,
    EndProcesses,
    Login,
    Logout,
    Renice,
    SetBooks,
    SetSetting,
    StartProcess,
    Work,
)
from fsconsole.shares.scenario.spec import SettingError
from fsconsole.shares.tree import Kind, Node
from tests.machine.worlds import Nested, example, same, scenario_of, split
from tests.texts import Expected, naming, refuses, says, worded, wording

TREE: Nested = {"A": (1, {"a1": 1, "a2": 1}), "B": (1, {"b1": 1})}
A, A1, A2, B, B1, NEW = 1, 2, 3, 4, 5, 9


def machine(*loops: object, **more: object) -> Machine:
    return Machine(scenario_of(TREE, loops=loops or ("a1", "b1"), **more))  # type: ignore[arg-type]


def test_by_hand_or_from_the_file_is_the_same_run() -> None:
    events: list[tuple[float, Action]] = [
        (0.0, ChangeTree((SetShares.of(A1, 2),))),
        (3.5, Login(A2)),
        (3.5, StartProcess(A2, Work(0.2, 0.1), "cc", 2, 25)),
        (4.0, ChangeTree((SetShares.of(A2, 5),))),
        (5.25, StartProcess(B1, Work(cpu_s=2.0))),
        (8.0, SetSetting("policy.half_life_s", 20.0)),
        (13.0, EndProcesses(A1)),
        (20.0, Logout(A2)),
    ]
    from_file, by_hand = machine(events=events), machine()
    for at_s, action in events:
        by_hand.advance_to(at_s)
        by_hand.act(action)
    for one in (from_file, by_hand):
        one.advance_to(30)
    assert same(from_file, by_hand)


def test_edits_take_effect_at_the_next_delta() -> None:
    one = machine()
    one.advance_to(5)
    one.act(ChangeTree((SetShares.of(A, 3),)))
    assert one.tree.node(A).shares == 3
    one.advance(8 * 60 - 1)
    assert one.sample().columns["allocated_share"][1] == pytest.approx(0.5)
    one.advance(8 * 60)
    assert one.sample().columns["allocated_share"][1] == pytest.approx(0.75)


def test_at_time_0_edits_and_settings_are_in_force_at_once() -> None:
    one = machine()
    one.act(ChangeTree((SetShares.of(A, 3),)))
    one.act(SetSetting("policy.half_life_s", 60.0))
    assert one.sample().columns["allocated_share"][1] == pytest.approx(0.75)
    assert one.settings["policy.half_life_s"] == 60.0


def test_a_new_user_can_be_given_work_at_once_and_runs_from_the_delta_on() -> None:
    one = machine()
    one.advance_to(5)
    one.act(ChangeTree((Insert(B, 1, (Node(NEW, "new", 1),)),)))
    answer = one.act(StartProcess(NEW, Work()))
    assert (answer.done, answer.text) == (True, wording("machine.joins-at-next-delta-try", name="new"))
    one.advance(8 * 60 - 1)
    assert NEW not in one.flat.row_of
    one.advance_to(300)
    assert split(one, 600) == pytest.approx({"a1": 50, "b1": 25, "new": 25}, abs=0.5)


def test_who_is_removed_loses_his_processes_but_the_cpu_time_still_counts() -> None:
    one = machine("a1", "a2", "b1")
    one.advance_to(6)
    one.act(ChangeTree((Remove(A2),)))
    one.advance_to(60)
    assert one.processes.owner.tolist() == [one.flat.row_of[A1], one.flat.row_of[B1]]
    assert one.ran.sum() + one.ran_by_removed == 3600
    assert one.ran_by_removed == pytest.approx(8 * 15, abs=20)
    fractions = {node["path"]: node["cpu_fraction"] for node in summary_of(one)["nodes"]}
    assert fractions["root"] == pytest.approx(1 - one.ran_by_removed / 3600)


def test_who_moves_keeps_processes_usage_and_charge() -> None:
    one = machine("a1", "a2", "b1")
    one.advance_to(7.5)
    used = int(one.ran[one.flat.row_of[A2]])
    one.act(ChangeTree((Move(A2, B, 0),)))
    one.advance_to(8)
    row = one.flat.row_of[A2]
    assert one.tree.path(A2) == "root/B/a2"
    assert one.ran[row] >= used > 0
    assert one.state.usage[row] > 0
    assert row in one.processes.owner
    assert one.sample().columns["allocated_share"][row] == pytest.approx(0.25)


def test_a_user_that_becomes_a_group_leaves_its_processes_behind() -> None:
    one = machine("a1", "a2", "b1", logins=["a2"])
    one.advance_to(5)
    one.act(ChangeTree((SetField(A2, "kind", Kind.GROUP), Insert(A2, 0, (Node(NEW, "below", 1),)))))
    one.advance_to(60)
    assert one.flat.row_of[A2] not in one.processes.owner
    assert not one.state.logged_in[one.flat.row_of[A2]]
    assert one.ran.sum() + one.ran_by_removed == 3600
    assert one.sample().columns["cpu_rate"][0] == pytest.approx(1.0)


def test_a_process_ends_at_its_tick_and_its_share_goes_to_the_others_at_once() -> None:
    one = machine(("a1", Work(cpu_s=0.5)), ("b1", Work()), cpus=2)
    one.advance(29)
    assert len(one.processes) == 2
    one.advance(30)
    assert one.processes.pid.tolist() == [2]
    assert one.sample().columns["allocated_share"].tolist() == [1, 0, 0, 0, 1, 1]


def test_outcomes_say_what_was_done_and_name_the_pids() -> None:
    one = machine()
    assert one.act(StartProcess(A2, Work(), "cc", 3)).pids == (3, 4, 5)
    assert one.act(Renice(4, 39)).text == wording("machine.process-now-has-nice", pid="4", nice="39")
    assert one.act(EndProcess(4)).pids == (4,)
    assert one.act(EndProcesses(A2, "cc")).pids == (3, 5)
    assert one.act(Login(A2)).text == wording("machine.logged-in", name="a2")
    assert one.act(StartProcess(A2, Work())).pids == (6,)
    assert one.act(Logout(A2)).pids == (6,)
    assert len(one.journal) == 7


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Login(A), worded("machine.is-group-only-user-can", name="A")),
        (Login(77), worded("machine.no-node-with-id-in", node="77")),
        (Logout(A1), worded("machine.is-not-logged-in", name="a1")),
        (StartProcess(A1, Work(), nice=40), worded("machine.nice-is-out-of-range", nice="40")),
        (StartProcess(A1, Work(), count=0), worded("machine.cannot-start-processes-use-1", count="0")),
        (
            StartProcess(A1, Work(), count=MAX_PROCESSES),
            worded("machine.cannot-start-processes-use-1", count="100000", room="99998"),
        ),
        (StartProcess(A1, Work(cpu_s=-1.0)), worded("machine.of-s-is-out-of", name="CPU time", value="-1.0")),
        (
            StartProcess(A1, Work(burst_s=float("inf"))),
            worded("machine.of-s-is-out-of", name="burst", value="inf"),
        ),
        (
            StartProcess(A1, Work(burst_s=1.0, sleep_s=float("nan"))),
            worded("machine.of-s-is-out-of", name="sleep", value="nan"),
        ),
        (EndProcess(99), worded("machine.no-process-it-may-have", pid="99")),
        (EndProcesses(A2), worded("machine.does-not-have-such-process", node="a2")),
        (Renice(1, -1), worded("machine.nice-is-out-of-range", nice="-1")),
        (ChangeTree((Remove(77),)), worded("machine.no-node-with-id-in", node="77")),
        (SetSetting("policy.halflife", 3.0), naming("Did you mean policy.half_life_s")),
        (SetSetting("policy.half_life_s", -3.0), naming("policy.half_life_s: needs a time above 0 s")),
        (SetSetting("policy.half_life_s", 1e-300), naming("policy.half_life_s: needs at least 1e-06 s")),
        (
            SetSetting("policy.redistribution_s", 1e300),
            naming("policy.redistribution_s: needs at least a delta, 4 s"),
        ),
        (
            SetSetting("machine.tick_cost", 1e-320),
            naming("machine.tick_cost: needs 0, or at least 1e-06 cost units"),
        ),
        (
            SetSetting("machine.calendar", ("daily 0.0000001",)),
            worded("shares.scenario.in-is-not-rate-write", min_rate="1e-06", max_rate="1000"),
        ),
        (SetBooks(CURRENT_ACCOUNT, usage=1.0), worded("machine.no-node-with-id-in", node="-1")),
        (
            StartProcess(A1, Work(device="d", burst_s=1.0), "new", person="new"),
            worded("machine.no-device", known="'d'"),
        ),
        (SetSetting("policy.half_life_s", "soon"), naming("policy.half_life_s: 'soon' is not a time")),
        (
            SetSetting("machine.cpus", 2.5),
            worded("shares.scenario.is-not-allowed-it-must", shown="machine.cpus: 2.5"),
        ),
        (SetSetting("machine.k2", 0.02), worded("shares.scenario.k2-nice-k3-must-lie")),
        (SetSetting("machine.hz", 100), worded("machine.cannot-change-while-machine-runs", key="machine.hz")),
        (SetSetting("policy.name", "shar"), worded("shares.scenario.did-you-mean-2", meant="share")),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(action: Action, reason: Expected) -> None:
    one, other = machine(), machine()
    answer = one.act(action)
    assert not answer.done
    assert says(answer.text, reason)
    assert one.journal == []
    assert (one.commands, one.persons) == (other.commands, other.persons)
    for each in (one, other):
        each.advance_to(9)
    assert same(one, other)


def test_a_login_of_one_who_is_about_to_be_removed_is_refused() -> None:
    one = machine()
    one.advance(70)
    one.act(ChangeTree((Remove(A2),)))
    assert not one.act(Login(A2)).done
    assert not one.state.logged_in.any()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"machine.k2": 0.05}, worded("shares.scenario.k2-nice-k3-must-lie")),
        ({"machine.k3": 0.0}, worded("shares.scenario.k2-nice-k3-must-lie")),
        ({"machine.cpus": 0}, worded("shares.scenario.needs-1-to-4096-processors")),
        ({"policy.delta_s": 0.001}, worded("shares.scenario.needs-whole-number-of-ticks-2")),
        ({"policy.name": "fairest"}, worded("shares.scenario.unknown-policy", name_2="'fairest'")),
        (
            {"machine.start": datetime.fromisoformat("9001-01-01"), "machine.calendar": ("daily 1",)},
            worded("shares.scenario.needs-year-up-to", last_year="9000"),
        ),
    ],
)
def test_settings_that_cannot_be_make_no_machine(settings: dict[str, object], reason: Expected) -> None:
    with refuses(SettingError, reason):
        machine_for(scenario_of(TREE), settings)


def test_a_sampling_that_is_no_whole_number_of_ticks_makes_no_machine() -> None:
    for sample_s in (0.01, 0.025):
        with refuses(SettingError, "shares.scenario.needs-whole-number-of-ticks-2"):
            machine_for(scenario_of(TREE), sample_s=sample_s)


def test_a_workload_that_cannot_be_makes_no_machine() -> None:
    reason = wording("machine.nice-is-out-of-range", nice="77", nice_levels="39", normal_nice="20")
    with refuses(SettingError, "machine.workload-of", command="loop", value="a1", reason=reason):
        machine_for(scenario_of(TREE, loops=[("a1", Work(), 1, 77)]))


def test_many_processes_stand_in_the_table_at_once() -> None:
    one = machine(("a1", Work(0.2, 0.2), MAX_PROCESSES // 2), "b1", cpus=16)
    one.advance(60)
    assert one.ran.sum() == 960
    assert len(np.unique(one.processes.stream)) == MAX_PROCESSES // 2 + 1


def test_the_summary_has_every_node_and_leaves_root_out_of_the_cpu_time() -> None:
    one = example("convex-series-1")
    one.advance_to(1200)
    summary = summary_of(one)
    nodes = {node["path"]: node for node in summary["nodes"]}
    assert list(nodes) == [one.tree.path(node.id) for node in one.tree.walk()]
    assert nodes["root"]["cpu_fraction"] == pytest.approx(1.0)
    assert nodes["root/gr1/u11"]["cpu_fraction"] == pytest.approx(0.25, abs=0.005)
    idle = nodes["root/Batch/short"]
    assert [idle[key] for key in ("cpu_fraction", "usage", "normalised_usage", "charge")] == [0, 0, 0, 0]
    users = [node for path, node in nodes.items() if path.count("/") == 2]
    assert sum(node["charge"] for node in users) == pytest.approx(nodes["root"]["charge"])
    assert summary["until_s"] == 1200.0


def test_samples_between_ticks_of_another_clock_are_refused() -> None:
    scenario = scenario_of({"x": 1}, sample_s=0.25)
    with refuses(SettingError, "machine.cannot-sample-every-s-it", sample_s="0.25"):
        machine_for(scenario, {"machine.hz": 50})


def test_what_a_scenario_wants_in_vain_is_noted() -> None:
    one = machine(events=[(1.0, Login(A2)), (2.0, Login(A2)), (3.0, Renice(77, 30)), (4.0, EndProcesses(A2))])
    one.advance_to(5)
    assert [(tick, text) for tick, text in one.happened if text.startswith(NOT_DONE)] == [
        (120, ("not done" + wording("machine.is-already-logged-in", value=": a2"))),
        (180, ("not done" + ": " + wording("machine.no-process-it-may-have", pid="77"))),
        (240, ("not done" + wording("machine.does-not-have-such-process", node=": a2"))),
    ]
    assert same(load(save(one), one.scenario), one)
