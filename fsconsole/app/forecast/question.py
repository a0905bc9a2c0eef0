"""What is asked of a cluster, and what follows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.app.forecast.jobs import Job
from fsconsole.slurm.decay import SlurmDecay, Spell
from fsconsole.slurm.fairshare import Effect, SharesChange, effect_of, with_shares
from fsconsole.slurm.forecast import Crossing, Forecast, Outlook, Planned, crossings, forecast, recovery_s

MOST_RIVALS = 7
_HALF_LIVES_SHOWN = 3
_BEYOND = 1.1  # of the time until a wish holds, so that the curve is seen to pass it


class Superseded(Exception):  # noqa: N818 (no error: something newer is asked)
    """Nobody wants the answer any more."""


@dataclass(frozen=True, eq=False, slots=True)
class Question:
    """What is asked.

    Attributes:
        cluster: of what.
        row: the user; None where only a change of shares is looked at.
        rivals: rows of those the user is compared with.
        jobs: what the user plans, and all that the user runs.
        others_rate: cores that all others use together; None where each goes on as now.
        wished: a fairshare to be reached, if any.
        decay: half-life and period.
        damping: FairShareDampeningFactor.
        until_s: how far to look; None: three half-lives beyond the last job, and until the wish holds.
        changes: new shares of associations from now on.
        loads: rows of other users, and the cores that each uses from now on.
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
    changes: tuple[SharesChange, ...] = ()
    loads: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Answer:
    """What follows.

    Attributes:
        until_s: how far the curves go.
        forecast: curves of the user and the rivals, with new shares if any are asked about.
        unchanged: the user's curve without the new shares; None where none are asked about.
        turns: when each rival is passed.
        reached_s: when the wish holds from then on.
        effect: everybody's fairshare at the next calculation, unchanged and with the new shares.
    """

    question: Question
    until_s: float
    forecast: Forecast | None
    turns: tuple[tuple[Crossing, ...], ...]
    reached_s: float | None
    effect: Effect | None
    unchanged: Forecast | None = None


@dataclass(frozen=True, slots=True)
class UserEffect:
    """Fairshare of a user at the next calculation, unchanged and with new shares."""

    name: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """After less before."""
        return self.after - self.before


def user_effects(found: Answer, *, changed_only: bool = False) -> tuple[UserEffect, ...]:
    """What new shares do to users, those that change most first; `changed_only` leaves out the others."""
    effect, names = found.effect, found.question.cluster.names
    if effect is None:
        return ()
    places = effect.changed if changed_only else np.arange(len(effect.rows))
    order = places[np.argsort(-np.abs(effect.after - effect.before)[places], kind="stable")]
    columns = (column[order].tolist() for column in (effect.rows, effect.before, effect.after))
    return tuple(UserEffect(names[row], was, will) for row, was, will in zip(*columns, strict=True))


def answer(question: Question, is_cancelled: Callable[[], bool] = lambda: False) -> Answer:
    """Work it out; Superseded soon after it is cancelled, ValueError for numbers that cannot be."""

    def go_on() -> None:
        if is_cancelled():
            raise Superseded

    tree, changes = question.cluster.tree, question.changes
    go_on()
    effect = None
    if changes:
        effect = effect_of(tree, changes, question.damping, by_rank=question.cluster.is_fair_tree)
        go_on()
    if question.row is None:
        return Answer(question, 1.0, None, (), None, effect)
    outlook = Outlook(
        with_shares(tree, changes),
        (
            *(Planned(question.row, job.spell) for job in question.jobs),
            *(Planned(row, Spell(cores)) for row, cores in question.loads),
        ),
        question.others_rate,
        frozenset({question.row}),
        question.decay,
        question.damping,
    )
    reached = None if question.wished is None else recovery_s(outlook, question.row, question.wished)
    until_s = question.until_s or _until_s(outlook, reached)
    found = forecast(outlook, (question.row, *question.rivals), until_s)
    go_on()
    unchanged = forecast(replace(outlook, tree=tree), (question.row,), until_s) if changes else None
    go_on()
    turns = tuple(crossings(found, 0, place) for place in range(1, len(found.rows)))
    return Answer(question, until_s, found, turns, reached, effect, unchanged)


def _until_s(outlook: Outlook, reached_s: float | None) -> float:
    """Three half-lives beyond the last job, or further, so that what is wished for is in sight."""
    usual_s = outlook.last_end_s + _HALF_LIVES_SHOWN * outlook.decay.half_life_s
    is_later = reached_s is not None and usual_s < reached_s < math.inf
    return reached_s * _BEYOND if is_later and reached_s is not None else usual_s
