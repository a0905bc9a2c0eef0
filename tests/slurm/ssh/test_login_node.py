"""The login node itself: every shell answers, logins are counted, lines are cut, nothing is left behind."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.slurm.lab.holdings import pids_that_mention, sweep
from tests.slurm.ssh import missing
from tests.slurm.ssh.login_node import PREFIX, LoginNode
from tests.slurm.ssh.missing import SHELLS
from tests.slurm.ssh.remote_tool import Moment
from tests.texts import wording

_MODIFY = "sacctmgr -i modify user where name=fs_jan cluster=lab account=neuro set fairshare=7"
_SHOW = "sacctmgr -nP show assoc user=fs_jan format=user,share"
_KILLED = """
import sys, time
from tests.slurm.ssh.login_node import LoginNode
with LoginNode() as node:
    node.open("plain")
    print(node.top, flush=True)
    time.sleep(600)
"""


def _run(prefix: Sequence[str], line: str) -> subprocess.CompletedProcess[str]:
    argv = (*prefix, "-oBatchMode=yes", "-oConnectTimeout=2", line)
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def test_every_shell_finds_the_tools_and_every_login_is_counted(login_node: LoginNode) -> None:
    for number, shell in enumerate(SHELLS):
        done = _run(login_node.via(shell), "squeue --version; id -un")
        assert (done.stdout, done.stderr) == (f"slurm-wlm 22.05.8\nfs{shell}\n", "")
        assert login_node.logins() == number + 1
    assert login_node.refused() == 0
    assert [call.line for call in login_node.slurm.calls] == ["squeue --version"] * len(SHELLS)


def test_users_of_this_machine_are_as_they_were(login_node: LoginNode) -> None:
    assert "fsbash" in _run(login_node.via(), "cat /etc/passwd").stdout
    assert "fsbash" not in Path("/etc/passwd").read_text()


def test_one_goes_through_another_host_in_two_ways(login_node: LoginNode) -> None:
    answer = _run(login_node.via("jump"), "ssh fish id -un").stdout
    assert answer == "fsfish\n"
    assert _run((*login_node.via("fish")[:3], "-J", login_node.host("jump"), "fish"), "id -un").stdout == (
        "fsfish\n"
    )
    answer = _run(login_node.via("jump"), "sudo -n -u fstcsh id -un").stdout
    assert answer == "fstcsh\n"
    assert login_node.logins() == 5


@pytest.mark.parametrize(
    ("door", "says"),
    [
        ("banner", "A password is required"),
        ("password", "Permission denied (password)"),
        ("modules", "squeue: command not found"),
        ("closed", "Connection refused"),
        ("down", "Connection timed out"),
    ],
)
def test_doors_differ(login_node: LoginNode, door: str, says: str) -> None:
    assert says in _run(login_node.via("bash", door), "squeue --version").stderr


def test_keys_and_users_that_do_not_open(login_node: LoginNode) -> None:
    stranger = login_node.via(IdentityFile=str(login_node.key("strange")))
    locked = login_node.via(IdentityFile=str(login_node.key("locked")))
    for prefix in (stranger, locked, login_node.via("nobody-here")):
        assert "denied (publickey)" in _run(prefix, "true").stderr
    unknown = login_node.via(UserKnownHostsFile="/dev/null")
    changed = login_node.via(UserKnownHostsFile=str(login_node.known_hosts(is_changed=True)))
    assert wording("targets.slurm.host-key-verification-failed") in _run(unknown, "true").stderr
    assert "HAS CHANGED" in _run(changed, "true").stderr
    login_node.settle()
    assert (login_node.logins(), login_node.refused()) == (0, 3)


def test_max_startups_drops_connections_beyond_two(login_node: LoginNode) -> None:
    prefix = login_node.via("bash", "narrow")
    address = ("127.0.0.1", login_node.port("narrow"))
    login_node.settle()  # Earlier connections would count.
    with socket.create_connection(address) as one, socket.create_connection(address) as two:
        for begun in (one, two):
            assert begun.recv(100).startswith(b"SSH-2.0-")
        assert _run(prefix, "true").returncode == 255
        assert login_node.dropped() == 1
    login_node.settle()
    assert _run(prefix, "true").returncode == 0


@pytest.mark.parametrize(("moment", "share"), [("before", "1"), ("in", "7"), ("after", "7"), ("gone", "7")])
def test_a_change_is_cut(login_node: LoginNode, moment: Moment, share: str) -> None:
    prefix = login_node.via()
    login_node.slurm.cut(moment, "sacctmgr", "modify")
    done = _run(prefix, _MODIFY)
    assert (done.returncode, done.stdout) == (255, "")
    assert login_node.slurm.was_cut
    assert (_run(prefix, "true").returncode == 255) == (moment == "gone")
    login_node.open("plain")
    login_node.wait_until(lambda: not login_node.processes("bash"), "the tool ends")
    assert _run(prefix, _SHOW).stdout == f"fs_jan|{share}\n"


def test_silence_and_what_is_left_of_a_cut_line(login_node: LoginNode) -> None:
    def left() -> list[tuple[str, ...]]:
        return [one.words for one in login_node.processes("bash")]

    prefix = login_node.via()
    with subprocess.Popen((*prefix, "exec sleep 600")) as held:
        try:
            login_node.wait_until(lambda: left() == [("sleep", "600")], "the command has begun")
            login_node.silence()
            assert "timed out" in _run(prefix, "true").stderr
            login_node.resume()
            assert _run(prefix, "true").returncode == 0
            login_node.cut_connections()
            assert held.wait() == 255
            assert left() == [("sleep", "600")]
            login_node.cut()
            assert not left()
        finally:
            held.kill()


def test_bytes_take_their_time(login_node: LoginNode) -> None:
    def took_s(prefix: Sequence[str]) -> float:
        began = time.monotonic()
        assert _run(prefix, "echo here").stdout == "here\n"
        return time.monotonic() - began

    assert took_s(login_node.delayed(0.05)) >= 0.5  # ten one-way trips at the least


def test_nothing_is_left_of_a_node_whose_process_was_killed(
    login_node: LoginNode,
) -> None:
    with subprocess.Popen((sys.executable, "-c", _KILLED), stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        folder = owner.stdout.readline().strip()
        assert pids_that_mention(folder)
        owner.kill()
    assert owner.returncode == -signal.SIGKILL
    login_node.wait_until(lambda: not pids_that_mention(folder), "its processes are gone")
    sweep(PREFIX)
    assert not Path(folder).exists()
    assert login_node.top.exists()


def test_what_is_missing_is_reported_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FSCONSOLE_NO_SSHD", raising=False)
    monkeypatch.setattr(missing, "PATH", "/nowhere")
    words = missing.what_is_missing().split()
    assert words[words.index("sshd,") :][:3] == ["sshd,", "ssh,", "ssh-keygen,"]
    packages = ["apt-get", "install", "bash", "dash", "fish", "ksh", "openssh-client"]
    assert words[words.index("apt-get") :][:7] == packages
    monkeypatch.setenv("FSCONSOLE_NO_SSHD", "1")
    assert missing.what_is_missing().split()[0] == "FSCONSOLE_NO_SSHD"
