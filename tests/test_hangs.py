"""A test that hangs must not take the others with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
HANGING = """
import ctypes
import time

import pytest


def test_lock_that_is_never_given_back():
    ctypes.PyDLL(None).sleep(1000)  # with the GIL held


@pytest.fixture
def without_end():
    yield
    time.sleep(1000)


def test_failure_whose_teardown_hangs(without_end):
    raise AssertionError


def test_without_fault():
    pass
"""


def test_what_hangs_is_ended_and_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    hanging = tmp_path / "test_hanging.py"
    hanging.write_text(HANGING, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "1",
        "-p",
        "tests.conftest",
        "-o",
        "faulthandler_timeout=4",
    ]
    folders = [
        "-c",
        str(CHECKOUT / "pyproject.toml"),
        "--rootdir",
        str(tmp_path),
        "--basetemp",
        str(tmp_path / "base"),
    ]
    done = subprocess.run(
        [*command, *folders, str(hanging)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    result = done.stdout + done.stderr
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, result
    for name in ("test_lock_that_is_never_given_back", "test_failure_whose_teardown_hangs"):
        assert f"crashed while running 'test_hanging.py::{name}'" in result
    assert f'{hanging}", line 9 in test_lock_that_is_never_given_back' in result
    assert f'{hanging}", line 15 in without_end' in result
    assert "1 passed" in result
