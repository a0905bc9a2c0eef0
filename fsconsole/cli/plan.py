"""Plans of changes: their identity, and runs that make exactly one plan or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from fsconsole.cli.errors import INTERRUPTED, UserError
from fsconsole.text.digests import short_digest

if TYPE_CHECKING:
    from fsconsole.cli.cluster import Reading, Sending
    from fsconsole.slurm.change_set import ChangeSet
    from fsconsole.targets.slurm.reports import JobReport, NodeReport
    from fsconsole.targets.slurm.tools import Stop

    _Report = TypeVar("_Report", JobReport, NodeReport)


def _not_blank(ctx: click.Context, option: click.Parameter, value: str) -> str:
    """Return the option; click.BadParameter where it was given empty, as by a script without its variable."""
    if not value.strip() and ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:
        raise click.BadParameter("is empty. Give the plan that --dry-run prints")
    return value


plan_option = click.option(
    "--plan", "planned", metavar="ID", default="", callback=_not_blank,
    help="Plan of a dry run. Nothing is changed if the plan is another one now.",
)  # fmt: skip


def plan_of(*parts: Iterable[Sequence[str]] | str) -> str:
    """Return the identity of a plan: its commands, with the values that they expect."""
    return short_digest(*(part if isinstance(part, str) else [*map(list, part)] for part in parts))


def plan_of_changes(cluster: str, changes: ChangeSet) -> str:
    """Return the identity of a change set of a cluster."""
    sent = [one for one in changes.changes if not one.obstacle]
    return plan_of(cluster, [(*one.command, one.before, one.after) for one in sent])


def plan_of_reports(cluster: str, reports: Sequence[JobReport | NodeReport]) -> str:
    """Return the identity of an action on jobs or nodes, by the reports of a dry run."""
    return plan_of(cluster, [(*one.command, one.before, one.text) for one in reports])


def must_be_planned(planned: str, now: str) -> None:
    """Check that the plan is still the one that was asked for, if any was.

    Raises:
        UserError: it is another one.
    """
    if planned and planned != now:
        raise UserError(f"nothing was changed: the plan is {now} now, not {planned}. Show it with --dry-run")


def carry_out(
    reading: Reading,
    question: str,
    how: Sending,
    foresee: Callable[[], Sequence[_Report]],
    act: Callable[[Stop], Sequence[_Report]],
    plain: Callable[[_Report], dict[str, Any]],
) -> int:
    """Hold the plan against the one that was asked for, ask, act on jobs or nodes, and print the results.

    Args:
        reading: the cluster as it was read.
        question: asked before the action.
        how: how it is sent.
        foresee: a dry run without output, for the plan of the present.
        act: carries it out, a dry run too.
        plain: a report as JSON.

    Returns:
        the exit status.
    """
    from fsconsole.app.cluster.preview import queries
    from fsconsole.cli.cluster import confirmed, say_checks, status_of
    from fsconsole.cli.tables import print_json
    from fsconsole.targets.slurm.tools import Stop

    def check() -> None:
        if how.planned:
            must_be_planned(how.planned, plan_of_reports(reading.name, foresee()))

    check()
    if not how.dry_run:
        confirmed(question, yes=how.yes)
        if not how.yes:  # Others may have acted while the question was open.
            check()
    stop = Stop()
    reports = act(stop)
    plan = plan_of_reports(reading.name, reports) if how.dry_run else ""
    if how.is_quiet:
        more = {"plan": plan} if plan else {}
        print_json([plain(report) | more for report in reports])
    elif plan:
        say_plan(plan)
    say_checks(queries(reports, reading.place.prefix))
    return INTERRUPTED if stop() else status_of(reports)


def say_plan(plan: str) -> None:
    """Print the identity of a plan after a dry run."""
    print(f"Plan {plan}. To make exactly these changes, or none: --yes --plan {plan}")
