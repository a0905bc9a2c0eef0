"""Common parts of the readers of formats: nodes, foreign keys and problems with their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from fsconsole.shares.foreign import AFTER, BEFORE, FORM, SCALE, WEIGHT
from fsconsole.shares.formats.kept_text import line_names, names_in, place_of
from fsconsole.shares.formats.weights import set_shares, weight_of
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree, TreeError, check_spelling
from fsconsole.text.numbers import thousands

MAX_PROBLEMS = 1000
MAX_DEPTH = 400
MAX_NODES = 1_000_000


TOO_DEEP = f"nodes are nested deeper than {MAX_DEPTH} levels, which is the limit"


def refuse_more(count: int, line: int) -> None:
    """Raise ScenarioError where a file has more nodes below the root than are read."""
    if count > MAX_NODES:
        text = f"more than {thousands(MAX_NODES)} nodes, which is the limit"
        raise ScenarioError([Problem(text, line=line, column=1)])


class Reading:
    """Takes the nodes of a file one after the other.

    Attributes:
        problems: what is wrong so far.
        lines: line of each node, and of each foreign key that stands elsewhere than its node.
    """

    def __init__(self, dialect: str, form: str = "text", root: str = "root", default: str = "1") -> None:
        """Start with the root; `form` is the file's variant for writers, `default` the weight left out."""
        self.dialect = dialect
        self._default = default
        self._nodes = [Node(ROOT_ID, root, kind=Kind.GROUP, foreign={f"{dialect}.{FORM}": form})]
        self._depths = [0]
        self._taken: dict[tuple[int, str], int] = {}
        self._repeats: dict[tuple[int, str], int] = {}
        self._weighed = False
        self.problems: list[Problem] = []
        self.lines: dict[tuple[int, str], int] = {(ROOT_ID, ""): 1}

    @property
    def root(self) -> Node:
        """Root of the tree read so far."""
        return self._nodes[ROOT_ID]

    def say(self, line: int, text: str) -> None:
        """Note a problem of a line."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(text, line=line, column=1))

    def name_root(self, name: str, line: int) -> None:
        """Give the root another name than the format's; report an invalid one."""
        self._check_name(name, line)
        self.root.name = name

    def _check_name(self, name: str, line: int) -> None:
        try:
            check_spelling(name)
        except TreeError as error:
            self.say(line, str(error))

    def add(self, parent: Node, name: str, kind: Kind, line: int) -> Node:
        """Append a node; report an invalid name and put its node apart."""
        self._check_name(name, line)
        if (parent.id, name) in self._taken:
            first = self._taken[parent.id, name]
            self.say(line, f"{name[:60]!r} occurs twice below {parent.name[:60]}, first in line {first}")
        self._taken.setdefault((parent.id, name), line)
        depth = self._depths[parent.id] + 1
        # One message for each branch is enough; formats that count from zero allow one more level.
        if depth == MAX_DEPTH + 2:
            self.say(line, TOO_DEEP)
        refuse_more(len(self._nodes), line)
        self._depths.append(depth)
        node = Node(len(self._nodes), name, kind=kind, parent=parent.id)
        parent.children.append(node.id)
        parent.kind = Kind.GROUP
        self._nodes.append(node)
        self.lines[node.id, ""] = line
        return node

    def keep(self, node: Node, key: str, value: str, line: int = 0) -> None:
        """Keep a value of the dialect with a node; a repeated key gets a number."""
        found = self.free_key(node, key)
        node.foreign[found] = value
        if line:
            self.lines[node.id, found] = line

    def free_key(self, node: Node, key: str) -> str:
        """Return the foreign key of a value, numbered where it is taken."""
        first = free = f"{self.dialect}.{key}"
        count = self._repeats.get((node.id, first), 1)  # Numbers below it are known to be taken.
        while free in node.foreign:
            count += 1
            free = f"{first}#{count}"
        if free != first:
            self._repeats[node.id, first] = count
        return free

    def keep_rows(self, node: Node, key: str, rows: Iterable[tuple[int, str]]) -> None:
        """Keep numbered lines with a node, after its other ones, each with its line."""
        rows, found = list(rows), f"{self.dialect}.{key}"
        if rows:
            kept = [node.foreign[found]] if found in node.foreign else []
            node.foreign[found] = "\n".join([*kept, *(line for _, line in rows)])
            self.lines.setdefault((node.id, found), rows[0][0])
            self.note(node, key, rows)

    def note(self, node: Node, key: str, rows: Iterable[tuple[int, str]]) -> None:
        """Note the lines of the items in a kept text."""
        for item in line_names(rows, self.dialect):
            self.lines.setdefault((node.id, place_of(f"{self.dialect}.{key}", item)), item.row)

    def note_text(self, node: Node, key: str, text: str, first: int) -> None:
        """Note a text that is read as a whole, from its first line on."""
        for item in names_in(f"{self.dialect}.{key}", text):
            self.lines.setdefault((node.id, place_of(f"{self.dialect}.{key}", item)), first + item.row)

    def weigh(self, node: Node, text: str, line: int, name: str = "weight") -> None:
        """Keep a weight as written, which gives the node its shares at the end; empty for the default one."""
        try:
            if text:
                weight_of(text)
        except ValueError as error:
            self.say(line, f"{name}: {error}")
            text = ""
        node.foreign[f"{self.dialect}.{WEIGHT}"] = text.strip()
        self.lines[node.id, f"{self.dialect}.{WEIGHT}"] = line
        self._weighed = True

    def children(self, node: Node) -> list[Node]:
        """Return the children read so far."""
        return [self._nodes[child] for child in node.children]

    def tree(self) -> ShareTree:
        """Return the tree; ScenarioError with all that is wrong with the file."""
        if self.problems:
            raise ScenarioError(self.problems)
        if self._weighed:
            for node in self._nodes:
                if node.children:
                    set_shares(self.children(node), self.dialect, self._default)
        return in_file_order(self._nodes, self.lines)


def in_file_order(nodes: list[Node], lines: dict[tuple[int, str], int]) -> ShareTree:
    """Return a tree with ids in depth-first order, and `lines` by these ids."""
    order, stack = [], [ROOT_ID]
    while stack:
        node = nodes[stack.pop()]
        order.append(node)
        stack.extend(reversed(node.children))
    ids = {node.id: row for row, node in enumerate(order)}
    if any(old != new for old, new in ids.items()):
        renamed = {(ids[node], key): line for (node, key), line in lines.items() if node in ids}
        lines.clear()
        lines.update(renamed)
        for node in order:
            node.id = ids[node.id]
            node.parent = None if node.parent is None else ids[node.parent]
            node.children = [ids[child] for child in node.children]
    return ShareTree.from_nodes(order, len(order))


def own_keys(node: Node, dialect: str, *, but: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield (foreign key, value) of a dialect in order, without those that other fields hold."""
    hidden = {f"{dialect}.{key}" for key in (FORM, WEIGHT, SCALE, BEFORE, AFTER, *but)}
    for key, value in node.foreign.items():
        if key.startswith(f"{dialect}.") and key not in hidden:
            yield key, value


class Comments:
    """Collects lines without nodes, until the following node."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._held: list[tuple[int, str]] = []

    def hold(self, number: int, line: str) -> None:
        """Keep a line that belongs to the next node."""
        self._held.append((number, line))

    def take(self) -> list[tuple[int, str]]:
        """Hand over the numbered lines that are held."""
        held, self._held = self._held, []
        return held

    def give(self, node: Node, key: str = BEFORE) -> None:
        """Store the collected lines before a node."""
        self._reading.keep_rows(node, key, self.take())

    def end(self) -> None:
        """Store the collected lines at the end of the file."""
        while self._held and not self._held[-1][1].strip():
            self._held.pop()
        self.give(self._reading.root, AFTER)


def kept_lines(node: Node, dialect: str, key: str = BEFORE) -> list[str]:
    """Return the comment lines before a node."""
    text = node.foreign.get(f"{dialect}.{key}")
    return [] if text is None else text.split("\n")


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines of a text with their numbers, whatever their line ends."""
    for row, line in enumerate(text.removeprefix("\ufeff").split("\n")):
        yield row + 1, line.removesuffix("\r")


def joined(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield lines, joined where a backslash ends them, under the number of the first."""
    held, first = "", 0
    for number, line in rows:
        first = first or number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        yield first, held + line
        held, first = "", 0
    if first:
        yield first, held


def readers(
    read: Callable[[str], Reading | tuple[Reading, str]], title: str, source: str
) -> tuple[Callable[[str], Scenario], Callable[[str], dict[tuple[int, str], int]]]:
    """Build `read` and `lines` of a format from a function that takes its text."""

    def taken(text: str) -> tuple[Reading, ShareTree, str]:
        found = read(text)
        reading, name = found if isinstance(found, tuple) else (found, title)
        return reading, reading.tree(), name

    def scenario(text: str) -> Scenario:
        _, tree, name = taken(text)
        return Scenario(tree, title=name, source=source)

    return scenario, lambda text: taken(text)[0].lines


def unwritable(tree: ShareTree, problems: Iterable[tuple[Node, str]]) -> None:
    """Raise ScenarioError for nodes that cannot be written, with a node for each sentence."""
    if not tree.root.children:
        raise ScenarioError([Problem("the tree has only its root. Add a node first")])
    found = [Problem(text, node=node.id, path=node.name) for node, text in problems]
    if found:
        raise ScenarioError(found[:MAX_PROBLEMS])
