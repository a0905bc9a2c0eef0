"""Computation of a study's cells on the workers of a Dask cluster, by the address of its scheduler."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from fsconsole.batch.study.spec import StudyError
from fsconsole.batch.study.task import RESULTS_VERSION, CellResult, Work
from fsconsole.resources import this_program
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from distributed import Future

    from fsconsole.batch.job_table import JobTable
    from fsconsole.batch.study.stored_jobs import StoredJobs

_AHEAD = 2  # Each thread of a worker has a task ahead, so that it never waits for the next one.
_CLOSE_S = 3.0
_LOOK_S = 2.0  # Counting workers more often would only load the scheduler.
NO_WORKERS_S = 60.0  # A study waits no longer for workers to appear or to return.


class ClusterExecutor:
    """Workers of a Dask cluster, which need this program installed too, but share no files.

    If a worker is lost its cells go to others; if all are, workers that appear within a minute take over.
    """

    def __init__(self, address: str, *, timeout_s: float = 10.0, no_workers_s: float = NO_WORKERS_S) -> None:
        """Connect to a scheduler such as `tcp://n01:8786`.

        Raises:
            StudyError: it does not answer, has no workers, or has workers of another version.
        """
        self._address = address
        self._no_workers_s = no_workers_s
        self._client, self._levels = _connected(address, timeout_s)
        self._run = uuid4().hex[:8]
        self._received: SimpleQueue[CellResult | StudyError] = SimpleQueue()
        self._tasks: dict[str, Future[CellResult]] = {}
        self._started: set[str] = set()
        self._tables: dict[Path, Future[JobTable]] = {}
        self._threads: dict[str, int] = {}
        self._looked = self._seen = monotonic()
        try:
            self._threads = _count(self._client, address)
            _check_workers(self._client, address, self._threads)
        except BaseException:
            self._close()
            raise

    @property
    def where(self) -> str:
        """Place of the computation in words."""
        hosts = {worker.rpartition(":")[0] for worker in self._threads}
        workers = count_words(len(self._threads), "worker")
        return f"{workers} on {count_words(len(hosts), 'host')} at {self._address}"

    @property
    def addresses(self) -> tuple[str, ...]:
        """Addresses of the workers."""
        return tuple(self._threads)

    @property
    def workers(self) -> int:
        """Number of cells computed at a time."""
        return max(1, sum(self._threads.values()))

    def room(self) -> int:
        """Return the number of further tasks that it accepts now."""
        return self.workers * _AHEAD - len(self._tasks)

    def submit(self, task: Work, jobs: Path) -> None:
        """Pass a task to the scheduler, with its jobs unless it has them."""
        if jobs not in self._tables:
            from fsconsole.batch.study.stored_jobs import StoredJobs

            stored, name = StoredJobs.read(jobs), f"fsconsole-jobs-{jobs.name}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Dask warns about large tables that do not come from files
                self._tables[jobs] = self._client.submit(_table, stored, key=f"{name}-{self._run}")
        key = task.key
        made: Any = self._client.submit(
            _work_out, task, self._tables[jobs], key=f"fsconsole-cell-{key}-{self._run}"
        )
        self._tasks[key] = made
        made.add_done_callback(partial(_on_result, key, self._address, self._received.put))

    def answers(self, timeout_s: float) -> list[CellResult]:
        """Return new answers, after waiting up to `timeout_s` for one.

        Raises:
            StudyError: the cluster is gone.
        """
        results = self._begun()
        with suppress(Empty):
            while True:
                answer = self._received.get(timeout=None if results else timeout_s, block=not results)
                if isinstance(answer, StudyError):
                    raise answer
                results += self._taken(answer)
        self._look()
        return results

    def abandon(self) -> None:
        """Cancel the unfinished tasks."""
        tasks, self._tasks = list(self._tasks.values()), {}
        self._started.clear()
        with suppress(Exception):  # A lost scheduler has nothing to cancel.
            self._client.cancel(tasks, force=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._tasks.clear()
        self._tables.clear()
        self._close()

    def _close(self) -> None:
        with suppress(Exception):
            self._client.close(timeout=_CLOSE_S)
        _set_levels(self._levels)

    def _taken(self, answer: CellResult) -> list[CellResult]:
        """Return an answer, preceded by the start of its cell unless that was reported."""
        if self._tasks.pop(answer.key, None) is None:
            return []
        started = [] if answer.key in self._started else [CellResult(answer.key, "started")]
        self._started.discard(answer.key)
        return [*started, answer]

    def _begun(self) -> list[CellResult]:
        """Return cells assumed to have started: the scheduler passes them out in order, one a thread."""
        keys = [key for key in list(self._tasks)[: self.workers] if key not in self._started]
        self._started.update(keys)
        return [CellResult(key, "started") for key in keys]

    def _look(self) -> None:
        """Count the workers from time to time.

        Raises:
            StudyError: there were none for too long.
        """
        now = monotonic()
        if now - self._looked < _LOOK_S:
            return
        self._looked = now
        self._threads = _count(self._client, self._address)
        if self._threads:
            self._seen = now
        elif now - self._seen > self._no_workers_s:
            msg = f"{self._address} has had no worker for {self._no_workers_s:g} s"
            raise StudyError(
                f"{msg}. Start workers with `dask worker {self._address}`, and run the study again"
            )


def _connected(address: str, timeout_s: float) -> tuple[Any, dict[str, int]]:
    """Return the client, and the levels of distributed's loggers, to be restored at the end."""
    try:
        from distributed import Client
    except ImportError:
        msg = "clusters need Dask's distributed. Install it with `pip install 'fsconsole[cluster]'`"
        raise StudyError(msg) from None
    made: Any = Client
    levels = _quieted()
    try:
        _knock(address, timeout_s)
        with warnings.catch_warnings():
            # Dask warns about versions of packages; the relevant ones are compared below.
            warnings.simplefilter("ignore")
            return made(address, timeout=timeout_s, set_as_default=False, name="fsconsole-study"), levels
    except (OSError, ValueError, TypeError) as error:
        _set_levels(levels)
        reason = (str(error) or type(error).__name__).splitlines()[0]
        msg = f"no Dask scheduler responds at {address} ({reason})"
        raise StudyError(f"{msg}. Start one with `dask scheduler`, which prints its address") from None


def _knock(address: str, timeout_s: float) -> None:
    """Try the connection, since a client without an answer leaves threads behind; OSError, ValueError."""
    from distributed import rpc
    from distributed.comm.addressing import resolve_address

    reach: Any = rpc

    async def identity() -> Any:
        async with reach(address) as there:
            return await asyncio.wait_for(there.identity(), timeout_s)

    if not resolve_address(address).startswith("tcp://"):
        return  # Other protocols may need certificates, which only the client has.
    try:
        kind = asyncio.run(identity()).get("type")
    except TimeoutError:
        msg = f"no response within {timeout_s:g} s"
        raise TimeoutError(msg) from None
    if kind != "Scheduler":
        msg = f"this is a {str(kind).lower()}, not a scheduler"
        raise ValueError(msg)


def _quieted() -> dict[str, int]:
    """Keep distributed from writing tracebacks on stderr; return the former levels.

    Failures are reported once, in words.
    """
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]
    levels = {name: logging.getLogger(name).level for name in names}
    _set_levels(dict.fromkeys(names, logging.CRITICAL + 1))
    return levels


def _set_levels(levels: Mapping[str, int]) -> None:
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def _count(client: Any, address: str) -> dict[str, int]:
    """Return the number of threads of each worker by its address."""
    try:
        return dict(client.nthreads())
    except Exception as error:  # noqa: BLE001 (Dask has many ways to say so)
        raise _gone(address, error) from None


def _gone(address: str, error: Exception | None = None) -> StudyError:
    reason = f" ({type(error).__name__}: {error})" if error is not None else ""
    msg = f"the scheduler at {address} stopped responding{reason}. Finished cells are kept"
    return StudyError(f"{msg}. Run the study again to resume it")


def _check_workers(client: Any, address: str, threads: dict[str, int]) -> None:
    if not threads:
        msg = f"no worker at {address}. Start workers with `dask worker {address}`"
        raise StudyError(msg)
    try:
        versions = client.run(_version, on_error="return")
    except Exception as error:  # noqa: BLE001 (Dask has many ways to say so)
        raise _gone(address, error) from None
    for worker, version in sorted(versions.items()):
        if isinstance(version, Exception):
            # Dask raises a bare Exception for an answer that it cannot send.
            what = str(version) if type(version) is Exception else repr(version)
            msg = f"worker {worker} cannot run cells ({what})"
            raise StudyError(f"{msg}. Install {this_program()} there")
        if version != RESULTS_VERSION:
            msg = (
                f"worker {worker} returns results of version {version}, but this program uses "
                f"version {RESULTS_VERSION}"
            )
            raise StudyError(f"{msg}. Install {this_program()} there")


# The functions below run on workers.


def _version() -> int:
    return RESULTS_VERSION


def _table(stored: StoredJobs) -> JobTable:
    return stored.table()


def _work_out(asked: Work, jobs: JobTable) -> CellResult:
    return asked.compute(jobs)


def _on_result(
    key: str, address: str, put: Callable[[CellResult | StudyError], None], future: Future[Any]
) -> None:
    """Record the result of a task, in the client's own thread."""
    from distributed import KilledWorker

    try:
        put(future.result())
    except CancelledError:
        put(_gone(address))
    except KilledWorker as error:
        text = f"its worker died on all {error.allowed_failures + 1} attempts"
        put(CellResult(key, "failed", text=f"{text}. The worker was killed or ran out of memory"))
    except Exception as error:  # noqa: BLE001 (whatever a worker, or the way to it, may come up with)
        put(CellResult(key, "failed", text=f"{type(error).__name__}: {error}"))
