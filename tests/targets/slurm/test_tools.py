"""Child processes that hang, flood, fail, and prefixes of every kind."""

from __future__ import annotations

import errno
import os
import shlex
import signal
import stat
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fsconsole.targets.slurm import child
from fsconsole.targets.slurm.child import Bounds, Ended, run_child
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.ssh_faults import FaultKind
from fsconsole.targets.slurm.tools import (
    Answer,
    Stop,
    ToolError,
    Tools,
    tool_of,
)
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.texts import Expected, naming, says, worded, wording

# Where a script in the place of ssh writes what ssh itself reports.
_OWN = 'own=/dev/stderr; for w; do [ "$b" != -E ] || own=$w; b=$w; done'
SHORT_S = 0.5
LONG_S = 30.0


class Clock:
    """A clock that stands until a fake tool hangs, then shows these times, of which the last stays.

    The first look is at 0 s: a tool may hang before the program looks at all.
    """

    def __init__(self, fake: FakeSlurm, *times_s: float) -> None:
        self._fake, self._times_s, self._has_begun = fake, list(times_s), False

    def monotonic(self) -> float:
        has_begun, self._has_begun = self._has_begun, True
        if not has_begun or not self._fake.is_hanging:
            return 0.0
        return self._times_s.pop(0) if len(self._times_s) > 1 else self._times_s[0]


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
    passing = 'while [ "${1#-}" != "$1" ]; do [ "$1" != -E ] || shift; shift; done\n'
    text = f'#!/bin/sh\n[ "$1" != -G ] || exit 0\n{passing}shift\n{passing}exec sh -c "$*"\n'
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


def test_a_tool_that_hangs_is_ended(fake_slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_slurm.answer("squeue", stdout="half", ending="hang")
    monkeypatch.setattr(child, "time", Clock(fake_slurm, SHORT_S))
    answer = Tools(Location()).run(["squeue"], limit_s=SHORT_S)
    assert (answer.timed_out, answer.stdout, answer.rc) == (True, "half", -signal.SIGTERM)
    assert answer.problem == wording(
        "targets.slurm.did-not-respond-within-s", tool="squeue", limit_s="0.5", value=""
    )
    assert not _is_alive(fake_slurm.calls[-1].pid)


def test_one_that_is_deaf_too(fake_slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_slurm.answer("sacctmgr", ending="hang", is_deaf=True)
    # The grace has passed at the second look, but not the time after which force has had no effect.
    monkeypatch.setattr(child, "time", Clock(fake_slurm, SHORT_S, SHORT_S + 1.5 * child._GRACE_S))
    answer = Tools(Location()).run(["sacctmgr"], limit_s=SHORT_S)
    assert (answer.timed_out, answer.rc) == (True, -signal.SIGKILL)
    assert not _is_alive(fake_slurm.calls[-1].pid)


def test_a_flood_is_cut(fake_slurm: FakeSlurm) -> None:
    fake_slurm.answer("sacctmgr", ending="endless")
    answer = Tools(Location()).run(["sacctmgr", "modify", "account"], limit_s=LONG_S)
    assert (answer.was_cut, len(answer.stdout)) == (True, 1 << 20)
    assert answer.problem == wording(
        "targets.slurm.printed-more-than-and-was", tool="sacctmgr", most_bytes="1 MB"
    )
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
    assert answers[0].problem == wording("targets.slurm.was-stopped", tool="squeue")
    assert not _is_alive(fake_slurm.calls[-1].pid)
    assert tools.run(["sinfo"], stop=stop).problem == wording(
        "targets.slurm.was-not-started", command="sinfo"
    )


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
            naming("slurmctld does not respond: Unable to contact slurm controller (connect failure)"),
        ),
        ({"rc": 3, "stderr": "a\nsqueue: error: no such thing\n\n"}, naming("exit status 3: no such thing")),
        (
            {"rc": 2},
            worded(
                "targets.slurm.failed-with-exit-status",
                tool="squeue",
                output="2" + wording("targets.slurm.and-gives-no-reason"),
            ),
        ),
        (
            {"rc": -11},
            worded(
                "targets.slurm.was-ended-by",
                tool="squeue",
                output="SIGSEGV" + wording("targets.slurm.and-gives-no-reason"),
            ),
        ),
        (
            {"rc": 1, "stderr": "slurm_load_node: Access/permission denied\n"},
            worded(
                "targets.slurm.shows-nodes-only-to-operators",
                tool="squeue",
                denied="slurm_load_node: Access/permission",
            ),
        ),
        (
            {"rc": 1, "stderr": "Access/permission denied\n"},
            worded("targets.slurm.is-not-allowed-to-do", tool="squeue", denied="Access/permission"),
        ),
        (
            {"rc": 1, "stderr": "squeue: fatal: Unable to process configuration file\n"},
            worded("targets.slurm.cannot-read-slurm-s-configuration"),
        ),
        (
            {"rc": 1, "stderr": "squeue: error: Munge encode failed: Failed to access socket\n"},
            worded("targets.slurm.munge-rejected-credentials-of", tool="squeue"),
        ),
        (
            {"rc": 1, "stderr": b"\x1b[31m" + b"x" * 5000},
            worded("targets.slurm.failed-with-exit-status", output="1: �[31mxxx"),
        ),
    ],
)
def test_what_went_wrong_in_words(fake_slurm: FakeSlurm, rule: dict[str, object], problem: Expected) -> None:
    fake_slurm.answer("squeue", **rule)  # type: ignore[arg-type]
    with pytest.raises(ToolError) as raised:
        Tools(Location()).read(["squeue"])
    assert says(str(raised.value), problem)
    assert len(str(raised.value)) < 400


def test_daemons_that_are_away(fake_slurm: FakeSlurm) -> None:
    fake_slurm.slurmctld_is_down()
    fake_slurm.slurmdbd_is_down(port=26_801)
    tools = Tools(Location())
    for tool in ("squeue", "scontrol", "sinfo", "sshare"):
        problem = tools.run([tool]).problem
        assert says(problem, "targets.slurm.slurmctld-does-not-respond")
        assert problem.split(": ")[1].startswith("Unable to")
    problem = tools.run(["sacctmgr", "-nP", "show", "assoc"]).problem
    assert says(problem, "targets.slurm.slurmdbd-does-not-respond")
    host, why = problem.split(": ")
    assert (host.split()[-1], why) == ("127.0.0.1:26801", os.strerror(errno.ECONNREFUSED))


def test_no_such_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    advice = wording("targets.slurm.is-slurm-installed-command-prefix")
    problem = Tools(Location()).run(["squeue"]).problem
    assert says(problem, "targets.slurm.not-found-here", program="squeue", advice=advice)
    missing = Tools(Location(("ssh", "login1"))).run(["squeue"])
    assert missing.problem == wording("targets.slurm.command-prefix-does-not-work", program="ssh")
    assert missing.rc == 127
    path = tmp_path / "squeue"
    path.write_text("#!/bin/sh\n")
    assert says(Tools(Location()).run(["squeue"]).problem, "targets.slurm.this-user-cannot-run")
    assert says(Tools(Location()).run(["sq\0ueue"]).problem, "targets.slurm.could-not-be-started")


def test_a_wrapper_is_met_before_it_gets_words_that_a_shell_could_read(tmp_path: Path) -> None:
    """A script that goes on by `ssh HOST "$@"` has its words read by a shell at the other end."""
    marker = tmp_path / "pwned"
    word = f"name=hep;touch {marker}"
    for text, is_understood in (('eval "$@"', True), ('exec "$@"', True), ('eval "eval $@"', False)):
        wrapper = _script(tmp_path, "hop", f"#!/bin/sh\n{text}\n")
        answer = Tools(Location((str(wrapper),))).run(["printf", "%s", word])
        if is_understood:
            assert (answer.stdout, answer.problem) == (word, "")
        else:
            assert says(answer.problem, "targets.slurm.contains-which-shell-after-may")
        assert not marker.exists()


def test_a_wrapper_that_lets_slurm_through_alone_gets_plain_words(
    tmp_path: Path, fake_slurm: FakeSlurm
) -> None:
    wrapper = _script(tmp_path, "hop", '#!/bin/sh\n[ "$1" = squeue ] || exit 1\nexec "$@"\n')
    tools = Tools(Location((str(wrapper),)))
    assert "may interpret" in tools.run(["squeue", "-u", "a b"]).problem
    assert not fake_slurm.calls


def test_a_prefix_that_takes_words_as_they_are(fake_slurm: FakeSlurm) -> None:
    prefix = ("env", "FOO=a b")
    tools = Tools(Location(prefix))
    assert tools.read(["squeue", "--json"]).stdout.startswith("{")
    assert fake_slurm.calls[-1].argv == ("--json",)
    missing = tools.run(["nosuchtool"])
    through = " ".join(prefix)
    assert says(missing.problem, "targets.slurm.not-found-through", tool="nosuchtool", prefix=through)


def test_a_command_runs_behind_ssh(fake_slurm: FakeSlurm, fake_ssh: Path) -> None:
    tools = Tools(Location(("ssh", "login1")))
    words = ("$(touch x); 'a\"|* b", "")
    answer = tools.run(["scancel", *words])
    assert answer.rc == 0
    assert fake_slurm.calls[-1].argv == words
    missing = tools.run(["nosuchtool"])
    assert missing.rc == 127
    assert says(missing.problem, "targets.slurm.not-found-through", tool="nosuchtool", prefix="ssh login1")


@pytest.mark.parametrize(
    ("stderr", "kind", "words"),
    [
        (
            "ssh: connect to host login1 port 22: Connection refused",
            FaultKind.NO_PORT,
            worded("targets.slurm.host-refuses-connections-by-ssh", host="login1"),
        ),
        (
            "No ED25519 host key is known for login1\nHost key verification failed.",
            FaultKind.NEW_KEY,
            worded("targets.slurm.host-key-of-is-not"),
        ),
        (
            "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
            FaultKind.OTHER_KEY,
            worded("targets.slurm.warning-host-key-of-has", host="login1"),
        ),
        (
            "ssh: Could not resolve hostname login1: Name or service not known",
            FaultKind.NO_NAME,
            worded("targets.slurm.host-name-of-cannot-be", host="login1"),
        ),
        (
            "ssh: connect to host login1 port 22: No route to host",
            FaultKind.SILENT,
            worded("targets.slurm.host-does-not-respond-to"),
        ),
        (
            "a@login1: Permission denied (password).",
            FaultKind.ASKS,
            worded("targets.slurm.host-asks-for-password-or"),
        ),
        (
            "Permission denied (publickey).",
            FaultKind.NO_KEY,
            worded("targets.slurm.host-refused-login-because-there"),
        ),
        (
            "Connection closed by UNKNOWN port 65535",
            FaultKind.CLOSED,
            worded("targets.slurm.host-closed-connection-before-login"),
        ),
        (
            "Connection to login1 closed by remote host.",
            FaultKind.CUT,
            worded("targets.slurm.connection-to-was-cut", host="login1"),
        ),
        (
            "",
            FaultKind.REFUSED_LOGIN,
            naming("login1 refused the login"),
        ),
        (
            "command-line: line 0: Bad configuration option: x",
            FaultKind.SETTINGS,
            worded("targets.slurm.ssh-cannot-use-its-settings", host="login1"),
        ),
    ],
)
def test_ssh_that_does_not_get_there(fake_ssh: Path, stderr: str, kind: FaultKind, words: Expected) -> None:
    counted = fake_ssh / "count"
    lines = ('[ "$1" != -G ] || exit 0', f"echo >>{counted}", _OWN, f"echo '{stderr}' >>$own", "exit 255")
    _script(fake_ssh, "ssh", "\n".join(("#!/bin/sh", *lines, "")))
    tools = Tools(Location(("ssh", "login1")))
    answer = tools.run(["squeue"])
    assert says(answer.problem, words)
    assert answer.fault is not None
    assert answer.fault.kind is kind
    tries = counted.read_text().count("\n")
    assert tries == (2 if kind is FaultKind.CLOSED else 1)
    # Nothing else is tried for the time being, unless the connection was there and was cut.
    again = tools.run(["sinfo"])
    assert again.problem == answer.problem
    assert counted.read_text().count("\n") == tries + (kind is FaultKind.CUT)


def test_a_refused_login_is_tried_again_when_a_person_asks(fake_ssh: Path, fake_slurm: FakeSlurm) -> None:
    works = (fake_ssh / "ssh").read_text()
    _script(fake_ssh, "ssh", f"#!/bin/sh\n{_OWN}\necho 'Permission denied (publickey).' >>$own\nexit 255\n")
    tools = Tools(Location(("ssh", "login1")))
    assert tools.run(["squeue"]).fault is not None
    _script(fake_ssh, "ssh", works)
    assert tools.run(["squeue"]).fault is not None
    tools.retry()
    assert tools.run(["squeue", "-h"]).problem == ""
    assert tools.link.fault is None


def test_an_unknown_program_is_tried_again_once_the_link_works(
    fake_ssh: Path, fake_slurm: FakeSlurm, tmp_path: Path
) -> None:
    works = (fake_ssh / "ssh").read_text()
    refused = "echo 'ssh: connect to host login1 port 22: Connection refused' >&2"
    _script(fake_ssh, "ssh", f"#!/bin/sh\n{refused}\nexit 255\n")
    hands_on = _script(tmp_path, "hands-on", '#!/bin/sh\nexec "$@"\n')
    tools = Tools(Location(("ssh", "login1", str(hands_on))))
    fake_slurm.answer("squeue", stdout="1|a\n")
    command = ["squeue", "-o", "%i|%j $HOME"]
    failed = tools.run(command)
    assert failed.fault is not None
    assert failed.fault.kind is FaultKind.NO_PORT
    assert failed.was_not_sent
    _script(fake_ssh, "ssh", works)
    tools.retry()
    answer = tools.run(command)
    assert answer.problem == ""
    assert answer.command == tuple(command)
    assert fake_slurm.calls[-1].argv[-1] == command[-1]


def test_output_is_read_as_it_was_requested_also_if_the_host_is_being_probed_again(
    fake_ssh: Path, fake_slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread forgets the facts about the host when it tries the link again."""
    works = (fake_ssh / "ssh").read_text()
    _script(fake_ssh, "ssh", works.replace("exec sh -c", "echo Welcome; exec sh -c"))
    fake_slurm.answer("squeue", stdout="1|a\n")
    tools = Tools(Location(("ssh", "login1")))
    assert tools.run(["squeue"]).stdout == "1|a\n"
    assert tools.facts is not None
    assert tools.facts.noise == "Welcome\n"

    def run_and_forget(argv: Sequence[str], environment: Mapping[str, str], bounds: Bounds) -> Ended:
        tools.facts = None
        return run_child(argv, environment, bounds)

    monkeypatch.setattr("fsconsole.targets.slurm.tools.run_child", run_and_forget)
    assert tools.run(["squeue"]).stdout == "1|a\n"


def test_a_password_that_cannot_be_given(tmp_path: Path) -> None:
    sudo = _script(tmp_path, "sudo", "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    problem = Tools(Location((str(sudo),))).run(["squeue"]).problem
    expected = "sudo asks for a password, which cannot be typed here: sudo: a password is required"
    assert problem == expected


def test_the_name_of_a_tool() -> None:
    assert tool_of(("env", "SLURM_TIME_FORMAT=%s", "scontrol", "show", "job")) == "scontrol"
    assert tool_of(("/usr/bin/squeue", "-h")) == "squeue"
