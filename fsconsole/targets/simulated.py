"""The simulated machine as a target: a worker thread that runs it at a speed against the wall clock."""

from __future__ import annotations

import math
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from fsconsole.neardedicated.build import makers_of
from fsconsole.recording.journal import JournalEntry, Outcome
from fsconsole.recording.keyframes import KeyframePace, Keyframes
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
from fsconsole.targets.rewind import Rewinder
from fsconsole.targets.series_target import SeriesTarget
from fsconsole.targets.snapshot import Snapshot, failed, has_ended, machine_events
from fsconsole.text.durations import clock
from fsconsole.text.words import listed

if TYPE_CHECKING:
    from fsconsole.machine.insight import Explanation
    from fsconsole.machine.insight.control import Control
    from fsconsole.machine.machine import Machine
    from fsconsole.machine.shell import Reply
    from fsconsole.targets.clock_holder import ClockHolder
    from fsconsole.targets.commands import CommandQueue
    from fsconsole.targets.publish import Publisher
    from fsconsole.targets.realtime import RealTimeFactor, Stride
    from fsconsole.targets.record import Recorder

# Work is cut into slices, so that commands are answered soon and the window gets its turn.
SLICE_S = 0.015
_REASONS = 3  # that are said of what happened at one tick
T = TypeVar("T")
# Set once the engine is compiled, or loaded from the cache, in this process.
_ENGINE = threading.Event()


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
        """Start the worker, paused at time 0, or where another run of the scenario stood.

        Args:
            scenario: what the machine is made of.
            speed: simulated seconds per second.
            begin: the checkpoint of a machine of the scenario to go on from.
            keyframes: those of that run up to there, to look back beyond the beginning.
            later: what was done to that run after that, oldest first; it is done here too.
        """
        self._begin = begin
        self._later = deque(later)
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
        self._speed = speed
        self._running = False
        self._closed = ""  # why nothing can be asked any more
        self._watched: frozenset[int] = frozenset()
        self.hold_rules = rules_of(scenario)
        self._holds: frozenset[str] = frozenset()
        self._held = ""
        self._recorder: Recorder | None = None
        self._command_queue: CommandQueue | None = None
        self.fault_report = ""
        self.preparing = "building the machine" if _ENGINE.is_set() else "compiling the engine"
        self._commands: deque[tuple[Callable[[Machine], Any], Future[Any], bool]] = deque()
        self._wake = Condition()
        self._snapshot: Snapshot | None = None
        self._thread = Thread(target=self._work, name="simulated machine", daemon=True)
        self._thread.start()

    # -- as any target ------------------------------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        """Simulated time, from 0 to the end of the scenario."""
        return Clock(0.0, self.scenario.plot.until_s)

    @property
    def now_s(self) -> float:
        """Simulated seconds since the start."""
        return 0.0 if self._snapshot is None else self._snapshot.time_s

    @property
    def is_moving(self) -> bool:
        """Whether time passes."""
        return self._snapshot is not None and self._snapshot.running

    look_ms = 33
    node_title, root_title = "Node", "Machine"

    rescaled = frozenset(RESCALED)
    has_factors = True

    @property
    def fault(self) -> str:
        """What stopped the engine."""
        snapshot = self._snapshot
        if snapshot is None or snapshot.fault is None:
            return ""
        return f"The machine stopped at {snapshot.time_s:.1f} s: {snapshot.fault}"

    def look(self) -> int:
        """Serial number of the newest snapshot."""
        return 0 if self._snapshot is None else self._snapshot.serial

    def status(self) -> Status:
        """What the machine does."""
        return Status(f"Target: simulated, {self._doing()}")

    def _doing(self) -> str:
        snapshot = self._snapshot
        if snapshot is None:
            return self.preparing or "starting"
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
        """The machine's tree."""
        return None if self._snapshot is None else self._snapshot.tree

    def at(self, time_s: float | None = None) -> Snapshot | PastMoment | None:
        """The newest snapshot, or what the series keeps of a time."""
        snapshot = self._snapshot
        if snapshot is None or time_s is None:
            return snapshot
        return PastMoment(time_s, self.series.values_at)

    def events(self) -> Sequence[Event]:
        """What happened and what the scenario plans; remade only when something has happened."""
        snapshot = self._snapshot
        if snapshot is None or snapshot.tree is None:
            return ()
        passed = sum(event.at_s <= snapshot.time_s for event in self.scenario.events)
        made_of = (snapshot.tree, len(snapshot.happenings), passed)
        if made_of != self._events_of:
            self._events_of = made_of
            self._events = machine_events(self.scenario, snapshot.tree, snapshot.happenings, snapshot.time_s)
        return self._events

    def leading(self, *, is_low: bool) -> tuple[str, ...]:
        """All, in a low window too."""
        return self.quantities

    def unused(self) -> frozenset[str]:
        """None."""
        return frozenset()

    def choices(self) -> tuple[Choice, ...]:
        """Users with work, all users, groups."""
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
        """Leaves with a process now or from the start."""
        working = {load.node for load in self.scenario.workloads}
        working |= {getattr(event.action, "node", ROOT_ID) for event in self.scenario.events}
        if self._snapshot is not None:
            working |= self._snapshot.at_work
        return tuple(node for node in kept_nodes(tree, are_groups=False) if node in working)

    def about(self) -> About:
        """The scenario and how far it has run."""
        begun = self.scenario
        return About(
            begun.title,
            begun.title,
            settings_of(begun.machine, begun.policy),
            f"live run up to {self.now_s:.0f} s",
        )

    def offer(self, capability: Capability[T]) -> T | None:
        """Playback, run folders, and the machine itself."""
        return self._offers.get(capability)

    # -- as a machine -------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot | None:
        """The newest snapshot; None until the machine stands."""
        return self._snapshot

    def submit(self, action: Action, who: str = "", why: str = "") -> Future[Outcome]:
        """Queue an action on the machine."""
        return self.ask(lambda _: self._commanded().act(action, who, why))

    def command(self, line: str, who: str, folder: Path | None = None, signs: str = "") -> Future[Reply]:
        """Queue a line for the machine's shell."""
        return self.ask(lambda _: self._commanded().run(line, who, folder, signs))

    def complete(self, line: str) -> Future[tuple[str, ...]]:
        """What the shell offers for the last word of a line."""
        return self.ask(lambda _: self._commanded().complete(line))

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
        """The control view of a node; no snapshot follows."""
        from fsconsole.machine.insight.control import control_of

        return self._ask_at(at, lambda machine: control_of(machine, node))

    def _ask_at(self, at: Moment | None, question: Callable[[Machine], T]) -> Future[T]:
        """Ask the machine as it is, or as it was at a time that has passed."""
        if at is None or at is self._snapshot:
            return self.ask(question, changes=False)
        return self.rewinder.ask(at.time_s, question)

    def _journal(self) -> tuple[JournalEntry, ...]:
        return () if self._snapshot is None else self._snapshot.journal

    def checkpoint(self) -> Future[bytes]:
        """The machine's whole state; no snapshot follows."""
        from fsconsole.machine.checkpoint import save

        return self.ask(save, changes=False)

    def ask(self, question: Callable[[Machine], T], *, changes: bool = True) -> Future[T]:
        """Have something done with the machine in its own thread, between two slices."""
        future: Future[T] = Future()
        with self._wake:
            if self._closed:
                future.set_exception(RuntimeError(self._closed))
                return future
            self._commands.append((question, future, changes))
            self._wake.notify()
        return future

    @property
    def is_running(self) -> bool:
        """Whether simulated time is meant to pass; snapshots follow a moment later."""
        return self._running

    @property
    def speed(self) -> float:
        """The speed that is meant."""
        return self._speed

    def watch(self, nodes: Iterable[int]) -> None:
        """Keep the curves of these nodes in any case; small trees keep all."""
        self._watched = frozenset(nodes)

    def start_recording(self, path: Path, *, overwrite: bool = False) -> Future[str]:
        """Write a run folder from now on; the future says so, or holds a RunError."""
        return self.ask(lambda _: self._recording().start(path, overwrite=overwrite))

    def stop_recording(self) -> Future[str]:
        """Close the run folder."""
        return self.ask(lambda _: self._recording().stop())

    def run(self) -> None:
        """Let simulated time pass."""
        self._control(running=True)

    def pause(self) -> None:
        """Stop simulated time."""
        self._control(running=False)

    def set_speed(self, speed: float) -> None:
        """So many simulated seconds per second; `MAX_SPEED` is as fast as it goes."""
        self._control(speed=speed)

    @property
    def holds(self) -> frozenset[str]:
        """Names of the rules at which the clock is held."""
        return self._holds

    def hold_at(self, rules: Iterable[str]) -> None:
        """Hold the clock at these rules from now on, at the very tick."""
        self._holds = frozenset(rules) & {rule.name for rule in self.hold_rules}
        self.ask(lambda _: None, changes=False)

    def step(self, ticks: int) -> Future[None]:
        """Pause and advance by a number of ticks."""
        self.pause()
        return self.ask(lambda machine: self._step(machine, ticks))

    def close(self, *, wait: bool = False) -> None:
        """End the worker after its present slice; `wait` for it at most some seconds."""
        with self._wake:
            self._closed = self._closed or "the machine is closed"
            self._wake.notify()
        self.rewinder.close(wait=wait)
        if wait:
            self._thread.join(timeout=5)

    def _control(self, *, running: bool | None = None, speed: float | None = None) -> None:
        with self._wake:
            self._running = self._running if running is None else running
            self._speed = self._speed if speed is None else speed
            self._held = "" if running else self._held
            self._wake.notify()

    # -- the worker's side ----------------------------------------------------------------------------------

    def _step(self, machine: Machine, ticks: int) -> None:
        self._held = ""
        end = machine.tick + ticks
        while machine.tick < end:
            machine.advance(self._stop_before(end))
            self._repeat(machine)

    def _stop_before(self, tick: int) -> int:
        """The tick, or that of what is to be done before it."""
        return min(tick, self._later[0].tick) if self._later else tick

    def _repeat(self, machine: Machine) -> None:
        """Do what was done by this tick to the run that this one has left."""
        while self._later and self._later[0].tick <= machine.tick:
            self._commanded().repeat(self._later.popleft())

    def _recording(self) -> Recorder:
        assert self._recorder is not None  # noqa: S101 (commands come after the machine stands)
        return self._recorder

    def _commanded(self) -> CommandQueue:
        assert self._command_queue is not None  # noqa: S101 (commands come after the machine stands)
        return self._command_queue

    def _work(self) -> None:
        try:
            self._live()
        except Exception as error:  # noqa: BLE001 (whatever goes wrong in the engine is shown, and the console lives on)
            self._fail(error)
        finally:
            self._refuse_waiting()

    def _live(self) -> None:
        # Here and not above: numba's import would hold up the window.
        from fsconsole.machine.checkpoint import load
        from fsconsole.machine.machine import Machine
        from fsconsole.targets.clock_holder import ClockHolder
        from fsconsole.targets.commands import CommandQueue
        from fsconsole.targets.publish import Publisher
        from fsconsole.targets.realtime import RealTimeFactor, Stride
        from fsconsole.targets.record import Recorder

        publisher = Publisher(self.series)
        makers = makers_of(self.scenario)
        machine = Machine(self.scenario, makers)
        if self._begin is not None:
            machine = load(self._begin, self.scenario, makers)
            self.keyframes.add(machine.tick, self._begin)
        _ENGINE.set()
        self.preparing = ""
        self._recorder = Recorder(machine)
        self._command_queue = CommandQueue(machine)
        publisher.watched = self._watched
        publisher.watch(machine)
        holder = ClockHolder(machine)
        pace, stride = RealTimeFactor(machine.spec.hz), Stride(machine.spec.hz)
        keyframe_pace = KeyframePace()
        try:
            self._publish(publisher, machine, pace)
            while self._wait(pace):
                publisher.watched = self._watched
                answered = self._answer(machine)
                holder.watch(self._holds)
                if answered:
                    holder.look()
                was_running = self._running
                if was_running:
                    self._slice(machine, pace, stride, holder)
                self._recorder.heed()
                self._keep_state(machine, keyframe_pace)
                if answered or publisher.is_due or not (was_running and self._running):
                    self._publish(publisher, machine, pace)
        finally:
            self._recorder.stop()

    def _wait(self, pace: RealTimeFactor) -> bool:
        with self._wake:
            if self._running and not (self._commands or self._closed):
                self._wake.wait(pace.pause_s(self._speed))
            elif not self._running:
                pace.rest()
                self._wake.wait_for(lambda: self._commands or self._running or self._closed)
            return not self._closed

    def _answer(self, machine: Machine) -> bool:
        """Do what was asked; whether any of it may have changed something."""
        answered = False
        while True:
            with self._wake:
                if not self._commands:
                    return answered
                question, future, changes = self._commands.popleft()
            answered = answered or changes
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(question(machine))
            except Exception as error:  # noqa: BLE001 (the one who asked gets it)
                future.set_exception(error)

    def _slice(self, machine: Machine, pace: RealTimeFactor, stride: Stride, holder: ClockHolder) -> None:
        until = pace.until(machine.tick, self._speed)
        end = machine.spec.ticks(self.scenario.plot.until_s)
        if machine.tick < end:
            until = min(until, end)
        began = now = time.perf_counter()
        before = machine.tick
        while machine.tick < until and now - began < SLICE_S and self._running:
            from_tick = machine.tick
            reasons = holder.advance(self._stop_before(min(until, from_tick + stride.ticks)))
            self._repeat(machine)
            if reasons:
                self._hold(reasons)
            now, strode = time.perf_counter(), now
            stride.took(now - strode, machine.tick - from_tick)
        if before < end == machine.tick:
            self._control(running=False)
        pace.did(machine.tick - before, machine.tick)

    def _hold(self, reasons: Sequence[str]) -> None:
        with self._wake:
            self._running = False
            self._held = listed(reasons, _REASONS)

    def _keep_state(self, machine: Machine, pace: KeyframePace) -> None:
        """Keep a keyframe where one is due."""
        from fsconsole.machine.checkpoint import save

        if machine.tick and pace.is_due(machine.now_s, time.perf_counter()):
            began = time.thread_time()
            checkpoint = save(machine)
            self.keyframes.add(machine.tick, checkpoint)
            pace.kept(machine.now_s, len(checkpoint), time.perf_counter(), time.thread_time() - began)

    def _publish(self, publisher: Publisher, machine: Machine, pace: RealTimeFactor) -> None:
        recorder, commands = self._recording(), self._commanded()
        self._snapshot = publisher.snapshot(
            machine,
            running=self._running,
            speed=self._speed,
            real_speed=pace.real_speed,
            held=self._held,
            recording=recorder.path,
            recording_problem=recorder.problem,
            outside=commands.outside,
            answered=commands.answered,
            audit_problem=commands.audit_problem,
        )

    def _fail(self, error: Exception) -> None:
        self.fault_report = "".join(traceback.format_exception(error))
        reason = f"{type(error).__name__}: {error}"
        with self._wake:
            self._running = False
            self._closed = f"the machine stopped: {reason}"
        self._snapshot = failed(self._snapshot, reason)

    def _refuse_waiting(self) -> None:
        with self._wake:
            reason = self._closed
            waiting, self._commands = list(self._commands), deque()
        for _, future, _ in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(RuntimeError(reason))


def kept_nodes(tree: ShareTree, *, are_groups: bool) -> tuple[int, ...]:
    """Groups but the root, or users; those of system groups left out."""
    return tuple(
        node.id
        for node in tree.walk()
        if node.is_group == are_groups and node.id != ROOT_ID and not tree.is_system(node.id)
    )
