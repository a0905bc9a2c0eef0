"""Command search: every action of the table, and what else there is, by typing a part of its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
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
    QWidget,
)

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.style import icons, paint
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import INHERIT, vbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.nearest import nearest

WIDTH = 520
ROWS = 12
_BESIDE_NAME = 1000  # Lowest score of a match outside name and menu.
_MISTYPED = 8  # Penalty of a match of the nearest known word.
_CORRECTED = 4  # Letters from which a word is checked for typing errors.

_KEYS_ROLE = Qt.ItemDataRole.UserRole
_WORD = re.compile(r"\w+")
_FILLERS = re.compile(r"\b(?:an?|the|do|does|is|my)\s+(?=\S)", re.IGNORECASE)  # Words of questions.
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -ROWS, Qt.Key.Key_PageDown: ROWS}


@dataclass(frozen=True, slots=True)
class Found:
    """An action that matches, and how well: the smaller the score the better."""

    action: Action
    score: int


def score(typed: str, name: str) -> int | None:
    """Return the cost of matching `name` to the words typed; None when one of them is not there.

    A word matches where its letters begin words or continue a run, so that `lo` finds "Leave out", or where
    it stands inside a word. Signs between words do not count.
    """
    words, text = _WORD.findall(typed.casefold()), name.casefold()
    costs = [_cost(word, text) for word in words]
    found = [cost for cost in costs if cost is not None]
    if not words or len(found) < len(costs):
        return None
    return 4 * sum(found) + len(name)


def find(typed: str, actions: list[Action]) -> list[Found]:
    """Return the actions that match a text, best first; all in table order for an empty text."""
    if not typed.strip():
        return [Found(action, 0) for action in actions]
    words = _WORD.findall(typed.casefold())
    corrected = _corrected(words, actions)
    texts = {typed: 0} if corrected == words else {typed: 0, " ".join(corrected): _MISTYPED}
    found: list[Found] = []
    for action in actions:
        costs = [cost + more for text, more in texts.items() if (cost := _best(text, action)) is not None]
        if costs:
            found.append(Found(action, min(costs)))
    return sorted(found, key=lambda one: one.score)


def _corrected(words: list[str], actions: list[Action]) -> list[str]:
    """Return the typed words, with the nearest known word for each longer word that is in no name."""
    names = (f"{action.full_name} {action.words}".casefold() for action in actions)
    known = {word for name in names for word in _WORD.findall(name) if len(word) >= _CORRECTED}
    longer = {word for word in words if len(word) >= _CORRECTED}
    near = {word: nearest(word, known) for word in longer if not any(word in name for name in known)}
    return [near[word][0] if near.get(word) else word for word in words]


def _best(typed: str, action: Action) -> int | None:
    """Return the cost of the best match, None without one; a match outside the name costs more."""
    widest = score(typed, f"{action.menu} {action.name} {action.words}")
    if widest is None:  # It contains all names, so a word that is not in it is in none of them.
        return None
    for place, name in enumerate((action.name, action.full_name)):
        if (cost := score(typed, name)) is not None:
            return cost + _BESIDE_NAME // 2 * place
    return widest + _BESIDE_NAME


def _cost(word: str, text: str) -> int | None:
    """Return the least jumps from word to word that its letters need; more inside a word; None for no
    match.
    """
    starts = _starts(text)
    costs = [cost for at in starts if (cost := _jumps(word, text, at, starts)) is not None]
    if costs:
        return min(costs) + (0 if text.startswith(word) else 1)
    inside = text.find(word)
    return None if inside < 0 else 3 + inside


@lru_cache(maxsize=8192)  # Each key press searches the same names.
def _starts(text: str) -> list[int]:
    """Return the positions where words begin."""
    return [at for at, sign in enumerate(text) if sign.isalnum() and not text[at - 1 : at].isalnum()]


def _jumps(word: str, text: str, at: int, starts: list[int]) -> int | None:
    """Count jumps to word beginnings behind `at` until all letters are found; None if they are not."""
    run = 0
    while run < len(word) and text[at + run : at + run + 1] == word[run]:
        run += 1
    if run == len(word):
        return 0
    for taken in range(run, 0, -1):
        rest = word[taken:]
        further = [_jumps(rest, text, start, starts) for start in starts if start >= at + taken]
        found = [jumps for jumps in further if jumps is not None]
        if found:
            return min(found) + 1
    return None


class FoundModel(QAbstractListModel):
    """The actions found, as rows: those of the table, and `more` that it does not hold."""

    def __init__(
        self, table: ActionTable, parent: QObject, more: Callable[[str], Iterable[Action]] = lambda _: ()
    ) -> None:
        super().__init__(parent)
        self._table, self._more = table, more
        self._rows: list[Action] = []
        self.runnable: list[int] = []  # Rows of commands that can run now.

    def show_matches(self, typed: str) -> None:
        """Fill the rows with matches; possible actions are above impossible ones."""
        typed = _FILLERS.sub("", typed)
        known = [*self._table, *self._more(typed)]
        named = [action for action in known if action.name and self._table.is_present(action)]
        found = find(typed, named)
        self.beginResetModel()
        # Pages and terms that match only in their text come after commands, even after those that cannot run
        # now.
        found.sort(
            key=lambda one: (
                one.score >= _BESIDE_NAME and one.action.id not in self._table,
                not self._can_run(one.action),
            )
        )
        self._rows = [one.action for one in found]
        self.runnable = [row for row, action in enumerate(self._rows) if self._can_run(action)]
        self.endResetModel()

    def callback_of(self, row: int) -> Callable[[], object]:
        """Return the callback of a row's action."""
        action = self._rows[row]
        return partial(self._table.trigger, action.id) if action.id in self._table else action.run

    def _can_run(self, action: Action) -> bool:
        return self._table.qaction(action.id).isEnabled() if action.id in self._table else action.enabled()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        action = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return action.full_name
        if action.id not in self._table:
            return action.tip if role == Qt.ItemDataRole.ToolTipRole else None
        qaction = self._table.qaction(action.id)
        match role:
            case Qt.ItemDataRole.DecorationRole:
                return qaction.icon()
            case Qt.ItemDataRole.ToolTipRole:
                return qaction.toolTip()
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{action.full_name} {qaction.shortcut().toString()}".strip()
            case int() if role == _KEYS_ROLE:
                reason = self._reason(action)
                return reason or qaction.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        return None

    def _reason(self, action: Action) -> str:
        """Return the reason why an action is not possible now; empty if it is, or without a known reason."""
        if self._can_run(action):
            return ""
        return (self._table.locked() if action.acts else "") or (action.why_not() if action.why_not else "")

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        # Rows of commands that cannot run now are shown but cannot be chosen.
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        both = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return both if self._can_run(self._rows[index.row()]) else Qt.ItemFlag.ItemIsSelectable


class _Rows(QStyledItemDelegate):
    """Name at the left, and muted at the right the keys, or why it cannot be done now."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = QSize(scaled(icons.ROW_SIZE), scaled(icons.ROW_SIZE))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        keys = index.data(_KEYS_ROLE)
        if keys:
            metrics = option.fontMetrics
            name_px = metrics.horizontalAdvance(str(index.data())) + 2 * scaled(icons.ROW_SIZE) + 16
            place = option.rect.adjusted(name_px, 0, -8, 0)
            words = metrics.elidedText(keys, Qt.TextElideMode.ElideRight, place.width())
            painter.setPen(colour("muted"))
            draw_text(painter, place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, words)


class CommandSearch(QFrame):
    """Popup over the window: type, choose with the arrows, Enter does it, Esc or a click elsewhere leaves."""

    def __init__(
        self,
        table: ActionTable,
        window: QWidget,
        more: Callable[[str], Iterable[Action]] = lambda _: (),
        show_help: Callable[[], object] = lambda: None,
    ) -> None:
        """`show_help` opens the page of what has the focus."""
        super().__init__(window, Qt.WindowType.Popup)
        self._show_help = show_help
        self._window = window
        self._table = table
        self.box = SearchBox("Find a command, node, parameter, example, term or help", self)
        self.model = FoundModel(table, self, more)
        self.nothing = MutedLabel("Nothing found. Type another word or part of a word.", self)
        self.view = QListView(self)
        self.view.setModel(self.model)
        self.view.setItemDelegate(_Rows(self.view))
        self.view.setUniformItemSizes(True)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setAccessibleName("Found")
        vbox(self.box, self.nothing, (self.view, 1), on=self, margins=(8, 8, 8, 8), spacing=INHERIT)
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
        self.nothing.setVisible(not self.model.rowCount())
        self._go_to(0)

    def _go_to(self, place: int) -> None:
        """Select one of the rows that can be run, by its place among them."""
        rows = self.model.runnable
        if rows:
            self.view.setCurrentIndex(self.model.index(rows[min(max(place, 0), len(rows) - 1)]))

    def _run_row(self, index: QModelIndex) -> None:
        """Close first, and let the list's own event end: the action finds the focus where it was."""
        if Qt.ItemFlag.ItemIsEnabled not in index.flags():
            return
        callback = self.model.callback_of(index.row())
        self.close()
        QTimer.singleShot(0, self._table, callback)

    def _height(self) -> int:
        row = max(self.view.sizeHintForRow(0), 24)
        return self.box.sizeHint().height() + ROWS * row + 24

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._take(event):
            return True
        return super().eventFilter(watched, event)

    def _take(self, event: QKeyEvent) -> bool:
        key = event.key()
        step = _STEPS.get(Qt.Key(key))
        if step is not None:
            row = self.view.currentIndex().row()
            place = self.model.runnable.index(row) if row in self.model.runnable else 0
            self._go_to(place + step)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run_row(self.view.currentIndex())
        elif key == Qt.Key.Key_Escape:
            self.close()
        elif key == Qt.Key.Key_F1:
            self._show_help()  # Shown while the field has the focus.
            self.close()
        else:
            return False
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
            paint.frame(painter, self.rect(), "line2")
