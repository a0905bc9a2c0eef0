"""The texts of a night's docks: their headers, and why they are empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsconsole.app.nights.times import Times
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.operate.nights.use_view import UseView
from fsconsole.console.widgets.dock import Dock
from fsconsole.neardedicated.view import NightView, Phase
from fsconsole.targets.base import PAST_JOBS
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words

EMPTY = (
    "Operate is for near-dedicated nights: one big job at a time gets the machine, and the others "
    "fill the rest. This scenario has no near-dedicated section."
)

DIARY = "This is the diary of a cluster. Operate acts only on open clusters. Observe shows the recorded jobs."
_NOT_IN_DIARY = "Not in a diary."


def window_words(night: NightView | None, times: Times, *, is_armed: bool) -> str:
    """Return the window: when, how long, how long yet."""
    if night is None:
        return ""
    window = night.window
    if window.start_s is None or window.end_s is None:
        return "none is planned"
    parts = [times.date(window.start_s), f"{length_words(window.end_s - window.start_s)} long"]
    if window.is_open:
        parts.append(f"{length_words(max(window.end_s - night.time_s, 0.0))} left")
    elif window.start_s > night.time_s:
        parts.append(f"starts in {length_words(window.start_s - night.time_s)}")
    parts += ["closing"] if window.closing else []
    parts += ["moved by hand"] if window.by_hand else []
    hint = "      Drag the end mark or press arrow keys to change it"
    return ", ".join(parts) + (hint if is_armed and not window.closing else "")


def control_words(night: NightView | None, times: Times) -> str:
    """Return the start of the phase, and the remaining time of the watchdog."""
    if night is None:
        return ""
    since = f"since {times.short(night.since_s)}"
    if night.job is not None and night.phase is not Phase.IDLE:
        if night.job.is_over:
            return f"{since}, job killed"
        left_s = max(night.job.watchdog_s - night.time_s, 0.0)
        return f"{since}, watchdog in {length_words(left_s)}"
    return f"{since}, {count_words(len(night.queue), 'job waits', 'jobs wait')}"


def use_title(interval_s: float | None) -> str:
    """Return a title such as `System use per 5 min`."""
    if interval_s is None or interval_s < 1:
        return "System use"
    return f"System use per {length_words(interval_s)}"


class DockWords:
    """Speaks for the docks named window, job, queue, use, state and memory."""

    def __init__(
        self,
        controller: NightController,
        docks: Mapping[str, Dock],
        open_example: Callable[[], object],
        start: Callable[[], object],
        show_observe: Callable[[], object],
    ) -> None:
        """`open_example`, `start` and `show_observe` are what empty docks offer."""
        self._controller, self._docks = controller, docks
        self._open_example, self._start, self._show_observe = open_example, start, show_observe
        self._proposal = ""
        self._shown_facts: tuple[bool, ...] | None = None

    def show_heads(self) -> None:
        """Bring the texts of all headers up to date."""
        night, times = self._controller.night, self._controller.times
        self.propose(self._proposal)
        running = night is not None and night.job is not None
        clock = f"as of {times.clock(night.time_s)}" if night is not None and running else ""
        self._docks["job"].header.set_remark(clock, at_end=True)
        waiting = count_words(len(night.queue), "job") if night is not None else ""
        self._docks["queue"].header.set_remark(waiting)
        use = self._docks["use"]
        if isinstance(use.content, UseView):
            use.setWindowTitle(use_title(use.content.interval_s))
        self._docks["state"].header.set_remark(control_words(night, times), at_end=True)

    def propose(self, words: str) -> None:
        """Show what a move of the window's mark would do; the window itself while none is moved."""
        self._proposal = words
        armed = self._controller.is_armed
        remark = words or window_words(self._controller.night, self._controller.times, is_armed=armed)
        self._docks["window"].header.set_remark(remark)

    def show_emptiness(self) -> None:
        """Show why a dock is empty."""
        night = self._controller.night
        facts = self._facts()
        if facts == self._shown_facts:
            return  # A button that is offered keeps the focus.
        self._shown_facts = facts
        for dock in self._docks.values():
            dock.body.show_content()
        if self._is_diary:
            self._docks["window"].body.show_empty(DIARY, "Show Observe", self._show_observe)
            for name in ("job", "queue", "use", "state", "memory"):
                self._docks[name].body.show_empty(_NOT_IN_DIARY)
            return
        if night is None:
            self._docks["window"].body.show_empty(EMPTY, "Open the example", self._open_example)
            for name in ("job", "queue", "use", "state", "memory"):
                self._docks[name].body.show_empty("No near-dedicated night.")
            return
        if night.job is None:
            self._show_no_job(is_open=night.window.is_open)
        if not night.queue:
            self._docks["queue"].body.show_empty("No jobs in the queue. qsub -q adds one.")
        if night.night is None:
            self._docks["use"].body.show_empty("The first interval of a window has not ended yet.")

    @property
    def _is_diary(self) -> bool:
        """Whether a cluster's past is displayed."""
        return self._controller.session.offer(PAST_JOBS) is not None

    def _facts(self) -> tuple[bool, ...]:
        """Return the facts on which the texts of empty docks depend."""
        night = self._controller.night
        if night is None:
            return (True,) if self._is_diary else ()
        is_open, is_armed = night.window.is_open, self._controller.is_armed
        return (night.job is None, not night.queue, night.night is None, is_open, is_armed)

    def _show_no_job(self, *, is_open: bool) -> None:
        body = self._docks["job"].body
        if is_open:
            body.show_empty("No job is running. The window scans the queue.")
        elif self._controller.is_armed:
            body.show_empty("No job is running.", "Start window…", self._start)
        else:
            body.show_empty("No job is running. The window is closed.")
