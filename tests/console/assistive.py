"""What assistive technology cannot make sense of in a window: parts without name, role, label or value."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleTextInterface
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QWidget,
)

_Role, _Text, _Data = QAccessible.Role, QAccessible.Text, Qt.ItemDataRole
_BUTTONS = {_Role.Button, _Role.CheckBox, _Role.RadioButton, _Role.ButtonMenu, _Role.ButtonDropDown}
_FIELDS = QLineEdit | QAbstractSpinBox | QComboBox | QTextEdit | QPlainTextEdit
_INTERACTIVE = QAbstractButton | QAbstractItemView | QTabBar | _FIELDS
_MOST_ROWS = 30
_LEAST_TARGET_PX = 24


def unspoken(whole: QWidget) -> list[str]:
    """What is wrong with the parts of a window or a dock that are in sight; nothing where all is well."""
    found = []
    for one in _parts(whole):
        name = f"{type(one).__name__} in {_path(one)}"
        found += [f"{name}: {fault}" for fault in _faults(one)]
    return list(dict.fromkeys(found))


def accessible(widget: QWidget) -> QAccessibleInterface:
    """What assistive technology is given of a widget."""
    found: QAccessibleInterface | None = QAccessible.queryAccessibleInterface(widget)
    assert found is not None, widget
    return found


def name_of(widget: QWidget) -> str:
    """The name of a widget."""
    return accessible(widget).text(_Text.Name)


def description_of(widget: QWidget) -> str:
    """The sentence about a widget."""
    return accessible(widget).text(_Text.Description)


def _parts(whole: QWidget) -> Iterator[QWidget]:
    """Those in sight that the keyboard reaches or that do something; not what Qt's own parts consist of."""
    for one in whole.findChildren(QWidget):
        if (
            not one.isVisible()
            or one.window() is not whole.window()
            or isinstance(one, QHeaderView | QScrollBar)
        ):
            continue
        above = one.parentWidget()
        if isinstance(above, QAbstractSpinBox | QComboBox | QTabBar | QHeaderView):
            continue
        if isinstance(above, QAbstractScrollArea) and above.viewport() is one:
            continue
        if is_reached(one) or isinstance(one, _INTERACTIVE | QLabel) or hasattr(one, "text_twin"):
            yield one


def is_reached(one: QWidget) -> bool:
    """Return True if Tab stops at a part."""
    return bool(one.focusPolicy().value & Qt.FocusPolicy.TabFocus.value)


def _silent_words(label: QLabel, name: str) -> Iterator[str]:
    """A label whose words are hidden by a name that does not hold them; what is cut has its whole there."""
    words = label.text().replace("&", "")
    is_plain = "<" not in words and "…" not in words
    if words.strip() and is_plain and words not in name and label.accessibleName():
        yield f"shows {words!r} and is read as {name!r}"


def _faults(one: QWidget) -> Iterator[str]:
    spoken = accessible(one)
    role, name = spoken.role(), spoken.text(_Text.Name)
    if isinstance(one, QLabel) and not is_reached(one):
        yield from _silent_words(one, name)
        return
    if not name and not isinstance(one, QTabBar):
        yield "has no name"
    if role is _Role.NoRole or (role is _Role.Client and not isinstance(one, QAbstractScrollArea)):
        yield f"has the role {role.name}"
    if isinstance(one, QAbstractButton) and role not in _BUTTONS:
        yield f"is a button with the role {role.name}"
    if isinstance(one, _FIELDS) and not _is_labelled(one):
        yield "has no label"
    if isinstance(one, QAbstractItemView):
        yield from _silent_cells(one)
    if hasattr(one, "text_twin") and not spoken.text(_Text.Description):
        yield f"{name} does not say what it shows"
    shown = _shown_value(one)
    if shown and shown not in (spoken.text(_Text.Value), _whole_text(spoken)):
        yield f"shows {shown!r}, which cannot be read"


def _is_labelled(field: QWidget) -> bool:
    """Return True if a label belongs to a field; the name of a combo box is what is chosen in it."""
    spoken = accessible(field)
    labels = spoken.relations(QAccessible.RelationFlag.Label)
    own = spoken.text(_Text.Description if isinstance(field, QComboBox) else _Text.Name)
    return bool(labels) or bool(own)


def _shown_value(one: QWidget) -> str:
    if isinstance(one, QComboBox):
        return one.currentText()
    return one.text() if isinstance(one, QLineEdit | QAbstractSpinBox) else ""


def _whole_text(spoken: QAccessibleInterface) -> str:
    text: QAccessibleTextInterface | None = spoken.textInterface()  # whatever its stub says
    return "" if text is None else text.text(0, text.characterCount())


def _silent_cells(view: QAbstractItemView) -> Iterator[str]:
    """Cells that show an icon and no word for it."""
    model: QAbstractItemModel | None = view.model()  # whatever its stub says
    if model is None:
        return
    top = QModelIndex()
    columns = [view.modelColumn()] if isinstance(view, QListView) else range(model.columnCount(top))
    for row in range(min(model.rowCount(top), _MOST_ROWS)):
        for column in columns:
            cell = model.index(row, column, top)
            words = (cell.data(_Data.DisplayRole), cell.data(_Data.AccessibleTextRole))
            if cell.data(_Data.DecorationRole) is not None and not any(words):
                yield f"{view.accessibleName()} has an icon without a word in column {column}"


def _path(one: QWidget) -> str:
    """Where a part stands: the nearest parts around it that have a name, and what they are."""
    words: list[str] = []
    above = one.parentWidget()
    while above is not None and len(words) < 3:
        words.append(above.accessibleName() or above.windowTitle() or type(above).__name__)
        above = above.parentWidget()
    return " < ".join(words)


def hard_to_hit(root: QWidget) -> list[str]:
    """Buttons and boxes in sight that are smaller than a pointer needs (WCAG 2.2, 2.5.8), in words."""
    shown = [
        one for kind in (QAbstractButton, QComboBox) for one in root.findChildren(kind) if one.isVisible()
    ]
    return [
        f"{one.width()} x {one.height()} px is too small: {type(one).__name__} in {_path(one)}"
        for one in shown
        if min(one.width(), one.height()) < _LEAST_TARGET_PX
    ]
