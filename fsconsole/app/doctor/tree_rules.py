"""Rules on the weights of any share tree, a cluster's, a file's or the kernel's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fsconsole.app.doctor.rule import Hit, rule
from fsconsole.app.doctor.site import NO_CHANGE, Levels, Site
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.numbers import thousands
from fsconsole.text.words import capitalised, count_words

_LOPSIDED = 1000
_MANY = 5


def _rows(levels: Levels) -> range:
    return range(1, len(levels.names))


@rule("only-child", PartName.TREE)
def _only_child(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for above, rows in enumerate(levels.children):
        is_top = levels.is_forest and not above
        if len(rows) == 1 and not is_top and not levels.is_user[rows[0]] and levels.children[rows[0]]:
            row = rows[0]
            shares = levels.shares[row]
            if shares is not None:
                yield Hit(
                    levels.paths[row],
                    f"{levels.names[row]} is the only node below {levels.names[above]}, with "
                    f"{count_words(shares, 'share')}.",
                    f"Put the nodes of {levels.names[row]} directly below {levels.names[above]}, "
                        "or leave it.",
                    NO_CHANGE,
                )  # fmt: skip


@rule("level-of-zeros", PartName.TREE)
def _level_of_zeros(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for above, rows in enumerate(levels.children):
        if len(rows) > 1 and all(levels.shares[row] == 0 for row in rows):
            yield Hit(
                levels.paths[above], f"All {len(rows)} nodes below {levels.names[above]} have 0 shares.",
                f"Give each node below {levels.names[above]} shares, such as 1.",
                site.effect(dict.fromkeys(rows, 1)),
            )  # fmt: skip


@rule("group-at-zero", PartName.TREE)
def _group_at_zero(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for row in _rows(levels):
        siblings = levels.children[levels.parent[row]]
        is_alone_at_zero = levels.shares[row] == 0 and any(levels.shares[one] for one in siblings)
        if is_alone_at_zero and not levels.is_user[row] and levels.has_users[row]:
            yield Hit(
                levels.paths[row], f"{levels.names[row]} has 0 shares, but users below it.",
                f"Give {levels.names[row]} shares, such as 1.", site.effect({row: 1}),
            )  # fmt: skip


@rule("empty-group", PartName.TREE)
def _empty_group(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for row in _rows(levels):
        above = levels.parent[row]
        is_top = not levels.has_users[row] and levels.has_users[above]
        if is_top and not levels.is_user[row] and levels.shares[row]:
            yield Hit(
                levels.paths[row], f"{levels.names[row]} has "
                f"{count_words(levels.shares[row] or 0, 'share')} and no user below it.",
                f"Add users to {levels.names[row]}, or remove it.", site.effect({row: 0}),
            )  # fmt: skip


def _is_slurms_root(levels: Levels, row: int) -> bool:
    """Return True if the node is user root in account root, which sacctmgr adds by itself with 1 share."""
    return levels.is_user[row] and levels.parent[row] == 0 and levels.names[row] == levels.names[0] == "root"


@rule("lopsided-level")
def _lopsided_level(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for above, rows in enumerate(levels.children):
        some = [row for row in rows if levels.shares[row] and not _is_slurms_root(levels, row)]
        if len(some) < 2:
            continue
        least = min(some, key=lambda row: levels.shares[row] or 0)
        most = max(some, key=lambda row: levels.shares[row] or 0)
        low, high = levels.shares[least] or 0, levels.shares[most] or 0
        if high >= _LOPSIDED * low:
            wanted = -(-high // (_LOPSIDED // 10))
            yield Hit(
                levels.paths[above], f"{levels.names[most]} has {thousands(high)} shares, "
                f"{levels.names[least]} has {thousands(low)}.",
                f"Check both. With {count_words(wanted, 'share')}, {levels.names[least]} would get a "
                    "hundredth of the other.",
                site.effect({least: wanted}),
            )  # fmt: skip


@rule("all-shares-equal", PartName.TREE)
def _all_shares_equal(site: Site) -> Iterator[Hit]:
    levels = site.levels
    groups = [row for row in _rows(levels) if not levels.is_user[row]]
    if len(groups) >= _MANY and all(levels.shares[row] == 1 for row in groups):
        yield Hit(
            "", f"All {len(groups)} groups have 1 share, the default.",
            "Give each group the shares it is entitled to, or leave them if equal shares are intended.",
            "Shares then differ between groups. Today each level is divided equally.",
        )  # fmt: skip


# -- what the checks of files and control groups say -------------------------------------------------------

_FIXES = {
    "dialect": "Correct it in the file. Its scheduler interprets it differently or refuses it.",
    "dialect-odd": "Correct it in the file, unless it is intended.",
    "system-groups-large": "Lower the shares of system groups, or leave them out of percentages.",
    "work-without-login": "Log the users in, or remove their work.",
    "event-after-end": "Make the run longer, or the event earlier.",
    "sharemin-above-entitlement": "Lower policy.sharemin below the entitlement shown.",
    "switch-without-effect": "Switch it off, or choose a policy that uses it.",
    "policy-constant": "Change one of the constants shown.",
    "sched-ext": "Unload that scheduler, or use its own settings.",
    "controller-off": "Write +cpu into cgroup.subtree_control of the groups above.",
    "cpu-max-below-share": "Raise cpu.max, or lower the weight.",
}


def _remarked(id_: str, site: Site) -> Iterator[Hit]:
    for node, where, text in site.remarks:
        if node == id_:
            evidence, fix = _with_fix(text) if id_.startswith("dialect") else (text, "")
            yield Hit(where, evidence, fix or _FIXES[id_], _EFFECTS.get(id_, _BY_DEMANDS))


_BY_DEMANDS = "Depends on demands: tree what-if shows it."
_ITS_READING = "No share changes here. The scheduler then follows the tree."
_EFFECTS = {"dialect": _ITS_READING, "dialect-odd": _ITS_READING}


def _with_fix(text: str) -> tuple[str, str]:
    """Return a sentence about a file without its remedy, and the remedy as a sentence of its own; empty for
    none.
    """
    evidence, stop, fix = text.rstrip(".").rpartition(". ")
    if not stop:
        evidence, stop, fix = text.rpartition(": ")
    return (f"{evidence}.", f"{capitalised(fix)}.") if stop else (text, "")


REMARKED = {id_: rule(id_)(partial(_remarked, id_)) for id_ in _FIXES}
"""The rules that only name what the checks of files and control groups find, by their ids."""
