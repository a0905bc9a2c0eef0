"""Forms: fields declared with their name, limits and tooltip, and their frozen dataclass.

Every field has `read()`, `fill(value)`, `is_right` and the signal `changed`. `Fields` reads them into a
dataclass and fills them from one. A `TypedField` shows faults of its text below itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from fsconsole.console.kit.consent import TypedEntry
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.fonts import TextSize, tabular_font
from fsconsole.console.style.sizes import keep_width
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, Gap, Margins, hbox, vbox
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.first_field import focus_on
from fsconsole.console.widgets.growth import grow_to_fit
from fsconsole.console.widgets.labels import InkLabel, MutedLabel, PlainLabel, SectionLabel
from fsconsole.console.widgets.number_box import NumberBox
from fsconsole.console.widgets.reading_order import tab_in_reading_order
from fsconsole.console.widgets.scrolling import scrolling

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_NO_LIMIT_PX = 10_000
_FORM_SPACING_PX = 8
_LONGEST_REASON = 300
# The focus goes to another window or to a menu: what is half typed is not entered by that.
OTHER_WINDOWS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
T = TypeVar("T")
V = TypeVar("V", bound="DataclassInstance")


class Field(Protocol):
    """A control for one value."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted when another value was entered, right or wrong."""

    @property
    def is_right(self) -> bool:
        """Whether what was entered means a value."""

    def read(self) -> Any:
        """Return the value; ValueError where the entry is wrong."""

    def fill(self, value: Any) -> None:
        """Show a value in the field."""


class Fields(QObject):
    """Fields by the attributes of a frozen dataclass. Signals: changed() when one of them was edited."""

    changed = Signal()

    def __init__(self, parent: QObject, **fields: Field) -> None:
        super().__init__(parent)
        self._fields = fields
        for field in fields.values():
            field.changed.connect(self.changed)

    def fill(self, value: DataclassInstance) -> None:
        """Show the attributes of a dataclass, without a signal."""
        with QSignalBlocker(self):
            for name, field in self._fields.items():
                field.fill(getattr(value, name))

    def read(self, value: V) -> V:
        """Return the dataclass with what was entered; it keeps its value where an entry is wrong."""
        return replace(
            value, **{name: field.read() for name, field in self._fields.items() if field.is_right}
        )


def name_fault(name: str, words: str) -> str:
    """Return a fault as `<name>: <what is wrong>.`; empty for empty words."""
    words = words.strip().removesuffix(".")
    return words and f"{name}: {words}."


class FaultLabel(InkLabel):
    """One line of what is wrong, in the colour of danger; away while nothing is."""

    def __init__(self, parent: QWidget | None = None, size: TextSize = "caption") -> None:
        super().__init__(parent, "danger")
        self.setFont(tabular_font(size))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.hide()

    def say(self, words: str, token: str = "danger") -> None:
        super().say(words, token)


class TextField(QLineEdit):
    """A line of any text. Signals: changed()."""

    changed = Signal()
    is_right = True

    def __init__(
        self, name: str, text: str = "", placeholder: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.textChanged.connect(self.changed)

    def read(self) -> str:
        """Return the text typed."""
        return self.text()

    def fill(self, value: str) -> None:
        """Show a text in the field."""
        self.setText(value)


class ReasonField(TextField):
    """Why something is done, for the audit log. Signals: changed()."""

    def __init__(self, parent: QWidget, name: str = "Reason, for the audit log") -> None:
        super().__init__(name, parent=parent)
        self.setMaxLength(_LONGEST_REASON)


def is_being_typed(field: QWidget) -> bool:
    """Return True if a user has typed into a field, or a part of it, what is not entered yet.

    It belongs to its writer: polls, commands and other users do not replace, clear or enter it.
    """
    if isinstance(field, QLineEdit):
        return field.isModified()
    line = field.findChild(QLineEdit)
    return line is not None and line.hasFocus() and line.isModified()


class EntryField(QLineEdit):
    """A line that shows a value and takes another one on Enter, or when it is left; Esc takes it back.

    Signals: entered() when another text is to be taken; where it is wrong, call `refuse`.
    """

    entered = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value = ""
        self.setAccessibleName(name)
        self.returnPressed.connect(self._on_finished)

    def show_value(self, text: str) -> None:
        """Show the value of something else; what was typed is gone."""
        self._value = text
        self.setText(text)
        self.setModified(False)
        set_look(self, "")

    def follow(self, text: str) -> None:
        """Show what the value has become elsewhere, unless another one is being typed."""
        self._value = text
        if not is_being_typed(self):
            self.show_value(text)

    def refuse(self) -> None:
        """Mark the text as wrong; it stays to be corrected."""
        self.setModified(True)
        set_look(self, "error")

    def enter(self) -> bool:
        """Enter what is typed; return False where it is refused."""
        self._on_finished()
        return not self.isModified()

    @Slot()
    def _on_finished(self) -> None:
        if not self.isModified():
            return
        if self.text() == self._value:
            self.show_value(self._value)
            return
        self.setModified(False)
        self.entered.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.show_value(self._value)
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in OTHER_WINDOWS:
            self._on_finished()


def typed_into(fields: Iterable[EntryField], of: str) -> list[TypedEntry]:
    """Return the entries that are half typed into fields of a node."""
    typed = filter(is_being_typed, fields)
    return [TypedEntry(f"{one.accessibleName()} of {of}", one.text(), one.enter) for one in typed]


class TypedField(QLineEdit, Generic[T]):
    """A line whose text means a value. Signals: changed() when another text was typed, right or wrong."""

    changed = Signal()

    def __init__(
        self,
        name: str,
        parse: Callable[[str], T],
        width: int = 72,
        *,
        write: Callable[[T], str] = str,
        tip: str = "",
        placeholder: str = "",
    ) -> None:
        """`parse` raises ValueError that says what would be right and does not name the field; `write` is
        its inverse.
        """
        super().__init__()
        self._parse, self._write = parse, write
        self.fault = FaultLabel()
        self.setAccessibleName(name)
        keep_width(self, width)
        self.setToolTip(tip)
        self.setPlaceholderText(placeholder)
        self.textEdited.connect(self._on_typed)

    @property
    def is_right(self) -> bool:
        """Whether the text means a value."""
        return not self.fault.text()

    def read(self) -> T:
        """Return the value of the text; ValueError if it is wrong."""
        return self._parse(self.text())

    def fill(self, value: T) -> None:
        """Show a value as text."""
        self.show_text(self._write(value))

    def show_text(self, text: str) -> None:
        """Show a correct text without a signal."""
        self.setText(text)
        self._check()

    @Slot()
    def _on_typed(self) -> None:
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        try:
            self._parse(self.text())
        except ValueError as error:
            self.fault.say(name_fault(self.accessibleName(), str(error)))
        else:
            self.fault.say("")
        set_look(self, "" if self.is_right else "error")


class NumberField(NumberBox):
    """A number within limits. Signals: changed()."""

    changed = Signal()
    is_right = True

    def __init__(
        self,
        name: str,
        low: float,
        high: float,
        *,
        decimals: int = 2,
        step: float = 1.0,
        unit: str = "",
        tip: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setDecimals(decimals)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.setSuffix(f" {unit}" if unit else "")
        self.setToolTip(tip)
        self.valueChanged.connect(self.changed)

    def read(self) -> float:
        """Return the number typed."""
        return self.value()

    def fill(self, value: float) -> None:
        """Show a number in the field."""
        self.setValue(value)


class CountField(QSpinBox):
    """A whole number within limits. Signals: changed()."""

    changed = Signal()
    is_right = True

    def __init__(
        self, name: str, low: int, high: int, value: int, parent: QWidget | None = None, *, unit: str = ""
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setRange(low, high)
        self.setSuffix(f" {unit}" if unit else "")
        self.setValue(value)
        self.valueChanged.connect(self.changed)

    def read(self) -> int:
        """Return the count typed."""
        return self.value()

    def fill(self, value: int) -> None:
        """Show a count in the field."""
        self.setValue(value)


class ChoiceField(QComboBox):
    """One of several values. Signals: changed()."""

    changed = Signal()
    is_right = True

    def __init__(self, name: str, options: Iterable[tuple[Any, str]], parent: QWidget | None = None) -> None:
        """`options` are pairs of value and words."""
        super().__init__(parent)
        self.setAccessibleName(name)
        for value, words in options:
            self.addItem(words, value)
        self.currentIndexChanged.connect(self.changed)

    def read(self) -> Any:
        """Return the value chosen."""
        return self.currentData()

    def fill(self, value: Any) -> None:
        """Choose a value; the first for one that is not offered."""
        self.setCurrentIndex(max(0, self.findData(value)))


class SegmentedField(SegmentedButtons):
    """One of a few values, all in sight. Signals: changed()."""

    changed = Signal()
    is_right = True

    def __init__(self, options: Iterable[tuple[Any, str]], name: str, parent: QWidget | None = None) -> None:
        super().__init__(options, name, parent)
        self.chosen.connect(self.changed)

    def read(self) -> Any:
        """Return the value chosen."""
        return self.value

    def fill(self, value: Any) -> None:
        """Press the segment of a value."""
        self.choose(value)


class SwitchField(QCheckBox):
    """On or off. Signals: changed()."""

    changed = Signal()
    is_right = True

    def __init__(self, words: str, parent: QWidget | None = None, *, tip: str = "") -> None:
        super().__init__(words, parent)
        self.setToolTip(tip)
        self.toggled.connect(self.changed)

    def read(self) -> bool:
        """Return True if the switch is on."""
        return self.isChecked()

    def fill(self, value: bool) -> None:
        """Set it on or off."""
        self.setChecked(value)


class DialogButtons(QDialogButtonBox):
    """A verb, which Enter presses, and Cancel; they accept and reject the dialog."""

    def __init__(self, verb: str, dialog: QDialog) -> None:
        super().__init__(dialog)
        self.verb = self.addButton(verb, self.ButtonRole.AcceptRole)
        self.verb.setDefault(True)
        self.addButton("Cancel", self.ButtonRole.RejectRole).setAutoDefault(False)
        self.accepted.connect(dialog.accept)
        self.rejected.connect(dialog.reject)


def close_buttons(dialog: QDialog) -> QDialogButtonBox:
    """Make the buttons of a dialog that only shows something: Close, which Enter presses too."""
    made = QDialogButtonBox(dialog)
    made.addButton("Close", QDialogButtonBox.ButtonRole.RejectRole).setDefault(True)
    made.rejected.connect(dialog.reject)
    return made


def form_of(*rows: tuple[str, QWidget | QLayout]) -> QFormLayout:
    """Lay out rows of words and fields; a mnemonic leads to the first field of a row that has several."""
    form = QFormLayout()
    form.setSpacing(_FORM_SPACING_PX)
    for words, field in rows:
        if isinstance(field, QWidget):
            form.addRow(words, field)
            continue
        label = PlainLabel(words)
        item = field.itemAt(0)
        first = item.widget() if item is not None else None
        if "&" in words and first is not None:
            label.setBuddy(first)
        form.addRow(label, field)
    return form


def align_fields(*forms: QFormLayout) -> None:
    """Have the fields of several forms, one below the other, begin at the same place."""
    labels = [
        item.widget()
        for form in forms
        for row in range(form.rowCount())
        if (item := form.itemAt(row, QFormLayout.ItemRole.LabelRole)) is not None
    ]
    widest = max((label.sizeHint().width() for label in labels if label is not None), default=0)
    for label in labels:
        if label is not None:
            label.setMinimumWidth(widest)


def sections(*parts: tuple[str, QLayout]) -> QVBoxLayout:
    """Lay out parts of a form one below the other, each under its title; what room is left is below all."""
    gap = Gap(_FORM_SPACING_PX)
    rows = [row for title, part in parts for row in (gap, SectionLabel(title), part)]
    return vbox(*rows[1:], STRETCH, spacing=_FORM_SPACING_PX)


def form_page(*parts: QWidget) -> QWidget:
    """Lay out parts of a form one below the other in an area that scrolls; labels wrap."""
    sheet = QWidget()
    for part in parts:
        if isinstance(part, QLabel):
            part.setWordWrap(True)
    vbox(*parts, STRETCH, on=sheet, margins=(12, 6, 12, 8), spacing=5)
    return scrolling(sheet)


class FormDialog(Dialog):
    """Fields, one line for what is wrong, and two buttons."""

    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(title, parent)
        self._wrong = InkLabel(self, "danger")
        self._wrong.hide()
        self._wrong_field: QWidget | None = None

    @property
    def problem(self) -> str:
        """The line below the fields; empty where nothing is wrong."""
        return self._wrong.text()

    def lay_out(
        self,
        verb: str,
        *rows: tuple[str, QWidget | QLayout],
        below: Sequence[QWidget] = (),
        margins: Margins | None = None,
    ) -> None:
        """Lay rows of words and fields over the buttons; Tab goes down them, the first has the focus.

        A mnemonic leads to the first field of a row that has several; `below` is under the rows.
        """
        self.form = form_of(*rows)
        self.buttons = DialogButtons(verb, self)
        vbox(self.form, *below, self._wrong, self.buttons, on=self, margins=margins, spacing=INHERIT)
        first_field = rows[0][1]
        if isinstance(first_field, QWidget):
            focus_on(first_field)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        tab_in_reading_order(self)

    def show_problem(self, sentence: str) -> None:
        """Show what is wrong with the entries together."""
        self._wrong.say(sentence, "danger")
        grow_to_fit(self)
        self.bring_into_sight(self._wrong)

    def refuses_any(self, *fields: TypedField[Any]) -> bool:
        """Return True if one of the fields is wrong, and show and focus the first one."""
        for field in fields:
            try:
                field.read()
            except ValueError as error:
                self.refuse(field, str(error))
                return True
        return False

    def refuse(self, field: QWidget, sentence: str) -> None:
        """Show what is wrong with a field, without its name, and focus it."""
        self._wrong_field = field
        set_look(field, "error")
        self.show_problem(name_fault(field.accessibleName(), sentence))
        focus_on(field)

    @Slot()
    def clear_problem(self) -> None:
        """Clear what was wrong once it is edited."""
        if self._wrong_field is not None:
            set_look(self._wrong_field, "")
            self._wrong_field = None
        self._wrong.say("")


class FieldLine(QWidget):
    """Fields side by side, each between its label and its unit, with faults below."""

    def __init__(self, *parts: tuple[str, QWidget, str | QWidget]) -> None:
        """`parts` are label, field and unit, of which label and unit may be empty."""
        super().__init__()
        line = hbox(spacing=6)
        layout = vbox(line, on=self, spacing=2)
        has_wide = False
        for number, (label, field, unit) in enumerate(parts):
            if number and not has_wide:
                line.addStretch(1)
            if label:
                line.addWidget(PlainLabel(label, self, font=tabular_font(), buddy=field))
            is_wide = bool(field.sizePolicy().expandingDirections()) and field.maximumWidth() >= _NO_LIMIT_PX
            has_wide = has_wide or is_wide
            line.addWidget(field, int(is_wide))
            if unit:
                line.addWidget(MutedLabel(unit, self) if isinstance(unit, str) else unit)
            if (fault := getattr(field, "fault", None)) is not None:
                layout.addWidget(fault)
        if len(parts) == 1 and not has_wide:
            line.addStretch(1)
