"""The share map that the rule of another scheduler gives: widths are what nodes get by it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from fsconsole.app.tree.outlook import Outlook
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.columns import Column as TreeColumn
from fsconsole.console.design.columns import title_of
from fsconsole.console.design.map_painter import paint_map
from fsconsole.console.kit.table_model import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import theme
from fsconsole.figures.map_geometry import Box, MapLayout, boxes
from fsconsole.figures.map_painter import MapLook
from fsconsole.text import numbers

BAND = 22
_MOST_BANDS = 5
_MARGIN = 12


class RuleMap(Chart):
    """An icicle of the outlook's rule; a click selects a node, its tooltip gives the reason."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._outlook: Outlook | None = None
        self.setAccessibleName("Share map by rule")
        self.setFont(tabular_font("caption"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        session.selection_changed.connect(self.update)
        theme().changed.connect(self.update)

    def show_outlook(self, outlook: Outlook | None) -> None:
        """Show what the rule of another outlook gives."""
        self._outlook = outlook
        if outlook is not None and outlook.rule is not None:
            share = title_of(TreeColumn.PART_OF_MACHINE, of_cluster=self._session.offer(CLUSTER) is not None)
            self.setAccessibleDescription(f"{share} by {outlook.rule.title}, a box for each node")
        self.updateGeometry()
        self.update()

    @property
    def boxes(self) -> list[Box]:
        """The boxes as they are drawn."""
        if self._outlook is None:
            return []
        width = max(self.width() - 2 * _MARGIN, 1)
        return boxes(
            self._outlook.flat, self._outlook.parts, width, band_height=BAND, bands=self._bands, x=_MARGIN
        )

    def text_twin(self) -> TextTwin:
        """Return the share of each node by the rule, its entitlement, and the reason."""
        outlook = self._outlook
        if outlook is None or outlook.rule is None:
            return TextTwin()
        flat, parts, entitled = outlook.flat, outlook.parts, outlook.result.entitled
        digits = numbers.PERCENT_OF_MACHINE_DIGITS
        columns: tuple[Column[int], ...] = (
            Column("Node", lambda row: outlook.tree.path(int(flat.ids[row])) or outlook.tree.root.name),
            Column(
                outlook.rule.title,
                lambda row: numbers.percent(float(parts[row]), digits),
                order=lambda row: float(parts[row]),
                is_number=True,
            ),
            Column(
                "Entitled",
                lambda row: numbers.percent(float(entitled[row]), digits),
                order=lambda row: float(entitled[row]),
                is_number=True,
            ),
            Column("Reason", outlook.why),
        )
        return rows_twin(range(len(flat.ids)), columns)

    def node_at(self, at: QPointF) -> int | None:
        """Return the id of the node at a point; None outside the boxes and on merged ones."""
        if self._outlook is None:
            return None
        box = MapLayout(self._outlook.flat, self.boxes).at(at.x(), at.y())
        return None if box is None or box.merged else int(self._outlook.flat.ids[box.row])

    def tip_of(self, node: int) -> str:
        """Return path, share of the machine beside the entitlement, and the reason."""
        outlook = self._outlook
        if outlook is None or outlook.rule is None:
            return ""
        row = outlook.flat.row_of[node]
        part = numbers.percent(float(outlook.parts[row]), numbers.PERCENT_OF_MACHINE_DIGITS)
        entitled = numbers.short_percent(float(outlook.result.entitled[row]))
        lines = [
            outlook.tree.path(node),
            f"{outlook.rule.title}: {part} of the machine, entitled to {entitled}",
        ]
        return "\n".join(filter(None, [*lines, outlook.why(row)]))

    @property
    def _bands(self) -> int:
        return 0 if self._outlook is None else min(len(self._outlook.flat.levels), _MOST_BANDS)

    def sizeHint(self) -> QSize:
        return QSize(200, BAND * self._bands + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            node = self.node_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), "" if node is None else self.tip_of(node), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        node = self.node_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and node is not None:
            self._session.select((node,))

    def paintEvent(self, _event: QPaintEvent) -> None:
        outlook = self._outlook
        if outlook is None:
            return
        ids, tree, curves = outlook.flat.ids, outlook.tree, self._session.curves
        chosen = (outlook.flat.row_of.get(node) for node in self._session.selection)
        look = MapLook(
            name=lambda row: tree.node(int(ids[row])).name,
            token=lambda row: curves.style(int(ids[row])).colour_token,
            part=lambda row: numbers.percent(float(outlook.parts[row]), 1),
            selected=frozenset(row for row in chosen if row is not None),
        )
        with QPainter(self) as painter:
            painter.setFont(self.font())
            paint_map(painter, self.boxes, look)
