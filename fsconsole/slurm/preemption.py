"""Which partition's jobs may take the place of which others', and who has probably been displaced by whom.

Source: slurm.conf(5) on PreemptType=preempt/partition_prio, and what Slurm 22.05.8 was seen to do. That a
certain job was displaced by a certain other one stands in no record of Slurm: it is worked out here, by rules
of ours, and never more than likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fsconsole.slurm.jobs import Job


class Effect(StrEnum):
    """What is done to a job whose place is taken."""

    SUSPEND = "suspend"
    REQUEUE = "requeue"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class Preemption:
    """Jobs of one partition may take the place of those of another.

    Attributes:
        by, of: names of the partitions.
        effect: what becomes of the jobs of `of`.
        nodes: how many nodes both have.
    """

    by: str
    of: str
    effect: Effect
    nodes: int


class Certainty(StrEnum):
    """How sure it is that a job was displaced by those that are named."""

    LIKELY = "likely"  # one of them began when it was stopped
    POSSIBLE = "possible"  # they are on its nodes, but its time does not fit


@dataclass(frozen=True, slots=True)
class Displaced:
    """A job that lost its place, worked out by us.

    Attributes:
        job: the one that was suspended, requeued or cancelled.
        by: running jobs of partitions that may do that, the likeliest first; never empty.
        since_s: when it lost its place, seconds since 1970; None where nothing says so.
    """

    job: Job
    effect: Effect
    by: tuple[Job, ...]
    certainty: Certainty
    since_s: int | None
