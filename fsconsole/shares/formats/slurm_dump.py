"""Slurm's association tree as `sacctmgr dump` writes it and `sacctmgr load` reads it.

Accounts become groups and users become users. What a line says besides the shares stays with the
node as foreign keys, values as they are written, and goes back where it was. Foreign keys that
begin with `slurm.` are not options: the title, a name that is written in another way, comments.
Source: sacctmgr(1), and dumps of Slurm 22.05.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from fsconsole.shares.foreign import PARENT_SHARES, bare, dialect_of, means_parent, slurm_shares_key
from fsconsole.shares.formats.base import Format, lost_of
from fsconsole.shares.formats.kept_text import line_names, place_of
from fsconsole.shares.formats.reading import MAX_DEPTH, MAX_PROBLEMS, TOO_DEEP, refuse_more
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError, check_spelling
from fsconsole.text.nearest import did_you_mean

_TITLE = re.compile(r"\s*([A-Za-z]\w*)\s+-\s*(.*?)\s*")
_PIECE = re.compile(r"""(?:[^:'"]|'[^']*'|"[^"]*")+""")
_NAME_FORM = re.compile(r"""'[^']*'|"[^"]*"|[^'"]+""")
_ANY_LINE = re.compile(r"^(Cluster|Parent|Account|Project|User|QOS) +- ", re.MULTILINE | re.IGNORECASE)
_HINTS = 100  # The first of many unknown accounts are enough to report.
_ROOT = "root"
_ACCOUNTS = ("account", "project")
_CLUSTER, _TITLE_KEY, _NAME, _LABEL = "slurm.cluster", "slurm.title", "slurm.name", "slurm.label"
_BEFORE, _BEFORE_BLOCK, _AFTER = "slurm.before", "slurm.before_block", "slurm.after"


def read(text: str) -> ShareTree:
    """Return the tree of a dump.

    Raises:
        ScenarioError: the file is wrong; the message lists all faults.
    """
    return _taken(text)[1]


def _taken(text: str) -> tuple[_Reader, ShareTree]:
    reader = _Reader()
    for row, line in enumerate(text.removeprefix("\ufeff").split("\n")):
        reader.take(row + 1, line.removesuffix("\r"))
    tree = reader.tree()
    if reader.problems:
        raise ScenarioError(reader.problems)
    return reader, tree


def write(tree: ShareTree) -> str:
    """Return the dump of a tree; values from a dump are kept, and new nodes get those that Slurm needs.

    ScenarioError if two accounts would have the same name, or a name cannot be written.
    """
    seen: dict[str, Node] = {_ROOT: tree.root}
    faults = []
    for node in tree.walk():
        if node.kind is Kind.USER or node.parent is None:
            continue
        first = seen.setdefault(_slurm_name(node), node)
        if first is not node:
            text = (
                f"Slurm has each account name only once, and {tree.path(first.id)} has this one too. "
                "Rename it."
            )
            faults.append(Problem(text, node=node.id, path=tree.path(node.id)))
    if faults:
        raise ScenarioError(faults[:MAX_PROBLEMS])
    return "\n".join(_Writer(tree).lines()) + "\n"


@dataclass(slots=True)
class _Line:
    """One line: title, name as written, options in order as written."""

    number: int
    title: str
    name: str
    options: dict[str, str] = field(default_factory=dict)


class _Reader:
    """Takes the lines one after the other."""

    def __init__(self) -> None:
        self._root = Node(0, "root", kind=Kind.GROUP)
        self._nodes, self._depths = [self._root], [0]
        self.problems: list[Problem] = []
        self._groups: dict[str, tuple[int, int]] = {"root": (0, 0)}
        self._parent = 0
        self._taken: set[tuple[int, str]] = set()
        self._before: list[tuple[int, str]] = []
        self._seen = False
        self.lines = {(0, ""): 1}

    def take(self, number: int, text: str) -> None:
        line = self._line(number, text)
        if line is None:
            return
        title = line.title.lower()
        if title == "cluster":
            self._cluster(line)
        elif title == "parent":
            self._block(line)
        elif title == "user" or title in _ACCOUNTS:
            self._node(line, Kind.USER if title == "user" else Kind.GROUP)
        else:  # Later versions have other lines, such as those of QOS.
            self._before.append((number, text))
        self._seen = True

    def tree(self) -> ShareTree:
        """Return the tree and the text after the last line; an empty file is not a dump."""
        while self._before and not self._before[-1][1]:
            self._before.pop()
        self._root.foreign.update(self._comments(_AFTER, 0))
        if not self._seen and not self.problems:
            message = "not a Slurm dump: a line such as Cluster - 'name' or Account - 'name' is missing"
            self.problems.append(Problem(message))
        return ShareTree.from_nodes(self._nodes, len(self._nodes))

    def _line(self, number: int, text: str) -> _Line | None:
        if not text.strip() or text.lstrip().startswith("#"):
            self._before.append((number, text))
            return None
        match = _TITLE.fullmatch(text)
        pieces = _PIECE.findall(match[2]) if match else []
        whole = match is not None and ":".join(pieces) == match[2]
        if match is None or not whole or not _NAME_FORM.fullmatch("".join(pieces[:1])):
            message = "not a line of a Slurm dump: expected Title - 'name':Key=value with closed quotes"
            self._say(number, message)
            return None
        line = _Line(number, match[1], pieces[0])
        repeats: Counter[str] = Counter()
        for piece in pieces[1:]:
            key, equals, value = piece.partition("=")
            if not equals:
                self._say(number, f"the option {key[:40]} has no value: expected {key[:40]}=value")
            repeats[key] += 1
            free = key
            while free in line.options:
                free = f"{key}#{repeats[key]}"
                repeats[key] += 1
            line.options[free] = value
        return line

    def _cluster(self, line: _Line) -> None:
        root = self._root
        if _CLUSTER in root.foreign:
            self._say(line.number, "a second Cluster line: a dump has one cluster")
            return
        self.lines[0, ""] = line.number
        root.foreign = {_CLUSTER: line.name} | self._comments(_BEFORE, 0) | line.options
        self._set_shares(root, line)

    def _block(self, line: _Line) -> None:
        name = bare(line.name)
        if name not in self._groups:
            hint = did_you_mean(name, self._groups) if len(self.problems) < _HINTS else ""
            self._say(line.number, f"no account {name} above this line{hint}")
            self._groups[name] = (self._add(name, Kind.GROUP, line.number).id, line.number)
        self._parent = self._groups[name][0]
        self._nodes[self._parent].foreign.update(self._comments(_BEFORE_BLOCK, self._parent))

    def _node(self, line: _Line, kind: Kind) -> None:
        name = bare(line.name)
        try:
            check_spelling(name.replace("/", "|"))
        except TreeError as error:
            self._say(line.number, str(error))
            return
        if kind is Kind.GROUP and name in self._groups:
            first = self._groups[name][1]
            where = f"first in line {first}" if first else "it is the top of the tree"
            self._say(line.number, f"the account {name} occurs twice, {where}. Rename one of them")
            return
        node = self._add(name, kind, line.number, bare(line.options.get("Partition", "")))
        self.lines[node.id, ""] = line.number
        node.foreign = self._comments(_BEFORE, node.id) | self._spelling(node, line, kind) | line.options
        if kind is Kind.GROUP:
            self._groups[name] = (node.id, line.number)
        self._set_shares(node, line)

    def _add(self, name: str, kind: Kind, number: int, partition: str = "") -> Node:
        """Append a node; a taken or invalid name gets a distinct label."""
        label = name.replace("/", "|")
        if (self._parent, label) in self._taken:
            label = f"{label} ({partition.replace('/', '|') or kind.value})"
        count = 2
        stem = label
        while (self._parent, label) in self._taken:
            label = f"{stem} {count}"
            count += 1
        self._taken.add((self._parent, label))
        refuse_more(len(self._nodes), number)
        self._depths.append(self._depths[self._parent] + 1)
        if self._depths[-1] == MAX_DEPTH + 2:
            self._say(number, TOO_DEEP)
        node = Node(len(self._nodes), label, kind=kind, parent=self._parent)
        self._nodes[self._parent].children.append(node.id)
        self._nodes.append(node)
        return node

    @staticmethod
    def _spelling(node: Node, line: _Line, kind: Kind) -> dict[str, str]:
        spelling = {}
        if line.title != ("User" if kind is Kind.USER else "Account"):
            spelling[_TITLE_KEY] = line.title
        if line.name != f"'{node.name}'":
            spelling |= {_NAME: line.name, _LABEL: node.name}
        return spelling

    def _set_shares(self, node: Node, line: _Line) -> None:
        key = slurm_shares_key(line.options)
        if key is None:
            return
        value = bare(line.options[key])
        if means_parent(value):
            node.shares = 0
        elif value.isascii() and value.isdigit() and len(value) < 11 and int(value) < PARENT_SHARES:
            node.shares = int(value)
        else:
            message = (
                f"{key} must be a whole number from 0 to {PARENT_SHARES - 1} or parent, not {value[:40]}"
            )
            self._say(line.number, message)

    def _comments(self, key: str, node: int) -> dict[str, str]:
        rows, self._before = self._before, []
        for item in line_names(rows, "slurm"):
            self.lines.setdefault((node, place_of(key, item)), item.row)
        return {key: "\n".join(line for _, line in rows)} if rows else {}

    def _say(self, number: int, text: str) -> None:
        self.problems.append(Problem(text, line=number, column=1))


class _Writer:
    """Lines of a dump: the children of each group together, groups in depth-first order."""

    def __init__(self, tree: ShareTree) -> None:
        self._tree = tree
        self._accounts_of: dict[str, set[str]] = {}
        for node in tree.walk():
            if node.kind is Kind.USER and node.parent is not None:
                holders = self._accounts_of.setdefault(_slurm_name(node), set())
                holders.add(_slurm_name(tree.node(node.parent)))

    def lines(self) -> Iterator[str]:
        root = self._tree.root
        yield from _kept_lines(root, _BEFORE)
        options = _options(root) or {"Fairshare": "1", "QOS": "'normal'"}
        cluster = root.foreign.get(_CLUSTER, "'cluster'")
        yield _joined("Cluster", cluster, _with_shares(root, options), root)
        for group in self._tree.walk():
            if group.children or group.parent is None:
                yield from _kept_lines(group, _BEFORE_BLOCK)
                yield f"Parent - {_reference(group)}"
            for node in self._tree.children(group.id):
                yield from _kept_lines(node, _BEFORE)
                yield self._line(node, group)
        yield from _kept_lines(root, _AFTER)

    def _line(self, node: Node, group: Node) -> str:
        is_user = node.kind is Kind.USER
        title = node.foreign.get(_TITLE_KEY, "User" if is_user else "Account")
        options = _options(node)
        if is_user:
            options = self._with_account(node, group, options)
        elif not options:
            options = self._new_account(node, group)
        return _joined(title, _written_name(node), _with_shares(node, options), node)

    def _with_account(self, node: Node, group: Node, options: dict[str, str]) -> dict[str, str]:
        """Return options of a user, with a default account that contains the user."""
        default = options.get("DefaultAccount")
        if (default is None and not options) or (
            default is not None and bare(default) not in self._accounts_of[_slurm_name(node)]
        ):
            return {**({"DefaultAccount": ""} | options), "DefaultAccount": _reference(group)}
        return options

    def _new_account(self, node: Node, group: Node) -> dict[str, str]:
        """Return description and organisation, which Slurm wants of every account."""
        around = [group, *self._tree.children(group.id)]
        found = [other.foreign["Organization"] for other in around if "Organization" in other.foreign]
        return {"Description": _quoted(node.name), "Organization": found[0] if found else _quoted(node.name)}


def _options(node: Node) -> dict[str, str]:
    return {
        key: value
        for key, value in node.foreign.items()
        if dialect_of(key) == "slurm" and not key.startswith("slurm.")
    }


def _with_shares(node: Node, options: dict[str, str]) -> dict[str, str]:
    """Return the options with the node's shares; as they were written where they are the same."""
    if node.shares >= PARENT_SHARES:
        message = f"Slurm takes {node.shares} shares for parent. Use fewer"
        raise ScenarioError([Problem(message, node=node.id, path=node.name)])
    key = slurm_shares_key(options)
    if key is None:
        implied = node.shares == 1 and options == _options(node) and bool(options)
        return options if implied else options | {"Fairshare": str(node.shares)}
    written = bare(options[key])
    unchanged = (
        node.shares == 0 if means_parent(written) else written.isdigit() and int(written) == node.shares
    )
    return options if unchanged else options | {key: str(node.shares)}


def _joined(title: str, name: str, options: dict[str, str], node: Node) -> str:
    """Return a line; ScenarioError if it would be read differently, because foreign keys are arbitrary."""
    parts = [f"{re.sub('#[0-9]+$', '', key)}={value}" for key, value in options.items()]
    line = ":".join([f"{title} - {name}", *parts])
    match = _TITLE.fullmatch(line)
    if match is None or "\n" in line or _PIECE.findall(match[2])[1:] != parts:
        odd = next((part for part in parts if not _PIECE.fullmatch(part) or part != part.strip()), line)
        text = f"a line of a Slurm dump cannot contain {odd[:60]!r}"
        raise ScenarioError([Problem(text, node=node.id, path=node.name)])
    return line


def _kept_lines(node: Node, key: str) -> list[str]:
    return node.foreign[key].split("\n") if key in node.foreign else []


def _quoted(name: str) -> str:
    if "'" in name and '"' in name:
        message = "Slurm cannot write a name that has both kinds of quotes"
        raise ScenarioError([Problem(message, path=name)])
    return f'"{name}"' if "'" in name else f"'{name}'"


def _written_name(node: Node) -> str:
    if node.parent is None:
        return "'root'"
    if _NAME in node.foreign and node.foreign.get(_LABEL) == node.name:
        return node.foreign[_NAME]
    return _quoted(node.name)


def _reference(group: Node) -> str:
    """Return the name of an account as Slurm writes it outside the account's own line."""
    name = _slurm_name(group)
    return _written_name(group) if "'" in name else _quoted(name)


def _slurm_name(node: Node) -> str:
    return bare(_written_name(node))


def _scenario(text: str) -> Scenario:
    tree = read(text)
    cluster = tree.root.foreign.get(_CLUSTER, "").strip("'\" ")
    return Scenario(tree, title=f"Slurm cluster {cluster}".strip(), source="sacctmgr dump")


FORMAT = Format(
    "slurm",
    "Slurm sacctmgr dump",
    (".cfg", ".dump"),
    _scenario,
    lambda scenario: write(scenario.tree),
    lambda text: _ANY_LINE.search(text) is not None,
    lambda scenario: lost_of(scenario, "slurm", empty_groups=True, leaves=(Kind.USER,), others="group"),
    "Share tree written by sacctmgr dump",
    lines=lambda text: _taken(text)[0].lines,
)
