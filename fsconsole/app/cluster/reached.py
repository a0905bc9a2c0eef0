"""Fairshare as predicted before an apply, compared with sshare's output after it: differences and reasons.

The prediction rests on the newest usage. With classic fairshare sshare itself computes what it prints, from
the new shares at once and from the usage of slurmctld's last calculation (PriorityCalcPeriod); with Fair Tree
all of it follows at the next one. Until then what differs is not held against the prediction.
Source: sshare of Slurm 22.05.8.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.app.cluster.preview import Gain
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.desired_state import wanted_of
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.names import in_words
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import fine_percent, thousands
from fsconsole.text.words import count_words

ROUNDING = 1.5e-6  # Values are printed with six digits.
_STEEP = 1.4e-6  # Usage is rounded, and classic fairshare has this slope: F / NormShares.
_CALCULATED = 5e-5  # FairShare is computed from the printed NormUsage, which has six digits.
_SHARES = 2e-6
_LATE = 2.0  # The console stops waiting after this many calculation periods.
_MOST_LISTED = 3


@dataclass(frozen=True, eq=False, slots=True)
class Expectation:
    """Fairshares predicted before a change set was applied.

    Attributes:
        usage_s: when the usage was read that it rests on, seconds since 1970; applied_s: when it was applied.
        fairshare: the predicted FairShare of each association that was to change.
        printed: what sshare printed of these before; NaN where they were not there.
        tree, standing: what was stored and printed then.
        undone: how many of the changes were not done.
    """

    usage_s: float
    applied_s: float
    fairshare: Mapping[Key, float]
    printed: Mapping[Key, float]
    tree: ClusterTree
    standing: AssociationStatus
    undone: int = 0


@dataclass(frozen=True, slots=True)
class ReachedRow:
    """One association; NaN where sshare prints no fairshare of it.

    Attributes:
        why: the likely reason that it is not as predicted; empty where it is.
        is_by_usage: whether that is usage that moved on, as it does wherever jobs run.
    """

    key: Key
    before: float
    predicted: float
    reached: float
    why: str = ""
    is_by_usage: bool = False

    @property
    def name(self) -> str:
        """`fs_anna in hep`, `hep`."""
        return in_words(self.key)

    @property
    def is_as_predicted(self) -> bool:
        """True if fairshare differs from the prediction by no more than rounding."""
        return not self.why


@dataclass(frozen=True, slots=True)
class Reached:
    """Comparison of a prediction with the fairshares read afterwards.

    Attributes:
        rows: those that differ most first.
        is_calculated: whether slurmctld has calculated since; until then `rows` are of before.
        as_of_s: when sshare was asked, seconds since 1970.
        is_late: whether it should have calculated by now.
    """

    rows: tuple[ReachedRow, ...]
    is_calculated: bool
    as_of_s: float
    is_late: bool = False

    @property
    def differing(self) -> tuple[ReachedRow, ...]:
        """Rows with a fairshare that differs from the prediction."""
        return tuple(row for row in self.rows if not row.is_as_predicted)


def expectation_of(
    tree: ClusterTree,
    standing: AssociationStatus,
    wanted: ShareTree,
    gains: Sequence[Gain],
    *,
    usage_s: float,
    applied_s: float,
    undone: int = 0,
) -> Expectation | None:
    """Return the predictions in `gains` for associations that exist afterwards; None if there are none."""
    key_of = wanted_of(tree, wanted).key_of
    named = [(key_of[gain.node], gain) for gain in gains if gain.node in key_of]
    has_accounts = _prints_accounts(tree, standing)
    known = [(key, gain) for key, gain in named if not math.isnan(gain.after) and (key[1] or has_accounts)]
    if not known:
        return None
    fairshare = {key: gain.after for key, gain in known}
    printed = {key: gain.last for key, gain in known}
    return Expectation(usage_s, applied_s, fairshare, printed, tree, standing, undone)


def _prints_accounts(tree: ClusterTree, standing: AssociationStatus) -> bool:
    """Return True if sshare prints FairShare of accounts; that of 26.05 does not."""
    rows = zip(tree.keys.values(), standing.printed.fairshare.tolist(), strict=True)
    return any(not user and account != "root" and not math.isnan(value) for (account, user, _), value in rows)


def reached(
    expected: Expectation,
    tree: ClusterTree,
    standing: AssociationStatus,
    jobs: Sequence[Job],
    as_of_s: float,
    period_s: float,
    *,
    by_rank: bool = False,
) -> Reached:
    """Compare sshare's output now with the prediction.

    Args:
        expected: the prediction.
        tree: what is stored now.
        standing: what sshare prints now.
        jobs: those that slurmctld knows now.
        as_of_s: when sshare was asked, seconds since 1970.
        period_s: PriorityCalcPeriod.
        by_rank: whether the cluster uses Fair Tree.
    """
    row_of = {key: row for row, key in enumerate(tree.keys.values())}
    rows = {key: row_of[key] for key in expected.fairshare if key in row_of}
    is_late = as_of_s > expected.applied_s + _LATE * max(period_s, 60.0)
    causes = _Causes(expected, tree, standing, jobs, as_of_s)
    found = []
    for key, predicted in expected.fairshare.items():
        got = float(standing.printed.fairshare[rows[key]]) if key in rows else math.nan
        why, is_by_usage = "", False
        if math.isnan(got):
            why = "sshare prints no fairshare of this association"
        elif abs(got - predicted) > _rounding(predicted, standing, rows[key], by_rank=by_rank):
            why, is_by_usage = causes.of(key, rows[key])
        found.append(ReachedRow(key, expected.printed[key], predicted, got, why, is_by_usage))
    is_settled = all(not row.why for row in found) or is_late or causes.has_other_usage()
    is_calculated = bool(rows) and is_settled and _is_consistent(standing, list(rows.values()))
    found.sort(key=lambda row: -abs(row.reached - row.predicted) if not math.isnan(row.reached) else -2.0)
    return Reached(tuple(found), is_calculated, as_of_s, is_late)


def headline(result: Reached) -> str:
    """Return the result in a few words: `2 of 9 as predicted`."""
    same = (
        f"{thousands(len(result.rows) - len(result.differing))} of {thousands(len(result.rows))} as predicted"
    )
    if result.is_calculated:
        return same
    return "not calculated since the apply" if result.is_late else f"{same} so far"


def summary(result: Reached, expected: Expectation, period_s: float) -> str:
    """Describe the result in sentences."""
    count = len(result.rows)
    differing = result.differing
    whose = count_words(count, "association")
    if not result.is_calculated and not result.is_late:
        every = f", which it does every {length_words(period_s)}" if period_s else ""
        so_far = f"Fairshare of {thousands(count - len(differing))} of {whose} is already as predicted"
        return f"{so_far}. The rest follows when slurmctld next calculates usage{every}."
    if not result.is_calculated:
        return "slurmctld has not calculated fairshare yet, although its period is over."
    if not differing:
        return f"Fairshare of {whose} is as predicted."
    undone = f" {count_words(expected.undone, 'change')} of the set failed." if expected.undone else ""
    same = f"Fairshare of {thousands(count - len(differing))} of {whose} is as predicted.{undone}"
    return f"{same} {_differing_words(differing)}."


def _differing_words(rows: Sequence[ReachedRow]) -> str:
    """Return the first ones with their numbers, a reason that several have once."""
    of_reason: dict[str, list[str]] = {}
    for row in rows[:_MOST_LISTED]:
        got = "none" if math.isnan(row.reached) else f"{row.reached:.6f}"
        of_reason.setdefault(row.why, []).append(f"{row.name} has {got} instead of {row.predicted:.6f}")
    text = "; ".join(f"{', '.join(words)}: {why}" for why, words in of_reason.items())
    return f"{text}; and {thousands(len(rows) - _MOST_LISTED)} more" if len(rows) > _MOST_LISTED else text


def _rounding(predicted: float, standing: AssociationStatus, row: int, *, by_rank: bool) -> float:
    """Return the largest difference of a fairshare that rounding in sshare explains."""
    shares = float(standing.printed.norm_shares[row])
    return ROUNDING if by_rank or not shares > 0 else ROUNDING + _STEEP * predicted / shares


def _is_consistent(standing: AssociationStatus, rows: Sequence[int]) -> bool:
    """Return True if printed fairshare follows from the usage and the shares beside it."""
    printed, computed = standing.printed, standing.computed
    shares = np.abs(printed.norm_shares[rows] - computed.norm_shares[rows])
    fairshare = np.abs(printed.fairshare[rows] - computed.fairshare[rows])
    known = ~np.isnan(fairshare)
    steep = np.nan_to_num(printed.fairshare[rows] / printed.norm_shares[rows], posinf=0.0)
    near = fairshare <= _CALCULATED + _STEEP * steep
    return bool(np.all(shares[known] <= _SHARES) and np.all(near[known]))


class _Causes:
    """Finds the reasons why fairshare differs from the prediction."""

    def __init__(
        self,
        expected: Expectation,
        tree: ClusterTree,
        standing: AssociationStatus,
        jobs: Sequence[Job],
        as_of_s: float,
    ) -> None:
        then_of = {key: at for at, key in enumerate(expected.tree.keys.values())}
        self._keys = list(tree.keys.values())
        at_then = [then_of.get(key, -1) for key in self._keys]
        self._undone = expected.undone
        self._has_others = len(tree.nodes) != len(expected.tree.nodes)
        self._parent = tree.stored.tree.parent.tolist()
        self._then = np.append(expected.standing.norm_usage, np.nan)[at_then]
        self._now = standing.norm_usage
        begun = [
            (job.account, job.user)
            for job in jobs
            if job.start_s is not None and not job.is_pending and expected.usage_s < job.start_s <= as_of_s
        ]
        self._begun_of, self._begun_count = Counter(begun), len(begun)

    def of(self, key: Key, row: int) -> tuple[str, bool]:
        """Return the likely reason, in words that go on a sentence; and whether it is usage."""
        usage = self._usage(row)
        if usage:
            return f"{usage}{self._started(key)}", True
        if self._undone:
            return "not all changes were applied", False
        if self._has_others:
            return "other users have changed the tree too", False
        return f"usage of others changed{self._started(key)}", True

    def has_other_usage(self) -> bool:
        """Return True if slurmctld has calculated usage since, so that it prints another one of somewhat."""
        return bool(np.nanmax(np.abs(self._now - self._then), initial=0.0) > ROUNDING)

    def _usage(self, row: int) -> str:
        """Describe the largest change of usage on the way to the root; empty if there is none."""
        best, most = ROUNDING, 0
        while row > 0:
            moved = abs(float(self._now[row]) - float(self._then[row]))
            if moved > best:
                best, most = moved, row
            row = self._parent[row]
        if not most:
            return ""
        then, now = fine_percent(float(self._then[most])), fine_percent(float(self._now[most]))
        return f"usage changed ({in_words(self._keys[most])}: {then} to {now})"

    def _started(self, key: Key) -> str:
        """Return the number of jobs that have begun since the usage of the prediction was read."""
        account, user, _ = key
        begun = self._begun_of[account, user] if user else self._begun_count
        of = f" of {user}" if user else ""
        return f", {count_words(begun, 'job')}{of} started" if begun else ""
