"""Where the keys go when the widget that has the focus is hidden or disabled: to no other control."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGroupBox, QWidget


def leave_lost_widget(window: QWidget) -> bool:
    """Give the focus of a hidden or disabled widget to what is around it; False if the widget can keep it.

    Qt asks the window for the next control then, as it does for Tab, and keys that were meant for the one
    would press the other.
    """
    widget: QWidget | None = window.focusWidget()
    if widget is None or _is_usable(widget):
        return False
    while widget is not None and widget is not window and not (_is_usable(widget) and _takes_no_keys(widget)):
        widget = widget.parentWidget()
    (widget or window).setFocus(Qt.FocusReason.OtherFocusReason)
    return True


def _takes_no_keys(widget: QWidget) -> bool:
    return widget.focusProxy() is None and not isinstance(widget, QGroupBox)  # A box gives them to a part.


def _is_usable(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.isHidden() and widget.isEnabled()
