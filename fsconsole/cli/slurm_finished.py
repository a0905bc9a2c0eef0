"""`fsconsole slurm finished`: jobs that have ended, how, and how much of their CPU time they used."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from fsconsole.app.jobs.words import state_words
from fsconsole.cli.cluster import in_thread, read, refuse_capture, via_option
from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import duration
from fsconsole.targets.slurm.state import PartName
from fsconsole.text import durations, moments
from fsconsole.text.durations import in_words

if TYPE_CHECKING:
    from fsconsole.slurm.parsers.sacct import FinishedJob

_TITLES = (
    *("Job", "State", "User", "Account", "Partition", "CPUs", "Elapsed", "Limit", "CPU used"),
    *("Ended", "Result", "Name"),
)


@click.command("finished")
@click.argument("terms", nargs=-1, metavar="[TERM]...")
@via_option
@click.option(
    "--last",
    "span_s",
    callback=lambda _ctx, _option, text: duration(text),
    default="1d",
    show_default=True,
    metavar="TIME",
    help="Time span in which the jobs ended: 1h, 7d.",
)
@click.option(
    "--until",
    "until",
    default="",
    metavar="WHEN",
    help="End of the span: 2d (ago), or 2026-11-25T18:00. Default: now.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(terms: tuple[str, ...], via: tuple[str, ...], span_s: float, until: str, as_json: bool) -> None:
    """List finished jobs of a Slurm cluster, with CPU time used and how they ended.

    TERM is what the console's jobs table takes: a word, or user:anna state:failed partition=batch cpus>16
    elapsed>2h. CPU used is CPU time used of CPU time allocated.
    """
    from fsconsole.app.jobs.filter import FilterError, read_filter
    from fsconsole.app.jobs.finished import columns_of_finished, found, sum_of, sum_words
    from fsconsole.targets.slurm.finished_jobs import read_finished
    from fsconsole.targets.slurm.location import clock_of
    from fsconsole.targets.slurm.tools import ToolError

    try:
        wanted = read_filter(" ".join(terms))
    except FilterError as error:
        raise click.UsageError(str(error)) from None
    ends = _read_end(until)
    refuse_capture(via, "finished jobs, which sacct lists. `slurm jobs` lists the others", "sacct")
    reading = read(via, PartName.SETTINGS)
    now_s = clock_of(reading.place.prefix)()
    until_s = ends(now_s)
    if until_s is not None and until_s >= now_s:
        raise click.UsageError(
            "--until: the time is in the future. Write a time ago, such as 2d, or a past moment"
        )
    try:
        kept = in_thread(
            lambda: read_finished(reading.tools.run, span_s, now_s, reading.settings, until_s=until_s),
            reading.tools,
        )
    except ToolError as error:
        raise UserError(f"{str(error).rstrip('.')}.") from error
    jobs = found(kept.jobs, wanted, columns_of_finished(kept.jobs, now_s))
    for note in kept.notes:
        print_problem(f"note: {note}")
    total = sum_of(jobs)
    if as_json:
        print_json(
            {
                "cluster": reading.name,
                "since_s": round(kept.since_s),
                "until_s": round(kept.until_s),
                "efficiency": _number(total.efficiency),
                "jobs": [_plain(one) for one in jobs],
            }
        )
        return
    if jobs:
        print_table(_TITLES, [_row(one, now_s) for one in jobs], numbers=False)
    until_text = "" if until_s is None else moments.moment(until_s, now_s)
    click.echo(sum_words(total, _span_words(span_s, until_text), until_text))


def _span_words(span_s: float, until: str) -> str:
    """Format `day` as the console does, and `1 d` where the span has its own end or has no name."""
    from fsconsole.app.jobs.finished import SPANS_S

    named = {} if until else {length: words for words, length in SPANS_S.items()}
    return named.get(span_s) or in_words(span_s)


def _read_end(text: str) -> Callable[[float], float | None]:
    """Return a function from the cluster's time to the span's end.

    Raises:
        UsageError: the text is invalid.
    """
    if not text:
        return lambda _now_s: None
    try:
        at_s = datetime.fromisoformat(text).astimezone().timestamp()
    except (ValueError, OverflowError):
        pass
    else:
        return lambda _now_s: at_s
    try:
        ago_s = duration(text)
    except click.BadParameter:
        message = f"--until: '{text}' is not a time. Write a time ago, such as 2d, or 2026-11-25T18:00"
        raise click.UsageError(message) from None
    return lambda now_s: now_s - ago_s


def _row(one: FinishedJob, now_s: float) -> list[str]:
    from fsconsole.app.jobs.finished import efficiency, end_words

    job, used = one.job, efficiency(one)
    return [
        job.label, state_words(job), job.user, job.account, job.partition, str(job.cpus),
        durations.duration(job.elapsed_s), durations.slurm_limit(job.time_limit_s),
        "" if math.isnan(used) else f"{used:.0%}", moments.moment(job.end_s, now_s), end_words(one), job.name,
    ]  # fmt: skip


def _plain(one: FinishedJob) -> dict[str, Any]:
    from fsconsole.app.jobs.finished import efficiency, end_words

    job = one.job
    return {
        "job": job.label, "state": job.state, "user": job.user, "account": job.account,
        "partition": job.partition, "qos": job.qos, "name": job.name, "nodes": job.nodes, "cpus": job.cpus,
        "submit_s": job.submit_s, "start_s": job.start_s, "end_s": job.end_s, "elapsed_s": job.elapsed_s,
        "exit_code": list(job.exit_code) if job.exit_code is not None else None,
        "how": end_words(one), "allocated_s": one.allocated_s, "used_s": one.used_s,
        "efficiency": _number(efficiency(one)),
    }  # fmt: skip


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)
