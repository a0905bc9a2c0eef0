"""Dragging of nodes: the target, the label with the effect, and a table that accepts drops."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import (
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractItemView, QWidget

from fsconsole.app.tree.move_effect import effect_of_move
from fsconsole.app.tree.rearrange import Place, moves_to
from fsconsole.console.design.columns import Column
from fsconsole.console.design.tree_model import (
    NODE_ROLE,
    ShareTreeModel,
    nodes_from_mime,
    nodes_to_mime,
)
from fsconsole.console.document import Document
from fsconsole.console.kit.node_tree import NodeTreeView
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.readout import Readout, ReadoutLine
from fsconsole.shares.tree import TreeError

_LABEL_OFFSET = QPoint(14, 18)


class DropLabel:
    """Follows a drag with what it will do, or why it cannot."""

    def __init__(self, widget: QWidget) -> None:
        self._readout = Readout(widget)
        self._shown: tuple[tuple[int, ...], Place | None] | None = None
        self._is_allowed = False

    @property
    def text(self) -> str:
        """Text of the label; empty while it is hidden."""
        return self._readout.text() if self._readout.isVisible() else ""

    def judge(self, document: Document, nodes: list[int], place: Place | None, at: QPoint) -> bool:
        """Return True if nodes can go to a place, and show the reason or the effect at the pointer."""
        if (tuple(nodes), place) != self._shown:
            self._shown = (tuple(nodes), place)
            self._is_allowed = self._show_place(document, nodes, place)
        self._readout.move(at + _LABEL_OFFSET)
        self._readout.show()
        return self._is_allowed

    def hide(self) -> None:
        """Hide what is shown; the drag is over."""
        self._shown = None
        self._readout.hide()

    def _show_place(self, document: Document, nodes: list[int], place: Place | None) -> bool:
        if place is None:
            self._readout.say("", [], "Drop on a group or between two nodes")
            return False
        try:
            effect = effect_of_move(document.tree, nodes, place)
        except TreeError as error:
            self._readout.say("A node cannot be moved there", [ReadoutLine(str(error))])
            return False
        self._readout.say(effect.title, [ReadoutLine(effect.effect)], effect.others)
        return True


def drag_of(source: QWidget, nodes: Sequence[int]) -> QDrag:
    """Return a drag without a picture: one would lie over the place that it goes to."""
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
    """Paint a frame of 2 px in the accent colour around the drop target."""
    painter.setPen(QPen(colour("accent"), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect.adjusted(1, 1, -1, -1))


def paint_drop_line(painter: QPainter, left: int, right: int, y: int) -> None:
    """Paint a line of 2 px with a ring at its left: a place between rows."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour("accent"), 2))
    painter.setBrush(colour("surface"))
    painter.drawLine(left + 6, y, right, y)
    painter.drawEllipse(QPoint(left + 3, y), 3, 3)


class DroppingTreeView(NodeTreeView):
    """A table that shows target and effect of dragged nodes; a drop is one edit.

    The subclass calls setModel after its own construction.
    """

    def __init__(self, session: ConsoleSession, model: ShareTreeModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._session = session
        self._tree_model = model
        self._drop: Place | None = None
        self._drop_frames = False
        self._drop_label = DropLabel(self)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)

    @property
    def tree_model(self) -> ShareTreeModel:
        """Model of the tree that is shown."""
        return self._tree_model

    def index_of(self, node_id: int, column: int = Column.NAME) -> QModelIndex:
        """Return the index of a node in this view; invalid for a filtered one."""
        return self._tree_model.index_of(node_id, column)

    def node_at(self, index: QModelIndex) -> int | None:
        """Return the id of the node at an index of this view."""
        return int(index.data(NODE_ROLE)) if index.isValid() else None

    def drop_place(self, at: QPoint) -> Place | None:
        """Return the target of a drop at a point of the viewport: a group, or a place between two rows."""
        index = self.indexAt(at).siblingAtColumn(0)
        node_id, tree = self.node_at(index), self._tree_model.tree
        if node_id is None or tree is None:
            return None
        node, rect = tree.node(node_id), self.visualRect(index)
        edge = max(4, rect.height() // 4) if node.is_group else rect.height() // 2
        if node.parent is not None and at.y() < rect.y() + edge:
            return Place(node.parent, tree.row(node_id))
        if node.parent is not None and at.y() > rect.bottom() - edge and not self._shows_children(index):
            return Place(node.parent, tree.row(node_id) + 1)
        if self._shows_children(index) and at.y() > rect.bottom() - edge:
            return Place(node_id, 0)
        return Place(node_id, len(node.children))

    def _shows_children(self, index: QModelIndex) -> bool:
        return self.isExpanded(index) and self._tree_model.rowCount(index) > 0

    def _takes(self, place: Place, node_id: int | None) -> bool:
        """Return True if a drop goes into the group under the pointer rather than between rows."""
        tree = self._tree_model.tree
        return tree is not None and place == (node_id, len(tree.node(place.parent).children))

    def _show_drop(self, place: Place | None) -> None:
        self._drop = place
        self.viewport().update()

    def startDrag(self, _actions: Qt.DropAction) -> None:
        tree = self._tree_model
        can_drag = Qt.ItemFlag.ItemIsDragEnabled
        nodes = [node for node in self.selected_nodes if tree.flags(tree.index_of(node)) & can_drag]
        if nodes:
            drag_of(self, nodes).exec(Qt.DropAction.MoveAction)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if nodes_from_mime(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)  # Qt scrolls when the pointer is at an edge.
        document = self._session.document
        if document is None:
            return
        at = event.position().toPoint()
        place = self.drop_place(at)
        nodes = nodes_from_mime(event.mimeData())
        is_allowed = self._drop_label.judge(document, nodes, place, self.viewport().mapToGlobal(at))
        self._drop_frames = place is not None and self._takes(place, self.node_at(self.indexAt(at)))
        self._show_drop(place if is_allowed else None)
        if is_allowed:
            event.setDropAction(Qt.DropAction.MoveAction)
            event.accept()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._drop_label.hide()
        self._show_drop(None)

    def dropEvent(self, event: QDropEvent) -> None:
        place, document = self._drop, self._session.document
        self._drop_label.hide()
        self._show_drop(None)
        self.stopAutoScroll()
        self.setState(QAbstractItemView.State.NoState)
        if place is not None and document is not None:
            move_nodes(document, nodes_from_mime(event.mimeData()), place)
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        tree = self._tree_model.tree
        if self._drop is None or tree is None:
            return
        group, row = self._drop
        with QPainter(self.viewport()) as painter:
            if self._drop_frames:
                paint_drop_frame(painter, self._row_rect(group))
            else:
                self._paint_between(painter, tree.node(group).children, row)

    def _paint_between(self, painter: QPainter, children: list[int], row: int) -> None:
        after = row >= len(children)
        rect = self.visualRect(self.index_of(children[-1 if after else row]))
        paint_drop_line(painter, rect.x(), self.viewport().width(), rect.bottom() + 1 if after else rect.y())

    def _row_rect(self, node_id: int) -> QRect:
        rect = self.visualRect(self.index_of(node_id))
        return QRect(0, rect.y(), self.viewport().width(), rect.height())
