"""What happened to a simulated machine, and what its scenario plans."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fsconsole.policies.words import LATER, plain, words_of
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.events import Event
from fsconsole.targets.snapshot import Happening
from fsconsole.text.words import listed, plural

_NEXT_DELTA = "in force at the next delta"
_LOGGED = re.compile(r"(.*) logged (in|out)", re.DOTALL)
_CHANGED = re.compile(r"(.*): ([^:→]*) → ([^→]*) shares", re.DOTALL)
_NAMES = 3


def machine_events(
    scenario: Scenario, tree: ShareTree, happenings: Iterable[Happening], now_s: float
) -> tuple[Event, ...]:
    """The scenario's timeline and what was done by hand, in order of time."""
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
    return tuple(Event(at, nets[at], at > now_s) for at in sorted(nets) if nets[at])


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
    return f"{listed(names, _NAMES)} {plural(len(names), 'logs', 'log')} in" if names else ""


def _short(text: str) -> str:
    text = _LOGGED.sub(r"\1 logs \2", text)
    return plain(text).removesuffix(LATER).removesuffix(f", {_NEXT_DELTA}")
