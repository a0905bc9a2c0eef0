"""What happened and what is planned, as flags at times. No Qt."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsconsole.policies.words import LATER, plain, words_of
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.snapshot import Happening

_NEXT_DELTA = "in force at the next delta"
_LOGGED = re.compile(r"(.*) logged (in|out)", re.DOTALL)
_CHANGED = re.compile(r"(.*): ([^:→]*) → ([^→]*) shares", re.DOTALL)
_NAMES = 3


@dataclass(frozen=True, slots=True)
class Flag:
    """A time and what happens at it; `texts` has all of it, `text` what there is room for."""

    time_s: float
    texts: tuple[str, ...]
    is_planned: bool = False

    @property
    def text(self) -> str:
        """The first of what happens."""
        return self.texts[0]


def flags_of(
    scenario: Scenario, tree: ShareTree, happenings: Iterable[Happening], now_s: float
) -> list[Flag]:
    """The scenario's time line and what was done by hand, in order of time."""
    words: dict[float, list[str]] = {}
    first = _first_logins(scenario, tree)
    if first:
        words[0.0] = [first]
    planned = set()
    for event in scenario.events:
        planned.add(round(event.at_s, 3))
        text = words_of(event.action, tree)
        if text:
            words.setdefault(event.at_s, []).append(text)
    for happening in happenings:
        if round(happening.time_s, 3) not in planned:
            words.setdefault(happening.time_s, []).append(_short(happening.text))
    nets = {at: _net(texts) for at, texts in words.items()}
    return [Flag(at, nets[at], at > now_s) for at in sorted(nets) if nets[at]]


def neighbour(flags: Sequence[Flag], time_s: float, step: int) -> float | None:
    """Time of the next flag after (step 1) or before (step -1) a time; None where there is none."""
    times = [flag.time_s for flag in flags if not flag.is_planned]
    at = bisect_right(times, time_s) if step > 0 else bisect_left(times, time_s) - 1
    return times[at] if 0 <= at < len(times) else None


def last_before(flags: Sequence[Flag], time_s: float) -> Flag | None:
    """The last flag at or before a time."""
    past = [flag for flag in flags if flag.time_s <= time_s]
    return past[-1] if past else None


def _net(texts: Iterable[str]) -> tuple[str, ...]:
    """What came of all that was done at one instant: shares that were taken back have never been in force."""
    before: dict[str, str] = {}
    said: dict[str, None] = {}
    for text in texts:
        if (change := _CHANGED.fullmatch(text)) is None:
            said[text] = None
            continue
        node, old, new = change.groups()
        first = before.setdefault(node, old)
        for earlier in [one for one in said if one.startswith(f"{node}: {first} → ")]:
            del said[earlier]
        if new != first:
            said[f"{node}: {first} → {new} shares"] = None
    return tuple(said)


def _first_logins(scenario: Scenario, tree: ShareTree) -> str:
    names = [tree.node(node).name for node in scenario.logins if node in tree and not tree.is_system(node)]
    if not names:
        return ""
    if len(names) == 1:
        return f"{names[0]} logs in"
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return f"{', '.join(names[:_NAMES])}{more} log in"


def _short(text: str) -> str:
    text = _LOGGED.sub(r"\1 logs \2", text)
    return plain(text).removesuffix(LATER).removesuffix(f", {_NEXT_DELTA}")
