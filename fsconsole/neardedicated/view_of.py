"""Creation of the operator's view of a machine's night for each snapshot, without changing the machine."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from fsconsole.machine.machine import Machine
from fsconsole.neardedicated import recorder
from fsconsole.neardedicated.alerts import about
from fsconsole.neardedicated.controller import NearDedicated
from fsconsole.neardedicated.fits import queue_rows
from fsconsole.neardedicated.job_view import is_over, job_card, preemption_text, so_far
from fsconsole.neardedicated.memory_view import MemoryUse, memory_use
from fsconsole.neardedicated.plan import (
    could_take_chances,
    first_that_fits,
    lane_by_estimate,
    lane_by_pace,
    lane_of_too_long,
)
from fsconsole.neardedicated.view import Alert, JobCard, NightView, Phase, PlanBar, ReportView, Window
from fsconsole.neardedicated.waiting import Waiting, is_moved
from fsconsole.recording.audit import AuditRow
from fsconsole.text.durations import length_words


def night_view(machine: Machine) -> NightView | None:
    """Return the view of the present night; None for a machine without near-dedicated scheduling."""
    control = next((part for part in machine.parts if isinstance(part, NearDedicated)), None)
    return None if control is None else _view(control, machine)


def _view(control: NearDedicated, machine: Machine) -> NightView:
    state, spec, hz = control.state, control.spec, machine.spec.hz
    window, job, waiting = _window(control), job_card(control), control.waiting()
    at_s = _next_start_s(window, job, machine.now_s)
    by_estimate = lane_by_estimate(waiting, at_s, window.end_s)
    by_pace = lane_by_pace(waiting, _next_by_pace_s(job, at_s, machine.now_s), window.end_s)
    night, last = _reports(control)
    use: MemoryUse = memory_use(control)
    return NightView(
        time_s=machine.now_s,
        cpus=machine.spec.cpus,
        required_efficiency=spec.required_efficiency,
        phase=state.phase,
        since_s=state.since_tick / hz,
        window=window,
        phase_text=phase_text(control),
        edge=None if state.edge is None else (state.edge, state.phase),
        leaves_by=leaves_by(control),
        preempting=control.preemption.is_on,
        job=job,
        queue=queue_rows(waiting, at_s, window.end_s, by_estimate, by_pace, machine.spec.start),
        plan_by_estimate=_planned(by_estimate, window),
        plan_by_pace=_planned(by_pace, window),
        too_long=_planned(lane_of_too_long(waiting, at_s, window.end_s), window),
        order=state.order,
        by_hand_until_s=_by_hand_until_s(control, waiting),
        next_reorder_s=None if state.order == "by-hand" else state.reorder_tick / hz,
        night=night,
        last_night=last,
        memory=use.memory,
        sds=use.sds,
        memory_mw=machine.spec.memory.size_mw,
        sds_mw=machine.spec.memory.sds_mw,
        suspended=use.suspended,
        suspended_mw=use.suspended_mw,
        swapped_out=use.swapped_out,
        alerts=alerts_seen(control),
        note=state.note,
        note_by=note_by(control),
        note_s=None if state.note_tick is None else state.note_tick / hz,
        kill_effect=_kill_effect(control, waiting),
    )


def _window(control: NearDedicated) -> Window:
    now = control.state.window
    if now is not None:
        return Window(now.start_s, now.end_s, True, now.closing, now.by_hand)
    planned = control.planned()
    if planned is None:
        return Window(None, None, False)
    return Window(planned.start_s, planned.end_s, False, by_hand=planned.by_hand)


def _next_start_s(window: Window, job: JobCard | None, now_s: float) -> float:
    """Return the first certain start of the next job: after the watchdog's kill, or when the window opens."""
    if job is not None:
        return max(now_s, job.watchdog_s)
    return now_s if window.is_open or window.start_s is None else window.start_s


def _next_by_pace_s(job: JobCard | None, at_s: float, now_s: float) -> float:
    if job is None or job.expected_end_s is None:
        return at_s
    return max(now_s, min(job.expected_end_s, job.watchdog_s))


def _planned(bars: tuple[PlanBar, ...], window: Window) -> tuple[PlanBar, ...]:
    """Return the bars of a plan; none without a window, or in one that was stopped."""
    return () if window.end_s is None or window.closing else bars


def _by_hand_until_s(control: NearDedicated, waiting: list[Waiting]) -> float | None:
    state = control.state
    moved = is_moved([job.request for job in waiting], state.ordered)
    if not moved or state.order == "by-hand":
        return None
    return state.reorder_tick / control.machine.spec.hz


def _reports(control: NearDedicated) -> tuple[ReportView | None, ReportView | None]:
    state, machine = control.state, control.machine
    if state.night is None:
        return None, None
    now = recorder.totals(machine)
    views = (
        None if night is None else night.view(machine.tick, now, machine.spec.hz)
        for night in (state.night, state.last_night)
    )
    tonight, before = views
    is_over = tonight is not None and tonight.end_s is not None
    return tonight, tonight if is_over else before


def _kill_effect(control: NearDedicated, waiting: list[Waiting]) -> str:
    """Return the consequences of a kill for its dialog; empty if no job runs."""
    state, now_s = control.state, control.machine.now_s
    if state.run is None or state.window is None:
        return ""
    ends = "Preemption ends" if state.session is None else "Dedicated time continues"
    if state.window.closing or state.window.end_s <= now_s:
        return f"{ends}. The window is over and no more jobs start."
    following = first_that_fits(waiting, now_s, state.window.end_s)
    if following is None:
        return f"{ends}. The control scans the queue, and no job in it fits now."
    return f"{ends}. The control scans the queue and starts {following.name} ({following.person})."


SOMEBODY = "scenario"  # Events of the timeline are not in the log.


def alerts_seen(control: NearDedicated) -> tuple[Alert, ...]:
    """Return all persisting alerts, worst and oldest first."""
    seen = control.state.acknowledged
    alerts = [
        replace(one, acknowledged_by=_who(control.machine, seen[one.key], "acknowledge", about(one.key)))
        if one.key in seen
        else one
        for one in control.alerts()
    ]
    return tuple(sorted(alerts, key=lambda one: (one.level != "danger", one.since_s)))


def note_by(control: NearDedicated) -> str:
    """Return the author of the note; empty without a note."""
    tick = control.state.note_tick
    return "" if tick is None else _who(control.machine, tick, "write note", "note")


def _who(machine: Machine, tick: int, action: str, on: str) -> str:
    """Return the operator of an action at a tick, from the log."""
    log = machine.audit
    first = bisect_left(log, tick, key=_tick)
    found = SOMEBODY
    for at in range(first, len(log)):
        row = log[at]
        if row.tick != tick:
            break
        if row.done and (row.action, row.on) == (action, on):
            found = row.who or found
    return found


def _tick(row: AuditRow) -> int:
    return row.tick


def phase_text(control: NearDedicated) -> dict[Phase, str]:
    """Return a line for each phase."""
    state = control.state
    dedicated = control.spec.mode == "dedicated"
    lines = {
        Phase.IDLE: "window closed",
        Phase.SCANNING: "first that fits",
        Phase.PREEMPTING: "preemption on",
        Phase.RUNNING: "watchdog on",
        Phase.DRAINING: "normal priorities",
    }
    if dedicated:
        lines |= {
            Phase.CHECKPOINTING: "jobs written out",
            Phase.PREEMPTING: "job starts",
            Phase.DRAINING: "jobs restarted",
        }
        if state.phase is Phase.SCANNING and state.session is None:
            lines[Phase.SCANNING] = (
                f"{length_words(control.work_s())} of {length_words(control.spec.least_work_s)} waiting"
            )
    if state.phase is Phase.IDLE and (planned := control.planned()) is not None:
        lines[Phase.IDLE] = f"next {control.clock(planned.start_s)}"
    if state.phase in (Phase.PREEMPTING, Phase.RUNNING) and not dedicated:
        lines[Phase.PREEMPTING] = preemption_text(control) or lines[Phase.PREEMPTING]
    if state.phase is Phase.RUNNING:
        lines[Phase.RUNNING] = so_far(control)
    return lines


def leaves_by(control: NearDedicated) -> str:
    """Return the end of the present phase, in words."""
    return f"Leaves {control.state.phase.value} by: {_ends(control)}."


def _ends(control: NearDedicated) -> str:
    state = control.state
    if state.phase is Phase.IDLE:
        planned = control.planned()
        return "start by hand" if planned is None else f"window at {control.clock(planned.start_s)}, Start"
    if state.phase is Phase.CHECKPOINTING:
        return "all jobs written out"
    if state.phase is Phase.DRAINING:
        restarting = state.session is not None and state.session.is_over
        return "all jobs read back" if restarting else "normal priorities in force"
    if state.phase is Phase.SCANNING or state.run is None:
        end = "" if state.window is None else f", window's end at {control.clock(state.window.end_s)}"
        return f"a job that fits{_by_chance(control)}{end}, Stop"
    if is_over(control):
        return "job ends when the clock advances"
    watchdog = f"watchdog at {control.clock(state.run.watchdog.deadline_s)}, Kill"
    first = "job in memory, SDS granted" if state.phase is Phase.PREEMPTING else "job ends"
    return f"{first}, {watchdog}"


def _by_chance(control: NearDedicated) -> str:
    """Return a remark on the first job that takes its chances, if no job fits; otherwise empty."""
    window = control.state.window
    if window is None or window.closing or control.state.run is not None:
        return ""
    job = could_take_chances(control.waiting(), control.machine.now_s, window.end_s)
    return "" if job is None else f" ({job.label} takes its chances if moved to place 1)"
