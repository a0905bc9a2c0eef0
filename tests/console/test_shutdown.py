"""The console that is ended from outside, as by Ctrl+C in the terminal."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import start
from tests.slurm.fake.fake_slurm import FakeSlurm

_PATIENCE_S = 60.0
_WHOLE = pytest.mark.whole("starts a console; SIGTERM goes the same way")


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


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *(pytest.param(one, marks=_WHOLE) for one in (signal.SIGINT, signal.SIGHUP))]
)
def test_no_tool_outlives_the_console(
    fake_slurm: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    for tool in ("sacctmgr", "squeue"):
        fake_slurm.answer(tool, ending="hang")
    with start("--slurm") as process:
        _until(lambda: {"sacctmgr", "squeue"} <= {call.tool for call in fake_slurm.calls})
        process.send_signal(number)
        _, err = process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == -number
    assert "Traceback" not in err
    _until(lambda: not any(_is_alive(call.pid) for call in fake_slurm.calls))
