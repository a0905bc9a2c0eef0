"""The preview of the export dialog: the figure as it will be, at its true ratio."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.figure_view import PX_PER_INCH
from fsconsole.console.style.theme import colour
from fsconsole.figures.arrange import UNITS_PER_MM
from fsconsole.figures.paint import paint_figure
from fsconsole.figures.spec import FigureSpec, FigureStyle

_MARGIN = 14


class ExportPreview(QWidget):
    """Paints a figure with the painter of the files, as large as fits. Signals: resized()."""

    resized = Signal()

    def __init__(self, spec: FigureSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spec = spec
        self._style = FigureStyle()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Preview")

    def show_figure(self, spec: FigureSpec, style: FigureStyle) -> None:
        """Show another figure or style."""
        self._spec, self._style = spec, style
        self.update()

    @property
    def zoom(self) -> float:
        """Size here over the size on paper; 1 at the screen's nominal resolution."""
        return self.paper().width() / (self._style.width_mm / 25.4 * PX_PER_INCH)

    def paper(self) -> QRectF:
        """Where the figure stands."""
        room = QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        scale = min(room.width() / self._style.width_mm, room.height() / self._style.height_mm)
        place = QRectF(0, 0, self._style.width_mm * scale, self._style.height_mm * scale)
        place.moveCenter(room.center())
        return place

    def sizeHint(self) -> QSize:
        return QSize(560, 400)

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 240)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("window"))
        paper = self.paper()
        painter.save()
        painter.setClipRect(paper)
        painter.translate(paper.topLeft())
        scale = paper.width() / (self._style.width_mm * UNITS_PER_MM)
        painter.scale(scale, scale)
        paint_figure(painter, self._spec, self._style)
        painter.restore()
        painter.setPen(colour("line2"))
        painter.drawRect(paper)
        painter.end()
