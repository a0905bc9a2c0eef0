"""The operator's view of the night: immutable, and created for each snapshot of the machine.

Times are seconds since the machine's 0; `None` for unknown ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

_MINUTE_S, _STEP_S = 60.0, 300.0


class Phase(StrEnum):
    """Phase of the controller's event loop (Brady et al. Figure 2)."""

    IDLE = "Idle"  # The window is closed.
    SCANNING = "Scanning"  # The first job that fits is searched for.
    PREEMPTING = "Preempting"  # The job is started: data, memory and SDS are on their way.
    RUNNING = "Running"  # A job computes.
    DRAINING = "Draining"  # Normal priorities return; in dedicated mode, jobs are restarted.
    CHECKPOINTING = "Checkpointing"  # In dedicated mode, all other jobs are written out.


class Fit(StrEnum):
    """True if a waiting job could start if it were next."""

    FITS = "Fits"
    TOO_LONG = "Does not fit"
    TAKES_CHANCES = "Takes chances"
    HELD = "Held"
    NOT_ELIGIBLE = "Not eligible"


@dataclass(frozen=True, slots=True)
class Efficiency:
    """CPU efficiency over the interval that ends at `time_s`; None while the job prepares.

    `partly_setup`: whether it prepared, or waited for its first memory and SDS, in a part of the interval.
    """

    time_s: float
    efficiency: float | None
    partly_setup: bool = False


@dataclass(frozen=True, slots=True)
class JobCard:
    """The running job.

    Attributes:
        request, person, name, queue, node: its identity; `node` is the name of the l-node.
        started_s, elapsed_s: its start and its elapsed time.
        setup_s: wall time before it computes, with its first waits for memory and SDS, so far or in all.
        estimate_s: wall time estimate; watchdog_s: time of the watchdog's kill, with extensions.
        expected_end_s: time at which it will have used the requested CPU time at its present pace, or at
            which the watchdog kills it; None while unknown.
        needs_until_s: the same without the watchdog; None while unknown, and without any progress.
        efficiency: over the last report interval; mean_efficiency: since the preparation ended.
        below_since_s: since when the efficiency is below the required one.
        cpu_s, requested_cpu_s: CPU time used and requested. tasks: processors that it uses.
        memory_mw, sds_mw: held now; wanted_memory_mw, wanted_sds_mw: its needs.
        swaps, swap_s: number and length of waits for memory; sds_wait_s: length of waits for SDS.
        mflops: millions of floating-point operations per wall second, over the last interval.
        waiting_for: its present wait in words; empty while it computes.
        history: efficiency by interval, oldest first.
        state: its present activity in a word.
        is_over: whether it was killed on a paused machine; its end and its watchdog are then now.
    """

    request: int
    person: str
    name: str
    queue: str
    node: str
    tasks: int
    started_s: float
    elapsed_s: float
    setup_s: float
    estimate_s: float
    watchdog_s: float
    expected_end_s: float | None
    efficiency: float | None
    mean_efficiency: float | None
    below_since_s: float | None
    cpu_s: float
    requested_cpu_s: float
    memory_mw: float
    sds_mw: float
    wanted_memory_mw: float
    wanted_sds_mw: float
    swaps: int
    swap_s: float
    sds_wait_s: float
    mflops: float
    waiting_for: str = ""
    history: tuple[Efficiency, ...] = ()
    state: str = "Running"
    is_over: bool = False
    needs_until_s: float | None = None

    @property
    def short_s(self) -> float:
        """Time that it lacks at its pace when the watchdog kills it; 0 below a minute."""
        lacks_s = 0.0 if self.needs_until_s is None else self.needs_until_s - self.watchdog_s
        return lacks_s if lacks_s >= _MINUTE_S else 0.0

    @property
    def is_stuck(self) -> bool:
        """Whether it made no progress lately, so that no end is expected before the watchdog's kill."""
        is_at_kill = self.expected_end_s is not None and self.expected_end_s >= self.watchdog_s
        return is_at_kill and self.needs_until_s is None

    @property
    def extension_s(self) -> float:
        """Extension with which it ends at its pace, in whole five minutes; 0 if it needs none."""
        return math.ceil(self.short_s / _STEP_S) * _STEP_S


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A waiting job of the near-dedicated queue.

    Attributes:
        place: counted from 1.
        estimate_s: wall time estimate. shown_efficiency: None without a demonstration.
        fit, why: whether it alone fits the rest of the window; its place in the plan, in words.
        left_s: time to spare after its end by its estimate (negative: too long); None without an open or
            planned window.
    """

    place: int
    request: int
    person: str
    name: str
    requested_cpu_s: float
    estimate_s: float
    shown_efficiency: float | None
    fit: Fit
    why: str
    left_s: float | None
    memory_mw: float = 0.0
    sds_mw: float = 0.0


@dataclass(frozen=True, slots=True)
class PlanBar:
    """A job in a lane of the timeline, by its request; `place` in the queue, 0 for the running one."""

    request: int
    place: int
    label: str
    start_s: float
    end_s: float
    fits: bool = True


@dataclass(frozen=True, slots=True)
class Window:
    """The open window, or the next one.

    Attributes:
        start_s, end_s: None without a planned window.
        is_open: whether jobs may start. closing: whether it was stopped by hand while a job still runs.
        by_hand: whether an operator moved its start or end.
    """

    start_s: float | None
    end_s: float | None
    is_open: bool
    closing: bool = False
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class UseRow:
    """A line of the system usage table: the interval that ends at `time_s` (Figure 3).

    user, system, idle are fractions of all CPU time; mflops is that of the whole machine. The other values
    are those of the running job: without one, person is empty; efficiency is None without one or while it
    prepares (-1.0 on paper); partly_setup as in `Efficiency`.
    """

    time_s: float
    user: float
    system: float
    idle: float
    mflops: float
    person: str = ""
    efficiency: float | None = None
    memory_mw: float = 0.0
    sds_clicks: int = 0
    sbrk: int = 0
    swaps: int = 0
    partly_setup: bool = False


@dataclass(frozen=True, slots=True)
class JobRow:
    """A line of the job summary (Figure 3): a job that has ended.

    `setup_s` is the wall time before it computed, with its first waits for memory and SDS.
    `how`: ended, aborted, killed by watchdog, killed by operator, killed at window's end.
    """

    request: int
    person: str
    name: str
    start_s: float
    wall_s: float
    setup_s: float
    efficiency: float | None
    sbrk: int
    swaps: int
    swap_s: float
    sds_wait_s: float
    most_memory_mw: float
    most_sds_mw: float
    cpu_s: float
    exit_status: int
    how: str


@dataclass(frozen=True, slots=True)
class Held:
    """A part of memory or SDS in MW, with its holder (`ND job`, `Batch`, `Interactive`, `System`)."""

    who: str
    mw: float


@dataclass(frozen=True, slots=True)
class Alert:
    """A warning for an operator.

    Attributes:
        key: unique as long as the cause persists, such as `efficiency:41877`.
        level: `warn` or `danger`.
        acknowledged_by: name of the operator who acknowledged it; empty without one.
    """

    key: str
    level: str
    text: str
    since_s: float
    acknowledged_by: str = ""


@dataclass(frozen=True, slots=True)
class ReportView:
    """The present or last night: the data of the performance report.

    Attributes:
        start_s: start of the window; end_s: its end, None while it is open.
        jobs, use: the summary of ended jobs, and the lines of system usage.
        user, system, idle: of the window so far, fractions. mflops: their mean.
    """

    start_s: float
    end_s: float | None
    jobs: tuple[JobRow, ...]
    use: tuple[UseRow, ...]
    user: float
    system: float
    idle: float
    mflops: float


@dataclass(frozen=True, slots=True)
class NightView:
    """The whole content of the Operate workspace.

    Attributes:
        time_s: time of the view. cpus: processors of the machine.
        required_efficiency: fraction that a user must have demonstrated.
        phase, since_s: phase of the controller, and its start.
        phase_text: a line for each phase with a remark, such as `38:18 so far`.
        edge: the last change of phase; leaves_by: how the present phase ends, in words.
        preempting: whether preemptive scheduling is on.
        job: the running job; queue: the waiting ones, in the order of the queue.
        plan_by_estimate, plan_by_pace: plans with full estimates and with expected ends.
        too_long: jobs that do not fit, drawn from their possible start.
        order: site policy in force; by_hand_until_s: until when an order made by hand stays.
        next_reorder_s: time at which the policy next sorts the queue.
        night: the window that is open, or the last one; last_night: the last one that is over.
        memory, sds: use by holder; memory_mw, sds_mw: their sizes.
        suspended, suspended_mw: processes that lost their SDS, running again or not, and its size.
        swapped_out: images out of memory.
        alerts: persisting alerts, acknowledged ones too. note: note of the last operator.
        note_by: its author.
        kill_effect: effect of a kill, in words for its dialog; empty without a job.
    """

    time_s: float
    cpus: int
    required_efficiency: float
    phase: Phase
    since_s: float
    window: Window
    phase_text: dict[Phase, str]
    edge: tuple[Phase, Phase] | None
    leaves_by: str
    preempting: bool
    job: JobCard | None
    queue: tuple[QueueRow, ...]
    plan_by_estimate: tuple[PlanBar, ...]
    plan_by_pace: tuple[PlanBar, ...]
    too_long: tuple[PlanBar, ...]
    order: str
    by_hand_until_s: float | None
    next_reorder_s: float | None
    night: ReportView | None
    last_night: ReportView | None
    memory: tuple[Held, ...]
    sds: tuple[Held, ...]
    memory_mw: float
    sds_mw: float
    suspended: int
    suspended_mw: float
    swapped_out: int
    alerts: tuple[Alert, ...] = ()
    note: str = ""
    note_by: str = ""
    note_s: float | None = None
    kill_effect: str = ""


@dataclass(frozen=True, slots=True)
class ExtendEffect:
    """The effect of an extension, before it is made.

    Attributes:
        watchdog_s: time of the watchdog's kill; window_end_s: end of the window.
        past_end_s: time by which the kill is after the window's end, otherwise 0.
        needs_until_s: time until which the job needs at its pace, where the kill is before that; otherwise
            None.
        no_longer_fit: queued jobs that fit now but would not then (by estimates).
        problem: reason why it is impossible; empty if it is possible.
    """

    watchdog_s: float
    window_end_s: float | None
    past_end_s: float
    no_longer_fit: tuple[QueueRow, ...]
    problem: str = ""
    needs_until_s: float | None = None
