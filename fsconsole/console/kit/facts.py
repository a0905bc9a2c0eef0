"""Captions with their values, row by row: what is known of a job, a node, a wait."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

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
        self._form = QFormLayout(self)
        self._form.setContentsMargins(*margins)
        self._form.setHorizontalSpacing(gap)
        self._form.setVerticalSpacing(spacing)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Captions and values that are shown."""
        return [(caption.text(), value.text()) for caption, value in self._rows if not caption.isHidden()]

    def show_facts(self, facts: Facts) -> None:
        """Show captions and values; nothing is laid out again where they are as before."""
        while len(self._rows) < len(facts):
            self._rows.append(self._add_row())
        self.setVisible(bool(facts))
        for number, row in enumerate(self._rows):
            self._form.setRowVisible(number, number < len(facts))
            for label, text in zip(row, facts[number] if number < len(facts) else ("", ""), strict=True):
                if label.text() != text:
                    label.setText(text)

    def _add_row(self) -> tuple[QLabel, QLabel]:
        caption, value = MutedLabel("", self), FactLabel(self)
        caption.setMinimumWidth(caption.fontMetrics().horizontalAdvance(self._longest))
        if not self._takes_focus:
            value.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._form.addRow(caption, value)
        return caption, value
