"""The origin of a claim's expected value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

OriginKind = Literal["paper", "fitted", "ours"]
_WORDS: dict[OriginKind, str] = {"paper": "paper", "fitted": "paper, fitted", "ours": "ours"}


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of an expected value.

    Attributes:
        kind: `paper` if the paper prints it or it follows from printed values. `fitted` if the paper prints
            it and parameters of the model were chosen to reproduce it: agreement confirms nothing. `ours` if
            the paper does not have it.
        place: section, table, figure or equation of the paper; for `ours` the basis of the value.
        note: further information, such as the fitted parameters.
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
        """Return the origin of a value that the paper prints and to which the model was fitted."""
        return cls("fitted", place, note)

    @classmethod
    def ours(cls, place: str, note: str = "") -> Origin:
        """Return the origin of a value that is not the paper's."""
        return cls("ours", place, note)

    @property
    def is_papers(self) -> bool:
        """True if the paper prints the value."""
        return self.kind != "ours"

    def describe(self) -> str:
        """Return kind and place, without the note."""
        return f"{_WORDS[self.kind]}: {self.place}"

    def to_json(self) -> dict[str, str]:
        """Return plain data for `fsconsole reproduce --json`."""
        return {"kind": self.kind, "place": self.place, **({"note": self.note} if self.note else {})}
