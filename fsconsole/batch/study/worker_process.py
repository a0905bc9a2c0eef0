"""A process of its own that computes cells for the one that started it, and ends with it."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fsconsole.batch.job_table import JobTable
    from fsconsole.batch.study.task import Answer

_TABLES_KEPT = 4


def serve(connection: Connection) -> None:
    """Answer the tasks that come over a connection, in their order, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the other's to hear
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # one worker a core: no threads beside them
    tasks: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()
    tables: dict[Path, JobTable] = {}
    while (asked := tasks.get()) is not None:
        from fsconsole.batch.study.task import Answer

        task, path = asked
        connection.send(Answer(task.cell.key, "started"))
        connection.send(_answer(task, path, tables))


def _listen(connection: Connection, tasks: SimpleQueue[Any]) -> None:
    """Take what comes at once, so that the other never waits; when that has gone, so is this process."""
    try:
        while True:
            tasks.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)


def _answer(task: Any, path: Path, tables: dict[Path, JobTable]) -> Answer:
    from fsconsole.batch.study.stored_jobs import StoredJobs
    from fsconsole.batch.study.task import Answer
    from fsconsole.batch.study.work import work_out

    try:
        if path not in tables:
            while len(tables) >= _TABLES_KEPT:
                tables.pop(next(iter(tables)))
            tables[path] = StoredJobs.read(path).table()
    except Exception as error:  # noqa: BLE001 (the process must answer)
        return Answer(task.cell.key, "failed", text=f"the jobs of the workload cannot be read: {error}")
    return work_out(task, tables[path])
