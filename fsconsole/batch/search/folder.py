"""The folder of a search: all settings with their values, and points with the held-out months."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from fsconsole.batch.job_table import Bools, Floats
from fsconsole.batch.months import Period
from fsconsole.batch.search.plan import VERSIONS, SearchPlan
from fsconsole.batch.search.search_file import read_search
from fsconsole.batch.search.space import Setting, Space, space_of
from fsconsole.batch.search.spec import Choice, Range, SearchSpec
from fsconsole.batch.study.spec import StudyError
from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import parquet_frame
from fsconsole.shares.stored_format import FormatError, OtherProgramError, StoredFormat
from fsconsole.text.table_files import table_bytes

SEARCH = "search.yaml"
PLAN = "search.json"
SETTINGS = "settings.parquet"
POINTS = "points.parquet"
PARTS = "parts"
HELD_OUT = "held_out"
_GENE = "gene:"
FORMAT = StoredFormat("fsconsole search plan", "the plan of a search", was_bare=True)


@dataclass(slots=True)
class Tried:
    """Tried settings, in order.

    Attributes:
        genes: [settings, axes].
        generation: [settings].
        values: values of goals, over all months of train and in each, [settings, goals, 1 + months].
    """

    genes: Floats
    generation: list[int]
    values: Floats

    @staticmethod
    def none(axes: int, goals: int, months: int) -> Tried:
        """Return a table without settings."""
        return Tried(np.zeros((0, axes)), [], np.zeros((0, goals, 1 + months)))

    def __len__(self) -> int:
        return len(self.genes)

    def add(self, genes: Floats, values: Floats) -> None:
        """Add a generation: genes [settings, axes] and values [settings, goals, 1 + months]."""
        number = self.generation[-1] + 1 if self.generation else 0
        self.genes = np.concatenate([self.genes, genes])
        self.values = np.concatenate([self.values, values])
        self.generation += [number] * len(genes)


def small_is_better(spec: SearchSpec, values: Floats) -> Floats:
    """Return values of the goals on the front, with those to be large negated, [settings, front goals]."""
    places = list(spec.front_goals)
    signs = np.array([-1.0 if spec.goals[place].is_high_better else 1.0 for place in places])
    found: Floats = values[:, places] * signs
    return found


def excess_of(spec: SearchSpec, values: Floats) -> Floats:
    """Return the sum of settings' relative misses of bounds; infinite without measurements, [settings].

    Args:
        spec: the search, with its goals.
        values: value of each goal, float64 [settings, goals].
    """
    made = np.zeros(len(values))
    for place, goal in enumerate(spec.goals):
        column = values[:, place]
        if goal.at_most is not None:
            made += np.maximum(column - goal.at_most, 0.0) / (abs(goal.at_most) or 1.0)
        if goal.at_least is not None:
            made += np.maximum(goal.at_least - column, 0.0) / (abs(goal.at_least) or 1.0)
    made[np.isnan(values).any(axis=1)] = np.inf
    return made


def monthly_names(goal: str, months: Sequence[str]) -> list[str]:
    """Return column names of a goal in each month: `share_of_A@1996-10`."""
    return [f"{goal}@{month}" for month in months]


def settings_table(
    spec: SearchSpec, space: Space, months: Sequence[str], tried: Tried, on_front: Bools
) -> pl.DataFrame:
    """Return a row for each setting: number, axes, policy, goals, goals by month, bounds, front, genes.

    Args:
        spec: goals and axes.
        space: turns genes into settings.
        months: names of the months of the choice.
        tried: the tried settings.
        on_front: which settings are not dominated, [settings].
    """
    settings = [space.setting(genes) for genes in tried.genes.tolist()]
    columns: dict[str, pl.Series] = {
        "number": pl.Series(np.arange(1, len(tried) + 1), dtype=pl.Int64),
        "generation": pl.Series(tried.generation, dtype=pl.Int64),
        "policy": pl.Series([setting.policy.label for setting in settings], dtype=pl.String),
    }
    columns |= axis_columns(spec, settings)
    columns |= goal_columns(spec, months, tried.values)
    excess = excess_of(spec, tried.values[:, :, 0])
    columns["excess"] = pl.Series(excess)
    columns["meets_bounds"] = pl.Series(excess <= 0)
    columns["on_front"] = pl.Series(on_front)
    for place, axis in enumerate(spec.axes):
        columns[f"{_GENE}{axis.name}"] = pl.Series(tried.genes[:, place].copy())
    return pl.DataFrame(columns)


def axis_columns(spec: SearchSpec, settings: Sequence[Setting | None]) -> dict[str, pl.Series]:
    """Return values of the axes by column; null without an effect under the policy, or without a setting."""
    made = {}
    for place, axis in enumerate(spec.axes):
        values = [
            setting.values[place] if setting is not None and is_meant(axis.name, setting) else None
            for setting in settings
        ]
        made[f"set:{axis.name}"] = pl.Series(values, dtype=_kind(axis))
    return made


def is_meant(axis: str, setting: Setting) -> bool:
    """Return True if an axis has an effect under a setting's policy."""
    if axis.startswith("shares."):
        return setting.policy.remembers_usage
    if axis == "half_life" or axis.startswith("multifactor."):
        decays = axis == "half_life" and setting.policy.means("decay")
        return decays or setting.policy.means("multifactor")
    name = {"window": "window_s", "lxf_bound": "lxf_bound_s"}.get(axis, axis)
    return setting.policy.means("weights" if name.startswith("weights.") else name)


def goal_columns(
    spec: SearchSpec, months: Sequence[str], values: Floats, prefix: str = ""
) -> dict[str, pl.Series]:
    """Return columns of goals, over all months and by month, from values [settings, goals, 1 + months]."""
    made = {}
    for place, goal in enumerate(spec.goals):
        made[f"{prefix}{goal.key}"] = pl.Series(values[:, place, 0].copy(), nan_to_null=True)
    for place, goal in enumerate(spec.goals):
        for month, name in enumerate(monthly_names(goal.key, months), 1):
            made[f"{prefix}{name}"] = pl.Series(values[:, place, month].copy(), nan_to_null=True)
    return made


def values_in(spec: SearchSpec, months: Sequence[str], table: pl.DataFrame) -> Floats:
    """Return values [settings, goals, 1 + months] from the columns of `goal_columns`."""
    names = [[goal.key, *monthly_names(goal.key, months)] for goal in spec.goals]
    found = [[table[name].to_numpy() for name in row] for row in names]
    values: Floats = np.moveaxis(np.array(found, dtype=np.float64), 2, 0)
    return values


def _kind(axis: Choice | Range) -> type[pl.DataType]:
    if isinstance(axis, Range):
        return pl.Int64 if axis.is_whole else pl.Float64
    if all(isinstance(value, bool) for value in axis.values):
        return pl.Boolean
    if all(isinstance(value, str) for value in axis.values):
        return pl.String
    return pl.Int64 if all(isinstance(value, int) for value in axis.values) else pl.Float64


@dataclass(frozen=True, slots=True)
class Months:
    """Months of a case: names, starts and ends in seconds of the trace."""

    periods: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names of the months, in order."""
        return list(self.periods)

    @staticmethod
    def of(periods: Sequence[Period]) -> Months:
        """Return the months of the periods of a case."""
        return Months({period.name: (period.start_s, period.end_s) for period in periods})


def plan_text(plan: SearchPlan) -> str:
    """Return the part of a plan that the folder stores, as JSON."""
    test = () if plan.test is None else plan.test.periods
    facts = {
        **FORMAT.header(),
        "digest": plan.digest,
        "versions": VERSIONS,
        "folder": str(plan.spec.folder.resolve()),
        "source": plan.source,
        "budget": plan.spec.budget,
        "cluster_nodes": plan.train.cluster_nodes,
        "users": plan.users,
        "train": Months.of(plan.train.periods).periods,
        "test": Months.of(test).periods,
        "weights": plan.weights.tolist(),
        "report": plan.report,
    }
    return json.dumps(facts, ensure_ascii=False)


def is_of_other_version(facts: Mapping[str, Any]) -> bool:
    """Return True if the facts of `plan_text` give other versions; plans had none at first."""
    return bool(facts.get("versions", VERSIONS) != VERSIONS)


class SearchFolder:
    """The results of a search.

    Attributes:
        path: the folder: `search.yaml`, `search.json`, `workloads/` with the trace, `settings.parquet`,
            `points.parquet` once it is done, `parts/` while it runs.
        spec: the search.
        is_of_other_version: whether its values are results of another version of fsconsole.
    """

    def __init__(self, path: Path) -> None:
        """Open a search's folder.

        Raises:
            StudyError: it is not a search's folder, or is damaged.
            ScenarioError: the search file is wrong.
        """
        self.path = path
        try:
            budget = FORMAT.read(path / PLAN, self._take)
        except FileNotFoundError:
            msg = f"{path} is not a search folder: {PLAN} is missing"
            raise StudyError(msg) from None
        except OtherProgramError as error:
            raise StudyError(f"{error}. Use that one, or another folder") from None
        except (OSError, FormatError) as error:
            raise StudyError(f"{error}. Run the search again into this folder") from None
        spec = read_search(path / SEARCH, self._folder, check_files=False)
        self.spec = replace(spec, budget=budget)

    def _take(self, facts: Mapping[str, Any]) -> int:
        """Take the facts of `plan_text`; return the budget."""
        self.digest: str = facts["digest"]
        self.is_of_other_version = is_of_other_version(facts)
        self._folder = Path(facts["folder"])
        self.users = tuple(map(str, facts["users"]))
        self.train, self.test = (
            Months({name: (int(ends[0]), int(ends[1])) for name, ends in facts[key].items()})
            for key in ("train", "test")
        )
        self.weights = np.array(facts["weights"], dtype=np.float64)
        self.report = tuple(map(str, facts["report"]))
        return int(facts["budget"])

    def space(self) -> Space:
        """Return the space; errors as of `space_of`."""
        return space_of(self.spec, self.users)

    def begun(self) -> int:
        """Return the number of settings done of the current generation, which the table lacks."""
        count = 0
        for part in (self.path / PARTS).glob("[0-9]*.npy"):  # A generation is named by its first setting.
            with suppress(OSError, ValueError, EOFError):
                count += len(np.load(part, allow_pickle=False))
        return count

    def settings(self) -> pl.DataFrame:
        """Return the stored settings, as `settings_table` has them.

        Raises:
            StudyError: the table is damaged.
        """
        return self._frame(SETTINGS)

    def points(self) -> pl.DataFrame | None:
        """Return the baseline (number 0) and the chosen points with the held-out months; None before."""
        return self._frame(POINTS) if (self.path / POINTS).is_file() else None

    def _frame(self, name: str) -> pl.DataFrame:
        try:
            return parquet_frame(self.path / name)
        except (OSError, ValueError, pl.exceptions.PolarsError) as error:
            msg = f"{self.path / name} cannot be read ({error}). Run the search again into {self.path}"
            raise StudyError(msg) from None

    def write(self, name: str, table: pl.DataFrame) -> None:
        """Write a table as Parquet.

        Raises:
            OSError: the file cannot be written.
        """
        write_atomic(self.path / name, table_bytes(table, "parquet"))


def tried_in(spec: SearchSpec, months: Sequence[str], table: pl.DataFrame) -> Tried:
    """Return the tried settings in a table of `settings_table`.

    Raises:
        ValueError: columns are missing or wrong; polars' errors are possible too.
    """
    genes = np.stack([table[f"{_GENE}{axis.name}"].to_numpy() for axis in spec.axes], axis=1).astype(
        np.float64
    )
    return Tried(genes, table["generation"].to_list(), values_in(spec, months, table))
