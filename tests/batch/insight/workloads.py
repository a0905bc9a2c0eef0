"""Small workloads and policies at random, and a plain loop that can be listened to."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from fsconsole.batch.job_table import Floats, JobTable, job_table
from fsconsole.batch.multifactor import Multifactor
from fsconsole.batch.policy import BatchPolicy, UsageWeights
from fsconsole.batch.reference_loop import ReferenceLoop
from fsconsole.batch.schedule import Schedule

CLUSTER_NODES = 8

_JOB = st.tuples(
    st.integers(0, 120),  # submit
    st.one_of(st.integers(1, 12), st.integers(1, 90)),  # runtime
    st.one_of(st.integers(1, 3), st.integers(1, CLUSTER_NODES)),
    st.integers(0, 3),  # user
)


def table(rows: list[tuple[int, int, int, int]], users: int = 4) -> JobTable:
    """Jobs of (submit, runtime, nodes, user); they are called 101, 102 and so on, in the order given."""
    columns = [np.array([row[index] for row in rows], dtype=np.int64) for index in range(4)]
    submit, runtime, nodes, user = columns
    names = tuple(f"u{index}" for index in range(users))
    return job_table(np.arange(101, 101 + len(rows)), submit, runtime, nodes, user, names)


WORKLOADS = st.lists(_JOB, min_size=2, max_size=30).map(table)
SHARES = st.lists(st.sampled_from([1.0, 2.0, 5.0, 0.5]), min_size=4, max_size=4).map(np.array)
POLICIES = st.builds(
    BatchPolicy,
    order=st.sampled_from(
        [
            "fcfs",
            "sjf",
            "lxf",
            "conservative",
            "relshare",
            "relshare",
            "upper",
            "lower",
            "weighted",
            "multifactor",
        ]
    ),
    window_s=st.sampled_from([2, 7, 20, 50, 1000]),
    origin_s=st.sampled_from([0, 3, 45]),
    expected_usage=st.booleans(),
    form=st.sampled_from(["ratio", "difference"]),
    decay=st.sampled_from([0.0, 0.0, 0.2, 0.5]),
    carry_reservation=st.booleans(),
    reservations=st.sampled_from([1, 1, 2, 3]),
    boundary_passes=st.booleans(),
    lxf_bound_s=st.sampled_from([0, 5]),
    multifactor=st.sampled_from([Multifactor(), Multifactor(half_life_s=60, calc_period_s=60, age=50_000)]),
    weights=st.sampled_from([UsageWeights(), UsageWeights(1.0, 0.0, 0.5)]),
)


@dataclass(frozen=True)
class Looked:
    """What the plain loop found when it looked at a job."""

    row: int
    free: int
    held: dict[int, int]
    fits_from: int


@dataclass
class PassOfLoop:
    """What the plain loop did in a pass."""

    looks: list[Looked] = field(default_factory=list)
    started: list[int] = field(default_factory=list)
    held: dict[int, int] = field(default_factory=dict)
    free_before: int = 0
    free_after: int = 0


class WatchedLoop(ReferenceLoop):
    """The plain loop, all of whose passes are kept by their second."""

    def __init__(self, jobs: JobTable, policy: BatchPolicy, shares: Floats) -> None:
        super().__init__(jobs, CLUSTER_NODES, policy, shares)
        self.passes: dict[int, PassOfLoop] = {}

    def _pass(self, now: int) -> None:
        self.passes[now] = PassOfLoop(free_before=self.free)
        super()._pass(now)
        self.passes[now].free_after = self.free

    def _earliest(self, row: int, now: int, held: dict[int, int]) -> int:
        found = super()._earliest(row, now, held)
        self.passes[now].looks.append(Looked(row, self.free, dict(held), found))
        self.passes[now].held = held
        return found

    def _start(self, row: int, now: int) -> None:
        super()._start(row, now)
        self.passes[now].started.append(row)


def watched(jobs: JobTable, policy: BatchPolicy, shares: Floats) -> tuple[Schedule, WatchedLoop]:
    """The schedule of the plain loop with its reservations, and all that was watched."""
    loop = WatchedLoop(jobs, policy, shares)
    loop.run()
    start_s = np.array(loop.start, dtype=np.int64)
    return Schedule(jobs, CLUSTER_NODES, policy, shares, start_s, loop.log.log()), loop
