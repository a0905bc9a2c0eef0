"""The deciding level and its weight: the quotient of two increments, factored and described in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fsconsole.policies.explanation import (
    Contribution,
    Level,
    Side,
    leaves,
    parting,
    rest,
    share_words,
    times,
)
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    from fsconsole.machine.insight.present import Present

_NOTHING = 1e-9  # A cause with a smaller logarithm is ignored.
_SMALLEST_SHOWN = 0.05


def contributions(
    situation: Present, levels: tuple[Level, ...], first: Side, other: Side
) -> tuple[Contribution, ...]:
    """Return causes whose product is the ratio by which the first is pushed back more for equal CPU time.

    A nice value counts too: a slowly decaying priority pushes back for longer.
    """
    found = list(situation.policy.contributions(situation, levels, first, other))
    lasting = (1.0 - other.decay) / (1.0 - first.decay)
    found.append(Contribution("nice", f"the nice values ({first.nice} and {other.nice})", lasting))
    missing = rest("the limits", first, other, [item for item in found if item.key != "nice"])
    return tuple(item for item in (*found, missing) if abs(math.log(item.ratio)) > _NOTHING)


# -- words ------------------------------------------------------------------------------------------------


def verdict(
    situation: Present,
    levels: tuple[Level, ...],
    first: Side,
    other: Side | None,
    found: tuple[Contribution, ...],
    ratio: float,
    *,
    alike: bool,
) -> str:
    """Return a few sentences: the order over time, the level that decides, other causes, the next to run."""
    if other is None:
        return f"A tick of CPU pushes {first.name} back by {_number(first.increment)} priority points."
    if alike:
        is_unused = not any(level.usage for level in parting(levels))
        if is_unused and situation.policy.starts_level:
            unused = f"Neither {first.name} nor {other.name} has used anything yet"
            mine, its = leaves(levels)
            if math.isclose(mine.counted_share, its.counted_share):
                return f"{unused}, so they start equal."
            shares = share_words(mine, its)
            return (
                f"{unused}, so neither goes first yet. Their shares ({shares}) count from the first use on."
            )
        sentence = f"{first.name} and {other.name} are level: the same CPU time pushes both back equally far."
        return f"{sentence} {situation.policy.standing(levels)}".rstrip()
    ahead, behind = (first, other) if ratio < 1.0 else (other, first)
    pushed = f"the same CPU time pushes {behind.name} back {times(max(ratio, 1.0 / ratio))} as far"
    sentence = f"{ahead.name} goes before {behind.name} over time: {pushed}."
    parts = (sentence, situation.policy.standing(levels), _what(found, ratio), _now(situation, ahead, behind))
    return " ".join(part for part in parts if part)


def _now(situation: Present, ahead: Side, behind: Side) -> str:
    """Return the user who runs next, in words, if the order over time is another one."""
    if ahead.priority is None or behind.priority is None or behind.priority >= ahead.priority:
        return ""
    if not (situation.is_ready(ahead.pid) and situation.is_ready(behind.pid)):
        return ""
    return f"Yet {behind.name} runs next, because its priority is lower now."


def _what(found: tuple[Contribution, ...], ratio: float) -> str:
    """Return the main cause, and the main one against it."""
    sign = 1.0 if ratio > 1.0 else -1.0
    causes = sorted(found, key=lambda item: -sign * math.log(item.ratio))
    most, least = causes[0], causes[-1]
    sentences = []
    if len(found) == 1:
        return f"The cause is {most.text}."
    if most.key == "usage" or (most.key in ("bases", "shares") and most is found[0]):
        sentences.append("That decides most.")
    else:
        sentences.append(f"The main cause is {most.text}.")
    against = -sign * math.log(least.ratio)
    if against > _SMALLEST_SHOWN and least is not most:
        sentences.append(f"Against it: {least.text}.")
    return " ".join(sentences)


def _number(value: int) -> str:
    return thousands(value) if value < 1e9 else f"{value:.3g}"
