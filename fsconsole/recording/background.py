"""Writing in a separate thread, in order, so that a machine does not wait for the disk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

MOST_WAITING = 32


class BackgroundWriter:
    """A thread that runs jobs in order; an error ends the writing, and the next call raises it."""

    def __init__(self) -> None:
        """Create a writer; the first job starts its thread."""
        self._executor = ThreadPoolExecutor(1, "run writer")
        self._waiting: deque[Future[None]] = deque()
        self._has_failed = False

    def submit(self, job: Callable[[], None]) -> None:
        """Queue a job after those before it; wait if the disk is far behind.

        The error of an earlier job is raised here.
        """
        self._collect(MOST_WAITING - 1)
        self._waiting.append(self._executor.submit(self._do, job))

    def check(self) -> None:
        """Raise the error of an earlier job, if any."""
        while self._waiting and self._waiting[0].done():
            self._pop()

    def drain(self) -> None:
        """Wait for all jobs; raise the error of one that failed."""
        self._collect(0)

    def close(self) -> None:
        """End the thread; jobs that have not started are dropped."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _do(self, job: Callable[[], None]) -> None:
        """Run a job in the thread, unless one before it failed: the files would have holes."""
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
        """Wait for the oldest job and remove it; raise its error."""
        error = self._waiting.popleft().exception()
        if error is not None:
            waiting, self._waiting = self._waiting, deque()
            for future in waiting:
                future.cancel()
            raise error
