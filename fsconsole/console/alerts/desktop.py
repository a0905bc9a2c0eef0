"""Notifications of the desktop."""

from __future__ import annotations

from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from fsconsole.console.style.icons import icon
from fsconsole.text.visible_text import visible

NONE_TAKEN = "This desktop does not accept notifications."
_SHOWN_MS = 15_000


class DesktopNotifications:
    """Shows notifications through the system tray, where the desktop has one."""

    def __init__(self, parent: QWidget) -> None:
        self._parent = parent
        self._tray: QSystemTrayIcon | None = None

    def show(self, title: str, text: str, *, is_danger: bool) -> str:
        """Show a notification; return why this is not possible, or an empty text."""
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return NONE_TAKEN
        if self._tray is None:
            self._tray = QSystemTrayIcon(icon("warning"), self._parent)
        self._tray.show()
        kinds = QSystemTrayIcon.MessageIcon
        self._tray.showMessage(
            plain(title), plain(text), kinds.Critical if is_danger else kinds.Warning, _SHOWN_MS
        )
        return ""


def plain(text: str) -> str:
    """Return a text in which no desktop finds a tag: most show links of a notification, and some pictures."""
    return visible(text).translate({ord("<"): "‹", ord(">"): "›"})
