"""What is made of runs of a study, computed beside the window and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from fsconsole.app.study.state import StudyState
from fsconsole.batch.study.spec import Cell
from fsconsole.console.kit.tasks import Tasks, describe_error


class OfRuns(QObject):
    """What is made of schedules of runs, computed in a thread.

    Signals: computed() when `of` has it, failed(words) where it cannot be had.
    """

    computed = Signal()
    failed = Signal(str)

    def __init__(self, owner: QObject, compute: Callable[[StudyState, Sequence[Cell]], Any]) -> None:
        super().__init__(owner)
        self._compute = compute
        self._found: dict[tuple[str, ...], Any] = {}
        self._asked: tuple[str, ...] = ()
        self._tasks = Tasks(self)

    def of(self, state: StudyState, cells: Sequence[Cell]) -> Any | None:
        """Return the results of runs; None until `computed` reports them."""
        keys = tuple(cell.key for cell in cells)
        found = self._found.get(keys)
        if found is None and keys and keys != self._asked:
            self._asked = keys
            call = partial(self._compute, state, cells)
            self._tasks.run(call, partial(self._on_found, keys), self._on_failed, latest="runs")
        return found

    def forget(self) -> None:
        """Drop all, for another study."""
        self._tasks.cancel()
        self._found.clear()
        self._asked = ()

    def _on_found(self, keys: tuple[str, ...], found: Any) -> None:
        self._found[keys], self._asked = found, ()
        self.computed.emit()

    def _on_failed(self, error: Exception) -> None:
        self._asked = ()
        self.failed.emit(describe_error(error))
