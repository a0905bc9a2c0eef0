"""Run all tests there are, and keep a committed line for each such run: tests/whole_runs.csv.

`run` goes on after a part that fails, and appends the line at its end. `check` refuses a file whose last line
is much older than the newest commit. It compares with the commit and not with today, so that a clone of next
year passes.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parent.parent
FILE = Path("tests/whole_runs.csv")
COLUMNS = ("date", "commit", "minutes", "failures", "failed", "not_run")
OLDEST = timedelta(days=14)
_BUILD = Path("build/test-all")
_SHOWN = 10
_REPORT = f"{_BUILD}/report.xml"
_TEST_S = 1500  # The monkey alone takes ten minutes.
_PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", "3", "--dist", "loadgroup", "--whole")
PARTS: Mapping[str, Sequence[str]] = {
    "tests": (
        *_PYTEST, "--by-room", "-o", f"faulthandler_timeout={_TEST_S}", "--ignore", "tests/walks",
        "--junit-xml", _REPORT,
    ),
    "walks": ("make", "walks"),
    "accessibility": ("make", "test-accessibility"),
    "slurm versions": ("make", "test-slurm-versions"),
}  # fmt: skip
# What a part prints where it, or a piece of it, cannot run on this machine.
_NOT_RUN = re.compile(r"^(?:Skipped: .*|No release of Slurm .*|Slurm [\d.]+: skipped.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The tests of a part that failed, and what could not be run."""

    failed: tuple[str, ...]
    not_run: tuple[str, ...]


def run(root: Path = ROOT, parts: Mapping[str, Sequence[str]] = PARTS) -> int:
    """Run all parts and append the line; return 1 if anything failed."""
    began, start_s = datetime.now(UTC), time.monotonic()
    commit = _commit(root)
    outcomes = [_run_part(root, name, command) for name, command in parts.items()]
    failed = [test for outcome in outcomes for test in outcome.failed]
    shown = failed[:_SHOWN] + ([f"{len(failed) - _SHOWN} more"] if len(failed) > _SHOWN else [])
    row = (
        began.isoformat(timespec="minutes"),
        commit,
        round((time.monotonic() - start_s) / 60),
        len(failed),
        "; ".join(shown),
        "; ".join(text for outcome in outcomes for text in outcome.not_run),
    )
    file = root / FILE
    is_new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows([COLUMNS, row] if is_new else [row])
    print(f"{FILE}: {','.join(map(str, row))}\nCommit this line.")
    return int(bool(failed))


def _run_part(root: Path, name: str, command: Sequence[str]) -> Outcome:
    """Run a part, its output on the terminal and in a file; return its outcome."""
    print(f"\n=== {name}: {' '.join(command)}", flush=True)
    (root / _BUILD).mkdir(parents=True, exist_ok=True)
    report = root / _REPORT
    report.unlink(missing_ok=True)
    log = root / _BUILD / f"{name.replace(' ', '-')}.log"
    with log.open("w", encoding="utf-8") as out:
        status = _run_command(root, command, out)
    not_run = [f"{name}: {text}" for text in _NOT_RUN.findall(log.read_text("utf-8"))]
    failed: list[str] = []
    if report.exists():
        failed, skipped = _read_report(report)
        not_run += [f"{number} of {room} skipped" for room, number in sorted(skipped.items())]
    if status != 0 and not failed:
        failed = [f"{name} (status {status})"]
    return Outcome(tuple(failed), tuple(not_run))


def _run_command(root: Path, command: Sequence[str], out: TextIO) -> int:
    try:
        process = subprocess.Popen(
            command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
    except OSError as error:
        print(f"Skipped: {error}", file=out)
        return 0
    with process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            out.write(line)
    return process.returncode


def _read_report(path: Path) -> tuple[list[str], Counter[str]]:
    """Return the tests that failed, and how many were skipped in each folder, from a report of pytest."""
    failed, skipped = [], Counter[str]()
    for case in ET.parse(path).iter("testcase"):
        module = case.get("classname", "")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{module}::{case.get('name')}")
        elif case.find("skipped") is not None:
            skipped[module.rpartition(".")[0].replace(".", "/")] += 1
    return failed, skipped


def check(root: Path = ROOT) -> str:
    """Return what is wrong with the file; empty if nothing is, or if there is no history to compare with."""
    newest = _git(root, "log", "-1", "--format=%cI")
    if not newest:
        print(f"{FILE} is not checked: this is not a clone of the repository.")
        return ""
    file = root / FILE
    rows = list(csv.DictReader(file.read_text("utf-8").splitlines())) if file.exists() else []
    if not rows:
        return f"{FILE} has no run. Run make test-all and commit the line that it appends."
    age = datetime.fromisoformat(newest) - datetime.fromisoformat(rows[-1]["date"])
    if age > OLDEST:
        return f"{FILE}: the last run is {age.days} days older than the newest commit. Run make test-all."
    return ""


def _commit(root: Path) -> str:
    """Return the short name of the commit, marked if files differ from it."""
    changes = _git(root, "status", "--porcelain")
    return _git(root, "rev-parse", "--short=10", "HEAD") + (" and changes" if changes else "")


def _git(root: Path, *words: str) -> str:
    """Return what git answers; empty where there is no git, or no repository of this very folder."""
    if not (root / ".git").exists():
        return ""
    try:
        done = subprocess.run(("git", *words), cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def main() -> int:
    """Run all tests, or with `check` return 1 if that was done too long ago."""
    if sys.argv[1:] == ["run"]:
        return run()
    if sys.argv[1:] != ["check"]:
        print("Usage: python tools/whole_runs.py run|check")
        return 2
    wrong = check()
    print(wrong, end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
