"""`sacctmgr -P show assoc`: the associations as the database has them, with their ids and limits.

What is above what is known by ids (ParentID), by names (ParentName), or by the indentation of `tree`; each
will do. Limits are those in force: `show assoc` prints inherited ones too. `sshare` has the usage.
Source: sacctmgr(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fsconsole.shares.foreign import PARENT_SHARES, means_parent
from fsconsole.shares.tree import TreeError, check_spelling
from fsconsole.slurm.associations import Associations, Ints
from fsconsole.slurm.parsers.findings import Findings, shown
from fsconsole.slurm.parsers.pipes import Row, rows
from fsconsole.slurm.parsers.values import named

COLUMNS = ("id", "parentid", "cluster", "account", "user", "partition", "share", "parentname")
"""A format that says all of the tree: `sacctmgr -nP show assoc format=…` with it needs no header."""

_NOT_LIMITS = frozenset((*COLUMNS, "fairshare", "lft", "rgt", "qos", "defqos", "defaultqos"))
_SHARES = ("share", "fairshare")
_DEFAULT_QOS = ("defqos", "defaultqos")


@dataclass(frozen=True, eq=False, slots=True)
class StoredAssociations:
    """Output of one call of sacctmgr for one cluster.

    Attributes:
        cluster: name of the cluster; empty if it was not requested.
        tree: associations, depth first, in printed order; without usage (0 everywhere).
        ids: Slurm's numbers of the associations, int64 [rows]; 0 if not printed.
        partition: partition of each row; usually empty, for all partitions.
        qos: permitted QOS of each row.
        default_qos: default QOS of each row; may be empty.
        limits: set limits of each row as printed, by column in lower case.
        own: own limits of each row by name, see `limits`; None if they were not requested.
    """

    cluster: str
    tree: Associations
    ids: Ints
    partition: tuple[str, ...]
    qos: tuple[tuple[str, ...], ...]
    default_qos: tuple[str, ...]
    limits: tuple[Mapping[str, str], ...]
    own: tuple[Mapping[str, str], ...] | None = None


def read_assoc(text: str, cluster: str = "", columns: Sequence[str] = ()) -> StoredAssociations:
    """Read the associations of a cluster.

    Args:
        text: output of sacctmgr.
        cluster: name of the cluster if the database has several.
        columns: columns requested by `format=`, for output without a header (-n).

    Raises:
        ScenarioError: with all problems; a tree with a missing row is unusable.
    """
    reader = _Reader(cluster)
    for number, row in rows(text, reader.found, ("account", "user"), "sacctmgr -P show assoc", columns):
        reader.take(number, row)
    return reader.stored()


@dataclass(slots=True)
class _Line:
    """One association."""

    number: int
    row: Row
    account: str
    user: str
    shares: int
    id: int
    parent: _Line | None = None
    children: list[_Line] = field(default_factory=list)


class _Reader:
    """Takes the lines one after the other, then puts them under each other."""

    def __init__(self, cluster: str) -> None:
        self.found = Findings()
        self._cluster = cluster
        self._clusters: dict[str, int] = {}
        self._lines: list[_Line] = []

    def take(self, number: int, row: Row) -> None:
        cluster = row.get("cluster", "").strip()
        if self._cluster and cluster and cluster != self._cluster:
            self._clusters.setdefault(cluster, number)
            return
        self._clusters.setdefault(cluster, number)
        account = row["account"].strip()
        self._check_names(number, account, row["user"].strip())
        line = _Line(
            number,
            row,
            account,
            row["user"].strip(),
            self._shares(number, row),
            self._id(number, "id", row),
        )
        self._lines.append(line)

    def stored(self) -> StoredAssociations:
        self._check()
        self.found.refuse()
        self._place()
        self.found.refuse()
        lines = self._depth_first()
        self.found.refuse()
        place = {id(line): row for row, line in enumerate(lines)}
        tree = Associations(
            tuple(line.account for line in lines),
            tuple(line.user for line in lines),
            np.array(
                [-1 if line.parent is None else place[id(line.parent)] for line in lines], dtype=np.int64
            ),
            np.array([0, *(line.shares for line in lines[1:])], dtype=np.int64),
            np.zeros(len(lines)),
        )
        return StoredAssociations(
            lines[0].row.get("cluster", "").strip(),
            tree,
            np.array([line.id for line in lines], dtype=np.int64),
            tuple(line.row.get("partition", "").strip() for line in lines),
            tuple(_words(line.row.get("qos", "")) for line in lines),
            tuple(_first(line.row, _DEFAULT_QOS) for line in lines),
            tuple(_limits(line.row) for line in lines),
        )

    def _check_names(self, number: int, account: str, user: str) -> None:
        try:
            for name in (account, user or account):
                if not (name.isprintable() and name):  # Most names are printable, and need no closer look.
                    check_spelling(name.replace("/", "|"))
        except TreeError as error:
            self.found.add(number, str(error))

    def _check(self) -> None:
        """Report missing rows, or rows of several clusters."""
        if not self.found and not self._lines:
            others = f"; there is {', '.join(sorted(self._clusters)[:9])}" if self._clusters else ""
            named_so = f" of a cluster {self._cluster}" if self._cluster else ""
            self.found.add(0, f"no association{named_so}{others}")
        elif not self._cluster and len(self._clusters) > 1:
            several = ", ".join(sorted(self._clusters)[:9])
            self.found.add(0, f"these are associations of several clusters, {several}. Choose one")

    def _place(self) -> None:
        """Put every line under the one that it belongs to."""
        first = self._lines[0].row
        if not any(name in first for name in _SHARES):
            self.found.add(
                1, "no column Share (or Fairshare): this is not output of `sacctmgr -P show assoc`"
            )
        elif "id" in first and "parentid" in first:
            self._by_id()
        elif "parentname" in first:
            self._by_name()
        elif any(line.row["account"].startswith(" ") for line in self._lines) or len(self._lines) == 1:
            self._by_depth()
        else:
            message = "the parents of the accounts are missing. Use `show assoc tree`, ParentName or ParentID"
            self.found.add(1, message)

    def _by_id(self) -> None:
        known: dict[int, _Line] = {}
        for line in self._lines:
            if known.setdefault(line.id, line) is not line:
                self.found.add(line.number, f"a second association has the id {line.id}")
        for line in self._lines:
            number = self._id(line.number, "parentid", line.row)
            if number:
                self._put(line, known.get(number), f"no association has the parent's id {number}")

    def _by_name(self) -> None:
        accounts: dict[str, _Line] = {}
        for line in self._lines:
            if not line.user and accounts.setdefault(line.account, line) is not line:
                self.found.add(line.number, f"a second account {shown(line.account)}")
        for line in self._lines:
            above = line.account if line.user else named(line.row["parentname"])
            if above:
                self._put(line, accounts.get(above), f"its account {shown(above)} is missing")

    def _by_depth(self) -> None:
        around: list[_Line] = []
        for line in self._lines:
            written = line.row["account"]
            depth = len(written) - len(written.lstrip(" "))
            if depth:
                above = around[depth - 1] if depth <= len(around) else None
                self._put(line, above, f"it is indented by {depth}, but no account above it is that deep")
            del around[depth:]
            if not line.user:
                around.append(line)

    def _put(self, line: _Line, above: _Line | None, otherwise: str) -> None:
        if above is None or above.user:
            name = f"{line.account}/{line.user}" if line.user else line.account
            self.found.add(
                line.number, f"{shown(name)}: {otherwise if above is None else 'it is below a user'}"
            )
        else:
            line.parent = above
            above.children.append(line)

    def _depth_first(self) -> list[_Line]:
        """Return lines with parents before children; report an account that is below itself."""
        roots = [line for line in self._lines if line.parent is None]
        for line in roots[1:]:
            self.found.add(line.number, f"a second root account, {shown(line.account)}")
        if not roots:
            self.found.add(self._lines[0].number, "no root account: each account is below another")
            return []
        if roots[0].user:
            self.found.add(
                roots[0].number, f"the root is the user {shown(roots[0].user)}, expected an account"
            )
        lines = []
        stack = roots[:1]
        while stack:
            line = stack.pop()
            lines.append(line)
            stack.extend(reversed(line.children))
        if len(lines) < len(self._lines) and not self.found:
            reached = {id(line) for line in lines}
            lost = next(line for line in self._lines if id(line) not in reached)
            self.found.add(lost.number, f"{shown(lost.account)} is below itself")
        return lines

    def _shares(self, number: int, row: Row) -> int:
        text = _first(row, _SHARES)
        if not text or (text.isascii() and text.isdigit() and len(text) < 11 and int(text) < PARENT_SHARES):
            return int(text or 1)
        if means_parent(text):
            return PARENT_SHARES
        self.found.add(number, f"shares are {shown(text)}, expected a whole number or `parent`")
        return 0

    def _id(self, number: int, name: str, row: Row) -> int:
        text = row.get(name, "").strip()
        if not text or (text.isascii() and text.isdigit() and len(text) < 16):
            return int(text or 0)
        self.found.add(number, f"{name} is {shown(text)}, expected a whole number")
        return 0


def _first(row: Row, names: Sequence[str]) -> str:
    for name in names:
        if name in row:
            return row[name].strip()
    return ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in (part.strip() for part in text.split(",")) if word)


def _limits(row: Row) -> Mapping[str, str]:
    return {
        name: value.strip()
        for name, value in row.items()
        if value and name not in _NOT_LIMITS and name not in ("account", "descr", "org") and value.strip()
    }
