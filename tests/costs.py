"""A plugin of pytest: the processor time of a run, by test and by room, and the tests that are dear.

A run prints it at its end. Processor time is that of each process of the run, its start and collection
included, and of the children that it has waited for, and they for theirs: programs that tests and fixtures
run. The daemons of a Slurm cluster count when their keeper ends, at the last test of their module. A process
that is never waited for cannot be counted: a daemon that outlives its parent.

The machine's pace is measured now and then and printed beside the sum, so that sums of different days and
machines can be compared.

With `--budget` a test above `--dear-from` (5 s) without a reason fails the run. The reason is a mark beside
the test, `@pytest.mark.dear("starts three workers")`. Tests marked `whole` run with `--whole` alone.
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from statistics import median
from typing import TypedDict

import pytest

_clock = time.monotonic  # Tests put others in its place.
_SHOWN, _SHOWN_FROM_S = 10, 0.5
# The time of `_work` on the machine that the budget is meant for. Where it takes longer, on a slower or
# busier machine, the limit of a test grows as much.
_WORK_S = 0.027
_PACE_EVERY = 100  # tests of a process
_MARKS = (
    "dear(reason): takes more than 5 processor seconds, and why",
    "whole(reason): runs in `make test-all` alone, and why",
)
_aside_s = 0.0  # what `aside` has measured in this process


class Told(TypedDict):
    """What a process reports of a phase of a test."""

    process: int
    process_s: float  # since its start
    aside_s: float
    phase_s: float
    reason: str
    pace: float  # 0 where it was not measured


def processor_s() -> float:
    """Return the processor time of this process and of the children that it has waited for."""
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


@contextmanager
def aside() -> Iterator[None]:
    """Count the time inside for the run, but not for the test: its result is kept for later runs."""
    global _aside_s  # noqa: PLW0603
    start_s = processor_s()
    try:
        yield
    finally:
        _aside_s += processor_s() - start_s


def pace() -> float:
    """Return the time of some work here and now, as a multiple of that on the machine of the budget."""
    start_s = time.process_time()
    _work()
    return (time.process_time() - start_s) / _WORK_S


def _work() -> None:
    for _ in range(3):
        json.loads(json.dumps({str(number): [number / 7] * 4 for number in range(4000)}))


def _compiled_since(began: float) -> bool:
    """Return True if a program has stored a compiled function since then, which later runs find there."""
    chosen = os.environ.get("NUMBA_CACHE_DIR", "")
    # Where the home is read-only, they are among the temporary files; see `code_cache`, slow to load.
    folders = [Path(chosen)] * bool(chosen) + [*Path(tempfile.gettempdir()).glob("fsconsole-compiled-*")]
    return any(_changed_s(path) >= began for folder in folders for path in folder.rglob("*.nbc"))


def _changed_s(path: Path) -> float:
    with suppress(OSError):  # Another program removes functions that are no longer used.
        return path.stat().st_mtime
    return 0.0


def room_of(nodeid: str) -> str:
    """Return the folder of tests/ that a test is in, two levels deep."""
    folders = PurePosixPath(nodeid.partition("::")[0]).parts[1:-1]
    return "/".join(folders[:2]) or "."


class Meter:
    """Measures the phases of each test, in the process that runs it."""

    def __init__(self, dear_from_s: float) -> None:
        self._dear_from_s = dear_from_s
        self._began = self._phase_began = 0.0
        self._start_s = self._start_aside_s = self._test_s = 0.0
        self._tests = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        self._began, self._phase_began = time.time(), _clock()
        self._start_s, self._start_aside_s, self._test_s = processor_s(), _aside_s, 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        now_s = processor_s()
        phase_s = now_s - self._start_s - (_aside_s - self._start_aside_s)
        # More than all processors could give is that of a child of an earlier test, waited for only now.
        phase_s = min(phase_s, (_clock() - self._phase_began) * (os.cpu_count() or 1))
        self._test_s += phase_s
        mark = item.get_closest_marker("dear") or item.get_closest_marker("whole")
        told = Told(
            process=os.getpid(),
            process_s=now_s,
            aside_s=_aside_s,
            phase_s=phase_s,
            reason=str(mark.args[0]) if mark else "",
            pace=0.0,
        )
        if self._test_s > self._dear_from_s and not mark:
            told["pace"] = pace()
            told["reason"] = "functions were compiled at the time" if _compiled_since(self._began) else ""
        if report.when == "teardown":  # A test has put back what it replaced.
            self._tests += 1
            if self._tests % _PACE_EVERY == 0:
                told["pace"] = pace()
        vars(report)["costs"] = told
        self._start_s, self._start_aside_s = processor_s(), _aside_s
        self._phase_began = _clock()
        return report


class Account:
    """Adds up what the processes of a run report, and prints it at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._by_test: dict[str, float] = defaultdict(float)
        self._by_process: dict[int, Told] = {}
        self._reasons: dict[str, str] = {}
        self._paces: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told: Told | None = getattr(report, "costs", None)
        if told is None:  # a worker that died
            return
        self._by_test[report.nodeid] += told["phase_s"]
        self._by_process[told["process"]] = told
        if told["reason"]:
            self._reasons[report.nodeid] = told["reason"]
        if told["pace"]:
            self._paces[report.nodeid] = max(told["pace"], self._paces.get(report.nodeid, 0.0))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._without_reason() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        budget = self._config.getoption("budget")
        write, shown = terminalreporter.write_line, self._dearest()
        if budget or shown:
            terminalreporter.section("processor time")
        for nodeid, taken_s in shown:
            write(f"{taken_s:7.1f} s  {nodeid}{self._because(nodeid)}")
        if self._config.getoption("by_room"):
            write(f"{'room':24} {'tests':>6} {'s':>8}")
            for room, number, taken_s in self.by_room():
                write(f"{room:24} {number:6} {taken_s:8.1f}")
        for nodeid, taken_s in self._without_reason():
            write(
                f"ERROR {nodeid}: {taken_s:.1f} processor seconds without a mark `dear` that says why",
                red=True,
            )
        aside_s = sum(told["aside_s"] for told in self._by_process.values())
        kept = f", {aside_s:,.0f} of them for what later runs reuse" if aside_s >= 1 else ""
        write(f"{self.total_s():,.0f} processor seconds{f' (budget {budget:,})' if budget else ''}{kept}")
        if self._paces:
            times = median(self._paces.values())
            write(f"pace {times:.2f}: {self.total_s() / times:,.0f} on the machine of the budget")

    def total_s(self) -> float:
        """Return the processor time of all processes of the run until now."""
        told = [one["process_s"] for process, one in self._by_process.items() if process != os.getpid()]
        if not told:
            return processor_s()
        own = resource.getrusage(resource.RUSAGE_SELF)  # Its children are the workers, counted by themselves.
        return own.ru_utime + own.ru_stime + sum(told)

    def by_room(self) -> list[tuple[str, int, float]]:
        """Return each room, its number of tests and what they took, dearest first."""
        rooms: dict[str, list[float]] = defaultdict(list)
        for nodeid, taken_s in self._by_test.items():
            rooms[room_of(nodeid)].append(taken_s)
        rows = [(room, len(times), sum(times)) for room, times in rooms.items()]
        return sorted(rows, key=lambda row: -row[2])

    def _dearest(self) -> list[tuple[str, float]]:
        rows = sorted(self._by_test.items(), key=lambda row: -row[1])[:_SHOWN]
        return [row for row in rows if row[1] >= _SHOWN_FROM_S]

    def _without_reason(self) -> list[tuple[str, float]]:
        if not self._config.getoption("budget"):
            return []
        limit_s = self._config.getoption("dear_from")
        return [
            (nodeid, taken_s)
            for nodeid, taken_s in self._by_test.items()
            if taken_s > limit_s * max(1.0, self._paces.get(nodeid, 1.0)) and nodeid not in self._reasons
        ]

    def _because(self, nodeid: str) -> str:
        reason = self._reasons.get(nodeid)
        return f": {reason}" if reason else ""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("costs", "processor time, and tests that run in make test-all alone")
    group.addoption(
        "--budget", type=int, default=0, help="processor seconds that a whole run should take, printed"
    )
    group.addoption(
        "--dear-from", type=float, default=5.0, help="processor seconds of a test that need a reason"
    )
    group.addoption("--by-room", action="store_true", help="print the processor time of each room")
    group.addoption("--whole", action="store_true", help="run tests marked `whole` too")


def pytest_configure(config: pytest.Config) -> None:
    for mark in _MARKS:
        config.addinivalue_line("markers", mark)
    config.pluginmanager.register(Meter(config.getoption("dear_from")))
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Account(config))


@pytest.hookimpl(trylast=True)  # after those that mark
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what runs with `--whole` alone; a mark without its reason is an error."""
    for item in items:
        for mark in (*item.iter_markers("dear"), *item.iter_markers("whole")):
            if len(mark.args) != 1 or not isinstance(mark.args[0], str):
                raise pytest.UsageError(f'{item.nodeid}: say why, as in @pytest.mark.{mark.name}("reason")')
    if config.getoption("whole"):
        return
    left_out = [item for item in items if item.get_closest_marker("whole")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.get_closest_marker("whole") is None]
