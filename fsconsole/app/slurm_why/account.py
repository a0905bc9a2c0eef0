"""Reasons for an account's part: its shares against its usage, and the usage of its users."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.app.slurm_why.answer import Answer, NoAnswer
from fsconsole.app.slurm_why.facts import Facts
from fsconsole.app.slurm_why.remedies import least_shares, rest_s, start_of
from fsconsole.app.slurm_why.status import Standing, named
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.fairshare import SharesChange, with_shares
from fsconsole.slurm.forecast import Forecast
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import fine_percent, percent, thousands
from fsconsole.text.words import count_words, listed

_MOST_ROWS = 10
_NAMED = 6
_COLUMNS = ("Below it", "Shares", "Share of account", "Usage of account", "FairShare")


def why_account(facts: Facts, name: str) -> Answer:
    """Return the allocation and usage of an account and its users; NoAnswer if they are unknown."""
    standing = Standing.of(facts)
    measured, row = standing.measured, standing.account(name)
    if unknown := _unknown_usage(standing, row):
        raise NoAnswer(f"sshare prints no usage of {listed(unknown, _NAMED)}, so that of {name} is unknown.")
    share, used = standing.own_share(row), float(measured.norm_usage[row])
    takes_parents = bool(measured.tree.shares[row] == PARENT_SHARES)
    if not standing.is_whole:
        is_printed = not (measured.is_fair_tree or takes_parents)
        share = float(measured.fairshare.norm_shares[row]) if is_printed else math.nan
    has = f"{fine_percent(share)} of the cluster's shares and " if not math.isnan(share) else ""
    sentences = [f"{name} has {has}{fine_percent(used)} of {_usage_of(has)}{_ratio(share, used)}."]
    if row and not takes_parents and not standing.hides(*standing.siblings(row)) and standing.is_whole:
        sentences.append(_among(standing, row))
    table = _members(standing, row)
    if table and used > 0:
        first = table[0]
        shares = f" for {first[2]} of its shares" if first[2] else ""
        sentences.append(f"Most of its usage is from {first[0]}: {first[3]}{shares}.")
    about = facts.about(f"Position of account {name}")
    remarks = (*facts.resets(), *facts.remarks(), *standing.remarks_on(row))
    return Answer(about, tuple(sentences), _COLUMNS, table, _change(facts, standing, row), remarks)


def _unknown_usage(standing: Standing, row: int) -> list[str]:
    """Return the names of the account, its members and siblings whose usage is neither known nor hidden."""
    measured = standing.measured
    below = np.flatnonzero(measured.tree.parent == row)
    rows = dict.fromkeys([row, *standing.siblings(row).tolist(), *below.tolist()])
    return [
        named(standing, one)
        for one in rows
        if math.isnan(measured.norm_usage[one]) and not standing.hides(one)
    ]


def _usage_of(has: str) -> str:
    return "its usage" if has else "the cluster's usage"


def _ratio(share: float, used: float) -> str:
    return f", NormUsage is {used / share:.2f} times its share of cluster" if share > 0 else ""


def _among(standing: Standing, row: int) -> str:
    """Describe the account's place on its level by usage against shares."""
    level = standing.siblings(row)
    level = level[~standing.measured.tree.takes_parents[level]]
    shares = standing.cluster_shares[level]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(shares > 0, standing.measured.norm_usage[level] / shares, math.inf)
    mine = float(ratios[level == row][0])
    place = int(np.sum(ratios < mine)) + 1
    top = named(standing, int(standing.measured.above[row]))
    if len(level) == 1:
        return f"It is the only one below {top}, so its shares do not compete with others."
    first = ", and go first" if standing.measured.is_fair_tree else ""
    used = f"{thousands(place - 1)} used less for their shares{first}"
    return f"Of the {thousands(len(level))} on the level below {top}, {used}."


def _members(standing: Standing, row: int) -> tuple[tuple[str, ...], ...]:
    """Return the members of an account, the largest usage first; the smallest are combined."""
    measured, tree = standing.measured, standing.measured.tree
    below = np.flatnonzero(tree.parent == row)
    order = below[np.argsort(-measured.norm_usage[below], kind="stable")]
    whole = standing.own_share(row)
    # While jobs run, sshare updates an account one period after its users.
    used = max(float(measured.norm_usage[row]), float(np.nansum(measured.norm_usage[below])))
    rows = []
    for one in order[:_MOST_ROWS].tolist():
        shares, factor = int(tree.shares[one]), float(measured.fairshare.fairshare[one])
        rows.append((
            named(standing, one),
            "parent" if shares == PARENT_SHARES else thousands(shares),
            _part(standing.own_share(one), whole),
            _part(float(measured.norm_usage[one]), used),
            "" if math.isnan(factor) else f"{factor:.4f}",
        ))  # fmt: skip
    rest = order[_MOST_ROWS:]
    if len(rest):
        shares = np.nansum([standing.own_share(one) for one in rest.tolist()])
        usage = measured.norm_usage[rest].sum()
        rows.append(
            (f"{thousands(len(rest))} more", "", _part(float(shares), whole), _part(float(usage), used), "")
        )
    return tuple(rows)


def _part(part: float, whole: float) -> str:
    return percent(part / whole, 1) if whole > 0 and not math.isnan(part) else ""


def _change(facts: Facts, standing: Standing, row: int) -> str:
    """Return shares with which its share would be its usage, or how long without jobs."""
    measured, tree = standing.measured, standing.measured.tree
    name, shares = named(standing, row), int(tree.shares[row])
    if not row:
        return "Nothing: the root has the whole cluster."
    if shares == PARENT_SHARES:
        return f"{name} has the shares of the account above it. Give it shares of its own first."
    level = standing.siblings(row)
    if standing.hides(*level, int(measured.above[row])) or not standing.is_whole:
        return "Its siblings and the account above it are hidden, so shares and times cannot be computed."
    top, above = named(standing, int(measured.above[row])), int(measured.above[row])
    usage, of_level = float(standing.recorded[row]), float(standing.recorded[above])
    if not usage > 0 or not of_level > 0:
        return f"{name} has used nothing lately. Its jobs go before those of accounts that have."
    everyone, part = float(measured.level_shares[row]), usage / of_level
    if everyone > 0 and shares / everyone >= part:
        words = (
            f"Nothing: of what was used below {top}, {name} used no more than its share there. Its jobs lose "
            "priority as they run."
        )
        share, used = float(standing.cluster_shares[above]), float(measured.norm_usage[above])
        if above and share > 0 and used > share:
            words += f" The NormUsage of {top} as a whole is {used / share:.2f} times its share of cluster."
        return words
    parts = []
    start = replace(start_of(facts, standing), by_rank=False)  # Its level says all.
    needed = least_shares(start, row, (row,), _has_its_share)
    if needed is not None:
        changed = with_shares(tree, (SharesChange(row, needed),))
        then = fine_percent(needed / float(changed.level_shares(measured.above)[row]))
        parts.append(
            f"With {count_words(needed, 'share')} instead of {thousands(shares)} it would have {then} of "
            f"the shares below {top}, for {fine_percent(part)} of the usage there."
        )
    time_s = rest_s(facts, start, row, (row,), _has_its_share)
    if time_s is not None and math.isfinite(time_s):
        parts.append(
            f"Its usage falls to its share in about {length_words(time_s)} if it runs nothing and the "
            "others' stays."
        )
    if not parts:
        parts.append(f"Only other usage beside it changes the position of {name}.")
    parts.append(f"It has {count_words(int(standing.below[row]), 'user')}.")
    return " ".join(parts)


def _has_its_share(found: Forecast) -> NDArray[np.bool_]:
    """Return True where the account used no more of its level than its share."""
    has: NDArray[np.bool_] = found.level_fs[0] >= 1
    return has
