"""The notices about control groups of this machine."""

from __future__ import annotations

from PySide6.QtCore import Slot

from fsconsole.console.linux.controller import LinuxController
from fsconsole.console.notice_bar import NoticeBar
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.strip import Importance
from fsconsole.text.words import listed


class LeftGroupsNotice(NoticeBar):
    """Offers to release groups that an earlier console left, as one does that is killed."""

    def __init__(self, controller: LinuxController) -> None:
        super().__init__(
            "warnbg",
            "linux",
            "warn",
            (("Release…", controller.release_left), ("Close", self._dismiss)),
            Importance.QUESTION,
        )
        self._controller = controller
        self._dismissed: tuple[str, ...] = ()
        controller.left_changed.connect(self._refresh)

    @Slot()
    def _refresh(self) -> None:
        roots = self._controller.left
        if not roots or roots == self._dismissed:
            self.put_away()
            return
        self.say(f"Control groups of {listed(roots)} are still in force on this machine.")

    def _dismiss(self) -> None:
        self._dismissed = self._controller.left
        self.put_away()


class LinuxFailedNotice(NoticeBar):
    """Why a tree could not be opened on this machine, or released."""

    def __init__(self, controller: LinuxController, session: ConsoleSession) -> None:
        super().__init__("dangerbg", "warning", "danger", (("Close", self.put_away),), Importance.FAULT)
        controller.failed.connect(self.say)
        controller.began.connect(self.put_away)
        session.document_changed.connect(self.put_away)
