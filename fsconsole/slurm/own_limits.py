"""`sacctmgr show assoc WOPLimits`: the limits that associations have of their own, not those from above.

What WOPLimits prints of QOS is not read: it leaves out whether one is added (+) or taken away (-).
Source: sacctmgr(1), and output of Slurm 22.05.8.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from fsconsole.slurm.cluster_tree import Key
from fsconsole.slurm.limits import ASSOCIATION, Kind, Limit, joined, of_row, shown
from fsconsole.slurm.names import in_words
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.findings import Findings
from fsconsole.slurm.parsers.pipes import Row, rows
from fsconsole.text.words import listed

COLUMNS = ("account", "user", "partition", *(one.column for one in ASSOCIATION))
_NAMED = 3
_NONE: Mapping[str, str] = {}


def own_command(cluster: str) -> tuple[str, ...]:
    """Return the command that prints the limits of all associations of a cluster."""
    which = (f"cluster={cluster}",) if cluster else ()
    return ("sacctmgr", "-nP", "show", "assoc", "WOPLimits", *which, f"format={','.join(COLUMNS)}")


def read_own_limits(text: str) -> Mapping[Key, Mapping[str, str]]:
    """Return limits by name of each association; torn rows are left out.

    Raises:
        ScenarioError: the text is not the output of sacctmgr.
    """
    found, lost = Findings(), list[str]()
    table = rows(text, found, (), "sacctmgr -P show assoc", COLUMNS, lost)
    read = {key_of(row): of_row(row) for _, row in table}
    if not read:
        found.refuse()
    return {key: limits or _NONE for key, limits in read.items()}


def unread_words(stored: StoredAssociations, own: Collection[Key]) -> str:
    """Return a sentence on the associations whose own limits were not printed; empty if all were."""
    keys = zip(stored.tree.account, stored.tree.user, stored.partition, strict=True)
    unread = [in_words(key) for key in keys if key not in own]
    return f"sacctmgr printed no own limits of {listed(unread, _NAMED)}" if unread else ""


def key_of(row: Row) -> Key:
    """Return the association of a row."""
    return row["account"].strip(), row["user"].strip(), row["partition"].strip()


def with_own(
    stored: StoredAssociations, own: Mapping[Key, Mapping[str, str]], asked: Collection[str]
) -> StoredAssociations:
    """Return the associations with their own limits, and those in force of columns that were not `asked`
    for.
    """
    keys = zip(stored.tree.account, stored.tree.user, stored.partition, strict=True)
    found = replace(stored, own=tuple(own.get(key, _NONE) for key in keys))
    limited = {name for limits in own.values() for name in limits}
    more = [one for one in ASSOCIATION if one.column not in asked and one.name in limited]
    if not more:
        return found
    rows = []
    for row, limits in enumerate(stored.limits):
        also = {one.column: shown(one, kept) for one in more if (kept := in_force(found, row, one)[0])}
        rows.append({**limits, **also} if also else limits)
    return replace(found, limits=tuple(rows))


def in_force(stored: StoredAssociations, row: int, limit: Limit) -> tuple[str, str]:
    """Return a row's limit in stored form, and the account that it is inherited from, empty if it is its own.

    TRES are merged: an account's limit of memory applies below it if only CPUs are limited there.
    """
    assert stored.own is not None  # noqa: S101 (the caller ensures this)
    value, source = stored.own[row].get(limit.name, ""), ""
    above = int(stored.tree.parent[row])
    while above >= 0 and limit.comes_down and not (value and limit.kind is not Kind.TRES):
        theirs = stored.own[above].get(limit.name, "")
        if theirs:
            merged = joined(theirs, value) if limit.kind is Kind.TRES else theirs
            if merged != value:
                value, source = merged, source or stored.tree.account[above]
        above = int(stored.tree.parent[above])
    return value, source
