"""Calls in threads, and futures of other threads, whose results arrive in the window's thread.

A thread must not emit the signals of an object that may go: Qt deletes an object with its parent, without
waiting for the GIL, and a thread that is inside the emission then reads freed memory. So a thread hands over
a call to an object that lives as the application does (`MainThreadCalls`); whether anybody still wants the
result is decided where objects are deleted, in the window's thread.

Nor is a signal of that object emitted: objects share Qt's locks of connections, and the window's thread may
have such a lock and wait for the GIL.

Nor may a thread hold the last reference to an object of Qt, which would be deleted there. So a thread knows
its `Task` alone; a table of the window's thread holds who takes the result. What is called in a thread must
not hold objects of Qt either.
"""

from __future__ import annotations

import atexit
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import partial
from threading import Lock, Thread
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEventLoop, QMetaObject, QObject, Qt, QTimer, Slot
from shiboken6 import isValid

from fsconsole.console.widgets.late_input import by_itself, by_itself_for_now

T = TypeVar("T")
_STEP = 0.01
_log = logging.getLogger(__name__)


class MainThreadCalls(QObject):
    """Makes calls in the thread it was made in, in the order in which they were handed over."""

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self.listeners: dict[Task, _Listener] = {}
        self._calls: deque[tuple[Callable[..., object], tuple[object, ...]]] = deque()
        self._posting = Lock()
        self._is_closed = False
        atexit.register(self.close)  # Runs before Qt's own handler, which ends the application.

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Have a function called soon; from any thread. Nothing happens once the program ends."""
        with self._posting:
            if self._is_closed or not isValid(self):
                return
            self._calls.append((function, args))
            # At run time this is a str, contrary to PySide's stubs.
            QMetaObject.invokeMethod(self, "_make_next", Qt.ConnectionType.QueuedConnection)  # type: ignore[call-overload]

    def close(self) -> None:
        """Drop all further calls, because the program ends while its threads may still run for a moment."""
        with self._posting:
            self._is_closed = True

    def listen(self, task: Task, listener: _Listener) -> None:
        """Remember who takes the result of a task, and forget those that have gone."""
        for gone in [one for one in self.listeners if one.is_cancelled()]:
            del self.listeners[gone]
        self.listeners[task] = listener

    def report(self, task: Task, *values: object) -> None:
        """Hand on the progress of a task."""
        listener = self.listeners.get(task)
        if listener is not None and listener.on_progress is not None and not task.is_cancelled():
            listener.on_progress(*values)

    def end(self, task: Task, future: Future[Any]) -> None:
        """Hand on the result of a task, or its error."""
        listener = self.listeners.pop(task, None)
        if listener is None or task.is_cancelled():
            return
        task.cancel()
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            listener.on_result(future.result())
        elif listener.on_error is not None and isinstance(error, Exception):
            listener.on_error(error)
        elif not future.cancelled():
            raise error

    @Slot()
    def _make_next(self) -> None:
        """Make one call for each request, so that a dialog which runs in a call does not hold up the rest."""
        function, args = self._calls.popleft()
        with by_itself():
            function(*args)


def main_thread_calls() -> MainThreadCalls:
    """Return the application's own; for the window's thread, before a thread is begun."""
    app = QCoreApplication.instance()
    found: MainThreadCalls | None = app.findChild(MainThreadCalls) if app is not None else None
    return found or MainThreadCalls(app)


@dataclass(frozen=True, slots=True)
class _Listener:
    on_result: Callable[[Any], object]
    on_error: Callable[[Exception], object] | None
    on_progress: Callable[..., object] | None


class Task:
    """A call in a thread, or a future. Threads may use `is_cancelled` and `report`, and nothing else."""

    def __init__(self, tasks: Tasks, calls: MainThreadCalls) -> None:
        self._tasks, self._calls = tasks, calls
        self._is_cancelled = False
        self._reported = 0.0
        self.thread: Thread | None = None

    def cancel(self) -> None:
        """Have it end soon; nothing more is heard of it, not even what is on its way."""
        self._is_cancelled = True
        self._calls.listeners.pop(self, None)
        self._tasks.forget(self)

    def is_cancelled(self) -> bool:
        """Return True if the result would be discarded."""
        return self._is_cancelled or not isValid(self._tasks)

    def report(self, *values: object) -> None:
        """Have `on_progress` called with these values."""
        if not self.is_cancelled():
            self._calls.call(self._calls.report, self, *values)

    def report_fraction(self, fraction: float) -> None:
        """Report the part that is done, in steps of a percent."""
        if fraction - self._reported >= _STEP:
            self._reported = fraction
            self.report(fraction)

    def wait(self, timeout_s: float) -> None:
        """Wait for the end of its thread."""
        if self.thread is not None:
            self.thread.join(timeout_s)


class Tasks(QObject):
    """The tasks of an object: they are cancelled when it goes. All but `Task` is for the window's thread."""

    def __init__(self, owner: QObject) -> None:
        super().__init__(owner)
        self._calls = main_thread_calls()
        self._under_way: dict[Task, str] = {}

    def is_busy(self, key: str | None = None) -> bool:
        """Return True if a task is under way, or one with this key."""
        return bool(self._under_way) if key is None else key in self._under_way.values()

    def run(
        self,
        call: Callable[[], T],
        on_result: Callable[[T], object],
        on_error: Callable[[Exception], object] | None = None,
        *,
        latest: str = "",
        after_ms: int = 0,
    ) -> Task:
        """Call in a thread, after `after_ms`; a task with the same `latest` is cancelled.

        Without `on_error` an error is a fault of the program.
        """
        return self.run_task(lambda _: call(), on_result, on_error, latest=latest, after_ms=after_ms)

    def run_task(
        self,
        call: Callable[[Task], T],
        on_result: Callable[[T], object],
        on_error: Callable[[Exception], object] | None = None,
        on_progress: Callable[..., object] | None = None,
        *,
        latest: str = "",
        after_ms: int = 0,
    ) -> Task:
        """Call in a thread, as `run` does, what gets its task: to see whether it is cancelled, to report
        progress.
        """
        future: Future[T] = Future()
        task = self.watch(future, on_result, on_error, on_progress, latest=latest)
        task.thread = Thread(target=_fulfil, args=(future, call, task), name="task", daemon=True)
        if after_ms:
            QTimer.singleShot(after_ms, self, partial(_start, task))
        else:
            _start(task)
        return task

    def watch(
        self,
        future: Future[T],
        on_result: Callable[[T], object],
        on_error: Callable[[Exception], object] | None = None,
        on_progress: Callable[..., object] | None = None,
        *,
        latest: str = "",
    ) -> Task:
        """Wait for a future of another thread; one that is cancelled ends with CancelledError."""
        if latest:
            self.cancel(latest)
        task = Task(self, self._calls)
        self._under_way[task] = latest
        self._calls.listen(task, _Listener(on_result, on_error, on_progress))
        future.add_done_callback(partial(self._calls.call, self._calls.end, task))
        return task

    def cancel(self, key: str | None = None) -> None:
        """Cancel what is under way, or the task with this key."""
        for task, latest in list(self._under_way.items()):
            if key is None or latest == key:
                task.cancel()

    def forget(self, task: Task) -> None:
        """Take a task off the list; it has ended or is cancelled."""
        self._under_way.pop(task, None)


def run_and_wait(call: Callable[[], T], owner: QObject, *, is_late: bool = True) -> T:
    """Return or raise what a call returns or raises; a thread makes it while the window is painted.

    Keys and clicks wait until it is done, so the call sees nothing change under it. With `is_late` a dialog
    that opens next counts as one that opens by itself; otherwise as what the last input asked for.
    """
    future: Future[T] = Future()
    tasks, loop = Tasks(owner), QEventLoop()
    tasks.watch(future, lambda _: loop.quit(), lambda _: loop.quit())
    Thread(target=lambda: _fulfil(future, lambda _: call(), None), name="task", daemon=True).start()
    loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    tasks.deleteLater()
    if is_late:
        by_itself_for_now()
    return future.result()


def describe_error(error: Exception) -> str:
    """Describe what went wrong in its own words."""
    # The text of a LookupError would put its message in quotes.
    words = error.args[0] if isinstance(error, LookupError) and error.args else error
    return str(words) or type(error).__name__


def _start(task: Task) -> None:
    if task.thread is not None and not task.is_cancelled():
        task.thread.start()


def _fulfil(future: Future[T], call: Callable[[Any], T], task: Task | None) -> None:
    try:
        future.set_result(call(task))
    except Exception as error:  # noqa: BLE001 (handed to `on_error`, or raised, in the window's thread)
        if task is not None and not task.is_cancelled():
            # An invalid file or number is not a fault of the program.
            is_fault = not isinstance(error, OSError | ValueError)
            _log.warning("A background task failed: %s", error, exc_info=error if is_fault else None)
        future.set_exception(error)
