"""Running of a study: each cell only once, also after an interruption or failures of single cells."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Literal

from fsconsole.batch.study.cell_files import Damaged
from fsconsole.batch.study.folder import PLAN, STUDY, StudyFolder
from fsconsole.batch.study.held_folder import hold_folder, keeper_of_jobs
from fsconsole.batch.study.plan import OtherPlanError, Plan, plan_of
from fsconsole.batch.study.spec import Cell, StudyError, StudySpec
from fsconsole.batch.study.study_file import read_study, study_text, write_study
from fsconsole.batch.study.tables import FullerFileError, write_tables
from fsconsole.batch.study.task import CellResult, Executor
from fsconsole.shares.files import write_atomic
from fsconsole.shares.scenario.problems import ScenarioError

_POLL_S = 0.1  # A cancellation is seen after this time at the latest.


@dataclass(frozen=True, slots=True)
class CellEvent:
    """An event of a cell, and the progress of the study.

    Attributes:
        kind: `found` at the beginning (cells done before are not computed again), and at the end where an
            earlier file stays; `damaged` if an earlier result cannot be used; then `started`, `finished` and
            `failed`.
        cell: the cell; None for `found`.
        done, failed, total: numbers of cells; the others wait or are running.
        left_s: expected time to the end, seconds; None while unknown.
        text: for `failed` and `damaged`, the reason; for `found`, what is there of other versions.
    """

    kind: Literal["found", "damaged", "started", "finished", "failed"]
    cell: Cell | None
    done: int
    failed: int
    total: int
    left_s: float | None = None
    text: str = ""

    @property
    def words(self) -> str:
        """The event as a sentence; empty where there is nothing to report."""
        is_failed = self.kind == "failed" and self.cell is not None and self.text
        return f"{self.cell.words} failed: {self.text}" if is_failed and self.cell else self.text


def run_study(
    spec: StudySpec,
    folder: Path,
    executor: Executor,
    on_event: Callable[[CellEvent], None] = lambda _event: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> StudyFolder:
    """Compute all cells of a study that its folder lacks.

    Finished cells stay, failed ones are tried again. When `cancelled` returns True, running cells end without
    a result. Tables of the results are written at the end, unless the folder was removed; none replaces a
    file with more rows.

    Raises:
        StudyError: the folder belongs to something else, is in use, or is removed while the study runs; a
            workload cannot be used; or the executor has failed. Finished cells are kept.
        OSError: a file cannot be read or written.
    """
    lock = hold_folder(folder, PLAN, "study")
    try:
        stored = prepare(spec, folder)
        try:
            _Running(stored, executor, on_event, cancelled).run()
        finally:
            executor.abandon()
            if stored.is_there and stored.finished():
                _write_results(stored, on_event)
        return stored
    finally:
        lock.release()


def prepare(spec: StudySpec, folder: Path) -> StudyFolder:
    """Read the workloads, list the cells and store both in the folder, without computing.

    Raises:
        StudyError: a workload cannot be used, or the folder's plan is of another version.
    """
    try:
        Plan.read(folder / PLAN)
    except OtherPlanError:
        raise
    except (OSError, StudyError):
        pass  # It is missing or damaged, and made again.
    plan = plan_of(spec, keeper_of_jobs(folder))
    write_atomic(folder / PLAN, plan.to_json())
    if not is_same_study(folder / STUDY, spec):  # An equivalent file may have its author's comments.
        write_study(spec, folder / STUDY)
    (folder / "cells").mkdir(exist_ok=True)
    return StudyFolder(folder)


def is_same_study(path: Path, spec: StudySpec) -> bool:
    """Return True if a file, which may be missing or wrong, is of the same study."""
    try:
        return study_text(read_study(path, check_files=False), path.parent) == study_text(spec, path.parent)
    except (ScenarioError, OSError):
        return False


def export_tables(stored: StudyFolder, folder: Path, *, replaces_fuller: bool = False) -> list[Path]:
    """Write the results as results.csv, results.parquet, users.csv and users.parquet; return the files.

    Raises:
        StudyError: no cell is done, or (`FullerFileError`) a file there has more rows.
        OSError: a file cannot be written.
    """
    stored.check_results()
    tables = {"results": stored.summary(), "users": stored.users()}
    return write_tables(folder, tables, replaces_fuller=replaces_fuller)


def _write_results(stored: StudyFolder, on_event: Callable[[CellEvent], None]) -> None:
    """Write the tables of a study into its folder, or report that those of an earlier run are fuller."""
    try:
        export_tables(stored, stored.path)
    except FullerFileError as error:
        cells = [stored.state(cell) for cell in stored.cells()]
        done, failed = cells.count("done"), cells.count("failed")
        on_event(CellEvent("found", None, done, failed, len(cells), text=str(error)))


@dataclass(slots=True)
class CompletionEstimate:
    """Mean times of cells by the policy's order, since policies by user take several times as long."""

    _spent: dict[str, tuple[float, int]] = field(default_factory=dict)
    _elapsed_s: float = 0.0
    _worked_s: float = 0.0

    def now(self, elapsed_s: float) -> None:
        """Set the time since the start of the first cell."""
        self._elapsed_s = elapsed_s

    def finished(self, cell: Cell, took_s: float) -> None:
        """Record the computing time of a cell."""
        spent, count = self._spent.get(cell.policy.order, (0.0, 0))
        self._spent[cell.policy.order] = (spent + took_s, count + 1)
        self._worked_s += took_s

    def left_s(self, rest: Mapping[str, int], workers: int) -> float | None:
        """Return the expected time in s for the remaining cells by order; None before the first is done."""
        count = sum(number for _, number in self._spent.values())
        if not count:
            return None
        means = {order: spent / number for order, (spent, number) in self._spent.items()}
        mean = self._worked_s / count
        work_s = sum(number * means.get(order, mean) for order, number in rest.items())
        # Time beside the work itself (starting, compiling, storing) is extrapolated.
        beside = max(1.0, self._elapsed_s * min(workers, count) / self._worked_s) if self._worked_s else 1.0
        return work_s * beside / max(1, min(workers, sum(rest.values())))


@dataclass(slots=True)
class _Running:
    """A run that computes the missing cells of a folder."""

    folder: StudyFolder
    executor: Executor
    on_event: Callable[[CellEvent], None]
    cancelled: Callable[[], bool]
    pace: CompletionEstimate = field(default_factory=CompletionEstimate)
    waiting: deque[Cell] = field(default_factory=deque)
    under_way: dict[str, Cell] = field(default_factory=dict)
    # It counts cells that are neither done nor failed, by order.
    rest: Counter[str] = field(default_factory=Counter)
    done: int = 0
    failed: int = 0

    def run(self) -> None:
        for cell in self.folder.cells():
            self._look_at(cell)
        try:
            self._compute()
        except (OSError, StudyError):
            self._check_folder()  # Cells may have failed because the folder was removed.
            raise

    def _compute(self) -> None:
        self._report_event("found", None, self.folder.of_other_version() if self.waiting else "")
        begun = monotonic()
        while (self.waiting or self.under_way) and not self.cancelled():
            self._check_folder()
            while self.waiting and self.executor.room() > 0:
                self._submit(self.waiting.popleft())
            for answer in self.executor.answers(_POLL_S):
                self._check_folder()
                self.pace.now(monotonic() - begun)
                self._take(answer)

    def _check_folder(self) -> None:
        """Raise StudyError if the folder was removed, since results cannot be stored."""
        if not self.folder.is_there:
            msg = (
                f"{self.folder.path} was removed or emptied while the study was running, and its results "
                "with it. Run the study again"
            )
            raise StudyError(msg) from None

    def _look_at(self, cell: Cell) -> None:
        """Count a finished cell, or add it to the waiting ones."""
        damage = ""
        path = self.folder.cell_path(cell)
        try:
            self.folder.check(cell)
        except Damaged as error:
            damage = str(error)
        else:
            self.done += 1
            return
        was_failure = bool(self.folder.failure(cell))
        if path.is_dir() and not was_failure:
            self._report_event("damaged", cell, f"recomputing {cell.words}: {damage}")
        self.folder.forget(cell)
        self.waiting.append(cell)
        self.rest[cell.policy.order] += 1

    def _submit(self, cell: Cell) -> None:
        self.under_way[cell.key] = cell
        self.executor.submit(self.folder.plan.task(cell), self.folder.jobs_path(cell.source))

    def _take(self, answer: CellResult) -> None:
        cell = self.under_way[answer.key]
        if answer.kind == "started":
            self.folder.begin(cell)
            self._report_event("started", cell)
            return
        del self.under_way[answer.key]
        self.rest[cell.policy.order] -= 1
        if answer.files is not None:
            self.folder.keep(cell, answer.files)
            self.pace.finished(cell, self.folder.summary_of(cell)["took_s"])
            self.done += 1
            self._report_event("finished", cell)
        else:
            self.folder.keep_failure(cell, answer.text, answer.details)
            self.failed += 1
            self._report_event("failed", cell, answer.text)

    def _report_event(
        self, kind: Literal["found", "damaged", "started", "finished", "failed"],
        cell: Cell | None, text: str = "",
    ) -> None:  # fmt: skip
        total = len(self.folder.cells())
        left_s = self.pace.left_s(self.rest, self.executor.workers)
        self.on_event(CellEvent(kind, cell, self.done, self.failed, total, left_s, text))
