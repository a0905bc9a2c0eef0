"""Who may enter: users show by `ja` that their job uses the processors well (Brady et al. section 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fsconsole.text.numbers import percent, short_percent


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What `ja` has shown of a job that has ended by itself."""

    person: str
    name: str
    efficiency: float


def best_of(demonstrations: Iterable[Demonstration]) -> list[Demonstration]:
    """Return the best one of each person and name."""
    best: dict[tuple[str, str], Demonstration] = {}
    for one in demonstrations:
        known = best.setdefault((one.person, one.name), one)
        if one.efficiency > known.efficiency:
            best[one.person, one.name] = one
    return list(best.values())


def shown_efficiency(
    person: str, name: str, told: float | None, demonstrations: Iterable[Demonstration]
) -> float | None:
    """Return the best CPU efficiency that a person has shown for a job of that name; None where there is
    none.

    `told` is what came with the job; what `ja` measured here counts too [ours].
    """
    shown = [one.efficiency for one in demonstrations if (one.person, one.name) == (person, name)]
    return max(shown if told is None else [told, *shown], default=None)


def held_because(shown: float | None, required: float) -> str:
    """Return why a job may not be started for its efficiency; empty where it may."""
    if shown is None:
        return "ja has not shown an efficiency"
    return f"{percent(shown)} is below {short_percent(required)}" if shown < required else ""
