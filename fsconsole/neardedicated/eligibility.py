"""Eligibility: users demonstrate by `ja` that their job uses the processors well (Brady et al. section 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fsconsole.text.numbers import percent, short_percent


@dataclass(frozen=True, slots=True)
class Demonstration:
    """The efficiency that `ja` shows of a job that ended by itself."""

    person: str
    name: str
    efficiency: float


def best_of(demonstrations: Iterable[Demonstration]) -> list[Demonstration]:
    """Return the best demonstration for each person and job name."""
    best: dict[tuple[str, str], Demonstration] = {}
    for one in demonstrations:
        known = best.setdefault((one.person, one.name), one)
        if one.efficiency > known.efficiency:
            best[one.person, one.name] = one
    return list(best.values())


def shown_efficiency(
    person: str, name: str, stated: float | None, demonstrations: Iterable[Demonstration]
) -> float | None:
    """Return a person's best demonstrated CPU efficiency for a job of that name; None without one.

    `stated` is the value submitted with the job; measurements by `ja` here count too [ours].
    """
    shown = [one.efficiency for one in demonstrations if (one.person, one.name) == (person, name)]
    return max(shown if stated is None else [stated, *shown], default=None)


def held_because(shown: float | None, required: float) -> str:
    """Return the reason why a job may not start because of its efficiency; empty if it may."""
    if shown is None:
        return "ja has not shown an efficiency"
    return f"{percent(shown)} is below {short_percent(required)}" if shown < required else ""
