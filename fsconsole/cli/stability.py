"""What is said on stderr of policies that may not settle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fsconsole.shares.scenario.policy_spec import PolicySpec


def tell_unstable(policies: Iterable[PolicySpec]) -> None:
    """Every warning once, however many of the policies it is about."""
    from fsconsole.policies.registry import stability_warnings

    for text in dict.fromkeys(text for policy in policies for text in stability_warnings(policy)):
        click.echo(f"fsconsole: {text}", err=True)
