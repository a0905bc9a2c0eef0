"""The block diagram of the running policy, painted, with live values on its wires."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from fsconsole.console.insight.diagram_geometry import Placed, PlacedBlock, PlacedWire, Point, Rect, place
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.painted_text import draw_text
from fsconsole.policies.diagram import Block, Diagram, Wire
from fsconsole.text import numbers

_ARROW = 5.0
_OURS = "ours"
_NO_VALUES = "No values yet"


class DiagramView(Chart):
    """Blocks with their formulas, wires with their values; dashed boxes are ours and not the papers'."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._diagram: Diagram | None = None
        self._placed: Placed | None = None
        self.setAccessibleName("Block diagram of the policy")
        self.setAccessibleDescription(_NO_VALUES)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme().changed.connect(self.update)

    def show_diagram(self, diagram: Diagram | None) -> None:
        """Show other values, or another diagram."""
        self._diagram, self._placed = diagram, None
        values = [] if diagram is None else [f"{wire.label} {value_text(wire)}" for wire in diagram.wires]
        self.setAccessibleDescription(", ".join(values) or _NO_VALUES)
        self.update()

    def text_twin(self) -> TextTwin:
        """Return a line for each value on its way into a block; blocks that take none in have one too."""
        diagram = self._diagram
        if diagram is None:
            return TextTwin()
        titles = {block.id: block.title for block in diagram.blocks}
        lines: list[tuple[Block, Wire | None]] = []
        for block in diagram.blocks:
            wires = [wire for wire in diagram.wires if wire.end == block.id]
            lines += [(block, wire) for wire in wires or (None,)]
        columns: tuple[Column[tuple[Block, Wire | None]], ...] = (
            Column("Block", lambda line: line[0].title, order=lines.index),
            Column("Formula", lambda line: line[0].formula),
            Column("Source", lambda line: line[0].source),
            Column("Quantity", lambda line: line[1].label if line[1] is not None else ""),
            Column("Value", lambda line: value_text(line[1]) if line[1] is not None else "", is_number=True),
            Column("From", lambda line: titles.get(line[1].start, "") if line[1] is not None else ""),
        )
        return rows_twin(lines, columns)

    @property
    def placed(self) -> Placed | None:
        """Blocks and wires as they are drawn."""
        if self._placed is None and self._diagram is not None:
            self._placed = place(self._diagram, self.width(), self.height())
        return self._placed

    def text_at(self, x: float, y: float) -> str:
        """Return the text of the block or wire at a position; empty without one."""
        placed = self.placed
        if placed is None:
            return ""
        for item in placed.blocks:
            if item.rect.holds(x, y):
                block = item.block
                return "\n".join(part for part in (block.title, block.formula, block.source) if part)
        for wire in placed.wires:
            if wire.label.holds(x, y):
                return f"{wire.wire.label}: {numbers.full(wire.wire.value)}{_UNITS[wire.wire.unit]}"
        return ""

    # -- painting -----------------------------------------------------------------------------------------

    def _paint_block(self, painter: QPainter, item: PlacedBlock) -> None:
        rect = _crisp(item.rect)
        dashed = _OURS in item.block.source
        painter.setPen(QPen(colour("line2"), 1, Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine))
        painter.setBrush(colour("alt"))
        painter.drawRoundedRect(rect, 4, 4)
        half = rect.height() / 2
        inner = rect.adjusted(4, 1, -4, -1)
        _write(
            painter, QRectF(inner.x(), inner.y(), inner.width(), half), item.block.title, "text", bold=True
        )
        _write(
            painter, QRectF(inner.x(), inner.y() + half - 2, inner.width(), half), item.block.formula, "muted"
        )

    def _paint_wire(self, painter: QPainter, item: PlacedWire) -> None:
        painter.setPen(QPen(colour("g2"), 1))
        painter.setBrush(colour("g2"))
        painter.drawPolyline(QPolygonF([QPointF(*point) for point in item.points]))
        painter.drawPolygon(arrow_head(item.points[-2], item.points[-1]))

    def _paint_label(self, painter: QPainter, item: PlacedWire) -> None:
        """Paint the label over the line and the value under it; in one line where there is little room."""
        rect, value = item.label, value_text(item.wire)
        is_upright = item.points[0][0] == item.points[-1][0] and bool(item.wire.start)
        side = Qt.AlignmentFlag.AlignHCenter
        if is_upright:
            is_left = rect.x < item.points[0][0]
            side = Qt.AlignmentFlag.AlignRight if is_left else Qt.AlignmentFlag.AlignLeft
        if is_upright or rect.h < 30:
            words = f"{item.wire.label} {value}"
            _write(painter, QRectF(rect.x, rect.y, rect.w, rect.h), words, "text", side=side)
            return
        upper = QRectF(rect.x, rect.y, rect.w, rect.h / 2 - 1)
        lower = QRectF(rect.x, rect.y + rect.h / 2 + 1, rect.w, rect.h / 2 - 1)
        _write(painter, upper, item.wire.label, "muted", side=side)
        _write(painter, lower, value, "text", side=side)

    def sizeHint(self) -> QSize:
        return QSize(640, 190)

    def minimumSizeHint(self) -> QSize:
        return QSize(420, 112)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._placed = None

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.text_at(event.pos().x(), event.pos().y()), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        placed = self.placed
        with QPainter(self) as painter:
            painter.setFont(tabular_font("caption"))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if placed is None:
                return
            for wire in placed.wires:
                self._paint_wire(painter, wire)
            for block in placed.blocks:
                self._paint_block(painter, block)
            for wire in placed.wires:
                self._paint_label(painter, wire)


_UNITS = {
    "fraction": " of the machine",
    "factor": "",
    "count": "",
    "cost": " cost units",
    "points": " priority points",
}


def value_text(wire: Wire) -> str:
    """Return a wire's value as it is written on it."""
    if wire.unit == "fraction":
        return numbers.percent(wire.value)
    if wire.unit == "factor":
        return f"×{numbers.fixed(wire.value, 3)}"
    return numbers.fixed(wire.value, 2) if wire.unit == "count" else numbers.si(wire.value)


def _write(
    painter: QPainter,
    rect: QRectF,
    text: str,
    token: str,
    *,
    side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignHCenter,
    bold: bool = False,
) -> None:
    painter.setFont(tabular_font("caption", semibold=bold))
    painter.setPen(colour(token))
    elided = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    draw_text(painter, rect, side | Qt.AlignmentFlag.AlignVCenter, elided)


def arrow_head(before: Point, at: Point) -> QPolygonF:
    """Return the head of an arrow along the last piece of a way."""
    dx, dy = at[0] - before[0], at[1] - before[1]
    length = max((dx**2 + dy**2) ** 0.5, 1e-9)
    ux, uy = dx / length, dy / length
    x, y = at
    back = (x - _ARROW * ux, y - _ARROW * uy)
    side = (-uy * _ARROW * 0.6, ux * _ARROW * 0.6)
    corners = [(x, y), (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])]
    return QPolygonF([QPointF(*corner) for corner in corners])


def _crisp(rect: Rect) -> QRectF:
    return QRectF(round(rect.x) + 0.5, round(rect.y) + 0.5, round(rect.w), round(rect.h))
