"""Running a study: each cell once, whatever was done before, and whatever goes wrong with single ones."""

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
from fsconsole.batch.study.plan import plan_of
from fsconsole.batch.study.spec import Cell, StudyError, StudySpec
from fsconsole.batch.study.study_file import read_study, study_text, write_study
from fsconsole.batch.study.tables import write_tables
from fsconsole.batch.study.task import CellResult, Executor
from fsconsole.shares.files import write_atomic
from fsconsole.shares.scenario.problems import ScenarioError

_POLL_S = 0.1  # how soon a wish to stop is heard


@dataclass(frozen=True, slots=True)
class CellEvent:
    """Something that has happened to a cell, and how far the study is.

    Attributes:
        kind: `found` once at the beginning (done before, nothing is computed twice), `damaged` where what
            was done before cannot be used, then `started`, `finished` and `failed`.
        cell: which; None for `found`.
        done, failed, total: cells by now; the others wait or are running.
        left_s: expected time to the end, seconds; None where nothing is known yet.
        text: of `failed` and `damaged`, what is wrong.
    """

    kind: Literal["found", "damaged", "started", "finished", "failed"]
    cell: Cell | None
    done: int
    failed: int
    total: int
    left_s: float | None = None
    text: str = ""


def run_study(
    spec: StudySpec,
    folder: Path,
    executor: Executor,
    heard: Callable[[CellEvent], None] = lambda _event: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> StudyFolder:
    """Compute all cells of a study that are not in its folder yet.

    Cells that are there stay, those that failed are tried again. Once `cancelled` says so what is under way
    ends without a result. Tables of what there is are written at the end, unless the folder was removed.

    Raises:
        StudyError: the folder is of something else, in use, or removed while the study runs; a workload
            cannot be used; or the executor has come to an end. Finished cells are kept.
        OSError: a file cannot be read or written.
    """
    lock = hold_folder(folder, PLAN, "study")
    try:
        stored = prepare(spec, folder)
        try:
            _Running(stored, executor, heard, cancelled).run()
        finally:
            executor.abandon()
            if stored.is_there:
                export_tables(stored, folder)
        return stored
    finally:
        lock.release()


def prepare(spec: StudySpec, folder: Path) -> StudyFolder:
    """Read the workloads, list the cells and keep both in the folder; nothing is computed yet."""
    plan = plan_of(spec, keeper_of_jobs(folder))
    write_atomic(folder / PLAN, plan.to_json())
    if not says(folder / STUDY, spec):  # a file that says the same may have its writer's comments
        write_study(spec, folder / STUDY)
    (folder / "cells").mkdir(exist_ok=True)
    return StudyFolder(folder)


def says(path: Path, spec: StudySpec) -> bool:
    """Return whether a study's file, which may be missing or wrong, is of the same study."""
    try:
        return study_text(read_study(path, check_files=False), path.parent) == study_text(spec, path.parent)
    except (ScenarioError, OSError):
        return False


def export_tables(stored: StudyFolder, folder: Path) -> list[Path]:
    """Write what is done as results.csv, results.parquet, users.csv and users.parquet; gives the files."""
    return write_tables(folder, {"results": stored.summary(), "users": stored.users()})


@dataclass(slots=True)
class CompletionEstimate:
    """Mean times of cells, by the order of jobs, since those that go by users take several times as long."""

    _spent: dict[str, tuple[float, int]] = field(default_factory=dict)
    _elapsed_s: float = 0.0
    _worked_s: float = 0.0

    def now(self, elapsed_s: float) -> None:
        """So much time has passed since the first cell was begun."""
        self._elapsed_s = elapsed_s

    def finished(self, cell: Cell, took_s: float) -> None:
        """Note how long a cell took where it was computed."""
        spent, count = self._spent.get(cell.policy.order, (0.0, 0))
        self._spent[cell.policy.order] = (spent + took_s, count + 1)
        self._worked_s += took_s

    def left_s(self, rest: Mapping[str, int], workers: int) -> float | None:
        """Return expected time for so many cells of each order, seconds; None before the first one is
        done.
        """
        count = sum(number for _, number in self._spent.values())
        if not count:
            return None
        means = {order: spent / number for order, (spent, number) in self._spent.items()}
        mean = self._worked_s / count
        work_s = sum(number * means.get(order, mean) for order, number in rest.items())
        # What has passed beside the work itself (starting, compiling, storing) goes on as it did.
        beside = max(1.0, self._elapsed_s * min(workers, count) / self._worked_s) if self._worked_s else 1.0
        return work_s * beside / max(1, min(workers, sum(rest.values())))


@dataclass(slots=True)
class _Running:
    """One run of what a folder lacks."""

    folder: StudyFolder
    executor: Executor
    heard: Callable[[CellEvent], None]
    cancelled: Callable[[], bool]
    pace: CompletionEstimate = field(default_factory=CompletionEstimate)
    waiting: deque[Cell] = field(default_factory=deque)
    under_way: dict[str, Cell] = field(default_factory=dict)
    rest: Counter[str] = field(default_factory=Counter)  # of cells neither done nor failed, by order
    done: int = 0
    failed: int = 0

    def run(self) -> None:
        for cell in self.folder.cells():
            self._look_at(cell)
        try:
            self._compute()
        except (OSError, StudyError):
            self._check_folder()  # what failed may have failed for want of it
            raise

    def _compute(self) -> None:
        self._tell("found", None)
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
        """Raise StudyError where the folder was removed: results would have no place."""
        if not self.folder.is_there:
            msg = (
                f"{self.folder.path} was removed or emptied while the study was running, and its results "
                "with it. Run the study again"
            )
            raise StudyError(msg) from None

    def _look_at(self, cell: Cell) -> None:
        """Take a cell that is there, or put it among those that wait."""
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
            self._tell("damaged", cell, f"recomputing {cell.words}: {damage}")
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
            self._tell("started", cell)
            return
        del self.under_way[answer.key]
        self.rest[cell.policy.order] -= 1
        if answer.files is not None:
            self.folder.keep(cell, answer.files)
            self.pace.finished(cell, self.folder.told(cell)["took_s"])
            self.done += 1
            self._tell("finished", cell)
        else:
            self.folder.keep_failure(cell, answer.text, answer.details)
            self.failed += 1
            self._tell("failed", cell, answer.text)

    def _tell(
        self, kind: Literal["found", "damaged", "started", "finished", "failed"],
        cell: Cell | None, text: str = "",
    ) -> None:  # fmt: skip
        total = len(self.folder.cells())
        left_s = self.pace.left_s(self.rest, self.executor.workers)
        self.heard(CellEvent(kind, cell, self.done, self.failed, total, left_s, text))
