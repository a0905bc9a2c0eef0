"""Nodes from the cells of a spreadsheet or of a CSV file, by columns that a person chooses."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import StringIO

from fsconsole.app.tree.rearrange import Place
from fsconsole.app.tree.tsv import parse_kind, parse_shares
from fsconsole.shares.edits import Insert
from fsconsole.shares.tree import Kind, Node, ShareTree, check_spelling
from fsconsole.text.words import count_words, listed, plural

_SEPARATORS = "\t;,|"
_LOOKED_AT = 20
_SEPARATOR_OF_PATH = "/"
# These words in headers identify a column, in English, as in Slurm and in spreadsheets of sites.
_WORDS = {
    "name": ("path", "login", "loginname", "username", "user", "name", "account", "node"),
    "parent": ("parent", "group", "department", "parentname", "project", "team", "unit", "institute"),
    "kind": ("kind", "type"),
    "shares": ("shares", "share", "rawshares", "fairshare", "weight", "quota"),
    "note": ("note", "notes", "comment", "description", "remark"),
}


class CellsError(ValueError):
    """Text that has no cells at all."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not empty: its number in the text, from 1, and its cells."""

    number: int
    cells: tuple[str, ...]

    def cell(self, column: int | None) -> str:
        """Return the cell of a column; empty if the line does not have it."""
        return self.cells[column] if column is not None and column < len(self.cells) else ""


@dataclass(frozen=True, slots=True)
class Columns:
    """Places of the columns by their contents, counted from 0; None for a missing one.

    Attributes:
        name: names, or paths such as `Science/Physics/anna`.
        parent: name or path of the group above, of the text or of the tree; empty cells: the place itself.
        is_headed: whether the first line holds titles.
    """

    name: int = 0
    parent: int | None = None
    kind: int | None = None
    shares: int | None = None
    note: int | None = None
    is_headed: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """A line as a node with its path below the place, or with its fault."""

    line: int
    path: tuple[str, ...] = ()
    kind: Kind | None = None
    shares: int = 1
    note: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All lines of a text as rows, and the groups that paths name and no line has."""

    rows: tuple[Row, ...]
    added: tuple[tuple[str, ...], ...] = field(default=())

    @property
    def faults(self) -> list[str]:
        """Faults of the lines, in order."""
        return [f"Line {row.line}: {row.fault}" for row in self.rows if row.fault]

    @property
    def summary(self) -> str:
        """Sentence about the rows that were read."""
        good = sum(not row.fault for row in self.rows)
        bad = len(self.rows) - good
        parts = [count_words(good, "node")]
        if self.added:
            parts.append(f"{count_words(len(self.added), 'group')} without a line, with 1 share each")
        if bad:
            parts.append(f"{count_words(bad, 'line')} that {plural(bad, 'is', 'are')} wrong")
        return ", ".join(parts) + "."


def parse_cells(text: str) -> list[Line]:
    """Return lines with their cells, separated by tabs, semicolons, commas or bars: the most frequent
    sign in the first lines.

    Raises:
        CellsError: there is nothing in it.
    """
    plain = text.removeprefix("\ufeff")
    head = [line for line in plain.splitlines() if line.strip()][:_LOOKED_AT]
    if not head:
        msg = "The text contains no rows. Write a line for each node, with its name and its shares."
        raise CellsError(msg)
    separator = max(_SEPARATORS, key=lambda sign: min(line.count(sign) for line in head) * 100 + sum(
        line.count(sign) for line in head))  # fmt: skip
    reader = csv.reader(StringIO(plain, newline=""), delimiter=separator)
    found: list[Line] = []
    try:
        before = 0
        for cells in reader:
            number, before = before + 1, reader.line_num
            stripped = tuple(cell.strip() for cell in cells)
            if any(stripped):
                found.append(Line(number, stripped))
    except csv.Error as error:
        msg = f"Cannot read line {reader.line_num}: {error}. Close the quotes, or save the file as CSV again."
        raise CellsError(msg) from None
    return found


def guess_columns(lines: Sequence[Line]) -> Columns:
    """Return the columns by their titles; without titles names come first and the first numbers are
    shares.
    """
    titles = [_bare(cell) for cell in lines[0].cells]
    found: dict[str, int] = {}
    for key, words in _WORDS.items():
        places = [
            titles.index(word)
            for word in words
            if word in titles and titles.index(word) not in found.values()
        ]
        if places:
            found[key] = places[0]
    if found:
        # In `Account, User` and in `Group, Name` the first is a group and the second its member.
        if "parent" not in found and {"user", "account"} <= set(titles):
            found |= {"name": titles.index("user"), "parent": titles.index("account")}
        # In `Login, Name` the first is the user name on the machine, and the second is for people.
        if "note" not in found and "name" in titles and found.get("name") != titles.index("name"):
            found["note"] = titles.index("name")
        return Columns(**{"name": 0, **found})  # type: ignore[arg-type] # places of columns alone
    numbers = [at for at in range(1, len(lines[0].cells)) if all(line.cell(at).isdecimal() for line in lines)]
    return Columns(shares=numbers[0] if numbers else None, is_headed=False)


def _bare(title: str) -> str:
    return "".join(sign for sign in title.casefold() if sign.isalnum())


def read_rows(lines: Sequence[Line], columns: Columns, tree: ShareTree, place: Place) -> Reading:
    """Return the nodes of the lines at a place of a tree; no line is left out without a fault."""
    rows = [_row(line, columns) for line in lines[1 if columns.is_headed else 0 :]]
    if columns.parent is not None:
        parents = [line.cell(columns.parent) for line in _body(lines, columns)]
        rows = _under_parents(rows, parents, _groups_below(tree, place))
    return _checked(rows, tree, place)


def _body(lines: Sequence[Line], columns: Columns) -> Sequence[Line]:
    return lines[1 if columns.is_headed else 0 :]


def _row(line: Line, columns: Columns) -> Row:
    name = line.cell(columns.name)
    if not name:
        return Row(line.number, fault="the name is missing")
    path = _path(name)
    try:
        for part in path:
            check_spelling(part)
        kind, shares = parse_kind(line.cell(columns.kind)), parse_shares(line.cell(columns.shares))
    except ValueError as error:
        return Row(line.number, path, fault=str(error))
    return Row(line.number, path, kind, shares, line.cell(columns.note))


def _path(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.strip(_SEPARATOR_OF_PATH).split(_SEPARATOR_OF_PATH))


def _groups_below(tree: ShareTree, place: Place) -> Callable[[str], tuple[str, ...] | str]:
    """Return a function that gives the path of a group by its name or path, old or new; otherwise the
    fault.
    """
    named: dict[str, list[Node]] = {}
    for node in tree.walk():
        if node.is_group:
            named.setdefault(node.name, []).append(node)

    @cache
    def group_of(name: str) -> tuple[str, ...] | str:
        path, groups = _path(name), named.get(name, [])
        if not groups or _existing(tree, place, path) is not None:
            return path
        below = [group for group in groups if tree.is_within(group.id, place.parent)]
        if len(below) == 1:
            names = tree.path(below[0].id).split(_SEPARATOR_OF_PATH)
            return tuple(names[tree.depth(place.parent) + 1 :])
        where = tree.path(groups[0].id)
        if len(groups) > 1:
            return f"{count_words(len(groups), 'group')} have the name {name}, one is {where}. Write its path"
        return f"{name} is {where}, not below {tree.path(place.parent)}. Select a node beside it first"

    return group_of


def _under_parents(
    rows: Sequence[Row], parents: Sequence[str], group_of: Callable[[str], tuple[str, ...] | str]
) -> list[Row]:
    """Return rows with their whole paths: a parent is a row of that name, or a group of the tree."""
    by_name: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        if row.path:
            by_name.setdefault(row.path[-1], []).append(at)
    found: dict[int, tuple[str, ...] | str] = {}

    def above(at: int) -> int | tuple[str, ...] | str:
        """Return the row that is above a row, a path that is its own, or the fault."""
        parent = parents[at]
        named = [other for other in by_name.get(parent, []) if other != at] if parent else []
        if len(named) > 1:
            places = listed([rows[other].line for other in named], 3)
            return f"lines {places} have the name {parent}. Write its path"
        return named[0] if named else group_of(parent) if parent else ()

    def whole(at: int) -> tuple[str, ...] | str:
        """Return the path of a row, or its fault."""
        way: dict[int, None] = {}
        place: int | tuple[str, ...] | str = at
        while isinstance(place, int) and place not in found:
            if place in way:
                place = f"{rows[place].path[-1]} would be below itself"
                break
            way[place] = None
            place = above(place)
        path = found[place] if isinstance(place, int) else place
        for one in reversed(way):
            path = path if isinstance(path, str) else (*path, *rows[one].path)
            found[one] = path
        return found[at]

    made = []
    for at, row in enumerate(rows):
        path = row.path if row.fault else whole(at)
        made.append(
            Row(row.line, row.path, fault=path)
            if isinstance(path, str)
            else Row(row.line, path, row.kind, row.shares, row.note, row.fault)
        )
    return made


def _checked(rows: Sequence[Row], tree: ShareTree, place: Place) -> Reading:
    known: dict[tuple[str, ...], Row] = {}
    checked: list[Row] = []
    for row in rows:
        fault = row.fault or (row.path in known and f"line {known[row.path].line} already has {row.path[-1]}")
        node = None if fault else _existing(tree, place, row.path)
        if node is not None:
            fault = f"the node {'/'.join(row.path)} already exists"
        if not fault:
            known[row.path] = row
        checked.append(Row(row.line, row.path, row.kind, row.shares, row.note, fault or ""))
    added: dict[tuple[str, ...], None] = {}
    checked_above: set[tuple[str, ...]] = {()}  # Rows of one group share most of what is above them.
    for at, row in enumerate(checked):
        if row.fault:
            continue
        first = next(d for d in range(len(row.path) - 1, -1, -1) if row.path[:d] in checked_above) + 1
        for depth in range(first, len(row.path)):
            above = row.path[:depth]
            owner, node = known.get(above), _existing(tree, place, above)
            kind = owner.kind if owner is not None else node.kind if node is not None else None
            if kind not in (None, Kind.GROUP):
                checked[at] = Row(
                    row.line, row.path, fault=f"{above[-1]} is a {kind}, but only a group can contain nodes"
                )
                break
            checked_above.add(above)
            if owner is None and node is None:
                added[above] = None
    return Reading(tuple(checked), tuple(added))


def _existing(tree: ShareTree, place: Place, path: tuple[str, ...]) -> Node | None:
    node: Node | None = tree.node(place.parent)
    for name in path:
        if node is None:
            break
        node = tree.child_named(node.id, name)
    return node


def inserts_of_reading(reading: Reading, tree: ShareTree, place: Place) -> list[Insert]:
    """Return edits that put the rows without faults into a tree, into existing groups too."""
    rows = {row.path: row for row in reading.rows if not row.fault}
    rows = {path: Row(0, path, Kind.GROUP) for path in reading.added if path not in rows} | rows
    inner = {path[:-1] for path in rows}
    nodes: dict[tuple[str, ...], Node] = {}
    subtrees: dict[tuple[str, ...], list[Node]] = {}
    subtree_of: dict[tuple[str, ...], list[Node]] = {}
    for path in sorted(rows, key=len):
        row = rows[path]
        kind = row.kind or (Kind.GROUP if path in inner else Kind.USER)
        node = nodes[path] = Node(tree.new_id(), path[-1], row.shares, kind, note=row.note)
        above = nodes.get(path[:-1])
        if above is None:
            subtree_of[path] = subtrees[path] = [node]
        else:
            node.parent = above.id
            above.children.append(node.id)
            subtree_of[path] = subtree_of[path[:-1]]
            subtree_of[path].append(node)
    order = {path: at for at, path in enumerate(row.path for row in reading.rows)}
    made: list[Insert] = []
    rows_of: dict[int, int] = {}
    for top in sorted(subtrees, key=lambda path: order.get(path, -1)):
        parent = _existing(tree, place, top[:-1])
        if parent is None:
            continue
        first = place.row if parent.id == place.parent else len(parent.children)
        at = rows_of.get(parent.id, first)
        rows_of[parent.id] = at + 1
        made.append(Insert(parent.id, at, tuple(subtrees[top])))
    return made
