"""The bank hierarchy of flux-accounting as JSON, which `flux account fairshare-emulate` takes.

Source: flux-account-fairshare-emulate(1), flux-account-export-db(1), --fairshare-emulate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from fsconsole.shares.formats.reading import MAX_DEPTH, Reading, numbered, own_keys
from fsconsole.shares.formats.sharecf import whole_shares
from fsconsole.shares.input_files import parsed_json
from fsconsole.shares.tree import Kind, Node, ShareTree

NAME = "flux"
FORM = "json"
_ROOT = "root"
_JSON = re.compile(r'\s*\{\s*"root"\s*:')
_OWN = ("bank", "username", "shares", "usage", "children")


def is_json(text: str) -> bool:
    """Return True if a text is such a hierarchy."""
    return _JSON.match(text.removeprefix("\ufeff")) is not None


def read_json(text: str) -> Reading:
    """Read the banks and users of a hierarchy."""
    reading = Reading(NAME, form=FORM)
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
    places = list(_places(text))
    name = top.get("bank", _ROOT)
    if not isinstance(name, str):
        reading.say(places[0] if places else 1, "the top bank needs a name that is text")
    reading.name_root(str(name), places[0] if places and "bank" in top else 1)
    lines = iter(places)
    stack: list[tuple[Any, Node | None, int]] = [(top, None, 0)]
    while stack:
        item, above, depth = stack.pop()
        line = next(lines, 1)
        if depth > MAX_DEPTH:
            reading.say(line, f"banks are nested deeper than {MAX_DEPTH} levels, which is the limit")
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
    """Yield the lines of names in the order of the objects, parents before their children."""
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
    shares, usage = (_needed(reading, item, key, node, line) for key in ("shares", "usage"))
    if not isinstance(shares, int) or isinstance(shares, bool):
        reading.say(line, f"shares of {node.name[:60]} must be a whole number, not {str(shares)[:40]}")
    else:
        try:
            node.shares = whole_shares(str(shares))
        except ValueError as error:
            reading.say(line, str(error))
    if isinstance(usage, bool) or not isinstance(usage, int | float) or not 0 <= usage < 1e300:
        reading.say(line, f"usage of {node.name[:60]} must be a number of 0 or more, not {str(usage)[:40]}")
    else:
        node.usage = float(usage)
    for key, value in item.items():
        if key not in _OWN:
            reading.keep(node, key, json.dumps(value, ensure_ascii=False), line)
    return node


def _needed(reading: Reading, item: dict[str, Any], key: str, node: Node, line: int) -> Any:
    """Return a number that each object must have; report it and return 0 where there is none."""
    if item.get(key) is None:
        reading.say(line, f"{node.name[:60]} has no {key}, which Flux requires of each bank and user")
        return 0
    return item[key]


def write_json(tree: ShareTree) -> str:
    """Write the hierarchy of a tree."""
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
