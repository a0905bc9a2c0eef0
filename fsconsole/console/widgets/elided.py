"""Text whose middle or end is elided without room, and that never widens its parent."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPalette, QResizeEvent, QTextDocumentFragment
from PySide6.QtWidgets import QSizePolicy, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.labels import MutedLabel, RichLabel
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.visible_text import visible_line

Index = QModelIndex | QPersistentModelIndex


class NamesDelegate(QStyledItemDelegate):
    """Names in some columns of a table, which lose their middle; sentences in the others lose their end."""

    def __init__(self, columns: Collection[int], parent: QObject) -> None:
        super().__init__(parent)
        self._columns = frozenset(columns)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() in self._columns:
            option.textElideMode = Qt.TextElideMode.ElideMiddle
        if isinstance(ink := index.data(Qt.ItemDataRole.ForegroundRole), QColor | QBrush):
            palette = QPalette(option.palette)
            palette.setBrush(QPalette.ColorRole.HighlightedText, ink)  # Red text stays red when selected.
            option.palette = palette


class ElidedLabel(MutedLabel):
    """Muted words in a line; the tooltip has them whole."""

    def __init__(
        self,
        parent: QWidget,
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        loses: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
        token: str = "muted",
    ) -> None:
        super().__init__("", parent)
        self._loses, self._token = loses, token
        self.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def _shown(self) -> str:
        return self.fontMetrics().elidedText(visible_line(self.text()), self._loses, self.width())

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(self.text())

    def minimumSizeHint(self) -> QSize:
        """Return at most the set width, since text without room is elided."""
        return QSize(self.minimumWidth(), super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setPen(colour(self._token))
            draw_text(painter, self.rect(), self.alignment(), self._shown())


class RichLine(RichLabel):
    """The first of several rich texts that has room; the last loses its end. The tooltip has the first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._texts: tuple[str, ...] = ("",)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, text: str, *shorter: str) -> None:
        """Show a text, or the first of the shorter ones that has room."""
        self._texts = (text, *shorter)
        self.setToolTip(_words_of(text))
        self._choose()

    def _choose(self) -> None:
        for text in self._texts:
            super().setText(text)
            if super().sizeHint().width() <= self.width() + 1:
                return

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if len(self._texts) > 1:
            self._choose()

    def paintEvent(self, event: QPaintEvent) -> None:
        if super().sizeHint().width() <= self.width() + 1:
            super().paintEvent(event)
            return
        with QPainter(self) as painter:
            words = self.fontMetrics().elidedText(
                _words_of(self.text()), Qt.TextElideMode.ElideRight, self.width()
            )
            draw_text(painter, self.rect(), Qt.AlignmentFlag.AlignVCenter, words)


class FittingLabel(ElidedLabel):
    """The first of several texts that has room, or nothing; the tooltip has the first one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._texts: tuple[str, ...] = ()

    def say(self, *texts: str) -> None:
        """Show the longest that has room; they are given from the longest on."""
        if texts != self._texts:
            self._texts = texts
            self.setText(texts[0] if texts else "")

    def _shown(self) -> str:
        metrics = self.fontMetrics()
        return next((one for one in self._texts if metrics.horizontalAdvance(one) <= self.width()), "")


def _words_of(rich: str) -> str:
    """Return the words of a rich text without its tags."""
    return QTextDocumentFragment.fromHtml(rich).toPlainText()
