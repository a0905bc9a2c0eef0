"""CPU time of the whole machine, split as its report has it: user, system, idle; and Mflops."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.processes import ProcessTable


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums since the start: CPU ticks of users and of the system, and flop in millions times hz.

    `there` are the CPU ticks that processors could give, whatever their number was.
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
    """Keeps what processes have used that are gone, and the CPU ticks that there were for all."""

    def __init__(self, gone: Totals = Totals(), there: int = 0) -> None:
        """Nothing used yet, or what a checkpoint says."""
        self.gone, self.there = gone, there

    def count_out(self, table: ProcessTable, rows: NDArray[np.bool_]) -> None:
        """Add what processes that go now, bool [processes], have used."""
        if rows.any():
            self.gone += totals_of(table, rows)

    def totals(self, table: ProcessTable) -> Totals:
        """Return what all have used since the start."""
        used = self.gone + totals_of(table, np.ones(len(table), np.bool_))
        return replace(used, there=float(self.there))


def totals_of(table: ProcessTable, rows: NDArray[np.bool_]) -> Totals:
    """Return what the processes chosen by bool [processes] have used."""
    ticks = table.cpu_ticks[rows].astype(np.float64)
    system = ticks * table.system_fraction[rows]
    user = ticks - system
    return Totals(float(user.sum()), float(system.sum()), float((user * table.mflops[rows]).sum()))
