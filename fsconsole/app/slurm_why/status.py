"""The associations that sshare printed, and values computed from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.app.slurm_why.answer import NoAnswer
from fsconsole.app.slurm_why.facts import Facts
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.association_status import in_stored, shows_others
from fsconsole.slurm.associations import Floats, Ints
from fsconsole.slurm.classic import norm_shares_of
from fsconsole.slurm.fairshare import NORM_FOR_RAW, completed, present_usage
from fsconsole.slurm.insight import Measured, name_of
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.findings import in_output
from fsconsole.slurm.parsers.scontrol_config import UNKNOWN_RULE
from fsconsole.slurm.parsers.sshare import Sshare
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.numbers import fine_percent
from fsconsole.text.words import listed

_NAMED = 6
_USAGE_APART = 0.005  # A part of the cluster. NormUsage lags by more on a small cluster only.
_HIDES = " PrivateData hides others. Ask an operator or the coordinator of the account."


@dataclass(frozen=True, eq=False, slots=True)
class Standing:
    """The associations that sshare printed, and values computed from them.

    Attributes:
        measured: as `insight.why` takes them.
        users: rows of users.
        cluster_shares: part of the cluster that the shares of each row come to, float64 [rows].
        below: number of users at or below each row, int64 [rows].
        partition: of each row the partition that it is for; nothing where sshare was not asked for it.
        recorded: usage that the next calculation begins with, float64 [rows], NaN in hidden rows; while jobs
            run it is one calculation ahead of the printed values.
        hidden: rows that sshare did not show to the user who asked, bool [rows]; None where it showed all.
        is_placed: whether all accounts above a row are known.
        is_whole: whether all that stand beside them are known too.
        remarks: sentences on what sshare did not print, and what stands for it.
    """

    measured: Measured
    users: Ints
    cluster_shares: Floats
    below: Ints
    recorded: Floats
    partition: tuple[str, ...] = ()
    hidden: NDArray[np.bool_] | None = None
    is_placed: bool = True
    is_whole: bool = True
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, facts: Facts) -> Standing:
        """Order sshare's rows; NoAnswer without rows or if their rule is unknown."""
        settings, shares = facts.settings, facts.shares
        if shares is None:
            raise NoAnswer(facts.problems.get("usage") or "sshare has not been read.")
        if settings is not None and settings.is_depth_oblivious:
            raise NoAnswer(f"Cannot order users: {UNKNOWN_RULE}.")
        if shares.problems and shares.hidden is None:
            why = in_output("sshare", shares.problems[0])
            raise NoAnswer(f"Rows were left out, so places, shares and times are unknown: {why}.")
        if shares.lack:
            raise NoAnswer(f"{shares.lack} Places, shares and times are unknown.")
        is_placed = is_whole = True
        if shares.hidden is not None:
            stored = facts.limits().stored
            is_whole = stored is not None and shows_others(stored, shares)
            shares, is_placed = _placed(shares, stored)
        tree = shares.tree
        above = tree.shares_parent()
        level_shares = tree.level_shares(above)
        is_fair_tree = shares.is_fair_tree if settings is None else settings.is_fair_tree
        remarks = _remarks(shares, is_fair_tree=is_fair_tree)
        used = tree.usage if shares.hidden is None else np.where(shares.hidden, np.nan, tree.usage)
        printed = shares.printed
        if shares.hidden is None:
            damping = 1.0 if settings is None else float(settings.dampening)
            printed = completed(printed, tree, damping, by_rank=is_fair_tree)
        measured = Measured(tree, above, level_shares, used, printed, is_fair_tree)
        counts, parents = tree.is_user.astype(np.int64).tolist(), tree.parent.tolist()
        for row in range(len(counts) - 1, 0, -1):
            counts[parents[row]] += counts[row]
        found = cls(
            measured, np.flatnonzero(tree.is_user), norm_shares_of(tree, above, level_shares),
            np.array(counts, np.int64), _recorded(shares), shares.partition, shares.hidden, is_placed,
            is_placed and is_whole, (*facts.gaps(PartName.SETTINGS), *remarks),
        )  # fmt: skip
        return found if shares.hidden is None or not found.is_whole else found._with_shares_of_hidden()

    def _with_shares_of_hidden(self) -> Standing:
        """Return the standing with NormShares of hidden rows, computed from the stored associations."""
        measured = self.measured
        printed = measured.fairshare
        whole = self.cluster_shares
        if measured.is_fair_tree:
            whole = np.divide(
                measured.tree.shares, measured.level_shares,
                out=np.full(len(whole), np.nan), where=measured.level_shares > 0,
            )  # fmt: skip
        hidden = np.zeros(len(whole), np.bool_) if self.hidden is None else self.hidden
        norm = np.where(hidden, whole, printed.norm_shares)
        return replace(self, measured=replace(measured, fairshare=replace(printed, norm_shares=norm)))

    def hides(self, *rows: int) -> bool:
        """Return True if one of some rows is hidden."""
        return self.hidden is not None and bool(self.hidden[list(rows)].any())

    def rank(self, row: int) -> tuple[int, int]:
        """Return the place of a user by fairshare, 1 for the highest, and how many users are shown."""
        factors = self.measured.fairshare.fairshare[self.users]
        mine = self.measured.fairshare.fairshare[row]
        return int(np.sum(factors > mine)) + 1, len(self.users)

    def siblings(self, row: int) -> Ints:
        """Return the rows on the level of a row, int64 [siblings]; those below an account with the share
        `parent` stand there in its place.
        """
        tree, above = self.measured.tree, self.measured.above
        return np.flatnonzero((above == above[row]) & ~(tree.takes_parents & ~tree.is_user))

    def own_share(self, row: int) -> float:
        """Return the part of the cluster that shares of a row come to, or those of the members of an account
        with the share `parent`; NaN for such a user, who has none.
        """
        tree = self.measured.tree
        if tree.shares[row] != PARENT_SHARES:
            return float(self.cluster_shares[row])
        inside = np.flatnonzero(tree.parent == row)
        parts = [self.own_share(one) for one in inside.tolist()]
        return math.nan if tree.user[row] else sum(part for part in parts if not math.isnan(part))

    def remarks_on(self, row: int) -> tuple[str, ...]:
        """Return the remarks, and one where sshare's NormUsage of a row is older than its RawUsage."""
        total = self.recorded[0]
        now, printed = self.recorded[row] / total if total > 0 else math.nan, self.measured.norm_usage[row]
        if not abs(now - printed) > _USAGE_APART:
            return self.remarks
        remark = (
            f"NormUsage of {named(self, row)}, {fine_percent(printed)}, is one calculation old. Shares and "
            f"times here follow from RawUsage, {fine_percent(now)} of the cluster's."
        )
        return (*self.remarks, remark)

    def user(self, name: str) -> tuple[int, tuple[str, ...]]:
        """Return the row of a user, written `anna`, `anna@ocean` or `anna@ocean/gpu` for one in a partition.

        Of several associations it is the one with most usage, and a remark names the others. NoAnswer where
        there is none, or all are hidden.
        """
        tree = self.measured.tree
        user, _, rest = name.partition("@")
        account, _, partition = rest.partition("/")
        found = [
            row
            for row, (one, where) in enumerate(zip(tree.user, tree.account, strict=True))
            if one == user
            and account in ("", where)
            and partition in ("", self.partition[row] if self.partition else "")
        ]
        where = f" in account {account}" if account else ""
        if not found:
            hint = _HIDES if self.hidden is not None else self._near(user, tree.user)
            raise NoAnswer(f"sshare shows no user {user!r}{where}.{hint}")
        found = [row for row in found if not self.hides(row)]
        if not found:
            raise NoAnswer(f"sshare does not show you user {user!r}{where}.{_HIDES}")
        row = max(found, key=lambda one: float(np.nan_to_num(tree.usage[one])))
        if len(found) == 1:
            return row, ()
        partitions = self.partition or ("",) * len(tree)
        places = {one: f"{user}@{_place(tree.account[one], partitions[one])}" for one in found}
        others = listed([places[one] for one in found if one != row], _NAMED)
        why = "has most usage" if tree.usage[row] > 0 else "is shown, because none has usage"
        if np.isnan(tree.usage[found]).any():
            why = "is shown, because usage is unknown"
        return row, (f"{user} has {len(found)} associations; {places[row]} {why}. Others: {others}.",)

    def account(self, name: str) -> int:
        """Return the row of an account; NoAnswer if there is none."""
        tree = self.measured.tree
        for row, (account, user) in enumerate(zip(tree.account, tree.user, strict=True)):
            if account == name and not user and self.hides(row):
                raise NoAnswer(f"sshare does not show you account {name!r}.{_HIDES}")
            if account == name and not user:
                return row
        accounts = [one for one, user in zip(tree.account, tree.user, strict=True) if not user]
        hint = _HIDES if self.hidden is not None else self._near(name, accounts)
        raise NoAnswer(f"sshare shows no account {name!r}.{hint}")

    @staticmethod
    def _near(name: str, known: Sequence[str]) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name, sorted(set(known) - {""})[:20_000], 1, 0.7)
        return f" Did you mean {near[0]!r}?" if near else ""


def _place(account: str, partition: str) -> str:
    return f"{account}/{partition}" if partition else account


def _placed(shares: Sshare, stored: StoredAssociations | None) -> tuple[Sshare, bool]:
    """Return the rows of a partial sshare in the whole tree, where sacctmgr shows that; and whether
    it does.
    """
    found = None if stored is None else in_stored(shares, stored)
    return (shares, False) if found is None else (found, True)


def _recorded(shares: Sshare) -> Floats:
    """Return `present_usage`; of a partial answer raw usage, or NormUsage where a raw one is unknown, and NaN
    in hidden rows.
    """
    if shares.hidden is None:
        return present_usage(shares.raw_usage, shares.tree.usage)
    return np.where(_hidden(shares), np.nan, shares.raw_usage if _has_raw(shares) else shares.tree.usage)


def _hidden(shares: Sshare) -> NDArray[np.bool_]:
    return np.zeros(len(shares.tree), np.bool_) if shares.hidden is None else shares.hidden


def _has_raw(shares: Sshare) -> bool:
    return bool(np.isfinite(shares.raw_usage[~_hidden(shares)]).all())


def _remarks(shares: Sshare, *, is_fair_tree: bool) -> tuple[str, ...]:
    """Return sentences on columns that sshare did not print, and what stands for them."""
    shown, printed = np.flatnonzero(~_hidden(shares))[1:], shares.printed
    columns = {"NormShares": printed.norm_shares, "EffectvUsage": printed.effective_usage}
    columns |= {"LevelFS": printed.level_fs} if is_fair_tree else {}
    blank = [title for title, column in columns.items() if len(shown) and np.isnan(column[shown]).all()]
    of_some = {title: shown[np.isnan(column[shown])] for title, column in columns.items()}
    takes_parents = shares.tree.shares == PARENT_SHARES  # sshare prints no LevelFS for these.
    found = [*shares.remarks]
    if not _has_raw(shares):
        found.append(NORM_FOR_RAW)
    if blank:
        found.append(f"sshare printed no {listed(blank)}: computed from RawShares and NormUsage.")
    for title, rows in of_some.items():
        who = [name_of(shares.tree, row) for row in rows.tolist() if not takes_parents[row]]
        if who and title not in blank:
            names = listed(who, _NAMED)
            found.append(f"sshare printed no {title} of {names}: computed from RawShares and NormUsage.")
    return tuple(found)


def way_to(standing: Standing, row: int) -> list[int]:
    """Return rows from the level below the root down to a row."""
    way = [row]
    while standing.measured.tree.parent[way[-1]] > 0:
        way.append(int(standing.measured.tree.parent[way[-1]]))
    return [one for one in reversed(way) if one]


def named(standing: Standing, row: int) -> str:
    """Return the user's or the account's name."""
    return name_of(standing.measured.tree, row)
