"""Fairshare as a real sshare prints it, from shares and usage alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.classic import classic_fairshare, fairshare_factor
from fsconsole.slurm.fair_tree import fair_tree
from fsconsole.slurm.parsers.sshare import read_sshare

CAPTURES = Path(__file__).parent / "captures"


def _capture(name: str) -> str:
    return (CAPTURES / f"{name}.psv").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["drained", "running", "classic-worked"])
def test_classic_is_what_sshare_prints(name: str) -> None:
    read = read_sshare(_capture(name))
    assert not read.is_fair_tree
    found = classic_fairshare(read.tree)
    np.testing.assert_allclose(found.norm_shares, read.printed.norm_shares, rtol=0, atol=6e-7)
    np.testing.assert_allclose(found.effective_usage, read.printed.effective_usage, rtol=0, atol=2e-6)
    np.testing.assert_allclose(found.fairshare, read.printed.fairshare, rtol=0, atol=1e-5)
    assert np.isnan(found.level_fs).all()


def test_fair_tree_is_what_sshare_prints_and_its_ranks_are_exact() -> None:
    read = read_sshare(_capture("fairtree"))
    assert read.is_fair_tree
    found = fair_tree(read.tree)
    users = read.tree.is_user
    np.testing.assert_allclose(found.norm_shares, read.printed.norm_shares, rtol=0, atol=6e-7)
    np.testing.assert_allclose(found.effective_usage, read.printed.effective_usage, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.level_fs, read.printed.level_fs, rtol=2e-5)
    np.testing.assert_array_equal(
        np.round(found.fairshare[users] * users.sum()), np.round(read.printed.fairshare[users] * users.sum())
    )
    assert np.isnan(found.fairshare[~users]).all()


def test_raw_usage_of_a_drained_cluster_gives_the_same_to_a_thousandth() -> None:
    read = read_sshare(_capture("drained"))
    tree = read.tree
    raw = Associations(tree.account, tree.user, tree.parent, tree.shares, np.nan_to_num(read.raw_usage))
    found = classic_fairshare(raw)
    counted = ~(read.raw_usage < 100)  # RawUsage is cut to whole seconds: below that a part of it is too much
    difference = np.abs(found.fairshare - read.printed.fairshare)
    assert difference[counted].max() < 1e-3
    assert counted.sum() >= 18


def test_worked_example_of_slurms_documentation() -> None:
    """Five users of Slurm's page on classic fairshare: effective usage, normalised shares, factor."""
    factor = fairshare_factor(
        np.array([0.3875, 0.275, 0.15, 0.25, 0.1458]), np.array([0.3, 0.05, 0.05, 0.25, 0.35]), 1.0
    )
    np.testing.assert_allclose(factor, [0.408479, 0.022097, 0.125, 0.5, 0.749154], atol=2e-4)


@st.composite
def trees(draw: st.DrawFn) -> Associations:
    size = draw(st.integers(2, 30))
    parent, user = [-1], [""]
    for row in range(1, size):
        accounts = [other for other in range(row) if not user[other]]
        parent.append(draw(st.sampled_from(accounts)))
        user.append(f"u{row}" if draw(st.booleans()) else "")
    order = _depth_first(parent)
    place = {old: new for new, old in enumerate(order)}
    shares = [0, *(draw(st.sampled_from([0, 1, 2, 5, PARENT_SHARES])) for _ in range(size - 1))]
    own = [draw(st.sampled_from([0.0, 0.0, 1.0, 2.0, 7.0])) if user[row] else 0.0 for row in range(size)]
    usage = [own[row] for row in order]
    parents = [place[parent[row]] if parent[row] >= 0 else -1 for row in order]
    for row in range(size - 1, 0, -1):
        usage[parents[row]] += usage[row]
    return Associations(
        tuple(f"a{row}" for row in order),
        tuple(user[row] for row in order),
        np.array(parents, dtype=np.int64),
        np.array(shares, dtype=np.int64),
        np.array(usage),
    )


def _depth_first(parent: list[int]) -> list[int]:
    order, waiting = [], [0]
    while waiting:
        row = waiting.pop()
        order.append(row)
        waiting += [child for child in range(len(parent)) if parent[child] == row]
    return order


@given(trees(), st.floats(0.1, 20))
def test_classic_laws(tree: Associations, damping: float) -> None:
    found = classic_fairshare(tree, damping)
    assert ((found.fairshare >= 0) & (found.fairshare <= 1)).all()
    assert (found.fairshare[found.norm_shares == 0] == 0).all()
    assert (found.effective_usage <= 1 + 1e-12).all()
    more = classic_fairshare(tree, damping * 2)
    assert (more.fairshare >= found.fairshare).all()
    for row in np.flatnonzero(tree.takes_parents):
        above = tree.shares_parent()[row]
        assert found.norm_shares[row] == found.norm_shares[above]


@given(trees())
def test_fair_tree_gives_every_user_a_rank(tree: Associations) -> None:
    found = fair_tree(tree)
    ranks = found.fairshare[tree.is_user]
    assert ((ranks > 0) & (ranks <= 1)).all()
    if len(ranks):
        assert ranks.max() == 1.0


@given(trees(), st.floats(1e-3, 1e6))
def test_only_ratios_of_usage_count(tree: Associations, factor: float) -> None:
    scaled = Associations(tree.account, tree.user, tree.parent, tree.shares, tree.usage * factor)
    np.testing.assert_allclose(classic_fairshare(scaled).fairshare, classic_fairshare(tree).fairshare)


@pytest.mark.parametrize("damping", [0.0, -1.0, float("nan")])
def test_a_dampening_factor_is_above_0(damping: float) -> None:
    with pytest.raises(ValueError, match="dampening factor"):
        classic_fairshare(read_sshare(_capture("drained")).tree, damping)
