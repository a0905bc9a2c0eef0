"""People and their accounts, l-nodes, the share database, prices and devices."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from fsconsole.machine import tick_kernel
from fsconsole.machine.checkpoint import load, save
from fsconsole.machine.machine import Machine, machine_for
from fsconsole.shares.edits import Remove
from fsconsole.shares.scenario.actions import (
    CURRENT_ACCOUNT,
    Action,
    ChangeTree,
    EndProcess,
    Login,
    Logout,
    NewAccount,
    ReniceUser,
    Restart,
    SetBooks,
    SetSetting,
    StartProcess,
    Work,
)
from fsconsole.shares.scenario.names import Person
from fsconsole.shares.scenario.spec import Device, Event, Scenario
from tests.machine.worlds import Nested, same, scenario_of, split
from tests.texts import says, wording

TREE: Nested = {"A": (1, {"p1": 1, "p2": 1}), "B": (1, {"q1": 1})}
P1, P2, Q1 = 2, 3, 5
HALE = Person("hale", (P1, P2), nice=24)


def with_people(scenario: Scenario, *people: Person) -> Machine:
    return Machine(replace(scenario, people=people))


def row(machine: Machine, node: int) -> int:
    return machine.flat.row_of[node]


def test_newacct_charges_what_comes_then_to_the_other_account() -> None:
    machine = with_people(scenario_of(TREE), HALE)
    machine.act(Login(CURRENT_ACCOUNT, "hale"))
    machine.act(StartProcess(CURRENT_ACCOUNT, Work(), "first", person="hale"))
    machine.advance_to(8)
    assert machine.act(NewAccount("hale", P2)).text == wording(
        "machine.now-works-on", person="hale", node="p2"
    )
    machine.act(StartProcess(CURRENT_ACCOUNT, Work(), "second", person="hale"))
    machine.advance_to(40)
    charge = machine.state.charge
    assert charge[row(machine, P1)] > charge[row(machine, P2)] > 0
    assert machine.processes.nice.tolist() == [24, 24]
    assert [machine.persons[who] for who in machine.processes.person.tolist()] == ["hale", "hale"]
    # The session has gone along, so that p1 is there for its process alone.
    assert machine.people.sessions == [("hale", P2)]


def test_a_person_one_of_whose_accounts_is_about_to_be_removed_gets_another_nice_value() -> None:
    machine = with_people(scenario_of(TREE), HALE)
    machine.act(StartProcess(P1, Work(), person="hale"))
    machine.advance(70)
    machine.act(ChangeTree((Remove(P2),)))
    assert machine.act(ReniceUser("hale", 30)).text == wording(
        "machine.now-has-nice", person="hale", nice="30"
    )
    assert machine.processes.nice.tolist() == [30]


def test_an_account_that_is_not_the_persons_is_refused() -> None:
    machine = with_people(scenario_of(TREE), HALE)
    answer = machine.act(NewAccount("hale", Q1))
    assert (answer.done, answer.text) == (
        False,
        wording("machine.may-not-charge-allowed", person="hale", node="q1", known="p1, p2"),
    )
    assert machine.act(NewAccount("nobody", P1)).text == wording("machine.unknown-person", name="'nobody'")


def test_two_people_on_one_account_and_one_logs_out() -> None:
    machine = with_people(scenario_of(TREE), HALE, Person("fox", (P1,)))
    for name in ("hale", "fox"):
        machine.act(Login(P1, name))
    machine.act(Logout(P1, person="hale"))
    assert machine.state.logged_in[row(machine, P1)]
    assert machine.act(Logout(P1, person="hale")).text == wording("machine.is-not-logged-in", name="hale")
    machine.act(Logout(P1, person="fox"))
    assert not machine.state.logged_in[row(machine, P1)]


def test_nice_by_user_changes_all_his_processes_and_later_ones() -> None:
    machine = Machine(scenario_of(TREE, loops=["p1", "p1", "q1"]))
    machine.act(StartProcess(Q1, Work()))
    assert machine.act(ReniceUser("p1", 30)).pids == (1, 2)
    machine.act(StartProcess(P1, Work()))
    assert machine.processes.nice.tolist() == [30, 30, 20, 20, 30]
    assert not machine.act(ReniceUser("A", 30)).done


def test_the_sharer_removes_l_nodes_some_minutes_after_logout() -> None:
    machine = machine_for(scenario_of(TREE, logins=["p1", "q1"]), {"machine.sharer_interval_s": 240.0})
    machine.advance_to(100)
    machine.act(Logout(P1))
    machine.advance_to(239)
    assert machine.state.lnode[row(machine, P1)]
    assert machine.state.entitled[row(machine, P1)] == 0  # he does not count any more, though
    machine.advance_to(240)
    assert not machine.state.lnode[row(machine, P1)]
    assert machine.state.lnode[row(machine, Q1)]


def test_who_comes_back_has_the_usage_decayed_for_the_time_away() -> None:
    machine = Machine(scenario_of(TREE, usage={"p1": 8e6}))
    machine.advance_to(480)  # four half-lives of 120 s
    machine.act(Login(P1))
    assert machine.state.usage[row(machine, P1)] == pytest.approx(0.5e6)


def test_the_share_database_survives_a_restart() -> None:
    machine = Machine(scenario_of(TREE, loops=["p1", "q1"], logins=["p1"]))
    machine.advance_to(61)
    used = machine.state.charge + machine.state.cost
    machine.act(Restart())
    assert len(machine.processes) == 0
    assert not machine.people.sessions
    assert machine.state.charge.tolist() == used.tolist()
    assert not machine.state.lnode.any()
    machine.act(StartProcess(P1, Work()))
    machine.advance_to(80)
    assert machine.processes.cpu_ticks[0] == 19 * 60


def test_books_are_written_at_the_next_delta() -> None:
    machine = Machine(scenario_of(TREE, loops=["p1"]))
    machine.advance_to(9)
    machine.act(SetBooks(P1, usage=0.0, charge=100.0))
    machine.advance_to(12 - 1 / 60)
    assert machine.state.usage[row(machine, P1)] > 0
    machine.advance_to(12)
    assert machine.state.usage[row(machine, P1)] == 0
    assert machine.state.charge[row(machine, P1)] == 100.0 * 60_000
    assert says(machine.act(SetBooks(P1, usage=-1.0)).text, "machine.of-is-out-of-range")


def test_cheap_hours_cost_less_and_the_calendar_is_followed() -> None:
    scenario = scenario_of(TREE, loops=["p1"])
    start = datetime(1991, 3, 4, 17, 59)  # noqa: DTZ001 (the machine's own clock)
    late = replace(scenario.machine, start=start, calendar=("daily 08:00-18:00 1", "daily 0.25"))
    machine = Machine(replace(scenario, machine=late))
    machine.advance_to(60)
    assert machine.state.charge[row(machine, P1)] == 60 * 60_000
    machine.advance_to(120)
    assert machine.state.charge[row(machine, P1)] == 75 * 60_000
    assert machine.cost_rate == 0.25


def test_system_calls_requests_and_memory_cost_what_they_are_priced_at() -> None:
    disk = Work(1.0, 0.0, None, "fixed", "disk", 1.0, syscalls_per_s=60.0, clicks=100)
    scenario = replace(scenario_of(TREE, loops=[("p1", disk)]), devices=(Device("disk"),))
    prices = {"tick_cost": 0.0, "syscall_cost": 2.0, "bio_cost": 500.0, "click_cost": 3.0}
    machine = machine_for(scenario, {f"machine.{name}": price for name, price in prices.items()})
    machine.advance_to(20)
    # A second of CPU, then one at the disk: 10 bursts of 60 calls and 10 requests in 20 s; 5 deltas.
    assert machine.state.charge[row(machine, P1)] == 10 * 60 * 2 + 10 * 500 + 5 * 300


def io_world(queue: str) -> Machine:
    """One device, asked by a user with one process and one with nine, equal shares, little CPU."""
    work = Work(0.05, 0.0, None, "fixed", "disk", 0.2)
    loops = [("p1", work, 1), ("q1", work, 9)]
    scenario = replace(scenario_of(TREE, loops=loops), devices=(Device("disk"),))
    return machine_for(scenario, {"machine.io_queue": queue})


def test_a_share_aware_queue_serves_first_whom_the_policy_favours() -> None:
    fifo, aware = (split(io_world(queue), 400) for queue in ("fifo", "share"))
    assert fifo["p1"] == pytest.approx(10, abs=1)
    assert aware["p1"] > 40


def test_a_device_serves_one_at_a_time_and_is_free_after_a_kill() -> None:
    machine = io_world("fifo")
    machine.advance_to(10)
    served = machine.processes.state == tick_kernel.SERVED
    assert served.sum() == 1
    pid = int(machine.processes.pid[served][0])
    machine.act(EndProcess(pid))
    machine.advance_to(10.1)
    assert (machine.processes.state == tick_kernel.SERVED).sum() == 1


def test_interactive_processes_go_to_the_leaf_that_is_set() -> None:
    machine = machine_for(scenario_of(TREE), {"machine.defer_interactive_to": "q1"})
    assert machine.act(StartProcess(P1, Work(), interactive=True)).text == wording(
        "machine.started-charged-to", what="process 1", ids="q1"
    )
    machine.act(StartProcess(P1, Work()))
    assert machine.flat.ids[machine.processes.owner].tolist() == [Q1, P1]


def test_the_leaf_for_interactive_processes_must_be_there() -> None:
    answer = Machine(scenario_of(TREE)).act(SetSetting("machine.defer_interactive_to", "q"))
    assert not answer.done
    assert says(answer.text, "shares.scenario.did-you-mean-2", meant="q1")


@pytest.mark.parametrize("at_s", [0.0, 7.3, 33.0, 90.0])
def test_a_checkpoint_runs_on_the_same_with_people_devices_and_calendar(at_s: float) -> None:
    actions: list[tuple[float, Action]] = [
        (5.0, Login(CURRENT_ACCOUNT, "hale")),
        (
            6.0,
            StartProcess(
                CURRENT_ACCOUNT, Work(0.1, 0.0, None, "exponential", "disk", 0.05), "io", 4, person="hale"
            ),
        ),
        (30.0, NewAccount("hale", P2)),
        (31.0, SetBooks(P1, usage=5.0)),
        (60.0, SetSetting("policy.name", "feedback")),
    ]
    scenario = scenario_of(TREE, loops=["p1", ("q1", Work(0.2, 0.4))])
    scenario = replace(
        scenario,
        people=(HALE,),
        devices=(Device("disk"),),
        events=tuple(Event(at, action) for at, action in actions),
        machine=replace(scenario.machine, calendar=("daily 14:01-14:02 0.5",), io_queue="share"),
    )
    straight, stopped = Machine(scenario), Machine(scenario)
    stopped.advance_to(at_s)
    stopped = load(save(stopped), scenario)
    for machine in (straight, stopped):
        machine.advance_to(140)
    assert same(straight, stopped)
    assert np.array_equal(straight.device_busy, stopped.device_busy)


def test_a_policy_changed_on_a_running_machine_keeps_usage_and_charge() -> None:
    machine = Machine(scenario_of(TREE, loops=["p1", "p2", "q1"]))
    machine.advance_to(39)
    usage, charge = machine.state.usage.copy(), machine.state.charge.copy()
    for name in ("feedback", "fixed", "process-fair", "exponential", "flat", "share"):
        machine.act(SetSetting("policy.name", name))
        machine.advance(machine.tick + 240)
        assert machine.settings["policy.name"] == name
        assert (machine.state.charge >= charge).all()
        usage = usage * 0.5 ** (4 / 120)
        assert (machine.state.usage >= usage * 0.999).all()
        usage, charge = machine.state.usage.copy(), machine.state.charge.copy()
    assert machine.flat.group_sum(charge)[0] == pytest.approx(60 * 60_000)
