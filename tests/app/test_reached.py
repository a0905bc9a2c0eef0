"""What was predicted before an apply, held against what sshare prints after it, on a captured cluster.

What sshare prints afterwards is made as it makes it itself: of NormUsage with six digits, and the new shares.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fsconsole.app.cluster.preview import gains_of
from fsconsole.app.cluster.reached import Expectation, Reached, expectation_of, reached, summary
from fsconsole.shares.edits import SetShares
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.associations import Fairshare, Floats
from fsconsole.slurm.change_set import change_set
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from tests.console.cluster import play
from tests.slurm.captured import captured
from tests.texts import says, wording

USAGE_S, APPLIED_S, PERIOD_S = 1000.0, 1010.0, 300.0
SHARES = 7  # of hep, instead of 3


@cache
def _before() -> tuple[ClusterTree, AssociationStatus]:
    tree = play.cluster_tree()
    return tree, _printed(tree, play.standing(tree, captured("drained.psv")).norm_usage)


def _printed(tree: ClusterTree, norm_usage: Floats) -> AssociationStatus:
    """What sshare prints of a tree with so much usage."""
    norm = np.where(np.isnan(norm_usage), 1.0, norm_usage).round(6)
    found = classic_fairshare(replace(tree.stored.tree, usage=norm), 1.0)
    columns = (found.norm_shares, found.effective_usage, found.fairshare, found.level_fs)
    rounded = Fairshare(*(np.round(column, 6) for column in columns))
    return AssociationStatus(np.floor(norm * 1e6), norm, rounded, found, {})


def _hep(tree: ClusterTree) -> int:
    return next(node for node, key in tree.keys.items() if key == ("hep", "", ""))


def _expected(*, undone: int = 0, prints_accounts: bool = True) -> tuple[Expectation, ClusterTree]:
    """With the tree as it is stored once hep has its new shares."""
    tree, standing = _before()
    if not prints_accounts:
        is_user = np.array([bool(user) for _, user, _ in tree.keys.values()])
        fairshare = np.where(is_user, standing.printed.fairshare, np.nan)
        standing = replace(standing, printed=replace(standing.printed, fairshare=fairshare))
    wanted = tree.shares.copy()
    SetShares.of(_hep(tree), SHARES).apply(wanted)
    settings = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
    gains, why = gains_of(tree, wanted, change_set(tree, wanted), settings, standing, "")
    assert not why
    expectation = expectation_of(
        tree, standing, wanted, list(gains.values()), usage_s=USAGE_S, applied_s=APPLIED_S, undone=undone
    )
    assert expectation is not None
    shares = tree.stored.tree.shares.copy()
    shares[list(tree.nodes).index(_hep(tree))] = SHARES
    stored = replace(tree.stored, tree=replace(tree.stored.tree, shares=shares))
    return expectation, replace(tree, stored=stored)


def _held(usage: Floats | None = None, at_s: float = APPLIED_S + 60, jobs: tuple[Job, ...] = ()) -> Reached:
    expectation, after = _expected()
    norm = _before()[1].norm_usage if usage is None else usage
    return reached(expectation, after, _printed(after, norm), jobs, at_s, PERIOD_S)


def _moved(by: float) -> Floats:
    """Usage of fs_ben in hep has grown, with that of all above it; the rest has the smaller part."""
    tree, standing = _before()
    norm, stored = standing.norm_usage.copy(), tree.stored.tree
    row = stored.user.index("fs_ben")
    while row > 0:
        norm[row] += by
        row = int(stored.parent[row])
    return np.asarray(norm / (1.0 + by))


def test_with_the_same_usage_all_is_as_predicted() -> None:
    held = _held()
    assert (held.is_calculated, held.differing) == (True, ())
    assert {tuple(row.name.split()) for row in held.rows} >= {
        ("hep",),
        ("fs_ben", "in", "hep"),
        ("fs_mia", "in", "physics"),
    }
    expectation, _ = _expected()
    message = summary(held, expectation, PERIOD_S)
    assert message == wording(
        "app.cluster.fairshare-of-is-as-predicted", whose=f"{len(held.rows)} associations"
    )
    assert all(row.before != row.predicted for row in held.rows)


def test_usage_that_moved_on_is_named_with_the_jobs_that_started() -> None:
    jobs = (
        play.job(1, "fs_ben", "batch", "RUNNING", account="hep", start_s=1030),
        play.job(2, "fs_ben", "batch", "RUNNING", account="hep", start_s=900),
        play.job(3, "fs_cora", "batch", "RUNNING", account="hep", start_s=1030),
    )
    held = _held(_moved(0.02), jobs=jobs)
    assert held.is_calculated
    ben = next(row for row in held.rows if row.name == "fs_ben in hep")
    assert ben.reached < ben.predicted
    assert says(ben.why, "app.cluster.usage-changed-to", keys=ben.name)
    assert "14.8" in ben.why
    assert ben.why.split()[-5:] == ["1", "job", "of", "fs_ben", "started"]
    expectation, _ = _expected()
    assert says(summary(held, expectation, PERIOD_S), "app.cluster.has-instead-of", name=ben.name)


def test_before_the_next_calculation_nothing_is_held_against_it() -> None:
    """sshare shows the shares at once, and usage of the last calculation."""
    expectation, after = _expected()
    early = replace(
        expectation, fairshare={key: value + 1e-3 for key, value in expectation.fairshare.items()}
    )
    now = _printed(after, _before()[1].norm_usage)
    held = reached(early, after, now, (), APPLIED_S + 1, PERIOD_S)
    assert (held.is_calculated, held.is_late) == (False, False)
    message = summary(held, early, PERIOD_S)
    assert message.endswith(
        wording(
            "app.cluster.rest-follows-when-slurmctld-next",
            so_far="",
            every=wording("app.cluster.which-it-does-every", period_s="5 min"),
        )
    )
    late = reached(early, after, now, (), APPLIED_S + 3 * PERIOD_S, PERIOD_S)
    assert (late.is_calculated, late.is_late) == (True, True)
    assert late.differing[0].why == wording("app.cluster.usage-of-others-changed", key="")
    some = reached(replace(early, undone=1), after, now, (), APPLIED_S + 3 * PERIOD_S, PERIOD_S)
    assert some.differing[0].why == wording("app.cluster.not-all-changes-were-applied")
    assert says(
        summary(some, replace(early, undone=1), PERIOD_S), "app.cluster.of-set-failed", undone="1 change"
    )


def test_shares_that_slurmctld_has_not_taken_in_are_not_a_result() -> None:
    expectation, after = _expected()
    standing = _before()[1]
    old = replace(standing, computed=_printed(after, standing.norm_usage).printed)
    held = reached(expectation, after, old, (), APPLIED_S + 3 * PERIOD_S, PERIOD_S)
    assert (held.is_calculated, held.is_late) == (False, True)
    assert summary(held, expectation, PERIOD_S).startswith(
        wording("app.cluster.slurmctld-has-not-calculated-fairshare")
    )


def test_who_is_not_there_any_more_has_no_fairshare() -> None:
    expectation, after = _expected()
    gone = replace(
        after,
        keys={node: (key if key[1] != "fs_ben" else ("x", "x", "")) for node, key in after.keys.items()},
    )
    held = reached(expectation, gone, _printed(after, _before()[1].norm_usage), (), APPLIED_S + 60, PERIOD_S)
    ben = next(row for row in held.rows if row.name == "fs_ben in hep")
    assert (np.isnan(ben.reached), ben.why) == (True, wording("app.cluster.sshare-prints-no-fairshare-of"))


def test_accounts_of_which_sshare_prints_no_fairshare_are_left_out() -> None:
    """As sshare of 26.05 does in classic fairshare."""
    expectation, after = _expected(prints_accounts=False)
    assert {key[1] for key in expectation.fairshare} >= {"fs_ben"}
    assert "" not in {key[1] for key in expectation.fairshare}
    held = reached(expectation, after, _printed(after, _before()[1].norm_usage), (), APPLIED_S + 60, PERIOD_S)
    assert held.differing == ()


@pytest.mark.parametrize("by", [0.001, 0.05, 0.3])
def test_each_that_differs_has_a_reason(by: float) -> None:
    held = _held(_moved(by))
    assert held.differing
    of_hep = [row.why for row in held.differing if row.key[0] == "hep"]
    assert all(says(why, "app.cluster.usage-changed-to") for why in of_hep)
