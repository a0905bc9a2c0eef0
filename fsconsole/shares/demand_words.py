"""Demands in words: `saturated`, `idle`, or the largest usable part, such as `2.08 %`."""

from __future__ import annotations

from contextlib import suppress

from fsconsole.shares.saturation import SATURATED
from fsconsole.shares.scenario.fractions import fraction
from fsconsole.text.numbers import percent, rough_percent

WORDS = {"saturated": SATURATED, "idle": 0.0}


def demand_from(text: str) -> float:
    """Return the fraction of the machine, inf for `saturated`.

    Raises:
        ValueError: the text is another one; the message names valid ones.

    A number is in percent of the machine, with the sign or without.
    """
    asked = text.strip().lower()
    if asked in WORDS:
        return WORDS[asked]
    with suppress(ValueError):
        demand = fraction(asked.removeprefix("limit ").removesuffix("%") + "%")
        if demand <= 1:
            return demand
    allowed = "saturated, idle, or a limit from 0 to 100 % such as 2.08 %"
    raise ValueError(f"{text.strip()!r} is not a demand. Write {allowed}")


def demand_text(demand: float) -> str:
    """Format a demand as `saturated`, `idle` or `2.08 %`; two digits, more where they would show nothing."""
    if demand == SATURATED:
        return "saturated"
    if demand == 0:
        return "idle"
    return percent(demand, 2) if demand >= 0.00005 else rough_percent(demand)
