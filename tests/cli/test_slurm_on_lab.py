"""Every command of `fsconsole slurm` on a real cluster through --via, as an operator types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fsconsole.cli.main import run
from fsconsole.targets.slurm.state import PartName
from tests.slurm.lab.lab import Lab

Out = pytest.CaptureFixture[str]


def _json(capsys: Out, *words: str, status: int = 0) -> Any:
    assert run(["slurm", *words, "--json"]) == status
    return json.loads(capsys.readouterr().out)


def _shares(lab: Lab, account: str) -> str:
    words = ("sacctmgr", "-nP", "show", "assoc", f"account={account}", "user=", "format=share")
    return lab.run(*words).stdout.split()[0]


def test_status_show_and_capture(slurm_lab: Lab, tmp_path: Path, capsys: Out) -> None:
    lab, via = slurm_lab, ("--via", slurm_lab.via)
    data = _json(capsys, "status", *via)
    assert data["cluster"] == lab.options.cluster
    assert tuple(map(int, data["version"].split(".")[:2])) == lab.version
    assert {name: part["problem"] for name, part in data["parts"].items()} == dict.fromkeys(PartName, "")
    rows = {(row["account"], row["user"]): row for row in _json(capsys, "show", *via)}
    assert rows["science", ""]["shares"] == 50
    assert 0 < rows["ocean", "games"]["norm_shares"] < 1
    folder = tmp_path / "kept"
    assert run(["slurm", "capture", str(folder), *via]) == 0
    capsys.readouterr()
    computed = _json(capsys, "fairshare", str(folder))
    assert {(row["account"], row["user"]) for row in computed} >= {("ocean", "games"), ("trials", "list")}
    planned = _json(capsys, "forecast", str(folder), "--user", "ocean/games", "--job", "8,0h,1h")
    assert planned["users"][0]["usage_s"][-1] > 0


def test_shares_are_applied_and_reverted(slurm_lab: Lab, tmp_path: Path, capsys: Out) -> None:
    lab, via = slurm_lab, ("--via", slurm_lab.via)
    before = tmp_path / "before.cfg"
    lab.run("sacctmgr", "-i", "dump", lab.options.cluster, f"file={before}")
    text = before.read_text()
    assert text.count("Fairshare=30") == 1
    wanted = tmp_path / "wanted.cfg"
    wanted.write_text(text.replace("Fairshare=30", "Fairshare=33"))
    data = _json(capsys, "apply", str(wanted), "--yes", *via)
    assert [(row["on"], row["result"]) for row in data["rows"]] == [("medicine", "done")]
    assert _shares(lab, "medicine") == "33"
    data = _json(capsys, "apply", str(before), "--yes", *via)
    assert [(row["on"], row["result"]) for row in data["rows"]] == [("medicine", "done")]
    assert _shares(lab, "medicine") == "30"
    assert run(["slurm", "diff", str(before), *via]) == 0


def test_jobs_are_extended_and_killed(slurm_lab: Lab, capsys: Out) -> None:
    lab, via = slurm_lab, ("--via", slurm_lab.via)
    running, held = lab.submit("games", "ocean"), lab.submit("mail", "ocean", "--hold")
    lab.wait_until(lambda: lab.job_states()[running] == "RUNNING", "the job runs")
    data = _json(capsys, "job", "extend", str(running), str(held), "--by", "30min", "--yes", *via)
    assert [row["result"] for row in data] == ["done", "done"]
    limits = lab.run("squeue", "-h", "-o", "%l", "-j", f"{running},{held}").stdout.split()
    assert limits == ["1:30:00", "1:30:00"]
    data = _json(capsys, "job", "kill", str(running), str(held), "--yes", *via)
    assert [row["result"] for row in data] == ["done", "done"]
    lab.cancel_all()
    assert {lab.job_states()[job] for job in (running, held)} == {"CANCELLED"}


def _record(capsys: Out, on: str, *via: str) -> Any:
    return next(one for one in _json(capsys, "records", *via) if one["on"] == on and one["steps"])


def test_what_was_done_is_rolled_back(slurm_lab: Lab, tmp_path: Path, capsys: Out) -> None:
    lab, via = slurm_lab, ("--via", slurm_lab.via)
    # Shares of an account, limits, and a user who is removed.
    before = tmp_path / "before.cfg"
    lab.run("sacctmgr", "-i", "dump", lab.options.cluster, f"file={before}")
    wanted = tmp_path / "wanted.cfg"
    wanted.write_text(before.read_text().replace("Fairshare=30", "Fairshare=33"))
    plan = _json(capsys, "apply", str(wanted), "--dry-run", *via)["plan"]
    _json(capsys, "apply", str(wanted), "--yes", "--plan", plan, *via)
    record = _record(capsys, "medicine", *via)
    where = ("where", "name=medicine", f"cluster={lab.options.cluster}")
    lab.run("sacctmgr", "-i", "modify", "account", *where, "set", "fairshare=40")
    assert run(["slurm", "roll-back", record["id"], "--yes", *via]) == 1
    assert _shares(lab, "medicine") == "40"
    lab.run("sacctmgr", "-i", "modify", "account", *where, "set", "fairshare=33")
    data = _json(capsys, "roll-back", record["id"], "--yes", *via)
    assert [row["result"] for row in data["rows"]] == ["done"]
    assert _shares(lab, "medicine") == "30"
    _json(capsys, "limit", "medicine", "GrpJobs=8", "GrpTRES=cpu=64,mem=2G", "--yes", *via)
    record = _record(capsys, "medicine, medicine", *via)
    data = _json(capsys, "roll-back", record["id"], "--yes", *via)
    assert [row["result"] for row in data["rows"]] == ["done", "done"]
    assert run(["slurm", "diff", str(before), *via]) == 0
    capsys.readouterr()
    # Jobs and nodes.
    held = lab.submit("mail", "ocean", "--hold")
    _json(capsys, "job", "extend", str(held), "--by", "30min", "--yes", *via)
    _json(capsys, "roll-back", _record(capsys, str(held), *via)["id"], "--yes", *via)
    assert lab.run("squeue", "-h", "-o", "%l", "-j", str(held)).stdout.split() == ["1:00:00"]
    _json(capsys, "job", "release", str(held), "--yes", *via)
    lab.wait_until(lambda: lab.job_states()[held] == "RUNNING", "the job runs")
    assert not _record(capsys, str(held), *via)["can_be_rolled_back"]
    _json(capsys, "job", "suspend", str(held), "--yes", *via)
    data = _json(capsys, "roll-back", _record(capsys, str(held), *via)["id"], "--yes", *via)
    assert [row["result"] for row in data] == ["done"]
    node = lab.run("sinfo", "-h", "-N", "-o", "%N").stdout.split()[0]
    _json(capsys, "node", "drain", node, "--reason", "fan", "--yes", *via)
    data = _json(capsys, "roll-back", _record(capsys, node, *via)["id"], "--yes", *via)
    assert [row["result"] for row in data] == ["done"]
    lab.cancel_all()
    assert not _record(capsys, str(held), *via)["can_be_rolled_back"]
