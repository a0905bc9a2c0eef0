"""The notices on a run: that it was interrupted, or lacks data."""

from __future__ import annotations

from PySide6.QtCore import Slot

from fsconsole.console.notice_bar import NoticeBar
from fsconsole.console.recorded.run_session import RECORDED
from fsconsole.console.session import ConsoleSession
from fsconsole.text.words import count_words

_MOST_SHOWN = 2


class RunNotice(NoticeBar):
    """Names gaps of the run that is open; closed, it comes again when another gap is found."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__("warnbg", "warning", "warn", (("Close", self.put_away),))
        self._session = session
        self._problems: list[str] = []
        session.frame.connect(self._refresh)
        session.target_changed.connect(self._refresh)
        session.document_changed.connect(self._refresh)

    @Slot()
    def _refresh(self) -> None:
        run = self._session.offer(RECORDED)
        problems = [] if run is None else run.source.problems()
        if problems == self._problems:
            return
        self._problems = problems
        if not problems:
            self.put_away()
            return
        more = len(problems) - _MOST_SHOWN
        words = problems[:_MOST_SHOWN] + ([f"{count_words(more, 'more gap')}."] if more > 0 else [])
        self.say(" ".join(words))
        self.setToolTip("\n".join(problems))
