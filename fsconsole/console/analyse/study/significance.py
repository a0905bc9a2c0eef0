"""What is known of a study's numbers, computed in a thread: intervals of policies, tests of users."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from fsconsole.app.study.significance import NOTHING_KNOWN, Significance, significance_of
from fsconsole.app.study.user_tests import UserTests, user_tests
from fsconsole.console.kit.tasks import Tasks, describe_error

if TYPE_CHECKING:
    import polars as pl

    from fsconsole.app.study.state import StudyState

_SETTLED_MS = 200  # Delay that collects several finished cells into one update.


class StudySignificance(QObject):
    """Intervals and tests of the study that is shown. Signals: computed() with something new to show."""

    computed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = Tasks(self)
        self._state: StudyState | None = None
        self._summary: pl.DataFrame | None = None
        self._found: dict[str, Significance] = {}
        self._tests: dict[tuple[str, str], UserTests] = {}

    def show(self, state: StudyState | None) -> None:
        """Show another study or a newer state of it; results stay while their runs do."""
        summary = state.summary if state is not None else None
        self._state = state
        if summary is not self._summary:
            self._summary = summary
            self._tasks.cancel()
            self._found.clear()
            self._tests.clear()

    def of(self, workload: str = "") -> Significance:
        """Return the significance for all workloads, or for one; empty until `computed`."""
        if workload in self._found:
            return self._found[workload]
        state = self._state
        if state is not None and not state.summary.is_empty() and not self._tasks.is_busy(f"of {workload}"):
            call = partial(significance_of, state.summary, state.folder, workload=workload)
            self._tasks.run(
                call,
                partial(self._on_found, workload),
                lambda error: self._on_found(workload, Significance(reason=_failed(error))),
                latest=f"of {workload}",
                after_ms=_SETTLED_MS,
            )
        return NOTHING_KNOWN

    def users(self, policy: str, against: str) -> UserTests | None:
        """Return tests of all users under a policy against another; None until `computed`."""
        key = (policy, against)
        if key in self._tests:
            return self._tests[key]
        state = self._state
        if state is not None and not state.users.is_empty() and not self._tasks.is_busy("users"):
            call = partial(user_tests, state.users, state.folder, policy, against)
            self._tasks.run(
                call,
                partial(self._on_tested, key),
                lambda error: self._on_tested(key, UserTests(*key, "avg_wait_h", reason=_failed(error))),
                latest="users",
                after_ms=_SETTLED_MS,
            )
        return None

    def forget(self) -> None:
        """Drop what was found, and what is being computed."""
        self.show(None)

    def _on_found(self, workload: str, known: Significance) -> None:
        self._found[workload] = known
        self.computed.emit()

    def _on_tested(self, key: tuple[str, str], tests: UserTests) -> None:
        self._tests[key] = tests
        self.computed.emit()


def _failed(error: Exception) -> str:
    return f"Cannot compute the intervals: {describe_error(error)}"
