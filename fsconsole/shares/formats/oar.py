"""Fairshare targets of OAR's scheduler: percentages of projects and users in oar.conf.

`SCHEDULER_FAIRSHARING_PROJECT_TARGETS` and `SCHEDULER_FAIRSHARING_USER_TARGETS` hold a hash of Perl each:
"{ first => 75, default => 25 }". There are no groups: projects and users stand in one group for each here.
Source: oar_sched_gantt_with_timesharing_and_fairsharing of OAR 2.5.9, and its admin guide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsconsole.shares.foreign import AFTER, BEFORE, WEIGHT
from fsconsole.shares.formats.base import Column, Format, Loss, Meaning, lost_of
from fsconsole.shares.formats.reading import Reading, kept_lines, numbered, readers, unwritable
from fsconsole.shares.formats.targets import check_per_cent, flat_targets, flattened, is_flat, kinds_as_groups
from fsconsole.shares.formats.weights import written_weights
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.numbers import short_percent
from fsconsole.text.words import plural

NAME = "oar"
_KEY = "SCHEDULER_FAIRSHARING_{}_TARGETS"
_WORDS = {"project": Kind.ACCOUNT, "user": Kind.USER}
_WRITTEN = {Kind.USER: "user", Kind.ACCOUNT: "project", Kind.GROUP: "project"}
_LINE = re.compile(r"""\s*SCHEDULER_FAIRSHARING_(PROJECT|USER)_TARGETS\s*=\s*(["']?)\{(.*)\}\2\s*(#.*)?""")
_START = re.compile(r"^\s*SCHEDULER_FAIRSHARING_(PROJECT|USER)_TARGETS\s*=", re.MULTILINE)
_PAIR = re.compile(r"""\s*(?:(\w+)|'([^'\\,]*)')\s*=>\s*([^\s,]+)\s*""")
_BARE = re.compile(r"[A-Za-z_]\w*")


def _read(text: str) -> Reading:
    reading = Reading(NAME)
    held: list[tuple[int, str]] = []
    found: dict[str, Node] = {}
    for number, line in numbered(text):
        match = _LINE.fullmatch(line)
        if match is None:
            if _START.match(line):
                reading.say(number, 'targets are not a hash: write "{ first => 75, default => 25 }"')
            held.append((number, line))
            continue
        word = match[1].lower()
        if word in found:
            reading.say(number, f"the targets of the {plural(2, word)} occur twice")
            continue
        node = found[word] = reading.add(reading.root, word, Kind.GROUP, number)
        reading.weigh(node, "", number)
        reading.keep_rows(node, BEFORE, held)
        held = []
        for pair in match[3].split(","):
            _target(reading, node, pair, number)
        if match[4]:
            reading.keep(node, "remark", match[4], number)
    if not found and not reading.problems:
        reading.say(1, f'no targets of OAR: there is no line {_KEY.format("USER")}="{{ ana => 25 }}"')
    while held and not held[-1][1].strip():
        held.pop()
    reading.keep_rows(reading.root, AFTER, held)
    return reading


def _target(reading: Reading, group: Node, pair: str, number: int) -> None:
    if not pair.strip():
        return
    match = _PAIR.fullmatch(pair)
    if match is None:
        reading.say(number, f"{pair.strip()[:60]!r} is not a target: write NAME => PER CENT")
        return
    name = match[1] if match[1] is not None else match[2]
    node = reading.add(group, name, _WORDS[group.name], number)
    reading.weigh(node, match[3], number, f"target of {name[:60]}")


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(tree, _unwritable(tree))
    if not is_flat(tree, _WORDS):
        targets = flat_targets(tree, _WRITTEN)
        rows = {
            word: {name: part for (kind, name), part in targets.items() if kind == word} for word in _WORDS
        }
        return "".join(_line(word, pairs, "") + "\n" for word, pairs in rows.items() if pairs)
    lines: list[str] = []
    for group in tree.children(tree.root.id):
        nodes = tree.children(group.id)
        weights = written_weights(nodes, NAME)
        lines += kept_lines(group, NAME)
        pairs = {node.name: weights[node.id] or "1" for node in nodes}
        lines.append(_line(group.name, pairs, group.foreign.get(f"{NAME}.remark", "")))
    lines += kept_lines(tree.root, NAME, AFTER)
    return "\n".join(lines) + "\n"


def _line(word: str, pairs: dict[str, str], remark: str) -> str:
    entries = ", ".join(f"{_spelled(name)} => {part}" for name, part in pairs.items())
    return f'{_KEY.format(word.upper())}="{{ {entries} }}" {remark}'.rstrip()


def _spelled(name: str) -> str:
    return name if name.isascii() and _BARE.fullmatch(name) else f"'{name}'"


def _unwritable(tree: ShareTree) -> Iterator[tuple[Node, str]]:
    for node in tree.walk():
        if node.parent is not None and not node.children and set(node.name) & set("'\"\\,{}#$@"):
            yield (
                node,
                f"OAR cannot have the name {node.name!r}: no quotes, commas, braces, # or $. Rename it.",
            )


def _rules(tree: ShareTree) -> Iterator[Problem]:
    for group in tree.children(tree.root.id):
        nodes = tree.children(group.id)
        texts = [node.foreign.get(f"{NAME}.{WEIGHT}", "") for node in nodes]
        total = sum(float(text) for text in texts if not check_per_cent(text))
        if total > 100.0001:
            whose = plural(2, group.name)
            found = short_percent(total / 100)
            fault = f"the targets of the {whose} sum to {found}, so they cannot all be reached"
            yield Problem(fault, Severity.WARNING, node=group.id, path=tree.path(group.id))
        if nodes and group.name == "project" and "default" not in {node.name for node in nodes}:
            fault = "no target for default: jobs without a project have the target 0"
            yield Problem(fault, Severity.NOTE, node=group.id, path=tree.path(group.id))


def _lost(scenario: Scenario) -> list[Loss]:
    leaves = (Kind.USER, Kind.ACCOUNT)
    return lost_of(scenario, NAME, leaves=leaves, others="account") + flattened(scenario.tree, _WORDS)


_scenario, _lines = readers(_read, "OAR fairshare targets", "oar.conf")
FORMAT = Format(
    NAME,
    "OAR fairshare targets",
    (".oar",),
    _scenario,
    _write,
    lambda text: _START.search(text) is not None,
    _lost,
    "The targets of projects and users in oar.conf",
    endings=(".conf",),
    columns=(Column(f"{NAME}.{WEIGHT}", "target", Meaning.TARGET, "% of all usage", check_per_cent),),
    rules=_rules,
    lines=_lines,
    caveats=lambda tree: kinds_as_groups(tree, _WORDS, "OAR"),
)
