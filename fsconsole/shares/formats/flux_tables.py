"""The bank table and the association table of flux-accounting, in one text or in two.

Rows without titles are those of old versions: `Bank,ParentBank,Shares` and
`Username,UserID,Bank,Shares,MaxRunningJobs,MaxActiveJobs,MaxNodes,Queues`. Newer ones export every column
of the database under a row of titles, and list them in columns apart by `|`. All columns are kept. Rows that
are not active stay in the file and are not in the tree: Flux leaves them out too.
Source: flux-account-pop-db(1), flux-account-export-db(1), -list-banks(1), -list-users(1); the columns and
the reader of the database in flux-accounting, create_db.py and data_reader_db.cpp.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fsconsole.shares.foreign import AFTER, BEFORE, FORM
from fsconsole.shares.formats.flux_json import NAME
from fsconsole.shares.formats.flux_views import usage_of
from fsconsole.shares.formats.reading import MAX_DEPTH, Reading, kept_lines, numbered
from fsconsole.shares.formats.sharecf import whole_shares
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.nearest import did_you_mean

ROOT = "root"
_PLAIN = "csv"
_BANK = ("bank", "parentbank", "shares")
_USER = ("username", "userid", "bank", "shares", "maxrunningjobs", "maxactivejobs", "maxnodes", "queues")
_FEWEST = 4
_NEW_BANKS = ("bank", "parent_bank", "shares")
_NEW_USERS = (
    "creation_time", "username", "userid", "bank", "default_bank", "shares",
    "max_running_jobs", "max_active_jobs", "max_nodes", "queues",
)  # fmt: skip
_TREE_COLUMNS = frozenset(("username", "bank", "parentbank", "shares", "jobusage"))
# Columns that fsconsole shows have one name, however the file spells them.
_KEYS = {one.lower(): one for one in ("UserID", "MaxRunningJobs", "MaxActiveJobs", "MaxNodes", "Queues")}
_RULE = re.compile(r"[-+ ]*-\+-[-+ ]*")
_HINTS = 50
_TAILS = ("inactive banks", "inactive associations")


@dataclass(slots=True)
class _Table:
    """Columns of one of the two tables; `line` is its row of titles, empty without one."""

    titles: tuple[str, ...]
    line: str = ""

    @property
    def is_padded(self) -> bool:
        return " | " in self.line

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line.

        Raises:
            ValueError: it is not a row.
        """
        if "|" in self.line:
            return [cell.strip() for cell in line.split("|")]
        return _csv_cells(line)


@dataclass(slots=True)
class _Row:
    """A row with the lines before it that concern no nodes."""

    number: int
    cells: dict[str, str]
    size: int
    before: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class _File:
    """Content of a text: rows of both tables, and their titles."""

    banks: list[_Row] = field(default_factory=list)
    users: list[_Row] = field(default_factory=list)
    titles: list[str] = field(default_factory=lambda: ["", ""])
    after: list[tuple[int, str]] = field(default_factory=list)
    tails: tuple[list[tuple[int, str]], list[tuple[int, str]]] = field(default_factory=lambda: ([], []))

    def end_table(self, table: _Table | None, held: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Keep inactive rows at the end of a table in it; return the lines after them."""
        if table is None:
            return held
        last = max((row for row, (_, line) in enumerate(held) if _is_row(line)), default=-1)
        self.tails["username" in table.titles].extend(held[: last + 1])
        return held[last + 1 :]


def _is_row(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def is_tables(text: str) -> bool:
    """Return True if a text holds one of the tables or both."""
    rows = []
    for _, line in numbered(text[:4096]):
        if line.strip() and not line.startswith("#"):
            if _table_of(line) is not None:
                return True
            rows.append(line.split(","))
    rows = rows[: 50 if len(text) <= 4096 else -1]  # The last line may be cut off.
    banks = [row for row in rows if len(row) == len(_BANK) and row[1] in (ROOT, "")]
    users = [row for row in rows if len(row) == len(_USER) and row[1].isdigit()]
    known = (len(_BANK), *range(_FEWEST, len(_USER) + 1))
    return bool(banks or users) and all(len(row) in known for row in rows)


def read_tables(text: str) -> Reading:
    """Read banks and associations, in any order."""
    reading = Reading(NAME, form=_PLAIN)
    found = _rows(text, reading)
    if any(found.titles):
        rows = (found.banks, found.users)
        found.titles = [line or (_PLAIN if own else "") for line, own in zip(found.titles, rows, strict=True)]
        reading.root.foreign[f"{NAME}.{FORM}"] = "\n".join(found.titles)
    alone = [row.number for row in found.users if row.cells["bank"] != ROOT]
    if not found.banks and alone:
        reading.say(
            alone[0],
            "associations without their banks. Give the bank table too, banks.csv or bank_table.csv",
        )
        return reading
    if not found.banks and not found.users and not reading.problems:
        reading.say(1, "no banks of Flux: a row is Bank,ParentBank,Shares, such as chem,root,60")
    banks = _Banks(reading, found.banks)
    for row in found.banks:
        banks.place(row)
    for row in found.users:
        above = banks.named(row.cells["bank"], row.number)
        if above is not None:
            node = reading.add(above, row.cells["username"], Kind.USER, row.number)
            _fill(reading, node, row)
            if not found.titles[1] and row.size < len(_USER):
                reading.keep(node, "cells", str(row.size), row.number)
    for key, lines in zip((*_TAILS, AFTER), (*found.tails, found.after), strict=True):
        reading.keep_rows(reading.root, key, lines)
    return reading


class _Banks:
    """Banks by name; each is placed together with those above it, wherever their rows are."""

    def __init__(self, reading: Reading, rows: Iterable[_Row]) -> None:
        self._reading = reading
        self._rows: dict[str, _Row] = {}
        tops = []
        for row in rows:
            name = row.cells["bank"]
            if name in self._rows:
                reading.say(row.number, f"the bank {name[:60]} occurs twice")
                continue
            self._rows[name] = row
            if not row.cells["parentbank"]:
                tops.append(row)
        for row in tops[1:]:
            fault = f"{row.cells['bank'][:60]} has no parent bank, as {tops[0].cells['bank'][:60]} in line"
            reading.say(row.number, f"{fault} {tops[0].number}: only one bank can be at the top")
        root = reading.root
        if tops:
            reading.name_root(tops[0].cells["bank"], tops[0].number)
            reading.keep(root, "row", "yes", tops[0].number)
            reading.lines[root.id, ""] = tops[0].number
            _fill(reading, root, tops[0])
        self._nodes: dict[str, tuple[Node, int]] = {root.name: (root, 0)}

    def place(self, row: _Row) -> None:
        """Add a bank below its parent, which is added first."""
        waiting, name = [], row.cells["bank"]
        while name not in self._nodes and name in self._rows:
            waiting.append(self._rows[name])
            name = waiting[-1].cells["parentbank"]
            if waiting[-1].cells["bank"] == name or len(waiting) > MAX_DEPTH:
                reading, own = self._reading, row.cells["bank"][:60]
                text = f"the bank {own} is below itself, or deeper than {MAX_DEPTH} levels"
                reading.say(row.number, text)
                self._nodes[row.cells["bank"]] = (reading.root, 0)
                return
        for one in reversed(waiting):
            above = self.named(one.cells["parentbank"], one.number)
            if above is None:
                self._nodes[one.cells["bank"]] = (self._reading.root, 0)
                continue
            node = self._reading.add(above, one.cells["bank"], Kind.GROUP, one.number)
            _fill(self._reading, node, one)
            depth = self._nodes[one.cells["parentbank"]][1] + 1
            self._nodes[one.cells["bank"]] = (node, depth)
            if depth > MAX_DEPTH:
                text = f"banks are nested deeper than {MAX_DEPTH} levels, which is the limit"
                self._reading.say(one.number, text)

    def named(self, name: str, number: int) -> Node | None:
        """Return the bank with a name; report an unknown one and return None."""
        if name in self._nodes:
            return self._nodes[name][0]
        problems = self._reading.problems
        hint = did_you_mean(name, self._nodes) if len(problems) < _HINTS else ""
        top = f"; the top one is {self._reading.root.name[:60]}"
        self._reading.say(number, f"no bank {name[:60]!r} in the file{hint or top}")
        return None


def _rows(text: str, reading: Reading) -> _File:
    found = _File()
    table: _Table | None = None
    held: list[tuple[int, str]] = []
    for number, line in numbered(text):
        if not line.strip() or line.startswith("#"):
            held.append((number, line))
            continue
        if (begun := _table_of(line)) is not None:
            held = found.end_table(table, held)
            table = begun
            kind = "username" in table.titles
            if found.titles[kind] not in ("", table.line):
                reading.say(number, "other titles than those of the table before it")
            found.titles[kind] = table.line
            continue
        if table is not None and table.is_padded and _RULE.fullmatch(line):
            continue
        try:
            cells = table.cells(line) if table is not None else _csv_cells(line)
        except ValueError as error:
            reading.say(number, str(error))
            continue
        size = len(cells)
        if table is not None and "|" not in table.line and size != len(table.titles):
            # The other table has no titles, and each row after it is one of its kind.
            held = found.end_table(table, held)
            table = None
        titles = table.titles if table is not None else _BANK if size == len(_BANK) else _USER
        if table is None and size != len(_BANK) and not _FEWEST <= size <= len(_USER):
            reading.say(number, f"{size} cells: a bank has {len(_BANK)}, an association up to {len(_USER)}")
            continue
        if table is not None and size != len(titles):
            reading.say(number, f"{size} cells under {len(titles)} titles")
            continue
        named = dict(zip(titles, cells, strict=False))
        if named.get("active", "1") == "0":
            held.append((number, line))
            continue
        rows = found.users if "username" in titles else found.banks
        rows.append(_Row(number, named, size, held))
        held = []
    held = found.end_table(table, held)
    while held and not held[-1][1].strip():
        held.pop()
    found.after = held
    return found


def _csv_cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        msg = f"not a row of a table: {error}"
        raise ValueError(msg) from None


def _table_of(line: str) -> _Table | None:
    """Return the table with this line as its title row."""
    try:
        cells = line.split("|") if "|" in line else _csv_cells(line)
    except ValueError:
        return None
    titles = tuple(_title(cell) for cell in cells)
    plain = {*titles}
    if len(plain) != len(titles) or not ({*_BANK} <= plain or {"username", "bank", "shares"} <= plain):
        return None
    return _Table(titles, " | ".join(map(str.strip, cells)) if " | " in line else line.strip())


def _title(text: str) -> str:
    """Return a title in the spelling of fsconsole; unknown titles stay unchanged."""
    plain = text.strip().lower().replace("_", "")
    return plain if plain in (*_TREE_COLUMNS, *_KEYS) else text.strip()


def _fill(reading: Reading, node: Node, row: _Row) -> None:
    reading.keep_rows(node, BEFORE, row.before)
    try:
        # `flux account pop-db` gives an association 1 share where it has none; a bank needs them.
        shares = row.cells["shares"].strip().strip("'")
        node.shares = whole_shares(shares or ("1" if "username" in row.cells else ""))
        node.usage = usage_of(row.cells.get("jobusage", "0"))
    except ValueError as error:
        reading.say(row.number, str(error))
    for title, value in row.cells.items():
        if value and title not in _TREE_COLUMNS and (title, value) != ("active", "1"):
            reading.keep(node, _KEYS.get(title, title), value, row.number)


def has_usage(tree: ShareTree) -> bool:
    """Return True if the tables that a tree is from have a column of usage."""
    return any("jobusage" in table.titles for table in _tables(tree) if table.line)


def inactive_rows(tree: ShareTree) -> int:
    """Return the number of rows of the file that are not active, and therefore not in the tree."""
    lines = [line for node in tree.walk() for line in kept_lines(node, NAME)]
    lines += [line for key in _TAILS for line in kept_lines(tree.root, NAME, key)]
    return sum(map(_is_row, lines))


def top_bank(tree: ShareTree) -> str:
    """Return the name of the top bank in the file, by default Flux's usual one."""
    return tree.root.name if f"{NAME}.row" in tree.root.foreign else ROOT


def _tables(tree: ShareTree) -> tuple[_Table, _Table]:
    """Return both tables; one that the file lacked gets titles in the manner of the other."""
    lines = tree.root.foreign.get(f"{NAME}.{FORM}", _PLAIN).split("\n")
    banks, users = lines if len(lines) == 2 else (_PLAIN, _PLAIN)
    between = next((mark for mark in (" | ", "|") if mark in banks + users), ",")
    banks, users = banks or between.join(_NEW_BANKS), users or between.join(_NEW_USERS)
    return _table_of(banks) or _Table(_BANK), _table_of(users) or _Table(_USER)


def write_tables(tree: ShareTree) -> str:
    """Write both tables, each under the titles that it had."""
    banks, users = _tables(tree)
    top, root = top_bank(tree), tree.root
    bank_rows: list[tuple[Node, list[str]]] = []
    user_rows: list[tuple[Node, list[str]]] = []
    if f"{NAME}.row" in root.foreign:
        bank_rows.append((root, _cells(root, banks, {"bank": top, "parentbank": ""})))
    for group in tree.walk():
        bank = group.name if group.parent is not None else top
        for node in tree.children(group.id):
            if node.is_group:
                bank_rows.append((node, _cells(node, banks, {"bank": node.name, "parentbank": bank})))
            else:
                user_rows.append((node, _cells(node, users, {"bank": bank, "username": node.name})))
    after = "".join(f"{line}\n" for line in kept_lines(root, NAME, AFTER))
    tails = [kept_lines(root, NAME, key) for key in _TAILS]
    return _text(banks, bank_rows, tails[0]) + _text(users, user_rows, tails[1]) + after


def _cells(node: Node, table: _Table, values: dict[str, str]) -> list[str]:
    values |= {"shares": str(node.shares), "jobusage": repr(float(node.usage)), "active": "1"}
    if "username" in table.titles and not node.foreign:
        # The database requires these two for a new row.
        values |= {"default_bank": values["bank"], "creation_time": "0"}
    cells = [
        values[title] if title in values else node.foreign.get(f"{NAME}.{_KEYS.get(title, title)}", "")
        for title in table.titles
    ]
    if table.line or "username" not in table.titles:
        return cells
    kept = node.foreign.get(f"{NAME}.cells", "")
    size = int(kept) if kept in tuple("4567") else len(cells)
    while size < len(cells) and any(cells[size:]):
        size += 1
    return cells[:size]


def _text(table: _Table, rows: list[tuple[Node, list[str]]], tail: list[str]) -> str:
    if not rows and not tail:
        return ""
    lines = [*(_padded(table, rows) if table.is_padded else _plain(table, rows)), *tail]
    return "".join(f"{line}\n" for line in lines)


def _plain(table: _Table, rows: list[tuple[Node, list[str]]]) -> Iterator[str]:
    if table.line:
        yield table.line
    for node, cells in rows:
        yield from kept_lines(node, NAME)
        yield "|".join(cells) if "|" in table.line else _csv_line(cells)


def _csv_line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue()


def _padded(table: _Table, rows: list[tuple[Node, list[str]]]) -> Iterator[str]:
    titles = table.line.split(" | ")
    widths = [max(map(len, column)) for column in zip(titles, *(cells for _, cells in rows), strict=True)]

    def line(cells: list[str]) -> str:
        return " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))

    yield line(titles)
    yield "-+-".join("-" * width for width in widths)
    for node, cells in rows:
        yield from kept_lines(node, NAME)
        yield line(cells)
