"""A run prints its processor time, and fails where a dear test does not say why."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import costs
from tests.costs import aside, processor_s, room_of

CHECKOUT = Path(__file__).resolve().parent.parent
SPEND = "import time\nwhile time.process_time() < 0.6: pass\n"
TESTS = f"""
import subprocess
import sys
import time

import pytest

def spend():
    subprocess.run((sys.executable, "-c", {SPEND!r}), check=True)


@pytest.fixture
def child():
    yield
    spend()


def test_with_a_child_at_its_end(child):
    pass


@pytest.mark.dear("for a reason")
def test_marked():
    spend()


@pytest.mark.whole("for another")
def test_left_out():
    raise AssertionError


def test_cheap():
    pass
"""


def run_tests(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_these.py").write_text(TESTS, encoding="utf-8")
    config = (
        "-c",
        str(CHECKOUT / "pyproject.toml"),
        "--rootdir",
        str(folder),
        "--basetemp",
        str(folder / "base"),
    )
    command = (sys.executable, "-m", "pytest", "-p", "tests.costs", "--dear-from", "0.1", *config, *options)
    return subprocess.run(
        [*command, str(folder / "test_these.py")],
        cwd=CHECKOUT,
        # What other tests compile meanwhile is no reason of these.
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder / "none"), "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


def named(output: str, pattern: str) -> set[str]:
    return set(re.findall(rf"^{pattern}.*::(\w+)", output, re.MULTILINE))


@pytest.mark.dear("starts pytest with a worker")
def test_children_count_and_a_dear_test_without_its_reason_fails_the_run(tmp_path: Path) -> None:
    done = run_tests(tmp_path, "-n", "1", "--budget", "100")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    answer = named(done.stdout, r" +\d\.\d s ")
    assert answer == {"test_with_a_child_at_its_end", "test_marked"}
    assert named(done.stdout, "ERROR") == {"test_with_a_child_at_its_end"}
    (total,) = re.findall(r"^(\d+) .*\(budget 100\)", done.stdout, re.MULTILINE)
    assert 1 <= int(total) < 100
    ((times, there),) = re.findall(r"^pace (\d\.\d\d): (\d+) ", done.stdout, re.MULTILINE)
    assert int(there) == pytest.approx(int(total) / float(times), abs=1)


def test_without_a_budget_nothing_fails_and_what_is_left_out_runs_when_asked_for(tmp_path: Path) -> None:
    done = run_tests(tmp_path, "--whole", "--by-room")
    assert "3 passed" in done.stdout, done.stdout + done.stderr
    assert "1 failed" in done.stdout
    assert "ERROR" not in done.stdout
    (total,) = re.findall(r"^(\d+) \S+ \S+$", done.stdout, re.MULTILINE)
    assert 1 <= int(total) < 100
    assert re.search(r"^\. +4 +\d\.\d$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("place", ["chosen/compiled-1/m", "fsconsole-compiled-1/m"])
def test_compiling_is_a_reason_wherever_functions_are_kept(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / place).mkdir(parents=True)
    stored = tmp_path / place / "f.nbc"
    (tmp_path / place / "removed.nbc").symlink_to(tmp_path / "nowhere")
    assert not costs._compiled_since(1000.0)
    stored.touch()
    os.utime(stored, (1000, 1000))
    assert costs._compiled_since(1000.0)
    assert not costs._compiled_since(1001.0)


def test_what_is_kept_for_later_runs_is_counted_aside() -> None:
    before_s, start_s = costs._aside_s, processor_s()
    with aside():
        while processor_s() < start_s + 0.02:
            pass
    assert 0.01 <= costs._aside_s - before_s <= processor_s() - start_s


def test_rooms_are_two_folders_deep() -> None:
    tests = (
        "tests/test_a.py",
        "tests/cli/test_b.py::test",
        "tests/console/cluster/operate/test_c.py::test[a::b/c]",
    )
    assert [room_of(test) for test in tests] == [".", "cli", "console/cluster"]


def test_laws_say_how_many_examples_they_try_in_one_way() -> None:
    word = "max_" + "examples"
    found = [path.name for path in (CHECKOUT / "tests").rglob("*.py") if word in path.read_text("utf-8")]
    assert found == ["laws.py"]
