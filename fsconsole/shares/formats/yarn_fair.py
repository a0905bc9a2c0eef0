"""Allocation files of YARN's Fair Scheduler: queues in XML, weights that may be fractions.

What a queue says besides its weight stays with the node in order: text as it is, elements with attributes or
elements in them as XML under a key in angle brackets, comments under a key with #. A key that begins with /
is of the file's top, outside of the queue `root`.
Source: Hadoop, Fair Scheduler, "Allocation file format".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsconsole.shares.foreign import BEFORE, FORM, PLACE, SCALE, WEIGHT, bare_key
from fsconsole.shares.formats.base import Column, Format, Meaning, lost_of
from fsconsole.shares.formats.reading import Reading, readers, unwritable
from fsconsole.shares.formats.weights import check_weight, inexact, weights_of_tree
from fsconsole.shares.formats.xml_tree import Comment, Element, parsed, raw, read_xml, xml_lines
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree

NAME = "yarn-fair"
_QUEUES = ("queue", "pool")
_TOP, _ROOT = "allocations", "root"
_START = re.compile(r"<allocations[\s>/]")
_PARENT = "parent"
Item = Element | Comment | str


def _read(text: str) -> Reading:
    reading = Reading(NAME, form="flat")
    top = read_xml(text)
    files = [item for item in top.elements if item.tag == _TOP]
    if not files:
        reading.say(1, "not an allocation file of the Fair Scheduler: it has no <allocations>")
        return reading
    for item in top.children:
        if isinstance(item, Comment):
            reading.keep(reading.root, BEFORE, raw([item]), item.line)
    _fill(reading, reading.root, files[0], "/")
    return reading


def _fill(reading: Reading, node: Node, element: Element, prefix: str = "") -> None:
    """Read an element into a node, and the queues in it."""
    held: list[Comment] = []
    comments = 0
    for item in element.children:
        if isinstance(item, Comment):
            held.append(item)
        elif isinstance(item, str):
            reading.say(element.line, f"text in <{element.tag}> that is in no element: {item.strip()[:40]!r}")
        elif item.tag in _QUEUES:
            if f"{NAME}.{prefix}{PLACE}" not in node.foreign:
                reading.keep(node, prefix + PLACE, "")
            _queue(reading, node, item, held, is_top=prefix == "/")
            held = []
        else:
            for one in held:
                comments += 1
                reading.keep(node, f"{prefix}#{comments}", one.text, one.line)
            held = []
            _say(reading, node, item, prefix)
    for one in held:
        comments += 1
        reading.keep(node, f"{prefix}#{comments}", one.text, one.line)


def _say(reading: Reading, node: Node, item: Element, prefix: str) -> None:
    if item.tag == WEIGHT and not prefix and item.is_plain:
        if f"{NAME}.{WEIGHT}" in node.foreign:
            reading.say(item.line, f"<weight> of {node.name[:60]} occurs twice")
        reading.weigh(node, item.text or "nothing", item.line)
    elif item.is_plain:
        reading.keep(node, prefix + item.tag, item.text, item.line)
    else:
        reading.keep(node, f"{prefix}<{item.tag}>", raw([item]), item.line)


def _queue(reading: Reading, parent: Node, item: Element, comments: list[Comment], *, is_top: bool) -> None:
    name = item.attributes.get("name", "").strip()
    if is_top and name == _ROOT:
        if reading.root.foreign[f"{NAME}.{FORM}"] == _ROOT:
            reading.say(item.line, "the queue root occurs twice")
        reading.root.foreign[f"{NAME}.{FORM}"] = _ROOT
        node = reading.root
    elif not name:
        reading.say(item.line, f'<{item.tag}> has no name: write <{item.tag} name="…">')
        return
    else:
        node = reading.add(parent, name, Kind.ACCOUNT, item.line)
    if item.attributes.get("type") == _PARENT:
        node.kind = Kind.GROUP
    if comments:
        reading.keep(node, BEFORE, raw(comments), comments[0].line)
    if item.tag != _QUEUES[0]:
        reading.keep(node, "@", item.tag, item.line)
    for key, value in item.attributes.items():
        if key != "name":
            reading.keep(node, f"@{key}", value, item.line)
    _fill(reading, node, item)
    if node.parent is not None and f"{NAME}.{WEIGHT}" not in node.foreign:
        reading.weigh(node, "", item.line)


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(
        tree,
        (
            (node, f"YARN reads the queue name {node.name!r} as another one. Rename it.")
            for node in tree.walk()
            if node.name != node.name.strip()
        ),
    )
    top = Element(_TOP)
    root = tree.root
    has_root = root.foreign.get(f"{NAME}.{FORM}") != "flat" or tree.child_named(root.id, _ROOT) is not None
    weights = weights_of_tree(tree, NAME)
    queues = {node.id: _element(node) for node in tree.walk() if node.parent is not None or has_root}
    for node in tree.walk():
        if node.id in queues:
            inside = list(_with_comments(tree, node, queues))
            queues[node.id].children = list(_queue_items(node, inside, "", weights.get(node.id)))
    inside = [*_before(root), queues[root.id]] if has_root else list(_with_comments(tree, root, queues))
    top.children = list(_queue_items(root, inside, "/", None))
    comments = [] if has_root else [line for item in _before(root) for line in xml_lines(item)]
    return "\n".join(['<?xml version="1.0"?>', *comments, *xml_lines(top)]) + "\n"


def _before(node: Node) -> list[Item]:
    text = node.foreign.get(f"{NAME}.{BEFORE}")
    return [] if text is None else parsed(text)


def _with_comments(tree: ShareTree, group: Node, queues: dict[int, Element]) -> Iterator[Item]:
    for child in tree.children(group.id):
        yield from _before(child)
        yield queues[child.id]


def _element(node: Node) -> Element:
    """Return the element of a queue, still empty."""
    tag = node.foreign.get(f"{NAME}.@", _QUEUES[0])
    attributes = {"name": node.name if node.parent is not None else _ROOT}
    for key, value in node.foreign.items():
        name = bare_key(key, NAME)
        if key.startswith(f"{NAME}.@") and name != "@":
            attributes[name[1:]] = value
    if node.is_group and not node.children:
        attributes.setdefault("type", _PARENT)
    return Element(tag if tag in _QUEUES else _QUEUES[0], attributes)


def _queue_items(node: Node, queues: list[Item], prefix: str, weight: str | None) -> Iterator[Item]:
    """Yield the values and queues of a node in order; the weight of a new node comes first."""
    if weight and f"{NAME}.{WEIGHT}" not in node.foreign:
        yield Element(WEIGHT, children=[weight])
    for key, value in node.foreign.items():
        name = key.removeprefix(f"{NAME}.")
        if name == key or name.startswith("/") != (prefix == "/"):
            continue
        name = name.removeprefix(prefix)
        if name == PLACE:
            yield from queues
            queues = []
        elif name == WEIGHT and not prefix and weight is not None:
            yield from [Element(WEIGHT, children=[weight])] if weight else []
        elif name not in (FORM, SCALE, BEFORE) and not name.startswith("@"):
            yield from _kept(name, value)
    yield from queues


def _kept(name: str, value: str) -> list[Item]:
    if name.startswith("#"):
        return [Comment(value)]
    if name.startswith("<"):
        return parsed(value)
    return [Element(bare_key(name, ""), children=[value] if value else [])]


def _rules(tree: ShareTree) -> Iterator[Problem]:
    yield from inexact(tree, NAME)
    for node in tree.walk():
        if node.parent is None:
            continue
        if "." in node.name:
            text = f"the queue name {node.name} has a dot: the Fair Scheduler refuses it"
            yield Problem(text, node=node.id, path=tree.path(node.id))
        if not node.shares:
            text = f"{node.name} has weight 0, so its share is only its minResources"
            yield Problem(text, Severity.WARNING, node=node.id, path=tree.path(node.id))
        least, most = (
            _amounts(node.foreign.get(f"{NAME}.{key}", "")) for key in ("minResources", "maxResources")
        )
        if any(unit in most and amount > most[unit] for unit, amount in least.items()):
            text = f"{node.name} has more minResources than maxResources"
            yield Problem(text, Severity.WARNING, node=node.id, path=tree.path(node.id))


def _amounts(text: str) -> dict[str, float]:
    """Read `1024 mb, 4 vcores` as numbers by unit; nothing for percentages."""
    return {unit.lower(): float(number) for number, unit in _AMOUNT.findall(text[:200])}


_AMOUNT = re.compile(r"(\d{1,15})\s*(mb|vcores)\b", re.IGNORECASE)


def _check_whole(text: str) -> str:
    if not text or (text.isascii() and text.isdigit()):
        return ""
    return f"{text[:40]!r} is not a count. Write a whole number from 0."


_scenario, _lines = readers(_read, "YARN Fair Scheduler", "fair-scheduler.xml")
FORMAT = Format(
    NAME,
    "YARN Fair Scheduler",
    (),
    _scenario,
    _write,
    lambda text: _START.search(text) is not None,
    lambda scenario: lost_of(scenario, NAME, leaves=(Kind.ACCOUNT,), empty_groups=True),
    "The allocation file of YARN's Fair Scheduler",
    endings=(".xml",),
    columns=(
        Column(f"{NAME}.{WEIGHT}", "weight", Meaning.WEIGHT, check=check_weight),
        Column(f"{NAME}.minResources", "minResources", Meaning.QUOTA),
        Column(f"{NAME}.maxResources", "maxResources", Meaning.LIMIT),
        Column(f"{NAME}.maxRunningApps", "maxRunningApps", Meaning.LIMIT, "applications", _check_whole),
        Column(f"{NAME}.schedulingPolicy", "schedulingPolicy", Meaning.SETTING),
    ),
    rules=_rules,
    lines=_lines,
)
