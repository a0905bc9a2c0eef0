"""The watchdog of a running job: it kills it when its estimate is used up (Brady et al. section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass

KILLED_BY_WATCHDOG, KILLED_AT_END = "killed by watchdog", "killed at window's end"


@dataclass
class Watchdog:
    """When a job is killed.

    Attributes:
        alive_since_s: when the job was started.
        estimate_s: wall time that it was given.
        end_s: the window's end where the job takes chances and is killed there at the latest.
        extended_s: what operators have added.
        retry_s: when it tries again where the job could not be killed.
    """

    alive_since_s: float
    estimate_s: float
    end_s: float | None = None
    extended_s: float = 0.0
    retry_s: float | None = None

    @property
    def deadline_s(self) -> float:
        """When it kills, extensions included."""
        by_estimate = self.alive_since_s + self.estimate_s
        return (by_estimate if self.end_s is None else min(by_estimate, self.end_s)) + self.extended_s

    @property
    def acts_s(self) -> float:
        """When it acts next."""
        return self.deadline_s if self.retry_s is None else max(self.deadline_s, self.retry_s)

    @property
    def how(self) -> str:
        """What it has done, in the words of the job summary."""
        by_estimate = self.alive_since_s + self.estimate_s
        is_early = self.end_s is not None and self.end_s < by_estimate
        return KILLED_AT_END if is_early else KILLED_BY_WATCHDOG
