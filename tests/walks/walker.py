"""Uses the console as a person does: sees texts, moves the pointer to them, clicks, drags, types and waits.

Nothing here asks the console's objects for more than what is painted. A control is found by the words on it,
is clicked at a place on the screen, and only where nothing else lies there.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QCursor, QGuiApplication, QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTabBar,
    QTableView,
    QTextEdit,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.readout import Readout
from tests.console.assistive import name_of as spoken_name
from tests.console.keys import Keys, name_of

# Waits are multiplied by it; below 1 a walk is quicker than a person, for whoever writes one.
PACE = float(os.environ.get("FSCONSOLE_WALK_PACE", "1"))
_EYES_S = 60.0  # after this time a person gives up looking for something
_LOOK_S = 0.15
_KEPT_INPUTS = 10
_DRAG_STEPS = 8
_DIALOG_MS = 800  # until a person sees that a dialog has opened
_MOST_NOTCHES = 30
_NOTCH = 120  # of a wheel, in eighths of a degree
_LEFT, _RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
_PLAIN = Qt.KeyboardModifier.NoModifier
_SHOWN = Qt.ItemDataRole.DisplayRole
_FIELDS = QLineEdit | QAbstractSpinBox | QComboBox | QPlainTextEdit | QTextEdit
_TAGS = re.compile(r"<[^>]+>")


@dataclass(frozen=True, slots=True)
class Spot:
    """Words in sight: what they are painted on, and where there."""

    words: str
    widget: QWidget
    place: QRect

    def part(self, fraction: float, margin_px: int = 0) -> Spot:
        """Return a narrow place on a line from left to right, such as an axis with a margin at both ends."""
        x = self.place.x() + margin_px + round(fraction * (self.place.width() - 2 * margin_px))
        return Spot(self.words, self.widget, QRect(x - 1, self.place.y(), 3, self.place.height()))


class Walker:
    """A person at the console.

    Attributes:
        pictures: the folder in which each step leaves a picture.
        inputs: what was pressed and typed, the newest last.
    """

    def __init__(self, qtbot: QtBot, window: QWidget, pictures: Path) -> None:
        self.pictures = pictures
        self.inputs: list[str] = []
        self._window = window
        self._keyboard = Keys(qtbot, window)
        self._held: Exception | None = None
        self._count = 0
        for old in (*pictures.glob("*.png"), *pictures.glob("*.txt")):
            old.unlink()

    # -- time ------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Watch what happens."""
        QTest.qWait(round(1000 * seconds * PACE))

    def until(self, is_so: Callable[[], bool], most_s: float = _EYES_S) -> None:
        """Watch until something is so, by what is seen."""
        ends = monotonic() + most_s
        while not is_so():
            assert monotonic() < ends
            QTest.qWait(round(1000 * _LOOK_S))

    # -- eyes ------------------------------------------------------------------------------------------

    @property
    def top(self) -> QWidget:
        """What lies on top: a menu, a dialog or the window."""
        popup, modal = QApplication.activePopupWidget(), QApplication.activeModalWidget()
        if popup is not None:
            return popup
        return modal or QApplication.activeWindow() or self._window

    def find(self, words: str, *, within: str = "", nth: int = 0) -> Spot:
        """Return the place of words, or of what begins with them; waits for them, in a named dock."""
        found: list[Spot] = []

        def is_there() -> bool:
            there = [one for one in _spots(self._room(within)) if one.words.startswith(words)]
            found[:] = [one for one in there if one.words == words] or there
            return len(found) > nth

        try:
            self.until(is_there)
        except AssertionError:
            raise AssertionError(
                f"{words!r} is not in sight, but {sorted(set(self.texts(within)))}"
            ) from None
        found.sort(key=_rank)
        return found[nth]

    def sees(self, words: str, *, within: str = "") -> bool:
        """Return True if words are in sight: all of what stands on something, or a part of a text."""
        return any(words in text for text in self.texts(within))

    def texts(self, within: str = "") -> list[str]:
        """Return all texts in sight."""
        return [one.words for one in _spots(self._room(within)) if one.words]

    def cell(self, row: str, column: str, *, within: str = "") -> str:
        """Return the text in the row that has a cell called so, which must be in sight."""
        spot = self._row(row, within)
        view = _view_of(spot.widget)
        index = view.indexAt(spot.place.center())
        header = view.header() if isinstance(view, QTreeView) else _header_of(view)
        for at in range(view.model().columnCount(index.parent())):
            title = str(view.model().headerData(at, Qt.Orientation.Horizontal, _SHOWN) or "")
            if plain(title) == column and not header.isSectionHidden(at):
                wanted = index.siblingAtColumn(at)
                self._look_at(spot, view, wanted)
                return plain(str(wanted.data(_SHOWN) or ""))
        raise AssertionError(f"no column {column!r}")

    def readout(self) -> str:
        """Return the text shown over the window beside a field or the pointer."""
        over = [one for one in QApplication.topLevelWidgets() if isinstance(one, Readout) and one.isVisible()]
        return " ".join(text.words for one in over for text in _spots(one))

    def _row(self, words: str, within: str) -> Spot:
        """Find something; where it is out of sight, turn the wheel over the tables there, to their ends."""
        if self._has(words, within):
            return self.find(words, within=within)
        room = self._room(within)
        views = [one for one in (room, *room.findChildren(QAbstractItemView)) if is_in_sight(one)]
        for view in views:
            if isinstance(view, QTreeView | QTableView):
                table = Spot(view.accessibleName(), view.viewport(), view.viewport().rect())
                bar = view.verticalScrollBar()
                for notch, end in ((1, bar.minimum), (-1, bar.maximum)):
                    while not self._has(words, within) and bar.value() != end():
                        self._wheel(table, notch)
        return self.find(words, within=within)

    def _has(self, words: str, within: str) -> bool:
        return any(one.words.startswith(words) for one in _spots(self._room(within)))

    def _look_at(self, spot: Spot, view: QAbstractItemView, index: QModelIndex) -> None:
        """Turn the wheel sideways over a table until a cell is in sight, and back again."""
        if not _seen(view.viewport(), view.visualRect(index)).isEmpty():
            return
        window, at = self._aim(spot)
        count = 0
        while _seen(view.viewport(), view.visualRect(index)).isEmpty():
            assert count < _MOST_NOTCHES, index.data(_SHOWN)
            QTest.wheelEvent(window.windowHandle(), at, QPoint(-_NOTCH, 0))
            self._pause()
            count += 1
        for _ in range(count):
            QTest.wheelEvent(window.windowHandle(), at, QPoint(_NOTCH, 0))
            self._pause()

    def clock(self) -> str:
        """Return the time that the clock of the machine shows."""
        return next(text for text in self.texts() if re.fullmatch(r"\d\d:\d\d:\d\d", text))

    def field(self, words: str, *, within: str = "") -> str:
        """Return the text in a field."""
        return _typed(self.find(words, within=within).widget)

    def _room(self, within: str) -> QWidget:
        """Return a dock or a part by its title; one behind others comes forward by its tab."""
        if not within:
            return self.top
        found = _part(self.top, within)
        if found is None:
            tabs = (one for one in _spots(self.top) if isinstance(one.widget, QTabBar))
            tab = next((one for one in tabs if one.words == within), None)
            assert tab is not None, within
            self._click(tab, _LEFT, _PLAIN)
            found = _part(self.top, within)
            assert found is not None, within
        return found

    # -- pointer ---------------------------------------------------------------------------------------

    def click(
        self, words: str, *, within: str = "", nth: int = 0, keys: Qt.KeyboardModifier = _PLAIN
    ) -> None:
        """Click what is called so."""
        spot = self._row(words, within) if within and not nth else self.find(words, within=within, nth=nth)
        self._click(spot, _LEFT, keys)

    def right_click(self, words: str, *, within: str = "") -> None:
        """Open the menu of what is called so."""
        self._click(self.find(words, within=within), _RIGHT, _PLAIN)

    def double_click(self, words: str, *, within: str = "") -> None:
        """Click twice."""
        spot = self.find(words, within=within)
        self._click(spot, _LEFT, _PLAIN)
        window, at = self._aim(spot)
        QTest.mouseDClick(window.windowHandle(), _LEFT, _PLAIN, at)
        self._pause()

    def menu(self, *path: str) -> None:
        """Choose from the menu bar."""
        for words in path:
            self.click(words)

    def drag(self, words: str, *, by: QPoint | None = None, to: str = "", within: str = "") -> None:
        """Drag from the middle of what is called so."""
        spot = self.find(words, within=within)
        end = self.screen_place(self.find(to, within=within)) if by is None else self.screen_place(spot) + by
        self.drag_from(spot, end)

    def drag_from(self, spot: Spot, end: QPoint) -> None:
        """Drag from a place to another on the screen, at the speed of a hand."""
        window, at = self._aim(spot)
        handle = window.windowHandle()
        self._note(f"drag {spot.words!r} to {end.toTuple()}")
        QTest.mousePress(handle, _LEFT, _PLAIN, at)
        last = window.mapFromGlobal(end)
        for step in range(1, _DRAG_STEPS + 1):
            self._pause()
            part = step / _DRAG_STEPS
            QTest.mouseMove(handle, at + QPoint(round(part * (last - at).x()), round(part * (last - at).y())))
        self._pause()
        QTest.mouseRelease(handle, _LEFT, _PLAIN, last)
        self._pause()

    def wheel(self, words: str, notches: int, *, within: str = "") -> None:
        """Turn the wheel over what is called so: down by negative notches."""
        self._wheel(self.find(words, within=within), notches)

    def _wheel(self, spot: Spot, notches: int) -> None:
        window, at = self._aim(spot)
        self._note(f"wheel {notches} over {spot.words!r}")
        for _ in range(abs(notches)):
            QTest.wheelEvent(window.windowHandle(), at, QPoint(0, _NOTCH if notches > 0 else -_NOTCH))
            self._pause()

    def rest(self, words: str, *, within: str = "") -> None:
        """Rest the pointer on what is called so."""
        self._aim(self.find(words, within=within))

    def screen_place(self, spot: Spot) -> QPoint:
        """Return the middle of what can be seen of a spot, on the screen; nothing else may lie there."""
        for at in _points(_seen(spot.widget, spot.place)):
            place = spot.widget.mapToGlobal(at)
            there = QApplication.widgetAt(place)
            if there is not None and (there is spot.widget or spot.widget.isAncestorOf(there)):
                return place
        raise AssertionError(f"{spot.words!r} is covered")

    def _aim(self, spot: Spot) -> tuple[QWidget, QPoint]:
        """Move the pointer there; return the window and the place in it."""
        place = self.screen_place(spot)
        window = spot.widget.window()
        at = window.mapFromGlobal(place)
        if QGuiApplication.platformName() != "wayland":  # which lets nobody but the user move the pointer
            QCursor.setPos(place)  # where a tooltip or a menu looks for it
        QTest.mouseMove(window.windowHandle(), at)
        self._pause()
        return window, at

    def _click(self, spot: Spot, button: Qt.MouseButton, keys: Qt.KeyboardModifier) -> None:
        window, at = self._aim(spot)
        handle = window.windowHandle()
        self._note(f"{button.name} {spot.words!r} at {at.toTuple()}")
        QTest.mousePress(handle, button, keys, at)
        if window.isVisible() and window.windowHandle() is handle:
            QTest.mouseRelease(handle, button, keys, at)
        self._pause()

    # -- keys ------------------------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        """Press keys, written as in menus; they go to what has the focus."""
        for one in keys:
            self._note(f"key {one}")
            self._keyboard.press(one)
            self._pause()

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self._note(f"type {text!r}")
        for letter in text:
            self._keyboard.type(letter)
            QTest.qWait(round(60 * PACE))
        self._pause()

    def tab_to(self, name: str) -> None:
        """Press Tab until what has the focus is called so."""
        self._note(f"Tab to {name!r}")
        self._keyboard.tab_to(name)

    @property
    def focus(self) -> str:
        """The name of what a key goes to."""
        return name_of(self._keyboard.focus)

    def meanwhile(self, act: Callable[[], None]) -> None:
        """Act in a dialog that the next click or key opens, and that holds the walk up while it is open."""

        def run() -> None:
            if QApplication.activeModalWidget() is None:
                QTimer.singleShot(_DIALOG_MS, self._window, run)
                return
            try:
                act()
            except Exception as error:  # noqa: BLE001 - it is raised where the walk goes on
                self._held = error
                dialog = QApplication.activeModalWidget()
                if dialog is not None:
                    dialog.close()

        QTimer.singleShot(_DIALOG_MS, self._window, run)

    def name_file(self, path: Path) -> None:
        """Type a path into the file dialog that the next click or key opens."""

        def fill() -> None:
            self.picture("file")
            self.type(str(path))
            self.press("Return")

        self.meanwhile(fill)

    # -- pictures --------------------------------------------------------------------------------------

    def picture(self, step: str) -> None:
        """Keep what is on the screen as the next picture."""
        self._count += 1
        self.pictures.mkdir(parents=True, exist_ok=True)
        self._screen().save(str(self.pictures / f"{self._count:02}-{step}.png"))

    def keep_failure(self, error: BaseException) -> None:
        """Leave the screen and the last inputs beside the pictures, and name the folder."""
        self.picture("failed")
        (self.pictures / "inputs.txt").write_text("\n".join(self.inputs) + "\n", encoding="utf-8")
        error.add_note(f"Pictures and the last inputs: {self.pictures}")

    def _screen(self) -> QPixmap:
        picture = self._window.grab()
        painter = QPainter(picture)
        corner = self._window.mapToGlobal(QPoint(0, 0))
        for one in QApplication.topLevelWidgets():
            if one is not self._window and one.isVisible() and one.window() is one:
                painter.drawPixmap(one.mapToGlobal(QPoint(0, 0)) - corner, one.grab())
        painter.end()
        return picture

    def _note(self, words: str) -> None:
        held, self._held = self._held, None
        if held is not None:
            raise held
        self.inputs = [*self.inputs, words][-_KEPT_INPUTS:]

    def _pause(self) -> None:
        QTest.qWait(round(1000 * _LOOK_S * PACE))


def _part(top: QWidget, title: str) -> QWidget | None:
    for one in top.findChildren(QWidget):
        titled = one.windowTitle() if isinstance(one, Dock) else one.accessibleName()
        if titled == title and is_in_sight(one):
            return one
    return None


def plain(text: str) -> str:
    """Return a text without signs for keys, for more to come, and with plain blanks."""
    words = _TAGS.sub("", text).replace("&&", "\0").replace("&", "").replace("\0", "&")
    return unicodedata.normalize("NFKC", words).replace("\n", " ").strip().removesuffix("...").strip()


def number(text: str) -> float:
    """Return the first number in a text."""
    found = re.search(r"[-+\u2212]?[0-9][0-9 ]*(?:\.[0-9]+)?", plain(text))
    assert found is not None, text
    return float(found[0].replace(" ", "").replace("\u2212", "-"))


def _rank(spot: Spot) -> int:
    """What can be used comes first, then labels, then what was typed."""
    if isinstance(spot.widget, _FIELDS) and not isinstance(spot.widget, QComboBox):
        return 0 if spot.words == _label(spot.widget) else 2
    return 1 if isinstance(spot.widget, QLabel) else 0


def _spots(room: QWidget) -> Iterator[Spot]:
    """What can be seen in a room and has words."""
    window = room.window()
    for one in (room, *room.findChildren(QWidget)):
        if one.window() is window and is_in_sight(one):
            yield from _spots_of(one)


def is_in_sight(one: QWidget) -> bool:
    """Return True if a part can be seen; the viewport of one that scrolls covers the rest of it."""
    seen = one.viewport() if isinstance(one, QAbstractScrollArea) else one
    return one.isVisible() and not seen.visibleRegion().isEmpty()


def _spots_of(one: QWidget) -> Iterator[Spot]:  # noqa: C901 - a kind of part a line
    if isinstance(one, QTabBar):
        for at in range(one.count()):
            yield from _if_seen(one.tabText(at), one, one.tabRect(at))
    elif isinstance(one, QMenu | QMenuBar):
        for action in one.actions():
            if not action.isSeparator() and action.isVisible():
                yield from _if_seen(action.text().split("\t")[0], one, one.actionGeometry(action))
    elif isinstance(one, QHeaderView):
        yield from _titles(one)
    elif isinstance(one, QAbstractItemView):
        for index in _indexes(one):
            yield from _if_seen(str(index.data(_SHOWN) or ""), one.viewport(), one.visualRect(index))
    elif isinstance(one, QAbstractButton):
        yield Spot(plain(one.text()), one, one.rect())
        if plain(one.accessibleName()) != plain(one.text()):
            yield Spot(plain(one.accessibleName()), one, one.rect())
    elif isinstance(one, _FIELDS):
        yield Spot(_label(one), one, one.rect())
        yield Spot(plain(_typed(one)), one, one.rect())
    elif isinstance(one, QLabel):
        yield Spot(plain(one.text()), one, one.rect())
    elif one.accessibleName():
        yield Spot(plain(one.accessibleName()), one, one.rect())


def _if_seen(words: str, widget: QWidget, place: QRect) -> Iterator[Spot]:
    if words and not _seen(widget, place).isEmpty():
        yield Spot(plain(words), widget, place)


def _label(field: QWidget) -> str:
    spoken = field.accessibleName()
    if spoken:
        return plain(spoken)
    for label in field.window().findChildren(QLabel):
        if label.buddy() is field:
            return plain(label.text())
    return plain(spoken_name(field))


def _typed(field: QWidget) -> str:
    if isinstance(field, QComboBox):
        return field.currentText()
    if isinstance(field, QPlainTextEdit | QTextEdit):
        return field.toPlainText()
    return field.text() if isinstance(field, QLineEdit | QAbstractSpinBox) else ""


def _titles(header: QHeaderView) -> Iterator[Spot]:
    for at in range(header.count()):
        if header.orientation() is Qt.Orientation.Horizontal and not header.isSectionHidden(at):
            place = QRect(header.sectionViewportPosition(at), 0, header.sectionSize(at), header.height())
            title = str(header.model().headerData(at, header.orientation(), _SHOWN) or "")
            yield from _if_seen(title, header.viewport(), place)


def _indexes(view: QAbstractItemView) -> Iterator[QModelIndex]:
    """Cells in sight."""
    model, y = view.model(), 2
    while y < view.viewport().height():
        first = view.indexAt(QPoint(2, y))
        if not first.isValid():
            first = view.indexAt(QPoint(view.viewport().width() // 2, y))
        if not first.isValid():
            return
        if isinstance(view, QListView):  # its model may have no columns at all
            yield first
        else:
            columns = range(model.columnCount(first.parent()))
            yield from (first.siblingAtColumn(at) for at in columns if not _is_hidden(view, at))
        y = view.visualRect(first).bottom() + 3


def _is_hidden(view: QAbstractItemView, column: int) -> bool:
    return isinstance(view, QTreeView | QTableView) and view.isColumnHidden(column)


def _header_of(view: QAbstractItemView) -> QHeaderView:
    assert isinstance(view, QTableView)
    return view.horizontalHeader()


def _view_of(viewport: QWidget) -> QAbstractItemView:
    view = viewport.parentWidget()
    assert isinstance(view, QAbstractItemView), viewport
    return view


def _seen(widget: QWidget, place: QRect) -> QRect:
    return (widget.visibleRegion() & place).boundingRect()


def _points(place: QRect) -> Iterator[QPoint]:
    """Yield the middle of a place, then others in it."""
    for x in (0.5, 0.25, 0.75, 0.1, 0.9):
        for y in (0.5, 0.25, 0.75):
            yield QPoint(round(place.x() + x * place.width()), round(place.y() + y * place.height()))
