"""The instant that the console shows, where that is not the present; time is passed through as on a tape.

Looking is all that this does: the target goes on as it did, and nothing is done to it from here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.connections import every
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.targets.base import MACHINE, MAX_SPEED, REWIND, Moment, Target
from fsconsole.targets.snapshot import Snapshot
from fsconsole.text import durations

_FRAME_MS = 33
_MOST = 3600.0  # Simulated seconds per second of speed "max". The eye can still follow an hour per second.
_KEY = "moment"


def loop_words(past: PastView) -> str:
    """Return the section that is played in a loop; empty without one."""
    if past.section is None:
        return ""
    start_s, end_s = past.section
    return f"Loop from {durations.clock(start_s)} to {durations.clock(end_s)}"


class PastView(QObject):
    """Implements `targets.base.Playback` for time that has passed.

    Attributes:
        time_s: the displayed instant; None for the present.
        moment: the data of that instant; first the drawn values, then all.
        section: start and end of the played loop; None without one.

    Signals: moved() to another instant or the present; arrived() with all of an instant; failed(words).
    """

    moved = Signal()
    arrived = Signal()
    failed = Signal(str)

    def __init__(self, target: Callable[[], Target | None], parent: QObject) -> None:
        super().__init__(parent)
        self._target = target
        self.time_s: float | None = None
        self.moment: Moment | None = None
        self.section: tuple[float, float] | None = None
        self._beside_s: float | None = None
        self._speed = 10.0
        self._tasks = Tasks(self)
        self._played_at = 0.0
        self._timer = every(self, _FRAME_MS, self._play_on)

    @property
    def is_on(self) -> bool:
        """Whether the view is in the past."""
        return self.time_s is not None

    @property
    def is_whole(self) -> bool:
        """Whether all data of the instant have arrived, or no more will come."""
        return not self._tasks.is_busy()

    @property
    def snapshot(self) -> Snapshot | None:
        """The machine as it was; None where the target is not a machine or it has not arrived yet."""
        return self.moment if isinstance(self.moment, Snapshot) else None

    def go(self, time_s: float) -> None:
        """Show an instant, as far as the target remembers."""
        target = self._target()
        if target is None or target.at() is None:
            return
        at_s = self._whole_tick(target, min(max(time_s, target.clock.first_s), target.now_s))
        if at_s == self.time_s:
            return
        self.time_s = at_s
        self._keep()
        rewind = target.offer(REWIND)
        if rewind is None:
            self.moment = target.at(at_s)
        else:
            self._tasks.watch(rewind.moment(at_s), self._on_moment, self._on_error, latest=_KEY)
        self.moved.emit()
        if rewind is None:
            self.arrived.emit()

    @Slot(float)
    def go_or_leave(self, time_s: float) -> None:
        """Show an instant; the present for one that is not there yet."""
        target = self._target()
        if target is not None and time_s > target.now_s:
            self.leave()
        else:
            self.go(time_s)

    def leave(self) -> None:
        """Show the present again."""
        self.pause()
        self.section = None
        if self.time_s is None:
            return
        self._forget()
        self._keep()
        self.moved.emit()

    def forget(self) -> None:
        """Return to the present, because another target is shown."""
        self._timer.stop()
        self.section = None
        was_on = self.is_on
        self._forget()
        if was_on:
            self.moved.emit()

    # -- as playback ----------------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether the view moves on by itself."""
        return self._timer.isActive()

    @property
    def speed(self) -> float:
        """Seconds of the target per second."""
        return self._speed

    def run(self) -> None:
        """Play from here, from the start of the section, or from the beginning."""
        target = self._target()
        if target is None:
            return
        first_s, last_s = self.section or (target.clock.first_s, target.now_s)
        if self.time_s is None or not first_s <= self.time_s < last_s:
            self.go(first_s)
        self._played_at = time.monotonic()
        self._timer.start()

    def pause(self) -> None:
        """Stay where the view is."""
        self._timer.stop()

    def set_speed(self, speed: float) -> None:
        """Set the speed in seconds of the target per second."""
        self._speed = speed

    def step(self, ticks: int) -> Future[None]:
        """Go on by a number of ticks of the machine."""
        self.pause()
        target, done = self._target(), Future[None]()
        machine = None if target is None else target.offer(MACHINE)
        if self.time_s is not None and machine is not None:
            self.go(self.time_s + ticks / machine.scenario.machine.hz)
        done.set_result(None)
        return done

    def loop(self, section: tuple[float, float] | None) -> None:
        """Play a section round and round, or no longer."""
        self.section = section
        if section is not None:
            self.run()

    def keep_beside(self, time_s: float | None) -> None:
        """Keep what is remembered of a second instant as it is, or of none."""
        self._beside_s = time_s
        self._keep()

    # -- inside ---------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        target = self._target()
        if target is not None:
            target.keep([time_s for time_s in (self.time_s, self._beside_s) if time_s is not None])

    @staticmethod
    def _whole_tick(target: Target, time_s: float) -> float:
        """Return the tick nearest to a time, since a machine's times are ticks: all views show the same."""
        machine = target.offer(MACHINE)
        if machine is None:
            return time_s
        hz = machine.scenario.machine.hz
        return round(time_s * hz) / hz

    def _forget(self) -> None:
        self._tasks.cancel()
        self.time_s = self.moment = None

    @Slot()
    def _play_on(self) -> None:
        now, target = time.monotonic(), self._target()
        if target is None or self.time_s is None:
            self._timer.stop()
            return
        if not self.is_whole:  # A view that cannot keep up skips instants but shows each one completely.
            return
        passed_s, self._played_at = now - self._played_at, now
        at_s = self.time_s + passed_s * (_MOST if self._speed == MAX_SPEED else self._speed)
        if self.section is not None:
            start_s, end_s = self.section
            # An answer may take longer than the section lasts. The view would then stay at its beginning.
            self.go(start_s + (at_s - start_s) % (end_s - start_s))
        elif at_s >= target.now_s:
            self._timer.stop()
            self.go(target.now_s)
        else:
            self.go(at_s)

    def _on_moment(self, moment: Snapshot) -> None:
        self.moment = moment
        self.arrived.emit()

    def _on_error(self, error: Exception) -> None:
        if isinstance(error, CancelledError):
            return
        self._timer.stop()
        target = self._target()
        if target is not None and self.time_s is not None:
            self.moment = target.at(self.time_s)
        self.arrived.emit()
        self.failed.emit(describe_error(error))
