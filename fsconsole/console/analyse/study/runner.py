"""Reads and runs studies in a thread; what comes of it reaches the window as states of the study."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Self

from fsconsole.app.study.files import STUDY, results_of
from fsconsole.app.study.reading import read_state
from fsconsole.app.study.state import CellState, StudyState, SweepProgress
from fsconsole.console.kit.tasks import Task, describe_error
from fsconsole.shares.scenario.problems import ScenarioError

if TYPE_CHECKING:
    from fsconsole.batch.study.run import CellEvent
    from fsconsole.batch.study.spec import StudySpec
    from fsconsole.batch.study.task import CellResult, Executor
    from fsconsole.batch.study.task import Task as CellTask

REPORT_EVERY_S = 0.2  # Shortest time between two updates of a study.
_REST = 9.0  # Results are read again after this many times the duration of the last reading.
_STATES: dict[str, CellState] = {"started": "running", "finished": "done", "failed": "failed"}
MakeExecutor = Callable[[], "Executor"]


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study that was read: its file or folder, what it compares, where results go, how far it is."""

    path: Path
    spec: StudySpec
    results: Path
    state: StudyState
    has_changed: bool = False


def open_study(path: Path) -> OpenStudy:
    """Read a study's file or folder; ScenarioError, StudyError or OSError where that cannot be.

    What is done can be looked at without the trace; one that does not say what it is of begins again.
    """
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.plan import plan_of
    from fsconsole.batch.study.run import is_same_study
    from fsconsole.batch.study.spec import StudyError
    from fsconsole.batch.study.study_file import read_study

    results = results_of(path)
    file = path / STUDY if path.is_dir() else path
    try:
        folder = StudyFolder(results)
    except StudyError:
        spec = read_study(file)
        state = StudyState(spec.name, plan_of(spec).cells, about=spec.about)
        return OpenStudy(path, spec, results, state)
    spec = read_study(file, check_files=False)
    state = read_state(folder, spec.name, spec.about)
    if is_same_study(results / STUDY, spec):
        return OpenStudy(path, spec, results, state)
    cells = plan_of(read_study(file)).cells
    has_changed = {cell.key for cell in cells} != {cell.key for cell in state.cells}
    return OpenStudy(path, spec, results, state, has_changed)


def read_again(state: StudyState, results: Path) -> StudyState:
    """Return the readable state of an open study now, for a thread; without its folder all of it waits."""
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.spec import StudyError

    try:
        return read_state(StudyFolder(results), state.name, state.about)
    except StudyError:
        return StudyState(state.name, state.cells, about=state.about)


def in_words(error: Exception) -> str:
    """Return an error as a sentence."""
    if isinstance(error, ScenarioError):
        return "; ".join(str(problem) for problem in error.problems)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return describe_error(error)


class StudyRun:
    """Runs a study: `work` in a thread, all else in any. It reports StudyState and SweepProgress.

    Attributes:
        remarks: what was found beside cells, as the command prints it: files that stay, results not used.
    """

    def __init__(self, study: OpenStudy, make_executor: MakeExecutor) -> None:
        self.study = study
        self.remarks: list[str] = []
        self._make_executor = make_executor
        self._stopped = Event()
        self._held = Event()
        self._task: Task | None = None
        self._state: StudyState | None = None
        self._progress = SweepProgress("reading")
        self._has_news = False
        self._not_before = -math.inf
        self._is_unreported, self._reported_at = False, -math.inf

    @property
    def is_held(self) -> bool:
        """Whether no further run is begun."""
        return self._held.is_set()

    def hold(self, is_held: bool) -> None:
        """Start no further cells, or continue; running cells finish."""
        if is_held:
            self._held.set()
        else:
            self._held.clear()

    @property
    def is_stopped(self) -> bool:
        """Whether it is to end soon."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """End soon; what is under way gives no result."""
        self._stopped.set()

    def work(self, task: Task) -> None:
        """Run it to its end, or until it is stopped or its task cancelled."""
        from fsconsole.batch.study.run import run_study

        self._task = task
        try:
            with HeldExecutor(self._make_executor(), self._held) as executor:
                self._progress = SweepProgress("running", executor.workers, executor.where)
                run_study(self.study.spec, self.study.results, executor, self._on_event, self._must_end)
        finally:
            self._report_all()

    def _must_end(self) -> bool:
        """Report the newest state if it is due, and return True if the run must end."""
        self._report_in_time()
        return self._stopped.is_set() or (self._task is not None and self._task.is_cancelled())

    def _on_event(self, event: CellEvent) -> None:
        """Report how far the study is by now."""
        if event.words and event.kind != "failed":  # The cells show their own failures.
            self.remarks.append(event.words)
        if self._state is None or event.kind == "found":
            self._state = self._read()
        if event.cell is not None and event.kind in _STATES:
            failure = event.text if event.kind == "failed" else ""
            self._state = self._state.with_run(event.cell, _STATES[event.kind], failure)
        self._has_news |= event.kind == "finished"
        self._state = self._with_results(self._state)
        self._progress = replace(self._progress, left_s=event.left_s)
        self._is_unreported = True
        self._report_in_time()

    def _report_in_time(self) -> None:
        """Report the newest state unless one was reported just before."""
        now = time.monotonic()
        if self._is_unreported and now - self._reported_at >= REPORT_EVERY_S:
            self._is_unreported, self._reported_at = False, now
            self._report(self._state)

    def _report(self, state: StudyState | None) -> None:
        if self._task is not None:
            self._task.report(state, self._progress)

    def _with_results(self, state: StudyState) -> StudyState:
        """Return the state with finished rows; in a large study not at once, to save time for the run."""
        is_quiet = state.count()["running"] == 0
        begun = time.monotonic()
        if state.folder is None or not self._has_news or (begun < self._not_before and not is_quiet):
            return state
        found = replace(state, summary=state.folder.summary(), users=state.folder.users())
        found.numbers.has("", "")  # Computed here, because the window's thread must not wait.
        now = time.monotonic()
        self._has_news, self._not_before = False, now + _REST * (now - begun)
        return found

    def _report_all(self) -> None:
        """Report what is in the folder at the end; without one, that nothing runs any more."""
        from fsconsole.batch.study.spec import StudyError

        try:
            self._report(self._read())
        except (StudyError, OSError):
            if self._state is not None:
                self._report(self._state.at_rest())

    def _read(self) -> StudyState:
        from fsconsole.batch.study.folder import StudyFolder

        spec = self.study.spec
        return read_state(StudyFolder(self.study.results), spec.name, spec.about)


class HeldExecutor:
    """An executor that has no room for more while it is held."""

    def __init__(self, inner: Executor, held: Event) -> None:
        self._inner, self._held = inner, held

    @property
    def where(self) -> str:
        """As the executor has it."""
        return self._inner.where

    @property
    def workers(self) -> int:
        """As the executor has it."""
        return self._inner.workers

    def room(self) -> int:
        """Return the executor's room; 0 while held."""
        return 0 if self._held.is_set() else self._inner.room()

    def submit(self, task: CellTask, jobs: Path) -> None:
        """Pass the task to the executor."""
        self._inner.submit(task, jobs)

    def answers(self, timeout_s: float) -> list[CellResult]:
        """Return the answers of the executor."""
        return self._inner.answers(timeout_s)

    def abandon(self) -> None:
        """Abandon the tasks of the executor."""
        self._inner.abandon()

    def __enter__(self) -> Self:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._inner.__exit__(*error)
