"""A row of the plots: a plot and its values."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.live.plots.plot import LivePlot
from fsconsole.console.live.plots.plot_curves import Drawn, WithPartner, partner_of
from fsconsole.console.live.plots.value_column import ValueColumn
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.style import paint
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox
from fsconsole.figures.quantities import Quantity
from fsconsole.targets.base import Target


class PlotRow(QWidget):
    """A plot and the values right of it, a rule below."""

    def __init__(self, quantity: Quantity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.quantity = quantity
        self.plot = LivePlot(quantity, self)
        self.values = ValueColumn(quantity, self)
        self._curves: WithPartner | None = None
        hbox((self.plot, 1), self.values, on=self, margins=(0, 0, 0, 1))

    def draw(self, target: Target, column: str, drawn: Drawn, span: TimeRange, *, running: bool) -> None:
        """Draw what is known of these nodes in a span of time."""
        if self._curves is None or self._curves.target is not target:
            self._curves = WithPartner(target, self.quantity.partner)
        dotted = tuple(partner_of(node) for node in drawn.nodes) if self.quantity.partner else ()
        self.plot.show_data(
            self._curves,
            column,
            Drawn(drawn.nodes + dotted, drawn.rest),
            (span.start_s, span.end_s),
            running=running,
            offset_s=span.offset_s,
        )

    def unit_words(self, unit: str, *, left_out: bool) -> str:
        """Return a unit, and what else is to be known of the axis: that it is of a part, or in powers of
        ten.
        """
        words = [f"{unit} rescaled" if left_out and unit == "%" else unit]
        return ", ".join(filter(None, [*words, "log" if self.plot.is_log else ""]))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
            paint.rule(painter, self.rect(), Qt.Edge.BottomEdge)
