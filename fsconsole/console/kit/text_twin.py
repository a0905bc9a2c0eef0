"""What a painted view shows as a table that can be read: one protocol, and one dialog for all views.

A view fulfils `HasTextTwin`, as a `Chart` or with a menu of its own; its accessible name and description are
the title and the sentence above the table. The action `show_table` of the window opens the dialog.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QMenu,
    QWidget,
)

from fsconsole.console.kit.forms import close_buttons
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.style.roles import Role
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.copying import copy_rows, table_rows
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.figures.spec import Floats
from fsconsole.text.numbers import si

SHOW_TABLE = "show_table"  # Id of the action.
_MOST_STEPS = 60
_SUMMARY: tuple[tuple[str, Callable[[Floats], Any]], ...] = (
    ("smallest", np.min),
    ("largest", np.max),
    ("last", lambda values: values[-1]),
)
_WIDEST, _ROWS_MEASURED = 320, 200
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class TextTwin:
    """A table: its columns, and its rows as the numbers that the columns format."""

    columns: tuple[Column[int], ...] = ()
    rows: tuple[int, ...] = ()


@runtime_checkable
class HasTextTwin(Protocol):
    """A painted view that can be read as a table."""

    def text_twin(self) -> TextTwin:
        """Return the visible part as a table; without rows if nothing is visible."""


class Chart(QWidget):
    """A painted view that can be read as a table, which its menu offers."""

    accessible_role = Role.Chart

    def text_twin(self) -> TextTwin:
        """Return the visible part as a table; without rows if nothing is visible."""
        raise NotImplementedError

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_table_action(menu, self)
        if not menu.isEmpty():
            menu.popup(event.globalPos())


def rows_twin(rows: Sequence[_Row], columns: Sequence[Column[_Row]]) -> TextTwin:
    """Return the text of columns for rows of any kind, in their order of sorting."""

    def numbered(column: Column[_Row]) -> Column[int]:
        order = column.order or column.text
        return Column(
            column.title,
            lambda at: column.text(rows[at]),
            order=lambda at: order(rows[at]),
            is_number=column.is_number,
        )

    return TextTwin(tuple(map(numbered, columns)), tuple(range(len(rows))))


def curves_twin(
    title: str,
    places: Floats,
    say: Callable[[float], str],
    curves: Sequence[tuple[str, Floats]],
    *,
    kinds: Sequence[str] = (),
) -> TextTwin:
    """Return curves by places on their x axis: smallest, largest and last values, then at even steps.

    Args:
        title: of the first column.
        places: x of all values, float64 [places], rising.
        say: gives an x in words.
        curves: title and values of each column, float64 [places], in the unit of the title; NaN for none.
        kinds: names of the places where they are not numbers; all of them are given then.
    """
    steps = np.arange(len(places))
    if len(places) > _MOST_STEPS and not kinds:
        steps = np.unique(np.linspace(0, len(places) - 1, _MOST_STEPS).round().astype(int))
    head = () if kinds or not len(places) else _SUMMARY
    words = [name for name, _ in head]
    words += [kinds[int(places[at])] if kinds else say(float(places[at])) for at in steps]
    columns: list[Column[int]] = [Column(title, words.__getitem__)]
    for name, values in curves:
        known = values[np.isfinite(values)]
        numbers = [float(of(known)) if len(known) else float("nan") for _, of in head]
        numbers += values[steps].tolist()
        columns.append(_number_column(name, numbers))
    return TextTwin(tuple(columns), tuple(range(len(words))))


def _number_column(title: str, numbers: Sequence[float]) -> Column[int]:
    return Column(title, lambda row: si(numbers[row]), order=numbers.__getitem__, is_number=True)


def twins_in_sight(page: QWidget) -> list[QWidget]:
    """Return the views of a page that can be read as tables, nearest to the focus first."""
    found: list[QWidget] = [
        one for one in page.findChildren(QWidget) if isinstance(one, HasTextTwin) and _is_in_sight(one)
    ]
    corner = {id(one): one.mapTo(page, QPoint(0, 0)) for one in found}
    found.sort(key=lambda one: (_distance_of_focus(one), corner[id(one)].y(), corner[id(one)].x()))
    return found


def _is_in_sight(view: QWidget) -> bool:
    """Return True if a part of a view can be seen; the viewport of one that scrolls covers the rest."""
    seen = view.viewport() if isinstance(view, QAbstractScrollArea) else view
    return view.isVisible() and not seen.visibleRegion().isEmpty()


def _distance_of_focus(view: QWidget) -> int:
    """Return 0 where a view has the focus, 1 where something in the same dock has it, else 2."""
    # Assistive technology can use a window that is not the active one.
    focus = QApplication.focusWidget() or cast("QWidget | None", view.window().focusWidget())
    if focus is None:
        return 2
    if view in (focus, focus.parentWidget()):
        return 0
    around = view.parentWidget()
    while around is not None and not isinstance(around, Dock):
        around = around.parentWidget()
    return 1 if around is not None and around.isAncestorOf(focus) else 2


def add_table_action(menu: QMenu, view: QWidget) -> None:
    """Add the window's table action for a view, and give the view the focus, since it acts there."""
    action = view.window().findChild(QAction, SHOW_TABLE)
    if action is not None:
        menu.addAction(action)
        view.setFocus()


class TwinDialog(Dialog):
    """The table of one view; another view in sight can be chosen."""

    def __init__(self, views: Sequence[QWidget], parent: QWidget | None) -> None:
        """Show the first of the views."""
        super().__init__("Show as table", parent)
        self.views = views
        self.box = QComboBox(self)
        self.box.setAccessibleName("View")
        self.box.addItems([view.accessibleName() for view in views])
        self.about = MutedLabel("", self, wraps=True)
        self.model: RowModel[int] = RowModel(())
        self.table: Table[int] = Table(self.model, "", self, sorts=True)
        label = PlainLabel("&View", self, buddy=self.box)
        buttons = close_buttons(self)
        copy = buttons.addButton("Copy table", QDialogButtonBox.ButtonRole.ActionRole)
        copy.setAutoDefault(False)
        copy.clicked.connect(self.copy)
        line = hbox(label, (self.box, 1), spacing=8)
        vbox(line, self.about, (self.table, 1), buttons, on=self, margins=(16, 16, 16, 12), spacing=8)
        self.box.currentIndexChanged.connect(self._show)
        self._show()
        self.table.setFocus()
        self.resize(760, 560)

    @Slot()
    def copy(self) -> None:
        """Put the whole table onto the clipboard, with its titles."""
        copy_rows(table_rows(self.table))

    @Slot()
    def _show(self) -> None:
        view = self.views[self.box.currentIndex()]
        twin = view.text_twin() if isinstance(view, HasTextTwin) else TextTwin()
        self.about.setText(view.accessibleDescription())
        self.table.setAccessibleName(view.accessibleName())
        self.table.horizontalHeader().setSortIndicator(-1, self.table.horizontalHeader().sortIndicatorOrder())
        self.model.set_columns(twin.columns)
        self.model.set_rows(twin.rows)
        header = self.table.horizontalHeader()
        header.setResizeContentsPrecision(_ROWS_MEASURED)
        self.table.resizeColumnsToContents()
        for at in range(header.count()):
            header.resizeSection(at, min(header.sectionSize(at), _WIDEST))
        if twin.rows:
            self.table.setCurrentIndex(self.model.index(0, 0))
