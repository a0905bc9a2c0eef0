"""What the share map shows of a what-if: the switch that hatches, and the key to the hatch."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.design.what_if.what_if import WhatIf
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.buttons import Switch

_WORDS = "not used in what-if"
_SWATCH = QSize(18, 12)
_GAP = 6


def map_switch(what_if: WhatIf) -> Switch:
    """The switch in the dock's header: hatch what is not used."""
    made = Switch("Show in map")
    made.setToolTip("Hatch in the share map what is not used of an entitlement")
    made.setChecked(what_if.is_in_map)
    made.toggled.connect(what_if.show_in_map)
    return made


class MapKey(QWidget):
    """A hatched swatch with its meaning; there while something is hatched."""

    def __init__(self, what_if: WhatIf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._what_if = what_if
        self.setFont(tabular_font())
        self.setAccessibleName(f"Hatched: {_WORDS}")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        what_if.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        outlook = self._what_if.outlook if self._what_if.is_in_map else None
        self.setVisible(outlook is not None and outlook.stated_anything)

    def sizeHint(self) -> QSize:
        width = _SWATCH.width() + _GAP + self.fontMetrics().horizontalAdvance(_WORDS) + 4
        return QSize(width, 20)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            swatch = QRect(0, (self.height() - _SWATCH.height()) // 2, _SWATCH.width(), _SWATCH.height())
            painter.fillRect(swatch, QBrush(colour("line2"), Qt.BrushStyle.BDiagPattern))
            paint.frame(painter, swatch, "line2")
            painter.setPen(colour("muted"))
            words = self.rect().adjusted(_SWATCH.width() + _GAP, 0, 0, 0)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, _WORDS)
