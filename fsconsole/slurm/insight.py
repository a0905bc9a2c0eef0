"""Explanation why one association goes before another by fairshare: level by level, and in a sentence.

Classic fairshare compares the factors of the two, F = 2^(-(UE/S)/d); Fair Tree compares, where their ways
part, the LevelFS of the two branches. Sources: priority_multifactor and fair_tree of Slurm, and what
sshare of 22.05 prints. The words are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.associations import Associations, Fairshare, Floats, Ints
from fsconsole.text.numbers import fine_percent
from fsconsole.text.words import listed

Which = Literal["common", "first", "second"]
_NEAR = 5e-7  # It is half of the last digit in sshare's output.


@dataclass(frozen=True, eq=False, slots=True)
class Measured:
    """Input of the comparison: the tree, and the values that sshare prints of it.

    Attributes:
        tree: associations with stored shares.
        above, level_shares: of each row, as `Associations` works them out.
        norm_usage: part of the cluster's usage, float64 [rows].
        fairshare: NormShares, EffectvUsage, FairShare, LevelFS.
        is_fair_tree: which of the two algorithms the cluster has.
        nodes: id of the node of each row; the row itself where there are none.
    """

    tree: Associations
    above: Ints
    level_shares: Floats
    norm_usage: Floats
    fairshare: Fairshare
    is_fair_tree: bool
    nodes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """One association on the way from the root; numbers are NaN where sshare prints none.

    Attributes:
        node: its id.
        which: above both, or on the way to one of them.
        is_parting: whether it is where the two ways part.
        shares: raw shares; None where they are the parent's.
        level_shares: what all on its level have.
    """

    row: int
    node: int
    name: str
    depth: int
    which: Which
    is_parting: bool
    shares: int | None
    level_shares: float
    norm_shares: float
    norm_usage: float
    effective_usage: float
    fairshare: float
    level_fs: float


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason why one goes before the other.

    Attributes:
        levels: from the root: what is common, the way to the one, the way to the other.
        ahead: row of the one that goes first; None where neither does, or the order is unknown.
        verdict: in a sentence; `because` in another.
        is_unknown: whether values that decide the order are missing.
    """

    levels: tuple[Level, ...]
    ahead: int | None
    verdict: str
    because: str
    is_unknown: bool = False


def why(measured: Measured, first: int, second: int) -> Reason:
    """Explain two rows; ValueError where they are the same."""
    if first == second:
        raise ValueError("an association cannot be compared with itself")
    ways = _way(measured.tree, first), _way(measured.tree, second)
    common = next(
        (depth for depth, (one, other) in enumerate(zip(*ways, strict=False)) if one != other),
        min(len(ways[0]), len(ways[1])),
    )
    levels = _levels(measured, ways, common)
    if common in (len(ways[0]), len(ways[1])):
        inner, outer = (second, first) if common == len(ways[0]) else (first, second)
        inside = f"{name_of(measured.tree, inner)} is in {name_of(measured.tree, outer)}"
        return Reason(levels, None, f"{inside}: they do not compete with each other.", "")
    if measured.is_fair_tree:
        return _by_level(measured, first, second, levels)
    return _by_factor(measured, first, second, levels)


def name_of(tree: Associations, row: int) -> str:
    """Return the user's or the account's name."""
    return tree.user[row] or tree.account[row]


def _way(tree: Associations, row: int) -> list[int]:
    way = [row]
    while tree.parent[way[-1]] >= 0:
        way.append(int(tree.parent[way[-1]]))
    return way[::-1]


def _levels(measured: Measured, ways: tuple[list[int], list[int]], common: int) -> tuple[Level, ...]:
    shared = [_level(measured, row, depth, "common", False) for depth, row in enumerate(ways[0][:common])]
    sides: tuple[Which, Which] = ("first", "second")
    rest = [
        _level(measured, row, depth, which, depth == common)
        for way, which in zip(ways, sides, strict=True)
        for depth, row in enumerate(way)
        if depth >= common
    ]
    return (*shared, *rest)


def _level(measured: Measured, row: int, depth: int, which: Which, is_parting: bool) -> Level:
    shares = int(measured.tree.shares[row])
    found = measured.fairshare
    return Level(
        row,
        measured.nodes[row] if measured.nodes else row,
        name_of(measured.tree, row),
        depth,
        which,
        is_parting,
        None if shares == PARENT_SHARES else shares,
        float(measured.level_shares[row]),
        float(found.norm_shares[row]),
        float(measured.norm_usage[row]),
        float(found.effective_usage[row]),
        float(found.fairshare[row]),
        float(found.level_fs[row]),
    )


# -- classic ----------------------------------------------------------------------------------------------


def _by_factor(measured: Measured, first: int, second: int, levels: Sequence[Level]) -> Reason:
    """Explain the order by the factor, and name the branch that differs."""
    found = by_fairshare(measured, first, second, levels)
    if found.ahead is None:
        return found
    behind = second if found.ahead == first else first
    return replace(found, because=_because(measured, found.ahead, behind, levels))


def by_fairshare(
    measured: Measured, first: int, second: int, levels: Sequence[Level], because: str = ""
) -> Reason:
    """Return the order by the fairshare of the two, of which each may be unknown."""
    tree, factor = measured.tree, measured.fairshare.fairshare
    one, other = float(factor[first]), float(factor[second])
    unknown = [name_of(tree, row) for row in (first, second) if math.isnan(factor[row])]
    if unknown:
        verdict = f"sshare shows no fairshare of {listed(unknown)}, so the order is unknown."
        return Reason(tuple(levels), None, verdict, because, is_unknown=True)
    if abs(one - other) < _NEAR:
        verdict = f"{_both(tree, first, second)} have the same fairshare, {one:.4f}, so neither goes first."
        return Reason(tuple(levels), None, verdict, because)
    ahead, behind = (first, second) if one > other else (second, first)
    verdict = (
        f"{name_of(tree, ahead)} goes before {name_of(tree, behind)}: "
        f"fairshare {factor[ahead]:.4f} against {factor[behind]:.4f}."
    )
    return Reason(tuple(levels), ahead, verdict, because)


def _because(measured: Measured, ahead: int, behind: int, levels: Sequence[Level]) -> str:
    tree = measured.tree
    theirs = {level.row: level for level in levels}
    winner, loser = theirs[ahead], theirs[behind]
    if loser.norm_shares <= 0:
        return f"{loser.name} has no shares, so its fairshare is 0 at any usage."
    usages = f"{_used(winner)}, {_used(loser)}."
    parting = {level.which: level for level in levels if level.is_parting}
    branch = parting[winner.which], parting[loser.which]
    if branch[0].row == ahead and branch[1].row == behind:
        where = name_of(tree, int(tree.parent[ahead]))
        return f"Both compete in {where}: {usages}"
    return f"{usages[:-1]}; {_of_branches(branch[0], branch[1])}"


def _of_branches(ahead: Level, behind: Level) -> str:
    """Describe the usage of two branches, and the level that decides: theirs or one further down."""
    mine, theirs = _ratio(ahead), _ratio(behind)
    if math.isnan(mine) or math.isnan(theirs):
        return "where their branches separate usage is unknown."
    usages = f"{ahead.name} used {_times(mine)} and {behind.name} {_times(theirs)} its NormShares"
    if mine <= theirs:
        return f"that begins where their branches separate: {usages}."
    return f"where their branches separate {usages}, but further down the order is reversed."


def _used(level: Level) -> str:
    """Return effective usage next to the NormShares that it is compared with."""
    used = f"{level.name}'s effective usage is {fine_percent(level.effective_usage)}"
    return f"{used} for NormShares of {fine_percent(level.norm_shares)} ({_times(_ratio(level))})"


def _ratio(level: Level) -> float:
    """Return effective usage over NormShares; infinite without shares, NaN where either is unknown."""
    return math.inf if level.norm_shares <= 0 else level.effective_usage / level.norm_shares


def _times(ratio: float) -> str:
    if math.isnan(ratio):
        return "an unknown number of times"
    return f"{ratio:.2f} times" if math.isfinite(ratio) else "infinitely many times"


# -- Fair Tree --------------------------------------------------------------------------------------------


def _by_level(measured: Measured, first: int, second: int, levels: Sequence[Level]) -> Reason:
    """Return the reason by level: the branch with the higher LevelFS goes first, whatever is below it."""
    tree = measured.tree
    branches = _competing(measured, first, second)
    if branches is None:
        return Reason(tuple(levels), None, f"{_both(tree, first, second)} do not compete.", "")
    one, other = (_level_fs(measured, row) for row in branches)
    if math.isnan(one) or math.isnan(other):
        return by_fairshare(measured, first, second, levels)
    if one == other:  # Users then go before accounts, and otherwise the rank decides.
        names = listed([name_of(tree, row) for row in branches])
        same = f"{names} have the same LevelFS, {_number(one)}."
        return by_fairshare(measured, first, second, levels, same)
    ahead, behind = (first, second) if one > other else (second, first)
    better, worse = branches if one > other else branches[::-1]
    verdict = f"{name_of(tree, ahead)} goes before {name_of(tree, behind)}{_ranks(measured, ahead, behind)}."
    top = int(measured.above[better])
    because = (
        f"On the level below {name_of(tree, top)}, {name_of(tree, better)} has the LevelFS "
        f"{_number(_level_fs(measured, better))} and {name_of(tree, worse)} "
        f"{_number(_level_fs(measured, worse))} "
        f"({_shares_and_usage(measured, better)}; {_shares_and_usage(measured, worse)})."
    )
    below = "" if better == ahead and worse == behind else " Usage further down has no effect."
    return Reason(tuple(levels), ahead, verdict, because + below)


def _competing(measured: Measured, first: int, second: int) -> tuple[int, int] | None:
    """Return the two rows on one level whose order decides: accounts with the share `parent` give way."""
    ways = _levels_up(measured, first), _levels_up(measured, second)
    for one, other in zip(*ways, strict=False):
        if one != other:
            return one, other
    return None


def _levels_up(measured: Measured, row: int) -> list[int]:
    way = [row]
    while measured.above[way[-1]] >= 0:
        way.append(int(measured.above[way[-1]]))
    return way[::-1]


def _level_fs(measured: Measured, row: int) -> float:
    """Return the LevelFS of a row; infinite for a user with the share `parent`, for whom sshare
    prints none.
    """
    if measured.tree.shares[row] == PARENT_SHARES and measured.tree.user[row]:
        return math.inf
    return float(measured.fairshare.level_fs[row])


def _ranks(measured: Measured, ahead: int, behind: int) -> str:
    factor = measured.fairshare.fairshare
    if math.isnan(factor[ahead]) or math.isnan(factor[behind]):
        return ""
    return f": fairshare {factor[ahead]:.4f} against {factor[behind]:.4f}"


def _shares_and_usage(measured: Measured, row: int) -> str:
    found = measured.fairshare
    shares, used = found.norm_shares[row], found.effective_usage[row]
    parts = f"{fine_percent(shares)} of the shares, {fine_percent(used)} of the usage"
    return f"{name_of(measured.tree, row)}: {parts}"


def _number(value: float) -> str:
    return "inf" if math.isinf(value) else f"{value:.4f}"


def _both(tree: Associations, first: int, second: int) -> str:
    return f"{name_of(tree, first)} and {name_of(tree, second)}"
