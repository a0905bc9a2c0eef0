"""Staged changes of a cluster of 50,000 associations: what is told to sacctmgr, and whom it helps."""

from __future__ import annotations

from functools import partial

import pytest

from fsconsole.shares.edits import Move, Remove, SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.change_set import change_set
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.predicted import predicted
from tests.benchmarks.measure import Benchmark
from tests.console.cluster.large import large_state


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
    bench: Benchmark, cluster: tuple[ClusterTree, AssociationStatus], wanted: ShareTree
) -> None:
    found = bench(change_set, cluster[0], wanted)
    assert len(found.changes) == 12


@pytest.mark.parametrize("by_rank", [False, True])
def test_predicted(
    bench: Benchmark,
    cluster: tuple[ClusterTree, AssociationStatus],
    wanted: ShareTree,
    by_rank: bool,
) -> None:
    found = bench(partial(predicted, *cluster, wanted, by_rank=by_rank))
    assert found.changed > 1000
