"""What an operator sees of the night: immutable, remade for each snapshot of the machine.

Times are seconds since the machine's 0; `None` where there is none yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """Where the controller's event loop stands (Brady et al. Figure 2)."""

    IDLE = "Idle"  # the window is closed
    SCANNING = "Scanning"  # looks for the first job that fits
    PREEMPTING = "Preempting"  # the job is started: data, memory and SDS are on their way
    RUNNING = "Running"  # a job computes
    DRAINING = "Draining"  # back to normal priorities; in dedicated mode, jobs are restarted
    CHECKPOINTING = "Checkpointing"  # dedicated mode: all other jobs are written out


class Fit(StrEnum):
    """Whether a waiting job could be started if it were next."""

    FITS = "Fits"
    TOO_LONG = "Does not fit"
    TAKES_CHANCES = "Takes chances"
    HELD = "Held"
    NOT_ELIGIBLE = "Not eligible"


@dataclass(frozen=True, slots=True)
class Efficiency:
    """CPU efficiency over the interval that ends at `time_s`; None while the job prepares.

    `partly_setup`: it prepared, or waited for its first memory and SDS, in a part of the interval.
    """

    time_s: float
    efficiency: float | None
    partly_setup: bool = False


@dataclass(frozen=True, slots=True)
class JobCard:
    """The job that runs.

    Attributes:
        request, person, name, queue, node: who and what it is; `node` names the l-node.
        started_s, elapsed_s: since when, how long.
        setup_s: wall time before it computes, with its first waits for memory and SDS, so far or in all.
        estimate_s: wall time estimate; watchdog_s: when the watchdog kills it, extensions included.
        expected_end_s: when it will have used the CPU time asked for at the pace that it has now, or is
            killed by the watchdog; None while that cannot be said.
        efficiency: over the last report interval; mean_efficiency: since the preparation ended.
        below_since_s: since when the efficiency is below what is required.
        cpu_s, requested_cpu_s: CPU time used and asked for. tasks: processors that it uses.
        memory_mw, sds_mw: held now; wanted_memory_mw, wanted_sds_mw: what it needs.
        swaps, swap_s: how often and how long memory was waited for; sds_wait_s the same for SDS.
        mflops: millions of floating-point operations per wall second, over the last interval.
        waiting_for: what it waits for now, in words; empty while it computes.
        history: efficiency by interval, oldest first.
        state: what it does now, in a word.
        is_over: whether it was killed on a machine that stands still; its end and its watchdog are then now.
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


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A job that waits in the near-dedicated queue.

    Attributes:
        place: counted from 1.
        estimate_s: wall time estimate. shown_efficiency: None where nothing was shown.
        fit, why: whether it alone fits what is left of the window; what the plan does with it, in words.
        left_s: time to spare once it has ended by its estimate (negative: too long); None where no window
            is open or planned.
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
    """The window that is open, or comes next.

    Attributes:
        start_s, end_s: None where none is planned.
        is_open: whether jobs may be started. closing: stopped by hand while a job still runs.
        by_hand: whether start or end were moved by an operator.
    """

    start_s: float | None
    end_s: float | None
    is_open: bool
    closing: bool = False
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class UseRow:
    """A line of the system usage table: the interval that ends at `time_s` (Figure 3).

    user, system, idle are fractions of all CPU time; mflops of the whole machine. What follows is of the
    job that runs: person empty and efficiency None where none does or while it prepares (-1.0 on paper);
    partly_setup as in `Efficiency`.
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
    """A part of memory or SDS: who holds it (`ND job`, `Batch`, `Interactive`, `System`), in MW."""

    who: str
    mw: float


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that an operator should know.

    Attributes:
        key: unique as long as the cause lasts, such as `efficiency:41877`.
        level: `warn` or `danger`.
        acknowledged_by: who has seen it; empty for nobody.
    """

    key: str
    level: str
    text: str
    since_s: float
    acknowledged_by: str = ""


@dataclass(frozen=True, slots=True)
class ReportView:
    """The night so far, or the last one: what the performance report is made of.

    Attributes:
        start_s: when the window began; end_s None while it is open.
        jobs, use: the summary of jobs that have ended, and the lines of system usage.
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
    """All that the Operate workspace shows.

    Attributes:
        time_s: when. cpus: processors of the machine.
        required_efficiency: fraction that a user must have shown.
        phase, since_s: where the controller stands, and since when.
        phase_text: a line for each phase that has something to say, such as `38:18 so far`.
        edge: the last change of phase; leaves_by: how the present phase ends, in words.
        preempting: whether preemptive scheduling is on.
        job: the running job; queue: those that wait; all in the order of the queue.
        plan_by_estimate, plan_by_pace: if all estimates are used, if jobs end as expected.
        too_long: what does not fit, drawn from where it could start.
        order: site policy in force; by_hand_until_s: until when an order made by hand stays.
        next_reorder_s: when the policy puts the queue in order next.
        night: the window that is open, or the last one; last_night: the last one that is over.
        memory, sds: who holds what; memory_mw, sds_mw their sizes.
        suspended, suspended_mw: processes that stand still because SDS was taken from them, going on or not,
            and how much that was.
        swapped_out: images that are out of memory.
        alerts: those that last, acknowledged ones too. note: what the last operator has left.
        note_by: who wrote it.
        kill_effect: what a kill would do, in words for its dialog; empty without a job.
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
    """What an extension would do, before it is done.

    Attributes:
        watchdog_s: when the watchdog would kill then; window_end_s: where the window ends.
        past_end_s: how far that is beyond the window's end; 0 if it is not.
        no_longer_fit: queued jobs that fit now and would not then (by estimates).
        problem: why it cannot be done; empty where it can.
    """

    watchdog_s: float
    window_end_s: float | None
    past_end_s: float
    no_longer_fit: tuple[QueueRow, ...]
    problem: str = ""
