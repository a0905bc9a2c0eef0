"""A thread that does one thing after the other, and returns the result of each."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

T = TypeVar("T")
_Task = tuple[Callable[[], Any], "Future[Any]"]


class SerialExecutor:
    """Starts its thread with the first task; the thread does not keep the program from ending.

    A pool of the standard library would be waited for when Python ends, however long a cluster hangs.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._is_closed = False

    def submit(self, task: Callable[[], T]) -> Future[T]:
        """Run a function after all that was submitted before; cancelled where the executor is closed."""
        future: Future[T] = Future()
        with self._lock:
            if self._is_closed:
                future.cancel()
                return future
            self._tasks.put((task, future))
            if self._thread is None:
                self._thread = Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        return future

    def close(self, wait_s: float = 0.0) -> None:
        """Accept no more work; wait at most this long for submitted work."""
        with self._lock:
            if not self._is_closed:
                self._tasks.put(None)
            self._is_closed = True
            thread = self._thread
        if thread is not None and wait_s:
            thread.join(wait_s)

    def _work(self) -> None:
        while (asked := self._tasks.get()) is not None:
            task, future = asked
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(task())
            except Exception as error:  # noqa: BLE001 (the caller receives it)
                future.set_exception(error)
