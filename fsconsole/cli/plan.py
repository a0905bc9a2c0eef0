"""Plans of changes: their identity, and runs that make exactly one plan or nothing."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence

import click
from click.core import ParameterSource

from fsconsole.cli.errors import UserError
from fsconsole.text.digests import short_digest


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


def plan_here(*parts: Iterable[Sequence[str]] | str) -> str:
    """Return the identity of a plan for this machine: elsewhere the same steps are another plan."""
    return plan_of(platform.node(), *parts)


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
