"""The share tree of a file: built from whatever of it is sound, so that other checks can go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from fsconsole.shares.edits import MAX_SHARES
from fsconsole.shares.scenario.explain import faults
from fsconsole.shares.scenario.problems import NO_NODE, Problem, ScenarioError
from fsconsole.shares.scenario.schema import NodeRow
from fsconsole.shares.scenario.yaml_nodes import Document, Map, Seq, read_document, unpacked
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError, check_spelling
from fsconsole.text.durations import seconds
from fsconsole.text.numbers import thousands

_EVERY = 1000
_MOST_PROBLEMS = 10_000  # A file with more problems is of another kind, so the rest is not checked.


class TreeReader:
    """Builds the tree node by node, children after their parents, without recursion."""

    def __init__(self, document: Document, tick: Callable[[int], None]) -> None:
        """Begin the rows; `tick` gets the number of nodes now and then, and may raise to stop."""
        self.problems: list[Problem] = []
        self._rows: dict[int, Map] = {}
        self._document = document
        self._tick = tick
        self._nodes: list[Node] = []

    @classmethod
    def rows_of(cls, document: Document, raw: Any) -> dict[int, Map]:
        """Return the row of each node by id."""
        reader = cls(document, lambda _nodes: None)
        reader.read(raw)
        return reader._rows

    def read(self, raw: Any) -> ShareTree:
        """Return the tree; its faults are in `problems`."""
        if not isinstance(raw, Map):
            return ShareTree()
        stack: list[tuple[Map, int, Node | None]] = [(raw, raw.place, None)]
        names: dict[int, dict[str, int]] = {}
        while stack:
            row, place, parent = stack.pop()
            node = self._node(row, place, parent, names)
            for item, where in reversed(_children(row)):
                stack.append((item, where, node))
        return ShareTree.from_nodes(self._nodes, len(self._nodes))

    def _node(self, row: Map, place: int, parent: Node | None, names: dict[int, dict[str, int]]) -> Node:
        """Add a node, in the order of the file; the checks of its keys come in the same order."""
        node_id = len(self._nodes)
        if node_id % _EVERY == 0:
            self._tick(node_id)
            if len(self.problems) > _MOST_PROBLEMS:
                stopped = Problem(
                    f"The tree has more than {thousands(_MOST_PROBLEMS)} problems. The rest was not checked"
                )
                raise ScenarioError([stopped, *self.problems])
        name = row.get("name")
        node = Node(node_id, name if isinstance(name, str) else f"node {node_id}")
        self._nodes.append(node)
        self._rows[node_id] = row
        if parent is None:
            node.kind = Kind.GROUP
        else:
            node.parent = parent.id
            parent.children.append(node_id)
            self._check_twin(node, row, place, names.setdefault(parent.id, {}))
        _fill(node, row)
        self._check(node, row)
        return node

    def _check_twin(self, node: Node, row: Map, place: int, siblings: dict[str, int]) -> None:
        if not isinstance(row.get("name"), str):
            return
        first = siblings.setdefault(node.name, place)
        if first is not place:
            text = f"the name {node.name} occurs twice in this group, first in line {unpacked(first)[0]}"
            text += f" and again in line {unpacked(place)[0]}. Rename one of them"
            self._say(row.place_of("name"), text, node)

    def _check(self, node: Node, row: Map) -> None:
        try:
            NodeRow.model_validate(row)
        except ValidationError:
            self.problems += faults(NodeRow, row, self._document, "tree", self._path(node))
        if ("children" in row or node.parent is None) and row.get("kind") in ("user", "account"):
            text = f"kind {row['kind']} cannot contain nodes. Leave kind out, or write group"
            self._say(row.place_of("kind"), text, node)
        self._check_children(row.get("children"), node)
        if isinstance(row.get("name"), str):
            try:
                check_spelling(node.name)
            except TreeError as error:
                self._say(row.place_of("name"), str(error), node)

    def _check_children(self, children: Any, node: Node) -> None:
        if not isinstance(children, Seq):
            return
        for child, place in zip(children, children.places, strict=True):
            if not isinstance(child, Map):
                self._say(place, "a node must be a mapping such as {name: u11, shares: 100}", node)

    def _say(self, place: int, text: str, node: Node) -> None:
        self.problems.append(self._document.problem(place, text, self._path(node)))

    def _path(self, node: Node) -> str:
        names = [self._name(node)]
        while node.parent is not None:
            node = self._nodes[node.parent]
            names.append(self._name(node))
        return "/".join(reversed(names))

    def _name(self, node: Node) -> str:
        """Return the name of a node in a file; a node without a name is reported by its line."""
        if isinstance(self._rows[node.id].get("name"), str):
            return node.name
        return "root" if node.parent is None else "(no name)"


def _children(row: Map) -> list[tuple[Map, int]]:
    children = row.get("children")
    if not isinstance(children, Seq):
        return []
    pairs = zip(children, children.places, strict=True)
    return [(child, place) for child, place in pairs if isinstance(child, Map)]


def _fill(node: Node, row: Map) -> None:
    """Set the sound fields; the checks report the others."""
    shares = row.get("shares", 1)
    if type(shares) is int and 0 <= shares <= MAX_SHARES:
        node.shares = shares
    if node.parent is not None:
        node.kind = _kind(row)
    if len(row) <= 2:  # Most rows of a large tree are a name and shares.
        return
    node.system = row.get("system") is True
    note = row.get("note")
    node.note = note if isinstance(note, str) else ""
    node.usage = _number(row.get("usage"))
    node.charge = _number(row.get("charge"))
    node.last_use_s = _past(row.get("last_use_s"))
    foreign = row.get("foreign")
    if isinstance(foreign, Map):
        node.foreign = {key: value for key, value in foreign.items() if isinstance(value, str)}


def _kind(row: Map) -> Kind:
    if "children" in row:
        return Kind.GROUP
    kind = row.get("kind")
    return Kind(kind) if kind in ("group", "account") else Kind.USER


def _number(value: Any) -> float:
    return float(value) if type(value) in (int, float) else 0.0


def _past(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            return seconds(value)
        except ValueError:
            return None
    return float(value) if type(value) in (int, float) else None


def with_places(problems: Sequence[Problem], text: str) -> list[Problem]:
    """Return the problems of the scenario in a text, those about a node or a key with its line and column."""
    if not problems:
        return []
    document = read_document(text)
    data = document.data
    if not isinstance(data, Map):
        return list(problems)
    rows = TreeReader.rows_of(document, data.get("tree"))
    return [_placed(problem, data, rows) for problem in problems]


def node_lines(text: str) -> dict[tuple[int, str], int]:
    """Return the line of each node of the scenario in a text, under (id, ""), and of what else stands in it.

    That is under (NO_NODE, name): of an item of a list `events.0`, of a setting its dotted key.
    """
    document = read_document(text)
    data = document.data if isinstance(document.data, Map) else Map(0)
    rows = TreeReader.rows_of(document, data.get("tree"))
    lines = {(node, ""): unpacked(row.place)[0] for node, row in rows.items()}
    for section, value in data.items():
        if isinstance(value, Seq):
            places = {str(row): place for row, place in enumerate(value.places)}
        elif isinstance(value, Map) and section != "tree":
            places = {key: value.place_of(key, of_key=True) for key in value}
        else:
            continue
        lines |= {(NO_NODE, f"{section}.{name}"): unpacked(place)[0] for name, place in places.items()}
    return lines


def _placed(problem: Problem, data: Map, rows: dict[int, Map]) -> Problem:
    if problem.node is not None and problem.node in rows:
        line, column = unpacked(rows[problem.node].place)
    elif problem.node is None and problem.path in data:
        line, column = unpacked(data.place_of(problem.path, of_key=True))
    else:
        return problem
    return replace(problem, line=line, column=column)
