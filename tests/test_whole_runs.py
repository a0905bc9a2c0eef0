"""Whole runs of the tests leave a line, which may not be much older than the newest commit."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from tools.whole_runs import COLUMNS, FILE, check, run

LINE = "2026-11-30T10:00+00:00,abc,80,0,,"
REPORT = """<testsuites><testsuite>
<testcase classname="tests.cli.test_a" name="test_one"/>
<testcase classname="tests.cli.test_a" name="test_two[x]"><failure message="m">t</failure></testcase>
<testcase classname="tests.linux.test_b" name="test_three"><skipped message="m"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    return tmp_path


def commit(root: Path, date: str) -> None:
    people = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(("git", "init", "-q", str(root)), check=True)
    subprocess.run(
        ("git", *people, "commit", "-q", "--allow-empty", "-m", "a"),
        cwd=root,
        env={"GIT_COMMITTER_DATE": date, "PATH": "/usr/bin:/bin"},
        check=True,
    )


def write(root: Path, *lines: str) -> None:
    (root / FILE).write_text("\n".join((",".join(COLUMNS), *lines)) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("date", "is_refused"),
    [("2026-11-01T00:00:00Z", False), ("2026-12-14T09:00:00Z", False), ("2026-12-15T10:00:00+00:00", True)],
)
def test_the_last_line_is_held_against_the_newest_commit(root: Path, date: str, is_refused: bool) -> None:
    commit(root, date)
    write(root, LINE.replace("2026", "2025"), LINE)
    assert bool(check(root)) == is_refused


def test_a_clone_without_a_run_is_refused_and_what_is_no_clone_passes(root: Path) -> None:
    assert check(root) == ""
    commit(root, "2026-11-30T10:00:00Z")
    assert check(root)
    write(root)
    assert check(root)


def test_a_run_goes_on_after_failures_and_leaves_one_line(root: Path) -> None:
    commit(root, "2026-11-30T10:00:00Z")
    report = f"from pathlib import Path; Path('build/test-all/report.xml').write_text({REPORT!r})"
    parts = {
        "tests": (sys.executable, "-c", f"{report}; raise SystemExit(1)"),
        "broken": (sys.executable, "-c", "raise SystemExit(3)"),
        "absent": ("no-such-program",),
        "elsewhere": (sys.executable, "-c", "print('Skipped: no root')"),
        "well": (sys.executable, "-c", "print('1 passed')"),
    }
    assert run(root, parts) == 1
    assert run(root, {"well": parts["well"]}) == 0
    first, second = csv.DictReader((root / FILE).read_text("utf-8").splitlines())
    assert first["failures"] == "2"
    assert first["failed"].split("; ") == ["tests.cli.test_a::test_two[x]", "broken (status 3)"]
    assert [text.partition(":")[0] for text in first["not_run"].split("; ")] == [
        "1 of tests/linux skipped",
        "absent",
        "elsewhere",
    ]
    assert (second["failures"], second["failed"], second["not_run"]) == ("0", "", "")
    assert check(root) == ""
