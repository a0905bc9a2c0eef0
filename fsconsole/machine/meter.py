"""CPU time of the whole machine, split into user, system and idle for the report; and Mflops."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.processes import ProcessTable


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums since the start: CPU ticks of users and of the system, and flop in millions times hz.

    `there` are the CPU ticks that the processors could give.
    """

    user: float = 0.0
    system: float = 0.0
    mflop: float = 0.0
    there: float = 0.0

    def __add__(self, other: Totals) -> Totals:
        return Totals(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Totals) -> Totals:
        return Totals(*(mine - its for mine, its in zip(astuple(self), astuple(other), strict=True)))


class Meter:
    """The use of ended processes, and the CPU ticks available in all."""

    def __init__(self, gone: Totals = Totals(), there: int = 0) -> None:
        """Start without use, or with the values of a checkpoint."""
        self.gone, self.there = gone, there

    def count_out(self, table: ProcessTable, rows: NDArray[np.bool_]) -> None:
        """Add the use of ending processes, bool [processes]."""
        if rows.any():
            self.gone += totals_of(table, rows)

    def totals(self, table: ProcessTable) -> Totals:
        """Return the use of all processes since the start."""
        used = self.gone + totals_of(table, np.ones(len(table), np.bool_))
        return replace(used, there=float(self.there))


def totals_of(table: ProcessTable, rows: NDArray[np.bool_]) -> Totals:
    """Return the use of the processes chosen by bool [processes]."""
    ticks = table.cpu_ticks[rows].astype(np.float64)
    system = ticks * table.system_fraction[rows]
    user = ticks - system
    return Totals(float(user.sum()), float(system.sum()), float((user * table.mflops[rows]).sum()))
