"""Intervals of reservations, and the reasons of their losses.

The paper (section V-B) explains users who suffer by difficult jobs whose reservations go to others: "once
small jobs of the user are started, the fair share priority of the user is lowered". The criterion is
reconstructed here: a job loses its reservation in a pass after which it waits without one, and it loses it to
its owner's own easy jobs if it keeps it in the same pass recomputed without those that were started while it
waited, all else being equal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np

from fsconsole.batch.insight.scheduling_cycle import pass_at
from fsconsole.batch.job_table import Ints
from fsconsole.batch.schedule import Schedule

Cause = Literal["own easy jobs", "new window", "arrival", "order"]

# A job is easy beside another one that needs twice as many nodes, or as many for twice as long: gaps that it
# fits into are far more frequent. We chose these factors; the paper says small and short.
EASY_PART = 0.5


@dataclass(frozen=True, eq=False, slots=True)
class HeldSpans:
    """Intervals in which jobs held reservations, in the order of their starts.

    Attributes:
        job: row of the job, int64 [spans].
        from_s, until_s: the pass that gave the reservation, and the one after which it was gone (or the job
            started), int64 [spans].
        taken_by: row of the job that got a reservation instead; -1 if the job itself started or no job got
            one.
    """

    job: Ints
    from_s: Ints
    until_s: Ints
    taken_by: Ints

    def is_lost(self, schedule: Schedule) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return a mask of the spans that ended without a start of their job, bool [spans]."""
        return np.asarray(schedule.start_s[self.job] != self.until_s)


@dataclass(frozen=True, slots=True)
class Loss:
    """A reservation lost.

    Attributes:
        row: the job that lost it, in the pass of `at_s`.
        taken_by: row of the job that got one instead; -1 if none did.
        cause: `own easy jobs` as described above; else `new window` if usage was reset since the last pass,
            `arrival` if the job that got it had just arrived, `order` if others overtook it.
        own: rows of the owner's easy jobs that caused it; empty for other causes.
    """

    row: int
    at_s: int
    taken_by: int
    cause: Cause
    own: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class JobReservations:
    """The history of a job's reservations.

    Attributes:
        row, job_id: the job.
        spans: (from, until) of each reservation that it held, seconds of the trace.
        losses: their losses, in order.
    """

    row: int
    job_id: int
    spans: tuple[tuple[int, int], ...]
    losses: tuple[Loss, ...]

    @property
    def held_s(self) -> int:
        """Total time with a reservation."""
        return sum(until - since for since, until in self.spans)

    def lost_to(self, cause: Cause) -> tuple[Loss, ...]:
        """Return the losses that have this cause."""
        return tuple(loss for loss in self.losses if loss.cause == cause)

    def to_json(self) -> dict[str, Any]:
        """Return the history as plain data."""
        return {
            "job_id": self.job_id,
            "held": [list(span) for span in self.spans],
            "held_s": self.held_s,
            "losses": [{"at_s": loss.at_s, "cause": loss.cause} for loss in self.losses],
        }


def held_spans(schedule: Schedule) -> HeldSpans:
    """Return all reservations of a schedule.

    Raises:
        ValueError: the schedule is without its reservation log.
    """
    spans: list[tuple[int, int, int, int]] = []
    since: dict[int, int] = {}
    for at_s, before, held in _changes(schedule):
        gained = [row for row in held if row not in since]
        for row in [row for row in before if row not in held]:
            started = int(schedule.start_s[row]) == at_s
            spans.append((row, since.pop(row), at_s, -1 if started or not gained else gained[0]))
        since |= dict.fromkeys(gained, at_s)
    columns = np.array(sorted(spans, key=lambda span: span[1]), dtype=np.int64).reshape(-1, 4).T.copy()
    return HeldSpans(*columns)


def _changes(schedule: Schedule) -> Iterator[tuple[int, dict[int, None], dict[int, None]]]:
    """Yield (second, rows that held and hold the reservations that changed in its pass) from the log."""
    log = schedule.reservations
    if log is None:
        msg = "the schedule does not have its reservation log. Simulate it again with reservations"
        raise ValueError(msg)
    rows = zip(log.at_s.tolist(), log.rank.tolist(), log.job.tolist(), strict=True)
    by_rank: dict[int, int] = {}
    for at_s, group in groupby(rows, key=lambda row: row[0]):
        now = {rank: job for _, rank, job in group}
        before = _holders(by_rank, now)
        by_rank |= now
        yield at_s, before, _holders(by_rank, now)


def _holders(by_rank: dict[int, int], ranks: Iterable[int]) -> dict[int, None]:
    """Return the holders of these reservations, the first one first."""
    return dict.fromkeys(job for rank in sorted(ranks) if (job := by_rank.get(rank, -1)) >= 0)


def losses_of(
    schedule: Schedule, rows: Collection[int] | None = None, spans: HeldSpans | None = None
) -> tuple[Loss, ...]:
    """Return all lost reservations in order; only by the jobs of `rows` if given.

    Each loss under a policy by user recomputes a pass, which takes milliseconds.

    Args:
        schedule: a schedule with its reservation log.
        rows: jobs whose losses are wanted; all if None.
        spans: those of the schedule, if known.

    Raises:
        ValueError: the schedule is without its reservation log.
    """
    spans = held_spans(schedule) if spans is None else spans
    wanted = spans.is_lost(schedule)
    if rows is not None:
        wanted &= np.isin(spans.job, list(rows))
    lost = np.flatnonzero(wanted)
    columns = (spans.job[lost].tolist(), spans.until_s[lost].tolist(), spans.taken_by[lost].tolist())
    found = [_examined(schedule, *loss) for loss in zip(*columns, strict=True)]
    return tuple(sorted(found, key=lambda loss: (loss.at_s, loss.row)))


def reservations_of(schedule: Schedule, row: int) -> JobReservations:
    """Return the history of one job's reservations.

    Raises:
        ValueError: the schedule is without its reservation log.
    """
    spans = held_spans(schedule)
    own = np.flatnonzero(spans.job == row)
    return JobReservations(
        row,
        int(schedule.jobs.job_id[row]),
        tuple(zip(spans.from_s[own].tolist(), spans.until_s[own].tolist(), strict=True)),
        losses_of(schedule, [row], spans),
    )


def easy_jobs_beside(schedule: Schedule, row: int, until_s: int) -> tuple[int, ...]:
    """Return rows of the owner's jobs easier than this one that were started while it waited.

    Starts count up to a second.
    """
    jobs = schedule.jobs
    nodes, runtime = jobs.nodes, jobs.runtime_s
    small = nodes <= EASY_PART * nodes[row]
    short = (nodes <= nodes[row]) & (runtime <= EASY_PART * runtime[row])
    started = (schedule.start_s >= jobs.submit_s[row]) & (schedule.start_s <= until_s)
    return tuple(np.flatnonzero((jobs.user == jobs.user[row]) & started & (small | short)).tolist())


def _examined(schedule: Schedule, row: int, at_s: int, taken_by: int) -> Loss:
    policy = schedule.policy
    if policy is not None and policy.is_by_user:
        easy = easy_jobs_beside(schedule, row, at_s)
        if easy and _would_keep(schedule, row, at_s, easy):
            return Loss(row, at_s, taken_by, "own easy jobs", easy)
        if _has_window_begun(schedule, at_s):
            return Loss(row, at_s, taken_by, "new window")
    if taken_by >= 0 and int(schedule.jobs.submit_s[taken_by]) == at_s:
        return Loss(row, at_s, taken_by, "arrival")
    return Loss(row, at_s, taken_by, "order")


def _would_keep(schedule: Schedule, row: int, at_s: int, without: tuple[int, ...]) -> bool:
    """Return True if a job would have a reservation, or have been started, without some own jobs."""
    found = pass_at(schedule, at_s, ignored=without)
    return row in dict(found.held) or row in found.started


def _has_window_begun(schedule: Schedule, at_s: int) -> bool:
    """Return True if a window began since the pass before, up to and including a second."""
    policy = schedule.policy
    assert policy is not None  # noqa: S101 (asked of policies by user alone)
    times = (schedule.jobs.submit_s, schedule.end_s)
    before = max((int(column[column < at_s].max(initial=-1)) for column in times), default=-1)
    return policy.window_start_s(at_s) > policy.window_start_s(before)


def kept_from(schedule: Schedule, row: int, spans: HeldSpans | None = None) -> tuple[Loss, ...]:
    """Return the times when others got a reservation that a waiting job would have had without own easy jobs.

    Section V-B: the lowered priority "may prevent the first large job of the user from receiving a
    reservation, even if the job is the oldest in the queue". The passes considered are those in which another
    job got one while this one stayed without, including reservations that it lost. Empty for policies that do
    not go by user.

    Raises:
        ValueError: the schedule is without its reservation log.
    """
    spans = held_spans(schedule) if spans is None else spans
    if schedule.policy is None or not schedule.policy.is_by_user:
        return ()
    own = spans.job == row
    begun = (spans.from_s >= schedule.jobs.submit_s[row]) & (spans.from_s < schedule.start_s[row]) & ~own
    found = []
    for at_s, taken_by in zip(spans.from_s[begun].tolist(), spans.job[begun].tolist(), strict=True):
        if (own & (spans.from_s <= at_s) & (spans.until_s > at_s)).any():
            continue  # The job had one of several reservations itself.
        easy = easy_jobs_beside(schedule, row, at_s)
        if easy and _would_keep(schedule, row, at_s, easy):
            found.append(Loss(row, at_s, taken_by, "own easy jobs", easy))
    return tuple(found)
