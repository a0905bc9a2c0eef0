"""An audit log in memory, and a database that changes are applied to, for the ways back."""

from __future__ import annotations

import json
from dataclasses import replace

from fsconsole.app.cluster.records import History, Record, history_of
from fsconsole.app.cluster.roll_back import Present, WayBack, users_of, way_back
from fsconsole.recording.audit import AuditRow
from fsconsole.slurm.change_set import Change, ChangeSet, Entry
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.limits import limit_named
from fsconsole.targets.slurm import apply_rows
from fsconsole.targets.slurm.audit_keeper import row_of
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.change_set_applier import ApplyCallbacks, apply
from fsconsole.targets.slurm.reports import ApplyReport
from tests.slurm.clusters import cluster_of, stored_of
from tests.slurm.insisting import insisting
from tests.slurm.pretend import Database

# What associations have besides, in turn.
_HELD_BY: tuple[dict[str, str], ...] = (
    {},
    {"GrpJobs": "8", "MaxWallDurationPerJob": "90", "qos": "+normal", "defaultqos": "normal"},
    {"GrpTRES": "cpu=4,mem=2G"},
    {"MaxJobs": "3", "qos": "high,normal"},
)


class Log:
    """An audit log in memory, and a database that changes are applied to."""

    def __init__(self, cluster: ClusterTree) -> None:
        self.database = database = Database(cluster)
        for at, key in enumerate(database.entries):
            held = dict(_HELD_BY[at % len(_HELD_BY)])
            database.entries[key] = replace(database.entries[key], limits=held)
        users = sorted({user for _, user, _ in database.entries} - {""})
        database.admins = {users[0]: "Operator"}
        database.coordinators = {users[0]: {"root"}, users[-1]: {"root"}} if users else {}
        self.rows: list[AuditRow] = []

    def apply(
        self, changes: ChangeSet, who: str = "hale", undoes: str = "", *, ends: bool = True,
        is_whole: bool = False,
    ) -> ApplyReport:  # fmt: skip
        author = Author(who, undoes=undoes)
        changes = insisting(self.database, "lab", changes)
        self.rows.append(apply_rows.begun(changes, "lab", author))

        def begin(change: Change) -> str:
            self.rows.append(apply_rows.sent(change, author))
            return ""

        callbacks = ApplyCallbacks(
            record=lambda row: self.rows.append(apply_rows.audited(row, author)) if ends else None,
            begin=begin,
            wait=lambda _: None,
        )
        report = apply(self.database, "lab", changes, callbacks, is_whole=is_whole)
        if ends:
            self.rows.append(apply_rows.ended(report, "lab", author))
        return report

    @property
    def history(self) -> History:
        """What a later session reads."""
        lines = [json.loads(json.dumps(row.to_json())) for row in self.rows]
        return history_of([row for row in map(row_of, lines) if row is not None])

    @property
    def tree(self) -> ClusterTree:
        """The cluster as it is read now."""
        return tree_of(self.database)

    def stored(self) -> object:
        """All that is stored, to compare."""
        of = self.database
        entries = {
            key: (one.parent, one.shares, {name: value for name, value in one.limits.items() if value})
            for key, one in of.entries.items()
        }
        defaults = {user: account for user, account in of.defaults.items() if account}
        return (
            entries,
            defaults,
            dict(of.admins),
            {user: set(accounts) for user, accounts in of.coordinators.items()},
        )

    def way(self, record: Record | None = None) -> WayBack:
        """The way back from a record, by default the last apply."""
        history = self.history
        found = record or [one for one in history.records if one.is_apply][-1]
        present = {user: self.database.defaults.get(user, "") for user in users_of(self.rows)}
        return way_back(history, found, Present("lab", self.tree, defaults=present))

    def roll_back(self, record: Record | None = None, *, is_whole: bool = False) -> ApplyReport:
        way = self.way(record)
        return self.apply(way.changes, undoes=way.record.id, is_whole=is_whole)


def tree_of(database: Database) -> ClusterTree:
    """The tree of what is stored: text again, parents before children."""
    lines: list[str] = []
    partition: dict[int, str] = {}
    keys = [("root", "", "")]

    def add(account: str, depth: int) -> None:
        for key, entry in database.entries.items():
            if key[0] == account and key[1]:
                partition[len(lines) + 1] = key[2]
                keys.append(key)
                lines.append(f"{'  ' * depth}{key[1]}* {_shares(entry)}")
        for key, entry in database.entries.items():
            if not key[1] and entry.parent == account and key[0] != account:
                keys.append(key)
                lines.append(f"{'  ' * depth}{key[0]} {_shares(entry)}")
                add(key[0], depth + 1)

    add("root", 0)
    own = tuple(
        {name: value for name, value in database.entries[key].limits.items() if limit_named(name) and value}
        for key in keys
    )
    return cluster_of(replace(stored_of("\n".join(lines), partition=partition), own=own))


def _shares(entry: Entry) -> str:
    return "parent" if entry.shares == 2**31 - 1 else str(entry.shares)
