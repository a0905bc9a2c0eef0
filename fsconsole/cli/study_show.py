"""`fsconsole study show`: the results of a study as a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.study import explained, folder_argument, opened
from fsconsole.cli.tables import print_json, print_table
from fsconsole.text.numbers import plain_signed, plain_signed_range
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    import polars as pl

    from fsconsole.app.study.significance import Contrast, Significance
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.plan import Source

# An entry is column, header, decimals, and which end is best. All columns together fit into 80 characters.
_Shown = tuple[tuple[str, str, int, str], ...]
_SHOWN: _Shown = (
    ("avg_bounded_slowdown", "Avg\nbounded\nslowdown", 2, "min"),
    ("avg_wait_h", "Avg\nwait\nh", 2, "min"),
    ("p99_wait_h", "p99\nwait\nh", 1, "min"),
    ("max_wait_h", "Max\nwait\nh", 1, "min"),
    ("over_shared", "Over-\nshared\nusers", 0, "min"),
    ("under_shared", "Under-\nshared\nusers", 0, "min"),
    ("utilisation", "Node\nuse\n%", 1, "max"),
)
_FAIRNESS: _Shown = (
    ("over_shared", "Over-\nshared\nusers", 0, "min"),
    ("under_shared", "Under-\nshared\nusers", 0, "min"),
    ("share_error", "Share\nerror\n%", 1, "min"),
    ("jain_share", "Jain\nindex", 3, "max"),
    ("gini_wait", "Gini\nof\nwaits", 3, "min"),
    ("unfair_starts", "Unfair\nstarts\n%", 1, "min"),
    ("fair_start_miss_h", "Missed\nby\nh", 2, "min"),
)
_BEST, _TIED = "*", "~"
_FINE_BELOW = 10  # Ends of intervals below this value have a decimal.
# These measures are at most 1, so they have two decimals.
_SMALL = ("jain_share", "gini_wait", "fair_start_miss_h")


@click.command("show")
@folder_argument
@click.option("--json", "as_json", is_flag=True, help="Print all cells as one JSON object.")
@click.option("--means", is_flag=True, help="Only the means over all workloads and seeds.")
@click.option(
    "--against", metavar="POLICY", help="Policy to show differences from, with intervals and tests."
)
@click.option("--fairness", is_flag=True, help="Show measures of fairness instead of waits.")
def command(folder: Path, as_json: bool, means: bool, against: str | None, fairness: bool) -> None:
    """Show what the study in DIR has come to, finished or not.

    \b
    *  the best of its column
    ~  not decided against the best: chance may have made the difference

    Below each mean is its 95 % interval over months (or other workloads), seeds, or blocks of weeks of a
    single run. In JSON each row has `interval` and `p_value` by measure: paired with the reference policy,
    corrected for all policies; null where there are too few units.
    docs/explanation/significance.md explains them.

    Over- and under-shared users have over 50 node-hours more or less than they were entitled to.
    docs/explanation/fairness.md explains the measures of fairness; `study fair-start` computes the last
    two of them.
    """  # noqa: D301 (\b is click's mark for text that is not rewrapped)
    stored = opened(folder)
    shown = _FAIRNESS if fairness else _SHOWN
    with explained(), _explained_policy():
        if as_json:
            print_json(results_of(stored, against or ""))
        elif against is not None:
            print_differences(stored, against, shown)
        else:
            print_results(stored, only_means=means, shown=shown)


@contextmanager
def _explained_policy() -> Iterator[None]:
    """Turn a policy that the study does not have into wrong use."""
    from fsconsole.app.study.significance import UnknownPolicyError

    try:
        yield
    except UnknownPolicyError as error:
        raise click.BadParameter(str(error), param_hint="--against") from None


def results_of(stored: StudyFolder, against: str = "") -> dict[str, Any]:
    """Return a study's results as plain values, with intervals and p-values against a policy."""
    from fsconsole.app.study.significance import significance_of
    from fsconsole.cli.study_numbers import means_of, rows_with_intervals, significance_facts

    cells = stored.cells()
    found = stored.summary()
    known = significance_of(found, stored, against=against)
    states = [stored.state(cell) for cell in cells]
    return {
        "name": stored.spec.name,
        "folder": str(stored.path),
        "cells": len(cells),
        "done": states.count("done"),
        "of_another_version": {str(version): count for version, count in stored.other_versions().items()},
        "failed": [
            {"cell": cell.words, "reason": stored.failure(cell)}
            for cell, state in zip(cells, states, strict=True)
            if state == "failed"
        ],
        "left_out": left_out(stored),
        "not_modelled": list(stored.not_modelled),
        "significance": significance_facts(known),
        "means": means_of(found, known),
        "results": rows_with_intervals(stored, found, known),
    }


def print_results(stored: StudyFolder, *, only_means: bool = False, shown: _Shown = _SHOWN) -> None:
    """Print the table of a study, one of means where it has several workloads or seeds, and the failures."""
    from fsconsole.app.study.significance import NOTHING_KNOWN, significance_of

    found = stored.summary()
    known = significance_of(found, stored)
    runs = found.select("workload", "seed").unique(maintain_order=True).rows()
    name = stored.spec.name
    if len(runs) == 1 or not (only_means or stored.is_resampled):
        for workload, seed in runs:
            called = workload if seed is None else f"{workload}, seed {seed}"
            own = found.filter(_is(workload, seed))
            _print(own, f"{name}: {called}", known if len(runs) == 1 else NOTHING_KNOWN, shown)
    if len(runs) > 1:
        workloads = found["workload"].n_unique()
        unit = (
            f"{workloads} workloads of {len(runs)} cells"
            if 1 < workloads < len(runs)
            else f"{len(runs)} runs"
        )
        _print(_means(found, shown), f"{name}: means over {unit}", known, shown)
    _print_rest(stored, len(found))
    if known.words:
        print(f"{known.words}.")
    if known.tied and not known.reason:
        print(
            f"{_BEST} best, {_TIED} no significant difference from the best. --against POLICY shows "
            "differences."
        )
    for line in (*left_out(stored), *stored.not_modelled):
        print(line)


def print_fairness(stored: StudyFolder) -> None:
    """Print the measures of fairness; only means if a policy has several runs."""
    print_results(stored, only_means=True, shown=_FAIRNESS)


def left_out(stored: StudyFolder) -> list[str]:
    """Return a line for each trace some of whose jobs were left out as it was read: how many, and why."""
    lines = [line for source in stored.plan.sources.values() if (line := _left_out(source))]
    return list(dict.fromkeys(lines))  # Resampled traces share the line of their trace.


def _left_out(source: Source) -> str:
    """Describe the jobs left out, without the line numbers that `study check` prints."""
    if not source.dropped or not source.report:
        return ""
    # The first line has the trace's file and the number of jobs read. A line for each reason follows.
    whole, *rest = source.report
    why = [line.rpartition(" (line")[0].partition(" dropped: ") for line in rest if " dropped: " in line]
    reasons = ", ".join(
        reason if len(why) == 1 else f"{count.split()[0]} {reason}" for count, _, reason in why
    )
    return f"{Path(whole.rpartition(': ')[0]).name}: {count_words(source.dropped, 'job')} left out: {reasons}"


def _is(workload: str, seed: int | None) -> pl.Expr:
    import polars as pl

    return (pl.col("workload") == workload) & pl.col("seed").eq_missing(pl.lit(seed, pl.UInt64))


def _means(found: pl.DataFrame, shown: _Shown) -> pl.DataFrame:
    """Compute means of policies that have all workloads, so that the means are comparable.

    Seeds of a workload are averaged first: a model with five seeds counts as much as one month.
    """
    import polars as pl

    columns = [pl.col(column).mean() for column, *_ in shown]
    by_workload = found.group_by("policy", "workload", maintain_order=True).agg(
        *columns, pl.len().alias("runs")
    )
    by_policy = by_workload.group_by("policy", maintain_order=True).agg(*columns, pl.col("runs").sum())
    return by_policy.filter(pl.col("runs") == pl.col("runs").max())


def _print(rows: pl.DataFrame, title: str, known: Significance, shown: _Shown) -> None:
    policies = rows["policy"].to_list()
    columns = [_texts(rows, known, *column) for column in shown]
    lines: list[tuple[str, ...]] = []
    for place, policy in enumerate(policies):
        lines.append((policy, *(column[place] for column in columns)))
        below = [_interval_text(known, policy, column, header) for column, header, *_ in shown]
        if any(below):
            lines.append(("", *below))
    print_table(("Policy", *(header for _, header, *_ in shown)), lines, title)


def _interval_text(known: Significance, policy: str, column: str, header: str) -> str:
    """Format an interval as `17-34 `; empty if there is none."""
    interval = known.interval(policy, column)
    if not interval.is_known:
        return ""
    factor = _factor(header)
    low, high = factor * interval.low, factor * interval.high
    largest = max(abs(low), abs(high))
    digits = 2 if largest <= 1 and column in _SMALL else 1 if largest < _FINE_BELOW else 0
    return f"{low:.{digits}f}-{high:.{digits}f} "


def _texts(
    rows: pl.DataFrame, known: Significance, column: str, header: str, digits: int, best: str
) -> list[str]:
    values = rows[column]
    digits = 1 if digits == 0 and values.dtype.is_float() else digits
    first = values.min() if best == "min" else values.max()
    first = None if values.n_unique() == 1 else first  # Equal values have no best one.
    factor = _factor(header)
    tied = known.tied.get(column, frozenset()) if first is not None else frozenset()
    made = []
    for policy, value in zip(rows["policy"], values, strict=True):
        mark = _BEST if value == first else _TIED if policy in tied else " "
        made.append("-" if value is None else f"{factor * value:.{digits}f}{mark}")
    return made


def print_differences(stored: StudyFolder, against: str, shown: _Shown = _SHOWN) -> None:
    """Print, for each measure, how policies differ from one of them."""
    from fsconsole.app.study.significance import significance_of

    summary = stored.summary()
    known = significance_of(summary, stored, against=against)
    if known.units is None or known.reason:
        _print_plain_differences(summary, known, shown)
        return
    for column, header, digits, _ in shown:
        factor = _factor(header)
        found = [
            (policy, known.contrasts[policy, column])
            for policy in known.units.policies
            if (policy, column) in known.contrasts
        ]
        lines = [(policy, *_contrast_texts(one, max(digits, 1), factor)) for policy, one in found]
        title = f"{header.replace(chr(10), ' ').replace('- ', '-')}: difference from {known.reference}"
        if lines:
            print_table(_DIFFERENCE_HEADERS, lines, title)
    print(f"{known.words}.")
    print(f"Lower and higher: number of {known.units.words}. Effect: Hedges' g. ~ not significant.")


def _print_plain_differences(summary: pl.DataFrame, known: Significance, shown: _Shown) -> None:
    """Print differences without intervals and tests, with a note that they lack them."""
    from fsconsole.app.study.significance import plain_differences

    found = plain_differences(summary, known)
    policies = list(dict.fromkeys(policy for policy, _ in found))
    rows = [
        (
            policy,
            *(
                "-"
                if (policy, column) not in found
                else plain_signed(_factor(header) * found[policy, column], max(digits, 1))
                for column, header, digits, _ in shown
            ),
        )
        for policy in policies
    ]
    if rows:
        headers = ("Policy", *(header for _, header, *_ in shown))
        print_table(headers, rows, f"Differences from {known.reference}, without intervals and tests")
    print(f"{known.reason or 'Nothing is done yet'}.")
    if rows:
        print("Chance can explain any of these differences.")


def _factor(header: str) -> int:
    return 100 if header.endswith("%") else 1


_DIFFERENCE_HEADERS = ("Policy", "Difference", "95 %\ninterval", "p", "Effect", "Lower", "Higher")


def _contrast_texts(one: Contrast, digits: int, factor: float) -> tuple[str, ...]:
    interval = one.interval
    p_value = "-" if one.p_adjusted != one.p_adjusted else f"{one.p_adjusted:.4f}"
    effect = "-" if one.effect != one.effect else f"{one.effect:+.2f}"
    return (
        plain_signed(factor * one.difference, digits),
        plain_signed_range(factor * interval.low, factor * interval.high, digits),
        p_value + (" " if one.is_decided or not one.differs else _TIED),
        effect,
        str(one.lower),
        str(one.higher),
    )


def _print_rest(stored: StudyFolder, done: int) -> None:
    cells = stored.cells()
    states = [stored.state(cell) for cell in cells]
    failed = [cell for cell, state in zip(cells, states, strict=True) if state == "failed"]
    others = states.count("of another version")
    rest = len(cells) - done - len(failed) - others
    words = f"{done} of {len(cells)} cells are done"
    words += f", {len(failed)} failed" if failed else ""
    words += f", {others} of another version" if others else ""
    print(words + (f", {rest} waiting" if rest else "") + ".")
    if others or rest:
        for line in filter(None, (stored.of_other_version(),)):
            print(line)
    for cell in failed:
        print(f"Failed: {cell.words}: {stored.failure(cell)}")
