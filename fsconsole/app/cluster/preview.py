"""Preview of staged edits: the change set, and the fairshares expected of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fsconsole.app.jobs.columns import node_of, nodes_by_key
from fsconsole.recording.audit import Result
from fsconsole.shares.tree import ShareTree, TreeError
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.associations import Floats
from fsconsole.slurm.change_set import ChangeSet, change_set
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.job_priority import moved
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limits import tres_of
from fsconsole.slurm.obstacles import with_obstacles
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.predicted import Predicted, UnknownRuleError, predicted_by
from fsconsole.slurm.rollback import tree_after
from fsconsole.targets.slurm.reports import ActionReport, ApplyReport, ChangeReport
from fsconsole.targets.slurm.state import ClusterState, PartName
from fsconsole.targets.slurm.tools import shown_command
from fsconsole.text.numbers import thousands
from fsconsole.text.words import capitalised, count_words, plural


@dataclass(frozen=True, slots=True)
class Gain:
    """The fairshare of one association; NaN where it is not there.

    Attributes:
        node: in the tree of the changes; a file's tree has nodes of its own.
        stored: row of the association as it is stored, -1 for none.
        last: as sshare prints it: the last calculation of slurmctld.
        before, after: at the next calculation, unchanged and with all staged changes. Both are computed from
            the same usage, so that they differ by the changes alone.
    """

    node: int
    stored: int
    name: str
    is_user: bool
    last: float
    before: float
    after: float

    @property
    def difference(self) -> float:
        """Fairshare with the changes less that without; all of it for an added or removed association."""
        return _number(self.after) - _number(self.before)


@dataclass(frozen=True, slots=True)
class ChangeSetPreview:
    """A change set and its effects.

    Attributes:
        changes: commands, and edits that Slurm cannot represent.
        gains: associations with a changed fairshare by node, the largest change first.
        why_no_gains: why there are none although changes are staged; otherwise empty.
        usage_s: time at which the usage behind `gains` was read, seconds since 1970; None without gains.
        places: sentence on eligible jobs that change their place in the queue; empty if that is not known.
        wanted: tree after the changes; None where it is not known.
    """

    changes: ChangeSet = field(default_factory=ChangeSet)
    gains: Mapping[int, Gain] = field(default_factory=dict)
    why_no_gains: str = ""
    usage_s: float | None = None
    places: str = ""
    wanted: ShareTree | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Basis:
    """A cluster as it was read last, for the effects of changes.

    Attributes:
        settings, standing, jobs: what was read; None where it was not.
        unread: why usage is unknown, if it is.
        usage_s: time at which usage was read, seconds since 1970.
    """

    settings: SlurmConfig | None
    standing: AssociationStatus | None
    jobs: Iterable[Job] | None
    unread: str = "usage has not been read yet"
    usage_s: float | None = None


def basis_of(state: ClusterState) -> Basis:
    """Return the newest state of a cluster for the effects of changes."""
    usage = state.parts.get(PartName.USAGE)
    usage_s = usage.as_of_s if usage is not None else None
    return Basis(state.settings, state.standing, state.jobs, usage_s=usage_s)


def compute_preview(state: ClusterState, wanted: ShareTree) -> ChangeSetPreview:
    """Return the change set that makes the cluster's tree the wanted one, and its effects; for a thread."""
    tree = state.tree
    if tree is None:
        return ChangeSetPreview()
    return effects_of(change_set(tree, wanted, tres_of(state.settings)), tree, basis_of(state), wanted)


def preview_of(state: ClusterState, changes: ChangeSet) -> ChangeSetPreview:
    """Return changes of the stored tree, and their effects; for a thread."""
    if state.tree is None:
        return ChangeSetPreview(changes)
    return effects_of(changes, state.tree, basis_of(state))


def effects_of(
    changes: ChangeSet, tree: ClusterTree, basis: Basis, wanted: ShareTree | None = None
) -> ChangeSetPreview:
    """Return changes of a stored tree with their effects; `wanted` is the tree after them, if known."""
    try:
        wanted = tree_after(tree, changes.changes) if wanted is None else wanted
    except TreeError as error:
        return ChangeSetPreview(changes, why_no_gains=f"Cannot predict fairshare: {error}.")
    gains, why = gains_of(tree, wanted, changes, basis.settings, basis.standing, basis.unread)
    if why or basis.settings is None:
        return ChangeSetPreview(changes, gains, why, wanted=wanted)
    jobs = basis.jobs
    places = places_words(tree, gains, changes, basis.settings, jobs) if jobs is not None else ""
    return ChangeSetPreview(changes, gains, why, basis.usage_s, places, wanted)


def places_words(
    tree: ClusterTree,
    gains: Mapping[int, Gain],
    changes: ChangeSet,
    settings: SlurmConfig,
    jobs: Iterable[Job],
) -> str:
    """Return a sentence on the eligible jobs that change their place, by the fairshares of changes."""
    weights = settings.weights
    weighed = (
        "qos" if not any(one.key[:2]) else "assoc" for one in changes.changes if one.limit == "Priority"
    )
    if any(weights.get(name) for name in weighed):
        return "Places of eligible jobs depend on the changed priorities too, and are not computed."
    known, weight = nodes_by_key(tree), weights.get("fairshare")
    if weight is None:
        return ""
    by_node = {tree.nodes[gain.stored]: gain for gain in gains.values() if gain.stored >= 0}

    def points(job: Job) -> float:
        gain = by_node.get(node_of(job, known))
        change = gain.after - gain.before if gain is not None else 0.0
        return 0.0 if math.isnan(change) else weight * change

    count, of = moved(jobs, points)
    one = f"{count} of 1 eligible job changes its place in the queue."
    many = f"{thousands(count)} of {thousands(of)} eligible jobs change their place in the queue."
    return plural(of, one, many) if of else ""


def gains_of(
    tree: ClusterTree,
    wanted: ShareTree,
    changes: ChangeSet,
    settings: SlurmConfig | None,
    standing: AssociationStatus | None,
    unread: str,
) -> tuple[dict[int, Gain], str]:
    """Return the associations of each node with a changed fairshare, or why they are unknown.

    The largest change is first. `unread` has the reason for missing settings or usage.
    """
    if settings is None or standing is None:
        return {}, f"Cannot predict fairshare: {unread}."
    if tree.stored.problems or standing.problems:
        return {}, "Cannot predict fairshare: some associations cannot be read."
    if changes.refusals:
        return {}, "Cannot predict fairshare: some staged changes cannot be applied."
    try:
        found = predicted_by(settings, tree, standing, wanted)
    except UnknownRuleError as error:
        return {}, f"Cannot predict fairshare: {error}."
    return _gains(tree.shares, wanted, found, standing.printed.fairshare), ""


def _gains(base: ShareTree, wanted: ShareTree, found: Predicted, printed: Floats) -> dict[int, Gain]:
    gains = {}
    for row in range(found.changed):
        node = int(found.nodes[row])
        name = _name(wanted if node in wanted else base, node)
        stored = int(found.stored[row])
        gains[node] = Gain(
            node,
            stored,
            name,
            bool(found.is_user[row]),
            float(printed[stored]) if stored >= 0 else math.nan,
            float(found.before[row]),
            float(found.after[row]),
        )
    return gains


def _name(tree: ShareTree, node: int) -> str:
    """Return the user's name, with the account where a user is in several."""
    here = tree.node(node)
    if here.is_group or here.parent is None:
        return here.name
    return f"{here.name} in {tree.node(here.parent).name}"


def _number(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def foreseen(changes: ChangeSet, state: ClusterState, defaults: Mapping[str, str] | None = None) -> ChangeSet:
    """Return the changes with their obstacles, by the known jobs and default accounts."""
    stored = tuple(state.tree.keys.values()) if state.tree is not None and defaults else ()
    return with_obstacles(state.name, changes, state.jobs, defaults, stored)


def with_foreseen(staged: ChangeSetPreview, state: ClusterState) -> ChangeSetPreview:
    """Return the staged changes with the obstacles of each."""
    changes = foreseen(staged.changes, state)
    return staged if changes is staged.changes else replace(staged, changes=changes)


def commands_text(changes: ChangeSet, prefix: tuple[str, ...] = ()) -> str:
    """Return the commands for a shell where the prefix runs, one per line.

    Changes that cannot be sent are comments.
    """
    lines = [f"# cannot be applied: {one.on}: {one.why}" for one in changes.refusals]
    lines += [shown_command(prefix, change.command) for change in changes.changes]
    return "".join(f"{line}\n" for line in lines)


def report_text(cluster: str, report: ApplyReport, prefix: tuple[str, ...] = ()) -> str:
    """Return the result of each change, with its command and the command that undoes it."""
    lines = [f"{applied_words(cluster, report)}:"]
    for row in report.rows:
        lines += [row_words(row), f"    {shown_command(prefix, row.change.command)}"]
    if report.lag:
        lines.append(report.lag)
    lines += report.warnings
    lines += check_words(queries(report.rows, prefix))
    if report.rollback.changes:
        lines += [
            "To revert it:",
            *(f"    {shown_command(prefix, one.command)}" for one in report.rollback.changes),
        ]
    return "".join(f"{line}\n" for line in lines)


def row_words(row: ChangeReport) -> str:
    """Return the result of one change in a line."""
    change = row.change
    values = f": {change.before or 'nothing'} to {change.after or 'nothing'}"
    why = f" ({row.text})" if row.text else ""
    return f"{row.result}: {change.verb} {change.on}{values}{why}"


def applied_words(cluster: str, report: ApplyReport, *, is_rollback: bool = False) -> str:
    """Return a heading on the changes that are known to be done: `2 of 3 changes applied to lab`."""
    done, count = sum(row.result.is_done for row in report.rows), len(report.rows)
    unknown = sum(row.result is Result.UNKNOWN for row in report.rows)
    place = f"rolled back on {cluster}" if is_rollback else f"applied to {cluster}"
    if done == count:
        return capitalised(place)
    if unknown:
        rest = f", {done} done" if done else ""
        return f"{unknown} of {count_words(count, 'result')} on {cluster} unknown{rest}"
    if not done:
        return f"No change {place}"
    return f"{done} of {count_words(count, 'change')} {place}"


def queries(reports: Iterable[ChangeReport | ActionReport], prefix: tuple[str, ...]) -> list[str]:
    """Return commands for a shell that show whether changes with unknown results were made."""
    commands = (shown_command(prefix, report.query) for report in reports if report.query)
    return list(dict.fromkeys(commands))


def check_words(lines: Sequence[str]) -> list[str]:
    """Return lines that name the commands to check unknown results; empty if there are none."""
    return ["To check the unknown results:", *(f"    {line}" for line in lines)] if lines else []
