"""What the console remembers between starts: a small JSON file, and Qt's blobs of geometry beside it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from platformdirs import user_config_path
from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from fsconsole.console.connections import once
from fsconsole.shares.files import is_there, make_private_folder, restrict_to_owner, write_atomic
from fsconsole.shares.input_files import read_json

_WRITE_AFTER_MS = 500
_log = logging.getLogger(__name__)


class Preferences(QObject):
    """Values by key, written a moment after a change; two consoles do not undo each other's.

    Keys are words with slashes ("design/columns"); values are what JSON can hold. Geometry and dock layouts
    are blobs and go to QSettings. The file is private: a webhook's address is as good as a password. A file
    that is not preferences is set aside, never replaced; one that cannot be read stays as it is.

    Attributes:
        problem: what is wrong with the file that was there, in a sentence; empty if nothing is.

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
        self._blobs = QSettings(str(self._folder / "window.ini"), QSettings.Format.IniFormat, self)
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
        """Remember geometry or a dock layout."""
        self._blobs.setValue(key, blob)

    def write(self) -> None:
        """Write now what has changed; a folder that cannot be written is logged and left."""
        self._timer.stop()
        if not self._fresh:
            return
        there = self._read()
        if there is None and is_there(self.path):
            return
        # A file that has gone, or was set aside, is written whole.
        values = (self._values if there is None else there) | self._fresh
        # Escaped, because file names need not be UTF-8.
        text = json.dumps(values, indent=1, sort_keys=True)
        try:
            make_private_folder(self._folder)
            write_atomic(self.path, text + "\n", private=True)
        except OSError as error:
            _log.warning("cannot write the preferences: %s", error)
            return
        self._fresh = {}

    def _read(self) -> dict[str, Any] | None:
        """Return the values in the file; None if it is missing or cannot be used, which is reported."""
        try:
            found = read_json(self.path)
            if isinstance(found, dict):
                return found
            why = "it is not a JSON object"
        except FileNotFoundError:
            return None
        except OSError as error:
            self._report(
                f"{self.path} cannot be read ({error.strerror or error}). Preferences are as at first, and "
                "changes of them are not kept."
            )
            return None
        except ValueError as error:
            why = str(error)
        self._set_aside(why)
        return None

    def _set_aside(self, why: str) -> None:
        """Rename a file that is not preferences, so that what is in it can be put right by hand."""
        from fsconsole.app.study.choice import free_path

        bad = free_path(self.path.with_name(f"{self.path.name}.bad"))
        try:
            self.path.rename(bad)
            kept = f"It is kept as {bad}"
        except OSError as error:
            kept = f"It stays, and changes are not kept ({error.strerror or error})"
        self._report(f"{self.path} is not preferences: {why}. {kept}.")

    def _report(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            _log.warning("%s", problem)
            self.failed.emit(problem)
