"""The whole machine against the rules written down once more in plain Python: the same run to the tick.

Junglas 1991 section 3: priorities each tick, decay and rates each second, usage each delta.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.machine import Machine
from fsconsole.shares.scenario.actions import Work
from tests.laws import tries
from tests.machine.worlds import Nested, scenario_of

K2, K3 = 0.988514 / 66, 27.0
RATE_DECAY = 0.5 ** (1 / 4)
USAGE_DECAY = 0.5 ** (4 / 120)


@dataclass
class User:
    share: float
    usage: float
    cost: float = 0.0
    rate: float = RATE_DECAY
    increment: int = 0

    def set_increment(self) -> None:
        kusage = 1e12 if self.share == 0 else min(max(self.usage / (self.share * self.share), 2.0), 1e12)
        self.increment = min(max(round(kusage * self.rate), 1), 10**16)


@dataclass
class Process:
    pid: int
    user: User
    nice: int
    priority: int = 0
    last_run: int = -1
    ticks: int = 0


def run(users: list[User], processes: list[Process], cpus: int, until: int) -> list[int]:
    """CPU ticks of each process."""
    for tick in range(until):
        if tick % 60 == 0:
            for process in processes:
                process.priority = round(process.priority * (K2 * (process.nice + K3)))
            for user in users:
                runnable = sum(process.user is user for process in processes)
                user.rate = max(RATE_DECAY, RATE_DECAY * user.rate) + (1 - RATE_DECAY) * runnable
                user.set_increment()
        if tick and tick % 240 == 0:
            for user in users:
                user.usage, user.cost = USAGE_DECAY * user.usage + user.cost, 0.0
                user.set_increment()
        processes.sort(key=lambda process: (process.priority, process.last_run, process.pid))
        for process in processes[:cpus]:
            process.priority += process.user.increment
            process.user.cost += 1000.0
            process.last_run = tick
            process.ticks += 1
    return [process.ticks for process in sorted(processes, key=lambda process: process.pid)]


rows = st.tuples(
    st.sampled_from(["A", "B"]),
    st.integers(0, 9),  # shares
    st.sampled_from([0.0, 1e5, 7e6]),  # usage at the start
    st.lists(st.integers(0, 39), min_size=1, max_size=3),  # nice of each process
)


@tries(25)
@given(st.lists(rows, min_size=1, max_size=4), st.integers(1, 3))
def test_the_same_run_as_the_rules(users: list[tuple[str, int, float, list[int]]], cpus: int) -> None:
    groups: dict[str, dict[str, int]] = {"A": {}, "B": {}}
    loops, usages = [], {}
    for at, (group, shares, usage, nices) in enumerate(users):
        groups[group][f"u{at}"] = shares
        usages[f"u{at}"] = usage
        loops += [(f"u{at}", Work(), 1, nice) for nice in nices]
    tree: Nested = {"A": (2, groups["A"]), "B": (1, groups["B"])}
    machine = Machine(scenario_of(tree, loops=loops, usage=usages, cpus=cpus))
    machine.advance(1500)

    busy = {"A": 2, "B": 1}
    total = sum(busy[name] for name in busy if groups[name])
    twins: list[User] = []
    processes: list[Process] = []
    for group, shares, usage, nices in users:
        below = sum(groups[group].values())
        twin = User((shares / below if below else 0.0) * (busy[group] / total), usage)
        twins.append(twin)
        processes += [Process(len(processes) + at, twin, nice) for at, nice in enumerate(nices)]
    assert machine.processes.cpu_ticks.tolist() == run(twins, processes, cpus, 1500)
