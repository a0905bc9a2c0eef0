"""The focus in a field of a dialog, ready to be written over."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QWidget


def focus_on(field: QWidget) -> None:
    """Give the focus to a field with all its text selected, so that typing replaces it."""
    field.setFocus()
    edit = field.lineEdit() if isinstance(field, QComboBox) else field
    if isinstance(edit, QLineEdit | QAbstractSpinBox):
        edit.selectAll()
