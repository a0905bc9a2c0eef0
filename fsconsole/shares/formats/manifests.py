"""Kubernetes manifests of queues: documents of YAML that name their parent.

The text of a document stays with its node as a template, so that comments and all keys are written back as
they were.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fsconsole.shares.foreign import AFTER, BEFORE, BY_SHARES, IMPLICIT, WEIGHT
from fsconsole.shares.formats.reading import MAX_DEPTH, Reading, numbered, unwritable
from fsconsole.shares.formats.templates import ANY, NAME_SLOT, PARENT, Manifest, rendered
from fsconsole.shares.formats.weights import weights_of_tree
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.yaml_nodes import Map, Seq, read_document, unpacked
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree

MANIFEST = "manifest"
_SEPARATOR = re.compile(r"---(\s|$)")


_Texts = list[tuple[int, str]]  # Other objects and comments are here, each with the line that it begins in.


def manifests(text: str, reading: Reading) -> tuple[list[Manifest], _Texts]:
    """Return the objects of a file that are mappings, and the text after the last one."""
    found: list[Manifest] = []
    held: _Texts = []
    for first, lines in _pieces(text):
        data: Any = None
        if any(line.strip() and not line.lstrip().startswith("#") for line in lines):
            data = _data(lines, first, reading)
        objects = list(_objects(data, lines, first, reading)) if isinstance(data, Map) else []
        if not objects:
            held.append((first, "\n".join(lines)))
        for one in objects:
            one.before, held = held, []
            found.append(one)
    return found, held


def _pieces(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield documents as lines, with the number of the first, without empty ones."""
    lines: list[str] = []
    first = 1
    for number, line in numbered(text):
        if _SEPARATOR.match(line):
            if any(one.strip() for one in lines):
                yield first, lines
            rest = line[3:].strip()
            lines, first = ([rest], number) if rest else ([], number + 1)
        elif line.rstrip() != "...":
            lines.append(line)
    if any(one.strip() for one in lines):
        yield first, lines


def _data(lines: list[str], first: int, reading: Reading) -> Any:
    """Return the data of a document; report invalid YAML and return None."""
    try:
        document = read_document("\n".join(lines))
        problems = document.problems
    except ScenarioError as error:
        document, problems = None, error.problems
    for one in problems[:10]:
        line = first + max(one.line, 1) - 1
        reading.problems.append(Problem(one.text, line=line, column=max(one.column, 1)))
    return document.data if document is not None and not problems else None


def _objects(data: Map, lines: list[str], first: int, reading: Reading) -> Iterator[Manifest]:
    """Yield the object of a document, or those of a list, each with its lines."""
    items = data.get("items")
    if data.get("kind") != "List" and not isinstance(items, Seq):
        yield Manifest(data, lines, first)
        return
    if not isinstance(items, Seq):
        return
    for item, place in zip(items, items.places, strict=True):
        row, column = unpacked(place)
        if not isinstance(item, Map) or lines[row - 1][: column - 1].strip() != "-":
            reading.say(first + row - 1, "an item of the list must be a mapping on lines of its own")
            continue
        end = row
        while end < len(lines) and (not lines[end].strip() or lines[end][: column - 1].isspace()):
            end += 1
        own = [lines[row - 1][column - 1 :], *(line[column - 1 :] for line in lines[row:end])]
        data = _data(own, first + row - 1, reading)
        if isinstance(data, Map):
            yield Manifest(data, own, first + row - 1)


@dataclass(frozen=True, slots=True)
class Dialect:
    """Names in the manifests of one project.

    Attributes:
        name: the format.
        group: start of its API versions.
        kinds: kinds of its objects, and whether they hold others.
        parent: keys of the parent's name by kind and version, the one to write first.
        weight: keys of the weight.
        values: slots of other values in an object, made there; ValueError where one is not a scalar.
        implicit: whether parents need no object of their own.
        fresh: text of a new object by kind.
        default: the weight of an object that has none.
    """

    name: str
    group: str
    kinds: Mapping[str, bool]
    parent: Callable[[str, str], tuple[str, ...]]
    weight: tuple[str, ...]
    values: Callable[[Manifest, Reading], None]
    implicit: bool
    fresh: Callable[[ShareTree, Node], str]
    default: str = "1"


def read_manifests(text: str, dialect: Dialect) -> Reading:
    """Read the queues of a file and hang them where they belong."""
    reading = Reading(dialect.name, form="yaml", default=dialect.default)
    found, rest = manifests(text, reading)
    held: _Texts = []
    queues: dict[tuple[str, bool], tuple[Manifest, str]] = {}
    for one in found:
        before = held + one.before
        kind = one.at("kind")
        is_ours = isinstance(kind, str) and kind in dialect.kinds
        version = one.at("apiVersion")
        is_of_group = str(version).startswith(f"{dialect.group}/")
        if (is_ours and version is None) or (is_of_group and kind is None):
            reading.say(one.first, "an object needs both apiVersion and kind")
        if not is_ours or not is_of_group:
            held = [*before, (one.first, "\n".join(one.lines))]
            continue
        one.before, held = before, []
        _take(reading, dialect, one, queues)
    if not queues and not reading.problems:
        reading.say(1, f"no {' or '.join(dialect.kinds)} of {dialect.group} in the file")
    if not reading.problems:
        _hang(reading, dialect, queues)
    _keep_texts(reading, reading.root, AFTER, held + rest)
    return reading


def _keep_texts(reading: Reading, node: Node, key: str, texts: _Texts) -> None:
    """Keep other objects and comments of the file with a node."""
    if texts:
        reading.keep(node, key, "\n---\n".join(text for _, text in texts), texts[0][0])
    for first, text in texts:
        reading.note_text(node, key, text, first)


def _take(
    reading: Reading,
    dialect: Dialect,
    one: Manifest,
    queues: dict[tuple[str, bool], tuple[Manifest, str]],
) -> None:
    """Make the slots of an object and keep it under its name."""
    kind = str(one.at("kind"))
    holds = dialect.kinds[kind]
    parents = dialect.parent(kind, str(one.at("apiVersion")).rpartition("/")[2])
    try:
        name = one.slot(NAME_SLOT, "metadata", "name")
        keys = next((key for key in parents if one.at("spec", key) is not None), "")
        parent = one.slot(PARENT, "spec", keys) if keys else ""
        if parent:
            one.optional(PARENT, one.at("spec"), keys)
        else:
            one.leave_room(PARENT, "spec", parents[0])
        if not one.slot(WEIGHT, *dialect.weight):
            one.leave_room(WEIGHT, *dialect.weight)
        dialect.values(one, reading)
    except ValueError as error:
        reading.say(one.first, str(error))
        return
    if not name:
        reading.say(one.first, f"{kind} without a name: write metadata: name:")
    elif (name, holds) in queues:
        reading.say(
            one.first, f"{kind} {name[:60]} occurs twice, first in line {queues[name, holds][0].first}"
        )
    queues[name, holds] = one, parent


def _hang(reading: Reading, dialect: Dialect, queues: dict[tuple[str, bool], tuple[Manifest, str]]) -> None:
    one_kind = len(dialect.kinds) == 1
    holders = {name for name, holds in queues if holds}
    kids: dict[str, list[tuple[str, bool]]] = {}
    for key, (one, parent) in queues.items():
        if parent and parent not in holders:
            if not dialect.implicit:
                reading.say(one.line("spec"), f"no {next(iter(dialect.kinds))} {parent[:60]} in the file")
                continue
            kids.setdefault("", []).append((parent, True)) if parent not in kids else None
        kids.setdefault(parent, []).append(key)
    stack = [(key, reading.root, 0) for key in reversed(kids.get("", []))]
    seen: set[tuple[str, bool]] = set()
    while stack:
        key, above, depth = stack.pop()
        if depth > MAX_DEPTH:
            reading.say(1, f"nested deeper than {MAX_DEPTH} levels, which is the limit")
            return
        below = kids.get(key[0], []) if key[1] else []
        is_group = bool(below) if one_kind else key[1]
        seen.add(key)
        found = queues.get(key)
        line = found[0].first if found is not None else 0
        node = reading.add(above, key[0], Kind.GROUP if is_group else Kind.ACCOUNT, line)
        if found is None:
            reading.keep(node, IMPLICIT, "yes")
            reading.weigh(node, "", line)
        else:
            _say(reading, dialect, node, found[0])
        stack.extend((child, node, depth + 1) for child in reversed(below))
    if len(seen & set(queues)) < len(queues) and not reading.problems:
        key = next(key for key in queues if key not in seen)
        reading.say(
            queues[key][0].first, f"{key[0][:60]} is below itself: one of its parents has it as parent"
        )


def _say(reading: Reading, dialect: Dialect, node: Node, one: Manifest) -> None:
    _keep_texts(reading, node, BEFORE, one.before)
    reading.weigh(node, one.values.get(WEIGHT, ""), one.line(*dialect.weight), f"weight of {node.name[:60]}")
    rows = {key: row for row, _, _, key in one.spans}
    for key, value in one.values.items():
        if key not in (NAME_SLOT, PARENT, WEIGHT):
            reading.keep(node, key, value, one.first + rows.get(key, 0))
    reading.keep(node, MANIFEST, one.template(), one.first)
    reading.note_text(node, MANIFEST, "\n".join(one.lines), one.first)


def write_manifests(tree: ShareTree, dialect: Dialect) -> str:
    """Return a document for each node that has an object, parents before children.

    Raises:
        ScenarioError: a value does not fit its place in a document.
    """
    weights = weights_of_tree(tree, dialect.name, dialect.default)
    prefix = f"{dialect.name}."
    documents: list[str] = []
    unwritable(tree, _twins(tree, dialect))
    for node in tree.walk():
        if node.parent is None:
            continue
        if f"{prefix}{IMPLICIT}" in node.foreign and _needs_no_object(node, weights[node.id]):
            continue
        above = tree.node(node.parent)
        values = {
            key.removeprefix(prefix): value for key, value in node.foreign.items() if key.startswith(prefix)
        }
        before = values.pop(BEFORE, "")
        template = values.pop(MANIFEST, "") or dialect.fresh(tree, node)
        slots = {key: value for key, value in values.items() if key not in BY_SHARES}
        slots |= {NAME_SLOT: node.name, PARENT: above.name if above.parent is not None else ""}
        slots |= {WEIGHT: weights[node.id]}
        slots[ANY] = slots[PARENT] or slots[WEIGHT]
        try:
            document = rendered(template, slots)
        except ValueError as error:
            raise ScenarioError([Problem(str(error), node=node.id, path=node.name)]) from None
        documents += [before, document] if before else [document]
    after = tree.root.foreign.get(f"{prefix}{AFTER}", "")
    documents += [after] if after else []
    return "\n---\n".join(document.strip("\n") for document in documents) + "\n"


def _needs_no_object(node: Node, weight: str) -> bool:
    """Return True if the nodes below a node without its own object describe it completely."""
    return bool(node.children) and weight in ("", "1") and node.parent == ROOT_ID


def _twins(tree: ShareTree, dialect: Dialect) -> Iterator[tuple[Node, str]]:
    """Yield nodes with repeated names, because objects of a kind need unique names."""
    seen: dict[tuple[str, bool], Node] = {}
    for node in tree.walk():
        if node.parent is None:
            continue
        key = (node.name, node.is_group and len(dialect.kinds) > 1)
        if key in seen:
            yield (
                node,
                f"{node.name} is at {tree.path(seen[key].id)} too: a name belongs to one object. Rename one.",
            )
        seen.setdefault(key, node)
        manifest = node.foreign.get(f"{dialect.name}.{MANIFEST}", "")
        kind = re.search(r"^kind: *[\"']?(\w+)", manifest, re.MULTILINE)
        if kind and dialect.kinds.get(kind[1]) is not node.is_group and len(dialect.kinds) > 1:
            yield (
                node,
                (
                    f"its manifest describes a {kind[1]}, and the node is a {node.kind}. Add a new node "
                    "instead."
                ),
            )
