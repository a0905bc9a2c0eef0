"""Python values as YAML text that every reader takes for the same value."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from fsconsole.shares.scenario.yaml_nodes import plain_value

_PLAIN = re.compile(r"[A-Za-z_](?:[\w./()+%-]|[ ,;:](?=[\w(])(?<!:)|[,;](?=[ ]))*", re.ASCII)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_WIDTH = 100


def scalar(value: Any, *, in_flow: bool = False) -> str:
    """Return a number, switch, date or text on one line; `in_flow` inside braces or brackets."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and abs(value) < 1e15 and value == int(value):
        return str(int(value))
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return _word(str(value), in_flow=in_flow)


def _number(value: float) -> str:
    """Return a float that YAML 1.1 readers take for one too: they want a point before the exponent."""
    mantissa, letter, exponent = repr(value).partition("e")
    if not letter:
        return mantissa
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{exponent}"


def _word(text: str, *, in_flow: bool) -> str:
    is_plain = _PLAIN.fullmatch(text) and isinstance(plain_value(text), str) and text.lower() not in "yn"
    if is_plain and not (in_flow and re.search("[,;:]", text)):
        return text
    return f'"{"".join(_escaped(char) for char in text)}"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable() and char != "\ufeff":
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def paragraph(text: str) -> str:
    """Return the text after a key: on its line, folded if long, literal if it has lines of its own."""
    lines = text.split("\n")
    if len(lines) == 1:
        foldable = len(text) > _WIDTH and re.fullmatch(r"[^\s]+( [^\s]+)*", text) and text.isprintable()
        return _folded(text) if foldable else scalar(text)
    ends = text.endswith("\n")
    body = lines[:-1] if ends else lines
    literal = all(line.isprintable() and line == line.strip() and line for line in (body[0], body[-1]))
    literal = literal and all(line.isprintable() and line == line.rstrip() for line in body)
    if not literal:
        return scalar(text)
    return "|" + ("" if ends else "-") + "".join(f"\n  {line}" if line else "\n" for line in body)


def _folded(text: str) -> str:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) + 1 > _WIDTH:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip(" ")
    return ">-" + "".join(f"\n  {line}" for line in lines)


def flow(values: dict[str, str]) -> str:
    """Return a mapping on one line, its values as YAML text already."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"


def flow_key(text: str) -> str:
    """Return a key inside braces."""
    return scalar(text, in_flow=True)
