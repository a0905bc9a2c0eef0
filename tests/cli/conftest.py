"""Runs the program as the shell does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from fsconsole.cli.main import run


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


Cli = Callable[..., Ended]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Cli:
    """Run a command line in this process."""

    def call(*arguments: object) -> Ended:
        capfd.readouterr()
        status = run([str(item) for item in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        return Ended(status, out, err)

    return call


@pytest.fixture
def examples() -> Path:
    """The folder of example scenarios."""
    from fsconsole.resources import examples as folder

    return folder()


def program(*arguments: object) -> list[str]:
    """The argument list of the program in a process of its own."""
    return [sys.executable, "-c", "from fsconsole.cli.main import main; main()", *map(str, arguments)]


_HEARD = """import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
"""


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start the program in a process of its own.

    It hears signals as at a terminal: tests that run in the background, or by nohup, ignore some, and what is
    ignored is inherited.
    """
    python, option, code, *rest = program(*arguments)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    return subprocess.Popen(
        [python, option, _HEARD + code, *rest],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
