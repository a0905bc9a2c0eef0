"""What an operator does to jobs of a cluster: the command, and what is seen once it was done."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class JobVerb(StrEnum):
    """What can be done to a job."""

    KILL = "kill"
    EXTEND = "extend"
    SUSPEND = "suspend"
    RESUME = "resume"
    HOLD = "hold"
    RELEASE = "release"
    REQUEUE = "requeue"


@dataclass(frozen=True, slots=True)
class JobChange:
    """One thing done to some jobs.

    Attributes:
        jobs: labels that Slurm's tools take, such as 7 or 7_3 (`Job.label`).
        by_s: for EXTEND: so many seconds more (less, where negative).
        is_insisted: whether the person has confirmed what `dangers` said.
    """

    verb: JobVerb
    jobs: tuple[str, ...]
    by_s: float = 0.0
    is_insisted: bool = False
