"""One plot of a cluster with its values, the axis of clock times, the cursor over all plots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from fsconsole.console.cluster.observe.clock_range import ClockRange
from fsconsole.console.cluster.observe.quantities import ClusterQuantity
from fsconsole.console.cluster.observe.watch import Watch
from fsconsole.console.look import paint
from fsconsole.console.look.theme import colour
from fsconsole.console.observe.plots.cursor import PlotCursor
from fsconsole.console.observe.plots.drawn import Drawn
from fsconsole.console.observe.plots.plot import LivePlot
from fsconsole.console.observe.plots.time_axis import TimeAxis
from fsconsole.console.observe.plots.value_column import WIDE, ValueColumn
from fsconsole.console.session import ConsoleSession
from fsconsole.recording.readings import Readings
from fsconsole.shares.flat import Floats
from fsconsole.targets.slurm.history import ClusterHistory

_DOT_PX = 2.0  # radius of a reading that has none beside it


class ClusterPlot(LivePlot):
    """A plot of readings that may be minutes apart, each seen also where there is none beside it.

    Its percent are not fixed at 0 to 100: of thousands of associations most have a little.
    """

    @property
    def is_percent(self) -> bool:
        """No."""
        return False

    @property
    def dots(self) -> list[tuple[int, float, float]]:
        """Node, time and value of each reading from which no line goes on."""
        found: list[tuple[int, float, float]] = []
        for node in self._curves:
            times, values = self.curve_data(node)
            found += [(node, float(times[at]), float(values[at])) for at in alone(values)]
        return found

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        """Readings that no line shows, below events and cursor."""
        scales = self.scales
        styles = dict(self._look.styles) if self._look is not None else {}
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for node, time_s, value in self.dots:
            if node in styles:
                painter.setBrush(colour(styles[node].colour_token))
                painter.drawEllipse(QPointF(scales.x_of(time_s), scales.y_of(value)), _DOT_PX, _DOT_PX)
        super().drawForeground(painter, rect)


class ClusterRow(QWidget):
    """A plot and the values right of it, a rule below."""

    def __init__(self, quantity: ClusterQuantity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.quantity = quantity
        self.plot = ClusterPlot(quantity.drawn, self)
        self.values = ValueColumn(quantity.drawn, self, WIDE)
        self._curves: WithPartner | None = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 1)
        layout.setSpacing(0)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.values)

    def draw(self, history: ClusterHistory, drawn: Drawn, span: tuple[float, float]) -> None:
        """Draw what the history has of these nodes in a span of time."""
        readings = history.readings(self.quantity.name)
        if self._curves is None or self._curves.readings is not readings:
            self._curves = WithPartner(readings, self.quantity)
        dotted = tuple(partner_of(node) for node in drawn.nodes) if self.quantity.partner else ()
        both = Drawn(drawn.nodes + dotted, drawn.rest)
        self.plot.show_data(self._curves, self.quantity.name, both, span, running=False)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground and the rule below."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("surface"))
        paint.rule(painter, self.rect(), Qt.Edge.BottomEdge)
        painter.end()


class ClockAxis(TimeAxis):
    """Clock times under the plots."""

    beside_px = WIDE

    def __init__(self, span: ClockRange, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._range = span

    @property
    def tag(self) -> str:
        """The clock at the cursor."""
        return "" if self._cursor_s is None else self._range.clock(self._cursor_s)

    def words_at(self, time_s: float) -> str:
        """What stands at a grid line."""
        return self._range.words(time_s)


class ClusterCursor(PlotCursor):
    """The cursor, on readings of usage or of jobs."""

    def __init__(self, session: ConsoleSession, watch: Watch, span: ClockRange, parent: QObject) -> None:
        super().__init__(session, span, parent)
        self._watch = watch

    def _sample_near(self, time_s: float) -> float | None:
        times = self.times(self._span.start_s, self._span.end_s)
        return float(times[abs(times - time_s).argmin()]) if len(times) else None

    def times(self, start_s: float, end_s: float) -> Floats:
        """When something was read between two times."""
        history = self._watch.history
        if history is None:
            return np.empty(0)
        both = [readings.sample_times(start_s, end_s) for readings in (history.usage, history.work)]
        return np.unique(np.concatenate(both))


class WithPartner:
    """Curves of a quantity and, for nodes as `partner_of` says them, of the one drawn in dots beside it."""

    def __init__(self, readings: Readings, quantity: ClusterQuantity) -> None:
        self.readings, self._quantity = readings, quantity

    def revision(self, _quantity: str) -> int:
        """Of the readings."""
        return self.readings.revision

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int
    ) -> tuple[Floats, Floats]:
        """Times and values."""
        own = [node for node in nodes if node >= 0]
        times, values = self.readings.curves(quantity, own, start_s, end_s, points)
        dotted = [partner_of(node) for node in nodes if node < 0]
        if dotted:
            more = self.readings.curves(self._quantity.partner, dotted, start_s, end_s, points)[1]
            values = np.concatenate([values, more])
        return times, values

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int
    ) -> tuple[Floats, Floats, Floats]:
        """Smallest and largest values."""
        return self.readings.band(quantity, nodes, start_s, end_s, points)


def alone(values: Floats) -> list[int]:
    """Places of numbers that have NaN or an end on both sides."""
    known = np.isfinite(values)
    none = np.zeros(1, bool)
    before, after = np.concatenate([none, known[:-1]]), np.concatenate([known[1:], none])
    return np.flatnonzero(known & ~before & ~after).tolist() if len(known) else []


def partner_of(node: int) -> int:
    """The id by which a plot knows a node's dotted curve, and the other way round."""
    return ~node
