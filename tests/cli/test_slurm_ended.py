"""`fsconsole slurm` that is ended by signals, or whose reader goes away: nothing is lost, nothing stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import program, start
from tests.slurm.captured import captured
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.texts import says, wording

_PATIENCE_S = 30.0
_WHOLE = pytest.mark.whole("starts a program; SIGTERM goes the same way")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the audit log of these tests goes."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """The tree of the cluster that the fake tools speak of, with other shares for all users."""
    file = tmp_path / "wanted.cfg"
    file.write_text(captured("plain/dump.cfg").replace("Fairshare=1\n", "Fairshare=17\n"))
    return file


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _logged(state: Path) -> list[str]:
    files = list(state.rglob("slurm-lab.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    return [row["on"] for row in rows if row["action"] == "set shares"]


@pytest.mark.dear("starts the program several times")
def test_a_killed_apply_leaves_what_was_on_its_way_in_the_log(
    fake_slurm: FakeSlurm, state: Path, dump: Path
) -> None:
    fake_slurm.answer("sacctmgr", "modify", delay_s=2.0)
    with start("slurm", "apply", str(dump), "--yes") as process:
        _until(lambda: any("modify" in call.argv for call in fake_slurm.calls))
        process.kill()
        process.communicate(timeout=_PATIENCE_S)
    (file,) = state.rglob("slurm-lab.jsonl")
    row, *sent = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    assert row["action"] == wording("targets.slurm.start-of-apply")
    assert "set fairshare=17" in row["text"]
    called = [call.line for call in fake_slurm.calls if "modify" in call.argv]
    assert called
    assert set(called) <= {one["text"] for one in sent if one["action"].startswith("send ")}
    fake_slurm.forget()
    with start("slurm", "status") as process:
        out, _ = process.communicate(timeout=_PATIENCE_S)
    assert says(out, "app.cluster.apply-of-that-has-no")
    assert "Sent: " + called[0] + ". " + wording("app.cluster.it-was-not-done") in out
    # However many commands were sent before: each has a row before it and one after it.
    pair = [sent[0] | {"on": "someone"}, sent[0] | {"on": "someone", "action": "set shares"}]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in (row, *(pair * 400), *sent)))
    with start("slurm", "status") as process:
        assert says(process.communicate(timeout=_PATIENCE_S)[0], "app.cluster.log-has", steps="400 results")
    with start("slurm", "apply", str(dump), "--yes") as process:
        _, err = process.communicate(timeout=_PATIENCE_S)
    assert says(err, "app.cluster.apply-of-that-has-no")
    with start("slurm", "status") as process:
        assert not says(process.communicate(timeout=_PATIENCE_S)[0], "cli.trace-has-no", name_2="end")


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *(pytest.param(one, marks=_WHOLE) for one in (signal.SIGINT, signal.SIGHUP))]
)
def test_no_tool_outlives_the_program(fake_slurm: FakeSlurm, number: int) -> None:
    for tool in ("sshare", "sacctmgr"):
        fake_slurm.answer(tool, ending="hang", is_deaf=tool == "sshare")
    with start("slurm", "status") as process:
        _until(lambda: {"sshare", "sacctmgr"} <= {call.tool for call in fake_slurm.calls})
        process.send_signal(number)
        _, err = process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == 130
    expected = "fsconsole slurm status: Interrupted."
    assert err.strip().splitlines()[-1] == expected
    _until(lambda: not any(_is_alive(call.pid) for call in fake_slurm.calls))


def test_what_is_ignored_stays_so(fake_slurm: FakeSlurm, tmp_path: Path) -> None:
    """A hangup while a tool runs: the tool answers after it, and the command goes on to its end."""
    gate = tmp_path / "answer"
    os.mkfifo(gate)
    fake_slurm.answer("sacctmgr", "show", stdout=gate, times=1)
    with subprocess.Popen(
        ["nohup", *program("slurm", "show")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        _until(lambda: any("show" in call.argv for call in fake_slurm.calls))
        process.send_signal(signal.SIGHUP)
        call = next(call for call in fake_slurm.calls if "show" in call.argv)
        answer = subprocess.run((call.tool, *call.argv), capture_output=True, check=True).stdout
        _until(lambda: process.poll() is not None or _is_written(gate, answer))
        out, _ = process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == 0
    assert out.strip()


def _is_written(pipe: Path, data: bytes) -> bool:
    """Write into a named pipe once somebody reads it; return whether."""
    try:
        end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return False
    with os.fdopen(end, "wb") as file:
        os.set_blocking(end, True)
        file.write(data)
    return True


def test_what_was_done_is_logged_where_nobody_reads_what_is_reported(
    fake_slurm: FakeSlurm, dump: Path, state: Path
) -> None:
    fake_slurm.answer("sacctmgr", "modify", delay_s=0.8, times=4)
    with start("slurm", "apply", dump, "--yes") as process:
        assert process.stdout is not None
        _until(lambda: any("modify" in call.argv for call in fake_slurm.calls))
        process.stdout.close()
        process.wait(_PATIENCE_S)
    done = [call for call in fake_slurm.calls if "modify" in call.argv]
    assert process.returncode == 1
    assert len(_logged(state)) == len(done) > 0


def test_what_was_ended_is_logged_too(fake_slurm: FakeSlurm, dump: Path, state: Path) -> None:
    fake_slurm.answer("sacctmgr", "modify", ending="hang")
    with start("slurm", "apply", dump, "--yes") as process:
        _until(lambda: any("modify" in call.argv for call in fake_slurm.calls))
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert any(says(line, "cli.stopping-after-current-command-press") for line in process.stderr)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == 130
    done = [call for call in fake_slurm.calls if "modify" in call.argv]
    assert len(_logged(state)) == len(done) > 0
    assert not any(_is_alive(call.pid) for call in done)
