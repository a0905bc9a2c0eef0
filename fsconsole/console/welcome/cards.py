"""Example scenarios as cards: each a small share map with a title, opened by a click."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from fsconsole.console.design.map_geometry import Box, boxes
from fsconsole.console.look import paint
from fsconsole.console.look.fonts import ui_font
from fsconsole.console.look.theme import colour
from fsconsole.figures.style.curves import CurveStyle, assign_curves
from fsconsole.shares.flat import FlatTree, Floats

_log = logging.getLogger(__name__)
_MAP_HEIGHT = 84
_WORDS_HEIGHT = 56
_MARGIN = 14
_FILL = 0.22


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """What a card draws of a scenario.

    Attributes:
        words: what it is about, below the title.
        source: where it comes from.
        shares: part of the machine per row of `flat`.
    """

    words: str
    source: str
    flat: FlatTree
    shares: Floats
    styles: dict[int, CurveStyle]


class Card(QAbstractButton):
    """Share map over a title and a line."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(title)
        self.setAccessibleName(f"Open example {title}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._picture: Picture | None = None
        self._boxes: tuple[int, list[Box]] = (0, [])

    def show_picture(self, picture: Picture) -> None:
        """The scenario has been read."""
        self._picture = picture
        self.setAccessibleDescription(f"{picture.words}. {picture.source}")
        self.setToolTip(picture.source)
        self.update()

    def sizeHint(self) -> QSize:
        """Map and words; as wide as there is room."""
        return QSize(300, _MAP_HEIGHT + 2 * _MARGIN + _WORDS_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Map above, words on raised ground below, accent border with focus."""
        painter = QPainter(self)
        words = self.rect().adjusted(0, self.height() - _WORDS_HEIGHT, 0, 0)
        painter.fillRect(self.rect(), colour("surface"))
        painter.fillRect(words, colour("hover" if self.underMouse() else "raised"))
        paint.rule(painter, words, Qt.Edge.TopEdge)
        paint.frame(painter, self.rect(), "accent" if self.hasFocus() else "line")
        if self.hasFocus():
            paint.frame(painter, self.rect().adjusted(1, 1, -1, -1), "accent")
        if self._picture is not None:
            self._paint_map(painter, self._picture)
        self._paint_words(painter, words.adjusted(_MARGIN, 6, -_MARGIN, -6))
        painter.end()

    def _paint_map(self, painter: QPainter, picture: Picture) -> None:
        for box in self._layout(picture):
            node = int(picture.flat.ids[box.row])
            style = picture.styles.get(node)
            token = "g3" if box.merged or style is None else style.colour_token
            _paint_box(painter, QRectF(box.x, box.y, box.w, box.h), colour(token))

    def _layout(self, picture: Picture) -> list[Box]:
        width = self.width() - 2 * _MARGIN
        if self._boxes[0] != width:
            band = _MAP_HEIGHT / max(len(picture.flat.levels), 1)
            made = boxes(picture.flat, picture.shares, width, band_height=band, x=_MARGIN, y=_MARGIN)
            self._boxes = (width, made)
        return self._boxes[1]

    def _paint_words(self, painter: QPainter, place: QRect) -> None:
        half = place.height() // 2
        upper, lower = place.adjusted(0, 0, 0, -half), place.adjusted(0, half, 0, 0)
        painter.setFont(ui_font(semibold=True))
        painter.setPen(colour("text"))
        _draw(painter, upper, self.text())
        if self._picture is not None:
            painter.setFont(ui_font("table"))
            painter.setPen(colour("muted"))
            _draw(painter, lower, self._picture.words)


class Pictures(QObject):
    """Reads the examples one after the other in a thread. Signals: read(path, Picture)."""

    read = Signal(object, object)

    def __init__(self, paths: list[Path]) -> None:
        super().__init__()
        self._paths = paths

    def start(self) -> None:
        """Begin; the thread keeps this object alive."""
        Thread(target=self._work, name="examples", daemon=True).start()

    def _work(self) -> None:
        from fsconsole.shares.scenario.read import read_scenario

        for path in self._paths:
            try:
                scenario = read_scenario(path)
                flat = FlatTree.of(scenario.tree)
                leaves = sum(1 for node in scenario.tree.walk() if not node.is_group)
                words = f"{scenario.machine.name}, {leaves} users" if leaves != 1 else scenario.machine.name
                styles = assign_curves(scenario.tree)
                picture = Picture(words, scenario.source, flat, flat.machine_share(), styles)
            except (OSError, ValueError) as error:
                _log.warning("example %s has no picture: %s", path.name, error)
                continue
            self.read.emit(path, picture)


def _paint_box(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    tint = QColor(ink)
    tint.setAlphaF(_FILL)
    painter.fillRect(rect, tint)
    painter.setPen(QPen(ink, 1))
    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))


def _draw(painter: QPainter, place: QRect, text: str) -> None:
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
