"""The table of all actions of the user.

Menus, tool bars, the command search and the page of shortcuts are all read from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from functools import cache, partial
from typing import Any, TypeVar, cast

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.plain_words import menu_words
from fsconsole.targets.base import Capability

T = TypeVar("T")
MENUS = ("File", "Edit", "View", "Target", "Simulation", "Help")


def always() -> bool:
    """Return enabled at any time."""
    return True


def acting_on(find: Callable[[], T | None]) -> Callable[[Callable[[T], object]], Callable[[], object]]:
    """Return a function that makes runs of actions on something; they do nothing while it is missing."""
    return lambda what: lambda: None if (found := find()) is None else what(found)


def asking(find: Callable[[], T | None]) -> Callable[[Callable[[T], bool]], Callable[[], bool]]:
    """Return a function that makes questions about something; their answer is False while it is missing."""
    return lambda what: lambda: (found := find()) is not None and what(found)


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the user.

    `text` is its text in buttons and menus, `short` a shorter one for the tool bar; `menu` is its menu
    ("Edit", "View/Theme"; empty for none), `group` divides the menu by rules. `tip` explains more than the
    text, `why_not` is the reason why the action is disabled at the moment. `checked` makes it checkable;
    actions of one `choice` exclude each other. `named` returns its present object, which follows the text in
    menus and tooltips. `words` are further words the command search finds it by. The keys of a `local` action
    act only inside the widgets it is added to (`widget.addAction(table.qaction(id))`), so that arrows, Del or
    F2 may have another meaning elsewhere. `needs` is the capability that the target must have: an action
    without a suitable open target is hidden, and two with different needs may have the same keys. An action
    that `acts` changes the target or the document: it is disabled while the table is locked, as while the
    past is shown.
    """

    id: str
    text: str
    run: Callable[[], object]
    _: KW_ONLY
    keys: tuple[str, ...] = ()
    icon: str = ""
    menu: str = ""
    group: str = ""
    tip: str = ""
    enabled: Callable[[], bool] = always
    checked: Callable[[], bool] | None = None
    why_not: Callable[[], str] | None = None
    choice: str = ""
    words: str = ""
    short: str = ""
    local: bool = False
    needs: Capability[Any] | None = None
    acts: bool = False
    named: Callable[[], str] | None = None

    @property
    def name(self) -> str:
        """The text without its mnemonic sign: what command search and pages show."""
        return self.text.replace("&&", "\0").replace("&", "").replace("\0", "&")

    @property
    def full_name(self) -> str:
        """Name after those of its submenus: "Theme: Dark"."""
        return ": ".join([*self.menu.split("/")[1:], self.name])


class ActionTable(QObject):
    """Owns one QAction per action and keeps them up to date.

    The window calls `refresh` after anything that may change what can be done; nothing polls.

    Attributes:
        shows: whether what an action needs can be done with what is open.
        locked: why nothing that acts can be done just now; empty where it can.

    Signals: ran(id) after an action of the table has been carried out.
    """

    ran = Signal(str)

    def __init__(self, window: QWidget, actions: Iterable[Action] = ()) -> None:
        super().__init__(window)
        self._window = window
        self.shows: Callable[[Capability[Any]], bool] = lambda _: True
        self.locked: Callable[[], str] = lambda: ""
        self._actions: dict[str, Action] = {}
        self._qactions: dict[str, QAction] = {}
        self._choices: dict[str, QActionGroup] = {}
        self._menus: dict[str, QMenu] = {}
        self._is_held = self._is_due = False
        cast("QApplication", QApplication.instance()).focusChanged.connect(self._on_focus)
        self.add(actions)

    def __iter__(self) -> Iterator[Action]:
        return iter(tuple(self._actions.values()))

    def __getitem__(self, action_id: str) -> Action:
        return self._actions[action_id]

    def __contains__(self, action_id: object) -> bool:
        return action_id in self._actions

    def qaction(self, action_id: str) -> QAction:
        """Return the QAction of an id, for buttons and context menus; KeyError for an unknown id."""
        return self._qactions[action_id]

    def add(self, actions: Iterable[Action]) -> None:
        """Add actions; ValueError where an id or a shortcut is already taken."""
        for action in actions:
            self._check(action)
            self._actions[action.id] = action
            self._qactions[action.id] = self._make(action)
        self.refresh()

    def refresh(self) -> None:
        """Update whether each action is enabled and checked."""
        self._is_due = self._is_held
        if self._is_held:
            return
        for action_id, action in self._actions.items():
            self._show(action, self._qactions[action_id])

    @contextmanager
    def one_refresh(self) -> Iterator[None]:
        """Refresh once at the end for all that is done inside, and not after each step."""
        was_held, self._is_held = self._is_held, True
        try:
            yield
        finally:
            self._is_held = was_held
        if self._is_due:
            self.refresh()

    def hide_empty_menus(self) -> None:
        """Leave menus of the bar out that have nothing for what is open."""
        for title, menu in self._menus.items():
            inside = [one for one in self if one.menu == title or one.menu.startswith(f"{title}/")]
            menu.menuAction().setVisible(any(self.is_present(one) for one in inside))

    def is_present(self, action: Action) -> bool:
        """Return True if an action needs no capability, or one that is offered."""
        return action.needs is None or self.shows(action.needs)

    def trigger(self, action_id: str) -> bool:
        """Carry out an action if it is enabled; return whether it was."""
        action, qaction = self._actions[action_id], self._qactions[action_id]
        self._show(action, qaction)
        if not qaction.isEnabled():
            return False
        qaction.trigger()
        return True

    def answer(self, pressed: QKeySequence) -> str:
        """Carry out the action whose keys were pressed if it is enabled by now; else return why it is not.

        Qt passes on the keys of a disabled action as if they had no meaning.
        """
        for action in self:
            qaction = self._qactions[action.id]
            is_meant = pressed in qaction.shortcuts() and not any(_is_bare(key) for key in action.keys)
            if is_meant and not action.local and self.is_present(action):
                return "" if self.trigger(action.id) else self._reason(action)
        return ""

    def _reason(self, action: Action) -> str:
        """Return the reason why an action is disabled; empty without a known one."""
        locked = self.locked() if action.acts else ""
        return locked or (action.why_not() if action.why_not is not None else "")

    def fill_menu_bar(self, bar: QMenuBar, titles: Iterable[str]) -> None:
        """Put a menu for each title into bar, in that order; further menus of the table follow.

        A bar filled before is emptied first: actions may have come since.
        """
        for menu in self._menus.values():
            menu.deleteLater()
        self._menus.clear()
        bar.clear()
        wanted = dict.fromkeys(titles)
        wanted.update(dict.fromkeys(a.menu.split("/")[0] for a in self if a.menu))
        for title in wanted:
            self.fill_menu(self._menu(bar, title), title)

    def fill_menu(self, menu: QMenu, path: str) -> None:
        """Put the actions whose menu is path (and its submenus) into menu, groups parted by rules.

        Groups stand in the order of their first actions, but "end" is the last one. A group of a submenu such
        as `open/series` belongs to the group `open` of its menu.
        """
        inside = [action for action in self if f"{action.menu}/".startswith(path + "/")]
        groups = list(dict.fromkeys(_head(action.group) for action in inside))
        last: dict[str, str] = {}  # Id of the last action's group, by menu.
        for action in sorted(inside, key=lambda one: (one.group == "end", groups.index(_head(one.group)))):
            head = _head(action.group)
            if last.setdefault(path, head) != head:
                menu.addSeparator()
            last[path] = head
            target = menu if action.menu == path else self._submenu(menu, path, action.menu)
            if target is not menu and last.setdefault(action.menu, action.group) != action.group:
                target.addSeparator()
                last[action.menu] = action.group
            target.addAction(self._qactions[action.id])

    def menu(self, path: str) -> QMenu:
        """Return a menu already put into the menu bar, for recent files and the like; KeyError if there is
        none.
        """
        return self._menus[path]

    def shortcuts(self) -> list[tuple[str, str, str]]:
        """Return rows (menu, name, keys as the system writes them) of all actions with keys."""
        return [
            (action.menu.split("/")[0], action.name, ", ".join(_native(key) for key in action.keys))
            for action in self
            if action.keys and self.is_present(action)
        ]

    @Slot(QWidget, QWidget)
    def _on_focus(self, _old: QWidget | None, now: QWidget | None) -> None:
        """Enable single keys where they are not typed, and the space bar where it presses no button."""
        for action_id, action in self._actions.items():
            if action.local or not any(_is_bare(key) for key in action.keys):
                continue
            taken = is_editor(now) or ("Space" in action.keys and _takes_space(now))
            context = Qt.ShortcutContext.WidgetShortcut if taken else Qt.ShortcutContext.WindowShortcut
            self._qactions[action_id].setShortcutContext(context)

    def _check(self, action: Action) -> None:
        if action.id in self._actions:
            raise ValueError(f"two actions are called {action.id}")
        for key in action.keys:
            other = next((a.id for a in self if key in a.keys and _meet(a, action)), None)
            if other is not None:
                raise ValueError(f"{key} belongs to {other}. Choose another key for {action.id}")

    def _make(self, action: Action) -> QAction:
        made = QAction(action.text, self._window)
        if action.short:
            made.setIconText(action.short)
        made.setObjectName(action.id)
        made.setShortcuts([QKeySequence(key) for key in action.keys])
        made.setCheckable(action.checked is not None)
        if action.icon:
            put_icon(made, action.icon, on="accent" if action.checked is not None else None)
        if action.choice:
            group = self._choices.setdefault(action.choice, QActionGroup(self))
            group.addAction(made)
        made.triggered.connect(partial(self._run, action))
        if action.local:
            made.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        else:
            self._window.addAction(made)
        return made

    def _run(self, action: Action, _checked: bool = False) -> None:
        action.run()
        self.refresh()
        self.ran.emit(action.id)

    def _show(self, action: Action, qaction: QAction) -> None:
        is_present = self.is_present(action)
        locked = self.locked() if action.acts else ""
        enabled = is_present and not locked and action.enabled()
        qaction.setVisible(is_present)
        qaction.setEnabled(enabled)
        if action.checked is not None:
            qaction.setChecked(action.checked())
        reason = "" if enabled else self._reason(action)
        about = "" if action.named is None else action.named()
        if action.named is not None:
            qaction.setText(f"{action.text}: {menu_words(about)}" if about else action.text)
        qaction.setToolTip(_tip(action, reason, about))
        qaction.setStatusTip(reason or action.tip)

    def _menu(self, bar: QMenuBar, title: str) -> QMenu:
        if title not in self._menus:
            self._menus[title] = bar.addMenu(f"&{title}")
        return self._menus[title]

    def _submenu(self, menu: QMenu, path: str, wanted: str) -> QMenu:
        """Return the menu of `wanted`, a path below `path`; create missing menus on the way."""
        below = path
        for title in wanted[len(path) + 1 :].split("/"):
            below = f"{below}/{title}"
            if below not in self._menus:
                self._menus[below] = menu.addMenu(title)
            menu = self._menus[below]
        return menu


def _head(group: str) -> str:
    return group.partition("/")[0]


def is_editor(widget: QWidget | None) -> bool:
    """Return True if keys typed into a widget are text."""
    if isinstance(widget, QComboBox):
        return widget.isEditable()
    return isinstance(widget, QLineEdit | QAbstractSpinBox | QTextEdit | QPlainTextEdit)


def _meet(one: Action, other: Action) -> bool:
    """Return True if the keys of two actions may act at the same time: not if they need different things.

    Where a local key is one of the whole window too, Qt carries out neither. Local ones have widgets of their
    own.
    """
    are_apart = None not in (one.needs, other.needs) and one.needs is not other.needs
    return not ((one.local and other.local) or are_apart)


def _takes_space(widget: QWidget | None) -> bool:
    if isinstance(widget, QAbstractItemView):
        return bool(widget.currentIndex().flags() & Qt.ItemFlag.ItemIsUserCheckable)
    return isinstance(widget, QAbstractButton | QComboBox)


def _is_bare(key: str) -> bool:
    """Return True if a shortcut is one key that writes a character."""
    return len(key) == 1 or key == "Space"


@cache  # Queried for each action at every change.
def _native(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)


def _tip(action: Action, reason: str, about: str = "") -> str:
    keys = f" ({_native(action.keys[0])})" if action.keys else ""
    rest = reason or action.tip
    name = action.name.removesuffix("…")
    name = f"{name}: {about}" if about else name
    return f"{name}{keys}\n{rest}" if rest else f"{name}{keys}"
