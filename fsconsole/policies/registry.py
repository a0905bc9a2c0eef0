"""All policies by name."""

from __future__ import annotations

from typing import Protocol

from fsconsole.policies.share import Flat, Share
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.shares.scenario.nearest import nearest_or_all
from fsconsole.shares.scenario.spec import SettingError


class Policy(Protocol):
    """What the machine needs of a policy."""

    name: str
    title: str

    def start(self, given: PolicyInput, state: PolicyState) -> None:
        """Work out increment and rank from the state as it is."""
        ...

    def on_second(self, given: PolicyInput, state: PolicyState) -> None:
        """Every second, after the processes' priorities have decayed."""
        ...

    def on_delta(self, given: PolicyInput, state: PolicyState) -> None:
        """Every delta: take the cost into usage and charge, and set increment and rank anew."""
        ...


POLICIES: dict[str, Policy] = {policy.name: policy for policy in (Share(), Flat())}


def policy_named(name: str) -> Policy:
    """The policy of that name; SettingError with the nearest one where there is none."""
    if name in POLICIES:
        return POLICIES[name]
    msg = f"no policy {name!r}{nearest_or_all(name, POLICIES)}"
    raise SettingError(msg)
