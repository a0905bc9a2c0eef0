"""The watch on every test of the console: long turns, lost focus and values, and places that change.

What a test does by itself is input: an event of QTest, or any call into the window. The input ends when the
queue of events is empty, inside a wait. What comes afterwards, from a timer, a poll, a worker or a socket, is
judged until the wait ends:

- *turn*: a turn of the event loop, or an input of QTest, takes over 250 ms of processor time of this thread.
- *focus*: the keyboard goes to another widget.
- *value*: a value that is typed and not committed is lost, changed or committed.
- *place*: a control moves, changes its size, vanishes or is covered (where geometry is watched).
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from PySide6.QtCore import (
    QAbstractEventDispatcher,
    QCoreApplication,
    QEvent,
    QEventLoop,
    QObject,
    Qt,
    QTimerEvent,
)
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from shiboken6 import isValid

from fsconsole.console.window import ConsoleWindow
from tests.console.places import Places, differences, named, places_of

Kind = Literal["turn", "focus", "value", "place"]
KINDS: tuple[Kind, ...] = ("turn", "focus", "value", "place")
FOLDER = Path(__file__).resolve().parents[2] / "build" / "watch"

_TURN_S = 0.25
# Processor seconds of `_calibrate` on a quiet machine of 2024. Where it takes longer, a turn may take longer.
_CALIBRATOR_S = 0.0035
# Where more runs than there are processors, a turn takes up to so much more: caches and cores are shared.
_BUSY = 1.5
_CALIBRATOR_LOOPS = 100_000
_PLACES_EVERY_S = 0.05  # Of processor time.
_ROUNDS = 3  # Turns without an event of the input, after which its queue is taken as empty.
_MOST_INPUTS = 10
_MOST_FINDINGS = 10
_INPUTS = (
    "mouseClick", "mouseDClick", "mousePress", "mouseRelease", "mouseMove", "wheelEvent",
    "keyClick", "keyClicks", "keyPress", "keyRelease", "keySequence",
)  # fmt: skip
# Keys with which a user ends typing, one way or the other.
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape)
_ALT = Qt.KeyboardModifier.AltModifier  # presses the button with that letter
_Editor = QLineEdit | QPlainTextEdit | QTextEdit


@dataclass(frozen=True)
class Finding:
    """What the watch found, in a line."""

    kind: Kind
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


@dataclass
class Watch:
    """What is watched in one test, or one walk.

    Use it as a context manager. Inputs of QTest and calls between waits are known by themselves; what reaches
    the window in another way, such as a pointer of the compositor, stands in a `with watch.input("…"):`.

    Attributes:
        name: of the test; the folder of pictures is called so.
        geometry: whether places of controls are judged, and pictures kept after each input.
        findings: in the order in which they happened.
        inputs: the last ones.
        folder: with the pictures of the first finding.
    """

    name: str
    geometry: bool = False
    findings: list[Finding] = field(default_factory=list)
    inputs: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_INPUTS))
    folder: Path | None = None
    _typed: dict[_Editor, str] = field(default_factory=dict)
    _types: bool = True
    _places: Places | None = None
    _before: list[tuple[str, QPixmap]] = field(default_factory=list)

    def __enter__(self) -> Watch:
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin(self) -> None:
        """Watch from now on."""
        _Monitor.get().begin(self)

    def end(self) -> None:
        """Watch no longer; what is found has been added to `findings`."""
        _Monitor.get().end()

    @contextmanager
    def input(self, what: str) -> Iterator[None]:
        """Take what happens inside as input, until the queue is empty."""
        monitor = _Monitor.get()
        monitor.begin_input(what)
        yield
        monitor.end_input(what)

    @property
    def is_judging(self) -> bool:
        """Whether the input has ended, and what comes now is judged."""
        monitor = _Monitor.get()
        return monitor.watch is self and monitor.is_judging

    def report(self, kinds: tuple[Kind, ...] = KINDS) -> str:
        """Return the findings of these kinds, with inputs and the folder of pictures; empty without any."""
        found = [str(one) for one in self.findings if one.kind in kinds]
        if not found:
            return ""
        more = [f"and {len(found) - _MOST_FINDINGS} more"] if len(found) > _MOST_FINDINGS else []
        lines = [
            f"The watch found in {self.name}:",
            *(f"  {one}" for one in [*found[:_MOST_FINDINGS], *more]),
        ]
        lines += ["Last inputs:", *(f"  {one}" for one in self.inputs or ["calls of the test alone"])]
        if self.folder is None:
            return "\n".join(lines)
        text = "\n".join([*lines, f"Pictures: {self.folder}"])
        (self.folder / "report.txt").write_text(f"{text}\n", "utf-8")
        return text

    # -- what the monitor calls -----------------------------------------------------------------------------

    def found(self, kind: Kind, text: str) -> None:
        """Keep a finding; the first one is kept with pictures."""
        self.findings.append(Finding(kind, text))
        if self.folder is None:
            self.folder = self._keep()

    def _keep(self) -> Path:
        folder = FOLDER / "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in self.name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, picture in self._before:
            picture.save(str(folder / f"before-{name}.png"))
        for name, picture in _pictures():
            picture.save(str(folder / f"after-{name}.png"))
        return folder

    def forget(self) -> None:
        """Keep no widget and no picture any longer."""
        self._typed.clear()
        self._places, self._before = None, []

    def begin_input(self, what: str) -> None:
        """Keep an input among the last ones."""
        self.inputs.append(what)
        self._types = True

    def end_typing(self) -> None:
        """Take the value as committed: the user presses Return, or goes elsewhere with the pointer."""
        self._typed.clear()
        self._types = False

    def note_typed(self) -> None:
        """Remember the values that are typed and not committed, as the input has left them."""
        if not self._types:
            return
        focus = QApplication.focusWidget()
        editor = focus if isinstance(focus, QLineEdit | QPlainTextEdit | QTextEdit) else None
        if focus is not None and editor is None:
            editor = focus.findChild(QLineEdit)
        if editor is not None and _is_modified(editor):
            self._typed.setdefault(editor, "")
        self._typed = {
            one: _text(one) for one in self._typed if isValid(one) and one.isVisible() and _is_modified(one)
        }

    def judge_typed(self) -> None:
        """Compare the typed values with what is there now."""
        for editor, text in list(self._typed.items()):
            if not isValid(editor) or not editor.isVisible():
                self.found("value", f"{text!r} was typed, and its editor is gone")
            elif _text(editor) != text:
                self.found(
                    "value", f"{text!r} was typed into {named(editor)}, which has {_text(editor)!r} now"
                )
            elif not _is_modified(editor):
                self.found("value", f"{text!r} was typed into {named(editor)} and is committed")
            else:
                continue
            del self._typed[editor]

    def note_places(self) -> None:
        """Remember where controls are, and how the windows look."""
        if self.geometry:
            self._places = places_of(_windows())
            self._before = _pictures()

    def judge_places(self) -> None:
        """Compare the places of controls with what they were after the input."""
        if self._places is None:
            return
        now = places_of(_windows())
        for text in differences(self._places, now):
            self.found("place", text)
        self._places = now


class _Monitor(QObject):
    """Follows the event loop and the inputs of this process, for the watch that is on."""

    _made: ClassVar[_Monitor | None] = None

    @classmethod
    def get(cls) -> _Monitor:
        """Return the one of this process; it is in force from the first call on."""
        if cls._made is None:
            cls._made = cls()
        return cls._made

    def __init__(self) -> None:
        super().__init__()
        self.watch: Watch | None = None
        self._outer: list[Watch | None] = []  # Those that rest while another watches.
        self._last_s = self._placed_s = 0.0
        self._depth = 0  # Of waits in each other.
        self.is_judging = False
        self._rounds = 0
        self._timer_id = 0
        self._making = 0
        self._has_window = False
        dispatcher = QAbstractEventDispatcher.instance()
        for signal in (dispatcher.awake, dispatcher.aboutToBlock):
            signal.connect(self._on_turn)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)
        self._put_in()

    def begin(self, watch: Watch) -> None:
        self._outer.append(self.watch)
        self.watch = watch
        self._has_window = any(
            isinstance(one, ConsoleWindow) and one._was_painted for one in QApplication.topLevelWidgets()
        )
        self._making = 0
        self._depth = 0
        self._start_input()

    def end(self) -> None:
        if self.watch is not None:
            if self.is_judging:
                self._judge()
            self.watch.forget()
        self.watch = self._outer.pop()
        self._start_input()

    # -- input ----------------------------------------------------------------------------------------------

    def begin_input(self, what: str) -> None:
        if self.is_judging:
            self._judge()
        self._start_input()
        if self.watch is not None:
            self.watch.begin_input(what)
        self._mark()

    def end_input(self, what: str) -> None:
        self._check(what)
        if self._depth:
            self._await_empty_queue()

    def _start_input(self) -> None:
        self.is_judging = False
        self._stop_timer()

    def _await_empty_queue(self) -> None:
        self._rounds = 0
        QCoreApplication.postEvent(self, QEvent(QEvent.Type.User), Qt.EventPriority.LowEventPriority.value)

    def customEvent(self, _event: QEvent) -> None:  # noqa: N802
        """All events are delivered that had been posted; timers of 0 ms come in the next turn."""
        if self._depth and self.watch is not None and not self.is_judging and not self._timer_id:
            self._timer_id = self.startTimer(0)

    def timerEvent(self, _event: QTimerEvent) -> None:  # noqa: N802
        self._rounds += 1
        self._stop_timer()
        if self._rounds < _ROUNDS:
            QCoreApplication.postEvent(
                self, QEvent(QEvent.Type.User), Qt.EventPriority.LowEventPriority.value
            )
        elif self.watch is not None and self._depth:
            self.is_judging = True
            self.watch.note_typed()
            self.watch.note_places()

    def _stop_timer(self) -> None:
        if self._timer_id:
            self.killTimer(self._timer_id)
            self._timer_id = 0

    # -- waits ----------------------------------------------------------------------------------------------

    def enter_wait(self) -> None:
        self._depth += 1
        if self._depth == 1:
            self._mark()
            self._await_empty_queue()

    def leave_wait(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._check("a turn")
            if self.is_judging:
                self._judge()
            self._start_input()

    def _judge(self) -> None:
        watch = self.watch
        if watch is not None:
            watch.judge_typed()
            watch.judge_places()

    def _on_focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        if not self.is_judging or self.watch is None or before is None or not isValid(before):
            return
        if not isinstance(before.window(), ConsoleWindow | QDialog):
            return  # A part alone is in no window.
        if now is None:
            is_lost = before.isVisible() and before.isEnabled() and before.window().isActiveWindow()
        else:
            is_lost = not now.isAncestorOf(before)  # What is around a widget that has gone takes no keys.
        if is_lost:
            to = "nothing" if now is None else named(now)
            self.watch.found("focus", f"from {named(before)} to {to}, without input")
        self.watch.judge_typed()

    # -- turns ----------------------------------------------------------------------------------------------

    def _mark(self) -> None:
        self._last_s = time.thread_time()

    def _on_turn(self) -> None:
        watch = self.watch
        if watch is None or not self._depth:
            return
        self._check("a turn")
        if watch.geometry and self.is_judging and self._last_s - self._placed_s > _PLACES_EVERY_S:
            watch.judge_places()
            self._mark()
            self._placed_s = self._last_s

    def _check(self, what: str) -> None:
        now_s = time.thread_time()
        took_s, self._last_s = now_s - self._last_s, now_s
        if took_s > _TURN_S and self.watch is not None and self._is_watched():
            most_s = _TURN_S * max(1.0, _calibrate() / _CALIBRATOR_S) * (_BUSY if _is_busy() else 1.0)
            if took_s > most_s:
                times = f"{1000 * took_s:.0f} ms, more than {1000 * most_s:.0f}"
                self.watch.found("turn", f"{what} took {times}")
            self._last_s = time.thread_time()

    def _is_watched(self) -> bool:
        """Return True if a window was painted before this turn: making one is not watched."""
        if self._making:
            return False
        if not self._has_window:
            self._has_window = any(
                isinstance(one, ConsoleWindow) and one._was_painted for one in QApplication.topLevelWidgets()
            )
            return False
        return True

    # -- where it listens -----------------------------------------------------------------------------------

    def _put_in(self) -> None:
        """Put itself around the inputs of QTest, all that runs the event loop, and the making of windows."""
        for name in _INPUTS:
            if (function := getattr(QTest, name, None)) is not None:
                setattr(QTest, name, staticmethod(self._around_input(name, function)))
        QEventLoop.exec = self._around_wait(QEventLoop.exec)  # type: ignore[method-assign]
        process = staticmethod(self._around_wait(QCoreApplication.processEvents))
        QCoreApplication.processEvents = process  # type: ignore[method-assign]
        QTest.qWait = staticmethod(self._around_wait(QTest.qWait))  # type: ignore[method-assign]
        show, monitor = ConsoleWindow.showEvent, self

        def show_watched(window: ConsoleWindow, event: Any) -> None:
            if not window._was_painted:
                monitor._making += 1
                window.painted.connect(monitor._on_painted)
            show(window, event)

        ConsoleWindow.showEvent = show_watched  # type: ignore[assignment, method-assign]

    def _on_painted(self) -> None:
        self._making = max(self._making - 1, 0)

    def _around_input(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            if self.watch is None:
                return function(*args, **options)
            what = f"{name}({', '.join(map(named, [*args, *options.values()]))})"
            self.begin_input(what)
            if name.startswith("mouse") or any(one in args for one in (*_ENDS, _ALT)):
                self.watch.end_typing()
            try:
                return function(*args, **options)
            finally:
                self.end_input(what)

        return run

    def _around_wait(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            if self.watch is None or threading.current_thread() is not threading.main_thread():
                return function(*args, **options)
            self.enter_wait()
            try:
                return function(*args, **options)
            finally:
                self.leave_wait()

        return run


@contextmanager
def waiting() -> Iterator[None]:
    """Take all that happens inside as one wait: a bot asks in between whether it is over."""
    monitor = _Monitor.get()
    if monitor.watch is None:
        yield
        return
    monitor.enter_wait()
    try:
        yield
    finally:
        monitor.leave_wait()


def _is_modified(editor: _Editor) -> bool:
    return editor.isModified() if isinstance(editor, QLineEdit) else editor.document().isModified()


def _text(editor: _Editor) -> str:
    return editor.text() if isinstance(editor, QLineEdit) else editor.toPlainText()


def _windows() -> list[QWidget]:
    return [one for one in QApplication.topLevelWidgets() if one.isVisible()]


def _pictures() -> list[tuple[str, QPixmap]]:
    """Return the windows as they are on the screen: to paint them anew would move what waits to be moved."""
    found = [(one, one.screen().grabWindow(one.winId())) for one in _windows()]
    return [(f"{at}-{type(one).__name__}", picture) for at, (one, picture) in enumerate(found)]


def _is_busy() -> bool:
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > (os.cpu_count() or 1)


def _calibrate() -> float:
    """Return the processor seconds of a loop in Python: how fast this thread is now."""
    began_s, total = time.thread_time(), 0
    for at in range(_CALIBRATOR_LOOPS):
        total += at * at % 7
    return time.thread_time() - began_s
