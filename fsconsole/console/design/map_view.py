"""The share map as a picture: boxes, axis, selection and zoom, following document and previews."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QEvent, QPointF, QRect, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.design.cells import Cells
from fsconsole.console.design.columns import Column, title_of
from fsconsole.console.design.map_painter import axis_px, paint_axis, paint_map
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.what_if.what_if import WhatIf
from fsconsole.console.kit.tables import Column as TableColumn
from fsconsole.console.kit.text_twin import TextTwin
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.roles import Role
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.buttons import Switch
from fsconsole.figures.map_geometry import MapLayout, Zoom, boxes
from fsconsole.figures.map_painter import MapLook
from fsconsole.figures.painted_text import draw_text
from fsconsole.text import numbers
from fsconsole.text.words import count_words, listed

MARGIN = 12
MIN_BAND = 28
MAX_BAND = 44
ZOOM_MS = 150
_KEY_WORDS = "not used in what-if"
_RULE_WORDS = "less than entitled"
_SWATCH = QSize(18, 12)
_GAP = 6
_MOST_NAMED = 3
_NUMBERS = frozenset(Column) - {Column.NAME, Column.KIND, Column.NOTE}


class MapView(QWidget):
    """Shows a tree as an icicle, one band per level; what a hand does with it is the subclass's.

    Attributes:
        cells: what the table of the tree shows, for the table of the map; None without it.

    Signals: zoomed() when another node spans the width; hovered(node id or None) under the pointer.
    """

    accessible_role = Role.Chart

    zoomed = Signal()
    hovered = Signal(object)

    def __init__(self, session: ConsoleSession, preview: SharePreview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._preview = preview
        self.cells: Cells | None = None
        self._layout: MapLayout | None = None
        self._top = 0
        self._hovered: int | None = None
        self._zoom: Zoom | None = None
        self._what_if: WhatIf | None = None
        self._animation = QVariantAnimation(self)
        self._set_up()
        self._connect_signals()

    def _set_up(self) -> None:
        self.setAccessibleName("Share map")
        self.setFont(tabular_font())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setDuration(ZOOM_MS)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self.update)
        self._animation.finished.connect(self._end_zoom)

    def _connect_signals(self) -> None:
        session = self._session
        self._preview.changed.connect(self._on_change)
        session.document_changed.connect(self._start)
        session.edited.connect(self._on_change)
        session.selection_changed.connect(self._follow_selection)
        session.curves.changed.connect(self.update)
        theme().changed.connect(self.update)

    def paint_marks(self, painter: QPainter, layout: MapLayout) -> None:
        """Draw what a hand is doing, over the boxes."""

    def follow_demands(self, what_if: WhatIf) -> None:
        """Hatch what is not used, while that is wanted."""
        self._what_if = what_if
        what_if.changed.connect(self.update)

    @property
    def layout_of_boxes(self) -> MapLayout:
        """Boxes as they are drawn now."""
        if self._layout is None:
            self._layout = self._laid_out(self._top)
        return self._layout

    @property
    def top(self) -> int:
        """Id of the node that spans the width."""
        return self._top

    def show_hovered(self, node: int | None) -> None:
        """Tint a node that the pointer is on, here or in another view; None for none."""
        if node != self._hovered:
            self._hovered = node
            self.update()

    @property
    def band_height(self) -> float:
        """28 to 44 px, so that all levels fit if they can."""
        levels = max(len(self._preview.shown.flat.levels), 1)
        return min(max(self._room() / levels, MIN_BAND), MAX_BAND)

    def zoom_to(self, node_id: int) -> None:
        """Have a node span the width, in 150 ms; groups alone can."""
        if node_id == self._top or node_id not in self._preview.shown.flat.row_of:
            return
        row_of = self._preview.shown.flat.row_of
        old, new = self._laid_out(self._top), self._laid_out(node_id)
        into, out = old.of_row(row_of[node_id]), new.of_row(row_of[self._top])
        self._zoom = Zoom(old.boxes, into, True) if into else Zoom(new.boxes, out, False) if out else None
        self._top = node_id
        self._refresh()
        if self._zoom is not None and self.isVisible():
            self._animation.start()
        else:
            self._end_zoom()
        self.zoomed.emit()

    def zoom_out(self) -> None:
        """Have the group above span the width."""
        document = self._session.document
        parent = document.tree.node(self._top).parent if document is not None else None
        if parent is not None:
            self.zoom_to(parent)

    def _end_zoom(self) -> None:
        self._zoom = None
        self.update()

    def _start(self) -> None:
        self._top, self._hovered = 0, None
        self._on_change()
        self.zoomed.emit()

    def _on_change(self) -> None:
        """Stop an animation, whose boxes are of an outdated tree."""
        self._animation.stop()
        self._zoom = None
        self._refresh()

    def _refresh(self) -> None:
        self._layout = None
        if self._top not in self._preview.shown.flat.row_of:
            self._top = 0
            self.zoomed.emit()
        self.setAccessibleDescription(self._spoken())
        self.update()

    def _follow_selection(self) -> None:
        self.setAccessibleDescription(self._spoken())
        self.update()

    def _spoken(self) -> str:
        document, chosen = self._session.document, self._session.selection
        if document is None or self._top not in document.tree:
            return ""
        tree, share = document.tree, self._preview.shown.machine_share
        top = tree.node(self._top)
        widest = sorted(((share(node), tree.node(node).name) for node in top.children), reverse=True)
        parts = [f"{name} {numbers.short_percent(part)}" for part, name in widest[:_MOST_NAMED]]
        words = f"{tree.path(top.id)}, {count_words(len(top.children), 'node')} below"
        description = f"{words}. Largest shares of the machine: {listed(parts)}." if parts else f"{words}."
        if not chosen or chosen[0] not in tree:
            return description
        part = numbers.spoken_percent("share of machine", share(chosen[0]), numbers.PERCENT_OF_MACHINE_DIGITS)
        return f"{tree.node(chosen[0]).name}, {part}. {description}"

    def text_twin(self) -> TextTwin:
        """Return the nodes of the map, with what the table of the tree shows of each."""
        document, cells = self._session.document, self.cells
        if document is None or cells is None:
            return TextTwin()
        tree, display = document.tree, Qt.ItemDataRole.DisplayRole
        of_cluster = cells.of_cluster.has_values
        nodes = {node.id: node for node in tree.walk(self._top)}
        group = {node.id: tree.path(node.parent) for node in nodes.values() if node.parent is not None}
        shown = {
            column: {key: str(cells.value(node, column, display) or "") for key, node in nodes.items()}
            for column in Column
        }
        above: TableColumn[int] = TableColumn(
            "Account" if of_cluster else "Group", lambda row: group.get(row, "")
        )
        name, *others = (
            TableColumn(
                title_of(column, of_cluster=of_cluster), texts.__getitem__, is_number=column in _NUMBERS
            )
            for column, texts in shown.items()
            if set(texts.values()) - {"", numbers.UNKNOWN}
        )
        return TextTwin((name, above, *others), tuple(nodes))

    def _room(self) -> float:
        return self.height() - MARGIN - axis_px()

    def _laid_out(self, top: int) -> MapLayout:
        figures = self._preview.shown
        found = boxes(
            figures.flat,
            figures.machine,
            max(self.width() - 2 * MARGIN, 1),
            top=figures.flat.row_of.get(top, 0),
            band_height=self.band_height,
            bands=max(int(self._room() / self.band_height + 1e-6), 1),
            x=MARGIN,
            y=MARGIN / 2,
        )
        return MapLayout(figures.flat, found)

    def node_of_row(self, row: int) -> int:
        """Return the id of the node in a row of the flat tree."""
        return int(self._preview.shown.flat.ids[row])

    def node_at(self, at: QPointF) -> int | None:
        """Return the id of the node at a point; None outside the boxes and on merged ones."""
        box = self.layout_of_boxes.at(at.x(), at.y())
        return None if box is None or box.merged else self.node_of_row(box.row)

    def _look(self) -> MapLook:
        document, figures = self._session.document, self._preview.shown
        curves, row_of = self._session.curves, figures.flat.row_of
        if document is None:
            return MapLook(lambda _: "", lambda _: "g3", lambda _: "")
        tree = document.tree
        return MapLook(
            name=lambda row: tree.node(self.node_of_row(row)).name,
            token=lambda row: curves.style(self.node_of_row(row)).colour_token,
            part=self._part,
            selected=frozenset(row_of[node] for node in self._session.selection if node in row_of),
            hovered=row_of.get(self._hovered) if self._hovered is not None else None,
            unused=self._unused(),
        )

    def _unused(self) -> Callable[[int], float] | None:
        what_if = self._what_if
        outlook = what_if.outlook if what_if is not None and what_if.is_in_map else None
        return outlook.unused_fraction if outlook is not None and outlook.differs else None

    def _part(self, row: int) -> str:
        """Return the share of the machine, and that by another scheduler's rule if one is chosen."""
        entitled = numbers.short_percent(float(self._preview.shown.machine[row]))
        what_if = self._what_if
        outlook = what_if.outlook if what_if is not None and what_if.is_in_map else None
        if outlook is None or outlook.division is None or row >= len(outlook.parts):
            return entitled
        before = numbers.percent(float(self._preview.shown.machine[row]), 1, unit=False)
        return f"{before} → {numbers.percent(float(outlook.parts[row]), 1)}"

    def tip_of(self, node: int | None) -> str:
        """Return path and share of the machine, for a tooltip."""
        document = self._session.document
        if document is None or node is None:
            return ""
        share = numbers.percent(self._preview.shown.machine_share(node), numbers.PERCENT_OF_MACHINE_DIGITS)
        of_cluster = self.cells is not None and self.cells.of_cluster.has_values
        title = title_of(Column.PART_OF_MACHINE, of_cluster=of_cluster)
        return f"{document.tree.path(node)}\n{title}: {share}"

    def sizeHint(self) -> QSize:
        return QSize(520, 6 * 32 + axis_px() + MARGIN)

    def minimumSizeHint(self) -> QSize:
        return QSize(520, 122)

    def resizeEvent(self, _event: QEvent) -> None:
        self._layout = None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:  # The context manager ends the painter even after an error.
            painter.fillRect(self.rect(), colour("surface"))
            if self._session.document is not None:
                layout = self.layout_of_boxes
                progress = float(self._animation.currentValue() or 0.0)
                shown = self._zoom.boxes(progress) if self._zoom is not None else layout.boxes
                painter.setClipRect(self.rect().adjusted(MARGIN - 1, 0, 2 - MARGIN, -axis_px()))
                paint_map(painter, shown, self._look())
                painter.setClipping(False)
                paint_axis(painter, self._axis_rect(), self._preview.shown.machine_share(self._top))
                self.paint_marks(painter, layout)
            if self.hasFocus():
                painter.fillRect(0, 0, self.width(), 2, colour("accent"))

    def _axis_rect(self) -> QRect:
        return QRect(MARGIN, self.height() - axis_px(), self.width() - 2 * MARGIN, axis_px())


def map_switch(what_if: WhatIf) -> Switch:
    """Return the switch in the dock's header: hatch what is not used."""
    made = Switch("Show in map")
    made.setToolTip("Hatch the unused part of each entitlement in the share map")
    made.setChecked(what_if.is_in_map)
    made.toggled.connect(what_if.show_in_map)
    return made


class MapKey(QWidget):
    """A hatched swatch with its meaning; there while something is hatched."""

    def __init__(self, what_if: WhatIf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._what_if = what_if
        self._words = _KEY_WORDS
        self.setFont(tabular_font())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        what_if.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        outlook = self._what_if.outlook if self._what_if.is_in_map else None
        self._words = _RULE_WORDS if outlook is not None and outlook.division is not None else _KEY_WORDS
        self.setAccessibleName(f"Hatched: {self._words}")
        self.setVisible(outlook is not None and outlook.differs)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = _SWATCH.width() + _GAP + self.fontMetrics().horizontalAdvance(self._words) + 4
        return QSize(width, 20)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            swatch = QRect(0, (self.height() - _SWATCH.height()) // 2, _SWATCH.width(), _SWATCH.height())
            painter.fillRect(swatch, paint.hatch(painter, colour("cell")))
            paint.frame(painter, swatch, "cell")
            painter.setPen(colour("muted"))
            words = self.rect().adjusted(_SWATCH.width() + _GAP, 0, 0, 0)
            draw_text(painter, words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._words)
