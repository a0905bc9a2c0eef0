"""A test that hangs does not take the others with it; what hangs outside a test ends the run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
HANGING = """
import ctypes
import time

import pytest


@pytest.fixture(scope="session", autouse=True)
def one_application():
    pass  # Nothing of Qt is started, since the clock of the first test would count it.


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


SLEEP = "import ctypes; ctypes.PyDLL(None).sleep(1000)"
OUTSIDE = {
    "collection": f"{SLEEP}",
    "fixture": f"""
import pytest

@pytest.fixture(scope="session")
def for_all():
    {SLEEP}


def test_first(for_all):
    pass


def test_second(for_all):
    pass
""",
}
START = f"""
def pytest_sessionstart(session):
    if hasattr(session.config, "workerinput"):
        {SLEEP}
"""


def run_tests(
    folder: Path, text: str, *options: str, test_s: float = 300, hang_s: float = 300
) -> tuple[int, str]:
    """Return the exit status and the output of a run of pytest over one file."""
    file = folder / "test_hanging.py"
    file.write_text(text, encoding="utf-8")
    config = (
        "-c",
        str(CHECKOUT / "pyproject.toml"),
        "--rootdir",
        str(folder),
        "--basetemp",
        str(folder / "base"),
    )
    limit = ("-o", f"faulthandler_timeout={test_s}", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.hangs", *limit, *config, *options, str(file)],
        cwd=CHECKOUT,
        env=os.environ | {"FSCONSOLE_HANG_S": str(hang_s)},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.dear("starts workers again, in place of those that hang")
def test_what_hangs_is_ended_and_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    status, result = run_tests(tmp_path, HANGING, "-n", "1", test_s=8)
    hanging = tmp_path / "test_hanging.py"
    assert status == pytest.ExitCode.TESTS_FAILED, result
    for name in ("test_lock_that_is_never_given_back", "test_failure_whose_teardown_hangs"):
        assert f"crashed while running 'test_hanging.py::{name}'" in result
    assert f'{hanging}", line 14 in test_lock_that_is_never_given_back' in result
    assert f'{hanging}", line 20 in without_end' in result
    assert "1 passed" in result


@pytest.mark.dear("starts workers again, in place of those that hang")
@pytest.mark.parametrize(("where", "workers"), [("collection", "0"), ("collection", "1"), ("fixture", "1")])
def test_what_hangs_outside_a_test_ends_the_run_with_the_stacks(
    tmp_path: Path, where: str, workers: str
) -> None:
    status, result = run_tests(tmp_path, OUTSIDE[where], "-n", workers, hang_s=25)
    assert status != 0, result
    assert re.search(rf'{tmp_path}/test_hanging.py", line \d+ in (for_all|<module>)', result), result


def test_a_worker_that_does_not_start_ends_the_run_with_the_stacks(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(START, encoding="utf-8")
    status, result = run_tests(tmp_path, "def test(): pass", "-n", "1", hang_s=25)
    assert status != 0, result
    assert re.search(rf'{tmp_path}/conftest.py", line \d+ in pytest_sessionstart', result), result
