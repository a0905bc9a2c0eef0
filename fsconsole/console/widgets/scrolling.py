"""A widget that scrolls up and down where a dock is too low for it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtWidgets import QScrollArea, QWidget


class _Area(QScrollArea):
    """As wide as its content needs, since that does not scroll to the sides."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        width = self._content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(max(least.width(), width), least.height())


def scrolling(content: QWidget) -> QScrollArea:
    """Return an area around a widget: as wide as there is room; no frame and no focus of its own."""
    area = _Area(content)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    # Use the background of the dock.
    for part in (content, area.viewport()):
        part.setAutoFillBackground(False)
    return area


def bring_into_sight(part: QWidget) -> None:
    """Scroll the area around a part to it, once it is laid out."""
    around = part.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    if isinstance(area := around, QScrollArea):
        QTimer.singleShot(0, part, lambda: area.ensureWidgetVisible(part, 0, 8))
