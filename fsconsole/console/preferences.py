"""What the console remembers between starts: a small JSON file, and Qt's blobs of geometry beside it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from platformdirs import user_config_path
from PySide6.QtCore import QByteArray, QObject, QSettings, QTimer

from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import read_json

_WRITE_AFTER_MS = 500
_log = logging.getLogger(__name__)


class Preferences(QObject):
    """Values by key, written a moment after a change; two consoles do not undo each other's.

    Keys are words with slashes ("design/columns"); values are what JSON can hold. Geometry and dock layouts
    are blobs and go to QSettings.
    """

    def __init__(self, folder: Path | None = None, parent: QObject | None = None) -> None:
        """Read what is there; a file that cannot be used counts as empty."""
        super().__init__(parent)
        self._folder = folder or user_config_path("fsconsole")
        self._values = self._read()
        self._fresh: dict[str, Any] = {}
        self._blobs = QSettings(str(self._folder / "window.ini"), QSettings.Format.IniFormat, self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_WRITE_AFTER_MS)
        self._timer.timeout.connect(self.write)

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
        # Escaped, because file names need not be UTF-8.
        text = json.dumps(self._read() | self._fresh, indent=1, sort_keys=True)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomic(self.path, text + "\n")
        except OSError as error:
            _log.warning("cannot write the preferences: %s", error)
            return
        self._fresh = {}

    def _read(self) -> dict[str, Any]:
        try:
            found = read_json(self.path)
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}
