"""Texts are whole, so that they can be translated: no plural is made by putting an s behind a word."""

from __future__ import annotations

import re
from pathlib import Path

import fsconsole

_ROOT = Path(fsconsole.__file__).parent
# A word's slot with an s behind it, or an s that depends on a count. A slot that ends in _s is a time in
# seconds, and `text/words.py` is where plurals are made.
_GLUED = re.compile(
    r"""\{[a-z_.()]*[a-z)](?<!_s)\}(?:s|es|ies)\b|["'](?:s|es|ies)["']\s+if\s|else\s+["'](?:s|es|ies)["']"""
)
_MADE_IN = Path("text/words.py")
_NOT_PLURALS = (
    'match[2] or "s" if match',  # a unit
    '"{seconds}s"',
    '"No {what}s in the system"',  # Slurm's own words
)


def glued(text: str) -> list[str]:
    """Return the lines of a program's text in which a plural is glued."""
    return [
        line.strip()
        for line in text.splitlines()
        if _GLUED.search(line) and not any(one in line for one in _NOT_PLURALS)
    ]


def test_no_plural_is_glued() -> None:
    found = {
        str(path.relative_to(_ROOT)): lines
        for path in sorted(_ROOT.rglob("*.py"))
        if path.relative_to(_ROOT) != _MADE_IN and (lines := glued(path.read_text(encoding="utf-8")))
    }
    assert not found


def test_glued_plurals_are_found() -> None:
    wrong = ('f"All {of}s, {count}"', "f\"{n} core{'' if n == 1 else 's'}\"")
    right = ('f"{span_s}s"', 'f"All samples, {count}"')
    assert all(map(glued, wrong))
    assert not any(map(glued, right))
