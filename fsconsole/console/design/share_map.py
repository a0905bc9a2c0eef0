"""The share map as a tool: borders to drag, nodes to pick, to zoom into and to put elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QApplication, QWidget

from fsconsole.app.tree.rearrange import Place, place_beside
from fsconsole.console.design import readouts
from fsconsole.console.design.map_painter import paint_handle
from fsconsole.console.design.map_view import MapView
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.tree_drag import DropLabel, drag_of, move_nodes, paint_drop_frame
from fsconsole.console.design.tree_model import nodes_from_mime
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.readout import Readout
from fsconsole.figures.map_geometry import Boundary, BoundaryDrag, MapLayout, Pair
from fsconsole.shares.edits import SetShares
from fsconsole.shares.tree import ShareTree

_HANDLE = 4


class ShareMap(MapView):
    """Map of the tree with the selection, colours and previews of the table.

    Signals: menu_wanted(QPoint) in global coordinates.
    """

    menu_wanted = Signal(QPoint)

    def __init__(self, session: ConsoleSession, preview: SharePreview, parent: QWidget | None = None) -> None:
        super().__init__(session, preview, parent)
        self._handle: Boundary | None = None
        self._drag: BoundaryDrag | None = None
        self._drag_band = (0.0, 0.0)
        self._pressed: QPointF | None = None
        self._drop: Place | None = None
        self._readout = Readout(self)
        self._drop_label = DropLabel(self)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        session.document_changed.connect(self._end_drag)

    @property
    def readout(self) -> Readout:
        """The popover of a dragged border."""
        return self._readout

    def paint_marks(self, painter: QPainter, layout: MapLayout) -> None:
        """Handle, old places while dragging, the frame of a drop."""
        if self._drag is not None:
            y, height = self._drag_band
            for tick in (y - 6, y + height):
                painter.fillRect(round(self._drag.old_px), round(tick), 1, 6, colour("text"))
            box = layout.of_row(self._preview.shown.flat.row_of[self._drag.right])
            at = box.x if box is not None else self._drag.end_px
            paint_handle(painter, at, y, height, _HANDLE)
        elif self._handle is not None:
            left = self._handle.left
            paint_handle(painter, self._handle.x, left.y, left.h, _HANDLE)
        if self._drop is not None:
            box = layout.of_row(self._preview.shown.flat.row_of[self._drop.parent])
            if box is not None:
                paint_drop_frame(painter, QRect(round(box.x), round(box.y), round(box.w), round(box.h)))

    # -- dragging a border --------------------------------------------------------------------------------

    def drag_of(self, boundary: Boundary) -> BoundaryDrag:
        """Return the drag that would begin at a border."""
        left, right = self.node_of_row(boundary.left.row), self.node_of_row(boundary.right.row)
        figures = self._preview.settled
        machine = figures.machine_share(left) + figures.machine_share(right)
        shares = tuple(int(figures.flat.shares[figures.flat.row_of[node]]) for node in (left, right))
        return BoundaryDrag.at(boundary, (left, right), (shares[0], shares[1]), machine)

    def _begin_drag(self, boundary: Boundary) -> None:
        self._drag = self.drag_of(boundary)
        self._drag_band = (boundary.left.y, boundary.left.h)
        self._session.select((self._drag.left, self._drag.right))
        self._move_drag(boundary.x, snap=False)

    def _move_drag(self, x: float, *, snap: bool) -> None:
        if self._drag is None:
            return
        pair = self._drag.moved_to(x, snap=snap)
        self._preview.show(pair if self._drag.is_change(pair) else ())
        self._show_pair(pair)

    def _show_pair(self, pair: Pair) -> None:
        document, curves = self._session.document, self._session.curves
        if document is None or self._drag is None:
            return
        lines = [
            readouts.dragged_line(
                document.tree.node(node), shares, self._preview.shown, curves.style(node).colour_token
            )
            for node, shares in pair
        ]
        self._readout.say("", lines, readouts.dragging_hint(self._drag.machine_per_share))
        y, height = self._drag_band
        band = QRect(round(self._drag.start_px), round(y), round(self._drag.end_px - self._drag.start_px), 1)
        below = self.mapToGlobal(QPoint(band.x(), round(y + height + 8)))
        self._readout.move(below)
        self._readout.show()
        self._session.message.emit(f"Dragging boundary {lines[0].label} | {lines[1].label}")

    def _says_locked(self) -> bool:
        """Return True if editing is locked, and show the reason in the status bar."""
        document = self._session.document
        if document is not None and document.locked:
            self._session.message.emit(document.locked)
            return True
        return False

    def _finish_drag(self) -> None:
        pair, document = self._preview.pairs, self._session.document
        self._end_drag()
        if pair and document is not None and not self._says_locked():
            document.edit("Set shares", [SetShares(pair)])
        self._preview.clear()

    def _end_drag(self) -> None:
        if self._drag is not None:
            self._drag = None
            self._session.message.emit("")
        self._readout.hide()

    def move_right_border(self, by: int) -> None:
        """Give the selected node so many shares of its right neighbour, as one edit."""
        document, chosen = self._session.document, self._session.selection
        row = self._preview.shown.flat.row_of.get(chosen[0]) if chosen else None
        boundary = self.layout_of_boxes.boundary_right_of(row) if row is not None else None
        if document is None or boundary is None:
            self._session.message.emit("The map shows no sibling to the right of the selected node")
            return
        if self._says_locked():
            return
        drag = self.drag_of(boundary)
        pair = drag.moved_by(by)
        if drag.is_change(pair):
            document.edit("Set shares", [SetShares(pair)])

    # -- events -------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # A press grips a border or selects a node. With Ctrl it extends or reduces the selection.
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        at = event.position()
        boundary = self.layout_of_boxes.boundary_at(at.x(), at.y())
        if boundary is not None:
            if not self._says_locked():
                self._begin_drag(boundary)
            return
        node = self.node_at(at)
        self._pressed = at if node is not None else None
        if node is None:
            self._session.select(())
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            rest = tuple(other for other in self._session.selection if other != node)
            self._session.select(rest if node in self._session.selection else (node, *rest))
        elif node not in self._session.selection:
            self._session.select((node,))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._drag is not None:
            self._move_drag(at.x(), snap=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            if (at - self._pressed).manhattanLength() >= QApplication.startDragDistance():
                self._pressed = None
                self._drag_nodes()
        else:
            self._hover(at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        if self._drag is not None:
            self._finish_drag()
            self._hover(event.position())
        elif self._pressed is not None and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            node = self.node_at(event.position())
            if node is not None:
                self._session.select((node,))
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        node, document = self.node_at(event.position()), self._session.document
        if node is None or document is None:
            return
        if node == self._top:
            self.zoom_out()
        elif document.tree.node(node).is_group:
            self.zoom_to(node)

    def _hover(self, at: QPointF) -> None:
        handle = self.layout_of_boxes.boundary_at(at.x(), at.y())
        node = self.node_at(at)
        if (handle, node) == (self._handle, self._hovered):
            return
        self._show_handle(handle)
        self.hovered.emit(node)
        self.show_hovered(node)
        self.setToolTip(self.tip_of(node))
        self.update()

    def _show_handle(self, handle: Boundary | None) -> None:
        self._handle = handle
        self.setCursor(Qt.CursorShape.SplitHCursor if handle else Qt.CursorShape.ArrowCursor)

    def _refresh(self) -> None:
        """Hide the handle: its border may be elsewhere now."""
        super()._refresh()
        if self._drag is None:
            self._show_handle(None)

    def leaveEvent(self, _event: QEvent) -> None:
        self._show_handle(None)
        self.hovered.emit(None)
        self.show_hovered(None)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Arrows move the selection, Esc restores a border, Backspace zooms out, Enter zooms in.
        key = event.key()
        if key == Qt.Key.Key_Escape and self._drag is not None:
            self._end_drag()
            self._preview.clear()
        elif key == Qt.Key.Key_Backspace:
            self.zoom_out()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._session.selection:
            self.zoom_to(self._session.selection[0])
        elif not self._walk(Qt.Key(key), event.modifiers()):
            super().keyPressEvent(event)

    def _walk(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
        document = self._session.document
        if document is None or modifiers & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        node = walk(document.tree, self._session.selection, key)
        if node is None:
            return False
        self._session.select((node,))
        return True

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        node = self.node_at(QPointF(event.pos()))
        if node is not None and node not in self._session.selection:
            self._session.select((node,))
        self.menu_wanted.emit(event.globalPos())

    # -- dragging nodes -----------------------------------------------------------------------------------

    def _drag_nodes(self) -> None:
        drag_of(self, self._session.selection).exec(Qt.DropAction.MoveAction)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if nodes_from_mime(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        document, at = self._session.document, event.position()
        if document is None:
            return
        node = self.node_at(at)
        place = place_beside(document.tree, node) if node is not None else None
        nodes = nodes_from_mime(event.mimeData())
        is_allowed = self._drop_label.judge(document, nodes, place, self.mapToGlobal(at.toPoint()))
        self._drop = place if is_allowed else None
        self.update()
        event.setAccepted(is_allowed)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self._drop = None
        self._drop_label.hide()
        self.update()

    def dropEvent(self, event: QDropEvent) -> None:
        place, document = self._drop, self._session.document
        self._drop = None
        self._drop_label.hide()
        if place is not None and document is not None:
            move_nodes(document, nodes_from_mime(event.mimeData()), place)
        event.accept()


def walk(tree: ShareTree, selection: Sequence[int], key: Qt.Key) -> int | None:
    """Return the node that an arrow leads to: parent, first child, sibling; None for another key."""
    if key not in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right):
        return None
    if not selection:
        return tree.root.id
    node = tree.node(selection[0])
    if key == Qt.Key.Key_Up:
        return node.parent if node.parent is not None else node.id
    if key == Qt.Key.Key_Down:
        return node.children[0] if node.children else node.id
    siblings = tree.siblings(node.id)
    row = tree.row(node.id) + (1 if key == Qt.Key.Key_Right else -1)
    return siblings[min(max(row, 0), len(siblings) - 1)].id
