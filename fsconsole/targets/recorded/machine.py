"""The machine of a run on disk at any instant, for display and questions, without actions."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.base import Moment
from fsconsole.targets.rewind import Rewinder
from fsconsole.targets.snapshot import Snapshot

if TYPE_CHECKING:
    from fsconsole.machine.insight import Explanation
    from fsconsole.machine.insight.control import Control
    from fsconsole.machine.machine import Machine

T = TypeVar("T")
FIXED = "A recorded run cannot be changed."


class RecordedMachine:
    """Implements `base.Machine` and `base.Explainer` for a recorded run.

    Attributes:
        scenario: scenario of the machine.
        has_factors: whether processes are explained by their factors.
        problem: why the machine's state at the end cannot be restored; empty if it can.
    """

    has_factors = True

    def __init__(self, scenario: Scenario, rewinder: Rewinder, end: Callable[[], float]) -> None:
        """Ask a rewinder; `end` gives the time of the last sample."""
        self.scenario = scenario
        self._rewinder, self._end = rewinder, end
        self._newest: Snapshot | None = None
        self._asked: Future[Snapshot] | None = None
        self._asked_s = -1.0
        self.problem = ""

    def snapshot(self) -> Snapshot | None:
        """Return the machine at the end of the recording; None until its state is restored."""
        return self._newest

    def look(self) -> bool:
        """Read the machine's state at the end; return whether it is new.

        If more has been recorded since, request the state again.
        """
        asked = self._asked
        if asked is not None and not asked.done():
            return False
        is_new = False
        if asked is not None and not asked.cancelled():
            error = asked.exception()
            newest = self._newest if error is not None else asked.result()
            problem = "" if error is None else str(error) or type(error).__name__
            is_new = newest is not self._newest or problem != self.problem
            self._newest, self.problem = newest, problem
        if asked is None or asked.cancelled() or self._end() > self._asked_s:
            self._asked_s = self._end()
            self._asked = self._rewinder.moment(self._asked_s)
        return is_new

    @property
    def is_waiting(self) -> bool:
        """True if the machine is on its way to the end."""
        return self._asked is not None and not self._asked.done()

    def submit(self, _action: Action, _who: str = "", _why: str = "") -> Future[Any]:
        """Refuse the action: a recorded machine does not act."""
        return _refused()

    def command(self, _line: str, _who: str, _folder: Path | None = None, _signs: str = "") -> Future[Any]:
        """Refuse the command: a recorded machine does not act."""
        return _refused()

    def complete(self, _line: str) -> Future[tuple[str, ...]]:
        """Offer no words to complete a line with."""
        future: Future[tuple[str, ...]] = Future()
        future.set_result(())
        return future

    def why(
        self, node: int, other: int | None = None, pid: int | None = None, *, at: Moment | None = None
    ) -> Future[Explanation]:
        """Explain a node's priority as it was."""
        from fsconsole.machine.insight import why

        return self._ask_at(at, lambda machine: why(machine, node, other, pid=pid))

    def control(self, node: int, *, at: Moment | None = None) -> Future[Control]:
        """Return the control view of a node, as it was."""
        from fsconsole.machine.insight.control import control_of

        return self._ask_at(at, lambda machine: control_of(machine, node))

    def checkpoint(self) -> Future[bytes]:
        """Return the whole state at the end."""
        return self._rewinder.checkpoint(self._end())

    def _ask_at(self, at: Moment | None, question: Callable[[Machine], T]) -> Future[T]:
        return self._rewinder.ask(self._end() if at is None else at.time_s, question)


def _refused() -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(LookupError(FIXED))
    return future
