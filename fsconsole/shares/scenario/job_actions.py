"""What is done to jobs, queues and the near-dedicated window, by whomever."""

from __future__ import annotations

from dataclasses import dataclass, field

from fsconsole.shares.scenario.event_kinds import Refers, event, refers
from fsconsole.shares.scenario.job_spec import JobSpec
from fsconsole.shares.scenario.nd_spec import Order


@dataclass(frozen=True, slots=True)
class _OfRequest:
    """What is done to a job, by its request number."""

    request: int = field(metadata=refers(Refers.REQUEST))


@event("submit", is_derived=False)
@dataclass(frozen=True, slots=True)
class SubmitJob:
    """Put a job at the end of its queue; it gets the next request number."""

    job: JobSpec = field(metadata=refers(Refers.JOB))


@event("kill_job")
@dataclass(frozen=True, slots=True)
class KillJob(_OfRequest):
    """Kill a running job, or take a waiting one out of its queue; `hold_others` holds the user's others."""

    hold_others: bool = False


@event("hold_job")
@dataclass(frozen=True, slots=True)
class HoldJob(_OfRequest):
    """Keep a waiting job from being started."""


@event("release_job")
@dataclass(frozen=True, slots=True)
class ReleaseJob(_OfRequest):
    """Let a held job be started again."""


@event("move_job")
@dataclass(frozen=True, slots=True)
class MoveJob(_OfRequest):
    """Move a waiting job to a place of its queue, counted from 1."""

    place: int


@event("run_job")
@dataclass(frozen=True, slots=True)
class RunJob(_OfRequest):
    """Start a waiting job now, out of turn and even if its queue is stopped; its run limits hold."""


@event("checkpoint_job")
@dataclass(frozen=True, slots=True)
class CheckpointJob(_OfRequest):
    """Write a running job out and let it stand still until it is restarted."""


@event("restart_job")
@dataclass(frozen=True, slots=True)
class RestartJob(_OfRequest):
    """Read a checkpointed job back and let it go on."""


@event("extend_job", needs_windows=True)
@dataclass(frozen=True, slots=True)
class ExtendJob(_OfRequest):
    """Let the watchdog kill the running job so much later (s), earlier if negative."""

    by_s: float


@event("set_queue")
@dataclass(frozen=True, slots=True)
class SetQueue:
    """Start or stop a queue; jobs that run are left alone."""

    queue: str = field(metadata=refers(Refers.QUEUE))
    started: bool


@event("suspend_process")
@dataclass(frozen=True, slots=True)
class SuspendProcess:
    """Let a process stand still; its SDS is written out."""

    pid: int


@event("resume_process")
@dataclass(frozen=True, slots=True)
class ResumeProcess:
    """Let a suspended process go on, as soon as there is SDS for it."""

    pid: int


@event("open_window", is_bare=True, needs_windows=True)
@dataclass(frozen=True, slots=True)
class OpenWindow:
    """Start the near-dedicated window now, up to a time of the machine (s), or the scheduled end."""

    end_s: float | None = field(default=None, metadata=refers(key="until_s"))


@event("close_window", is_bare=True, needs_windows=True)
@dataclass(frozen=True, slots=True)
class CloseWindow:
    """End the window now; a running job goes on to its end unless `kill_running`.

    `request` is the job that may be killed: where another one runs the action is refused.
    """

    kill_running: bool = False
    request: int | None = field(default=None, metadata=refers(Refers.REQUEST))


@event("move_window", needs_windows=True)
@dataclass(frozen=True, slots=True)
class MoveWindow:
    """Another start or end, s since 0, of the window that is open or comes next; None leaves it."""

    start_s: float | None = None
    end_s: float | None = None


@event("order_queue", is_word=True, needs_windows=True)
@dataclass(frozen=True, slots=True)
class OrderQueue:
    """Another site policy for the order of the near-dedicated queue; it is put in order at once."""

    order: Order


@event("acknowledge", is_word=True, needs_windows=True)
@dataclass(frozen=True, slots=True)
class Acknowledge:
    """Somebody has seen an alert, by its key."""

    alert: str


@event("write_note", is_word=True, needs_windows=True)
@dataclass(frozen=True, slots=True)
class WriteNote:
    """A note for the next operator; it replaces the last one."""

    text: str


JobAction = (
    SubmitJob | KillJob | HoldJob | ReleaseJob | MoveJob | RunJob | SetQueue | CheckpointJob | RestartJob
    | SuspendProcess | ResumeProcess
)  # fmt: skip
WindowAction = OpenWindow | CloseWindow | MoveWindow | ExtendJob | OrderQueue | Acknowledge | WriteNote
