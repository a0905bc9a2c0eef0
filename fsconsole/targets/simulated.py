"""The simulated machine as a target: a worker thread that runs it at a speed against the wall clock."""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from fsconsole.machine.journal import Outcome
from fsconsole.machine.sample import COLUMNS
from fsconsole.recording.series import TieredSeries
from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.base import Capability, Snapshot, failed

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

# Work is cut into slices, so that commands are answered soon and the window gets its turn.
SLICE_S = 0.015
T = TypeVar("T")


class SimulatedTarget:
    """Runs a scenario; all that touches the machine happens in one worker thread.

    The machine is built there too, so that compiling the kernel never blocks the window.
    """

    capabilities = (
        Capability.EDIT_TREE
        | Capability.RUN_AND_PAUSE
        | Capability.PROCESSES
        | Capability.LOGINS
        | Capability.SETTINGS
    )

    def __init__(self, scenario: Scenario, *, speed: float = 10.0) -> None:
        """Start the worker, paused at time 0."""
        self.name = scenario.machine.name
        self.scenario = scenario
        self.series = TieredSeries(COLUMNS, len(scenario.tree))
        self._speed = speed
        self._running = False
        self._closed = False
        self.fault_report = ""
        self._commands: deque[tuple[Callable[[Machine], Any], Future[Any]]] = deque()
        self._wake = Condition()
        self._snapshot: Snapshot | None = None
        self._thread = Thread(target=self._work, name="simulated machine", daemon=True)
        self._thread.start()

    def snapshot(self) -> Snapshot | None:
        """The newest snapshot; None until the machine stands."""
        return self._snapshot

    def submit(self, action: Action) -> Future[Outcome]:
        """Queue an action on the machine."""
        return self.ask(lambda machine: machine.act(action))

    def ask(self, question: Callable[[Machine], T]) -> Future[T]:
        """Have something done with the machine in its own thread, between two slices."""
        future: Future[T] = Future()
        with self._wake:
            if self._closed:
                future.set_exception(RuntimeError("the machine is closed"))
                return future
            self._commands.append((question, future))
            self._wake.notify()
        return future

    def run(self) -> None:
        """Let simulated time pass."""
        self._control(running=True)

    def pause(self) -> None:
        """Stop simulated time."""
        self._control(running=False)

    def set_speed(self, speed: float) -> None:
        """So many simulated seconds per second; `MAX_SPEED` is as fast as it goes."""
        self._control(speed=speed)

    def step(self, ticks: int) -> Future[None]:
        """Pause and advance by a number of ticks."""
        self.pause()
        return self.ask(lambda machine: machine.advance(machine.tick + ticks))

    def close(self, *, wait: bool = False) -> None:
        """End the worker after its present slice; `wait` for it at most some seconds."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        if wait:
            self._thread.join(timeout=5)

    def _control(self, *, running: bool | None = None, speed: float | None = None) -> None:
        with self._wake:
            self._running = self._running if running is None else running
            self._speed = self._speed if speed is None else speed
            self._wake.notify()

    # -- the worker's side ----------------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            # Here and not above: numba's import would hold up the window.
            from fsconsole.machine.machine import Machine
            from fsconsole.targets.pace import Pace
            from fsconsole.targets.publish import Publisher

            publisher = Publisher(self.series)
            machine = Machine(self.scenario)
            publisher.watch(machine)
            pace = Pace(machine.spec.hz)
            self._publish(publisher, machine, pace)
            while self._wait(pace):
                self._answer(machine)
                if self._running:
                    self._slice(machine, pace)
                self._publish(publisher, machine, pace)
        except Exception:  # noqa: BLE001 (whatever goes wrong in the engine is shown, and the console lives on)
            self._fail(traceback.format_exc())

    def _wait(self, pace: Any) -> bool:
        with self._wake:
            if self._running:
                self._wake.wait(pace.pause_s(self._speed))
            else:
                pace.rest()
                self._wake.wait_for(lambda: self._commands or self._running or self._closed)
            return not self._closed

    def _answer(self, machine: Machine) -> None:
        while True:
            with self._wake:
                if not self._commands:
                    return
                question, future = self._commands.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(question(machine))
            except Exception as error:  # noqa: BLE001 (the one who asked gets it)
                future.set_exception(error)

    def _slice(self, machine: Machine, pace: Any) -> None:
        until = pace.until(machine.tick, self._speed)
        end = machine.spec.ticks(self.scenario.plot.until_s)
        if machine.tick < end:
            until = min(until, end)
        started = time.perf_counter()
        before = machine.tick
        while machine.tick < until and time.perf_counter() - started < SLICE_S:
            machine.advance(min(until, machine.tick + machine.spec.hz))
        if before < end == machine.tick:
            self._running = False
        pace.did(machine.tick - before, machine.tick)

    def _publish(self, publisher: Any, machine: Machine, pace: Any) -> None:
        self._snapshot = publisher.snapshot(
            machine, running=self._running, speed=self._speed, real_speed=pace.real_speed
        )

    def _fail(self, report: str) -> None:
        self.fault_report = report
        last_line = report.strip().splitlines()[-1]
        self._running = False
        self._snapshot = failed(self._snapshot, last_line)
        with self._wake:
            self._closed = True
            waiting, self._commands = list(self._commands), deque()
        for _, future in waiting:
            if not future.done():
                future.set_exception(RuntimeError(f"the machine stopped: {last_line}"))
