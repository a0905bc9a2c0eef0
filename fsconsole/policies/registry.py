"""All policies by name. Each is in a file of its own beside this one; its settings are in `PolicySpec`."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.policies.exponential import EXPONENTIAL
from fsconsole.policies.feedback import FEEDBACK
from fsconsole.policies.fixed import FIXED
from fsconsole.policies.policy import Policy
from fsconsole.policies.process_fair import PROCESS_FAIR
from fsconsole.policies.share import FLAT, SHARE
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import SettingError
from fsconsole.text.nearest import nearest_or_all

POLICIES: dict[str, Policy] = {
    policy.name: policy for policy in (SHARE, FLAT, FEEDBACK, FIXED, PROCESS_FAIR, EXPONENTIAL)
}


def policy_named(name: str) -> Policy:
    """Return the policy of that name.

    Raises:
        SettingError: the name is unknown; the message suggests the nearest one.
    """
    if name in POLICIES:
        return POLICIES[name]
    msg = f"unknown policy {name!r}{nearest_or_all(name, POLICIES)}"
    raise SettingError(msg)


def policy_of(spec: PolicySpec) -> Policy:
    """Return the policy in force; with NOSCHED, which ignores shares, that is process-fair."""
    policy = policy_named(spec.name)
    if not spec.nosched:
        return policy
    title, source = f"{policy.title}, NOSCHED", policy.source
    return replace(
        PROCESS_FAIR, name=policy.name, title=title, source=source, ignores_groups=policy.ignores_groups
    )


def stability_warnings(spec: PolicySpec) -> list[str]:
    """Return reasons why the policy may not settle, also with NOSCHED."""
    return policy_named(spec.name).warnings(spec)
