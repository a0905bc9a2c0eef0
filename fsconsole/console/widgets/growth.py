"""Windows that become as high as their words need."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def grow_to_fit(window: QWidget) -> None:
    """Make a window that is shown higher where wrapped words need it; never lower, so that buttons stay."""
    layout = window.layout()
    if layout is None or not window.isVisible():
        return
    layout.activate()
    needed = layout.totalHeightForWidth(window.width())
    if needed > window.height():
        window.resize(window.width(), needed)
