"""Export of a study: its tables in any format, its figures in one style."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from fsconsole.app.study.figure_runs import (
    cells_by_day,
    cells_of_waits,
    days_of,
    share_errors_over_time,
    specs_by_day,
    user_wait_figures,
    waits_of,
)
from fsconsole.app.study.paper_tables import paper_tables
from fsconsole.app.study.rows import MEASURED, Column
from fsconsole.app.study.significance import (
    Interval,
    significance_of,
    values_shown,
    with_intervals,
)
from fsconsole.app.study.state import runs_of, users_by_change
from fsconsole.batch.measures.policy_runs import usual_pair
from fsconsole.figures.export import DataFormat, FigureFormat, export_figure
from fsconsole.figures.of_batch import (
    MEASURES,
    UsersOf,
    deviation_by_user,
    figure_1,
    figure_4,
    means_over_workloads,
    over_windows,
    with_origin,
)
from fsconsole.figures.of_fairness import share_error_figure
from fsconsole.figures.of_waits import wait_figures
from fsconsole.figures.spec import FigureSpec, FigureStyle
from fsconsole.figures.study_numbers import short_name
from fsconsole.shares.files import write_atomic
from fsconsole.text.numbers import fixed
from fsconsole.text.table_files import TableForm, table_bytes, workbook

if TYPE_CHECKING:
    from fsconsole.app.study.significance import Significance
    from fsconsole.app.study.state import StudyState
    from fsconsole.batch.measures import table_form
    from fsconsole.figures.study_numbers import StudyNumbers

# Names of months such as 7/03 contain characters that file names cannot.
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_LONGEST_STEM = 60  # A file name has at most 255 bytes, so a workload gets no more characters of it.
_IN_TEXT: tuple[TableForm, ...] = ("md", "tex")


@dataclass(frozen=True, eq=False, slots=True)
class StudyTable:
    """A table of a study.

    Attributes:
        name: stem of its files.
        title, note: above and below it.
        frame: in full precision, units in the names of columns.
        shown: the same with names for people and fractions in percent; the frame if None.
        is_data: too long for a text; only for programs.
    """

    name: str
    title: str
    frame: pl.DataFrame
    note: str = ""
    shown: pl.DataFrame | None = None
    is_data: bool = False


def study_tables(state: StudyState, against: str = "") -> tuple[StudyTable, ...]:
    """Return tables of results, users, means with intervals, differences with tests, and those of the paper.

    Raises:
        UnknownPolicyError: the study lacks the policy `against`.
        StudyError: files of the study cannot be read.
    """
    known = significance_of(state.summary, state.folder, against=against)
    return (
        StudyTable("results", "Results", state.summary, is_data=True),
        StudyTable("users", "Users", state.users, is_data=True),
        *_of_significance(state.summary, known),
        *map(_of_paper, paper_tables(state)),
    )


def write_study_tables(tables: Sequence[StudyTable], folder: Path, form: TableForm) -> Iterator[Path]:
    """Write tables in one form (Excel: one file); gives each file once it is there.

    Raises:
        OSError: one cannot be written.
    """
    if form == "xlsx":
        path = folder / "tables.xlsx"
        write_atomic(path, workbook({table.name: table.frame for table in tables}))
        yield path
        return
    for table in tables:
        if form in _IN_TEXT and table.is_data:
            continue
        path = folder / f"{table.name}.{form}"
        shown = table.shown if form in _IN_TEXT and table.shown is not None else table.frame
        write_atomic(path, table_bytes(shown, form, table.title, table.note))
        yield path


def study_figures(state: StudyState, user: str = "") -> tuple[FigureSpec, ...]:
    """Return all figures of a study with their origin: Figs. 1 and 4, and those of each workload.

    Figs. 2 and 3 are of `user`, else of the one whose maximum wait grows most. Runs are read for it.
    """
    known = {name: significance_of(state.summary, state.folder, workload=name) for name in state.workloads}
    whole = known if len(known) == 1 else {"": significance_of(state.summary, state.folder)}
    numbers = with_intervals(state.numbers, known | whole)
    found = [*means_over_workloads(numbers), *figure_1(numbers), *figure_4(numbers)]
    stems = _unique([_NOT_IN_NAMES.sub("-", one.lower())[:_LONGEST_STEM] for one in numbers.workloads], "-{}")
    for workload, stem in zip(numbers.workloads, stems, strict=True):
        found += _figures_of_workload(state, numbers, workload, stem, user)
    settings = {"policies": "; ".join(numbers.policies), "workloads": "; ".join(numbers.workloads)}
    return tuple(with_origin(spec, state.name, settings) for spec in found)


def _figures_of_workload(
    state: StudyState, numbers: StudyNumbers, workload: str, stem: str, user: str
) -> Iterator[FigureSpec]:
    """Yield measures over windows, waits, share errors, deviations, and Figs. 2 and 3 of a user; their names
    end in `stem`.
    """
    if numbers.families():
        for measure in MEASURES:
            yield over_windows(numbers, workload, measure, f"{measure.name}-over-windows-{stem}")
    cells = cells_of_waits(state, workload)
    found: list[FigureSpec] = []
    if waits := waits_of(state, cells):
        found += wait_figures(numbers, workload, waits)
    found += user_wait_figures(state, workload, cells, user)
    if errors := share_errors_over_time(state, cells):
        found.append(share_error_figure(numbers, workload, errors))
    if deviations := _deviations(state, workload, user):
        found.append(deviations)
    chosen = user or next(iter(users_by_change(state, workload)), "")
    by_day = days_of(state, cells_by_day(state, workload)) if chosen else ()
    for figure in (1, 2):
        found += specs_by_day(by_day, chosen, figure)
    for spec in found:
        yield replace(spec, name=f"{spec.name}-{stem}")


def _deviations(state: StudyState, workload: str, user: str) -> FigureSpec | None:
    """Return deviations by user under the studied policy and the plain one; None without such a pair."""
    pair = usual_pair(runs_of(state, workload))
    if pair is None:
        return None
    base, chosen = (
        UsersOf(
            short_name(label),
            state.numbers.styles[label],
            state.users_of(workload, label, state.cells_of(workload, label)[0].seed),
        )
        for label in pair
    )
    return deviation_by_user(chosen, base, lit=user).spec


def write_study_figures(
    figures: Sequence[FigureSpec], folder: Path, form: FigureFormat | DataFormat, style: FigureStyle
) -> Iterator[Path]:
    """Write all figures in one look; gives each file once it is there. Errors as in `export_figure`."""
    for spec in figures:
        yield from export_figure(spec, folder / f"{spec.name}.{form}", form, style)


def _of_significance(summary: pl.DataFrame, known: Significance) -> Iterator[StudyTable]:
    units = known.units
    if units is None or known.reason:
        return
    means = [
        {
            "policy": policy,
            **{
                name: value
                for measure, shown in values.items()
                for name, value in (
                    (measure, shown),
                    (f"{measure}_low", known.interval(policy, measure).low),
                    (f"{measure}_high", known.interval(policy, measure).high),
                )
            },
        }
        for policy, values in values_shown(summary, units).items()
    ]
    note = f"{known.words}."
    frame = pl.DataFrame(means).fill_nan(None)
    yield StudyTable("means", "Means with 95 % intervals", frame, note, _in_text(known, frame))
    differences = [
        {
            "policy": policy,
            "measure": measure,
            "difference": one.difference,
            "low": one.interval.low,
            "high": one.interval.high,
            "p_value": one.p_value,
            "p_adjusted": one.p_adjusted,
            "effect": one.effect,
            "lower": one.lower,
            "higher": one.higher,
            "is_decided": one.is_decided,
        }
        for (policy, measure), one in known.contrasts.items()
    ]
    if differences:
        title = f"Differences from {known.reference}"
        yield StudyTable("differences", title, pl.DataFrame(differences).fill_nan(None), note)


def _in_text(known: Significance, means: pl.DataFrame) -> pl.DataFrame:
    """Format means with their interval: `1.28 (0.88 to 1.63)`."""
    columns = [one for one in MEASURED if one.is_shown and one.name in means.columns]
    cells = {
        column.title: [
            _with_interval(column, value, known.interval(policy, column.name))
            for policy, value in means.select("policy", column.name).iter_rows()
        ]
        for column in columns
    }
    return pl.DataFrame({"Policy": means["policy"], **cells})


def _with_interval(column: Column, value: float, interval: Interval) -> str:
    digits, scale = max(1, column.digits), column.scale
    if not interval.is_known:
        return fixed(scale * value, digits)
    low, high = (fixed(scale * end, digits) for end in (interval.low, interval.high))
    return f"{fixed(scale * value, digits)} ({low} to {high})"


def _of_paper(table: table_form.Table) -> StudyTable:
    name = table.name.lower().replace(" ", "-").replace("(", "").replace(")", "")
    percent = [pl.col(column.name) * 100 for column in table.columns if column.unit == "fraction"]
    shown = table.frame.with_columns(percent)
    titles = _unique([column.heading for column in table.columns], " ({})")
    shown = shown.rename(dict(zip(shown.columns, titles, strict=True)))
    return StudyTable(name, f"{table.name}: {table.title}", table.frame, table.note, shown)


def _unique(names: Sequence[str], number: str) -> list[str]:
    """Return unique names: a repeated name gets a number at its end."""
    found: list[str] = []
    for name in names:
        tried = (name, *(name + number.format(place) for place in range(2, len(names) + 1)))
        found.append(next(one for one in tried if one not in found))
    return found
