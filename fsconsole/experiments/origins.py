"""The origin of a claim's expected value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

OriginKind = Literal["paper", "words", "fitted", "law", "ours"]
_WORDS: dict[OriginKind, str] = {
    "paper": "paper",
    "words": "paper, in words",
    "fitted": "paper, fitted",
    "law": "law",
    "ours": "ours",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of an expected value.

    Attributes:
        kind: `paper` if the paper prints it or it follows from printed values. `words` if the paper states it
            without a number; numbers in the claim are ours. `fitted` if the paper prints it and parameters of
            the model were chosen to reproduce it: agreement confirms nothing. `law` if the paper does not
            print it, but it follows from an equation, a definition or entitlements, and is computed apart
            from what is measured. `ours` if it comes from another program or an example of ours.
        place: section, table, figure or equation of the paper; for `law` and `ours` the basis of the value.
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
    def words(cls, place: str, note: str = "") -> Origin:
        """Return the origin of a statement that the paper makes without a number."""
        return cls("words", place, note)

    @classmethod
    def fitted(cls, place: str, note: str) -> Origin:
        """Return the origin of a value that the paper prints and to which the model was fitted."""
        return cls("fitted", place, note)

    @classmethod
    def law(cls, place: str, note: str = "") -> Origin:
        """Return the origin of a value that follows from an equation, a definition or entitlements."""
        return cls("law", place, note)

    @classmethod
    def ours(cls, place: str, note: str = "") -> Origin:
        """Return the origin of a value that is neither the paper's nor a law's."""
        return cls("ours", place, note)

    @property
    def is_papers(self) -> bool:
        """True if the paper states the value or the words."""
        return self.kind in ("paper", "words", "fitted")

    def describe(self) -> str:
        """Return kind and place, without the note."""
        return f"{_WORDS[self.kind]}: {self.place}"

    def to_json(self) -> dict[str, str]:
        """Return plain data for `fsconsole reproduce --json`."""
        return {"kind": self.kind, "place": self.place, **({"note": self.note} if self.note else {})}
