"""Any past instant of a simulated run: restored from an earlier keyframe and the journal, to the tick.

A checkpoint and the journal always reproduce the same run. So the console shows the machine as it was at an
instant, and never a neighbouring sample or a mean.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.keyframes import KeyframeSource
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.base import RewindError
from fsconsole.targets.snapshot import Snapshot

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine
    from fsconsole.targets.publish import Publisher

T = TypeVar("T")
Question = Callable[["Machine", "Publisher"], Any]


class Rewinder:
    """Implements `base.Rewind` with a separate machine in a separate thread.

    The thread begins with the first request. If several snapshots are requested while one is made, only the
    newest request is served: dragging through time needs the last instant alone.
    """

    def __init__(
        self,
        scenario: Scenario,
        keyframes: KeyframeSource,
        journal: Callable[[], Sequence[JournalEntry]],
        *,
        is_whole: bool = True,
    ) -> None:
        """Prepare the rewinding of a run.

        Args:
            scenario: what the run's machine was made of.
            keyframes: states of it.
            journal: gives what was done to it from outside, oldest first.
            is_whole: whether the run began with the scenario at time 0; a branch began with a keyframe.
        """
        self._is_whole = is_whole
        self._scenario = scenario
        self._keyframes = keyframes
        self._journal = journal
        self._waiting: deque[tuple[float, Question, Future[Any]]] = deque()
        self._newest: Future[Snapshot] | None = None
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._machine: Machine | None = None
        self._publisher: Publisher | None = None
        self._published_since = 0  # From this tick on, the publisher has all samples.

    def moment(self, time_s: float) -> Future[Snapshot]:
        """Ask for the snapshot of an instant; one that was asked for before and not begun is cancelled."""
        before = self._newest
        self._newest = self._submit(time_s, lambda machine, publisher: publisher.snapshot(machine))
        if before is not None:
            before.cancel()
        return self._newest

    def ask(self, time_s: float, question: Callable[[Machine], T]) -> Future[T]:
        """Ask something of the machine as it was at an instant; the question must not change it."""
        return self._submit(time_s, lambda machine, _: question(machine))

    def checkpoint(self, time_s: float) -> Future[bytes]:
        """Ask for the whole state at an instant."""
        from fsconsole.machine.checkpoint import save

        return self.ask(time_s, save)

    def journal(self) -> Sequence[JournalEntry]:
        """Return the actions on the machine from outside, oldest first."""
        return self._journal()

    def forget(self) -> None:
        """Drop the machine at hand, so that the next question starts from a keyframe."""
        with self._wake:
            self._machine = self._publisher = None

    def close(self, *, wait: bool = False) -> None:
        """End the thread; waiting requests are cancelled."""
        with self._wake:
            self._is_closed = True
            waiting, self._waiting = list(self._waiting), deque()
            self._wake.notify()
        for _, _, future in waiting:
            future.cancel()
        if wait and self._thread is not None:
            self._thread.join(timeout=5)

    def _submit(self, time_s: float, question: Question) -> Future[Any]:
        future: Future[Any] = Future()
        with self._wake:
            if self._is_closed:
                future.set_exception(RewindError("the run is closed"))
                return future
            self._waiting.append((time_s, question, future))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="rewinder", daemon=True)
                self._thread.start()
            self._wake.notify()
        return future

    # -- in its thread --------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._waiting or self._is_closed)
                if self._is_closed:
                    return
                time_s, question, future = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                machine, publisher = self._stand_at(time_s)
                future.set_result(question(machine, publisher))
            except Exception as error:  # noqa: BLE001 (the caller receives it)
                self.forget()
                future.set_exception(error)

    def _stand_at(self, time_s: float) -> tuple[Machine, Publisher]:
        """Bring the machine to an instant, with all actions up to then."""
        from fsconsole.targets.publish import memory_s

        spec = self._scenario.machine
        tick = max(0, spec.ticks(time_s))
        since = tick - spec.ticks(memory_s(self._scenario.plot))
        with self._wake:
            machine, publisher = self._machine, self._publisher
        if machine is None or publisher is None or not self._is_on_the_way(machine, tick, since):
            machine, publisher = self._load(tick, since)
        machine.replay_until(tick, self._journal())
        with self._wake:
            self._machine, self._publisher = machine, publisher
        return machine, publisher

    def _is_on_the_way(self, machine: Machine, tick: int, since: int) -> bool:
        """Return True if the machine can continue from its present tick.

        It does so only if that takes no longer than a start from a keyframe.
        """
        if machine.tick > tick or (self._published_since and self._published_since >= since):
            return False
        near = self._keyframes.nearest(max(0, since - 1))
        return near is None or near <= machine.tick

    def _load(self, tick: int, since: int) -> tuple[Machine, Publisher]:
        """Load the newest sound keyframe from which the publisher gets all samples that it shows."""
        from fsconsole.machine.checkpoint import CheckpointError, load
        from fsconsole.machine.machine import Machine
        from fsconsole.neardedicated.build import makers_of
        from fsconsole.targets.publish import Publisher

        makers = makers_of(self._scenario)
        early, late = self._keyframes.before(since - 1), self._keyframes.before(tick)
        machine = None
        for at, data in early if self._is_whole else chain(early, late):
            try:
                machine = load(data, self._scenario, makers)
            except CheckpointError:
                continue
            if machine.tick == at:
                break
            machine = None
        if machine is None and not self._is_whole:
            msg = f"The run has no valid keyframe before {tick / self._scenario.machine.hz:g} s."
            raise RewindError(msg)
        if machine is None:
            machine = Machine(self._scenario, makers)
        publisher = Publisher()
        publisher.watch(machine)
        self._published_since = machine.tick
        return machine, publisher
