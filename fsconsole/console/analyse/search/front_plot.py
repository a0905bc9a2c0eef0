"""The front of a search in two goals: what was tried, points as chosen and as on held-out months."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, pale, theme

_NEAR_PX = 10
_SIZES = {"tried": 4, "point": 9, "chosen": 13, "baseline": 11}

Pairs = NDArray[np.float64]  # Shape [points, 2]; NaN where unknown.


def _no_pairs() -> Pairs:
    return np.zeros((0, 2))


@dataclass(frozen=True, eq=False, slots=True)
class FrontPicture:
    """The content of the plot.

    Attributes:
        titles: of the two axes, with units.
        tried: all settings.
        numbers: of the points, the baseline's 0 first.
        chosen, held_out: the same points on the months of the choice and on held-out months.
        bounds: bound of each axis; NaN without one.
    """

    titles: tuple[str, str] = ("", "")
    tried: Pairs = field(default_factory=_no_pairs)
    numbers: tuple[int, ...] = ()
    chosen: Pairs = field(default_factory=_no_pairs)
    held_out: Pairs = field(default_factory=_no_pairs)
    bounds: tuple[float, float] = (float("nan"), float("nan"))


class FrontPlot(pg.PlotWidget):
    """Draws a front. Signals: picked(number) of a clicked point, opened(number) at a double click."""

    picked = Signal(int)
    opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self.picture = FrontPicture()
        self.selected = -1
        self.setAccessibleName("Front of the search")
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setMouseEnabled(False, False)
        theme().changed.connect(self._draw)
        self._draw()

    def show_picture(self, picture: FrontPicture) -> None:
        """Draw this front in place of the last."""
        self.picture = picture
        self._draw()

    def select(self, number: int) -> None:
        """Mark a point; -1 for none."""
        self.selected = number
        self._draw()

    def sizeHint(self) -> QSize:
        return QSize(420, 320)

    def number_at(self, x_px: float, y_px: float) -> int:
        """Return the point near a place of the widget; -1 where there is none."""
        near, found = float(_NEAR_PX), -1
        for number, (x, y) in zip(self.picture.numbers, self.picture.chosen, strict=True):
            if np.isfinite(x) and np.isfinite(y):
                place = self.place_of(float(x), float(y))
                far = float(np.hypot(place[0] - x_px, place[1] - y_px))
                near, found = (far, number) if far <= near else (near, found)
        return found

    def place_of(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of values in the widget, in pixels."""
        scene = self.getViewBox().mapViewToScene(pg.Point(x, y))
        place = self.mapFromScene(scene)
        return float(place.x()), float(place.y())

    def mousePressEvent(self, event: object) -> None:
        super().mousePressEvent(event)
        number = self.number_at(event.position().x(), event.position().y())  # type: ignore[attr-defined]
        if number >= 0:
            self.picked.emit(number)

    def mouseDoubleClickEvent(self, event: object) -> None:
        number = self.number_at(event.position().x(), event.position().y())  # type: ignore[attr-defined]
        if number > 0:
            self.opened.emit(number)

    @Slot()
    def _draw(self) -> None:
        picture, item = self.picture, self.getPlotItem()
        self.setBackground(colour("surface"))
        item.clear()
        for side, title in zip(("bottom", "left"), picture.titles, strict=True):
            axis = item.getAxis(side)
            axis.setPen(colour("edge"))
            axis.setTextPen(colour("muted"))
            axis.setTickFont(tabular_font("caption"))
            axis.enableAutoSIPrefix(False)
            item.setLabel(side, title, color=colour("muted").name())
        self._scatter(picture.tried, "tried", "o", pale("muted"))
        for place, bound in enumerate(picture.bounds):
            if np.isfinite(bound):
                pen = pg.mkPen(colour("warn"), style=Qt.PenStyle.DashLine)
                item.addItem(pg.InfiniteLine(bound, 90 - 90 * place, pen=pen))
        is_base = np.array(picture.numbers) == 0
        if len(picture.held_out):
            self._ways()
            self._scatter(picture.held_out[~is_base], "point", "o", None, colour("c2"))
            self._scatter(picture.held_out[is_base], "point", "o", None, colour("text"))
        self._scatter(picture.chosen[~is_base], "point", "o", colour("c1"))
        self._scatter(picture.chosen[is_base], "baseline", "x", colour("text"))
        if self.selected in picture.numbers:
            row = picture.numbers.index(self.selected)
            self._scatter(picture.chosen[row : row + 1], "chosen", "o", None, colour("text"))
        self._fit()

    def _ways(self) -> None:
        """Draw a thin line from each point to its values on held-out months."""
        ways = np.stack([self.picture.chosen, self.picture.held_out], axis=1).reshape(-1, 2)
        self.getPlotItem().plot(*ways.T, connect="pairs", pen=pg.mkPen(pale("c2")))

    def _scatter(
        self, pairs: Pairs, size: str, symbol: str, brush: QColor | None, pen: QColor | None = None
    ) -> None:
        known = pairs[np.isfinite(pairs).all(axis=1)]
        if len(known):
            ink = pg.mkPen(pen, width=1.5) if pen is not None else pg.mkPen(None)
            fill = pg.mkBrush(brush) if brush is not None else pg.mkBrush(None)
            self.getPlotItem().addItem(
                pg.ScatterPlotItem(*known.T, size=_SIZES[size], symbol=symbol, brush=fill, pen=ink)
            )

    def _fit(self) -> None:
        """Fit the axes to all points; of tried settings, to the better nine tenths."""
        shown = [self.picture.chosen, self.picture.held_out]
        tried = self.picture.tried[np.isfinite(self.picture.tried).all(axis=1)]
        if len(tried):
            shown.append(np.quantile(tried, [0.0, 0.9], axis=0))
        pairs = np.concatenate(shown)
        pairs = pairs[np.isfinite(pairs).all(axis=1)]
        if len(pairs):
            (left, bottom), (right, top) = pairs.min(axis=0), pairs.max(axis=0)
            self.setXRange(left, max(right, left + 1e-9), padding=0.06)
            self.setYRange(bottom, max(top, bottom + 1e-9), padding=0.08)
