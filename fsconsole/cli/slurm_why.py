"""`fsconsole slurm why`: reasons for a job's wait, a user's fairshare or an account's rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import click

from fsconsole.cli.cluster import read, via_option
from fsconsole.cli.errors import UserError
from fsconsole.cli.tables import print_json
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.visible_text import visible

if TYPE_CHECKING:
    from fsconsole.app.slurm_why.answer import Answer
    from fsconsole.app.slurm_why.facts import Facts, LimitFacts
    from fsconsole.cli.cluster import Reading
    from fsconsole.slurm.jobs import Job
    from fsconsole.slurm.parsers.sprio import JobPriority

_MOST_USERS = 2


@click.command("why")
@click.argument("words", nargs=-1, required=True, metavar="job ID | account NAME | USER [USER]")
@via_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(words: tuple[str, ...], via: tuple[str, ...], as_json: bool) -> None:
    """Explain a pending job, a user's fairshare, two users, or an account.

    Prints at most three sentences, one table and what would change it, to paste into a ticket. No admin
    rights are needed; what PrivateData hides is named. Write USER@ACCOUNT for a user with several accounts.
    """
    from fsconsole.app.slurm_why.answer import NoAnswer

    ask, is_job = _question(words)
    reading, facts = _facts(via, is_job=is_job)
    try:
        answer = ask(facts)
    except NoAnswer as error:
        reading.say_notes()
        hint = f" For a job: fsconsole slurm why job {words[0]}" if words[0][:1].isdigit() else ""
        raise UserError(f"{error}{hint}") from None
    if as_json:
        print_json(answer.as_json())
    else:
        print(visible(answer.as_text()), end="")


def _question(words: Sequence[str]) -> tuple[Callable[[Facts], Answer], bool]:
    """Return the question, and whether it is about a job."""
    if len(words) == 2 and words[0] == "job":
        from fsconsole.app.slurm_why.job import why_job

        return lambda facts: why_job(facts, words[1]), True
    if len(words) == 2 and words[0] == "account":
        from fsconsole.app.slurm_why.account import why_account

        return lambda facts: why_account(facts, words[1]), False
    if len(words) > _MOST_USERS:
        msg = "give one or two users, 'job' and its number, or 'account' and its name"
        raise click.UsageError(msg)
    from fsconsole.app.slurm_why.associations import why_user, why_users

    if len(words) == 1:
        return lambda facts: why_user(facts, words[0]), False
    return lambda facts: why_users(facts, words[0], words[1]), False


def _facts(via: tuple[str, ...], *, is_job: bool) -> tuple[Reading, Facts]:
    from fsconsole.app.slurm_why.facts import Facts, unknown_cluster
    from fsconsole.targets.slurm.location import clock_of

    parts = (PartName.JOBS, PartName.PARTITIONS) if is_job else (PartName.USAGE,)
    reading = read(via, *parts, says=False)
    jobs = reading.found.get(PartName.JOBS)
    partitions = reading.found.get(PartName.PARTITIONS)
    facts = Facts(
        reading.cluster or unknown_cluster(reading.name),
        reading.settings,
        reading.found.get(PartName.USAGE, reading.shown),
        tuple(getattr(jobs, "items", jobs) or ()),
        tuple(getattr(partitions, "items", partitions) or ()),
        lambda asked: _priorities(reading, asked),
        {str(part): problem for part, problem in reading.problems.items()},
        clock_of(via)(),
        cache(lambda: _limits(via)),
        lambda: _tres(reading),
        {str(part): notes[0] for part, notes in reading.notes.items()},
        tasks=lambda job: _tasks(reading, job),
    )
    return reading, facts


def _limits(via: tuple[str, ...]) -> LimitFacts:
    """Read associations and QOS, which are needed only where a job waits for a limit."""
    from fsconsole.app.slurm_why.facts import LimitFacts

    reading = read(via, PartName.TREE, PartName.QOS, says=False)
    found, problems = reading.found, reading.problems
    parts = (PartName.TREE, PartName.QOS)
    whys = (why for part in parts for why in (problems.get(part, ""), *reading.notes.get(part, ())))
    qos = found.get(PartName.QOS) or ()
    return LimitFacts(found.get(PartName.TREE), tuple(qos), next(filter(None, whys), ""))


def _tres(reading: Reading) -> Mapping[int, str]:
    from fsconsole.targets.slurm.explain import read_tres

    return read_tres(reading.tools.run)


def _tasks(reading: Reading, job: Job) -> Sequence[Job]:
    from fsconsole.targets.slurm.explain import read_tasks

    return read_tasks(reading.tools.run, job)


def _priorities(reading: Reading, jobs: Sequence[Job]) -> Mapping[int, JobPriority]:
    """Return the rows of sprio by job; jobs that it does not list are left out."""
    from fsconsole.slurm.job_priority import row_of_each
    from fsconsole.targets.slurm.explain import read_priorities

    return row_of_each(read_priorities(reading.tools.run, jobs), jobs)
