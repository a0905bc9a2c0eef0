"""Fields for the names of users and accounts, found by typing any part of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QStringListModel, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QListWidget, QSizePolicy, QWidget

from fsconsole.app.forecast.question import MOST_RIVALS
from fsconsole.console.kit.forms import FaultLabel
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.sizes import row_px
from fsconsole.console.widgets.boxes import vbox

_SHOWN = 12
_ROWS = 3


class NameField(QLineEdit):
    """A field for one of the given names; a list of matches opens below, Down opens all.

    Signals: changed() with another name, or none.
    """

    changed = Signal()

    def __init__(self, name: str, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fault = FaultLabel()
        self._find: Callable[[str], int] | None = None
        self._row: int | None = None
        self._offered: tuple[str, ...] = ()
        self._names = QStringListModel(self)
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setClearButtonEnabled(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._set_up_completer()
        self.textChanged.connect(self._on_typed)
        self.editingFinished.connect(self._on_left)

    @property
    def row(self) -> int | None:
        """The row of the name; None where there is none."""
        return self._row

    @property
    def is_right(self) -> bool:
        """Whether it is a name, or nothing at all."""
        return self._row is not None or not self.text().strip()

    def offer(self, names: Sequence[str], find: Callable[[str], int]) -> None:
        """Names to choose from; `find` gives the row of one, or raises ValueError with a sentence."""
        self._find = find
        offered = tuple(names)
        # Replacing tens of thousands of names takes time and would close an open list.
        if offered != self._offered:
            self._offered = offered
            self._names.setStringList(offered)
        self._look(is_left=not self.hasFocus())

    @Slot()
    def _on_typed(self) -> None:
        before = self._row
        self._look(is_left=False)
        if self._row != before:
            self.changed.emit()

    @Slot()
    def _on_left(self) -> None:
        self._look(is_left=True)

    def _look(self, *, is_left: bool) -> None:
        """Find the row; a part of a name is wrong only once the field is left, or where no name holds it."""
        text, self._row, fault = self.text().strip(), None, ""
        if self._find is not None and text:
            try:
                self._row = self._find(text)
            except ValueError as error:
                fault = str(error)
        if fault and not is_left and self._is_part(text):
            fault = ""
        self.fault.say(fault)
        set_look(self, "error" if fault else "")

    def _is_part(self, text: str) -> bool:
        """Return True if a name contains the text."""
        completer = self.completer()
        completer.setCompletionPrefix(text)
        return completer.setCurrentRow(0)

    def _set_up_completer(self) -> None:
        completer = QCompleter(self._names, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setMaxVisibleItems(_SHOWN)
        popup = completer.popup()
        if isinstance(popup, QListView):
            popup.setAccessibleName(f"{self.accessibleName()}: names")
            popup.setUniformItemSizes(True)  # Otherwise Qt measures tens of thousands of names.
        self.setCompleter(completer)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        completer = self.completer()
        popup = completer.popup()
        if event.key() == Qt.Key.Key_Down and not (popup is not None and popup.isVisible()):
            completer.setCompletionPrefix("" if self._row is not None else self.text())
            completer.complete()
            return
        super().keyPressEvent(event)


class RivalsBox(QWidget):
    """Users to compare with: a field that adds, a list from which Del removes.

    Signals: changed() with others in the list.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = NameField("Compare with", "Add a user or account to compare with", self)
        self.list = _Names(self)
        self._find: Callable[[str], int] | None = None
        vbox(self.field, self.field.fault, self.list, on=self, spacing=2)
        self.field.returnPressed.connect(self._add)
        self.field.completer().activated.connect(self._add, Qt.ConnectionType.QueuedConnection)
        self.list.removed.connect(self._on_removed)
        self._fit()

    @property
    def names(self) -> list[str]:
        """As they are in the list."""
        return [self.list.item(place).text() for place in range(self.list.count())]

    def rows(self) -> tuple[int, ...]:
        """Return rows of the entered names that the cluster has."""
        found = (self._row_of(name) for name in self.names)
        return tuple(dict.fromkeys(row for row in found if row is not None))

    def show_names(self, names: Sequence[str]) -> None:
        """Fill the list, without a signal."""
        self.list.clear()
        self.list.addItems(list(names)[:MOST_RIVALS])
        self._fit()

    def offer(self, names: Sequence[str], find: Callable[[str], int]) -> None:
        """Names to choose from, as of a field."""
        self._find = find
        self.field.offer(names, find)
        missing = [name for name in self.names if self._row_of(name) is None]
        if missing:
            self.field.fault.say(f"Not in this cluster: {', '.join(missing)}")

    def _row_of(self, name: str) -> int | None:
        try:
            return self._find(name) if self._find is not None else None
        except ValueError:
            return None

    @Slot()
    def _add(self) -> None:
        """Add the name in the field to the list."""
        text = self.field.text().strip()
        if self.field.row is None or not text:
            return
        if len(self.names) >= MOST_RIVALS:
            self.field.fault.say(f"A forecast can compare at most {MOST_RIVALS}. Remove one with Del")
            return
        self.field.clear()
        if text not in self.names:
            self.list.addItem(text)
            self._fit()
            self.changed.emit()

    @Slot()
    def _on_removed(self) -> None:
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        rows = min(self.list.count(), _ROWS)
        self.list.setVisible(rows > 0)
        self.list.setFixedHeight(rows * row_px() + 2)


class _Names(QListWidget):
    """Names that Del takes out. Signals: removed()."""

    removed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Compared with")
        self.setToolTip("Press Del to remove the selected one")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.currentRow() >= 0:
            self.takeItem(self.currentRow())
            self.removed.emit()
            return
        super().keyPressEvent(event)
