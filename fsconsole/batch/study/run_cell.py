"""Computing one cell: simulate, measure, pack."""

from __future__ import annotations

import traceback
from time import perf_counter

import numpy as np

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.measures.summary import summarise
from fsconsole.batch.measures.users import user_table
from fsconsole.batch.months import MonthRun, simulate_month, whole_period
from fsconsole.batch.simulate import simulate
from fsconsole.batch.study.cell_files import packed
from fsconsole.batch.study.spec import Cell, StudyError
from fsconsole.batch.study.task import RESULTS_VERSION, CellResult, Task


def run_of(
    cell: Cell, jobs: JobTable, shares: tuple[float, ...] | None, *, reservations: bool = False
) -> MonthRun:
    """Simulate one cell of a study.

    Raises:
        ValueError: it cannot be simulated; the message says why.
    """
    known = None if shares is None else np.array(shares)
    if cell.period is not None:
        return simulate_month(
            jobs, cell.period, cell.cluster_nodes, cell.policy, known, reservations=reservations
        )
    schedule = simulate(jobs, cell.cluster_nodes, cell.policy, known, reservations=reservations)
    return MonthRun(schedule, np.ones(len(jobs), dtype=np.bool_), whole_period(schedule))


def compute_cell(task: Task, jobs: JobTable) -> CellResult:
    """Compute all files of a cell's folder, or the reason of a failure; it raises no errors."""
    key = task.cell.key
    try:
        if task.version != RESULTS_VERSION:
            msg = f"this worker's program returns results of version {RESULTS_VERSION}, not {task.version}"
            raise StudyError(f"{msg}. Install the same fsconsole everywhere")
        begun = perf_counter()
        run = run_of(task.cell, jobs, task.shares)
        summary = summarise(run.schedule, run.measured, run.period, dropped=task.dropped)
        users = user_table(run.schedule, run.measured, run.period)
        return CellResult(key, "done", packed(task.cell, run, jobs, summary, users, perf_counter() - begun))
    except (ValueError, StudyError, MemoryError) as error:
        return CellResult(
            key, "failed", text=str(error) or type(error).__name__, details=traceback.format_exc()
        )
    except Exception as error:  # noqa: BLE001 (one cell's fault must not end the study)
        text = f"a fault in the program: {type(error).__name__}: {error}"
        return CellResult(key, "failed", text=text, details=traceback.format_exc())
