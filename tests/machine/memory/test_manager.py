"""Images, the swap device, growing, suspending, and what people are told."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.machine import Machine
from fsconsole.machine.memory import swap_device
from fsconsole.machine.memory.eviction import enough
from fsconsole.machine.memory.image_ranking import columns_of, standing_of
from fsconsole.machine.memory.sds_daemon import fewest
from fsconsole.machine.memory.swap_pass import Persistence, drawn
from fsconsole.shares.scenario.actions import (
    EndProcess,
    Renice,
    ResumeProcess,
    SetSetting,
    SuspendProcess,
    Work,
)
from fsconsole.shares.scenario.memory_spec import MemorySpec
from tests.machine.memory.worlds import begin, clicks, image, load, memory_of, out, scenario_with, waited_s
from tests.texts import refuses, says, wording


def test_images_are_placed_in_order_of_pid_while_there_is_room() -> None:
    loads = [load("PRI_BATCH", Work(clicks=clicks(mw))) for mw in (6, 5, 4, 3)]
    machine = Machine(scenario_with(*loads, size_mw=10.0, swap_mw_per_s=0.01))
    assert out(machine) == [2, 4]
    assert memory_of(machine).used_clicks == clicks(10)
    machine.advance(60)
    assert machine.processes.cpu_ticks.tolist() == [60, 0, 60, 0]


def test_a_machine_without_memory_or_sds_has_no_such_part() -> None:
    assert not Machine(scenario_with(load("PRI_BATCH", Work(clicks=clicks(1000))))).parts


@given(st.integers(0, 2**30), st.floats(0.01, 1000))
def test_a_transfer_takes_clicks_by_bandwidth(size: int, mw_per_s: float) -> None:
    ticks = swap_device.ticks_of(size, 60, MemorySpec(swap_mw_per_s=mw_per_s))
    assert ticks - 1 <= size / 2048 / mw_per_s * 60 <= ticks + 1e-6


def test_a_process_comes_in_when_another_has_left_to_the_tick() -> None:
    machine = Machine(scenario_with(load("PRI_BATCH", Work(clicks=clicks(5))), size_mw=8.0, share_aware=True))
    machine.advance(90)
    job = begin(machine, "PRI_ND", Work(clicks=clicks(6)))
    assert (job.where, memory_of(machine).next_tick()) == ("out", 120)
    machine.advance(120)
    assert image(machine, 1).where == "going out"
    machine.advance(120 + 120)
    assert (job.where, memory_of(machine).used_clicks) == ("coming in", clicks(6))
    machine.advance(240 + 143)
    assert (job.where, machine.processes.cpu_ticks[1]) == ("coming in", 0)
    machine.advance(240 + 145)
    assert (job.where, machine.processes.cpu_ticks[1]) == ("in", 1)
    assert waited_s(machine, 2) == pytest.approx(4.9)
    assert memory_of(machine).next_tick() is None or image(machine, 1).where == "out"


def test_those_that_left_come_back_when_there_is_room() -> None:
    machine = Machine(
        scenario_with(load("PRI_BATCH", Work(clicks=clicks(2)), 4), size_mw=8.0, share_aware=True)
    )
    job = begin(machine, "PRI_ND", Work(clicks=clicks(7)))
    machine.advance_to(30)
    assert (job.where, len(out(machine))) == ("in", 4)
    machine.act(EndProcess(job.pid))
    machine.advance_to(40)
    assert not out(machine)
    assert memory_of(machine).next_tick() is None


def test_a_machine_at_rest_asks_for_no_ticks() -> None:
    """Nobody who is out can get in, and nobody sleeps: there is nothing to look at."""
    machine = Machine(
        scenario_with(load("PRI_BATCH", Work(clicks=clicks(3)), 4), size_mw=10.0, share_aware=True)
    )
    machine.advance_to(5)
    assert out(machine) == [4]
    wanted = memory_of(machine).next_tick()
    assert wanted is None or wanted >= machine.tick + 5 * 60


def test_without_shares_images_take_turns_by_time() -> None:
    machine = Machine(
        scenario_with(load("PRI_BATCH", Work(clicks=clicks(3)), 4), size_mw=10.0, swap_mw_per_s=30.0)
    )
    machine.advance_to(400)
    assert machine.processes.cpu_ticks.min() > 0.6 * machine.processes.cpu_ticks.max()
    assert min(each.swaps for each in memory_of(machine).images.values()) >= 5


def test_by_size_the_smaller_image_stays_and_time_in_memory_lets_the_larger_one_in() -> None:
    """Everitt et al. 3.2.1: swapping looks at size and residency. 5 MW more are made up by 5/0.1 = 50 s."""
    loads = [load("PRI_BATCH", Work(clicks=clicks(mw))) for mw in (8, 3)]
    machine = Machine(scenario_with(*loads, size_mw=10.0, size_factor=1.0))
    machine.advance_to(9)
    assert out(machine) == [2]  # size lets nothing leave before min_residence_s
    machine.advance_to(300)
    assert out(machine) == [1]
    assert image(machine, 2).swaps == 0
    machine = Machine(scenario_with(*loads, size_mw=10.0, size_factor=1.0, tfactor_in=0.1))
    machine.advance_to(3000)
    large, small = (image(machine, pid) for pid in (1, 2))
    assert min(large.swaps, small.swaps) >= 20
    assert 3 * small.swap_wait_ticks < large.swap_wait_ticks


def test_by_nice_the_favoured_image_stays_and_another_nice_value_counts_at_once() -> None:
    loads = load("PRI_BATCH", Work(clicks=clicks(6)), 2)
    machine = Machine(scenario_with(loads, size_mw=10.0, nice_factor=1.0))
    machine.advance_to(100)
    assert out(machine) == [2]  # equals do not make room for each other
    for reniced, nice, outside in ((2, 10, 1), (1, 10, 1), (2, 39, 2)):
        machine.act(Renice(reniced, nice))
        machine.advance(machine.tick + 60 * machine.spec.hz)
        assert out(machine) == [outside]


def test_who_has_been_out_for_max_outage_comes_in_among_equals() -> None:
    loads = load("PRI_BATCH", Work(clicks=clicks(6)), 2)
    for most_s, ran in ((0.0, False), (50.0, True)):
        machine = Machine(scenario_with(loads, size_mw=10.0, share_aware=True, max_outage_s=most_s))
        machine.advance_to(60)
        assert (machine.processes.cpu_ticks[1] > 0) == ran


def test_what_is_too_large_or_unknown_is_refused() -> None:
    machine = Machine(scenario_with(load("PRI_BATCH", Work(clicks=clicks(1))), size_mw=10.0, sds_mw=5.0))
    with refuses(ValueError, "machine.memory.clicks-do-not-fit-into"):
        memory_of(machine).grow(1, clicks(11))
    with refuses(ValueError, "machine.memory.clicks-do-not-fit-into-2"):
        memory_of(machine).ask_sds(1, clicks(6))
    assert says(machine.act(SuspendProcess(7)).text, "machine.no-process-it-may-have")
    assert machine.act(ResumeProcess(1)).text == wording("machine.memory.is-not-suspended", name="process 1")


def test_an_image_larger_than_memory_waits_and_lets_others_pass() -> None:
    loads = load("PRI_ND", Work(clicks=clicks(11))), load("PRI_BATCH", Work(clicks=clicks(6)))
    machine = Machine(scenario_with(*loads, size_mw=10.0, share_aware=True))
    machine.advance_to(100)
    assert (out(machine), machine.processes.cpu_ticks[0]) == ([1], 0)


def test_suspending_by_hand_writes_sds_out_and_resuming_brings_it_back() -> None:
    loads = load("PRI_BATCH", Work(sds_clicks=clicks(10))), load("root", Work(0.1, 5.0))
    machine = Machine(scenario_with(*loads, sds_mw=20.0))
    machine.advance_to(10)
    done = machine.act(SuspendProcess(1))
    assert done.text == (
        wording("shares.scenario.process-suspended", pid="1 is")
        + wording("machine.memory.its-sds-mw-is-being", sds_clicks="10.0")
    )
    assert machine.act(SuspendProcess(1)).text == wording(
        "machine.memory.is-already-suspended", name="process 1", who=""
    )
    assert "never suspended" in machine.act(SuspendProcess(2)).text
    machine.advance_to(15)
    assert (memory_of(machine).sds_used_clicks, machine.processes.cpu_ticks[0]) == (0, 600)
    assert machine.act(ResumeProcess(1)).text == wording(
        "machine.memory.goes-on", name="process 1", then=wording("machine.memory.as-soon-as-sds-is")
    )
    machine.advance_to(20)
    assert (image(machine, 1).sds, machine.processes.cpu_ticks[0]) == ("held", 660)


def test_the_daemon_resumes_everybody_when_it_is_stopped() -> None:
    machine = Machine(
        scenario_with(load("PRI_BATCH", Work(sds_clicks=clicks(10))), sds_mw=12.0, sds_daemon=True)
    )
    job = begin(machine, "PRI_ND", Work())
    memory_of(machine).ask_sds(job.pid, clicks(12))
    machine.advance_to(11)
    assert image(machine, 1).suspended == "daemon"
    machine.act(SetSetting("memory.sds_daemon", False))
    machine.advance_to(12)
    assert image(machine, 1).suspended == ""


def test_the_daemon_looks_once_it_is_switched_on() -> None:
    loads = [load("PRI_BATCH", Work(sds_clicks=clicks(10))), load("PRI_ND", Work())]
    machine = Machine(scenario_with(*loads, sds_mw=12.0))
    memory_of(machine).ask_sds(2, clicks(12))
    machine.advance_to(5)
    assert (image(machine, 2).sds, image(machine, 1).suspended) == ("waiting", "")
    machine.act(SetSetting("memory.sds_daemon", value=True))
    machine.advance_to(30)
    assert image(machine, 2).sds == "held"


def test_growing_smaller_is_done_in_place() -> None:
    machine = Machine(scenario_with(load("PRI_BATCH", Work(clicks=clicks(5))), size_mw=8.0))
    memory_of(machine).grow(1, clicks(2))
    assert (memory_of(machine).used_clicks, image(machine, 1).swaps) == (clicks(2), 0)
    assert machine.processes.clicks.tolist() == [clicks(2)]


sizes = st.lists(st.integers(1, 30), min_size=1, max_size=7)


@given(sizes, st.integers(1, 100))
def test_the_daemon_suspends_the_fewest_and_of_these_the_least(held: list[int], needed: int) -> None:
    found = fewest(dict(enumerate(held)), needed)
    every = [each for n in range(1, 8) for each in combinations(held, n) if sum(each) >= needed]
    if found is None:
        assert not every
        return
    best = min(every, key=lambda each: (len(each), sum(each)))
    assert (len(found), sum(held[pid] for pid in found)) == (len(best), sum(best))


@given(sizes, st.integers(1, 100))
def test_no_more_is_thrown_out_than_needed(held: list[int], needed: int) -> None:
    chosen = enough(np.array(held), list(range(len(held))), needed)
    assert (chosen is None) == (sum(held) < needed)
    got = sum(held[place] for place in chosen or ())
    assert chosen is None or all(got - held[place] < needed for place in chosen)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 6)), max_size=12))
def test_persistence_holds_for_as_many_passes_as_images_left_or_were_marked(
    turns: list[tuple[int, int]],
) -> None:
    """Section 3.1.3.4: up by each image that is sent out or marked, down by one each pass."""
    counter, left, served = Persistence(), 0, 0
    for pid, steps in turns:
        left = max(left - 1, 0)
        served = served if left else 0
        counter.count_down()
        assert (counter.count, counter.pid) == (left, served)
        left = steps if pid != served else left + steps
        served = pid if left else 0
        counter.note(pid, steps)
        assert (counter.count, counter.pid) == (left, served)
    passes = 0
    while counter.count:
        counter.count_down()
        passes += 1
    assert (passes, counter.pid) == (left, 0)


def test_what_comes_in_asleep_has_slept_since_it_came_in() -> None:
    """It left long ago, so that its last run says nothing of its time in memory."""
    machine = Machine(scenario_with(load("PRI_BATCH", Work(clicks=clicks(6)), 2), size_mw=10.0))
    machine.advance_to(30)
    memory, hz = memory_of(machine), machine.spec.hz
    (pid,) = out(machine)
    machine.act(SuspendProcess(pid))
    other = 3 - pid
    machine.act(EndProcess(other))
    memory.grow(pid, clicks(7))  # a suspended image wants in only to grow
    machine.advance_to(60)
    job = image(machine, pid)
    assert job.where == "in"
    store = memory.store
    found = standing_of(store, columns_of(store))
    assert (found.asleep.tolist(), found.asleep_since.tolist()) == ([True], [job.in_since])
    assert job.in_since > int(store.table.last_run.max()) + hz


def test_locked_io_is_drawn_as_often_as_it_should_be() -> None:
    numbers = [drawn(3, pid, slot) for pid in range(50) for slot in range(200)]
    for fraction in (0.2, 0.5, 0.9):
        assert sum(number < fraction for number in numbers) / len(numbers) == pytest.approx(
            fraction, abs=0.02
        )
