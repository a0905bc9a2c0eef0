"""Titles of columns over as many lines as they need: how they break, and a header that is high enough."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHeaderView, QStyle, QStyleOptionHeader, QWidget

_MOST_LINES = 3
_BESIDE_PX = 4  # Margin of the style beside letters.


def title_lines(title: str, metrics: QFontMetrics, room_px: int, most: int = _MOST_LINES) -> list[str]:
    """Return a title over lines of `room_px`, broken between words; what has no room is cut at its end."""
    lines: list[str] = []
    for part in title.split("\n"):
        line = ""
        for word in part.split(" "):
            longer = f"{line} {word}" if line else word
            if line and metrics.horizontalAdvance(longer) > room_px:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    if len(lines) > most:
        lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
    # The width in whole pixels is smaller than that of the letters.
    return [metrics.elidedText(line, Qt.TextElideMode.ElideRight, room_px + 1) for line in lines]


def lines_that_fit(metrics: QFontMetrics, height_px: int) -> int:
    """Return the number of lines of a title that fit in a header's section of this height."""
    return max(1, height_px // metrics.lineSpacing())


class WrappingHeader(QHeaderView):
    """A horizontal header that grows until each title fits the width of its column."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self._lines = 1
        self.sectionResized.connect(self._fit)
        self.sortIndicatorChanged.connect(self._fit)  # The sort arrow takes room.

    def sizeHint(self) -> QSize:
        # The style gives a section the height of a single line.
        hint = super().sizeHint()
        self._lines = self._count_lines()
        return QSize(hint.width(), max(hint.height(), self._height_px(self._lines)))

    @Slot()
    def _fit(self) -> None:
        if self._count_lines() != self._lines:
            self.geometriesChanged.emit()

    def _height_px(self, lines: int) -> int:
        margin = self.style().pixelMetric(QStyle.PixelMetric.PM_HeaderMargin, None, self)
        return lines * self.fontMetrics().lineSpacing() + 2 * margin

    def _count_lines(self) -> int:
        """Return the least number of lines for all titles; a higher header has a wider arrow."""
        model = self.model()
        places = [place for place in range(self.count()) if self.sectionSize(place)]
        titles = [str(model.headerData(place, Qt.Orientation.Horizontal) or "") for place in places]
        for lines in range(1, _MOST_LINES):
            if all(self._stands(title, place, lines) for title, place in zip(titles, places, strict=True)):
                return lines
        return _MOST_LINES

    def _stands(self, title: str, column: int, lines: int) -> bool:
        room_px, metrics = self._room_px(column, lines), self.fontMetrics()
        if lines == 1 and "\n" not in title:
            return metrics.horizontalAdvance(title) <= room_px
        return len(title_lines(title, metrics, room_px)) <= lines

    def _room_px(self, column: int, lines: int) -> int:
        """Return the width in which the style draws a title."""
        option = QStyleOptionHeader()
        option.rect = QRect(0, 0, self.sectionSize(column), self._height_px(lines))
        option.state |= QStyle.StateFlag.State_Horizontal
        if self.isSortIndicatorShown() and self.sortIndicatorSection() == column:
            option.sortIndicator = QStyleOptionHeader.SortIndicator.SortDown
        return (
            self.style().subElementRect(QStyle.SubElement.SE_HeaderLabel, option, self).width() - _BESIDE_PX
        )
