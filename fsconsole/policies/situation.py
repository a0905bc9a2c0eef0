"""The data of a policy's explanation: its columns at one moment, of a paused machine or in a what-if."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconsole.policies.parameters import Parameters
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import MachineSpec


@dataclass(frozen=True)
class Situation:
    """Settings, columns, and values computed from them.

    Attributes:
        group_usage: decayed cost units at and below each row.
        group_factor: factor of group adjustment at each group; 1 elsewhere.
        next_process: (priority, decay) of a leaf's process that runs next; without one the priority is NaN.
    """

    given: PolicyInput
    machine_spec: MachineSpec
    parameters: Parameters
    state: PolicyState
    group_usage: Floats
    group_factor: Floats
    next_process: Callable[[int], tuple[float, float]]

    @property
    def flat(self) -> FlatTree:
        """The tree in force."""
        return self.given.flat

    @property
    def spec(self) -> PolicySpec:
        """Settings of the policy."""
        return self.given.spec

    def path_factor(self, row: int) -> float:
        """Return the product of the group factors from the root down to a row."""
        found = 1.0
        while row > 0:
            found *= float(self.group_factor[row])
            row = int(self.flat.parent[row])
        return found
