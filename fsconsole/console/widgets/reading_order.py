"""The order in which Tab goes through a form: as it is read, whatever was made first."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

_ROW_PX = 16  # Tops of controls in one row differ by up to this.


def tab_in_reading_order(form: QWidget) -> None:
    """Have Tab go down the rows of what is in sight, and along each from left to right."""
    found: list[tuple[int, int, int, QWidget]] = []
    for widget in form.findChildren(QWidget):
        takes = (widget.focusPolicy() & Qt.FocusPolicy.TabFocus) == Qt.FocusPolicy.TabFocus
        if takes and widget.focusProxy() is None and widget.isVisibleTo(form):
            middle = widget.mapTo(form, widget.rect().center())
            found.append((middle.y() // _ROW_PX, middle.x(), len(found), widget))
    for (*_, before), (*_, after) in pairwise(sorted(found)):
        QWidget.setTabOrder(before, after)
