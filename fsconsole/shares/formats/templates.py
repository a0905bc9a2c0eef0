"""Text of a YAML object as a template: values of the tree are slots, and all other text is kept.

A slot is a key between angle brackets. A line that begins with a question mark and a key between them is left
out if the slot is empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fsconsole.shares.scenario.yaml_nodes import Map, Seq, unpacked

ANY = "any"
PARENT, NAME_SLOT = "parent", "name"
_SLOT = re.compile("⟨(⟨|[^⟨⟩]*⟩)")
_OPTIONAL = re.compile("⟨[?]([^⟨⟩]*)⟩")
_SCALAR = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,\[\]{}#'"][^,\[\]{}#]*?(?=\s*(?:$|[,\[\]{}]|\s#))"""
)
_SAFE = re.compile(r"[A-Za-z][A-Za-z0-9._-]*[A-Za-z0-9]|[A-Za-z]")
_PLAIN_VALUE = re.compile(r"-?[0-9][0-9A-Za-z.]*|")
_WORDS = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")


@dataclass(slots=True)
class Manifest:
    """One object of a file.

    Attributes:
        data: content of the object.
        lines: text of the object, which becomes a template.
        first: first line of the object in the file.
        values: values of the slots.
        before: other objects and comments above it, each with its first line.
    """

    data: Map
    lines: list[str]
    first: int
    values: dict[str, str] = field(default_factory=dict)
    before: list[tuple[int, str]] = field(default_factory=list)
    spans: list[tuple[int, int, int, str]] = field(default_factory=list)
    added: list[tuple[int, str]] = field(default_factory=list)
    dropped: dict[int, str] = field(default_factory=dict)

    def at(self, *path: str) -> Any:
        """Return the value at a path of keys; None if it is missing."""
        value: Any = self.data
        for key in path:
            value = value.get(key) if isinstance(value, Map) else None
        return value

    def line(self, *path: str) -> int:
        """Return the first line in the file of the value at a path, by default that of the object."""
        holder = self.at(*path[:-1]) if path else None
        if not isinstance(holder, Map) or path[-1] not in holder:
            return self.first
        return self.first + unpacked(holder.place_of(path[-1]))[0] - 1

    def slot(self, key: str, *path: str) -> str:
        """Make the scalar at a path a slot; return its text, empty if missing.

        Raises:
            ValueError: it is not a scalar.
        """
        holder = self.at(*path[:-1])
        if not isinstance(holder, Map) or holder.get(path[-1]) is None:
            return ""
        return self.slot_at(key, holder, path[-1])

    def slot_at(self, key: str, holder: Map, name: str) -> str:
        """Make the scalar under a name in a mapping a slot, and return its text.

        Raises:
            ValueError: it is not plain.
        """
        row, column = unpacked(holder.place_of(name))
        match = _SCALAR.match(self.lines[row - 1], column - 1) if 0 < row <= len(self.lines) else None
        value = holder[name]
        quoted = match is not None and match[0][0] in "'\""
        inside = value if quoted else match[0] if match is not None else ""
        if match is None or isinstance(value, Map | Seq) or (isinstance(value, str) and value != inside):
            msg = f"{name} must be one plain value on its line"
            raise ValueError(msg)
        if any(one[:2] == (row - 1, match.start() + quoted) for one in self.spans):
            return ""  # An alias refers to a value that is already a slot.
        self.spans.append((row - 1, match.start() + quoted, match.end() - quoted, key))
        self.values[key] = str(inside)
        return str(inside)

    def leave_room(self, key: str, *path: str) -> None:
        """Add a slot at a path without a value; not in a mapping in braces."""
        depth = 1
        while depth < len(path) - 1 and isinstance(self.at(*path[: depth + 1]), Map):
            depth += 1
        holder = self.at(*path[:depth])
        if holder is None and path[0] not in self.data:
            row, column = len(self.lines), 3
            while row and not self.lines[row - 1].strip():
                row -= 1
            opening = (row, f"⟨?{ANY}⟩{path[0]}:")
            self.added += [] if opening in self.added else [opening]
        elif isinstance(holder, Map) and self._is_block(holder):
            row, column = unpacked(holder.place)
            row -= 1
        else:
            return
        for size in range(depth, len(path)):
            margin = " " * (column - 1 + 2 * (size - depth))
            value = f" ⟨{key}⟩" if size == len(path) - 1 else ""
            self.added.append((row, f"⟨?{key}⟩{margin}{path[size]}:{value}"))

    def _is_block(self, holder: Map) -> bool:
        row, column = unpacked(holder.place)
        return bool(holder) and self.lines[row - 1][column - 1 : column] != "{"

    def optional(self, key: str, holder: Map, name: str) -> None:
        """Let the line of a slot be left out where the slot is empty."""
        row = unpacked(holder.place_of(name))[0] - 1
        alone = self.lines[row].strip().startswith((name, f'"{name}"'))
        if alone and "{" not in self.lines[row]:
            self.dropped[row] = key

    def template(self) -> str:
        """Return the text with its slots."""
        lines = list(self.lines)
        spans = sorted(self.spans, reverse=True)
        cuts: dict[int, list[tuple[int, int, str]]] = {}
        for row, start, end, key in spans:
            cuts.setdefault(row, []).append((start, end, key))
        for row, line in enumerate(lines):
            place = len(line)
            pieces: list[str] = []
            for start, end, key in cuts.get(row, []):
                pieces = [f"⟨{key}⟩", escaped(line[end:place]), *pieces]
                place = start
            mark = f"⟨?{self.dropped[row]}⟩" if row in self.dropped else ""
            lines[row] = "".join([mark, escaped(line[:place]), *pieces])
        added: dict[int, list[str]] = {}
        for row, line in self.added:
            added.setdefault(row, []).append(line)
        for row in sorted(added, reverse=True):
            lines[row:row] = added[row]
        return "\n".join(lines)


def escaped(text: str) -> str:
    """Return a text that a template reproduces literally."""
    return text.replace("⟨", "⟨⟨")


def rendered(template: str, values: Mapping[str, str], *, plain: bool = False) -> str:
    """Return the text of a template; ValueError for a value without a slot.

    Args:
        template: text with slots.
        values: values of the slots.
        plain: whether to insert values literally, and not as scalars of YAML.
    """
    found: set[str] = set()
    lines = []
    for line in template.split("\n"):
        optional = _OPTIONAL.match(line)
        if optional:
            found.add(optional[1])
            if not values.get(optional[1]):
                continue
            line = line[optional.end() :]
        lines.append(_filled(line, values, found, plain=plain))
    missing = [key for key, value in values.items() if value and key not in found and key != ANY]
    if missing:
        msg = (
            f"its manifest has no place for {missing[0]}. Write it there by hand, on lines and not in braces"
        )
        raise ValueError(msg)
    return "\n".join(lines)


def _filled(line: str, values: Mapping[str, str], found: set[str], *, plain: bool) -> str:
    pieces, place = [], 0
    for match in _SLOT.finditer(line):
        pieces.append(line[place : match.start()])
        place = match.end()
        if match[1] == "⟨":
            pieces.append("⟨")
            continue
        key = match[1][:-1]
        found.add(key)
        value = values.get(key, "")
        before = line[max(match.start() - 1, 0) : match.start()]
        pieces.append(value if plain else _spelled(value, before, key))
    return "".join([*pieces, line[place:]])


def _spelled(value: str, before: str, key: str) -> str:
    """Return a value inside of quotes, or in quotes where it needs them."""
    if before == '"':
        return json.dumps(value, ensure_ascii=False)[1:-1]
    if before == "'":
        return value.replace("'", "''")
    is_text = key in (NAME_SLOT, PARENT)
    if is_text and not (_SAFE.fullmatch(value) and value.lower() not in _WORDS):
        return json.dumps(value, ensure_ascii=False)
    return value if is_text or _PLAIN_VALUE.fullmatch(value) else json.dumps(value, ensure_ascii=False)
