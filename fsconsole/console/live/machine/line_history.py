"""What a person typed at a prompt before, how Tab goes on, and what the prompt is. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence

MOST_LINES = 500
_LONGEST_USER = 16
_READS_BELOW = "sharecf"


class LineHistory:
    """Lines that were run, the newest last; steps back and forth among them and the line just begun."""

    def __init__(self) -> None:
        """Nothing typed yet."""
        self._lines: list[str] = []
        self._at = 0
        self._begun = ""

    def add(self, line: str) -> None:
        """Keep a line that was run; one typed twice in a row is kept once."""
        if line.strip() and self._lines[-1:] != [line]:
            self._lines = [*self._lines, line][-MOST_LINES:]
        self._at = len(self._lines)
        self._begun = ""

    def step(self, by: int, typed: str) -> str:
        """The line before (-1) or after (1) the one shown; `typed` is what stands there now."""
        if self._at == len(self._lines):
            self._begun = typed
        self._at = min(max(self._at + by, 0), len(self._lines))
        return self._begun if self._at == len(self._lines) else self._lines[self._at]


def typed_lines(text: str) -> tuple[list[str], str]:
    """The lines that a text ends, and what stands behind them; all below a bare `sharecf` is its input."""
    *lines, rest = text.replace("\r\n", "\n").split("\n")
    if lines and lines[0].split() == [_READS_BELOW]:
        return ["\n".join([*lines, rest])], ""
    return lines, rest


def completed(line: str, words: Sequence[str]) -> str:
    """The line with its last word as long as all that it may become agree; a blank follows the only one."""
    if not words:
        return line
    start = len(line) - len(_last_word(line))
    common = _common(words) + (" " if len(words) == 1 else "")
    return line[:start] + common if len(common) > len(line) - start else line


def _common(words: Sequence[str]) -> str:
    """What all words begin with."""
    first, last = min(words), max(words)
    agreed = next((at for at, sign in enumerate(first) if last[at : at + 1] != sign), len(first))
    return first[:agreed]


def _last_word(line: str) -> str:
    return "" if not line or line[-1].isspace() else line.rsplit(maxsplit=1)[-1]


def prompt_of(machine: str, user: str = "") -> str:
    """`c2# ` for the operator, `u21@c2$ ` for somebody else."""
    return f"{user[:_LONGEST_USER]}@{machine}$ " if user else f"{machine}# "


def machine_in_prompt(machine: str) -> str:
    """`c2` for Convex C2: the last word of a machine's name that begins with a letter."""
    words = [word for word in machine.replace(",", " ").split() if word.casefold() != "simulated"]
    named = [word for word in words if word[0].isalpha()]
    return named[-1].casefold() if named else "machine"
