"""The notice when alerts cannot be delivered."""

from __future__ import annotations

from PySide6.QtCore import Slot

from fsconsole.console.alerts.centre import AlertCentre
from fsconsole.console.notice_bar import NoticeBar


class AlertNotice(NoticeBar):
    """Names the channels that fail; they are tried again, and it goes once they deliver."""

    def __init__(self, centre: AlertCentre) -> None:
        super().__init__("warnbg", "warning", "warn", (("Close", self.put_away),))
        self._centre = centre
        centre.troubled.connect(self._on_troubled)

    @Slot()
    def _on_troubled(self) -> None:
        problems = self._centre.problems
        if problems:
            self.say(" ".join(problems.values()))
        else:
            self.put_away()
