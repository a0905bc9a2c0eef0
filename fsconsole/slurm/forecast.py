"""What fairshare will be: from present usage, planned jobs and what others are expected to use.

Classic fairshare, at Slurm's calculations; usage decays as slurmctld does it (`decay.py`), and fairshare is
that of `classic.py`, computed for a few associations at many times. Jobs run when they are planned: nothing
here knows of queues. What others use is an assumption, and ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fsconsole.slurm.associations import Associations, Floats, Ints
from fsconsole.slurm.classic import norm_shares_of
from fsconsole.slurm.decay import SlurmDecay, Spell

POINTS = 400
_LONGEST_HALF_LIVES = 60  # after which nothing is left that could still change fairshare
_MANY = 200_000  # calculations looked at in one go


@dataclass(frozen=True, slots=True)
class Planned:
    """What a user runs: the row in the tree, and when at what rate."""

    row: int
    spell: Spell


@dataclass(frozen=True, eq=False, slots=True)
class Outlook:
    """What is forecast from.

    Attributes:
        tree: associations with raw usage now, in billing-seconds.
        planned: jobs of users; who has any here has no other use.
        others_rate: what all users without planned jobs, and not among `quiet`, use together, in billing
            units a second (CPUs), spread by their present usage, or equally where nobody has any. None: each
            goes on so that the usage stays as it is.
        quiet: rows of users who use nothing but what is planned for them.
        decay: half-life and calculation period.
        damping: FairShareDampeningFactor.
    """

    tree: Associations
    planned: tuple[Planned, ...] = ()
    others_rate: float | None = None
    quiet: frozenset[int] = frozenset()
    decay: SlurmDecay = field(default_factory=SlurmDecay)
    damping: float = 1.0

    def __post_init__(self) -> None:
        """ValueError where a row is not a user's or a number cannot be."""
        users = self.tree.is_user
        for row in {*self.quiet, *(one.row for one in self.planned)}:
            if not (0 <= row < len(self.tree) and users[row]):
                msg = f"row {row} is not a user"
                raise ValueError(msg)
        if self.others_rate is not None and not 0 <= self.others_rate < math.inf:
            msg = f"others use {self.others_rate:g} units a second, it must be at least 0"
            raise ValueError(msg)
        if not 0 < self.damping < math.inf:
            msg = f"the dampening factor is {self.damping:g}, it must be above 0"
            raise ValueError(msg)

    @property
    def last_end_s(self) -> float:
        """When the last planned job that ends has ended; 0 without any."""
        ends = (one.spell.end_s for one in self.planned)
        return max((end for end in ends if math.isfinite(end)), default=0.0)


@dataclass(frozen=True, eq=False, slots=True)
class Forecast:
    """Usage and fairshare over time of the users asked about.

    Attributes:
        rows: the users' rows in the tree, in the order asked.
        times_s: calculations, s from now, float64 [k].
        usage_s: raw usage, billing-seconds, float64 [rows, k].
        total_s: raw usage of the whole cluster, billing-seconds, float64 [k].
        effective_usage, fairshare: as sshare prints them, float64 [rows, k].
        halving_s: usage at which a user's fairshare would be one half if the rest stayed as it is at that
            time, d S times the total: the paper's d mean u where all have equal shares. Float64 [rows, k];
            exact for users in the first level.
    """

    rows: tuple[int, ...]
    times_s: Floats
    usage_s: Floats
    total_s: Floats
    effective_usage: Floats
    fairshare: Floats
    halving_s: Floats


@dataclass(frozen=True, slots=True)
class Crossing:
    """A time at which the order of two users turns: whether the first is ahead from then on."""

    time_s: float
    is_ahead: bool


def forecast(outlook: Outlook, rows: Sequence[int], until_s: float, points: int = POINTS) -> Forecast:
    """Usage and fairshare of users, at up to about `points` calculations from now to `until_s`.

    Calculations just before and after planned jobs begin and end are always among them.
    ValueError for a row that is not a user, or a time that is not after now.
    """
    return _Curves(outlook, rows).at(_shown(outlook, until_s, points))


def recovery_s(outlook: Outlook, row: int, wished: float) -> float:
    """The first calculation from which on a user's fairshare stays at least as wished, s from now.

    Infinite where it never does, by 60 half-lives after the last planned job. ValueError unless the wish is
    above 0 and at most 1.
    """
    if not 0 < wished <= 1:
        msg = f"the fairshare wished for is {wished:g}, it must be above 0 and at most 1"
        raise ValueError(msg)
    curves = _Curves(outlook, (row,))
    until_s = outlook.last_end_s + _LONGEST_HALF_LIVES * outlook.decay.half_life_s
    looked_at = _shown(outlook, until_s, _MANY)
    place = _first_of_last_stretch(curves.at(looked_at).fairshare[0] >= wished)
    if place in (0, len(looked_at)):
        return math.inf if place else 0.0
    between = np.arange(looked_at[place - 1], looked_at[place] + 1)
    place = _first_of_last_stretch(curves.at(between).fairshare[0] >= wished)
    return float(between[place] * outlook.decay.period_s)


def _first_of_last_stretch(holds: NDArray[np.bool_]) -> int:
    """Where that begins which holds until the end; the number of all where the last does not."""
    broken = np.flatnonzero(~holds)
    return int(broken[-1]) + 1 if len(broken) else 0


def crossings(found: Forecast, first: int, second: int) -> tuple[Crossing, ...]:
    """When one user of a forecast comes before or falls behind another; the first entry says how it is now.

    `first` and `second` are places in `rows`. Equal fairshares keep the order that was.
    """
    lead = found.fairshare[first] - found.fairshare[second]
    turns = [Crossing(float(found.times_s[0]), bool(lead[0] > 0))]
    for place in np.flatnonzero(lead):
        is_ahead = bool(lead[place] > 0)
        if is_ahead is not turns[-1].is_ahead:
            turns.append(Crossing(float(found.times_s[place]), is_ahead))
    return tuple(turns)


def _shown(outlook: Outlook, until_s: float, points: int) -> Floats:
    """Numbers of calculations: every so many, the last one, and those around the ends of planned jobs."""
    if not 0 < until_s < math.inf:
        msg = f"a forecast until {until_s:g} s: it must end after now"
        raise ValueError(msg)
    period = outlook.decay.period_s
    last = math.ceil(until_s / period)
    chosen = [np.linspace(0, last, max(2, min(points, last + 1))).round()]
    for one in outlook.planned:
        ends = np.array([end for end in (one.spell.start_s, one.spell.end_s) if math.isfinite(end)]) / period
        chosen += [np.floor(ends), np.ceil(ends)]
    found = np.unique(np.concatenate(chosen))
    return found[found <= last]


class _Curves:
    """The associations that count for some users: themselves, all above them, and the root."""

    def __init__(self, outlook: Outlook, rows: Sequence[int]) -> None:
        tree = outlook.tree
        users = tree.is_user
        if not rows or not all(0 <= row < len(tree) and users[row] for row in rows):
            msg = "a forecast is of one or more users of the tree"
            raise ValueError(msg)
        self._outlook = outlook
        self._rows = tuple(rows)
        self._above = tree.shares_parent()
        self._level = tree.level_shares(self._above)
        self._norm_shares = norm_shares_of(tree, self._above, self._level)
        self._own_s, self._rate = _own_usage_and_rate(outlook)
        self._needed = self._with_all_above()

    def at(self, calculations: Floats) -> Forecast:
        """Everything at calculations given by number."""
        usage = self._usage(calculations)
        effective = self._effective(usage)
        rows, damping = list(self._rows), self._outlook.damping
        shares = self._norm_shares[rows, np.newaxis]
        used = np.array([effective[row] for row in rows])
        ratio = np.divide(used, shares, out=np.zeros_like(used), where=shares > 0)
        return Forecast(
            rows=self._rows,
            times_s=calculations * self._outlook.decay.period_s,
            usage_s=np.array([usage[row] for row in rows]),
            total_s=usage[0],
            effective_usage=used,
            fairshare=np.where(shares > 0, np.exp2(-ratio / damping), 0.0),
            halving_s=damping * shares * usage[0],
        )

    def _with_all_above(self) -> list[int]:
        """Rows by which the users' fairshare is computed, those above first."""
        needed = {0}
        for row in self._rows:
            place = row
            while place > 0:
                needed.add(place)
                place = int(self._above[place])
        return sorted(needed)

    def _usage(self, calculations: Floats) -> dict[int, Floats]:
        """Raw usage of each row that counts: what decays, what stays or grows, and what is planned."""
        decay = self._outlook.decay
        left = decay.decayed(1.0, calculations)
        grown = decay.of_spell(Spell(1.0), calculations)
        planned = [(one.row, decay.of_spell(one.spell, calculations)) for one in self._outlook.planned]
        above = {row: self._lineage(row) for row, _ in planned}
        found = {}
        for row in self._needed:
            found[row] = self._own_s[row] * left + self._rate[row] * grown
            for user, curve in planned:
                if row in above[user]:
                    found[row] = found[row] + curve
        return found

    def _lineage(self, row: int) -> set[int]:
        """A row and all accounts that it lies in, also those with the share `parent`."""
        found = {row}
        while row > 0:
            row = int(self._outlook.tree.parent[row])
            found.add(row)
        return found

    def _effective(self, usage: dict[int, Floats]) -> dict[int, Floats]:
        """Effective usage of each row over time, by the rules of `classic.py`."""
        tree, takes, total = self._outlook.tree, self._outlook.tree.takes_parents, usage[0]
        found = {0: np.ones_like(total)}
        for row in self._needed[1:]:
            over, level = int(self._above[row]), self._level[row]
            used = np.divide(usage[row], total, out=np.zeros_like(total), where=total > 0)
            used = np.minimum(used, 1.0)
            if over == 0:
                found[row] = used
            elif takes[row] or level == 0:
                found[row] = found[over]
            else:
                found[row] = used + (found[over] - used) * (tree.shares[row] / level)
        return found


def _own_usage_and_rate(outlook: Outlook) -> tuple[Floats, Floats]:
    """Present usage of every row, and the constant rate at which those without a plan go on, [rows] each."""
    tree = outlook.tree
    goes_on = tree.is_user.copy()
    goes_on[[*outlook.quiet, *(one.row for one in outlook.planned)]] = False
    if outlook.others_rate is None:
        rate = np.where(goes_on, tree.usage * outlook.decay.steady_rate(1.0), 0.0)
    else:
        weight = np.where(goes_on, tree.usage, 0.0)
        weight = weight if weight.sum() > 0 else goes_on.astype(np.float64)
        rate = outlook.others_rate * weight / max(weight.sum(), 1e-300)
    return tree.usage, _with_those_below(rate, tree.parent)


def _with_those_below(values: Floats, parent: Ints) -> Floats:
    """What rows have with everything below them."""
    found = values.tolist()
    for row, above in zip(range(len(found) - 1, 0, -1), parent[:0:-1].tolist(), strict=True):
        found[above] += found[row]
    return np.array(found)
