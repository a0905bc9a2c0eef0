"""Control characters, which act on the program that shows them: how to find and how to escape them."""

from __future__ import annotations

import re

# Terminals act on these: C0, DEL and C1 controls; marks that turn the direction of writing; separators of
# lines and paragraphs.
_CONTROLS = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_CONTROL_IN_LINES = re.compile(f"(?![\t\n])[{_CONTROLS}]")


def control_in(text: str) -> str:
    """Return the first control character in a user's text, such as U+009B; empty if there is none."""
    match = _CONTROL.search(text)
    return f"U+{ord(match[0]):04X}" if match else ""


def visible(text: str) -> str:
    r"""Return a text with control characters as \u009b, which JSON reads back; tabs and line feeds stay."""
    return _CONTROL_IN_LINES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def visible_line(text: str) -> str:
    """Return a text of one line, such as a table cell, with all its control characters escaped."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
