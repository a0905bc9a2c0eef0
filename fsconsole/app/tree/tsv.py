"""Rows of nodes as tab-separated text, to a spreadsheet and back.

Columns: name, kind, shares, note; or name, shares, note where numbers stand in the second one. What stands
below another node is named by its path from the first one, `Air Force/Lab A1/p2101`; leading spaces (or tabs,
one per level) are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fsconsole.app.tree.rearrange import Place, free_name, tops
from fsconsole.shares.edits import MAX_SHARES, Insert
from fsconsole.shares.tree import Kind, Node, ShareTree, check_spelling
from fsconsole.text.numbers import ungrouped

HEADER = ("Name", "Kind", "Shares", "Note")
_KEYS = tuple(title.casefold() for title in HEADER)
_FULL = {key: place for place, key in enumerate(_KEYS)}
_BRIEF = {"name": 0, "shares": 1, "note": 2}
_NUMBER = re.compile(r"[-+\N{MINUS SIGN}]?\d[\d.,\s]*")


_WANTED = (
    f"Columns are {', '.join(HEADER)}, separated by tabs; or Name, Shares and Note.",
    "Write the group into the name. Example: Science/Physics/anna",
)


class PasteError(ValueError):
    """Text that cannot become nodes; the message has a line for everything that is wrong."""


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    path: tuple[str, ...]
    kind: Kind | None
    shares: int
    note: str


def to_tsv(tree: ShareTree, nodes: Iterable[int]) -> str:
    """Return nodes with all below them, a line each under a header line."""
    lines = ["\t".join(HEADER)]
    for top in tops(tree, nodes):
        above = len(tree.path(tree.node(top).parent or 0)) + 1
        for node in tree.walk(top):
            cells = (tree.path(node.id)[above:], str(node.kind), str(node.shares), node.note)
            lines.append("\t".join(" ".join(cell.split("\t")) for cell in cells))
    return "\n".join(lines) + "\n"


def inserts_of(text: str, tree: ShareTree, place: Place) -> list[Insert]:
    """Return edits that put the rows of a text into a tree.

    Raises:
        PasteError: rows are wrong; the message lists all faults.
    """
    rows, faults = _rows(text)
    wanted = _WANTED if faults else ()
    faults += _clashes(rows, {child.name for child in tree.children(place.parent)})
    if not rows and not faults:
        faults = ["The clipboard has no rows"]
    if faults:
        raise PasteError("\n".join([*faults, *wanted]))
    return _inserts(rows, tree, place)


def inserts_of_nodes(subtrees: Iterable[tuple[Node, ...]], tree: ShareTree, place: Place) -> list[Insert]:
    """Return edits that put copied subtrees (fresh ids, tops first) into a tree; taken names get a number."""
    made: list[Insert] = []
    taken: list[str] = []
    for row, nodes in enumerate(subtrees, place.row):
        top = nodes[0]
        top.name = free_name(tree, place.parent, top.name, taken)
        taken.append(top.name)
        made.append(Insert(place.parent, row, nodes))
    return made


def _rows(text: str) -> tuple[list[_Row], list[str]]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    columns = _BRIEF if _are_brief(lines) else _FULL
    rows: list[_Row] = []
    faults: list[str] = []
    above: list[str] = []
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells):
            continue
        if not rows and not faults and cells[0].casefold() == "name":
            columns = {cell.casefold(): place for place, cell in enumerate(cells)}
            continue
        try:
            row = _row(number, line, columns, above)
        except ValueError as error:
            faults.append(f"Line {number}: {error}")
        else:
            above[:] = row.path
            rows.append(row)
    return rows, faults


def _are_brief(lines: list[str]) -> bool:
    """Return True if numbers are in the place of a kind, in every line with a cell there."""
    seconds = [cells[1].strip() for line in lines if len(cells := line.lstrip("\t").split("\t")) > 1]
    filled = [cell for cell in seconds if cell]
    return bool(filled) and all(_NUMBER.fullmatch(cell) for cell in filled)


def _row(number: int, line: str, columns: dict[str, int], above: list[str]) -> _Row:
    first = columns.get("name", 0)
    cells = line.split("\t")
    indent = 0
    if first == 0 and (columns is _BRIEF or len(columns) == len(HEADER)):
        while cells and not cells[0].strip() and len(cells) > 1 and not cells[0]:
            cells, indent = cells[1:], indent + 1
    values = {key: cells[at].strip() if at < len(cells) else "" for key, at in columns.items()}
    raw = cells[first] if first < len(cells) else ""
    indent += (len(raw) - len(raw.lstrip(" "))) // 2
    path = tuple(part.strip() for part in raw.strip().split("/"))
    if indent and len(path) == 1:
        path = (*above[:indent], *path)
    for name in path:
        check_spelling(name)
    kind, shares = parse_kind(values.get("kind", "")), parse_shares(values.get("shares", ""))
    return _Row(number, path, kind, shares, values.get("note", ""))


def parse_kind(text: str) -> Kind | None:
    """Return the kind that a word means, None for no word; ValueError names the kinds."""
    if not text:
        return None
    try:
        return Kind(text.casefold())
    except ValueError:
        msg = f"{text!r} is not a kind. Use group, user or account."
        raise ValueError(msg) from None


def parse_shares(text: str) -> int:
    """Return the shares of a cell, 1 for an empty one.

    Raises:
        ValueError: the text is wrong; the message names valid ones.
    """
    plain = ungrouped(text.replace(" ", ""))
    if not plain:
        return 1
    if not plain.isdecimal() or int(plain) > MAX_SHARES:
        msg = f"{text!r} is not a number of shares. Use a whole number from 0 to {MAX_SHARES}."
        raise ValueError(msg)
    return int(plain)


def _clashes(rows: list[_Row], names: set[str]) -> list[str]:
    faults, seen = [], dict[tuple[str, ...], _Row]()
    for row in rows:
        name, above = row.path[-1], row.path[:-1]
        if row.path in seen:
            faults.append(f"Line {row.line}: line {seen[row.path].line} already has {name}")
        elif above and above not in seen:
            faults.append(f"Line {row.line}: the line for {'/'.join(above)} above it is missing")
        elif above and seen[above].kind not in (None, Kind.GROUP):
            faults.append(
                f"Line {row.line}: {above[-1]} is a {seen[above].kind}, but only a group can contain nodes"
            )
        elif not above and name in names:
            faults.append(f"Line {row.line}: the node {name} already exists here")
        seen.setdefault(row.path, row)
    return faults


def _inserts(rows: list[_Row], tree: ShareTree, place: Place) -> list[Insert]:
    groups = {row.path[:-1] for row in rows}
    nodes: dict[tuple[str, ...], Node] = {}
    subtrees: dict[str, list[Node]] = {}
    for row in rows:
        kind = row.kind or (Kind.GROUP if row.path in groups else Kind.USER)
        node = nodes[row.path] = Node(tree.new_id(), row.path[-1], row.shares, kind, note=row.note)
        subtrees.setdefault(row.path[0], []).append(node)
        if len(row.path) > 1:
            node.parent = nodes[row.path[:-1]].id
            nodes[row.path[:-1]].children.append(node.id)
    return [
        Insert(place.parent, at, tuple(subtree)) for at, subtree in enumerate(subtrees.values(), place.row)
    ]
