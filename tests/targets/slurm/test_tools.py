"""Child processes that hang, flood, fail, and prefixes of every kind."""

from __future__ import annotations

import os
import shlex
import signal
import stat
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.tools import (
    Answer,
    Stop,
    ToolError,
    Tools,
    misread,
    shown_command,
    tool_of,
    with_prefix,
)
from tests.slurm.fake.fake_slurm import FakeSlurm

SHORT_S = 0.5
LONG_S = 30.0

# What a word of a command may hold: everything that a shell would make something of.
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


def _is_alive(pid: int) -> bool:
    """Return True if a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def fake_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program `ssh` that does what ssh does: joins what stands behind the host, for a shell."""
    folder = tmp_path / "with-ssh"
    folder.mkdir()
    text = '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nshift\nexec sh -c "$*"\n'
    _script(folder, "ssh", text)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def test_what_a_tool_prints(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("squeue", stdout="1|a\n", stderr="squeue: harmless\n")
    answer = Tools(Location()).run(["squeue", "-h"])
    assert (answer.command, answer.rc) == (("squeue", "-h"), 0)
    assert (answer.stdout, answer.stderr) == ("1|a\n", "squeue: harmless\n")
    assert answer.is_well
    assert {answer.was_cut, answer.timed_out, answer.was_stopped} == {False}


def test_a_tool_that_hangs_is_ended(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("squeue", stdout="half", ending="hang")
    answer = Tools(Location()).run(["squeue"], limit_s=SHORT_S)
    assert (answer.timed_out, answer.stdout, answer.rc) == (True, "half", -signal.SIGTERM)
    assert answer.problem == "squeue did not respond within 0.5 s and was ended"
    assert not _is_alive(fake_slurm.calls[-1].pid)


def test_one_that_is_deaf_too(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("sacctmgr", ending="hang", is_deaf=True)
    answer = Tools(Location()).run(["sacctmgr"], limit_s=SHORT_S)
    assert (answer.timed_out, answer.rc) == (True, -signal.SIGKILL)
    assert not _is_alive(fake_slurm.calls[-1].pid)


def test_a_flood_is_cut(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("sacctmgr", ending="endless")
    answer = Tools(Location()).run(["sacctmgr", "modify", "account"], limit_s=LONG_S)
    assert (answer.was_cut, len(answer.stdout)) == (True, 1 << 20)
    assert answer.problem == "sacctmgr printed more than 1 MB and was ended"
    assert not _is_alive(fake_slurm.calls[-1].pid)


def test_a_process_left_behind_is_not_waited_for(tmp_path: Path) -> None:
    kept = tmp_path / "pid"
    text = f"sleep 600 & echo $! > {shlex.quote(str(kept))}; echo done"
    answer = Tools(Location()).run(["sh", "-c", text], limit_s=LONG_S)
    assert (answer.rc, answer.stdout, answer.problem) == (0, "done\n", "")
    deadline = time.monotonic() + 60
    while _is_alive(int(kept.read_text())) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _is_alive(int(kept.read_text()))


def test_nothing_is_on_its_standard_input_and_no_terminal() -> None:
    answer = Tools(Location()).run(["sh", "-c", "cat; cat /dev/tty"], limit_s=LONG_S)
    assert answer.stdout == ""
    assert answer.rc == 1


@pytest.mark.parametrize("by_closing", [False, True])
def test_it_is_stopped_from_another_thread(fake_slurm: FakeSlurm, by_closing: bool) -> None:
    fake_slurm.answer("squeue", ending="hang", is_deaf=True)
    tools, stop, answers = Tools(Location()), Stop(), list[Answer]()

    def work() -> None:
        answers.append(tools.run(["squeue"], limit_s=LONG_S, stop=stop))

    thread = threading.Thread(target=work)
    thread.start()
    while not fake_slurm.calls:
        time.sleep(0.01)
    tools.close() if by_closing else stop.stop()
    thread.join(LONG_S)
    assert answers[0].was_stopped
    assert answers[0].problem == "squeue was stopped"
    assert not _is_alive(fake_slurm.calls[-1].pid)
    assert tools.run(["sinfo"], stop=stop).problem == "sinfo was not started"


def test_the_environment_of_a_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SQUEUE_STATES", "SCANCEL_USER", "SLURM_CLUSTERS", "SINFO_FORMAT", "LC_ALL"):
        monkeypatch.setenv(name, "de_DE.UTF-8")
    monkeypatch.setenv("SLURM_CONF", __file__)  # one that is there
    found = dict(line.split("=", 1) for line in Tools(Location()).read(["env"]).stdout.splitlines())
    assert not {"SQUEUE_STATES", "SCANCEL_USER", "SLURM_CLUSTERS", "SINFO_FORMAT"} & found.keys()
    assert (found["LC_ALL"], found["SLURM_CONF"]) == ("C", __file__)


def test_bytes_that_are_no_text(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("squeue", stdout=b"a\xff|\xc3\xa9\0\n")
    assert Tools(Location()).read(["squeue"]).stdout == "a�|é\0\n"


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (
            {"rc": 1, "stderr": "squeue: error: Unable to contact slurm controller (connect failure)\n"},
            "slurmctld does not respond: Unable to contact slurm controller (connect failure)",
        ),
        ({"rc": 3, "stderr": "a\nsqueue: error: no such thing\n\n"}, "exit status 3: no such thing"),
        ({"rc": 2}, "squeue failed with exit status 2, and gives no reason"),
        ({"rc": -11}, "squeue was ended by SIGSEGV, and gives no reason"),
        (
            {"rc": 1, "stderr": "slurm_load_node: Access/permission denied\n"},
            "squeue shows nodes only to operators (PrivateData=nodes): slurm_load_node: Access/permission",
        ),
        (
            {"rc": 1, "stderr": "Access/permission denied\n"},
            "squeue is not allowed to do this: Access/permission",
        ),
        (
            {"rc": 1, "stderr": "squeue: fatal: Unable to process configuration file\n"},
            "Check slurm.conf on its host, or connect through a login node. (Unable to process configuration",
        ),
        (
            {"rc": 1, "stderr": "squeue: error: Munge encode failed: Failed to access socket\n"},
            "MUNGE rejected the credentials of squeue: Munge encode failed",
        ),
        ({"rc": 1, "stderr": b"\x1b[31m" + b"x" * 5000}, "exit status 1: �[31mxxx"),
    ],
)
def test_what_went_wrong_in_words(fake_slurm: FakeSlurm, rule: dict[str, object], problem: str) -> None:
    fake_slurm.answer("squeue", **rule)  # type: ignore[arg-type]
    with pytest.raises(ToolError) as raised:
        Tools(Location()).read(["squeue"])
    assert problem in str(raised.value)
    assert len(str(raised.value)) < 400


def test_daemons_that_are_away(fake_slurm: FakeSlurm) -> None:
    fake_slurm.slurmctld_is_down()
    fake_slurm.slurmdbd_is_down(port=26_801)
    tools = Tools(Location())
    for tool in ("squeue", "scontrol", "sinfo", "sshare"):
        assert tools.run([tool]).problem.startswith("slurmctld does not respond: Unable to contact")
    problem = tools.run(["sacctmgr", "-nP", "show", "assoc"]).problem
    assert problem == "slurmdbd does not respond at 127.0.0.1:26801: Connection refused"


def test_no_such_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Tools(Location()).run(["squeue"]).problem.startswith("squeue not found here: is Slurm installed")
    missing = Tools(Location(("ssh", "login1"))).run(["squeue"])
    assert missing.problem == "the command prefix does not work: program ssh not found here"
    assert missing.rc == 127
    path = tmp_path / "squeue"
    path.write_text("#!/bin/sh\n")
    assert "this user cannot run" in Tools(Location()).run(["squeue"]).problem
    assert "could not be started" in Tools(Location()).run(["sq\0ueue"]).problem


@given(name=WORDS)
def test_behind_a_wrapper_no_name_is_another_command(name: str) -> None:
    """A script that goes on by `ssh HOST "$@"` has its words read by a shell at the other end."""
    command = ["sacctmgr", "-i", "modify", "account", "where", f"name={name}", "set", "fairshare=3"]
    if misread(("site-wrapper",), command):
        assert not misread((), command)
        assert not misread(("ssh", "login1"), command)
        assert not misread(("sudo", "-u", "slurm"), command)
    else:
        assert shlex.split(" ".join(command), comments=True) == command


def test_a_refused_word_is_not_run(tmp_path: Path) -> None:
    wrapper = _script(tmp_path, "hop", '#!/bin/sh\neval "$@"\n')
    tools = Tools(Location((str(wrapper),)))
    marker = tmp_path / "pwned"
    answer = tools.run(["sacctmgr", "-i", "modify", "account", "where", f"name=hep;touch {marker}"])
    assert 'may interpret. Use --via "ssh HOST", or run fsconsole where Slurm is.' in answer.problem
    assert 'Use --via "ssh HOST"' in answer.problem
    assert not marker.exists()


def test_a_prefix_that_takes_words_as_they_are(fake_slurm: FakeSlurm) -> None:
    tools = Tools(Location(("env", "FOO=a b")))
    assert tools.read(["squeue", "--json"]).stdout.startswith("{")
    assert fake_slurm.calls[-1].argv == ("--json",)
    missing = tools.run(["nosuchtool"])
    assert missing.problem.startswith("nosuchtool not found through env FOO=a b:")


@given(command=st.lists(WORDS, min_size=1, max_size=4))
def test_words_arrive_behind_ssh(command: list[str]) -> None:
    for prefix in (("ssh", "a"), ("ssh", "-oBatchMode=no", "a", "sudo"), ("/usr/bin/ssh", "a", "ssh", "b")):
        arrived = _as_ssh_does(with_prefix(prefix, command))
        assert arrived == (["sudo", *command] if "sudo" in prefix else command)
        assert _as_ssh_does(shlex.split(shown_command(prefix, command))) == arrived


def _as_ssh_does(argv: Sequence[str]) -> list[str]:
    """Words at the other end: each ssh joins those behind the host, and a shell parts them again."""
    words = list(argv)
    while words[0].endswith("ssh"):
        host = next(place for place, word in enumerate(words) if place and not word.startswith("-"))
        words = shlex.split(" ".join(words[host + 1 :]))
    return words


def test_a_command_runs_behind_ssh(fake_slurm: FakeSlurm, fake_ssh: Path) -> None:
    tools = Tools(Location(("ssh", "login1")))
    answer = tools.run(["scancel", "$(touch x); 'a\"|* b", ""])
    assert answer.rc == 0
    assert fake_slurm.calls[-1].argv == ("$(touch x); 'a\"|* b", "")
    missing = tools.run(["nosuchtool"])
    assert missing.rc == 127
    assert missing.problem.startswith("nosuchtool not found through ssh login1:")


def test_ssh_that_does_not_get_there(fake_ssh: Path) -> None:
    message = "ssh: connect to host login1 port 22: Connection refused"
    _script(fake_ssh, "ssh", f"#!/bin/sh\necho '{message}' >&2\nexit 255\n")
    assert (
        Tools(Location(("ssh", "login1"))).run(["squeue"]).problem == f"ssh cannot reach the host: {message}"
    )
    _script(fake_ssh, "ssh", "#!/bin/sh\necho 'Permission denied (publickey).' >&2\nexit 255\n")
    problem = Tools(Location(("ssh", "login1"))).run(["squeue"]).problem
    assert problem == "ssh cannot reach the host: Permission denied (publickey)."


def test_ssh_never_asks_unless_it_is_told_to() -> None:
    argv = with_prefix(("ssh", "-o", "BatchMode=no", "login1"), ["squeue"])
    assert "-oBatchMode=yes" not in argv
    assert "-oConnectTimeout=10" in argv
    assert argv[-2:] == ("login1", "squeue")
    assert with_prefix(("docker", "exec", "ssh"), ["squeue", "-h"]) == (
        "docker",
        "exec",
        "ssh",
        "squeue",
        "-h",
    )


def test_a_password_that_cannot_be_given(tmp_path: Path) -> None:
    sudo = _script(tmp_path, "sudo", "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    problem = Tools(Location((str(sudo),))).run(["squeue"]).problem
    assert problem == "sudo asks for a password, which cannot be typed here: sudo: a password is required"


def test_the_name_of_a_tool() -> None:
    assert tool_of(("env", "SLURM_TIME_FORMAT=%s", "scontrol", "show", "job")) == "scontrol"
    assert tool_of(("/usr/bin/squeue", "-h")) == "squeue"
