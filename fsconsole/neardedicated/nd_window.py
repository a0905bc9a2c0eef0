"""The record of a night: jobs that have ended, and lines of system usage (Brady et al. section 3.2.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fsconsole.machine.meter import Totals
from fsconsole.neardedicated.plain import several
from fsconsole.neardedicated.view import JobRow, ReportView, UseRow


@dataclass(frozen=True, slots=True)
class Parts:
    """How an interval's CPU time was used, fractions of all; millions of operations per second."""

    user: float
    system: float
    idle: float
    mflops: float


def parts_of(used: Totals, wall_ticks: int) -> Parts:
    """Return what CPU time used in an interval is of all there was; all 0 for one without length."""
    if not used.there:
        return Parts(0.0, 0.0, 0.0, 0.0)
    user, system = used.user / used.there, used.system / used.there
    # mflop is summed over ticks, so a division by ticks gives operations per second. More than all cannot be
    # used; a sum of fractions may miss that by its last digit.
    return Parts(user, system, max(0.0, 1 - user - system), used.mflop / wall_ticks)


@dataclass
class Night:
    """One window, from its start to its end.

    Attributes:
        start_tick, end_tick: end_tick None while it is open.
        at_start, at_row: totals of the machine when it began, and at the last line.
        row_tick: when the last line was written.
        at_end: totals when it ended.
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
        """Return a window that opens now."""
        return cls(tick, totals, row_tick=tick, at_row=totals)

    def view(self, tick: int, totals: Totals, hz: int) -> ReportView:
        """Return what the report is made of; `totals` are those at `tick`, of no account once it has
        ended.
        """
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
        """Return what `to_plain` wrote."""
        values = dict(data)
        for name in ("at_start", "at_row", "at_end"):
            values[name] = Totals(**values[name])
        values["jobs"] = several(JobRow, values["jobs"])
        values["use"] = several(UseRow, values["use"])
        return cls(**values)
