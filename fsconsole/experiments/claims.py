"""A claim of a paper: what is expected, what was measured, and whether that agrees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

_ROUNDING = 1e-12
_DIGITS = 4

Value = float | tuple[float, ...] | bool


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence that can be checked.

    Attributes:
        text: what is claimed, with what is measured and in what unit.
        expected, measured: numbers in that unit, tuples of them, or whether something is so.
        tolerance: largest difference that still agrees, absolute, in the same unit; None for true or false.
        names: what the numbers of a tuple belong to.
        is_retested: the paper found it on data of its own that are not public, and it is asked of other data
            here: if it does not hold there, that is a finding, and nothing is wrong with what was measured.
    """

    text: str
    expected: Value
    measured: Value
    tolerance: float | None = None
    unit: str = ""
    names: tuple[str, ...] = ()
    is_retested: bool = False

    @property
    def holds(self) -> bool:
        """Whether each number lies within the tolerance, or true is true."""
        return all(self.parts_hold())

    def parts_hold(self) -> tuple[bool, ...]:
        """The same number by number."""
        if self.tolerance is None:
            return (self.expected == self.measured,)
        return tuple(abs(difference) <= self.tolerance + _ROUNDING for difference in self.differences())

    def differences(self) -> tuple[float, ...]:
        """Measured less expected, number by number; ValueError where there are not as many."""
        pairs = zip(numbers(self.measured), numbers(self.expected), strict=True)
        return tuple(measured - expected for measured, expected in pairs)

    def shown(self, value: float) -> str:
        """A number of the claim with four digits, or more where the tolerance is finer."""
        if self.tolerance == 0 and value.is_integer():
            return f"{value:.0f}"
        digits = _DIGITS
        if self.tolerance and value and math.isfinite(value):
            digits = max(digits, math.ceil(math.log10(max(abs(value) / self.tolerance, 1.0))))
        return f"{value:.{digits}g}"

    @property
    def is_fine(self) -> bool:
        """Whether four digits are too few to see a difference that matters."""
        largest = max(map(abs, numbers(self.expected)))
        return self.tolerance is not None and largest > 10**_DIGITS * (self.tolerance or 1.0)

    def failure(self) -> str:
        """Why it does not hold, in one sentence; empty where it does."""
        if self.holds:
            return ""
        if self.tolerance is None:
            return f"{self.text}: expected {_word(self.expected)}, found {_word(self.measured)}."
        differences = self.differences()
        worst = max(range(len(differences)), key=lambda index: abs(differences[index]))
        measured, expected = numbers(self.measured)[worst], numbers(self.expected)[worst]
        side = "above" if differences[worst] > 0 else "below"
        who = f" for {self.names[worst]}" if self.names else ""
        shown = self.shown(measured)
        unit = f" {_of_one(self.unit) if shown == '1' else self.unit}" if self.unit else ""
        off = abs(differences[worst])
        by = f"{off:.0f}" if off.is_integer() else f"{off:.2g}"
        return (
            f"{self.text}: {shown}{unit}{who}, {by} {side} the expected "
            f"{self.shown(expected)} (tolerance {self.tolerance:g})."
        )

    def verdict(self) -> str:
        """Whether it holds, in words."""
        if self.holds:
            return "Holds"
        return "The paper's finding is not so on these data" if self.is_retested else "Does not hold"

    def to_json(self) -> dict[str, Any]:
        """Plain data as `fsconsole reproduce --json` prints it."""
        return {
            "text": self.text,
            "expected": _plain(self.expected),
            "measured": _plain(self.measured),
            "tolerance": self.tolerance,
            "holds": self.holds,
            **({"retested": True} if self.is_retested else {}),
        }


def numbers(value: Value) -> tuple[float, ...]:
    """The numbers of a value."""
    return tuple(map(float, value)) if isinstance(value, tuple) else (float(value),)


def _plain(value: Value) -> float | list[float] | bool:
    if isinstance(value, bool):
        return value
    return [float(item) for item in value] if isinstance(value, tuple) else float(value)


def _of_one(unit: str) -> str:
    """`month` of `months`; symbols such as `s` stay."""
    return unit.removesuffix("s") if unit.isalpha() and len(unit) > len("ms") else unit


def _word(value: Value) -> str:
    return "true" if value else "false"
