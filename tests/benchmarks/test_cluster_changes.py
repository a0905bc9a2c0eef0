"""Staged changes of a cluster of 50,000 associations: what is told to sacctmgr, and whom it helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import median
from time import process_time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from fsconsole.shares.edits import Move, Remove, SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.change_set import change_set
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.fair_tree import fair_tree
from fsconsole.slurm.predicted import predicted
from tests.console.cluster.large import large_state

CHANGE_SET_S, PREDICTED_S = 0.1, 0.5  # of processor time: others use the two cores too
pytestmark = pytest.mark.benchmark(timer=process_time)


def _goal(benchmark: BenchmarkFixture, baseline: Callable[[], object], goal_s: float) -> None:
    """Note the baseline of the same run beside what was measured, and hold that against the goal."""
    if benchmark.stats is None:
        return
    times = []
    for _ in range(5):
        began = process_time()
        baseline()
        times.append(process_time() - began)
    benchmark.extra_info["baseline_s"] = round(median(times), 4)
    assert benchmark.stats.stats.median < goal_s


@pytest.fixture(scope="module")
def cluster() -> tuple[ClusterTree, AssociationStatus]:
    state = large_state()
    assert state.tree is not None
    assert state.standing is not None
    return state.tree, state.standing


@pytest.fixture
def wanted(cluster: tuple[ClusterTree, AssociationStatus]) -> ShareTree:
    """A copy with shares set, a user removed and an account moved."""
    tree = cluster[0].shares.copy()
    groups = [node.id for node in tree.walk() if node.is_group and node.parent is not None]
    users = [node.id for node in tree.walk() if not node.is_group]
    SetShares(tuple((node, 7) for node in groups[5:15])).apply(tree)
    Remove(users[-1]).apply(tree)
    Move(groups[-1], groups[0], 0).apply(tree)
    return tree


def test_change_set(
    benchmark: BenchmarkFixture, cluster: tuple[ClusterTree, AssociationStatus], wanted: ShareTree
) -> None:
    found = benchmark(change_set, cluster[0], wanted)
    assert len(found.changes) == 12
    trees = cluster[0].shares, wanted
    _goal(benchmark, lambda: [len(list(tree.walk())) for tree in trees], CHANGE_SET_S)


@pytest.mark.parametrize("by_rank", [False, True])
def test_predicted(
    benchmark: BenchmarkFixture,
    cluster: tuple[ClusterTree, AssociationStatus],
    wanted: ShareTree,
    by_rank: bool,
) -> None:
    found = benchmark(predicted, *cluster, wanted, by_rank=by_rank)
    assert found.changed > 1000
    plain = fair_tree if by_rank else classic_fairshare
    tree = replace(cluster[0].stored.tree, usage=cluster[1].raw_usage)
    _goal(benchmark, lambda: (plain(tree), plain(tree)), PREDICTED_S)
