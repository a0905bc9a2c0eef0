"""A curve of a live plot, as cheap as can be."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPen


class CurveItem(pg.PlotCurveItem):
    """A curve as large as the view: nobody asks for its bounds, so they are not worked out each frame."""

    def __init__(self) -> None:
        super().__init__(skipFiniteCheck=True)
        self._extent = QRectF()

    def fill_view(self, extent: QRectF) -> None:
        """The view shows another range."""
        if extent != self._extent:
            self.prepareGeometryChange()
            self._extent = extent

    def boundingRect(self) -> QRectF:
        """What the view shows."""
        return self._extent

    def viewTransformChanged(self) -> None:
        """Bounds do not depend on the size of a pixel here."""


def curve_pen(ink: QColor, dash: Sequence[float], width: int) -> QPen:
    """Pen of a width in px, whatever the scale of the plot."""
    made = QPen(ink, width)
    made.setCosmetic(True)
    if dash:
        made.setCapStyle(Qt.PenCapStyle.FlatCap)
        made.setDashPattern([part / width for part in dash])
    return made
