"""Texts that somebody broke: bytes, lines and numbers changed at random from a seed."""

from __future__ import annotations

import random

_PIECES = (
    *" \t\n\\\"'<>&#=:,()[]{}/@-01wé\u2028\ufeff\ud7ff\U0001f600⟨⟩",
    *("", "---", "-1", "1e99", "99999999999999999999", "0.1", "nan", "inf", "NONE", "root", "default"),
    *("⟨weight⟩", "<!--", "-->", "]]>", "<!DOCTYPE a [", "&lt;", "&#0;", "*a", "&a ", "!!python/name:os "),
    *("a" * 300, "[" * 300, "- " * 80, "id=1\n"),
)


def mutated(text: str, dice: random.Random) -> str:
    """The text with one to four changes."""
    for _ in range(dice.randint(1, 4)):
        text = _changed(text, dice)
    return text


def _changed(text: str, dice: random.Random) -> str:
    lines = text.split("\n")
    at, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    place = dice.randrange(len(text) + 1)
    end = min(len(text), place + dice.choice((0, 1, 1, 2, 5, 20)))
    kind, piece = dice.randrange(8), str(dice.choice(_PIECES))
    if kind == 0:
        return text[:place] + text[end:]
    if kind == 1:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 2:
        lines.insert(at, lines[other])
    elif kind == 3:
        del lines[at]
    elif kind == 4:
        words = lines[at].split(" ")
        words[dice.randrange(len(words))] = piece
        lines[at] = " ".join(words)
    elif kind == 5:
        return text[:place]
    elif kind == 6:
        lines[at] = " " * dice.randrange(3) + lines[at].strip()
    else:
        return text[:place] + piece + text[end:]
    return "\n".join(lines)
