"""What a state comes to: sums up the tree, partitions, nodes; and the curves that are kept of it."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.job_labels import task_count
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.targets.slurm.history import ClusterHistory
from fsconsole.targets.slurm.state import ClusterState, Part, PartName
from fsconsole.targets.slurm.summary import ClusterSummary, digest_of, is_at_work, node_groups
from fsconsole.text.moments import midnight_before
from tests.console.cluster.play import NOW_S, cluster_state, job, parts_failed, parts_read


@pytest.fixture(scope="module")
def state() -> ClusterState:
    """The captured lab."""
    return cluster_state()


def at(digest: ClusterSummary, account: str, user: str = "") -> int:
    """Row of an association."""
    assert digest.index is not None
    return digest.index.row_of_key[(account, user, "")]


def test_work_is_summed_up_the_tree(state: ClusterState) -> None:
    jobs = (
        job(1, "fs_anna", "batch", "RUNNING", cpus=4),
        job(2, "fs_ben", "batch", "RUNNING", cpus=8),
        job(3, "fs_ben", "batch", "PENDING", cpus=2),
        job(4, "fs_kim", "batch", "RUNNING", account="ops", cpus=1),
        job(5, "fs_kim", "batch", "SUSPENDED", account="ops", cpus=16),
        job(6, "fs_kim", "batch", "CANCELLED", "COMPLETING", account="ops", cpus=2),
        job(7, "fs_kim", "batch", "COMPLETED", account="ops", cpus=32),
        job(8, "stranger", "batch", "RUNNING", account="gone", cpus=64),
    )
    found = digest_of(replace(state, jobs=jobs))
    rows = [at(found, "hep", "fs_ben"), at(found, "hep"), at(found, "physics"), at(found, "ops"), 0]
    assert found.cpus[rows].tolist() == [8, 12, 12, 3, 15]
    assert found.running[rows].tolist() == [1, 2, 2, 2, 4]
    assert found.waiting[rows].tolist() == [1, 1, 1, 0, 1]
    assert found.all_cpus == 32  # n1 to n4 of the lab, 8 CPUs each


def test_partitions_and_nodes_are_counted(state: ClusterState) -> None:
    jobs = (job(1, "fs_anna", "batch", "RUNNING"), job(2, "fs_anna", "batch,scavenge", "PENDING"))
    found = {one.name: one for one in digest_of(replace(state, jobs=jobs)).partitions}
    assert (found["batch"].running, found["batch"].waiting, found["scavenge"].waiting) == (1, 1, 1)
    assert (found["batch"].busy_cpus, found["batch"].cpus) == (23, 32)
    silent = tuple(replace(node, busy_cpus=None) for node in state.nodes)
    assert digest_of(replace(state, nodes=silent)).partitions[0].busy_cpus is None


def test_nodes_stand_together_by_state_and_reason() -> None:
    def node(name: str, state: str, reason: str = "", marks: tuple[str, ...] = ()) -> ClusterNode:
        return ClusterNode(
            name=name, partitions=("batch",), state=state, marks=marks, cpus=8, busy_cpus=0, reason=reason
        )

    groups = node_groups(
        [
            node("n1", "idle"),
            node("n2", "idle"),
            node("n3", "down", "Not responding", ("*",)),
            node("n4", "idle", "fan broken", ("DRAIN",)),
        ]
    )
    assert [(group.state, group.names, group.reason) for group in groups] == [
        ("down*", "n3", "Not responding"),
        ("idle drain", "n4", "fan broken"),
        ("idle", "n[1-2]", ""),
    ]


@pytest.mark.parametrize(
    ("tasks", "count"), [("", 1), ("3", 1), ("4-9%2", 6), ("1,3,5%2", 3), ("0-10:5,20", 4), ("odd", 1)]
)
def test_an_array_waits_with_all_its_tasks(tasks: str, count: int) -> None:
    assert task_count(job(1, "u", "batch", "PENDING", array_job_id=1, array_tasks=tasks)) == count


def test_a_suspended_job_does_not_count_as_at_work() -> None:
    def states(*names: str) -> Job:
        return job(1, "u", "batch", *names)

    assert is_at_work(states("RUNNING"))
    assert is_at_work(states("CANCELLED", "COMPLETING"))
    assert not is_at_work(states("SUSPENDED"))
    assert not is_at_work(states("PENDING"))


@given(st.lists(st.integers(0, 100), min_size=23, max_size=23))
def test_the_root_has_what_all_have(own: list[int]) -> None:
    """Law: what the root has is the sum; what an account has is its own and that of what is in it."""
    index = digest_of(cluster_state()).index
    assert index is not None
    total = index.summed(np.array(own, float))
    parent = index.tree.stored.tree.parent
    assert total[0] == sum(own)
    for row in range(len(own)):
        assert total[row] == own[row] + total[np.flatnonzero(parent == row)].sum()


def test_what_is_the_same_is_not_worked_out_again(state: ClusterState) -> None:
    before = digest_of(state)
    again = digest_of(replace(state, serial=2), before)
    assert again.index is before.index
    assert again.cpus is before.cpus
    other = digest_of(replace(state, jobs=()), before)
    assert other.index is before.index
    assert not other.cpus.any()


def test_a_state_of_which_nothing_is_known_yet() -> None:
    found = digest_of(ClusterState(1, "lab"))
    assert found.index is None
    assert math.isnan(found.all_cpus)
    history = ClusterHistory(NOW_S)
    history.take(found, NOW_S)
    assert len(history.usage) == 0


# -- history ----------------------------------------------------------------------------------------------


def test_usage_and_jobs_are_kept_each_at_its_own_time(state: ClusterState) -> None:
    history = ClusterHistory(NOW_S)
    parts = {**parts_read(), PartName.JOBS: Part(NOW_S + 7)}
    history.take(digest_of(replace(state, parts=parts)), NOW_S + 8)
    at_s = NOW_S - history.base_s
    assert history.usage.span_s == (at_s, at_s)
    assert history.work.span_s == (at_s + 7, at_s + 7)
    history.take(digest_of(replace(state, parts=parts)), NOW_S + 9)  # nothing new
    assert len(history.usage) == 1


def test_what_is_kept_is_what_sshare_printed(state: ClusterState) -> None:
    history = ClusterHistory(NOW_S)
    digest = digest_of(state)
    history.take(digest, NOW_S)
    ben = at(digest, "hep", "fs_ben")
    value = history.usage.values_at("fairshare", (ben,), 1e9)[0]
    assert state.standing is not None
    assert value == pytest.approx(state.standing.printed.fairshare[ben], abs=1e-6)


def test_a_failed_reading_leaves_a_gap(state: ClusterState) -> None:
    history = ClusterHistory(NOW_S)
    history.take(digest_of(state), NOW_S)
    history.take(digest_of(replace(state, parts=parts_failed("no answer"))), NOW_S + 30)
    history.take(digest_of(replace(state, parts=parts_read(NOW_S + 60))), NOW_S + 61)
    values = history.usage.curves("fairshare", (3,), 0.0, 1e9)[1]
    assert np.isnan(values[0]).tolist() == [False, True, False]


def test_times_count_from_midnight_on_the_clock() -> None:
    base = midnight_before(NOW_S)
    day = time.localtime(base)
    assert (day.tm_hour, day.tm_min, day.tm_sec) == (0, 0, 0)
    assert 0 <= NOW_S - base < 25 * 3600
