"""How a cluster answers, in words. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from fsconsole.console.live.time_range import clock_of
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.text import numbers
from fsconsole.text.durations import length_words

Tone = Literal["neutral", "ok", "warn", "danger"]

LINKS: Mapping[Link, tuple[str, Tone]] = {
    Link.CONNECTING: ("Connecting", "neutral"),
    Link.ANSWERS: ("Answers", "ok"),
    Link.SLOW: ("Slow", "warn"),
    Link.PARTLY: ("Partly fails", "warn"),
    Link.NO_ANSWER: ("No answer", "danger"),
}
_MOST_SLOW = 3
_TITLES = {PartName.USAGE: "Usage", PartName.JOBS: "Jobs"}


def part_words(name: PartName, part: Part, now_s: float, *, is_short: bool = False) -> str:
    """As of when a part is, and when it is read next: `Usage as of 14:31:20, next in 42 s`."""
    title = _TITLES.get(name, name.value.capitalize())
    if part.as_of_s is None:
        return f"{title} not read yet" if not part.problem else f"{title} cannot be read"
    words = f"{title} as of {clock_of(part.as_of_s)}"
    if part.is_reading and not is_short:
        waited = max(now_s - part.began_s, 0.0)
        return f"{words}, reading" + (f" for {numbers.fixed(waited)} s" if waited >= 2 else "")
    wait_s = part.next_s - now_s
    if is_short or part.next_s <= 0:
        return words
    return f"{words}, next in {length_words(wait_s)}" if wait_s >= 1 else f"{words}, next now"


def trouble_words(state: ClusterState) -> str:
    """What is wrong, part by part, the same problem once; empty where nothing is."""
    parts_of: dict[str, list[str]] = {}
    for name, part in state.parts.items():
        if part.problem:
            parts_of.setdefault(part.problem, []).append(name.value)
    if not parts_of:
        return _slow_words(state) if state.link is Link.SLOW else ""
    if len(parts_of) == 1 and state.link is Link.NO_ANSWER:
        return next(iter(parts_of))
    return "; ".join(f"{', '.join(names)}: {problem}" for problem, names in parts_of.items())


def _slow_words(state: ClusterState) -> str:
    """What took longest."""
    slow = sorted(state.parts.items(), key=lambda item: -item[1].took_s)
    said = [f"{name.value} took {numbers.fixed(part.took_s, 1)} s" for name, part in slow if part.took_s > 1]
    return ", ".join(said[:_MOST_SLOW])


def period_words(calc_period_s: float) -> str:
    """Why usage is not read more often."""
    if not calc_period_s > 0:
        return ""
    return f"Slurm recalculates usage every {length_words(calc_period_s)}; the console reads it no more often"
