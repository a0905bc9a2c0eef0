"""The mark: a second cursor from which the plots show differences."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.session import ConsoleSession
from fsconsole.targets.base import Moment, Target
from fsconsole.text import durations


class TimeMark(QObject):
    """An instant and what was known of it when it was marked.

    Signals: changed() after it was set or taken away.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._moment: Moment | None = None
        self._of: Target | None = None
        self.time_s: float | None = None
        session.target_changed.connect(self.clear)

    @property
    def moment(self) -> Moment | None:
        """The target at the mark; None without one."""
        return self._moment if self._of is self._session.target else None

    def set_at(self, time_s: float) -> None:
        """Mark an instant; the displayed instant is marked with all its known values."""
        session = self._session
        target, seen = session.target, session.moment
        if target is None:
            return
        self._moment = seen if seen is not None and seen.time_s == time_s else target.at(time_s)
        self._of, self.time_s = target, time_s
        session.past.keep_beside(time_s)
        self.changed.emit()

    @Slot()
    def clear(self) -> None:
        """Take the mark away."""
        self._moment = self._of = None
        if self.time_s is not None:
            self.time_s = None
            self._session.past.keep_beside(None)
            self.changed.emit()

    def words(self, time_s: float) -> str:
        """Return the distance of an instant from the mark: `2 min 10 s after the mark`."""
        if self.time_s is None:
            return ""
        apart = time_s - self.time_s
        if apart == 0:
            return "at the mark"
        exact = f"{abs(apart):g} s" if abs(apart) < 10 else durations.length_words(abs(apart))
        return f"{exact} after the mark" if apart > 0 else f"{exact} before the mark"
