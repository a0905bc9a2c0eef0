"""Runs with their reservation logs, which studies do not keep: simulated once more, in threads."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.desk import StudyDesk
from fsconsole.console.analyse.study.errand import Errand

if TYPE_CHECKING:
    from fsconsole.batch.months import MonthRun
    from fsconsole.batch.study.folder import StudyFolder

_KEPT = 3
_QUEUED = Qt.ConnectionType.QueuedConnection


class ReservedRuns(QObject):
    """The runs of a desk's study with their reservations.

    Signals: loaded(cell) when `run_of` has it, missed(cell, sentence) where it cannot be had.
    """

    loaded = Signal(object)
    missed = Signal(object, str)

    def __init__(self, desk: StudyDesk) -> None:
        super().__init__(desk)
        self._desk = desk
        self._runs: OrderedDict[str, MonthRun] = OrderedDict()
        self._under_way: dict[str, tuple[Cell, Errand]] = {}
        desk.study_changed.connect(self._forget)

    def run_of(self, cell: Cell) -> MonthRun | None:
        """A finished run with its log; None while it is computed."""
        found = self._runs.get(cell.key)
        if found is not None:
            self._runs.move_to_end(cell.key)
            return found
        folder = self._desk.folder
        if folder is not None and cell.key not in self._under_way:
            errand = Errand(partial(_with_reservations, folder, cell), self)
            self._under_way[cell.key] = cell, errand
            errand.done.connect(self._on_done, _QUEUED)
            errand.failed.connect(self._on_failed, _QUEUED)
            errand.start()
        return None

    @Slot(object)
    def _on_done(self, found: tuple[Cell, MonthRun]) -> None:
        cell, run = found
        if self._take(self.sender()) is None:
            return
        self._runs[cell.key] = run
        while len(self._runs) > _KEPT:
            self._runs.popitem(last=False)
        self.loaded.emit(cell)

    @Slot(str)
    def _on_failed(self, sentence: str) -> None:
        cell = self._take(self.sender())
        if cell is not None:
            self.missed.emit(cell, sentence)

    def _take(self, errand: QObject) -> Cell | None:
        """The run that an errand was for; None where nobody waits for it any more."""
        for key, (cell, one) in self._under_way.items():
            if one is errand:
                del self._under_way[key]
                one.let_go()
                return cell
        return None

    @Slot()
    def _forget(self) -> None:
        for _, errand in self._under_way.values():
            errand.let_go()
        self._under_way.clear()
        self._runs.clear()


def reserved_runs(desk: StudyDesk) -> ReservedRuns:
    """Those of a desk, for all its views."""
    return desk.findChild(ReservedRuns) or ReservedRuns(desk)


def _with_reservations(folder: StudyFolder, cell: Cell) -> tuple[Cell, MonthRun]:
    """In the thread."""
    return cell, folder.month_run(cell, reservations=True)
