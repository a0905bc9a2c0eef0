"""The event loop of near-dedicated scheduling (Brady et al. section 3.2, Figure 2).

A window opens; the queue is scanned for the first job that fits; preemption is on while it runs; a watchdog
kills it at the end of its estimate; settings return to normal, and the queue is scanned again until the
window ends, which is checked only between jobs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fsconsole.machine.jobs.job import Job
from fsconsole.neardedicated import recorder
from fsconsole.neardedicated.alerts import DANGER
from fsconsole.neardedicated.dedicated import Dedicated
from fsconsole.neardedicated.nd_window import Night
from fsconsole.neardedicated.plan import first_that_fits, fits
from fsconsole.neardedicated.state import KILLED_AT_END, KILLED_BY_WATCHDOG, OpenNow, Run, State, Watchdog
from fsconsole.neardedicated.view import Alert, JobRow, Phase
from fsconsole.neardedicated.waiting import Waiting, moves, ordered
from fsconsole.recording.audit import CONTROL
from fsconsole.shares.scenario.actions import CloseWindow, KillJob, MoveJob, OpenWindow, RunJob

if TYPE_CHECKING:
    from fsconsole.neardedicated.controller import NearDedicated

NEVER = 2**62
_MOST_STEPS = 12  # A correct machine never goes through more phases at one tick.
_WITH_JOB = (Phase.PREEMPTING, Phase.RUNNING)
_COMPUTING = ("serial", "parallel", "io")
_REQUEUED = "the machine was restarted"


class EventLoop:
    """The sequence of phases; the controller's `state` stores everything between ticks."""

    def __init__(self, controller: NearDedicated) -> None:
        """Attach to a controller."""
        self._control = controller
        self._machine = controller.machine
        self._dedicated = Dedicated(controller)
        self._steps: dict[Phase, Callable[[], None]] = {
            Phase.IDLE: self._idle,
            Phase.SCANNING: self._scan,
            Phase.PREEMPTING: self._watch,
            Phase.RUNNING: self._watch,
            Phase.DRAINING: self._drain,
            Phase.CHECKPOINTING: self._checkpoint,
        }

    @property
    def _state(self) -> State:
        return self._control.state

    def step(self) -> None:
        """Do the work that is due, and change phases until one persists."""
        control = self._control
        state, tick = control.state, control.machine.tick
        if tick >= state.reorder_tick:
            self.reorder()
        if state.row_tick is not None and tick >= state.row_tick:
            recorder.take_row(control)
            state.row_tick = tick + control.ticks(control.spec.report_s)
        for _ in range(_MOST_STEPS):
            before = state.phase
            self._steps[before]()
            if state.phase is before:
                break

    def is_called(self) -> bool:
        """Return True if an event requires action at once; a cheap check, made at every stop."""
        state = self._state
        if state.phase in _WITH_JOB:
            return self._job_has_turned()
        if state.phase is Phase.SCANNING:
            return self._control.queue.looks() != state.seen
        if state.phase is Phase.DRAINING:
            return self._is_drained()
        return state.phase is Phase.CHECKPOINTING and self._dedicated.has_turned()

    def next_due(self) -> int:
        """Return the next tick at which it acts by time; NEVER without one."""
        control = self._control
        state = control.state
        ticks = [state.reorder_tick]
        if state.row_tick is not None:
            ticks.append(state.row_tick)
        if state.phase is Phase.IDLE:
            planned = control.planned()
            ticks.append(NEVER if planned is None else control.ticks(planned.start_s))
        elif state.phase is Phase.SCANNING and state.window is not None:
            ticks += [state.scan_tick, control.ticks(state.window.end_s)]
        elif state.run is not None:
            ticks.append(control.ticks(state.run.watchdog.acts_s))
        return min(ticks)

    # -- the window ---------------------------------------------------------------------------------------

    def open(self, end_s: float, scheduled_s: float | None, *, by_hand: bool) -> None:
        """Open a window now; `scheduled_s` is the start of the scheduled window that it replaces."""
        state, machine = self._state, self._machine
        state.window = OpenNow(machine.now_s, end_s, by_hand)
        if scheduled_s is not None:
            state.considered_s, state.moved = scheduled_s, None
        state.last_night, state.night = state.night, Night.begun(machine.tick, recorder.totals(machine))
        state.row_tick = machine.tick + self._control.ticks(self._control.spec.report_s)
        state.scan_tick = machine.tick
        state.refused, state.events = {}, []
        state.enter(Phase.SCANNING, machine.tick)

    def _idle(self) -> None:
        planned = self._control.planned()
        if planned is not None and self._control.ticks(planned.start_s) <= self._machine.tick:
            self._control.do(OpenWindow(planned.end_s), "moved by hand" if planned.by_hand else "scheduled")

    def _is_over(self) -> bool:
        window = self._state.window
        return window is None or window.closing or self._control.ticks(window.end_s) <= self._machine.tick

    def _close(self, why: str) -> None:
        """Close the window, in which no job runs any more."""
        state, machine = self._state, self._machine
        if state.window is not None and not state.window.closing:
            self._control.do(CloseWindow(), why)
        recorder.take_row(self._control)
        if state.night is not None:
            state.night.end_tick, state.night.at_end = machine.tick, recorder.totals(machine)
        state.window = state.row_tick = state.session = None
        state.enter(Phase.IDLE, machine.tick)

    # -- the queue ----------------------------------------------------------------------------------------

    def reorder(self) -> None:
        """Sort the queue by the site policy, and schedule the next time."""
        state, period = self._state, max(1, self._control.ticks(self._control.spec.reorder_s))
        state.reorder_tick = (self._machine.tick // period + 1) * period
        with_ranks = state.order == "shares"
        waiting = self._control.waiting(with_ranks=with_ranks)
        now, wanted = [job.request for job in waiting], ordered(waiting, state.order)
        for request, place in moves(now, wanted):
            self._control.do(MoveJob(request, place), f"order by {state.order}")
        state.ordered = wanted

    def _scan(self) -> None:
        state, machine = self._state, self._machine
        if self._is_over():
            self._leave("window over")
            return
        looks = self._control.queue.looks()
        if machine.tick < state.scan_tick and looks == state.seen:
            return
        if machine.tick >= state.scan_tick:
            state.refused = {}  # The obstacle may have disappeared.
        # `is_called` compares with this state, so that an unchanged queue is not scanned again.
        state.seen, state.scan_tick = looks, machine.tick + self._control.ticks(self._control.spec.scan_s)
        held = {request for request, how in looks if how == "held"}
        state.refused = {request: why for request, why in state.refused.items() if request not in held}
        if self._control.spec.mode == "dedicated" and state.session is None:
            self._begin_session()
        elif not self._start_first() and state.session is not None:
            self._leave("no other job fits")

    def _start_first(self) -> bool:
        """Start the first job that fits; return whether one was started."""
        window, now_s = self._state.window, self._machine.now_s
        if window is None or self._control.queue.is_busy():
            return False
        while (job := first_that_fits(self._control.waiting(), now_s, window.end_s)) is not None:
            if self._start(job, window):
                return True
        return False

    def _start(self, job: Waiting, window: OpenNow) -> bool:
        state, machine = self._state, self._machine
        outcome = self._control.do(RunJob(job.request), f"fits until {self._control.clock(window.end_s)}")
        if not outcome.done:
            state.refused[job.request] = f"failed to start: {outcome.text}"
            self._report(f"start:{job.request}", f"{job.label} failed to start: {outcome.text}")
            return False
        if state.session is None:
            self._control.preemption.turn_on()
        end_s = None if fits(job, machine.now_s, window.end_s) else window.end_s
        state.run = Run(job.request, job.label, machine.tick, Watchdog(machine.now_s, job.estimate_s, end_s))
        state.enter(Phase.PREEMPTING, machine.tick)
        return True

    # -- the running job ----------------------------------------------------------------------------------

    def _job_has_turned(self) -> bool:
        run = self._state.run
        job = None if run is None else self._control.batch.jobs.get(run.request)
        if job is None or job.state == "ended" or job.waits:
            return True
        return self._state.phase is Phase.PREEMPTING and self._computes(job)

    def _computes(self, job: Job) -> bool:
        """Return True if a job has its data, its memory and its SDS."""
        return job.phase in _COMPUTING and not self._control.preemption.waits_for(job)

    def _watch(self) -> None:
        state, machine = self._state, self._machine
        run = state.run
        job = None if run is None else self._control.job_of(run.request)
        if run is None or job is None or job.state == "ended" or job.waits:
            self._finish(run, job)
        elif machine.tick >= self._control.ticks(run.watchdog.acts_s):
            self._kill(run)
        elif state.phase is Phase.PREEMPTING and self._computes(job):
            self._control.log("start job", run.label, "preempting", "running", "has its memory and SDS")
            state.enter(Phase.RUNNING, machine.tick)

    def _kill(self, run: Run) -> None:
        """Kill a job by the watchdog; retry later if that fails."""
        how = run.watchdog.how
        why = "estimate used up" if how == KILLED_BY_WATCHDOG else "window's end"
        outcome = self._machine.do_as(CONTROL, KillJob(run.request), why, how)
        if outcome.done:
            self._finish(run, self._control.job_of(run.request))
            return
        run.watchdog.retry_s = self._machine.now_s + self._control.spec.scan_s
        self._report(f"killed:{run.request}", f"failed to kill {run.label}: {outcome.text}")

    def _finish(self, run: Run | None, job: Job | None) -> None:
        """Record how a job ended that is gone, and return to normal."""
        state = self._state
        if run is not None and job is not None and job.state == "ended":
            row = recorder.job_row(self._control, job, job.how)
            if state.night is not None:
                state.night.jobs.append(row)
            self._report_end(run, row)
            if not row.how.startswith("killed"):  # A kill has its own line in the log.
                self._control.log("job ended", run.label, "running", row.how)
        elif run is not None:
            self._report(f"lost:{run.request}", f"{run.label} is back in its queue: {_REQUEUED}")
        state.run = None
        self._control.preemption.turn_off(self._machine.tick if run is None else run.started_tick)
        state.enter(Phase.DRAINING, self._machine.tick)

    def _report_end(self, run: Run, row: JobRow) -> None:
        if row.how in (KILLED_BY_WATCHDOG, KILLED_AT_END):
            text = f"{run.label} was {row.how}; {row.cpu_s:.0f} s of CPU time are lost"
            self._report(f"killed:{run.request}", text)
        elif row.how not in ("ended", "killed by operator"):
            self._report(f"lost:{run.request}", f"{run.label} {row.how}")

    def _report(self, key: str, text: str) -> None:
        """Raise an alert that stays until the next window, in place of an older one with its key."""
        state = self._state
        if any((alert.key, alert.text) == (key, text) for alert in state.events):
            return
        state.events = [alert for alert in state.events if alert.key != key]
        state.events.append(Alert(key, DANGER, text, self._machine.now_s))
        state.acknowledged.pop(key, None)

    # -- back to normal, and dedicated time ---------------------------------------------------------------

    def _is_drained(self) -> bool:
        if self._state.session is not None and self._state.session.is_over:
            return self._dedicated.is_back()
        return self._control.preemption.is_settled()

    def _drain(self) -> None:
        if not self._is_drained():
            return
        state = self._state
        self._control.preemption.settle()
        session = state.session
        if session is not None and session.is_over and not (session.opened_again and not self._is_over()):
            self._close("no other job fits")
        else:
            state.session = None if session is not None and session.is_over else session
            state.scan_tick = self._machine.tick
            state.enter(Phase.SCANNING, self._machine.tick)

    def _leave(self, why: str) -> None:
        """Close without further jobs, after the work stopped for dedicated time has returned."""
        if self._state.session is None:
            self._close(why)
            return
        self._dedicated.bring_back()
        self._state.enter(Phase.DRAINING, self._machine.tick)

    def _begin_session(self) -> None:
        if self._control.work_s() >= self._control.spec.least_work_s and self._control.work_s() > 0:
            self._dedicated.begin()
            self._state.enter(Phase.CHECKPOINTING, self._machine.tick)

    def _checkpoint(self) -> None:
        self._dedicated.stop_others()
        if self._dedicated.is_ready():
            self._state.scan_tick = self._machine.tick
            self._state.enter(Phase.SCANNING, self._machine.tick)
