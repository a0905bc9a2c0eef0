"""A scheduler and two workers of this machine, as processes of their own on the loopback address."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.batch.search.folder import POINTS, SETTINGS
from fsconsole.batch.search.run import run_search
from fsconsole.batch.search.search_file import read_search
from fsconsole.batch.study.cluster import ClusterExecutor
from fsconsole.batch.study.run import CellEvent, run_study
from fsconsole.batch.study.spec import StudyError, StudySpec
from fsconsole.batch.study.study_file import read_study
from fsconsole.batch.study.task import RESULTS_VERSION, CellResult
from tests.batch.search.small_search import TEXT, Here, write_search
from tests.batch.study.small import HereExecutor, write_small
from tests.texts import Expected, naming, says, worded, wording

pytest.importorskip("distributed")

CHECKOUT = Path(__file__).resolve().parents[3]
_END_S = 60.0
# How long Dask tries to reach a worker that may be lost: 30 s where nobody says otherwise.
QUICK = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}
WORKER = "from distributed.cli.dask_worker import main; main()"
OLD_WORKER = f"import fsconsole.batch.study.task as t; t.RESULTS_VERSION = {RESULTS_VERSION + 1}; {WORKER}"
# A worker on which the program is not installed, as far as it can see.
BARE_WORKER = f"import sys; sys.modules['fsconsole'] = None; {WORKER}"


class Cluster:
    """Processes that end with the test."""

    def __init__(self, folder: Path, ended: ExitStack) -> None:
        self._folder, self._ended = folder, ended
        code = "from distributed.cli.dask_scheduler import main; main()"
        self.scheduler = self._start(code, "--host", "127.0.0.1", "--port", "0")
        self.address = self._line_with(self.scheduler, "Scheduler at:").split()[-1]
        self.workers: list[subprocess.Popen[str]] = []

    def add_worker(self, code: str = WORKER) -> subprocess.Popen[str]:
        """A worker of one thread that the scheduler knows."""
        options = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny")
        worker = self._start(code, self.address, *options, "--local-directory", str(self._folder))
        self._line_with(worker, "Registered to:")
        self.workers.append(worker)
        return worker

    def _start(self, code: str, *arguments: str) -> subprocess.Popen[str]:
        line = [sys.executable, "-c", code, "--no-dashboard", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), **QUICK}
        started = subprocess.Popen(line, env=environment, text=True, stderr=subprocess.PIPE)
        self._ended.callback(_end, started)
        return started

    @staticmethod
    def _line_with(process: subprocess.Popen[str], words: str) -> str:
        lines = []
        assert process.stderr is not None
        for line in process.stderr:
            lines.append(line)
            if words in line:
                return line
        raise AssertionError("".join(lines))


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as ended:
        yield Cluster(tmp_path, ended)


@pytest.fixture
def spec(tmp_path: Path) -> StudySpec:
    return read_study(write_small(tmp_path))


def results_until(executor: ClusterExecutor, fits: Callable[[CellResult], bool]) -> list[CellResult]:
    """Answers up to one that fits."""
    results: list[CellResult] = []
    while not any(map(fits, results)):
        results += executor.answers(_END_S)
    return results


@pytest.mark.dear("starts three programs of Dask")
def test_a_cluster_gives_what_one_process_does(cluster: Cluster, spec: StudySpec, tmp_path: Path) -> None:
    cluster.add_worker()
    cluster.add_worker()
    events: list[CellEvent] = []
    with ClusterExecutor(cluster.address) as executor:
        assert executor.where == wording(
            "batch.study.on-at", workers="2 workers", hosts="1 host", address=cluster.address
        )
        there = run_study(spec, tmp_path / "there", executor, events.append)
    here = run_study(spec, tmp_path / "here", HereExecutor())
    assert len(there.summary()) == 3
    assert there.summary().drop("jobs_per_s").equals(here.summary().drop("jobs_per_s"))
    assert there.users().equals(here.users())
    assert [event.kind for event in events].count("started") == 3
    assert [event.kind for event in events].count("finished") == 3


@pytest.mark.whole("starts three programs of Dask; a study on a cluster is in every run")
def test_a_search_on_a_cluster_gives_the_same_bytes(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_worker()
    cluster.add_worker()
    search = replace(read_search(write_search(tmp_path)), budget=20)
    with ClusterExecutor(cluster.address) as executor:
        run_search(search, TEXT, tmp_path / "there", executor)
    run_search(search, TEXT, tmp_path / "here", Here())
    for name in (SETTINGS, POINTS):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


@pytest.mark.dear("starts three programs of Dask")
def test_when_a_worker_is_lost_another_takes_over(cluster: Cluster, spec: StudySpec, tmp_path: Path) -> None:
    lost = cluster.add_worker()
    stored = run_study(spec, tmp_path / "out", HereExecutor())
    cells = {cell.key: cell for cell in stored.cells()}
    with ClusterExecutor(cluster.address) as executor:
        for cell in cells.values():
            executor.submit(stored.plan.task(cell), stored.jobs_path(cell.source))
        first = results_until(executor, lambda answer: answer.kind == "started")
        lost.kill()
        cluster.add_worker()
        messages = [*first, *results_until(executor, lambda answer: answer.kind != "started")]
        while sum(answer.kind != "started" for answer in messages) < len(cells):
            messages += executor.answers(_END_S)
    assert {answer.key for answer in messages if answer.kind == "done"} == set(cells)


@pytest.mark.whole("starts two programs of Dask")
def test_a_study_ends_when_no_worker_is_left(cluster: Cluster, spec: StudySpec, tmp_path: Path) -> None:
    worker = cluster.add_worker()

    def on_event(event: CellEvent) -> None:
        if event.kind == "found":
            worker.kill()

    with (
        ClusterExecutor(cluster.address, no_workers_s=0.5) as executor,
        pytest.raises(StudyError, match=r"tcp://.* has had no worker for 0.5 s. Start workers with"),
    ):
        run_study(spec, tmp_path / "out", executor, on_event)


def test_a_study_ends_when_the_scheduler_is_gone(cluster: Cluster, spec: StudySpec, tmp_path: Path) -> None:
    cluster.add_worker()

    def on_event(event: CellEvent) -> None:
        if event.kind == "found":
            cluster.scheduler.kill()

    with (
        ClusterExecutor(cluster.address) as executor,
        pytest.raises(
            StudyError, match=r"the scheduler at tcp://.* stopped responding.*Finished cells are kept"
        ),
    ):
        run_study(spec, tmp_path / "out", executor, on_event)
    executor = HereExecutor()  # type: ignore[assignment] # the folder is free again
    assert len(run_study(spec, tmp_path / "out", executor).summary()) == 3


def refused(address: str) -> str:
    with pytest.raises(StudyError) as error:
        ClusterExecutor(address, timeout_s=2)
    return str(error.value)


def test_workers_that_cannot_do_it_are_reported_before_anything_is_run(cluster: Cluster) -> None:
    assert "no worker at tcp://" in refused(cluster.address)
    old = cluster.add_worker(OLD_WORKER)
    assert (
        f"returns results of version {RESULTS_VERSION + 1}, but this program uses version {RESULTS_VERSION}"
        in refused(cluster.address)
    )
    _end_worker(old, cluster)
    cluster.add_worker(BARE_WORKER)
    assert "cannot run cells (ModuleNotFoundError" in refused(cluster.address)


def _end_worker(worker: subprocess.Popen[str], cluster: Cluster) -> None:
    """End one as a person does, so that the scheduler knows."""
    worker.terminate()
    worker.wait()
    assert cluster.workers.pop() is worker


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (
            "tcp://127.0.0.1:1",
            worded(
                "batch.study.no-dask-scheduler-responds-at",
                address="tcp://127.0.0.1:1",
                reason=wording("batch.study.no-response-within-s", timeout_s="2"),
            ),
        ),
        ("nonsense", naming("missing port number")),
        ("foo://n01:8786", naming("unknown address scheme 'foo'")),
        ("", naming("missing port number")),
    ],
)
def test_where_nobody_answers_is_reported(address: str, message: Expected) -> None:
    assert says(refused(address), message)


def test_a_worker_in_place_of_its_scheduler_is_reported(cluster: Cluster) -> None:
    worker = cluster.add_worker()
    with ClusterExecutor(cluster.address) as executor:
        (address,) = executor.addresses
    assert says(refused(address), "batch.study.this-is-not-scheduler", kind="worker")
    assert worker.poll() is None
