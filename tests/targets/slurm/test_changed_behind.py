"""What others change between the question and the command: nothing is sent that was not decided on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from fsconsole.recording.audit import Result
from fsconsole.shares.edits import Edit, Insert, Move, Remove, SetShares
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.slurm.change_set import ChangeSet, Entry, change_set
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.obstacles import insisted
from fsconsole.targets.slurm.change_set_applier import ApplyCallbacks, apply
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport
from fsconsole.targets.slurm.tools import Answer
from tests.slurm.captured import captured
from tests.slurm.clusters import small_cluster
from tests.slurm.insisting import foreseen, insisting
from tests.slurm.pretend import Database
from tests.texts import says, wording

_ASTRO, _IDA, _MIA = "physics/astro", "bio/neuro/ida", "physics/mia"


@dataclass(frozen=True)
class Case:
    """An edit, what others change behind the question, the text of the results, and their number."""

    stage: Callable[[ShareTree], None]
    change: Callable[[Database], None]
    says: Callable[[str], bool]
    count: int = 1
    is_insistable: bool = True


def _id(tree: ShareTree, path: str) -> int:
    return tree.find(f"root/{path}").id


def _in(user: str, account: str) -> str:
    return wording("slurm.in-2", user=user, account=account)


def _removing(path: str) -> Callable[[ShareTree], None]:
    return lambda tree: _do(tree, Remove(_id(tree, path)))


def _do(tree: ShareTree, edit: Edit) -> None:
    edit.apply(tree)


def _run_job(user: str, account: str, number: int = 4711) -> Callable[[Database], None]:
    """Let a job run."""

    def change(database: Database) -> None:
        model = json.loads(captured("plain/squeue.json"))["jobs"][0]
        job = model | {"user_name": user, "account": account, "job_id": number, "job_state": "RUNNING"}
        database.jobs = json.dumps({"jobs": [*json.loads(database.jobs)["jobs"], job]})

    return change


def _default(user: str, account: str) -> Callable[[Database], None]:
    return lambda database: database.defaults.update({user: account})


def _store(account: str, user: str = "", partition: str = "", parent: str = "") -> Callable[[Database], None]:
    entry = Entry(parent or account, 1)
    return lambda database: database.entries.update({(account, user, partition): entry})


def _job_says(text: str) -> bool:
    return says(text, "slurm.1-job-is-active-in", named="4711 running") or says(
        text, "slurm.it-is-half-of-move"
    )


def _taken_along(text: str) -> bool:
    return says(text, "targets.slurm.has-been-added-since-and")


_CASES = {
    "default account": Case(
        _removing(f"{_ASTRO}/anna"), _default("anna", "astro"),
        lambda text: says(text, "slurm.is-default-account-of-so", account="astro", user="anna"),
    ),
    "place in another account": Case(
        _removing(_IDA), _store("hep", "ida"),
        lambda text: says(text, "slurm.is-default-account-of-so", account="neuro", user="ida"),
    ),
    "job of a user": Case(_removing(_IDA), _run_job("ida", "neuro"), _job_says),
    "job of a user who moves": Case(
        lambda tree: _do(tree, Move(_id(tree, _IDA), _id(tree, "physics/hep"), 0)),
        _run_job("ida", "neuro"), _job_says, count=2,
    ),
    "job in an account": Case(
        _removing(_ASTRO),
        _run_job("former", "astro"), _job_says,
    ),
    "user in an account": Case(
        _removing("bio/neuro"), _store("neuro", "newcomer"),
        lambda text: says(text, "targets.slurm.is-still-in-it-and", inside=_in("newcomer", "neuro")),
        is_insistable=False,
    ),
    "removed with a partition": Case(
        _removing(_MIA), _store("physics", "mia", "gpu"), _taken_along, is_insistable=False
    ),
    "set with a partition": Case(
        lambda tree: _do(tree, SetShares(((_id(tree, _MIA), 9),))), _store("physics", "mia", "gpu"),
        _taken_along, is_insistable=False,
    ),
    "circle": Case(
        lambda tree: _do(tree, Move(_id(tree, "bio"), _id(tree, "physics"), 0)),
        _store("physics", parent="neuro"),
        lambda text: says(text, "targets.slurm.has-been-moved-into-since"), is_insistable=False,
    ),
    "name": Case(
        lambda tree: _do(tree, Insert(0, 0, (Node(tree.next_id, "chem", 1, Kind.GROUP),))),
        _store("chem", parent="bio"),
        lambda text: "chem" in text, is_insistable=False,
    ),
}  # fmt: skip


def _staged(case: Case) -> tuple[ClusterTree, Database, ChangeSet]:
    """A cluster, and the changes of the case as the operator decides on them: nothing stands in the way."""
    cluster = small_cluster()
    database = Database(cluster)
    database.defaults["anna"] = "none of these"
    wanted = cluster.shares.copy()
    case.stage(wanted)
    changes = foreseen(database, "lab", change_set(cluster, wanted))
    assert not changes.blocked
    return cluster, database, changes


def _held(case: Case, report: ApplyReport) -> list[ChangeReport]:
    rows = [row for row in report.rows if row.result is Result.NOT_SENT]
    assert [case.says(row.text) for row in rows] == [True] * case.count
    return rows


@pytest.mark.parametrize("name", _CASES)
def test_what_changes_behind_the_question_is_not_sent_and_recorded(name: str) -> None:
    case = _CASES[name]
    _, database, changes = _staged(case)
    case.change(database)
    stored, recorded = dict(database.entries), list[ChangeReport]()
    rows = _held(case, apply(database, "lab", changes, ApplyCallbacks(record=recorded.append)))
    commands = {row.change.command for row in rows}
    assert not commands & set(database.changing)
    assert [row for row in recorded if row.result is Result.NOT_SENT] == rows
    if len(rows) == len(changes.changes):
        assert database.entries == stored


@pytest.mark.parametrize("name", [name for name in _CASES if name not in ("circle", "user in an account")])
def test_a_plan_is_left_as_a_whole(name: str) -> None:
    """What earlier changes of a plan may mend is seen only before the command."""
    case = _CASES[name]
    _, database, changes = _staged(case)
    case.change(database)
    report = apply(database, "lab", changes, is_whole=True)
    assert {row.result for row in report.rows} == {Result.NOT_SENT}
    assert database.changing == []


@pytest.mark.parametrize("name", [name for name, case in _CASES.items() if case.is_insistable])
def test_what_was_insisted_on_is_sent_despite_that_alone(name: str) -> None:
    case = _CASES[name]
    _, database, changes = _staged(case)
    case.change(database)
    agreed = insisting(database, "lab", changes)
    other = {one.key[1]: one for one in agreed.changes if one.insisted}
    assert other
    for user, one in other.items():
        _run_job(user or "former", one.key[0] if one.was else "neuro", 4712)(database)
    report = apply(database, "lab", agreed)
    assert Result.NOT_SENT in {row.result for row in report.rows}
    database.jobs = '{"jobs": []}'
    assert {row.result for row in apply(database, "lab", insisted(agreed)).rows} == {Result.DONE}


def test_what_changes_while_others_are_sent_is_seen_before_the_next() -> None:
    cluster = small_cluster()
    database, wanted = Database(cluster), cluster.shares.copy()
    SetShares(((_id(wanted, "bio"), 31),)).apply(wanted)
    Remove(_id(wanted, f"{_ASTRO}/anna")).apply(wanted)
    changes = foreseen(database, "lab", change_set(cluster, wanted))
    assert not changes.blocked

    def meddle(database: Database, command: tuple[str, ...]) -> Answer | None:
        if command[1:3] == ("-i", "modify"):
            database.defaults["anna"] = "astro"
        return None

    database.meddle = meddle
    rows = apply(database, "lab", changes).rows
    assert [row.result for row in rows] == [Result.DONE, Result.NOT_SENT]
    assert ("astro", "anna", "") in database.entries


def test_a_default_account_that_cannot_be_read_is_no_leave_to_remove() -> None:
    cluster = small_cluster()
    database, wanted = Database(cluster), cluster.shares.copy()
    Remove(_id(wanted, f"{_ASTRO}/anna")).apply(wanted)
    changes = foreseen(database, "lab", change_set(cluster, wanted))
    down = "slurmdbd does not respond"
    database.meddle = lambda _, command: (
        Answer(command, 1, problem=down) if "format=user,defaultaccount" in command else None
    )
    (row,) = apply(database, "lab", changes).rows
    assert row.result is Result.NOT_SENT
    assert says(row.text, "targets.slurm.cannot-read-default-account-of", user="anna", error=down)


def test_an_obstacle_of_before_is_not_sent_though_it_has_gone() -> None:
    """The operator saw that it would be skipped."""
    cluster = small_cluster()
    database, wanted = Database(cluster), cluster.shares.copy()
    Remove(_id(wanted, _IDA)).apply(wanted)
    changes = change_set(cluster, wanted)
    held = replace(changes, changes=tuple(replace(one, obstacle="a job") for one in changes.changes))
    (row,) = apply(database, "lab", held).rows
    assert (row.result, row.text) == (Result.NOT_SENT, "a job")
