"""Runs with their reservation logs, which studies do not keep: simulated once more, in threads."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.kit.tasks import Tasks, describe_error

if TYPE_CHECKING:
    from fsconsole.batch.months import MonthRun

_KEPT = 3


class ReservedRuns(QObject):
    """The runs of a selection's study with their reservations.

    Signals: loaded(cell) when `run_of` has it, missed(cell, sentence) where it cannot be had.
    """

    loaded = Signal(object)
    missed = Signal(object, str)

    def __init__(self, selection: StudySelection) -> None:
        super().__init__(selection)
        self._selection = selection
        self._runs: OrderedDict[str, MonthRun] = OrderedDict()
        self._tasks = Tasks(self)
        selection.study_changed.connect(self._forget)

    def run_of(self, cell: Cell) -> MonthRun | None:
        """A finished run with its log; None while it is computed."""
        found = self._runs.get(cell.key)
        if found is not None:
            self._runs.move_to_end(cell.key)
            return found
        folder = self._selection.folder
        if folder is not None and not self._tasks.is_busy(cell.key):
            self._tasks.run(
                partial(folder.month_run, cell, reservations=True),
                partial(self._on_run, cell),
                lambda error: self.missed.emit(cell, describe_error(error)),
                latest=cell.key,
            )
        return None

    def _on_run(self, cell: Cell, run: MonthRun) -> None:
        self._runs[cell.key] = run
        while len(self._runs) > _KEPT:
            self._runs.popitem(last=False)
        self.loaded.emit(cell)

    @Slot()
    def _forget(self) -> None:
        self._tasks.cancel()
        self._runs.clear()


def reserved_runs(selection: StudySelection) -> ReservedRuns:
    """Those of a selection, for all its views."""
    return selection.findChild(ReservedRuns) or ReservedRuns(selection)
