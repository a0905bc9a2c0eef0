"""What is staged, worked out without a window."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.app.cluster.preview import compute_preview
from fsconsole.shares.edits import SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.slurm.state import ClusterState
from tests.console.cluster.play import cluster_state
from tests.texts import wording


def _edited(state: ClusterState) -> ShareTree:
    assert state.tree is not None
    wanted = state.tree.shares.copy()
    SetShares.of(wanted.find("astro").id, 5).apply(wanted)
    return wanted


def _with_flags(*flags: str) -> ClusterState:
    state = cluster_state()
    assert state.settings is not None
    return replace(state, settings=replace(state.settings, flags=frozenset(flags)))


def test_fairshares_are_predicted_by_the_rule_of_the_cluster() -> None:
    state = _with_flags("NO_FAIR_TREE")
    classic = compute_preview(state, _edited(state))
    ranked = compute_preview(_with_flags(), _edited(state))
    assert len(classic.changes.changes) == 1
    assert classic.gains
    assert not classic.why_no_gains
    assert classic.gains != ranked.gains


def test_nothing_is_predicted_where_nobody_knows_the_rule() -> None:
    state = _with_flags("DEPTH_OBLIVIOUS")
    found = compute_preview(state, _edited(state))
    assert found.changes.can_be_applied
    assert found.gains == {}
    error = wording("slurm.parsers.cluster-uses-depth-oblivious-fairshare")
    assert found.why_no_gains == wording("app.cluster.cannot-predict-fairshare-2", error=error)
