"""The redistribution plot of figure 2-8, live: position with a trail, fair line, target vector."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from fsconsole.console.insight.diagram_view import arrow_head
from fsconsole.console.kit.table_model import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.figures.painted_text import draw_text
from fsconsole.figures.ticks import nice_top
from fsconsole.machine.insight.control import Child, FairLine
from fsconsole.text import numbers
from fsconsole.text.words import count_words

Point = tuple[float, float]
LEFT, RIGHT, ABOVE, BELOW = 54.0, 12.0, 10.0, 34.0
_TRAIL = 60
_DOT = 4.0
_MARGIN = 8


@dataclass(frozen=True, slots=True)
class FairPlaces:
    """In px: the plot, the end of the fair line, position, target; `top` is the end of both axes.

    Both axes end at the same usage, so that an angle means what it does on paper.
    """

    left: float
    bottom: float
    side_x: float
    side_y: float
    top: float
    fair_end: Point
    position: Point
    target: Point

    def at(self, x: float, y: float) -> Point:
        """Return the place of a pair of usages."""
        return self.left + self.side_x * x / self.top, self.bottom - self.side_y * y / self.top


def fair_places(first: Child, other: Child, width: float, height: float) -> FairPlaces:
    """Return the plot of two children in a widget of this size."""
    top = nice_top(max(first.usage, other.usage, first.aim, other.aim) * 1.05)
    side_x, side_y = max(width - LEFT - RIGHT, 10.0), max(height - ABOVE - BELOW, 10.0)
    bare = FairPlaces(LEFT, height - BELOW, side_x, side_y, top, (0, 0), (0, 0), (0, 0))
    reach = top / max(first.part, other.part)
    return FairPlaces(
        LEFT,
        height - BELOW,
        side_x,
        side_y,
        top,
        bare.at(first.part * reach, other.part * reach),
        bare.at(first.usage, other.usage),
        bare.at(first.aim, other.aim),
    )


class FairPlot(Chart):
    """Decayed usage of one child against that of another."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pair: tuple[Child, Child] | None = None
        self._is_ruling = False
        self.trail: deque[tuple[float, float]] = deque(maxlen=_TRAIL)
        self.setAccessibleName("Redistribution plot")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme().changed.connect(self.update)

    def show_pair(self, first: Child, other: Child, *, is_ruling: bool) -> None:
        """Move on to the newest usages; another pair starts a new trail."""
        before = None if self._pair is None else (self._pair[0].node, self._pair[1].node)
        if before != (first.node, other.node):
            self.trail.clear()
        if not self.trail or self.trail[-1] != (first.usage, other.usage):
            self.trail.append((first.usage, other.usage))
        self._pair, self._is_ruling = (first, other), is_ruling
        facts = (
            f"{one.name} has used {numbers.si(one.usage)}, target {numbers.si(one.aim)}"
            for one in (first, other)
        )
        self.setAccessibleDescription("; ".join(facts))
        self.update()

    def forget(self) -> None:
        """Show an empty plot."""
        self._pair = None
        self.trail.clear()
        self.update()

    def text_twin(self) -> TextTwin:
        """Return the places of the two children, their targets and their origins as text."""
        if self._pair is None:
            return TextTwin()
        first, other = self._pair
        lines = [("Usage", first.usage, other.usage), ("Target", first.aim, other.aim)]
        before = list(self.trail)[-2::-1]
        lines += [
            (f"{count_words(at, 'sample')} earlier", *point) for at, point in enumerate(before, start=1)
        ]
        columns: tuple[Column[tuple[str, float, float]], ...] = (
            Column("Point", lambda line: line[0], order=lines.index),
            Column(first.name, lambda line: numbers.si(line[1]), order=lambda line: line[1], is_number=True),
            Column(other.name, lambda line: numbers.si(line[2]), order=lambda line: line[2], is_number=True),
        )
        return rows_twin(lines, columns)

    @property
    def places(self) -> FairPlaces | None:
        """Places of plot, fair line, position and target; None while the plot is empty."""
        return None if self._pair is None else fair_places(*self._pair, self.width(), self.height())

    def sizeHint(self) -> QSize:
        return QSize(250, 160)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 84)

    def paintEvent(self, _event: QPaintEvent) -> None:
        places = self.places
        if places is None or self._pair is None:
            return
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(tabular_font("caption"))
            self._paint_axes(painter, places, *self._pair)
            painter.setPen(QPen(colour("ok"), 1.5))
            painter.drawLine(QPointF(places.left, places.bottom), QPointF(*places.fair_end))
            self._paint_trail(painter, places)
            self._paint_vector(painter, places)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("text"))
            painter.drawEllipse(QPointF(*places.position), _DOT, _DOT)

    def _paint_axes(self, painter: QPainter, places: FairPlaces, first: Child, other: Child) -> None:
        left, bottom, top = places.left, places.bottom, places.bottom - places.side_y
        painter.setPen(QPen(colour("line2"), 1))
        painter.drawLine(QPointF(left, top), QPointF(left, bottom))
        painter.drawLine(QPointF(left, bottom), QPointF(left + places.side_x, bottom))
        painter.setPen(colour("muted"))
        right, centre = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter
        end = numbers.si(places.top)
        draw_text(painter, QRectF(0, top - 4, left - 4, 14), right | centre, end)
        draw_text(painter, QRectF(left, bottom + 2, places.side_x, 14), right, end)
        painter.setPen(colour("text"))
        draw_text(
            painter, QRectF(0, bottom - 20, left - 4, 14), right | centre, _short(painter, other.name, left)
        )
        draw_text(
            painter, QRectF(left, bottom + 2, places.side_x - 50, 14), Qt.AlignmentFlag.AlignLeft, first.name
        )
        painter.setPen(colour("muted"))
        caption = QRectF(left, bottom + 16, places.side_x, 14)
        draw_text(painter, caption, Qt.AlignmentFlag.AlignLeft, "usage, decayed; fair line")

    def _paint_trail(self, painter: QPainter, places: FairPlaces) -> None:
        """Paint the past path inside the axes: usages may have been much larger."""
        painter.save()
        top = places.bottom - places.side_y
        painter.setClipRect(QRectF(places.left, top, places.side_x, places.side_y))
        painter.setPen(QPen(colour("g3"), 1))
        painter.drawPolyline(QPolygonF([QPointF(*places.at(*point)) for point in self.trail]))
        painter.restore()

    def _paint_vector(self, painter: QPainter, places: FairPlaces) -> None:
        style = Qt.PenStyle.SolidLine if self._is_ruling else Qt.PenStyle.DashLine
        token = "accent" if self._is_ruling else "g2"
        painter.setPen(QPen(colour(token), 1.5, style))
        painter.drawLine(QPointF(*places.position), QPointF(*places.target))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(token))
        painter.drawPolygon(arrow_head(places.position, places.target))


class FairPanel(QWidget):
    """The plot, with a choice of two children of the group."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = FairPlot(session, self)
        self.across, self.up = QComboBox(self), QComboBox(self)
        self._caption = MutedLabel("", self, "caption")
        self._line: FairLine | None = None
        self._asked: int | None = None
        self._nodes: list[int] = []
        for box, name in ((self.across, "Child across"), (self.up, "Child upwards")):
            box.setAccessibleName(name)
            box.setMinimumContentsLength(4)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.activated.connect(self._show)
        self._caption.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        head = hbox((self.across, 1), PlainLabel("and", self), (self.up, 1), margins=(8, 4, 8, 0), spacing=6)
        vbox(head, (self.plot, 1), self._caption, on=self, margins=(0, 0, 0, 2))

    def show_line(self, line: FairLine | None) -> None:
        """Show the newest state of a group's children."""
        nodes = [] if line is None else [child.node for child in line.children]
        asked = None if line is None else line.children[line.pair[0]].node
        is_other = asked != self._asked or nodes != self._nodes
        self._asked, self._nodes = asked, nodes
        if is_other:
            for at, box in enumerate((self.across, self.up)):
                box.clear()
                for child in () if line is None else line.children:
                    box.addItem(child.name, child.node)
                box.setCurrentIndex(-1 if line is None else line.pair[at])
        self._line = line
        self._show()

    @Slot()
    def _show(self) -> None:
        line = self._line
        if line is None:
            self.plot.forget()
            self._caption.setText("Fewer than two children with shares here")
            return
        first, other = line.children[self.across.currentIndex()], line.children[self.up.currentIndex()]
        self.plot.show_pair(first, other, is_ruling=line.is_ruling)
        short = "target vector" if line.is_ruling else "dashed: feedback"
        what = "the target vector" if line.is_ruling else "dashed: the target of feedback"
        words = f"Fig. 2-8, {line.name}; {short}"
        self._caption.setText(_short(self._caption, words, self.width() - 2 * _MARGIN))
        self._caption.setToolTip(
            f"As figure 2-8 of Everitt et al.: children of {line.name}, nu {line.nu:g}; {what}"
        )


def _short(on: QPainter | QWidget, text: str, width: float) -> str:
    return on.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(width) - 4)
