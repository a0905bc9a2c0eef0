"""One question about a target, asked again as it shows something new, while somebody sees the answer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.insight.asked import Asked
from fsconsole.console.refresh_throttle import RefreshThrottle
from fsconsole.console.session import ConsoleSession


class Following(Asked):
    """Asks for a panel, at the pace of tables and never twice at one moment; signals as `Asked`."""

    def __init__(
        self,
        session: ConsoleSession,
        panel: QWidget,
        about: Callable[[], object],
        question: Callable[[], Future[Any] | None],
    ) -> None:
        """`about` says what is asked about, so that nothing is asked twice; `question` asks, or does not."""
        super().__init__(panel)
        self._session, self._panel = session, panel
        self._about, self._question = about, question
        self._pace = RefreshThrottle()
        self._answered: object = None
        session.frame.connect(self._on_frame)

    @Slot()
    def refresh(self) -> None:
        """Ask where the panel is seen and something may have changed since the last time."""
        target = self._session.target
        if not self._panel.isVisible() or target is None or target.at() is None or self.is_waiting:
            return
        asked = (*self._session.revision, self._about())
        future = None if asked == self._answered else self._question()
        if future is not None:
            self._answered = asked
            self._pace.keep()
            self.ask(future)

    @Slot()
    def ask_anew(self) -> None:
        """Wait no longer for what was asked, and ask about what is to be shown now."""
        self.forget()
        self._answered = None
        self.refresh()

    @Slot()
    def _on_frame(self) -> None:
        if self._pace.is_due(self._session.snapshot):
            self.refresh()
