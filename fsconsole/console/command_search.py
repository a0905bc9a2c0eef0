"""Command search: every action of the table by typing a part of its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.look import paint
from fsconsole.console.look.theme import colour
from fsconsole.console.widgets.search_box import SearchBox

WIDTH = 520
ROWS = 12
_ICON = 16

_KEYS_ROLE = Qt.ItemDataRole.UserRole
_ID_ROLE = Qt.ItemDataRole.UserRole + 1
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -ROWS, Qt.Key.Key_PageDown: ROWS}


@dataclass(frozen=True, slots=True)
class Found:
    """An action that matches, and how well: the smaller the score the better."""

    action: Action
    score: int


def score(typed: str, name: str) -> int | None:
    """How badly `name` matches the letters typed, in order; None when it does not.

    Letters at the beginning of words and letters in a run cost least, so that `lo` finds
    "Leave out" and `undo` finds "Undo" before "Undo to here".
    """
    cost, at, name = 0, -1, name.casefold()
    for letter in typed.casefold().replace(" ", ""):
        place = _next_place(letter, name, at)
        if place < 0:
            return None
        begins_word = place == 0 or not name[place - 1].isalnum()
        cost += 0 if place == at + 1 else 1 if begins_word else 3 + place - at
        at = place
    return 4 * cost + len(name)


def find(typed: str, actions: list[Action]) -> list[Found]:
    """Actions that match what is typed, best first; all, in the order of the table, for nothing."""
    if not typed.strip():
        return [Found(action, 0) for action in actions]
    found = [Found(action, best) for action in actions if (best := _best(typed, action)) is not None]
    return sorted(found, key=lambda one: one.score)


def _best(typed: str, action: Action) -> int | None:
    """The name counts in full; menu and further words only where the name does not match."""
    by_name = score(typed, action.name)
    if by_name is not None:
        return by_name
    wider = score(typed, f"{action.menu} {action.name} {action.words}")
    return None if wider is None else wider + 1000


def _next_place(letter: str, name: str, after: int) -> int:
    """Place of a letter behind `after`: the next one if it continues a run, else at a word's beginning."""
    near = name.find(letter, after + 1)
    if near in (-1, after + 1) or not letter.isalnum():
        return near
    place = near
    while place >= 0:
        if place == 0 or not name[place - 1].isalnum():
            return place
        place = name.find(letter, place + 1)
    return near


class FoundModel(QAbstractListModel):
    """The actions found, as rows."""

    def __init__(self, table: ActionTable, parent: QObject) -> None:
        super().__init__(parent)
        self._table = table
        self._rows: list[Action] = []
        self.runnable_count = 0

    def show_matches(self, typed: str) -> None:
        """Fill the rows with what matches; what can be done now stands before what cannot."""
        named = [action for action in self._table if action.name and self._table.is_present(action)]
        found = [one.action for one in find(typed, named)]
        now = [action for action in found if self._can_run(action)]
        self.beginResetModel()
        self._rows = now + [action for action in found if not self._can_run(action)]
        self.runnable_count = len(now)
        self.endResetModel()

    def _can_run(self, action: Action) -> bool:
        return self._table.qaction(action.id).isEnabled()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        """Number of actions found."""
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Name, keys, icon and tip of an action."""
        action = self._rows[index.row()]
        qaction = self._table.qaction(action.id)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return action.full_name
            case Qt.ItemDataRole.DecorationRole:
                return qaction.icon()
            case Qt.ItemDataRole.ToolTipRole:
                return qaction.toolTip()
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{action.full_name} {qaction.shortcut().toString()}".strip()
            case int() if role == _KEYS_ROLE:
                return qaction.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            case int() if role == _ID_ROLE:
                return action.id
        return None

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """Rows of what cannot be done now are shown but not chosen."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        both = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return both if self._can_run(self._rows[index.row()]) else Qt.ItemFlag.ItemIsSelectable


class _Rows(QStyledItemDelegate):
    """Name at the left, keys muted at the right."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Names begin at one place, with and without an icon."""
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = QSize(_ICON, _ICON)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row, then its keys."""
        super().paint(painter, option, index)
        keys = index.data(_KEYS_ROLE)
        if keys:
            painter.setPen(colour("muted"))
            place = option.rect.adjusted(0, 0, -8, 0)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys)


class CommandSearch(QFrame):
    """Popup over the window: type, choose with the arrows, Enter does it, Esc or a click elsewhere leaves."""

    def __init__(self, table: ActionTable, window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self._window = window
        self._table = table
        self.box = SearchBox("Find a command", self)
        self.model = FoundModel(table, self)
        self.view = QListView(self)
        self.view.setModel(self.model)
        self.view.setItemDelegate(_Rows(self.view))
        self.view.setUniformItemSizes(True)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setAccessibleName("Commands found")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self.box)
        layout.addWidget(self.view)
        self.box.installEventFilter(self)
        self.box.textChanged.connect(self._search)
        self.view.clicked.connect(self._run_row)

    def open(self) -> None:
        """Show the popup empty, in the upper middle of the window."""
        self._table.refresh()
        self.box.clear()
        self._search("")
        self.resize(min(WIDTH, self._window.width() - 40), self._height())
        corner = self._window.mapToGlobal(QPoint((self._window.width() - self.width()) // 2, 48))
        self.move(corner)
        self.show()
        self.box.setFocus(Qt.FocusReason.PopupFocusReason)

    def _search(self, typed: str) -> None:
        self.model.show_matches(typed)
        self._go_to(0)

    def _go_to(self, row: int) -> None:
        count = self.model.runnable_count
        if count:
            self.view.setCurrentIndex(self.model.index(min(max(row, 0), count - 1)))

    def _run_row(self, index: QModelIndex) -> None:
        """Close first, and let the list's own event end: the action finds the focus where it was."""
        if Qt.ItemFlag.ItemIsEnabled not in index.flags():
            return
        action_id = index.data(_ID_ROLE)
        self.close()
        QTimer.singleShot(0, self._table, lambda: self._table.trigger(action_id))

    def _height(self) -> int:
        row = max(self.view.sizeHintForRow(0), 24)
        return self.box.sizeHint().height() + ROWS * row + 24

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the list act while the field has the focus."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._take(event):
            return True
        return super().eventFilter(watched, event)

    def _take(self, event: QKeyEvent) -> bool:
        key = event.key()
        step = _STEPS.get(Qt.Key(key))
        if step is not None:
            self._go_to(self.view.currentIndex().row() + step)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run_row(self.view.currentIndex())
        elif key == Qt.Key.Key_Escape:
            self.close()
        else:
            return False
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Surface with a border."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("surface"))
        paint.frame(painter, self.rect(), "line2")
        painter.end()
