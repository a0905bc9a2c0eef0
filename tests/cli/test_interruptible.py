"""Ctrl+C while compiled work goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fsconsole.cli.progress import interruptible

# The loop holds on to nothing of Python's, as compiled ones do, and has no end.
_WORK = """
import signal, time
from fsconsole.cli.progress import interruptible
signal.signal(signal.SIGINT, signal.default_int_handler)
def work():
    print("begun", flush=True)
    time.sleep(10**6)
interruptible(work)
"""


# Click is imported by the command line; here it takes until Ctrl+C.
_IMPORTS = """
import signal, sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            print("begun", flush=True)
            time.sleep(10**6)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Slow())
from importlib.metadata import entry_points
(program,) = entry_points(group="console_scripts", name="fsconsole")
program.load()()
"""


def test_what_is_made_or_raised_comes_back() -> None:
    assert interruptible(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)


@pytest.mark.parametrize("program", [_WORK, _IMPORTS], ids=["compiled work", "imports"])
def test_ctrl_c_ends_at_once_without_a_traceback(program: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, errors) == (130, "fsconsole: Interrupted.\n")
