"""A monkey at the console: seeded random clicks, keys and actions in all workspaces, with any target.

`python -m tests.console.monkey --seed 7 --seconds 120 --log steps.txt` ends with 1 where the program reports
a fault or Qt warns. The seed gives the same choices; threads of the console may answer at other times, so a
fault may take a few tries to come again.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TextIO

from PySide6.QtCore import (
    QEvent,
    QEventLoop,
    QMessageLogContext,
    QPoint,
    QStandardPaths,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from fsconsole.console.app import prepare_process
from fsconsole.console.files.questions import Answer, Questions
from fsconsole.console.kit import tasks
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_look
from fsconsole.console.window import ConsoleWindow
from fsconsole.linux.hierarchy import ControlGroupsError
from fsconsole.resources import examples
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.linux.target import LinuxTarget

SCENES = tuple(
    f"{name}.yaml"
    for name in (
        "convex-series-1",
        "convex-series-6",
        "near-dedicated-ymp",
        "navoceano-c916",
        "share-by-account",
    )
)
SIZES = ((1600, 1000), (1280, 800), (1100, 700), (900, 600))
TEXTS = ("7", "0.5", "0,5", "12%", "u11", "ann", "x y", "-", "1e9", "é漢", "PD", "rates -u", "a/b", "")
KEYS = (
    *("Space", "Return", "Escape", "Tab", "Backtab", "Up", "Down", "Left", "Right", "Home", "End", "PageUp"),
    *(
        "PageDown",
        "Delete",
        "Backspace",
        "Insert",
        "F2",
        "F5",
        "F6",
        "Plus",
        "Minus",
        "Period",
        "W",
        "S",
        "B",
    ),
    *("BracketLeft", "BracketRight"),
)
STUCK = 40  # steps that a dialog or a menu may stay
TICK_MS = 3
HANGS_S = 120.0  # after its time: then the stacks of all threads are told
# What QTest says where a widget wants no mouse, or is disabled by the press.
_HARMLESS = ("This plugin does not support ", "Mouse event ")
_LEFT = Qt.MouseButton.LeftButton


class _WaitingLoop(QEventLoop):
    """Counts loops in which a person's clicks and keys wait."""

    running = 0

    def exec(self, flags: QEventLoop.ProcessEventsFlag = QEventLoop.ProcessEventsFlag.AllEvents) -> int:
        """Run the loop; the monkey rests."""
        _WaitingLoop.running += 1
        try:
            return super().exec(flags)
        finally:
            _WaitingLoop.running -= 1


class AnyAnswer(Questions):
    """Answers at random; files go into the monkey's own folder."""

    def __init__(self, drawn: random.Random, folder: Path) -> None:
        self._drawn, self._folder = drawn, folder

    def file_to_open(self, title: str, folder: Path, filters: Sequence[str]) -> Path | None:
        files = [None, self._folder / "missing.yaml", *sorted(self._folder.glob("saved*"))]
        return self._drawn.choice([*files, *sorted(examples().glob("*.yaml"))])

    def files_to_open(self, title: str, folder: Path, filters: Sequence[str]) -> list[Path]:
        path = self.file_to_open(title, folder, filters)
        return [] if path is None else [path]

    def run_to_open(self, folder: Path) -> Path | None:
        return self._drawn.choice([None, self._folder, *sorted(self._folder.glob("*.run"))])

    def file_to_save(self, title: str, suggested: Path, filters: Sequence[str]) -> tuple[Path, int] | None:
        number = self._drawn.randrange(len(filters))
        path = self._folder / f"saved{self._drawn.randrange(3)}{self._drawn.choice(['', '.yaml', '.cfg'])}"
        return self._drawn.choice([None, (path, number)])

    def save_changes(self, name: str, machine: str, typed: Sequence[str] = ()) -> Answer:
        answers: list[Answer] = ["discard", "discard", "save", "cancel"]
        return self._drawn.choice(answers)

    def leave_notes(self, name: str, count: int) -> Any:
        return "discard"

    def leave_branches(self, name: str, branches: Sequence[str]) -> Any:
        return "discard"

    def leave_staged(self, cluster: str, count: int, typed: Sequence[str] = ()) -> Any:
        return "discard"

    def locate_or_remove(self, path: Path) -> Literal["locate", "remove", "cancel"]:
        answers: list[Literal["locate", "remove", "cancel"]] = ["remove", "cancel"]
        return self._drawn.choice(answers)

    def show_problems(self, name: str, problems: Sequence[Problem], heading: str) -> None:
        assert heading

    def __getattribute__(self, name: str) -> Any:
        """Answer all that is left with yes or no."""
        if name.startswith("_") or name in AnyAnswer.__dict__ or not hasattr(Questions, name):
            return super().__getattribute__(name)
        return lambda *_: self._drawn.random() < 0.5


class Monkey:
    """Acts once in a while, inside the loops of dialogs too, until its time is over or something fails."""

    def __init__(self, app: QApplication, window: ConsoleWindow, drawn: random.Random, log: TextIO) -> None:
        self._app, self._window, self._drawn, self._log = app, window, drawn, log
        self.count = 0
        self.used: set[str] = set()
        self.faults: list[str] = []
        self._is_over: Callable[[], bool] = lambda: True
        self._stuck = 0

    def run(self, is_over: Callable[[], bool]) -> None:
        """Act until it is over."""
        self._is_over = is_over
        QTimer.singleShot(0, self._step)
        self._app.exec()

    def fault(self, words: str) -> None:
        """Take note of what must not be."""
        self.faults.append(words)

    def _step(self) -> None:
        if self.faults or self._is_over():
            self._leave()
            return
        QTimer.singleShot(TICK_MS, self._step)  # before acting: a dialog may keep this call for long
        if _WaitingLoop.running:
            return
        top = self._top()
        self._stuck = 0 if top is self._window else self._stuck + 1
        if self._stuck > STUCK:
            self._get_out(top)
            return
        kinds = {self._act: 30, self._click: 40, self._key: 20, self._type: 8, self._drag: 6, self._wheel: 4}
        if top is self._window:
            kinds |= {self._open: 2, self._resize: 2}
        else:
            kinds.pop(self._act)
        (kind,) = self._drawn.choices(list(kinds), list(kinds.values()))
        self.count += 1
        kind(top)

    def _note(self, words: str) -> None:
        print(self.count, words, file=self._log, flush=True)  # a crash leaves what led to it

    def _top(self) -> QWidget:
        return self._app.activePopupWidget() or self._app.activeModalWidget() or self._window

    def _get_out(self, top: QWidget) -> None:
        self._note(f"leave {type(top).__name__}")
        self._stuck = 0
        if isinstance(top, QDialog):
            top.reject()
        else:
            top.close()

    def _leave(self) -> None:
        """Close what is open, then the loops one after the other."""
        top = self._top()
        QTimer.singleShot(TICK_MS, self._leave)  # again, where `AnyAnswer` calls leaving off
        if top is not self._window:
            self._get_out(top)
            return
        self._app.quit()

    # -- what it does -------------------------------------------------------------------------------------

    def _act(self, _: QWidget) -> None:
        actions = [one for one in self._window.table if self._window.table.qaction(one.id).isEnabled()]
        action = self._drawn.choice([one for one in actions if one.id not in ("quit", "close_window")])
        self._note(f"action {action.id}")
        self.used.add(action.id)
        self._window.table.qaction(action.id).trigger()

    def _widget(self, top: QWidget) -> QWidget | None:
        there = [one for one in top.findChildren(QWidget) if one.isVisible() and one.width() > 2]
        there = [one for one in there if one.window() is top and one.height() > 2]
        return self._drawn.choice(there) if there else None

    def _point(self, widget: QWidget) -> QPoint:
        return QPoint(self._drawn.randrange(widget.width()), self._drawn.randrange(widget.height()))

    def _click(self, top: QWidget) -> None:
        if isinstance(top, QMenu):
            choices = [action for action in top.actions() if action.isEnabled() and not action.isSeparator()]
            if choices:
                place = top.actionGeometry(self._drawn.choice(choices)).center()
                self._note(f"choose in a menu at {place.x()}, {place.y()}")
                QTest.mouseClick(top, _LEFT, pos=place)
                return
        widget = self._widget(top)
        if widget is None:
            return
        button = _LEFT if self._drawn.random() < 0.85 else Qt.MouseButton.RightButton
        keys = Qt.KeyboardModifier.NoModifier
        if self._drawn.random() < 0.1:
            both = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
            keys = self._drawn.choice(both)
        place = self._point(widget)
        self._note(f"click {button.name} {self._named(widget)} at {place.x()}, {place.y()}")
        if button is _LEFT and self._drawn.random() < 0.15:
            QTest.mouseDClick(widget, button, keys, place)
        else:
            QTest.mouseClick(widget, button, keys, place)

    def _named(self, widget: QWidget) -> str:
        return f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()!r}"

    def _focus(self, top: QWidget) -> QWidget:
        focus = self._app.focusWidget()
        return focus if focus is not None and focus.window() is top else top

    def _key(self, top: QWidget) -> None:
        key = self._drawn.choice(KEYS)
        held = self._drawn.choices(["No", "Control", "Shift", "Alt"], [8, 1, 1, 1])[0]
        self._note(f"key {held} {key}")
        modifier = getattr(Qt.KeyboardModifier, f"{held}Modifier")
        QTest.keyClick(self._focus(top), getattr(Qt.Key, f"Key_{key}"), modifier)

    def _type(self, top: QWidget) -> None:
        text = self._drawn.choice(TEXTS)
        self._note(f"type {text!r}")
        for sign in text:  # QTest knows ASCII alone
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                event = QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, sign)
                QApplication.sendEvent(self._focus(top), event)

    def _drag(self, top: QWidget) -> None:
        widget = self._widget(top)
        if widget is None or isinstance(top, QMenu):
            return
        begin, end = self._point(widget), self._point(widget)
        self._note(f"drag {self._named(widget)} from {begin.toTuple()} to {end.toTuple()}")
        QTest.mousePress(widget, _LEFT, pos=begin)
        QTest.mouseMove(widget, begin + QPoint(5, 5))
        QTest.mouseMove(widget, end)
        QTest.mouseRelease(widget, _LEFT, pos=end)

    def _wheel(self, top: QWidget) -> None:
        widget = self._widget(top)
        if widget is not None:
            self._note(f"wheel {self._named(widget)}")
            place, turn = widget.mapTo(top, self._point(widget)), self._drawn.choice([-120, 120])
            if top.rect().contains(place):  # not scrolled out of sight
                QTest.wheelEvent(top.windowHandle(), place, QPoint(0, turn))

    def _resize(self, _: QWidget) -> None:
        size = self._drawn.choice(SIZES)
        self._note(f"resize to {size}")
        self._window.resize(*size)

    def _open(self, _: QWidget) -> None:
        name = self._drawn.choice(SCENES)
        self._note(f"open {name}")
        self._window.files.open_example(name)


def _no_groups(_tree: ShareTree) -> LinuxTarget:
    """What is done here must not reach the control groups of the machine that runs the tests."""
    raise ControlGroupsError("the monkey gets no control groups")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one monkey; 0 where nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--log", type=Path, default=Path(os.devnull), help="where the steps go")
    given = parser.parse_args(arguments)
    faulthandler.enable()
    faulthandler.dump_traceback_later(given.seconds + HANGS_S, exit=True)
    with tempfile.TemporaryDirectory(prefix="fsconsole-monkey-") as folder, given.log.open("w") as log:
        return _run(given.seed, given.seconds, Path(folder), log)


def _run(seed: int, seconds: float, folder: Path, log: TextIO) -> int:
    homes = [f"XDG_{kind}_HOME" for kind in ("CONFIG", "STATE", "DATA", "CACHE")]
    for name in ("HOME", "XDG_RUNTIME_DIR", *homes):
        os.environ[name] = str(folder)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.chdir(folder)  # names of files without a folder are typed too
    QStandardPaths.setTestModeEnabled(True)
    app = QApplication([])
    style = install_look(app, "light")
    vars(tasks)["QEventLoop"] = _WaitingLoop
    drawn = random.Random(seed)
    prepare_process(app)
    session = ConsoleSession(Preferences(folder / "settings"))
    window = ConsoleWindow(session, AnyAnswer(drawn, folder))
    window.linux.controller.make = _no_groups
    window.linux.controller.look_for_left = list
    monkey = Monkey(app, window, drawn, log)
    QDesktopServices.openUrl = lambda *_: True  # type: ignore[method-assign]

    def heed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        monkey.fault("".join(traceback.format_exception(kind, error, trace)))

    def warned(kind: QtMsgType, _: QMessageLogContext, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and not text.startswith(_HARMLESS):
            monkey.fault(f"Qt: {text}")

    sys.excepthook = heed
    qInstallMessageHandler(warned)
    window.resize(1600, 1000)
    window.show()
    window.files.open_example(SCENES[1])
    ends = time.monotonic() + seconds
    monkey.run(lambda: time.monotonic() > ends)
    print(f"seed {seed}: {monkey.count} events, {len(monkey.used)} actions, {len(monkey.faults)} faults")
    for words in monkey.faults:
        print(words, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    del style
    os._exit(1 if monkey.faults else 0)  # what is left of the window is not what is tested here


if __name__ == "__main__":
    sys.exit(main())
