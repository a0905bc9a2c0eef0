"""Read-only until armed, and again after some minutes."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.connections import every
from fsconsole.console.operator_preferences import OperatorPreferences
from fsconsole.console.preferences import Preferences
from fsconsole.targets.base import Capability

READ_ONLY = "This console is read-only. Arm it first (Ctrl+Shift+A)."
_SECOND_MS = 1000


class Arming(QObject):
    """Permission of this console to act on the target; each kind of target has its own.

    The wall clock counts, so that a computer that slept is read-only when it wakes; a steady clock counts
    too, so that setting the wall clock back does not extend the time. Each query reads both.

    Attributes:
        choices: name of the operator, and length of the armed time.

    Signals: changed() when it is armed or no longer so; ticked() each second while it is.
    """

    changed = Signal()
    ticked = Signal()

    def __init__(
        self,
        preferences: Preferences,
        parent: QObject | None = None,
        now: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start disarmed; `now` is the wall clock, s; `steady` is a clock that is never set."""
        super().__init__(parent)
        self._now, self._steady = now, steady
        self._until: tuple[float, float] | None = None
        self._since = 0.0
        self.choices = OperatorPreferences(preferences)
        self._timer = every(self, _SECOND_MS, self.look)

    @property
    def is_armed(self) -> bool:
        """Whether actions go to the target."""
        return self.left_s > 0

    @property
    def left_s(self) -> float:
        """Seconds until it is read-only again; 0 where it is."""
        if self._until is None:
            return 0.0
        wall, steady = self._until
        return max(0.0, min(wall - self._now(), steady - self._steady()))

    @property
    def armed_for_s(self) -> float:
        """Seconds since it was armed; 0 where it is not."""
        return max(0.0, self._now() - self._since) if self.is_armed else 0.0

    def arm(self) -> None:
        """Let actions go to the target from now on."""
        self.look()
        if self.is_armed or not self.can_arm():
            return
        self._since = self._now()
        self._begin()
        self._timer.start()
        self.note("arm", "read-only", "armed", "")
        self.changed.emit()

    def keep(self) -> None:
        """Begin the minutes again; asked for in vain once they are over."""
        self.look()
        if self.is_armed:
            self._begin()

    def disarm(self, why: str = "") -> None:
        """Make the console read-only from now on."""
        if self._until is None:
            return
        self._until = None
        self._timer.stop()
        self.note("disarm", "armed", "read-only", why)
        self.changed.emit()

    @Slot()
    def look(self) -> None:
        """Disarm if the time is over; called each second, and before each action."""
        if self._until is None:
            return
        if self.is_armed:
            self.ticked.emit()
        else:
            self.disarm(f"armed for {self.choices.armed_minutes} min")

    def can_arm(self) -> bool:
        """Return True if there is something that can be acted on."""
        return True

    def note(self, action: str, before: str, after: str, why: str) -> None:
        """Write an action of this console into the audit log."""

    def _begin(self) -> None:
        lasts_s = 60.0 * self.choices.armed_minutes
        self._until = (self._now() + lasts_s, self._steady() + lasts_s)
        self.ticked.emit()


ARMING: Capability[Arming] = Capability("a console that is armed before it acts")
