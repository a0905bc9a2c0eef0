"""Data for figures of a study, from its runs: users by day, waits of jobs, share errors over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.app.study.state import StudyState, runs_of
from fsconsole.batch.measures.days import day_edges, user_days
from fsconsole.batch.measures.fairness import share_errors
from fsconsole.batch.measures.policy_runs import usual_pair
from fsconsole.batch.months import MonthRun
from fsconsole.batch.policy import DAY_S
from fsconsole.batch.study.spec import Cell
from fsconsole.figures.of_days import days_between, figure_2, figure_3, only_between
from fsconsole.figures.of_fairness import ErrorOverTime
from fsconsole.figures.of_waits import user_waits
from fsconsole.figures.spec import FigureSpec, Floats

if TYPE_CHECKING:
    import polars as pl

PARTS_BY_DAY = 3  # The paper has this many policies in Figs. 2 and 3.
_LONG_S = 100 * DAY_S  # Longer spans are shown in weeks instead of days.
_DAY_S = 90_000  # When clocks are set back, a day has 25 h.


@dataclass(frozen=True, slots=True)
class DaysOf:
    """Users day by day under a policy."""

    policy: str
    days: pl.DataFrame
    unix_start_s: int | None
    time_zone: str


def cells_by_day(state: StudyState, workload: str) -> list[Cell]:
    """Return the runs of Figs. 2 and 3 on a workload: the studied policy, FCFS and LXF, as far as they are
    done.
    """
    runs = runs_of(state, workload)
    pair = usual_pair(runs)
    plain = [run.label for run in runs if not run.is_by_user]
    wanted = dict.fromkeys([pair[1], pair[0], *plain] if pair is not None else [run.label for run in runs])
    cells = [state.cells_of(workload, label)[0] for label in wanted]
    return [cell for cell in cells if state.state(cell) == "done"][:PARTS_BY_DAY]


def specs_by_day(found: Sequence[DaysOf], user: str, figure: int) -> list[FigureSpec]:
    """Return the parts of Fig. 2 (1) or 3 (2): the days on which the user asks for something under any
    policy.
    """
    between = _between(found, user)
    if between is None:
        return []
    make = figure_2 if figure == 1 else figure_3
    return [
        make(only_between(one.days, between), user, one.policy, letter, one.unix_start_s, one.time_zone)
        for letter, one in zip("abc", found, strict=False)
    ]


def place_of_second(found: Sequence[DaysOf], user: str, second: int) -> float | None:
    """Find the day in `specs_by_day` that holds a second of the trace; None where none does."""
    between = _between(found, user)
    if between is None:
        return None
    days = only_between(found[0].days, between)
    starts_s = days.filter(days["user"] == user)["start_s"].sort().to_numpy()
    place = int(np.searchsorted(starts_s, second, "right")) - 1
    return float(place) if place >= 0 and second < starts_s[place] + _DAY_S else None


def _between(found: Sequence[DaysOf], user: str) -> tuple[int, int] | None:
    """Return the first and the last day on which a user asks for something under any policy."""
    ends = [ends for one in found if (ends := days_between(one.days, user)) is not None]
    return (min(first for first, _ in ends), max(last for _, last in ends)) if ends else None


def days_of(state: StudyState, cells: Sequence[Cell]) -> tuple[DaysOf, ...]:
    """Return users by day under each policy; for a thread."""
    made = []
    for label, run in _labelled_runs(state, cells):
        jobs = run.schedule.jobs
        days = user_days(run.schedule, day_edges(run.schedule, run.period))
        made.append(DaysOf(label, days, jobs.unix_start_s, jobs.time_zone))
    return tuple(made)


def _labelled_runs(state: StudyState, cells: Sequence[Cell]) -> Iterator[tuple[str, MonthRun]]:
    """Yield the label of the policy and the run of each cell; nothing of a study without a folder."""
    if state.folder is not None:
        for cell in cells:
            yield cell.policy.label, state.folder.month_run(cell)


def cells_of_waits(state: StudyState, workload: str) -> list[Cell]:
    """Return the finished runs of all policies on a workload, of several seeds the first."""
    found = [state.cells_of(workload, label)[:1] for label in state.numbers.policies]
    return [cell for cells in found for cell in cells if state.state(cell) == "done"]


def waits_of(state: StudyState, cells: Sequence[Cell]) -> dict[str, Floats]:
    """Return waits of the measured jobs by label of the policy, s [jobs]; for a thread."""
    made: dict[str, Floats] = {}
    for label, run in _labelled_runs(state, cells):
        waits_s = run.schedule.wait_s[run.measured].astype(np.float64)
        if len(waits_s):
            made[label] = waits_s
    return made


def share_errors_over_time(state: StudyState, cells: Sequence[Cell]) -> dict[str, ErrorOverTime]:
    """Return the share error by day, of a long run by week, by label of the policy; for a thread."""
    made: dict[str, ErrorOverTime] = {}
    for label, run in _labelled_runs(state, cells):
        bin_s = DAY_S if run.period.end_s - run.period.start_s <= _LONG_S else 7 * DAY_S
        edges_s = day_edges(run.schedule, run.period, bin_s)
        errors = share_errors(run.schedule, edges_s)
        begins_s = (edges_s[:-1] - edges_s[0]).astype(np.float64)
        made[label] = ErrorOverTime(begins_s, errors.by_bin, bin_s)
    return made


def user_waits_of(state: StudyState, cell: Cell) -> dict[str, float]:
    """Return average waits of the users who have measured jobs in a finished run, by user, h."""
    users = state.users_of(cell.workload, cell.policy.label, cell.seed)
    if users.is_empty():
        return {}
    measured = users.filter(users["jobs"] > 0)
    return dict(zip(map(str, measured["user"]), measured["avg_wait_h"].to_list(), strict=True))


def user_wait_figures(
    state: StudyState, workload: str, cells: Sequence[Cell], lit: str = ""
) -> tuple[FigureSpec, ...]:
    """Return the figure of users' waits under several policies, with the user `lit`; none without users."""
    by_user = {cell.policy.label: found for cell in cells if (found := user_waits_of(state, cell))}
    if not by_user:
        return ()
    waits = {label: np.array(list(users.values())) for label, users in by_user.items()}
    own = {label: users[lit] for label, users in by_user.items() if lit in users}
    return (user_waits(state.numbers, workload, waits, lit, own),)
