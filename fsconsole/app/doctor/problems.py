"""Findings of the doctor as rows of a list of problems, each with the node that it is about."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from fsconsole.app.doctor.catalogue import Grade
from fsconsole.app.doctor.examine import RULES, examine
from fsconsole.app.doctor.rule import Finding
from fsconsole.app.doctor.sources import of_cluster, of_scenario
from fsconsole.app.doctor.tree_rules import REMARKED
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.slurm.state import ClusterState, PartName

_SEVERITIES = {
    Grade.BROKEN: Severity.ERROR,
    Grade.CONTRADICTION: Severity.WARNING,
    Grade.UNUSUAL: Severity.NOTE,
}
# The list of problems already contains what the file checks report.
_OWN_RULES = tuple(rule for rule in RULES if rule.id not in REMARKED)


def problems_of_scenario(scenario: Scenario, known: Collection[Problem] = ()) -> tuple[Problem, ...]:
    """Return findings of a tree about nodes that no problem is about yet."""
    taken = {problem.node for problem in known}
    paths = scenario.tree.paths()
    node_of = {path: node for node, path in paths.items()}
    found = examine(of_scenario(scenario.title, scenario), _OWN_RULES)
    return tuple(one for one in _problems(found, node_of) if one.node is None or one.node not in taken)


def problems_of_cluster(state: ClusterState) -> tuple[Problem, ...]:
    """Return findings of a cluster from the data read so far; none before its tree."""
    tree, standing = state.tree, state.standing
    if tree is None:
        return ()
    stored = tree.stored
    parts: dict[PartName, object] = {
        PartName.TREE: stored,
        PartName.JOBS: state.jobs,
        PartName.PARTITIONS: state.partitions,
        PartName.NODES: state.nodes,
        PartName.QOS: state.qos,
    }
    if state.settings is not None:
        parts[PartName.SETTINGS] = state.settings
    if standing is not None:
        is_ranked = state.settings is not None and state.settings.is_fair_tree
        parts[PartName.USAGE] = standing.as_sshare(stored, is_fair_tree=is_ranked)
    partial = [name for name, one in state.parts.items() if one.notes]
    site = of_cluster(state.name, parts, now_s=_read_s(state), partial=partial)
    node_of = {path: tree.nodes[row] for row, path in reversed(list(enumerate(site.levels.paths)))}
    return tuple(_problems(examine(site), node_of))


def _read_s(state: ClusterState) -> float:
    """Return the time of the last reading of jobs, seconds since 1970; 0 while there is none."""
    part = state.parts.get(PartName.JOBS)
    return (part.as_of_s or 0.0) if part is not None else 0.0


def _problems(found: Collection[Finding], node_of: Mapping[str, int]) -> list[Problem]:
    return [
        Problem(
            f"{one.rule.title}: {one.hit.evidence} {one.hit.fix} {one.hit.effect}",
            _SEVERITIES[one.rule.grade],
            node=node_of.get(one.hit.where),
            path=one.hit.where,
        )
        for one in found
    ]
