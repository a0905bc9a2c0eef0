"""`fsconsole slurm job`: actions on jobs of a cluster, and their results."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli import plan
from fsconsole.cli.cluster import Sending, log_option, via_option
from fsconsole.cli.errors import print_problem
from fsconsole.cli.slurm_job_files import output, script
from fsconsole.cli.values import change_options
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.cli.cluster import Reading
    from fsconsole.slurm.job_change import JobChange
    from fsconsole.targets.slurm.reports import JobReport
    from fsconsole.targets.slurm.tools import Stop

_VERBS = {
    "kill": "Kill jobs, running or pending.",
    "extend": "Extend or shorten the time limit of jobs.",
    "suspend": "Suspend running jobs. Allocated resources are still charged.",
    "resume": "Resume suspended jobs.",
    "hold": "Hold pending jobs.",
    "release": "Release held jobs.",
    "requeue": "Requeue jobs. Their results so far are lost.",
}


@click.group("job")
def command() -> None:
    """Kill, extend, suspend, resume, hold, release or requeue jobs of a Slurm cluster.

    JOB is a number as squeue shows it, also of a task (7_3) or of some tasks (7_[3-5]). Each job is read
    before and afterwards. A command that its state does not allow is refused, and the result is reported.
    """


def by_time(_ctx: click.Context, _option: click.Parameter, text: str) -> float:
    """Read a time with a unit in seconds, also with + or - before it."""
    from fsconsole.cli.values import duration

    sign = -1.0 if text.lstrip().startswith("-") else 1.0
    return sign * duration(text.strip().removeprefix("-").removeprefix("+").strip())


def _options(named: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def with_options(function: Callable[..., None]) -> Callable[..., None]:
        found = [
            click.argument("jobs", nargs=-1, required=True, metavar="JOB..."),
            via_option,
            change_options(),
            click.option(
                "--yes", is_flag=True, help="Do not ask for confirmation, even if there are warnings."
            ),
            plan.plan_option,
            log_option,
            click.option("--json", "as_json", is_flag=True, help="Print one JSON list, without questions."),
        ]
        if named == "extend":
            helped = "Time to add, in whole minutes: 1h, 30min, or -2h for less."
            found.append(
                click.option("--by", "by_s", required=True, callback=by_time, metavar="TIME", help=helped)
            )
        for option in reversed(found):
            function = option(function)
        return function

    return with_options


def _add(named: str) -> None:
    @command.command(named, help=_VERBS[named])
    @_options(named)
    @click.pass_context
    def one(ctx: click.Context, /, **options: Any) -> None:
        ctx.exit(_do(named, **options))


for _verb in _VERBS:
    _add(_verb)
command.add_command(script)
command.add_command(output)


def _do(
    named: str, jobs: tuple[str, ...], via: tuple[str, ...], dry_run: bool, yes: bool, planned: str,
    reason: str, as_json: bool, without_log: bool, by_s: float = 0.0,
) -> int:  # fmt: skip
    """Read the cluster and act; return the exit status."""
    from fsconsole.cli.cluster import read
    from fsconsole.slurm.job_change import JobChange, JobVerb
    from fsconsole.targets.slurm.state import PartName

    if as_json and not (yes or dry_run):
        raise click.UsageError("--json does not ask questions. Add --yes or --dry-run")
    reading = read(via, PartName.JOBS, PartName.PARTITIONS, PartName.NODES, PartName.RESERVATIONS)
    change = JobChange(JobVerb(named), jobs, by_s, is_insisted=True)
    return carry_out(reading, change, reason, Sending(dry_run, as_json, without_log, yes, planned))


def carry_out(reading: Reading, change: JobChange, why: str, how: Sending) -> int:
    """Warn, ask, act, and print the result; return the exit status."""
    from fsconsole.targets.slurm.job_actions import act
    from fsconsole.targets.slurm.state import PartName

    _warn(reading, change)
    jobs = count_words(len(change.jobs), "job")
    return plan.carry_out(
        reading,
        f"{change.verb.capitalize()} {jobs} of {reading.name}?",
        how,
        lambda: act(reading.tools.run, change, reading.found.get(PartName.JOBS, ()), dry_run=True),
        lambda stop: _act(reading, change, why, stop, how),
        _plain,
    )


def _warn(reading: Reading, change: JobChange) -> None:
    """Print the warnings before an action on stderr."""
    from fsconsole.slurm.job_warnings import Surroundings, dangers
    from fsconsole.targets.slurm.location import clock_of
    from fsconsole.targets.slurm.state import PartName

    around = Surroundings(
        jobs=reading.found.get(PartName.JOBS, ()),
        now_s=clock_of(reading.tools.place.prefix)(),
        partitions=reading.found.get(PartName.PARTITIONS, ()),
        nodes=reading.found.get(PartName.NODES, ()),
        reservations=reading.found.get(PartName.RESERVATIONS, ()),
        settings=reading.settings,
    )
    for danger in dangers(change, around):
        print_problem(f"note: {danger.text}")


def _act(reading: Reading, change: JobChange, why: str, stop: Stop, how: Sending) -> tuple[JobReport, ...]:
    from fsconsole.cli.cluster import in_thread, must_log, say_or_stop, write_audit
    from fsconsole.targets.slurm.job_actions import act, audited, sent, wait_for
    from fsconsole.targets.slurm.state import PartName

    author = reading.author(why, how.undoes)
    said: set[str] = set()

    def on_report(report: JobReport) -> None:
        if not how.dry_run:
            write_audit(reading, audited(change, report, author))
        line = _line(reading, report)
        if not (how.is_quiet or (how.dry_run and line in said)):  # Many jobs are in one command.
            say_or_stop(line, stop)
        said.add(line)

    def begin(jobs: str, command: tuple[str, ...]) -> str:
        row = sent(change, jobs, command, author)
        return must_log(reading, row, without_log=how.without_log)

    def work() -> tuple[JobReport, ...]:
        known = reading.found.get(PartName.JOBS, ())
        wait_s = wait_for(reading.settings)
        run = reading.tools.run
        return act(
            run,
            change,
            known,
            dry_run=how.dry_run,
            on_report=on_report,
            begin=begin,
            pause=lambda s: _pause(stop, s),
            wait_s=wait_s,
        )

    return in_thread(work, reading.tools, stop)


def _pause(stop: Stop, seconds: float) -> bool:
    """Wait, but no longer than until an interrupt; return whether there was one."""
    until_s = time.monotonic() + seconds
    while not stop() and time.monotonic() < until_s:
        time.sleep(min(0.1, max(0.0, until_s - time.monotonic())))
    return stop()


def _line(reading: Reading, report: JobReport) -> str:
    from fsconsole.recording.audit import Result
    from fsconsole.targets.slurm.tools import shown_command

    if report.result is Result.DRY_RUN:
        text = f" # {report.text}" if report.text else ""
        return f"{shown_command(reading.place.prefix, report.command)}{text}"
    steps = " -> ".join(step for step in (report.before, report.after) if step)
    return ": ".join(part for part in (str(report.result), f"job {report.job}", steps, report.text) if part)


def _plain(report: JobReport) -> dict[str, Any]:
    return {
        "job": report.job,
        "result": str(report.result),
        "text": report.text,
        "command": list(report.command),
        "before": report.before,
        "after": report.after,
    }
