"""The simulated machine as a target."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from fsconsole.recording.journal import JournalEntry, Outcome
from fsconsole.recording.keyframes import Keyframes
from fsconsole.recording.run_format import RESCALED
from fsconsole.recording.series import TieredSeries
from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.spec import QUANTITIES, Scenario, settings_of
from fsconsole.shares.tree import ROOT_ID, ShareTree
from fsconsole.targets.base import (
    CLOCK_HOLDS,
    EXPLAINER,
    MACHINE,
    PLAYBACK,
    RECORDING,
    REWIND,
    About,
    Capability,
    Choice,
    Clock,
    Moment,
    Offers,
    PastMoment,
    Status,
)
from fsconsole.targets.events import Event
from fsconsole.targets.hold_rules import rules_of
from fsconsole.targets.live import LEGEND_COLUMNS, LIVE_COLUMNS, MAX_KEPT_NODES
from fsconsole.targets.machine_worker import MachineWorker
from fsconsole.targets.rewind import Rewinder
from fsconsole.targets.series_target import SeriesTarget
from fsconsole.targets.snapshot import Snapshot, has_ended, machine_events
from fsconsole.text.durations import clock

if TYPE_CHECKING:
    from fsconsole.machine.insight import Explanation
    from fsconsole.machine.insight.control import Control
    from fsconsole.machine.machine import Machine
    from fsconsole.machine.shell import Reply

T = TypeVar("T")


class SimulatedTarget(SeriesTarget):
    """Runs a scenario; all that touches the machine happens in one worker thread.

    The machine is built there too, so that compiling the kernel never blocks the window.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        speed: float = 10.0,
        begin: bytes | None = None,
        keyframes: Keyframes | None = None,
        later: Sequence[JournalEntry] = (),
    ) -> None:
        """Start the worker, paused at time 0, or at the state of another run of the scenario.

        Args:
            scenario: what the machine is made of.
            speed: simulated seconds per second.
            begin: the checkpoint of a machine of the scenario to go on from.
            keyframes: those of that run up to there, to look back beyond the beginning.
            later: what was done to that run after that, oldest first; it is done here too.
        """
        self.name = scenario.machine.name
        self.quantities: tuple[str, ...] = QUANTITIES
        self.columns = LEGEND_COLUMNS
        self.scenario = scenario
        self._offers = Offers()
        self._offers.add(PLAYBACK, self)
        self._offers.add(CLOCK_HOLDS, self)
        self._offers.add(RECORDING, self)
        self._offers.add(MACHINE, self)
        self._offers.add(EXPLAINER, self)
        self.keyframes = keyframes or Keyframes()
        is_whole = begin is None or keyframes is not None
        self.rewinder = Rewinder(scenario, self.keyframes, self._journal, is_whole=is_whole)
        self._offers.add(REWIND, self.rewinder)
        self._events: tuple[Event, ...] = ()
        self._events_of: tuple[object, ...] = ()
        self.series = TieredSeries(LIVE_COLUMNS, min(len(scenario.tree), MAX_KEPT_NODES))
        self.hold_rules = rules_of(scenario)
        self._worker = MachineWorker(scenario, self.series, self.keyframes, speed, begin, later)

    # -- as any target ------------------------------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        """Simulated time, from 0 to the end of the scenario."""
        return Clock(0.0, self.scenario.plot.until_s)

    @property
    def now_s(self) -> float:
        """Simulated seconds since the start."""
        return 0.0 if self._worker.snapshot is None else self._worker.snapshot.time_s

    @property
    def is_moving(self) -> bool:
        """True if simulated time passes, or the machine is still being built."""
        snapshot = self._worker.snapshot
        return snapshot is None or snapshot.running

    look_ms = 33
    node_title, root_title = "Node", "Machine"

    rescaled = frozenset(RESCALED)
    has_factors = True

    @property
    def fault_report(self) -> str:
        """Place in the code where the engine stopped; empty while it runs."""
        return self._worker.fault_report

    @property
    def fault(self) -> str:
        """Reason why the engine stopped."""
        snapshot = self._worker.snapshot
        if snapshot is None or snapshot.fault is None:
            return ""
        return f"The machine stopped at {snapshot.time_s:.1f} s: {snapshot.fault}"

    def look(self) -> int:
        """Return serial number of the newest snapshot."""
        return 0 if self._worker.snapshot is None else self._worker.snapshot.serial

    def status(self) -> Status:
        """Return the state of the machine in words."""
        return Status(f"Target: simulated, {self._doing()}")

    def _doing(self) -> str:
        snapshot = self._worker.snapshot
        if snapshot is None:
            return self._worker.preparing or "starting"
        if snapshot.fault is not None:
            return "fault"
        if has_ended(snapshot, self.scenario.plot.until_s):
            return "ended"
        if snapshot.held:
            return f"held at {clock(snapshot.time_s)}: {snapshot.held}"
        if not snapshot.running:
            return "paused"
        return "running at full speed" if math.isinf(snapshot.speed) else f"running ×{snapshot.speed:g}"

    def tree(self) -> ShareTree | None:
        """Return the machine's tree."""
        return None if self._worker.snapshot is None else self._worker.snapshot.tree

    def at(self, time_s: float | None = None) -> Snapshot | PastMoment | None:
        """Return the newest snapshot, or the stored values of a time."""
        snapshot = self._worker.snapshot
        if snapshot is None or time_s is None:
            return snapshot
        return PastMoment(time_s, self.series.values_at)

    def events(self) -> Sequence[Event]:
        """Return past events and those planned by the scenario; update them only after new events."""
        snapshot = self._worker.snapshot
        if snapshot is None or snapshot.tree is None:
            return ()
        passed = sum(event.at_s <= snapshot.time_s for event in self.scenario.events)
        made_of = (snapshot.tree, len(snapshot.happenings), passed)
        if made_of != self._events_of:
            self._events_of = made_of
            self._events = machine_events(self.scenario, snapshot.tree, snapshot.happenings, snapshot.time_s)
        return self._events

    def leading(self, *, is_low: bool) -> tuple[str, ...]:
        """Return all quantities, however low the window is."""
        return self.quantities

    def unused(self) -> frozenset[str]:
        """Return no columns: all mean something on a simulated machine."""
        return frozenset()

    def choices(self) -> tuple[Choice, ...]:
        """Return users with work, all users, and groups."""
        return (
            Choice(
                "Users with work",
                self._users_with_work,
                "No user has work. Plan load, or log a user in.",
            ),
            Choice("All users", partial(kept_nodes, are_groups=False)),
            Choice("Groups", partial(kept_nodes, are_groups=True)),
        )

    def _users_with_work(self, tree: ShareTree) -> tuple[int, ...]:
        """Return leaves with a process now or from the start."""
        working = {load.node for load in self.scenario.workloads}
        working |= {getattr(event.action, "node", ROOT_ID) for event in self.scenario.events}
        if self._worker.snapshot is not None:
            working |= self._worker.snapshot.at_work
        return tuple(node for node in kept_nodes(tree, are_groups=False) if node in working)

    def about(self) -> About:
        """Return the scenario and how far it has run."""
        begun = self.scenario
        return About(
            begun.title,
            begun.title,
            settings_of(begun.machine, begun.policy),
            f"live run up to {self.now_s:.0f} s",
        )

    def offer(self, capability: Capability[T]) -> T | None:
        """Offer playback, run folders, and the machine itself."""
        return self._offers.get(capability)

    # -- as a machine -------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot | None:
        """Return the newest snapshot; None until the machine is built."""
        return self._worker.snapshot

    def submit(self, action: Action, who: str = "", why: str = "") -> Future[Outcome]:
        """Queue an action on the machine."""
        return self.ask(lambda _: self._worker.commanded().act(action, who, why))

    def command(self, line: str, who: str, folder: Path | None = None, signs: str = "") -> Future[Reply]:
        """Queue a line for the machine's shell."""
        return self.ask(lambda _: self._worker.commanded().run(line, who, folder, signs))

    def complete(self, line: str) -> Future[tuple[str, ...]]:
        """Return the completions that the shell offers for the last word of a line."""
        return self.ask(lambda _: self._worker.commanded().complete(line))

    def why(
        self,
        node: int,
        other: int | None = None,
        pid: int | None = None,
        *,
        at: Moment | None = None,
    ) -> Future[Explanation]:
        """Explain a node's priority as it is, or was; no snapshot follows."""
        from fsconsole.machine.insight import why

        return self._ask_at(at, lambda machine: why(machine, node, other, pid=pid))

    def control(self, node: int, *, at: Moment | None = None) -> Future[Control]:
        """Return the control view of a node; no snapshot follows."""
        from fsconsole.machine.insight.control import control_of

        return self._ask_at(at, lambda machine: control_of(machine, node))

    def _ask_at(self, at: Moment | None, question: Callable[[Machine], T]) -> Future[T]:
        """Ask the machine as it is, or as it was at a time that has passed."""
        if at is None or at is self._worker.snapshot:
            return self.ask(question, changes=False)
        return self.rewinder.ask(at.time_s, question)

    def _journal(self) -> tuple[JournalEntry, ...]:
        return () if self._worker.snapshot is None else self._worker.snapshot.journal

    def checkpoint(self) -> Future[bytes]:
        """Return the machine's whole state; no snapshot follows."""
        from fsconsole.machine.checkpoint import save

        return self.ask(save, changes=False)

    def ask(self, question: Callable[[Machine], T], *, changes: bool = True) -> Future[T]:
        """Run a function on the machine in its own thread; show it where it `changes` the machine."""
        return self._worker.ask(question, changes=changes)

    @property
    def is_running(self) -> bool:
        """True if simulated time is meant to pass; snapshots follow a moment later."""
        return self._worker.is_running

    @property
    def speed(self) -> float:
        """The speed that is meant."""
        return self._worker.speed

    def watch(self, nodes: Iterable[int]) -> None:
        """Store the curves of these nodes, whatever the size of the tree; small trees store all."""
        self._worker.watched = frozenset(nodes)

    def start_recording(self, path: Path, *, overwrite: bool = False) -> Future[str]:
        """Write a run folder from now on; the future has a message, or a RunError."""
        return self.ask(lambda _: self._worker.recording().start(path, overwrite=overwrite))

    def stop_recording(self) -> Future[str]:
        """Close the run folder."""
        return self.ask(lambda _: self._worker.recording().stop())

    def run(self) -> None:
        """Start time on the simulated machine."""
        self._worker.control(running=True)

    def pause(self) -> None:
        """Stop time on the simulated machine."""
        self._worker.control(running=False)

    def set_speed(self, speed: float) -> None:
        """Set the speed in simulated seconds per second; `MAX_SPEED` is as fast as possible."""
        self._worker.control(speed=speed)

    @property
    def holds(self) -> frozenset[str]:
        """Names of the rules at which the clock is held."""
        return self._worker.holds

    def hold_at(self, rules: Iterable[str]) -> None:
        """Hold the clock at these rules from now on, at the very tick."""
        self._worker.holds = frozenset(rules) & {rule.name for rule in self.hold_rules}
        self.ask(lambda _: None, changes=False)

    def step(self, ticks: int) -> Future[None]:
        """Pause and advance by a number of ticks."""
        self.pause()
        return self.ask(lambda machine: self._worker.step(machine, ticks))

    def close(self, *, wait: bool = False) -> None:
        """End the worker after its present slice; `wait` for it at most some seconds."""
        self._worker.close()
        self.rewinder.close(wait=wait)
        if wait:
            self._worker.join(5.0)


def kept_nodes(tree: ShareTree, *, are_groups: bool) -> tuple[int, ...]:
    """Return groups but the root, or users; those of system groups left out."""
    return tuple(
        node.id
        for node in tree.walk()
        if node.is_group == are_groups and node.id != ROOT_ID and not tree.is_system(node.id)
    )
