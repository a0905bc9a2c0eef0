"""Roles of painted widgets for assistive technology; Qt calls them all clients, which is not informative."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAccessibleWidget, QComboBox, QTabBar, QWidget

Role = QAccessible.Role


@cache
def install_roles() -> None:
    """Give each widget the role that its class declares as `accessible_role`."""
    QAccessible.installFactory(_interface_of)


def _interface_of(_class_name: str, widget: QObject) -> QAccessibleWidget | None:
    role = getattr(widget, "accessible_role", None)
    return QAccessibleWidget(widget, role) if isinstance(widget, QWidget) and role is not None else None


def describe_choice(widget: QComboBox | QTabBar) -> None:
    """Give the name of a choice as its description too.

    On Linux Qt names a combo box or a tab bar by what is chosen, whatever its accessible name is.
    """
    if widget.accessibleName() and not widget.accessibleDescription():
        parts = dict.fromkeys((widget.accessibleName(), widget.toolTip()))
        widget.setAccessibleDescription(". ".join(filter(None, parts)))
