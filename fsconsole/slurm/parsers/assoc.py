"""`sacctmgr -P show assoc`: the associations as the database has them, with their ids and limits.

What is above what is known by ids (ParentID), by names (ParentName), or by the indentation of `tree`; each
will do. Limits are those in force: `show assoc` prints inherited ones too. `sshare` has the usage.
Source: sacctmgr(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fsconsole.shares.foreign import PARENT_SHARES, means_parent
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.tree import TreeError, check_spelling
from fsconsole.slurm.associations import Associations, Ints
from fsconsole.slurm.parsers.findings import DamagedError, Findings, shown
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
        problems: rows that were left out, each with its line, and what was below them.
        lost: fields of these rows, and their parts where a line ends, in lower case.
    """

    cluster: str
    tree: Associations
    ids: Ints
    partition: tuple[str, ...]
    qos: tuple[tuple[str, ...], ...]
    default_qos: tuple[str, ...]
    limits: tuple[Mapping[str, str], ...]
    own: tuple[Mapping[str, str], ...] | None = None
    problems: tuple[Problem, ...] = ()
    lost: frozenset[str] = frozenset()

    def may_have_lost(self, name: str) -> bool:
        """Return True if a row that was left out may be that of an account or user of this name."""
        return name.lower() in self.lost


def read_assoc(text: str, cluster: str = "", columns: Sequence[str] = ()) -> StoredAssociations:
    """Read the associations of a cluster.

    Args:
        text: output of sacctmgr.
        cluster: name of the cluster if the database has several.
        columns: columns requested by `format=`, for output without a header (-n).

    Raises:
        ScenarioError: nothing but perhaps the root can be read, or the text is not a tree of one cluster.
    """
    reader = _Reader(cluster, is_indented=not columns)
    needed, command = ("account", "user"), "sacctmgr -P show assoc"
    for number, row in rows(text, reader.found, needed, command, columns, reader.lost):
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
    is_root: bool = False
    parent: _Line | None = None
    children: list[_Line] = field(default_factory=list)


class _Reader:
    """Takes the lines one after the other, then puts them under each other."""

    def __init__(self, cluster: str, *, is_indented: bool) -> None:
        self.found = Findings()
        self.lost: list[str] = []
        self._cluster, self._is_indented = cluster, is_indented
        self._clusters: dict[str, int] = {}
        self._lines: list[_Line] = []

    def take(self, number: int, row: Row) -> None:
        cluster = row.get("cluster", "").strip()
        if self._cluster and cluster and cluster != self._cluster:
            self._clusters.setdefault(cluster, number)
            return
        self._clusters.setdefault(cluster, number)
        account, user = row["account"].strip(), row["user"].strip()
        try:
            _check_names(account, user)
            line = _Line(
                number,
                row,
                account,
                user,
                _shares(row, is_root=account == "root" and not user),
                _id("id", row),
            )
        except (DamagedError, TreeError) as error:
            self._leave_out(number, row, str(error))
        else:
            self._lines.append(line)

    def stored(self) -> StoredAssociations:
        self._check()
        if not self._lines:
            self.found.refuse()
        self._place()
        lines = self._depth_first()
        if len(lines) < 2:
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
            problems=tuple(self.found.problems()),
            lost=frozenset(part.strip().lower() for line in self.lost for part in line.split("|")),
        )

    def _leave_out(self, number: int, row: Row, reason: str) -> None:
        self.found.add(number, f"left out: {reason}")
        self.lost.append("|".join(row.values()))

    def _check(self) -> None:
        """Report missing rows, or rows of several clusters."""
        if not self.found and not self._lines:
            others = f"; there is {', '.join(sorted(self._clusters)[:9])}" if self._clusters else ""
            named_so = f" of a cluster {self._cluster}" if self._cluster else ""
            self.found.add(0, f"no association{named_so}{others}")
        elif not self._cluster and len(self._clusters) > 1:
            several = ", ".join(sorted(self._clusters)[:9])
            self._refuse(0, f"these are associations of several clusters, {several}. Choose one")

    def _refuse(self, line: int, text: str) -> None:
        """Raise ScenarioError for what no part of can be read."""
        self.found.add(line, text)
        self.found.refuse()

    def _place(self) -> None:
        """Put every line under the one that it belongs to."""
        first = self._lines[0].row
        if not any(name in first for name in _SHARES):
            self._refuse(1, "no column Share (or Fairshare): this is not output of `sacctmgr -P show assoc`")
        elif "id" in first and "parentid" in first:
            self._by_id()
        elif "parentname" in first:
            self._by_name()
        elif any(line.row["account"].startswith(" ") for line in self._lines) or len(self._lines) == 1:
            self._by_depth()
        else:
            message = "the parents of the accounts are missing. Use `show assoc tree`, ParentName or ParentID"
            self._refuse(1, message)

    def _keep_first(self, key_of: Callable[[_Line], Hashable], words: Callable[[_Line], str]) -> None:
        """Leave out lines with the key of another before them; lines without one, None, stay."""
        seen, kept = set[Hashable](), []
        for line in self._lines:
            key = key_of(line)
            if key is not None and key in seen:
                self._leave_out(line.number, line.row, words(line))
            else:
                seen.add(key)
                kept.append(line)
        self._lines = kept

    def _keep_bare_names(self) -> None:
        """Leave out names that begin or end with a blank: no command finds them by what is shown."""
        if self._is_indented:
            return
        bare = []
        for line in self._lines:
            if (line.account, line.user) == (line.row["account"], line.row["user"]):
                bare.append(line)
            else:
                names = [name for name in (line.row["account"], line.row["user"]) if name != name.strip()]
                self._leave_out(line.number, line.row, f"{shown(names[0])} begins or ends with a blank")
        self._lines = bare

    def _by_id(self) -> None:
        self._keep_bare_names()
        self._keep_first(lambda line: line.id, lambda line: f"a second association has the id {line.id}")
        known = {line.id: line for line in self._lines}
        for line in self._lines:
            try:
                number = _id("parentid", line.row)
            except DamagedError as error:
                self._leave_out(line.number, line.row, str(error))
                continue
            line.is_root = not number
            if number:
                self._put(line, known.get(number), f"no association has the parent's id {number}")

    def _by_name(self) -> None:
        self._keep_bare_names()
        self._keep_first(
            lambda line: None if line.user else line.account,
            lambda line: f"a second account {shown(line.account)}",
        )
        accounts = {line.account: line for line in self._lines if not line.user}
        for line in self._lines:
            above = line.account if line.user else named(line.row["parentname"])
            line.is_root = not above
            if above:
                self._put(line, accounts.get(above), f"its account {shown(above)} is missing")

    def _by_depth(self) -> None:
        self.found.refuse()  # Below a row that is left out, the indentation says nothing.
        around: list[_Line] = []
        for line in self._lines:
            written = line.row["account"]
            depth = len(written) - len(written.lstrip(" "))
            if depth:
                above = around[depth - 1] if depth <= len(around) else None
                self._put(line, above, f"it is indented by {depth}, but no account above it is that deep")
            line.is_root = not depth
            del around[depth:]
            if not line.user:
                around.append(line)
        self.found.refuse()

    def _put(self, line: _Line, above: _Line | None, otherwise: str) -> None:
        if above is None or above.user:
            reason = otherwise if above is None else "it is below a user"
            self._leave_out(line.number, line.row, f"{_name(line)}: {reason}")
        else:
            line.parent = above
            above.children.append(line)

    def _depth_first(self) -> list[_Line]:
        """Return lines with parents before children; report an account that is below itself."""
        roots = [line for line in self._lines if line.is_root]
        if not roots:
            self._refuse(
                self._lines[0].number if self._lines else 0, "no root account: each account is below another"
            )
        if roots[0].user:
            self._refuse(roots[0].number, f"the root is the user {shown(roots[0].user)}, expected an account")
        for line in roots[1:]:
            self._leave_out(line.number, line.row, f"a second root account, {shown(line.account)}")
        lines, seen = [], set[tuple[str, str, str]]()
        stack = roots[:1]
        while stack:
            line = stack.pop()
            key = line.account, line.user, line.row.get("partition", "").strip()
            if key in seen:
                self._leave_out(line.number, line.row, f"the association {_name(line)} occurs twice")
                continue
            seen.add(key)
            lines.append(line)
            stack.extend(reversed(line.children))
        self._say_unreached(lines)
        return lines

    def _say_unreached(self, reached: Sequence[_Line]) -> None:
        """Note the lines below those that were left out; an account may also be below itself."""
        there = {id(line) for line in reached}
        for line in self._lines:
            if line.parent is not None and id(line) not in there:
                reason = "it is below an account that was left out, or below itself"
                self._leave_out(line.number, line.row, f"{_name(line)}: {reason}")


def _check_names(account: str, user: str) -> None:
    for name in (account, user or account):
        if not (name.isprintable() and name):  # Most names are printable, and need no closer look.
            check_spelling(name.replace("/", "|"))


def _name(line: _Line) -> str:
    return shown(f"{line.account}/{line.user}" if line.user else line.account)


def _shares(row: Row, *, is_root: bool) -> int:
    text = _first(row, _SHARES)
    if not text and is_root:
        return 0  # It has no siblings.
    if text.isascii() and text.isdigit() and len(text) < 11 and int(text) < PARENT_SHARES:
        return int(text)
    if means_parent(text):
        return PARENT_SHARES
    msg = f"shares are {shown(text)}, expected a whole number or `parent`"
    raise DamagedError(msg)


def _id(name: str, row: Row) -> int:
    text = row.get(name, "").strip()
    if not text or (text.isascii() and text.isdigit() and len(text) < 16):
        return int(text or 0)
    msg = f"{name} is {shown(text)}, expected a whole number"
    raise DamagedError(msg)


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
