"""Fairshare as a real sshare prints it, from shares and usage alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fsconsole.policies.multifactor import fairshare_factor
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.associations import Associations, Fairshare
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.fair_tree import fair_tree
from fsconsole.slurm.fairshare import completed
from fsconsole.slurm.parsers.sshare import read_sshare
from tests.laws import tries
from tests.texts import refuses

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


@pytest.mark.parametrize("name", ["fairtree", "parent_tie"])
def test_fair_tree_is_what_sshare_prints_and_its_ranks_are_exact(name: str) -> None:
    read = read_sshare(_capture(name))
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


class _Slurmctld:
    """Fair Tree as slurmctld 22.05 does it: siblings sorted by level fairshare, users first, recursively.

    A tie goes to the first sibling that is reached, be it an account without children of its own: one with
    the share `parent`, whose children are siblings of it.
    """

    def __init__(self, tree: Associations) -> None:
        self.tree, self.size = tree, len(tree)
        self.users = self.position = self.rank = sum(map(bool, tree.user))
        self.fairshare: dict[int, float] = {}
        self.walk([row for row in range(1, self.size) if self.above(row) == 0], is_account_tied=False)

    def above(self, row: int) -> int:
        over = int(self.tree.parent[row])
        while over > 0 and self.tree.shares[over] == PARENT_SHARES:
            over = int(self.tree.parent[over])
        return over

    def level_fs(self, row: int) -> float:
        """Without shares it is 0, then without usage it is infinite."""
        tree, over = self.tree, self.above(row)
        if tree.shares[row] == PARENT_SHARES:
            return math.inf if tree.user[row] else 4294967294.0
        siblings = [other for other in range(1, self.size) if self.above(other) == over]
        level = sum(int(tree.shares[one]) for one in siblings if tree.shares[one] != PARENT_SHARES)
        if tree.shares[row] == 0:
            return 0.0
        if tree.usage[row] == 0:
            return math.inf
        return (int(tree.shares[row]) / level) / (float(tree.usage[row]) / float(tree.usage[over]))

    def walk(self, siblings: list[int], *, is_account_tied: bool) -> None:
        users = [row for row in siblings if self.tree.user[row]]
        accounts = [row for row in siblings if not self.tree.user[row]]
        before = 4294967294.0
        for row in sorted(users + accounts, key=self.level_fs, reverse=True):
            now = self.level_fs(row)
            is_tied, is_account_tied = is_account_tied or now == before, False
            before = now
            if self.tree.user[row]:
                self.rank = self.rank if is_tied else self.position
                self.position -= 1
                self.fairshare[row] = self.rank / self.users
            else:
                below = [other for other in range(1, self.size) if self.above(other) == row]
                self.walk(below, is_account_tied=is_tied)


@tries(400)
@given(trees())
def test_fair_tree_is_what_slurmctld_does(tree: Associations) -> None:
    found = fair_tree(tree).fairshare
    assert {row: float(found[row]) for row in range(len(tree)) if tree.user[row]} == _Slurmctld(
        tree
    ).fairshare


def test_an_account_without_shares_stands_last_and_users_stand_first() -> None:
    """Two siblings that tie at no shares: the user is ranked before those in the account, used or not."""
    tree = Associations(
        ("root", "a", "a", "root", "b", "b"),
        ("", "", "v", "u", "", "w"),
        np.array([-1, 0, 1, 0, 0, 4]),
        np.array([0, 0, 1, 0, 5, 1]),
        np.array([4.0, 0.0, 0.0, 0.0, 4.0, 4.0]),
    )
    ranks = fair_tree(tree).fairshare
    assert ranks[5] == 1.0  # b has shares, whatever it has used
    assert ranks[3] == ranks[2] == pytest.approx(2 / 3)  # u and a tie, and v inherits that


class _Classic:
    """NormShares, EffectvUsage and the factor by Slurm's words for them, row by row."""

    def __init__(self, tree: Associations, damping: float) -> None:
        self.tree, self.damping = tree, damping
        self.used = float(tree.usage[0])

    def above(self, row: int) -> int:
        return _Slurmctld.above(self, row)  # type: ignore[arg-type]

    def level(self, row: int) -> int:
        """Raw shares of all rows with the same effective parent."""
        tree, over = self.tree, self.above(row)
        same = (one for one in range(1, len(tree)) if self.above(one) == over)
        return sum(int(tree.shares[one]) for one in same if tree.shares[one] != PARENT_SHARES)

    def norm_usage(self, row: int) -> float:
        return min(float(self.tree.usage[row]) / self.used, 1.0) if self.used > 0 else 0.0

    def norm_shares(self, row: int) -> float:
        if row == 0:
            return 1.0
        if self.tree.shares[row] == PARENT_SHARES:
            return self.norm_shares(self.above(row))
        level = self.level(row)
        return int(self.tree.shares[row]) / level * self.norm_shares(self.above(row)) if level else 0.0

    def effective(self, row: int) -> float:
        if row == 0:
            return 1.0
        over = self.above(row)
        if over == 0:
            return self.norm_usage(row)
        level = self.level(row)
        if self.tree.shares[row] == PARENT_SHARES or not level:
            return self.effective(over)
        own = self.norm_usage(row)
        return own + (self.effective(over) - own) * int(self.tree.shares[row]) / level

    def factor(self, row: int) -> float:
        shares = self.norm_shares(row)
        return 2.0 ** -(self.effective(row) / shares / self.damping) if shares else 0.0


@given(trees(), st.floats(0.1, 20), st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=30, max_size=30))
def test_classic_is_slurms_rule(tree: Associations, damping: float, lag: list[float]) -> None:
    """Also where users have used more than root: sshare prints rows of several times."""
    late = Associations(
        tree.account, tree.user, tree.parent, tree.shares, tree.usage + np.array([0.0, *lag])[: len(tree)]
    )
    found, rule = classic_fairshare(late, damping), _Classic(late, damping)
    for row in range(len(tree)):
        assert found.norm_shares[row] == pytest.approx(rule.norm_shares(row))
        assert found.effective_usage[row] == pytest.approx(rule.effective(row))
        assert found.fairshare[row] == pytest.approx(rule.factor(row), abs=1e-12)


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
    with refuses(ValueError, "slurm.dampening-factor-is-it-must"):
        classic_fairshare(read_sshare(_capture("drained")).tree, damping)


@given(trees(), st.data(), st.sampled_from([fair_tree, classic_fairshare]))
def test_a_value_with_an_unknown_usage_is_unknown_unless_it_does_not_depend_on_it(
    tree: Associations, data: st.DataObject, rule: Callable[[Associations], Fairshare]
) -> None:
    row = data.draw(st.integers(0, len(tree) - 1))
    unknown = rule(_with_usage(tree, row, math.nan))
    for usage in data.draw(st.lists(st.floats(0, 50), min_size=2, max_size=4)):
        known = rule(_with_usage(tree, row, usage))
        for name in ("norm_shares", "effective_usage", "fairshare", "level_fs"):
            values = getattr(unknown, name)
            np.testing.assert_array_equal(
                np.where(np.isnan(values), np.nan, getattr(known, name)), values, err_msg=name
            )


def _with_usage(tree: Associations, row: int, usage: float) -> Associations:
    changed = tree.usage.copy()
    changed[row] = usage
    return replace(tree, usage=changed)


@pytest.mark.parametrize("name", ["drained", "fairtree"])
def test_blanks_are_computed_from_the_usage(name: str) -> None:
    read = read_sshare(_capture(name))
    rows = np.arange(0, len(read.tree), 2)
    blank = replace(read.printed, **{column: _without(read.printed, column, rows) for column in _COMPLETED})
    found = completed(blank, read.tree, by_rank=read.is_fair_tree)
    np.testing.assert_allclose(found.norm_shares, read.printed.norm_shares, atol=6e-7)
    np.testing.assert_allclose(found.effective_usage, read.printed.effective_usage, atol=1e-5)
    np.testing.assert_allclose(found.level_fs, read.printed.level_fs, rtol=2e-5)


_COMPLETED = ("norm_shares", "effective_usage", "level_fs")


def _without(printed: Fairshare, column: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = getattr(printed, column).copy()
    values[rows] = np.nan
    return values
