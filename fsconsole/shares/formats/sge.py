"""Grid Engine's share tree, as `qconf -sstree` prints it and `qconf -Mstree` reads it.

A block of lines a node, which begins with `id=`. Leaves are users (type 0) or projects (type 1); a project
may hold users. Names of groups are arbitrary.
Source: share_tree(5), and what qconf of Grid Engine 8.1.9 takes, refuses and prints: it reads blocks in
depth-first order whatever their ids are, and gives them new ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fsconsole.shares.foreign import AFTER, BEFORE, bare_key
from fsconsole.shares.formats.base import Column, Format, Meaning, lost_of
from fsconsole.shares.formats.reading import (
    MAX_DEPTH,
    Comments,
    Reading,
    joined,
    kept_lines,
    numbered,
    own_keys,
    readers,
    unwritable,
)
from fsconsole.shares.formats.sharecf import whole_shares
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree

NAME = "sge"
_USER, _PROJECT = "0", "1"
_OWN_KEYS = ("type", "order")
_LINE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*?)\s*")
_START = re.compile(r"^\s*id\s*=\s*\d+\s*$.*?^\s*childnodes\s*=", re.MULTILINE | re.DOTALL)
_MANY_DIGITS = 10
_DEFAULT = "default"  # This name is for every user who is not listed.
_ORDER = "sge.order"


@dataclass(slots=True)
class _Block:
    """The lines of one node: values with their lines."""

    line: int
    values: dict[str, tuple[str, int]] = field(default_factory=dict)
    comments: list[tuple[int, str]] = field(default_factory=list)

    def value(self, key: str, default: str = "") -> tuple[str, int]:
        return self.values.get(key, (default, self.line))


def _read(text: str) -> Reading:
    reading = Reading(NAME, root="Root")
    blocks, rest = _blocks(text, reading)
    if not blocks:
        reading.say(1, "not a share tree of Grid Engine: a line such as id=0 is missing")
        return reading
    parents: dict[str, str] = {}
    for ident, block in blocks.items():
        for child in _children(block, blocks, reading):
            if child in parents:
                reading.say(
                    block.value("childnodes")[1], f"node {child} is already a child of {parents[child]}"
                )
            else:
                parents[child] = ident
    tops = [ident for ident in blocks if ident not in parents]
    if len(tops) != 1:
        fault = (
            "no node is the root: each one is a child"
            if not tops
            else f"nodes {', '.join(tops[:5])} are roots"
        )
        reading.say(blocks[tops[-1]].line if tops else 1, f"{fault}. One node must contain all others")
        return reading
    _grow(reading, blocks, parents, tops[0])
    comments = Comments(reading)
    for number, line in rest:
        comments.hold(number, line)
    comments.end()
    return reading


def _blocks(text: str, reading: Reading) -> tuple[dict[str, _Block], list[tuple[int, str]]]:
    """Return blocks by the id of their node, and the lines after the last one."""
    blocks: dict[str, _Block] = {}
    block: _Block | None = None
    held: list[tuple[int, str]] = []
    for number, line in joined(numbered(text)):
        match = _LINE.fullmatch(line)
        if not line.strip() or line.lstrip().startswith("#"):
            held.append((number, line))
        elif match is None:
            reading.say(number, f"{line.strip()[:60]!r} is not a line of a share tree: write KEY=VALUE")
        elif match[1] == "id":
            value = _number(match[2])
            if value is None or value in blocks:
                fault = "occurs twice" if value else "is not a whole number"
                reading.say(number, f"id {match[2][:40]!r} {fault}. Give each node its own number")
                value = f"{match[2][:40]} in line {number}"
            block = blocks[value] = _Block(number, comments=held)
            held = []
        elif block is None:
            reading.say(number, f"{match[1][:40]} comes before the first id: a node begins with id=NUMBER")
        elif match[1] in block.values:
            reading.say(number, f"{match[1][:40]} occurs twice, first in line {block.values[match[1]][1]}")
        else:
            block.values[match[1]] = (match[2], number)
    return blocks, held


def _number(text: str) -> str | None:
    plain = text.isascii() and text.isdigit() and len(text) <= _MANY_DIGITS
    return str(int(text)) if plain else None


def _children(block: _Block, blocks: dict[str, _Block], reading: Reading) -> Iterator[str]:
    text, line = block.value("childnodes")
    for word in re.split(r"[,\s]+", text):
        if not word or word.upper() == "NONE":
            continue
        child = _number(word)
        if child is None or child not in blocks:
            reading.say(line, f"childnodes names {word[:40]!r}, and no node has that id")
        else:
            yield child


def _grow(reading: Reading, blocks: dict[str, _Block], parents: dict[str, str], top: str) -> None:
    kids: dict[str, list[str]] = {}
    for child, parent in parents.items():
        kids.setdefault(parent, []).append(child)
    stack: list[tuple[str, Node | None, int]] = [(top, None, 0)]
    order: list[str] = []
    while stack:
        ident, above, depth = stack.pop()
        block = blocks[ident]
        order.append(ident)
        node = _node(reading, block, above, is_group=ident in kids)
        if depth >= MAX_DEPTH:
            reading.say(block.line, f"nodes are nested deeper than {MAX_DEPTH} levels, which is the limit")
            return
        stack.extend((child, node, depth + 1) for child in reversed(kids.get(ident, [])))
    if len(order) < len(blocks):
        reading.say(1, f"{len(blocks) - len(order)} nodes contain each other and are not below the root")
    elif order != list(blocks):
        reading.keep(reading.root, "order", "other")


def _node(reading: Reading, block: _Block, parent: Node | None, *, is_group: bool) -> Node:
    label, line = block.value("name")
    kind, kind_line = block.value("type", _USER)
    if kind not in (_USER, _PROJECT):
        reading.say(kind_line, f"type must be 0 for a user or 1 for a project, not {kind[:40]!r}")
    if parent is None:
        node = reading.root
        reading.name_root(label or node.name, line)
        reading.lines[ROOT_ID, ""] = block.line
    else:
        leaf = Kind.ACCOUNT if kind == _PROJECT else Kind.USER
        node = reading.add(parent, label, Kind.GROUP if is_group else leaf, line)
    reading.keep_rows(node, BEFORE, block.comments)
    if kind == _PROJECT and node.is_group:
        reading.keep(node, "type", kind, kind_line)
    text, line = block.value("shares", "1")
    try:
        node.shares = whole_shares(text)
    except ValueError as error:
        reading.say(line, str(error))
    for key, (value, line) in block.values.items():
        if key not in ("name", "type", "shares", "childnodes"):
            reading.keep(node, key, value, line)
    return node


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(
        tree,
        (
            (node, f"Grid Engine reads the name {node.name!r} as another one. Rename it.")
            for node in tree.walk()
            if node.name != node.name.strip() or node.name.endswith("\\")
        ),
    )
    # Grid Engine numbers nodes in this order.
    ids = {node.id: str(row) for row, node in enumerate(tree.walk())}
    lines: list[str] = []
    for node in tree.walk():
        lines += kept_lines(node, NAME)
        children = ",".join(ids[child] for child in node.children) or "NONE"
        lines += [f"id={ids[node.id]}", f"name={node.name}", f"type={_type(node)}"]
        lines += [f"shares={node.shares}", f"childnodes={children}"]
        lines += [f"{bare_key(key, NAME)}={value}" for key, value in own_keys(node, NAME, but=_OWN_KEYS)]
    lines += kept_lines(tree.root, NAME, AFTER)
    return "\n".join(lines) + "\n"


def _type(node: Node) -> str:
    is_project = node.foreign.get("sge.type") == _PROJECT if node.is_group else node.kind is Kind.ACCOUNT
    return _PROJECT if is_project else _USER


def _rules(tree: ShareTree) -> Iterator[Problem]:
    """Yield values that Grid Engine 8.1.9 refuses or reads differently."""
    if _ORDER in tree.root.foreign:
        fault = (
            "Grid Engine reads blocks in depth-first order, not by id, so it reads another tree "
            "from this file"
        )
        yield _about(tree, tree.root, f"{fault}. Export writes them in that order.", Severity.WARNING)
    users = {node.name for node in tree.walk() if _type(node) == _USER and not node.is_group}
    seen: set[tuple[int, str]] = set()
    projects: dict[int, int] = {}  # Each node has the project that it is in; -1 for none.
    for node in tree.walk():
        above = projects.get(node.parent if node.parent is not None else -1, -1)
        is_project = _type(node) == _PROJECT
        projects[node.id] = node.id if is_project and above < 0 else above
        if node.parent is None:
            continue
        for fault in _refused(node, above, users, seen, is_project=is_project):
            yield _about(tree, node, f"{fault}: Grid Engine refuses the tree")
        if others := [bare_key(key, NAME) for key, _ in own_keys(node, NAME, but=_OWN_KEYS)]:
            yield _about(
                tree, node, f"{others[0]} is not a key of a share tree, so Grid Engine refuses the tree"
            )


def _refused(
    node: Node, above: int, users: set[str], seen: set[tuple[int, str]], *, is_project: bool
) -> Iterator[str]:
    place = -2 if is_project else above
    if is_project and above >= 0:
        yield f"project {node.name} is below a project"
    if is_project or not node.is_group:
        if (place, node.name) in seen:
            where = "" if is_project else " below one project" if above >= 0 else " outside of projects"
            yield f"{'project' if is_project else 'user'} {node.name} occurs twice{where}"
        seen.add((place, node.name))
    elif node.name in users and node.name != _DEFAULT:
        yield f"{node.name} is a user elsewhere in the tree, so it cannot contain nodes"


def _about(tree: ShareTree, node: Node, text: str, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(text, severity, node=node.id, path=tree.path(node.id))


def _check_type(text: str) -> str:
    return (
        ""
        if text in ("", _USER, _PROJECT)
        else f"{text!r} is not a type. Write 0 for a user or 1 for a project."
    )


_scenario, _lines = readers(_read, "Grid Engine share tree", "qconf -sstree")
FORMAT = Format(
    NAME,
    "Grid Engine share tree",
    (".sge", ".sharetree"),
    _scenario,
    _write,
    lambda text: _START.search(text) is not None,
    lambda scenario: lost_of(scenario, NAME),
    "Output of qconf -sstree",
    columns=(Column("sge.type", "Type of group", Meaning.SETTING, check=_check_type),),
    rules=_rules,
    lines=_lines,
)
