"""The policy's columns with some users as if they were there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.policies import steps
from fsconsole.policies.parameters import Parameters, parameters_of
from fsconsole.policies.registry import Policy, policy_of
from fsconsole.policies.state import PolicyState
from fsconsole.shares.flat import FlatTree, Floats

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

RUNNABLE = 0  # kernel.RUNNABLE, without compiling


@dataclass(frozen=True)
class Situation:
    """What explanations are read from.

    Attributes:
        group_usage: decayed cost units at and below each row.
        group_factor: what group adjustment multiplies with at each group; 1 elsewhere.
    """

    machine: Machine
    policy: Policy
    parameters: Parameters
    state: PolicyState
    group_usage: Floats
    group_factor: Floats

    @classmethod
    def of(cls, machine: Machine, rows: Iterable[int] = ()) -> Situation:
        """The machine as it is; where leaves of `rows` have no l-node, a copy in which they have."""
        policy, parameters, state = policy_of(machine.policy_spec), machine.parameters, machine.state
        absent = [row for row in rows if not state.lnode[row]]
        if absent:
            parameters, state = _with_present(machine, policy, absent)
        usage = machine.flat.group_sum(state.usage)
        return cls(machine, policy, parameters, state, usage, _group_factor(machine, parameters, state))

    def is_ready(self, pid: int | None) -> bool:
        """Whether there is a process of this pid that runs or waits for a CPU."""
        table = self.machine.processes
        return pid is not None and bool(np.any(table.state[table.pid == pid] == RUNNABLE))

    def path_factor(self, row: int) -> float:
        """Product of the group factors from the root down to a row."""
        found, parent = 1.0, self.machine.flat.parent
        while row > 0:
            found *= float(self.group_factor[row])
            row = int(parent[row])
        return found


def _with_present(machine: Machine, policy: Policy, rows: list[int]) -> tuple[Parameters, PolicyState]:
    """Columns as if the users of these rows logged in now, each with one process."""
    from fsconsole.machine import engine  # compiled, which a machine that stands has done already

    state = PolicyState._make(column.copy() for column in machine.state)
    state.logged_in[rows] = state.lnode[rows] = True
    state.processes[rows] = state.runnable[rows] = 1
    state.rate[rows] = 1.0
    given = machine.given
    state.entitled[:] = policy.entitled(given, state)
    parameters = parameters_of(policy, given, state)
    engine.take_steps(steps.START, parameters, state)
    return parameters, state


def _group_factor(machine: Machine, par: Parameters, state: PolicyState) -> Floats:
    """Own factor of each group: w of the integral variant, or f that Share used in the last delta."""
    factor = np.ones(len(machine.flat))
    groups = np.flatnonzero(~machine.flat.is_leaf[1:]) + 1
    if par.adjgroups == 2:
        factor[groups] = state.weight[groups] / state.weight[par.parent[groups]]
    elif par.adjgroups == 1:
        actual, due = fractions(machine.flat, state)
        known = groups[due[groups] > 0]
        factor[known] = np.maximum(1.0, par.mingshare * actual[known] / due[known])
    return factor


def fractions(flat: FlatTree, state: PolicyState) -> tuple[Floats, Floats]:
    """(Charged, entitled) part of each row among its busy siblings in the last delta.

    As `policies.share.fractions`, which Python cannot call, with whole columns: its loop would cost Python
    about 0.1 s at 10,000 nodes.
    """
    work = flat.group_sum(state.runnable.astype(np.float64))
    busy = (state.charged > 0.0) | (work > 0.0)
    kept = [np.where(busy, column, 0.0) for column in (state.charged, state.entitled)]
    sums = [np.bincount(flat.parent[1:], part[1:], len(flat))[flat.parent] for part in kept]
    known = (sums[0] > 0.0) & (sums[1] > 0.0)
    known[0] = False  # which has no siblings
    actual, due = (
        np.divide(part, total, out=np.zeros(len(flat)), where=known)
        for part, total in zip(kept, sums, strict=True)
    )
    return actual, due
