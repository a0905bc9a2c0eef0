"""The report of a study: findings, Figs. 1 and 4, tables, the runs, and the commands that make it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from fsconsole.app.reports.document import Figure, Report, Section, Table, provenance, to_redo
from fsconsole.app.reports.in_words import seen
from fsconsole.app.reports.study_findings import findings, judged_policy
from fsconsole.app.study.paper_tables import paper_tables
from fsconsole.app.study.reading import read_state
from fsconsole.app.study.rows import MEASURED, StudyRow, mean_rows, study_rows, with_significance
from fsconsole.app.study.significance import Significance, significance_of, with_intervals
from fsconsole.app.study.user_facts import types_by_workload
from fsconsole.app.study.user_tests import FEW, user_tests
from fsconsole.app.study.user_tests import MEASURES as MEASURES_OF_USERS
from fsconsole.batch.measures import table_form
from fsconsole.batch.multifactor import Multifactor, setting_words
from fsconsole.batch.policy import BatchPolicy, UsageWeights, span
from fsconsole.batch.study.folder import STUDY
from fsconsole.figures.of_batch import MEASURES, figure_1, figure_4, means_over_workloads
from fsconsole.figures.spec import FigureSpec, FigureStyle
from fsconsole.shares.input_files import read_limited
from fsconsole.shares.quoting import quoted
from fsconsole.text.numbers import UNKNOWN, fixed, signed, signed_range
from fsconsole.text.words import capitalised, count_words, first_of, listed

if TYPE_CHECKING:
    from fsconsole.app.study.state import StudyState
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.figures.study_numbers import StudyNumbers

_SHOWN = tuple(place for place, column in enumerate(MEASURED) if column.is_shown)
_MARKS = "* best of its column, ~ no significant difference from the best. Below: 95 % intervals."
_BEST = "* best of its column."
_WIDEST = 10  # Tables with more columns are split.
_MOST_ROWS = 40
_MOST_REASONS = 15
_MOST_USERS = 10
_OF_TYPES = (
    "Their longest wait is over 10 h above that under FCFS-backfill. S1: their own easy jobs took "
    "reservations from their difficult ones. S2: they ask for far more than others on several days."
)


def study_report(folder: StudyFolder, *, against: str = "", style: FigureStyle | None = None) -> Report:
    """Report on the finished runs of a study.

    Args:
        folder: where it was computed.
        against: label of the policy that others are compared with; FCFS-backfill if empty, else the first.
        style: how figures look; theme and thickness of lines count.

    Raises:
        UnknownPolicyError: the study lacks the policy `against`.
        StudyError: nothing is done, or files of the folder cannot be read.
        ScenarioError: the study's file is damaged.
    """
    folder.check_results()
    spec = folder.spec
    state = read_state(folder, spec.name, spec.about)
    known = significance_of(state.summary, folder, against=against)
    has_means = len(state.workloads) > 1
    rows = with_significance((mean_rows if has_means else study_rows)(state.numbers), known)
    return Report(
        spec.name,
        "Study of parallel-job scheduling",
        (*([spec.about] if spec.about else []), *findings(state, rows, known), *folder.not_modelled),
        (
            _figures(state, known),
            Section(
                "Tables",
                (f"{known.words}.",) if known.words else (),
                tables=(
                    *(
                        [_measures("Means over all workloads" if has_means else "Measures", rows)]
                        if rows
                        else []
                    ),
                    *_contrasts(known),
                    *_by_workload(state),
                ),
            ),
            *_of_users(state, known, judged_policy(state)),
            *_suffering(folder, judged_policy(state)),
            Section(
                "Tables of the paper",
                tables=tuple(part for table in paper_tables(state) for part in _paper_table(table)),
            ),
            Section("Runs of the study", tables=(_policies(state), _workloads(state))),
            provenance(_facts(state, folder)),
            _again(folder, against),
        ),
        style or FigureStyle(),
    )


def _figures(state: StudyState, known: Significance) -> Section:
    alone = dict.fromkeys(state.workloads, known) if len(state.workloads) == 1 else {}
    numbers = with_intervals(state.numbers, {"": known, **alone})
    specs = (*means_over_workloads(numbers), *figure_1(numbers), *figure_4(numbers))
    figures = (Figure(_captioned(spec), seen(spec), 70.0) for spec in specs)
    return Section("Figures", tuple(_about_intervals(numbers)), tuple(figures))


def _captioned(spec: FigureSpec) -> FigureSpec:
    """Return the figure with its caption after its title, because a report prints only the title."""
    return replace(spec, title=". ".join(filter(None, (spec.title, spec.caption.rstrip(".")))))


def _about_intervals(numbers: StudyNumbers) -> Iterator[str]:
    """Explain the lines on bars, and name the measures without them."""
    measures = {measure for _, _, measure in numbers.intervals}
    if not measures:
        return
    words = "Lines on bars and bands around lines are 95 % intervals."
    without = [one.title.lower() for one in MEASURES if one.name not in measures]
    yield f"{words} There are none of the {listed(without)}." if without else words


def _of_users(state: StudyState, known: Significance, judged: str) -> Iterator[Section]:
    """Yield the users whose waits and slowdowns change most under a policy by users, with their tests."""
    if not judged or known.reference in ("", judged):
        return
    tables = []
    for measure, digits in (("avg_wait_h", 1), ("avg_bounded_slowdown", 1)):
        found = user_tests(state.users, state.folder, judged, known.reference, measure=measure)
        tested = found.frame.filter(pl.col("verdict") != FEW)
        if tested.is_empty():
            return
        most = tested.sort(pl.col("difference").abs(), descending=True).head(_MOST_USERS).sort("difference")
        rows = tuple(_of_user(row, digits) for row in most.reverse().iter_rows(named=True))
        title = f"{capitalised(MEASURES_OF_USERS[measure])}: {judged} minus {known.reference}"
        note = (
            f"The {len(rows)} largest differences of {count_words(tested.height, 'user')} with jobs "
            f"in enough units ({found.unit}). Each interval and each p alone is for one user. The "
            "verdict is based on p corrected for all of them (Holm), so a user may be undecided "
            "although the interval does not contain 0."
        )
        tables.append(Table(title, _USER_HEADERS, rows, note))
    yield Section(f"Users under {judged}", tables=tuple(tables))


def _of_user(row: dict[str, Any], digits: int) -> tuple[str, ...]:
    return (
        row["user"],
        fixed(row["jobs"]),
        signed(row["difference"], digits),
        signed_range(row["low"], row["high"], digits),
        *(UNKNOWN if row[name] is None else f"{row[name]:.4f}" for name in ("p_value", "p_adjusted")),
        str(row["lower"]),
        str(row["higher"]),
        row["verdict"],
    )


def _suffering(folder: StudyFolder, judged: str) -> Iterator[Section]:
    """Name the users who suffer under a policy by users, with reasons; nothing without a run of FCFS."""
    types = types_by_workload(folder, judged) if judged else {}
    reasons = [f"{user.kind}. {user.reason}" for one in types.values() for user in one.found.values()]
    if not reasons:
        return
    counts = [f"{workload}: {one.words}." for workload, one in types.items() if one.found]
    named = first_of(reasons, _MOST_REASONS)
    yield Section(f"Users who suffer under {judged}", (_OF_TYPES, *counts, *named))


def _measures(title: str, rows: Sequence[StudyRow]) -> Table:
    lines: list[tuple[str, ...]] = []
    for row in rows:
        lines.append((row.policy, *(_value(row, place) for place in _SHOWN)))
        if any(one.is_known for one in row.intervals):
            lines.append(("", *(_interval(row, place) for place in _SHOWN)))
    headers = ("Policy", *(MEASURED[place].title for place in _SHOWN))
    has_intervals = any(one.is_known for row in rows for one in row.intervals)
    return Table(title, headers, tuple(lines), _MARKS if has_intervals else _BEST)


def _value(row: StudyRow, place: int) -> str:
    column, value = MEASURED[place], row.values[place]
    whole = column.digits == 0 and value.mean == round(value.mean)
    text = fixed(column.scale * value.mean, column.digits if column.digits or whole else 1)
    return text + ("*" if place in row.best else "~" if place in row.tied else "")


def _interval(row: StudyRow, place: int) -> str:
    column, interval = MEASURED[place], row.intervals[place]
    if not interval.is_known:
        return ""
    digits = max(1, column.digits)
    low, high = (fixed(column.scale * end, digits) for end in (interval.low, interval.high))
    return f"{low}\N{EN DASH}{high}"  # Without blanks the range is not wrapped. All measures are 0 or more.


def _contrasts(known: Significance) -> Iterator[Table]:
    for place in _SHOWN:
        column = MEASURED[place]
        found = [(policy, one) for (policy, name), one in known.contrasts.items() if name == column.name]
        if not found:
            continue
        digits, factor = max(1, column.digits), column.scale
        rows = tuple(
            (
                policy,
                signed(factor * one.difference, digits),
                signed_range(factor * one.interval.low, factor * one.interval.high, digits),
                UNKNOWN if one.p_adjusted != one.p_adjusted else f"{one.p_adjusted:.4f}",
                UNKNOWN if one.effect != one.effect else signed(one.effect, 2),
                str(one.lower),
                str(one.higher),
                "decided" if one.is_decided else "not decided" if one.differs else "no difference",
            )
            for policy, one in found
        )
        yield Table(f"{column.title}: difference from {known.reference}", _CONTRAST_HEADERS, rows)


_USER_HEADERS = (
    "User", "Jobs", "Difference", "95 % interval", "p alone", "p corrected", "Lower in", "Higher in",
    "Verdict",
)  # fmt: skip
_CONTRAST_HEADERS = (
    "Policy", "Difference", "95 % interval", "p", "Effect (Hedges' g)", "Lower in", "Higher in", "Verdict"
)  # fmt: skip


def _by_workload(state: StudyState) -> Iterator[Table]:
    if len(state.workloads) < 2:
        return
    rows = study_rows(state.numbers)
    for workload in state.workloads:
        own = [row for row in rows if row.workload == workload]
        if own:
            yield _measures(workload, own)


def _paper_table(table: table_form.Table) -> Iterator[Table]:
    """Yield a table of the paper in parts that fit the page, each with its first column."""
    frame, note, month = table.frame, table.note, table_form.MONTH.name
    is_same = month in frame.columns and frame[month].n_unique() == 1
    columns = [
        column
        for place, column in enumerate(table.columns)
        if place == 0 or not (frame[column.name].is_null().all() or (is_same and column.name == month))
    ]
    if is_same and month not in (column.name for column in columns):
        note = f"Workload: {frame[0, month]}. {note}".rstrip()
    if frame.height > _MOST_ROWS:
        note = f"{note} The files have all {frame.height} rows; this shows {_MOST_ROWS}.".lstrip()
    parts = list(_parts(columns))
    for place, part in enumerate(parts):
        rows = tuple(
            tuple(_cell(column, row[column.name]) for column in part)
            for row in frame.head(_MOST_ROWS).iter_rows(named=True)
        )
        title = f"{table.name}: {table.title}" if place == 0 else f"{table.name}, continued"
        headers, groups = _headings(part)
        yield Table(title, headers, rows, note if place == len(parts) - 1 else "", groups=groups)


def _headings(part: Sequence[table_form.Column]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return headings of columns, and those of their groups; a common unit of a group is in its heading."""
    if all(one.group != other.group for one, other in pairwise(part)):
        return tuple(column.heading for column in part), ()
    units = {
        group: {one.shown_unit for one in part if one.group == group} for group in (one.group for one in part)
    }
    headers, groups = [], []
    for column in part:
        is_common = column.group != "" and units[column.group] == {column.shown_unit}
        unit = f", {column.shown_unit}" if is_common and column.shown_unit else ""
        headers.append(column.title if is_common else column.own_heading)
        groups.append(f"{column.group}{unit}")
    return tuple(headers), tuple(groups)


def _parts(columns: Sequence[table_form.Column]) -> Iterator[list[table_form.Column]]:
    """Cut columns into parts of at most _WIDEST that begin with the first one; groups stay together."""
    first, part = columns[0], list(columns[:1])
    for _, neighbours in groupby(columns[1:], key=lambda column: column.group or column.name):
        group = list(neighbours)
        if len(part) > 1 and len(part) + len(group) > _WIDEST:
            yield part
            part = [first]
        part += group
    yield part


def _cell(column: table_form.Column, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        scale = 100 if column.unit == "fraction" else 1
        return fixed(scale * value, 1 if isinstance(value, float) else 0)
    return UNKNOWN if value is None else str(value)


def _policies(state: StudyState) -> Table:
    """Return every setting in which policies differ, then those that all share."""
    policies = {cell.policy.label: cell.policy for cell in state.cells}
    names = [
        one.name for one in fields(BatchPolicy) if any(policy.means(one.name) for policy in policies.values())
    ]
    values = {name: [_setting(policy, name) for policy in policies.values()] for name in names}
    known = {name: sorted(set(values[name]) - {UNKNOWN}) for name in names}
    differ = [name for name in names if len(known[name]) > 1]
    rows = zip(policies, *(values[name] for name in differ), strict=True)
    same = ", ".join(f"{_called(name)} {known[name][0]}" for name in names if name not in differ)
    headers = ("Policy", *map(_called, differ))
    return Table(
        "Policies",
        headers,
        tuple(rows),
        f"The same for all cells it applies to: {same}." if same else "",
        len(headers),
    )


def _called(name: str) -> str:
    return name.removesuffix("_s").replace("_", " ")


def _setting(policy: BatchPolicy, name: str) -> str:
    """Return a setting in words; a dash where it means nothing under the policy."""
    value = getattr(policy, name)
    if not policy.means(name):
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "window_s":
        return span(value)
    if isinstance(value, UsageWeights):
        return f"{value.used:g} used, {value.running:g} running, {value.slots:g} nodes"
    if isinstance(value, Multifactor):
        return ", ".join(setting_words(value)) or "of the example of Slurm"
    return f"{value} s" if name.endswith("_s") else str(value)


def _workloads(state: StudyState) -> Table:
    rows = []
    for workload in state.workloads:
        cells = [cell for cell in state.cells if cell.workload == workload]
        own = state.summary.filter(state.summary["workload"] == workload)
        jobs, users = (own[0, name] if own.height else None for name in ("jobs", "users"))
        seeds = len({cell.seed for cell in cells})
        rows.append(
            (
                workload,
                fixed(cells[0].cluster_nodes),
                fixed(jobs),
                fixed(users),
                str(seeds),
                str(sum(state.state(cell) == "done" for cell in cells)),
                str(len(cells)),
            )
        )
    headers = ("Workload", "Nodes", "Jobs", "Users", "Seeds", "Cells done", "Cells")
    return Table("Workloads", headers, tuple(rows))


def _facts(state: StudyState, folder: StudyFolder) -> dict[str, object]:
    facts: dict[str, object] = {"Results": folder.path.name}
    for number, source in enumerate(folder.plan.sources.values(), 1):
        facts[f"Jobs {number}, digest"] = source.digest
        for line in source.report[:1]:
            facts[f"Jobs {number}"] = line.rpartition("/")[2]
    for cell in state.cells:
        if state.state(cell) == "failed":
            facts[f"Failed: {cell.words}"] = state.failures.get(cell.key, "")
    return facts


def _again(folder: StudyFolder, against: str) -> Section:
    text = read_limited(folder.path / STUDY).decode("utf-8", "replace")
    name = quoted(folder.path.name)
    options = f" --against {quoted(against)}" if against else ""
    run = f"fsconsole study run study.yaml --out {name}"
    return to_redo((run, f"fsconsole study report {name} --out report.pdf{options}"), (("study.yaml", text),))
