"""A map of a cluster's nodes: a cell for each, filled as far as its CPUs are allocated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from fsconsole.app.jobs.nodes import NodeSort, NodeView, cpus_of_node, sort_of_node, state_of_node
from fsconsole.app.jobs.reservations import ReservationSort, node_line, sort_of_reservation
from fsconsole.console.kit.table_model import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, first_of, listed

# Colours of a cell: background, allocated part, and border.
_INKS: dict[NodeSort, tuple[str, str, str]] = {
    NodeSort.IDLE: ("surface", "c2", "edge"),
    NodeSort.BUSY: ("surface", "c2", "edge"),
    NodeSort.DRAINING: ("warnbg", "c2", "warn"),
    NodeSort.DRAINED: ("warnbg", "warn", "warn"),
    NodeSort.DOWN: ("dangerbg", "danger", "danger"),
    NodeSort.OTHER: ("raised", "c2", "edge"),
}
_LARGEST, _SMALLEST, _GAP, _MARGIN = (96, 34), (7, 7), 3, 8
_MOST_JOBS = 8


class NodeMap(Chart):
    """A map of nodes. Signals: chosen(list of names) when the user has selected nodes."""

    chosen = Signal(list)

    def __init__(self, parent: QWidget | None = None, columns: Sequence[Column[NodeView]] = ()) -> None:
        """`columns` are those of the table of the map."""
        super().__init__(parent)
        self._columns = columns
        self.setAccessibleName("Map of nodes")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._views: tuple[NodeView, ...] = ()
        self._selected: frozenset[str] = frozenset()
        self._of_jobs: frozenset[str] = frozenset()
        self._now_s = 0.0
        theme().changed.connect(self.update)

    def show_nodes(
        self,
        views: Sequence[NodeView],
        selected: frozenset[str],
        of_jobs: frozenset[str],
        now_s: float = 0.0,
    ) -> None:
        """Show nodes; `selected` have a frame, those that the selected jobs run on a mark.

        A reservation is a triangle in the corner: filled while it is active at `now_s`, else its outline.
        """
        self._now_s = now_s
        if len(views) != len(self._views):
            self.updateGeometry()
        self._views, self._selected, self._of_jobs = tuple(views), selected, of_jobs
        states = Counter(state_of_node(view.node) for view in views)
        counts = listed([f"{thousands(count)} {state}" for state, count in states.most_common()])
        self.setAccessibleDescription(f"{count_words(len(views), 'node')}: {counts}" if views else "No nodes")
        self.setFixedHeight(self._height(max(self.width(), 1)))
        self.update()

    def cell(self, at: int) -> QRect:
        """Return the cell of a node."""
        across, (width, height) = self._grid(self.width())
        row, column = divmod(at, across)
        return QRect(_MARGIN + column * (width + _GAP), _MARGIN + row * (height + _GAP), width, height)

    def text_twin(self) -> TextTwin:
        """Return a line for each node."""
        return rows_twin(self._views, self._columns)

    # -- inside ---------------------------------------------------------------------------------------------

    def _grid(self, width_px: int) -> tuple[int, tuple[int, int]]:
        """Return the number of cells side by side, and their size: as large as four rows allow."""
        room = max(width_px - 2 * _MARGIN + _GAP, 1)
        count = max(len(self._views), 1)
        width = max(min(_LARGEST[0], room * 4 // count - _GAP), _SMALLEST[0])
        height = max(min(_LARGEST[1], width), _SMALLEST[1])
        return max(room // (width + _GAP), 1), (width, height)

    def _height(self, width_px: int) -> int:
        across, (_, height) = self._grid(width_px)
        rows = math.ceil(len(self._views) / across)
        return 2 * _MARGIN + rows * (height + _GAP) - (_GAP if rows else 0)

    def _at(self, place: QPoint) -> int:
        across, (width, height) = self._grid(self.width())
        column, row = (place.x() - _MARGIN) // (width + _GAP), (place.y() - _MARGIN) // (height + _GAP)
        at = row * across + column
        is_inside = 0 <= column < across and 0 <= at < len(self._views)
        return at if is_inside and self.cell(at).contains(place) else -1

    def _choose(self, name: str, *, adds: bool) -> None:
        wanted = self._selected ^ {name} if adds else frozenset((name,))
        self.chosen.emit([view.node.name for view in self._views if view.node.name in wanted])

    def _draw(self, painter: QPainter, at: int) -> None:
        view, rect = self._views[at], self.cell(at)
        name = view.node.name
        ground, fill, border = _INKS[sort_of_node(view.node)]
        paint.box(painter, rect, ground, border, radius=paint.BOX_RADIUS)
        inner = rect.adjusted(1, 1, -1, -1)
        width = inner.width() if view.busy is None else round(inner.width() * view.busy)
        if width:
            height = max(inner.height() // 4, 3)
            brush = QBrush(colour(fill)) if view.busy is not None else paint.hatch(painter, colour(fill))
            painter.fillRect(QRect(inner.left(), inner.bottom() - height + 1, width, height), brush)
        if name in self._of_jobs:
            painter.fillRect(QRect(inner.left(), inner.top(), inner.width(), 3), colour("accent"))
        if view.reservations:
            self._draw_reservation(painter, view, inner)
        if name in self._selected:
            around = rect.adjusted(-1, -1, 1, 1)
            paint.box(painter, around, "", "accent", radius=paint.BOX_RADIUS, border_width=2)
        metrics = QFontMetrics(painter.font())
        if rect.height() >= metrics.height() + 8 and rect.width() >= metrics.horizontalAdvance(name) + 8:
            painter.setPen(colour("text"))
            room = inner.adjusted(4, 3, -2, -inner.height() // 4)
            draw_text(painter, room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)

    def _draw_reservation(self, painter: QPainter, view: NodeView, inner: QRect) -> None:
        sorts = {sort_of_reservation(one, self._now_s) for one in view.reservations}
        side = max(min(inner.width(), inner.height()) // 3, 4)
        corner = inner.topRight()
        left, below = corner - QPoint(side, 0), corner + QPoint(0, side)
        painter.save()
        painter.setPen(colour("accent"))
        if ReservationSort.ACTIVE in sorts:
            painter.setBrush(colour("accent"))
        painter.drawPolygon([left, corner, below])
        painter.restore()

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(320, self._height(max(self.width(), 320)))

    def resizeEvent(self, _event: object) -> None:
        wanted = self._height(self.width())
        if wanted != self.height():
            self.setFixedHeight(wanted)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), colour("surface"))
            painter.setFont(ui_font("table"))
            across, (_, height) = self._grid(self.width())
            rows = (
                (y - _MARGIN) // (height + _GAP) for y in (event.rect().top() - 2, event.rect().bottom() + 2)
            )
            first, last = (max(row, 0) * across for row in rows)
            for at in range(first, min(last + across, len(self._views))):
                if self.cell(at).adjusted(-2, -2, 2, 2).intersects(event.rect()):
                    self._draw(painter, at)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self._at(event.position().toPoint())
        if at >= 0:
            adds = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self._choose(self._views[at].node.name, adds=adds)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        names = [view.node.name for view in self._views]
        here = next((at for at, name in enumerate(names) if name in self._selected), -1)
        across = self._grid(self.width())[0]
        steps = {
            Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -across, Qt.Key.Key_Down: across
        }  # fmt: skip
        step = steps.get(Qt.Key(event.key()))
        if step is None or not names:
            super().keyPressEvent(event)
        elif here < 0:
            self._choose(names[0], adds=False)
        elif 0 <= here + step < len(names):
            self._choose(names[here + step], adds=False)

    def event(self, event: object) -> bool:
        if isinstance(event, QHelpEvent):
            at = self._at(event.pos())
            QToolTip.showText(
                event.globalPos(), tip_of(self._views[at], self._now_s) if at >= 0 else "", self
            )
            return True
        return super().event(event)  # type: ignore[arg-type]


def tip_of(view: NodeView, now_s: float = 0.0) -> str:
    """Return a node in lines: its state, why, its CPUs, reservations and jobs."""
    node = view.node
    lines = [f"{node.name}: {state_of_node(node)}", f"{cpus_of_node(node)} CPUs allocated", node.reason]
    lines += [node_line(one, now_s) for one in view.reservations]
    lines += first_of(
        view.jobs, _MOST_JOBS, lambda job: f"{job.label} of {job.user}, {job.name}".rstrip(", ")
    )
    return "\n".join(filter(None, lines))
