"""What this console applied and rolled back is told from what others change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.app.cluster.tree_diff import OwnChanges
from fsconsole.shares.edits import SetField, SetShares
from fsconsole.slurm import limits
from fsconsole.slurm.change_set import Entry, change_set, entries_of
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.own_limits import read_own_limits, with_own
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.remote_edits import news
from fsconsole.slurm.rollback import rollback_of
from fsconsole.targets.external_changes import OutsideChange
from fsconsole.targets.slurm.reading import ASSOC_COLUMNS
from tests.slurm.clusters import cluster_of

CAPTURE = Path(__file__).parents[1] / "data" / "slurm" / "limits"


@pytest.fixture(scope="module")
def tree() -> ClusterTree:
    """A cluster some of whose associations have limits of their own."""
    stored = read_assoc((CAPTURE / "tree.txt").read_text("utf-8"), "testlab", ASSOC_COLUMNS)
    own = read_own_limits((CAPTURE / "own_limits.txt").read_text("utf-8"))
    return cluster_of(with_own(stored, own, ASSOC_COLUMNS))


@pytest.mark.parametrize("has_limits", [False, True])
def test_a_roll_back_is_told_from_what_others_change(tree: ClusterTree, has_limits: bool) -> None:
    """Shares are read back without limits, so that those of the way back are not known."""
    nodes = [
        node
        for node in tree.shares.walk()
        if bool(limits.of_foreign(node.foreign)) is has_limits and node.parent is not None
    ]
    assert nodes
    wanted, own = tree.shares.copy(), OwnChanges()
    SetShares(tuple((node.id, node.shares + 7) for node in nodes)).apply(wanted)
    changes = change_set(tree, wanted)
    after = replace(tree, shares=wanted)
    own.add(changes)
    assert own.has_made(_read(tree, after), tree, after)
    stored = {key: Entry(one.parent, one.shares) for key, one in entries_of(after).items()}
    own.add(rollback_of("testlab", [(one, stored[one.key]) for one in changes.changes], {}, {}))
    assert own.has_made(_read(after, tree), after, tree)
    others = tree.shares.copy()
    first = others.node(nodes[0].id)
    limited = limits.with_limit(first.foreign, limits.limit_or_fault("MaxJobs"), "7")
    SetField(first.id, "foreign", limited).apply(others)
    of_others = replace(tree, shares=others)
    assert not own.has_made(_read(after, of_others), after, of_others)


def _read(before: ClusterTree, after: ClusterTree) -> OutsideChange:
    return OutsideChange("", "", news(before, after).edits)
