"""Qt for drawing where there may be no window and no display."""

from __future__ import annotations

import os
import sys

from PySide6.QtGui import QGuiApplication

# Qt ends when the last reference to its application goes.
_kept: list[QGuiApplication] = []


def ensure_application() -> None:
    """Make an application to draw with, off screen, unless there is one; fonts need it."""
    if QGuiApplication.instance() is not None:
        return
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _kept.append(QGuiApplication([sys.argv[0]]))
