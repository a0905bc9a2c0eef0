"""A field to find things by typing."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QRect, QStringListModel, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QMenu, QToolButton, QWidget

from fsconsole.console.preferences import Preferences
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.plain_words import menu_words
from fsconsole.console.widgets.name_dialog import NameDialog

_BUTTON_PX = 24
_RECENT = 12
_MOST_LETTERS = 40


class SearchBox(QLineEdit):
    """Line edit with a magnifying glass and a button that clears it; Esc clears, then leaves.

    `textChanged` follows every key. A box that keeps texts has them under names in `menu`, which the glass or
    Down opens. Signals: escaped() after Esc, for those who take the focus back then.
    """

    escaped = Signal()

    def __init__(self, placeholder: str, parent: QWidget | None = None, width: int = 160) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self._preferences: Preferences | None = None
        self._key = ""
        self._of: str | None = None  # Filter whose last text is restored.
        self.setClearButtonEnabled(True)
        for clear in self.findChildren(QAction):
            clear.setText("Clear")  # Qt does not give this button a text.
        self.setMinimumWidth(width)
        self._glass = QAction(placeholder, self)
        put_icon(self._glass, "search", "muted")
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for button in self.findChildren(QToolButton):
            area = QRect(0, 0, _BUTTON_PX, self.height())  # Qt's own area is too small for a pointer.
            area.moveCenter(button.geometry().center())
            button.setGeometry(area)

    def keep(self, preferences: Preferences, key: str, of: str | None = None) -> None:
        """Offer what was looked for before under `key`; with `of` that is in force again for the same name.

        What is typed counts once the field is left or Return pressed in it. Texts that were given a name are
        offered until they are deleted.
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
            self.menu = QMenu(self)
            self._glass.setText("Named filters")
            self._glass.setToolTip("Use, name or delete a filter [Down]")
            self._glass.triggered.connect(self.open_menu)
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

    @Slot()
    def open_menu(self) -> None:
        """Offer the texts that have a name, and ways to name this one and to delete one."""
        self.menu.clear()
        named = self._named
        for name, text in named.items():
            use = self.menu.addAction(_item(name, text), partial(self._use, text))
            use.setCheckable(True)
            use.setChecked(text == self.text().strip())
        self.menu.addSeparator()
        self.menu.addAction("&Name this filter…", self._ask_name).setEnabled(bool(self.text().strip()))
        delete = self.menu.addMenu("&Delete")
        delete.setEnabled(bool(named))
        for name, text in named.items():
            delete.addAction(_item(name, text), partial(self._delete, name))
        self.menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    # -- inside -------------------------------------------------------------------------------------------

    @property
    def _named(self) -> dict[str, str]:
        """Texts by the names they were given, as they are now: another box may have named one."""
        found = self._preferences.value(f"{self._key}/named", {}) if self._preferences is not None else {}
        return {name: text for name, text in sorted(found.items()) if isinstance(text, str)}

    def _set_named(self, named: dict[str, str]) -> None:
        if self._preferences is not None:
            self._preferences.set_value(f"{self._key}/named", named)

    def _use(self, text: str) -> None:
        self.setText(text)
        self.setFocus()

    def _delete(self, name: str) -> None:
        self._set_named({other: text for other, text in self._named.items() if other != name})

    def _ask_name(self) -> None:
        text = self.text().strip()
        label = "Name of the filter. A filter with the same name is replaced"
        dialog = NameDialog("Name this filter", label, "Keep filter", text, self)
        dialog.textValueSelected.connect(
            lambda name: self._set_named({**self._named, name.strip() or text: text})
        )
        dialog.open()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Esc empties the field. In an empty field the window handles it.
        is_escape = event.key() == Qt.Key.Key_Escape
        if is_escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down and self._preferences is not None:
            self.open_menu()
        else:
            super().keyPressEvent(event)
        if is_escape:
            self.escaped.emit()


def _item(name: str, text: str) -> str:
    """Return an entry of the menu: a name, and at the right the text unless that is its name."""
    short = text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
    return menu_words(name) if text == name else f"{menu_words(name)}\t{menu_words(short)}"
