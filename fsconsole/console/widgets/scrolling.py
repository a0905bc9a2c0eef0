"""A widget that scrolls up and down where a dock is too low for it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget


def scrolling(content: QWidget) -> QScrollArea:
    """An area around a widget: as wide as there is room; no frame and no focus of its own."""
    area = QScrollArea()
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    # The ground is that of the dock.
    for part in (content, area.viewport()):
        part.setAutoFillBackground(False)
    return area
