"""A share database as text: one line an entry, `/group/user key=value ...`, parents before children.

The form is ours: that of Convex's sharecf is not documented anywhere that could be read. Keys are those of
`lim`: shares, usage (cost units), charge (CPU seconds), last_use (seconds relative to time 0), flags (user,
account or group, and system), note; name for the root alone, whose path is `/`. A key that a line leaves
out says nothing about the entry.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fsconsole.shares.edits import FIELDS, MAX_SHARES
from fsconsole.shares.formats.base import Format, lost_of
from fsconsole.shares.quoting import quoted, split
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree, TreeError, check_spelling
from fsconsole.text.nearest import nearest_or_all

SYSTEM = "system"
_BEGINNING = re.compile(r"""\ufeff?(?:[ \t\r]*(?:#.*)?\n)*[ \t]*"?/""")
_FLAGS = (*Kind, SYSTEM)


@dataclass(frozen=True, slots=True)
class Entry:
    """Content of one line.

    Attributes:
        path: names below the root; empty for the root.
        values: fields of `Node` by name; only those that the line has.
        line: counted from 1.
    """

    path: tuple[str, ...]
    values: dict[str, Any]
    line: int


def read(text: str) -> ShareTree:
    """Return the tree of a database.

    Raises:
        ScenarioError: the file is wrong; the message lists all faults.
    """
    found = entries(text)
    tree, problems = ShareTree(), []
    known: dict[tuple[str, ...], int] = {(): ROOT_ID}
    for entry in found:
        try:
            _add(tree, known, entry)
        except TreeError as error:
            problems.append(Problem(str(error), line=entry.line, column=1))
    if problems:
        raise ScenarioError(problems)
    return tree


def _add(tree: ShareTree, known: dict[tuple[str, ...], int], entry: Entry) -> None:
    values = dict(entry.values)
    if entry.path:
        parent = parent_of(entry, known)
        node = tree.add(parent, entry.path[-1], kind=values.pop("kind", Kind.USER))
        known[entry.path] = node.id
    else:
        node = tree.root
        values.pop("kind", None)
        tree.rename(ROOT_ID, values.pop("name", node.name))
    for name, value in values.items():
        setattr(node, name, value)


def parent_of(entry: Entry, known: dict[tuple[str, ...], int]) -> int:
    """Return the id of an entry's group.

    Raises:
        TreeError: no line before it names that group.
    """
    parent = known.get(entry.path[:-1])
    if parent is None:
        msg = (
            f"no entry {path_text(entry.path[:-1])} before this one: the line of a group comes before "
            "its users'"
        )
        raise TreeError(msg)
    return parent


def write(tree: ShareTree) -> str:
    """Return the database of a tree; `read` gives the tree again, but for foreign keys."""
    return "".join(f"{line}\n" for line in lines(tree))


def lines(tree: ShareTree) -> Iterator[str]:
    """Yield the line of each node, depth-first."""
    paths: dict[int, str] = {ROOT_ID: ""}
    for node in tree.walk():
        if node.parent is not None:
            paths[node.id] = f"{paths[node.parent]}/{node.name}"
        yield f"{quoted(paths[node.id] or '/')} {settings_of(node)}"


def settings_of(node: Node) -> str:
    """Return the settings of a node's line, without its path."""
    flags = [str(node.kind)] + [SYSTEM] * node.system
    settings = {} if node.parent is not None else {"name": node.name}
    settings |= {"shares": str(node.shares), "flags": ",".join(flags)}
    if not node.is_group:
        settings |= {"usage": _number(node.usage), "charge": _number(node.charge)}
    else:
        settings |= {key: _number(getattr(node, key)) for key in ("usage", "charge") if getattr(node, key)}
    if node.last_use_s is not None:
        settings["last_use"] = _number(node.last_use_s)
    if node.note:
        settings["note"] = node.note
    return " ".join(f"{key}={quoted(value)}" for key, value in settings.items())


def path_text(path: tuple[str, ...]) -> str:
    """Return the path of an entry as its line begins."""
    return quoted(f"/{'/'.join(path)}")


def entries(text: str) -> list[Entry]:
    """Return the lines of a database.

    Raises:
        ScenarioError: lines are wrong; the message lists all faults.
    """
    found: dict[tuple[str, ...], Entry] = {}
    problems = []
    for row, line in enumerate(text.removeprefix("\ufeff").split("\n")):
        try:
            words = split(line.removesuffix("\r"))
            if words:
                entry = _entry(words, row + 1)
                _check_new(entry, found)
                found[entry.path] = entry
        except ValueError as error:
            problems.append(Problem(str(error), line=row + 1, column=1))
    if problems:
        raise ScenarioError(problems)
    return list(found.values())


def _check_new(entry: Entry, found: dict[tuple[str, ...], Entry]) -> None:
    if entry.path in found:
        msg = f"{path_text(entry.path)} occurs twice, first in line {found[entry.path].line}"
        raise ValueError(msg)


def _entry(words: list[str], line: int) -> Entry:
    where, *settings = words
    if not where.startswith("/"):
        msg = f"an entry begins with its path, such as /gr1/u11, not with {where!r}"
        raise ValueError(msg)
    path = () if where == "/" else tuple(where[1:].split("/"))
    for name in path:
        check_spelling(name)
    values: dict[str, Any] = {}
    for setting in settings:
        values |= _setting(setting, is_root=not path)
    return Entry(path, values, line)


def _setting(setting: str, *, is_root: bool) -> dict[str, Any]:
    key, equals, value = setting.partition("=")
    known = [name for name in _READERS if is_root or name != "name"]
    if not equals:
        msg = f"{setting!r} is not a setting: write KEY=VALUE, such as shares=100"
        raise ValueError(msg)
    if key not in known:
        msg = f"unknown key {key!r}{nearest_or_all(key, known)}"
        raise ValueError(msg)
    return values_of(key, value)


def values_of(key: str, text: str) -> dict[str, Any]:
    """Return fields of `Node` that KEY=TEXT sets, for a known key.

    Raises:
        ValueError: the text is invalid.
    """
    return _READERS[key](text)


def whole_shares(text: str) -> int:
    """Return shares as written.

    Raises:
        ValueError: they are impossible.
    """
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 12 or int(digits) > MAX_SHARES:
        msg = f"shares must be a whole number from 0 to {MAX_SHARES}, not {text!r}"
        raise ValueError(msg)
    return int(digits)


def _amount(name: str) -> Callable[[str], dict[str, Any]]:
    return lambda text: {name: amount(name, text)}


def amount(name: str, text: str) -> float:
    """Return a usage or charge as written.

    Raises:
        ValueError: it is impossible.
    """
    value = _float(text)
    if value is None or value < 0:
        msg = f"{name} must be a number of 0 or more, not {text!r}"
        raise ValueError(msg)
    return value


def _last_use(text: str) -> dict[str, Any]:
    value = _float(text)
    if value is None or value > 0:
        msg = f"last_use must be a number of seconds up to 0, not {text!r}"
        raise ValueError(msg)
    return {"last_use_s": value}


def _flags(text: str) -> dict[str, Any]:
    flags = [flag for flag in text.split(",") if flag]
    for flag in flags:
        if flag not in _FLAGS:
            msg = f"unknown flag {flag!r}{nearest_or_all(flag, _FLAGS)}"
            raise ValueError(msg)
    kinds = [flag for flag in flags if flag != SYSTEM]
    if len(kinds) > 1:
        msg = f"flags {text} exclude each other: an entry is a user, an account or a group"
        raise ValueError(msg)
    return {"kind": Kind(kinds[0]) if kinds else Kind.USER, "system": SYSTEM in flags}


def _name(text: str) -> dict[str, Any]:
    check_spelling(text)
    return {"name": text}


_READERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "shares": lambda text: {"shares": whole_shares(text)},
    "usage": _amount("usage"),
    "charge": _amount("charge"),
    "last_use": _last_use,
    "flags": _flags,
    "note": lambda text: {"note": text},
    "name": _name,
}


def _float(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _number(value: float) -> str:
    """Format every digit that counts; whole numbers have no point."""
    value = float(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _lines(text: str) -> dict[tuple[int, str], int]:
    """Return the line of each node: ids are given in the order of the lines, the root has 0."""
    below = [entry.line for entry in entries(text) if entry.path]
    root = [entry.line for entry in entries(text) if not entry.path]
    return {(node, ""): line for node, line in enumerate([*(root or [1]), *below])}


FORMAT = Format(
    "sharecf",
    "Share database",
    (".sharecf",),
    lambda text: Scenario(read(text), title="Share database", source="sharesh"),
    lambda scenario: write(scenario.tree),
    lambda text: _BEGINNING.match(text) is not None,
    lambda scenario: lost_of(scenario, "sharecf", fields=FIELDS, empty_groups=True),
    "Share tree written by sharesh on a Convex",
    lines=_lines,
)
