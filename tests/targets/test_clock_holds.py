"""The clock held at events: at the very tick, and the run is none the different for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fsconsole.machine.checkpoint import save
from fsconsole.machine.jobs.batch import Batch
from fsconsole.machine.machine import Machine
from fsconsole.machine.parts import part_of
from fsconsole.neardedicated.build import makers_of
from fsconsole.neardedicated.controller import NearDedicated
from fsconsole.resources import examples
from fsconsole.shares.scenario.actions import EndProcess
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.base import CLOCK_HOLDS, MAX_SPEED
from fsconsole.targets.clock_holder import ClockHolder
from fsconsole.targets.hold_rules import EFFICIENCY, EVENT, JOB, PROCESS, WATCHDOG, rules_of
from fsconsole.targets.simulated import SimulatedTarget
from tests.texts import says, wording

WAIT_S = 60.0


def example(name: str) -> Scenario:
    return read_scenario(examples() / f"{name}.yaml")


def night() -> Machine:
    scenario = example("near-dedicated-ymp")
    return Machine(scenario, makers_of(scenario))


def held_at(machine: Machine, rule: str, until_s: float) -> list[str]:
    holder = ClockHolder(machine)
    holder.watch([rule])
    return holder.advance(machine.spec.ticks(until_s))


def test_it_holds_at_the_tick_at_which_a_job_has_ended() -> None:
    machine = night()
    reasons = held_at(machine, JOB, 3 * 3600)
    batch = part_of(machine, Batch)
    assert batch is not None
    ended = batch.finished[-1]
    assert ended.ended_tick == machine.tick
    assert [f"job {ended.request} ({ended.label}) {ended.how}"] == reasons


def test_it_holds_ten_minutes_before_the_watchdog_and_again_once_that_is_extended() -> None:
    machine = night()
    control = part_of(machine, NearDedicated)
    assert control is not None
    holder = ClockHolder(machine)
    holder.watch([WATCHDOG])
    while control.state.run is None:
        machine.advance_to(machine.now_s + 60)
    run = control.state.run
    assert run is not None
    run.watchdog.estimate_s = 1234.5
    for extended_s in (0.0, 300.25):
        run.watchdog.extended_s = extended_s
        reasons = holder.advance(machine.tick + machine.spec.ticks(2000))
        assert machine.tick == machine.spec.ticks(run.watchdog.acts_s - 600)
        assert reasons == [wording("targets.watchdog-kills-in", label=run.label, left_s="10 min")]


def test_it_holds_where_the_report_first_shows_too_low_an_efficiency() -> None:
    machine = night()
    reasons = held_at(machine, EFFICIENCY, 12 * 3600)
    control = part_of(machine, NearDedicated)
    assert control is not None
    run = control.state.run
    assert run is not None
    assert run.efficiency is not None
    assert run.efficiency < control.spec.required_efficiency
    assert run.history[-1].time_s == machine.now_s
    whole = [one.efficiency for one in run.history[:-1] if not one.partly_setup]
    assert all(one is None or one >= control.spec.required_efficiency for one in whole)
    assert reasons
    assert "below 88\xa0%" in reasons[0]


def test_holding_leaves_the_run_as_it_is() -> None:
    straight, watched = night(), night()
    holder = ClockHolder(watched)
    holder.watch([JOB, WATCHDOG, EFFICIENCY, PROCESS, EVENT])
    end = straight.spec.ticks(9000)
    straight.advance(end)
    count = 0
    while watched.tick < end:
        count += bool(holder.advance(end))
    assert count
    assert save(watched) == save(straight)


def test_what_a_scenario_has_not_is_not_offered() -> None:
    plain = [rule.name for rule in rules_of(example("convex-series-6"))]
    assert plain == [PROCESS, EVENT]
    titles = [rule.title for rule in rules_of(example("near-dedicated-ymp"))]
    assert says(titles, "targets.efficiency-below", required_efficiency="88\xa0%")


@pytest.fixture
def target() -> Iterator[SimulatedTarget]:
    made = SimulatedTarget(example("convex-series-6"), speed=MAX_SPEED)
    made.ask(lambda machine: machine.tick).result(WAIT_S)
    yield made
    made.close(wait=True)


def wait(target: SimulatedTarget) -> None:
    """Until the clock stands; a snapshot of that is there then."""
    while target.is_running:
        target.ask(lambda machine: machine.tick).result(WAIT_S)
    for _ in range(2):
        target.ask(lambda machine: machine.tick).result(WAIT_S)


def test_a_target_holds_at_each_event_of_its_scenario_and_goes_on(target: SimulatedTarget) -> None:
    holds = target.offer(CLOCK_HOLDS)
    assert holds is not None
    holds.hold_at([EVENT, "unheard of"])
    assert holds.holds == {EVENT}
    later = sorted({event.at_s for event in target.scenario.events if event.at_s > 0})
    for at_s in later[:2]:
        target.run()
        wait(target)
        snapshot = target.snapshot()
        assert snapshot is not None
        assert snapshot.time_s == at_s
        assert snapshot.held
        assert snapshot.held in target.status().text
    holds.hold_at(())
    target.run()
    wait(target)
    snapshot = target.snapshot()
    assert snapshot is not None
    assert snapshot.held == ""
    assert snapshot.time_s == target.scenario.plot.until_s


def test_what_a_person_does_holds_nothing(target: SimulatedTarget) -> None:
    target.hold_at([PROCESS])
    snapshot = target.snapshot()
    assert snapshot is not None
    done = target.submit(EndProcess(snapshot.processes[0].pid)).result(WAIT_S)
    assert done.done
    target.run()
    wait(target)
    last = target.snapshot()
    assert last is not None
    assert last.held == ""
