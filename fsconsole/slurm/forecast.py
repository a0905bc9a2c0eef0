"""Forecast of fairshare: from present usage, planned jobs and the expected use of others.

Classic fairshare or Fair Tree, of users and of accounts, at Slurm's calculations; usage decays as slurmctld
does it (`decay.py`), and fairshare is that of `classic.py` or `fair_tree.py` at many times. Jobs run when
they are planned: nothing here knows of queues. What others use is an assumption, and ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fsconsole.slurm.associations import Associations, Floats, Ints
from fsconsole.slurm.decay import Spell
from fsconsole.slurm.fair_tree import Ranking, level_fairshare, level_fairshare_of
from fsconsole.slurm.fairshare import SharesChange, with_shares
from fsconsole.slurm.outlook import Outlook, users_in

POINTS = 400
_LEAST_POINTS = 40
_MOST_AT_ONCE = 200_000  # Memory limits the calculations that are examined together.
_MOST_NUMBERS = 4_000_000  # Rows times calculations stay below this.
_LONGEST_HALF_LIVES = 60  # After this many half-lives nothing is left that could still change fairshare.


@dataclass(frozen=True, eq=False, slots=True)
class Forecast:
    """Usage and fairshare over time of the nodes asked about.

    Attributes:
        rows: rows in the tree, of users and accounts, in the order asked.
        times_s: calculations, s from now, float64 [k].
        usage_s: raw usage of a row with all below it, billing-seconds, float64 [rows, k].
        total_s: raw usage of the whole cluster, billing-seconds, float64 [k].
        effective_usage: as sshare prints it, float64 [rows, k].
        fairshare: as sshare prints it, float64 [rows, k]; under Fair Tree, where accounts have none, the mean
            of the users in them, NaN without any.
        level_fs: level fairshare of Fair Tree, under classic fairshare too, float64 [rows, k]; NaN for the
            share `parent`.
        lowest, highest: fairshare of the users in an account, the same as `fairshare` for a user, [rows, k].
    """

    rows: tuple[int, ...]
    times_s: Floats
    usage_s: Floats
    total_s: Floats
    effective_usage: Floats
    fairshare: Floats
    level_fs: Floats
    lowest: Floats
    highest: Floats


@dataclass(frozen=True, slots=True)
class Crossing:
    """A time at which the order of two nodes turns: whether the first is ahead from then on."""

    time_s: float
    is_ahead: bool


def forecast(outlook: Outlook, rows: Sequence[int], until_s: float, points: int = POINTS) -> Forecast:
    """Return usage and fairshare of users and accounts, at up to about `points` calculations from now to
    `until_s`.

    Calculations just before and after planned jobs begin and end are always among them; in large trees they
    are fewer. ValueError for a row that is not below the root, or a time that is not after now.
    """
    if not 0 < until_s < math.inf:
        msg = f"a forecast until {until_s:g} s: the end must be after now"
        raise ValueError(msg)
    curves = Curves(outlook, rows, has_members=True)
    return curves.at(_shown(outlook, until_s, min(points, curves.most)))


def recovery_s(outlook: Outlook, row: int, wished: float, until_s: float = math.inf) -> float:
    """Return the first calculation from which on fairshare stays at least as wished, s from now.

    Infinite where it never does until then, by 60 half-lives after the last planned job. Ranks of Fair Tree
    that fall below the wish for a short while only, between calculations looked at, are not seen. ValueError
    unless the wish is above 0 and at most 1.
    """
    if not 0 < wished <= 1:
        msg = f"the goal for fairshare is {wished:g}. It must be above 0 and at most 1"
        raise ValueError(msg)
    return lasting_from_s(Curves(outlook, (row,)), lambda found: found.fairshare[0] >= wished, until_s)


def lasting_from_s(
    curves: Curves, holds: Callable[[Forecast], NDArray[np.bool_]], until_s: float = math.inf
) -> float:
    """Return the first calculation from which on something holds, for good or until a time, s from now;
    infinite without one.

    `holds` says of a forecast where it does, bool [k]. Where it changes more than once between two of the
    calculations looked at, that is not seen.
    """
    outlook = curves.outlook
    until_s = min(until_s, outlook.last_end_s + _LONGEST_HALF_LIVES * outlook.decay.scale_s)
    looked_at = _shown(outlook, until_s, curves.most)
    while True:
        place = _first_of_last_stretch(holds(curves.at(looked_at)))
        if place in (0, len(looked_at)):
            return math.inf if place else 0.0
        before, after = looked_at[place - 1], looked_at[place]
        if after - before <= 1:
            return float(after * outlook.decay.period_s)
        looked_at = np.unique(np.linspace(before, after, min(curves.most, int(after - before) + 1)).round())


def _first_of_last_stretch(holds: NDArray[np.bool_]) -> int:
    """Return the first index of the final run of true values; the length if the last is false."""
    broken = np.flatnonzero(~holds)
    return int(broken[-1]) + 1 if len(broken) else 0


def crossings(found: Forecast, first: int, second: int) -> tuple[Crossing, ...]:
    """Return the times at which one node of a forecast overtakes another or is overtaken.

    The first entry has the present order. `first` and `second` are positions in `rows`. Equal fairshares keep
    the previous order.
    """
    lead = found.fairshare[first] - found.fairshare[second]
    turns = [Crossing(float(found.times_s[0]), bool(lead[0] > 0))]
    for place in np.flatnonzero(lead):
        is_ahead = bool(lead[place] > 0)
        if is_ahead is not turns[-1].is_ahead:
            turns.append(Crossing(float(found.times_s[place]), is_ahead))
    return tuple(turns)


def _shown(outlook: Outlook, until_s: float, points: int) -> Floats:
    """Return numbers of calculations: every so many, the last one, and those around the ends of
    planned jobs.
    """
    period = outlook.decay.period_s
    last = math.ceil(until_s / period)
    chosen = [np.linspace(0, last, max(2, min(points, last + 1))).round()]
    for one in outlook.planned:
        ends = np.array([end for end in (one.spell.start_s, one.spell.end_s) if math.isfinite(end)]) / period
        chosen += [np.floor(ends), np.ceil(ends)]
    found = np.unique(np.concatenate(chosen))
    return found[found <= last]


class Curves:
    """The associations that count for some rows: themselves, all above them, the root, and users in them.

    Users in accounts are left out of classic fairshare unless they are wanted (`has_members`); ranks of Fair
    Tree are those of all users.
    """

    def __init__(self, outlook: Outlook, rows: Sequence[int], *, has_members: bool = False) -> None:
        tree = outlook.tree
        if not rows or not all(0 < row < len(tree) for row in rows):
            msg = "a forecast needs one or more users or accounts of the tree"
            raise ValueError(msg)
        self._outlook = outlook
        self._rows = tuple(rows)
        self._above = tree.shares_parent()
        self._take(tree)
        self._members: dict[int, Ints] = {}
        for row in self._rows:
            if not tree.user[row] and (has_members or outlook.by_rank):
                self._members[row] = np.flatnonzero(users_in(tree, (row,)))
        self._needed = self._needed_rows()
        self._place = {row: place for place, row in enumerate(self._needed.tolist())}
        self._parts = {
            row: outlook.part_of_plan(row)[self._needed] for row in {p.row for p in outlook.planned}
        }
        self._rate = outlook.rates()[self._needed]
        self._ranking = Ranking(tree, self._above) if outlook.by_rank else None

    @property
    def outlook(self) -> Outlook:
        """Start of the forecast."""
        return self._outlook

    @property
    def most(self) -> int:
        """Largest number of calculations that one call can cover."""
        return min(max(_LEAST_POINTS, _MOST_NUMBERS // len(self._needed)), _MOST_AT_ONCE)

    def at_time(self, time_s: float) -> Forecast:
        """Return everything at the first calculation from a time on."""
        return self.at(np.array([math.ceil(time_s / self._outlook.decay.period_s)], np.float64))

    def at(self, calculations: Floats) -> Forecast:
        """Return usage and fairshare at calculations given by number, [k]."""
        usage = self._usage(calculations)
        effective, level_fs, fairshare = (
            self._by_rank(usage) if self._outlook.by_rank else self._classic(usage)
        )
        own = [self._place[row] for row in self._rows]
        found = fairshare[own]
        lowest, highest = found.copy(), found.copy()
        for place, row in enumerate(self._rows):
            members = [self._place[one] for one in self._members.get(row, ())]
            if members:
                lowest[place], highest[place] = fairshare[members].min(axis=0), fairshare[members].max(axis=0)
                if self._outlook.by_rank:
                    found[place] = fairshare[members].mean(axis=0)
        return Forecast(
            rows=self._rows,
            times_s=calculations * self._outlook.decay.period_s,
            usage_s=usage[own],
            total_s=usage[0],
            effective_usage=effective[own],
            fairshare=found,
            level_fs=level_fs[own],
            lowest=lowest,
            highest=highest,
        )

    def with_shares(self, row: int, shares: int) -> Curves:
        """Return curves with other raw shares of a row, of which neither may be `parent`.

        Nothing else is recomputed.
        """
        other = copy(self)
        other._take(with_shares(self._tree, (SharesChange(row, shares),)))  # noqa: SLF001 (of this class)
        return other

    def _take(self, tree: Associations) -> None:
        self._tree, self._level = tree, tree.level_shares(self._above)

    def _needed_rows(self) -> Ints:
        """Return rows by which fairshare is computed, those above first."""
        if self._outlook.by_rank:
            return np.arange(len(self._outlook.tree))
        needed, above = {0}, self._above.tolist()
        for row in (*self._rows, *(one for rows in self._members.values() for one in rows.tolist())):
            place = row
            while place not in needed:
                needed.add(place)
                place = above[place]
        return np.array(sorted(needed))

    def _usage(self, calculations: Floats) -> Floats:
        """Return raw usage of each relevant row, [rows, k]: decaying, continuing and planned usage."""
        outlook, decay = self._outlook, self._outlook.decay
        found: Floats = np.outer(outlook.tree.usage[self._needed], decay.decayed(1.0, calculations))
        found += np.outer(self._rate, decay.of_spell(Spell(1.0), calculations))
        for row, parts in self._parts.items():
            spells = (one.spell for one in outlook.planned if one.row == row)
            found += np.outer(parts, np.sum([decay.of_spell(one, calculations) for one in spells], axis=0))
        return found

    def _classic(self, usage: Floats) -> tuple[Floats, Floats, Floats]:
        """Return effective usage, level fairshare, and fairshare over time, by the rules of `classic.py`."""
        used = np.divide(usage, usage[0], out=np.zeros_like(usage), where=usage[0] > 0)
        found, level_fs = np.minimum(used, 1.0), np.full_like(used, np.nan)
        found[0] = 1.0
        for place, (over, part, takes_all) in enumerate(self._parts_of_level()):
            if over >= 0 and not self._tree.takes_parents[self._needed[place]]:
                level = usage[self._place[over]]
                of_level = np.divide(usage[place], level, out=np.zeros_like(level), where=~(level <= 0))
                level_fs[place] = level_fairshare_of(part, of_level)
            if over > 0:
                above = found[self._place[over]]
                found[place] = above if takes_all else found[place] + (above - found[place]) * part
        shares, damping = self._norm_shares()[:, np.newaxis], self._outlook.damping
        ratio = np.divide(found, shares, out=np.zeros_like(found), where=shares > 0)
        fairshare = np.where(shares > 0, np.exp2(-ratio / damping), 0.0)
        return found, level_fs, fairshare

    def _parts_of_level(self) -> Iterator[tuple[int, float, bool]]:
        """Yield each counted row's parent, its part of the level, and whether it has all of that."""
        tree, takes = self._tree, self._tree.takes_parents
        for row in self._needed.tolist():
            level = self._level[row]
            part = float(tree.shares[row] / level) if level > 0 else 0.0
            yield int(self._above[row]), part, bool(takes[row]) or level == 0

    def _norm_shares(self) -> Floats:
        """Return shares by the level's times those above, of each row that counts, as
        `classic.norm_shares_of`.
        """
        found = np.ones(len(self._needed))
        takes = self._tree.takes_parents
        for place, (over, part, _) in enumerate(self._parts_of_level()):
            if over >= 0:
                found[place] = found[self._place[over]] * (1.0 if takes[self._needed[place]] else part)
        return found

    def _by_rank(self, usage: Floats) -> tuple[Floats, Floats, Floats]:
        """Return effective usage among siblings, level fairshare and rank over time, by Fair Tree."""
        tree, columns = self._tree, range(usage.shape[1])
        ranking = self._ranking or Ranking(tree, self._above)
        effective, level_fs, ranks = (np.empty_like(usage) for _ in range(3))
        for at in columns:
            effective[:, at], level_fs[:, at] = level_fairshare(tree, self._above, self._level, usage[:, at])
            ranks[:, at] = ranking.fairshare(level_fs[:, at])
        level_fs[tree.takes_parents] = np.nan
        return effective, level_fs, ranks
