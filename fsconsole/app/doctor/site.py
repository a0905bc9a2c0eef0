"""Input of the rules: a share tree with weights, and a cluster's settings, usage, jobs and partitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from fsconsole.shares.flat import FlatTree
from fsconsole.shares.foreign import (
    PARENT_SHARES,
    has_implicit_root,
    is_filled_later,
    takes_parents_shares,
)
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.associations import Associations, Fairshare
from fsconsole.slurm.classic import norm_shares_of
from fsconsole.slurm.fairshare import present_usage
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.slurm.parsers.sshare import Sshare
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.numbers import fine_percent
from fsconsole.text.words import count_words

NO_CHANGE = "Nothing changes for any user today."


@dataclass(frozen=True, eq=False)
class Levels:
    """Nodes of any tree, parents before their children; row 0 is the root.

    Attributes:
        names, paths: name and path of each row.
        parent: row of the group above; -1 for the root.
        shares: shares of each row; None for those of the group above.
        is_user: whether a row holds work rather than nodes.
        is_forest: whether the file lacks the root.
        is_cluster: whether they are associations of a cluster, whose shares are NormShares.
    """

    names: Sequence[str]
    paths: Sequence[str]
    parent: Sequence[int]
    shares: Sequence[int | None]
    is_user: Sequence[bool]
    is_forest: bool = False
    is_cluster: bool = False

    @classmethod
    def of_tree(cls, tree: ShareTree) -> Levels:
        """Build the site of a share tree."""
        nodes = list(tree.walk())
        row = {node.id: at for at, node in enumerate(nodes)}
        paths = tree.paths()
        return cls(
            [node.name for node in nodes],
            [paths[node.id] for node in nodes],
            [-1 if node.parent is None else row[node.parent] for node in nodes],
            [None if takes_parents_shares(node) else node.shares for node in nodes],
            [not node.is_group or is_filled_later(node) for node in nodes],
            has_implicit_root(tree),
        )

    @classmethod
    def of_associations(cls, tree: Associations) -> Levels:
        """Build the site of associations that sshare or sacctmgr printed."""
        names = [user or account for user, account in zip(tree.user, tree.account, strict=True)]
        paths: list[str] = []
        for name, above in zip(names, tree.parent.tolist(), strict=True):
            paths.append(name if above < 0 else f"{paths[above]}/{name}")
        shares = [None if one == PARENT_SHARES else one for one in tree.shares.tolist()]
        is_user = [bool(user) for user in tree.user]
        return cls(names, paths, tree.parent.tolist(), shares, is_user, is_cluster=True)

    @cached_property
    def children(self) -> list[list[int]]:
        """Rows below each row."""
        found: list[list[int]] = [[] for _ in self.names]
        for row, above in enumerate(self.parent):
            if above >= 0:
                found[above].append(row)
        return found

    @cached_property
    def has_users(self) -> list[bool]:
        """True if a row is a user or has one below it."""
        found = list(self.is_user)
        for row in range(len(found) - 1, 0, -1):
            found[self.parent[row]] = found[self.parent[row]] or found[row]
        return found

    def parts(self, changed: Mapping[int, int] | None = None) -> list[float]:
        """Return the share of cluster of each row, or of machine for a file; `changed` has other shares."""
        shares = [(changed or {}).get(row, one) for row, one in enumerate(self.shares)]
        parent, count = np.array(self.parent), len(shares)
        if self.is_cluster:
            raw = np.array([PARENT_SHARES if one is None else one for one in shares], np.int64)
            tree = Associations(("",) * count, ("",) * count, parent, raw, np.zeros(count))
            above = tree.shares_parent()
            return list(norm_shares_of(tree, above, tree.level_shares(above)))
        flat = FlatTree.from_columns(
            ids=np.arange(count), parent=parent, shares=np.array([one or 0 for one in shares], np.float64),
            is_leaf=np.array(self.is_user, np.bool_), is_system=np.zeros(count, np.bool_),
            parents=np.array([row for row, one in enumerate(shares) if one is None], np.int64),
        )  # fmt: skip
        return list(flat.machine_share())

    def effect(self, changed: Mapping[int, int]) -> str:
        """Return the largest gains and losses of a share with other shares, as a sentence."""
        before, after = self.parts(), self.parts(changed)
        users = [row for row, is_user in enumerate(self.is_user) if is_user]
        by = sorted(users, key=lambda row: after[row] - before[row])
        changes = [
            f"{self.names[row]} {fine_percent(before[row])} \N{RIGHTWARDS ARROW} {fine_percent(after[row])}"
            for row in dict.fromkeys((*reversed(by[-2:]), *by[:2]))
            if abs(after[row] - before[row]) > 1e-9
        ]
        if not changes:
            return NO_CHANGE
        whole = "cluster" if self.is_cluster else "machine"
        return f"Share of {whole}: {', '.join(changes)}."


@dataclass(frozen=True, eq=False)
class Site:
    """Known data of the examined site.

    Attributes:
        name: name of the site.
        levels: tree of the site.
        settings, shares, jobs, partitions, nodes, priorities, qos: output of Slurm's tools.
        printed: settings as printed, also of a cluster without fairshare, whose `settings` is None.
        qos_lists: QOS that each row of `levels` may use; empty if they were not read.
        partial: parts of which lines were left out; the tree's part stands for `levels`.
        limits: stored limits of each row of `levels`; empty if they were not read.
        stored_shares: stored raw shares of each row; empty if they were not read.
        working: rows with jobs, processes or usage.
        remarks: results of other checks of a tree file or of control groups: (rule id, where, text).
        checked: ids of the rules that these checks cover.
        lines: line of each path in the tree's file; empty without a file.
    """

    name: str
    levels: Levels
    settings: SlurmConfig | None = None
    shares: Sshare | None = None
    jobs: tuple[Job, ...] = ()
    partitions: tuple[Partition, ...] = ()
    nodes: tuple[ClusterNode, ...] = ()
    priorities: tuple[JobPriority, ...] = ()
    limits: tuple[Mapping[str, str], ...] = ()
    stored_shares: tuple[int | None, ...] = ()
    now_s: float = 0.0
    working: frozenset[int] = frozenset()
    remarks: tuple[tuple[str, str, str], ...] = field(default=())
    checked: frozenset[str] = frozenset()
    lines: Mapping[str, int] = field(default_factory=dict)
    printed: Mapping[str, str] = field(default_factory=dict)
    qos: tuple[Qos, ...] = ()
    qos_lists: tuple[tuple[str, ...], ...] = ()
    partial: frozenset[PartName] = frozenset()

    @property
    def is_fair_tree(self) -> bool:
        """True if the cluster ranks by Fair Tree."""
        if self.settings is not None:
            return self.settings.is_fair_tree
        return self.shares is not None and self.shares.is_fair_tree

    @property
    def used_tree(self) -> Associations:
        """Associations with the usage that the next calculation begins with."""
        assert self.shares is not None  # noqa: S101 (rules that ask have it)
        return replace(self.shares.tree, usage=present_usage(self.shares.raw_usage, self.shares.tree.usage))

    @property
    def has_raw_usage(self) -> bool:
        """Whether sshare prints the RawUsage of all rows."""
        return self.shares is not None and not np.isnan(self.shares.raw_usage).any()

    @property
    def fairshare(self) -> Fairshare | None:
        """Output of sshare; None if it was not read."""
        return None if self.shares is None else self.shares.printed

    def setting(self, key: str) -> str | None:
        """Return a setting as printed, empty where it is not set; None if it is unknown, or blank."""
        value = self.printed.get(key.lower())
        return "" if value in ("(null)", "NONE", "none", "N/A") else value or None

    def weight(self, name: str) -> int | None:
        """Return a weight of priorities by its suffix in lower case; None if it is unknown."""
        return None if self.settings is None else self.settings.weights.get(name)

    @property
    def half_life_s(self) -> float | None:
        """Time in which usage decays to a half, infinite without decay; None if it is unknown."""
        return None if self.settings is None else self.settings.half_life_s

    def effect(self, changed: Mapping[int, int]) -> str:
        """Return the effect of other shares on those of the machine or cluster, as a sentence."""
        if PartName.TREE in self.partial:
            return "Associations were left out, so shares of the cluster are unknown."
        return self.levels.effect(changed)

    def jobs_counted(self, count: int, what: str = "job") -> str:
        """Return a number of jobs in words; it is a least number where jobs were left out or are hidden."""
        is_hidden = self.settings is not None and "jobs" in self.settings.private
        at_least = "at least " if is_hidden or PartName.JOBS in self.partial else ""
        return f"{at_least}{count_words(count, what)}"

    @property
    def pending(self) -> tuple[Job, ...]:
        """Jobs that are pending."""
        return tuple(job for job in self.jobs if job.is_pending)
