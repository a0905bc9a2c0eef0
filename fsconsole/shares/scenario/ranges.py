"""Ranges of settings, and who is outside of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Range:
    """From a lowest to a highest value, both allowed unless `above` excludes the lowest."""

    lowest: float
    highest: float
    above: bool = False
    unit: str = ""

    def holds(self, value: float) -> bool:
        """Whether a value is inside."""
        return (self.lowest < value if self.above else self.lowest <= value) and value <= self.highest

    @property
    def told(self) -> str:
        """What is needed, in words."""
        first = "above" if self.above else "from"
        return f"needs a number {first} {self.lowest:g} to {self.highest:g} {self.unit}".rstrip()


def outside(spec: Any, ranges: Mapping[str, Range]) -> list[tuple[str, str]]:
    """(field, what it needs) of each number that is not in its range; None is always allowed."""
    values = ((name, getattr(spec, name)) for name in ranges)
    return [
        (name, ranges[name].told)
        for name, value in values
        if value is not None and not ranges[name].holds(value)
    ]
