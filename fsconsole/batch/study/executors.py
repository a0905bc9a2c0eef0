"""Computation of a study's cells in processes of this machine."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Self

from fsconsole.batch.study.spec import StudyError
from fsconsole.batch.study.task import CellResult, Work
from fsconsole.operating_system import leave_signals_to_parent, usable_cpus
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    if sys.platform == "win32":
        from multiprocessing.connection import PipeConnection as Connection
    else:
        from multiprocessing.connection import Connection

    from fsconsole.batch.job_table import JobTable

_AHEAD = 2  # Each worker has its next task while its answer is stored.
_ATTEMPTS = 2
_END_S = 5.0


@dataclass(slots=True)
class _Worker:
    """A process, its tasks, and those that it has started."""

    process: SpawnProcess
    connection: Connection
    given: deque[tuple[Work, Path]] = field(default_factory=deque)
    has_begun: bool = False

    def end(self) -> None:
        """Kill the process at once."""
        self.connection.close()
        self.process.terminate()
        self.process.join(_END_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        # It is not closed: at the end of the program, multiprocessing joins it in another thread.


class LocalExecutor:
    """Processes of this machine, each started for its first task.

    A process that ends unexpectedly (killed, out of memory) is replaced; its present cell is tried once more
    and fails if that ends the next process too.
    """

    def __init__(self, workers: int | None = None) -> None:
        """Use this number of processes, by default one for each core.

        Raises:
            StudyError: the number is below 1.
        """
        count = cores() if workers is None else workers
        if count < 1:
            msg = f"cannot use {count} workers. Use at least 1"
            raise StudyError(msg)
        self._count = count
        self._workers: list[_Worker] = []
        self._lost: dict[str, int] = {}
        self._received: list[CellResult] = []

    @property
    def where(self) -> str:
        """Place of the computation in words."""
        return f"{count_words(self._count, 'process')} on this machine"

    @property
    def workers(self) -> int:
        """Number of cells computed at a time."""
        return self._count

    def room(self) -> int:
        """Return the number of further tasks that it accepts now."""
        return self._count * _AHEAD - sum(len(worker.given) for worker in self._workers)

    def submit(self, task: Work, jobs: Path) -> None:
        """Give a task to the process with the fewest tasks."""
        idle = min(self._workers, key=lambda worker: len(worker.given), default=None)
        if idle is None or (idle.given and len(self._workers) < self._count):
            idle = self._start()
        idle.given.append((task, jobs))
        with suppress(OSError):  # The process has just ended; `answers` will find that.
            idle.connection.send((task, jobs))

    def answers(self, timeout_s: float) -> list[CellResult]:
        """Return new answers, after waiting up to `timeout_s` for one."""
        received, self._received = self._received, []
        by_connection = {worker.connection: worker for worker in self._workers}
        for ready in connection.wait(list(by_connection), 0 if received else timeout_s):
            received += self._receive(by_connection[ready])  # type: ignore[index] # connections were given
        return received

    def abandon(self) -> None:
        """Kill all processes with tasks."""
        for worker in [worker for worker in self._workers if worker.given]:
            self._workers.remove(worker)
            worker.end()
        self._received.clear()
        self._lost.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def _start(self) -> _Worker:
        context = get_context("spawn")  # Threads and locks of the window are then not copied.
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs,), daemon=True, name="study worker")
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def _receive(self, worker: _Worker) -> list[CellResult]:
        received: list[CellResult] = []
        try:
            while worker.connection.poll():
                answer = worker.connection.recv()
                received.append(answer)
                worker.has_begun = answer.kind == "started"
                if not worker.has_begun:
                    worker.given.popleft()
        except (EOFError, OSError):
            received += self._replace(worker)
        return received

    def _replace(self, worker: _Worker) -> list[CellResult]:
        """Give the tasks of an ended process to others; retry the one it was running, or fail it."""
        worker.process.join(_END_S)
        reason = _reason(worker.process.exitcode)
        self._workers.remove(worker)
        worker.end()
        given = list(worker.given)
        failed: list[CellResult] = []
        if given:
            key = given[0][0].key
            self._lost[key] = self._lost.get(key, 0) + 1
            if self._lost[key] >= _ATTEMPTS:
                given.pop(0)
                text = f"its process ended twice: {reason}"
                failed.append(CellResult(key, "failed", text=text))
        for task, jobs in given:
            self.submit(task, jobs)
        return failed


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(usable_cpus())


def _reason(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"exit status {exitcode}"
    return f"signal {-exitcode}" + (", for example because memory is short" if exitcode == -9 else "")


_TABLES_KEPT = 4


def serve(connection: Connection) -> None:
    """Run tasks from a connection in order, until it ends."""
    leave_signals_to_parent()
    # There is one worker for each core, so its libraries need no threads.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    tasks: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()
    tables: dict[Path, JobTable] = {}
    while (asked := tasks.get()) is not None:
        from fsconsole.batch.study.task import CellResult

        task, path = asked
        connection.send(CellResult(task.key, "started"))
        connection.send(answer(task, path, tables))


def _listen(connection: Connection, tasks: SimpleQueue[Any]) -> None:
    """Read tasks at once, so that the sender never waits; end this process when the connection ends."""
    try:
        while True:
            tasks.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)


def answer(task: Work, path: Path, tables: dict[Path, JobTable]) -> CellResult:
    """Do a task on the jobs of a file, as a worker does; it keeps the last tables."""
    from fsconsole.batch.study.stored_jobs import StoredJobs
    from fsconsole.batch.study.task import CellResult

    try:
        if path not in tables:
            while len(tables) >= _TABLES_KEPT:
                tables.pop(next(iter(tables)))
            tables[path] = StoredJobs.read(path).table()
    except Exception as error:  # noqa: BLE001 (the process must answer)
        return CellResult(task.key, "failed", text=f"the jobs of the workload cannot be read: {error}")
    done: CellResult = task.compute(tables[path])
    return done
