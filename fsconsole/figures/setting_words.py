"""Settings of machine, policy, memory and URM in a person's words. No Qt here."""

from __future__ import annotations

from typing import Any

from fsconsole.policies.registry import POLICIES
from fsconsole.shares.scenario.parameters import PARAMETERS, written

_PARAMETERS = {parameter.key: parameter for parameter in PARAMETERS}


def policy_title(name: str) -> str:
    """A policy as people read it; the name of one that is not known."""
    return POLICIES[name].title if name in POLICIES else name


def setting_label(key: str) -> str:
    """What a setting is called: `Policy`, `Tick cost`; the key of one that is not known."""
    if key.endswith("_cost"):
        return key.partition(".")[2].replace("_", " ").capitalize()
    return _PARAMETERS[key].label.partition(",")[0] if key in _PARAMETERS else key


def setting_value(key: str, value: Any) -> str:
    """A value with its unit of time, a policy by its title."""
    if key == "policy.name":
        return policy_title(value)
    return written(_PARAMETERS[key], value) if key in _PARAMETERS else str(value)
