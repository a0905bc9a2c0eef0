"""`sshare -l -a -P`: the association tree with shares and usage, and sshare's values from them.

An account is indented by one blank a level; a user's row repeats the account's name one level deeper. Rows of
users who were added since slurmctld began stand above the root, with no indentation; they are put where they
belong. Source: sshare(1), and its output of Slurm 22.05.

With PrivateData=usage Slurm leaves out whatever a user who is not an operator may not see: their own rows are
there, and the accounts that they coordinate with what is in them, none of the accounts above.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.tree import TreeError, check_spelling
from fsconsole.slurm.associations import Associations, Fairshare, Floats
from fsconsole.slurm.parsers.findings import DamagedError, Findings, shown
from fsconsole.slurm.parsers.pipes import whole_rows
from fsconsole.text.words import count_words, listed

T = TypeVar("T")
_NEEDED = ("Account", "User", "RawShares")
_NAMED = 6
_ROOT = "root"  # Every cluster's root account has this name.


@dataclass(frozen=True, eq=False, slots=True)
class Sshare:
    """Output of one call of sshare; printed numbers have six decimals.

    Attributes:
        tree: associations with the printed NormUsage as usage; the root's blank value is 1. Another blank is
            RawUsage over the root's, and NaN where that is blank too.
        raw_usage: RawUsage in whole billing-seconds, float64 [rows]; NaN for a blank.
        printed: sshare's own results; NaN for a blank, and for a 0 beside a blank NormUsage.
        is_fair_tree: whether users have a FairShare and accounts have none, so that Fair Tree was on.
        partition: partition of each row, if sshare was asked for it (-m); otherwise empty.
        hidden: rows that sshare did not print, as accounts above others, bool [rows]; None without any.
        problems: rows that were left out, each with its line, and what was below them.
        is_from_raw: whether NormUsage is blank somewhere, and computed from RawUsage.
        lack: why rows must be missing, in a sentence; empty if NormShares follow from the RawShares.
    """

    tree: Associations
    raw_usage: Floats
    printed: Fairshare
    is_fair_tree: bool
    partition: tuple[str, ...] = ()
    hidden: NDArray[np.bool_] | None = None
    problems: tuple[Problem, ...] = ()
    is_from_raw: bool = False
    lack: str = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on what is not there, and what stands for it."""
        raw = "NormUsage is blank, so RawUsage over that of root stands for it." if self.is_from_raw else ""
        return tuple(filter(None, (self.lack, raw)))

    def unknown_usage(self) -> list[str]:
        """Return the associations whose usage cannot be known."""
        tree = self.tree
        return [tree.user[row] or tree.account[row] for row in np.flatnonzero(np.isnan(tree.usage)).tolist()]


class ShownInPartError(ScenarioError):
    """A user sees only some rows of sshare, without the accounts above them."""

    def __init__(self, shown: Sshare) -> None:
        """Store the visible part; its hidden accounts have no shares, usage and results."""
        count = len(shown.tree) if shown.hidden is None else int(np.sum(~shown.hidden))
        rows = f"sshare shows only {count_words(count, 'row')} to this user"
        super().__init__([Problem(f"{rows if count else _NONE}. {_HIDES}")])
        self.shown = shown


def norm_usage(printed: Floats, raw: Floats) -> Floats:
    """Return NormUsage of all rows, the root first, float64 [rows]; NaN where it is unknown.

    A blank is RawUsage over the root's; the root's own is 1.
    """
    usage = printed.copy()
    blank = np.isnan(usage)
    # Where the cluster has used nothing, neither has anything in it.
    usage[blank] = raw[blank] / raw[0] if raw[0] > 0 else np.where(raw[0] == raw[blank], 0.0, np.nan)
    usage[0] = 1.0 if blank[0] else usage[0]
    return usage


def read_sshare(text: str) -> Sshare:
    """Read a capture without the rows that are damaged, and what is below them.

    Raises:
        ShownInPartError: it is a part of it, as PrivateData shows it.
        ScenarioError: nothing but perhaps the root can be read.
    """
    found = _Reader(text).sshare()
    if found.hidden is not None:
        raise ShownInPartError(found)
    return found


def read_whole_sshare(text: str) -> Sshare:
    """Read a capture that fairshares are computed from: each of them depends on all rows.

    Raises:
        ScenarioError: a row cannot be read or is missing, or its usage is blank; it lists all of them.
    """
    found = read_sshare(text)
    problems = [*found.problems, *([Problem(found.lack)] if found.lack else [])]
    if not text.endswith("\n"):
        problems.append(Problem(_CUT, line=text.count("\n") + 1))
    if names := found.unknown_usage():
        who = listed(names, _NAMED)
        problems.append(Problem(f"NormUsage and RawUsage are blank for {who}, so usage is unknown"))
    if problems:
        raise ScenarioError(problems)
    return found


class _Reader:
    """Takes the lines one after the other."""

    def __init__(self, text: str) -> None:
        lines = text.removeprefix("\ufeff").split("\n")
        self.found = Findings()
        self._header = self._columns(lines)
        self._seen: set[tuple[str, str, str, int]] = set()
        self._account: list[str] = []
        self._user: list[str] = []
        self._partition: list[str] = []
        self._parent: list[int] = []
        self._shares: list[int] = []
        self._numbers: list[list[float]] = []
        self._open: list[int] = []  # They are rows of the accounts around a line, by depth.
        self._hidden: list[bool] = []
        self._gap: int | None = None  # Depth of a row that was left out; what is deeper is below it.
        strays: list[tuple[int, list[str]]] = []
        others: list[tuple[int, list[str] | int]] = []  # Fields, or the depth of a torn row.
        first = min(self._header[name] for name in _NEEDED[:2])
        for one in whole_rows(lines[1:], 2, self._width, self.found, first):
            if one.fields is not None:
                (strays if self._is_stray(one.fields) else others).append((one.number, one.fields))
            elif one.is_first:
                others.append((one.number, len(one.text) - len(one.text.lstrip(" "))))
        rows = [fields for _, fields in others if not isinstance(fields, int)]
        is_torn = any(line.startswith(f"{_ROOT}|") for line in lines[1:])
        self._is_in_part = self._has_no_root(rows) and not is_torn
        if self._is_in_part:
            self._add_hidden(_ROOT, -1)
        for number, fields in others:
            if isinstance(fields, int):
                self._leave_gap(fields)
            else:
                self._take(number, fields)
        self._put_in(strays)

    def sshare(self) -> Sshare:
        """Return all rows that were read."""
        if not self.found and not self._account:
            self._wrong(1, "no association. `sshare -l -a -P` prints one per line below its header")
        if len(self._account) < 2:
            self.found.refuse()
        columns = dict(zip(_NUMBERS, np.array(self._numbers, dtype=np.float64).T, strict=True))
        hidden = np.array(self._hidden) if self._is_in_part else None
        tree = Associations(
            tuple(self._account),
            tuple(self._user),
            np.array(self._parent, dtype=np.int64),
            np.array(self._shares, dtype=np.int64),
            self._usage(columns),
        )
        has_factor = ~np.isnan(columns["FairShare"])
        is_fair_tree = (
            bool(np.any(has_factor & tree.is_user) and not np.any(has_factor & ~tree.is_user))
            if hidden is None and np.any(has_factor)
            else not bool(np.all(np.isnan(columns["LevelFS"])))
        )
        lack, is_shown = "", ~np.array(self._hidden[1:], np.bool_)
        if hidden is None and not self.found:
            is_fair_tree, lack = _rule(tree, columns["NormShares"], otherwise=is_fair_tree)
        return Sshare(
            tree,
            columns["RawUsage"],
            self._printed(columns),
            is_fair_tree,
            tuple(self._partition),
            hidden,
            tuple(self.found.problems()),
            bool(np.any(is_shown & np.isnan(columns["NormUsage"][1:]) & ~np.isnan(tree.usage[1:]))),
            lack,
        )

    def _usage(self, columns: Mapping[str, Floats]) -> Floats:
        """Return the usage of each row over the cluster's, float64 [rows]; NaN where it is not printed."""
        if not all(self._hidden) and not {"NormUsage", "RawUsage"} & self._header.keys():
            msg = "no column NormUsage or RawUsage, so usage is unknown. `sshare -l -a -P` prints both"
            self._wrong(1, msg)
            self.found.refuse()
        usage = norm_usage(columns["NormUsage"], columns["RawUsage"])
        usage[1:][np.array(self._hidden[1:], np.bool_)] = 0.0
        return usage

    def _printed(self, columns: Mapping[str, Floats]) -> Fairshare:
        """Return sshare's results, without the 0 that slurmctld prints until it has calculated NormUsage."""
        names = ("NormShares", "EffectvUsage", "FairShare", "LevelFS")
        norm_shares, *found = (columns[name] for name in names)
        blank = np.isnan(columns["NormUsage"]) & ("NormUsage" in self._header)
        blank[0] = bool(blank[1:].all())
        return Fairshare(norm_shares, *(np.where(blank & (one == 0), np.nan, one) for one in found))

    def _has_no_root(self, rows: Sequence[Sequence[str]]) -> bool:
        """Return True if no account is above all others, apart from rows of users."""
        tops = [name for fields in rows if not (name := fields[self._header["Account"]]).startswith(" ")]
        return _ROOT not in (name.strip() for name in tops) and (len(rows) == 0 or bool(tops))

    def _columns(self, lines: list[str]) -> dict[str, int]:
        names = [name.strip() for name in lines[0].split("|")]
        header = {name: place for place, name in enumerate(names)}
        missing = [name for name in _NEEDED if name not in header]
        double = [name for name in (*_NEEDED, *_NUMBERS) if names.count(name) > 1]
        if missing:
            self._wrong(1, f"no column {', '.join(missing)}: this is not output of `sshare -l -a -P`")
        elif double:
            self._wrong(1, f"the column {double[0]} occurs twice: this is not output of `sshare -l -a -P`")
        self._width = len(names)
        self.found.refuse()
        return header

    def _is_stray(self, fields: list[str]) -> bool:
        """Return True if the line is a user outside the tree."""
        account = fields[self._header["Account"]]
        return bool(fields[self._header["User"]].strip() and account and not account.startswith(" "))

    def _put_in(self, strays: list[tuple[int, list[str]]]) -> None:
        """Put users from outside the tree after all others, and sort all rows again."""
        names = zip(self._account, self._user, strict=True)
        rows = {account: row for row, (account, user) in enumerate(names) if not user}
        for number, fields in strays:
            account = fields[self._header["Account"]].strip()
            if account not in rows and self._is_in_part:
                rows[account] = len(self._account)
                self._add_hidden(account, 0)
            if account in rows:
                self._add(number, fields, rows[account])
            else:
                self._wrong(number, f"left out: the row of the user's account {shown(account)} is missing")
        if strays and self._account:
            self._order()

    def _order(self) -> None:
        """Sort rows depth first; rows of the same account keep their order."""
        below: list[list[int]] = [[] for _ in self._account]
        for row in range(1, len(below)):
            below[self._parent[row]].append(row)
        order, stack = [], [0]
        while stack:
            order.append(stack.pop())
            stack.extend(sorted(below[order[-1]], key=lambda row: (bool(self._user[row]), -row)))
        place = {row: at for at, row in enumerate(order)}
        self._parent = [place[self._parent[row]] if row else -1 for row in order]
        _put(self._account, order)
        _put(self._user, order)
        _put(self._shares, order)
        _put(self._numbers, order)
        _put(self._hidden, order)
        if self._partition:
            _put(self._partition, order)

    def _take(self, number: int, fields: list[str]) -> None:
        account, user = fields[self._header["Account"]], fields[self._header["User"]].strip()
        depth = len(account) - len(account.lstrip(" "))
        if self._gap is not None and depth > self._gap:
            self._wrong(number, f"left out: {shown(account.strip())} is below a row that was left out")
            return
        self._gap = None
        row = len(self._account)
        parent = self._place(number, depth, account.strip())
        if parent is None or not self._add(number, fields, parent):
            self._leave_gap(depth)
            return
        del self._open[depth:]
        if not user:
            self._open.append(row)

    def _leave_gap(self, depth: int) -> None:
        """Leave out what is below a row of this depth that was left out."""
        is_deep = depth > len(self._open)  # Blanks before a name look like a depth: only the top is certain.
        depth = 1 if is_deep else depth
        self._gap = depth if self._gap is None else min(depth, self._gap)

    def _add(self, number: int, fields: list[str], parent: int) -> bool:
        """Add a row; return whether it could be read."""
        try:
            shares = _raw_shares(fields[self._header["RawShares"]].strip(), parent)
            numbers = [self._number(name, fields) for name in _NUMBERS]
            self._check_names(fields, parent)
        except (DamagedError, TreeError) as error:
            self._wrong(number, f"left out: {error}")
            return False
        self._account.append(fields[self._header["Account"]].strip())
        self._user.append(fields[self._header["User"]].strip())
        if "Partition" in self._header:
            self._partition.append(fields[self._header["Partition"]].strip())
        self._parent.append(parent)
        self._shares.append(shares)
        self._numbers.append(numbers)
        self._hidden.append(False)
        return True

    def _check_names(self, fields: list[str], parent: int) -> None:
        """Raise an error for a name that no tree can have, or that another row has already."""
        account, user = fields[self._header["Account"]].strip(), fields[self._header["User"]].strip()
        name = user or account
        if not name.isprintable():
            check_spelling(name.replace("/", "|"))
        partition = fields[self._header["Partition"]].strip() if "Partition" in self._header else ""
        key = account, user, partition, parent if user else -1
        if key in self._seen and (not user or "Partition" in self._header):
            msg = f"a second row of {shown(f'{account}/{user}' if user else account)}"
            raise DamagedError(msg)
        self._seen.add(key)

    def _add_hidden(self, account: str, parent: int) -> None:
        """Add an account that was not printed."""
        self._account.append(account)
        self._user.append("")
        if "Partition" in self._header:
            self._partition.append("")
        self._parent.append(parent)
        self._shares.append(0)
        self._numbers.append([math.nan] * len(_NUMBERS))
        self._hidden.append(True)

    def _place(self, number: int, depth: int, account: str) -> int | None:
        """Return the row of a line's account; None if the account is unknown."""
        if not account:
            self._wrong(number, "the account is empty")
        elif self._is_in_part and depth == 0:
            return 0
        elif not self._account and depth == 0:
            return -1
        elif not self._account:
            self._wrong(
                number, "the first association is not the root account. Part of the output may be missing"
            )
        elif depth == 0:
            self._wrong(number, f"a second root account, {account}")
        elif depth > len(self._open):
            self._wrong(number, f"{account} is indented by {depth}, but no account above it is that deep")
        else:
            return self._open[depth - 1]
        return None

    def _number(self, name: str, fields: list[str]) -> float:
        text = fields[self._header[name]].strip() if name in self._header else ""
        if not text:
            return math.nan
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not value >= 0 or (math.isinf(value) and name != "LevelFS"):  # NaN fails the comparison too.
            msg = f"{name} is {shown(text)}, expected a number of 0 or more"
            raise DamagedError(msg)
        return value

    def _wrong(self, line: int, text: str) -> None:
        self.found.add(line, text)


def _rule(tree: Associations, printed: Floats, *, otherwise: bool) -> tuple[bool, str]:
    """Return True if NormShares are those of Fair Tree, of siblings alone, and why rows must be missing.

    Both rules give a tree of one level the same: then it is `otherwise`.
    """
    above = tree.shares_parent()
    level = tree.level_shares(above)
    part = tree.level_parts(level)
    by_rule = {True: part, False: part * printed[above]}
    rows = np.flatnonzero(~tree.takes_parents & ~np.isnan(by_rule[False] + printed))
    rows = rows[rows > 0]
    apart = {rule: rows[np.abs(one - printed)[rows] > _ROUNDED] for rule, one in by_rule.items()}
    fitting = [rule for rule, found in apart.items() if not len(found)]
    if fitting:
        return (fitting[0] if len(fitting) == 1 else otherwise), ""
    row = int(apart[otherwise][0])
    name = tree.user[row] or tree.account[row]
    why = f"{name} has NormShares {printed[row]:.6f}, but the RawShares give {by_rule[otherwise][row]:.6f}"
    return otherwise, f"Rows of sshare are missing: {why}. `sshare -l -a -P` prints all."


def _raw_shares(text: str, parent: int) -> int:
    if text == "parent":
        return PARENT_SHARES
    if not text and parent < 0:
        return 0
    if text.isascii() and text.isdigit() and len(text) < 11 and int(text) < PARENT_SHARES:
        return int(text)
    msg = f"RawShares is {shown(text)}, expected a whole number or `parent`"
    raise DamagedError(msg)


def _put(column: list[T], order: Sequence[int]) -> None:
    column[:] = [column[row] for row in order]


_NONE = "sshare shows no association to this user"
_HIDES = "PrivateData=usage shows all associations only to operators, and accounts only to their coordinators"
_CUT = "the output of sshare ends within a line, so rows may be missing. If it is whole, end its last line"
_ROUNDED = 2e-6  # NormShares have six decimals, and so has that of the account above.
_NUMBERS = ("NormShares", "RawUsage", "NormUsage", "EffectvUsage", "FairShare", "LevelFS")
