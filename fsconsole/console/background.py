"""Work in a thread whose results come to the window's thread, or no longer once it is cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from importlib import import_module
from threading import Lock, Thread
from typing import TypeVar, cast

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Signal, SignalInstance, Slot
from shiboken6 import isValid

from fsconsole.console.courier import courier

T = TypeVar("T")
_first_import = Lock()
_TRIES, _WAIT_S = 50, 0.1  # on a busy computer the other thread's import may take seconds
_LOOK_MS = 200


SCENARIO_FORM = "fsconsole.shares.scenario.schema"  # with all of pydantic that is ever needed


def load(module: str) -> None:
    """Import what is imported late, in a thread; ImportError where it cannot be.

    Qt's hook looks into each module as it is imported; two threads that meet in one get an ImportError from
    a half of it. So one at a time, and again where it was the window's thread that it met.
    """
    with _first_import:
        for _ in range(_TRIES):
            try:
                import_module(module)
            except ModuleNotFoundError:
                raise
            except ImportError:
                time.sleep(_WAIT_S)
            else:
                return
        import_module(module)


def called(call: Callable[[], T]) -> T:
    """What a call returns; again where another thread met half of what it imports (see `load`)."""
    for _ in range(_TRIES):
        try:
            return call()
        except ModuleNotFoundError:
            raise
        except ImportError:
            time.sleep(_WAIT_S)
    return call()


class Background(QObject):
    """Base of a piece of work; `work` runs in the thread and says what it has found by `tell`.

    It belongs to a parent, so that it is never destroyed by the thread. That its parent goes cancels it.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._courier = courier()
        self._is_cancelled = False
        self._thread = Thread(target=self.work, name=type(self).__name__, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Have it end soon; nothing is told any more, not even what is on its way."""
        self._is_cancelled = True

    def is_cancelled(self) -> bool:
        """Whether the work should end."""
        return self._is_cancelled or not isValid(self)

    @Slot()
    def let_go(self) -> None:
        """Nobody waits for it any more: it goes, with all that it holds, as soon as its thread has ended."""
        self.cancel()
        if self._thread.is_alive():
            QTimer.singleShot(_LOOK_MS, self, self.let_go)
        else:
            self.deleteLater()

    def tell(self, signal: SignalInstance, *values: object) -> None:
        """Have a signal emitted in the window's thread, unless the work is cancelled before."""
        if not self.is_cancelled():
            self._courier.call(self._say, signal, values)

    def _say(self, signal: SignalInstance, values: tuple[object, ...]) -> None:
        if not self.is_cancelled():
            signal.emit(*values)

    def work(self) -> None:
        """What is to be done; called in the thread."""
        raise NotImplementedError


class _Task(Background):
    """One call in a thread. Signals: ended() once it has come back."""

    ended = Signal()

    def __init__(self, call: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._call = call
        self.result: Future[object] = Future()

    def work(self) -> None:
        """In the thread."""
        try:
            self.result.set_result(self._call())
        except Exception as error:  # noqa: BLE001 (raised again in the thread that waits)
            self.result.set_exception(error)
        self.tell(self.ended)


def away_from_window(call: Callable[[], T], parent: QObject) -> T:
    """What a call returns or raises; done in a thread, and the window is painted meanwhile.

    Keys and clicks wait until it is done, so the call sees nothing change under it.
    """
    task, loop = _Task(call, parent), QEventLoop()
    task.ended.connect(loop.quit, Qt.ConnectionType.QueuedConnection)
    task.start()
    loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    task.deleteLater()
    return cast("T", task.result.result())
