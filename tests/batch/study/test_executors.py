from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from fsconsole.batch.study.executors import LocalExecutor
from fsconsole.batch.study.run import CellEvent, run_study
from fsconsole.batch.study.spec import StudyError, StudySpec
from fsconsole.batch.study.study_file import read_study
from fsconsole.batch.study.task import CellResult
from tests.batch.study.small import HereExecutor, write_small
from tests.texts import refuses, says, wording

CHECKOUT = Path(__file__).resolve().parents[3]
_END_S = 30.0

# Runs a study and kills itself, as kill -9 does, when two cells are done. Its workers are named first.
KILLED = """
import os, signal, sys
from multiprocessing import active_children
from pathlib import Path

from fsconsole.batch.study.executors import LocalExecutor
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.study_file import read_study

def on_event(event):
    if event.kind == "finished" and event.done == 2:
        print(*(child.pid for child in active_children()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    with LocalExecutor(2) as executor:
        run_study(read_study(Path(sys.argv[1])), Path(sys.argv[2]), executor, on_event)
"""


@pytest.fixture
def spec(tmp_path: Path) -> StudySpec:
    policies = ("fcfs-backfill", "lxf-backfill", "relshare", "share-upper")
    return read_study(write_small(tmp_path, policies=policies))


def kill_first_worker() -> None:
    pid = min(child.pid or 0 for child in active_children())
    os.kill(pid, signal.SIGKILL)


def test_processes_give_what_one_process_does(spec: StudySpec, tmp_path: Path) -> None:
    with LocalExecutor(2) as executor:
        assert executor.where == wording("batch.study.on-this-machine", count="2 processes")
        there = run_study(spec, tmp_path / "there", executor)
    here = run_study(spec, tmp_path / "here", HereExecutor())
    assert len(there.summary()) == len(there.cells()) == 6
    assert there.summary().drop("jobs_per_s").equals(here.summary().drop("jobs_per_s"))
    assert there.users().equals(here.users())
    assert not active_children()


def blocked(folder: Path) -> Path:
    """Where a job table is stored that nobody can read to its end: who tries waits for ever."""
    for suffix in (".parquet", ".json"):
        os.mkfifo(folder / f"blocked{suffix}")
    return folder / "blocked"


def results_of(executor: LocalExecutor, count: int) -> list[CellResult]:
    """Exactly so many answers."""
    results: list[CellResult] = []
    while len(results) < count:
        results += executor.answers(_END_S)
    assert len(results) == count
    return results


def test_a_process_that_is_killed_is_replaced_and_its_cell_tried_again(
    spec: StudySpec, tmp_path: Path
) -> None:
    stored = run_study(spec, tmp_path / "out", HereExecutor())
    cell, jobs = stored.cells()[0], blocked(tmp_path)
    with LocalExecutor(1) as executor:
        executor.submit(stored.plan.task(cell), jobs)
        (started,) = results_of(executor, 1)
        kill_first_worker()
        for suffix in (".parquet", ".json"):
            shutil.copy(stored.jobs_path(cell.source).with_suffix(suffix), tmp_path / "sound")
            (tmp_path / "sound").replace(jobs.with_suffix(suffix))
        again, done = results_of(executor, 2)
    assert (started.kind, again.kind, done.kind) == ("started", "started", "done")
    assert done.files is not None
    assert done.files["users.parquet"] == (stored.cell_path(cell) / "users.parquet").read_bytes()


def test_a_cell_that_ends_its_process_twice_fails_and_the_others_go_on(
    spec: StudySpec, tmp_path: Path
) -> None:
    stored = run_study(spec, tmp_path / "out", HereExecutor())
    bad, good = stored.cells()[:2]
    with LocalExecutor(1) as executor:
        executor.submit(stored.plan.task(bad), blocked(tmp_path))
        executor.submit(stored.plan.task(good), stored.jobs_path(good.source))
        for _ in range(2):
            (started,) = results_of(executor, 1)
            assert (started.kind, started.key) == ("started", bad.key)
            kill_first_worker()
        failed, *others = results_of(executor, 3)
    assert (failed.kind, failed.key) == ("failed", bad.key)
    assert says(failed.text, "batch.study.its-process-ended-twice", reason="signal 9")
    assert [(answer.kind, answer.key) for answer in others] == [("started", good.key), ("done", good.key)]


def test_a_wish_to_stop_ends_what_is_under_way(spec: StudySpec, tmp_path: Path) -> None:
    stored = run_study(spec, tmp_path / "out", HereExecutor())
    with LocalExecutor(1) as executor:
        executor.submit(stored.plan.task(stored.cells()[0]), blocked(tmp_path))
        results_of(executor, 1)
        executor.abandon()
        assert not active_children()
        assert executor.room() == 2
        executor.submit(stored.plan.task(stored.cells()[1]), stored.jobs_path(stored.cells()[1].source))
        assert [answer.key for answer in results_of(executor, 2)] == [stored.cells()[1].key] * 2


def test_a_process_that_has_ended_can_be_joined_once_more(spec: StudySpec, tmp_path: Path) -> None:
    stored = run_study(spec, tmp_path / "out", HereExecutor())
    with LocalExecutor(1) as executor:
        executor.submit(stored.plan.task(stored.cells()[0]), blocked(tmp_path))
        listed = active_children()  # as multiprocessing lists them when the program ends
    assert listed
    for process in listed:
        process.join()


def test_ctrl_c_is_not_for_the_processes(spec: StudySpec, tmp_path: Path) -> None:
    stored = run_study(spec, tmp_path / "out", HereExecutor())
    cell, jobs = stored.cells()[0], blocked(tmp_path)
    with LocalExecutor(1) as executor:
        executor.submit(stored.plan.task(cell), jobs)
        results_of(executor, 1)
        (worker,) = active_children()
        os.kill(worker.pid or 0, signal.SIGINT)
        for suffix in (".parquet", ".json"):  # in the order in which they are read
            data = stored.jobs_path(cell.source).with_suffix(suffix).read_bytes()
            jobs.with_suffix(suffix).write_bytes(data)
        (done,) = results_of(executor, 1)
    assert done.kind == "done"


def test_after_a_kill_no_process_is_left_and_nothing_is_worked_out_twice(
    spec: StudySpec, tmp_path: Path
) -> None:
    out, study = tmp_path / "out", tmp_path / "small.yaml"
    (tmp_path / "killed.py").write_text(KILLED)
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    line = [sys.executable, str(tmp_path / "killed.py"), str(study), str(out)]
    ended = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    workers = [psutil.Process(int(pid)) for pid in ended.stdout.split() if psutil.pid_exists(int(pid))]
    _, alive = psutil.wait_procs(workers, timeout=_END_S)
    assert not alive
    executor, events = HereExecutor(), list[CellEvent]()
    stored = run_study(spec, out, executor, events.append)
    assert (events[0].kind, events[0].done) == ("found", 2)
    assert len(executor.worked_out) == 4
    assert len(stored.summary()) == 6


def test_jobs_that_cannot_be_read_fail_the_cell(spec: StudySpec, tmp_path: Path) -> None:
    stored = run_study(spec, tmp_path / "out", HereExecutor())
    task = stored.plan.task(stored.cells()[0])
    with LocalExecutor(1) as executor:
        executor.submit(task, tmp_path / "nowhere")
        started, failed = results_of(executor, 2)
    assert (started.kind, failed.kind) == ("started", "failed")
    assert says(failed.text, "batch.study.jobs-of-workload-cannot-be")


def test_results_of_another_version_are_refused(spec: StudySpec, tmp_path: Path) -> None:
    stored = run_study(spec, tmp_path / "out", HereExecutor())
    cell = stored.cells()[0]
    executor = HereExecutor()
    executor.submit(replace(stored.plan.task(cell), version=99), stored.jobs_path(cell.source))
    _, answer = executor.answers(0)
    assert answer.kind == "failed"
    assert says(answer.text, "batch.study.install-same-fsconsole-everywhere", msg="not 99")


def test_at_least_one_process_is_needed() -> None:
    with refuses(StudyError, "batch.study.cannot-use-workers-use-at", count="0"):
        LocalExecutor(0)
