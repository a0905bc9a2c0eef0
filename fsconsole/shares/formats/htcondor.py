"""Accounting groups of HTCondor: `GROUP_NAMES`, quotas and surplus, as macros of its configuration.

A quota is a number of slots (GROUP_QUOTA_x) or a part of the parent's (GROUP_QUOTA_DYNAMIC_x): it is a
guarantee and not a weight; what is left over goes to groups that accept surplus. Dots in the name of a group
are levels. Shares are the quotas as they stand among siblings. All other macros and comments stay.
Source: HTCondor's manual, "Group Quotas", and the macros of the condor_negotiator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from fsconsole.shares.foreign import AFTER, BEFORE, FORM, IMPLICIT, PLACE, SCALE, WEIGHT, bare_key
from fsconsole.shares.formats.base import Column, Format, Meaning, lost_of
from fsconsole.shares.formats.reading import (
    MAX_DEPTH,
    Reading,
    joined,
    numbered,
    readers,
    unwritable,
)  # fmt: skip
from fsconsole.shares.formats.weights import check_weight, inexact, plain, weight_of, written_weights
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree

NAME = "htcondor"
_NAMES = "GROUP_NAMES"
_STATIC, _DYNAMIC = "GROUP_QUOTA", "GROUP_QUOTA_DYNAMIC"
_BY_GROUP = (_DYNAMIC, _STATIC, "GROUP_ACCEPT_SURPLUS", "GROUP_AUTOREGROUP", "GROUP_PRIO_FACTOR")
_LINE = re.compile(r"\s*([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*")
_START = re.compile(r"^\s*GROUP_NAMES\s*=", re.MULTILINE | re.IGNORECASE)
_MODE = "quota"
_WORDS = ("true", "false", "yes", "no", "t", "f", "1", "0")
_GROUP_NAME = re.compile(r"[A-Za-z_][\w-]*")
_NO_MACRO = "no macro of HTCondor can be about {!r}: their names contain only letters, digits and _"


def _read(text: str) -> Reading:
    reading = Reading(NAME, default="0")
    rows = list(joined(numbered(text)))
    nodes: dict[str, Node] = {}
    for number, line in rows:
        match = _LINE.fullmatch(line)
        if match and match[1].upper() == _NAMES:
            for name in re.split(r"[\s,]+", match[2]):
                if name:
                    _group(reading, nodes, name, number)
    if not nodes and not reading.problems:
        reading.say(1, "no groups of HTCondor: there is no line such as GROUP_NAMES = physics, physics.lab1")
    _fill(reading, rows, nodes)
    for node in nodes.values():
        if f"{NAME}.{WEIGHT}" not in node.foreign:
            reading.weigh(node, "", reading.lines[node.id, ""])
    return reading


def _fill(reading: Reading, rows: list[tuple[int, str]], nodes: dict[str, Node]) -> None:
    """Store each macro with its group, and other lines with the following macro."""
    held: list[tuple[int, str]] = []
    for number, line in rows:
        match = _LINE.fullmatch(line)
        macro, node = _macro(match[1], nodes) if match else ("", None)
        if match is None or (node is None and match[1].upper() != _NAMES):
            held.append((number, line))
            continue
        owner = node if node is not None else reading.root
        if held:
            key = reading.free_key(owner, "#lines").removeprefix(f"{NAME}.")
            reading.keep_rows(owner, key, held)
            held = []
        if node is None:
            if f"{NAME}.{PLACE}" not in owner.foreign:
                reading.keep(owner, PLACE, "", number)
        elif macro in (_STATIC, _DYNAMIC):
            _quota(reading, node, macro, match[2], number)
        else:
            reading.keep(node, macro, match[2], number)
    while held and not held[-1][1].strip():
        held.pop()
    reading.keep_rows(reading.root, AFTER, held)


def _group(reading: Reading, nodes: dict[str, Node], name: str, number: int) -> None:
    levels = name.split(".")
    if not all(levels) or len(levels) > MAX_DEPTH:
        reading.say(number, f"{name[:60]!r} is not a name of a group: levels are separated by single dots")
        return
    parent = reading.root
    for depth in range(1, len(levels) + 1):
        path = ".".join(levels[:depth]).lower()
        if path in nodes and depth == len(levels):
            if f"{NAME}.{IMPLICIT}" not in nodes[path].foreign:
                reading.say(number, f"{name[:60]} occurs twice in {_NAMES}")
            nodes[path].foreign.pop(f"{NAME}.{IMPLICIT}", None)
        elif path not in nodes:
            nodes[path] = reading.add(parent, levels[depth - 1], Kind.ACCOUNT, number)
            if depth < len(levels):
                reading.keep(nodes[path], IMPLICIT, "yes")
        parent = nodes[path]


def _macro(name: str, nodes: dict[str, Node]) -> tuple[str, Node | None]:
    """Return the macro without the group's name, and the group's node; no node for other macros."""
    upper = name.upper()
    for macro in _BY_GROUP:
        if upper.startswith(f"{macro}_"):
            node = nodes.get(name[len(macro) + 1 :].lower())
            if node is not None:
                return macro, node
    return upper, None


def _quota(reading: Reading, node: Node, macro: str, text: str, number: int) -> None:
    if f"{NAME}.{WEIGHT}" in node.foreign or "$(" in text:
        # The first one counts; the meaning of a macro is unknown here.
        reading.keep(node, macro, text, number)
        return
    reading.keep(node, _MODE, macro, number)
    reading.weigh(node, text or "nothing", number, f"{macro} of {node.name[:60]}")


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(tree, _unwritable(tree))
    paths: dict[int, str] = {}
    quotas: dict[int, tuple[str, str]] = {}
    for group in tree.walk():
        for node in tree.children(group.id):
            paths[node.id] = f"{paths[group.id]}.{node.name}" if group.id in paths else node.name
        quotas |= _quotas(tree.children(group.id))
    named = [paths[node.id] for node in tree.walk() if node.id in paths and not _is_implicit(node)]
    names = f"{_NAMES} = {', '.join(named)}"
    lines: list[str] = []
    faults: list[tuple[Node, str]] = []
    for node in tree.walk():
        path = paths.get(node.id, "")
        own = list(_lines_of(node, path, quotas.get(node.id, ("", "")), names))
        if "-" in path and any(line.partition(" = ")[0].endswith(f"_{path}") for line in own):
            faults.append((node, f"{_NO_MACRO.format(path)}. Rename the group."))
        lines += own
    unwritable(tree, faults)
    after = tree.root.foreign.get(f"{NAME}.{AFTER}")
    return "\n".join([*lines, *([after] if after else [])]) + "\n"


def _is_implicit(node: Node) -> bool:
    return f"{NAME}.{IMPLICIT}" in node.foreign


def _lines_of(node: Node, path: str, quota: tuple[str, str], names: str) -> Iterator[str]:
    """Yield the macros of a group or of the root in order; new ones come first."""
    if node.parent is None and f"{NAME}.{PLACE}" not in node.foreign:
        yield names
    if node.parent is not None and quota[1] and f"{NAME}.{WEIGHT}" not in node.foreign:
        yield f"{quota[0]}_{path} = {quota[1]}"
    for key, value in node.foreign.items():
        name = bare_key(key, NAME)
        if not key.startswith(f"{NAME}.") or name in (FORM, SCALE, IMPLICIT, AFTER, BEFORE, _MODE):
            continue
        if name == "#lines":
            yield value
        elif name == PLACE:
            yield names
        elif name == WEIGHT:
            yield from [f"{quota[0]}_{path} = {quota[1]}"] if quota[1] else []
        else:
            yield f"{name}_{path} = {value}"


def _quotas(nodes: list[Node]) -> dict[int, tuple[str, str]]:
    """Return macro and value of each sibling's quota; new ones get parts of the parent."""
    modes = [node.foreign[f"{NAME}.{_MODE}"] for node in nodes if f"{NAME}.{_MODE}" in node.foreign]
    texts = written_weights(nodes, NAME, "0")
    if not modes:
        total = sum(node.shares for node in nodes)
        known = any(f"{NAME}.{WEIGHT}" in node.foreign for node in nodes)
        if not (known and not total):
            parts = {node.id: plain(Fraction(node.shares, total or 1)) for node in nodes}
            return {node: (_DYNAMIC, part) for node, part in parts.items()}
    first = modes[0] if modes else _DYNAMIC
    return {node.id: (node.foreign.get(f"{NAME}.{_MODE}", first), texts[node.id]) for node in nodes}


def _unwritable(tree: ShareTree) -> Iterator[tuple[Node, str]]:
    for group in tree.walk():
        seen: set[str] = set()
        for node in tree.children(group.id):
            if not (node.name.isascii() and _GROUP_NAME.fullmatch(node.name)):
                yield (
                    node,
                    f"HTCondor cannot have the group name {node.name!r}: use letters, digits, _ and -.",
                )
            if node.name.lower() in seen:
                yield (
                    node,
                    f"HTCondor does not distinguish {node.name} from a sibling: case is ignored. Rename one.",
                )
            seen.add(node.name.lower())


def _rules(tree: ShareTree) -> Iterator[Problem]:
    yield from inexact(tree, NAME, "0")
    for group in tree.walk():
        nodes = tree.children(group.id)
        path = tree.path(group.id)
        modes = {node.foreign.get(f"{NAME}.{_MODE}") for node in nodes} - {None}
        if len(modes) > 1:
            fault = (
                f"below {group.name} some quotas are slots and some are fractions. The shares here "
                "compare both"
            )
            yield Problem(fault, Severity.WARNING, node=group.id, path=path)
        total = sum((_part(node) for node in nodes), Fraction(0))
        if modes == {_DYNAMIC} and total > 1:
            fault = f"the dynamic quotas below {group.name} sum to {float(total):g}, more than the whole"
            yield Problem(fault, Severity.WARNING, node=group.id, path=path)
        for node in nodes:
            if "-" in node.name:
                fault = f"{_NO_MACRO.format(node.name)}, so it has no quota"
                yield Problem(fault, Severity.WARNING, node=node.id, path=tree.path(node.id))
            if _is_implicit(node):
                fault = f"{node.name} is not in {_NAMES}, but groups below it are. HTCondor ignores these"
                yield Problem(fault, Severity.WARNING, node=node.id, path=tree.path(node.id))


def _part(node: Node) -> Fraction:
    try:
        return weight_of(node.foreign.get(f"{NAME}.{WEIGHT}", ""))
    except ValueError:
        return Fraction(0)


def _check_word(text: str) -> str:
    if text.lower() in ("", *_WORDS) or "$(" in text:
        return ""
    return f"{text[:40]!r} is not true or false."


_scenario, _lines = readers(_read, "HTCondor groups", "HTCondor configuration")
FORMAT = Format(
    NAME,
    "HTCondor group quotas",
    (".htcondor",),
    _scenario,
    _write,
    lambda text: _START.search(text) is not None,
    lambda scenario: lost_of(scenario, NAME, leaves=(Kind.ACCOUNT,)),
    "Accounting groups and their quotas from HTCondor's configuration",
    endings=(".conf", ".config"),
    columns=(
        Column(f"{NAME}.{WEIGHT}", "quota", Meaning.QUOTA, "slots, or fraction of parent", check_weight, "0"),
        Column(f"{NAME}.GROUP_ACCEPT_SURPLUS", "GROUP_ACCEPT_SURPLUS", Meaning.SETTING, check=_check_word),
        Column(f"{NAME}.GROUP_AUTOREGROUP", "GROUP_AUTOREGROUP", Meaning.SETTING, check=_check_word),
        Column(f"{NAME}.GROUP_PRIO_FACTOR", "GROUP_PRIO_FACTOR", Meaning.PRIORITY, check=check_weight),
    ),
    rules=_rules,
    lines=_lines,
)
