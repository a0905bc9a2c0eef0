"""The menu of files that were open lately."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from fsconsole.console.files.desk import FileDesk


class RecentMenu(QObject):
    """Fills a menu anew each time it opens, above the action that forgets the files."""

    def __init__(self, desk: FileDesk, menu: QMenu, clear: QAction) -> None:
        super().__init__(menu)
        self._desk, self._menu, self._clear = desk, menu, clear
        menu.aboutToShow.connect(self._fill)

    @Slot()
    def _fill(self) -> None:
        for action in self._menu.actions():
            if action is not self._clear:
                self._menu.removeAction(action)
                action.deleteLater()
        for entry in self._desk.recent.files():
            action = QAction(f"{entry.path.name}  ({_short(entry.path.parent)})", self._menu)
            action.setEnabled(entry.is_there)
            action.setData(str(entry.path))
            action.triggered.connect(self._open)
            self._menu.insertAction(self._clear, action)
        self._menu.insertSeparator(self._clear)

    @Slot()
    def _open(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._desk.open(Path(action.data()))


def _short(folder: Path) -> str:
    """A folder with the home folder as ~."""
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)
