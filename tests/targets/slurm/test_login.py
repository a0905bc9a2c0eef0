"""Login by hand: what ssh gets for asking in a window, and how such a login ends."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.login import log_in_by_window
from tests.texts import says, wording

_PLACE = Location(("ssh", "login1"))


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program `ssh` whose settings are known; a test sets what it does otherwise in the file `login`."""
    folder = tmp_path / "with-ssh"
    folder.mkdir()
    script = folder / "ssh"
    script.write_text(f'#!/bin/sh\n[ "$1" != -G ] || {{ echo user anna; exit 0; }}\n. {folder}/login\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    # A socket's path has room for about 100 bytes.
    with tempfile.TemporaryDirectory(prefix="fs-") as state:
        monkeypatch.setenv("XDG_STATE_HOME", state)
        yield folder


def _never() -> bool:
    return False


def test_ssh_asks_in_a_window(ssh: Path) -> None:
    seen = ssh / "seen"
    (ssh / "login").write_text(f'printf "%s\\n" "$SSH_ASKPASS" "$SSH_ASKPASS_REQUIRE" "$*" > {seen}\n')
    assert log_in_by_window(_PLACE, _never) == ""
    program, requires, words = seen.read_text().splitlines()
    assert os.access(program, os.X_OK)
    assert stat.S_IMODE(Path(program).stat().st_mode) == 0o700
    assert requires == "force"
    assert "-oBatchMode=no" in words
    assert "-oControlMaster=auto" in words


def test_a_refused_login_gives_the_reason(ssh: Path) -> None:
    (ssh / "login").write_text("echo 'Permission denied (password).' >&2\nexit 255\n")
    assert says(log_in_by_window(_PLACE, _never), "targets.slurm.did-not-accept-answer-site")
    (ssh / "login").write_text(
        "echo 'ssh: Could not resolve hostname a: Name or service not known' >&2\nexit 255\n"
    )
    refusal = log_in_by_window(_PLACE, _never)
    assert says(f"t{refusal.removeprefix('T')}", "targets.slurm.host-name-of-cannot-be")


def test_a_login_ends_with_the_dialog(ssh: Path) -> None:
    (ssh / "login").write_text("exec sleep 100\n")
    assert log_in_by_window(_PLACE, lambda: True) == wording("targets.slurm.login-was-ended")


def test_a_login_without_ssh_is_refused() -> None:
    assert says(log_in_by_window(Location(("sudo",)), _never), "targets.slurm.login-cannot-be-kept-for")
