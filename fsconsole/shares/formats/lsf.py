"""LSF's fairshare: FAIRSHARE of queues (lsb.queues) and the share trees of user groups (lsb.users).

Both files may stand in one. The text stays with the root as a template in which names, members and shares are
slots, so comments, columns and sections that say nothing of shares are written back. A group that is a member
of two others stands in both. `group@` is each of its members where the file names them all, else a leaf of
that name; `default` and `others` are leaves with these names.
Source: LSF Configuration Reference, "lsb.users" (UserGroup) and "lsb.queues" (FAIRSHARE): groups are defined
before they are used, shares are whole numbers from 1, group names are not those of users.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from fsconsole.shares.formats.base import Column, Format, Meaning, lost_of
from fsconsole.shares.formats.reading import MAX_DEPTH, Reading, numbered, readers, unwritable
from fsconsole.shares.formats.templates import escaped, rendered
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.numbers import thousands
from fsconsole.text.words import listed

NAME = "lsf"
_BEGIN = re.compile(r"\s*(Begin|End)\s+(\w+)\s*(#.*)?", re.IGNORECASE)
_START = re.compile(r"^\s*Begin\s+UserGroup\b|^\s*FAIRSHARE\s*=\s*USER_SHARES", re.MULTILINE | re.IGNORECASE)
_CELL = re.compile(r"\([^()]*\)|[^\s()]\S*")
_PAIR = re.compile(r"\[\s*([^\[\],\s]+)\s*,\s*(\d{1,10})\s*\]")
_FAIRSHARE = re.compile(r"\s*FAIRSHARE\s*=\s*(USER_SHARES\s*\[(.*)\])\s*", re.IGNORECASE)
_QUEUE_NAME = re.compile(r"\s*QUEUE_NAME\s*=\s*(\S+)\s*", re.IGNORECASE)
_ODD = re.compile(r"[\s\[\](),#]")
_FILE, _ROW, _QUEUE, _MEMBERS, _NEW = "file", "row", "queue", "GROUP_MEMBER", "new groups"
_OF = "member of"
_COLUMNS = ("GROUP_NAME", "GROUP_MEMBER", "USER_SHARES")
_MOST = 200_000  # Groups that are members of many others multiply, so nodes have a limit.
_FRESH = f"""\
# lsb.queues
Begin Queue
QUEUE_NAME = normal
FAIRSHARE = ⟨{_QUEUE} ⟩
End Queue

# lsb.users
Begin UserGroup
GROUP_NAME GROUP_MEMBER USER_SHARES
⟨?{_NEW}⟩⟨{_NEW}⟩
End UserGroup"""


@dataclass(slots=True)
class _Group:
    """A row of UserGroup or a queue: its shares, and its line in the template."""

    line: int
    shares: list[tuple[str, int]] = field(default_factory=list)
    members: str = ""
    place: int = -1
    text: str = ""
    is_in_tree: bool = False


class _File:
    """The rows of a file and its template."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.groups: dict[str, _Group] = {}
        self.queues: dict[str, _Group] = {}
        self.template: list[str] = []
        self._section = ""
        self._columns: list[str] = []
        self._queue = ""

    def take(self, number: int, line: str) -> None:
        bounds = _BEGIN.fullmatch(line)
        content = line.partition("#")[0]
        if bounds:
            is_begin = bounds[1].lower() == "begin"
            self._section = bounds[2].lower() if is_begin else ""
            self._columns, self._queue = [], ""
            self.template.append(escaped(line))
        elif self._section == "usergroup" and content.strip():
            self._row(number, line, content)
        elif self._section == "queue" and content.strip():
            self._setting(number, line, content)
        else:
            self.template.append(escaped(line))

    def _row(self, number: int, line: str, content: str) -> None:
        cells = list(_CELL.finditer(content))
        if not self._columns:
            self._columns = [cell[0].upper() for cell in cells]
            if "GROUP_NAME" not in self._columns:
                self.reading.say(number, "the first row of UserGroup must have the title GROUP_NAME")
            self.template += [escaped(line), f"⟨?{_NEW}⟩⟨{_NEW}⟩"]
            return
        found = dict(zip(self._columns, cells, strict=False))
        if any(one.end() == other.start() for one, other in pairwise(cells)):
            self.reading.say(number, "cells of UserGroup are separated by blanks")
            return
        if "GROUP_NAME" not in found or len(cells) > len(self._columns):
            self.reading.say(number, f"{len(cells)} cells under {len(self._columns)} titles in UserGroup")
            return
        name = found["GROUP_NAME"][0]
        if set(name) & set("⟨⟩"):
            self.reading.say(number, f"{name[:60]!r} is not a name of a group")
            return
        if name in self.groups:
            self.reading.say(
                number, f"the group {name[:60]} occurs twice, first in line {self.groups[name].line}"
            )
            return
        group = self.groups[name] = _Group(number, place=len(self.template), text=escaped(line))
        if _MEMBERS in found:
            group.members = found[_MEMBERS][0]
            if not group.members.startswith("("):
                self.reading.say(number, f"{_MEMBERS} of {name[:60]} must be in brackets, such as (ana bo)")
        text = found["USER_SHARES"][0] if "USER_SHARES" in found else "-"
        if text != "-":
            group.shares = self._pairs(number, text[1:-1] if text.startswith("(") else text)
        pieces, place = [f"⟨?{_ROW} {name}⟩"], 0
        for column in sorted((one for one in _COLUMNS if one in found), key=lambda one: found[one].start()):
            pieces += [escaped(line[place : found[column].start()]), f"⟨{column} {name}⟩"]
            place = found[column].end()
        self.template.append("".join([*pieces, escaped(line[place:])]))

    def _setting(self, number: int, line: str, content: str) -> None:
        named, fair = _QUEUE_NAME.fullmatch(content), _FAIRSHARE.fullmatch(content)
        if named:
            self._queue = named[1]
        if fair is None:
            self.template.append(escaped(line))
            return
        if not self._queue or self._queue in self.queues or set(self._queue) & set("⟨⟩"):
            self.reading.say(number, "FAIRSHARE of a queue must come once, after its QUEUE_NAME")
            return
        self.queues[self._queue] = _Group(number, self._pairs(number, fair[2]))
        start, end = fair.span(1)
        self.template.append(f"{escaped(line[:start])}⟨{_QUEUE} {self._queue}⟩{escaped(line[end:])}")

    def _pairs(self, number: int, text: str) -> list[tuple[str, int]]:
        pairs = [(match[1], int(match[2])) for match in _PAIR.finditer(text)]
        rest = _PAIR.sub("", text).strip()
        if rest:
            self.reading.say(number, f"{rest[:60]!r} is not a share: write [ana, 3]")
        for name, shares in pairs:
            if not 1 <= shares < 2**31:
                self.reading.say(
                    number, f"shares of {name[:60]} must be a whole number from 1 to {2**31 - 1}"
                )
        return pairs


def _read(text: str) -> Reading:
    reading = Reading(NAME)
    found = _File(reading)
    for number, line in _logical_lines(text):
        found.take(number, line)
    while found.template and not found.template[-1].strip():
        found.template.pop()
    if not found.queues and not found.groups and not reading.problems:
        reading.say(
            1, "no fairshare of LSF: the section UserGroup and FAIRSHARE = USER_SHARES[…] are missing"
        )
    tops: list[tuple[Node, str, _Group]] = []
    for name, queue in found.queues.items():
        node = reading.root
        if len(found.queues) > 1:
            node = reading.add(reading.root, name, Kind.GROUP, queue.line)
        reading.keep(node, _QUEUE, name, queue.line)
        tops.append((node, "", queue))
    if not found.queues:
        held = {name for group in found.groups.values() for name, _ in group.shares}
        rows = {name: group for name, group in found.groups.items() if name not in held}
        tops.append((reading.root, "", _Group(1, [(name, 1) for name in rows])))
    _grow(reading, found, tops)
    for group in found.groups.values():
        if not group.is_in_tree:  # No share concerns it, so its row stays.
            found.template[group.place] = group.text
    reading.keep(reading.root, _FILE, "\n".join(found.template), 1)
    reading.note_text(reading.root, _FILE, text, 1)
    return reading


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Join lines that a backslash continues, as LSF counts them as one."""
    held, first = "", 0
    for number, line in numbered(text):
        first = first or number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            held += line[:-1] + " "
            continue
        yield first, held + line
        held, first = "", 0
    if held:
        yield first, held


def _grow(reading: Reading, found: _File, tops: list[tuple[Node, str, _Group]]) -> None:
    stack = [(node, name, group, frozenset({name})) for node, name, group in reversed(tops)]
    count = 0
    while stack:
        node, _, group, above = stack.pop()
        below = []
        named = {name for name, _ in group.shares}
        for name, shares in group.shares:
            count += 1
            members = [one for one in _each(found, name) if one not in named]
            if members:
                count += len(members)
                for one in members:
                    child = reading.add(node, one, Kind.USER, group.line)
                    child.shares = shares
                    reading.keep(child, _OF, " ".join((name, *members)), group.line)
                continue
            own = found.groups.get(name)
            if count > _MOST:
                reading.say(group.line, f"more than {thousands(_MOST)} nodes, which is the limit")
                return
            if name in above or len(above) > MAX_DEPTH:
                reading.say(group.line, f"the group {name[:60]} is in itself")
                continue
            kind = Kind.USER if own is None else Kind.GROUP if own.shares else Kind.ACCOUNT
            child = reading.add(node, name, kind, group.line)
            child.shares = shares
            if own is not None:
                own.is_in_tree = True
                reading.keep(child, _ROW, name, own.line)
                if own.members:
                    reading.keep(child, _MEMBERS, own.members, own.line)
                below.append((child, name, own, above | {name}))
        stack.extend(reversed(below))


def _each(found: _File, name: str) -> list[str]:
    """Return the users that `group@` gives shares one by one; empty where the file does not name them all."""
    if not name.endswith("@"):
        return []
    users: dict[str, None] = {}
    seen, waiting = set[str](), [name[:-1]]
    while waiting:
        group = waiting.pop()
        if group in seen:
            continue
        seen.add(group)
        members = found.groups[group].members.strip("()").split() if group in found.groups else []
        if not members or any(one in ("all", "!") or one.startswith("~") for one in members):
            return []
        users |= dict.fromkeys(one for one in members if one not in found.groups)
        waiting += [one for one in members if one in found.groups]
    return list(users)


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(tree, _unwritable(tree))
    template = tree.root.foreign.get(f"{NAME}.{_FILE}", _FRESH)
    values: dict[str, str] = {}
    new: list[str] = []
    for node in reversed(list(tree.walk())):  # A group is defined before it is used.
        queue = node.foreign.get(f"{NAME}.{_QUEUE}", "" if node.parent is None else None)
        children = tree.children(node.id)
        if queue is not None and f"⟨{_QUEUE} {queue}⟩" in template:
            values[f"{_QUEUE} {queue}"] = f"USER_SHARES[{_pairs(children)}]"
        elif node.parent is not None:
            row = node.foreign.get(f"{NAME}.{_ROW}", "")
            cells = _cells(node, children)
            if f"⟨?{_ROW} {row}⟩" in template:
                values |= {f"{_ROW} {row}": "yes"} | {f"{key} {row}": text for key, text in cells.items()}
            elif children:
                new.append(" ".join(cells.values()))
    values[_NEW] = "\n".join(dict.fromkeys(new))
    return rendered(template, _with_hidden(values, template), plain=True) + "\n"


def _with_hidden(values: dict[str, str], template: str) -> dict[str, str]:
    """Return values that the template has a slot for: a table may lack a column."""
    return {key: value for key, value in values.items() if f"⟨{key}⟩" in template or f"⟨?{key}⟩" in template}


def _cells(node: Node, children: list[Node]) -> dict[str, str]:
    """Return cells of a group's row: members as written, with children that came and without
    those that went.
    """
    members = node.foreign.get(f"{NAME}.{_MEMBERS}", "()")
    words = members.strip("()").split()
    names = [child.name for child in children if f"{NAME}.{_OF}" not in child.foreign]
    missing = [name for name in names if name not in words and not name.endswith("@") and name not in _WORDS]
    if missing and not {"all", "!"} & set(words):
        members = f"({' '.join([*words, *missing])})"
    shares = f"({_pairs(children)})" if children else "-"
    return {"GROUP_NAME": node.name, _MEMBERS: members, "USER_SHARES": shares}


_WORDS = ("default", "others")


def _pairs(nodes: list[Node]) -> str:
    return " ".join(dict.fromkeys(_pair(node, nodes) for node in nodes))


def _pair(node: Node, siblings: list[Node]) -> str:
    """Return the share entry of a node; a whole group's members with equal shares have one entry."""
    of = node.foreign.get(f"{NAME}.{_OF}", "")
    group, *members = of.split() or [""]
    together = [one for one in siblings if group and one.foreign.get(f"{NAME}.{_OF}") == of]
    are_all = sorted(one.name for one in together) == sorted(members)
    is_one = bool(group) and are_all and len({one.shares for one in together}) == 1
    return f"[{group if is_one else node.name}, {node.shares}]"


def _caveats(tree: ShareTree) -> Iterator[Problem]:
    queues = [node for node in tree.children(tree.root.id) if f"{NAME}.{_QUEUE}" in node.foreign]
    if len(queues) > 1:
        names = listed([node.name for node in queues], 3)
        text = f"{names} are queues, and LSF does not share between queues"
        yield Problem(f"{text}: their shares of 1 are fsconsole's own", Severity.NOTE, path="tree")
    for node in tree.walk():
        text = _STANDS_FOR.get(node.name, "")
        if node.name.endswith("@"):
            text = f"gives each member of {node.name[:-1]} so many shares. The file does not name the members"
        if text and not node.children:
            yield Problem(f"{node.name} {text}", Severity.NOTE, node=node.id, path=tree.path(node.id))


_STANDS_FOR = {
    "default": "stands for each user without own shares, with so many shares each",
    "others": "stands for all users without own shares together",
}


def _unwritable(tree: ShareTree) -> Iterator[tuple[Node, str]]:
    groups: dict[str, list[tuple[str, int]]] = {}
    names = {node.name for node in tree.walk() if node.children and node.parent is not None}
    for node in tree.walk():
        if node.parent is None or f"{NAME}.{_QUEUE}" in node.foreign:
            continue
        if _ODD.search(node.name):
            yield (
                node,
                f"LSF cannot have the name {node.name!r}: no blanks, brackets, commas or #. Rename it.",
            )
        if not node.shares:
            yield node, f"{node.name} has 0 shares: LSF needs 1 or more"
        if any(above.name == node.name and above.parent is not None for above in tree.ancestors(node.id)):
            yield node, f"LSF cannot have {node.name} below a group of its name. Rename one of them."
        elif not node.children and node.name in names:
            yield node, f"LSF takes {node.name} for the group with that name. Rename one of them."
        if node.children:
            pairs = [(child.name, child.shares) for child in tree.children(node.id)]
            if groups.setdefault(node.name, pairs) != pairs:
                yield (
                    node,
                    f"LSF has only one group of a name, but {node.name} occurs twice with other shares",
                )


def _rules(tree: ShareTree) -> Iterator[Problem]:
    for node, fault in _unwritable(tree):
        yield Problem(fault, node=node.id, path=tree.path(node.id))
    for node in tree.walk():
        if node.name.endswith("@") and node.children:
            fault = f"{node.name} gives its members shares one by one, so no tree below it counts"
            yield Problem(fault, Severity.WARNING, node=node.id, path=tree.path(node.id))


_scenario, _lines = readers(_read, "LSF fairshare", "lsb.queues, lsb.users")
FORMAT = Format(
    NAME,
    "LSF fairshare",
    (".lsf", ".users", ".queues"),
    _scenario,
    _write,
    lambda text: _START.search(text) is not None,
    lambda scenario: lost_of(scenario, NAME, leaves=(Kind.USER,)),
    "FAIRSHARE of lsb.queues and the user groups of lsb.users",
    columns=(Column(f"{NAME}.{_MEMBERS}", "GROUP_MEMBER", Meaning.SETTING),),
    rules=_rules,
    lines=_lines,
    caveats=_caveats,
    between="",
)
