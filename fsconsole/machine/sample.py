"""A sample: the plotted quantities of every node at one time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.shares.flat import Floats, Ints
from fsconsole.shares.scenario.spec import QUANTITIES

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

COLUMNS = (*QUANTITIES, "usage")


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """One value per node and column.

    Attributes:
        tick: time in ticks; `time_s`: in seconds.
        ids: node ids, depth-first.
        columns: `COLUMNS` by name. cpu_rate is the fraction of the machine over the rate window, usage is in
            cost units, normalised_usage is usage / allocated_share, charge is in CPU seconds (cost units at
            the normal price of a tick).
        cpu_s: CPU seconds since the start, undecayed.
    """

    tick: int
    time_s: float
    ids: Ints
    columns: dict[str, Floats]
    cpu_s: Floats


def sample_of(machine: Machine) -> Sample:
    """Return the present state of every node of a machine; groups have the sums of their users."""
    flat, state, hz = machine.flat, machine.state, machine.spec.hz
    active = flat.active(state.leaf_active(flat))
    allocated = flat.allocated_share(active)
    usage = flat.group_sum(state.usage)
    normalised = np.zeros(len(flat))
    np.divide(usage, allocated, out=normalised, where=allocated > 0)
    columns = {
        "cpu_rate": _cpu_rate(machine),
        "allocated_share": allocated,
        "effective_share": flat.effective_share(state.kusage, active),
        "normalised_usage": normalised,
        "charge": flat.group_sum(state.charge + state.cost) / machine.spec.cost_per_cpu_s,
        "usage": usage,
    }
    cpu_s = flat.group_sum(machine.ran.astype(np.float64)) / hz
    return Sample(machine.tick, machine.now_s, flat.ids, columns, cpu_s)


def _cpu_rate(machine: Machine) -> Floats:
    """Return CPU ticks over the rate window, as a fraction of the machine's.

    Between two samples further apart than the window, it is the rate since the earlier one.
    """
    window = machine.spec.ticks(machine.scenario.plot.rate_window_s)
    earlier = [entry for entry in machine.recent if entry[0] < machine.tick]
    if not earlier:
        return np.zeros(len(machine.flat))
    tick, ran = next((entry for entry in earlier if entry[0] >= machine.tick - window), earlier[-1])
    used = machine.flat.group_sum((machine.ran - ran).astype(np.float64))
    return used / ((machine.tick - tick) * machine.spec.cpus)
