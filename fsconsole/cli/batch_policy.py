"""Policies of parallel jobs on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.values import duration
from fsconsole.text.nearest import nearest_or_all

if TYPE_CHECKING:
    from fsconsole.batch.policy import BatchPolicy

# Each option sets one of these settings of a policy.
_OPTIONS = {
    "window_s": "--window",
    "origin_s": "--origin",
    "form": "--form",
    "decay": "--decay",
    "carry_reservation": "--carry-reservation",
    "reservations": "--reservations",
    "boundary_passes": "--boundary-passes",
    "lxf_bound_s": "--lxf-bound",
    "lxf_printed_bound_s": "--lxf-printed-bound",
    "weights": "--weights",
    "multifactor": "--multifactor",
}


_POLICY_AND_PARAMETERS = (
    click.option(
        "--policy",
        required=True,
        metavar="NAME",
        help="Policy, such as fcfs-backfill or relshare. `fsconsole batch policies` lists all.",
    ),
    click.option(
        "--window",
        "window_s",
        type=duration,
        metavar="TIME",
        help="Fair-share window, such as 4h or 7d. Default: 1d.",
    ),
    click.option(
        "--origin",
        metavar="TIME",
        help="Second or date of the trace at which a window begins. Default: 0.",
    ),
    click.option(
        "--form",
        type=click.Choice(["ratio", "difference"]),
        help="RelShare's measure: entitled/used, or entitled minus used.",
    ),
    click.option(
        "--decay",
        type=float,
        metavar="D",
        help="Fraction of usage carried into the next window, 0 to below 1.",
    ),
    click.option(
        "--carry-reservation",
        is_flag=True,
        default=None,
        help="Count a reservation as expected usage also in the next pass.",
    ),
    click.option(
        "--reservations",
        type=click.IntRange(1),
        metavar="K",
        help="Number of jobs with reservations. Default: 1.",
    ),
    click.option("--boundary-passes", is_flag=True, default=None, help="Also schedule when a window begins."),
    click.option(
        "--lxf-bound",
        "lxf_bound_s",
        type=duration,
        metavar="TIME",
        help="Runtime below which jobs count as this long in LXF: (wait + R)/R, R = max(runtime, TIME).",
    ),
    click.option(
        "--lxf-printed-bound",
        "lxf_printed_bound_s",
        type=duration,
        metavar="TIME",
        help="LXF's slowdown as the paper prints it: (wait + runtime)/max(TIME, runtime).",
    ),
    click.option(
        "--weights",
        metavar="USED,RUNNING,SLOTS",
        help="Weights of node-hours used, node-hours running, nodes in use. Default: 0.7,0.7,3.",
    ),
    click.option(
        "--multifactor",
        metavar="KEY=VALUE,...",
        help="Settings of Slurm, such as age=1000,fairshare=10000,half_life=7d,fair_tree=yes.",
    ),
)


def policy_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the policy and its parameters; all are None if not given."""
    for option in reversed(_POLICY_AND_PARAMETERS):
        function = option(function)
    return function


def options_for(policy: BatchPolicy) -> list[str]:
    """Return the options that apply to a policy."""
    return [option for field, option in _OPTIONS.items() if policy.means(field)]


def policy_of(name: str, options: dict[str, Any]) -> BatchPolicy:
    """Return a policy with the given fields, None for the default; a usage error if they are invalid."""
    from dataclasses import replace

    from fsconsole.batch.policy import POLICIES

    if name not in POLICIES:
        msg = f"unknown policy {name!r}{nearest_or_all(name, POLICIES)}"
        raise click.BadParameter(msg, param_hint="--policy")
    base = POLICIES[name]
    changes = {field: _value(field, value) for field, value in options.items() if value is not None}
    for field in changes:
        _check_meaning(field, base, name)
    try:
        return replace(base, **changes)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _value(field: str, value: Any) -> Any:
    if field == "weights":
        return _weights(value)
    if field == "multifactor":
        return _multifactor(value)
    if not field.endswith("_s"):
        return value
    if value != int(value):
        msg = f"{value:g} s is not a whole number of seconds"
        raise click.BadParameter(msg, param_hint=_OPTIONS[field])
    return int(value)


def _weights(text: str) -> Any:
    from fsconsole.batch.policy import UsageWeights

    try:
        used, running, slots = (float(word) for word in text.split(","))
    except ValueError:
        msg = f"{text!r} is not three numbers. Example: 0.7,0.7,3"
        raise click.BadParameter(msg, param_hint="--weights") from None
    try:
        return UsageWeights(used, running, slots)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--weights") from None


def _multifactor(text: str) -> Any:
    from fsconsole.batch.multifactor import parse_settings

    try:
        return parse_settings(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--multifactor") from None


def _check_meaning(field: str, policy: BatchPolicy, name: str) -> None:
    """Raise click.UsageError for an option that would change nothing under a policy."""
    from fsconsole.batch.policy import POLICIES

    if not policy.means(field):
        meant_for = ", ".join(known for known, other in POLICIES.items() if other.means(field))
        msg = f"{_OPTIONS[field]} has no effect on {name}. It is for {meant_for}"
        raise click.UsageError(msg)
