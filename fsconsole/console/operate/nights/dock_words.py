"""Keeps the docks' headers true, and says why a dock is empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsconsole.console.operate.nights.desk import Desk
from fsconsole.console.operate.nights.head_words import EMPTY, control_words, use_title, window_words
from fsconsole.console.operate.nights.use_view import UseView
from fsconsole.console.operate.nights.words import counted
from fsconsole.console.operate.records import count_words
from fsconsole.console.widgets.dock import Dock


class DockWords:
    """Speaks for the docks named window, job, queue, use, state, memory and records."""

    def __init__(
        self,
        desk: Desk,
        docks: Mapping[str, Dock],
        open_example: Callable[[], object],
        start: Callable[[], object],
    ) -> None:
        """`open_example` and `start` are what empty docks offer."""
        self._desk, self._docks = desk, docks
        self._open_example, self._start = open_example, start
        self._proposal = ""
        self._said_of: tuple[bool, ...] | None = None

    def say_heads(self) -> None:
        """All headers."""
        night, times = self._desk.night, self._desk.times
        self.propose(self._proposal)
        running = night is not None and night.job is not None
        clock = f"as of {times.clock(night.time_s)}" if night is not None and running else ""
        self._docks["job"].header.set_remark(clock, at_end=True)
        waiting = counted(len(night.queue), "job") if night is not None else ""
        self._docks["queue"].header.set_remark(waiting)
        use = self._docks["use"]
        if isinstance(use.content, UseView):
            use.setWindowTitle(use_title(use.content.interval_s))
        self._docks["state"].header.set_remark(control_words(night, times), at_end=True)
        snapshot = self._desk.session.snapshot
        trouble = snapshot.audit_problem if snapshot is not None else ""
        self._docks["records"].header.set_remark(count_words(self._desk.audit, trouble), at_end=True)

    def propose(self, words: str) -> None:
        """What a move of the window's mark would do; the window itself while none is moved."""
        self._proposal = words
        armed = self._desk.is_armed
        said = words or window_words(self._desk.night, self._desk.times, is_armed=armed)
        self._docks["window"].header.set_remark(said)

    def say_emptiness(self) -> None:
        """Why a dock has nothing to show."""
        night = self._desk.night
        facts = self._facts()
        if facts == self._said_of:
            return  # a button that is offered keeps the focus
        self._said_of = facts
        for dock in self._docks.values():
            dock.body.show_content()
        if night is None:
            self._docks["window"].body.show_empty(EMPTY, "Open the example", self._open_example)
            for name in ("job", "queue", "use", "state", "memory"):
                self._docks[name].body.show_empty("No near-dedicated night.")
            return
        if night.job is None:
            self._say_no_job(is_open=night.window.is_open)
        if not night.queue:
            self._docks["queue"].body.show_empty("No job waits. qsub -q puts one into the queue.")
        if night.night is None:
            self._docks["use"].body.show_empty("The first interval of a window has not ended yet.")

    def _facts(self) -> tuple[bool, ...]:
        """What emptiness depends on."""
        night = self._desk.night
        if night is None:
            return ()
        is_open, is_armed = night.window.is_open, self._desk.is_armed
        return (night.job is None, not night.queue, night.night is None, is_open, is_armed)

    def _say_no_job(self, *, is_open: bool) -> None:
        body = self._docks["job"].body
        if is_open:
            body.show_empty("No job is running. The queue is being scanned.")
        elif self._desk.is_armed:
            body.show_empty("No job is running.", "Start window…", self._start)
        else:
            body.show_empty("No job is running. The window is closed.")
