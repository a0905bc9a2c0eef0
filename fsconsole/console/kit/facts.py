"""Captions with their values, row by row: what is known of a job, a node, a wait."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from fsconsole.console.widgets.boxes import Margins
from fsconsole.console.widgets.labels import FactLabel, MutedLabel

Facts = Sequence[tuple[str, str]]
_NO_MARGINS = (0, 0, 0, 0)


class FactList(QWidget):
    """Captions beside values that wrap and can be selected; rows are reused, so that nothing flickers."""

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        margins: Margins = _NO_MARGINS,
        gap: int = 12,
        spacing: int = 3,
        longest: str = "",
        takes_focus: bool = True,
    ) -> None:
        """Lay out an empty list.

        Args:
            parent: parent widget.
            margins: around the list, in pixels.
            gap: between captions and values, in pixels.
            spacing: between rows, in pixels.
            longest: caption that makes the captions of several lists equally wide.
            takes_focus: whether a click on a value moves the focus there.
        """
        super().__init__(parent)
        self._longest, self._takes_focus = longest, takes_focus
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(*margins)
        self._grid.setHorizontalSpacing(gap)
        self._grid.setVerticalSpacing(spacing)
        self._grid.setColumnStretch(1, 1)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Captions and values that are shown."""
        return [(caption.text(), value.text()) for caption, value in self._rows if not caption.isHidden()]

    def show_facts(self, facts: Facts) -> None:
        """Show captions and values; nothing is laid out again where they are as before."""
        while len(self._rows) < len(facts):
            self._rows.append(self._add_row(len(self._rows)))
        self.setVisible(bool(facts))
        for number, row in enumerate(self._rows):
            for label, text in zip(row, facts[number] if number < len(facts) else ("", ""), strict=True):
                label.setVisible(number < len(facts))
                if label.text() != text:
                    label.setText(text)

    def _add_row(self, number: int) -> tuple[QLabel, QLabel]:
        caption, value = MutedLabel("", self), FactLabel(self)
        caption.setMinimumWidth(caption.fontMetrics().horizontalAdvance(self._longest))
        if not self._takes_focus:
            value.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._grid.addWidget(caption, number, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, number, 1)
        return caption, value
