"""A connection that is cut before, in and after a change: the report is what is stored, or unknown."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fsconsole.recording.audit import Result
from fsconsole.recording.audit_log import lines_of
from fsconsole.targets.record import audit_path
from tests.slurm.captured import captured
from tests.slurm.ssh.login_node import LoginNode
from tests.slurm.ssh.remote_tool import Moment
from tests.targets.slurm.ssh.conftest import Slurm

_HEP = ("Account - 'hep'", "Fairshare=3", "Fairshare=7")


@pytest.fixture
def wanted(tmp_path: Path) -> Path:
    """Return the tree of the fake tools' cluster, with another share for hep."""
    start, old, new = _HEP
    lines = captured("plain/dump.cfg").split("\n")
    file = tmp_path / "wanted.cfg"
    file.write_text("\n".join(line.replace(old, new) if line.startswith(start) else line for line in lines))
    return file


@pytest.mark.parametrize(
    ("moment", "result", "status"),
    [
        ("before", Result.NOT_SENT, 1),
        ("in", Result.DESPITE, 0),
        ("after", Result.DESPITE, 0),
        ("gone", Result.UNKNOWN, 4),
    ],
)
@pytest.mark.parametrize("door", ["plain", "banner"])
def test_a_change_whose_connection_is_cut_is_told_as_it_is(
    login_node: LoginNode, slurm: Slurm, wanted: Path, door: str, moment: Moment, result: Result, status: int
) -> None:
    """The banner speaks of passwords and permission, which says nothing of the change."""
    via = login_node.via("bash", door)
    login_node.slurm.cut(moment, "sacctmgr", "modify")
    found, text = slurm("apply", str(wanted), "--yes", "--reason", "cut", "--json", via=via)
    assert login_node.slurm.was_cut
    told = _told(text)
    assert ([row["result"] for row in told["rows"]], found) == ([result], status)
    assert bool(told["check"]) == (result is Result.UNKNOWN)
    assert bool(told["back"]) == result.is_done
    rows = lines_of(audit_path("slurm-lab"))
    assert rows[-1]["result"] == result
    login_node.open(door)
    stored = _stored(via)
    assert stored == ("3" if result is Result.NOT_SENT else "7")


def test_an_unknown_change_is_checked_with_the_command_that_is_shown(
    login_node: LoginNode, slurm: Slurm, wanted: Path
) -> None:
    login_node.slurm.cut("gone", "sacctmgr", "modify")
    told = _told(slurm("apply", str(wanted), "--yes", "--reason", "cut", "--json", via=login_node.via())[1])
    login_node.open("plain")
    (check,) = told["check"]
    shown = subprocess.run(shlex.split(check), capture_output=True, text=True, check=True)
    assert "hep||" in shown.stdout
    assert "|7|" in shown.stdout


def _told(text: str) -> dict[str, Any]:
    """Return the report; notes, which are printed to stderr, follow it."""
    found: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
    return found


def _stored(via: Sequence[str]) -> str:
    line = "sacctmgr -nP show assoc account=hep user= format=user,share"
    shown = subprocess.run((*via, line), capture_output=True, text=True, check=True).stdout
    return next(row for row in shown.splitlines() if row.startswith("|")).strip("|")
