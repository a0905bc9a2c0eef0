"""The present values of a node, in the terms of Junglas section 6."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell.options import Options, Parser
from fsconsole.shares.flat import Floats
from fsconsole.shares.tree import ROOT_ID

LEFT_OUT = "100 % is the machine without system groups"


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a node; shares and rates are fractions of the machine, with or without system groups.

    `machine_share` is always with them, and so is the allocated share by which `usage`, in cost units, gives
    `normalised`. `charge` is in CPU seconds.
    """

    machine_share: float
    allocated: float
    effective: float
    cpu_rate: float
    usage: float
    normalised: float
    charge: float
    rate: float
    kusage: float
    processes: int
    is_active: bool
    has_lnode: bool


class View:
    """The values of all nodes at one moment; `leave_out` rescales them without system groups."""

    def __init__(self, machine: Machine, *, leave_out: bool) -> None:
        """Take the machine's sample."""
        self._machine = machine
        self.leave_out = leave_out and bool(machine.flat.is_system.any())
        columns = machine.sample().columns
        self._columns: dict[str, Floats] = {
            **columns,
            **{
                name: self._part(columns[name]) for name in ("allocated_share", "effective_share", "cpu_rate")
            },
            "machine_share": machine.flat.machine_share(),
        }
        state, flat = machine.state, machine.flat
        self._active = flat.active(state.leaf_active(flat))
        self._processes = flat.group_sum(state.processes.astype(np.float64))

    def _part(self, column: Floats) -> Floats:
        return self._machine.flat.without_system(column) if self.leave_out else column

    def of(self, node_id: int) -> Values | None:
        """Return a node's values; None for one that joins at the next delta."""
        row = self._machine.flat.row_of.get(node_id)
        if row is None:
            return None
        columns, state = self._columns, self._machine.state
        return Values(
            machine_share=float(columns["machine_share"][row]),
            allocated=float(columns["allocated_share"][row]),
            effective=float(columns["effective_share"][row]),
            cpu_rate=float(columns["cpu_rate"][row]),
            usage=float(columns["usage"][row]),
            normalised=float(columns["normalised_usage"][row]),
            charge=float(columns["charge"][row]),
            rate=float(state.rate[row]),
            kusage=float(state.kusage[row]),
            processes=int(self._processes[row]) if node_id != ROOT_ID else int(state.processes[0]),
            is_active=bool(self._active[row]),
            has_lnode=bool(state.lnode[row]),
        )


def add_view_options(parser: Parser) -> None:
    """Add -x and --system, which choose the meaning of 100 %."""
    parser.add_argument(
        "-x", dest="leave_out", action="store_true", default=None, help="leave system groups out"
    )
    parser.add_argument(
        "--system",
        dest="leave_out",
        action="store_false",
        help="count system groups as well. Default: from the scenario",
    )


def view_of(machine: Machine, options: Options) -> View:
    """Return the view that the options choose; by default the scenario's."""
    chosen = options.leave_out
    return View(machine, leave_out=machine.scenario.plot.leave_out_system if chosen is None else chosen)
