"""A recorded run as a target, as small as the protocol allows: values and no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QObject, Signal

from fsconsole.recording.run import RunReader
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import About, Capability, Choice, Clock, PastMoment, Status
from fsconsole.targets.events import Event

T = TypeVar("T")


class RecordedSource:
    """Plays the part of a run folder; nothing moves, nothing can be done to it."""

    quantities = ("cpu_rate", "allocated_share", "effective_share", "normalised_usage", "charge")
    columns = ("cpu_rate", "allocated_share")
    node_title, root_title = "Node", "Machine"
    fault = fault_report = ""
    rescaled = frozenset({"cpu_rate", "allocated_share", "effective_share"})
    is_moving = False
    look_ms = 250
    serial = 1

    def __init__(self, path: Path) -> None:
        run = RunReader(path)
        self.name = str(run.manifest["title"])
        self._scenario = parse_scenario(run.scenario_text)
        self._series: dict[str, tuple[Floats, Mapping[int, Floats]]] = {
            name: run.series(name) for name in self.quantities
        }

    @property
    def clock(self) -> Clock:
        return Clock(0.0, self.now_s)

    @property
    def now_s(self) -> float:
        return float(self._series["charge"][0][-1])

    def look(self) -> int:
        return self.serial

    def status(self) -> Status:
        return Status("Target: recorded")

    def tree(self) -> ShareTree:
        return self._scenario.tree

    def leading(self, *, is_low: bool) -> tuple[str, ...]:
        return self.quantities[:3] if is_low else self.quantities

    def unused(self) -> frozenset[str]:
        return frozenset()

    def at(self, time_s: float | None = None) -> PastMoment:
        return PastMoment(self.now_s if time_s is None else time_s, self._values_at)

    def _values_at(self, quantity: str, nodes: Sequence[int], time_s: float) -> Floats:
        if quantity not in self._series:
            return self._without_system(quantity.removesuffix("_without_system"), nodes, time_s)
        times, values = self._series[quantity]
        row = max(0, int(np.searchsorted(times, time_s, "right")) - 1)
        return np.array([values[node][row] if node in values else np.nan for node in nodes], np.float64)

    def _without_system(self, quantity: str, nodes: Sequence[int], time_s: float) -> Floats:
        flat = FlatTree.of(self._scenario.tree)
        rescaled = flat.without_system(np.nan_to_num(self._values_at(quantity, flat.ids.tolist(), time_s)))
        return np.array([rescaled[flat.row_of[node]] for node in nodes], np.float64)

    def times(self, start_s: float, end_s: float, _points: int | None = None) -> Floats:
        times = self._series["charge"][0]
        return times[(times >= start_s) & (times <= end_s)]

    def span_at(self, time_s: float) -> tuple[float, float]:
        return time_s, time_s

    def keep(self, _times: Iterable[float]) -> None:
        pass

    def revision(self, _quantity: str) -> int:
        return 1

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, _points: int, /
    ) -> tuple[Floats, Floats]:
        times = self.times(start_s, end_s)
        found = [self._values_at(quantity, nodes, time_s) for time_s in times.tolist()]
        return times, np.array(found).reshape(len(times), len(nodes)).T

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        times, values = self.curves(quantity, nodes, start_s, end_s, points)
        if not len(nodes):
            return times, np.full(len(times), np.nan), np.full(len(times), np.nan)
        return times, values.min(axis=0), values.max(axis=0)

    def watch(self, _nodes: Iterable[int]) -> None:
        pass

    def events(self) -> Sequence[Event]:
        return (Event(30.0, ("somebody wrote a note",)),)

    def choices(self) -> tuple[Choice, ...]:
        return (Choice("All users", lambda tree: [one.id for one in tree.walk() if not one.is_group]),)

    def about(self) -> About:
        return About(self.name, f"run of {self.name}", {}, "recorded")

    def offer(self, _capability: Capability[T]) -> T | None:
        return None

    def close(self, *, wait: bool = False) -> None:
        pass


class Opened(QObject):
    """What the session holds of it."""

    news = Signal()

    def __init__(self, source: RecordedSource) -> None:
        super().__init__()
        self.source = source

    def offer(self, _capability: Capability[T]) -> T | None:
        return None

    def follow(self) -> None:
        pass

    def close(self, *, wait: bool = False) -> None:
        pass
