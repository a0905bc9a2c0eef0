"""Problems in the output of a tool, and the readable rest.

One damaged line does not discard a table: it is left out and reported. Of a share tree, what is below such a
row is left out with it, and fairshares are not computed, because a missing row changes the shares of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.text.numbers import thousands

MOST = 100  # The first of thousands of damaged lines are enough to report.
_LONGEST = 60

Item = TypeVar("Item")


class DamagedError(ValueError):
    """Invalid value; the message describes a valid one."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[Item]):
    """Readable items of an output.

    Attributes:
        items: items in the order of the output.
        problems: omitted parts, each with its line; empty if all was read.
    """

    items: tuple[Item, ...]
    problems: tuple[Problem, ...]


class Findings:
    """Collects problems, the first `MOST` of them in words."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._more = 0

    def __bool__(self) -> bool:
        return bool(self._problems)

    @property
    def is_full(self) -> bool:
        """True if another problem is only counted."""
        return len(self._problems) >= MOST

    def add(self, line: int, text: str) -> None:
        """Note a problem; `line` counts from 1, 0 without a line."""
        if self.is_full:
            self._more += 1
        else:
            self._problems.append(Problem(text, line=line))

    def problems(self) -> list[Problem]:
        """Return all of them; how many there are beyond the first is one more."""
        if not self._more:
            return list(self._problems)
        return [*self._problems, Problem(f"and {thousands(self._more)} more of this kind")]

    def refuse(self) -> None:
        """Raise ScenarioError if there are problems."""
        if self._problems:
            raise ScenarioError(self.problems())

    def listing(self, items: Sequence[Item]) -> Listing[Item]:
        """Return the items and problems.

        Raises:
            ScenarioError: there are only problems.
        """
        if not items:
            self.refuse()
        return Listing(tuple(items), tuple(self.problems()))


def in_output(tool: str, problem: Problem) -> str:
    """Return a problem with its place in the output of a tool."""
    return f"{tool}, line {problem.line}: {problem.text}" if problem.line else problem.text


def shown(text: str) -> str:
    """Return a value as messages quote it: short, and without control characters."""
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def without_cut(text: str, tool: str, end: str = "\n") -> tuple[str, tuple[Problem, ...]]:
    """Return an output without a last record that is cut off, and a problem where one is: all lines end.

    Args:
        text: the output.
        tool: the tool that printed it.
        end: what ends a record.

    Raises:
        ScenarioError: nothing is left.
    """
    if not text or text.endswith("\n"):
        return text, ()
    problem = Problem(f"the output of {tool} ends within a line. What was cut off is left out")
    if not (kept := text[: text.rfind(end) + 1]).strip():
        raise ScenarioError([problem])
    return kept, (problem,)
