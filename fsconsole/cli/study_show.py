"""`fsconsole study show`: the results of a study as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.study import explained, folder_argument, opened

if TYPE_CHECKING:
    import polars as pl

    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.plan import Source

# Column, header, digits behind the point, and which end is the best; all of them fit into 80 columns.
_SHOWN: tuple[tuple[str, str, int, str], ...] = (
    ("avg_bounded_slowdown", "Avg\nbounded\nslowdown", 2, "min"),
    ("avg_wait_h", "Avg\nwait\nh", 2, "min"),
    ("p99_wait_h", "p99\nwait\nh", 1, "min"),
    ("max_wait_h", "Max\nwait\nh", 1, "min"),
    ("over_shared", "Over-\nshared\nusers", 0, "min"),
    ("under_shared", "Under-\nshared\nusers", 0, "min"),
    ("utilisation", "Utili-\nsation\n%", 1, "max"),
)
_BEST = "*"


@click.command("show")
@folder_argument
@click.option("--json", "as_json", is_flag=True, help="Print all cells as one JSON object.")
@click.option("--means", is_flag=True, help="Only the means over all workloads and seeds.")
def command(folder: Path, as_json: bool, means: bool) -> None:
    """Show what the study in DIR has come to, finished or not; * marks the best of each column.

    Over- and under-shared users have over 50 node-hours more or less than they were entitled to.
    """
    from fsconsole.cli.tables import print_json

    stored = opened(folder)
    with explained():
        if as_json:
            print_json(results_of(stored))
        else:
            print_results(stored, only_means=means)


def results_of(stored: StudyFolder) -> dict[str, Any]:
    """A study's results as plain values."""
    cells = stored.cells()
    states = [stored.state(cell) for cell in cells]
    return {
        "name": stored.spec.name,
        "folder": str(stored.path),
        "cells": len(cells),
        "done": states.count("done"),
        "failed": [
            {"cell": cell.words, "reason": stored.failure(cell)}
            for cell, state in zip(cells, states, strict=True)
            if state == "failed"
        ],
        "left_out": left_out(stored),
        "results": stored.summary().to_dicts(),
    }


def print_results(stored: StudyFolder, *, only_means: bool = False) -> None:
    """Print the table of a study, one of means where it has several workloads or seeds, and what failed."""
    found = stored.summary()
    runs = found.select("workload", "seed").unique(maintain_order=True).rows()
    name = stored.spec.name
    if len(runs) == 1 or not only_means:
        for workload, seed in runs:
            told = workload if seed is None else f"{workload}, seed {seed}"
            own = found.filter(_is(workload, seed))
            _print(own, f"{name}: {told}")
    if len(runs) > 1:
        _print(_means(found), f"{name}: means over {len(runs)} runs")
    _print_rest(stored, len(found))
    for line in left_out(stored):
        print(line)


def left_out(stored: StudyFolder) -> list[str]:
    """A line for each trace some of whose jobs were left out as it was read: how many, and why."""
    return [line for source in stored.plan.sources.values() if (line := _left_out(source))]


def _left_out(source: Source) -> str:
    """Without the numbers of the trace's lines, which `study check` tells."""
    from fsconsole.text.words import count_words

    if not source.dropped or not source.report:
        return ""
    whole, *rest = source.report  # the trace's file and how many of its jobs were read, then a line a reason
    why = [line.rpartition(" (line")[0].partition(" dropped: ") for line in rest if " dropped: " in line]
    reasons = ", ".join(
        reason if len(why) == 1 else f"{count.split()[0]} {reason}" for count, _, reason in why
    )
    return f"{Path(whole.rpartition(': ')[0]).name}: {count_words(source.dropped, 'job')} left out: {reasons}"


def _is(workload: str, seed: int | None) -> pl.Expr:
    import polars as pl

    return (pl.col("workload") == workload) & pl.col("seed").eq_missing(pl.lit(seed, pl.UInt64))


def _means(found: pl.DataFrame) -> pl.DataFrame:
    """Of policies that have all workloads, so that the means are comparable."""
    import polars as pl

    columns = [pl.col(column).mean() for column, *_ in _SHOWN]
    by_policy = found.group_by("policy", maintain_order=True).agg(*columns, pl.len().alias("runs"))
    return by_policy.filter(pl.col("runs") == pl.col("runs").max())


def _print(rows: pl.DataFrame, title: str) -> None:
    from fsconsole.cli.tables import print_table

    columns = [_texts(rows, *shown) for shown in _SHOWN]
    lines = list(zip(rows["policy"], *columns, strict=True))
    print_table(("Policy", *(header for _, header, *_ in _SHOWN)), lines, title)


def _texts(rows: pl.DataFrame, column: str, header: str, digits: int, best: str) -> list[str]:
    values = rows[column]
    digits = 1 if digits == 0 and values.dtype.is_float() else digits
    first = values.min() if best == "min" else values.max()
    first = None if values.n_unique() == 1 else first  # none is better than the others
    factor = 100 if header.endswith("%") else 1
    return [
        "-" if value is None else f"{factor * value:.{digits}f}{_BEST if value == first else ' '}"
        for value in values
    ]


def _print_rest(stored: StudyFolder, done: int) -> None:
    cells = stored.cells()
    failed = [cell for cell in cells if stored.state(cell) == "failed"]
    rest = len(cells) - done - len(failed)
    told = f"{done} of {len(cells)} cells are done"
    print(told + (f", {len(failed)} failed" if failed else "") + (f", {rest} waiting" if rest else "") + ".")
    for cell in failed:
        print(f"Failed: {cell.words}: {stored.failure(cell)}")
