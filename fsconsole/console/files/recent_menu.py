"""The menu of files that were open lately."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from fsconsole.console.actions import Action
from fsconsole.console.files.file_controller import FileController

RECENT_MENU = "File/Open recent"


def recent_actions(files: FileController) -> list[Action]:
    """An action for each file that was open lately, the newest first."""
    return [
        Action(
            f"recent {entry.path}", f"{entry.path.name}  ({entry.folder})".replace("&", "&&"),
            partial(files.open, entry.path), menu=RECENT_MENU, tip=str(entry.path),
            enabled=lambda entry=entry: entry.is_there,  # type: ignore[misc]
        )
        for entry in files.recent.files()
    ]  # fmt: skip


class RecentMenu(QObject):
    """Fills a menu again each time it opens, above the action that forgets the files."""

    def __init__(self, files: FileController, menu: QMenu, clear: QAction) -> None:
        super().__init__(menu)
        self._files, self._menu, self._clear = files, menu, clear
        menu.aboutToShow.connect(self._fill)

    @Slot()
    def _fill(self) -> None:
        for action in self._menu.actions():
            if action is not self._clear:
                self._menu.removeAction(action)
                action.deleteLater()
        for one in recent_actions(self._files):
            action = QAction(one.text, self._menu)
            action.setEnabled(one.enabled())
            action.setData(one.tip)
            action.triggered.connect(one.run)
            self._menu.insertAction(self._clear, action)
        self._menu.insertSeparator(self._clear)
