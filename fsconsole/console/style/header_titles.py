"""Titles of columns over as many lines as they need: how they break, and a header that is high enough."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHeaderView, QStyle, QStyleOptionHeader, QWidget

_MOST_LINES = 3
_BESIDE_PX = 4  # Margin of the style beside letters.
_ANY_PX = 1000  # Width of a section that is measured for all.


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
        sorted_by = self.sortIndicatorSection() if self.isSortIndicatorShown() else -1
        metrics = self.fontMetrics()
        for lines in range(1, _MOST_LINES):
            # The style takes as much from a narrow section as from a wide one.
            beside_px, by_arrow_px = (self._beside_px(lines, is_sorted=one) for one in (False, True))
            rooms = (
                self.sectionSize(place) - (by_arrow_px if place == sorted_by else beside_px)
                for place in places
            )
            if all(_stands(title, metrics, room, lines) for title, room in zip(titles, rooms, strict=True)):
                return lines
        return _MOST_LINES

    def _beside_px(self, lines: int, *, is_sorted: bool) -> int:
        """Return the width of a section beside the room in which the style draws its title."""
        option = QStyleOptionHeader()
        option.rect = QRect(0, 0, _ANY_PX, self._height_px(lines))
        option.state |= QStyle.StateFlag.State_Horizontal
        if is_sorted:
            option.sortIndicator = QStyleOptionHeader.SortIndicator.SortDown
        room = self.style().subElementRect(QStyle.SubElement.SE_HeaderLabel, option, self)
        return _ANY_PX - room.width() + _BESIDE_PX


def _stands(title: str, metrics: QFontMetrics, room_px: int, lines: int) -> bool:
    if lines == 1 and "\n" not in title:
        return metrics.horizontalAdvance(title) <= room_px
    return len(title_lines(title, metrics, room_px)) <= lines
