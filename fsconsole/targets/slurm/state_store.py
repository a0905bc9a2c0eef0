"""Holds the newest state of a cluster; many threads change it, each change makes a new one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fsconsole.targets.slurm.link import link_of
from fsconsole.targets.slurm.state import ClusterState, Part, PartName

_NEWEST_WEIGHS = 0.2  # in how long a reading takes usually


class StateStore:
    """Publishes states, and keeps how long readings take."""

    def __init__(self, name: str, clock: Callable[[], float] = time.time) -> None:
        self._lock = threading.RLock()
        self._clock = clock
        self._usual_s: dict[PartName, float] = {}
        self._state = ClusterState(0, name, parts={part: Part() for part in PartName})

    @property
    def state(self) -> ClusterState:
        """The newest one."""
        return self._state

    def change(self, **fields: Any) -> ClusterState:
        """Publish a state that differs in some fields."""
        with self._lock:
            parts: Mapping[PartName, Part] = fields.get("parts", self._state.parts)
            link = link_of(parts, self._usual_s, self._clock())
            self._state = replace(self._state, serial=self._state.serial + 1, link=link, **fields)
            return self._state

    def began(self, part: PartName) -> None:
        """A part is being read."""
        self._part(part, is_reading=True, began_s=self._clock())

    def read(
        self, part: PartName, began_s: float, took_s: float, notes: tuple[str, ...] | None, **fields: Any
    ) -> None:
        """A part was read well; `notes` of None are those of the time before. The fields are what it says."""
        with self._lock:
            here = self._state.parts[part]
            usual_s = self._usual_s.get(part)
            notes = here.notes if notes is None else notes
            self._part(
                part, fields, is_reading=False, as_of_s=began_s, took_s=took_s, problem="", notes=notes
            )
            mixed_s = took_s if usual_s is None else usual_s + _NEWEST_WEIGHS * (took_s - usual_s)
            self._usual_s[part] = mixed_s

    def failed(self, part: PartName, problem: str) -> None:
        """The reading of a part failed."""
        self._part(part, is_reading=False, problem=problem)

    def due(self, part: PartName, next_s: float) -> None:
        """When a part will be read again, seconds since 1970."""
        self._part(part, next_s=next_s)

    def look(self) -> None:
        """Publish a new state if the link is another one by now: time passes while a tool hangs."""
        with self._lock:
            state = self._state
            if link_of(state.parts, self._usual_s, self._clock()) is not state.link:
                self.change()

    def _part(self, part: PartName, others: Mapping[str, Any] | None = None, **fields: Any) -> None:
        with self._lock:
            parts = {**self._state.parts, part: replace(self._state.parts[part], **fields)}
            self.change(parts=parts, **(others or {}))
