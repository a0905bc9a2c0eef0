"""Dragging nodes: where they would go, and the label that says what that does."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QDrag, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from fsconsole.app.tree.move_effect import effect_of_move
from fsconsole.app.tree.rearrange import Place, moves_to
from fsconsole.console.design.tree_model import nodes_to_mime
from fsconsole.console.document import Document
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.read_out import ReadOut, ReadOutLine
from fsconsole.shares.tree import TreeError

_LABEL_OFFSET = QPoint(14, 18)


class DropLabel:
    """Follows a drag with what it will do, or why it cannot."""

    def __init__(self, widget: QWidget) -> None:
        self._read_out = ReadOut(widget)
        self._shown: tuple[tuple[int, ...], Place | None] | None = None
        self._is_allowed = False

    @property
    def text(self) -> str:
        """What the label says; empty while it is hidden."""
        return self._read_out.text() if self._read_out.isVisible() else ""

    def judge(self, document: Document, nodes: list[int], place: Place | None, at: QPoint) -> bool:
        """Whether nodes can go to a place; the label beside the pointer says why or what then."""
        if (tuple(nodes), place) != self._shown:
            self._shown = (tuple(nodes), place)
            self._is_allowed = self._say(document, nodes, place)
        self._read_out.move(at + _LABEL_OFFSET)
        self._read_out.show()
        return self._is_allowed

    def hide(self) -> None:
        """The drag is over."""
        self._shown = None
        self._read_out.hide()

    def _say(self, document: Document, nodes: list[int], place: Place | None) -> bool:
        if place is None:
            self._read_out.say("", [], "Drop on a group or between two nodes")
            return False
        try:
            said = effect_of_move(document.tree, nodes, place)
        except TreeError as error:
            self._read_out.say("Cannot go there", [ReadOutLine(str(error))])
            return False
        self._read_out.say(said.title, [ReadOutLine(said.effect)], said.others)
        return True


def drag_of(source: QWidget, nodes: Sequence[int]) -> QDrag:
    """A drag without a picture: one would lie over the place that it goes to."""
    drag = QDrag(source)
    drag.setMimeData(nodes_to_mime(nodes))
    nothing = QPixmap(1, 1)
    nothing.fill(Qt.GlobalColor.transparent)
    drag.setPixmap(nothing)
    return drag


def move_nodes(document: Document, nodes: list[int], place: Place) -> None:
    """Move dragged nodes as one edit; TreeError where they cannot go."""
    document.edit("Move", moves_to(document.tree, nodes, place))


def paint_drop_frame(painter: QPainter, rect: QRect) -> None:
    """Frame of 2 px accent round what takes the nodes."""
    painter.setPen(QPen(colour("accent"), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect.adjusted(1, 1, -1, -1))


def paint_drop_line(painter: QPainter, left: int, right: int, y: int) -> None:
    """Line of 2 px with a ring at its left: a place between rows."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour("accent"), 2))
    painter.setBrush(colour("surface"))
    painter.drawLine(left + 6, y, right, y)
    painter.drawEllipse(QPoint(left + 3, y), 3, 3)
