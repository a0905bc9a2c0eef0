"""Actions of operators: windows, the running job, the order of the queue, alerts, the note."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any

from fsconsole.machine.operate import Refused
from fsconsole.machine.parts import Done
from fsconsole.neardedicated.alerts import about
from fsconsole.neardedicated.plan import no_longer_fits
from fsconsole.neardedicated.state import OpenNow, Run
from fsconsole.neardedicated.times import moment
from fsconsole.shares.scenario.actions import (
    Acknowledge,
    CloseWindow,
    ExtendJob,
    KillJob,
    MoveWindow,
    OpenWindow,
    OrderQueue,
    WriteNote,
)
from fsconsole.shares.scenario.nd_spec import ORDERS
from fsconsole.text.durations import LONGEST_S
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.neardedicated.controller import NearDedicated

MOST_NOTE = 4000  # The unit is characters.


class Operators:
    """The handlers of operators' actions; Refused gives the reason."""

    def __init__(self, controller: NearDedicated) -> None:
        """Attach to a controller."""
        self._control = controller
        self.handlers: dict[type[Any], Callable[[Any], Done]] = {
            OpenWindow: self._open,
            CloseWindow: self._close,
            MoveWindow: self._move,
            ExtendJob: self._extend,
            OrderQueue: self._order,
            Acknowledge: self._acknowledge,
            WriteNote: self._note,
        }

    # -- the window ---------------------------------------------------------------------------------------

    def _open(self, action: OpenWindow) -> Done:
        control = self._control
        state, now_s = control.state, control.machine.now_s
        planned = control.planned()
        end_s = action.end_s
        if state.window is not None:
            return self._open_again(state.window, end_s)
        if end_s is None:
            if planned is None:
                msg = "no window is scheduled. Name the end of the window"
                raise Refused(msg)
            end_s = planned.end_s
        self._check_end(end_s)
        is_planned = planned is not None and end_s == planned.end_s
        is_due = is_planned and planned is not None and planned.start_s <= now_s
        scheduled_s = planned.scheduled_s if is_planned and planned is not None else None
        by_hand = not is_due or (planned is not None and planned.by_hand)
        control.loop.open(end_s, scheduled_s, by_hand=by_hand)
        control.call()
        return Done(
            f"the window is open to {self._clock(end_s)}", self._name(), "closed", self._open_to(end_s)
        )

    def _open_again(self, window: OpenNow, end_s: float | None) -> Done:
        """Reopen a window that was stopped while its last job still runs."""
        if not window.closing:
            msg = f"the window is already open, to {self._clock(window.end_s)}"
            raise Refused(msg)
        end_s = window.end_s if end_s is None else end_s
        self._check_end(end_s)
        window.closing, window.end_s, window.by_hand = False, end_s, True
        session = self._control.state.session
        if session is not None and session.is_over:
            session.opened_again = True
        self._scan_at_once()
        text = f"the window is open again, to {self._clock(end_s)}"
        return Done(text, self._name(), "closing", self._open_to(end_s))

    def _close(self, action: CloseWindow) -> Done:
        control = self._control
        state, now_s = control.state, control.machine.now_s
        window, run = state.window, state.run
        if window is None:
            msg = "no window is open"
            raise Refused(msg)
        lives = run is not None and self._lives(run)
        if window.closing and not (action.kill_running and lives):
            more = f"; {self._label(run)} runs to its end" if lives else ""
            msg = f"the window is already closed{more}"
            raise Refused(msg)
        before = "closing" if window.closing else self._open_to(window.end_s)
        if run is not None and lives and action.kill_running:
            if action.request not in (None, run.request):
                msg = f"job {action.request} no longer runs. {run.label} runs and was not killed"
                raise Refused(msg)
            self._kill(run)
        if now_s < window.end_s:
            state.considered_s, window.by_hand = now_s, True
        window.closing = True
        control.call()
        if run is None or not lives:
            return Done("the window is closed", self._name(), before, "closed")
        if not action.kill_running:
            text = f"no more jobs start; {run.label} continues until the watchdog kills it at "
            return Done(text + self._clock(run.watchdog.deadline_s), self._name(), before, "closing")
        return Done(f"the window is closed and {run.label} was killed", self._name(), before, "closed")

    def _lives(self, run: Run) -> bool:
        """Return True if the job that was started has neither ended nor gone back into its queue."""
        job = self._control.job_of(run.request)
        return job is not None and job.state != "ended" and not job.waits

    def _kill(self, run: Run) -> None:
        outcome = self._control.do(KillJob(run.request), "the window was stopped")
        if not outcome.done:
            msg = f"failed to kill {run.label}: {outcome.text}"
            raise Refused(msg)

    def _move(self, action: MoveWindow) -> Done:
        if action.start_s is None and action.end_s is None:
            msg = "name a new start or a new end"
            raise Refused(msg)
        window = self._control.state.window
        return self._move_planned(action) if window is None else self._move_open(action, window)

    def _move_open(self, action: MoveWindow, window: OpenNow) -> Done:
        run = self._control.state.run
        if action.start_s is not None and action.start_s != window.start_s:
            msg = f"the window opened at {self._clock(window.start_s)}. Only its end can be moved"
            raise Refused(msg)
        end_s = window.end_s if action.end_s is None else action.end_s
        self._check_end(end_s)
        before = self._open_to(window.end_s)
        window.end_s, window.by_hand = end_s, True
        self._scan_at_once()
        text = f"the window ends at {self._clock(end_s)}"
        if run is not None:
            if run.watchdog.end_s is not None:
                run.watchdog.end_s = end_s
            deadline_s = run.watchdog.deadline_s
            if deadline_s > end_s:
                text += f"; {run.label} may continue until the watchdog kills it at {self._clock(deadline_s)}"
        return Done(text, self._name(), before, self._open_to(end_s))

    def _move_planned(self, action: MoveWindow) -> Done:
        control = self._control
        planned, now_s = control.planned(), control.machine.now_s
        if planned is None:
            msg = "no window is open or scheduled"
            raise Refused(msg)
        moved = planned.moved(action.start_s, action.end_s)
        _check_far(moved.start_s)
        _check_far(moved.end_s)
        if not (isfinite(moved.start_s) and moved.start_s >= now_s):
            msg = f"the window cannot start before now, {self._clock(now_s)}. Start it by hand"
            raise Refused(msg)
        if not (isfinite(moved.end_s) and moved.end_s > moved.start_s):
            msg = f"the window cannot end before its start, {self._clock(moved.start_s)}"
            raise Refused(msg)
        control.state.moved = moved
        control.call()
        after = f"{self._clock(moved.start_s)} to {self._clock(moved.end_s)}"
        before = f"{self._clock(planned.start_s)} to {self._clock(planned.end_s)}"
        return Done(f"the next window is open from {after}", self._name(), before, after)

    def _scan_at_once(self) -> None:
        """Schedule a scan of the queue at the next tick."""
        self._control.state.scan_tick = self._control.machine.tick
        self._control.call()

    def _check_end(self, end_s: float) -> None:
        _check_far(end_s)
        now_s = self._control.machine.now_s
        if not (isfinite(end_s) and end_s > now_s):
            msg = f"the window cannot end before now, {self._clock(now_s)}. Stop it instead"
            raise Refused(msg)

    # -- the running job ----------------------------------------------------------------------------------

    def _extend(self, action: ExtendJob) -> Done:
        control = self._control
        state = control.state
        run = self._running(action.request)
        if not isfinite(action.by_s) or action.by_s == 0:
            msg = f"cannot extend by {action.by_s:g} s. Give a finite time other than 0"
            raise Refused(msg)
        before_s, now_s = run.watchdog.deadline_s, control.machine.now_s
        after_s = before_s + action.by_s
        _check_far(after_s)
        if after_s <= now_s:
            msg = (
                f"the watchdog cannot kill at {self._clock(after_s)}, which is in the past. Kill the "
                "job instead"
            )
            raise Refused(msg)
        run.watchdog.extended_s += action.by_s
        control.call()
        text = f"{run.label} {'extended' if action.by_s > 0 else 'cut'} to {self._clock(after_s)}"
        if state.window is not None:
            text += f"; the window ends {self._clock(state.window.end_s)}"
            text += self._lost(state.window.end_s, before_s, after_s)
        return Done(text, run.label, f"watchdog {self._clock(before_s)}", f"watchdog {self._clock(after_s)}")

    def _running(self, request: int) -> Run:
        """Return the running job by its request.

        Raises:
            Refused: that job does not run; the message describes its state.
        """
        control = self._control
        run = control.state.run
        if run is not None and run.request == request and self._lives(run):
            return run
        job = control.job_of(request)
        if job is None:
            msg = (
                f"job {request} not found; {self._label(run)} runs"
                if run
                else f"job {request} not found; no near-dedicated job runs"
            )
        elif job.state == "ended":
            ended_s = (job.ended_tick or 0) / control.machine.spec.hz
            msg = f"{control.queue.label(job)} has ended at {self._clock(ended_s)}: {job.how}"
        else:
            msg = f"{control.queue.label(job)} is {job.state}; the near-dedicated control did not start it"
        raise Refused(msg)

    def _lost(self, end_s: float, before_s: float, after_s: float) -> str:
        """Return the number of queued jobs that would no longer fit, by their estimates, in words."""
        rows = [job for job in self._control.waiting() if not job.held]
        lost = sum(no_longer_fits(job.estimate_s, before_s, after_s, end_s) for job in rows)
        if not lost:
            return ""
        return f"; {count_words(lost, 'queued job no longer fits', 'queued jobs no longer fit')}"

    # -- the rest -----------------------------------------------------------------------------------------

    def _order(self, action: OrderQueue) -> Done:
        control = self._control
        if action.order not in ORDERS:
            msg = f"unknown order {action.order!r}. Use {', '.join(ORDERS)}"
            raise Refused(msg)
        before, control.state.order = control.state.order, action.order
        control.loop.reorder()
        control.call()
        return Done(f"the queue is now ordered by {action.order}", control.spec.queue, before, action.order)

    def _acknowledge(self, action: Acknowledge) -> Done:
        control = self._control
        alert = next((one for one in control.alerts() if one.key == action.alert), None)
        if alert is None:
            keys = ", ".join(one.key for one in control.alerts()) or "none"
            msg = f"unknown or past alert {action.alert!r}. Current alerts: {keys}"
            raise Refused(msg)
        control.state.acknowledged[alert.key] = control.machine.tick
        return Done(f"seen: {alert.text}", about(alert.key), "new", "seen")

    def _note(self, action: WriteNote) -> Done:
        state = self._control.state
        if len(action.text) > MOST_NOTE:
            msg = f"a note has at most {MOST_NOTE} characters; this one has {len(action.text)}"
            raise Refused(msg)
        before, state.note = state.note, action.text
        state.note_tick = self._control.machine.tick
        return Done("the note was saved", "note", before, action.text)

    def _label(self, run: Run | None) -> str:
        return "no job" if run is None else run.label

    def _clock(self, time_s: float) -> str:
        if not isfinite(time_s) or abs(time_s) > LONGEST_S:
            return "that time"
        return self._control.clock(time_s)

    def _open_to(self, end_s: float) -> str:
        return f"open to {self._clock(end_s)}"

    def _name(self) -> str:
        """Return the window's name from its date of start, such as `nd 19 Feb`."""
        control = self._control
        window = control.state.window
        start_s = control.machine.now_s if window is None else window.start_s
        date = moment(control.machine.spec.start, start_s)
        return f"{control.spec.queue} {date.day} {date:%b}"


def _check_far(time_s: float) -> None:
    if isfinite(time_s) and time_s > LONGEST_S:
        msg = f"{time_s:g} s is too far away. The latest time is {LONGEST_S:g} s after the machine's 0"
        raise Refused(msg)
