"""What an experiment is and what it gives."""

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
    """A remark that belongs beside the figures: what is ours, what the paper prints wrongly."""

    kind: Literal["ours", "paper"]
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """Figures, claims and notes of an experiment that has run; `text` is printed as it is.

    `skipped` says why it could not be measured here, in a sentence; then there are no claims.
    """

    name: str
    claims: tuple[Claim, ...]
    figures: tuple[FigureSpec, ...] = ()
    notes: tuple[Note, ...] = ()
    text: str = ""
    skipped: str = ""

    @property
    def holding(self) -> int:
        """How many claims hold."""
        return sum(claim.holds for claim in self.claims)

    @property
    def counted(self) -> int:
        """How many rows are claims: inputs and discrepancies are not."""
        return sum(claim.kind == "claim" or claim.fails for claim in self.claims)

    @property
    def all_hold(self) -> bool:
        """Whether all claims hold."""
        return self.holding == self.counted

    @property
    def failing(self) -> tuple[Claim, ...]:
        """The rows that fail."""
        return tuple(claim for claim in self.claims if claim.fails)

    @property
    def standing(self) -> Standing:
        """What fails: a row about numbers of ours, else a claim of the paper (on its own data or on others).

        An input or a discrepancy that fails is a fault of the program, and so is counted with ours.
        """
        if any(claim.kind != "claim" or not claim.origin.is_papers for claim in self.failing):
            return "ours fails"
        return "paper fails" if self.failing else "nothing fails"

    @property
    def is_sound(self) -> bool:
        """Whether nothing fails but findings of the paper that were tested on other data than its own."""
        return all(claim.is_retested for claim in self.failing)

    def tally(self) -> str:
        """Count the claims by verdict, in words."""
        if self.skipped:
            return f"Skipped: {self.skipped.rstrip('.')}"
        return describe_tally(self.claims)

    def to_json(self) -> dict[str, Any]:
        """Plain data as `fsconsole reproduce --json` prints it."""
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
    """A measurement of a paper that can be repeated.

    `run(progress, cancelled)` hears fractions 0 .. 1 and raises Cancelled once asked to; it is deterministic.
    `about` is one sentence, `paper` names source and place and groups the experiments. `measure_full` takes
    longer, such as for as many days as the paper has; None where there is nothing to add.
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
        """Measure; Cancelled once `cancelled` says so, ScenarioError or OSError for a damaged example."""
        measure = (self.measure_full if full else None) or self.measure
        return measure(progress or (lambda _: None), cancelled or (lambda: False))
