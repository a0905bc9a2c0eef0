"""Which level decides, and by how much: the quotient of two increments taken apart, and told in words.

Under Share kusage = usage / share², and usage / share of a leaf is that of the group where two ways part,
times what happens inside it. So the quotient of two increments is a product of causes, exactly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fsconsole.machine.insight.explanation import Contribution, Level, Side
from fsconsole.policies.registry import EXPONENTIAL, FEEDBACK, FIXED, SHARE

if TYPE_CHECKING:
    from fsconsole.machine.insight.present import Situation

_NOTHING = 1e-9  # a cause whose logarithm is smaller is none
_WORTH_TELLING = 0.05


def contributions(
    situation: Situation, levels: tuple[Level, ...], first: Side, other: Side
) -> tuple[Contribution, ...]:
    """Causes whose product is by how much the first is pushed back more than the other for the same CPU time.

    A nice value counts too: a priority that decays slowly is one that is pushed back for longer.
    """
    policy = situation.parameters.policy
    if policy == SHARE:
        found = _of_share(situation, levels, first, other)
    elif policy == FEEDBACK:
        found = _of_bases(levels, first, other)
    elif policy == FIXED and min(first.factor("share"), other.factor("share")) > 0.0:
        found = _of_shares(levels)
    else:
        found = [_rest("shares and processes", first, other, [])]
    lasting = (1.0 - other.decay) / (1.0 - first.decay)
    found.append(Contribution("nice", f"the nice values ({first.nice} and {other.nice})", lasting))
    missing = _rest("the limits", first, other, [item for item in found if item.key != "nice"])
    return tuple(item for item in (*found, missing) if abs(math.log(item.ratio)) > _NOTHING)


def _rest(text: str, first: Side, other: Side, told: list[Contribution]) -> Contribution:
    """What of the quotient of the increments the causes told so far leave."""
    ratio = first.product / other.product / math.prod(item.ratio for item in told)
    return Contribution("rest", text, ratio)


def _of_share(
    situation: Situation, levels: tuple[Level, ...], first: Side, other: Side
) -> list[Contribution]:
    mine, its = _parting(levels)
    usages = (mine.usage, its.usage, first.factor("usage"), other.factor("usage"))
    shares = (first.factor("share"), other.factor("share"))
    found = []
    if min(usages) > 0.0 and min(shares) > 0.0:
        found = _by_usage(situation, levels, usages, shares)
        plain = (usages[2] / shares[0] ** 2) / (usages[3] / shares[1] ** 2)
        limits = first.factor("kusage") / other.factor("kusage") / plain
        found.append(Contribution("limits", "the limits of usage / share²", limits))
    else:
        ratio = first.factor("kusage") / other.factor("kusage")
        found.append(Contribution("kusage", "usage and shares", ratio))
    found.append(_of_processes(first, other))
    if situation.parameters.adjgroups == 2:
        weights = first.factor("weight") / other.factor("weight")
        found.append(Contribution("groups", "the group weights", weights))
    return found


def _by_usage(
    situation: Situation,
    levels: tuple[Level, ...],
    usages: tuple[float, ...],
    shares: tuple[float, float],
) -> list[Contribution]:
    mine, its = _parting(levels)
    own = (usages[2] / shares[0]) / (usages[3] / shares[1])
    told = f"the shares themselves ({_percent(shares[0])} and {_percent(shares[1])} of the machine)"
    found = [Contribution("shares", told, shares[1] / shares[0])]
    at = own
    if not situation.policy.ignores_groups and mine.share > 0.0 and its.share > 0.0:
        at = (usages[0] / mine.share) / (usages[1] / its.share)
        inside = f"usage inside {_groups(levels)}"
        found.append(Contribution("inside", inside, own / at))
    found.insert(0, Contribution("usage", f"usage over share of {mine.name} and {its.name}", at))
    return found


def _of_bases(levels: tuple[Level, ...], first: Side, other: Side) -> list[Contribution]:
    mine, its = _parting(levels)
    own = other.factor("base") / first.factor("base")
    at = its.base / mine.base
    found = [Contribution("bases", f"the base shares of {mine.name} and {its.name}", at)]
    found.append(Contribution("inside", f"base shares inside {_groups(levels)}", own / at))
    if not math.isnan(first.factor("rate") + other.factor("rate")):
        found.append(_of_processes(first, other))
    return found


def _of_shares(levels: tuple[Level, ...]) -> list[Contribution]:
    mine, its = _parting(levels)
    leaves = [[level for level in levels if level.which == which][-1] for which in ("first", "other")]
    at = its.share / mine.share
    return [
        Contribution("shares", f"the shares of {mine.name} and {its.name}", at),
        Contribution("inside", f"shares inside {_groups(levels)}", leaves[1].share / leaves[0].share / at),
    ]


def _of_processes(first: Side, other: Side) -> Contribution:
    rates = (first.factor("rate"), other.factor("rate"))
    told = f"the numbers of processes ({rates[0]:.3g} and {rates[1]:.3g}, filtered)"
    return Contribution("processes", told, rates[0] / rates[1])


def _parting(levels: tuple[Level, ...]) -> tuple[Level, Level]:
    """The first two levels that are not common."""
    mine, its = (level for level in levels if level.is_parting)
    return mine, its


def _groups(levels: tuple[Level, ...]) -> str:
    """Names of the groups where two ways part, of those that have somebody inside."""
    counts = [sum(1 for level in levels if level.which == which) for which in ("first", "other")]
    names = [level.name for level, count in zip(_parting(levels), counts, strict=True) if count > 1]
    return " and ".join(names)


# -- words ------------------------------------------------------------------------------------------------


def verdict(
    situation: Situation,
    levels: tuple[Level, ...],
    first: Side,
    other: Side | None,
    found: tuple[Contribution, ...],
    ratio: float,
    *,
    alike: bool,
) -> str:
    """A few sentences: who goes first over time, where the ways part, what else counts, who runs next."""
    if other is None:
        return f"A tick of CPU pushes {first.name} back by {_number(first.increment)} priority points."
    if alike:
        is_unused = not any(level.usage for level in _parting(levels))
        if is_unused and situation.parameters.policy == SHARE:
            return f"Neither {first.name} nor {other.name} has used anything yet, so they start level."
        said = f"{first.name} and {other.name} stand alike: the same CPU time pushes both back as far."
        return f"{said} {_where(situation, levels)}".rstrip()
    ahead, behind = (first, other) if ratio < 1.0 else (other, first)
    times = max(ratio, 1.0 / ratio)
    pushed = f"the same CPU time pushes {behind.name} back {_times(times)} as far"
    said = f"{ahead.name} goes before {behind.name} over time: {pushed}."
    parts = (said, _where(situation, levels), _what(found, ratio), _now(situation, ahead, behind))
    return " ".join(part for part in parts if part)


def _now(situation: Situation, ahead: Side, behind: Side) -> str:
    """Who runs next, where that is not who goes before the other over time."""
    if ahead.priority is None or behind.priority is None or behind.priority >= ahead.priority:
        return ""
    if not (situation.is_ready(ahead.pid) and situation.is_ready(behind.pid)):
        return ""
    return f"Yet {behind.name} runs next: its priority is lower now."


def _where(situation: Situation, levels: tuple[Level, ...]) -> str:
    """Where the ways part, and how the two stand there."""
    mine, its = _parting(levels)
    policy = situation.parameters.policy
    if policy not in (SHARE, FEEDBACK, FIXED):
        return "" if policy == EXPONENTIAL else "Shares decide nothing now."
    if situation.policy.ignores_groups:
        return f"Groups do not count; {_used(*_leaves(levels))}."
    common = [level.name for level in levels if level.which == "common"]
    place = f"below {common[-1]}" if common else "below the root"
    if policy == SHARE:
        return f"Their paths part {place}: {_used(mine, its)}."
    if policy == FEEDBACK:
        bases = (
            f"{mine.name} has a base share of {_percent(mine.base)} and {its.name} of {_percent(its.base)}"
        )
        return f"Their paths part {place}: {bases}."
    shares = f"{mine.name} has {mine.shares} of {mine.of_counted} shares and {its.name} {its.shares}"
    return f"Their paths part {place}: {shares}."


def _leaves(levels: tuple[Level, ...]) -> tuple[Level, Level]:
    mine = [level for level in levels if level.which == "first"]
    return mine[-1], [level for level in levels if level.which == "other"][-1]


def _used(mine: Level, its: Level) -> str:
    values = (mine.usage_over_share, its.usage_over_share)
    pairs = tuple(zip((mine, its), values, strict=True))
    if any(math.isnan(value) for value in values):
        nobody = mine.usage == its.usage == 0.0
        return "neither has used anything" if nobody else f"{_amount(mine)} and {_amount(its)}"
    used = [f"{_times(value)} its share" if level.usage else "nothing" for level, value in pairs]
    return f"{mine.name} has used {used[0]} and {its.name} {used[1].removesuffix(' its share')}"


def _amount(level: Level) -> str:
    if level.share <= 0.0:
        return f"{level.name} has no shares"
    value = level.usage_over_share
    return (
        f"{level.name} has used nothing" if math.isnan(value) else f"{level.name} {_times(value)} its share"
    )


def _what(found: tuple[Contribution, ...], ratio: float) -> str:
    """What weighs most, and what works against it."""
    sign = 1.0 if ratio > 1.0 else -1.0
    causes = sorted(found, key=lambda item: -sign * math.log(item.ratio))
    most, least = causes[0], causes[-1]
    said = []
    if len(found) == 1:
        return f"It comes from {most.text}."
    if most.key == "usage" or (most.key in ("bases", "shares") and most is found[0]):
        said.append("That decides most.")
    else:
        said.append(f"Most comes from {most.text}.")
    against = -sign * math.log(least.ratio)
    if against > _WORTH_TELLING and least is not most:
        said.append(f"Against it: {least.text}.")
    return " ".join(said)


def _times(value: float) -> str:
    if value >= 1e6:
        return "more than a million times"
    return f"{value:.2f} times" if value < 100 else f"{value:,.0f} times".replace(",", "\N{THIN SPACE}")


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.3g} %"


def _number(value: int) -> str:
    return f"{value:,}".replace(",", "\N{THIN SPACE}") if value < 1e9 else f"{value:.3g}"
