"""The surplus as ribbons from those who leave it to those who get it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from fsconsole.app.tree.outlook import Outlook
from fsconsole.console.design.map_painter import tint
from fsconsole.console.kit.table_model import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.painted_text import draw_text
from fsconsole.shares.saturation import NOBODY, Flow
from fsconsole.text import numbers

GAP = 3.0
BLOCK = 20
BETWEEN = 34
_MARGIN = 12
_OPACITY = 0.18
_BLOCK_OPACITY = 0.30
_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Block:
    """What one row gives or takes: from x to x + w."""

    row: int
    x: float
    w: float
    amount: float


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A flow: from `top` to `top + w` above to `bottom` to `bottom + w` below."""

    giver: int
    top: float
    bottom: float
    w: float


@dataclass(frozen=True, slots=True)
class Ribbons:
    """Blocks in tree order, and the ribbons between them."""

    givers: tuple[Block, ...]
    takers: tuple[Block, ...]
    ribbons: tuple[Ribbon, ...]


def ribbons(found: Sequence[Flow], width: float) -> Ribbons:
    """Lay flows out over a width; a point is as wide above as below. NOBODY comes last."""
    total = sum(flow.amount for flow in found)
    givers, takers = _sums(found, giving=True), _sums(found, giving=False)
    if total <= 0:
        return Ribbons((), (), ())
    room = max(width - GAP * (max(len(givers), len(takers)) - 1), 1.0)
    scale = room / total
    above, below = _blocks(givers, scale, width), _blocks(takers, scale, width)
    top = {block.row: block.x for block in above}
    bottom = {block.row: block.x for block in below}
    placed = []
    for flow in sorted(found, key=lambda one: (_order(one.giver), _order(one.taker))):
        wide = flow.amount * scale
        placed.append(Ribbon(flow.giver, top[flow.giver], bottom[flow.taker], wide))
        top[flow.giver] += wide
        bottom[flow.taker] += wide
    return Ribbons(above, below, tuple(placed))


def _order(row: int) -> float:
    return float("inf") if row < 0 else row


def _sums(found: Sequence[Flow], *, giving: bool) -> dict[int, float]:
    sums: dict[int, float] = {}
    for flow in found:
        row = flow.giver if giving else flow.taker
        sums[row] = sums.get(row, 0.0) + flow.amount
    return dict(sorted(sums.items(), key=lambda item: _order(item[0])))


def _blocks(sums: dict[int, float], scale: float, width: float) -> tuple[Block, ...]:
    """Lay blocks over the whole width; they share what the gaps do not need."""
    gap = (width - sum(sums.values()) * scale) / (len(sums) - 1) if len(sums) > 1 else 0.0
    placed, x = [], 0.0
    for row, amount in sums.items():
        placed.append(Block(row, x, amount * scale, amount))
        x += amount * scale + gap
    return tuple(placed)


class SurplusRibbons(Chart):
    """Givers above, takers below; widths are points of the machine. Drawn when something changes."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._outlook: Outlook | None = None
        self._laid_out: Ribbons | None = None
        self.setAccessibleName("Surplus handed on")
        self.setFont(tabular_font("caption"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        session.curves.changed.connect(self.update)
        theme().changed.connect(self.update)

    def show_outlook(self, outlook: Outlook | None) -> None:
        """Show the flows of an outlook."""
        self._outlook, self._laid_out = outlook, None
        self.setAccessibleDescription(" ".join(outlook.sentences) if outlook is not None else "")
        self.update()

    def text_twin(self) -> TextTwin:
        """Return the flows as text: giver, amount and taker."""
        columns: tuple[Column[Flow], ...] = (
            Column("From", lambda flow: self._name(flow.giver)),
            Column("To", lambda flow: self._name(flow.taker)),
            Column(
                "Points of the machine",
                lambda flow: numbers.fixed(100 * flow.amount, 2),
                order=lambda flow: flow.amount,
                is_number=True,
            ),
        )
        return rows_twin(self._outlook.flows if self._outlook is not None else (), columns)

    @property
    def layout_of_ribbons(self) -> Ribbons:
        """Blocks and ribbons as they are drawn."""
        if self._laid_out is None:
            found = self._outlook.flows if self._outlook is not None else []
            self._laid_out = ribbons(found, max(self.width() - 2 * _MARGIN, 1))
        return self._laid_out

    def label(self, block: Block, *, is_taker: bool) -> str:
        """Return `Army 14.93`, or `Air Force +21.83 = 40.952 %` for a node that gets surplus."""
        outlook, points = self._outlook, numbers.fixed(100 * block.amount, 2)
        name = self._name(block.row)
        if outlook is None or block.row == NOBODY or not is_taker:
            return f"{name} {points}"
        whole = numbers.percent(float(outlook.result.what_if[block.row]), numbers.PERCENT_OF_MACHINE_DIGITS)
        return f"{name} +{points} = {whole}"

    def _name(self, row: int) -> str:
        outlook = self._outlook
        if outlook is None or row == NOBODY:
            return "Nobody"
        return outlook.tree.node(int(outlook.flat.ids[row])).name

    def _token(self, row: int) -> str:
        outlook = self._outlook
        if outlook is None or row == NOBODY:
            return "g3"
        return self._session.curves.style(int(outlook.flat.ids[row])).colour_token

    def _paint_block(self, painter: QPainter, block: Block, y: float, *, is_taker: bool) -> None:
        left, right = round(_MARGIN + block.x), round(_MARGIN + block.x + block.w)
        rect = QRectF(left + 0.5, y + 0.5, max(right - left - 1, 1), BLOCK - 1)
        painter.fillRect(rect, tint(self._token(block.row), _BLOCK_OPACITY))
        painter.setPen(QPen(colour(self._token(block.row)), 1))
        painter.drawRect(rect)
        metrics, room = painter.fontMetrics(), rect.width() - 8
        text = self.label(block, is_taker=is_taker)
        for shorter in (text, text.partition(" = ")[0], text.rpartition(" ")[0]):
            if metrics.horizontalAdvance(shorter) <= room:
                break
        else:
            shorter = metrics.elidedText(text.rpartition(" ")[0], Qt.TextElideMode.ElideRight, int(room))
            shorter = shorter if len(shorter) > _LETTERS else ""
        painter.setPen(colour("text"))
        inner = rect.adjusted(5, 0, -3, 0)
        draw_text(painter, inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shorter)

    def _path(self, ribbon: Ribbon) -> QPainterPath:
        top, bottom, bend = float(BLOCK), float(BLOCK + BETWEEN), BETWEEN / 2
        x, to = _MARGIN + ribbon.top, _MARGIN + ribbon.bottom
        path = QPainterPath(QPointF(x, top))
        path.cubicTo(QPointF(x, top + bend), QPointF(to, bottom - bend), QPointF(to, bottom))
        path.lineTo(to + ribbon.w, bottom)
        end = QPointF(x + ribbon.w, top)
        path.cubicTo(QPointF(to + ribbon.w, bottom - bend), QPointF(end.x(), top + bend), end)
        path.closeSubpath()
        return path

    def sizeHint(self) -> QSize:
        return QSize(300, 2 * BLOCK + BETWEEN)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 2 * BLOCK + BETWEEN)

    def resizeEvent(self, _event: QEvent) -> None:
        self._laid_out = None

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.text_at(event.pos().x(), event.pos().y())
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def text_at(self, x: float, y: float) -> str:
        """Return the text on the block at a point; empty between the rows."""
        found, is_taker = self.layout_of_ribbons, y >= BLOCK + BETWEEN
        if not is_taker and y > BLOCK:
            return ""
        for block in found.takers if is_taker else found.givers:
            if block.x - 1 <= x - _MARGIN <= block.x + block.w + 1:
                return self.label(block, is_taker=is_taker)
        return ""

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            found = self.layout_of_ribbons
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for ribbon in found.ribbons:
                ink = QColor(colour(self._token(ribbon.giver)))
                ink.setAlphaF(_OPACITY)
                path = self._path(ribbon)
                painter.fillPath(path, ink)
                painter.strokePath(path, colour(self._token(ribbon.giver)))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            for block in found.givers:
                self._paint_block(painter, block, 0, is_taker=False)
            for block in found.takers:
                self._paint_block(painter, block, BLOCK + BETWEEN, is_taker=True)
