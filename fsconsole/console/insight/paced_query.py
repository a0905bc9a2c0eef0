"""A query of a target, repeated after changes while its answer is visible."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.refresh_throttle import RefreshThrottle
from fsconsole.console.session import ConsoleSession


class PacedQuery(QObject):
    """Queries for a panel, at the pace of tables and never twice for one moment."""

    def __init__(
        self,
        session: ConsoleSession,
        panel: QWidget,
        about: Callable[[], object],
        question: Callable[[], Future[Any] | None],
        on_answer: Callable[[Any], object],
        on_failure: Callable[[str], object],
    ) -> None:
        """Query at a limited pace.

        `about` is the subject, so that equal queries are not repeated; `question` starts a query or declines.
        """
        super().__init__(panel)
        self._session, self._panel = session, panel
        self._about, self._question = about, question
        self._on_answer, self._on_failure = on_answer, on_failure
        self._tasks = Tasks(self)
        self._pace = RefreshThrottle()
        self._answered: object = None
        session.frame.connect(self._on_frame)

    @Slot()
    def refresh(self) -> None:
        """Query if the panel is visible and the target may have changed since the last time."""
        target = self._session.target
        if not self._panel.isVisible() or target is None or target.at() is None or self._tasks.is_busy():
            return
        asked = (*self._session.revision, self._about())
        future = None if asked == self._answered else self._question()
        if future is not None:
            self._answered = asked
            self._pace.keep()
            self._tasks.watch(future, self._on_answer, self._on_error)

    @Slot()
    def ask_again(self) -> None:
        """Drop the answer that is on its way, and query for the present display."""
        self.forget()
        self._answered = None
        self.refresh()

    def forget(self) -> None:
        """Drop the answer that is on its way."""
        self._tasks.cancel()

    def _on_error(self, error: Exception) -> None:
        if not isinstance(error, CancelledError):
            self._on_failure(describe_error(error))
            self.refresh()  # Data may have changed after the query, and no later signal may follow.

    @Slot()
    def _on_frame(self) -> None:
        if self._pace.is_due(is_running=self._session.is_running):
            self.refresh()
