"""The dock with nodes and legend: the tree, and below it the switch that leaves system groups out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from fsconsole.console.connections import once
from fsconsole.console.kit.node_tree import NodeTreeView
from fsconsole.console.live.legend_model import (
    COLUMNS,
    LAST_RESORT,
    NAMES,
    LegendModel,
    place_of,
    users_below,
)
from fsconsole.console.refresh_throttle import RefreshThrottle
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import semibold, tabular_font
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.buttons import Switch
from fsconsole.console.widgets.copying import copy_by_keys
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.console.widgets.strip import Foot
from fsconsole.console.widgets.table_columns import TableColumns
from fsconsole.figures.painted_text import draw_text
from fsconsole.shares.edits import Edit, SetShares
from fsconsole.shares.tree import ROOT_ID, Node, ShareTree

_KEY = "live/legend"
_REMARK_MARGIN = 8
_MOST_NAME_PX = 240
_LEAST_LETTERS_PX, _MOST_LEAST_PX = 50, 190  # Width of names below which the last columns are hidden.
_SLACK_PX = 2
_NARROW_INDENT, _INDENT = 10, 12
_MARKS_PX = 66  # Check box, curve sample and gaps before a name.
_MOST_NAMES_MEASURED = 500
_MOST_CHILDREN = 20  # Children of a group that is expanded at first.


class LegendView(NodeTreeView):
    """The tree with values; a remark takes their place where a node has none."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        legend = LegendModel(session)
        super().__init__(legend, parent)
        legend.setParent(self)
        self.legend = legend
        self._session = session
        self._open: set[int] = set()
        self.menu_of: Callable[[int, QPoint], None] = lambda _node, _at: None
        self.setModel(self.legend)
        self.setItemDelegate(_LegendDelegate(self, self.legend))
        self.setAccessibleName("Nodes and legend")
        self.setFrameShape(self.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header = self.header()
        header.setStretchLastSection(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setMinimumSectionSize(24)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for place, column in enumerate(COLUMNS, 1):
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(place, scaled(column.width))
        self.set_narrow(narrow=False)
        self.columns = TableColumns(self, session.preferences, _KEY, NAMES)
        self._fitted: tuple[object, ...] = ()
        # Updates once, however many groups are expanded or collapsed together.
        self._soon = once(self, 0, self.fit_now)
        copy_by_keys(self)
        self.expanded.connect(self._on_expanded)
        self.collapsed.connect(self._on_collapsed)

    def set_narrow(self, *, narrow: bool) -> None:
        """Leave more room for names in a narrow dock."""
        self.setIndentation(_NARROW_INDENT if narrow else _INDENT)

    def fit_columns(self) -> None:
        """Show as many columns as there is room for, in a moment."""
        if not self._soon.isActive():
            self._soon.start(0)

    def fit_to_target(self) -> None:
        """Show other columns at once where the target has others, or its settings are others."""
        target = self._session.target
        wanted = () if target is None else (target.columns, target.unused())
        if wanted != self._fitted:
            self._fitted = wanted
            self.fit_now()

    @Slot()
    def fit_now(self) -> None:
        """Show the target's columns; the less needed ones go where names would else be cut."""
        target = self._session.target
        if target is None:
            return
        shown = [column for column in target.columns if column not in target.unused()]
        self.columns.leave_out(place for place, name in enumerate(NAMES) if place and name not in shown)
        places = {place_of(name): COLUMNS[place_of(name) - 1] for name in shown}
        squeezed: set[int] = set()
        wanted = min(self.name_px() + _SLACK_PX, _MOST_NAME_PX)
        least = min(self.name_px(scaled(_LEAST_LETTERS_PX)), _MOST_LEAST_PX, wanted)
        for place in sorted((one for one in places if places[one].leaves), key=lambda at: places[at].leaves):
            widths = (
                self.columnWidth(one) or scaled(places[one].width) for one in places if one not in squeezed
            )
            room = self.viewport().width() - sum(widths)
            if room >= (least if places[place].leaves == LAST_RESORT else wanted):
                break
            squeezed.add(place)
        self.columns.squeeze(squeezed)

    def name_px(self, most_px: int = _MOST_NAME_PX) -> int:
        """Return the width of the longest visible name with everything before it.

        Each name counts for at most `most_px` pixels.
        """
        tree, metrics, widest = self.legend.tree, QFontMetrics(semibold(tabular_font())), 0
        level = [ROOT_ID] if tree is not None else []
        depth = measured = 0
        while tree is not None and level and measured < _MOST_NAMES_MEASURED:
            depth, measured = depth + 1, measured + len(level)
            names = (tree.node(node).name for node in level[:_MOST_NAMES_MEASURED])
            text = max(metrics.horizontalAdvance(name) for name in names)
            widest = max(widest, depth * self.indentation() + _MARKS_PX + min(text, most_px))
            level = [child for node in level if node in self._open for child in tree.node(node).children]
        return widest

    def visible_ranges(self) -> list[tuple[QModelIndex, int, int]]:
        """Return (parent, first row, last row) of all visible rows."""
        found: dict[QModelIndex, list[int]] = {}
        index = self.indexAt(QPoint(0, 0))
        bottom = self.viewport().height()
        while index.isValid() and self.visualRect(index).top() <= bottom:
            found.setdefault(index.parent(), []).append(index.row())
            index = self.indexBelow(index)
        return [(parent, min(rows), max(rows)) for parent, rows in found.items()]

    def show_document(self) -> None:
        """Show another document, with groups open to the second level and above drawn curves.

        System groups and large groups stay closed.
        """
        self.legend.reset()
        self._open.clear()
        tree = self.legend.tree
        if tree is None:
            return
        self.expand(self.legend.index_of(ROOT_ID))
        self._open_groups(one for one in tree.children(ROOT_ID) if one.is_group and not one.system)
        self.open_drawn()

    def open_drawn(self) -> None:
        """Open the groups of the curves that are drawn."""
        tree, shown = self.legend.tree, self._session.shown
        if tree is not None:
            self._open_groups(group for node in shown if node in tree for group in tree.ancestors(node))

    def _open_groups(self, groups: Iterable[Node]) -> None:
        for node_id, group in {group.id: group for group in groups}.items():
            if len(group.children) <= _MOST_CHILDREN:
                self.expand(self.legend.index_of(node_id))

    def reset_keeping_state(self) -> None:
        """Show other nodes of the tree; what was open and selected stays so."""
        self.legend.reset()
        for index in [self.legend.index_of(node) for node in self._open]:
            if index.isValid():
                self.expand(index)
        self.follow_selection()
        self.fit_columns()

    @Slot(QModelIndex)
    def _on_expanded(self, index: QModelIndex) -> None:
        self._open.add(self.legend.node_of(index))
        self.fit_columns()

    @Slot(QModelIndex)
    def _on_collapsed(self, index: QModelIndex) -> None:
        self._open.discard(self.legend.node_of(index))
        self.fit_columns()

    def wanted_nodes(self) -> Sequence[int]:
        return self._session.selection

    def on_followed(self) -> None:
        # It scrolls only where the first one is out of sight.
        first = self.legend.index_of(self._session.selection[0]) if self._session.selection else QModelIndex()
        if first.isValid() and not self.hasFocus():
            self.selectionModel().setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(first)

    def on_selected(self) -> None:
        current = self.currentIndex()
        first = self.legend.node_of(current) if current.isValid() else None
        self._session.select(sorted(self.selected_nodes, key=lambda node: node != first))

    def _isolate(self, node: int) -> None:
        tree = self.legend.tree
        if tree is not None:
            self._session.show_nodes(users_below(tree, node))

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # Alt+click draws this node alone.
        index = self.indexAt(event.position().toPoint())
        if event.modifiers() & Qt.KeyboardModifier.AltModifier and index.isValid():
            self._isolate(self.legend.node_of(index))
            event.accept()
            return
        super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at = self.viewport().mapFromGlobal(event.globalPos())
        index = self.indexAt(at)
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()
            at = self.visualRect(index).center()
        if index.isValid():
            self.menu_of(self.legend.node_of(index), self.viewport().mapToGlobal(at))


class _LegendDelegate(QStyledItemDelegate):
    """Draws cells; names lose their middle; where a node has no values its name and remark have the row."""

    def __init__(self, view: LegendView, legend: LegendModel) -> None:
        super().__init__(view)
        self._view, self._legend = view, legend

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        words = self._legend.remark(self._legend.node_of(index))
        if not words:
            super().paint(painter, option, index)
        elif index.column() == 0:
            self._paint_row(painter, option, index, words)

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if index.column() == 0:
            option.textElideMode = Qt.TextElideMode.ElideMiddle

    def _paint_row(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
        words: str,
    ) -> None:
        """Paint the remark at the right; where both have no room it is the remark that is cut."""
        metrics = QFontMetrics(tabular_font())
        right = self._view.viewport().width() - _REMARK_MARGIN
        name_px = self.sizeHint(option, index).width()
        remark_px = max(0, min(metrics.horizontalAdvance(words) + 2, right - option.rect.left() - name_px))
        place = QRect(right - remark_px, option.rect.top(), remark_px, option.rect.height())
        self._paint_ground(painter, option, index)
        option.rect.setRight(place.left() - _REMARK_MARGIN // 2)
        super().paint(painter, option, index)
        painter.setFont(tabular_font())
        painter.setPen(colour("muted"))
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, remark_px)
        draw_text(painter, place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_ground(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint the row to its end as selected or hovered."""
        row = QStyleOptionViewItem(option)
        self.initStyleOption(row, index)
        row.rect.setRight(self._view.viewport().width())
        panel = QStyle.PrimitiveElement.PE_PanelItemViewItem
        self._view.style().drawPrimitive(panel, row, painter, self._view)


class LegendPanel(QWidget):
    """The legend and the switch below it; values follow at 4 Hz while it is in sight."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.view = LegendView(session, self)
        self._foot = _Foot(session, self)
        self.switch = self._foot.switch
        self._pace = RefreshThrottle()
        self._has_curves = False
        self._layout = vbox((self.view, 1), self._foot, on=self)
        session.frame.connect(self._on_frame)
        session.document_changed.connect(self._on_document_changed)
        session.target_changed.connect(self.view.fit_columns)
        session.edited.connect(self._on_edits)
        session.shown_changed.connect(self._on_shown_changed)
        session.selection_changed.connect(self.view.follow_selection)
        session.system_left_out_changed.connect(self.refresh)
        session.curves.changed.connect(self._show_checks)
        theme().changed.connect(self.view.viewport().update)
        self._on_document_changed()

    def add_entry(self, entry: QWidget) -> None:
        """Put an entry below the tree, of curves that are of no node of it."""
        self._layout.insertWidget(1, entry)

    @Slot()
    def refresh(self) -> None:
        """Show the newest values."""
        if not self.isVisible():
            return
        self._foot.refresh()
        self._pace.keep()
        self.view.legend.take_values()
        self.view.fit_to_target()
        self.view.legend.emit_values(self.view.visible_ranges())
        self.view.viewport().update()

    @Slot()
    def _on_frame(self) -> None:
        if self._pace.is_due(is_running=self._session.is_running):
            self.refresh()

    @Slot()
    def _on_document_changed(self) -> None:
        self.view.show_document()
        self.refresh()

    @Slot(object)
    def _on_edits(self, edits: Iterable[Edit]) -> None:
        if not all(isinstance(edit, SetShares) for edit in edits):
            self.view.reset_keeping_state()
        self.refresh()

    @Slot()
    def _on_shown_changed(self) -> None:
        if self._session.shown and not self._has_curves:
            self.view.open_drawn()
        self._has_curves = bool(self._session.shown)
        self._show_checks()

    @Slot()
    def _show_checks(self) -> None:
        self.view.legend.count_shown()
        self.view.legend.emit_checks(self.view.visible_ranges())

    def sizeHint(self) -> QSize:
        return QSize(390, 400)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()


class _Foot(Foot):
    """The switch, and what 100 % are."""

    def __init__(self, session: ConsoleSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.switch = Switch("Leave out system groups", self)
        self.switch.setToolTip("Rescale percentages to the total without system groups (S)")
        self._words = ElidedLabel(self, Qt.AlignmentFlag.AlignRight, Qt.TextElideMode.ElideRight)
        self.setFixedHeight(36)
        hbox(self.switch, (self._words, 1), on=self, margins=(10, 0, 8, 0), spacing=8)
        self.switch.clicked.connect(session.set_leave_out_system)

    def refresh(self) -> None:
        document = self._session.document
        target, is_possible = self._session.target, self._session.can_leave_out_system
        self.setVisible(target is None or bool(target.rescaled))
        left_out = is_possible and self._session.leave_out_system
        self.switch.setEnabled(is_possible)
        self.switch.setChecked(left_out)
        self._words.setText("" if document is None else whole_of(document.tree, left_out=left_out))


def whole_of(tree: ShareTree, *, left_out: bool) -> str:
    """Return the meaning of 100 % in words."""
    if not left_out:
        return "100 % = the machine"
    names = [node.name for node in tree.children(ROOT_ID) if not node.system]
    if len(names) > 3:
        return f"100 % = {names[0]} + {len(names) - 1} more"
    return f"100 % = {' + '.join(names) or 'nobody'}"
