"""Box layouts in one call: `vbox(head, Gap(8), (view, 1), on=self)`, `hbox(label, STRETCH, button)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget


@dataclass(frozen=True, slots=True)
class Gap:
    """Room of its own between two parts, in pixels."""

    px: int


_Content = QWidget | QLayout
Part = _Content | Gap | int | tuple[_Content, int] | tuple[_Content, int, Qt.AlignmentFlag]
Margins = tuple[int, int, int, int]
STRETCH = 1
INHERIT = -1  # Spacing of the enclosing layout or of the style.
_NONE = (0, 0, 0, 0)
_Box = TypeVar("_Box", bound=QBoxLayout)


def vbox(
    *parts: Part, on: QWidget | None = None, margins: Margins | None = _NONE, spacing: int = 0
) -> QVBoxLayout:
    """Lay parts one below the other, as the layout of the widget `on` if there is one.

    A part is a widget or a layout, alone, with its stretch or also its alignment; a number is a stretch
    between them. Margins of None are those of the style.
    """
    return _filled(QVBoxLayout() if on is None else QVBoxLayout(on), parts, margins, spacing)


def hbox(
    *parts: Part, on: QWidget | None = None, margins: Margins | None = _NONE, spacing: int = 0
) -> QHBoxLayout:
    """Lay parts side by side; as `vbox`."""
    return _filled(QHBoxLayout() if on is None else QHBoxLayout(on), parts, margins, spacing)


def _filled(box: _Box, parts: tuple[Part, ...], margins: Margins | None, spacing: int) -> _Box:
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing != INHERIT:
        box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
            continue
        if isinstance(part, Gap):
            box.addSpacing(part.px)
            continue
        content, stretch, *alignment = part if isinstance(part, tuple) else (part, 0)
        if isinstance(content, QWidget):
            box.addWidget(content, stretch)
        else:
            box.addLayout(content, stretch)
        if alignment:
            box.setAlignment(content, *alignment)
    return box
