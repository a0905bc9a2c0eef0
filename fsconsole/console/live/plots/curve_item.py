"""Curves of a live plot, as cheap as can be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPen

from fsconsole.console.live.plots.drawn import Curves
from fsconsole.console.style.theme import colour

_BAND_FILL = 0.3


class CurveItem(pg.PlotCurveItem):
    """A curve as large as the view: nobody asks for its bounds, so they are not computed each frame."""

    def __init__(self) -> None:
        super().__init__(skipFiniteCheck=True)
        self._extent = QRectF()

    def fill_view(self, extent: QRectF) -> None:
        """The view shows another range."""
        if extent != self._extent:
            self.prepareGeometryChange()
            self._extent = extent

    def boundingRect(self) -> QRectF:
        return self._extent

    def viewTransformChanged(self) -> None:
        """Bounds do not depend on the size of a pixel here."""


class RestBand(CurveItem):
    """The curves that are too many to tell apart, as one band from the smallest to the largest."""

    def __init__(self) -> None:
        super().__init__()
        self.setZValue(-10)

    def show_rest(
        self, series: Curves, column: str, rest: Sequence[int], span: tuple[float, float], points: int
    ) -> float:
        """Draw the band of these nodes in a span of time, with so many points; returns its top."""
        times, low, high = series.band(column, rest, *span, points) if rest else (np.empty(0),) * 3
        known = ~np.isnan(low)
        times, low, high = times[known], low[known], high[known]
        self.setVisible(bool(len(times)))
        if not len(times):
            return 0.0
        outline = np.concatenate([times, times[::-1]]), np.concatenate([high, low[::-1]])
        self.setData(*outline, skipFiniteCheck=True)
        self.follow_theme()
        return float(high.max())

    def follow_theme(self) -> None:
        """Fill it in the colour of the theme in force."""
        fill = QColor(colour("g3"))
        fill.setAlphaF(_BAND_FILL)
        # A polygon that is closed by itself: filled to level 0 of its own outline.
        self.setPen(None)
        self.setBrush(fill)
        self.setFillLevel("enclosed")


def curve_pen(ink: QColor, dash: Sequence[float], width: int, ratio: float = 1.0) -> QPen:
    """Pen of a width in px, whatever the scale of the plot; `ratio` is that of the screen's pixels to px."""
    made = QPen(ink, width * ratio)  # cosmetic pens are as wide as they say in the screen's pixels
    made.setCosmetic(True)
    if dash:
        made.setCapStyle(Qt.PenCapStyle.FlatCap)
        made.setDashPattern([part / width for part in dash])
    return made
