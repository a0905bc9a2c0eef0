"""How far a sweep is, as its dock says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsconsole.text.durations import length_words

Mode = Literal["idle", "reading", "running", "pausing", "paused", "stopping"]


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """How a run of a study goes.

    Attributes:
        mode: `pausing` while what has been begun goes on to its end and nothing else is begun.
        workers: cells that are computed at a time.
        where: where, in words.
        left_s: expected time to the end; None where nothing is known yet.
    """

    mode: Mode = "idle"
    workers: int = 0
    where: str = ""
    left_s: float | None = None

    @property
    def host(self) -> str:
        """The address of a cluster; empty for this machine."""
        return next((word for word in self.where.split() if "://" in word), "")

    @property
    def is_busy(self) -> bool:
        """Whether a thread is at it."""
        return self.mode != "idle"

    @property
    def left(self) -> str:
        """Time left: `1 min 48 s left`."""
        match self.mode:
            case "running" if self.left_s is not None:
                return f"{length_words(self.left_s)} left"
            case "reading":
                return "Reading workloads…"
            case "pausing":
                return "Pausing…"
            case "paused":
                return "Paused"
            case "stopping":
                return "Stopping…"
        return ""
