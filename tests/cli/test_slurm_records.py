"""Plans, `fsconsole slurm records` and `roll-back`, with fake tools that tests drive."""

from __future__ import annotations

import json
import re
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fsconsole.cli.main import run
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.recording.audit_log import AuditLog, lines_of
from fsconsole.targets.slurm.audit_keeper import row_of
from fsconsole.targets.slurm.kept_places import log_path, place_key
from fsconsole.targets.slurm.location import Location
from tests.slurm.captured import captured
from tests.slurm.fake.as_text import in_one_line
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.texts import says

Out = pytest.CaptureFixture[str]
AT = 1_795_168_000
_JOBS = captured("preempted/scontrol-show-job-oneline.txt").splitlines()
_RUNNING = re.sub(r"JobState=\w+", "JobState=RUNNING", next(one for one in _JOBS if "JobId=43 " in one))


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """The tree of the cluster that the fake tools speak of, with other shares for hep and astro."""
    file = tmp_path / "wanted.cfg"
    text = captured("plain/dump.cfg")
    for account, shares in (("hep", 7), ("astro", 9)):
        text = re.sub(rf"(Account - '{account}'.*Fairshare=)\d+", rf"\g<1>{shares}", text)
    file.write_text(text)
    return file


def _changing(fake: FakeSlurm) -> list[str]:
    return [call.line for call in fake.calls if call.argv[:1] == ("-i",) or call.tool == "scancel"]


def _json(capsys: Out, *words: str, status: int = 0) -> Any:
    capsys.readouterr()
    assert run(["slurm", *words, "--json"]) == status
    return json.loads(capsys.readouterr().out)


def _meddle(account: str, shares: int) -> None:
    """Let somebody else set shares."""
    import subprocess

    where = ["where", f"name={account}", "cluster=lab"]
    command = ["sacctmgr", "-i", "modify", "account", *where, "set", f"fairshare={shares}"]
    subprocess.run(command, check=True, capture_output=True)


# -- plans ---------------------------------------------------------------------------------------------------


def test_exactly_the_plan_that_was_shown_is_applied(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    plan = _json(capsys, "apply", str(dump), "--dry-run")["plan"]
    assert run(["slurm", "apply", str(dump), "--dry-run"]) == 0
    assert plan in capsys.readouterr().out
    assert run(["slurm", "apply", str(dump), "--dry-run", "--plan", plan]) == 0
    assert _changing(fake_slurm) == []
    assert run(["slurm", "apply", str(dump), "--yes", "--plan", plan]) == 0
    assert len(_changing(fake_slurm)) == 2


def test_another_cluster_state_or_file_is_another_plan(
    fake_slurm: FakeSlurm, dump: Path, capsys: Out
) -> None:
    plan = _json(capsys, "apply", str(dump), "--dry-run")["plan"]
    _meddle("hep", 5)
    sent = len(_changing(fake_slurm))
    assert run(["slurm", "apply", str(dump), "--yes", "--plan", plan]) == 1
    err = capsys.readouterr().err
    assert says(err, "cli.nothing-was-changed-plan-is", planned=plan)
    _meddle("hep", 3)
    dump.write_text(dump.read_text().replace("Fairshare=9", "Fairshare=8"))
    assert run(["slurm", "apply", str(dump), "--yes", "--plan", plan]) == 1
    assert len(_changing(fake_slurm)) == sent + 1
    dump.write_text(dump.read_text().replace("Fairshare=8", "Fairshare=9"))
    assert run(["slurm", "apply", str(dump), "--yes", "--plan", plan]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ("apply", "FILE"),
        ("limit", "hep", "MaxJobs=8"),
        ("job", "kill", "43"),
        ("job", "hold", "19"),
        ("job", "extend", "43", "--by", "1h"),
        ("node", "drain", "n1", "--reason", "fan"),
        ("node", "resume", "n1"),
    ],
)
def test_each_command_that_asks_takes_a_plan(
    words: tuple[str, ...], fake_slurm: FakeSlurm, dump: Path, capsys: Out
) -> None:
    fake_slurm.answer("scontrol", "show", "job", stdout=_RUNNING)
    command = [str(dump) if word == "FILE" else word for word in words]
    found = _json(capsys, *command, "--dry-run")
    plan = found["plan"] if isinstance(found, dict) else found[0]["plan"]
    assert run(["slurm", *command, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    # A plan of which everything would be refused is not offered.
    assert (plan in shown) is not says(shown, "targets.slurm.this-would-be-refused")
    for more in (["--yes"], ["--dry-run"]):
        assert run(["slurm", *command, *more, "--plan", "0000000000"]) == 1
        assert says(capsys.readouterr().err, "cli.nothing-was-changed-plan-is", now=plan)
    assert _changing(fake_slurm) == []
    assert not any("update" in call.argv for call in fake_slurm.calls)


def test_a_plan_is_of_the_place_that_it_was_made_at(
    fake_slurm: FakeSlurm, dump: Path, capsys: Out, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cluster of the same name elsewhere is another one."""
    elsewhere = tmp_path / "elsewhere.conf"
    elsewhere.touch()
    for words in (("apply", str(dump)), ("job", "kill", "43"), ("node", "drain", "n1", "--reason", "fan")):
        monkeypatch.delenv("SLURM_CONF", raising=False)
        found = _json(capsys, *words, "--dry-run")
        plan = found["plan"] if isinstance(found, dict) else found[0]["plan"]
        assert run(["slurm", *words, "--dry-run", "--plan", plan]) == 0
        monkeypatch.setenv("SLURM_CONF", str(elsewhere))
        assert run(["slurm", *words, "--yes", "--plan", plan]) == 1
        assert says(capsys.readouterr().err, "cli.nothing-was-changed-plan-is", planned=plan)
    assert _changing(fake_slurm) == []
    assert not any("update" in call.argv for call in fake_slurm.calls)


def test_what_is_sent_to_jobs_is_what_was_planned_also_after_the_question(
    fake_slurm: FakeSlurm, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_slurm.answer("scontrol", "show", "job", stdout=_RUNNING)
    plan = _json(capsys, "job", "kill", "43", "--dry-run")[0]["plan"]

    def changes(_text: str) -> str:
        stopped = _RUNNING.replace("JobState=RUNNING", "JobState=SUSPENDED")
        fake_slurm.answer("scontrol", "show", "job", stdout=stopped)
        return "y"

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", changes)
    assert run(["slurm", "job", "kill", "43", "--plan", plan]) == 1
    assert says(capsys.readouterr().err, "cli.nothing-was-changed-plan-is", planned=plan)
    assert _changing(fake_slurm) == []


def test_what_is_sent_to_nodes_is_what_was_planned_also_after_the_question(
    fake_slurm: FakeSlurm, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("node", "drain", "n1", "--reason", "fan")
    plan = _json(capsys, *words, "--dry-run")[0]["plan"]

    def changes(_text: str) -> str:
        text = in_one_line(captured("plain/scontrol-show-node.txt"))
        fake_slurm.answer("scontrol", "show", "node", stdout=re.sub(r"State=\w+", "State=DOWN", text))
        return "y"

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", changes)
    assert run(["slurm", *words, "--plan", plan]) == 1
    assert says(capsys.readouterr().err, "cli.nothing-was-changed-plan-is", planned=plan)
    assert not any("update" in call.argv for call in fake_slurm.calls)


@pytest.mark.parametrize("is_shown", [False, True], ids=["comes later", "was shown"])
def test_an_answer_confirms_the_dangers_that_were_shown(
    fake_slurm: FakeSlurm, capsys: Out, is_shown: bool
) -> None:
    """The job of scontrol's record has run 29 of its 30 minutes; squeue lists it, or another one."""
    jobs = json.loads(captured("plain/squeue.json"))
    jobs["jobs"][0] |= {"job_id": 43 if is_shown else 7, "start_time": int(time.time()) - 29 * 60}
    fake_slurm.answer("squeue", "-O", stderr="squeue: error: Invalid job format specification\n", rc=1)
    fake_slurm.answer("squeue", "--json", stdout=json.dumps(jobs))
    before = _RUNNING.replace("RunTime=00:00:17", "RunTime=00:29:00")
    after = before.replace("TimeLimit=00:30:00", "TimeLimit=00:26:00")
    fake_slurm.answer("scontrol", "show", "job", stdout=after)
    fake_slurm.answer("scontrol", "show", "job", stdout=before, times=1)
    status = run(["slurm", "job", "extend", "43", "--by=-4min", "--yes", "--json"])
    output = capsys.readouterr()
    (row,) = json.loads(output.out)
    assert says(output.err, "slurm.job-has-run-longer-than") is is_shown
    assert any("update" in call.argv for call in fake_slurm.calls) is is_shown
    assert (status, row["result"]) == ((0, "done") if is_shown else (1, "refused"))
    assert is_shown or says(row["text"], "slurm.job-has-run-longer-than")


# -- records -------------------------------------------------------------------------------------------------


def test_an_apply_is_listed_and_rolled_back(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    assert run(["slurm", "apply", str(dump), "--yes", "--reason", "board"]) == 0
    (record,) = [one for one in _json(capsys, "records") if one["steps"]]
    values = sorted(zip(record["before"].split(", "), record["after"].split(", "), strict=True))
    assert values == [("1 share", "9 shares"), ("3 shares", "7 shares")]
    assert record["can_be_rolled_back"]
    assert record["reason"] == "board"
    assert run(["slurm", "records"]) == 0
    assert record["id"] in capsys.readouterr().out
    plan = _json(capsys, "roll-back", record["id"], "--dry-run")["plan"]
    assert len(_changing(fake_slurm)) == 2
    back = _json(capsys, "roll-back", record["id"], "--yes", "--plan", plan, "--reason", "too early")
    assert [row["result"] for row in back["rows"]] == ["done", "done"]
    sent = [line.rpartition("=")[2] for line in _changing(fake_slurm)]
    assert (set(sent[:2]), set(sent[2:])) == ({"7", "9"}, {"1", "3"})
    newest, first = [one for one in _json(capsys, "records") if one["steps"]]
    assert newest["undoes"] == record["id"]
    assert newest["can_be_rolled_back"]
    assert not first["can_be_rolled_back"]
    assert first["why_not"]
    assert run(["slurm", "roll-back", record["id"], "--yes"]) == 1


def test_the_value_of_somebody_else_stays(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    assert run(["slurm", "apply", str(dump), "--yes"]) == 0
    (record,) = [one for one in _json(capsys, "records") if one["steps"]]
    _meddle("hep", 50)
    sent = len(_changing(fake_slurm))
    assert run(["slurm", "roll-back", record["id"], "--yes"]) == 0
    assert says(capsys.readouterr().err, "cli.note-is-left-out", on="hep")
    assert [line for line in _changing(fake_slurm)[sent:] if "hep" in line] == []
    (hep,) = [step for step in record["steps"] if step["on"] == "hep"]
    assert run(["slurm", "roll-back", hep["id"], "--yes"]) == 1
    assert "50 shares" in capsys.readouterr().err


def test_a_killed_apply_offers_its_way_back(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    assert run(["slurm", "apply", str(dump), "--yes"]) == 0
    (log,) = _logs()
    kept = [line for line in log.read_text().splitlines() if '"send ' in line or "start of" in line]
    log.write_text("".join(f"{line}\n" for line in kept))
    capsys.readouterr()
    found = None
    for command in (["apply", str(dump), "--yes"], ["status"], ["records"]):
        assert run(["slurm", *command]) == 0
        output = capsys.readouterr()
        found = re.search(r"fsconsole slurm roll-back (\w+) --dry-run", output.err + output.out)
        assert found, command
        log.write_text("".join(f"{line}\n" for line in kept))
    assert found
    assert run(["slurm", "roll-back", found[1], "--yes"]) == 0
    assert _changing(fake_slurm)[-1].rpartition("=")[2] in ("3", "1")


def _logs() -> list[Path]:
    from platformdirs import user_state_path

    return [*(user_state_path("fsconsole") / "audit").rglob("*.jsonl")]


def _keep(action: str, on: str, before: str, after: str, **more: Any) -> None:
    row = AuditRow(AT, "hale", action, on, before, after, Result.DONE, "", "", **more)
    log = log_path("lab", place_key(Location()))
    AuditLog(log, 1, datetime(1970, 1, 1, tzinfo=UTC), private=True).write([row])


def test_actions_on_jobs_and_nodes_go_back(fake_slurm: FakeSlurm, capsys: Out) -> None:
    known = {job["job_id"]: job for job in json.loads(captured("plain/squeue.json"))["jobs"]}
    held = next(number for number, job in known.items() if job["job_state"] == "PENDING")
    _keep("release job", str(held), "PENDING (held)", "PENDING")
    _keep("resume node", "n1", "drained (fan)", "idle")
    _keep("kill job", "3", "RUNNING", "")
    killed, node, job = _json(capsys, "records")
    assert killed["why_not"]
    dry = _json(capsys, "roll-back", job["id"], "--dry-run")
    assert dry[0]["command"] == ["scontrol", "hold", str(held)]
    dry = _json(capsys, "roll-back", node["id"], "--dry-run")
    assert dry[0]["command"][-2:] == ["State=DRAIN", "Reason=fan"]
    assert run(["slurm", "roll-back", killed["id"], "--yes"]) == 1
    assert not any("update" in call.argv for call in fake_slurm.calls)


def test_bad_input_is_one_sentence(fake_slurm: FakeSlurm, capsys: Out) -> None:
    assert run(["slurm", "records"]) == 0
    assert says(capsys.readouterr().out, "cli.no-action-on-from-here", name="lab")
    assert _json(capsys, "records") == []
    assert run(["slurm", "roll-back", "nonsense", "--yes"]) == 1
    assert says(capsys.readouterr().err, "cli.no-record-of-fsconsole-slurm", identity="nonsense")
    _keep("arm", "lab", "read-only", "armed")
    (armed,) = _json(capsys, "records")
    assert run(["slurm", "roll-back", armed["id"], "--yes"]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert run(["slurm", "roll-back", armed["id"], "--json"]) == 2
    fake_slurm.slurmctld_is_down()
    fake_slurm.slurmdbd_is_down()
    assert run(["slurm", "records"]) == 1


def test_a_roll_back_names_its_record_in_the_log(fake_slurm: FakeSlurm, dump: Path, capsys: Out) -> None:
    assert run(["slurm", "apply", str(dump), "--yes"]) == 0
    (record,) = [one for one in _json(capsys, "records") if one["steps"]]
    assert run(["slurm", "roll-back", record["id"], "--yes"]) == 0
    (log,) = _logs()
    rows = [row for row in map(row_of, lines_of(log)) if row is not None]
    assert {row.undoes for row in rows} == {"", record["id"]}


def test_records_of_a_cluster_are_not_those_of_one_that_is_unknown(
    fake_slurm: FakeSlurm, dump: Path, capsys: Out
) -> None:
    assert run(["slurm", "apply", str(dump), "--yes"]) == 0
    before = {path: path.read_bytes() for path in _state_files()}
    fake_slurm.slurmctld_is_down()
    assert run(["slurm", "records"]) == 0
    out, err = capsys.readouterr()
    assert sum(says(line, "cli.settings-cannot-be-read-so") for line in err.splitlines()) == 1
    assert says(out, "cli.no-action-on-from-here")
    assert {path: path.read_bytes() for path in _state_files()} == before
    assert run(["slurm", "apply", str(dump), "--yes"]) in (0, 1, 4)
    known = {path: path.read_bytes() for path in _state_files() if path in before}
    assert known == before


def _state_files() -> list[Path]:
    from platformdirs import user_state_path

    return [path for path in user_state_path("fsconsole").rglob("*") if path.is_file()]
