"""`fsconsole batch why`: why a job of a trace has not started."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.batch_policy import policy_of, policy_options
from fsconsole.cli.progress import interruptible
from fsconsole.cli.tables import print_json
from fsconsole.cli.traces import (
    check_outputs,
    jobs_of,
    read,
    second_in,
    shares_for,
    simulated,
    trace_options,
    write_findings,
)
from fsconsole.cli.values import input_file
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    from fsconsole.batch.insight.explanation import Explanation
    from fsconsole.batch.job_table import JobTable
    from fsconsole.batch.schedule import Schedule
    from fsconsole.batch.traces.sacct import Counted


@click.command("why")
@trace_options
@policy_options
@click.option(
    "--shares",
    type=input_file,
    metavar="TREE",
    help="Share tree with the shares of users. Default: all equal.",
)
@click.option("--job", type=int, required=True, metavar="ID", help="Number of the job in the trace.")
@click.option(
    "--at",
    metavar="TIME",
    help="Time, as a date or seconds of the trace. Default: the job's submission.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    trace: Path,
    procs: int | None,
    counted: Counted | None,
    dropped: Path | None,
    policy: str,
    shares: Path | None,
    job: int,
    at: str | None,
    as_json: bool,
    origin: str | None,
    **options: Any,
) -> None:
    """Explain why a job of TRACE has not started at a moment, under a policy.

    Shows its place in the order, who is ahead, who holds reservations, how many nodes are free and when it
    would fit, how its owner stands under policies that go by users, and what became of its own reservations.
    """
    check_outputs(trace, dropped)
    # The policy is made first, so that errors appear before a trace is read.
    policy_of(policy, options | {"origin_s": None if origin is None else 0})
    imported = read(trace, procs, counted)
    if dropped is not None:
        write_findings(imported.report, dropped)
    jobs = jobs_of(imported)
    row = _row_of(jobs, job)
    at_s = int(jobs.submit_s[row]) if at is None else second_in(jobs, at, "--at")
    origin_s = None if origin is None else second_in(jobs, origin, "--origin")
    chosen = policy_of(policy, options | {"origin_s": origin_s})
    from fsconsole.batch.simulate import simulate

    known = shares_for(shares, jobs)
    with simulated(imported.report.name):
        schedule = interruptible(
            lambda: simulate(jobs, imported.cluster_nodes or 0, chosen, known, reservations=True)
        )
    from fsconsole.batch.traces.not_modelled import not_modelled_in

    _print_reasons(schedule, row, at_s, not_modelled_in(imported.report.notes), as_json=as_json)


def _row_of(jobs: JobTable, job: int) -> int:
    import numpy as np

    rows = np.flatnonzero(jobs.job_id == job)
    if not len(rows):
        msg = (
            f"job {job} is not among the {thousands(len(jobs))} jobs that can be simulated, "
            f"{jobs.job_id.min()} to {jobs.job_id.max()}. --dropped lists the jobs left out"
        )
        raise click.BadParameter(msg, param_hint="--job")
    return int(rows[0])


def _print_reasons(schedule: Schedule, row: int, at_s: int, left_out: str, *, as_json: bool) -> None:
    from fsconsole.app.study.why_answer import history_of
    from fsconsole.batch.clock import Clock
    from fsconsole.batch.insight.why_waiting import why_waiting

    found = why_waiting(schedule, row, at_s)
    history = history_of(schedule, row)
    if as_json:
        more = {"own_reservations": history.found.to_json(), "not_modelled": left_out}
        print_json(found.to_json() | {"policy": schedule.label} | more)
        return
    clock = Clock(schedule.jobs)
    print(f"{schedule.label} on {thousands(schedule.cluster_nodes)} processors, at {clock(at_s)} ({at_s} s)")
    for reason in found.reasons:
        print(reason)
    _print_end(found, clock)
    print(f"During its whole wait: {history.words}")
    if left_out:
        print(left_out)


def _print_end(found: Explanation, clock: Any) -> None:
    """Print when a waiting job starts."""
    if found.state == "waiting":
        waited = length_words(found.start_s - found.submit_s)
        print(f"It starts at {clock(found.start_s)}, after {waited}.")
