"""Properties of YARN's Capacity Scheduler: queues by their path, capacities in %, weights or amounts.

A capacity in per cent is a guaranteed part of the parent, one that ends with w is a weight, and one in
brackets is an amount of resources: three different things, of which siblings have one. Properties of a queue
stay with its node in order under what follows the queue's path; those of no queue stay with the root.
Source: Hadoop, Capacity Scheduler, "Setting up queues" and "Queue Properties".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from fsconsole.shares.foreign import AFTER, FORM, PLACE, SCALE, WEIGHT, bare_key
from fsconsole.shares.formats.base import Column, Format, Meaning, lost_of
from fsconsole.shares.formats.reading import MAX_DEPTH, Reading, readers, unwritable
from fsconsole.shares.formats.weights import plain, weight_of, written_weights
from fsconsole.shares.formats.xml_tree import Comment, Element, parsed, raw, read_xml, xml_lines
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.numbers import short_percent
from fsconsole.text.words import listed

NAME = "yarn-capacity"
_PREFIX = "yarn.scheduler.capacity."
_TOP, _ROOT, _QUEUES, _CAPACITY, _MODE = "configuration", "root", "queues", "capacity", "mode"
_PER_CENT, _WEIGHTS, _ABSOLUTE = "per cent", "weight", "absolute"
_AMOUNT = re.compile(r"(?<=[\[,\s])(memory\s*=\s*)(\d{1,18})\s*([A-Za-z]*)(?=[\],\s])", re.IGNORECASE)
_MEBI = 2**20
# Hadoop's UnitsConversionUtil has these units; memory without a unit is in Mi.
_UNITS = {"": _MEBI, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15} | {
    f"{letter}i": 2 ** (10 * power) for power, letter in enumerate("KMGTP", 1)
}
_START = re.compile(r"<name>\s*yarn\.scheduler\.capacity\.root\.")
_TOLERANCE = 0.0005  # The Capacity Scheduler accepts sums that miss 100 by this much.


def _read(text: str) -> Reading:
    reading = Reading(NAME, form="xml")
    files = [item for item in read_xml(text).elements if item.tag == _TOP]
    if not files:
        reading.say(1, "not a file of the Capacity Scheduler: it has no <configuration>")
        return reading
    values: dict[str, tuple[str, int]] = {}
    for item in files[0].elements:
        name, value = _property(item)
        if item.tag != "property" or not name:
            reading.say(item.line, f"<{item.tag[:40]}> is not a property with a name")
        elif name in values:
            reading.say(item.line, f"{name[:80]} occurs twice, first in line {values[name][1]}")
        values.setdefault(name, (value, item.line))
    nodes = _grow(reading, values)
    _fill(reading, files[0], nodes)
    return reading


def _property(item: Element) -> tuple[str, str]:
    texts = {child.tag: child.text for child in item.elements}
    return texts.get("name", ""), texts.get("value", "")


def _grow(reading: Reading, values: dict[str, tuple[str, int]]) -> dict[str, Node]:
    """Return nodes by the path of their queue, from the lists of queues."""
    nodes = {_ROOT: reading.root}
    if f"{_PREFIX}{_ROOT}.{_QUEUES}" not in values:
        reading.say(1, f"no property {_PREFIX}{_ROOT}.{_QUEUES}, which lists the queues")
    stack = [(_ROOT, 0)]
    while stack:
        path, depth = stack.pop()
        names, line = values.get(f"{_PREFIX}{path}.{_QUEUES}", ("", 0))
        if depth > MAX_DEPTH:
            reading.say(line, f"queues are nested deeper than {MAX_DEPTH} levels, which is the limit")
            break
        for name in filter(None, (word.strip() for word in names.split(","))):
            if "." in name:
                reading.say(line, f"the queue name {name[:60]!r} has a dot: write it without its path")
            elif f"{path}.{name}" in nodes:
                reading.say(line, f"the queue {name[:60]!r} occurs twice below {path[:60]}")
            else:
                nodes[f"{path}.{name}"] = reading.add(nodes[path], name, Kind.ACCOUNT, line)
                stack.append((f"{path}.{name}", depth + 1))
    return nodes


def _fill(reading: Reading, top: Element, nodes: dict[str, Node]) -> None:
    """Store each property with its queue, and comments with the following property."""
    held: list[Comment] = []
    for item in top.children:
        if isinstance(item, Comment):
            held.append(item)
        elif isinstance(item, Element):
            name, value = _property(item)
            path, key = _split(name, nodes)
            node = nodes[path] if path else reading.root
            for comment in held:
                reading.keep(node, f"{'' if path else '/'}#comment", comment.text, comment.line)
            held = []
            others = [
                one
                for one in item.children
                if not (isinstance(one, Element) and one.tag in ("name", "value"))
            ]
            if path and key == _QUEUES:
                reading.keep(node, PLACE, "", item.line)
            elif path and key == _CAPACITY and node.parent is not None:
                _weigh(reading, node, value, item.line)
            else:
                reading.keep(node, key if path else f"/{name}", value, item.line)
            if others:
                reading.keep(node, f"{key if path else f'/{name}'}@", raw(others), item.line)
    if held:
        reading.keep(reading.root, AFTER, raw(held), held[0].line)
    for node in nodes.values():
        if node.parent is not None and f"{NAME}.{WEIGHT}" not in node.foreign:
            reading.say(reading.lines[node.id, ""], f"the queue {node.name[:60]} has no property {_CAPACITY}")


def _split(name: str, nodes: dict[str, Node]) -> tuple[str, str]:
    """Return the path of a property's queue, and the rest of its name."""
    tail = name.removeprefix(_PREFIX)
    if tail == name:
        return "", name
    words = tail.split(".")
    for size in range(min(len(words) - 1, MAX_DEPTH + 2), 0, -1):
        path = ".".join(words[:size])
        if path in nodes:
            return path, ".".join(words[size:])
    return "", name


def _weigh(reading: Reading, node: Node, text: str, line: int) -> None:
    if text.startswith("["):
        memory = _memory_mebi(text)
        if memory is None:
            fault = f"capacity of {node.name[:60]} must name memory, such as [memory=10240,vcores=12]"
            reading.say(
                line, f"{fault}, in Mi, or with one of the units {listed(list(filter(None, _UNITS)))}"
            )
        mode, number = _ABSOLUTE, plain(memory or Fraction(0))
        reading.keep(node, "amount", text, line)
    elif text.endswith("w"):
        mode, number = _WEIGHTS, text[:-1]
    else:
        mode, number = _PER_CENT, text
    reading.keep(node, _MODE, mode)
    reading.weigh(node, number or "nothing", line, f"capacity of {node.name[:60]}")


def _memory_mebi(text: str) -> Fraction | None:
    """Return the memory of an amount of resources; None without memory or for a unit unknown to Hadoop."""
    amount = _AMOUNT.search(text)
    if amount is None or amount[3] not in _UNITS:
        return None
    return Fraction(int(amount[2]) * _UNITS[amount[3]], _MEBI)


def _with_memory(text: str, mebi: Fraction) -> str:
    """Return an amount with other memory: a whole number in its unit, or Mi."""

    def memory(amount: re.Match[str]) -> str:
        number = mebi * _MEBI / _UNITS[amount[3]]
        is_whole = number.denominator == 1
        return f"{amount[1]}{number if is_whole else round(mebi)}{amount[3] if is_whole else 'Mi'}"

    return _AMOUNT.sub(memory, text, count=1)


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(tree, _unwritable(tree))
    paths = {tree.root.id: _ROOT}
    capacities: dict[int, str] = {}
    for group in tree.walk():
        capacities |= _capacities(tree.children(group.id))
        for node in tree.children(group.id):
            paths[node.id] = f"{paths[group.id]}.{node.name}"
    top = Element(_TOP)
    for node in tree.walk():
        names = ",".join(child.name for child in tree.children(node.id))
        top.children += _queue_properties(
            node, f"{_PREFIX}{paths[node.id]}.", names, capacities.get(node.id, "")
        )
    after = tree.root.foreign.get(f"{NAME}.{AFTER}")
    top.children += parsed(after) if after else []
    return "\n".join(['<?xml version="1.0"?>', *xml_lines(top)]) + "\n"


def _queue_properties(
    node: Node, prefix: str, queues: str, capacity: str
) -> Iterator[Element | Comment | str]:
    """Yield the properties of a queue in order; new ones come first."""
    if queues and f"{NAME}.{PLACE}" not in node.foreign:
        yield from _properties(prefix + _QUEUES, queues, node, _QUEUES)
    if capacity and f"{NAME}.{WEIGHT}" not in node.foreign:
        yield from _properties(prefix + _CAPACITY, capacity, node, _CAPACITY)
    for key, value in node.foreign.items():
        name = bare_key(key, NAME)
        if (
            not key.startswith(f"{NAME}.")
            or name in (FORM, SCALE, AFTER, _MODE, "amount")
            or name.endswith("@")
        ):
            continue
        if name in ("#comment", "/#comment"):
            yield Comment(value)
        elif name == PLACE:
            yield from _properties(prefix + _QUEUES, queues, node, _QUEUES) if queues else []
        elif name == WEIGHT:
            yield from _properties(prefix + _CAPACITY, capacity, node, _CAPACITY) if capacity else []
        else:
            full = name[1:] if name.startswith("/") else prefix + name
            yield from _properties(full, value, node, name)


def _properties(name: str, value: str, node: Node, key: str) -> Iterator[Element]:
    others = node.foreign.get(f"{NAME}.{key}@")
    pair: list[Element | Comment | str] = [Element("name", children=[name])]
    pair.append(Element("value", children=[value] if value else []))
    yield Element("property", children=pair + (parsed(others) if others else []))


def _capacities(nodes: list[Node]) -> dict[int, str]:
    """Return the capacity of each of some siblings, in the mode of the first; weights for new ones."""
    found = {}
    mode = next(
        (node.foreign[f"{NAME}.{_MODE}"] for node in nodes if f"{NAME}.{_MODE}" in node.foreign), _WEIGHTS
    )
    weights = written_weights(nodes, NAME)
    if mode == _PER_CENT and any(weights[node.id] != node.foreign.get(f"{NAME}.{WEIGHT}") for node in nodes):
        total = sum(node.shares for node in nodes) or 1
        weights = {node.id: plain(Fraction(100 * node.shares, total)) for node in nodes}
    for node in nodes:
        if mode == _ABSOLUTE:
            amount = node.foreign.get(f"{NAME}.amount", "[memory=0]")
            same = plain(_memory_mebi(amount) or Fraction(0)) == weights[node.id]
            found[node.id] = amount if same else _with_memory(amount, Fraction(weights[node.id]))
        else:
            found[node.id] = weights[node.id] + ("w" if mode == _WEIGHTS else "")
    return found


def _unwritable(tree: ShareTree) -> Iterator[tuple[Node, str]]:
    for node in tree.walk():
        if node.parent is not None and (set(node.name) & set(".,") or node.name != node.name.strip()):
            yield (
                node,
                f"YARN cannot have the queue name {node.name!r}: no dots, commas or blanks. Rename it.",
            )


def _rules(tree: ShareTree) -> Iterator[Problem]:
    for group in tree.walk():
        nodes = tree.children(group.id)
        modes = {node.foreign[f"{NAME}.{_MODE}"] for node in nodes if f"{NAME}.{_MODE}" in node.foreign}
        if len(modes) > 1:
            fault = (
                f"the capacities below {group.name} are given in {' and in '.join(sorted(modes))}. "
                "Use one unit"
            )
            yield Problem(fault, node=group.id, path=tree.path(group.id))
        elif modes == {_PER_CENT} and nodes:
            total = float(sum(weight_of(text) for text in _numbers(_capacities(nodes))))
            if abs(total - 100) > _TOLERANCE:
                found = short_percent(total / 100)
                fault = f"the capacities below {group.name} sum to {found}: YARN needs {short_percent(1)}"
                yield Problem(fault, node=group.id, path=tree.path(group.id))
        for node in nodes:
            most = node.foreign.get(f"{NAME}.maximum-capacity", "")
            least = node.foreign.get(f"{NAME}.{WEIGHT}", "")
            if modes == {_PER_CENT} and _is_number(most) and _is_number(least) and float(most) < float(least):
                fault = (
                    f"the maximum-capacity of {node.name}, {short_percent(float(most) / 100)}, is below its "
                    f"capacity, {short_percent(float(least) / 100)}"
                )
                yield Problem(fault, node=node.id, path=tree.path(node.id))


def _numbers(texts: dict[int, str]) -> Iterator[str]:
    return (text for text in texts.values() if _is_number(text))


def _is_number(text: str) -> bool:
    try:
        weight_of(text)
    except ValueError:
        return False
    return True


def _check_per_cent(text: str) -> str:
    if text in ("", "-1") or text.startswith("[") or (_is_number(text) and float(text) <= 100):
        return ""
    return f"{text[:40]!r} is not a percentage. Write a number from 0 to 100, or -1 for no maximum."


def _check_capacity(text: str) -> str:
    return (
        ""
        if _is_number(text)
        else f"{text[:40]!r} is not a capacity. Write a number of 0 or more, such as 40."
    )


_scenario, _lines = readers(_read, "YARN Capacity Scheduler", "capacity-scheduler.xml")
FORMAT = Format(
    NAME,
    "YARN Capacity Scheduler",
    (),
    _scenario,
    _write,
    lambda text: _START.search(text) is not None,
    lambda scenario: lost_of(scenario, NAME, leaves=(Kind.ACCOUNT,)),
    "The file capacity-scheduler.xml of YARN",
    endings=(".xml",),
    columns=(
        Column(f"{NAME}.{WEIGHT}", "capacity", Meaning.QUOTA, "% of parent, or weight", _check_capacity),
        Column(f"{NAME}.maximum-capacity", "maximum-capacity", Meaning.LIMIT, "%", _check_per_cent),
        Column(f"{NAME}.user-limit-factor", "user-limit-factor", Meaning.LIMIT),
        Column(f"{NAME}.priority", "priority", Meaning.PRIORITY),
        Column(f"{NAME}.state", "state", Meaning.SETTING),
    ),
    rules=_rules,
    lines=_lines,
)
