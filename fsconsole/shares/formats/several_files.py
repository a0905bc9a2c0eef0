"""A tree in several files: their texts one after the other, and the file of each line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fsconsole.shares.scenario.problems import Problem


@dataclass(frozen=True, slots=True)
class SeveralFiles:
    """Texts of files that are read as one.

    Attributes:
        text: all of them.
        names: what messages call each file.
        firsts: line of the text that each begins with.
    """

    text: str
    names: tuple[str, ...]
    firsts: tuple[int, ...]

    @classmethod
    def of(cls, texts: Sequence[tuple[str, str]], between: str = "") -> SeveralFiles:
        """Join (name, text) of files, with `between` on separate lines between them."""
        whole, firsts = "", []
        for _, text in texts:
            if whole:
                whole += ("" if whole.endswith("\n") else "\n") + between
            firsts.append(whole.count("\n") + 1)
            whole += text.removeprefix("\ufeff")
        return cls(whole, tuple(name for name, _ in texts), tuple(firsts))

    def place(self, line: int) -> tuple[str, int]:
        """Return (name of the file, line in it) of a line of the text."""
        at = max(0, bisect_right(self.firsts, line) - 1)
        return self.names[at], max(0, line - self.firsts[at] + 1)

    def located(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems with the file and the line in it, for lines of the text."""
        found = []
        for problem in problems:
            name, line = self.place(problem.line) if problem.line and not problem.file else ("", problem.line)
            found.append(replace(problem, file=name or problem.file, line=line))
        return found


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a tree's nodes in its files.

    Attributes:
        name: the file, or the first one.
        lines: line of each node and foreign key.
        files: the files, if there are several.
    """

    name: str
    lines: Mapping[tuple[int, str], int]
    files: SeveralFiles | None = None

    def placed(self, problem: Problem) -> Problem:
        """Return a problem with the file and line of its node; without a line if it is unknown."""
        line = self.lines.get((problem.node, ""), 0) if problem.node is not None else 0
        name, own = self.files.place(line) if self.files is not None and line else (self.name, line)
        return replace(problem, line=own, column=0, file=name if own else "")
