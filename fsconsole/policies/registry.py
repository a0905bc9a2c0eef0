"""All policies by name. What they compute is in the compiled functions of the modules beside this one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.nearest import nearest_or_all
from fsconsole.shares.scenario.spec import PolicySpec, SettingError

ADJGROUPS = ("off", "share", "integral")
SHARE, FEEDBACK, FIXED, PROCESS_FAIR, EXPONENTIAL = range(5)


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: what it is called, where it is from, and how shares enter it.

    Attributes:
        name: as in files and `--policy`.
        title: as people read it.
        source: paper and equation, or that it is ours.
        number: of its compiled functions in `steps`.
        ignores_groups: works with leaf shares over all active leaves.
        adjusts_groups: knows ADJGROUPS.
    """

    name: str
    title: str
    source: str
    number: int
    ignores_groups: bool = False
    adjusts_groups: bool = False

    def entitled(self, given: PolicyInput, state: PolicyState) -> Floats:
        """The share that stands in the equations: over active siblings, or over all with `count_inactive`.

        Nobody active counts as less than `sharemin` of the machine (the share quantum of UNICOS).
        """
        flat = given.flat
        active = flat.is_leaf if given.count_inactive else state.leaf_active(flat)
        if self.ignores_groups:
            share = flat.flat_share(active)
        else:
            share = (
                flat.machine_share() if given.count_inactive else flat.allocated_share(flat.active(active))
            )
        return np.where(share > 0, np.maximum(share, given.spec.sharemin), share)


POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("share", "Share, hierarchical", "Junglas 3-4; Share kernel", SHARE, adjusts_groups=True),
        Policy("flat", "Share, flat", "Everitt et al., equation 2", SHARE, ignores_groups=True),
        Policy("feedback", "Hierarchical feedback", "Everitt et al. 2.2.2, equations 9 and 10", FEEDBACK),
        Policy("fixed", "Fixed priorities", "Brady et al., FIXEDPRI", FIXED),
        Policy("process-fair", "Process-fair UNIX", "Everitt et al. 2.1.1, steps a to d", PROCESS_FAIR),
        Policy(
            "exponential",
            "Equation 1 as printed (a misprint)",
            "Everitt et al., equation 1; it does not give entitlements",
            EXPONENTIAL,
            ignores_groups=True,
        ),
    )
}


def policy_named(name: str) -> Policy:
    """The policy of that name; SettingError with the nearest one where there is none."""
    if name in POLICIES:
        return POLICIES[name]
    msg = f"no policy {name!r}{nearest_or_all(name, POLICIES)}"
    raise SettingError(msg)


def policy_of(spec: PolicySpec) -> Policy:
    """The policy in force: with NOSCHED shares decide nothing, which is process-fair."""
    policy = policy_named(spec.name)
    return replace(policy, number=PROCESS_FAIR, adjusts_groups=False) if spec.nosched else policy
