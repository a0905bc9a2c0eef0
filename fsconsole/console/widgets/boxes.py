"""Box layouts in one call: `vbox(head, Gap(8), (view, 1), on=self)`, `hbox(label, STRETCH, button)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget


@dataclass(frozen=True, slots=True)
class Gap:
    """Room of its own between two parts, in pixels."""

    px: int


Part = QWidget | QLayout | Gap | int | tuple[QWidget | QLayout, int]
Margins = tuple[int, int, int, int]
STRETCH = 1
INHERIT = -1  # Spacing of the enclosing layout or of the style.
_NONE = (0, 0, 0, 0)
_Box = TypeVar("_Box", bound=QBoxLayout)


def vbox(*parts: Part, on: QWidget | None = None, margins: Margins = _NONE, spacing: int = 0) -> QVBoxLayout:
    """Lay parts one below the other, as the layout of the widget `on` if there is one.

    A part is a widget or a layout, alone or with its stretch; a number is a stretch between them.
    """
    return _filled(QVBoxLayout() if on is None else QVBoxLayout(on), parts, margins, spacing)


def hbox(*parts: Part, on: QWidget | None = None, margins: Margins = _NONE, spacing: int = 0) -> QHBoxLayout:
    """Lay parts side by side; as `vbox`."""
    return _filled(QHBoxLayout() if on is None else QHBoxLayout(on), parts, margins, spacing)


def _filled(box: _Box, parts: tuple[Part, ...], margins: Margins, spacing: int) -> _Box:
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
        content, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(content, QWidget):
            box.addWidget(content, stretch)
        else:
            box.addLayout(content, stretch)
    return box
