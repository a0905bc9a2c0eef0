"""The fast engine against the simple kernel: the same schedule to the tick, all columns equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.cli import bench
from fsconsole.machine import event_engine, reference_machine, tick_kernel
from fsconsole.machine.machine import Machine
from fsconsole.machine.run_queue import space_for
from fsconsole.shares.scenario.actions import EndProcess, Renice, SetSetting, StartProcess, Work
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import Device, MachineSpec, Scenario
from tests.laws import tries
from tests.machine.worlds import same, scenario_of

SECOND = 60


def random_columns(rng: np.random.Generator, n: int, leaves: int) -> tick_kernel.Columns:
    """Processes in all states; priorities close together or far apart, ends soon, late or never."""
    never = np.full(n, tick_kernel.NEVER)
    sleepy = bool(rng.integers(0, 2))
    soon = int(rng.choice([3, 40, 400]))
    return tick_kernel.Columns(
        owner=rng.integers(0, leaves, n),
        state=np.where(sleepy & (rng.random(n) < 0.3), tick_kernel.SLEEPING, tick_kernel.RUNNABLE),
        priority=rng.integers(0, int(rng.choice([2, 1000, 10**11])), n),
        last_run=rng.integers(-3, 0, n),
        decay=np.asarray(0.988514 / 66 * (rng.integers(0, 40, n) + 27.0), np.float64),
        cpu_ticks=np.zeros(n, np.int64),
        burst_left=np.where(sleepy & (rng.random(n) < 0.7), rng.integers(1, soon, n), never),
        cpu_left=np.where(sleepy & (rng.random(n) < 0.2), rng.integers(1, 300, n), never),
        wake=rng.integers(0, 90, n),
        burst_mean=rng.integers(1, soon, n).astype(np.float64),
        sleep_mean=rng.integers(1, 100, n).astype(np.float64),
        io_mean=rng.integers(1, 10, n).astype(np.float64),
        exponential=rng.random(n) < 0.5,
        stream=rng.integers(0, 2**63, n).astype(np.uint64),
        tick_cost=np.asarray(rng.integers(1, 60, n) * 25.0, np.float64),
        burst_cost=np.asarray(rng.integers(0, 60, n) * 25.0, np.float64),
        device=rng.integers(-1, 2, n),
    )


def random_increments(rng: np.random.Generator, leaves: int) -> np.ndarray:
    """All alike, tiny, or of all sizes."""
    kind = rng.integers(0, 4)
    if kind == 0:
        return np.full(leaves, int(rng.choice([1, 10**6])))
    if kind == 1:
        return rng.integers(1, 4, leaves)
    if kind == 2:
        return rng.integers(10**8, 10**9, leaves)
    return (10 ** rng.uniform(0, 10, leaves)).astype(np.int64)


class Pair:
    """The same processes under both kernels."""

    def __init__(self, columns: tick_kernel.Columns, increment: np.ndarray, cpus: int, by_rank: bool) -> None:
        leaves = len(increment)
        self.slow, self.quick = columns, tick_kernel.Columns(*(column.copy() for column in columns))  # type: ignore[arg-type]
        self.increment, self.cpus, self.by_rank = increment, cpus, by_rank
        self.busy = [np.zeros(2, np.bool_) for _ in range(2)]
        self.cost = [np.zeros(leaves) for _ in range(2)]
        self.ran = [np.zeros(leaves, np.int64) for _ in range(2)]
        self.rank = np.arange(leaves) // 2 * 1.0
        self.table = event_engine.table_of(self.quick)
        self.space = space_for(len(columns.state), SECOND, cpus)

    def run(self, tick: int, until: int) -> int:
        """Run both to `until` or the end of a process, and compare all they have."""
        self.table.whole[event_engine.INCREMENT] = self.increment[self.table.whole[event_engine.OWNER]]
        devices = tick_kernel.Devices(self.busy[0], self.by_rank)
        slow = tick_kernel.run_ticks(
            tick, until, self.cpus, self.slow, devices, self.increment, self.rank, self.cost[0], self.ran[0]
        )
        quick = event_engine.run(
            tick, until, SECOND, self.cpus, self.table, self.busy[1], self.by_rank, self.rank,
            self.cost[1], self.ran[1], self.space,
        )  # fmt: skip
        event_engine.write_all_down(self.table, self.ran[1], self.cost[1])
        event_engine.take_back(self.table, self.quick)
        assert quick == slow
        for name, one, other in zip(tick_kernel.Columns._fields, self.slow, self.quick, strict=True):
            assert np.array_equal(one, other), name
        for one, other in (self.busy, self.cost, self.ran):
            assert np.array_equal(one, other)
        return int(slow[0])

    def decay(self) -> None:
        """A second is over."""
        self.slow.priority[:] = np.rint(self.slow.priority * self.slow.decay)
        self.table.whole[event_engine.PRIORITY] = self.slow.priority


@tries(150)
@given(st.integers(0, 2**32), st.integers(1, 70), st.integers(1, 12), st.integers(1, 16), st.booleans())
def test_the_same_schedule_to_the_tick(seed: int, n: int, leaves: int, cpus: int, by_rank: bool) -> None:
    rng = np.random.default_rng(seed)
    pair = Pair(random_columns(rng, n, leaves), random_increments(rng, leaves), cpus, by_rank)
    tick = 0
    for second in range(1, 7):
        while tick < second * SECOND:
            tick = pair.run(tick, second * SECOND)
        pair.decay()


@tries(300)
@given(st.integers(0, 2**32), st.integers(2, 12))
def test_one_processor_and_few_processes(seed: int, n: int) -> None:
    """Shared out without an order; ties in priority and in last run, increments alike and not."""
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, n, n)
    columns.state[:] = tick_kernel.RUNNABLE
    columns.cpu_left[:] = tick_kernel.NEVER
    columns.decay[:] = 1.0 if rng.integers(0, 2) else 0.7
    pair = Pair(columns, random_increments(rng, n), 1, False)
    for second in range(12):
        assert pair.run(second * SECOND, (second + 1) * SECOND) == (second + 1) * SECOND
        pair.decay()


def alike_columns(rng: np.random.Generator, n: int, leaves: int, nices: int) -> tick_kernel.Columns:
    """Endless processes of few owners, nice values and last runs; many are alike, as after a login."""
    columns = random_columns(rng, n, leaves)
    columns.state[:] = tick_kernel.RUNNABLE
    for name in ("burst_left", "cpu_left"):
        getattr(columns, name)[:] = tick_kernel.NEVER
    columns.priority[:] = (columns.owner % 3) * int(rng.choice([0, 1, 10**9]))
    columns.decay[:] = 0.6 + 0.1 * rng.integers(0, nices, n)
    return columns


@tries(200)
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 12), st.integers(1, 3))
def test_processes_that_are_alike(seed: int, leaves: int, cpus: int, nices: int) -> None:
    """Their classes merge, part and tie with others; increments change each second, and some may end."""
    rng = np.random.default_rng(seed)
    columns = alike_columns(rng, int(rng.integers(cpus + 1, 15 * cpus + 2)), leaves, nices)
    if rng.integers(0, 2):
        columns.cpu_left[:3] = rng.integers(20, 900, 3)[: len(columns.state)]
    pair, tick = Pair(columns, random_increments(rng, leaves), cpus, False), 0
    for second in range(1, 13):
        while tick < second * SECOND:
            tick = pair.run(tick, second * SECOND)
        pair.decay()
        pair.increment = np.asarray(pair.increment * rng.choice([1.0, 1.5]), np.int64)


@pytest.mark.parametrize("cpus", [4, 16])
def test_whole_seconds_run_by_classes(cpus: int) -> None:
    """Where nothing else happens and no process comes up twice in a tick; after the first second."""
    columns = alike_columns(np.random.default_rng(3), 30 * cpus, 8, 1)
    pair = Pair(columns, np.arange(10, 18) * 10**8, cpus, False)
    tried = []
    for second in range(12):
        pair.run(second * SECOND, (second + 1) * SECOND)
        tried.append(int(pair.table.notes[event_engine.FAILED]))
        pair.decay()
    assert tried.count(0) >= 9


def test_the_same_schedule_with_many_ties() -> None:
    """Three hundred processes that are alike in all, as after a reboot, on 16 CPUs."""
    rng = np.random.default_rng(1)
    columns = random_columns(rng, 300, 3)
    for name, value in (("state", 0), ("priority", 0), ("last_run", -1), ("decay", 0.7)):
        getattr(columns, name)[:] = value
    for name in ("burst_left", "cpu_left"):
        getattr(columns, name)[:] = tick_kernel.NEVER
    pair = Pair(columns, np.full(3, 1000), 16, False)
    for second in range(12):
        assert pair.run(second * SECOND, (second + 1) * SECOND) == (second + 1) * SECOND
        pair.decay()


@pytest.mark.parametrize("cpus", [1, 3, 16, 4096])
def test_the_largest_priorities_do_not_overflow(cpus: int) -> None:
    """10,000 ticks a second, the largest increment that the machine allows there, and nice 39."""
    ticks = 10_000
    decay = 0.988514
    largest = int(tick_kernel.LARGEST_PRIORITY * (1 - decay) / ticks)
    n = min(cpus + 5, 40)
    columns = random_columns(np.random.default_rng(2), n, 2)
    columns.state[:] = tick_kernel.RUNNABLE
    for name in ("burst_left", "cpu_left"):
        getattr(columns, name)[:] = tick_kernel.NEVER
    # Where priorities come to at the most, by the argument in the kernel's docstring.
    columns.priority[:] = int(largest * ticks / (1 - decay) * decay * 0.999)
    pair = Pair(columns, np.array([largest, 1]), cpus, False)
    before = columns.priority.copy()
    pair.run(0, 40)
    assert (pair.quick.priority >= before).all()
    assert pair.quick.priority.max() <= tick_kernel.LARGEST_PRIORITY


def busy_site(seed: int, policy: str, adjgroups: str, cpus: int) -> Scenario:
    """Endless, bursty, asking and ending processes at several nice values; some come and go."""
    tree = {f"g{g}": (1 + g, {f"u{g}{u}": 1 + 3 * u for u in range(4)}) for g in range(3)}
    names = [name for _, users in tree.values() for name in users]
    works = [
        Work(), Work(), Work(0.3, 0.5), Work(4.0, 2.0), Work(0.05, 0.0, device="disk", io_s=0.1),
        Work(cpu_s=9.0), Work(syscalls_per_s=7.3),
    ]  # fmt: skip
    loops = [(names[at % 12], works[at % 7], 1, (7 * at) % 40) for at in range(45)]
    made = scenario_of(tree, cpus=cpus, sample_s=7.0, seed=seed)
    made = replace(
        made,
        machine=replace(made.machine, syscall_cost=0.7, io_queue="share"),
        policy=PolicySpec(name=policy, adjgroups=adjgroups),  # type: ignore[arg-type]
        devices=(Device("disk"),),
    )
    loads = tuple(
        StartProcess(made.tree.find(name).id, work, "load", count, nice) for name, work, count, nice in loops
    )
    return replace(made, workloads=loads)


@pytest.mark.parametrize("cpus", [1, 4, 16])
@pytest.mark.parametrize(
    ("policy", "adjgroups"),
    [
        ("share", "off"),
        ("share", "share"),
        ("share", "integral"),
        ("feedback", "off"),
        ("process-fair", "off"),
        ("fixed", "off"),
    ],
)
def test_whole_machines_run_alike(policy: str, adjgroups: str, cpus: int) -> None:
    """Everything about them, with events between, to the bit."""
    machines = [Machine(busy_site(5, policy, adjgroups, cpus)) for _ in range(2)]
    machines[1].run_span = reference_machine.run_span
    user = machines[0].tree.find("u01").id
    for machine in machines:
        machine.advance_to(11.0)
        machine.act(StartProcess(user, Work(), "late"))
        machine.act(Renice(machine.next_pid - 1, 0))
        machine.advance_to(25.5)
        machine.act(EndProcess(machine.next_pid - 1))
        machine.act(SetSetting("policy.half_life_s", 30.0))
        machine.advance_to(60.0)
    assert same(*machines)
    assert machines[0].ran.sum() > 0.9 * 60 * 60 * min(cpus, 12)


@pytest.mark.parametrize("realistic", [False, True])
def test_a_hundred_users_run_alike(realistic: bool) -> None:
    """The load that `bench engine` measures, many of them alike."""
    machines = [Machine(bench.scenario_of(bench.Load(16, 300, 100, "share", "off", realistic))) for _ in "ab"]
    machines[1].run_span = reference_machine.run_span
    for machine in machines:
        machine.advance_to(150.0)
    assert same(*machines)


def test_ten_thousand_ticks_a_second() -> None:
    scenario = scenario_of({"A": 1, "B": 2}, loops=[("A", Work(), 5), ("B", Work(), 4)], cpus=3)
    scenario = replace(scenario, machine=MachineSpec(cpus=3, hz=10_000))
    machines = [Machine(scenario) for _ in range(2)]
    machines[1].run_span = reference_machine.run_span
    for machine in machines:
        machine.advance_to(9.0)
    assert same(*machines)
