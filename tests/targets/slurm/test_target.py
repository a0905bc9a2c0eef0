"""A cluster behind tools that hang, flood, fail or say nonsense, and one that is well."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from fsconsole.app.slurm_why.associations import why_user
from fsconsole.app.slurm_why.facts import facts_of_state
from fsconsole.recording.audit import Result
from fsconsole.recording.audit_log import lines_of
from fsconsole.shares.edits import SetShares
from fsconsole.slurm.change_set import change_set
from fsconsole.slurm.job_change import JobChange, JobVerb
from fsconsole.targets.record import audit_path
from fsconsole.targets.slurm.base import ClusterTarget
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.model import ClusterModel
from fsconsole.targets.slurm.polling import PaceOptions
from fsconsole.targets.slurm.reading import Found
from fsconsole.targets.slurm.state import ClusterState, Link, PartName
from fsconsole.targets.slurm.target import SlurmTarget
from tests.slurm.captured import captured
from tests.slurm.fake.as_text import node_lines
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.texts import says, wording

WAIT_S = 60.0
QUICK = PaceOptions(settings_s=0.2, tree_s=0.2, usage_s=0.2, jobs_s=0.2, hardware_s=0.2)
BUT_TREE = frozenset(PartName) - {PartName.TREE}

Connect = Callable[..., SlurmTarget]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Make targets, and close them."""
    made: list[SlurmTarget] = []

    def make(
        *prefix: str, pace: PaceOptions | None = None, limit_s: float = WAIT_S, name: str = ""
    ) -> SlurmTarget:
        made.append(SlurmTarget(Location(prefix, name), pace=pace, limit_s=limit_s))
        return made[-1]

    yield make
    for target in made:
        target.close(wait=True)


def _until(target: ClusterTarget, is_so: Callable[[ClusterState], object], what: str) -> ClusterState:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        state = target.state()
        if is_so(state):
            return state
        time.sleep(0.01)
    parts = {part.value: one for part, one in target.state().parts.items()}
    raise AssertionError(f"{what} did not come: {target.state().link}, {parts}")


def _all_read(state: ClusterState) -> bool:
    return all(part.as_of_s is not None for part in state.parts.values())


def _at_rest(state: ClusterState) -> bool:
    return _all_read(state) and not any(part.is_reading for part in state.parts.values())


def _all_tried(state: ClusterState) -> bool:
    return all(part.as_of_s or part.problem for part in state.parts.values())


def test_all_of_a_cluster_is_read(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect()
    assert target.state().link is Link.CONNECTING
    state = _until(target, _at_rest, "everything")
    assert (state.name, state.link) == ("lab", Link.ANSWERS)
    assert state.settings is not None
    assert state.tree is not None
    assert state.standing is not None
    assert len(state.tree.nodes) == len(state.standing.raw_usage) == 23
    assert state.tree.is_complete
    assert {job.state for job in state.jobs} == {"RUNNING", "PENDING"}
    assert {node.name for node in state.nodes} == {"n1", "n2", "n3", "n4"}
    assert {one.name for one in state.partitions} == {"batch", "dedicated", "scavenge"}
    assert not state.reservations
    assert not state.outside
    assert all(part.next_s > part.as_of_s for part in state.parts.values() if part.as_of_s is not None)
    asked = {call.line.partition(" format=")[0] for call in fake_slurm.calls if call.tool == "sacctmgr"}
    assert [one.name for one in state.qos] == ["normal", "high"]
    own = "sacctmgr -nP show assoc WOPLimits cluster=lab"
    expected = {"sacctmgr -nP show assoc cluster=lab", own, "sacctmgr -P show qos"}
    assert asked == expected


def test_serials_grow_and_states_stay(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect(pace=QUICK)
    first = _until(target, _all_read, "everything")
    kept = first.serial, first.tree, first.parts[PartName.JOBS].as_of_s
    later = _until(target, lambda state: state.serial > first.serial + 20, "more")
    assert (first.serial, first.tree, first.parts[PartName.JOBS].as_of_s) == kept
    assert later.tree is first.tree


def test_usage_waits_for_the_sites_period_whoever_asks(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect(pace=QUICK)
    _until(target, _all_read, "everything")
    trees = sum(call.tool == "sacctmgr" for call in fake_slurm.calls)
    for _ in range(3):
        target.refresh()
        target.refresh(PartName.USAGE)
    _until(
        target,
        lambda _: sum(call.tool == "sacctmgr" for call in fake_slurm.calls) > trees + 1,
        "the tree again",
    )
    assert sum(call.tool == "sshare" for call in fake_slurm.calls) == 1


def test_a_tool_that_hangs_keeps_nothing_else(fake_slurm: FakeSlurm, connect: Connect) -> None:
    fake_slurm.answer("squeue", ending="hang", is_deaf=True)
    target = connect(pace=QUICK, limit_s=3.0)
    state = _until(
        target,
        lambda state: all(state.parts[part].as_of_s for part in PartName if part is not PartName.JOBS),
        "what does not hang",
    )
    assert state.parts[PartName.JOBS].is_reading
    state = _until(target, lambda state: state.parts[PartName.JOBS].problem, "the end of what hangs")
    assert state.link is Link.PARTLY
    assert state.parts[PartName.JOBS].problem == wording(
        "targets.slurm.did-not-respond-within-s", tool="squeue", limit_s="3", value=""
    )
    fake_slurm.forget()
    target.refresh(PartName.JOBS)
    _until(target, lambda state: state.jobs and state.link is Link.ANSWERS, "jobs")


def test_a_cluster_that_is_slow_looks_so(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect(pace=QUICK)
    _until(target, _all_read, "everything")
    fake_slurm.answer("scontrol", ending="hang")
    state = _until(target, lambda state: state.link is Link.SLOW, "slowness")
    assert any(part.is_reading for part in state.parts.values())
    assert not any(part.problem for part in state.parts.values())


def test_a_cluster_that_goes_away_and_comes_back(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect(pace=QUICK)
    before = _until(target, _all_read, "everything")
    fake_slurm.slurmctld_is_down()
    fake_slurm.slurmdbd_is_down()
    state = _until(target, lambda state: state.link is Link.NO_ANSWER, "nothing")
    assert (state.tree, state.standing, state.nodes) == (before.tree, before.standing, before.nodes)
    assert state.parts[PartName.TREE].problem.startswith(
        wording("targets.slurm.slurmdbd-does-not-respond", where="", why="")
    )
    assert state.parts[PartName.JOBS].problem.startswith(
        wording("targets.slurm.does-not-respond-2", who="slurmctld")
    )
    assert state.parts[PartName.JOBS].as_of_s is not None
    fake_slurm.forget()
    target.refresh()
    _until(target, lambda state: state.link is Link.ANSWERS, "all of it")


def test_without_slurmdbd_the_tree_is_that_of_sshare(fake_slurm: FakeSlurm, connect: Connect) -> None:
    fake_slurm.slurmdbd_is_down()
    target = connect(pace=QUICK)
    state = _until(target, lambda state: state.tree is not None and _all_tried(state), "a tree")
    assert state.tree is not None
    assert not state.tree.is_complete
    assert state.link is Link.PARTLY
    assert state.standing is not None
    ids = {key: node for node, key in state.tree.keys.items()}
    assert change_set(state.tree, state.tree.shares).refusals
    fake_slurm.forget()
    target.refresh(PartName.TREE)
    after = _until(target, lambda state: state.tree is not None and state.tree.is_complete, "all of it")
    assert after.tree is not None
    assert {key: node for node, key in after.tree.keys.items()} == ids
    assert after.outside == ()


@pytest.mark.parametrize(
    ("tool", "words", "stdout", "problem"),
    [
        (
            "sacctmgr",
            ("show", "assoc"),
            b"\xff\x00garbage|\n" * 50,
            "cannot read the output of sacctmgr: line 1: 2 fields",
        ),
        ("sshare", (), b"", "cannot read the output of sshare:"),
        ("squeue", (), b"1|2|3\n", "cannot read the output of squeue: line 1: a job was left out"),
        ("scontrol", ("show", "node"), b"\n\nx\n", "cannot read the output of scontrol: line 3"),
        ("scontrol", ("show", "partition"), b"{}", "cannot read the output of scontrol:"),
    ],
)
def test_nonsense_is_reported_at_its_part(
    fake_slurm: FakeSlurm, connect: Connect, tool: str, words: tuple[str, ...], stdout: bytes, problem: str
) -> None:
    fake_slurm.answer(tool, *words, stdout=stdout)
    state = _until(connect(), _all_tried, "all parts")
    problems = [part.problem for part in state.parts.values() if part.problem]
    assert len(problems) == 1
    assert problems[0].startswith(problem)
    assert state.link is Link.PARTLY


def test_a_line_that_is_damaged_is_noted(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect(pace=QUICK)
    before = _until(target, _all_read, "everything")
    lines = f"{node_lines('n1|batch|idle|8|0/8/0/8|none')}NodeName=n2 CPUTot=8\n"
    fake_slurm.answer("scontrol", "show", "node", stdout=lines)
    target.refresh()
    state = _until(target, lambda state: len(state.nodes) == 1, "fewer nodes")
    assert len(before.nodes) == 4
    assert state.parts[PartName.NODES].notes == (
        wording(
            "slurm.parsers.line",
            tool="scontrol",
            line="2",
            text=wording("slurm.parsers.was-left-out-it-has", kind="NodeName", name="n2", missing="State"),
        ),
    )


def test_a_squeue_that_does_not_know_a_field_is_asked_for_json(
    fake_slurm: FakeSlurm, connect: Connect
) -> None:
    message = "squeue: error: Invalid job format specification: HetJobOffset\n"
    fake_slurm.answer("squeue", "-O", stderr=message, rc=1)
    target = connect(pace=QUICK)
    _until(target, lambda state: state.jobs, "jobs")
    asked = [call.argv for call in fake_slurm.calls if call.tool == "squeue"]
    assert "-O" in asked[0]
    assert "--json" in asked[1]
    _until(target, lambda _: sum(call.tool == "squeue" for call in fake_slurm.calls) > 2, "jobs again")
    asked = [call.argv for call in fake_slurm.calls if call.tool == "squeue"]
    assert all("--json" in argv for argv in asked[1:])


def test_what_others_change_is_reported_and_what_is_staged_and_done_is_not(
    fake_slurm: FakeSlurm, connect: Connect
) -> None:
    target = connect(pace=QUICK)
    state = _until(target, _all_read, "everything")
    assert state.tree is not None
    hep = state.tree.shares.find("hep").id
    fake_slurm_modify("hep", 7)
    state = _until(target, lambda state: state.outside, "a change")
    assert state.outside[0].line == wording("slurm.shares", node="hep", was="3", now="7")
    assert state.outside[0].edits == (SetShares.of(hep, 7),)
    assert state.tree is not None
    staged = state.tree.shares.copy()
    SetShares.of(hep, 9).apply(staged)
    target.stage(staged)
    rows: list[str] = []
    report = target.apply(
        change_set(state.tree, staged), "me", "because", progress=lambda row: rows.append(row.result)
    ).result(WAIT_S)
    assert [row.result for row in report.rows] == [Result.DONE]
    assert rows[-1:] == [Result.DONE]
    before = state.tree
    state = _until(target, lambda state: state.tree is not before, "the tree as it is now")
    assert state.tree is not None
    assert not change_set(state.tree, staged).changes
    assert len(state.outside) == 1


def fake_slurm_modify(account: str, shares: int) -> None:
    """What somebody else does."""
    words = f"sacctmgr -i modify account where name={account} cluster=lab set fairshare={shares} > /dev/null"
    assert os.system(words) == 0


def test_what_is_done_is_in_the_audit_log_of_every_session(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect()
    state = _until(target, _all_read, "everything")
    assert state.tree is not None
    staged = state.tree.shares.copy()
    SetShares.of(state.tree.shares.find("hep").id, 9).apply(staged)
    changes = change_set(state.tree, staged)
    target.apply(changes, "me", dry_run=True).result(WAIT_S)
    assert target.state().audit == ()
    target.note("arm", "lab", "read-only", "armed", "me", "night shift")
    why = "more for hep"
    target.apply(changes, "me", why).result(WAIT_S)
    armed, begun, sent, changed, ended = rows = target.state().audit
    assert sent.action.split() == ["send", "set", "shares"]
    assert sent.on == "hep"
    assert (ended.action, ended.text) == (wording("targets.slurm.end-of-apply"), "1 done")
    assert (begun.action, begun.on, begun.after) == (
        wording("targets.slurm.start-of-apply"),
        "lab",
        "1 change",
    )
    assert "set fairshare=9" in begun.text
    assert (armed.action, armed.why, armed.done) == ("arm", "night shift", True)
    assert (changed.action, changed.on, changed.done, changed.why) == (
        "set shares",
        "hep",
        True,
        why,
    )
    expected = "sacctmgr -i modify account where name=hep cluster=lab set fairshare=9"
    assert expected in changed.text
    assert abs(changed.tick - time.time()) < WAIT_S
    target.close(wait=True)
    logged = [line["action"] for line in lines_of(audit_path("slurm-lab"))]
    assert logged == [
        "arm",
        wording("targets.slurm.start-of-apply"),
        sent.action,
        "set shares",
        wording("targets.slurm.end-of-apply"),
    ]
    again = connect()
    answer = _until(again, lambda state: state.audit, "cannot read earlier actions:").audit
    assert answer == rows
    assert len({row.act for row in rows[1:]}) == 1


def test_an_audit_log_that_cannot_be_written_is_reported(
    fake_slurm: FakeSlurm, connect: Connect, own_folders: Path
) -> None:
    path = audit_path("slurm-lab")
    path.mkdir(parents=True)
    target = connect()
    _until(target, _all_read, "everything")
    target.note("arm", "lab", "", "", "me")
    state = _until(target, lambda state: "cannot write" in state.audit_problem, "the problem")
    assert len(state.audit) == 1
    path.rmdir()
    target.note("disarm", "lab", "", "", "me")
    _until(target, lambda state: not state.audit_problem, "a disk that is well")
    assert [line["action"] for line in lines_of(path)] == ["arm", "disarm"]


def test_without_a_log_nothing_is_sent_unless_that_is_allowed(
    fake_slurm: FakeSlurm, connect: Connect, own_folders: Path
) -> None:
    audit_path("slurm-lab").mkdir(parents=True)
    target = connect()
    state = _until(target, _all_read, "everything")
    assert state.tree is not None
    staged = state.tree.shares.copy()
    SetShares.of(state.tree.shares.find("hep").id, 9).apply(staged)
    changes = change_set(state.tree, staged)
    (row,) = target.apply(changes, "me").result(WAIT_S).rows
    assert row.result is Result.NOT_SENT
    assert says(row.text, "targets.slurm.nothing-is-run-without-log", problem="")
    job = next(job for job in state.jobs if job.state == "RUNNING")
    lines = captured("preempted/scontrol-show-job-oneline.txt").splitlines()
    record = next(line for line in lines if "JobId=43 " in line).replace("JobId=43 ", f"JobId={job.label} ")
    fake_slurm.answer("scontrol", "show", "job", stdout=re.sub(r"JobState=\w+", "JobState=RUNNING", record))
    (killed,) = target.act(JobChange(JobVerb.KILL, (job.label,)), "me").result(WAIT_S)
    assert (killed.result, killed.command) == (Result.NOT_SENT, ())
    assert not any("-i" in call.argv or call.tool == "scancel" for call in fake_slurm.calls)
    target.may_act_unlogged = True
    (row,) = target.apply(changes, "me").result(WAIT_S).rows
    assert row.result is Result.DONE


def test_a_dry_run_runs_nothing(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect(pace=PaceOptions(jobs_s=600, hardware_s=600, tree_s=600, usage_s=600))
    state = _until(target, _all_read, "everything")
    assert state.tree is not None
    calls = len(fake_slurm.calls)
    staged = state.tree.shares.copy()
    SetShares.of(state.tree.shares.find("hep").id, 9).apply(staged)
    report = target.apply(change_set(state.tree, staged), "me", dry_run=True).result(WAIT_S)
    assert [row.result for row in report.rows] == [Result.DRY_RUN]
    job = next(job for job in state.jobs if job.state == "RUNNING")
    jobs = target.act(JobChange(JobVerb.KILL, (job.label,)), "me", dry_run=True).result(WAIT_S)
    assert [one.result for one in jobs] == [Result.DRY_RUN]
    assert jobs[0].command[0] == "scancel"
    assert len(fake_slurm.calls) == calls


def test_what_may_not_be_done_is_refused_in_the_clusters_words(
    fake_slurm: FakeSlurm, connect: Connect
) -> None:
    target = connect()
    state = _until(target, _all_read, "everything")
    fake_slurm.permission_is_denied()
    assert state.tree is not None
    staged = state.tree.shares.copy()
    SetShares.of(state.tree.shares.find("hep").id, 9).apply(staged)
    report = target.apply(change_set(state.tree, staged), "me").result(WAIT_S)
    assert [row.result for row in report.rows] == [Result.REFUSED]
    assert "privilege" in report.rows[0].text
    assert [row.done for row in target.state().audit if row.action == "set shares"] == [False]


def test_jobs_are_acted_on_while_the_tree_hangs(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect()
    state = _until(target, _all_read, "everything")
    assert state.tree is not None
    fake_slurm.answer("sacctmgr", "modify", ending="hang")
    staged = state.tree.shares.copy()
    SetShares.of(state.tree.shares.find("hep").id, 9).apply(staged)
    applied = target.apply(change_set(state.tree, staged), "me")
    _until(target, lambda state: state.doing, "the change")
    assert target.state().doing.split() == ["applying", "1", "change"]
    target.act(JobChange(JobVerb.KILL, ("999999",)), "me").result(WAIT_S)
    assert not applied.done()
    target.close()
    report = applied.result(WAIT_S)
    assert [row.result for row in report.rows] != [Result.DONE]


def test_priorities_are_asked_for_on_demand_and_the_newest_counts(
    fake_slurm: FakeSlurm, connect: Connect
) -> None:
    target = connect(pace=QUICK)
    _until(target, _all_read, "everything")
    assert not any(call.tool == "sprio" for call in fake_slurm.calls)
    assert target.priority_of("19").result(WAIT_S).rows[0].parts["fairshare"] == 10594
    fake_slurm.answer("sprio", delay_s=0.5, times=1)
    first = target.priority_of("22")
    _until(target, lambda _: first.running(), "the first question")
    second, third = target.priority_of("19"), target.priority_of("22")
    assert second.cancelled()
    assert third.result(WAIT_S).rows[0].user == "fs_lars"
    assert first.result(WAIT_S).reason
    assert sum(call.tool == "sprio" for call in fake_slurm.calls) == 3
    assert target.state().doing == ""


def test_all_that_is_to_be_applied_can_be_stopped(fake_slurm: FakeSlurm, connect: Connect) -> None:
    target = connect()
    state = _until(target, _all_read, "everything")
    assert state.tree is not None
    fake_slurm.answer("sacctmgr", "modify", delay_s=1.0)
    staged = state.tree.shares.copy()
    users = [node.id for node in staged.walk() if not node.is_group]
    SetShares(tuple((node, 77) for node in users[:9])).apply(staged)
    changes = change_set(state.tree, staged)
    first, second = target.apply(changes, "me"), target.apply(changes, "me")
    _until(
        target, lambda _: any("modify" in call.argv for call in fake_slurm.calls), "the first of the changes"
    )
    target.stop_applying()
    results = [[row.result for row in future.result(WAIT_S).rows] for future in (first, second)]
    assert results[0][-1] is Result.NOT_SENT
    assert set(results[1]) == {Result.NOT_SENT}
    assert sum("modify" in call.argv for call in fake_slurm.calls) < len(changes.changes)


def test_a_fault_of_ours_is_over_with_the_next_reading(
    fake_slurm: FakeSlurm, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, failed, was_seen = ClusterModel.take, set[PartName](), threading.Event()

    def faulty(model: ClusterModel, part: PartName, found: Found, cluster: str) -> dict[str, Any]:
        if part in (PartName.TREE, PartName.USAGE) and not was_seen.is_set():
            failed.add(part)
            raise RuntimeError("no more")
        return take(model, part, found, cluster)

    monkeypatch.setattr(ClusterModel, "take", faulty)
    target = connect(pace=QUICK)
    _until(target, lambda state: state.parts[PartName.TREE].problem == "RuntimeError: no more", "the fault")
    was_seen.set()
    _until(target, lambda state: state.tree is not None and state.tree.is_complete, "the stored tree")
    _until(target, lambda state: state.standing is not None, "the usage")
    assert PartName.TREE in failed


def test_closing_ends_what_hangs(fake_slurm: FakeSlurm, connect: Connect) -> None:
    fake_slurm.answer("squeue", ending="hang")
    target = connect()
    _until(target, lambda _: any(call.tool == "squeue" for call in fake_slurm.calls), "what hangs")
    before = {thread for thread in threading.enumerate() if thread.name.startswith("slurm cluster")}
    assert before
    target.close(wait=True)
    for thread in before:
        thread.join(WAIT_S)
    assert not any(thread.is_alive() for thread in before)
    with pytest.raises(CancelledError):
        target.act(JobChange(JobVerb.KILL, ("1",)), "me").result(WAIT_S)


def test_no_slurm_here(connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    target = connect()
    state = _until(target, lambda state: state.link is Link.NO_ANSWER, "nothing")
    assert state.name == "this machine"
    advice = wording("targets.slurm.is-slurm-installed-command-prefix")
    assert says(
        state.parts[PartName.TREE].problem,
        "targets.slurm.not-found-here",
        program="sacctmgr",
        advice=advice,
    )
    assert connect("ssh", "login1").state().name == "ssh login1"
    name = "the big one"
    assert connect("ssh", "login1", name=name).state().name == name


def test_a_prefix_stands_before_every_command(fake_slurm: FakeSlurm, connect: Connect) -> None:
    kept = fake_slurm.folder / "prefixed"
    script = fake_slurm.bin / "through"
    script.write_text(f'#!/bin/sh\necho "$*" >> "{kept}"\nexec "$@"\n')
    script.chmod(0o755)
    state = _until(connect("through"), _all_read, "everything")
    assert state.link is Link.ANSWERS
    found = set(kept.read_text().split())
    assert found > {"scontrol", "sacctmgr", "sshare", "squeue", "timeout"}


def test_rows_that_private_data_leaves_are_kept(connect: Connect, fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("sshare", stdout=captured("private/classic-fs_anna.psv"))
    target = connect(pace=QUICK)
    state = _until(target, lambda state: state.shown, "rows of sshare")
    assert state.standing is None
    assert "PrivateData=usage" in state.parts[PartName.USAGE].problem
    assert state.shown is not None
    assert {user for user in state.shown.tree.user if user} == {"fs_anna"}
    state = _until(target, lambda state: state.tree, "associations")
    answer = why_user(facts_of_state(state), "fs_anna@astro")
    hidden = wording("app.slurm_why.its-position-among-others-is")
    assert answer.sentences[0] == wording(
        "app.slurm_why.has-fairshare", standing="fs_anna", factor="0.0656", at=hidden
    )
    fake_slurm.answer("sshare", stdout=captured("running.psv"))
    target.refresh(PartName.USAGE)
    state = _until(target, lambda state: state.standing, "usage")
    assert state.shown is None
