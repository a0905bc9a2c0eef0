"""Why one association goes before another, on captures of a real cluster."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from fsconsole.slurm.associations import Associations
from fsconsole.slurm.insight import Measured, name_of, why
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.text.words import listed
from tests.slurm.captured import captured
from tests.texts import refuses, says, wording


def measured(capture: str) -> Measured:
    """What a capture of sshare says."""
    read = read_sshare(captured(capture))
    above = read.tree.shares_parent()
    return Measured(
        read.tree, above, read.tree.level_shares(above), read.tree.usage, read.printed, read.is_fair_tree
    )


def row(tree: Associations, account: str, user: str = "") -> int:
    """Row of an association."""
    return list(zip(tree.account, tree.user, strict=True)).index((account, user))


def test_classic_names_who_has_the_higher_factor() -> None:
    # FAIRSHARE.md, `drained`: fs_ben in hep 0.117739, fs_jan in neuro 0.202512.
    found = measured("drained.psv")
    ben, jan = row(found.tree, "hep", "fs_ben"), row(found.tree, "neuro", "fs_jan")
    reason = why(found, ben, jan)
    assert reason.ahead == jan
    assert reason.verdict == wording(
        "slurm.goes-before-fairshare-against",
        tree="fs_jan",
        tree_2="fs_ben",
        factor="0.2025",
        factor_2="0.1177",
    )
    assert [(level.name, level.which) for level in reason.levels] == [
        ("root", "common"), ("physics", "first"), ("hep", "first"), ("fs_ben", "first"),
        ("bio", "second"), ("neuro", "second"), ("fs_jan", "second"),
    ]  # fmt: skip
    assert [level.name for level in reason.levels if level.is_parting] == ["physics", "bio"]
    # Effective usage 0.238143 of a share of 0.0771605 is 3.09 times as much.
    assert says(
        reason.because,
        "slurm.s-effective-usage-is",
        name="fs_ben",
        effective_usage=wording(
            "slurm.for-share-of", used="23.81\xa0%", norm_shares="7.72\xa0%", level="3.09 times"
        ),
    )


def test_classic_says_when_it_turns_round_further_down() -> None:
    # bio has used less of its share (0.4052 / 0.3704) than physics (0.5396 / 0.4938), 1.094 against 1.093.
    found = measured("drained.psv")
    ahead, behind = row(found.tree, "hep", "fs_cora"), row(found.tree, "genomics", "fs_hugo")
    factor = found.fairshare.fairshare
    reason = why(found, ahead, behind)
    assert reason.ahead == (ahead if factor[ahead] > factor[behind] else behind)
    branches = [level for level in reason.levels if level.is_parting]
    ratio = {level.which: level.effective_usage / level.norm_shares for level in branches}
    is_against = (
        ratio["first"] > ratio["second"] if reason.ahead == ahead else ratio["second"] > ratio["first"]
    )
    assert (says(reason.because, "slurm.where-their-branches-separate-but")) == is_against


def test_siblings_compete_in_their_account() -> None:
    found = measured("drained.psv")
    reason = why(found, row(found.tree, "hep", "fs_ben"), row(found.tree, "hep", "fs_cora"))
    assert reason.because.startswith(wording("slurm.both-compete-in", where="hep", usages=""))


def test_no_shares_is_a_reason_of_its_own() -> None:
    # ops/fs_lars has 0 shares, so F is 0.
    found = measured("drained.psv")
    lars, kim = row(found.tree, "ops", "fs_lars"), row(found.tree, "ops", "fs_kim")
    reason = why(found, lars, kim)
    assert reason.ahead == kim
    assert reason.because == wording("slurm.has-no-shares-so-its", name="fs_lars")


def test_an_account_does_not_compete_with_what_it_holds() -> None:
    found = measured("drained.psv")
    reason = why(found, row(found.tree, "physics"), row(found.tree, "hep", "fs_ben"))
    assert reason.ahead is None
    assert reason.verdict == wording(
        "slurm.they-do-not-compete-with", inside=wording("slurm.is-in", tree="fs_ben", tree_2="physics")
    )


def test_fair_tree_decides_where_the_ways_part() -> None:
    # FAIRSHARE.md, `fairtree`: astro 0.547935 stands behind hep 0.817854, so emma (7/15) behind ben (9/15).
    found = measured("fairtree.psv")
    emma, ben = row(found.tree, "astro", "fs_emma"), row(found.tree, "hep", "fs_ben")
    reason = why(found, emma, ben)
    assert reason.ahead == ben
    assert reason.verdict == wording(
        "slurm.goes-before-fairshare-against",
        tree="fs_ben",
        tree_2="fs_emma",
        factor="0.6000",
        factor_2="0.4667",
    )
    assert says(
        reason.because,
        "slurm.on-level-below-has-levelfs",
        tree="physics",
        tree_2="hep",
        measured="0.8179",
        tree_3="astro",
        measured_2="0.5479",
    )
    assert reason.because.endswith(wording("slurm.usage-further-down-has-no"))


def test_fair_tree_lets_accounts_that_take_their_parents_share_give_way() -> None:
    # jan is in neuro (`parent`): he competes on the level of bio, 4/15 there against ida's 5/15.
    found = measured("fairtree.psv")
    jan, ida = row(found.tree, "neuro", "fs_jan"), row(found.tree, "neuro", "fs_ida")
    gina = row(found.tree, "genomics", "fs_gina")
    assert why(found, jan, ida).ahead == ida
    assert says(why(found, jan, gina).because, "slurm.on-level-below-has-levelfs", tree="bio")


@pytest.mark.parametrize("capture", ["drained.psv", "fairtree.psv", "running.psv", "classic-worked.psv"])
def test_the_verdict_is_that_of_the_printed_fairshares(capture: str) -> None:
    found = measured(capture)
    users = np.flatnonzero(found.tree.is_user).tolist()
    factor = found.fairshare.fairshare
    for one, other in combinations(users, 2):
        reason = why(found, one, other)
        if abs(factor[one] - factor[other]) < 1e-6:
            assert reason.ahead is None
        else:
            assert reason.ahead == (one if factor[one] > factor[other] else other), reason
        assert why(found, other, one).ahead == reason.ahead


def _without(found: Measured, *rows: int) -> Measured:
    """The same without the fairshare of some rows, and of Fair Tree without any LevelFS."""
    factor = found.fairshare.fairshare.copy()
    factor[list(rows)] = np.nan
    level_fs = np.full(len(factor), np.nan)
    return replace(found, fairshare=replace(found.fairshare, fairshare=factor, level_fs=level_fs))


@pytest.mark.parametrize("capture", ["drained.psv", "fairtree.psv"])
def test_an_order_without_one_of_the_fairshares_is_unknown_and_that_one_is_named(capture: str) -> None:
    found = measured(capture)
    users = np.flatnonzero(found.tree.is_user).tolist()[:5]
    names = {one: name_of(found.tree, one) for one in users}
    for one, other in combinations(users, 2):
        for lacking in ((one,), (other,), (one, other)):
            reason = why(_without(found, *lacking), one, other)
            expected = listed([names[each] for each in lacking])
            assert reason.is_unknown
            assert reason.ahead is None
            assert says(reason.verdict, "slurm.sshare-shows-no-fairshare-of", unknown=expected)
        known = why(_without(found), one, other)
        assert not known.is_unknown
        assert known.ahead == why(found, one, other).ahead


def test_an_association_is_not_compared_with_itself() -> None:
    found = measured("drained.psv")
    ben = row(found.tree, "hep", "fs_ben")
    with refuses(ValueError, "slurm.association-cannot-be-compared-with"):
        why(found, ben, ben)
    assert name_of(found.tree, ben) == "fs_ben"
