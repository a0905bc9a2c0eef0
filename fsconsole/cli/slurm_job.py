"""`fsconsole slurm job`: actions on jobs of a cluster, and their results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli import plan, slurm_action
from fsconsole.cli.cluster import Sending, log_option, read, via_option
from fsconsole.cli.errors import print_problem
from fsconsole.cli.slurm_job_files import output, script
from fsconsole.cli.values import change_options, duration
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.cli.cluster import Reading
    from fsconsole.slurm.job_change import JobChange

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
    from fsconsole.slurm.job_change import JobChange, JobVerb

    how = Sending(dry_run, as_json, without_log, yes, planned)
    reading = read(via, PartName.JOBS, PartName.PARTITIONS, PartName.NODES, PartName.RESERVATIONS)
    change = JobChange(JobVerb(named), jobs, by_s)
    return carry_out(reading, change, reason, how)


def carry_out(reading: Reading, change: JobChange, why: str, how: Sending) -> int:
    """Warn, ask, act, and print the result; return the exit status.

    The answer, or --yes, confirms the dangers that were printed: one that comes later stops the action.
    """
    from fsconsole.slurm.job_change import count_of
    from fsconsole.targets.slurm.job_actions import act, audited, sent, wait_for

    change = _warned(reading, change)
    jobs = count_words(count_of(change, reading.found.get(PartName.JOBS, ())), "job")
    return slurm_action.carry_out(
        reading,
        f"{change.verb.capitalize()} {jobs} of {reading.name}?",
        why,
        how,
        partial(
            act,
            reading.tools.run,
            change,
            known=reading.captured(PartName.JOBS),
            wait_s=wait_for(reading.settings),
        ),
        partial(audited, change),
        partial(sent, change),
        change.insisted,
    )


def _warned(reading: Reading, change: JobChange) -> JobChange:
    """Print the warnings before an action on stderr; return the change with these dangers confirmed."""
    from fsconsole.slurm.job_warnings import Surroundings, dangers, insisting
    from fsconsole.targets.slurm.location import clock_of

    around = Surroundings(
        jobs=reading.found.get(PartName.JOBS, ()),
        now_s=clock_of(reading.tools.place.prefix)(),
        partitions=reading.found.get(PartName.PARTITIONS, ()),
        nodes=reading.found.get(PartName.NODES, ()),
        reservations=reading.found.get(PartName.RESERVATIONS, ()),
        settings=reading.settings,
    )
    found = dangers(change, around)
    for danger in found:
        print_problem(f"note: {danger.text}")
    return insisting(change, found)
