"""Lists of what was open lately, and the menu of files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from fsconsole.console.actions import Action
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.plain_words import menu_words
from fsconsole.recording.run_format import run_folder

RECENT_MENU = "File/Open recent"
_Entry = TypeVar("_Entry")


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


class RecentEntries(QObject, Generic[_Entry]):
    """Newest first, each place once; `_key` is that of the preferences.

    Signals: changed() after one came, went or moved.
    """

    changed = Signal()
    _key: str
    _most: int

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences

    def entries(self) -> list[_Entry]:
        """Return the recent entries; those that cannot be read are left out."""
        found = []
        for row in self._preferences.value(self._key, []):
            with suppress(KeyError, TypeError, ValueError):
                found.append(self._read(row))
        return found

    def put(self, fresh: _Entry) -> None:
        """Put an entry first, in place of the one of the same place."""
        self._keep([fresh, *self._others(self._place(fresh))])

    def remove(self, place: object) -> None:
        """Forget the entry of a place."""
        self._keep(self._others(place))

    def clear(self) -> None:
        """Forget everything that was open."""
        self._keep([])

    def _others(self, place: object) -> list[_Entry]:
        return [entry for entry in self.entries() if self._place(entry) != place]

    def _keep(self, entries: list[_Entry]) -> None:
        self._preferences.set_value(self._key, [self._row(entry) for entry in entries[: self._most]])
        self.changed.emit()

    def _place(self, entry: _Entry) -> object:
        raise NotImplementedError

    def _row(self, entry: _Entry) -> dict[str, object]:
        raise NotImplementedError

    def _read(self, row: Any) -> _Entry:
        """Return the entry of a row; KeyError, TypeError or ValueError for what is none."""
        raise NotImplementedError


class RecentFiles(RecentEntries[RecentFile]):
    """Files that were opened or saved lately."""

    _key, _most = "recent", 12

    def add(self, path: Path) -> None:
        """Add a file that was just opened or saved."""
        self.put(RecentFile(path.absolute(), datetime.now().astimezone()))

    def relocate(self, old: Path, new: Path) -> None:
        """Record the new place of a file."""
        others = self._others(new.absolute())
        self._keep([RecentFile(new.absolute(), e.when) if e.path == old else e for e in others])

    def actions(self, open_file: Callable[[Path], object]) -> list[Action]:
        """Return an action that opens it for each file."""
        return [
            Action(
                f"recent {entry.path}", menu_words(f"{entry.path.name}  ({entry.folder})"),
                partial(open_file, entry.path), menu=RECENT_MENU, tip=str(entry.path),
                enabled=lambda entry=entry: entry.is_there,  # type: ignore[misc]
            )
            for entry in self.entries()
        ]  # fmt: skip

    def _place(self, entry: RecentFile) -> object:
        return entry.path

    def _row(self, entry: RecentFile) -> dict[str, object]:
        return {"path": str(entry.path), "when": entry.when.isoformat()}

    def _read(self, row: Any) -> RecentFile:
        return RecentFile(Path(row["path"]), datetime.fromisoformat(row["when"]))


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
