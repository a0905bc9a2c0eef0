"""The scenario as a file would hold it, with the lines of its nodes. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fsconsole.shares.scenario.problems import Problem, ScenarioError, Severity
from fsconsole.shares.scenario.spec import Scenario


@dataclass(frozen=True, slots=True)
class Source:
    """Text of a scenario.

    Attributes:
        text: what would be saved.
        line_of: line, counted from 1, of each node id.
        problems: what is wrong with it or worth a look, with lines where it is about a node.
    """

    text: str = ""
    line_of: dict[int, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def source_of(scenario: Scenario) -> Source:
    """Write and check a scenario; nothing of it may change meanwhile."""
    from fsconsole.policies.check import warnings_of
    from fsconsole.shares.scenario.prune import pruned
    from fsconsole.shares.scenario.write import write_text

    scenario = pruned(scenario)
    found = warnings_of(scenario)
    try:
        text = write_text(scenario)
    except ScenarioError as error:
        return Source("", {}, (*error.problems, *found))
    line_of = lines_of_nodes(text, scenario)
    return Source(text, line_of, tuple(replace(one, line=line_of.get(_node(one), one.line)) for one in found))


def lines_of_nodes(text: str, scenario: Scenario) -> dict[int, int]:
    """Line of every node: each but the root begins with a dash, in depth-first order."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line.rstrip() == "tree:"), None)
    if start is None:
        return {}
    found = [start + 1]
    for at in range(start + 1, len(lines)):
        if lines[at] and not lines[at].startswith(" "):
            break
        if lines[at].lstrip().startswith("- "):
            found.append(at)
    ids = (node.id for node in scenario.tree.walk())
    return {node: at + 1 for node, at in zip(ids, found, strict=False)}


def worst_by_node(problems: tuple[Problem, ...]) -> dict[int, Problem]:
    """The worst problem of each node."""
    order = list(Severity)
    worst: dict[int, Problem] = {}
    for problem in sorted(problems, key=lambda one: order.index(one.severity), reverse=True):
        if problem.node is not None:
            worst[problem.node] = problem
    return worst


def _node(problem: Problem) -> int:
    return -1 if problem.node is None else problem.node
