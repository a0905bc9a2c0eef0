"""The policy's columns with some users assumed to be present."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.policies.explanation import UNKNOWN
from fsconsole.policies.parameters import Parameters
from fsconsole.policies.policy import Policy
from fsconsole.policies.registry import policy_of
from fsconsole.policies.situation import Situation
from fsconsole.policies.state import PolicyState
from fsconsole.shares.scenario.actions import NORMAL_NICE

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

RUNNABLE = 0  # It equals kernel.RUNNABLE, whose import would compile.


@dataclass(frozen=True)
class Present(Situation):
    """The data for explanations of a machine."""

    machine: Machine
    policy: Policy

    @classmethod
    def of(cls, machine: Machine, rows: Iterable[int] = ()) -> Present:
        """Return the machine itself, or a copy in which leaves of `rows` without an l-node have one."""
        policy, parameters, state = policy_of(machine.policy_spec), machine.parameters, machine.state
        absent = [row for row in rows if not state.lnode[row]]
        if absent:
            parameters, state = _with_present(machine, policy, absent)
        return cls(
            given=machine.given,
            machine_spec=machine.spec,
            parameters=parameters,
            state=state,
            group_usage=machine.flat.group_sum(state.usage),
            group_factor=policy.group_factors(machine.given, state),
            next_process=lambda row: _next_process(machine, row),
            machine=machine,
            policy=policy,
        )

    def is_ready(self, pid: int | None) -> bool:
        """Return True if the process of a pid runs or waits for a CPU."""
        table = self.machine.processes
        return pid is not None and bool(np.any(table.state[table.pid == pid] == RUNNABLE))


def _with_present(machine: Machine, policy: Policy, rows: list[int]) -> tuple[Parameters, PolicyState]:
    """Return columns as if the users of these rows logged in now, each with one process."""
    # The engine is compiled, as the existing machine has done that already.
    from fsconsole.machine import engine
    from fsconsole.policies.accounting import START
    from fsconsole.policies.steps import parameters_of

    state = PolicyState._make(column.copy() for column in machine.state)
    state.logged_in[rows] = state.lnode[rows] = True
    state.processes[rows] = state.runnable[rows] = 1
    state.rate[rows] = 1.0
    given = machine.given
    state.entitled[:] = policy.entitled(given, state)
    parameters = parameters_of(policy, given, state)
    engine.take_steps(START, parameters, state)
    return parameters, state


def process_row(machine: Machine, row: int, pid: int | None = None) -> int | None:
    """Return the row of the process that represents a leaf: by pid, else its next one to run."""
    table = machine.processes
    own = np.flatnonzero(table.owner == row)
    if pid is not None:
        return next((int(at) for at in own if table.pid[at] == pid), None)
    ready = own[table.state[own] == RUNNABLE]
    chosen = ready if len(ready) else own
    return int(chosen[np.argmin(table.priority[chosen])]) if len(chosen) else None


def _next_process(machine: Machine, row: int) -> tuple[float, float]:
    """Return (priority, decay) of a leaf's next process; without one, the decay of a normal nice value."""
    table, first = machine.processes, process_row(machine, row)
    if first is None:
        return UNKNOWN, machine.spec.priority_decay(NORMAL_NICE)
    return float(table.priority[first]), float(table.decay[first])
