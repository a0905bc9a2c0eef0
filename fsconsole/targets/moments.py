"""Values and notes of a target at one time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fsconsole.shares.flat import Floats


@dataclass(frozen=True, slots=True)
class Note:
    """Additional information on a value.

    Attributes:
        text: word in place of the number; empty to show the number.
        mark: mark before the number.
        tip: sentences about the value.
    """

    text: str = ""
    mark: str = ""
    tip: str = ""


class Moment(Protocol):
    """A target at one time; immutable."""

    @property
    def time_s(self) -> float:
        """The time, as the target's clock counts."""
        ...

    def values(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return values of nodes, float64 [nodes]; NaN where nothing is known of that time."""
        ...

    def last_known(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return values at this time, float64 [nodes]; the last known value for a missing one."""
        ...

    def remark(self, node: int) -> str:
        """Return words in place of all values of a node; empty where it has values."""
        ...

    def note(self, quantity: str, node: int) -> Note:
        """Return additional information on a value."""
        ...

    def trouble(self, quantity: str) -> str:
        """Return the reason why the values of a quantity are older than this time; empty where they
        are not.
        """
        ...


@dataclass(frozen=True, eq=False, slots=True)
class PastMoment:
    """A time that has passed, as far as a target remembers it: its values and no more.

    Attributes:
        read: gives values of nodes in a quantity at a time.
    """

    time_s: float
    read: Callable[[str, Sequence[int], float], Floats]

    def values(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return values of nodes, float64 [nodes]; NaN where nothing is remembered."""
        return self.read(quantity, nodes, self.time_s)

    def last_known(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return the values of this time, float64 [nodes]: nothing older is looked up."""
        return self.values(quantity, nodes)

    def remark(self, _node: int) -> str:
        """Return no words, because a past moment does not store them."""
        return ""

    def note(self, _quantity: str, _node: int) -> Note:
        """Return an empty note, because a past moment does not store notes."""
        return Note()

    def trouble(self, _quantity: str) -> str:
        """Return no words: a past moment remembers no trouble."""
        return ""
