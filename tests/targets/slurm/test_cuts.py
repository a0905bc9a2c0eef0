"""Connections that are cut before, during and after a change: each result is told, and checked later."""

from __future__ import annotations

import getpass
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.recording.audit_log import lines_of
from fsconsole.shares.edits import SetShares
from fsconsole.slurm.change_set import Verb, change_set, entries_of, entry_words
from fsconsole.slurm.job_change import JobChange, JobVerb
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.node_change import NodeChange, NodeVerb
from fsconsole.targets.record import audit_path
from fsconsole.targets.slurm import change_set_applier, job_actions, node_actions, unknown_outcomes
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.delivery import Delivery, delivery_of
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.polling import PaceOptions
from fsconsole.targets.slurm.reports import ApplyReport
from fsconsole.targets.slurm.state import ClusterState, PartName
from fsconsole.targets.slurm.target import SlurmTarget
from fsconsole.targets.slurm.unknown_outcomes import checked_words, decide, resolved, unknown_rows
from tests.slurm.captured import captured
from tests.slurm.clusters import small_cluster
from tests.slurm.fake.as_text import node_lines
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.slurm.fake.fake_ssh import Cut, FakeSsh
from tests.texts import says, wording

WAIT_S = 60.0
ME = getpass.getuser()
QUICK = PaceOptions(settings_s=0.2, tree_s=0.2, usage_s=0.2, jobs_s=0.2, hardware_s=0.2)
NOW_S = 1_700_000_000
_RUNNING = next(
    line for line in captured("preempted/scontrol-show-job-oneline.txt").splitlines() if "JobId=43 " in line
).replace("JobState=SUSPENDED", "JobState=RUNNING")
_IDLE = node_lines("n1|batch|idle|8|0/8/0/8|none\n")
_DRAINED = node_lines("n1|batch|drained|8|0/8/0/8|fan\n")

Connect = Callable[[], SlurmTarget]


@pytest.fixture
def ssh(fake_slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch) -> FakeSsh:
    """Put the fake ssh before the fake tools; nothing needs time to settle there."""
    for module in (change_set_applier, job_actions, node_actions):
        monkeypatch.setattr(module, "SETTLE_S", 0.0)
    monkeypatch.setattr(unknown_outcomes, "_LATE_S", 0.0)
    return FakeSsh(fake_slurm)


@pytest.fixture
def connect(ssh: FakeSsh, own_folders: object) -> Iterator[Connect]:
    """Make targets behind the fake ssh, and close them."""
    made: list[SlurmTarget] = []

    def make() -> SlurmTarget:
        made.append(SlurmTarget(Location(ssh.prefix), pace=QUICK, limit_s=WAIT_S))
        return made[-1]

    yield make
    for target in made:
        target.close(wait=True)


def _until(target: SlurmTarget, is_so: Callable[[ClusterState], object], what: str) -> ClusterState:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if is_so(state := target.state()):
            return state
        time.sleep(0.01)
    raise AssertionError(f"{what} did not come: {target.state().link}")


def _apply(target: SlurmTarget, shares: int = 9) -> ApplyReport:
    """Give hep other shares."""
    state = _until(target, lambda state: state.tree is not None and state.tree.is_complete, "the tree")
    assert state.tree is not None
    wanted = state.tree.shares.copy()
    SetShares.of(wanted.find("hep").id, shares).apply(wanted)
    return target.apply(change_set(state.tree, wanted), "mia", "agreed").result(WAIT_S)


@pytest.mark.parametrize(
    ("rc", "stderr", "delivery"),
    [
        (255, "ssh: connect to host login1 port 22: Connection refused", Delivery.NOT_SENT),
        (255, "ssh: Could not resolve hostname login1: Name or service not known", Delivery.NOT_SENT),
        (255, "ssadm@login1: Permission denied (publickey,password).", Delivery.NOT_SENT),
        (1, "sudo: a terminal is required to read the password", Delivery.NOT_SENT),
        (255, "A password is required.\nConnection to ::1 closed by remote host.", Delivery.OPEN),
        (255, "Host key verification failed.", Delivery.NOT_SENT),
        (255, "Connection closed by UNKNOWN port 65535", Delivery.NOT_SENT),
        (255, "kex_exchange_identification: Connection closed by remote host", Delivery.NOT_SENT),
        (127, "bash: line 1: sacctmgr: command not found", Delivery.NOT_SENT),
        (255, "Connection to login1 closed by remote host.", Delivery.OPEN),
        (255, "client_loop: send disconnect: Broken pipe", Delivery.OPEN),
        (255, "Timeout, server login1 not responding.", Delivery.OPEN),
        (255, "", Delivery.OPEN),
        (-9, "", Delivery.OPEN),
        (1, " Nothing modified", Delivery.ANSWERED),
        (255, "sprio: error: Invalid job id", Delivery.ANSWERED),
        (1, "scontrol: error: Unable to contact slurm controller (connect failure)", Delivery.NOT_SENT),
        (0, "", Delivery.ANSWERED),
    ],
)
def test_ssh_shows_whether_a_command_was_sent(rc: int, stderr: str, delivery: Delivery) -> None:
    assert delivery_of(("ssh", "login1"), rc, "", stderr) is delivery


def test_a_first_hop_that_is_well_leaves_open_what_the_last_one_did() -> None:
    both = "Connection to login1 closed by remote host.\nConnection closed by UNKNOWN port 65535"
    assert delivery_of(("ssh", "jump", "ssh", "login1"), 255, "", both) is Delivery.OPEN
    answer = delivery_of(("ssh", "login1"), 255, "Modified", "Host key verification failed.")
    assert answer is Delivery.OPEN


@pytest.mark.parametrize(
    ("cut", "result"),
    [(Cut.WELL, Result.DONE), (Cut.BEFORE, Result.NOT_SENT), (Cut.AFTER, Result.DESPITE)],
)
def test_shares_are_read_back_after_a_cut(ssh: FakeSsh, connect: Connect, cut: Cut, result: Result) -> None:
    target = connect()
    _until(target, lambda state: state.tree is not None, "the tree")
    ssh.set(cut)
    report = _apply(target)
    assert [row.result for row in report.rows] == [result]
    assert bool(report.rollback.changes) is result.is_done
    assert not report.rows[0].query
    row, ended = target.state().audit[-2:]
    assert (row.action, row.result, ended.result) == ("set shares", result, result)
    assert (row.who, row.remote_user, row.via) == ("mia", ME, "ssh login1")


@pytest.mark.parametrize(
    ("cut", "result", "words"),
    [(Cut.GONE, Result.DONE, "it was made."), (Cut.LOST, Result.NOT_SENT, "it was not made.")],
)
def test_unknown_shares_are_checked_when_the_cluster_is_back(
    ssh: FakeSsh, connect: Connect, cut: Cut, result: Result, words: str
) -> None:
    target = connect()
    _until(target, lambda state: state.tree is not None, "the tree")
    ssh.set(cut)
    report = _apply(target)
    (row,) = report.rows
    assert row.result is Result.UNKNOWN
    assert not report.rollback.changes
    expected = (
        "sacctmgr -P show assoc where cluster=lab account=hep format=account,user,partition,share,parentname"
    )
    assert " ".join(row.query) == (expected)
    (unknown,) = unknown_rows(target.state().audit)
    assert not target.state().checked
    ssh.set(Cut.WELL)
    target.refresh()
    (checked,) = _until(target, lambda state: state.checked, "the check").checked
    assert (checked.result, checked.checks, checked.who) == (result, unknown.tick, "console")
    assert checked_words([checked]).endswith(f"checked: {words}")
    assert resolved(report, [checked]).rows[0].result is result
    assert not unknown_rows(target.state().audit)
    target.close(wait=True)
    kept = ("set shares", "check set shares")
    first, last = (line for line in lines_of(audit_path("slurm-lab")) if line["action"] in kept)
    assert (first["result"], last["result"], last["checks"]) == ("unknown", str(result), first["tick"])


def test_a_later_session_checks_what_an_earlier_one_left_unknown(ssh: FakeSsh, connect: Connect) -> None:
    first = connect()
    _until(first, lambda state: state.tree is not None, "the tree")
    ssh.set(Cut.GONE)
    _apply(first)
    first.close(wait=True)
    ssh.set(Cut.WELL)
    again = connect()
    (checked,) = _until(again, lambda state: state.checked, "the check").checked
    assert checked.action.split() == ["check", "set", "shares"]
    assert (checked.on, checked.result) == ("hep", Result.DONE)


_CUTS = [
    (Cut.BEFORE, Result.NOT_SENT),
    (Cut.AFTER, Result.DESPITE),
    (Cut.LOST, Result.UNKNOWN),
    (Cut.GONE, Result.UNKNOWN),
]


@pytest.mark.parametrize(("cut", "result"), _CUTS)
@pytest.mark.parametrize("verb", [JobVerb.KILL, JobVerb.EXTEND])
def test_jobs_are_read_back_after_a_cut(
    fake_slurm: FakeSlurm, ssh: FakeSsh, connect: Connect, cut: Cut, result: Result, verb: JobVerb
) -> None:
    after = {
        JobVerb.KILL: _RUNNING.replace("JobState=RUNNING", "JobState=CANCELLED"),
        JobVerb.EXTEND: _RUNNING.replace("TimeLimit=", "TimeLimit=1-"),
    }
    fake_slurm.answer("scontrol", "show", "job", stdout=_RUNNING)
    fake_slurm.answer("scontrol", "update")
    ssh.answer_afterwards("scontrol", "show", "job", stdout=after[verb])
    target = connect()
    _until(target, lambda state: state.settings is not None, "the settings")
    ssh.set(cut)
    (report,) = target.act(JobChange(verb, ("43",), 86_400.0), "mia").result(WAIT_S)
    assert (report.result, ssh.cuts) == (result, 1)
    # Nothing was read afterwards.
    assert not (report.after and result is Result.UNKNOWN)
    assert report.query == (("scontrol", "show", "job", "43") if result is Result.UNKNOWN else ())
    row = target.state().audit[-1]
    assert (row.action, row.result) == (f"{verb} job", result)
    assert (row.who, row.remote_user, row.via) == ("mia", ME, "ssh login1")


@pytest.mark.parametrize(("cut", "result"), _CUTS)
def test_nodes_are_read_back_after_a_cut(
    fake_slurm: FakeSlurm, ssh: FakeSsh, connect: Connect, cut: Cut, result: Result
) -> None:
    fake_slurm.answer("scontrol", "show", "node", stdout=_IDLE)
    fake_slurm.answer("scontrol", "update")
    ssh.answer_afterwards("scontrol", "show", "node", stdout=_DRAINED)
    target = connect()
    _until(target, lambda state: state.settings is not None, "the settings")
    ssh.set(cut)
    change = NodeChange(NodeVerb.DRAIN, ("n1",), "fan")
    (report,) = target.act_on_nodes(change, "mia").result(WAIT_S)
    assert (report.result, ssh.cuts) == (result, 1)
    if result is not Result.UNKNOWN:
        return
    assert says(report.text, "targets.slurm.cannot-read-it-back", refusal=".")
    ssh.set(Cut.WELL)
    target.refresh()
    (checked,) = _until(target, lambda state: state.checked, "the check").checked
    assert checked.result is (Result.DONE if cut is Cut.GONE else Result.NOT_SENT)


def _unknown(action: str, on: str, before: str = "", after: str = "") -> AuditRow:
    row = Author("mia", "", ("ssh", "login1"), "ssadm").row(action, on, before, after, Result.UNKNOWN, "")
    return replace(row, tick=NOW_S)


def _decided(row: AuditRow, part: PartName, **fields: Any) -> AuditRow:
    """Decide one row by a state with these fields."""
    state = ClusterState(1, "lab", audit=(row,), **fields)
    (found,) = decide(state, part, NOW_S + 60.0, Author("console"), lambda _: {"anna": "hep"})
    return found


_JOB = Job(job_id=7, user="anna", partition="batch", states=("RUNNING",), account="hep", time_limit_s=1800.0)
_PENDING = replace(_JOB, states=("PENDING",))


@pytest.mark.parametrize(
    ("action", "before", "after", "jobs", "result"),
    [
        ("kill job", "RUNNING", "", (), Result.DONE),
        ("kill job", "RUNNING", "", (_JOB,), Result.NOT_SENT),
        ("extend job", "25:00", "30:00", (_JOB,), Result.DONE),
        ("extend job", "30:00", "35:00", (_JOB,), Result.NOT_SENT),
        ("extend job", "20:00", "25:00", (_JOB,), Result.DIFFERENT),
        ("extend job", "30:00", "35:00", (), Result.UNKNOWN),
        ("hold job", "PENDING", "", (_PENDING,), Result.NOT_SENT),
        ("hold job", "PENDING", "", (_JOB,), Result.DIFFERENT),
        ("requeue job", "RUNNING", "", (_PENDING,), Result.DONE),
        ("requeue job", "RUNNING", "", (_JOB,), Result.NOT_SENT),
        ("suspend job", "RUNNING", "", (_JOB,), Result.NOT_SENT),
        ("resume job", "SUSPENDED", "", (_JOB,), Result.DONE),
        ("release job", "PENDING (held)", "", (_PENDING,), Result.DONE),
    ],
)
def test_a_job_is_judged_by_what_the_queue_shows(
    action: str, before: str, after: str, jobs: tuple[Job, ...], result: Result
) -> None:
    unknown = _unknown(action, "7", before, after)
    row = _decided(unknown, PartName.JOBS, jobs=jobs)
    assert (row.result, row.checks, row.action) == (result, NOW_S, f"check {action}")
    assert says(row.text, "targets.slurm.sent-at-by-result-unknown", author=unknown.author)


def test_the_tree_judges_shares_limits_and_default_accounts() -> None:
    cluster = small_cluster()

    def result(action: str, on: str, before: str, after: str) -> Result:
        return _decided(_unknown(action, on, before, after), PartName.TREE, tree=cluster).result

    shares = entry_words(Verb.SET, entries_of(cluster)["hep", "", ""])
    assert result("set shares", "hep", "1 share", shares) is Result.DONE
    assert result("set shares", "hep", shares, "77 shares") is Result.NOT_SENT
    assert result("set shares", "hep", "76 shares", "77 shares") is Result.DIFFERENT
    answer = result("remove", "hep", "in physics, 3 shares", "")
    assert answer is Result.NOT_SENT
    answer = result("remove", "gone", "in physics, 3 shares", "")
    assert answer is Result.DONE
    answer = result("set default account", "anna", "bio", "hep")
    assert answer is Result.DONE
    answer = result("set default account", "anna", "hep", "bio")
    assert answer is Result.NOT_SENT


def test_nothing_is_decided_too_early_or_twice() -> None:
    cluster = small_cluster()
    row = _unknown("set shares", "hep", "3 shares", "77 shares")
    state = ClusterState(1, "lab", audit=(row,), tree=cluster)

    def found(state: ClusterState, part: PartName, began_s: float) -> tuple[AuditRow, ...]:
        return decide(state, part, began_s, Author("console"), lambda _: {})

    assert found(state, PartName.TREE, NOW_S - 1.0) == ()
    # It may still come.
    assert found(state, PartName.TREE, NOW_S + 5.0) == ()
    assert found(state, PartName.JOBS, NOW_S + 60.0) == ()
    (checked,) = found(state, PartName.TREE, NOW_S + 60.0)
    assert found(replace(state, audit=(row, checked)), PartName.TREE, NOW_S + 60.0) == ()


def test_decided_results_are_counted_in_a_sentence() -> None:
    def words(*results: Result) -> str:
        rows = [replace(_unknown("check kill job", "7"), result=one, checks=NOW_S) for one in results]
        return checked_words(rows).partition(" checked: ")[2]

    assert words(Result.DONE) == wording("targets.slurm.it-was-made")
    assert words(Result.DONE, Result.DONE) == wording("targets.slurm.both-were-made")
    assert words(Result.NOT_SENT, Result.NOT_SENT) == wording("targets.slurm.neither-was-made")
    assert words(*[Result.DONE] * 3) == wording("targets.slurm.all-were-made")
    assert words(Result.DONE, Result.NOT_SENT) == "1 done, 1 not sent. See Records."
