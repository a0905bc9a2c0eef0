"""The newest state of a cluster and how it answers; many threads change it, each change makes a new one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName

_NEWEST_WEIGHS = 0.2  # The newest reading has this weight in the usual time of a reading.


class StateStore:
    """Publishes states, and keeps how long readings take.

    Attributes:
        link_s: time that a reading takes on the link to the cluster alone.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.time) -> None:
        self._lock = threading.RLock()
        self._clock = clock
        self._usual_s: dict[PartName, float] = {}
        self.link_s = 0.0
        self._state = ClusterState(0, name, parts={part: Part() for part in PartName})

    @property
    def state(self) -> ClusterState:
        """Newest state of the cluster."""
        return self._state

    def change(self, **fields: Any) -> ClusterState:
        """Publish a state that differs in some fields."""
        with self._lock:
            parts: Mapping[PartName, Part] = fields.get("parts", self._state.parts)
            link = self._link(parts, has_fault=fields.get("fault", self._state.fault) is not None)
            self._state = replace(self._state, serial=self._state.serial + 1, link=link, **fields)
            return self._state

    def began(self, part: PartName) -> None:
        """Note that a part is being read."""
        self._part(part, is_reading=True, began_s=self._clock())

    def read(
        self, part: PartName, began_s: float, took_s: float, notes: tuple[str, ...] | None, **fields: Any
    ) -> None:
        """Note that a part was read well; `notes` of None are those of the time before."""
        with self._lock:
            here = self._state.parts[part]
            usual_s = self._usual_s.get(part)
            notes = here.notes if notes is None else notes
            self._part(
                part, fields, is_reading=False, as_of_s=began_s, took_s=took_s, problem="", notes=notes
            )
            mixed_s = took_s if usual_s is None else usual_s + _NEWEST_WEIGHS * (took_s - usual_s)
            self._usual_s[part] = mixed_s

    def failed(self, part: PartName, problem: str, **fields: Any) -> None:
        """Note that the reading of a part failed; `fields` of the state are those that were read anyway."""
        self._part(part, fields, is_reading=False, problem=problem)

    def due(self, part: PartName, next_s: float) -> None:
        """Publish the time at which a part will be read again, seconds since 1970."""
        self._part(part, next_s=next_s)

    def look(self) -> None:
        """Publish a new state if the link is another one by now: time passes while a tool hangs."""
        with self._lock:
            state = self._state
            if self._link(state.parts, has_fault=state.fault is not None) is not state.link:
                self.change()

    def _link(self, parts: Mapping[PartName, Part], *, has_fault: bool) -> Link:
        """Return the link; a fault on the way is that of all parts, also of those that are read seldom."""
        if has_fault:
            return Link.NO_ANSWER
        return link_of(parts, self._usual_s, self._clock() - self.link_s)

    def _part(self, part: PartName, others: Mapping[str, Any] | None = None, **fields: Any) -> None:
        with self._lock:
            parts = {**self._state.parts, part: replace(self._state.parts[part], **fields)}
            self.change(parts=parts, **(others or {}))


SLOW_S = 5.0
TIMES_USUAL = 3.0
_QUICK_S = 1.0  # Below this a reading is never slow, however much quicker it is usually.
_STANDS_S = 10.0  # A slow reading makes the cluster slow for this long, even if others have been quick since.


def link_of(parts: Mapping[PartName, Part], usual_s: Mapping[PartName, float], now_s: float) -> Link:
    """Return the link; `usual_s` is how long the reading of a part takes otherwise, `now_s` since 1970."""
    tried = [part for part in parts.values() if part.as_of_s is not None or part.problem]
    failing = [part for part in tried if part.problem]
    if failing and all(part.problem or _is_outdated(name, part, failing) for name, part in parts.items()):
        return Link.NO_ANSWER
    if len(failing) == len(tried):  # Parts that were not tried wait for those that fail.
        return Link.CONNECTING
    if failing:
        return Link.PARTLY
    slow = [name for name in parts if is_slow(parts[name], usual_s.get(name), now_s)]
    return Link.SLOW if any(not _is_over(name, parts, slow, now_s) for name in slow) else Link.ANSWERS


def _is_over(name: PartName, parts: Mapping[PartName, Part], slow: Sequence[PartName], now_s: float) -> bool:
    """Return True if a slow reading is out of date: it is old, and the same daemon has been quick since.

    Some parts are read so seldom that a cluster that is well again would look slow for minutes. The tree is
    the only part that slurmdbd answers, so it is never judged by another part.
    """
    part = parts[name]
    if name is PartName.TREE or part.is_reading or part.as_of_s is None:
        return False
    ended_s = part.as_of_s + part.took_s
    quick = (one for other, one in parts.items() if other is not PartName.TREE and other not in slow)
    return now_s - ended_s >= _STANDS_S and any(
        one.as_of_s is not None and one.as_of_s > ended_s for one in quick
    )


def _is_outdated(name: PartName, part: Part, failing: Sequence[Part]) -> bool:
    """Return True if a part that was read well is too old for now, as usage is: it is read too seldom."""
    tried_s = min(one.began_s for one in failing)
    return name is PartName.USAGE and part.as_of_s is not None and part.as_of_s < tried_s


def is_slow(part: Part, usual_s: float | None, now_s: float) -> bool:
    """Return True if a reading takes longer than it should, or the last one did."""
    took_s = max(part.took_s, now_s - part.began_s if part.is_reading else 0.0)
    limit_s = SLOW_S if usual_s is None else min(SLOW_S, max(_QUICK_S, TIMES_USUAL * usual_s))
    return took_s > limit_s
