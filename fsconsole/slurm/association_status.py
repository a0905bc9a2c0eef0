"""Status of a cluster's associations: sshare's values for each, and differences from stored values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.flat import Floats
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.scenario.problems import Problem
from fsconsole.slurm.associations import Associations, Fairshare, Ints
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.fair_tree import fair_tree, ranks
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.findings import in_output
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.sshare import Sshare
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words

_ROUNDING = 2e-6  # Six printed decimals, and a calculation with them, have this error.
_USAGE_APART = 0.005  # Smaller differences, as fractions of the cluster's usage, are not reported.


@dataclass(frozen=True, eq=False, slots=True)
class AssociationStatus:
    """Values of one call of sshare, in the rows of a `ClusterTree`; NaN if sshare has none for a row.

    Attributes:
        raw_usage: billing-seconds, float64 [rows].
        norm_usage: fraction of the cluster's usage, float64 [rows].
        printed: NormShares, EffectvUsage, FairShare and LevelFS as printed.
        computed: the same values from the printed NormUsage and the stored shares. With Fair Tree they come
            from the printed LevelFS in proportion to the shares, because the usage has too few decimals. NaN
            if the rule is unknown (DEPTH_OBLIVIOUS) or the settings have not been read.
        lagging: by node, reasons why printed values do not follow from stored shares and usage: they are one
            period old while jobs run, or slurmctld has not received an edit yet.
        absent: rows that sshare did not print, bool [rows]; None without any, and where rows of it were left
            out. They have used nothing.
        problems: rows of sshare that were left out.
        is_from_raw: whether NormUsage is blank somewhere, and computed from RawUsage.
    """

    raw_usage: Floats
    norm_usage: Floats
    printed: Fairshare
    computed: Fairshare
    lagging: Mapping[int, str]
    absent: NDArray[np.bool_] | None = None
    problems: tuple[Problem, ...] = ()
    is_from_raw: bool = False

    def counted(self, column: Floats) -> Floats:
        """Return a column of usage to compute with, float64 [rows]: 0 for absent rows, NaN for blanks."""
        return column if self.absent is None else np.where(self.absent, 0.0, column)

    def as_sshare(self, stored: StoredAssociations, *, is_fair_tree: bool) -> Sshare:
        """Return the values as sshare would print them for the stored rows."""
        used = replace(stored.tree, usage=self.counted(self.norm_usage))
        raw = self.counted(self.raw_usage)
        problems = (*self.problems, *(Problem(in_output("sacctmgr", one)) for one in stored.problems))
        return Sshare(
            used, raw, self.printed, is_fair_tree, stored.partition, problems=problems,
            is_from_raw=self.is_from_raw,
        )  # fmt: skip


def standing_of(
    tree: ClusterTree, sshare: Sshare, settings: SlurmConfig | None, *, is_older: bool = False
) -> AssociationStatus:
    """Assign sshare's values to the rows of a tree, and compare them with stored values.

    Args:
        tree: stored tree.
        sshare: printed values, or the part that this user may see.
        settings: settings of the cluster; without them the fairshare rule is unknown.
        is_older: whether sshare was read before the tree, so that differences are expected.
    """
    if sshare.hidden is not None:
        return _shown_of(tree, sshare)
    places = _places(tree.stored, sshare)
    raw, printed = _taken(sshare.raw_usage, places), _in_rows(sshare.printed, places)
    norm = _taken(np.concatenate([[1.0], sshare.tree.usage[1:]]), places)
    absent = None if sshare.problems else places < 0
    found = AssociationStatus(
        raw, norm, printed, printed, {}, absent, sshare.problems, is_from_raw=sshare.is_from_raw
    )
    is_partial = bool(tree.stored.problems or sshare.problems)
    used = replace(tree.stored.tree, usage=found.counted(norm))
    found = replace(found, computed=_computed(used, printed, settings, is_partial=is_partial))
    return replace(found, lagging=dict(_Lag(tree, sshare, places, found, settings, is_older).rows()))


def _shown_of(tree: ClusterTree, sshare: Sshare) -> AssociationStatus:
    """Return a partial answer of sshare as it is: nothing follows from it, and hidden rows do not lag."""
    found = in_stored(sshare, tree.stored)
    blank = np.full(len(tree.nodes), np.nan)
    nothing = Fairshare(blank, blank, blank, blank)
    if found is None or found.hidden is None:
        return AssociationStatus(blank, blank, nothing, nothing, {}, np.ones(len(blank), np.bool_))
    used = np.where(found.hidden, np.nan, found.tree.usage)
    return AssociationStatus(found.raw_usage, used, found.printed, nothing, {}, found.hidden)


def stored_of(sshare: Sshare, cluster: str) -> StoredAssociations:
    """Return the tree as sshare shows it, for where slurmdbd does not respond: no ids, no limits, no QOS."""
    rows = len(sshare.tree)
    tree = replace(sshare.tree, usage=np.zeros(rows))
    partition = sshare.partition or ("",) * rows
    return StoredAssociations(
        cluster,
        tree,
        np.zeros(rows, np.int64),
        partition,
        ((),) * rows,
        ("",) * rows,
        ({},) * rows,
        problems=sshare.problems,
    )


def in_stored(shown: Sshare, stored: StoredAssociations) -> Sshare | None:
    """Return partly visible sshare values in the stored rows; None if one of them is not stored.

    All other rows are hidden and have no usage and no results.
    """
    places = _places(stored, shown)
    own = np.ones(len(shown.tree), np.bool_) if shown.hidden is None else ~shown.hidden
    if set(np.flatnonzero(own).tolist()) - set(places.tolist()):
        return None
    hidden = (places < 0) | ~own[places]
    usage = np.where(hidden, 0.0, shown.tree.usage[places])
    return Sshare(
        replace(stored.tree, usage=usage),
        _taken(shown.raw_usage, places),
        _in_rows(shown.printed, places),
        shown.is_fair_tree,
        stored.partition,
        hidden,
    )


def shows_others(stored: StoredAssociations, shown: Sshare) -> bool:
    """Return True if sacctmgr shows users whom sshare hides: otherwise PrivateData of slurmdbd hides
    them too.
    """
    seen = set(zip(shown.tree.account, shown.tree.user, strict=True))
    stored_rows = zip(stored.tree.account, stored.tree.user, strict=True)
    return any(user and (account, user) not in seen for account, user in stored_rows)


def _places(stored: StoredAssociations, sshare: Sshare) -> Ints:
    """Return the row of sshare for each stored row, int64 [rows]; -1 for a missing one."""
    partition = sshare.partition or ("",) * len(sshare.tree)
    if (sshare.tree.account, sshare.tree.user, partition) == (
        stored.tree.account,
        stored.tree.user,
        stored.partition,
    ):
        return np.arange(len(stored.tree))
    keys = zip(sshare.tree.account, sshare.tree.user, partition, strict=True)
    place_of = {key: place for place, key in enumerate(keys)}
    wanted = zip(stored.tree.account, stored.tree.user, stored.partition, strict=True)
    return np.fromiter((place_of.get(key, -1) for key in wanted), np.int64, len(stored.tree))


def _taken(column: Floats, places: Ints) -> Floats:
    return np.where(places >= 0, column[places], np.nan)


def _in_rows(printed: Fairshare, places: Ints) -> Fairshare:
    return Fairshare(
        _taken(printed.norm_shares, places),
        _taken(printed.effective_usage, places),
        _taken(printed.fairshare, places),
        _taken(printed.level_fs, places),
    )


def _computed(
    used: Associations, printed: Fairshare, settings: SlurmConfig | None, *, is_partial: bool
) -> Fairshare:
    """Compute the fairshares; NaN with an unknown rule, or where rows are missing that others depend on."""
    if settings is None or settings.is_depth_oblivious or is_partial:
        nothing = np.full(len(used), np.nan)
        return Fairshare(nothing, nothing, nothing, nothing)
    if settings.is_fair_tree:
        return _by_rank(used, printed)
    return classic_fairshare(used, float(max(settings.dampening, 1)))


def _by_rank(used: Associations, printed: Fairshare) -> Fairshare:
    """Compute Fair Tree with the stored shares, from printed level fairshares where available."""
    plain = fair_tree(used)
    scale = np.divide(
        plain.norm_shares,
        printed.norm_shares,
        out=np.full(len(used), np.nan),
        where=printed.norm_shares > 0,
    )
    level_fs = np.where(
        np.isfinite(printed.level_fs) & np.isfinite(scale), printed.level_fs * scale, plain.level_fs
    )
    return replace(plain, level_fs=level_fs, fairshare=ranks(used, level_fs))


@dataclass(frozen=True, slots=True)
class _Lag:
    """Finder of values that disagree, with the reasons."""

    tree: ClusterTree
    sshare: Sshare
    places: Ints
    found: AssociationStatus
    settings: SlurmConfig | None
    is_older: bool

    def rows(self) -> Iterator[tuple[int, str]]:
        """Yield the nodes that lag, each with its most important reason."""
        nodes = self.tree.nodes
        missing = self.places < 0
        shares = ~missing & self._other_shares()
        level = ~missing & ~shares & self._other_level()
        usage = ~missing & ~shares & ~level & self._other_usage()
        for row in np.flatnonzero(missing).tolist():
            yield nodes[row], self._missing_words()
        for row in np.flatnonzero(shares).tolist():
            yield nodes[row], self._shares_words(row)
        for row in np.flatnonzero(level).tolist():
            yield nodes[row], self._level_words(row)
        for row in np.flatnonzero(usage).tolist():
            yield nodes[row], self._usage_words(row)

    def _other_shares(self) -> NDArray[np.bool_]:
        shown = np.where(self.places >= 0, self.sshare.tree.shares[self.places], 0)
        differs: NDArray[np.bool_] = shown != self.tree.stored.tree.shares
        differs[0] = False
        return differs

    def _other_level(self) -> NDArray[np.bool_]:
        """Return rows with the stored shares, but with changed shares at a level above or among siblings."""
        printed, computed = self.found.printed.norm_shares, self.found.computed.norm_shares
        differs: NDArray[np.bool_] = np.abs(printed - computed) > _ROUNDING
        differs[0] = False
        return differs

    def _other_usage(self) -> NDArray[np.bool_]:
        raw, norm = self.found.raw_usage, self.found.norm_usage
        if not raw[0] > 0:
            return np.zeros(len(raw), np.bool_)
        differs: NDArray[np.bool_] = np.abs(raw / raw[0] - norm) > _USAGE_APART + 1.0 / raw[0]
        return differs

    def _missing_words(self) -> str:
        if self.sshare.problems:
            return "Rows of sshare were left out, so its usage and its fairshare are unknown."
        if self.is_older:
            return "It was not there yet when sshare was read."
        return "slurmctld does not have it yet: only the database has it."

    def _shares_words(self, row: int) -> str:
        shown = _shares_text(int(self.sshare.tree.shares[self.places[row]]))
        stored = _shares_text(int(self.tree.stored.tree.shares[row]))
        if self.is_older:
            return f"It had {shown} when sshare was read. {stored} have been stored since."
        return f"sshare shows {shown}, but {stored} are stored. slurmctld does not have them yet."

    def _level_words(self, row: int) -> str:
        printed, computed = self.found.printed.norm_shares[row], self.found.computed.norm_shares[row]
        why = (
            "sshare was read before" if self.is_older else "slurmctld does not have all shares around it yet"
        )
        return f"NormShares is printed as {printed:.6f}, but the stored shares give {computed:.6f}: {why}."

    def _usage_words(self, row: int) -> str:
        raw, norm = self.found.raw_usage, self.found.norm_usage
        period_s = self.settings.calc_period_s if self.settings is not None else 0.0
        every = f" (every {length_words(period_s)})" if period_s else ""
        return (
            f"NormUsage is printed as {norm[row]:.4f}, but raw usage already gives "
            f"{raw[row] / raw[0]:.4f}. slurmctld updates it at its next calculation{every}."
        )


def _shares_text(shares: int) -> str:
    return "the share parent" if shares == PARENT_SHARES else count_words(shares, "share")
