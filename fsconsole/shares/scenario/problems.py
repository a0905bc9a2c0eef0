"""Problems of a file: place, fault, and a valid value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

NO_NODE = -1  # Problems outside the tree have this node.


class Severity(StrEnum):
    """Severity of a problem: an error keeps a scenario from running, the others do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong or worth a look.

    Attributes:
        text: what is wrong and what would be right, one sentence.
        severity: error, warning or note.
        line, column: place in the file, counted from 1; 0 where there is none.
        node: id of the node that it is about.
        path: that node's path, or the key's place in the file.
        file: name of the file, where the tree is in several.
    """

    text: str
    severity: Severity = Severity.ERROR
    line: int = 0
    column: int = 0
    node: int | None = None
    path: str = ""
    file: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        place = f"{self.file}, {place}" if self.file and place else place
        subject = f"{self.path}: " if self.path else ""
        return f"{place}{self.severity}: {subject}{self.text}"


class ScenarioError(ValueError):
    """A file that cannot be used, with everything that is wrong with it."""

    def __init__(self, problems: list[Problem], name: str = "") -> None:
        """Keep the problems; the message lists them, one a line."""
        self.problems = problems
        self.name = name
        prefix = f"{name}: " if name else ""
        super().__init__("\n".join(f"{prefix}{problem}" for problem in problems))
