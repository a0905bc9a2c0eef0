"""Near-dedicated section of a scenario (Brady et al. section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsconsole.shares.scenario.ranges import Range, outside
from fsconsole.shares.scenario.weekly import window_problems

ORDERS = ("arrival", "shares", "shortest", "efficiency", "by-hand")
Order = Literal["arrival", "shares", "shortest", "efficiency", "by-hand"]
_OFTEN, _LONG = Range(1, 86400, unit="s"), Range(0, 604800, unit="s")
_RANGES = {
    "estimate_factor": Range(0, 1000, above=True),
    "required_efficiency": Range(0, 1),
    "reorder_s": _OFTEN,
    "scan_s": _OFTEN,
    "report_s": _OFTEN,
    "least_work_s": _LONG,
    "alert_after_s": _LONG,
    "alert_before_s": _LONG,
    "sds_alert_s": _LONG,
}


@dataclass(frozen=True, slots=True)
class NearDedicatedSpec:
    """When and how one big job at a time gets the machine.

    Attributes:
        queue: the queue that it is taken from.
        windows: weekly windows such as `daily 23:00-07:30` or `mon-fri 01:00-06:00`.
        mode: `near-dedicated` preempts what the job needs and lets others fill the rest; `dedicated`
            checkpoints all other jobs first and restarts them after the window, as before.
        estimate_factor: wall time estimate = requested CPU time * factor / processors.
        required_efficiency: CPU efficiency that a user must have shown before a job may start.
        order: site policy by which the queue is put in order: `arrival`, `shares` (whom the share policy
            favours first), `shortest` (estimate), `efficiency` (shown, highest first) or `by-hand`.
        reorder_s: time between two rounds of the job that puts the queue in order.
        scan_s: time between two scans of the queue while nothing fits.
        report_s: time between two lines of the performance report.
        least_work_s: dedicated mode: estimates that must be waiting together before time is dedicated.
        alert_after_s: how long the efficiency may be below what is required before somebody is told.
        alert_before_s: how long before the watchdog kills somebody is told.
        sds_alert_s: how long a job may wait for SDS before somebody is told.
    """

    queue: str = "nd"
    windows: tuple[str, ...] = ()
    mode: Literal["near-dedicated", "dedicated"] = "near-dedicated"
    estimate_factor: float = 2.0
    required_efficiency: float = 0.88
    order: Order = "arrival"
    reorder_s: float = 600.0
    scan_s: float = 60.0
    report_s: float = 300.0
    least_work_s: float = 7200.0
    alert_after_s: float = 900.0
    alert_before_s: float = 900.0
    sds_alert_s: float = 120.0

    def problems(self) -> list[tuple[str, str]]:
        """Return (key, what is wrong) for values that are not allowed."""
        return outside(self, _RANGES) + [("windows", message) for message in window_problems(self.windows)]
