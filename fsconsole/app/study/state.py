"""A study as its views see it: cells, how far each is, and what the finished ones gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import polars as pl

from fsconsole.batch.study.spec import Cell
from fsconsole.figures.study_numbers import StudyNumbers

if TYPE_CHECKING:
    from fsconsole.batch.study.folder import StudyFolder

CellState = Literal["waiting", "running", "done", "failed"]


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
        """What the finished runs have found."""
        policies = {cell.policy.label: cell.policy for cell in self.cells}
        return StudyNumbers(self.workloads, policies, self.summary)

    def with_run(self, cell: Cell, state: CellState, failure: str = "") -> StudyState:
        """The same with one run further on; results are the same, and what was made of them stays made."""
        failures = {**self.failures, cell.key: failure} if failure else self.failures
        made = replace(self, states={**self.states, cell.key: state}, failures=failures)
        for name in ("workloads", "numbers"):
            if name in self.__dict__:
                made.__dict__[name] = self.__dict__[name]
        return made

    def state(self, cell: Cell) -> CellState:
        """How far a run is."""
        return self.states.get(cell.key, "waiting")

    def count(self) -> Counter[CellState]:
        """How many runs are how far."""
        return Counter(self.state(cell) for cell in self.cells)

    def cells_of(self, workload: str, policy: str) -> list[Cell]:
        """The runs of a policy on a workload, one for each seed."""
        return [cell for cell in self.cells if (cell.workload, cell.policy.label) == (workload, policy)]

    def users_of(self, workload: str, policy: str, seed: int | None) -> pl.DataFrame:
        """A row for each user of a policy on a workload with a seed; empty where it is not done.

        Users of different seeds are different people, also where they are called the same.
        """
        if self.users.is_empty():
            return self.users
        own = (pl.col("workload") == workload) & (pl.col("policy") == policy)
        return self.users.filter(own & pl.col("seed").eq_missing(pl.lit(seed, pl.UInt64)))
