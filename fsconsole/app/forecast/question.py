"""Question about a cluster, and its answer."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.app.forecast.jobs import Job
from fsconsole.slurm.decay import SlurmDecay, Spell
from fsconsole.slurm.fairshare import Effect, fairshare_of, with_shares
from fsconsole.slurm.forecast import Crossing, Forecast, crossings, forecast, recovery_s
from fsconsole.slurm.outlook import Outlook, Planned, users_in
from fsconsole.slurm.priority_outlook import JobMix
from fsconsole.slurm.solver import Goal, Solution, solve
from fsconsole.slurm.staged_changes import Changes, without_usage
from fsconsole.slurm.usage_reset import UsageReset, next_reset

MOST_RIVALS = 7
_HALF_LIVES_SHOWN = 3
_BEYOND = 1.1  # The curve goes on for this many times the time until the goal, so that it visibly passes it.


class Superseded(Exception):  # noqa: N818 (no error: something newer is asked)
    """The answer is no longer needed."""


class Own(StrEnum):
    """Usage by the selected users besides their planned jobs."""

    NOTHING = "nothing"
    TO_LIMITS = "its running jobs to their limits"
    RUNNING = "as its running jobs"
    SAME_USAGE = "keeps its usage"


@dataclass(frozen=True, eq=False, slots=True)
class Question:
    """Question about a cluster.

    Attributes:
        cluster: the cluster.
        row: user or account; None to examine changes alone.
        rivals: rows to compare it with.
        jobs: planned jobs.
        others_rate: billing units a second that all others use together; None if each keeps its usage.
        wished: fairshare to reach, if any.
        decay: half-life and period.
        damping: FairShareDampeningFactor.
        until_s: end of the forecast; None: three half-lives beyond the last job, and until the wish holds.
            It ends before the next reset of usage.
        changes: changes from now on; the forecast is with and without them.
        loads: rows of other users, and the billing units a second that each uses from now on.
        own: use beside the planned jobs.
        goal: value to reach by a time; the ways to it are solved for.
        mix: job whose priority is forecast, if any.
    """

    cluster: Cluster
    row: int | None
    rivals: tuple[int, ...]
    jobs: tuple[Job, ...]
    others_rate: float | None
    wished: float | None
    decay: SlurmDecay
    damping: float
    until_s: float | None
    changes: Changes = field(default_factory=Changes)
    loads: tuple[tuple[int, float], ...] = ()
    own: Own = Own.NOTHING
    goal: Goal | None = None
    mix: JobMix | None = None

    @property
    def outlook(self) -> Outlook:
        """Start of the forecast without the changes; ValueError without a selected row."""
        if self.row is None:
            msg = "choose a user or an account"
            raise ValueError(msg)
        goes_on = self.own in (Own.RUNNING, Own.SAME_USAGE)
        outlook = Outlook(
            self.cluster.tree,
            (
                *(Planned(self.row, job.spell, is_on_top=goes_on) for job in self.jobs),
                *(Planned(row, Spell(cores)) for row, cores in self.loads),
                *self.running,
            ),
            self.others_rate,
            frozenset() if goes_on else frozenset({self.row}),
            self.decay,
            self.damping,
            self.cluster.is_fair_tree,
        )
        if self.own is not Own.RUNNING:
            return outlook
        self._check_rates(self.row)
        inside = users_in(self.cluster.tree, (self.row,))
        return replace(outlook, working=np.where(inside, self.cluster.running.rates, outlook.work_now()))

    @property
    def reset(self) -> UsageReset | None:
        """Next reset of all usage, if the cluster has such."""
        return next_reset(self.cluster.known.config, self.cluster.known.now_s)

    @property
    def known_s(self) -> float:
        """Last calculation before the next reset of usage, s from now; infinite without resets."""
        if (reset := self.reset) is None:
            return math.inf
        return max(1.0, reset.left_s // self.decay.period_s) * self.decay.period_s

    @property
    def running(self) -> tuple[Planned, ...]:
        """Running jobs of the row until their time limits, where they are its use; those that end at one
        calculation together. ValueError as in `outlook`.
        """
        if self.own is not Own.TO_LIMITS or self.row is None:
            return ()
        period_s = self.decay.period_s
        self._check_rates(self.row)
        rates: dict[tuple[int, float], float] = defaultdict(float)
        for row, left_s, rate in self._left(self.row):
            is_endless = math.isinf(left_s) or math.isnan(left_s)
            rates[row, math.inf if is_endless else period_s * max(1, round(left_s / period_s))] += rate
        return tuple(Planned(row, Spell(rate, 0.0, end_s)) for (row, end_s), rate in rates.items())

    @property
    def unknown_ends(self) -> int:
        """Number of running jobs of the row whose end is unknown: they are assumed to go on."""
        left = () if self.own is not Own.TO_LIMITS or self.row is None else self._left(self.row)
        return sum(math.isnan(left_s) for _, left_s, _ in left)

    def _left(self, of: int) -> Iterator[tuple[int, float, float]]:
        """Yield the user's row, seconds until the limit, NaN if unknown, and the rate of each running job."""
        cluster, jobs = self.cluster, self.cluster.running.jobs
        now_s = cluster.known.now_s
        for row in np.flatnonzero(users_in(cluster.tree, (of,))).tolist():
            for job, rate in jobs.get(row, ()):
                left_s = job.left_s(now_s)
                yield row, math.nan if left_s is None else left_s, rate

    def _check_rates(self, row: int) -> None:
        """Raise ValueError if what the running jobs of a row are charged is unknown."""
        if why := unknown_running(self.cluster, row):
            msg = f"{why}. Choose another use"
            raise ValueError(msg)


def usual_own(cluster: Cluster, row: int) -> Own:
    """Return the use that a forecast begins with: a user's running jobs end at their limits, and those of an
    account go on. Where none are known, a user runs the planned jobs alone, and an account keeps its usage.
    """
    is_user, is_known = bool(cluster.tree.user[row]), knows_running(cluster, row)
    if is_user:
        return Own.TO_LIMITS if is_known else Own.NOTHING
    return Own.RUNNING if is_known else Own.SAME_USAGE


def knows_running(cluster: Cluster, row: int) -> bool:
    """Return True if any job of the cluster runs, and the charge of those of a row is known."""
    return not unknown_running(cluster, row)


def unknown_running(cluster: Cluster, row: int) -> str:
    """Return the reason for which the charge of a row's running jobs is unknown; empty if it is known."""
    if not cluster.running.jobs:
        return f"no running job of {cluster.name} is known"
    unknown = np.flatnonzero(np.isnan(cluster.running.rates) & users_in(cluster.tree, (row,))).tolist()
    if not unknown:
        return ""
    name = cluster.names[unknown[0]]
    if any(not job.account for job, _ in cluster.running.jobs[unknown[0]]):
        return f"a running job that may be of {name} has no account in squeue"
    return f"the price of a running job of {name} is unknown"


@dataclass(frozen=True, eq=False, slots=True)
class Answer:
    """Answer to a question.

    Attributes:
        until_s: end of the curves.
        forecast: curves of the node and the rivals, with the changes if there are any.
        turns: times at which each rival is passed.
        reached_s: time from which the wish holds.
        effect: all fairshares at the next calculation, unchanged and with new shares and usage.
        unchanged: curves without the changes; None without changes.
        solution: ways to the goal; None without a goal.
    """

    question: Question
    until_s: float
    forecast: Forecast | None
    turns: tuple[tuple[Crossing, ...], ...]
    reached_s: float | None
    effect: Effect | None
    unchanged: Forecast | None = None
    solution: Solution | None = None


@dataclass(frozen=True, slots=True)
class UserEffect:
    """Fairshare of a user at the next calculation, unchanged and with new shares."""

    name: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """Fairshare after the changes less that before."""
        return self.after - self.before


def user_effects(found: Answer, *, changed_only: bool = False) -> tuple[UserEffect, ...]:
    """Return the effects of new shares on users, the largest first; `changed_only` leaves out the others."""
    effect, names = found.effect, found.question.cluster.names
    if effect is None:
        return ()
    places = effect.changed if changed_only else np.arange(len(effect.rows))
    order = places[np.argsort(-np.abs(effect.after - effect.before)[places], kind="stable")]
    columns = (column[order].tolist() for column in (effect.rows, effect.before, effect.after))
    return tuple(UserEffect(names[row], was, will) for row, was, will in zip(*columns, strict=True))


def answer(question: Question, is_cancelled: Callable[[], bool] = lambda: False) -> Answer:
    """Compute the forecast of a question.

    Raises:
        Superseded: it was cancelled.
        ValueError: a number is impossible.
    """

    def go_on() -> None:
        if is_cancelled():
            raise Superseded

    go_on()
    changes, effect = question.changes, None
    if changes:
        effect = _effect(question)
        go_on()
    if question.row is None:
        return Answer(question, 1.0, None, (), None, effect)
    before = question.outlook
    outlook = changes.applied(before) if changes else before
    known_s, reset = question.known_s, question.reset
    if question.goal is not None and question.goal.time_s > known_s and reset is not None:
        msg = f"the goal is after the next reset of usage. {reset.words} Choose an earlier time"
        raise ValueError(msg)
    wished = question.wished
    reached = None if wished is None else recovery_s(outlook, question.row, wished, known_s)
    go_on()
    until_s = min(question.until_s or _until_s(outlook, reached, question.goal), known_s)
    rows = (question.row, *question.rivals)
    found = forecast(outlook, rows, until_s)
    go_on()
    unchanged = forecast(before, rows, until_s) if changes else None
    go_on()
    solution = None if question.goal is None else solve(outlook, question.goal, go_on)
    turns = tuple(crossings(found, 0, place) for place in range(1, len(found.rows)))
    return Answer(question, until_s, found, turns, reached, effect, unchanged, solution)


def _effect(question: Question) -> Effect:
    """Return the effect of changes at the next calculation; work and half-life have none by then."""
    tree, changes = question.cluster.tree, question.changes
    rows, by_rank = np.flatnonzero(tree.is_user), question.cluster.is_fair_tree
    changed = without_usage(with_shares(tree, changes.shares), changes.resets)
    damping = question.damping if changes.damping is None else changes.damping
    before = fairshare_of(tree, question.damping, by_rank=by_rank)
    after = fairshare_of(changed, damping, by_rank=by_rank)
    return Effect(rows, before.fairshare[rows], after.fairshare[rows])


def _until_s(outlook: Outlook, reached_s: float | None, goal: Goal | None) -> float:
    """Choose the end: three half-lives beyond the last job, or later, so that the wish is in sight."""
    usual_s = outlook.last_end_s + _HALF_LIVES_SHOWN * outlook.decay.scale_s
    if goal is not None:
        usual_s = max(usual_s, goal.time_s * _BEYOND)
    is_later = reached_s is not None and usual_s < reached_s < math.inf
    return reached_s * _BEYOND if is_later and reached_s is not None else usual_s
