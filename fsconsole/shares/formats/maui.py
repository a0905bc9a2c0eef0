"""Fairshare targets of Maui: lines such as `USERCFG[ana] FSTARGET=25.0+` of maui.cfg, `USER:ana` of fs.cfg.

Users, groups, accounts, classes and QOS have targets of their own, in per cent of all usage; they stand here
in a group for each. A sign after the number says how the target is meant: + at least, - at most, % relative,
^ cap. All other lines and settings are written back at their place.
Source: Maui Administrator's Guide, 6.3 "Fairshare", and its parameters `FSPOLICY` and `USERCFG`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsconsole.shares.foreign import AFTER, WEIGHT
from fsconsole.shares.formats.base import Column, Format, Loss, Meaning, lost_of
from fsconsole.shares.formats.moab_lines import FSTREE
from fsconsole.shares.formats.reading import Comments, Reading, kept_lines, numbered, readers, unwritable
from fsconsole.shares.formats.targets import check_per_cent, flat_targets, flattened, is_flat, kinds_as_groups
from fsconsole.shares.formats.templates import escaped, rendered
from fsconsole.shares.formats.weights import written_weights
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.numbers import short_percent

NAME = "maui"
_WORDS = {"USER": Kind.USER} | dict.fromkeys(("GROUP", "ACCOUNT", "CLASS", "QOS"), Kind.ACCOUNT)
_WRITTEN = {Kind.USER: "USER", Kind.ACCOUNT: "ACCOUNT", Kind.GROUP: "ACCOUNT"}
_WORD = "USER|GROUP|ACCOUNT|CLASS|QOS"
_LINE = re.compile(rf"\s*(?:({_WORD})(?:CFG\[([^\[\]\s]+)\]|:([^\s:]+))(?=\s))", re.IGNORECASE)
_TARGET = re.compile(r"\bFSTARGET\s*=\s*([^\s,;#]*?)([-+%^]?)(?=[\s,;#]|$)", re.IGNORECASE)
_START = re.compile(rf"^{_LINE.pattern}[^#\n]*\bFSTARGET\s*=", re.MULTILINE | re.IGNORECASE)
_LINES, _SIGN = "lines", "sign"
_SIGNS = ("", "+", "-", "%", "^")
_BLANK = re.compile(r"[\s\[\]#]")


def _read(text: str) -> Reading:
    reading = Reading(NAME)
    comments = Comments(reading)
    groups: dict[str, Node] = {}
    nodes: dict[tuple[str, str], Node] = {}
    for number, line in numbered(text):
        match = _LINE.match(line)
        target = _TARGET.search(line.partition("#")[0]) if match else None
        if match is None or target is None:
            comments.hold(number, line)
            continue
        word, name = match[1].upper(), match[2] or match[3]
        if word not in groups:
            groups[word] = reading.add(reading.root, word, Kind.GROUP, number)
            reading.weigh(groups[word], "", number)
        if (word, name) in nodes:
            reading.say(number, f"a second FSTARGET of {word} {name[:60]}. Remove one")
            continue
        node = nodes[word, name] = reading.add(groups[word], name, _WORDS[word], number)
        comments.give(node)
        reading.weigh(node, target[1] or "nothing", number, f"FSTARGET of {name[:60]}")
        reading.keep(node, _SIGN, target[2], number)
        start, place = match.start(2 if match[2] else 3), target.start(1)
        pieces = [escaped(line[:start]), "⟨name⟩", escaped(line[match.end(2 if match[2] else 3) : place])]
        pieces += ["⟨weight⟩⟨sign⟩", escaped(line[target.end() :])]
        reading.keep(node, _LINES, "".join(pieces), number)
    if not nodes and not reading.problems:
        reading.say(1, "no target of Maui: a line such as USERCFG[ana] FSTARGET=25.0 is missing")
    comments.end()
    return reading


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(tree, _unwritable(tree))
    if not is_flat(tree, _WORDS):
        targets = flat_targets(tree, _WRITTEN)
        lines = [f"{word}CFG[{name}]\tFSTARGET={part}" for (word, name), part in targets.items()]
        return "\n".join(lines) + "\n"
    lines = []
    for group in tree.children(tree.root.id):
        nodes = tree.children(group.id)
        weights = written_weights(nodes, NAME)
        for node in nodes:
            lines += kept_lines(node, NAME)
            template = node.foreign.get(
                f"{NAME}.{_LINES}", f"{group.name}CFG[⟨name⟩]\tFSTARGET=⟨weight⟩⟨sign⟩"
            )
            values = {"name": node.name, WEIGHT: weights[node.id] or "1"}
            values[_SIGN] = node.foreign.get(f"{NAME}.{_SIGN}", "")
            lines.append(rendered(template, values, plain=True))
    lines += kept_lines(tree.root, NAME, "after")
    return "\n".join(lines) + "\n"


def _unwritable(tree: ShareTree) -> Iterator[tuple[Node, str]]:
    if not any(not node.children for node in tree.walk() if node.parent is not None and not node.is_group):
        yield tree.root, "the tree has no leaf that could have a target. Add a user first"
    for node in tree.walk():
        if node.parent is not None and not node.children and _BLANK.search(node.name):
            yield node, f"Maui cannot have the name {node.name!r}: no blanks, brackets or #. Rename it."


def _rules(tree: ShareTree) -> Iterator[Problem]:
    yield from _without_target(tree)
    for group in tree.children(tree.root.id):
        for node in tree.children(group.id):
            target = node.foreign.get(f"{NAME}.{WEIGHT}", "")
            if target and check_per_cent(target):
                yield Problem(check_per_cent(target), Severity.WARNING, node=node.id, path=tree.path(node.id))
        total = sum(_per_cent(node) for node in tree.children(group.id))
        if total > 100.0001:
            found = short_percent(total / 100)
            fault = f"the targets of {group.name} sum to {found}, so they cannot all be reached"
            yield Problem(fault, Severity.WARNING, node=group.id, path=tree.path(group.id))


def _without_target(tree: ShareTree) -> Iterator[Problem]:
    """Yield users and others whose lines have no FSTARGET: the tree does not have them."""
    kinds = tree.children(tree.root.id)
    known = {(kind.name, node.name) for kind in kinds for node in tree.children(kind.id)}
    kept = [line for node in tree.walk() for line in kept_lines(node, NAME)]
    for line in [*kept, *kept_lines(tree.root, NAME, AFTER)]:
        if match := _LINE.match(line):
            word, name = match[1].upper(), match[2] or match[3]
            if (word, name) not in known and name.upper() != "DEFAULT":
                known.add((word, name))
                yield Problem(f"{word} {name[:60]} has no FSTARGET, so it is not in the tree", Severity.NOTE)


def _per_cent(node: Node) -> float:
    text = node.foreign.get(f"{NAME}.{WEIGHT}", "")
    is_floor = node.foreign.get(f"{NAME}.{_SIGN}", "") in ("", "+")
    return float(text) if is_floor and not check_per_cent(text) else 0.0


def _check_sign(text: str) -> str:
    return "" if text in _SIGNS else f"{text[:40]!r} is not a sign of a target. Write +, -, %, ^ or nothing."


def _lost(scenario: Scenario) -> list[Loss]:
    leaves = (Kind.USER, Kind.ACCOUNT)
    return lost_of(scenario, NAME, leaves=leaves, others="account") + flattened(scenario.tree, _WORDS)


_scenario, _lines = readers(_read, "Maui fairshare targets", "maui.cfg")
FORMAT = Format(
    NAME,
    "Maui fairshare targets",
    (".maui",),
    _scenario,
    _write,
    lambda text: _START.search(text) is not None and FSTREE.search(text) is None,
    _lost,
    "The targets (FSTARGET) in maui.cfg or fs.cfg",
    endings=(".cfg",),
    columns=(
        Column(f"{NAME}.{WEIGHT}", "FSTARGET", Meaning.TARGET, "% of all usage", check_per_cent),
        Column(f"{NAME}.{_SIGN}", "FSTARGET sign", Meaning.SETTING, check=_check_sign),
    ),
    rules=_rules,
    lines=_lines,
    caveats=lambda tree: kinds_as_groups(tree, _WORDS, "Maui"),
)
