"""What the views of a study share: the study, what is selected in it, and the runs behind that."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from fsconsole.app.study.state import StudyState
from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.significance import StudySignificance
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.session import ConsoleSession

if TYPE_CHECKING:
    from fsconsole.batch.months import MonthRun
    from fsconsole.batch.study.folder import StudyFolder

_KEPT_RUNS, _KEPT_RESERVED = 8, 3
_DAY_S = 86400


class StudySelection(QObject):
    """The one thing that the study's views share; they listen to it and never call each other.

    Signals: study_changed() with another study, or none; results_changed() when runs have finished or failed
    or begun; cell_selected(), user_selected(), job_selected(), cursor_moved().

    Attributes:
        session: messages, preferences.
        runs: those that are done, with their schedules.
        reserved: the same with their reservation logs, which studies do not keep: simulated once more.
        significance: intervals and tests of the study.
        state: the study as it is now; None while none is open.
        cell: the run selected; None for none.
        user: the user selected, by name; empty for none.
        job: id of the job selected; None for none.
        cursor_s: the second of the trace that views of time show; None for none.
    """

    study_changed = Signal()
    results_changed = Signal()
    cell_selected = Signal()
    user_selected = Signal()
    job_selected = Signal()
    cursor_moved = Signal()

    def __init__(self, session: ConsoleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.state: StudyState | None = None
        self.cell: Cell | None = None
        self.user = ""
        self.job: int | None = None
        self.cursor_s: int | None = None
        self._is_persons = False  # Whether the user selected the run.
        self.runs = MonthRuns(self, _KEPT_RUNS)
        self.reserved = MonthRuns(self, _KEPT_RESERVED, reservations=True)
        self.significance = StudySignificance(self)

    # -- the study ------------------------------------------------------------------------------------------

    @property
    def folder(self) -> StudyFolder | None:
        """Where the results are."""
        return self.state.folder if self.state is not None else None

    def show(self, state: StudyState | None) -> None:
        """Show another study, or none."""
        self._forget_runs()
        self.state, self.cell, self.user, self.job, self.cursor_s = state, None, "", None, None
        self._is_persons = False
        self.significance.show(state)
        self.study_changed.emit()
        for signal in (self.cell_selected, self.user_selected, self.job_selected, self.cursor_moved):
            signal.emit()
        self.select_first()

    def update(self, state: StudyState) -> None:
        """Show the same study, further on; select a run as soon as one is done."""
        self.state = state
        self.significance.show(state)
        self.results_changed.emit()
        self.select_first()

    def select_first(self) -> None:
        """Select a finished run, preferably with a window of a day, unless the user has selected one."""
        state = self.state
        if state is None or self._is_persons:
            return
        done = [cell for cell in state.cells if state.state(cell) == "done"]
        by_user = [cell for cell in done if cell.policy.is_by_user]
        daily = [cell for cell in by_user if cell.policy.window_s == _DAY_S]
        first = next(iter((*daily, *by_user, *done)), None)
        if first is not None and first != self.cell:
            self.cell = first
            self.cell_selected.emit()

    def reference(self, workload: str) -> str:
        """Return the label of a workload's reference policy: FCFS, else the first finished one."""
        numbers = self.state.numbers if self.state is not None else None
        if numbers is None:
            return ""
        done = [label for label in numbers.policies if numbers.has(workload, label)]
        plain = [label for label in done if numbers.policies[label].order == "fcfs"]
        return next(iter((*plain, *done)), "")

    # -- what is selected -----------------------------------------------------------------------------------

    def select_cell(self, cell: Cell | None) -> None:
        """Select a run as if by the user."""
        self._is_persons = cell is not None
        if cell != self.cell:
            self.cell = cell
            self.cell_selected.emit()

    def select_user(self, user: str) -> None:
        """Select a user by name; empty for none."""
        if user != self.user:
            self.user = user
            self.user_selected.emit()

    def select_job(self, job_id: int | None) -> None:
        """Select a job by its id."""
        if job_id != self.job:
            self.job = job_id
            self.job_selected.emit()

    def set_cursor(self, at_s: int | None) -> None:
        """Move the time cursor to a second of the trace."""
        if at_s != self.cursor_s:
            self.cursor_s = at_s
            self.cursor_moved.emit()

    def _forget_runs(self) -> None:
        self.runs.forget()
        self.reserved.forget()
        self.significance.forget()

    def close(self) -> None:
        """Drop all runs: the window closes."""
        self._forget_runs()


class MonthRuns(QObject):
    """Finished runs of the study, read in threads; the last few are kept.

    Signals: loaded(cell) when `of` has it, missed(cell, sentence) where it cannot be had.
    """

    loaded = Signal(object)
    missed = Signal(object, str)

    def __init__(self, selection: StudySelection, most: int, *, reservations: bool = False) -> None:
        super().__init__(selection)
        self._selection, self._most, self._reservations = selection, most, reservations
        self._runs: OrderedDict[str, MonthRun] = OrderedDict()
        self._tasks = Tasks(self)

    def of(self, cell: Cell) -> MonthRun | None:
        """Return a finished run; None while it is read, until `loaded`."""
        found = self._runs.get(cell.key)
        if found is not None:
            self._runs.move_to_end(cell.key)
            return found
        folder = self._selection.folder
        if folder is not None and not self._tasks.is_busy(cell.key):
            self._tasks.run(
                partial(folder.month_run, cell, reservations=self._reservations),
                partial(self._on_loaded, cell),
                lambda error: self.missed.emit(cell, describe_error(error)),
                latest=cell.key,
            )
        return None

    def forget(self) -> None:
        """Drop all runs, and those that are being read."""
        self._tasks.cancel()
        self._runs.clear()

    def _on_loaded(self, cell: Cell, run: MonthRun) -> None:
        self._runs[cell.key] = run
        while len(self._runs) > self._most:
            self._runs.popitem(last=False)
        self.loaded.emit(cell)
