"""The scenario as a file would hold it, with the lines of its nodes."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.problems import Problem, ScenarioError, Severity
from fsconsole.shares.scenario.spec import Scenario

_LINE_BEGINS = re.compile("^(tree:$| +- |[^ \n])?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """Text of a scenario.

    Attributes:
        text: what would be saved.
        problems: what is wrong with it or worth a look, with lines where it is about a node.
        row_of: row of each node id.
        lines: line of each row, counted from 1.
    """

    text: str = ""
    problems: tuple[Problem, ...] = ()
    row_of: Mapping[int, int] = field(default_factory=dict)
    lines: Sequence[int] = ()

    def line_of(self, node_id: int | None) -> int:
        """Return the line of a node; 0 without one."""
        row = self.row_of.get(-1 if node_id is None else node_id, len(self.lines))
        return self.lines[row] if row < len(self.lines) else 0


def source_of(scenario: Scenario) -> Source:
    """Write and check a scenario; nothing of it may change until it returns."""
    from fsconsole.policies.check import warnings_of
    from fsconsole.shares.scenario.remove_references import pruned
    from fsconsole.shares.scenario.write import write_text

    scenario = pruned(scenario)
    found = warnings_of(scenario)
    try:
        text = write_text(scenario)
    except ScenarioError as error:
        return Source("", (*error.problems, *found))
    source = Source(text, (), FlatTree.of(scenario.tree).row_of, lines_of_nodes(text))
    return replace(
        source, problems=tuple(replace(one, line=source.line_of(one.node) or one.line) for one in found)
    )


def lines_of_nodes(text: str) -> array[int]:
    """Return the line of every node in depth-first order: a dash begins each but that of the root."""
    found = array("i")
    for number, begin in enumerate(_LINE_BEGINS.finditer(text), 1):
        if not found:
            if begin[1] == "tree:":
                found.append(number + 1)
        elif begin[1]:
            if begin[1][0] != " ":
                break
            found.append(number)
    return found


def worst_by_node(problems: tuple[Problem, ...]) -> dict[int, Problem]:
    """Return the worst problem of each node."""
    order = list(Severity)
    worst: dict[int, Problem] = {}
    for problem in sorted(problems, key=lambda one: order.index(one.severity), reverse=True):
        if problem.node is not None:
            worst[problem.node] = problem
    return worst
