"""What is foreseen to stand in the way of changes."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from fsconsole.recording.audit import Result
from fsconsole.shares.edits import Move, Remove, SetShares
from fsconsole.slurm.change_set import ChangeSet, Verb, change_set
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.obstacles import insisted, with_obstacles
from fsconsole.slurm.rollback import set_default
from fsconsole.targets.slurm.change_set_applier import apply
from fsconsole.text.words import listed
from tests.slurm.clusters import small_cluster
from tests.slurm.pretend import Database
from tests.texts import says, wording


def _job(number: int, user: str, account: str, state: str = "RUNNING", partition: str = "batch") -> Job:
    return Job(job_id=number, user=user, partition=partition, states=(state,), account=account)


@pytest.fixture
def cluster() -> ClusterTree:
    return small_cluster()


def _removing(cluster: ClusterTree, *paths: str) -> ChangeSet:
    wanted = cluster.shares.copy()
    for path in paths:
        Remove(wanted.find(f"root/{path}").id).apply(wanted)
    return change_set(cluster, wanted)


def _moving(cluster: ClusterTree, path: str, to: str) -> ChangeSet:
    wanted = cluster.shares.copy()
    Move(wanted.find(f"root/{path}").id, wanted.find(f"root/{to}").id, 0).apply(wanted)
    return change_set(cluster, wanted)


def _blocked(changes: ChangeSet) -> dict[str, str]:
    return {f"{one.verb} {one.on}": one.obstacle for one in changes.blocked}


def test_jobs_of_a_removed_user_are_named(cluster: ClusterTree) -> None:
    jobs = (_job(26, "anna", "hep"), _job(27, "anna", "hep", "PENDING"), _job(28, "ben", "hep"))
    found = _blocked(with_obstacles("lab", _removing(cluster, "physics/hep/anna"), jobs))
    anna = wording("slurm.in-2", user="anna", account="hep")
    assert found == {
        f"Remove {anna}": wording(
            "slurm.jobs-are-active-in-and",
            count="2",
            where=anna,
            named=listed(["26 running", "27 pending"]),
            scancel=shlex.join(["scancel", "26", "27"]),
        )
    }


@pytest.mark.parametrize("state", ["COMPLETED", "CANCELLED", "TIMEOUT"])
def test_jobs_that_have_ended_are_in_nobodys_way(cluster: ClusterTree, state: str) -> None:
    changes = _removing(cluster, "physics/hep/anna")
    assert with_obstacles("lab", changes, (_job(26, "anna", "hep", state),)) == changes


def test_jobs_elsewhere_are_in_nobodys_way(cluster: ClusterTree) -> None:
    jobs = (_job(26, "anna", "astro"), _job(27, "ben", "hep"))
    assert not with_obstacles("lab", _removing(cluster, "physics/hep/anna"), jobs).blocked


def test_half_of_a_move_is_not_sent_either(cluster: ClusterTree) -> None:
    changes = _moving(cluster, "bio/neuro/ida", "physics/hep")
    found = with_obstacles("lab", changes, (_job(7, "ida", "neuro"),))
    there, here = (wording("slurm.in-2", user="ida", account=account) for account in ("hep", "neuro"))
    assert set(_blocked(found)) == {f"Add {there}", f"Remove {here}"}
    database = Database(cluster)
    report = apply(database, "lab", found)
    assert {row.result for row in report.rows} == {Result.NOT_SENT}
    assert database.changing == []
    assert all("7 running" in row.text or says(row.text, "slurm.it-is-half-of-move") for row in report.rows)
    report = apply(database, "lab", insisted(found))
    assert {row.result for row in report.rows} == {Result.DONE}


def test_an_account_stays_for_what_stays_in_it(cluster: ClusterTree) -> None:
    found = _blocked(with_obstacles("lab", _removing(cluster, "physics"), (_job(7, "anna", "hep"),)))
    anna = wording("slurm.in-2", user="anna", account="hep")
    assert set(found) == {f"Remove {anna}", "Remove hep", "Remove physics"}
    assert found["Remove hep"] == wording("slurm.would-be-removed-with-it", inside=anna)
    assert found["Remove physics"] == wording("slurm.would-be-removed-with-it", inside="hep")


def test_an_account_that_moves_takes_its_jobs_along(cluster: ClusterTree) -> None:
    changes = _moving(cluster, "bio/neuro", "physics")
    assert [one.verb for one in changes.changes] == [Verb.MOVE]
    assert not with_obstacles("lab", changes, (_job(7, "ida", "neuro"),)).blocked


def test_the_rest_is_done(cluster: ClusterTree) -> None:
    wanted = cluster.shares.copy()
    SetShares(((wanted.find("root/bio").id, 31),)).apply(wanted)
    Remove(wanted.find("root/physics/hep/anna").id).apply(wanted)
    found = with_obstacles("lab", change_set(cluster, wanted), (_job(26, "anna", "hep"),))
    report = apply(Database(cluster), "lab", found)
    assert [row.result for row in report.rows] == [Result.DONE, Result.NOT_SENT]
    dry = apply(Database(cluster), "lab", found, dry_run=True)
    assert dry.rows[0].text == "not sent"
    anna = {
        "where": wording("slurm.in-2", user="anna", account="hep"),
        "named": "26 running",
        "scancel": "scancel 26",
    }
    obstacle = wording("slurm.1-job-is-active-in", **anna)
    assert dry.rows[1].text == wording("targets.slurm.would-be-skipped", obstacle=obstacle)


def _defaults(tree: ClusterTree, user: str) -> tuple[str, ...]:
    return tuple(key[0] for key in tree.keys.values() if key[1] == user)


def test_a_default_account_that_goes_is_foreseen(cluster: ClusterTree) -> None:
    hep, astro = _defaults(cluster, "anna")
    changes, stored = _removing(cluster, "physics/hep/anna"), tuple(cluster.keys.values())
    found = _blocked(with_obstacles("lab", changes, (), {"anna": hep}, stored))
    why = found["Remove " + wording("slurm.in-2", user="anna", account="hep")]
    assert says(why, "slurm.is-default-account-of-so", account="hep", user="anna")
    assert why.endswith(f"set defaultaccount={astro}")
    assert not with_obstacles("lab", changes, (), {"anna": astro}, stored).blocked


def test_who_leaves_altogether_needs_no_default_account(cluster: ClusterTree) -> None:
    changes = _removing(cluster, "bio/neuro/ida")
    assert not with_obstacles("lab", changes, (), {"ida": "neuro"}, tuple(cluster.keys.values())).blocked


def test_who_moves_gets_another_default_account(cluster: ClusterTree) -> None:
    changes = _moving(cluster, "bio/neuro/ida", "physics/hep")
    assert not with_obstacles("lab", changes, (), {"ida": "neuro"}, tuple(cluster.keys.values())).blocked


def test_a_user_of_one_partition_is_held_by_jobs_there_alone(cluster: ClusterTree) -> None:
    (change,) = _removing(cluster, "physics/hep/anna").changes
    only = ChangeSet((replace(change, key=("hep", "anna", "gpu")),))
    assert not with_obstacles("lab", only, (_job(1, "anna", "hep", partition="batch"),)).blocked
    assert with_obstacles("lab", only, (_job(1, "anna", "hep", partition="gpu"),)).blocked


def _fields(change: object) -> dict[str, object]:
    return {name: getattr(change, name) for name in type(change).__dataclass_fields__}  # type: ignore[attr-defined]


@pytest.mark.parametrize(("to", "is_in_the_way"), [("bio", False), ("hep", True), ("", True)])
def test_a_default_that_the_same_changes_move_to_an_account_that_stays_is_not_in_the_way(
    cluster: ClusterTree, to: str, is_in_the_way: bool
) -> None:
    changes = _removing(cluster, "physics/hep/anna")
    if to:
        default = set_default("lab", 0, "anna", "hep", to)
        changes = replace(changes, changes=(default, *changes.changes))
    stored = (("hep", "anna", ""), ("bio", "anna", ""))
    found = with_obstacles("lab", changes, (), {"anna": "hep"}, stored)
    assert bool(_blocked(found)) is is_in_the_way
