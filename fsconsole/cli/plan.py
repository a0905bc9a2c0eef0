"""Plans of changes: their identity, and runs that make exactly one plan or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from fsconsole.cli.errors import UserError
from fsconsole.text.digests import short_digest

if TYPE_CHECKING:
    from fsconsole.slurm.change_set import ChangeSet
    from fsconsole.targets.slurm.reports import JobReport, NodeReport

plan_option = click.option(
    "--plan", "planned", metavar="ID", default="",
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


def say_plan(plan: str) -> None:
    """Print the identity of a plan after a dry run."""
    print(f"Plan {plan}. To make exactly these changes, or none: --yes --plan {plan}")
