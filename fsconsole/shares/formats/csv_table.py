"""A table of nodes: a row each, under a row of titles, apart by commas, semicolons or tabs.

Titles: `path` (names from the top, apart by slashes; `/` is the root), or `name` with `parent` where rows
name the row above them; `shares`, `kind`, `note`, `system`, `usage`, `charge`, `last_use_s`. Every other
column is kept as a foreign key of that title; an empty cell says nothing, but each row below the root has
shares. They may be fractions. The form is ours.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fsconsole.shares.formats.base import Format, lost_of
from fsconsole.shares.formats.reading import Reading, numbered, readers
from fsconsole.shares.formats.sharecf import amount, values_of
from fsconsole.shares.formats.weights import scaled, weight_of
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node
from fsconsole.text.nearest import did_you_mean
from fsconsole.text.numbers import thousands

NAME = "csv"
_OWN = ("path", "kind", "shares", "note", "system", "usage", "charge", "last_use_s")
_OTHER = ("name", "parent")
_FIRST_SEPARATOR = re.compile(r"""(?:"[^"]*"|[^",;\t])*([,;\t])""")
_YES, _NO = ("yes", "true", "1", "x"), ("", "no", "false", "0")
_ROOT = "/"


def _titles(text: str) -> tuple[list[str], str]:
    """Return titles of the first row that is not empty, and the separator between them."""
    first = next((line for _, line in numbered(text) if line.strip()), "")
    found = _FIRST_SEPARATOR.match(first)
    separator = found[1] if found else ","
    try:
        row = next(csv.reader([first], delimiter=separator), [])
    except csv.Error:
        row = []
    return [title.strip() for title in row], separator


def _is_of(text: str) -> bool:
    titles = {title.lower() for title in _titles(text[:4096])[0]}
    return len(titles) > 1 and ("path" in titles or set(_OTHER) <= titles) and "shares" in titles


def _rows(
    text: str, titles: list[str], separator: str, reading: Reading
) -> Iterator[tuple[int, dict[str, str]]]:
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=separator)
    begun, line = False, 1
    try:
        for row in rows:
            line, here = rows.line_num + 1, line
            if not any(cell.strip() for cell in row):
                continue
            if not begun:
                begun = True
                continue
            if len(row) > len(titles):
                reading.say(
                    here,
                    f"{len(row)} cells under {len(titles)} titles. Put cells with {separator!r} in quotes",
                )
                continue
            yield here, dict(zip(titles, row, strict=False))
    except csv.Error as error:
        reading.say(rows.line_num, f"not a table: {error}")


def _read(text: str) -> Reading:
    reading = Reading(NAME)
    reading.root.foreign.clear()
    titles, separator = _titles(text)
    titles = [title.lower() if title.lower() in (*_OWN, *_OTHER) else title for title in titles]
    if not _is_of(text):
        near = did_you_mean(titles[0] if titles else "", (*_OWN, *_OTHER))
        reading.say(
            1, f"the first row must have the titles path and shares, or name, parent and shares{near}"
        )
        return reading
    if twice := next((title for title in titles if titles.count(title) > 1), None):
        reading.say(1, f"the title {twice[:40]!r} occurs twice")
        return reading
    known: dict[str, _Known] = {_ROOT: _Known(reading.root, 0)}
    missing: dict[str, list[int]] = {}
    weights: dict[int, str] = {}  # The root's may be empty: it has no siblings.
    for line, cells in _rows(text, titles, separator, reading):
        node = _node(reading, cells, known, missing, line)
        if node is None:
            continue
        known[_place(cells)] = _Known(node, line, bool(cells.get("kind", "").strip()))
        weights[node.id] = cells.get("shares", "").strip() or ("1" if node is reading.root else "")
        _fill(reading, node, cells, line)
    for above, lines in missing.items():
        rows = "this row" if len(lines) == 1 else f"this row and {thousands(len(lines) - 1)} more"
        text = f"no row {above[:60]!r} above {rows}: the row of a group comes before its nodes'"
        reading.say(lines[0], text)
    if not reading.problems:
        _scale(reading, [one.node for one in known.values()], weights)
    return reading


@dataclass(frozen=True, slots=True)
class _Known:
    """A node, its line, and whether the row gives its kind."""

    node: Node
    line: int
    has_kind: bool = False


def _place(cells: Mapping[str, str]) -> str:
    """Return the name of a node in rows: its path from the top, or its name."""
    return (
        f"/{cells['path'].removeprefix('/').removesuffix('/')}" if "path" in cells else cells.get("name", "")
    )


def _node(
    reading: Reading, cells: Mapping[str, str], known: Mapping[str, _Known], missing: dict[str, list[int]],
    line: int,
) -> Node | None:  # fmt: skip
    """Return the node of a row; None if it is invalid, which is reported or kept in `missing`."""
    place, by_path = _place(cells), "path" in cells
    if by_path and place == _ROOT:
        if known[_ROOT].line:
            reading.say(line, f"the root occurs twice, first in line {known[_ROOT].line}")
        reading.name_root(cells.get("name", "") or reading.root.name, line)
        return reading.root
    above, _, name = place.rpartition("/") if by_path else (cells.get("parent", ""), "", place)
    if by_path and cells.get("name", name) not in ("", name):
        reading.say(
            line, f"the name {cells['name'][:60]!r} is not the last one of the path {cells['path'][:60]!r}"
        )
    parent = known.get(above or _ROOT)
    if not by_path and place in known:
        reading.say(line, f"{name[:60]!r} occurs twice, first in line {known[place].line}: use a column path")
    elif parent is None:
        missing.setdefault(above, []).append(line)
    elif parent.has_kind and not parent.node.is_group:
        fault = f"{parent.node.name[:60]} is a {parent.node.kind}, but only a group can contain nodes"
        reading.say(line, fault)
    else:
        return reading.add(parent.node, name, Kind.USER, line)
    return None


def _fill(reading: Reading, node: Node, cells: Mapping[str, str], line: int) -> None:
    text = cells.get("shares", "").strip()
    try:
        if text or node.parent is None:
            weight_of(text or "1")
        else:
            reading.say(line, f"{node.name[:60]} has no shares. Write a number of 0 or more")
    except ValueError as error:
        reading.say(line, f"shares: {error}")
    try:
        kind = cells.get("kind", "").strip().lower()
        if kind:
            node.kind = _kind(kind) if node.parent is not None else Kind.GROUP
        node.system = _flag(cells.get("system", ""))
        node.note = cells.get("note", "")
        for key in ("usage", "charge"):
            setattr(node, key, amount(key, cells.get(key, "").strip() or "0"))
        if last := cells.get("last_use_s", "").strip():
            node.last_use_s = values_of("last_use", last)["last_use_s"]
    except ValueError as error:
        reading.say(line, str(error))
    for key, value in cells.items():
        if key not in (*_OWN, *_OTHER) and key and value:
            node.foreign[key] = value
            reading.lines[node.id, key] = line


def _kind(word: str) -> Kind:
    if word not in list(Kind):
        msg = f"{word[:40]!r} is not a kind. Use group, user or account"
        raise ValueError(msg)
    return Kind(word)


def _flag(text: str) -> bool:
    word = text.strip().lower()
    if word not in (*_YES, *_NO):
        msg = f"system must be yes or empty, not {text[:40]!r}"
        raise ValueError(msg)
    return word in _YES


def _scale(reading: Reading, nodes: list[Node], weights: Mapping[int, str]) -> None:
    for group in nodes:
        children = reading.children(group)
        shares, _ = scaled([weight_of(weights[child.id]) for child in children])
        for child, number in zip(children, shares, strict=True):
            child.shares = number
    root = weights.get(reading.root.id)
    if root is not None:
        reading.root.shares = scaled([weight_of(root)])[0][0]


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    nodes, paths = list(tree.walk()), tree.paths()
    keys = list(dict.fromkeys(key for node in nodes for key, value in node.foreign.items() if value))
    for key in keys:
        if key.lower() in (*_OWN, *_OTHER) or key != key.strip() or not key.isprintable() or not key:
            fault = f"a table cannot have its own column {key!r}. Remove that foreign key"
            raise ScenarioError([Problem(fault)])
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)  # A bare \\r would end a row.
    rows.writerow([*_OWN[:1], "name", *_OWN[1:], *keys])
    top = len(paths[tree.root.id])
    for node in nodes:
        cells: list[str] = [str(node.kind), str(node.shares), node.note, "yes" if node.system else ""]
        cells += [_figure(node.usage), _figure(node.charge)]
        cells.append("" if node.last_use_s is None else _figure(node.last_use_s))
        cells = [
            paths[node.id][top:] or _ROOT,
            node.name,
            *cells,
            *(node.foreign.get(key, "") for key in keys),
        ]
        (quoted if any("\r" in str(cell) for cell in cells) else rows).writerow(cells)
    return out.getvalue()


def _figure(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


_scenario, _lines = readers(_read, "Share table", "CSV")
FORMAT = Format(
    NAME,
    "Table of nodes",
    (".csv", ".tsv"),
    _scenario,
    _write,
    _is_of,
    lambda scenario: lost_of(scenario, NAME, fields=_OWN, empty_groups=True, foreign=True),
    "Table with a row for each node, from a spreadsheet",
    lines=_lines,
)
