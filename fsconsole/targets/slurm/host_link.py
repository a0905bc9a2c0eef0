"""Link to a host: how many commands may use it at a time, and whether it works.

A fault of the link is not a fault of a part of the cluster. While it lasts one command at a time tries the
link, and none where another try would be another refused login.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fsconsole.targets.slurm.ssh_faults import LinkFault

AT_ONCE = 3  # Logins at a time: a login node in its default settings drops some of more than ten.
SHARED_AT_ONCE = 6  # Sessions of a shared connection: sshd allows ten by default, and a person may have some.
HOLD_S = 5.0  # After a failure to connect, all that is asked within this time fails for the same reason.
_LOOK_S = 0.1


class Turn:
    """One command over the link.

    Attributes:
        fault: why it does not begin; None where it may.
        is_stopped: whether it was stopped while it waited, so that it does not begin either.
        is_first: whether it goes alone, to see whether the link works.
        result: fault that it met itself.
        has_reached: whether it shows that the link works.
        is_lost: whether the open connection was gone, so that it did not begin.
    """

    def __init__(
        self, fault: LinkFault | None = None, *, is_first: bool = False, is_stopped: bool = False
    ) -> None:
        self.fault = fault
        self.is_first = is_first
        self.is_stopped = is_stopped
        self.result: LinkFault | None = None
        self.has_reached = False
        self.is_lost = False

    @property
    def may_begin(self) -> bool:
        """True if the command may be sent."""
        return self.fault is None and not self.is_stopped


class HostLink:
    """Gives commands their turns on the link to a host; called in several threads."""

    def __init__(self, is_open: Callable[[], bool] = lambda: False) -> None:
        """Prepare a link that may have an open connection already, such as one of another program.

        `is_open` returns whether there is a connection that all commands share; it must not wait.
        """
        self._is_open = is_open
        self._most_shared = SHARED_AT_ONCE
        self._change = threading.Condition()
        self._is_up = False
        self._is_shared = False
        self._was_lost = False
        self._is_tried = False
        self._count = 0
        self._fault: LinkFault | None = None
        self._fault_s = 0.0
        self._faults = 0

    @property
    def fault(self) -> LinkFault | None:
        """Fault that closes the link; None where none is known."""
        return self._fault

    @property
    def at_once(self) -> int:
        """Number of commands at a time once the link works."""
        return self._most_shared if self.is_shared else AT_ONCE

    @property
    def is_shared(self) -> bool:
        """True if commands are sessions of an open connection."""
        return self._is_shared and self._most_shared > 0

    def limit_sessions(self) -> None:
        """Send fewer commands at a time than now: the host has refused a further session. If it refuses the
        only one, each command has a connection of its own.
        """
        with self._change:
            self._most_shared = max(0, min(self._most_shared, self._count) - 1)

    def lose(self) -> None:
        """Note that the open connection does not respond: the next command goes alone, and logs in."""
        with self._change:
            self._is_up, self._was_lost = False, True
            self._change.notify_all()

    def retry(self) -> None:
        """Let the next command try the link, whatever is known of it: a person asks for that."""
        with self._change:
            self._fault = None
            self._change.notify_all()

    @contextmanager
    def turn(self, is_stopped: Callable[[], bool]) -> Iterator[Turn]:
        """Wait for a turn. A command that may begin sets the results of its turn."""
        turn = self._wait(is_stopped)
        try:
            yield turn
        finally:
            if turn.may_begin:
                self._end(turn)

    def _wait(self, is_stopped: Callable[[], bool]) -> Turn:
        with self._change:
            known = self._faults
            while not is_stopped():
                fault = self._fault
                if fault is not None and (self._faults > known or self._holds(fault)):
                    return Turn(fault)
                if self._is_shared and not self._is_open():
                    self._is_up = self._is_shared = False  # All commands that wait would log in at once.
                if not self._is_up and fault is None and not self._was_lost and self._is_open():
                    self._is_up = self._is_shared = True
                if self._is_up and self._count < self.at_once:
                    self._count += 1
                    return Turn()
                if not self._is_up and not self._is_tried:
                    self._is_tried = True
                    self._count += 1
                    return Turn(is_first=True)
                self._change.wait(_LOOK_S)
            return Turn(is_stopped=True)

    def _holds(self, fault: LinkFault) -> bool:
        """Return True if nothing may try the link now."""
        if fault.waits_for_person:
            return True
        return fault.is_not_connected and time.monotonic() - self._fault_s < HOLD_S

    def _end(self, turn: Turn) -> None:
        with self._change:
            self._count -= 1
            if turn.is_first:
                self._is_tried = False
            if turn.result is not None:
                self._is_up = False
                self._fault, self._fault_s = turn.result, time.monotonic()
                self._faults += 1
            elif turn.is_lost:
                self._is_up, self._was_lost = False, True
            elif turn.is_first and turn.has_reached:
                self._is_up, self._is_shared = True, self._is_open()
                self._was_lost, self._fault = False, None
            self._change.notify_all()
