"""`make slurm-demo` brings a busy cluster up and takes it down with Ctrl+C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.lab import demo, missing, probe
from tests.slurm.lab.demo_tree import PEOPLE


@pytest.fixture
def playing(can_have_slurm: None) -> Iterator[subprocess.Popen[str]]:
    """The demo without a display, in a process group as of a terminal."""
    environment = {
        key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    # A run in the background ignores Ctrl+C, and what is ignored is inherited.
    words = ("env", "--default-signal=INT", sys.executable, "-m", "tests.slurm.lab.demo")
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process
        process.kill()


def test_it_says_how_to_reach_the_cluster_and_ends_with_ctrl_c(playing: subprocess.Popen[str]) -> None:
    assert playing.stdout is not None
    message = ""
    while "--slurm" not in message:
        line = playing.stdout.readline()
        assert line, message  # It ended early.
        message += line
    enter, conf = re.findall(r"nsenter (.*) env SLURM_CONF=(\S+) bash", message)[0]
    jobs = subprocess.run(
        ("nsenter", *enter.split(), "env", f"SLURM_CONF={conf}", "squeue", "-h", "-a", "-o", "%u %T %P"),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert {line.split()[0] for line in jobs.splitlines()} <= set(PEOPLE)
    assert {"RUNNING batch", "RUNNING dedicated", "SUSPENDED batch", "PENDING batch"} <= {
        line.split(" ", 1)[1] for line in jobs.splitlines()
    }
    os.killpg(playing.pid, signal.SIGINT)
    assert "cluster" in playing.stdout.read().splitlines()[-1]
    assert playing.wait() == 0
    assert not Path(conf).exists()


_MACHINE = """
import pathlib, subprocess, sys
from tests.slurm.lab import demo
demo.take_own_etc()  # This process plays the machine, whose list of users is replaced as useradd does it.
passwd = pathlib.Path("/etc/passwd")
demo = ("unshare", "--mount", sys.executable, "-c", sys.argv[1])
with subprocess.Popen(demo, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as inside:
    print(inside.stdout.readline(), end="")
    fresh = pathlib.Path("/etc/passwd+")
    fresh.write_text(passwd.read_text() + "newcomer:x:4242:4242::/:/bin/sh\\n")
    fresh.rename(passwd)
    print(inside.communicate("go on\\n")[0], end="")
print(*[line for line in passwd.read_text().splitlines() if ":Slurm demo:" in line])
"""
_DEMO = """
import pathlib, pwd
from tests.slurm.lab import demo
def known():
    names = {entry.pw_name for entry in pwd.getpwall()}
    print(*(name for name in demo.PEOPLE if name in names), flush=True)
demo._introduce_people()
known()
input()
known()
"""


def test_people_stay_known_where_the_machines_list_of_users_is_replaced(can_have_slurm: None) -> None:
    words = ("unshare", "--mount", sys.executable, "-c", _MACHINE, _DEMO)
    first, then, machines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )[:3]
    assert first.split() == then.split() == list(PEOPLE)
    assert machines == ""


def test_without_slurm_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FSCONSOLE_NO_SLURM", raising=False)
    monkeypatch.setattr(missing, "search_path", lambda: "/nowhere")
    assert demo.main() == 1
    assert "apt-get install" in capsys.readouterr().err


def test_where_no_cluster_came_up_none_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSCONSOLE_NO_SLURM", "1")
    assert probe.why_not().split()[0] == "FSCONSOLE_NO_SLURM"
    assert probe.main() == 1
