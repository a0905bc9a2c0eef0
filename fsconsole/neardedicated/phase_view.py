"""The controller's state chart in words."""

from __future__ import annotations

from fsconsole.neardedicated.controller import NearDedicated
from fsconsole.neardedicated.job_view import is_over, preemption_text, so_far
from fsconsole.neardedicated.plan import could_take_chances
from fsconsole.neardedicated.view import Phase
from fsconsole.text.durations import length_words


def phase_text(control: NearDedicated) -> dict[Phase, str]:
    """A line for each phase."""
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
    """How the present phase ends, in words."""
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
        return "job ends when the clock runs"
    watchdog = f"watchdog at {control.clock(state.run.watchdog.deadline_s)}, Kill"
    first = "job in memory, SDS granted" if state.phase is Phase.PREEMPTING else "job ends"
    return f"{first}, {watchdog}"


def _by_chance(control: NearDedicated) -> str:
    """What an operator can let start though nothing fits: the first one that takes its chances."""
    window = control.state.window
    if window is None or window.closing or control.state.run is not None:
        return ""
    job = could_take_chances(control.waiting(), control.machine.now_s, window.end_s)
    return "" if job is None else f" ({job.label} takes its chances if moved to place 1)"
