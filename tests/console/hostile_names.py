"""Hostile names, a trap for what Qt would open because of them, and a census of what is shown."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
import yaml
from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible, QAction, QContextMenuEvent, QHelpEvent, QPainter, QTextDocumentFragment
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QDockWidget,
    QGraphicsScene,
    QGraphicsTextItem,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QListView,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QToolTip,
    QTreeView,
    QWidget,
)
from shiboken6 import isValid

from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.text.visible_text import control_in, visible
from tests.console.assistive import accessible
from tests.slurm.clusters import cluster_of

_Role = Qt.ItemDataRole
_MOST_ROWS = 4
_STEPS = 4

# Waits in `open` until another process opens the FIFO too, and lets it go on with nothing to read.
_WATCH = """
import sys
while True:
    open(sys.argv[1], "w").close()
    open(sys.argv[1] + ".opened", "a").close()
"""


class Trap:
    """A FIFO that stops for good whoever opens it, were it not watched from another process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._watch = subprocess.Popen([sys.executable, "-c", _WATCH, str(path)])

    @property
    def is_sprung(self) -> bool:
        """Whether a program has opened the FIFO."""
        return self.path.with_name(f"{self.path.name}.opened").exists()

    def remove(self) -> None:
        """End the watch."""
        self._watch.kill()
        self._watch.wait()


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    """A FIFO in the present folder, for names that cannot hold a slash."""
    made = Trap(tmp_path / "fifo")
    yield made
    made.remove()


def shown_tip() -> QLabel:
    """Return the label of Qt's tooltip in sight, painted."""
    found = [one for one in QApplication.topLevelWidgets() if one.objectName() == "qtooltip_label"]
    tip = next(one for one in found if one.isVisible())
    assert isinstance(tip, QLabel)
    tip.grab()  # Paints, before the platform has exposed it too.
    return tip


SIGN = "EVIL"
# Each name goes on with these: a sign that menus take for a mnemonic, and the start of bold words.
NAME = f" {SIGN} R&D <b>"
# What formats let pass beside it: a line break, a mark that turns the direction, an escape of a terminal.
ACTING = "\u202egpj.\n\x1b[31m<h1>"
_TITLES = frozenset({"title", "about", "source", "command"})


def hostile_scenario(text: str, picture: str) -> str:
    """Return a scenario with hostile names and texts.

    Args:
        text: the scenario, as YAML.
        picture: a path without slashes, since names of nodes cannot hold one.
    """
    read = yaml.safe_load(text)
    more = f"{NAME}<img src={picture}>"
    nodes = dict.fromkeys({*_values(read["tree"], "name")} - {"root"}, more)
    # Names of people and queues are checked as those of nodes are.
    checked = (*_values(read.get("people"), "name"), *_values(read.get("queues"), "name"))
    names = dict.fromkeys(_values(read, "name"), more + ACTING) | dict.fromkeys(checked, more) | nodes
    del names[read["policy"]["name"]]

    def spoilt(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            made = {one: spoilt(below, one) for one, below in value.items()}
            return made | {"note": f"Note{more}{ACTING}"} if "shares" in value and "name" in value else made
        if isinstance(value, list):
            return [spoilt(one, key) for one in value]
        if isinstance(value, str) and key in _TITLES:
            return value + more + ACTING
        return value + names.get(value, "") if isinstance(value, str) and value != "root" else value

    spoilt_text: str = yaml.safe_dump(spoilt(read), sort_keys=False, allow_unicode=True)
    return spoilt_text


def hostile_cluster(state: ClusterState, picture: str) -> ClusterState:
    """Return a cluster with hostile names of accounts, users, jobs and all else that users or tools name."""
    more = f"{NAME}<img src='{picture}'>"
    tree = state.tree
    assert tree is not None
    known = {*tree.stored.tree.account, *tree.stored.tree.user} - {"root"} | {
        one.name for one in state.partitions
    }
    known |= {*(job.qos for job in state.jobs), *(one.name for one in state.reservations)} - {""}
    names = dict.fromkeys(known - {""}, more)

    def spoilt(value: Any, key: str = "") -> Any:
        if isinstance(value, str) and not isinstance(value, StrEnum):
            if key in ("name", "reason", "reason_user", "why", "problem", "comment") and value not in known:
                return f"{value}{more}{ACTING}" if value else value
            return value + names.get(value, "")
        if isinstance(value, tuple):
            return tuple(spoilt(one, key) for one in value)
        if is_dataclass(value) and not isinstance(value, type | ClusterTree | ShareTree):
            changed = {
                one.name: spoilt(getattr(value, one.name), one.name) for one in fields(value) if one.init
            }
            return replace(value, **changed)
        return value

    stored = spoilt(tree.stored)
    whole: ClusterState = spoilt(replace(state, tree=None, standing=None, settings=None, parts={}))
    return replace(
        whole,
        name=state.name + more,
        tree=cluster_of(stored),
        standing=state.standing,
        settings=state.settings,
        parts=state.parts,
    )


def _values(value: Any, key: str) -> Iterator[str]:
    """Yield the texts below a key."""
    if isinstance(value, dict):
        for one, below in value.items():
            if one == key and isinstance(below, str):
                yield below
            yield from _values(below, key)
    elif isinstance(value, list):
        for one in value:
            yield from _values(one, key)


def is_literal(text: str) -> bool:
    """Return True if a hostile name in a shown text is there letter by letter, or cut with three dots."""
    wanted = NAME.strip()
    rest = [SIGN + part.split("…")[0] for part in text.split(SIGN)[1:]]
    return all(part.startswith(wanted) or wanted.startswith(part.strip()) for part in rest)


def without_mnemonics(text: str) -> str:
    """Return the words of a menu, a button or a tab as Qt shows them."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


@dataclass
class Census:
    """Every text with a hostile name that a window shows, speaks or paints.

    Attributes:
        faults: what is wrong with which, in words.
        seen: how many texts of each kind had a hostile name.
    """

    faults: dict[str, None] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)

    def note(self, kind: str, where: object, text: object, *, lines: bool = False) -> None:
        """Take a text down: `lines` says that it may have several."""
        if not isinstance(text, str) or SIGN not in text:
            return
        self.seen[kind] += 1
        acts = visible(text) != text if lines else bool(control_in(text))
        if acts or not is_literal(text):
            what = "acts" if acts else "is not literal"
            name = where if isinstance(where, str) else f"{type(where).__name__} in {_path(where)}"
            self.faults[f"{kind} of {name} {what}: {text[:160]!r}"] = None

    def take(self, root: QWidget) -> None:
        """Take down all texts of a window and of its parts."""
        title = root.windowTitle()
        self.note("window title", root, without_mnemonics(title) if isinstance(root, QDockWidget) else title)
        parts = [root, *root.findChildren(QWidget)]
        for one in parts:
            self._take_words(one)
        for one in parts:  # A tooltip that ends is gone by now, and so are parts that a menu replaces.
            if isValid(one) and one.isVisible():
                spoken = accessible(one)
                self.note("spoken name", one, spoken.text(QAccessible.Text.Name), lines=True)
                self.note("spoken description", one, spoken.text(QAccessible.Text.Description), lines=True)
                self._hover(one)
                self._open_menu(one)
        for action in root.findChildren(QAction):
            self.note("menu item", action.text(), without_mnemonics(action.text().split("\t")[0]))

    def _take_words(self, one: QWidget) -> None:
        """Take down the texts of a widget itself."""
        match one:
            case QLabel():
                self._take_label(one)
            case QAbstractButton() | QMenu() | QTabBar() | QComboBox():
                for kind, text in _words_to_press(one):
                    self.note(kind, one, text)
            case QTextEdit() | QPlainTextEdit():
                self.note("text", one, one.toPlainText(), lines=True)
            case QHeaderView():
                pass
            case QAbstractItemView():
                self._take_cells(one)
            case QGraphicsView():
                scene: QGraphicsScene | None = one.scene()  # whatever its stub says
                for item in [] if scene is None else scene.items():
                    if isinstance(item, QGraphicsTextItem):
                        self.note("item", one, item.toPlainText())

    def _take_label(self, label: QLabel) -> None:
        label.ensurePolished()
        is_rich = label.textFormat() is not Qt.TextFormat.PlainText
        text = QTextDocumentFragment.fromHtml(label.text()).toPlainText() if is_rich else label.text()
        text = without_mnemonics(text) if label.buddy() is not None else text
        self.note("rich label" if is_rich else "label", label, text, lines=True)

    def _take_cells(self, view: QAbstractItemView) -> None:
        for cell in _cells(view):
            for role in (_Role.DisplayRole, _Role.AccessibleTextRole):
                self.note(role.name, view, cell.data(role))
            self.note("cell tooltip", view, visible(str(cell.data(_Role.ToolTipRole) or "")), lines=True)

    def _open_menu(self, one: QWidget) -> None:
        """Click with the right button on rows, or on the middle of a widget."""
        if not _takes_menus(one):
            return
        rects = [one.visualRect(cell) for cell in _cells(one)] if isinstance(one, QAbstractItemView) else []
        seen = [rect.center() for rect in rects if not rect.isEmpty()]
        places = [*seen[:1], *seen[-1:]]
        target = one.viewport() if isinstance(one, QAbstractScrollArea) else one
        for place in places or [one.rect().center()]:
            QTimer.singleShot(0, self.leave_menus)  # Where the menu runs a loop of its own.
            reason = QContextMenuEvent.Reason.Mouse
            QApplication.sendEvent(target, QContextMenuEvent(reason, place, target.mapToGlobal(place)))
            QApplication.processEvents()
            self.leave_menus()

    def leave_menus(self) -> None:
        """Take down the menus in sight, and close them."""
        while isinstance(menu := QApplication.activePopupWidget(), QMenu):
            for action in menu.actions():
                self.note("menu item", menu, without_mnemonics(action.text().split("\t")[0]))
            menu.close()

    def _hover(self, one: QWidget) -> None:
        """Ask for tooltips as a pointer does that rests on the parts of a widget."""
        if isinstance(one, QHeaderView):
            return
        if isinstance(one, QAbstractItemView):
            target, places = one.viewport(), [one.visualRect(cell).center() for cell in _cells(one)]
        elif isinstance(one, QTabBar):
            target, places = one, [one.tabRect(at).center() for at in range(one.count())]
        else:
            target, places = one, [one.rect().center()]
            if "event" in vars(type(one)) or "viewportEvent" in vars(type(one)):
                width, height = one.width() // _STEPS, one.height() // _STEPS
                places = [QPoint(x * width, y * height) for x in range(_STEPS) for y in range(_STEPS)]
                target = one.viewport() if isinstance(one, QAbstractScrollArea) else one
        for place in places:
            QApplication.sendEvent(target, QHelpEvent(QEvent.Type.ToolTip, place, target.mapToGlobal(place)))
            if QToolTip.isVisible() and SIGN in QToolTip.text():
                tip = shown_tip()
                assert tip.textFormat() is Qt.TextFormat.PlainText
                self.note("tooltip", one, tip.text(), lines=True)


def _takes_menus(one: QWidget) -> bool:
    """Return True if the console itself opens a menu at a right click on a widget."""
    makers = (kind for kind in type(one).__mro__ if kind.__module__.startswith("fsconsole"))
    is_own = any("contextMenuEvent" in vars(kind) for kind in makers)
    return is_own or one.contextMenuPolicy() is Qt.ContextMenuPolicy.CustomContextMenu


def _words_to_press(one: QWidget) -> Iterator[tuple[str, str]]:
    """Yield the kind and the words of what a user presses or chooses."""
    if isinstance(one, QAbstractButton):
        yield "button", without_mnemonics(one.text())
    elif isinstance(one, QMenu):
        yield "menu", without_mnemonics(one.title())
    elif isinstance(one, QTabBar):
        yield from (("tab", without_mnemonics(one.tabText(at))) for at in range(one.count()))
    elif isinstance(one, QComboBox):
        yield from (("choice", one.itemText(at)) for at in range(one.count()))


def _cells(view: QAbstractItemView) -> Iterator[QModelIndex]:
    """Yield the cells of the first rows of a view, below their parents too."""
    model: QAbstractItemModel | None = view.model()  # whatever its stub says
    parents = [QModelIndex()] if model is not None else []
    while model is not None and parents:
        parent = parents.pop()
        for row in range(min(model.rowCount(parent), _MOST_ROWS)):
            columns = (
                [view.modelColumn()] if isinstance(view, QListView) else range(model.columnCount(parent))
            )
            yield from (model.index(row, column, parent) for column in columns)
            if isinstance(view, QTreeView):
                parents.append(model.index(row, 0, parent))


def _path(one: object) -> str:
    words: list[str] = []
    above = one.parentWidget() if isinstance(one, QWidget) else None
    while above is not None and len(words) < 3:
        words.append(type(above).__name__)
        above = above.parentWidget()
    return " < ".join(words)


@pytest.fixture
def census(monkeypatch: pytest.MonkeyPatch) -> Census:
    """A census that also takes down what is painted with a painter."""
    made = Census()
    draw = QPainter.drawText

    def drawn(painter: QPainter, *values: Any) -> Any:
        text = next((value for value in values if isinstance(value, str)), "")
        if SIGN in text:
            made.note("painted text", sys._getframe(1).f_code.co_qualname, text)
        return draw(painter, *values)

    monkeypatch.setattr(QPainter, "drawText", drawn)
    return made
