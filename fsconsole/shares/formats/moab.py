"""Moab's fairshare tree: `<tnode>` elements of XML, or FSTREE lines with the members of each node.

A tree for each partition may stand in one file; each of them is a group below the root then, named after its
partition, while a single tree is the root itself. Attributes that nodes have besides name, type and share
(limits, qlist, adef) stay with them.
Source: Adaptive Computing's knowledge base, "What attributes are supported with a fairshare tree?", and the
Moab Administrator's Guide, "Fairshare", for `FSTREE[chem] SHARES=60 MEMBERLIST=user:ana,user:bo`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsconsole.shares.foreign import AFTER, BEFORE, FORM, WEIGHT
from fsconsole.shares.formats.base import Column, Format, Meaning, lost_of
from fsconsole.shares.formats.moab_lines import FSTREE, read_lines, write_lines
from fsconsole.shares.formats.reading import Reading, readers, unwritable
from fsconsole.shares.formats.weights import check_weight, inexact, weights_of_tree
from fsconsole.shares.formats.xml_tree import Comment, Element, parsed, raw, read_xml, xml_lines
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree
from fsconsole.text.words import count_words

NAME = "moab"
_TAG, _FOREST = "tnode", "forest"
_USER = "user"
_START = re.compile(r"<tnode[\s>/]")
_TARGET = re.compile(r"^[^#\n]*\bFSTARGET\s*=", re.MULTILINE | re.IGNORECASE)
_LIMITS = re.compile(r"[A-Z]+(\[\w+\])?=[\w:.,]+( [A-Z]+(\[\w+\])?=[\w:.,]+)*")


def _read(text: str) -> Reading:
    if _START.search(text) is None:
        return read_lines(text, Reading(NAME, form="lines"))
    reading = Reading(NAME, form="xml")
    body = re.sub(r"\A\ufeff?\s*<\?xml[^>]*\?>", lambda match: "\n" * match[0].count("\n"), text)
    top = read_xml(f"<trees>{body}\n</trees>").elements[0]
    inner = top.elements[0] if len(top.elements) == 1 and top.elements[0].tag != _TAG else top
    if inner is not top:
        reading.root.foreign[f"{NAME}.around"] = inner.tag
    trees = [item for item in inner.elements if item.tag == _TAG]
    if not trees:
        reading.say(1, "not a fairshare tree of Moab: it has no <tnode>")
    held: list[Comment] = []
    for item in inner.children:
        if isinstance(item, Comment):
            held.append(item)
        elif not isinstance(item, Element) or item.tag != _TAG:
            line = item.line if isinstance(item, Element) else inner.line
            reading.say(line, "a fairshare tree can contain only <tnode> elements")
        else:
            _top(reading, item, held, is_alone=len(trees) == 1)
            held = []
    if held:
        reading.keep(reading.root, AFTER, raw(held), held[0].line)
    return reading


def _top(reading: Reading, item: Element, comments: list[Comment], *, is_alone: bool) -> None:
    """Take the top of a tree: it is the root, or a group named after its partition among others."""
    if is_alone:
        node = reading.root
        reading.name_root(item.attributes.get("name", "").strip() or node.name, item.line)
    else:
        reading.root.foreign[f"{NAME}.{_FOREST}"] = "yes"
        name = item.attributes.get("name", "").strip()
        partition = item.attributes.get("partition", "").strip()
        node = reading.add(reading.root, partition or name, _kind(item), item.line)
        if partition:
            reading.keep(node, "top", name, item.line)
    _fill(reading, node, item, comments)


def _kind(item: Element) -> Kind:
    if item.elements:
        return Kind.GROUP
    return Kind.USER if item.attributes.get("type") == _USER else Kind.ACCOUNT


def _fill(reading: Reading, node: Node, element: Element, comments: list[Comment]) -> None:
    if comments:
        reading.keep(node, BEFORE, raw(comments), comments[0].line)
    for key, value in element.attributes.items():
        if key == "share":
            if node.parent is None:
                reading.keep(node, "rootshare", value, element.line)
            else:
                reading.weigh(node, value or "x", element.line, f"share of {node.name[:60]}")
        elif key != "name" and not (key == "type" and value == (_USER if not node.is_group else "acct")):
            reading.keep(node, f"@{key}", value, element.line)
    if node.parent is not None and "share" not in element.attributes:
        reading.weigh(node, "", element.line)
    held: list[Comment] = []
    for item in element.children:
        if isinstance(item, Comment):
            held.append(item)
        elif not isinstance(item, Element) or item.tag != _TAG:
            line = item.line if isinstance(item, Element) else element.line
            reading.say(line, "a fairshare tree can contain only <tnode> elements")
        else:
            child = reading.add(node, item.attributes.get("name", "").strip(), _kind(item), item.line)
            _fill(reading, child, item, held)
            held = []
    if held:
        reading.keep(node, "end", raw(held), held[0].line)


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(tree, _unwritable(tree))
    if tree.root.foreign.get(f"{NAME}.{FORM}") == "lines":
        return write_lines(tree)
    weights = weights_of_tree(tree, NAME)
    elements = {node.id: Element(_TAG, _attributes(node, weights)) for node in tree.walk()}
    for group in tree.walk():
        inside = elements[group.id].children
        for child in tree.children(group.id):
            inside += [*_kept(child, BEFORE), elements[child.id]]
        inside += _kept(group, "end")
    root = tree.root
    is_forest = f"{NAME}.{_FOREST}" in root.foreign and len(root.children) > 1
    items = elements[root.id].children if is_forest else [*_kept(root, BEFORE), elements[root.id]]
    items = [*items, *_kept(root, AFTER)]
    if around := root.foreign.get(f"{NAME}.around"):
        items = [Element(around, children=list(items))]
    return "".join(f"{line}\n" for item in items for line in xml_lines(item))


def _kept(node: Node, key: str) -> list[Element | Comment | str]:
    text = node.foreign.get(f"{NAME}.{key}")
    return parsed(text) if text else []


def _attributes(node: Node, weights: dict[int, str]) -> dict[str, str]:
    prefix = f"{NAME}.@"
    kept = {key.removeprefix(prefix): value for key, value in node.foreign.items() if key.startswith(prefix)}
    found = {key: kept.pop(key) for key in ("partition",) if key in kept}
    is_top = "partition" in found and node.parent == ROOT_ID
    found["name"] = node.foreign.get(f"{NAME}.top", node.name) if is_top else node.name
    if is_top and f"{NAME}.top" in node.foreign:
        found["partition"] = node.name
    found["type"] = kept.pop("type", _USER if node.kind is Kind.USER else "acct")
    share = node.foreign.get(f"{NAME}.rootshare", "100") if node.parent is None else weights[node.id]
    if share:
        found["share"] = share
    return found | kept


def _unwritable(tree: ShareTree) -> Iterator[tuple[Node, str]]:
    for node in tree.walk():
        if node.name != node.name.strip():
            yield node, f"Moab reads the name {node.name!r} as another one. Rename it."


def _rules(tree: ShareTree) -> Iterator[Problem]:
    yield from inexact(tree, NAME)
    kept = (node.foreign.get(f"{NAME}.{key}", "") for node in tree.walk() for key in (BEFORE, AFTER))
    targets = sum(len(_TARGET.findall(text)) for text in kept)
    if targets:
        fault = (
            f"{count_words(targets, 'target')} (FSTARGET) beside the fairshare tree: kept, but not part of it"
        )
        yield Problem(fault, Severity.NOTE, path="tree")
    for node in tree.walk():
        if node.parent is None:
            continue
        kind = node.foreign.get(f"{NAME}.@type", "")
        if node.is_group and kind == _USER:
            fault = f"{node.name} has the type user but contains nodes: users are leaves of a fairshare tree"
            yield Problem(fault, node=node.id, path=tree.path(node.id))


def _check_limits(text: str) -> str:
    if not text or _LIMITS.fullmatch(text):
        return ""
    return f"{text[:40]!r} are not limits. Write them as MAXJOB=6 MAXWC=1:00:00."


_scenario, _lines = readers(_read, "Moab fairshare tree", "moab.cfg")
FORMAT = Format(
    NAME,
    "Moab fairshare tree",
    (".moab", ".fstree"),
    _scenario,
    _write,
    lambda text: _START.search(text) is not None or FSTREE.search(text) is not None,
    lambda scenario: lost_of(scenario, NAME),
    "Moab's fairshare tree (FSTREE), as XML or as lines of moab.cfg",
    endings=(".xml", ".cfg"),
    columns=(
        Column(f"{NAME}.{WEIGHT}", "share", Meaning.WEIGHT, check=check_weight),
        Column(f"{NAME}.@limits", "limits", Meaning.LIMIT, check=_check_limits),
        Column(f"{NAME}.@qlist", "qlist", Meaning.SETTING),
        Column(f"{NAME}.@adef", "adef", Meaning.SETTING),
    ),
    rules=_rules,
    lines=_lines,
)
