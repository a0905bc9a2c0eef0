"""What the pages of a cluster and a machine have alike: plots, a form at the right, and asking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLabel, QWidget

from fsconsole.app.forecast.jobs import Job
from fsconsole.console.analyse.forecast.plots import ForecastPlots, side_by_side
from fsconsole.console.connections import once
from fsconsole.console.kit.tasks import Task, Tasks, describe_error
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.dock import DockBody
from fsconsole.console.widgets.dock_states import LoadingStrip
from fsconsole.figures.spec import FigureSpec

ANSWER = "answer"
_WAIT_MS = 200
_SIDE_PX = 376  # Width at which all tabs of a form are visible.
_STALE_AFTER_MS = 400
Found = TypeVar("Found")


class ForecastPage(QWidget):
    """Answers the newest question continuously. Signals: changed() with other figures.

    Subclasses provide the question, and write `show_empty`, `ask_again` and `doing`.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.plots = ForecastPlots(self)
        self.body = DockBody(self.plots)
        self.tasks = Tasks(self)
        self._stale = once(self, _STALE_AFTER_MS, self._mute)
        self.plots.changed.connect(self.changed)

    def lay_out(self, form: QWidget, words: QLabel) -> None:
        """Put plots, form and the strip that shows work into the page; `words` step back for the strip."""
        self.loading = LoadingStrip(words, self)
        vbox(self.loading, (side_by_side(self.body, form, _SIDE_PX), 1), on=self)

    def end(self) -> None:
        """Stop all calculations, because the window closes."""
        self.tasks.cancel()

    def ask_again(self) -> None:
        """Start a cancelled or failed question again."""
        raise NotImplementedError

    def doing(self) -> str:
        """Return the present calculation in words, for the strip."""
        raise NotImplementedError

    def show_empty(self) -> None:
        """Show plots, or what to do to get some."""
        raise NotImplementedError

    def run_question(
        self,
        call: Callable[[Task], Found],
        shown: Callable[[Found], None],
        partly: Callable[[Found], None] | None = None,
    ) -> None:
        """Answer the newest question in a thread; what is shown becomes pale if that takes long."""
        self.tasks.run_task(call, shown, self.show_failed, partly, latest=ANSWER, after_ms=_WAIT_MS)
        self.show_work()
        self._stale.start()

    def drop_question(self, *, is_right: bool, show_none: Callable[[], None]) -> None:
        """Drop the question: show an empty page without one, and pale plots if the form is wrong."""
        self.tasks.cancel(ANSWER)
        self.show_work()
        if is_right:
            show_none()
        else:
            self._mute()

    def show_plots(
        self, figures: Sequence[FigureSpec], jobs: Sequence[Job], until_s: float, unit: str = "cores"
    ) -> None:
        """Show the figures of an answer; `unit` is that of the jobs' rates."""
        self.body.clear_error()
        self._stale.stop()
        self.plots.show_figures(figures, jobs, until_s, unit)
        self.plots.show_stale(is_stale=False)
        self.show_empty()
        self.changed.emit()

    def show_failed(self, error: Exception) -> None:
        """Show why there is no answer."""
        self.show_work()
        self._stale.stop()
        self.body.show_error(f"The forecast failed: {self.describe(error)}", self.ask_again)

    def describe(self, error: Exception) -> str:
        """Return an error as a sentence."""
        return describe_error(error)

    def show_work(self) -> None:
        """Show what is under way, if anything is."""
        if self.tasks.is_busy():
            self.loading.start(self.doing(), self._cancel)
        else:
            self.loading.finish()

    @Slot()
    def _mute(self) -> None:
        """Draw the plots pale, since they do not answer the present question."""
        self.plots.show_stale(is_stale=True)

    def _cancel(self) -> None:
        self.tasks.cancel()
        self.show_work()
        self.body.show_error("The forecast was cancelled.", self.ask_again)
