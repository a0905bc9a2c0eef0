"""`fsconsole slurm control` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsconsole.cli.main import run
from tests.texts import Expected, naming, says, worded

DRAINED = str(Path(__file__).parents[1] / "slurm" / "captures" / "drained.psv")
MANY = "2500,380,147787,700"


def test_the_papers_padding_and_factor(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["slurm", "control", "--generate", MANY, "--target", "10000", "--json"]
    assert run(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["padding"]["usage_s"] == 90e9  # Table 1: 2501 users with the artificial one
    assert found["padding"]["lost_a_day_s"] == pytest.approx(8484870216.2484, abs=1e-3)
    assert found["damp"]["exact"] == pytest.approx(10_000 / 700, rel=1e-3)
    assert found["damp"]["whole"] == 14
    zeros = {one["name"]: one["zero"] for one in found["models"]}
    assert zeros["model 0"] > zeros["model 1"] > zeros["model 2"] == zeros["padded"] == 0
    run(words)
    assert json.loads(capsys.readouterr().out) == found
    run([*words, "--seed", "2"])
    assert json.loads(capsys.readouterr().out) != found


def test_users_of_a_capture(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["slurm", "control", DRAINED, "--target", "0.05"]) == 0
    out = capsys.readouterr().out
    assert "15 users" in out
    assert "model 2" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "10"], worded("cli.give-sshare-file-or-population")),
        (
            [DRAINED, "--generate", MANY, "--target", "10"],
            worded("cli.give-sshare-file-or-population"),
        ),
        (["--generate", "2500,380,700", "--target", "10"], naming("USERS,ACTIVE,TOP,MEAN")),
        (["--generate", "10,20,5,1", "--target", "10"], naming("USERS,ACTIVE,TOP,MEAN")),
        (["--generate", "10,5,10,9", "--target", "10"], worded("slurm.no-pareto-like-law-between")),
        ([DRAINED, "--target", "0"], naming("--target")),
        ([DRAINED, "--target", "nan"], naming("--target")),
    ],
)
def test_wrong_use_is_answered(
    words: list[str], message: Expected, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["slurm", "control", *words]) == 2
    assert says(capsys.readouterr().err, message)


def test_damaged_and_empty_captures_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unused = tmp_path / "unused.psv"
    unused.write_text("Account|User|RawShares|RawUsage\nroot|||0\n root|alice|1|0\n", "utf-8")
    assert run(["slurm", "control", str(unused), "--target", "10"]) == 1
    assert says(capsys.readouterr().err, "cli.users-of-have-no-finite")
    unused.write_text("Account|User\n", "utf-8")
    assert run(["slurm", "control", str(unused), "--target", "10"]) == 1
    assert "unused.psv:1" in capsys.readouterr().err
