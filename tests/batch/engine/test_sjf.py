"""Shortest job first: the order, and the compiled engine against the plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.engine import by_user_queues
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.simulate import simulate
from tests.batch.workloads import KTH_NODES, assert_lawful, assert_same, kth, random_workload, workloads
from tests.laws import tries

SJF = BatchPolicy("sjf")


@tries(200)
@given(workloads(), st.sampled_from([1, 1, 2, 5, 100]), st.sampled_from([1, 3, 32]))
def test_equals_the_plain_loop(workload: tuple[JobTable, int], reservations: int, few: int) -> None:
    policy = BatchPolicy("sjf", reservations=reservations)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_user_queues, "_FEW", few)  # all others that wait are searched in the tree
        made = simulate(*workload, policy, reservations=True)
    assert_same(made, simulate_plainly(*workload, policy))


@pytest.mark.parametrize(("nodes", "load"), [(1, 1.2), (32, 1.5), (240, 3.0), (5000, 0.95)])
def test_equals_the_plain_loop_where_many_wait(nodes: int, load: float) -> None:
    jobs = random_workload(nodes, 1500, nodes, load)
    made = simulate(jobs, nodes, SJF, reservations=True)
    assert_same(made, simulate_plainly(jobs, nodes, SJF))
    assert_lawful(made)


def test_on_one_node_the_shortest_that_waits_goes_first_at_each_end() -> None:
    jobs = random_workload(3, 500, 1, 2.0)
    made = simulate(jobs, 1, SJF)
    _assert_shortest_first(made)


@given(workloads())
def test_no_job_passes_a_shorter_one_of_as_many_nodes(workload: tuple[JobTable, int]) -> None:
    """Where the shorter one waits too, whatever the reservation leaves: it fits wherever the other does."""
    jobs, nodes = workload
    made = simulate(jobs, nodes, SJF)
    for row in range(len(jobs)):
        began = int(made.start_s[row])
        waits = (jobs.submit_s <= began) & (made.start_s > began) & (jobs.nodes <= jobs.nodes[row])
        assert not (waits & (jobs.runtime_s < jobs.runtime_s[row])).any()


def _assert_shortest_first(made: Schedule) -> None:
    jobs = made.jobs
    for row in np.argsort(made.start_s).tolist():
        began = int(made.start_s[row])
        waits = (jobs.submit_s <= began) & (made.start_s >= began)
        waiting = np.flatnonzero(waits)
        shortest = waiting[np.argmin(jobs.runtime_s[waiting])]
        assert row == shortest


def test_on_kth_the_average_wait_is_shorter_and_the_longest_is_longer() -> None:
    sjf, fcfs = (simulate(kth(), KTH_NODES, policy) for policy in (SJF, BatchPolicy("fcfs")))
    assert sjf.wait_s.mean() < 0.7 * fcfs.wait_s.mean()
    assert sjf.wait_s.max() > 2 * fcfs.wait_s.max()
