"""The kernel against a tiny twin in plain Python: the same schedule to the tick, ties included."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine import tick_kernel
from fsconsole.machine.processes import ProcessTable, Start
from fsconsole.shares.scenario.actions import Work
from fsconsole.shares.scenario.spec import MachineSpec

SPEC = MachineSpec()
LEAVES = 4


@dataclass
class Twin:
    """A process as the rules describe it."""

    pid: int
    owner: int
    priority: int
    burst: int
    sleep: int
    left: int
    last_run: int = -1
    wake: int = 0
    burst_left: int = 0
    ended: bool = False

    def runs(self, tick: int) -> bool:
        if self.burst and not self.burst_left and self.wake <= tick:
            self.burst_left = self.burst
        return not self.ended and self.wake <= tick


def twin_tick(processes: list[Twin], tick: int, cpus: int, increment: list[int]) -> list[int]:
    """One tick by sorting: lowest priority, then least recently run, then lowest pid."""
    ready = [process for process in processes if process.runs(tick)]
    ready.sort(key=lambda process: (process.priority, process.last_run, process.pid))
    for process in ready[:cpus]:
        process.priority += increment[process.owner]
        process.last_run = tick
        process.left -= 1
        process.burst_left -= 1
        if process.left == 0:
            process.ended = True
        elif process.burst and process.burst_left == 0:
            process.wake = tick + 1 + process.sleep
    return [process.pid for process in ready[:cpus]]


def run(
    table: ProcessTable, tick: int, until: int, cpus: int, increment: list[int]
) -> tuple[int, np.ndarray]:
    cost, ran = np.zeros(LEAVES), np.zeros(LEAVES, np.int64)
    columns, devices = table.kernel_columns(), tick_kernel.Devices(np.zeros(0, np.bool_), False)
    rank = np.zeros(LEAVES)
    tick, _ = tick_kernel.run_ticks(tick, until, cpus, columns, devices, np.array(increment), rank, cost, ran)
    assert cost.tolist() == (1000.0 * ran).tolist()
    return tick, ran


def added(table: ProcessTable, pids: range, work: Work, owner: int) -> ProcessTable:
    table.append([Start(pids, {"owner": owner, "nice": 20, "device": -1}, work)], SPEC.hz, 1)
    table.price(SPEC, 1.0, np.zeros(0))
    return table


process_rows = st.tuples(
    st.integers(0, LEAVES - 1),  # owner
    st.integers(0, 3),  # priority: small, so that there are ties
    st.sampled_from([0, 1, 3, 7]),  # burst in ticks, 0 for endless
    st.integers(1, 5),  # sleep
    st.sampled_from([2**62, 4, 15]),  # CPU time after which it ends
)


@given(
    st.lists(process_rows, min_size=1, max_size=7),
    st.integers(1, 4),
    st.lists(st.integers(1, 3), min_size=LEAVES, max_size=LEAVES),
)
def test_the_same_schedule_as_the_twin(rows: list[tuple[int, ...]], cpus: int, increment: list[int]) -> None:
    table, twins = ProcessTable.empty(), []
    for pid, (owner, priority, burst, sleep, left) in enumerate(rows, 1):
        hz = SPEC.hz
        work = Work(burst / hz if burst else None, sleep / hz, None if left > 100 else left / hz, "fixed")
        table = added(table, range(pid, pid + 1), work, owner)
        table.priority[-1] = priority
        twins.append(Twin(pid, owner, priority, burst, sleep, left, burst_left=burst))
    for tick in range(60):
        chosen = twin_tick(twins, tick, cpus, increment)
        before = dict(zip(table.pid.tolist(), table.cpu_ticks.tolist(), strict=True))
        assert run(table, tick, tick + 1, cpus, increment)[0] == tick + 1
        after = zip(table.pid.tolist(), table.cpu_ticks.tolist(), strict=True)
        assert {pid for pid, ticks in after if ticks > before[pid]} == set(chosen)
        table.keep(table.state != tick_kernel.ENDED)
        assert table.pid.tolist() == [twin.pid for twin in twins if not twin.ended]
        assert table.priority.tolist() == [twin.priority for twin in twins if not twin.ended]


def table_of(count: int, work: Work, owner: int = 1) -> ProcessTable:
    return added(ProcessTable.empty(), range(1, count + 1), work, owner)


def test_it_stops_after_the_tick_in_which_a_process_ends() -> None:
    table = table_of(1, Work(cpu_s=0.5))
    tick, ran = run(table, 10, 100, 1, [1] * LEAVES)
    assert (tick, ran[1]) == (40, 30)
    assert table.state[0] == tick_kernel.ENDED


def test_at_most_one_cpu_per_process() -> None:
    _, ran = run(table_of(3, Work()), 0, 60, 8, [1] * LEAVES)
    assert ran.tolist() == [0, 180, 0, 0]


def test_ties_take_turns() -> None:
    table = table_of(5, Work())
    run(table, 0, 100, 1, [0] * LEAVES)
    assert table.cpu_ticks.tolist() == [20] * 5


@pytest.mark.parametrize("exponential", [True, False])
def test_lengths_are_at_least_a_tick_and_have_the_mean(exponential: bool) -> None:
    stream = np.array([12345], np.uint64)
    drawn = [tick_kernel.draw_ticks(stream, 0, 50.0, exponential) for _ in range(4000)]
    assert min(drawn) >= 1
    assert np.mean(drawn) == pytest.approx(50.0, rel=0.05)
    assert tick_kernel.draw_ticks(stream, 0, 1e300, exponential) > 0


def test_other_threads_run_meanwhile() -> None:
    table = table_of(2000, Work())
    run(table, 0, 1, 4, [1] * LEAVES)  # compiled
    began = threading.Event()
    moments: list[bool] = []

    def work() -> None:
        began.set()
        run(table, 1, 60_000, 4, [1] * LEAVES)

    thread = threading.Thread(target=work)
    thread.start()
    began.wait()
    while thread.is_alive() and len(moments) < 200:
        moments.append(thread.is_alive())
        thread.join(0.0005)
    thread.join()
    # With the GIL held the loop would have found the thread done at its first look.
    assert len(moments) > 20
