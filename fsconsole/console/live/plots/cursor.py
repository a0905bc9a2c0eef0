"""The cursor over the plots: it follows the pointer until a click makes it the displayed instant."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession

# Number of distinct times, one for each pixel of a wide screen.
_POINTS = 4000


class PlotCursor(QObject):
    """Moves the session's cursor by pointer and keys, always to a sample."""

    def __init__(self, session: ConsoleSession, span: TimeRange, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._span = session, span
        self._before_click: tuple[bool, float | None] = (False, None)

    @property
    def is_pinned(self) -> bool:
        """Whether the cursor stays when the pointer moves, since all views show that instant."""
        return self._session.past.is_on

    @Slot(float)
    def hover(self, time_s: float) -> None:
        """Show the time that the pointer is over."""
        if not self.is_pinned:
            self._session.set_cursor(self.sample_near(time_s))

    @Slot()
    def leave(self) -> None:
        """Show no time: the pointer is over no plot any more."""
        if not self.is_pinned:
            self._session.set_cursor(None)

    @Slot(float)
    def click(self, time_s: float) -> None:
        """Show the clicked instant, or the present right of all known times."""
        self._before_click = (self.is_pinned, self._session.cursor_s)
        target = self._session.target
        is_known = target is not None and time_s <= target.now_s
        near = self.sample_near(time_s)
        self._put(near, is_pinned=is_known and near is not None)

    @Slot(float)
    def drag(self, time_s: float) -> None:
        """Show the instant to which the play head is dragged, or the present right of all known times."""
        target = self._session.target
        is_known = target is not None and time_s < target.now_s
        self._put(time_s if is_known else None, is_pinned=is_known)

    def take_click_back(self) -> None:
        """Take the last click back: it was the first half of a double click."""
        is_pinned, cursor_s = self._before_click
        self._put(cursor_s, is_pinned=is_pinned)

    def pin(self, time_s: float) -> None:
        """Put the cursor at a time and leave it there; what the plots show moves on where it must."""
        if not self._span.start_s <= time_s <= self._span.end_s:
            half = (self._span.end_s - self._span.start_s) / 2
            self._span.fix(time_s - half, time_s + half)
        self._put(time_s, is_pinned=True)

    def free(self) -> None:
        """Let the cursor follow the present."""
        self._session.past.leave()
        self._session.set_cursor(None)

    def _put(self, time_s: float | None, *, is_pinned: bool) -> None:
        """Put the cursor at a time, and all views with it where it is pinned."""
        if is_pinned and time_s is not None:
            self._session.past.go(time_s)
        else:
            self._session.past.leave()
            self._session.set_cursor(time_s)

    def sample_near(self, time_s: float) -> float | None:
        """Return the time of the nearest sample; None without samples."""
        target = self._session.target
        if target is None:
            return None
        start_s, end_s = self._span.start_s, self._span.end_s
        times = target.times(start_s, end_s, _POINTS)
        return float(times[abs(times - time_s).argmin()]) if len(times) else None
