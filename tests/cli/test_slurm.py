"""`fsconsole slurm fairshare` as a user types it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from fsconsole.cli.main import run
from fsconsole.resources import resource
from fsconsole.slurm.parsers.scontrol_config import UNKNOWN_RULE
from tests.texts import says

CAPTURES = Path(__file__).parents[1] / "slurm" / "captures"


def test_json_has_an_object_an_association(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["slurm", "fairshare", str(CAPTURES / "drained.psv"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    ben = next(row for row in rows if row["user"] == "fs_ben")
    assert ben["account"] == "hep"
    assert ben["fairshare"] == pytest.approx(0.117739, abs=1e-5)
    assert ben["norm_shares"] == pytest.approx(0.077160, abs=1e-6)
    assert ben["effective_usage"] == pytest.approx(0.238143, abs=1e-5)
    assert ben["level_fs"] is None


def test_fair_tree_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["slurm", "fairshare", str(CAPTURES / "fairtree.psv"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert next(row for row in rows if row["user"] == "fs_kim")["fairshare"] == pytest.approx(14 / 15)
    assert rows[0]["fairshare"] is None
    assert rows[1]["level_fs"] == "inf"


def test_the_table_says_where_the_cluster_did_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["slurm", "fairshare", str(CAPTURES / "fairtree.psv"), "--classic"]) == 0
    out, err = capsys.readouterr()
    assert "fs_kim" in out
    assert says(err, "cli.note-cluster-itself-used-when", now="Fair Tree")


def test_dampening_flattens(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["slurm", "fairshare", str(CAPTURES / "drained.psv"), "--damp", "3", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    ben = next(row for row in rows if row["user"] == "fs_ben")
    assert ben["fairshare"] == pytest.approx(0.117739 ** (1 / 3), abs=1e-5)


def test_a_capture_folder_gives_the_algorithm_and_its_factor(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = shutil.copytree(resource("slurm-capture"), tmp_path / "capture")
    config = (folder / "settings.txt").read_text(encoding="utf-8")
    old = "FairShareDampeningFactor = 1"
    anna = {"classic": 0.198133, "damped": 0.198133 ** (1 / 3)}

    def fairshare_of_anna(*words: str) -> float:
        assert run(["slurm", "fairshare", str(folder), *words, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        return float(
            next(one["fairshare"] for one in rows if (one["account"], one["user"]) == ("ocean", "anna"))
        )

    assert fairshare_of_anna() == pytest.approx(anna["classic"], abs=1e-6)
    (folder / "settings.txt").write_text(config.replace(old, old[:-1] + "3"), encoding="utf-8")
    assert fairshare_of_anna() == pytest.approx(anna["damped"], abs=1e-5)
    assert fairshare_of_anna("--damp", "1") == pytest.approx(anna["classic"], abs=1e-6)
    (folder / "settings.txt").write_text(config.replace("NO_FAIR_TREE", ""), encoding="utf-8")
    assert fairshare_of_anna() == pytest.approx(fairshare_of_anna("--fair-tree"))
    assert fairshare_of_anna("--classic") == pytest.approx(anna["classic"], abs=1e-6)
    (folder / "settings.txt").write_text(config.replace("NO_FAIR_TREE", "DEPTH_OBLIVIOUS"), encoding="utf-8")
    assert run(["slurm", "fairshare", str(folder)]) == 1
    assert UNKNOWN_RULE in capsys.readouterr().err


def test_a_capture_folder_is_as_good_as_what_sshare_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = resource("slurm-capture")
    assert run(["slurm", "fairshare", str(folder), "--json"]) == 0
    by_folder = capsys.readouterr().out
    assert run(["slurm", "fairshare", str(folder / "usage.txt"), "--json"]) == 0
    assert capsys.readouterr().out == by_folder
    assert run(["slurm", "forecast", str(folder), "--user", "ocean/anna"]) == 0
    capsys.readouterr()
    assert run(["slurm", "forecast", str(tmp_path), "--user", "anna"]) == 2
    assert says(capsys.readouterr().err, "app.is-not", kind="a folder", wanted="output of sshare")


def test_bad_input_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = tmp_path / "cut.psv"
    whole = (CAPTURES / "drained.psv").read_text(encoding="utf-8")
    damaged.write_text(whole[: whole.index("0.098765")], encoding="utf-8")
    assert run(["slurm", "fairshare", str(damaged)]) == 1
    assert "cut.psv" in capsys.readouterr().err
    assert run(["slurm", "fairshare", str(CAPTURES / "drained.psv"), "--damp", "0"]) == 2
    assert run(["slurm", "fairshare", str(CAPTURES / "fairtree.psv"), "--damp", "2"]) == 2


_ON_JOBS = (
    ("hold",),
    ("release",),
    ("kill",),
    ("requeue",),
    ("suspend",),
    ("resume",),
    ("extend", "--by", "1h"),
)


@pytest.mark.parametrize("verb", _ON_JOBS)
def test_a_dry_run_on_a_capture_takes_the_state_of_jobs_from_it(
    capsys: pytest.CaptureFixture[str], verb: tuple[str, ...]
) -> None:
    folder = str(resource("slurm-capture"))
    rows = [row.split("|") for row in (resource("slurm-capture") / "jobs.txt").read_text().splitlines()]
    states = {row[0]: row[9] for row in rows if row[0] == row[1] and row[2] == "N/A"}
    for job in ("1", "32", next(one for one, state in states.items() if state == "RUNNING")):
        run(["slurm", "job", verb[0], job, *verb[1:], "--capture", folder, "--dry-run", "--json"])
        (found,) = json.loads(capsys.readouterr().out)
        is_refused = says(found["text"], "targets.slurm.this-would-be-refused")
        assert bool(found["before"] or is_refused)
        assert not says(found["text"], "targets.slurm.cannot-read-its-state")
        printed = run(["slurm", "job", verb[0], job, *verb[1:], "--capture", folder, "--dry-run"])
        assert printed == 0
        assert ("--plan" in capsys.readouterr().out) is not is_refused
    run(["slurm", "job", verb[0], "999", *verb[1:], "--capture", folder, "--dry-run"])
    out = capsys.readouterr().out
    assert says(out, "targets.slurm.this-would-be-refused")
    assert "--plan" not in out


@pytest.mark.parametrize(("verb", "is_refused"), [("drain", False), ("resume", True)])
def test_a_dry_run_on_a_capture_takes_the_state_of_nodes_from_it(
    capsys: pytest.CaptureFixture[str], verb: str, *, is_refused: bool
) -> None:
    words = ["slurm", "node", verb, "n[1-4]", "--reason", "disk", "--capture", str(resource("slurm-capture"))]
    assert run([*words, "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["node"] for one in found] == ["n1", "n2", "n3", "n4"]
    assert all(one["before"] for one in found)
    assert all(says(one["text"], "targets.slurm.this-would-be-refused") is is_refused for one in found)


def test_a_note_names_each_reason_for_which_values_lag_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = shutil.copytree(resource("slurm-capture"), tmp_path / "capture")
    lines = (folder / "usage.txt").read_text().splitlines(keepends=True)
    (folder / "usage.txt").write_text("".join(line for line in lines if "|cora|" not in line))
    assert run(["slurm", "show", "--capture", str(folder), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    reasons = {row["lag"]: 0 for row in rows if row["lag"]}
    for row in rows:
        reasons |= {row["lag"]: reasons[row["lag"]] + 1} if row["lag"] else {}
    assert len(reasons) > 1
    assert run(["slurm", "show", "--capture", str(folder)]) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if line.endswith(tuple(reasons))]
    assert len(notes) == len(reasons)
    for reason, count in reasons.items():
        (note,) = (line for line in notes if line.endswith(reason))
        assert (f"{count - 1} other" in note) is (count > 1)


@pytest.mark.parametrize("words", [("study", "check"), ("slurm", "why", "gina", "--capture")])
def test_a_pipe_is_not_called_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    pipe = tmp_path / "ff"
    os.mkfifo(pipe)
    assert run([*words, str(pipe)]) == 2
    there = capsys.readouterr().err
    assert run([*words, str(tmp_path / "gone")]) == 2
    gone = capsys.readouterr().err
    assert " pipe" in there
    assert " pipe" not in gone
