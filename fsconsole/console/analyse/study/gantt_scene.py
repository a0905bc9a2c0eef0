"""A schedule made ready for drawing: lanes, waiting jobs, colours of users, jobs in words. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fsconsole.batch.clock import Clock
from fsconsole.text.durations import duration
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.batch.insight.lanes import Lanes
    from fsconsole.batch.insight.losses import HeldSpans
    from fsconsole.batch.months import MonthRun, Period
    from fsconsole.batch.schedule import Schedule

_NAMED = 3  # Reservations at the cursor whose jobs are named.
Ints = NDArray[np.int64]
Tints = NDArray[np.uint8]

# Colours of the users with the most node-hours, alternating between families so that neighbours differ.
# Other users are grey.
USER_TOKENS = ("c2", "c5", "c8", "c11", "c3", "c6", "c9", "c12", "c1", "c4", "c7", "c10")
OTHERS = len(USER_TOKENS)
CHOSEN, PALE, PALER, GROUND = OTHERS + 1, OTHERS + 2, OTHERS + 3, OTHERS + 4


@dataclass(frozen=True, eq=False, slots=True)
class Steps:
    """A count that changes at times: `count[i]` from `at_s[i]` on."""

    at_s: Ints
    count: Ints

    def at(self, second: float) -> int:
        """Return the count at a second; 0 before the first one."""
        place = int(np.searchsorted(self.at_s, second, side="right")) - 1
        return int(self.count[place]) if place >= 0 else 0

    def most(self, edges_s: NDArray[np.float64]) -> Ints:
        """Return the largest count in each stretch between two edges, int64 [edges - 1]."""
        if not len(self.at_s):
            return np.zeros(len(edges_s) - 1, dtype=np.int64)
        first = np.maximum(np.searchsorted(self.at_s, edges_s[:-1], side="right") - 1, 0)
        last = np.searchsorted(self.at_s, edges_s[1:], side="left")
        padded = np.append(self.count, 0)
        pairs = np.stack([first, np.maximum(last, first + 1)], axis=1).ravel()
        found: Ints = np.maximum.reduceat(padded, pairs)[::2]
        found[edges_s[1:] <= self.at_s[0]] = 0
        return found

    def mean(self, edges_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean count in each stretch between two edges, float64 [edges - 1]."""
        if not len(self.at_s):
            return np.zeros(len(edges_s) - 1)
        sums = np.concatenate([[0.0], np.cumsum(self.count[:-1] * np.diff(self.at_s).astype(np.float64))])
        place = np.searchsorted(self.at_s, edges_s, side="right") - 1
        inside = np.maximum(place, 0)
        until = sums[inside] + self.count[inside] * (edges_s - self.at_s[inside])
        until[place < 0] = 0.0
        return np.diff(until) / np.maximum(np.diff(edges_s), 1e-9)


@dataclass(frozen=True, eq=False, slots=True)
class Scene:
    """All that is drawn of a run.

    Attributes:
        schedule: the run.
        measured: which jobs count, bool [jobs].
        period: when those are submitted.
        lanes: where jobs are drawn.
        end_s: when each span of the lanes ends, int64 [spans].
        rank: place of each user by node-hours, from 0 on, int64 [users].
        waiting: how many jobs wait.
        busy: how many nodes are in use.
        longest_s: how long the longest job runs.
        time: says when something is.
    """

    schedule: Schedule
    measured: NDArray[np.bool_]
    period: Period
    lanes: Lanes
    end_s: Ints
    rank: Ints
    waiting: Steps
    busy: Steps
    longest_s: int
    time: Clock

    @property
    def first_s(self) -> int:
        """When the first job arrives."""
        return int(self.schedule.jobs.submit_s.min(initial=self.period.start_s))

    @property
    def last_s(self) -> int:
        """When the last job ends."""
        return int(self.schedule.end_s.max(initial=self.first_s + 1))

    @property
    def heaviest(self) -> tuple[tuple[str, str], ...]:
        """(User, colour) of those who have one, most node-hours first."""
        users = self.schedule.jobs.users
        order = np.argsort(self.rank)[: min(OTHERS, len(users))]
        return tuple((users[user], USER_TOKENS[place]) for place, user in enumerate(order.tolist()))

    def row_of(self, job_id: int) -> int | None:
        """Return the row of a job; None where the run does not have it."""
        found = np.flatnonzero(self.schedule.jobs.job_id == job_id)
        return int(found[0]) if len(found) else None

    def user_of(self, name: str) -> int | None:
        """Return the index of a user; None where the workload does not have them."""
        users = self.schedule.jobs.users
        return users.index(name) if name in users else None

    def job_at(self, second: float, lane: float) -> int | None:
        """Return the row of the job that is drawn at a place; None where there is none."""
        lanes = self.lanes
        near = lanes.between(int(second), int(second) + 1)
        first = lanes.first[near]
        here = (lanes.start_s[near] <= second) & (self.end_s[near] > second)
        here &= (first <= lane) & (first + lanes.wide[near] > lane)
        found = np.flatnonzero(here)
        return int(lanes.job[near][found[0]]) if len(found) else None

    def jobs_in(self, begin_s: float, end_s: float, top: float, bottom: float) -> Ints:
        """Return the rows of the jobs that are drawn in a part of the picture, int64 [jobs], by start."""
        lanes = self.lanes
        near = lanes.between(math.floor(begin_s), math.ceil(end_s))
        first = lanes.first[near]
        here = (lanes.start_s[near] < end_s) & (self.end_s[near] > begin_s)
        here &= (first < bottom) & (first + lanes.wide[near] > top)
        rows = lanes.job[near][here].astype(np.int64)
        return rows[np.r_[True, np.diff(rows) != 0]] if len(rows) else rows

    def tints(self, chosen: int | None, *, are_coloured: bool) -> Tints:
        """Return the colour of each span: the chosen user's strong, others by user or grey. uint8 [spans]."""
        rank = self.rank
        if chosen is not None:
            tint = np.where(rank % 2 == 0, PALE, PALER).astype(np.uint8)
            tint[chosen] = CHOSEN
        elif are_coloured:
            tint = np.minimum(rank, OTHERS).astype(np.uint8)
        else:
            tint = np.where(rank % 2 == 0, PALE, PALER).astype(np.uint8)
        found: Tints = tint[self.schedule.jobs.user[self.lanes.job]]
        return found

    def token_of(self, user: int) -> str:
        """Return the colour of a user when none is chosen."""
        rank = int(self.rank[user])
        return USER_TOKENS[rank] if rank < OTHERS else "g3"

    def next_event(self, second: float, step: int) -> int | None:
        """Return the next (step 1) or the last (-1) second at which anything is submitted, starts or ends."""
        schedule = self.schedule
        times = (schedule.jobs.submit_s, schedule.start_s, schedule.end_s)
        if step > 0:
            after = [int(column[column > second].min(initial=_NEVER)) for column in times]
            return None if min(after) == _NEVER else min(after)
        before = [int(column[(column < second) & (column >= 0)].max(initial=-1)) for column in times]
        return None if max(before) < 0 else max(before)


_NEVER = np.iinfo(np.int64).max


def scene_of(run: MonthRun) -> Scene:
    """Compute what is drawn of a run, and have what draws it compiled; to be called in a thread."""
    from fsconsole.batch.insight.lanes import lanes_of

    schedule = run.schedule
    lanes = lanes_of(schedule)
    compile_painting()
    return Scene(
        schedule,
        run.measured,
        run.period,
        lanes,
        schedule.end_s[lanes.job],
        _ranks(schedule),
        waiting_steps(schedule),
        busy_steps(schedule),
        int(schedule.jobs.runtime_s.max(initial=0)),
        Clock(schedule.jobs),
    )


def waiting_steps(schedule: Schedule) -> Steps:
    """Return the number of waiting jobs at each change; a job that starts as it comes never waits."""
    waits = (schedule.start_s > schedule.jobs.submit_s) & (schedule.start_s >= 0)
    came, went = schedule.jobs.submit_s[waits], schedule.start_s[waits]
    return _steps(came, went, np.ones(len(came), dtype=np.int64))


def busy_steps(schedule: Schedule) -> Steps:
    """Return the number of nodes in use at each change."""
    ran = schedule.start_s >= 0
    nodes = schedule.jobs.nodes[ran].astype(np.int64)
    return _steps(schedule.start_s[ran], schedule.end_s[ran], nodes)


def _steps(came: Ints, went: Ints, many: Ints) -> Steps:
    """Return the count of what comes and goes, `many` at a time."""
    change = np.concatenate([many, -many])
    times, place = np.unique(np.concatenate([came, went]), return_inverse=True)
    sums = np.zeros(len(times), dtype=np.int64)
    np.add.at(sums, place, change)
    return Steps(times, np.cumsum(sums))


def reservations_in(run: MonthRun) -> HeldSpans:
    """Return the intervals of reservations of a run with their log."""
    from fsconsole.batch.insight.losses import held_spans

    return held_spans(run.schedule)


def _ranks(schedule: Schedule) -> Ints:
    """Return the rank of each user by node-seconds, the largest first."""
    jobs = schedule.jobs
    used = np.zeros(len(jobs.users), dtype=np.int64)
    np.add.at(used, jobs.user, jobs.node_seconds)
    rank = np.empty(len(used), dtype=np.int64)
    rank[np.argsort(-used, kind="stable")] = np.arange(len(used))
    return rank


def compile_painting() -> None:
    """Have the painter of spans compiled, or loaded, by painting one."""
    from fsconsole.figures.span_picture import PARTS, paint_spans

    one, lane = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int32)
    paint_spans(
        one,
        one + 1,
        lane,
        lane + 1,
        np.zeros(1, dtype=np.uint8),
        np.array([0.0, 1.0, 0.0, 1.0, 1.0]),
        np.zeros((2, 3), dtype=np.float32),
        np.zeros((3, 1, PARTS), dtype=np.float32),
        np.zeros((1, 1), dtype=np.uint32),
    )


def job_words(scene: Scene, row: int) -> str:
    """Return `Job 812, user #84: 16 nodes; submitted …, waited …, started …, ended …, ran …`."""
    schedule, say = scene.schedule, scene.time.words
    jobs = schedule.jobs
    start, submit, runtime = (int(c[row]) for c in (schedule.start_s, jobs.submit_s, jobs.runtime_s))
    name = f"Job {jobs.job_id[row]}, user #{jobs.users[int(jobs.user[row])]}: {nodes_words(scene, row)}"
    if start < 0:
        return f"{name}; submitted {say(submit)}, never started"
    counted = "" if scene.measured[row] else "; outside the measured period"
    return (
        f"{name}; submitted {say(submit)}, waited {duration(start - submit)}, started {say(start)}, "
        f"ended {say(start + runtime)}, ran {duration(runtime)}{counted}"
    )


def job_lines(scene: Scene, row: int) -> str:
    """Return the facts on a job as lines, for a tooltip."""
    head, _, rest = job_words(scene, row).partition(": ")
    return "\n".join([head, *(part.strip() for line in rest.split("; ") for part in line.split(", "))])


def nodes_words(scene: Scene, row: int) -> str:
    """Return a number of nodes in words: `1 node`, `16 nodes`."""
    nodes = int(scene.schedule.jobs.nodes[row])
    return count_words(nodes, "node")


def held_words(scene: Scene, held: tuple[tuple[int, int], ...]) -> str:
    """Return the holders of reservations: `Reserved for job 7 of user #3 from 4 Oct 10:00`."""
    jobs = scene.schedule.jobs
    parts = [
        f"job {jobs.job_id[row]} of user #{jobs.users[int(jobs.user[row])]} from {scene.time.words(start)}"
        for row, start in held[:_NAMED]
    ]
    more = [f"{thousands(len(held) - _NAMED)} more"] if len(held) > _NAMED else []
    return f"Reserved for {', '.join(parts + more)}" if held else "No reservation"


def moment_words(scene: Scene, second: int, held: tuple[tuple[int, int], ...] | None) -> str:
    """Return numbers of running and waiting jobs at a second, and holders of reservations if known."""
    from fsconsole.batch.insight.schedule_snapshot import moment

    found = moment(scene.schedule, second)
    words = [
        scene.time.words(second),
        f"{thousands(len(found.running))} running",
        f"{thousands(found.free_nodes)} nodes free",
        f"{thousands(len(found.waiting))} waiting for {thousands(found.waiting_nodes)} nodes",
    ]
    if held is not None:
        words.append(held_words(scene, held))
    return "; ".join(words)
