"""Lines of words with quotes, as the machine shell reads them and share databases are written.

Inside '...' everything stands for itself; inside "..." a backslash gives quotes, backslashes, tabs, line
ends (n) and characters by number (u0007). A # at the start of a word begins a comment.
"""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"""'(?P<literal>[^']*)'|"(?P<escaped>(?:[^"\\]|\\.)*)"|(?P<plain>[^ \t'"]+)""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[nt\"\\])")
_LETTERS = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
_PLAIN = re.compile(r"""[^\s'"#;|<>\\\x00-\x20\x7f-\x9f]+""")
_TO_ESCAPE = re.compile(r'["\\\x00-\x1f\x7f-\x9f]')


def split(line: str) -> list[str]:
    """Return the words of a line, quotes taken off.

    Raises:
        ValueError: a quote is left open.
    """
    words: list[str] = []
    place, joined = 0, False
    while place < len(line):
        if line[place] in " \t":
            place, joined = place + 1, False
            continue
        if line[place] == "#" and not joined:
            break
        piece = _PIECE.match(line, place)
        if piece is None:
            msg = f"a {line[place]} is not closed. Close it at the end of its word"
            raise ValueError(msg)
        words[len(words) - joined :] = [(words[-1] if joined else "") + _unquoted(piece)]
        place, joined = piece.end(), True
    return words


def quoted(word: str) -> str:
    """Return the word as `split` reads it back, in quotes where it needs them."""
    if _PLAIN.fullmatch(word):
        return word
    return f'"{_TO_ESCAPE.sub(_escaped, word)}"'


def _unquoted(piece: re.Match[str]) -> str:
    if piece["escaped"] is None:
        return piece["literal"] if piece["literal"] is not None else piece["plain"]
    return _ESCAPE.sub(_unescaped, piece["escaped"])


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 1:
        return _LETTERS[code]
    number = int(code[1:], 16)
    return match[0] if 0xD800 <= number < 0xE000 else chr(number)


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    named = next((letter for letter, meant in _LETTERS.items() if meant == char), None)
    return f"\\{named}" if named else f"\\u{ord(char):04x}"
