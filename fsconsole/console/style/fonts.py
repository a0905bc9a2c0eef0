"""Sizes and features of type. Families are the system's own and never named."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo
from PySide6.QtWidgets import QApplication

BASE_PX = 13
TextSize = Literal["base", "table", "caption", "section", "figure", "clock"]

# Logical pixels added to the base size, so that all text grows with the system font.
_ADDED: dict[TextSize, int] = {"base": 0, "table": -1, "caption": -2, "section": 1, "figure": 5, "clock": 5}
_chosen_px = 0


def ui_font(size: TextSize = "base", *, semibold: bool = False) -> QFont:
    """Return the system font in a size and a weight of the console."""
    made = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
    made.setPixelSize(base_px() + _ADDED[size])
    made.setWeight(QFont.Weight.DemiBold if semibold else QFont.Weight.Normal)
    return made


def tabular_font(size: TextSize = "table", *, semibold: bool = False) -> QFont:
    """Return the font of the interface with figures of equal width, for tables, readouts and axes."""
    return tabular(ui_font(size, semibold=semibold))


def fixed_font(size: TextSize = "table") -> QFont:
    """Return the system font of fixed width, for the machine console and the clock."""
    made = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    made.setPixelSize(base_px() + _ADDED[size])
    return made


def tabular(font: QFont) -> QFont:
    """Return a copy of a font with figures of equal width."""
    made = QFont(font)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


def semibold(font: QFont) -> QFont:
    """Return a copy of a font in the heavier of the two weights."""
    made = QFont(font)
    made.setWeight(QFont.Weight.DemiBold)
    return made


def install_fonts(app: QApplication) -> None:
    """Give the application and its views the console's sizes."""
    app.setFont(ui_font())
    # The published types require bytes here, the library itself requires str.
    for view in ("QAbstractItemView", "QHeaderView"):
        app.setFont(tabular_font(), view)  # type: ignore[arg-type]
    for small in ("QStatusBar", "QTipLabel"):
        app.setFont(tabular_font("table"), small)  # type: ignore[arg-type]


def base_px() -> int:
    """Return the size of plain text in logical pixels: the chosen one, else the system's."""
    return _chosen_px or system_px()


def choose_base(px: int) -> None:
    """Choose the size of plain text; 0 follows the system. Fonts made from now on have it."""
    global _chosen_px  # noqa: PLW0603 - one application, one size
    _chosen_px = px


@lru_cache(maxsize=1)
def system_px() -> int:
    """Return the system's text size in logical pixels, at least that of the specification."""
    system = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)).pixelSize()
    return max(BASE_PX, system)
