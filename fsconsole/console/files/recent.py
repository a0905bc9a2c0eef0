"""The files that were open lately, and their menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from fsconsole.console.actions import Action
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.plain_words import menu_words
from fsconsole.recording.run_format import run_folder

MOST = 12
_KEY = "recent"
RECENT_MENU = "File/Open recent"


@dataclass(frozen=True, slots=True)
class RecentFile:
    """A file and when it was opened or saved last."""

    path: Path
    when: datetime

    @property
    def is_there(self) -> bool:
        """Whether the file still exists."""
        try:
            return self.path.is_file() or run_folder(self.path) is not None
        except OSError:
            return False

    @property
    def folder(self) -> str:
        """Its folder, with the home folder as ~."""
        folder, home = self.path.parent, Path.home()
        return str(Path("~") / folder.relative_to(home) if folder.is_relative_to(home) else folder)


class RecentFiles(QObject):
    """Newest first, each file once.

    Signals: changed() after one came, went or moved.
    """

    changed = Signal()

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences

    def files(self) -> list[RecentFile]:
        """Return the recent files; entries that cannot be read are left out."""
        found = (_entry(raw) for raw in self._preferences.value(_KEY, []))
        return [entry for entry in found if entry is not None]

    def add(self, path: Path) -> None:
        """Add a file that was just opened or saved."""
        fresh = RecentFile(path.absolute(), datetime.now().astimezone())
        self._keep([fresh, *(entry for entry in self.files() if entry.path != fresh.path)])

    def remove(self, path: Path) -> None:
        """Forget a file by its path."""
        self._keep([entry for entry in self.files() if entry.path != path])

    def relocate(self, old: Path, new: Path) -> None:
        """Record the new place of a file."""
        others = [entry for entry in self.files() if entry.path != new.absolute()]
        self._keep([RecentFile(new.absolute(), e.when) if e.path == old else e for e in others])

    def clear(self) -> None:
        """Forget all recent files."""
        self._keep([])

    def actions(self, open_file: Callable[[Path], object]) -> list[Action]:
        """Return an action that opens it for each file."""
        return [
            Action(
                f"recent {entry.path}", menu_words(f"{entry.path.name}  ({entry.folder})"),
                partial(open_file, entry.path), menu=RECENT_MENU, tip=str(entry.path),
                enabled=lambda entry=entry: entry.is_there,  # type: ignore[misc]
            )
            for entry in self.files()
        ]  # fmt: skip

    def _keep(self, entries: list[RecentFile]) -> None:
        rows = [{"path": str(entry.path), "when": entry.when.isoformat()} for entry in entries[:MOST]]
        self._preferences.set_value(_KEY, rows)
        self.changed.emit()


def _entry(raw: object) -> RecentFile | None:
    if not isinstance(raw, dict):
        return None
    try:
        return RecentFile(Path(raw["path"]), datetime.fromisoformat(raw["when"]))
    except (KeyError, TypeError, ValueError):
        return None


class RecentMenu(QObject):
    """Fills a menu again each time it opens, above the action that forgets the files."""

    def __init__(self, actions: Callable[[], list[Action]], menu: QMenu, clear: QAction) -> None:
        """`actions` are those of the files, `clear` is the one that forgets them."""
        super().__init__(menu)
        self._actions, self._menu, self._clear = actions, menu, clear
        menu.aboutToShow.connect(self._fill)

    @Slot()
    def _fill(self) -> None:
        for action in self._menu.actions():
            if action is not self._clear:
                self._menu.removeAction(action)
                action.deleteLater()
        for one in self._actions():
            action = QAction(one.text, self._menu)
            action.setEnabled(one.enabled())
            action.setData(one.tip)
            action.triggered.connect(one.run)
            self._menu.insertAction(self._clear, action)
        self._menu.insertSeparator(self._clear)
