"""Sizes of text and of rows, as the user chose them; a change acts on everything that is on screen."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QHeaderView, QWidget

from fsconsole.console.style import fonts
from fsconsole.console.style.theme import theme

RowHeight = Literal["compact", "normal", "roomy"]
ROW_HEIGHTS: dict[RowHeight, int] = {"compact": 20, "normal": 24, "roomy": 28}
TEXT_SIZES = (0, 12, 13, 14, 15, 16, 18, 20, 22, 26)  # Logical pixels. 0 follows the system.
_HEIGHT, _WIDTH = "specifiedHeight", "specifiedWidth"  # Names of properties, in pixels of the specification.
_ROW_PER_TEXT = 4 / 3  # Pixels by which a row grows for each pixel of text.

_row_height: RowHeight = "normal"


def row_px() -> int:
    """Return the height of a row of tables and trees, in logical pixels."""
    return ROW_HEIGHTS[_row_height] + grown_px()


def grown_px() -> int:
    """Return the pixels that a row of text needs beyond the specification's smaller text."""
    return _grown_px(fonts.base_px())


@lru_cache(maxsize=len(TEXT_SIZES))
def _grown_px(text_px: int) -> int:
    return round(_ROW_PER_TEXT * max(0, text_px - fonts.BASE_PX))


def scaled(px: int) -> int:
    """Return a width of the specification for the present text size."""
    return round(px * _scale())


def tall(px: int) -> int:
    """Return a height of the specification that holds one line at the present text size."""
    return px + grown_px()


def tall_lines(px: int, lines: int) -> int:
    """Return a height of the specification that holds so many lines at the present text size."""
    return px + lines * grown_px()


def keep_height(widget: QWidget, px: int) -> None:
    """Fix a widget at a height of the specification that holds one line; it follows the size of text."""
    widget.setProperty(_HEIGHT, px)
    widget.setFixedHeight(tall(px))


def keep_width(widget: QWidget, px: int) -> None:
    """Fix a widget at a width of the specification; it follows the size of text."""
    widget.setProperty(_WIDTH, px)
    widget.setFixedWidth(scaled(px))


def set_sizes(app: QApplication, text_px: int, row_height: RowHeight) -> None:
    """Choose the size of text (0: as the system) and the height of rows, on screen and to come."""
    global _row_height  # noqa: PLW0603 - one application, one size
    before_px, before_row_px, before_scale = fonts.base_px(), row_px(), _scale()
    fonts.choose_base(text_px)
    _row_height = row_height
    added_px = fonts.base_px() - before_px
    if not added_px and row_px() == before_row_px:
        return
    widgets = app.allWidgets()
    if added_px:
        # All fonts are read before the first change, because a child with only its own weight inherits its
        # size.
        own = [(one, one.font()) for one in widgets if one.testAttribute(Qt.WidgetAttribute.WA_SetFont)]
        fonts.install_fonts(app)
        for widget, font in own:
            widget.setFont(_larger(font, added_px))
        for widget in widgets:
            if isinstance(widget, QHeaderView) and widget.orientation() is Qt.Orientation.Horizontal:
                _widen(widget, _scale() / before_scale)
    for widget in widgets:
        _measure_again(widget)
    theme().changed.emit()  # Icons are drawn again at the size of the text.


def _scale() -> float:
    return max(1.0, fonts.base_px() / fonts.BASE_PX)


def _widen(header: QHeaderView, factor: float) -> None:
    """Give columns the room that their text needs now; those that take what is left are not set."""
    for at in range(header.count()):
        is_last = header.stretchLastSection() and header.visualIndex(at) == header.count() - 1
        if header.sectionResizeMode(at) is QHeaderView.ResizeMode.Interactive and not is_last:
            is_hidden = header.isSectionHidden(at)
            header.setSectionHidden(at, False)  # A hidden column has no size that could be read.
            header.resizeSection(at, round(header.sectionSize(at) * factor))
            header.setSectionHidden(at, is_hidden)


def _larger(font: QFont, added_px: int) -> QFont:
    made = QFont(font)
    if font.pixelSize() > 0:
        made.setPixelSize(max(1, font.pixelSize() + added_px))
    return made


def _measure_again(widget: QWidget) -> None:
    """Have a widget measure itself again."""
    height, width = widget.property(_HEIGHT), widget.property(_WIDTH)
    if height is not None:
        widget.setFixedHeight(tall(int(height)))
    if width is not None:
        widget.setFixedWidth(scaled(int(width)))
    QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
