"""Banks and associations of flux-accounting: its two CSV tables, or the JSON of `fairshare-emulate`.

A bank table has rows `Bank,ParentBank,Shares`; an association table has rows
`Username,UserID,Bank,Shares,MaxRunningJobs,MaxActiveJobs,MaxNodes,Queues`. Both may stand in one file, banks
first; `flux account pop-db` wants them apart, as --banks and --users. The JSON has shares and usage.
Source: flux-account-pop-db(1), flux-account-fairshare-emulate(1).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from fsconsole.shares.foreign import FORM
from fsconsole.shares.formats.base import Column, Format, Loss, Meaning, lost_of
from fsconsole.shares.formats.reading import (
    MAX_DEPTH,
    Comments,
    Reading,
    kept_lines,
    numbered,
    own_keys,
    readers,
    unwritable,
)
from fsconsole.shares.formats.sharecf import whole_shares
from fsconsole.shares.input_files import parsed_json
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.nearest import did_you_mean

NAME = "flux"
_ROOT = "root"
_BANK_CELLS, _USER_CELLS = 3, 8
_MORE = ("MaxRunningJobs", "MaxActiveJobs", "MaxNodes", "Queues")
_HINTS = 50
_JSON = re.compile(r'\s*\{\s*"root"\s*:')
_OWN = ("bank", "username", "shares", "usage", "children")


def _read(text: str) -> Reading:
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _read_json(text)
    reading = Reading(NAME, form="csv")
    comments = Comments(reading)
    banks: dict[str, Node] = {_ROOT: reading.root}
    for number, line in numbered(text):
        if not line.strip() or line.startswith("#"):
            comments.hold(line)
            continue
        try:
            row = next(csv.reader([line], strict=True), [])
        except csv.Error as error:
            reading.say(number, f"not a row of a table: {error}")
            continue
        if len(row) == _BANK_CELLS:
            _bank(reading, banks, comments, row, number)
        elif 4 <= len(row) <= _USER_CELLS:
            _user(reading, banks, comments, row, number)
        else:
            reading.say(
                number, f"{len(row)} cells: a bank has {_BANK_CELLS}, an association up to {_USER_CELLS}"
            )
    if len(banks) == 1 and not reading.root.children and not reading.problems:
        reading.say(1, "no banks of Flux: a row is Bank,ParentBank,Shares, such as chem,root,60")
    comments.end()
    return reading


def _bank(reading: Reading, banks: dict[str, Node], comments: Comments, row: list[str], number: int) -> None:
    name, parent, shares = row
    if name == _ROOT and not parent:
        reading.keep(reading.root, "row", "yes", number)
        comments.give(reading.root)
        _shares(reading, reading.root, shares, number)
    elif name in banks:
        reading.say(number, f"the bank {name[:60]} stands twice")
    elif (above := _above(reading, banks, parent, number)) is not None:
        banks[name] = reading.add(above, name, Kind.GROUP, number)
        comments.give(banks[name])
        _shares(reading, banks[name], shares, number)


def _user(reading: Reading, banks: dict[str, Node], comments: Comments, row: list[str], number: int) -> None:
    name, uid, bank, shares, *more = row
    above = _above(reading, banks, bank, number)
    if above is None:
        return
    node = reading.add(above, name, Kind.USER, number)
    comments.give(node)
    _shares(reading, node, shares, number)
    for key, value in (("UserID", uid), *zip(_MORE, more, strict=False)):
        if value:
            reading.keep(node, key, value, number)
    if len(more) < len(_MORE):
        reading.keep(node, "cells", str(len(row)), number)


def _above(reading: Reading, banks: dict[str, Node], name: str, number: int) -> Node | None:
    if name not in banks:
        hint = did_you_mean(name, banks) if len(reading.problems) < _HINTS else ""
        reading.say(number, f"no bank {name[:60]!r} stands above this row{hint or '; the top one is root'}")
        return None
    return banks[name]


def _shares(reading: Reading, node: Node, text: str, number: int) -> None:
    try:
        node.shares = whole_shares(text.strip().strip("'") or "1")
    except ValueError as error:
        reading.say(number, str(error))


def _read_json(text: str) -> Reading:
    reading = Reading(NAME, form="json")
    try:
        data = parsed_json(text)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        reading.say(line, f"not valid JSON: {getattr(error, 'msg', error)}")
        return reading
    top = data.get("root") if isinstance(data, dict) else None
    if not isinstance(top, dict):
        reading.say(1, "not a bank hierarchy of Flux: it has no object root")
        return reading
    for key, value in data.items():
        if key != "root":
            reading.keep(reading.root, f"/{key}", json.dumps(value, ensure_ascii=False))
    places = iter(_places(text))
    reading.root.name = str(top.get("bank", _ROOT))
    stack: list[tuple[Any, Node | None, int]] = [(top, None, 0)]
    while stack:
        item, above, depth = stack.pop()
        line = next(places, 1)
        if depth > MAX_DEPTH:
            reading.say(line, f"banks are nested deeper than {MAX_DEPTH} levels, the most that is read")
            break
        if not isinstance(item, dict):
            reading.say(line, "each child must be an object with a bank or a username")
            continue
        node = _object(reading, item, above, line)
        children = item.get("children", [])
        if not isinstance(children, list) or (children and not node.is_group):
            reading.say(line, f"children of {node.name[:60]} must be a list, and of a bank")
            continue
        stack.extend((child, node, depth + 1) for child in reversed(children))
    return reading


def _places(text: str) -> Iterator[int]:
    """Lines of the names, in the order of the objects where each name stands before its children."""
    for number, line in numbered(text):
        for _ in re.finditer(r'"(?:bank|username)"\s*:', line):
            yield number


def _object(reading: Reading, item: dict[str, Any], above: Node | None, line: int) -> Node:
    name = item.get("username", item.get("bank"))
    if above is None:
        node = reading.root
    else:
        kind = Kind.USER if "username" in item else Kind.GROUP
        if not isinstance(name, str):
            reading.say(line, "an object needs a bank or a username that is text")
        node = reading.add(above, str(name), kind, line)
    shares, usage = item.get("shares", 1), item.get("usage", 0)
    if not isinstance(shares, int) or isinstance(shares, bool):
        reading.say(line, f"shares of {node.name[:60]} must be a whole number, not {str(shares)[:40]}")
    else:
        _shares(reading, node, str(shares), line)
    if isinstance(usage, bool) or not isinstance(usage, int | float) or not 0 <= usage < 1e300:
        reading.say(line, f"usage of {node.name[:60]} must be a number from 0, not {str(usage)[:40]}")
    else:
        node.usage = float(usage)
    for key, value in item.items():
        if key not in _OWN:
            reading.keep(node, key, json.dumps(value, ensure_ascii=False), line)
    return node


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    if _has_json(tree):
        return _write_json(tree)
    unwritable(tree, _unwritable(tree))
    banks, users = io.StringIO(), io.StringIO()
    root = tree.root
    if f"{NAME}.row" in root.foreign:
        _row(banks, root, [_ROOT, "", str(root.shares)])
    for group in tree.walk():
        bank = group.name if group.parent is not None else _ROOT
        for node in tree.children(group.id):
            if node.is_group:
                _row(banks, node, [node.name, bank, str(node.shares)])
            else:
                more = [node.foreign.get(f"{NAME}.{key}", "") for key in _MORE]
                cells = node.foreign.get(f"{NAME}.cells", "")
                size = int(cells) - 4 if cells in tuple("4567") else len(more)
                while size < len(more) and any(more[size:]):
                    size += 1
                uid = node.foreign.get(f"{NAME}.UserID", "")
                _row(users, node, [node.name, uid, bank, str(node.shares), *more[:size]])
    after = kept_lines(root, NAME, "after")
    return banks.getvalue() + users.getvalue() + "".join(f"{line}\n" for line in after)


def _row(out: io.StringIO, node: Node, cells: list[str]) -> None:
    out.writelines(f"{line}\n" for line in kept_lines(node, NAME))
    csv.writer(out, lineterminator="\n").writerow(cells)


def _has_json(tree: ShareTree) -> bool:
    form = tree.root.foreign.get(f"{NAME}.{FORM}")
    return form == "json" or (form is None and any(node.usage for node in tree.walk()))


def _write_json(tree: ShareTree) -> str:
    made: dict[int, dict[str, Any]] = {}
    for node in tree.walk():
        usage = int(node.usage) if node.usage < 2**53 and node.usage == int(node.usage) else node.usage
        item: dict[str, Any] = {"bank" if node.is_group else "username": node.name}
        item |= {"shares": node.shares, "usage": usage}
        item |= {
            key.removeprefix(f"{NAME}."): _value(value)
            for key, value in own_keys(node, NAME)
            if "./" not in key
        }
        if node.is_group:
            item["children"] = []
        made[node.id] = item
        if node.parent is not None:
            made[node.parent]["children"].append(item)
    whole = {"root": made[tree.root.id]}
    whole |= {
        key.partition("./")[2]: _value(value) for key, value in own_keys(tree.root, NAME) if "./" in key
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _value(text: str) -> Any:
    try:
        return parsed_json(text)
    except ValueError:
        return text


def _unwritable(tree: ShareTree) -> Iterator[tuple[Node, str]]:
    banks: set[str] = {_ROOT}
    for node in tree.walk():
        if node.parent is None:
            continue
        if node.is_group and node.name in banks:
            yield node, f"Flux has one bank of a name, and {node.name} stands twice. Rename one of them."
        if node.is_group:
            banks.add(node.name)
        if node.name.startswith("#") or node.name != node.name.strip() or not node.name.isprintable():
            yield node, f"Flux cannot have the name {node.name!r}. Rename it."


def _rules(tree: ShareTree) -> Iterator[Problem]:
    for node in tree.walk():
        if node.parent is not None and not node.shares:
            fault = f"{node.name} has 0 shares: Flux divides by them, so write 1 or more"
            yield Problem(fault, node=node.id, path=tree.path(node.id))
        if not node.is_group and node.parent == tree.root.id:
            fault = f"{node.name} is in no bank: add an association to a bank below root"
            yield Problem(fault, node=node.id, path=tree.path(node.id))


def _lost(scenario: Scenario) -> list[Loss]:
    fields = ("usage",) if _has_json(scenario.tree) else ()
    return lost_of(scenario, NAME, fields=fields, leaves=(Kind.USER,), empty_groups=True)


def _check_count(text: str) -> str:
    if not text or (text.isascii() and text.isdigit()):
        return ""
    return f"{text[:40]!r} is not a count. Write a whole number from 0."


def _is_of(text: str) -> bool:
    if _JSON.match(text.removeprefix("\ufeff")):
        return True
    rows = [line.split(",") for _, line in numbered(text[:4096]) if line.strip() and not line.startswith("#")]
    banks = [row for row in rows if len(row) == _BANK_CELLS and row[1] in (_ROOT, "")]
    return bool(banks) and all(len(row) in (_BANK_CELLS, *range(4, _USER_CELLS + 1)) for row in rows[:50])


_scenario, _lines = readers(_read, "Flux banks", "flux-accounting")
FORMAT = Format(
    NAME,
    "Flux banks and associations",
    (".flux",),
    _scenario,
    _write,
    _is_of,
    _lost,
    "Bank and association tables of flux-accounting, or its JSON",
    endings=(".csv", ".json"),
    columns=(
        Column(f"{NAME}.UserID", "UserID", Meaning.SETTING, check=_check_count),
        Column(f"{NAME}.MaxRunningJobs", "MaxRunningJobs", Meaning.LIMIT, "jobs", _check_count),
        Column(f"{NAME}.MaxActiveJobs", "MaxActiveJobs", Meaning.LIMIT, "jobs", _check_count),
        Column(f"{NAME}.MaxNodes", "MaxNodes", Meaning.LIMIT, "nodes", _check_count),
        Column(f"{NAME}.Queues", "Queues", Meaning.SETTING),
    ),
    rules=_rules,
    lines=_lines,
)
