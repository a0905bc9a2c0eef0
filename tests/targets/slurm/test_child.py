"""Child processes with both ways to read their output: polled, and in threads as on Windows."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fsconsole.operating_system import end_group, own_group
from fsconsole.targets.slurm import child, child_output
from fsconsole.targets.slurm.child import Bounds, Ended, run_child
from fsconsole.targets.slurm.child_output import PolledOutput, Received, ThreadedOutput

_LONG_S = 60.0
_MIB = 1 << 20


@pytest.fixture(params=[PolledOutput, ThreadedOutput], autouse=True)
def output(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "OUTPUT", request.param)


def _run(script: str, *, limit_s: float = _LONG_S, most_bytes: int = _MIB) -> Ended:
    return run_child(["sh", "-c", script], os.environ, Bounds(limit_s, most_bytes))


def _has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def _wait_for_end(pid: int) -> None:
    until = time.monotonic() + _LONG_S
    while not _has_ended(pid):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_both_streams_arrive_whole() -> None:
    ended = _run("head -c 300000 /dev/zero & head -c 60000 /dev/zero >&2; wait; exit 3", most_bytes=300_000)
    assert (ended.rc, len(ended.stdout), len(ended.stderr)) == (3, 300_000, 60_000)
    assert not ended.must_end


def test_a_child_without_output() -> None:
    ended = _run("exec >&- 2>&-; sleep 0.3; exit 4")
    assert (ended.rc, bytes(ended.stdout + ended.stderr), ended.must_end) == (4, b"", False)


def test_a_flood_is_cut_at_the_limit() -> None:
    ended = _run("exec cat /dev/zero", most_bytes=3 * _MIB)
    assert (ended.was_cut, ended.rc, len(ended.stdout)) == (True, -signal.SIGTERM, 3 * _MIB)


def test_a_long_stderr_is_no_flood() -> None:
    ended = _run("head -c 300000 /dev/zero >&2")
    assert (ended.rc, len(ended.stderr), ended.was_cut) == (0, 1 << 16, False)


@pytest.mark.parametrize(("ignored", "rc"), [("", -signal.SIGTERM), ("trap '' TERM; ", -signal.SIGKILL)])
def test_a_child_that_hangs_is_ended_with_its_children(ignored: str, rc: int) -> None:
    ended = _run(f"{ignored}sleep 600 & echo $!; sleep 600; sleep 600", limit_s=0.3)
    assert (ended.timed_out, ended.rc) == (True, rc)
    _wait_for_end(int(ended.stdout))


def test_a_child_is_ended_soon_after_it_is_stopped() -> None:
    asked: list[float] = []

    def is_stopped() -> bool:
        asked.append(time.monotonic())
        return len(asked) > 3

    ended = run_child(["sleep", "600"], os.environ, Bounds(_LONG_S, _MIB, is_stopped))
    assert (ended.was_stopped, ended.rc) == (True, -signal.SIGTERM)
    assert len(asked) == 4


def test_a_process_left_behind_is_ended_and_not_waited_for() -> None:
    ended = _run("sleep 600 & echo $!")
    assert (ended.rc, ended.timed_out) == (0, False)
    _wait_for_end(int(ended.stdout))


def test_a_process_that_has_left_the_group_keeps_nothing_waiting() -> None:
    """Such as the master connection of ssh, which may hold the pipes of the session that started it."""
    ended = _run("setsid sh -c 'echo $$; exec sleep 600' & sleep 0.2; head -c 50000 /dev/zero")
    first, _, rest = ended.stdout.partition(b"\n")
    os.kill(int(first), signal.SIGKILL)
    assert (ended.rc, len(rest), ended.timed_out) == (0, 50_000, False)
    _wait_for_readers()


def test_nothing_is_left_open() -> None:
    _run("true")
    before = _open_files()
    for _ in range(20):
        _run("echo a; echo b >&2")
    _wait_for_readers()
    assert _open_files() <= before


def test_a_thread_is_waited_for_after_the_other_stream_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_output, "_IDLE_S", _LONG_S)
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    received = Received(100), Received(100)
    output = ThreadedOutput([(os.fdopen(out, "rb"), received[0]), (os.fdopen(err, "rb"), received[1])])
    os.close(out_end)
    output._threads[0].join(_LONG_S)

    def write_late() -> None:
        os.write(err_end, b"late")
        os.close(err_end)

    threading.Timer(0.1, write_late).start()
    output.take_rest()
    assert (bytes(received[0].data), bytes(received[1].data)) == (b"", b"late")


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _wait_for_readers() -> None:
    for thread in threading.enumerate():
        if thread.name == "output of a child":
            thread.join(_LONG_S)
            assert not thread.is_alive()


def test_a_child_has_no_input_and_no_terminal() -> None:
    ended = _run("cat; cat /dev/tty")
    assert (bytes(ended.stdout), ended.rc) == (b"", 1)


def test_a_group_ends_after_its_first_process() -> None:
    process = subprocess.Popen(["sh", "-c", "sleep 600 & echo $!"], stdout=subprocess.PIPE, **own_group())
    assert process.stdout is not None
    with process:
        left = int(process.stdout.readline())
        process.wait(_LONG_S)
        end_group(process, by_force=True)
        end_group(process, by_force=True)
    _wait_for_end(left)


def test_a_child_that_is_being_started_does_not_outlive_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is there already, and the thread that has started it does not know it yet."""
    is_there, ends, popen = threading.Event(), threading.Event(), subprocess.Popen
    pids: list[int] = []

    def start(*words: Any, **how: Any) -> subprocess.Popen[bytes]:
        process = popen(*words, **how)
        pids.append(process.pid)
        is_there.set()
        assert ends.wait(_LONG_S)
        return process

    over = threading.Event()
    monkeypatch.setattr(child, "_IS_OVER", over)
    monkeypatch.setattr(subprocess, "Popen", start)

    def end() -> None:
        ends.set()
        threading.Event.set(over)

    monkeypatch.setattr(over, "set", end)
    starter = threading.Thread(target=_run, args=("exec sleep 600",))
    starter.start()
    assert is_there.wait(_LONG_S)
    child.end_all()
    starter.join(_LONG_S)
    assert _has_ended(pids[0])
    with pytest.raises(OSError, match="ends"):
        _run("true")
