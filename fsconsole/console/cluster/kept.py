"""Edits that are staged survive the program: kept by what Slurm calls things, never by node ids."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from platformdirs import user_state_path
from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.background import Background
from fsconsole.console.cluster.differing import differing
from fsconsole.recording.audit_log import file_name
from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetShares
from fsconsole.shares.files import write_atomic
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError
from fsconsole.slurm.cluster_tree import ClusterTree, Key

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """What was staged for a cluster and never applied.

    Attributes:
        when: the newest edit.
        rows: what is to be so, one row each: `shares`, `name`, `add`, `move`, `remove`.
    """

    when: datetime
    rows: tuple[Mapping[str, Any], ...]


def kept_path(cluster: str) -> Path:
    """Where the staged edits of a cluster are kept."""
    return user_state_path("fsconsole") / "staged" / f"{file_name(cluster).removesuffix('.jsonl')}.json"


def rows_of(base: ClusterTree, wanted: ShareTree) -> list[dict[str, Any]]:
    """Where the edited tree differs from the cluster's, as rows that mean the same in a later reading."""
    rows: list[dict[str, Any]] = []
    for node in differing(base.shares, wanted):
        if node not in base.shares:
            new = wanted.node(node)
            rows.append({"do": "add", "above": _account(base, wanted, new.parent), "name": new.name}
                        | {"kind": str(new.kind), "shares": new.shares})  # fmt: skip
        elif node not in wanted:
            above = base.shares.node(node).parent
            if above is None or above in wanted:  # else it goes with what is above it
                rows.append({"do": "remove", "key": list(base.keys[node])})
        else:
            rows += _changed(base, wanted, node)
    return rows


def edits_of(kept: Kept, base: ClusterTree, tree: ShareTree) -> tuple[list[Edit], int]:
    """Edits that stage it again, and how many rows make no sense any more; the tree stays as it is."""
    work = tree.copy()
    by_key = {key: node for node, key in base.keys.items()}
    edits: list[Edit] = []
    left, count = list(kept.rows), len(kept.rows) + 1
    while left and len(left) < count:  # a name may be free only once another row is done
        count = len(left)
        left = [row for row in left if not _do(row, by_key, work, edits)]
    return edits, len(left)


def read_kept(path: Path) -> Kept | None:
    """What a file holds; None where there is none, or nothing that can be read."""
    try:
        found = json.loads(path.read_text("utf-8"))
        rows = tuple(row for row in found["rows"] if isinstance(row, dict))
        when = datetime.fromisoformat(found["when"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Kept(when, rows) if rows else None


class _Writing(Background):
    """Rows on their way to the disk. Signals: ended(self)."""

    ended = Signal(object)

    def __init__(self, path: Path, base: ClusterTree, wanted: ShareTree, parent: QObject) -> None:
        super().__init__(parent)
        self._path, self._base, self._wanted = path, base, wanted

    def work(self) -> None:
        """In the thread."""
        found = {"when": datetime.now().astimezone().isoformat(), "rows": rows_of(self._base, self._wanted)}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if not self.is_cancelled():
                write_atomic(self._path, json.dumps(found, indent=1) + "\n")
        except OSError as error:
            _log.warning("staged edits were not kept: %s", error)
        self.tell(self.ended, self)

    def wait(self) -> None:
        """Until the disk has it, at most some seconds."""
        self._thread.join(timeout=5)


class Keeper(QObject):
    """Keeps what is staged for one cluster, beside what an earlier run has left until that is answered.

    Attributes:
        offered: what an earlier run has left; None where there is nothing, or no longer.

    Signals: changed() when it is answered.
    """

    changed = Signal()

    def __init__(self, cluster: str, parent: QObject) -> None:
        super().__init__(parent)
        self._path = kept_path(cluster)
        self._left = self._path.with_suffix(".left.json")
        self.offered = self._found()
        self._writing: _Writing | None = None
        self._next: tuple[ClusterTree, ShareTree] | None = None

    def keep(self, base: ClusterTree, wanted: ShareTree) -> None:
        """Write what is staged now."""
        if self._writing is not None:
            self._next = (base, wanted)
            return
        self._writing = _Writing(self._path, base, wanted, self)
        self._writing.ended.connect(self._end)
        self._writing.start()

    def forget(self) -> None:
        """Nothing is staged any more."""
        self._next = None
        if self._writing is not None:
            self._writing.cancel()
            self._writing.wait()
            self._writing.let_go()
            self._writing = None
        self._unlink(self._path)

    def take(self) -> Kept | None:
        """What an earlier run has left; it goes from the disk once it is kept anew."""
        taken, self.offered = self.offered, None
        self.changed.emit()
        return taken

    def discard(self) -> None:
        """What an earlier run has left is not wanted."""
        self.take()
        self._unlink(self._left)

    def close(self) -> None:
        """The person has left in good order: what was not answered alone stays."""
        self.forget()
        if self.offered is None:
            self._unlink(self._left)

    def _found(self) -> Kept | None:
        """What an earlier run has left, put aside so that this one can keep its own."""
        try:
            if self._path.exists():
                self._path.replace(self._left)
        except OSError as error:
            _log.warning("staged edits of an earlier run cannot be put aside: %s", error)
        return read_kept(self._left)

    @staticmethod
    def _unlink(path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("staged edits cannot be forgotten: %s", error)

    @Slot(object)
    def _end(self, writing: _Writing) -> None:
        if writing is not self._writing:
            return
        self._writing = None
        writing.let_go()
        if self.offered is None:
            self._unlink(self._left)
        if self._next is not None:
            following, self._next = self._next, None
            self.keep(*following)


def _changed(base: ClusterTree, wanted: ShareTree, node: int) -> list[dict[str, Any]]:
    was, now = base.shares.node(node), wanted.node(node)
    key = list(base.keys[node])
    rows: list[dict[str, Any]] = []
    if was.parent != now.parent:
        rows.append({"do": "move", "key": key, "above": _account(base, wanted, now.parent)})
    if was.name != now.name:
        rows.append({"do": "name", "key": key, "name": now.name})
    if was.shares != now.shares:
        rows.append({"do": "shares", "key": key, "shares": now.shares})
    return rows


def _account(base: ClusterTree, wanted: ShareTree, node: int | None) -> str:
    """What Slurm calls the account that a node is: accounts have their names once in a cluster."""
    if node is None:
        return ""
    return base.keys[node][0] if node in base.keys else wanted.node(node).name


def _do(row: Mapping[str, Any], by_key: dict[Key, int], work: ShareTree, edits: list[Edit]) -> bool:
    """Do what a row says and note the edit; whether it could be done."""
    try:
        edit = _edit_of(row, by_key, work)
        edit.apply(work)
    except (KeyError, TypeError, ValueError):  # TreeError too
        return False
    edits.append(edit)
    return True


def _edit_of(row: Mapping[str, Any], by_key: dict[Key, int], tree: ShareTree) -> Edit:
    """The edit that a row means now; KeyError for what is not there any more, and what damaged rows raise."""
    if row["do"] == "add":
        above = _node_of_account(str(row["above"]), by_key, tree)
        kind, shares = Kind(row["kind"]), int(row["shares"])
        new = Node(tree.new_id(), str(row["name"]), shares, kind)
        if kind is Kind.GROUP:
            by_key[(new.name, "", "")] = new.id
        return Insert(above, len(tree.node(above).children), (new,))
    account, user, partition = row["key"]
    node = by_key[(account, user, partition)]
    if node not in tree:
        raise KeyError(node)
    match row["do"]:
        case "shares":
            return SetShares.of(node, int(row["shares"]))
        case "name":
            return Rename(node, str(row["name"]))
        case "move":
            above = _node_of_account(str(row["above"]), by_key, tree)
            return Move(node, above, len(tree.node(above).children))
        case "remove":
            return Remove(node)
    msg = f"{row['do']} is nothing that can be done"
    raise TreeError(msg)


def _node_of_account(account: str, by_key: Mapping[Key, int], tree: ShareTree) -> int:
    node = by_key[(account, "", "")]
    if node not in tree:
        raise KeyError(node)
    return node
