"""The program where Python has no part of POSIX. See tests/without_posix.py for what is hidden."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fsconsole.console.app import QUIT_WHEN_PAINTED
from tests.slurm.fake.fake_slurm import FakeSlurm

_ROOT = Path(__file__).parents[1]
_NEEDS_LINUX = "control groups need Linux, and this computer runs another system"
_TASKKILL = '#!/bin/sh\necho "$@" >> "$0.calls"\nkill -9 "$4"\n'
_SCENARIO = str(_ROOT / "example_trees" / "granularity.yaml")


@pytest.mark.dear("imports every module of the program and starts a console")
def test_all_but_linux_runs_without_posix(
    tmp_path: Path, fake_slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    taskkill = tmp_path / "taskkill"
    taskkill.write_text(_TASKKILL, "utf-8")
    taskkill.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    run = str(tmp_path / "a.run")
    wanted = (
        (["--version"], 0, "fsconsole "),
        (["--help"], 0, "Commands:\n  open"),
        (["tree", "show", _SCENARIO], 0, "|- large       66"),
        (["simulate", _SCENARIO, "--until", "30s", "--out", run], 0, "30 simulated s, policy share"),
        (["run", "notes", run, "--json"], 0, "[]"),
        (["slurm", "status", "--via", "env"], 0, "lab (through env)"),
        (["linux", "plan", _SCENARIO], 1, f"fsconsole linux plan: {_NEEDS_LINUX}"),
        (["doctor", "--linux", _SCENARIO], 2, f"fsconsole doctor: {_NEEDS_LINUX}"),
    )
    found = _without_posix(*(line for line, _, _ in wanted))
    assert found["failed"] == {}
    assert found["modules"] >= len([path for path in (_ROOT / "fsconsole").rglob("*.py") if _is_module(path)])
    assert found["child"] == {"well": [3, "out\n", "err\n"], "cut": [True, 1000], "hung": [True, -9]}
    assert [line.split()[:3] for line in Path(f"{taskkill}.calls").read_text("utf-8").splitlines()] == [
        ["/T", "/F", "/PID"]
    ] * 2
    for (line, status, text), (ended, out, err) in zip(wanted, found["commands"], strict=True):
        assert (ended, text in out + err) == (status, True), (line, ended, out, err)
    assert found["console"] == [0, "painted\n", ""]


def _is_module(path: Path) -> bool:
    return path.stem not in ("__init__", "__main__")


def _without_posix(*lines: list[str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.without_posix", *map(json.dumps, lines)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", QUIT_WHEN_PAINTED: "1"}
    ended = subprocess.run(command, capture_output=True, check=False, cwd=_ROOT, env=environment)
    assert ended.returncode == 0, ended.stderr.decode()
    found: dict[str, Any] = json.loads(ended.stdout)
    return found
