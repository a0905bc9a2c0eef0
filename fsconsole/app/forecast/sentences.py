"""Sentences about a forecast."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fsconsole.app.forecast.cluster import Cluster, rate_words
from fsconsole.app.forecast.entry import plain
from fsconsole.app.forecast.question import Answer, Own, Question, unknown_running
from fsconsole.slurm.forecast import Crossing, Forecast
from fsconsole.slurm.priority_outlook import JobMix
from fsconsole.slurm.solver import rate_now
from fsconsole.slurm.usage_reset import reset_words
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import fixed, thousands
from fsconsole.text.words import plural

FAIR_TREE = "The cluster ranks by Fair Tree: F is a rank. The F of an account is the mean of its users."


def sentences(found: Answer) -> Iterator[str]:
    """Describe fairshare over time, the wish, the rivals and the assumptions."""
    asked = found.question
    if found.forecast is None or asked.row is None:
        return
    fairshare = found.forecast.fairshare[0]
    lowest = int(fairshare.argmin())
    low_s = float(found.forecast.times_s[lowest])
    at = (
        f"lowest {fixed(fairshare[lowest], 3)} after {length_words(low_s)}, "
        if 0 < lowest < len(fairshare) - 1
        else ""
    )
    first, last = fixed(fairshare[0], 3), fixed(fairshare[-1], 3)
    if found.unchanged is None:
        begin = f"Fairshare {first} at the next calculation"
    else:
        unchanged = fixed(found.unchanged.fairshare[0, 0], 3)
        begin = f"Fairshare at the next calculation: {unchanged} unchanged, {first} with the changes"
        at = f"then {at}"
    then = f"{last} after {length_words(found.until_s)}"
    if found.unchanged is not None:
        then += f" ({fixed(found.unchanged.fairshare[0, -1], 3)} unchanged)"
    yield f"{begin}, {at}{then}."
    if not asked.cluster.tree.user[asked.row]:
        low, high = (fixed(curve[0, -1], 3) for curve in (found.forecast.lowest, found.forecast.highest))
        yield f"Its users then have {low} to {high}."
    if asked.wished is not None and found.reached_s is not None:
        yield (
            _reached(asked.wished, found.reached_s, found.until_s)
            if asked.reset is None
            else _reached_before(asked.wished, found.reached_s)
        )
    for row, turns in zip(asked.rivals, found.turns, strict=True):
        yield order_words(turns, short_name(asked.cluster, row))
    if asked.mix is not None:
        yield _priority(asked.mix, found.forecast)
    yield from assumptions(asked)
    if asked.cluster.is_fair_tree:
        yield FAIR_TREE


def basis_words(*, has_changes: bool) -> str:
    """Describe the basis of the value before any way to the goal."""
    return "with the changes above" if has_changes else "without changes"


def assumptions(asked: Question) -> Iterator[str]:
    """Yield the assumptions on future use, of the node and of all others."""
    changed = {one.row: one.rate for one in asked.changes.rates}
    if asked.row is not None:
        cluster, name = asked.cluster, short_name(asked.cluster, asked.row)
        is_whole = PartName.JOBS not in cluster.known.gaps
        is_changed = asked.row in changed
        after = f", and {rate_words(changed[asked.row], cluster)} with the changes" if is_changed else ""
        going = rate_now(replace(asked.outlook, planned=()), asked.row)
        own, more = rate_words(going, cluster), " beside the planned jobs" if asked.jobs else ""
        if asked.own is Own.RUNNING and going:
            yield f"Assumes that {name} goes on as its running jobs, {own}{more}{after}."
        elif running := asked.running:
            own = rate_words(sum(one.spell.rate for one in running), cluster)
            last_s, unknown = max(one.spell.end_s for one in running), asked.unknown_ends
            last = "without a limit" if math.isinf(last_s) else f"for {length_words(last_s)}"
            last = "for an unknown time" if unknown else last
            yield (
                f"Assumes that {name} runs its present jobs to their time limits{more}: {own} now, the last "
                f"one {last}{after}."
            )
            if unknown:
                yield plural(
                    unknown,
                    "The end of 1 of them is unknown, and it is assumed to go on.",
                    f"The ends of {thousands(unknown)} of them are unknown, and they are assumed to go on.",
                )
        elif asked.own is Own.SAME_USAGE:
            yield f"Assumes that {name} keeps its usage, with {own}{more}{after}."
        else:
            jobs = " but the planned jobs" if asked.jobs else ""
            none = "; none of its jobs runs now" if asked.own is Own.TO_LIMITS and is_whole else ""
            yield f"Assumes that {name} uses nothing{jobs}{after}{none}."
        if asked.own in (Own.TO_LIMITS, Own.RUNNING) and not is_whole:
            yield f"The running jobs of {name} are known in part."
        why = unknown_running(cluster, asked.row)
        if why and asked.own in (Own.NOTHING, Own.SAME_USAGE) and not cluster.runs_nothing:
            yield f"Its running jobs are not counted: {why}."
        for job in {job.requests: job for job in asked.jobs if job.requests}.values():
            yield f"A planned job of {job.requests} is charged {rate_words(job.cores, cluster)}."
    if asked.cluster.known.config is None:
        half_life, period = (length_words(one) for one in (asked.decay.half_life_s, asked.decay.period_s))
        rule = "Fair Tree" if asked.cluster.is_fair_tree else "classic fairshare"
        yield (
            f"Assumes {rule} with a half-life of {half_life}, calculations every {period} and the dampening "
            f"factor {plain(asked.damping)}."
        )
    elif asked.cluster.settings is None:
        half_life, period = (length_words(one) for one in (asked.decay.half_life_s, asked.decay.period_s))
        yield (
            f"Assumes a half-life of {half_life} and calculations every {period}: those of the cluster are "
            "unknown."
        )
    if math.isinf(asked.decay.half_life_s):
        config = asked.cluster.known.config
        is_set = config is not None and math.isinf(config.half_life_s)
        yield f"Usage does not decay{': PriorityDecayHalfLife is 0' if is_set else ''}."
    yield from reset_words(asked.cluster.known.config, asked.cluster.known.now_s)
    rate = asked.others_rate
    rest = ", except by the changes" if changed.keys() - {asked.row} else ""
    yield (
        f"Assumes that the usage of the others does not change{rest}."
        if rate is None
        else f"Assumes that the others use {rate_words(rate, asked.cluster)} in total{rest}."
    )
    yield from (*asked.cluster.known.gaps.values(), *asked.cluster.known.old)


def _priority(mix: JobMix, curves: Forecast) -> str:
    points = mix.priority(curves.times_s, curves.fairshare[0])
    parts = mix.parts(curves.times_s, curves.fairshare[0])
    named = ", ".join(f"{title} {thousands(value[0])}" for title, value in parts.items())
    note = f" {mix.note}" if mix.note else ""
    now = "" if mix.printed is None else f" It is {thousands(mix.printed)} now (sprio)."
    return (
        f"Priority of {mix.title}: {thousands(points[0])} at the next calculation ({named}), "
        f"{thousands(points[-1])} at the end.{now}{note}"
    )


def order_words(turns: Sequence[Crossing], name: str) -> str:
    """Describe the order of two users, such as `Overtakes dana after 2 d.`"""
    if len(turns) == 1:
        return f"Ahead of {name} all the time." if turns[0].is_ahead else f"Never ahead of {name}."
    return " ".join(
        f"Overtakes {name} after {length_words(turn.time_s)}."
        if turn.is_ahead
        else f"Falls behind {name} after {length_words(turn.time_s)}."
        for turn in turns[1:]
    )


def effect_words(found: Answer) -> str:
    """Return a sentence with the number of users that the changes touch at once."""
    if found.effect is None:
        return ""
    users, changed = len(found.effect.rows), len(found.effect.changed)
    rule = "Fair Tree" if found.question.cluster.is_fair_tree else "classic fairshare"
    many = f"{thousands(changed)} of {thousands(users)} users" if changed else "no user's fairshare"
    return f"Changes {many} at the next calculation; {rule}."


def short_name(cluster: Cluster, row: int) -> str:
    """Return the user, or with the account where the user is in several."""
    user = cluster.tree.user[row]
    try:
        return user if user and cluster.user_row(user) == row else cluster.names[row]
    except ValueError:
        return cluster.names[row]


def _reached_before(wished: float, reached_s: float) -> str:
    """Return the sentence on a wish until usage is reset."""
    if math.isinf(reached_s):
        return f"Does not reach {plain(wished)} before the next reset of usage."
    if not reached_s:
        return f"Is {plain(wished)} or more at the next calculation, and stays there until the next reset."
    return f"Reaches {plain(wished)} in {length_words(reached_s)} and stays there until the next reset."


def _reached(wished: float, reached_s: float, until_s: float) -> str:
    if math.isinf(reached_s):
        return f"Never reaches {plain(wished)} for good."
    if not reached_s:
        return f"Is {plain(wished)} or more at the next calculation, and stays there."
    shown = "" if reached_s <= until_s else ", after the end of the plots"
    return f"Reaches {plain(wished)} in {length_words(reached_s)} and stays there{shown}."
