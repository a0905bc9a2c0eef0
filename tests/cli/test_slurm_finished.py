"""`fsconsole slurm finished` and `slurm node`, with fake tools that tests drive."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from datetime import UTC, datetime

import pytest

from fsconsole.cli.main import run
from fsconsole.recording.audit_log import lines_of
from fsconsole.targets.record import audit_path
from tests.slurm.captured import captured
from tests.slurm.fake.as_text import node_lines
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.texts import Expected, naming, says, span, worded, wording

Out = pytest.CaptureFixture[str]


def test_finished_jobs_are_listed_by_terms(fake_slurm: FakeSlurm, capsys: Out) -> None:
    assert run(["slurm", "finished", "user:mail", "state:failed", "--last", "30000d"]) == 0
    out = capsys.readouterr().out
    assert (
        wording("app.jobs.exit-status", status="127", status_2="")
        + wording("cli.not-found", what="a", name="command was", name_2="")
        in out
    )
    assert "three|bars" in out
    assert "busy" not in out
    last = wording("app.jobs.in-last", span=span(d=30000))
    assert says(out, "app.jobs.ended", count="3 jobs", when=last, states="3 failed")
    (call,) = [call for call in fake_slurm.calls if call.tool == "sacct"]
    assert call.argv[:3] == ("-a", "-X", "-p")  # This cluster measures no CPU time, which steps have.
    assert call.argv[3].startswith("--delimiter=_")
    assert call.argv[4] == "-S"


def test_only_what_ended_in_the_span_is_listed(fake_slurm: FakeSlurm, capsys: Out) -> None:
    """sacct prints what was there at any time of the span, also what runs still."""
    text = captured("finished/sacct.psv").replace("|COMPLETED|0:0|0:0|", "|RUNNING|0:0|0:0|")
    fake_slurm.answer("sacct", stdout=text)
    assert run(["slurm", "finished", "--last", "30000d", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [job["job"] for job in data["jobs"]] == ["7", "3", "2", "9_1", "9_2", "5", "6", "4"]
    assert data["jobs"][0]["how"] == wording("app.jobs.reached-its-time-limit")


def test_the_span_may_end_in_the_past(fake_slurm: FakeSlurm, capsys: Out) -> None:
    """What ended after it is left out, also where sacct prints it as it was there in the span."""
    assert run(["slurm", "finished", "--last", "30000d", "--json"]) == 0
    jobs = json.loads(capsys.readouterr().out)["jobs"]
    middle_s = jobs[3]["end_s"]
    until = datetime.fromtimestamp(middle_s, UTC).isoformat()
    assert run(["slurm", "finished", "--last", "30000d", "--until", until, "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)["jobs"]
    assert kept == [job for job in jobs if job["end_s"] <= middle_s]
    assert 0 < len(kept) < len(jobs)
    *_, call = [call for call in fake_slurm.calls if call.tool == "sacct"]
    assert call.argv[6] == "-E"
    assert run(["slurm", "finished", "--until", "1000d"]) == 0
    out = capsys.readouterr().out
    assert says(out, "app.jobs.no-job-ended")
    assert says(out, "app.jobs.in-until", span=span(d=1))
    for wrong in ("soon", "2999-01-01T00:00"):
        assert run(["slurm", "finished", "--until", wrong]) == 2
        assert "--until: " in capsys.readouterr().err


def test_a_database_that_is_away_is_reported(fake_slurm: FakeSlurm, capsys: Out) -> None:
    fake_slurm.answer("sacct", stderr=captured("finished/sacct-without-slurmdbd.txt"), rc=1)
    assert run(["slurm", "finished"]) == 1
    output = capsys.readouterr().err
    assert says(output, "targets.slurm.slurmdbd-does-not-respond")
    assert f"127.0.0.1:21002: {os.strerror(errno.ECONNREFUSED)}." in output


def test_a_cluster_without_a_database_is_reported(fake_slurm: FakeSlurm, capsys: Out) -> None:
    settings = captured("plain/scontrol-show-config.txt").replace(
        "accounting_storage/slurmdbd", "accounting_storage/none"
    )
    fake_slurm.answer("scontrol", "show", "config", stdout=settings)
    assert run(["slurm", "finished"]) == 1
    assert says(capsys.readouterr().err, "targets.slurm.this-cluster-has-no-slurmdbd")
    assert not [call for call in fake_slurm.calls if call.tool == "sacct"]


def test_what_cannot_be_looked_for_is_wrong_use(fake_slurm: FakeSlurm, capsys: Out) -> None:
    assert run(["slurm", "finished", "user>3"]) == 2
    assert says(capsys.readouterr().err, "app.jobs.is-text-use-contains-or", name="user")
    assert not fake_slurm.calls


def test_a_node_is_drained_read_back_and_logged(fake_slurm: FakeSlurm, capsys: Out) -> None:
    lines = captured("finished/sinfo-drained.psv")
    after = node_lines(lines)
    before = node_lines(lines.replace("|drained|8|0/0/8/8|fan 2 is loud", "|idle|8|0/8/0/8|none"))
    fake_slurm.answer("scontrol", "update")
    fake_slurm.answer("scontrol", "show", "node", stdout=after)
    fake_slurm.answer("scontrol", "show", "node", stdout=before, times=2)
    reason = "fan 2 is loud"
    assert run(["slurm", "node", "drain", "n4", "--reason", reason, "--yes"]) == 0
    done = ["done:", "node", "n4:", "idle", "->", "drained", f"({reason})"]
    assert done in [line.split(maxsplit=6) for line in capsys.readouterr().out.splitlines()]
    assert [call.argv for call in fake_slurm.calls if "update" in call.argv] == [
        ("update", "NodeName=n4", "State=DRAIN", f"Reason={reason}")
    ]
    rows = list(lines_of(audit_path("slurm-lab")))
    assert [(row["action"].split(), row["on"], row["why"]) for row in rows] == [
        (["send", "drain", "node"], "n4", reason),
        (["drain", "node"], "n4", reason),
    ]


@pytest.mark.parametrize("state", ["drained", "draining", "down"])
def test_a_resume_ends_the_state_and_reason_that_the_question_showed(
    fake_slurm: FakeSlurm, capsys: Out, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    before = node_lines(captured("finished/sinfo-drained.psv").replace("|drained|", f"|{state}|"))
    fake_slurm.answer("scontrol", "update")
    fake_slurm.answer("scontrol", "show", "node", stdout=before)
    (row,) = _plain(capsys, "slurm", "node", "resume", "n4", "--dry-run")

    def changes(_text: str) -> str:
        other = before.replace("fan 2 is loud", "fire in rack")
        fake_slurm.answer("scontrol", "show", "node", stdout=other)
        return "y"

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", changes)
    assert run(["slurm", "node", "resume", "n4"]) == 1
    output = capsys.readouterr()
    assert f"note: n4: {state.capitalize()} (fan 2 is loud)." in output.err
    assert says(output.out, "slurm.reason-has-changed-since-it", now=f"{state} (fire in rack)")
    assert run(["slurm", "node", "resume", "n4", "--yes", "--plan", row["plan"]]) == 1
    assert says(capsys.readouterr().err, "cli.nothing-was-changed-plan-is", planned=row["plan"])
    assert not any("update" in call.argv for call in fake_slurm.calls)


def _plain(capsys: Out, *words: str) -> list[dict[str, str]]:
    assert run([*words, "--json"]) == 0
    found: list[dict[str, str]] = json.loads(capsys.readouterr().out)
    return found


def test_a_drain_that_does_nothing_is_not_called_done(fake_slurm: FakeSlurm, capsys: Out) -> None:
    """Exit status 0 proves nothing; what Slurm refuses is said in its words."""
    nodes = node_lines(captured("finished/sinfo-drained.psv"))
    fake_slurm.answer("scontrol", "show", "node", stdout=nodes)
    refusal = "slurm_update error: Invalid user id"
    fake_slurm.answer("scontrol", "update", stderr=f"{refusal}\n", rc=1)
    assert run(["slurm", "node", "drain", "n3", "--reason", "fan", "--yes", "--json"]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert report["result"] == "refused"
    assert refusal in report["text"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("drain", "n1", "--yes"), naming("--reason")),
        (("drain", "n1", "--reason", " ", "--yes"), worded("slurm.slurm-needs-reason-for-drain")),
        (("drain", "n[1-", "--reason", "x", "--yes"), naming("n[1-")),
        (("resume", "n1", "--json"), worded("cli.json-does-not-ask-questions")),
    ],
)
def test_wrong_use(fake_slurm: FakeSlurm, capsys: Out, words: tuple[str, ...], message: Expected) -> None:
    assert run(["slurm", "node", *words]) == 2
    assert says(capsys.readouterr().err, message)
    assert not [call for call in fake_slurm.calls if "update" in call.argv]


def test_nodes_are_listed_with_their_jobs(fake_slurm: FakeSlurm, capsys: Out) -> None:
    assert run(["slurm", "node", "list", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [node["node"] for node in data] == ["n1", "n2", "n3", "n4"]
    assert any(node["jobs"] for node in data)


def test_nodes_in_many_partitions_fit_a_line(fake_slurm: FakeSlurm, capsys: Out) -> None:
    """Lines of a pipe are as wide as the widest: of 20 partitions a few are named."""
    names = [f"partition{number:02}" for number in range(20)]
    shown = captured("plain/scontrol-show-node.txt")
    text = re.sub(r"Partitions=\S+", f"Partitions={','.join(names)}", shown)
    fake_slurm.answer("scontrol", "show", "node", stdout=text, times=2)
    assert run(["slurm", "node", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 160
    assert sum(", ".join(names[:3]) in line and "17 more" in line for line in lines) == 4
    assert run(["slurm", "node", "list", "--json"]) == 0
    assert all(one["partitions"] == names for one in json.loads(capsys.readouterr().out))


def test_reservations_are_listed(fake_slurm: FakeSlurm, capsys: Out) -> None:
    text = captured("odd/scontrol-show-reservation.txt")
    fake_slurm.answer("scontrol", "show", "reservation", stdout=text)
    assert run(["slurm", "reservations", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [one["reservation"] for one in data] == ["ded", "part2", "part3", "maint"]
    assert data[1]["nodes"] == ["n2", "n3"]
    assert data[1]["accounts"] == ["hep", "astro"]
    assert run(["slurm", "reservations"]) == 0
    assert says(capsys.readouterr().out, "app.jobs.all-but", called="user", out="fs_anna")
    fake_slurm.answer("scontrol", "show", "reservation", stdout="No reservations in the system\n")
    assert run(["slurm", "reservations"]) == 0
    assert capsys.readouterr().out == (wording("cli.has-no-reservations", name="lab") + "\n")


def test_jobs_are_listed_with_arrays_in_a_row(
    fake_slurm: FakeSlurm, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    fake_slurm.answer("squeue", "-O", stdout=captured("arrays/squeue-O.txt"))
    assert run(["slurm", "jobs"]) == 0
    out = capsys.readouterr().out
    assert says(out, "slurm.running-pending", running="4", pending="26")
    awaited = [wording("app.jobs.to-end-without-error", job=job) for job in ("1_3", "2")]
    awaited.append(wording("app.jobs.to-end", job="2"))
    assert re.search(wording("app.jobs.waits-for", conditions=".*".join(awaited)), out)
    assert "1_0" not in out
    assert run(["slurm", "jobs", "--tasks", "user:fs_anna"]) == 0
    expected = "  1_[4-29%4]"
    assert expected in capsys.readouterr().out
    assert run(["slurm", "jobs", "--json", "depends:1_3"]) == 0
    (job,) = json.loads(capsys.readouterr().out)
    assert (job["job"], job["waits_for"]) == ("8", ["1_3", "2"])
    assert run(["slurm", "jobs", "fairshare<0.1"]) == 2


def test_that_jobs_of_others_may_be_hidden_is_reported(fake_slurm: FakeSlurm, capsys: Out) -> None:
    """As Slurm 22.05.8 does with PrivateData=jobs,nodes, asked by a user."""
    settings = captured("plain/scontrol-show-config.txt")
    line = next(line for line in settings.splitlines() if line.startswith("PrivateData"))
    private = settings.replace(line, "PrivateData             = jobs,nodes")
    fake_slurm.answer("scontrol", "show", "config", stdout=private, times=3)
    assert run(["slurm", "jobs"]) == 0
    assert says(capsys.readouterr().err, "app.jobs.privatedata-jobs-slurm-shows-jobs")
    assert run(["slurm", "finished", "--last", "30000d"]) == 0
    assert says(capsys.readouterr().err, "targets.slurm.privatedata-may-hide-jobs-of")
    denied = "slurm_load_node error: Access/permission denied\n"
    fake_slurm.answer("scontrol", "show", "node", stderr=denied, rc=1)
    assert run(["slurm", "node", "list"]) == 1
    assert says(capsys.readouterr().err, "targets.slurm.shows-nodes-only-to-operators", tool="scontrol")
