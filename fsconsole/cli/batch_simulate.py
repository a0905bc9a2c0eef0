"""`fsconsole batch simulate`: a trace under a policy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.batch_policy import policy_of, policy_options
from fsconsole.cli.progress import interruptible
from fsconsole.cli.reading import STDIN
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.traces import (
    check_outputs,
    jobs_of,
    print_report,
    read,
    second_in,
    shares_for,
    simulated,
    trace_options,
    write_findings,
)
from fsconsole.cli.values import input_file
from fsconsole.shares.files import write_atomic
from fsconsole.text.csv_text import csv_of_frame
from fsconsole.text.numbers import fixed, thousands

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fsconsole.batch.job_table import Floats, JobTable
    from fsconsole.batch.measures.summary import Summary
    from fsconsole.batch.months import Period
    from fsconsole.batch.policy import BatchPolicy
    from fsconsole.batch.schedule import Schedule
    from fsconsole.batch.traces import Imported
    from fsconsole.batch.traces.sacct import Counted

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("simulate")
@trace_options
@policy_options
@click.option(
    "--shares",
    type=input_file,
    metavar="TREE",
    help="Share tree with the shares of users. Default: all equal.",
)
@click.option(
    "--month",
    nargs=2,
    metavar="FROM TO",
    help="Period to measure: jobs submitted from FROM to before TO, as dates or seconds of the trace.",
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="Number of jobs to simulate, from the first."
)
@click.option("--out", type=_FILE, metavar="jobs.csv", help="File for the start and end of each job.")
@click.option("--users-out", type=_FILE, metavar="users.csv", help="File with a line for each user.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
def command(
    trace: Path,
    procs: int | None,
    counted: Counted | None,
    dropped: Path | None,
    policy: str,
    shares: Path | None,
    month: tuple[str, str] | None,
    limit: int | None,
    out: Path | None,
    users_out: Path | None,
    as_json: bool,
    origin: str | None,
    **options: Any,
) -> None:
    """Schedule the jobs of TRACE under a policy, with backfilling, and print measures.

    Runtimes are known exactly. Without --month all jobs are measured; with it, the machine is empty 7 days
    before FROM, and jobs go on arriving until all of the period have started. The CSV has job_id, submit,
    start and end of the measured jobs, in seconds of the trace.
    """
    check_outputs(trace, out, users_out, dropped)
    if trace == shares == STDIN:
        msg = "the trace and the share tree cannot both be read from stdin"
        raise click.UsageError(msg)
    # The policy is made first, so that errors appear before a long trace is read.
    policy_of(policy, options | {"origin_s": None if origin is None else 0})
    imported = read(trace, procs, counted)
    jobs = jobs_of(imported, limit)
    chosen = policy_of(
        policy, options | {"origin_s": None if origin is None else second_in(jobs, origin, "--origin")}
    )
    known = shares_for(shares, jobs)
    period = None if month is None else _period(jobs, month)
    with simulated(imported.report.name):
        run = interruptible(lambda: _run(jobs, imported.cluster_nodes or 0, chosen, known, period))
    _write(run, imported, out, users_out, dropped)
    _print(run, imported, [out, users_out, dropped], as_json=as_json)


@dataclass(frozen=True, eq=False, slots=True)
class _Run:
    """A schedule, the rows of the measured jobs and their period; None and None for all jobs."""

    schedule: Schedule
    measured: NDArray[np.bool_] | None = None
    period: Period | None = None


def _period(jobs: JobTable, month: tuple[str, str]) -> Period:
    from fsconsole.batch.months import period_of

    try:
        return period_of(jobs, *month)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--month") from None


def _run(
    jobs: JobTable,
    nodes: int,
    policy: BatchPolicy,
    shares: Floats | None,
    period: Period | None,
) -> _Run:
    from fsconsole.batch.months import simulate_month
    from fsconsole.batch.simulate import simulate

    if period is None:
        return _Run(simulate(jobs, nodes, policy, shares))
    run = simulate_month(jobs, period, nodes, policy, shares)
    return _Run(run.schedule, run.measured, run.period)


def _write(
    run: _Run, imported: Imported, out: Path | None, users_out: Path | None, dropped: Path | None
) -> None:
    from fsconsole.batch.job_files import write_schedule
    from fsconsole.batch.measures.users import user_table

    if out is not None:
        write_schedule(run.schedule, out, run.measured)
    if users_out is not None:
        write_atomic(users_out, csv_of_frame(user_table(run.schedule, run.measured, run.period)))
    if dropped is not None:
        write_findings(imported.report, dropped)


def _print(run: _Run, imported: Imported, written: list[Path | None], *, as_json: bool) -> None:
    from fsconsole.batch.measures.summary import summarise
    from fsconsole.batch.traces.not_modelled import not_modelled_in

    summary = summarise(run.schedule, run.measured, run.period, dropped=len(imported.report.dropped))
    ran = _as_it_ran(run, imported)
    if as_json:
        known = None if ran is None else {name: getattr(ran, name) for name in ("jobs", *_OF_WAITS)}
        more = {"as_it_ran": known, "not_modelled": not_modelled_in(imported.report.notes)}
        print_json(summary.to_json() | more)
        return
    print_report(imported.report, to_file=written[-1] is not None)
    schedule = run.schedule
    what = f"{schedule.label} on {thousands(schedule.cluster_nodes)} processors"
    if run.period is not None:
        what += f", jobs of {run.period.name} ({thousands(len(schedule.jobs))} simulated)"
    print(what)
    rows = summary_rows(summary)
    if ran is None:
        print_table(("Measure", "Value"), rows)
    else:
        beside = zip(_ROWS, rows, summary_rows(ran), strict=True)
        cells = [(*row, text if name in _OF_WAITS else "") for name, row, (_, text) in beside]
        print_table(("Measure", "Simulated", "As it ran"), cells)
        print(f"As it ran: by the start times of {thousands(ran.jobs)} of these jobs in the trace.")
    for path in written:
        if path is not None:
            print(f"Wrote {path}")


def _as_it_ran(run: _Run, imported: Imported) -> Summary | None:
    """Return the measures of waits of the measured jobs on the real machine; None where none is known."""
    import numpy as np

    from fsconsole.batch.measures.summary import summarise
    from fsconsole.batch.traces import own_schedule

    own = own_schedule(imported)
    if own is None:
        return None
    jobs = run.schedule.jobs if run.measured is None else run.schedule.jobs.rows(run.measured)
    measured = np.isin(own.jobs.job_id, jobs.job_id)
    return summarise(own, measured) if measured.any() else None


# Title, factor and decimals of each measure in tables; no decimals for counts.
_ROWS: dict[str, tuple[str, float, int | None]] = {
    "jobs": ("Jobs", 1.0, None),
    "users": ("Users", 1.0, None),
    "avg_bounded_slowdown": ("Average bounded slowdown", 1.0, 3),
    "avg_wait_h": ("Average wait, h", 1.0, 3),
    "max_wait_h": ("Maximum wait, h", 1.0, 2),
    "p99_wait_h": ("99th percentile of waits, h", 1.0, 2),
    "under_shared": ("Users under-shared by over 50 node-hours", 1.0, None),
    "over_shared": ("Users over-shared by over 50 node-hours", 1.0, None),
    "share_error": ("Share error, %", 100.0, 1),
    "jain_share": ("Jain index of used divided by entitled", 1.0, 3),
    "gini_wait": ("Gini of users' average waits", 1.0, 3),
    "utilisation": ("Utilisation, % of all node-hours", 100.0, 1),
    "demand": ("Demand, % of all node-hours", 100.0, 1),
    "jobs_per_s": ("Jobs simulated per second", 1.0, 0),
}
_OF_WAITS = ("avg_bounded_slowdown", "avg_wait_h", "max_wait_h", "p99_wait_h", "gini_wait")


def summary_rows(summary: Summary) -> list[tuple[str, str]]:
    """Return the measures by name, as tables show them; empty for what is not known."""
    return [
        (title, _text(getattr(summary, name), factor, digits))
        for name, (title, factor, digits) in _ROWS.items()
    ]


def _text(value: float | None, factor: float, digits: int | None) -> str:
    if value is None:
        return ""
    return thousands(value) if digits is None else fixed(factor * value, digits)
