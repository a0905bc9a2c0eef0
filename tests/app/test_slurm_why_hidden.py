"""What an ordinary user is answered where PrivateData=usage hides others: sshare of Slurm 22.05.8."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fsconsole.app.doctor.examine import examine
from fsconsole.app.doctor.sources import NothingToExamine, of_cluster
from fsconsole.app.slurm_why.account import why_account
from fsconsole.app.slurm_why.answer import NoAnswer
from fsconsole.app.slurm_why.associations import why_user, why_users
from fsconsole.app.slurm_why.facts import Facts, LimitFacts
from fsconsole.slurm.association_status import standing_of
from fsconsole.slurm.cluster_tree import Numbering
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.sshare import ShownInPartError, Sshare, read_sshare
from fsconsole.targets.slurm.state import PartName
from tests.slurm.captured import captured
from tests.texts import refuses, refuses_naming, says, wording

COLUMNS = ("cluster", "account", "user", "partition", "fairshare", "parentname")
STORED = read_assoc(captured("private/assoc.psv"), columns=COLUMNS)
CLASSIC = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
PRIVATE = replace(CLASSIC, values={**CLASSIC.values, "privatedata": "jobs,usage"})
FAIR_TREE = replace(PRIVATE, flags=PRIVATE.flags - {"NO_FAIR_TREE"})


def shown(name: str) -> Sshare:
    with refuses_naming(ShownInPartError, "PrivateData=usage") as caught:
        read_sshare(captured(f"private/{name}.psv"))
    return caught.value.shown


def facts(name: str, *, with_tree: bool = True) -> Facts:
    settings = FAIR_TREE if name.startswith("fairtree") else PRIVATE
    limits = LimitFacts(STORED) if with_tree else LimitFacts()
    return Facts("lab", settings, shown(name), limits=lambda: limits)


def test_hidden_accounts_have_no_numbers() -> None:
    found = shown("classic-fs_anna")
    assert found.hidden is not None
    assert list(zip(found.tree.account, found.tree.user, found.hidden.tolist(), strict=True)) == [
        ("root", "", True), ("astro", "", True), ("astro", "fs_anna", False), ("hep", "", True),
        ("hep", "fs_anna", False),
    ]  # fmt: skip
    assert np.isnan(found.raw_usage[found.hidden]).all()
    assert found.printed.fairshare[~found.hidden].tolist() == [0.065560, 0.592832]


def test_a_coordinator_sees_accounts_with_what_is_in_them() -> None:
    found = shown("classic-fs_mia")
    paths = []
    for row, user in enumerate(found.tree.user):
        way = [user or found.tree.account[row]]
        while (row := int(found.tree.parent[row])) >= 0:
            way.append(found.tree.account[row])
        paths.append("/".join(reversed(way)))
    assert paths[0] == "root"
    assert {"root/physics/fs_mia", "root/physics/astro/fs_emma", "root/physics/hep/fs_ben"} <= set(paths)
    assert found.hidden is not None
    assert np.flatnonzero(found.hidden).tolist() == [0]


@pytest.mark.parametrize("with_tree", [True, False])
def test_a_user_is_answered_from_their_own_row(with_tree: bool) -> None:
    answer = why_user(facts("classic-fs_anna", with_tree=with_tree), "fs_anna@astro")
    hidden = wording("app.slurm_why.its-position-among-others-is")
    assert answer.sentences[0] == wording(
        "app.slurm_why.has-fairshare", standing="fs_anna", factor="0.0656", at=hidden
    )
    # 19.41 % / 4.94 % = 3.93, and 2^-3.93 = 0.0656: what sshare printed
    assert answer.sentences[1] == wording(
        "app.slurm_why.effective-usage-is-for-share", used="19.41\xa0%", share="4.94\xa0%", ratio="3.93"
    )
    assert math.isclose(2 ** -(0.194126 / 0.049383), 0.065560, abs_tol=1e-6)
    names = [row[0].strip() for row in answer.rows]
    assert names == (["physics", "astro", "fs_anna"] if with_tree else ["astro", "fs_anna"])
    assert says(answer.change, "app.slurm_why.how-long-that-takes-depends")
    assert answer.remarks[-1].startswith(
        wording("app.slurm_why.sshare-showed-only-to-user", setting="PrivateData=jobs,usage", shown="2 rows")
    )


def test_shares_of_hidden_accounts_follow_from_what_is_stored() -> None:
    (whole,) = [
        line.split("|") for line in captured("private/classic-root.psv").splitlines() if "  astro||" in line
    ]
    rows = why_user(facts("classic-fs_anna"), "fs_anna@astro").rows
    expected = ("  astro", "1", f"{float(whole[4]):.4f}", "")
    assert rows[1][:4] == expected


def test_fair_tree_says_what_stands_within_the_account() -> None:
    answer = why_user(facts("fairtree-fs_anna"), "fs_anna@hep")
    assert says(answer.sentences[1], "app.slurm_why.within-it-has-of-shares", top="hep", share="62.50\xa0%")
    assert answer.change.startswith(wording("app.slurm_why.levels-above-count-first-but", top="hep"))


def test_of_two_users_the_one_that_is_shown_is_answered() -> None:
    answer = why_users(facts("classic-fs_anna"), "fs_ben", "fs_anna")
    assert says(answer.about, "app.slurm_why.fairshare-of", standing="fs_anna")
    assert answer.remarks[0] == wording(
        "app.slurm_why.so-order-of-two-is",
        hides=wording("app.slurm_why.sshare-does-not-show", second="fs_ben"),
    )
    both = why_users(facts("classic-fs_anna"), "fs_anna@astro", "fs_anna@hep")
    assert both.sentences[0] == wording(
        "slurm.goes-before-fairshare-against",
        tree="fs_anna",
        tree_2="fs_anna",
        factor="0.5928",
        factor_2="0.0656",
    )
    assert both.sentences[1] == wording("app.slurm_why.accounts-at-which-their-branches")
    assert "nan" not in both.as_text()


@pytest.mark.parametrize("name", ["classic-fs_mia", "fairtree-fs_mia"])
@pytest.mark.parametrize("with_tree", [True, False])
def test_a_coordinator_is_answered_for_their_accounts(name: str, with_tree: bool) -> None:
    known = facts(name, with_tree=with_tree)
    assert "24.69\xa0%" in why_account(known, "hep").sentences[0] or (not with_tree and "fair" in name)
    for answer in (
        why_account(known, "hep"), why_account(known, "physics"), why_user(known, "fs_emma"),
        why_users(known, "fs_emma", "fs_ben"), why_users(known, "fs_anna@hep", "fs_ben"),
    ):  # fmt: skip
        assert "nan" not in answer.as_text()
        assert answer.change


@pytest.mark.parametrize("with_tree", [True, False])
def test_what_is_hidden_is_reported(with_tree: bool) -> None:
    known = facts("classic-fs_anna", with_tree=with_tree)
    hides = wording("app.slurm_why.privatedata-hides-others-ask-operator")
    with refuses_naming(NoAnswer, f"user 'fs_ben'.{hides}"):
        why_user(known, "fs_ben")
    with refuses_naming(NoAnswer, f"account 'hep'.{hides}"):
        why_account(known, "hep")
    with refuses_naming(NoAnswer, f"user 'fs_anna'.{hides}"):
        why_user(facts("classic-nobody", with_tree=with_tree), "fs_anna")


def test_a_tree_with_gaps_has_no_shares_of_hidden_accounts() -> None:
    """As sacctmgr shows it where slurmdbd.conf has PrivateData=users too."""
    own = ("lab|root|||1|", "lab|physics|||40|root", "lab|astro|||1|physics", "lab|astro|fs_anna||3|")
    stored = read_assoc("\n".join((*own, "lab|hep|||3|physics", "lab|hep|fs_anna||10|", "")), columns=COLUMNS)
    known = replace(facts("classic-fs_anna"), limits=lambda: LimitFacts(stored))
    rows = why_user(known, "fs_anna@astro").rows
    expected = [("physics", "40", ""), ("  astro", "1", "")]
    assert [row[:3] for row in rows[:2]] == expected
    site = of_cluster(
        "lab", {PartName.SETTINGS: PRIVATE, PartName.TREE: stored}, shown=shown("classic-fs_anna")
    )
    assert list(site.levels.names) == ["root"]


def test_own_rows_stand_in_the_tree_and_nothing_lags() -> None:
    tree = Numbering().tree(STORED)
    found = standing_of(tree, shown("classic-fs_anna"), PRIVATE)
    rows = np.flatnonzero(np.isfinite(found.printed.fairshare)).tolist()
    assert [tree.keys[tree.nodes[row]] for row in rows] == [("astro", "fs_anna", ""), ("hep", "fs_anna", "")]
    assert not found.lagging
    assert np.isnan(found.computed.fairshare).all()


def test_the_doctor_looks_at_what_is_left() -> None:
    site = of_cluster("lab", {PartName.SETTINGS: PRIVATE, PartName.TREE: STORED})
    assert "usage-hidden" in {one.rule.id for one in examine(site)}
    alone = of_cluster("lab", {PartName.SETTINGS: PRIVATE})
    by_settings = {one.rule.id for one in examine(alone)}
    assert by_settings <= {one.rule.id for one in examine(site)}
    assert "usage-hidden" in by_settings
    with refuses(NothingToExamine, "app.doctor.neither-sshare-nor-sacctmgr-responded"):
        of_cluster("lab", {})
