"""State of a study for its views: its cells, their progress, and finished results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import polars as pl

from fsconsole.batch.measures.policy_runs import PolicyRun, usual_pair, wait_changes
from fsconsole.batch.measures.users import USER_COLUMNS
from fsconsole.batch.study.spec import Cell
from fsconsole.figures.study_numbers import StudyNumbers, short_workloads
from fsconsole.text.durations import length_words

if TYPE_CHECKING:
    from fsconsole.batch.study.folder import StudyFolder

CellState = Literal["waiting", "running", "done", "failed", "of another version"]


@dataclass(frozen=True)
class StudyState:
    """A study at one time; replaced as a whole when something has changed.

    Attributes:
        name: what the study is called.
        cells: its runs, workload by workload, policies in their order.
        states: how far each run is, by the cell's key.
        failures: what went wrong with those that failed, by key.
        summary: a row for each finished run: `workload`, `policy`, `seed` and the measures.
        users: a row for each user of each finished run: `workload`, `policy`, `seed` and the user's columns.
        folder: where the results are; None for a study that was never run.
        about: what it is for.
    """

    name: str
    cells: tuple[Cell, ...] = ()
    states: Mapping[str, CellState] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    summary: pl.DataFrame = field(default_factory=pl.DataFrame)
    users: pl.DataFrame = field(default_factory=pl.DataFrame)
    folder: StudyFolder | None = None
    about: str = ""

    @cached_property
    def workloads(self) -> tuple[str, ...]:
        """Names of the workloads."""
        return tuple(dict.fromkeys(cell.workload for cell in self.cells))

    @cached_property
    def numbers(self) -> StudyNumbers:
        """Results of the finished runs."""
        policies = {cell.policy.label: cell.policy for cell in self.cells}
        return StudyNumbers(self.workloads, policies, self.summary)

    def with_run(self, cell: Cell, state: CellState, failure: str = "") -> StudyState:
        """Return the state with one run further on; results do not change, and what was made of
        them is kept.
        """
        failures = {**self.failures, cell.key: failure} if failure else self.failures
        made = replace(self, states={**self.states, cell.key: state}, failures=failures)
        for name in ("workloads", "numbers"):
            if name in self.__dict__:
                made.__dict__[name] = self.__dict__[name]
        return made

    def at_rest(self) -> StudyState:
        """Return the state in which no run is under way: those wait again."""
        states: dict[str, CellState] = {
            key: "waiting" if state == "running" else state for key, state in self.states.items()
        }
        return replace(self, states=states)

    def state(self, cell: Cell) -> CellState:
        """Return the progress of a run."""
        return self.states.get(cell.key, "waiting")

    def count(self) -> Counter[CellState]:
        """Count the runs in each state."""
        return Counter(self.state(cell) for cell in self.cells)

    def cells_of(self, workload: str, policy: str) -> list[Cell]:
        """Return the runs of a policy on a workload, one for each seed."""
        return [cell for cell in self.cells if (cell.workload, cell.policy.label) == (workload, policy)]

    def users_of(self, workload: str, policy: str, seed: int | None) -> pl.DataFrame:
        """Return a row for each user of a policy on a workload with a seed; empty before the run is done.

        Users of different seeds are different people, also where they are called the same.
        """
        if self.users.is_empty():
            return self.users
        own = (pl.col("workload") == workload) & (pl.col("policy") == policy)
        return self.users.filter(own & pl.col("seed").eq_missing(pl.lit(seed, pl.UInt64)))


def runs_of(state: StudyState, workload: str = "") -> tuple[PolicyRun, ...]:
    """Return the users of each finished run, of one workload or of all; of several seeds the first one's.

    Months are called without what the names of all workloads begin with.
    """
    if state.users.is_empty():
        return ()
    parts = state.users.partition_by("workload", "policy", "seed", as_dict=True)
    short = dict(zip(state.workloads, short_workloads(state.workloads), strict=True))
    found: dict[tuple[str, str], PolicyRun] = {}
    for cell in state.cells:
        key = (cell.workload, cell.policy.label)
        users = parts.get((*key, cell.seed))
        if users is not None and key not in found and workload in ("", cell.workload):
            table = users.select(*USER_COLUMNS)
            found[key] = PolicyRun(short[cell.workload], table, cell.policy, cell.policy.label)
    return tuple(found.values())


def users_by_change(state: StudyState, workload: str) -> tuple[str, ...]:
    """Return users of a workload by the growth of their maximum wait from FCFS to the studied policy."""
    runs = runs_of(state, workload)
    pair = usual_pair(runs)
    if pair is not None:
        changed = wait_changes(runs, *pair)["user"].to_list()
        if changed:
            return tuple(map(str, changed))
    if not runs:
        return ()
    return tuple(runs[0].users.filter(pl.col("jobs") > 0)["user"].to_list())


Mode = Literal["idle", "reading", "running", "pausing", "paused", "stopping"]


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """Progress of a running study.

    Attributes:
        mode: `pausing` while what has been begun goes on to its end and nothing else is begun.
        workers: cells that are computed at a time.
        where: where, in words.
        left_s: expected time to the end; None where nothing is known yet.
    """

    mode: Mode = "idle"
    workers: int = 0
    where: str = ""
    left_s: float | None = None

    @property
    def host(self) -> str:
        """The address of a cluster; empty for this machine."""
        return next((word for word in self.where.split() if "://" in word), "")

    @property
    def is_busy(self) -> bool:
        """True while a thread works on the study."""
        return self.mode != "idle"

    @property
    def left(self) -> str:
        """Time left: `1 min 48 s left`."""
        match self.mode:
            case "running" if self.left_s is not None:
                return f"{length_words(self.left_s)} left"
            case "reading":
                return "Reading workloads…"
            case "pausing":
                return "Pausing…"
            case "paused":
                return "Paused"
            case "stopping":
                return "Stopping…"
        return ""
