"""Example scenarios as cards: each a small share map with a title, opened by a click."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.design.map_painter import paint_map
from fsconsole.console.kit.tasks import Task
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.sizes import tall_lines
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.buttons import LinkButton
from fsconsole.figures.map_geometry import Box, boxes
from fsconsole.figures.map_painter import MapLook
from fsconsole.figures.painted_text import draw_text
from fsconsole.figures.style.curves import CurveStyle, assign_curves
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.text.words import count_words

_log = logging.getLogger(__name__)
_MAP_HEIGHT = 84
_WORDS_HEIGHT = 56
_MARGIN = 14


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """What a card draws of a scenario.

    Attributes:
        words: what it shows, below the title.
        more: all that it is about, its machine and where it comes from.
        shares: part of the machine per row of `flat`.
    """

    words: str
    more: str
    flat: FlatTree
    shares: Floats
    styles: dict[int, CurveStyle]

    def token(self, row: int) -> str:
        """Return the curve colour of a row."""
        return self.styles[int(self.flat.ids[row])].colour_token


class Card(LinkButton):
    """Share map over a title and a line."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(title)
        self.setAccessibleName(f"Open example {title}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.picture: Picture | None = None
        self._boxes: tuple[int, list[Box]] = (0, [])

    def show_picture(self, picture: Picture) -> None:
        """Show the picture of the scenario, which has been read."""
        self.picture = picture
        self.setAccessibleDescription(picture.more)
        self.setToolTip(picture.more)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, _MAP_HEIGHT + 2 * _MARGIN + tall_lines(_WORDS_HEIGHT, 2))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            words = self.rect().adjusted(0, self.height() - tall_lines(_WORDS_HEIGHT, 2), 0, 0)
            painter.fillRect(self.rect(), colour("surface"))
            painter.fillRect(words, colour("hover" if self.underMouse() else "raised"))
            paint.rule(painter, words, Qt.Edge.TopEdge)
            paint.frame(painter, self.rect(), "accent" if self.hasFocus() else "line")
            if self.hasFocus():
                paint.frame(painter, self.rect().adjusted(1, 1, -1, -1), "accent")
            if self.picture is not None:
                self._paint_map(painter, self.picture)
            self._paint_words(painter, words.adjusted(_MARGIN, 6, -_MARGIN, -6))

    def _paint_map(self, painter: QPainter, picture: Picture) -> None:
        look = MapLook(name=_nothing, token=picture.token, part=_nothing)
        paint_map(painter, self._layout(picture), look)

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
        if self.picture is not None:
            painter.setFont(ui_font("table"))
            painter.setPen(colour("muted"))
            _draw(painter, lower, self.picture.words)


def read_pictures(paths: list[Path], task: Task) -> None:
    """Read the examples one after the other, and report each path with its picture."""
    for path in paths:
        if task.is_cancelled():
            return
        try:
            task.report(path, _picture_of(path))
        except Exception as error:  # noqa: BLE001 - one card without its picture, the others have theirs
            _log.warning("example %s has no picture: %s", path.name, error)


def _picture_of(path: Path) -> Picture:
    from fsconsole.shares.scenario.read import read_scenario

    scenario = read_scenario(path)
    flat = FlatTree.of(scenario.tree)
    users = sum(1 for node in scenario.tree.walk() if not node.is_group)
    machine = f"{scenario.machine.name}, {count_words(users, 'user')}"
    words = first_sentence(scenario.about) or machine
    more = "\n".join(part for part in (scenario.about, machine, scenario.source) if part)
    return Picture(words, more, flat, flat.machine_share(), assign_curves(scenario.tree))


def first_sentence(text: str) -> str:
    """Return a text up to its first full stop, without that."""
    return text.partition(". ")[0].strip().removesuffix(".")


def _nothing(_row: int) -> str:
    """Return no words: a card's boxes are too small for them."""
    return ""


def _draw(painter: QPainter, place: QRect, text: str) -> None:
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    draw_text(painter, place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
