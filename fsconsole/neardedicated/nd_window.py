"""The record of a night: jobs that have ended, and lines of system usage (Brady et al. section 3.2.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fsconsole.machine.meter import Totals
from fsconsole.neardedicated.plain import several
from fsconsole.neardedicated.view import JobRow, ReportView, UseRow


@dataclass(frozen=True, slots=True)
class Parts:
    """Use of an interval's CPU time, as fractions of all; millions of operations per second."""

    user: float
    system: float
    idle: float
    mflops: float


def parts_of(used: Totals, wall_ticks: int) -> Parts:
    """Return the parts of the CPU time of an interval; all 0 for an empty one."""
    if not used.there:
        return Parts(0.0, 0.0, 0.0, 0.0)
    user, system = used.user / used.there, used.system / used.there
    # mflop is summed over ticks, so a division by ticks gives operations per second. The parts cannot exceed
    # 1, but a sum of fractions may by its last digit.
    return Parts(user, system, max(0.0, 1 - user - system), used.mflop / wall_ticks)


@dataclass
class Night:
    """One window, from its start to its end.

    Attributes:
        start_tick, end_tick: end_tick None while it is open.
        at_start, at_row: totals of the machine at its start and at the last line.
        row_tick: tick of the last line.
        at_end: totals at its end.
    """

    start_tick: int
    at_start: Totals
    end_tick: int | None = None
    row_tick: int = 0
    at_row: Totals = field(default_factory=Totals)
    at_end: Totals = field(default_factory=Totals)
    jobs: list[JobRow] = field(default_factory=list)
    use: list[UseRow] = field(default_factory=list)

    @classmethod
    def begun(cls, tick: int, totals: Totals) -> Night:
        """Return a window that opens at a tick."""
        return cls(tick, totals, row_tick=tick, at_row=totals)

    def view(self, tick: int, totals: Totals, hz: int) -> ReportView:
        """Return the data of the report; `totals` are those at `tick`, ignored after the window's end."""
        ended = self.end_tick is not None
        until = tick if self.end_tick is None else self.end_tick
        used = (self.at_end if ended else totals) - self.at_start
        parts = parts_of(used, until - self.start_tick)
        return ReportView(
            self.start_tick / hz,
            until / hz if ended else None,
            tuple(self.jobs),
            tuple(self.use),
            parts.user,
            parts.system,
            parts.idle,
            parts.mflops,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Night:
        """Return the window that `to_plain` wrote."""
        values = dict(data)
        for name in ("at_start", "at_row", "at_end"):
            values[name] = Totals(**values[name])
        values["jobs"] = several(JobRow, values["jobs"])
        values["use"] = several(UseRow, values["use"])
        return cls(**values)
