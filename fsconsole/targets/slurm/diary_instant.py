"""An instant of a cluster's diary: the output that sshare and squeue would have had, as far as it was
kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RunError
from fsconsole.recording.run_tree import has_shares, tree_of
from fsconsole.shares.foreign import PARENT_SHARES, takes_parents_shares
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.tree import Node, ShareTree
from fsconsole.slurm.associations import Associations, Fairshare, Floats
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig, read_scontrol_config
from fsconsole.slurm.parsers.sshare import Sshare, norm_usage
from fsconsole.targets.slurm.diary import DiaryJobs


@dataclass(frozen=True, eq=False, slots=True)
class DiaryInstant:
    """Content of a diary at one time.

    Attributes:
        cluster: its name.
        at_s: seconds since 1970.
        settings: as they were when the diary was opened last; None where they were not kept.
        shares: what sshare printed; None where it was not read then.
        jobs: all that were known.
    """

    cluster: str
    at_s: float
    settings: SlurmConfig | None
    shares: Sshare | None
    jobs: tuple[Job, ...]


def diary_tree(run: RunReader) -> ShareTree:
    """Return the tree of a diary with its raw shares.

    Raises:
        RunError: it has none.
    """
    if not has_shares(run):
        msg = f"{run.path} has no raw shares: an earlier fsconsole wrote this diary"
        raise RunError(msg)
    return tree_of(run)


def instant_of(path: Path, time_s: float | None = None) -> DiaryInstant:
    """Read a diary at a time of its clock, in seconds, or at its end.

    Raises:
        RunError: the diary cannot be read then.
    """
    run = RunReader(path)
    tree = diary_tree(run)
    series = run.open_series()
    last_s = series.span_s[1]
    time_s = last_s if time_s is None else min(time_s, last_s)
    settings = _settings(run)
    jobs = DiaryJobs(path).at(time_s) or ()
    base_s = float(run.manifest.get("clock", {}).get("epoch_s") or 0.0)
    nodes = list(tree.walk())
    ids = [node.id for node in nodes]
    columns: dict[str, Floats] = {
        name: series.values_at(name, ids, time_s)
        for name in ("norm_shares", "effective_usage", "fairshare", "level_fs", "norm_usage", "raw_usage")
        if name in run.recorded
    }
    shares = _sshare(tree, nodes, columns, settings)
    cluster = str(run.manifest.get("cluster", path.stem))
    return DiaryInstant(cluster, base_s + time_s, settings, shares, jobs)


def _settings(run: RunReader) -> SlurmConfig | None:
    values = run.manifest.get("slurm")
    if not isinstance(values, dict) or not values:
        return None
    try:
        return read_scontrol_config("".join(f"{key} = {value}\n" for key, value in values.items()))
    except ScenarioError:
        return None


def _sshare(
    tree: ShareTree, nodes: list[Node], columns: dict[str, Floats], settings: SlurmConfig | None
) -> Sshare | None:
    """Return the rows that were there; None where usage was not read."""
    blank = np.full(len(nodes), np.nan)
    raw = columns.get("raw_usage", blank)
    kept = np.flatnonzero(~np.isnan(raw))
    if not len(kept) or kept[0] != 0:
        return None
    rows = {nodes[at].id: row for row, at in enumerate(kept.tolist())}
    shown = [nodes[at] for at in kept.tolist()]
    if any(node.parent is not None and node.parent not in rows for node in shown):
        return None
    names = [node.name if node.is_group else tree.node(node.parent or 0).name for node in shown]
    shares = [PARENT_SHARES if takes_parents_shares(node) else node.shares for node in shown]
    usage = norm_usage(columns.get("norm_usage", blank)[kept], raw[kept])
    usage[0] = 1.0
    associations = Associations(
        tuple(names),
        tuple("" if node.is_group else node.name for node in shown),
        np.array([-1 if node.parent is None else rows[node.parent] for node in shown], np.int64),
        np.array([0, *shares[1:]], np.int64),
        usage,
    )
    found = {name: columns.get(name, blank)[kept] for name in ("norm_shares", "effective_usage", "fairshare")}
    is_fair_tree = "level_fs" in columns if settings is None else settings.is_fair_tree
    level_fs = columns.get("level_fs", blank)[kept]
    printed = Fairshare(found["norm_shares"], found["effective_usage"], found["fairshare"], level_fs)
    return Sshare(associations, raw[kept], printed, is_fair_tree, ("",) * len(shown))
