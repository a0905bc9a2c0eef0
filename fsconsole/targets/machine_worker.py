"""The worker thread of a simulated machine, which runs it at a speed against the wall clock."""

from __future__ import annotations

import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from fsconsole.neardedicated.build import makers_of
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.keyframes import KeyframePace, Keyframes
from fsconsole.recording.series import TieredSeries
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.snapshot import Snapshot, failed
from fsconsole.text.words import listed

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine
    from fsconsole.targets.clock_holder import ClockHolder
    from fsconsole.targets.commands import CommandQueue
    from fsconsole.targets.publish import Publisher
    from fsconsole.targets.realtime import RealTimeFactor, Stride
    from fsconsole.targets.record import Recorder

# Work is cut into slices, so that commands are answered soon and the window gets its turn.
SLICE_S = 0.015
_REASONS = 3  # More reasons than these at one tick would make a message too long.
T = TypeVar("T")
# It is set once the engine is compiled, or loaded from the cache, in this process.
_ENGINE = threading.Event()


class MachineWorker:
    """Builds and runs a machine in a separate thread, the only one with access to it.

    Attributes:
        snapshot: newest snapshot; None until the machine is built.
        is_running: whether simulated time should pass; snapshots follow a moment later.
        speed: requested simulated seconds per second.
        watched: nodes whose curves are always stored.
        holds: names of the rules at which the clock is held.
        preparing: current step before the first snapshot; empty after that.
        fault_report: place in the code where the engine stopped; empty while it runs.
    """

    def __init__(
        self,
        scenario: Scenario,
        series: TieredSeries,
        keyframes: Keyframes,
        speed: float,
        begin: bytes | None,
        later: Sequence[JournalEntry],
    ) -> None:
        """Start the thread, paused; curves go into `series`. See `SimulatedTarget` for the arguments."""
        self._scenario, self._series, self._keyframes = scenario, series, keyframes
        self._begin = begin
        self._later = deque(later)
        self.speed = speed
        self.is_running = False
        self._closed = ""  # It is the reason why the machine no longer accepts commands.
        self.watched: frozenset[int] = frozenset()
        self.holds: frozenset[str] = frozenset()
        self._held = ""
        self._recorder: Recorder | None = None
        self._command_queue: CommandQueue | None = None
        self.fault_report = ""
        self.preparing = "building the machine" if _ENGINE.is_set() else "compiling the engine"
        self._commands: deque[tuple[Callable[[Machine], Any], Future[Any], bool]] = deque()
        self._wake = Condition()
        self.snapshot: Snapshot | None = None
        self._thread = Thread(target=self._work, name="simulated machine", daemon=True)
        self._thread.start()

    def ask(self, question: Callable[[Machine], T], *, changes: bool = True) -> Future[T]:
        """Run a function on the machine in the worker's own thread, between two slices."""
        future: Future[T] = Future()
        with self._wake:
            if self._closed:
                future.set_exception(RuntimeError(self._closed))
                return future
            self._commands.append((question, future, changes))
            self._wake.notify()
        return future

    def control(self, *, running: bool | None = None, speed: float | None = None) -> None:
        """Start or stop time, and set its speed."""
        with self._wake:
            self.is_running = self.is_running if running is None else running
            self.speed = self.speed if speed is None else speed
            self._held = "" if running else self._held
            self._wake.notify()

    def close(self) -> None:
        """End the thread after its present slice."""
        with self._wake:
            self._closed = self._closed or "the machine is closed"
            self._wake.notify()

    def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread, at most so long."""
        self._thread.join(timeout_s)

    # -- in the thread --------------------------------------------------------------------------------------

    def step(self, machine: Machine, ticks: int) -> None:
        """Advance the machine by a number of ticks."""
        self._held = ""
        end = machine.tick + ticks
        while machine.tick < end:
            machine.advance(self._stop_before(end))
            self._repeat(machine)

    def _stop_before(self, tick: int) -> int:
        """Return the tick, or the earlier tick of an action to repeat."""
        return min(tick, self._later[0].tick) if self._later else tick

    def _repeat(self, machine: Machine) -> None:
        """Repeat the actions up to this tick of the run that this one has left."""
        while self._later and self._later[0].tick <= machine.tick:
            self.commanded().repeat(self._later.popleft())

    def recording(self) -> Recorder:
        """Return the writer of run folders, once the machine is built."""
        assert self._recorder is not None  # noqa: S101 (commands come after the machine stands)
        return self._recorder

    def commanded(self) -> CommandQueue:
        """Return the queue of actions and command lines, once the machine is built."""
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
        # It is imported here because numba's import would hold up the window.
        from fsconsole.machine.checkpoint import load
        from fsconsole.machine.machine import Machine
        from fsconsole.targets.clock_holder import ClockHolder
        from fsconsole.targets.commands import CommandQueue
        from fsconsole.targets.publish import Publisher
        from fsconsole.targets.realtime import RealTimeFactor, Stride
        from fsconsole.targets.record import Recorder

        publisher = Publisher(self._series)
        makers = makers_of(self._scenario)
        machine = Machine(self._scenario, makers)
        if self._begin is not None:
            machine = load(self._begin, self._scenario, makers)
            self._keyframes.add(machine.tick, self._begin)
        _ENGINE.set()
        self.preparing = ""
        self._recorder = Recorder(machine)
        self._command_queue = CommandQueue(machine)
        publisher.watched = self.watched
        publisher.watch(machine)
        holder = ClockHolder(machine)
        pace, stride = RealTimeFactor(machine.spec.hz), Stride(machine.spec.hz)
        keyframe_pace = KeyframePace()
        try:
            self._publish(publisher, machine, pace)
            while self._wait(pace):
                publisher.watched = self.watched
                answered = self._answer(machine)
                holder.watch(self.holds)
                if answered:
                    holder.look()
                was_running = self.is_running
                if was_running:
                    self._slice(machine, pace, stride, holder)
                self._recorder.heed()
                self._keep_state(machine, keyframe_pace)
                if answered or publisher.is_due or not (was_running and self.is_running):
                    self._publish(publisher, machine, pace)
        finally:
            self._recorder.stop()

    def _wait(self, pace: RealTimeFactor) -> bool:
        with self._wake:
            if self.is_running and not (self._commands or self._closed):
                self._wake.wait(pace.pause_s(self.speed))
            elif not self.is_running:
                pace.rest()
                self._wake.wait_for(lambda: self._commands or self.is_running or self._closed)
            return not self._closed

    def _answer(self, machine: Machine) -> bool:
        """Handle the requests; return whether any of them may have changed something."""
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
            except Exception as error:  # noqa: BLE001 (the caller receives it)
                future.set_exception(error)

    def _slice(self, machine: Machine, pace: RealTimeFactor, stride: Stride, holder: ClockHolder) -> None:
        until = pace.until(machine.tick, self.speed)
        end = machine.spec.ticks(self._scenario.plot.until_s)
        if machine.tick < end:
            until = min(until, end)
        began = now = time.perf_counter()
        before = machine.tick
        while machine.tick < until and now - began < SLICE_S and self.is_running:
            from_tick = machine.tick
            reasons = holder.advance(self._stop_before(min(until, from_tick + stride.ticks)))
            self._repeat(machine)
            if reasons:
                self._hold(reasons)
            now, strode = time.perf_counter(), now
            stride.took(now - strode, machine.tick - from_tick)
        if before < end == machine.tick:
            self.control(running=False)
        pace.did(machine.tick - before, machine.tick)

    def _hold(self, reasons: Sequence[str]) -> None:
        with self._wake:
            self.is_running = False
            self._held = listed(reasons, _REASONS)

    def _keep_state(self, machine: Machine, pace: KeyframePace) -> None:
        """Store a keyframe if one is due."""
        from fsconsole.machine.checkpoint import save

        if machine.tick and pace.is_due(machine.now_s, time.perf_counter()):
            began = time.thread_time()
            checkpoint = save(machine)
            self._keyframes.add(machine.tick, checkpoint)
            pace.kept(machine.now_s, len(checkpoint), time.perf_counter(), time.thread_time() - began)

    def _publish(self, publisher: Publisher, machine: Machine, pace: RealTimeFactor) -> None:
        recorder, commands = self.recording(), self.commanded()
        self.snapshot = publisher.snapshot(
            machine,
            running=self.is_running,
            speed=self.speed,
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
            self.is_running = False
            self._closed = f"the machine stopped: {reason}"
        self.snapshot = failed(self.snapshot, reason)

    def _refuse_waiting(self) -> None:
        with self._wake:
            reason = self._closed
            waiting, self._commands = list(self._commands), deque()
        for _, future, _ in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(RuntimeError(reason))
