"""The folder of a study: its results, readable at any time, also while they are written."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.months import MonthRun, whole_period
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.study.cell_files import (
    FAILURE,
    JOBS,
    SUMMARY,
    USERS,
    Damaged,
    OtherVersion,
    check_files,
    failure_text,
    measured_starts,
    read_summary,
)
from fsconsole.batch.study.fair_starts import read_fair_start
from fsconsole.batch.study.plan import Plan
from fsconsole.batch.study.spec import Cell, StudyError, StudySpec
from fsconsole.batch.study.stored_jobs import StoredJobs
from fsconsole.batch.study.study_file import read_study
from fsconsole.batch.study.tables import summary_table, user_rows
from fsconsole.batch.study.task import RESULTS_VERSION
from fsconsole.recording.run_lock import is_held
from fsconsole.shares.files import naming
from fsconsole.shares.input_files import parquet_frame, read_json, read_limited
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.text.words import count_words, listed

STUDY = "study.yaml"
PLAN = "plan.json"
State = Literal["waiting", "running", "done", "failed", "of another version"]


class StudyFolder:
    """The results of a study.

    Attributes:
        path: the folder: `study.yaml`, `plan.json`, `workloads/` with job tables, `cells/` with a folder for
            each finished or failed cell, and tables of results.
    """

    def __init__(self, path: Path) -> None:
        """Open a study's folder.

        Raises:
            StudyError: it is not a study's folder, or is damaged.
        """
        self.path = path
        try:
            self.plan = Plan.read(path / PLAN)
        except FileNotFoundError:
            msg = f"{path} is not a study folder: {PLAN} is missing"
            if (path / "search.json").is_file():
                msg = f"{path} is a search folder. Show it with `fsconsole study search {path}`"
            raise StudyError(msg) from None
        self._summaries: dict[str, dict[str, Any]] = {}
        self._users: dict[str, pl.DataFrame] = {}
        self._jobs: dict[str, JobTable] = {}

    @property
    def spec(self) -> StudySpec:
        """The study; ScenarioError if its file has been changed and is wrong."""
        path = self.path / STUDY
        try:
            return read_study(path, check_files=False)
        except ScenarioError as error:
            raise ScenarioError(error.problems, str(path)) from None

    @property
    def is_resampled(self) -> bool:
        """True if all its workloads are resampled traces, so that seeds are draws of a bootstrap."""
        sources = self.plan.sources.values()
        return bool(sources) and all(source.is_resampled for source in sources)

    @property
    def not_modelled(self) -> tuple[str, ...]:
        """What its runs leave out of each trace, a sentence with the trace's name each."""
        found = ((source.report[0].rpartition(": ")[0], source.not_modelled)
                 for source in self.plan.sources.values() if source.not_modelled)  # fmt: skip
        return tuple(dict.fromkeys(f"{Path(name).name}: {words}." for name, words in found))

    @property
    def is_there(self) -> bool:
        """True if the folder still exists; it may be removed while a study runs."""
        return (self.path / PLAN).is_file()

    def cells(self) -> tuple[Cell, ...]:
        """Return all cells, in the order of the study's tables."""
        return self.plan.cells

    def finished(self) -> tuple[Cell, ...]:
        """Return the finished cells."""
        return tuple(cell for cell in self.plan.cells if self.has(cell))

    def state(self, cell: Cell) -> State:
        """Return the state of a cell; `running` only while a program computes it."""
        try:
            self.summary_of(cell)
        except OtherVersion:
            return "of another version"
        except Damaged:
            pass
        else:
            return "done"
        if (self.cell_path(cell) / FAILURE).is_file():
            return "failed"
        return "running" if _begun(self.cell_path(cell)).is_dir() and is_held(self.path) else "waiting"

    def failure(self, cell: Cell) -> str:
        """Return the reason for a cell's failure, in words; empty if it did not fail."""
        try:
            failure = read_json(self.cell_path(cell) / FAILURE)
            return str(failure["failure"])
        except FileNotFoundError:
            return ""
        except (OSError, ValueError, KeyError, TypeError):
            return "the error message can no longer be read"

    def has(self, cell: Cell) -> bool:
        """Return True if a cell's summary exists and is complete."""
        try:
            self.summary_of(cell)
        except Damaged:
            return False
        return True

    def summary_of(self, cell: Cell) -> Mapping[str, Any]:
        """Return the contents of a cell's `summary.json`; Damaged if it is missing or incomplete."""
        if cell.key not in self._summaries:
            self._summaries[cell.key] = read_summary(self.cell_path(cell), cell.key)
        return self._summaries[cell.key]

    def other_versions(self) -> Counter[int]:
        """Count the cells in the folder, of this plan and of earlier ones, whose results are of each other
        version.
        """
        found: Counter[int] = Counter()
        for path in (self.path / "cells").glob(f"*/{SUMMARY}"):
            try:
                read_summary(path.parent, path.parent.name)
            except OtherVersion as error:
                found[error.version] += 1
            except Damaged:
                pass
        return found

    def of_other_version(self) -> str:
        """Return a sentence on the cells in the folder that are of another version; empty without any."""
        counts = self.other_versions()
        if not counts:
            return ""
        versions = listed([str(version) for version in sorted(counts)])
        cells = count_words(counts.total(), "cell is", "cells are")
        return (
            f"{cells} of another version in {self.path / 'cells'}: version {versions} of the results; "
            f"this program computes version {RESULTS_VERSION}."
        )

    def check_results(self) -> None:
        """Raise StudyError if no cell is done."""
        if not self.finished():
            msg = f"no cell of the study in {self.path} is done yet. Run the study first"
            about = self.of_other_version()
            raise StudyError(f"{msg}. {about.rstrip('.')}" if about else msg)

    def check(self, cell: Cell) -> None:
        """Raise Damaged if a cell's folder exists but has changed since it was written."""
        check_files(self.cell_path(cell), self.summary_of(cell))

    def summary(self, cells: tuple[Cell, ...] | None = None) -> pl.DataFrame:
        """Return a row for each finished cell, of those given or of all: columns of `summary_table`."""
        chosen = self.finished() if cells is None else cells
        fair = {cell.key: read_fair_start(self.fair_start_path(cell)) for cell in chosen}
        return summary_table((cell, self.summary_of(cell)["summary"] | fair[cell.key]) for cell in chosen)

    def users(self, cells: tuple[Cell, ...] | None = None) -> pl.DataFrame:
        """Return a row for each user and finished cell, given or all, with the columns of `user_table`."""
        chosen = self.finished() if cells is None else cells
        return user_rows((cell, self.users_of(cell)) for cell in chosen)

    def users_of(self, cell: Cell) -> pl.DataFrame:
        """Return `user_table` of a finished cell.

        Raises:
            StudyError: it cannot be read.
        """
        if cell.key not in self._users:
            self._users[cell.key] = self._parquet(cell, USERS)
        return self._users[cell.key]

    def month_run(self, cell: Cell, *, reservations: bool = False) -> MonthRun:
        """Return the run of a finished cell, from its stored starts.

        Reservations are not stored: with `reservations` the cell is simulated again.

        Raises:
            StudyError: it cannot be read.
        """
        jobs = self.jobs_of(cell)
        if reservations:
            from fsconsole.batch.study.run_cell import run_of

            return run_of(cell, jobs, self.plan.sources[cell.source].shares, reservations=True)
        starts = self._parquet(cell, JOBS)
        shares = self.plan.sources[cell.source].shares
        try:
            measured, own, start_s = measured_starts(starts, jobs)
        except (ValueError, pl.exceptions.PolarsError) as error:
            msg = f"{cell.words} is damaged ({error}). Run the study again into {self.path}"
            raise StudyError(msg) from None
        schedule = Schedule(
            own,
            cell.cluster_nodes,
            cell.policy,
            np.ones(len(jobs.users)) if shares is None else np.array(shares),
            start_s,
            simulation_s=self.summary_of(cell)["simulation_s"],
        )
        period = whole_period(schedule) if cell.period is None else cell.period
        return MonthRun(schedule, measured, period)

    def jobs_of(self, cell: Cell) -> JobTable:
        """Return all jobs of a cell's workload.

        Raises:
            StudyError: they cannot be read.
        """
        if cell.source not in self._jobs:
            try:
                StoredJobs.check(self.jobs_path(cell.source))
                self._jobs[cell.source] = StoredJobs.read(self.jobs_path(cell.source)).table()
            except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
                msg = f"the jobs of {cell.workload} in {self.path} cannot be read ({error})"
                raise StudyError(f"{msg}. Run the study again") from None
        return self._jobs[cell.source]

    def jobs_path(self, source: str) -> Path:
        """Return the path of a stored job table."""
        return self.path / "workloads" / source

    def cell_path(self, cell: Cell) -> Path:
        """Return the folder of a cell."""
        return self.path / "cells" / cell.key

    def fair_start_path(self, cell: Cell) -> Path:
        """Return the path of a cell's fair start times, which are outside the cell's own folder."""
        return self.path / "fair-starts" / f"{cell.key}.json"

    def _parquet(self, cell: Cell, name: str) -> pl.DataFrame:
        path = self.cell_path(cell) / name
        try:
            self.check(cell)
            return parquet_frame(read_limited(path))
        except (OSError, Damaged, pl.exceptions.PolarsError) as error:
            msg = f"{cell.words} cannot be read from {path} ({error}). Run the study again into {self.path}"
            raise StudyError(msg) from None

    # Only the process with the folder's lock calls the methods below, because they write.

    def begin(self, cell: Cell) -> None:
        """Note that the computation of a cell begins."""
        _begun(self.cell_path(cell)).mkdir(exist_ok=True)

    def keep(self, cell: Cell, files: Mapping[str, bytes]) -> None:
        """Store the files of a cell atomically."""
        self._put(cell, files)

    def keep_failure(self, cell: Cell, text: str, details: str) -> None:
        """Store the reason why a cell failed."""
        self._put(cell, {FAILURE: failure_text(cell, text, details)})

    def forget(self, cell: Cell) -> None:
        """Remove all files of a cell, also incomplete ones."""
        self._summaries.pop(cell.key, None)
        self._users.pop(cell.key, None)
        for path in (self.cell_path(cell), _begun(self.cell_path(cell))):
            shutil.rmtree(path, ignore_errors=True)

    def _put(self, cell: Cell, files: Mapping[str, bytes]) -> None:
        target = self.cell_path(cell)
        begun = _begun(target)
        begun.mkdir(exist_ok=True)  # Without parents, a removed folder is not partly recreated.
        for name, data in files.items():
            with naming(begun / name):
                (begun / name).write_bytes(data)
        shutil.rmtree(target, ignore_errors=True)
        os.replace(begun, target)  # noqa: PTH105 (a folder's name changes at once)


def _begun(path: Path) -> Path:
    return path.with_name(f".{path.name}.begun")
