"""Keys of texts that tests name, held against the golden files: a reworded text may get another key."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.texts.golden import FOLDER, read_golden

# The place of the key among the arguments of each function of `tests.texts`.
_PLACES = {"wording": 0, "worded": 0, "pattern": 0, "says": 1, "slots_in": 1, "refuses": 1}
_SLOT = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def wrong_keys(tests: Path) -> Iterator[str]:
    """Yield a line on each key below a folder that no golden file has, or that lacks a slot it is given."""
    for path in sorted(tests.rglob("*.py")):
        text = path.read_text("utf-8")
        if "tests.texts" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and (fault := _fault(node)):
                yield f"{path}:{node.lineno}: {fault}"


def _fault(call: ast.Call) -> str:
    place = _PLACES.get(call.func.id) if isinstance(call.func, ast.Name) else None
    if place is None or len(call.args) <= place:
        return ""
    key = call.args[place]
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return ""
    room, _, name = key.value.rpartition(".")
    slots = _texts(room).get(name)
    if slots is None:
        return f"text {key.value} not found in {FOLDER.name}/{room}.txt"
    more = {word.arg for word in call.keywords if word.arg is not None} - slots
    return f"text {key.value} has no slot {', '.join(sorted(more))}" if more else ""


@cache
def _texts(room: str) -> dict[str, set[str]]:
    """Return the slots of each text of a room by its key."""
    if not (FOLDER / f"{room}.txt").is_file():
        return {}
    return {
        entry.key: {found[1] for found in _SLOT.finditer(entry.template) if found[1]}
        for entry in read_golden(room)
    }
