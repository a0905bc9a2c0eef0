"""A share tree on this machine as a target: the CPU time that the kernel charges its groups, over time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from fsconsole.linux.accounting import Reading, charged_s
from fsconsole.linux.rates import Rates, rates_of, weighted_shares
from fsconsole.recording.series import TieredSeries
from fsconsole.shares.flat import Floats
from fsconsole.shares.tree import ROOT_ID, ShareTree
from fsconsole.targets.base import (
    HOLD,
    About,
    Capability,
    Choice,
    Clock,
    Note,
    Offers,
    PastMoment,
    Status,
)
from fsconsole.targets.events import Event
from fsconsole.targets.linux.groups_worker import GroupsWorker
from fsconsole.targets.linux.state import LinuxState
from fsconsole.targets.series_target import SeriesTarget
from fsconsole.targets.simulated import kept_nodes
from fsconsole.text.moments import midnight_before, whole
from fsconsole.text.numbers import thousands

T = TypeVar("T")
NAME = "This machine (Linux)"
PERIOD_S, WINDOW_S = 1.0, 5.0
QUANTITIES = ("cpu_rate", "allocated_share", "effective_share", "normalised_usage", "cpu_s")
_COLUMNS = QUANTITIES[:4]
_LOOK_MS = 250
_CLOSE_S = 3.0
_SILENT = frozenset(("arm", "disarm"))
_TIPS = {
    "cpu_rate": f"Share of the tree's CPU time in the last {WINDOW_S:g} s, from the kernel",
    "allocated_share": "Allocated share by the shares in force, among users with CPU time",
    "effective_share": "Share by the kernel's weights now, among users with CPU time",
    "normalised_usage": "Decayed CPU s divided by allocated share",
    "cpu_s": "CPU seconds from the kernel since the group was made",
}


class LinuxMoment:
    """Values of the last reading.

    Attributes:
        time_s: when.
        state: what is known beside values.
    """

    def __init__(self, time_s: float, state: LinuxState, series: TieredSeries) -> None:
        self.time_s, self.state = time_s, state
        self._series = series

    def values(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return the last readings, [nodes]; NaN for none."""
        return self._series.values_at(quantity, nodes, self.time_s)

    def last_known(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return the last readings, [nodes]; NaN for none."""
        return self.values(quantity, nodes)

    def remark(self, node: int) -> str:
        """Report a node without a group, or a group without a process."""
        state = self.state
        if not state.is_applied or (node != ROOT_ID and node not in state.weights):
            return "no group yet"
        is_leaf = node in state.tree and not state.tree.children(node)
        return "no process" if is_leaf and not state.processes.get(node) else ""

    def note(self, quantity: str, _node: int) -> Note:
        """Return the meaning of a value on this target."""
        return Note(tip=_TIPS.get(quantity, ""))

    def trouble(self, _quantity: str) -> str:
        """Return the reason why newer values are missing."""
        return self.state.problem


class LinuxTarget(SeriesTarget):
    """Reads the groups of a share tree once a second, in a thread; `worker` changes them in another one.

    Implements `targets.base.Target`. Times are seconds since midnight, local time.

    Attributes:
        worker: what changes groups.
        series: what was read.
    """

    name = NAME
    node_title, root_title = "Node", ""
    quantities, columns = QUANTITIES, _COLUMNS
    rescaled: frozenset[str] = frozenset()
    fault = fault_report = ""
    is_moving = True
    look_ms = _LOOK_MS

    def __init__(
        self,
        make_worker: Callable[[Callable[[], None]], GroupsWorker],
        *,
        period_s: float = PERIOD_S,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Begin to read; what `make_worker` raises is raised, and what is known of the tree is there then."""
        self._wake = threading.Event()
        self._closed = threading.Event()
        self._period_s, self._now = period_s, now
        self.worker = make_worker(self._wake.set)
        self.worker.groups.attend()
        self._base_s = midnight_before(now())
        self._began_s = now() - self._base_s
        self.series = TieredSeries(QUANTITIES, len(self.worker.tree))
        self._readings: deque[Reading] = deque()
        self._set_at_s = 0.0
        self._held_s: float | None = None
        self._events: tuple[object, tuple[Event, ...]] = (None, ())
        self._offers = Offers()
        self._offers.add(HOLD, self)
        self._fixed = self.worker.groups.why_fixed()
        self.state = LinuxState(0, self._title(), self.worker.tree, fixed=self._fixed)
        self._look()
        self._thread = threading.Thread(target=self._work, name="linux accounting", daemon=True)
        self._thread.start()

    # -- in the thread that reads ---------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            self._wake.wait(self._period_s)
            self._wake.clear()
            if self._closed.is_set():
                return
            self._look()

    def _look(self) -> None:
        """Read once; report a failed reading, and read it again the next time."""
        worker, problem = self.worker, ""
        tree, is_applied = worker.tree, False
        weights: dict[int, int] = {}
        processes: dict[int, int] = {}
        sharer, memory = worker.sharer, worker.memory
        usage = {} if sharer is None else dict(sharer.usage)
        try:
            worker.reap()
            is_applied = worker.groups.is_applied()
            if is_applied:
                reading = worker.groups.reading(tree)
                weights, processes = worker.groups.weights(tree), worker.groups.process_counts(tree)
                self._take(tree, reading, weights, usage if memory is not None else None)
            elif self._readings:
                self._readings.clear()
                self._append(tree, {})
        except OSError as error:
            problem = f"The groups cannot be read: {error.strerror}."
        if memory is not None and time.monotonic() - self._set_at_s >= memory.delta_s - self._period_s / 2:
            self._set_at_s = time.monotonic()
            worker.set_weights_soon()
        self.state = LinuxState(
            self.state.serial + 1, self._title(), tree, is_applied, weights, processes, usage, memory,
            self._fixed, problem or worker.problem, worker.doing, worker.audit,
        )  # fmt: skip

    def _take(
        self, tree: ShareTree, now: Reading, weights: dict[int, int], usage: dict[int, float] | None
    ) -> None:
        if self._readings and now.at_s - self._readings[-1].at_s < self._period_s / 2:
            return
        self._readings.append(now)
        while len(self._readings) > 2 and now.at_s - self._readings[1].at_s >= WINDOW_S:
            self._readings.popleft()
        before = self._readings[0]
        rates = rates_of(tree, charged_s(before, now)) if before is not now else Rates({}, {}, {})
        active = [node for node, part in rates.allocated.items() if part > 0]
        leaves = [node for node in active if not tree.children(node)]
        effective = weighted_shares(tree, weights, leaves) if leaves else {}
        columns = {"cpu_rate": rates.rate, "allocated_share": rates.allocated, "effective_share": effective}
        columns["cpu_s"] = now.used_s
        columns["normalised_usage"] = {
            node: used / part
            for node, used in (usage or {}).items()
            if (part := rates.allocated.get(node, 0.0)) > 0
        }
        self._append(tree, columns)

    def _append(self, tree: ShareTree, columns: Mapping[str, Mapping[int, float]]) -> None:
        """Add the present values to the curves; without values, add a gap."""
        ids = [node.id for node in tree.walk()]
        known = {name: columns.get(name, {}) for name in QUANTITIES}
        values = {name: np.array([one.get(node, np.nan) for node in ids]) for name, one in known.items()}
        self.series.append(self._now() - self._base_s, ids, values)

    # -- for the window's thread ----------------------------------------------------------------------------

    def _title(self) -> str:
        return self.worker.groups.hierarchy.remark

    @property
    def clock(self) -> Clock:
        """Clock times, since the tree was opened here."""
        return Clock(self._began_s, None, self._base_s)

    @property
    def now_s(self) -> float:
        """Present time, s since the midnight before the groups were first read."""
        return self._now() - self._base_s

    def look(self) -> int:
        """Return the number of readings and changes so far."""
        return self.state.serial

    def status(self) -> Status:
        """Return the state of the groups."""
        state = self.state
        words = "weights by usage" if state.memory is not None else "weights by shares"
        what = words if state.is_applied else "no groups yet"
        return Status(f"Target: Linux, {state.title}, {what}", state.problem or state.fixed)

    def tree(self) -> ShareTree:
        """Return the tree in force; before the first one, the tree that was opened."""
        return self.state.tree

    def leading(self, *, is_low: bool) -> tuple[str, ...]:
        """Return rates next to shares, and usage where weights have a memory."""
        if self.state.memory is None:
            return QUANTITIES[:3]
        return ("cpu_rate", "allocated_share", "normalised_usage") if is_low else QUANTITIES[:4]

    def unused(self) -> frozenset[str]:
        """Return usage where it is not remembered."""
        return frozenset() if self.state.memory is not None else frozenset(("normalised_usage",))

    def at(self, time_s: float | None = None) -> LinuxMoment | PastMoment:
        """Return the last reading, or the one at a time."""
        if time_s is None and self._held_s is not None:
            time_s = self._held_s
        if time_s is not None:
            return PastMoment(time_s, self.series.values_at)
        return LinuxMoment(self.now_s, self.state, self.series)

    def watch(self, _nodes: Iterable[int]) -> None:
        """Do nothing, as all nodes are kept."""

    def events(self) -> Sequence[Event]:
        """Return the changes made from here."""
        rows = self.state.audit
        if rows is not self._events[0]:
            done = [row for row in rows if row.done and row.action not in _SILENT]
            texts = [f"{row.action} {row.after}".strip() for row in done]
            self._events = (
                rows,
                tuple(Event(row.tick - self._base_s, (text,)) for row, text in zip(done, texts, strict=True)),
            )
        return self._events[1]

    def choices(self) -> tuple[Choice, ...]:
        """Return nodes with processes, all users, and groups."""
        advice = "No user has a process here. Assign processes, or start a command."
        return (
            Choice("Users with work", self._users_with_work, advice),
            Choice("All users", partial(kept_nodes, are_groups=False)),
            Choice("Groups", partial(kept_nodes, are_groups=True)),
        )

    def _users_with_work(self, tree: ShareTree) -> tuple[int, ...]:
        processes = self.state.processes
        return tuple(node for node in kept_nodes(tree, are_groups=False) if processes.get(node))

    def about(self) -> About:
        """Return the kernel, since when."""
        state = self.state
        settings = {"control_groups": state.title, "rate_window_s": WINDOW_S}
        if state.memory is not None:
            settings |= {"half_life_s": state.memory.half_life_s, "delta_s": state.memory.delta_s}
        origin = f"from the kernel's accounting since {whole(self._base_s + self._began_s)}"
        return About(NAME, f"control groups of {self.worker.groups.root} on Linux", settings, origin)

    def offer(self, capability: Capability[T]) -> T | None:
        """Offer to freeze the display."""
        return self._offers.get(capability)

    def close(self, *, wait: bool = False) -> None:
        """End the threads; groups stay as they are, with the weights of the shares."""
        self._closed.set()
        self._wake.set()
        self.worker.close(wait=wait)
        if wait:
            self._thread.join(_CLOSE_S)

    @property
    def is_held(self) -> bool:
        """True while the display is frozen, though reading continues."""
        return self._held_s is not None

    def hold(self, *, is_held: bool) -> None:
        """Show no other values from now on, or the newest ones again."""
        if is_held is not self.is_held:
            self._held_s = self.now_s if is_held else None

    def facts(self) -> str:
        """Return the numbers of processes and nodes, in words."""
        state = self.state
        processes = sum(state.processes.values())
        return f"{thousands(len(state.tree))} nodes   {thousands(processes)} processes"
