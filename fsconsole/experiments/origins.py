"""Where the expected value of a claim comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

OriginKind = Literal["paper", "fitted", "ours"]
_WORDS: dict[OriginKind, str] = {"paper": "paper", "fitted": "paper, fitted", "ours": "ours"}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an expected value comes from.

    Attributes:
        kind: `paper` where the paper prints it or it follows from what the paper prints. `fitted` where the
            paper prints it and parameters of the model were chosen so that it comes out: agreement confirms
            nothing. `ours` where the paper does not have it.
        place: section, table, figure or equation of the paper; for `ours` what the value follows from.
        note: what a reader has to know beside it, such as what was fitted.
    """

    kind: OriginKind
    place: str
    note: str = ""

    @classmethod
    def paper(cls, place: str, note: str = "") -> Origin:
        """Return the origin of a value that the paper prints."""
        return cls("paper", place, note)

    @classmethod
    def fitted(cls, place: str, note: str) -> Origin:
        """Return the origin of a value that the paper prints and that the model was fitted to."""
        return cls("fitted", place, note)

    @classmethod
    def ours(cls, place: str, note: str = "") -> Origin:
        """Return the origin of a value that is not the paper's."""
        return cls("ours", place, note)

    @property
    def is_papers(self) -> bool:
        """Whether the paper prints the value."""
        return self.kind != "ours"

    def describe(self) -> str:
        """Name kind and place, without the note."""
        return f"{_WORDS[self.kind]}: {self.place}"

    def to_json(self) -> dict[str, str]:
        """Return plain data as `fsconsole reproduce --json` prints it."""
        return {"kind": self.kind, "place": self.place, **({"note": self.note} if self.note else {})}
