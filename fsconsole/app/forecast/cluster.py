"""A cluster to forecast from: a capture of sshare, or the live one."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.slurm.associations import Associations, Floats
from fsconsole.slurm.billing import charged_jobs
from fsconsole.slurm.decay import SlurmDecay
from fsconsole.slurm.fairshare import present_usage
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_config import UNKNOWN_RULE, SlurmConfig
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.targets.slurm.gaps import gap_words, old_words
from fsconsole.targets.slurm.state import Part, PartName
from fsconsole.text.nearest import did_you_mean
from fsconsole.text.words import listed

if TYPE_CHECKING:
    from fsconsole.targets.slurm.state import ClusterState

_SHOWN = 4


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """Data of a cluster beside its associations, as far as they were read.

    Attributes:
        cluster: name in slurmdbd, for commands.
        nodes: node ids of the rows in Design's share tree; empty if the cluster is not open there.
        partition: partition of each row, empty for all partitions.
        config: settings, with the weights of priorities.
        partitions, qos: choices for new jobs; empty where they were not read.
        cluster_nodes: nodes of the cluster; empty where they were not read.
        waiting: priorities of pending jobs in sprio.
        waiting_gap: why some or all of them are missing; empty if none is.
        jobs: jobs in squeue; None where they were not read.
        gaps: sentences on what was not read, or not whole, by part.
        old: sentences on parts that could not be read again.
        captured_s: time of the capture, seconds since 1970; None for now.
    """

    cluster: str = ""
    nodes: tuple[int, ...] = ()
    partition: tuple[str, ...] = ()
    config: SlurmConfig | None = None
    partitions: tuple[Partition, ...] = ()
    qos: tuple[Qos, ...] = ()
    cluster_nodes: tuple[ClusterNode, ...] = ()
    waiting: tuple[JobPriority, ...] = ()
    waiting_gap: str = ""
    jobs: tuple[Job, ...] | None = None
    gaps: Mapping[str, str] = field(default_factory=dict)
    old: tuple[str, ...] = ()
    captured_s: float | None = None

    @property
    def now_s(self) -> float:
        """Time from which a forecast begins, seconds since 1970."""
        return time.time() if self.captured_s is None else self.captured_s


@dataclass(frozen=True, eq=False, slots=True)
class Running:
    """Started jobs, suspended ones too.

    Attributes:
        jobs: by the row of their user, each with what it is charged a second; NaN where that is unknown.
        rates: sums of these, float64 [rows]; 0 for accounts.
    """

    jobs: Mapping[int, Sequence[tuple[Job, float]]]
    rates: Floats


@dataclass(frozen=True, eq=False, slots=True)
class Cluster:
    """Associations with raw usage and names.

    Attributes:
        name: name of the file or of the cluster.
        tree: associations with usage in billing-seconds.
        is_fair_tree: whether the cluster ranks by Fair Tree.
        names: name of each row: ACCOUNT, or ACCOUNT/USER.
        settings: half-life and period, if known.
        damping: FairShareDampeningFactor, 1 if unknown.
        known: further data of the cluster.
    """

    name: str
    tree: Associations
    is_fair_tree: bool
    names: tuple[str, ...]
    settings: SlurmDecay | None = None
    damping: float = 1.0
    known: Known = field(default_factory=Known)
    _rows: dict[str, int] = field(default_factory=dict)
    _of_user: dict[str, list[int]] = field(default_factory=dict)
    _running: list[Running] = field(default_factory=list, init=False)  # Computed once, of many jobs.

    @classmethod
    def of(
        cls,
        name: str,
        tree: Associations,
        *,
        is_fair_tree: bool,
        settings: SlurmDecay | None = None,
        damping: float = 1.0,
        known: Known | None = None,
    ) -> Cluster:
        """Name every row; the partition or a number distinguishes a user who is twice in an account."""
        known = known or Known()
        partitions = known.partition
        rows: dict[str, int] = {}
        of_user: dict[str, list[int]] = defaultdict(list)
        for row, (account, user) in enumerate(zip(tree.account, tree.user, strict=True)):
            plain = f"{account}/{user}" if user else account
            mark = partitions[row] if partitions and partitions[row] else ""
            label = f"{plain} ({mark})" if mark else plain
            count = 2
            while label in rows:
                label, count = f"{plain} ({count})", count + 1
            rows[label] = row
            if user:
                of_user[user].append(row)
        return cls(name, tree, is_fair_tree, tuple(rows), settings, damping, known, rows, dict(of_user))

    @property
    def rate_unit(self) -> str:
        """Unit of what a job is charged a second: CPUs where no partition has TRESBillingWeights."""
        known = self.known.partitions
        is_cores = known and not any(one.billing_weights for one in known)
        return "cores" if is_cores else "billing units"

    @property
    def usage_unit(self) -> str:
        """Unit of usage, billing-h or core-h."""
        return "core-h" if self.rate_unit == "cores" else "billing-h"

    @property
    def running(self) -> Running:
        """Started jobs; nothing where jobs or settings were not read, or none has started."""
        if not self._running:
            known, jobs = self.known, defaultdict[int, list[tuple[Job, float]]](list)
            rates = np.zeros(len(self.tree))
            if known.config is not None and known.jobs:
                found = charged_jobs(
                    known.jobs, self.tree, known.partition, known.partitions, known.qos, known.config.flags
                )
                for row, job, rate in found:
                    jobs[row].append((job, rate))
                    rates[row] += rate
            self._running.append(Running(jobs, rates))
        return self._running[0]

    @property
    def runs_nothing(self) -> bool:
        """True if all jobs were read, and none of them runs."""
        known = self.known
        is_whole = known.config is not None and known.jobs is not None and PartName.JOBS not in known.gaps
        return is_whole and not self.running.jobs

    @property
    def users(self) -> list[str]:
        """Names of all users, in the order of the tree."""
        return [name for name, user in zip(self.names, self.tree.user, strict=True) if user]

    @property
    def associations(self) -> list[str]:
        """Names of all rows but the root."""
        return list(self.names[1:])

    def user_row(self, text: str) -> int:
        """Return the row of a user; ValueError unless exactly one has that name."""
        text = text.strip()
        row = self._rows.get(text)
        if row is not None and self.tree.user[row]:
            return row
        found = self._of_user.get(text, [])
        if len(found) == 1:
            return found[0]
        if found:
            several = ", ".join(self.names[one] for one in found[:_SHOWN])
            more = "" if len(found) <= _SHOWN else " and others"
            msg = f"{text} is in several accounts. Choose one: {several}{more}"
            raise ValueError(msg)
        known = self.users if "/" in text else [*self._of_user]
        raise ValueError(self._nobody("user", text, known) if text else "Choose a user")

    def account_row(self, text: str) -> int:
        """Return the row of an account below the root.

        Raises:
            ValueError: there is none.
        """
        text = text.strip()
        row = self._rows.get(text)
        if row is None or self.tree.user[row]:
            accounts = [name for name, user in zip(self.names, self.tree.user, strict=True) if not user]
            near = did_you_mean(text, accounts[1:]) or ". `fsconsole slurm fairshare` lists the accounts"
            msg = f"{self.name} has no account {text!r}{near}"
            raise ValueError(msg)
        return self.row(text)

    def row(self, text: str) -> int:
        """Return the row of an account or a user.

        Raises:
            ValueError: it is the root, or there is none.
        """
        text = text.strip()
        row = self._rows.get(text)
        if row == 0:
            msg = f"{text} is the root account, which has no shares"
            raise ValueError(msg)
        if row is not None:
            return row
        if text and text not in self._of_user:
            raise ValueError(self._nobody("account or user", text, [*self.names[1:], *self._of_user]))
        return self.user_row(text)

    def _nobody(self, what: str, text: str, known: Sequence[str]) -> str:
        near = did_you_mean(text, known) or ". Write USER or ACCOUNT/USER"
        return f"{self.name} has no {what} {text!r}{near}"


def rate_words(rate: float, cluster: Cluster) -> str:
    """Return a rate of use with its unit, such as `24 cores` or `24 billing units a second`."""
    return f"{rate:.3g} {cluster.rate_unit}{'' if cluster.rate_unit == 'cores' else ' a second'}"


def read_capture(path: Path, name: str = "") -> Cluster:
    """Return the output of `sshare -l -a -P` from a file, or from a capture folder; by default its name is
    that of the path.

    Raises:
        CaptureError: the folder has no such output that can be read.
        OSError: the file cannot be read.
        ScenarioError: lines of the output are damaged; it lists all of them.
    """
    from fsconsole.app.forecast.captured import known_of
    from fsconsole.shares.scenario.yaml_nodes import text_in
    from fsconsole.targets.slurm.replay import sshare_file

    name = name or path.name
    if not path.is_dir():
        return cluster_in(text_in(path, name), name)
    file = sshare_file(path)
    text = text_in(file, str(file))
    if text and not text.endswith("\n"):  # A missing row would change the shares of others.
        problem = "the output of sshare ends within a line. Make the capture again"
        raise ScenarioError([Problem(problem)], str(file))
    return cluster_in(text, name, known_of(path), str(file))


def cluster_in(text: str, name: str, known: Known | None = None, file: str = "") -> Cluster:
    """Return the output of sshare with further known data; `file` has it, by default that of the name.

    Raises:
        ScenarioError: lines are damaged; the message lists all.
    """
    from fsconsole.slurm.parsers.sshare import read_whole_sshare

    try:
        read = read_whole_sshare(text)
        tree = replace(read.tree, usage=_usage(read.tree, read.raw_usage, read.tree.usage))
    except ScenarioError as error:
        raise ScenarioError(error.problems, error.name or file or name) from None
    known = replace(known or Known(), partition=tuple(read.partition))
    if known.config is None:
        return Cluster.of(name, tree, is_fair_tree=read.is_fair_tree, known=known)
    return _with_settings(name, tree, known.config, known)


_LOST = "some associations cannot be read, and the shares of others depend on them"
PARTS = (PartName.SETTINGS, PartName.JOBS, PartName.PARTITIONS, PartName.QOS)


def live_cluster(state: ClusterState) -> Cluster | None:
    """Return the data of the live cluster; None until its tree and its usage have been read.

    ScenarioError if no forecast is possible.
    """
    if state.tree is None or state.standing is None:
        return None
    stored, settings = state.tree.stored, state.settings
    if stored.problems or state.standing.problems:
        raise ScenarioError([Problem(f"cannot forecast: {_LOST}")], state.name)
    gaps = _gaps(state)
    known = Known(
        stored.cluster or state.name, state.tree.nodes, tuple(stored.partition), settings, state.partitions,
        state.qos, state.nodes, jobs=None if PartName.JOBS in gaps and not state.jobs else state.jobs,
        gaps=gaps, old=tuple(old_words(state).values()), captured_s=state.captured_s,
    )  # fmt: skip
    raw, norm = map(state.standing.counted, (state.standing.raw_usage, state.standing.norm_usage))
    tree = replace(stored.tree, usage=_usage(stored.tree, raw, norm))
    if settings is None:
        return Cluster.of(state.name, tree, is_fair_tree=False, known=known)
    return _with_settings(state.name, tree, settings, known)


def _gaps(state: ClusterState) -> dict[str, str]:
    """Return sentences on the parts that were never read, and on those with rows that were left out."""
    found = {}
    for name in PARTS:
        part = state.parts.get(name, Part())
        if part.as_of_s is None and not getattr(state, name):
            found[str(name)] = gap_words(name, part.problem or "it has not been read yet", in_part=False)
        elif part.notes:
            found[str(name)] = gap_words(name, part.notes[0], in_part=True)
    return found


def _with_settings(name: str, tree: Associations, settings: SlurmConfig, known: Known) -> Cluster:
    """Build a cluster with its own rule, half-life and dampening factor."""
    if settings.is_depth_oblivious:
        raise ScenarioError([Problem(f"cannot forecast: {UNKNOWN_RULE}")], name)
    decay = SlurmDecay.of(settings.half_life_s, settings.calc_period_s)  # Without it, one can be typed.
    made = Cluster.of(
        name, tree, is_fair_tree=settings.is_fair_tree, settings=decay, damping=float(settings.dampening),
        known=known,
    )  # fmt: skip
    _ = made.running  # It takes long with many jobs; a window computes it here, in another thread.
    return made


def _usage(tree: Associations, raw: Floats, norm: Floats) -> Floats:
    """Return `present_usage` in billing-seconds; ScenarioError where a raw usage is unknown."""
    if np.isnan(raw).all():
        problem = "RawUsage is missing, and a forecast starts from it. `sshare -l -a -P` prints it"
        raise ScenarioError([Problem(problem, line=1)])
    if np.isinf(raw).any():
        raise ScenarioError([Problem("RawUsage is infinite. Check that this is output of sshare")])
    if unknown := [tree.user[row] or tree.account[row] for row in np.flatnonzero(np.isnan(raw)).tolist()]:
        problem = f"RawUsage is blank for {listed(unknown, _SHOWN)}, and a forecast starts from it"
        raise ScenarioError([Problem(problem)])
    return present_usage(raw, norm)
