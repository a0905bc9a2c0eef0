"""Writing in a thread of its own, in order, so that a machine does not wait for the disk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

MOST_WAITING = 32


class BackgroundWriter:
    """Does one job after the other; what goes wrong is raised by the next call, and ends the writing."""

    def __init__(self) -> None:
        """Start the thread with the first job."""
        self._executor = ThreadPoolExecutor(1, "run writer")
        self._waiting: deque[Future[None]] = deque()
        self._has_failed = False

    def submit(self, job: Callable[[], None]) -> None:
        """Have a job done after those before it; waits where the disk is far behind.

        Raises what an earlier job has raised.
        """
        self._collect(MOST_WAITING - 1)
        self._waiting.append(self._executor.submit(self._do, job))

    def check(self) -> None:
        """Raise what a job has raised."""
        while self._waiting and self._waiting[0].done():
            self._pop()

    def drain(self) -> None:
        """Wait for all jobs; raises what one has raised."""
        self._collect(0)

    def close(self) -> None:
        """End the thread; jobs that have not begun are dropped."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _do(self, job: Callable[[], None]) -> None:
        """Do a job, in the thread; after one that failed none is done: files would have holes."""
        if self._has_failed:
            return
        try:
            job()
        except BaseException:
            self._has_failed = True
            raise

    def _collect(self, most: int) -> None:
        self.check()
        while len(self._waiting) > most:
            self._pop()

    def _pop(self) -> None:
        """Take in the oldest job; raise what it has raised."""
        error = self._waiting.popleft().exception()
        if error is not None:
            waiting, self._waiting = self._waiting, deque()
            for future in waiting:
                future.cancel()
            raise error
