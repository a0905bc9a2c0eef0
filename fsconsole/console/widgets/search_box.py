"""A field to find things by typing."""

from __future__ import annotations

from PySide6.QtCore import QStringListModel, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from fsconsole.console.preferences import Preferences
from fsconsole.console.style.icons import put_icon

_RECENT = 12


class SearchBox(QLineEdit):
    """Line edit with a magnifying glass and a button that clears it; Esc clears, then leaves.

    `textChanged` follows every key. Signals: escaped() after Esc, for those who take the focus back then.
    """

    escaped = Signal()

    def __init__(self, placeholder: str, parent: QWidget | None = None, width: int = 160) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self._preferences: Preferences | None = None
        self._key = ""
        self._of: str | None = None  # whose last text is in force again
        self.setClearButtonEnabled(True)
        for clear in self.findChildren(QAction):
            clear.setText("Clear")  # Qt gives its button no word
        self.setMinimumWidth(width)
        glass = QAction(placeholder, self)
        put_icon(glass, "search", "muted")
        self.addAction(glass, QLineEdit.ActionPosition.LeadingPosition)

    def keep(self, preferences: Preferences, key: str, of: str | None = None) -> None:
        """Offer what was looked for before under `key`; with `of` that is in force again for the same name.

        What is typed counts once the field is left or Return pressed in it.
        """
        self._preferences, self._key, self._of = preferences, key, of
        if self.completer() is None:
            self._recent = QStringListModel(self)
            offered = QCompleter(self._recent, self)
            offered.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
            offered.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            self.setCompleter(offered)
            self.editingFinished.connect(self._note)
            self.textChanged.connect(self._keep_last)
        self._recent.setStringList(preferences.value(f"{key}/recent", []))
        last = preferences.value(f"{key}/last", [])
        if of is not None:
            self.setText(last[1] if len(last) == 2 and last[0] == of else "")

    @Slot()
    def _note(self) -> None:
        text = self.text().strip()
        if text and self._preferences is not None:
            recent = [text, *(one for one in self._recent.stringList() if one != text)][:_RECENT]
            self._recent.setStringList(recent)
            self._preferences.set_value(f"{self._key}/recent", recent)

    @Slot()
    def _keep_last(self) -> None:
        if self._of is not None and self._preferences is not None:
            self._preferences.set_value(f"{self._key}/last", [self._of, self.text()])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Esc empties the field; in an empty field it is left to the window.
        is_escape = event.key() == Qt.Key.Key_Escape
        if is_escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
        if is_escape:
            self.escaped.emit()
