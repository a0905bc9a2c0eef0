"""What the console remembers between starts: a small JSON file, and Qt's blobs of geometry beside it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from platformdirs import user_config_path
from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from fsconsole.console.connections import once
from fsconsole.console.preference_format import LAYOUTS, PREFERENCES, moved
from fsconsole.resources import this_program
from fsconsole.shares.files import is_there, make_private_folder, restrict_to_owner, write_atomic
from fsconsole.shares.stored_format import NUMBER, FormatError, OtherProgramError

_WRITE_AFTER_MS = 500
_LAYOUT = "/layout"
_log = logging.getLogger(__name__)


class Preferences(QObject):
    """Values by key, written a moment after a change; two consoles do not undo each other's.

    Keys are words with slashes ("design/columns"); values are what JSON can hold. Geometry and dock layouts
    are blobs and go to QSettings. The file is private: a webhook's address is as good as a password. A file
    that is not preferences is set aside, never replaced; one that cannot be read, or that a newer program
    wrote, stays as it is.

    Attributes:
        problem: what is wrong with files that were there, in a sentence; empty if nothing is.

    Signals: failed(sentence) when a file is found to be unusable later.
    """

    failed = Signal(str)

    def __init__(self, folder: Path | None = None, parent: QObject | None = None) -> None:
        """Read what is there."""
        super().__init__(parent)
        self._folder = folder or user_config_path("fsconsole")
        self.problem = ""
        for path in (self._folder, self.path):
            restrict_to_owner(path)
        self._values = self._read() or {}
        self._fresh: dict[str, Any] = {}
        self._blobs = self._open_layouts()
        self._look_at_layouts()
        self._timer = once(self, _WRITE_AFTER_MS, self.write)

    @property
    def path(self) -> Path:
        """JSON file of the preferences."""
        return self._folder / "preferences.json"

    def value(self, key: str, default: Any = None) -> Any:
        """Return a stored preference; the default if it has another type."""
        found = self._values.get(key, default)
        return found if default is None or isinstance(found, type(default)) else default

    def set_value(self, key: str, value: Any) -> None:
        """Remember a value that JSON can hold."""
        if self._values.get(key) != value:
            self._values[key] = self._fresh[key] = value
            self._timer.start()

    def blob(self, key: str) -> QByteArray:
        """Return geometry or dock layout under a key; empty where there is none."""
        found = self._blobs.value(key)
        return found if isinstance(found, QByteArray) else QByteArray()

    def set_blob(self, key: str, blob: QByteArray) -> None:
        """Remember geometry or a dock layout; layouts of a newer program stay."""
        if self._has_newer_layouts:
            if _LAYOUT not in key:
                self._blobs.setValue(key, blob)
            return
        for name, value in (LAYOUTS.header() | {key: blob}).items():
            self._blobs.setValue(name, value)

    def write(self) -> None:
        """Write now what has changed; a folder that cannot be written is reported, and tried again later."""
        self._timer.stop()
        if not self._fresh:
            return
        there = self._read()
        if there is None and is_there(self.path):
            return
        # A file that has gone, or was set aside, is written whole.
        values = (self._values if there is None else there) | self._fresh | PREFERENCES.header()
        # Escaped, because file names need not be UTF-8.
        text = json.dumps(values, indent=1, sort_keys=True)
        try:
            make_private_folder(self._folder)
            if there is not None:
                PREFERENCES.keep_older(self.path, private=True)
            write_atomic(self.path, text + "\n", private=True)
        except OSError as error:
            why = error.strerror or error
            self.report(f"{self.path} cannot be written ({why}). Changes of preferences are not kept.")
            return
        except FormatError as error:
            self.report(f"{error}. Changes of preferences are not kept.")
            return
        self._fresh = {}

    def _read(self) -> dict[str, Any] | None:
        """Return the values in the file; None if it is missing or cannot be used, which is reported."""
        try:
            found: dict[str, Any] = PREFERENCES.read(self.path, dict)
        except FileNotFoundError:
            return None
        except (OSError, OtherProgramError) as error:
            why = str(error)
            if isinstance(error, OSError):
                why = f"{self.path} cannot be read ({error.strerror or error})"
            self.report(f"{why}. Preferences are as at first, and changes of them are not kept.")
            return None
        except FormatError as error:
            self._set_aside(self.path, str(error))
            return None
        return found if found.get(NUMBER) == PREFERENCES.number else moved(found)

    def _open_layouts(self) -> QSettings:
        """Open the file of layouts; one that Qt cannot read is set aside."""
        path = self._folder / "window.ini"
        opened = QSettings(str(path), QSettings.Format.IniFormat, self)
        opened.allKeys()  # Only now it is read.
        if opened.status() is not QSettings.Status.FormatError:
            return opened
        opened.deleteLater()
        self._set_aside(path, f"{path} is damaged. Docks are as at first")
        return QSettings(str(path), QSettings.Format.IniFormat, self)

    def _set_aside(self, path: Path, why: str) -> None:
        """Rename a file that cannot be used, so that what is in it can be put right by hand."""
        from fsconsole.app.study.choice import free_path

        bad = free_path(path.with_name(f"{path.name}.bad"))
        try:
            path.rename(bad)
            kept = f"It is kept as {bad}"
        except OSError as error:
            kept = f"It stays, and changes are not kept ({error.strerror or error})"
        self.report(f"{why}. {kept}.")

    def _look_at_layouts(self) -> None:
        """Report layouts of docks with another number, which Qt does not restore."""
        keys = [key for key in self._blobs.allKeys() if _LAYOUT in key]
        stored = str(self._blobs.value(NUMBER))
        numbers = {int(stored)} if stored.isdecimal() else {_number_in(self.blob(key)) for key in keys}
        self._has_newer_layouts = bool(keys) and max(numbers) > LAYOUTS.number
        if keys and LAYOUTS.number not in numbers:
            self.report(
                f"Docks are as at first: the layouts in {self._blobs.fileName()} have number {max(numbers)}, "
                f"and those of {this_program()} have {LAYOUTS.number}."
            )

    def report(self, problem: str) -> None:
        """Report a file of the console that cannot be used, once."""
        if problem not in self.problem:
            self.problem = f"{self.problem} {problem}".strip()
            _log.warning("%s", problem)
            self.failed.emit(self.problem)


def _number_in(layout: QByteArray) -> int:
    """Return the number in a blob of Qt's: a marker of 4 bytes stands before it."""
    return int.from_bytes(layout.data()[4:8], "big")
