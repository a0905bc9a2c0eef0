"""The form of Moab's fairshare tree in lines: `FSTREE[chem] SHARES=60 MEMBERLIST=user:ana,user:bo`.

A member without a kind is a node that a line of its own describes; it and members with a kind have the shares
of their own line, else 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fsconsole.shares.foreign import AFTER, BEFORE
from fsconsole.shares.formats.reading import MAX_DEPTH, Comments, Reading, kept_lines, numbered, refuse_more
from fsconsole.shares.formats.templates import escaped, rendered
from fsconsole.shares.formats.weights import weights_of_tree
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.tree import Kind, Node, ShareTree

FSTREE = re.compile(r"^\s*FSTREE\[[^\[\]\s]+\]", re.MULTILINE | re.IGNORECASE)
"""What a file of Moab's with a tree in lines has; targets (FSTARGET) may stand beside it."""
_NAME = "moab"
_LINE = re.compile(r"\s*FSTREE\[([^\[\]\s]+)\](?=\s|$)", re.IGNORECASE)
_SETTING = re.compile(r"(?<=\s)(SHARES|MEMBERLIST)=(\S*)", re.IGNORECASE)
_KINDS = {"user": Kind.USER, "acct": Kind.ACCOUNT, "account": Kind.ACCOUNT}
_ODD = re.compile(r"[\s\[\],:#=]")
_ROOT = "root"


def read_lines(text: str, reading: Reading) -> Reading:
    """Read FSTREE lines; a node that is not a member of another is at the top."""
    lines: dict[str, tuple[int, str]] = {}
    before: dict[str, list[tuple[int, str]]] = {}
    comments = Comments(reading)
    for number, line in numbered(text):
        match = _LINE.match(line)
        if match is None:
            comments.hold(number, line)
        elif match[1] in lines:
            reading.say(number, f"FSTREE[{match[1][:60]}] occurs twice, first in line {lines[match[1]][0]}")
        else:
            lines[match[1]] = number, line
            before[match[1]] = comments.take()
    if not lines:
        reading.say(1, "not a fairshare tree of Moab: it has neither <tnode> nor a line FSTREE[name]")
    members, count = {}, 0
    for name, (number, line) in lines.items():
        found = _member_list(line)
        count += found.count(",")
        refuse_more(count, number)
        members[name] = [member for member in found.split(",") if member]
    named = {member.partition(":")[2] or member for found in members.values() for member in found}
    tops = [name for name in lines if name not in named]
    root = tops[0] if tops == [_ROOT] else ""
    stack: list[tuple[Node, str, int]] = [
        (reading.root, name, 0) for name in reversed(members.get(root, tops))
    ]
    if root:
        _keep(reading, reading.root, lines.pop(root), before[root])
    seen: set[str] = set()
    while stack:
        parent, member, depth = stack.pop()
        kind, _, name = member.rpartition(":")
        number, line = lines.get(name, (reading.lines[parent.id, ""], ""))
        if depth > MAX_DEPTH or (line and name in seen):
            reading.say(number, f"{name[:60]} is a member twice: a node has one parent")
            continue
        seen.add(name) if line else None
        below = members[name] if line else []
        leaf = _KINDS.get(kind.lower(), Kind.ACCOUNT)
        node = reading.add(parent, name, Kind.GROUP if below else leaf, number)
        if kind and kind.lower() not in _KINDS:
            reading.keep(node, "@type", kind, number)
        if line:
            _keep(reading, node, (number, line), before[name])
        else:
            reading.weigh(node, "", number)
        stack.extend((node, one, depth + 1) for one in reversed(below))
    if len(seen) < len(lines) and not reading.problems:
        reading.say(1, f"{len(lines) - len(seen)} nodes are members of each other, without a top")
    comments.end()
    return reading


def _member_list(line: str) -> str:
    matches = _SETTING.finditer(line.partition("#")[0])
    return next((match[2] for match in matches if match[1].upper() == "MEMBERLIST"), "")


def _keep(reading: Reading, node: Node, row: tuple[int, str], before: Iterable[tuple[int, str]]) -> None:
    """Make a template of a node's line, and keep the comments above it."""
    number, line = row
    reading.keep_rows(node, BEFORE, before)
    pieces, place = [], 0
    start = _LINE.match(line)
    settings = {
        match[1].upper(): match for match in reversed(list(_SETTING.finditer(line.partition("#")[0])))
    }
    slots = [(start.start(1), start.end(1), "name")] if start else []
    slots += [(match.start(2), match.end(2), key) for key, match in settings.items()]
    for begin, end, key in sorted(slots):
        pieces += [escaped(line[place:begin]), f"⟨{key}⟩"]
        place = end
    reading.keep(node, "line", "".join([*pieces, escaped(line[place:])]), number)
    text = settings["SHARES"][2] if "SHARES" in settings else ""
    if node.parent is None:
        reading.keep(node, "rootshare", text, number)
    else:
        reading.weigh(node, text, number, f"SHARES of {node.name[:60]}")


def write_lines(tree: ShareTree) -> str:
    """Return lines for each node that holds others or that had one, parents first.

    Raises:
        ScenarioError: Moab cannot have a name, or not twice.
    """
    lines: list[str] = []
    seen: set[str] = set()
    weights = weights_of_tree(tree, _NAME)
    for node in tree.walk():
        template = node.foreign.get(f"{_NAME}.line", "")
        if node.parent is None and not template:
            continue
        if _ODD.search(node.name):
            fault = (
                f"Moab cannot have the name {node.name!r}: no blanks, brackets, commas or colons. Rename it."
            )
            raise ScenarioError([Problem(fault, node=node.id, path=node.name)])
        shares = node.foreign.get(f"{_NAME}.rootshare", "") if node.parent is None else weights[node.id]
        members = ",".join(_member(child) for child in tree.children(node.id))
        if not template:
            template = "FSTREE[⟨name⟩] SHARES=⟨SHARES⟩" + (" MEMBERLIST=⟨MEMBERLIST⟩" if members else "")
        elif members and "⟨MEMBERLIST⟩" not in template:
            template += " MEMBERLIST=⟨MEMBERLIST⟩"
        if shares and "⟨SHARES⟩" not in template:
            template += " SHARES=⟨SHARES⟩"
        is_top = node.parent == tree.root.id and f"{_NAME}.line" not in tree.root.foreign
        if (
            not members
            and not is_top
            and f"{_NAME}.line" not in node.foreign
            and weights[node.id] in ("", "1")
        ):
            continue
        if node.name in seen:
            fault = (
                f"Moab's lines have only one node of a name, and {node.name} occurs twice. Rename one "
                "of them."
            )
            raise ScenarioError([Problem(fault, node=node.id, path=node.name)])
        seen.add(node.name)
        lines += kept_lines(node, _NAME)
        values = {"name": node.name, "SHARES": shares, "MEMBERLIST": members}
        lines.append(rendered(template, values, plain=True))
    lines += kept_lines(tree.root, _NAME, AFTER)
    return "\n".join(lines) + "\n"


def _member(node: Node) -> str:
    if node.children:
        return node.name
    kind = node.foreign.get(f"{_NAME}.@type", "user" if node.kind is Kind.USER else "acct")
    return f"{kind}:{node.name}"
