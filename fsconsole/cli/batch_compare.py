"""`fsconsole batch compare`: two schedules job by job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.app.kinds import Kind, kind_named
from fsconsole.cli.errors import UNUSABLE, UserError
from fsconsole.cli.reading import STDIN
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.traces import check_outputs, jobs_of, read, trace_file
from fsconsole.cli.values import input_file
from fsconsole.shares.files import write_atomic
from fsconsole.text.csv_text import csv_of_frame
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    import polars as pl

    from fsconsole.batch.insight.differences import Differences
    from fsconsole.batch.measures.summary import Summary
    from fsconsole.batch.traces import Imported

_TIMES = ("submit", "start", "end")


@click.command("compare")
@click.argument("first", type=input_file, metavar="A.csv")
@click.argument("second", type=input_file, metavar="B.csv")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.csv",
    help="File with a line for each job: both starts and their difference.",
)
@click.option(
    "--top",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Number of largest shifts to print.",
)
@click.option(
    "--trace",
    type=trace_file,
    metavar="TRACE",
    help="Trace of both schedules, to compare waits and fairness too.",
)
@click.option(
    "--procs",
    type=click.IntRange(1, 10**9),
    metavar="N",
    help="Number of processors, if TRACE does not give it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the counts as one JSON object.")
@click.pass_context
def command(
    context: click.Context, first: Path, second: Path, out: Path | None, top: int, trace: Path | None,
    procs: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Compare two schedules by the ids of their jobs.

    A schedule is what `fsconsole batch simulate --out` writes: CSV with job_id, submit, start and end in
    whole seconds, also packed by gzip, bzip2 or xz. With --trace the measures of `batch simulate` are printed
    for both, over the jobs in each file; all users have equal shares.
    """
    if procs is not None and trace is None:
        msg = "--procs needs a trace. Give it with --trace"
        raise click.UsageError(msg)
    if STDIN in (first, second, trace):
        msg = "schedules are read from files, not from stdin"
        raise click.UsageError(msg)
    if out is not None and out.resolve() in (first.resolve(), second.resolve()):
        msg = f"{out} is one of the schedules. Choose another file to write"
        raise click.UsageError(msg)
    check_outputs(STDIN, out)
    from fsconsole.batch.insight.differences import compare_starts

    found = compare_starts(_starts(first), _starts(second))
    imported = None if trace is None else read(trace, procs, None)
    measured = () if imported is None else tuple(_measured(path, imported) for path in (first, second))
    if out is not None:
        write_atomic(out, csv_of_frame(found.frame))
    if as_json:
        facts = {"first": str(first), "second": str(second), **found.totals.to_json()}
        measures = {"measures": [one.to_json() for one in measured]} if measured else {}
        print_json(facts | measures)
    else:
        _print(found, first, second, out, top)
        if measured:
            _print_measures(*measured)
    context.exit(0 if found.totals.are_equal else UNUSABLE)


def _starts(path: Path) -> pl.DataFrame:
    """Return starts of a file; submit times and ends that it has not are unknown."""
    import polars as pl

    from fsconsole.batch.job_files import rows_of

    try:
        with kind_named(path, Kind.SCHEDULE, Kind.SCHEDULE):
            rows = rows_of(path)
    except ValueError as error:
        raise UserError(str(error)) from None
    unknown = pl.lit(None, dtype=pl.Int64)
    columns = {f"{name}_s": pl.col(name) if name in rows.columns else unknown for name in _TIMES}
    return rows.select("job_id", **columns)


def _measured(path: Path, imported: Imported) -> Summary:
    """Return the measures of the jobs in a file."""
    from fsconsole.batch.job_files import import_schedule
    from fsconsole.batch.measures.summary import summarise

    try:
        jobs = jobs_of(imported)
        return summarise(import_schedule(path, jobs, cluster_nodes=imported.cluster_nodes).schedule)
    except ValueError as error:
        raise UserError(str(error)) from None


def _print_measures(first: Summary, second: Summary) -> None:
    from fsconsole.cli.batch_simulate import summary_rows

    pairs = zip(summary_rows(first), summary_rows(second), strict=True)
    rows = [(name, one, other) for (name, one), (_, other) in pairs if one or other]
    print_table(("Measure", "First", "Second"), rows, "Measures of both, equal shares")


def _print(found: Differences, first: Path, second: Path, out: Path | None, top: int) -> None:
    totals = found.totals
    if totals.are_equal:
        print(f"{first} and {second} are equal: {thousands(totals.same)} jobs with the same start and end.")
    else:
        print(f"From {first} to {second}")
        print_table(("", "Jobs"), _rows(found))
        _print_largest(found, top)
    if out is not None:
        print(f"Wrote {out}")


def _rows(found: Differences) -> list[tuple[str, str]]:
    totals = found.totals
    rows = [
        ("Same start", totals.same),
        ("Start earlier", totals.earlier),
        ("Start later", totals.later),
        ("Only in the first", totals.only_first),
        ("Only in the second", totals.only_second),
        ("With another submit time or length", totals.unlike),
    ]
    return [(label, thousands(count)) for label, count in rows]


def _print_largest(found: Differences, top: int) -> None:
    import polars as pl

    totals = found.totals
    if totals.first_differing_job is None:
        return
    mean = totals.mean_shift_s or 0.0
    side = "later" if mean >= 0 else "earlier"
    print(f"First difference: job {totals.first_differing_job}. On average {thousands(abs(mean))} s {side}.")
    moved = found.frame.filter(pl.col("shift_s") != 0)
    largest = moved.sort(pl.col("shift_s").abs(), descending=True, maintain_order=True).head(top)
    rows = [
        (str(row["job_id"]), str(row["first_start_s"]), str(row["second_start_s"]), _shift(row["shift_s"]))
        for row in largest.iter_rows(named=True)
    ]
    if rows:
        print_table(("Job", "First start, s", "Second start, s", "Shift"), rows, "Largest shifts")


def _shift(shift_s: int) -> str:
    return f"{length_words(abs(shift_s))} {'later' if shift_s > 0 else 'earlier'}"
