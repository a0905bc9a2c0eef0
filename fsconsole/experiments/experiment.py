"""An experiment and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from fsconsole.experiments.claims import Claim, describe_tally
from fsconsole.figures.spec import FigureSpec

Progress = Callable[[float], None]
Asked = Callable[[], bool]
Standing = Literal["nothing fails", "paper fails", "ours fails"]


class Cancelled(Exception):  # noqa: N818 (somebody's wish, not an error)
    """The experiment was stopped before its end."""


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on the figures, such as on our deviations or on errors of the paper."""

    kind: Literal["ours", "paper"]
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """Figures, claims and notes of an experiment; `text` is printed unchanged.

    `skipped` is a sentence why it could not be measured here; then there are no claims.
    """

    name: str
    claims: tuple[Claim, ...]
    figures: tuple[FigureSpec, ...] = ()
    notes: tuple[Note, ...] = ()
    text: str = ""
    skipped: str = ""

    @property
    def holding(self) -> int:
        """Number of claims that hold."""
        return sum(claim.holds for claim in self.claims)

    @property
    def counted(self) -> int:
        """Number of rows that are claims, without inputs and discrepancies."""
        return sum(claim.kind == "claim" or claim.fails for claim in self.claims)

    @property
    def all_hold(self) -> bool:
        """True if all claims hold."""
        return self.holding == self.counted

    @property
    def failing(self) -> tuple[Claim, ...]:
        """Rows that do not hold."""
        return tuple(claim for claim in self.claims if claim.fails)

    @property
    def standing(self) -> Standing:
        """Kind of failure: a row about numbers of ours, else a claim of the paper (on any data), or none.

        An input or a discrepancy that fails is a fault of the program, so it counts as ours.
        """
        if any(claim.kind != "claim" or not claim.origin.is_papers for claim in self.failing):
            return "ours fails"
        return "paper fails" if self.failing else "nothing fails"

    @property
    def is_sound(self) -> bool:
        """True if only findings of the paper that were tested on other data fail, if any."""
        return all(claim.is_retested for claim in self.failing)

    def tally(self) -> str:
        """Return the numbers of claims by verdict, in words."""
        if self.skipped:
            return f"Skipped: {self.skipped.rstrip('.')}"
        return describe_tally(self.claims)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `fsconsole reproduce --json`."""
        return {
            "name": self.name,
            "holding": self.holding,
            "counted": self.counted,
            "claims": [claim.to_json() for claim in self.claims],
            "notes": [{"kind": note.kind, "text": note.text} for note in self.notes],
            **({"skipped": self.skipped} if self.skipped else {}),
        }


@dataclass(frozen=True, slots=True)
class Experiment:
    """A repeatable measurement of a paper.

    `run(progress, cancelled)` reports fractions 0 .. 1 and raises Cancelled on request; it is deterministic.
    `about` is one sentence, `paper` names source and place and groups the experiments. `measure_full` takes
    longer, such as for as many days as in the paper; None if it would add nothing.
    """

    name: str
    title: str
    paper: str
    about: str
    measure: Callable[[Progress, Asked], Result]
    measure_full: Callable[[Progress, Asked], Result] | None = None

    def run(
        self, progress: Progress | None = None, cancelled: Asked | None = None, *, full: bool = False
    ) -> Result:
        """Measure and return the result.

        Raises:
            Cancelled: `cancelled` returned True.
            ScenarioError: the example is damaged.
            OSError: the example cannot be read.
        """
        measure = (self.measure_full if full else None) or self.measure
        return measure(progress or (lambda _: None), cancelled or (lambda: False))
