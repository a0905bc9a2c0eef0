"""Texts of the program by their keys, so that a test compares the key and the values, and words stand once.

The words are in the golden files beside this one, a file for each room; see `tools/texts`. A key is the
room's dotted name, a dot, and the key in its file: `shares.scenario.section-queues-is-missing`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import pytest

from tools.texts.golden import read_golden

E = TypeVar("E", bound=BaseException)
_Kinds = type[E] | tuple[type[E], ...]

_PART = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def wording(key: str, /, **values: object) -> str:
    """Return a text of the program with all its slots filled."""
    template = _template(key)
    slots = {found[1] for found in _PART.finditer(template) if found[1]}
    assert slots == set(values), f"{key} has the slots {sorted(slots)}: {template!r}"
    return _filled(template, lambda name: str(values[name]), str)


@dataclass(frozen=True)
class Expected:
    """What a text has to hold, for a column of a table of cases."""

    pattern: str


def worded(key: str, /, **values: object) -> Expected:
    """Return a text of the program, to be looked for; slots without a value may hold anything."""
    return Expected(pattern(key, **values))


def naming(*tokens: object) -> Expected:
    """Return these values, to be looked for in this order."""
    return Expected(".*".join(re.escape(str(token)) for token in tokens))


def says(text: object, expected: str | Expected, /, **values: object) -> bool:
    """Return True if a text of the program, by its key, stands in `text`; open slots may hold anything.

    Of a collection, an item must be that text and no more.
    """
    found = re.compile(_pattern(expected, values), re.DOTALL)
    if isinstance(text, Iterable) and not isinstance(text, str):
        return any(found.fullmatch(str(item)) for item in text)
    return found.search(str(text)) is not None


def slots_in(text: str, key: str) -> dict[str, str]:
    """Return the values in the slots of a text of the program, whose words must stand in `text`."""
    template = _template(key)
    open_slots = _filled(template, lambda name: rf"(?P<{name}>.*?)", re.escape)
    found = re.search(open_slots, text, re.DOTALL)
    assert found is not None, f"{key} is not in {text!r}"
    return found.groupdict()


def refuses(kind: _Kinds[E], expected: str | Expected, /, **values: object) -> pytest.RaisesExc[E]:
    """Expect an error with a text of the program in its message."""
    return pytest.raises(kind, match=f"(?s){_pattern(expected, values)}")


def refuses_naming(kind: _Kinds[E], *tokens: object) -> pytest.RaisesExc[E]:
    """Expect an error whose message names each of these values in this order."""
    return refuses(kind, naming(*tokens))


def _pattern(expected: str | Expected, values: dict[str, object]) -> str:
    return expected.pattern if isinstance(expected, Expected) else pattern(expected, **values)


def pattern(key: str, /, **values: object) -> str:
    """Return a regular expression of a text; slots without a value match anything."""
    template = _template(key)
    slots = {found[1] for found in _PART.finditer(template) if found[1]}
    assert slots >= set(values), f"{key} has the slots {sorted(slots)}: {template!r}"
    return _filled(
        template, lambda name: re.escape(str(values[name])) if name in values else ".*?", re.escape
    )


def _filled(template: str, slot: Any, constant: Any) -> str:
    pieces, end, literal = [], 0, ""
    for found in _PART.finditer(template):
        literal += template[end : found.start()]
        end = found.end()
        if found[1]:
            pieces += [constant(literal), slot(found[1])]
            literal = ""
        else:
            literal += found[0][0]
    return "".join([*pieces, constant(literal + template[end:])])


def _template(key: str) -> str:
    room, _, name = key.rpartition(".")
    return _room(room)[name]


@cache
def _room(room: str) -> dict[str, str]:
    return {entry.key: entry.template for entry in read_golden(room)}


def span(*, d: float = 0, h: float = 0, min: float = 0, s: float = 0, ms: float = 0) -> str:  # noqa: A002
    """Return a length of time in words, of the units that are given."""
    units = {"d": d, "h": h, "min": min, "s": s, "ms": ms}
    return " ".join(f"{number} {unit}" for unit, number in units.items() if number)
