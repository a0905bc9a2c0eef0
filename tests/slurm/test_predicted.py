"""Fairshares after staged changes, against the arithmetic of the tree as it would be read afterwards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fsconsole.shares.edits import Move, Remove, SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.fair_tree import fair_tree
from fsconsole.slurm.fairshare import SharesChange, effect_of
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.slurm.predicted import Predicted, UnknownRuleError, predicted, predicted_by, usage_of
from tests.slurm.captured import captured
from tests.slurm.clusters import add_group, cluster_of, small_cluster, standing_of, stored_of
from tests.texts import refuses_naming

_USED = {2: 30.0, 4: 200.0, 5: 90.0, 7: 40.0, 8: 10.0, 11: 60.0, 12: 20.0, 14: 70.0}  # users' rows


def _by_name(cluster: ClusterTree, wanted: ShareTree, found: Predicted) -> dict[str, tuple[float, float]]:
    names = {
        int(node): wanted.path(int(node)) if node in wanted else cluster.shares.path(int(node))
        for node in found.nodes
    }
    return {
        names[int(node)]: (float(was), float(will))
        for node, was, will in zip(found.nodes, found.before, found.after, strict=True)
    }


def _captured_cluster(name: str) -> tuple[ClusterTree, AssociationStatus]:
    """A real cluster's tree and standing, both of one call of sshare."""
    tree = read_sshare(captured(name)).tree
    stored = replace(stored_of(""), tree=tree)
    rows = len(tree)
    stored = replace(stored, partition=("",) * rows, limits=({},) * rows)
    cluster = cluster_of(stored)
    return cluster, replace(standing_of(cluster, {}), norm_usage=tree.usage, raw_usage=tree.usage * 1e6)


@pytest.mark.parametrize(("name", "by_rank"), [("drained.psv", False), ("fairtree.psv", True)])
def test_new_shares_are_what_the_known_arithmetic_says(name: str, by_rank: bool) -> None:
    cluster, standing = _captured_cluster(name)
    row = cluster.stored.tree.user.index("fs_ben")
    wanted = cluster.shares.copy()
    SetShares(((row, 12),)).apply(wanted)
    found = predicted(cluster, standing, wanted, by_rank=by_rank)
    known = effect_of(cluster.stored.tree, [SharesChange(row, 12)], by_rank=by_rank)
    mine = {int(node): place for place, node in enumerate(found.nodes)}
    places = [mine[int(one)] for one in known.rows]
    np.testing.assert_allclose(found.before[places], known.before, atol=1e-9)
    np.testing.assert_allclose(found.after[places], known.after, atol=1e-9)
    users = found.is_user[: found.changed].sum()
    assert users == len(known.changed)


@pytest.mark.parametrize("by_rank", [False, True])
def test_a_moved_account_takes_its_usage_along(by_rank: bool) -> None:
    cluster = small_cluster()
    wanted = cluster.shares.copy()
    Move(wanted.find("root/bio/genomics").id, wanted.find("root/physics").id, 0).apply(wanted)
    found = predicted(cluster, standing_of(cluster, _USED), wanted, by_rank=by_rank)
    used = np.zeros(len(wanted))
    order = [node.id for node in wanted.walk()]
    for row, amount in _USED.items():
        for up in (wanted.node(row), *wanted.ancestors(row)):
            used[order.index(up.id)] += amount
    after = _as_read(cluster, wanted, used)
    expected = (fair_tree(after) if by_rank else classic_fairshare(after)).fairshare
    will = {int(node): value for node, value in zip(found.nodes, found.after, strict=True)}
    np.testing.assert_allclose([will[node] for node in order], expected, atol=1e-5)


def _as_read(cluster: ClusterTree, wanted: ShareTree, used: np.ndarray) -> Associations:
    order = [node.id for node in wanted.walk()]
    keys = [cluster.keys[node] for node in order]
    above = [wanted.node(node).parent for node in order]
    parent = np.array([-1 if up is None else order.index(up) for up in above])
    shares = cluster.stored.tree.shares[order]
    return Associations(tuple(key[0] for key in keys), tuple(key[1] for key in keys), parent, shares, used)


def test_what_a_removed_user_used_stays_with_the_account() -> None:
    cluster = small_cluster("hep 1\n  anna* 1\n  ben* 1\nbio 1\n  finn* 1")
    wanted = cluster.shares.copy()
    Remove(2).apply(wanted)
    shown = _by_name(cluster, wanted, predicted(cluster, standing_of(cluster, {2: 50.0, 5: 50.0}), wanted))
    assert np.isnan(shown["root/hep/anna"][1])
    assert shown["root/hep"] == pytest.approx((0.5, 0.5))  # 2^-(0.5 / 0.5): as if anna were still there
    assert shown["root/hep/ben"][0] == pytest.approx(0.5)  # 2^-(0.25 / 0.25)
    assert shown["root/hep/ben"][1] == pytest.approx(0.5)  # 2^-(0.5 / 0.5)


def test_who_moves_begins_without_usage() -> None:
    cluster = small_cluster("hep 1\n  anna* 1\nbio 1\n  finn* 1")
    wanted = cluster.shares.copy()
    Move(2, 3, 0).apply(wanted)
    add_group(wanted, 0, "chem", 2)
    shown = _by_name(cluster, wanted, predicted(cluster, standing_of(cluster, {2: 100.0}), wanted))
    assert shown["root/bio/anna"] == pytest.approx((0.25, 1.0))
    assert shown["root/hep"] == pytest.approx((0.25, 2**-4.0))  # half the cluster's shares, then a quarter
    assert shown["root/chem"][1] == 1.0


def test_those_who_change_most_come_first() -> None:
    cluster = small_cluster()
    wanted = cluster.shares.copy()
    SetShares(((4, 1),)).apply(wanted)
    found = predicted(cluster, standing_of(cluster, _USED), wanted)
    size = np.abs(found.after - found.before)
    assert 0 < found.changed < len(found.nodes)
    assert bool(np.all(np.diff(size[: found.changed]) <= 0))
    assert size[found.changed :].max() < 1e-6


def test_while_jobs_run_raw_usage_counts() -> None:
    cluster = small_cluster("hep 1\n  anna* 1\nbio 1\n  finn* 1")
    standing = standing_of(cluster, {2: 100.0, 4: 300.0})
    assert usage_of(standing).tolist() == [400.0, 100.0, 100.0, 300.0, 300.0]
    behind = replace(standing, norm_usage=np.array([np.nan, 0.5, 0.25, 0.5, 0.75]))
    assert usage_of(behind).tolist() == [400.0, 100.0, 100.0, 300.0, 300.0]


@pytest.mark.parametrize(("flags", "by_rank"), [({"NO_FAIR_TREE"}, False), (set(), True)])
def test_settings_say_by_which_rule(flags: set[str], by_rank: bool) -> None:
    settings = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
    settings = replace(settings, flags=frozenset(flags), dampening=3)
    cluster, standing = _captured_cluster("fairtree.psv" if by_rank else "drained.psv")
    wanted = cluster.shares.copy()
    SetShares.of(wanted.find("astro").id, 5).apply(wanted)
    found = predicted_by(settings, cluster, standing, wanted)
    asked = predicted(cluster, standing, wanted, damping=3.0, by_rank=by_rank)
    assert found.changed > 0
    np.testing.assert_array_equal(found.after, asked.after)


def test_nothing_is_predicted_by_a_rule_that_nobody_knows() -> None:
    settings = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
    settings = replace(settings, flags=frozenset({"DEPTH_OBLIVIOUS"}))
    cluster, standing = _captured_cluster("drained.psv")
    with refuses_naming(UnknownRuleError, "DEPTH_OBLIVIOUS"):
        predicted_by(settings, cluster, standing, cluster.shares)
