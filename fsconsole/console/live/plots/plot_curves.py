"""The curves of a live plot: which nodes have one, of what they are drawn, and the items that draw them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPen

from fsconsole.console.style.theme import colour
from fsconsole.shares.flat import Floats
from fsconsole.shares.tree import ShareTree

MAX_CURVES = 16
_BAND_FILL = 0.3


class Curves(Protocol):
    """What curves are drawn of: a target, or its values with those that are drawn beside them."""

    def revision(self, quantity: str) -> int:
        """Return a number that grows with every value of a quantity."""
        ...

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k], between two times."""
        ...

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest values over all nodes, [k] each."""
        ...


@dataclass(frozen=True, slots=True)
class Drawn:
    """Nodes with a curve of their own, and those that make up the band "rest"."""

    nodes: tuple[int, ...] = ()
    rest: tuple[int, ...] = ()


def drawn_nodes(
    tree: ShareTree, shown: Sequence[int], *, leave_out_system: bool, most: int = MAX_CURVES
) -> Drawn:
    """Return the nodes to draw of those that are shown: system nodes not while they are left out."""
    there = [node for node in shown if node in tree]
    if leave_out_system:
        there = [node for node in there if not tree.is_system(node)]
    return Drawn(tuple(there[:most]), tuple(there[most:]))


class WithPartner:
    """Curves of a quantity and, for ids of `partner_of`, of the one drawn in dots beside it."""

    def __init__(self, target: Curves, partner: str) -> None:
        self.target, self._partner = target, partner

    def revision(self, quantity: str) -> int:
        """Return the revision of the quantity, with which its partner is read too."""
        return self.target.revision(quantity)

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k], between two times, with those of partners last."""
        own = [node for node in nodes if node >= 0]
        times, values = self.target.curves(quantity, own, start_s, end_s, points)
        dotted = [partner_of(node) for node in nodes if node < 0]
        if dotted:
            at, more = self.target.curves(self._partner, dotted, start_s, end_s, points)
            values = np.concatenate([values, _at_times(at, more, times)])
        return times, values

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest values of the target over all nodes, [k] each."""
        return self.target.band(quantity, nodes, start_s, end_s, points)


def _at_times(known_s: Floats, values: Floats, times: Floats) -> Floats:
    """Return values, [nodes, k], at other times, [m], as [nodes, m]: the last known, NaN before the first.

    Times differ where a running target took a sample between two questions.
    """
    if np.array_equal(known_s, times):
        return values
    before = np.searchsorted(known_s, times, side="right") - 1
    padded = np.concatenate([values, np.full((len(values), 1), np.nan)], axis=1)
    return padded[:, before]  # Index -1 is the NaN at the end.


def partner_of(node: int) -> int:
    """Return a plot's id of a node's dotted curve, and vice versa."""
    return ~node


class CurveItem(pg.PlotCurveItem):
    """A curve as large as the view: its bounds are not needed, so they are not computed each frame."""

    def __init__(self) -> None:
        super().__init__(skipFiniteCheck=True)
        self._extent = QRectF()

    def fill_view(self, extent: QRectF) -> None:
        """Fill another range of the view."""
        if extent != self._extent:
            self.prepareGeometryChange()
            self._extent = extent

    def boundingRect(self) -> QRectF:
        return self._extent

    def viewTransformChanged(self) -> None:
        """Bounds do not depend on the size of a pixel here."""


class RestBand(CurveItem):
    """Curves too numerous to distinguish, as one band from the smallest to the largest."""

    def __init__(self) -> None:
        super().__init__()
        self._outline: tuple[Floats, Floats] = (np.empty(0), np.empty(0))
        self.setZValue(-10)

    def show_rest(
        self,
        series: Curves,
        column: str,
        rest: Sequence[int],
        span: tuple[float, float],
        points: int,
        places: Callable[[Floats], Floats],
    ) -> float:
        """Draw the band of nodes without a curve of their own; return its top, 0 where it is empty.

        Args:
            series: gives the band.
            column: the quantity that is drawn.
            rest: the nodes.
            span: first and last time, s.
            points: how many are drawn.
            places: gives where values stand on the value axis, [k] for [k].
        """
        times, low, high = series.band(column, rest, *span, points) if rest else (np.empty(0),) * 3
        known = ~np.isnan(low)
        times, low, high = times[known], low[known], high[known]
        self._outline = np.concatenate([times, times[::-1]]), np.concatenate([high, low[::-1]])
        self.setVisible(bool(len(times)))
        if not len(times):
            return 0.0
        self.show_again(places)
        return float(high.max())

    def show_again(self, places: Callable[[Floats], Floats]) -> None:
        """Draw the band on a value axis that has changed; `places` gives where values stand on it, [k] for
        [k].
        """
        times, values = self._outline
        if len(times):
            self.setData(times, places(values), skipFiniteCheck=True)
            self.follow_theme()

    def follow_theme(self) -> None:
        """Fill the band in the colour of the present theme."""
        fill = QColor(colour("g3"))
        fill.setAlphaF(_BAND_FILL)
        # The polygon is already closed: it is filled to level 0 of its own outline.
        self.setPen(colour("g3"))
        self.setBrush(fill)
        self.setFillLevel("enclosed")


def curve_pen(ink: QColor, dash: Sequence[float], width: int, ratio: float = 1.0) -> QPen:
    """Return a pen of a width in px at any scale of the plot; `ratio` is screen pixels per px."""
    made = QPen(ink, width * ratio)  # The unit of cosmetic pens is the pixel of the screen.
    made.setCosmetic(True)
    if dash:
        made.setCapStyle(Qt.PenCapStyle.FlatCap)
        made.setDashPattern([part / width for part in dash])
    return made


def alone(values: Floats) -> list[int]:
    """Return places of numbers in [k] that have NaN or an end on both sides."""
    known = np.isfinite(values)
    none = np.zeros(1, bool)
    before, after = np.concatenate([none, known[:-1]]), np.concatenate([known[1:], none])
    return np.flatnonzero(known & ~before & ~after).tolist() if len(known) else []


def smallest_positive(values: Floats) -> float:
    """Return the smallest value above 0 in an array of any shape [...]; infinite where there is none."""
    above = values[values > 0]
    return float(above.min()) if above.size else float("inf")
