"""Rules on the weights of any share tree, a cluster's, a file's or the kernel's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from fsconsole.app.doctor.rule import Check, Grade, Hit, Rule, rule
from fsconsole.app.doctor.site import Levels, Site
from fsconsole.text.numbers import thousands
from fsconsole.text.words import capitalised, count_words

_OURS = "arithmetic of shares: a node's share is its shares divided by those of its group"
_LOPSIDED = 1000
_MANY = 5
_SAME_FOR_ALL = "Nothing changes for any user today."


def _rows(levels: Levels) -> range:
    return range(1, len(levels.names))


@rule("only-child", Grade.UNUSUAL, "Shares of an only child have no effect", _OURS)
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
                    _SAME_FOR_ALL,
                )  # fmt: skip


@rule("level-of-zeros", Grade.BROKEN, "All nodes of a level have 0 shares", _OURS)
def _level_of_zeros(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for above, rows in enumerate(levels.children):
        if len(rows) > 1 and all(levels.shares[row] == 0 for row in rows):
            yield Hit(
                levels.paths[above], f"All {len(rows)} nodes below {levels.names[above]} have 0 shares.",
                f"Give each node below {levels.names[above]} shares, such as 1.",
                levels.effect(dict.fromkeys(rows, 1)),
            )  # fmt: skip


@rule("group-at-zero", Grade.BROKEN, "A group with users has no shares", _OURS)
def _group_at_zero(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for row in _rows(levels):
        siblings = levels.children[levels.parent[row]]
        is_alone_at_zero = levels.shares[row] == 0 and any(levels.shares[one] for one in siblings)
        if is_alone_at_zero and not levels.is_user[row] and levels.has_users[row]:
            yield Hit(
                levels.paths[row], f"{levels.names[row]} has 0 shares, but users below it.",
                f"Give {levels.names[row]} shares, such as 1.", levels.effect({row: 1}),
            )  # fmt: skip


@rule("empty-group", Grade.UNUSUAL, "A group without users holds shares", _OURS)
def _empty_group(site: Site) -> Iterator[Hit]:
    levels = site.levels
    for row in _rows(levels):
        above = levels.parent[row]
        is_top = not levels.has_users[row] and levels.has_users[above]
        if is_top and not levels.is_user[row] and levels.shares[row]:
            yield Hit(
                levels.paths[row], f"{levels.names[row]} has "
                f"{count_words(levels.shares[row] or 0, 'share')} and no user below it.",
                f"Add users to {levels.names[row]}, or remove it.", levels.effect({row: 0}),
            )  # fmt: skip


def _is_slurms_root(levels: Levels, row: int) -> bool:
    """Return True if the node is user root in account root, which sacctmgr adds by itself with 1 share."""
    return levels.is_user[row] and levels.parent[row] == 0 and levels.names[row] == levels.names[0] == "root"


@rule("lopsided-level", Grade.UNUSUAL, "Shares of one level differ by a factor of 1000", _OURS)
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
                f"Check both. With {thousands(wanted)} shares, {levels.names[least]} would get a hundredth "
                    "of the other.",
                levels.effect({least: wanted}),
            )  # fmt: skip


@rule("all-shares-equal", Grade.UNUSUAL, "All groups have the default share", _OURS)
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

_REMARKED = (
    (
        "dialect",
        Grade.BROKEN,
        "The tree breaks a rule of its scheduler",
        "documentation of the scheduler",
    ),
    ("dialect-odd", Grade.UNUSUAL, "The scheduler of the tree may behave differently", "its documentation"),
    ("system-groups-large", Grade.UNUSUAL, "System groups hold most of the machine", "Junglas 1991, J9"),
    ("work-without-login", Grade.UNUSUAL, "Users have work but never log in", "Junglas 1991, J4"),
    ("event-after-end", Grade.CONTRADICTION, "An event comes after the end of the run", "scenario file"),
    (
        "sharemin-above-entitlement",
        Grade.CONTRADICTION,
        "The share quantum exceeds an entitlement",
        "Everitt 1995",
    ),
    (
        "switch-without-effect",
        Grade.CONTRADICTION,
        "A setting has no effect under the policy",
        "scenario file",
    ),
    (
        "policy-constant",
        Grade.CONTRADICTION,
        "Constants of the policy contradict each other",
        "scenario file",
    ),
    ("sched-ext", Grade.BROKEN, "The kernel's scheduler ignores weights", "Linux, sched-ext.rst"),
    ("controller-off", Grade.BROKEN, "The cpu controller is off", "Linux, cgroup-v2.rst"),
    (
        "cpu-max-below-share",
        Grade.CONTRADICTION,
        "A CPU limit is below the share",
        "Linux, cgroup-v2.rst, cpu.max",
    ),
)
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


REMARKED = frozenset(_FIXES)
"""Ids of the rules that only name what the checks of files and control groups find."""


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


def _remark_rule(id_: str, grade: Grade, title: str, source: str) -> Rule:
    check: Check = partial(_remarked, id_)
    make: Callable[[Check], Rule] = rule(id_, grade, title, source)
    return make(check)


RULES = (
    _only_child, _level_of_zeros, _group_at_zero, _empty_group, _lopsided_level, _all_shares_equal,
    *(_remark_rule(*row) for row in _REMARKED),
)  # fmt: skip
