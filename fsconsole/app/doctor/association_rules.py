"""Rules on the associations of a Slurm cluster: shares, usage, limits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

import numpy as np

from fsconsole.app.doctor.rule import Hit, rule
from fsconsole.app.doctor.site import Site
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.fairshare import NORM_FOR_RAW, SharesChange, effect_of
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.numbers import fine_percent, thousands
from fsconsole.text.words import count_words, listed

_EXHAUSTED = 0.001
_MANY_EXHAUSTED = 0.2
_LOST_USAGE, _LOST_PART = 0.02, 0.1
_ROOT_PART = 0.1
_MOST_ACCOUNTS = 8
_NO_COUNTS = ("maxjobs", "maxsubmit", "maxsubmitjobs", "grpjobs", "grpsubmit", "grpsubmitjobs")
_NO_CPUS = ("maxtres", "maxtresperjob", "grptres")
_CPU = re.compile(r"(?:^|,)cpu=(\d+)")


def _shares_effect(site: Site, row: int, shares: int) -> str:
    """Describe how other shares of a row change FairShare at the next calculation, where most."""
    tree, settings = site.used_tree, site.settings
    if PartName.TREE in site.partial:
        return "Associations were left out, so FairShare cannot be computed."
    if settings is not None and settings.is_depth_oblivious:
        return "DEPTH_OBLIVIOUS is set, so FairShare cannot be computed."
    if settings is None and not site.is_fair_tree:
        return "FairShareDampeningFactor is unknown, so FairShare cannot be computed."
    damping = 1.0 if settings is None else float(settings.dampening)  # Of no effect on Fair Tree.
    found = effect_of(tree, [SharesChange(row, shares)], damping, by_rank=site.is_fair_tree)
    by = found.after - found.before
    if np.isnan(by).any():
        return "Usage is unknown in part, so FairShare cannot be computed."
    order = np.argsort(by)
    changes = [
        f"{tree.user[found.rows[at]]} {found.before[at]:.4f} \N{RIGHTWARDS ARROW} {found.after[at]:.4f}"
        for at in dict.fromkeys((*order[::-1][:2].tolist(), *order[:2].tolist()))
        if abs(by[at]) > 5e-5
    ]
    if not changes:
        return "No FairShare changes at the current usage."
    blank = "" if site.has_raw_usage else f" {NORM_FOR_RAW}"
    return f"FairShare at the next calculation: {', '.join(changes)}.{blank}"


@rule("user-at-zero")
def _user_at_zero(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for row in sorted(site.working):
        if levels.shares[row] != 0 or not levels.is_user[row]:
            continue
        name, effect = levels.names[row], site.effect({row: 1})
        fix = f"Give {name} shares, such as 1."
        if site.shares is not None:
            account = site.shares.tree.account[row]
            fix = f"sacctmgr modify user {name} where account={account} set fairshare=1"
            effect = _shares_effect(site, row, 1)
        yield Hit(levels.paths[row], f"{name} has 0 shares, and jobs or usage.", fix, effect)


@rule("parents-only", PartName.TREE)
def _parents_only(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for row, below in enumerate(levels.children):
        if row and len(below) > 1 and all(levels.shares[one] is None for one in below):
            yield Hit(
                levels.paths[row], f"All {len(below)} below {levels.names[row]} have fairshare=parent.",
                "Leave it if they are meant to count as one. Otherwise give each of them shares.",
                "With separate shares, users who used less go before the others.",
            )  # fmt: skip


@rule("account-takes-parent", PartName.TREE)
def _account_takes_parent(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for row in range(1, len(levels.names)):
        if levels.shares[row] is None and not levels.is_user[row] and levels.children[row]:
            above = levels.names[levels.parent[row]]
            yield Hit(
                levels.paths[row], f"{levels.names[row]} has fairshare=parent and "
                f"{count_words(len(levels.children[row]), 'member')}.",
                f"Give {levels.names[row]} shares if it is meant to be one of the accounts of {above}.",
                f"Its members compete one by one with those directly below {above}. With shares "
                    "they would divide one share.",
            )  # fmt: skip


@rule("root-competes", PartName.TREE)
def _root_competes(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for row in levels.children[0] if site.shares is not None else ():
        if not levels.is_user[row] or levels.names[row] != "root":
            continue
        part = levels.parts()[row]
        if part > _ROOT_PART:
            yield Hit(
                levels.paths[row], f"User root has {fine_percent(part)} of the cluster's shares.",
                "sacctmgr modify user root set fairshare=0, or raise all other shares in proportion.",
                site.effect({row: 0}),
            )  # fmt: skip


@rule("fairshare-exhausted", PartName.TREE)
def _fairshare_exhausted(site: Site) -> Iterator[Hit]:
    found = site.fairshare
    if site.shares is None or found is None or site.is_fair_tree or site.settings is None:
        return
    if site.settings.is_depth_oblivious:
        return
    tree = site.shares.tree
    if np.isnan(tree.usage).any():
        return
    users = np.flatnonzero(tree.is_user & (tree.shares > 0))
    low = users[found.fairshare[users] < _EXHAUSTED]
    if len(low) < 3 or len(low) < _MANY_EXHAUSTED * len(users):
        return
    now = site.settings.dampening
    before = classic_fairshare(site.used_tree, float(now)).fairshare
    for damping in range(now + 1, now + 50):
        after = classic_fairshare(site.used_tree, float(damping)).fairshare
        if (after[low] < _EXHAUSTED).sum() < len(low) / 4:
            break
    first = int(low[0])
    yield Hit(
        "FairShareDampeningFactor",
        f"{thousands(len(low))} of {thousands(len(users))} users with shares have fairshare below "
        f"{_EXHAUSTED}, with almost no difference.",
        f"Set FairShareDampeningFactor={damping} instead of {now}.",
        f"{thousands(int((after[low] < _EXHAUSTED).sum()))} of them stay below. At the next calculation "
            f"{tree.user[first]}: {before[first]:.4f} → {after[first]:.4f}.",
    )  # fmt: skip


@rule("usage-of-removed", PartName.TREE)
def _usage_of_removed(site: Site) -> Iterator[Hit]:
    if site.shares is None:
        return
    # While jobs run, sshare's NormUsage of an account and of its members are from different instants.
    # RawUsage is consistent.
    tree, raw = site.shares.tree, site.shares.raw_usage
    total = float(raw[0])
    if not total > 0 or np.isnan(raw).any():
        return
    inside = np.bincount(tree.parent[1:], weights=raw[1:], minlength=len(tree)) / total
    used = raw / total
    for row in range(1, len(tree)):
        lost = float(used[row]) - float(inside[row])
        if (
            not tree.user[row]
            and site.levels.children[row]
            and lost > max(_LOST_USAGE, _LOST_PART * used[row])
            and lost * total > len(site.levels.children[row])  # RawUsage is cut to whole seconds.
        ):
            yield Hit(
                site.levels.paths[row],
                f"{tree.account[row]} has {fine_percent(float(used[row]))} of RawUsage, its members "
                f"{fine_percent(float(inside[row]))}. The rest belongs to deleted associations.",
                f"Let it decay, or sacctmgr modify account {tree.account[row]} set rawusage=0.",
                f"Without it, users of {tree.account[row]} gain fairshare, and others lose a little.",
            )  # fmt: skip


def _cpus(limits: Mapping[str, str], *names: str) -> int | None:
    for name in names:
        match = _CPU.search(limits.get(name, ""))
        if match:
            return int(match[1])
    return None


@rule("limit-below-share", PartName.TREE, PartName.NODES)
def _limit_below_share(site: Site) -> Iterator[Hit]:
    cpus = sum(node.cpus for node in site.nodes)
    if not cpus:
        return
    parts = site.levels.parts()
    for row, limits in enumerate(site.limits):
        limit = _cpus(limits, "grptres")
        if site.levels.shares[row] is None:  # It has no share of its own.
            continue
        if row and limit is not None and limit < parts[row] * cpus - 1 and limit > 0:
            name = site.levels.names[row]
            yield Hit(
                site.levels.paths[row],
                f"{name} has a share of {fine_percent(parts[row])} of {thousands(cpus)} CPUs, "
                    f"{parts[row] * cpus:.0f}. GrpTRES allows cpu={thousands(limit)}.",
                f"Raise GrpTRES of {name} to cpu={thousands(math.ceil(parts[row] * cpus))}, or lower "
                    "its shares.",
                f"{name} can use {parts[row] * cpus - limit:.0f} more CPUs. Others can no longer use "
                "those CPUs.",
            )  # fmt: skip


@rule("limit-above-parent")
def _limit_above_parent(site: Site) -> Iterator[Hit]:
    for row, limits in enumerate(site.limits):
        above = site.levels.parent[row]
        mine = _cpus(limits, "grptres")
        theirs = None if above < 0 else _cpus(site.limits[above], "grptres")
        if mine is not None and theirs is not None and mine > theirs:
            name, top = site.levels.names[row], site.levels.names[above]
            yield Hit(
                site.levels.paths[row],
                f"GrpTRES of {name} is cpu={thousands(mine)}. GrpTRES of {top} above it is "
                    f"cpu={thousands(theirs)}.",
                f"Lower GrpTRES of {name} to cpu={thousands(theirs)}, or raise that of {top}.",
                f"With the higher limit of {top}, {name} can use up to {thousands(mine - theirs)} more CPUs.",
            )  # fmt: skip


@rule("cannot-run", PartName.TREE)
def _cannot_run(site: Site) -> Iterator[Hit]:
    if not site.limits:
        return
    levels = site.levels
    own = [_zero_limit(limits) for limits in site.limits]
    # Max… of an account is the default for its members. It does not stop users with a limit of their own.
    stopped = [
        found if levels.is_user[row] or not found.startswith("max") else "" for row, found in enumerate(own)
    ]
    for row in range(len(own) - 1, -1, -1):
        if own[row] and not stopped[row]:
            below = levels.children[row]
            stopped[row] = own[row] if below and all(stopped[one] for one in below) else ""
    for row, found in enumerate(stopped):
        above = levels.parent[row]
        if found and not (above >= 0 and stopped[above]) and levels.shares[row] != 0:
            name, (key, _, value) = levels.names[row], found.partition(" ")
            clear = f"{key}=cpu=-1" if value.startswith("cpu") else f"{key}=-1"
            who = name if levels.is_user[row] else f"{name} and all below it"
            yield Hit(
                levels.paths[row], f"{name} has shares and {key}={value}.",
                f"Set {clear} for {name}, or fairshare=0.",
                f"With the limit removed, {who} can run jobs. With no shares, that share goes to the others.",
            )  # fmt: skip


def _zero_limit(limits: Mapping[str, str]) -> str:
    """Return a limit that prevents all jobs, as `maxjobs 0` or `grptres cpu=0`; empty without one."""
    for key in _NO_COUNTS:
        if limits.get(key) == "0":
            return f"{key} 0"
    return next((f"{key} cpu=0" for key in _NO_CPUS if _cpus(limits, key) == 0), "")


@rule("shares-lag")
def _shares_lag(site: Site) -> Iterator[Hit]:
    others = [
        (row, _as_raw(seen))
        for row, (mine, seen) in enumerate(zip(site.stored_shares, site.levels.shares, strict=False))
        if row and mine is not None and mine != _as_raw(seen)
    ]
    if others:
        row, seen = others[0]
        stored = site.stored_shares[row] or 0
        names = listed([site.levels.paths[one] for one, _ in others], 3)
        yield Hit(
            site.levels.paths[row],
            f"{names}: {_plain(stored)} in the database, {_plain(seen)} in slurmctld.",
            "Wait a minute. Then restart slurmctld, or set the shares again.",
            "Fairshares follow the stored shares from then on.",
        )  # fmt: skip


def _as_raw(shares: int | None) -> int:
    return PARENT_SHARES if shares is None else shares


def _plain(shares: int) -> str:
    return "parent" if shares == PARENT_SHARES else f"{thousands(shares)}"


@rule("user-in-many-accounts", PartName.TREE)
def _user_in_many_accounts(site: Site) -> Iterator[Hit]:
    if site.shares is None:
        return
    tree = site.shares.tree
    rows: dict[str, list[int]] = {}
    for row in np.flatnonzero(tree.is_user).tolist():
        rows.setdefault(tree.user[row], []).append(row)
    parts = site.levels.parts()
    for user, found in rows.items():
        accounts = {tree.account[row] for row in found}
        if len(accounts) > _MOST_ACCOUNTS:
            total = sum(parts[row] for row in found if site.levels.shares[row] is not None)
            yield Hit(
                user, f"{user} is in {len(accounts)} accounts, with {fine_percent(total)} of the "
                f"cluster together.",
                f"Remove {user} from the accounts that do not need that user.",
                f"{user} can no longer continue in another account when the fairshare of one is low.",
            )  # fmt: skip
