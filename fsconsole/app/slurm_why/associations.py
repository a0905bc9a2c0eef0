"""Reasons for a user's rank by fairshare, and for the order of two users."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.app.slurm_why.answer import Answer, NoAnswer
from fsconsole.app.slurm_why.facts import Facts
from fsconsole.app.slurm_why.remedies import OLDER, least_shares, rest_s, start_of, start_on_level
from fsconsole.app.slurm_why.status import Standing, named, way_to
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.associations import Ints
from fsconsole.slurm.forecast import Forecast
from fsconsole.slurm.insight import Level, by_fairshare, why
from fsconsole.targets.slurm.explain import weight_words
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import fine_percent, thousands
from fsconsole.text.words import count_words, listed, plural

_EVEN = 0.5  # A user whose usage equals the share has this fairshare, without dampening.
_SMALL = 0.001
_NAMED = 6
_COLUMNS = ("Level", "Shares", "NormShares", "NormUsage", "EffectvUsage", "Effectv/NormShares")


def why_user(facts: Facts, name: str) -> Answer:
    """Return the reasons for a user's fairshare; NoAnswer if they are unknown."""
    standing = Standing.of(facts)
    row, remarks = standing.user(name)
    factor = float(standing.measured.fairshare.fairshare[row])
    if math.isnan(factor):
        raise NoAnswer(f"sshare prints no FairShare for {named(standing, row)}.")
    if unknown := _unknown_usage(standing, row):
        raise NoAnswer(f"sshare prints no usage of {listed(unknown, _NAMED)}, so the reason is unknown.")
    place, count = standing.rank(row)
    at = f", place {thousands(place)} of {count_words(count, 'user')}"
    if standing.hidden is not None:
        at = ". Its position among others is hidden"
    elif np.isnan(standing.measured.fairshare.fairshare[standing.users]).any():
        at = ". Its position is unknown, because some users have no FairShare"
    rank = f"{named(standing, row)} has fairshare {factor:.4f}{at}."
    by_rank = standing.measured.is_fair_tree
    of_rank = _of_tree if standing.hidden is None else _of_own_level
    rest, change = (of_rank if by_rank else _of_factor)(facts, standing, row)
    levels = _table(standing, row, "LevelFS" if by_rank else "FairShare")
    about = facts.about(f"Fairshare of {named(standing, row)} ({_rule(facts, standing)})")
    remarks = (*remarks, *facts.resets(), *facts.remarks(), *standing.remarks_on(row))
    return Answer(about, (rank, *rest), *levels, change, remarks)


def why_users(facts: Facts, first: str, second: str) -> Answer:
    """Return the reasons why one of two users precedes the other; NoAnswer if they are unknown."""
    standing = Standing.of(facts)
    if standing.hidden is not None:
        shown = [name for name in (first, second) if _is_shown(standing, name)]
        if len(shown) == 1:
            own = why_user(facts, shown[0])
            hides = f"sshare does not show {second if shown[0] == first else first}"
            return replace(own, remarks=(f"{hides}, so the order of the two is hidden.", *own.remarks))
    found = [standing.user(name) for name in (first, second)]
    rows, remarks = (found[0][0], found[1][0]), (*found[0][1], *found[1][1])
    if rows[0] == rows[1]:
        raise NoAnswer("Name two different users.")
    reason = why(standing.measured, *rows)
    if standing.hides(*(level.row for level in reason.levels if level.is_parting)):
        where = "The accounts at which their branches separate are hidden."
        reason = by_fairshare(standing.measured, *rows, reason.levels, where)
    weight = "" if facts.settings is None else weight_words(facts.settings)
    sentences = tuple(filter(None, (reason.verdict, reason.because, weight)))
    column = "LevelFS" if standing.measured.is_fair_tree else "FairShare"
    table = tuple(
        (f"{'  ' * (level.depth - 1)}{level.name}", *_cells(level, column))
        for level in reason.levels
        if level.depth
    )
    about = facts.about(f"Order of {first} and {second} ({_rule(facts, standing)})")
    behind = None if reason.ahead is None else next(row for row in rows if row != reason.ahead)
    change = (
        "Cannot compute what would change an order that is unknown."
        if reason.is_unknown
        else "Neither goes first, so age, size and other factors order their jobs."
        if behind is None or reason.ahead is None
        else "Cannot compute the shares that would change it: the usage of accounts above them is hidden."
        if standing.hidden is not None
        else "Cannot compute the shares that would change it: some usage is unknown."
        if np.isnan(standing.recorded).any()
        else _overtaking(facts, standing, behind, reason.ahead)
    )
    remarks = (*remarks, *facts.resets(), *facts.remarks(), *standing.remarks)
    return Answer(about, sentences, (*_COLUMNS, column), table, change, remarks)


def _rule(facts: Facts, standing: Standing) -> str:
    if facts.settings is not None:
        return facts.settings.rule
    return "Fair Tree" if standing.measured.is_fair_tree else "classic fairshare"


# -- one user ----------------------------------------------------------------------------------------------


def _of_factor(facts: Facts, standing: Standing, row: int) -> tuple[tuple[str, ...], str]:
    """Explain classic fairshare: the user's part of the effective usage, and the way to a factor of 0.5."""
    measured = standing.measured
    found, tree, name = measured.fairshare, measured.tree, named(standing, row)
    share, used = float(found.norm_shares[row]), float(found.effective_usage[row])
    if not share > 0:
        return ("It has no shares, so its fairshare is 0 at any usage.",), f"Give {name} shares above 0."
    ratio = used / share
    about = (
        f"Effective usage is {fine_percent(used)} for NormShares of {fine_percent(share)}, "
        f"{ratio:.2f} times as much."
    )
    own, above = float(measured.norm_usage[row]), int(tree.parent[row])
    source = (
        f"Of this, {fine_percent(own)} is its own usage, and {fine_percent(max(used - own, 0.0))} "
        f"is inherited from account {named(standing, above)}."
    )
    if facts.settings is None:
        return (about, source), "FairShareDampeningFactor is unknown, and so is what fairshare 0.5 needs."
    damping = facts.settings.dampening
    if ratio <= damping:
        change = "None is needed: its usage does not exceed its share. Fairshare falls as jobs there run."
        if ratio > 1:
            change = (
                f"None is needed: with dampening factor {damping}, fairshare is {_EVEN} or more at up to "
                f"{damping} times the share. Fairshare falls as jobs there run."
            )
        return (about, source), change
    wanted = damping * share
    need = f"an effective usage of {fine_percent(wanted)} instead of {fine_percent(used)}"
    change = f"Fairshare {_EVEN} needs {need}."
    if standing.hidden is not None:
        return (about, source), f"{change} How long that takes depends on usage that is hidden."
    top = way_to(standing, row)[0]
    time_s = rest_s(facts, start_of(facts, standing), top, (row,), lambda now: now.fairshare[0] >= _EVEN)
    if time_s == 0:
        change += " RawUsage already gives that. Fairshare follows at the next calculation."
    elif time_s is not None and math.isinf(time_s):
        change += f" Time alone does not bring it: no user outside {named(standing, top)} has usage."
    elif time_s is not None:
        who = f"{name} runs no jobs" if top == row else f"no user of {named(standing, top)} runs jobs"
        change += f" That takes about {length_words(time_s)} if {who} and usage of the others stays."
    return (about, source), change


def _of_tree(facts: Facts, standing: Standing, row: int) -> tuple[tuple[str, ...], str]:
    """Explain Fair Tree: the level with most users ahead, and the way past the next branch there."""
    measured = standing.measured
    way = [one for one in way_to(standing, row) if measured.tree.shares[one] != PARENT_SHARES]
    costs = [(_before(standing, one), one) for one in way]
    most, worst = max(costs, key=lambda pair: len_of(standing, pair[0])) if costs else (np.empty(0, int), row)
    users = len_of(standing, most)
    if not users:
        about = "On every level its branch has the highest LevelFS: no user goes first because of usage."
        return (about,), "None is needed. Its rank falls as jobs of its branch run."
    level_fs = float(measured.fairshare.level_fs[worst])
    top, name = int(measured.above[worst]), named(standing, worst)
    branches = plural(len(most), "branch", "branches")
    about = (
        f"The rank is lost mostly on the level below {named(standing, top)}: {thousands(len(most))} "
        f"{branches} with {count_words(users, 'user')} have a higher LevelFS than {name} "
        f"({level_fs:.4f})."
    )
    share, used = (
        float(measured.fairshare.norm_shares[worst]),
        float(measured.fairshare.effective_usage[worst]),
    )
    usage = f"{name} has {fine_percent(share)} of the shares there and {fine_percent(used)} of the usage."
    others = measured.fairshare.level_fs[most]
    following = int(most[int(np.argmin(np.where(np.isfinite(others), others, np.inf)))])
    target = float(measured.fairshare.level_fs[following])
    if not math.isfinite(target):
        return (
            about,
            usage,
        ), f"The branches before {name} have no usage. Only their own new usage puts them back."
    parts = [f"{name} passes {named(standing, following)} (LevelFS {target:.4f})"]
    start, both = replace(start_of(facts, standing), by_rank=False), (worst, following)  # LevelFS is enough.
    needed = least_shares(start, worst, both, _is_above)
    time_s = rest_s(facts, start, worst, both, _is_above)
    now = int(measured.tree.shares[worst])
    if time_s == 0 or (needed is not None and needed <= now):
        return (about, usage), OLDER
    if needed is not None:
        parts.append(f" with {count_words(needed, 'share')} instead of {thousands(now)}")
    if time_s is not None and math.isfinite(time_s):
        joined = ", or" if needed is not None else ""
        parts.append(
            f"{joined} in about {length_words(time_s)} if it runs nothing and the others' usage stays"
        )
    if len(parts) == 1:
        return (about, usage), f"Only other usage beside it changes the position of {name}."
    return (about, usage), "".join(parts) + "."


def _of_own_level(facts: Facts, standing: Standing, row: int) -> tuple[tuple[str, ...], str]:
    """Explain Fair Tree where sshare shows no level above: the user's own values."""
    measured = standing.measured
    top = named(standing, int(measured.above[row]))
    shares = int(measured.tree.shares[row])
    if shares == PARENT_SHARES:
        about = f"It has the share parent, so its rank is that of {top}, which is hidden."
        return (about,), f"Usage of {top} and of the accounts above it decays or grows."
    share, used = float(measured.fairshare.norm_shares[row]), float(measured.fairshare.effective_usage[row])
    level_fs = float(measured.fairshare.level_fs[row])
    if math.isnan(share + used) and math.isnan(level_fs):
        change = f"Levels above {top} count first, but they are hidden."
        return (f"Its usage within {top} is unknown.",), change
    if math.isnan(level_fs):
        level_fs = share / used if used > 0 else math.inf
    about = (
        f"Within {top} it has {fine_percent(share)} of the shares and {fine_percent(used)} of the usage"
        f"{f' (LevelFS {level_fs:.4f})' if math.isfinite(level_fs) else ''}."
    )
    change = f"Levels above {top} count first, but they are hidden."
    if level_fs >= 1:
        return (about,), f"{change} Within {top} none is needed: its usage does not exceed its share."
    time_s = rest_s(facts, start_on_level(facts, share, used), 1, (1,), lambda now: now.level_fs[0] >= 1)
    after = "" if time_s is None or math.isinf(time_s) else f" in about {length_words(time_s)}"
    rest = (
        f"Within {top} its usage falls to its share{after} if it runs nothing and the others' usage "
        "does not change."
    )
    return (about,), f"{change} {rest}"


def len_of(standing: Standing, rows: Ints) -> int:
    """Return the number of users in branches with topmost rows [branches]."""
    return int(standing.below[rows].sum())


def _unknown_usage(standing: Standing, row: int) -> list[str]:
    """Return names on the levels down to a row without a usage that the explanation needs."""
    measured = standing.measured
    if standing.hidden is not None:
        return []
    fair = measured.fairshare
    used = fair.level_fs if measured.is_fair_tree else fair.effective_usage + measured.norm_usage
    rows = way_to(standing, row)
    if measured.is_fair_tree:
        rows = list(dict.fromkeys(one for step in rows for one in standing.siblings(step).tolist()))
    return [
        named(standing, one)
        for one in rows
        if math.isnan(used[one]) and measured.tree.shares[one] != PARENT_SHARES
    ]


def _before(standing: Standing, row: int) -> Ints:
    """Return branches on the level of a row with a higher LevelFS."""
    measured = standing.measured
    level: Ints = standing.siblings(row)
    found: Ints = level[measured.fairshare.level_fs[level] > measured.fairshare.level_fs[row]]
    return found


def _is_above(found: Forecast) -> NDArray[np.bool_]:
    """Return True where the first row has the higher LevelFS."""
    is_above: NDArray[np.bool_] = found.level_fs[0] > found.level_fs[1]
    return is_above


# -- two users ---------------------------------------------------------------------------------------------


def _is_shown(standing: Standing, name: str) -> bool:
    try:
        standing.user(name)
    except NoAnswer:
        return False
    return True


def _overtaking(facts: Facts, standing: Standing, behind: int, ahead: int) -> str:
    """Return the changes that put the one behind first: shares of it or of its branch, or time
    without jobs.
    """
    tree, name = standing.measured.tree, named(standing, behind)
    branches = [
        one
        for one in way_to(standing, behind)
        if one not in way_to(standing, ahead) and tree.shares[one] != PARENT_SHARES
    ]
    if not branches:
        return f"{name} has the shares of the account above it, so only usage changes their order."
    branch = branches[0]
    start, rows = start_of(facts, standing), (behind, ahead)
    needed = least_shares(start, branch, rows, lambda found: found.fairshare[0] > found.fairshare[1])
    who = named(standing, branch)
    now = int(tree.shares[branch])
    if needed is None:
        return f"No number of shares of {who} puts {name} first at the current usage."
    if needed <= now:
        return OLDER
    wanted = count_words(needed, "share")
    return f"{name} goes first with {wanted} of {who} instead of {thousands(now)}, at the current usage."


# -- tables ------------------------------------------------------------------------------------------------


def _table(standing: Standing, row: int, last: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the way from the root down to a row."""
    measured, found = standing.measured, standing.measured.fairshare
    rows = []
    for depth, one in enumerate(way_to(standing, row)):
        shares = int(measured.tree.shares[one])
        values = (found.norm_shares[one], measured.norm_usage[one], found.effective_usage[one])
        final = found.level_fs[one] if last == "LevelFS" else found.fairshare[one]
        ratio = values[2] / values[0] if values[0] > 0 else math.nan
        rows.append(
            (f"{'  ' * depth}{named(standing, one)}", _shares(shares), *_numbers(*values, ratio, final))
        )
    return (*_COLUMNS, last), tuple(rows)


def _cells(level: Level, last: str) -> tuple[str, ...]:
    ratio = level.effective_usage / level.norm_shares if level.norm_shares > 0 else math.nan
    final = level.level_fs if last == "LevelFS" else level.fairshare
    shares = "parent" if level.shares is None else f"{thousands(level.shares)}"
    return shares, *_numbers(level.norm_shares, level.norm_usage, level.effective_usage, ratio, final)


def _shares(shares: int) -> str:
    return "parent" if shares == PARENT_SHARES else f"{thousands(shares)}"


def _numbers(*values: float) -> tuple[str, ...]:
    """Format numbers with four digits, small ones with six as sshare does; empty for NaN."""
    return tuple(map(_number, values))


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "" if math.isnan(value) else "inf"
    return f"{value:.6f}" if 0 < abs(value) < _SMALL else f"{value:.4f}"
