"""Actions on a machine, its jobs and windows from outside: by the timeline or by a person, alike."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from fsconsole.shares.edits import Edit
from fsconsole.shares.edits import from_json as edit_from_json
from fsconsole.shares.edits import to_json as edit_to_json
from fsconsole.shares.scenario.event_kinds import EVENTS, Refers, event, refers
from fsconsole.shares.scenario.job_spec import JobSpec
from fsconsole.shares.scenario.nd_spec import Order

NICE_LEVELS = 40
NORMAL_NICE = 20
MAX_PROCESSES = 100_000  # A machine has room for no more.
MAX_SYSCALLS_PER_S = 1e7
MAX_CLICKS = 2**40  # A click has 512 words.
# In place of a node, it is the account that the person works on at the time.
CURRENT_ACCOUNT = -1
_NICE = refers(ge=0, lt=NICE_LEVELS)


@dataclass(frozen=True, slots=True)
class Work:
    """Work of a process: computing without end, for a time, or in bursts with sleeps between them.

    Attributes:
        burst_s: mean CPU time of a burst; None computes without a pause.
        sleep_s: mean sleep after each burst.
        cpu_s: CPU time after which the process ends by itself; None for never.
        spread: `fixed` lengths or `exponential` ones (seeded).
        device: device that is asked after each burst; the process waits until it has been served.
        io_s: mean time that the device needs for a request.
        syscalls_per_s: system calls per CPU second.
        clicks, sds_clicks: memory and SDS held, in clicks of 512 words.
        system_fraction: part of its CPU time that is system time.
        mflops: floating-point operations per second of user time, in millions.
        locked_fraction: part of the time in which locked I/O is under way (what is swapped out has none).
    """

    burst_s: float | None = None
    sleep_s: float = 0.0
    cpu_s: float | None = None
    spread: Literal["fixed", "exponential"] = "exponential"
    device: str | None = None
    io_s: float = 0.0
    syscalls_per_s: float = 0.0
    clicks: int = 0
    sds_clicks: int = 0
    system_fraction: float = 0.0
    mflops: float = 0.0
    locked_fraction: float = 0.0


@event("login", "{who} logs in")
@dataclass(frozen=True, slots=True)
class Login:
    """A user logs in: the leaf becomes active even without a process.

    `person` is who logs in where several people use an account; empty for the leaf's own user.
    """

    node: int = field(metadata=refers(Refers.ACCOUNT))
    person: str = ""


@event("logout", "{who} logs out")
@dataclass(frozen=True, slots=True)
class Logout:
    """A user logs out; the processes go on unless `end_processes`."""

    node: int = field(metadata=refers(Refers.ACCOUNT))
    end_processes: bool = True
    person: str = ""


@event("start", "{who} starts {action.what}")
@dataclass(frozen=True, slots=True)
class StartProcess:
    """Start `count` processes charged to a leaf, or to the root, which is exempt.

    Attributes:
        node: who is charged; CURRENT_ACCOUNT for the account that `person` works on.
        nice: None for the person's own nice value.
        person: who starts it; empty for the leaf's own user.
        interactive: belongs to a terminal session; `machine.defer_interactive_to` may charge another leaf.
    """

    node: int = field(metadata=refers(Refers.ACCOUNT))
    work: Work
    command: str = "loop"
    count: int = 1
    nice: int | None = None
    person: str = ""
    interactive: bool = False

    @property
    def what(self) -> str:
        """The command, with a count of several."""
        return self.command if self.count == 1 else f"{self.count} {self.command}"


@event(
    "end",
    "{who} ends",
    about="Processes that end: all of a user, those of one command, or one by pid.",
    given=("user",),
    wrong="end needs either a user, with or without a command, or a pid",
)
@dataclass(frozen=True, slots=True)
class EndProcesses:
    """End all processes of a node, or those of one command."""

    node: int = field(metadata=refers(Refers.WORKER_OR_ROOT, key="user"))
    command: str | None = None


@event("end", "process {pid} ends", given=("pid",))
@dataclass(frozen=True, slots=True)
class EndProcess:
    """End one process by pid."""

    pid: int = field(metadata=refers(ge=1))


@event(
    "renice",
    "process {pid} has nice {nice}",
    about="Another nice value for one process, or for a user and all processes of theirs.",
    given=("pid",),
    wrong="renice needs either a pid or a user, and the new nice value",
)
@dataclass(frozen=True, slots=True)
class Renice:
    """Give a process another nice value, 0 (favoured) to 39."""

    pid: int = field(metadata=refers(ge=1))
    nice: int = field(metadata=_NICE)


@event("renice", "{person} has nice {nice}", given=("user",))
@dataclass(frozen=True, slots=True)
class ReniceUser:
    """Another base nice value for a person (or a leaf's own user), and for all processes of theirs."""

    person: str = field(metadata=refers(Refers.USER, key="user"))
    nice: int = field(metadata=_NICE)


@event(
    "newacct",
    "{person} works on {name}",
    about="A person who works on another of their accounts from now on.",
)
@dataclass(frozen=True, slots=True)
class NewAccount:
    """A person works on another of their accounts from now on; processes that run stay where they are."""

    person: str = field(metadata=refers(key="user", min_length=1))
    node: int = field(metadata=refers(Refers.ACCOUNT, key="account"))


@event(
    "set_books",
    "books of {name} changed",
    about="Usage or charge of a user or an account is set.",
    given=("usage", "charge"),
    wrong="set_books needs usage, charge or both besides the user",
)
@dataclass(frozen=True, slots=True)
class SetBooks:
    """Write a leaf's usage or charge again; takes effect at the next delta.

    Attributes:
        usage: Decayed usage, in cost units
        charge: Total charge, in CPU seconds
    """

    node: int = field(metadata=refers(Refers.WORKER, key="user"))
    usage: float | None = field(default=None, metadata=refers(ge=0))
    charge: float | None = field(default=None, metadata=refers(ge=0))


@event("restart", "restart", is_bare=True)
@dataclass(frozen=True, slots=True)
class Restart:
    """Stop the machine and start it again: all processes end, everybody is out, the share database stays."""


@event("set_shares", "shares changed")
@dataclass(frozen=True, slots=True)
class ChangeTree:
    """Edit the share tree; takes effect at the next delta."""

    edits: tuple[Edit, ...]


@event("set", "{key}: {value}")
@dataclass(frozen=True, slots=True)
class SetSetting:
    """Set a `machine.*` or `policy.*` setting by its dotted key; takes effect at the next delta."""

    key: str
    value: Any


@event("submit", "")  # Hundreds of submissions would cover all other marks.
@dataclass(frozen=True, slots=True)
class SubmitJob:
    """Put a job at the end of its queue; it gets the next request number."""

    job: JobSpec = field(metadata=refers(Refers.JOB))


@event(
    "order_queue",
    "queue order: {order}",
    is_word=True,
    needs_windows=True,
    about="New order of the near-dedicated queue",
)
@dataclass(frozen=True, slots=True)
class OrderQueue:
    """Another site policy for the order of the near-dedicated queue; it is put in order at once."""

    order: Order


@event(
    "acknowledge",
    "alert {alert} acknowledged",
    is_word=True,
    needs_windows=True,
    about="The key of an acknowledged alert",
)
@dataclass(frozen=True, slots=True)
class Acknowledge:
    """Somebody has seen an alert, by its key."""

    alert: str = field(metadata=refers(min_length=1))


@event("write_note", "note written", is_word=True, needs_windows=True, about="A note for the next operator")
@dataclass(frozen=True, slots=True)
class WriteNote:
    """A note for the next operator; it replaces the last one."""

    text: str


@dataclass(frozen=True, slots=True)
class _OfRequest:
    """Action on a job, by its request number."""

    request: int = field(metadata=refers(Refers.REQUEST))


@event("kill_job", "job {request} killed")
@dataclass(frozen=True, slots=True)
class KillJob(_OfRequest):
    """Kill a running job, or take a waiting one out of its queue; `hold_others` holds the user's others."""

    hold_others: bool = False


@event("hold_job", "job {request} held")
@dataclass(frozen=True, slots=True)
class HoldJob(_OfRequest):
    """Keep a waiting job from being started."""


@event("release_job", "job {request} released")
@dataclass(frozen=True, slots=True)
class ReleaseJob(_OfRequest):
    """Let a held job be started again."""


@event("move_job", "job {request} moved to position {place}")
@dataclass(frozen=True, slots=True)
class MoveJob(_OfRequest):
    """Move a waiting job to a place of its queue, counted from 1."""

    place: int


@event("run_job", "job {request} started out of turn")
@dataclass(frozen=True, slots=True)
class RunJob(_OfRequest):
    """Start a waiting job now, out of turn and even if its queue is stopped; its run limits hold."""


@event("checkpoint_job", "job {request} checkpointed")
@dataclass(frozen=True, slots=True)
class CheckpointJob(_OfRequest):
    """Write a running job out and let it stand still until it is restarted."""


@event("restart_job", "job {request} restarted")
@dataclass(frozen=True, slots=True)
class RestartJob(_OfRequest):
    """Read a checkpointed job back and let it go on."""


@event("extend_job", "job {request} extended by {by_s}", needs_windows=True)
@dataclass(frozen=True, slots=True)
class ExtendJob(_OfRequest):
    """Let the watchdog kill the running job so much later (s), earlier if negative."""

    by_s: float


@event("set_queue", "queue {queue} {action.state}")
@dataclass(frozen=True, slots=True)
class SetQueue:
    """Start or stop a queue; jobs that run are left alone."""

    queue: str = field(metadata=refers(Refers.QUEUE))
    started: bool

    @property
    def state(self) -> str:
        """State of the queue from then on."""
        return "started" if self.started else "stopped"


@event("suspend_process", "process {pid} suspended")
@dataclass(frozen=True, slots=True)
class SuspendProcess:
    """Let a process stand still; its SDS is written out."""

    pid: int


@event("resume_process", "process {pid} resumed")
@dataclass(frozen=True, slots=True)
class ResumeProcess:
    """Let a suspended process go on, as soon as there is SDS for it."""

    pid: int


@event("open_window", "near-dedicated window opened", is_bare=True, needs_windows=True)
@dataclass(frozen=True, slots=True)
class OpenWindow:
    """Start the near-dedicated window now, up to a time of the machine (s), or the scheduled end."""

    end_s: float | None = field(default=None, metadata=refers(key="until_s"))


@event("close_window", "near-dedicated window closed", is_bare=True, needs_windows=True)
@dataclass(frozen=True, slots=True)
class CloseWindow:
    """End the window now; a running job goes on to its end unless `kill_running`.

    `request` is the job that may be killed: where another one runs the action is refused.
    """

    kill_running: bool = False
    request: int | None = field(default=None, metadata=refers(Refers.REQUEST))


@event("move_window", "near-dedicated window moved", needs_windows=True)
@dataclass(frozen=True, slots=True)
class MoveWindow:
    """Another start or end, s since 0, of the window that is open or comes next; None leaves it."""

    start_s: float | None = None
    end_s: float | None = None


JobAction = (
    SubmitJob | KillJob | HoldJob | ReleaseJob | MoveJob | RunJob | SetQueue | CheckpointJob | RestartJob
    | SuspendProcess | ResumeProcess
)  # fmt: skip
WindowAction = OpenWindow | CloseWindow | MoveWindow | ExtendJob | OrderQueue | Acknowledge | WriteNote
Action = (
    Login | Logout | StartProcess | EndProcesses | EndProcess | Renice | ReniceUser | NewAccount | SetBooks
    | Restart | ChangeTree | SetSetting | JobAction | WindowAction
)  # fmt: skip

_KINDS = {re.sub(r"\B(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in EVENTS}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def words(action: Action) -> str:
    """Return the name of an action in words, such as `kill job`."""
    return _NAMES[type(action)].replace("_", " ")


def to_json(action: Action) -> dict[str, Any]:
    """Return an action as plain data for the journal."""
    data: dict[str, Any] = {"action": _NAMES[type(action)]}
    for name in action.__dataclass_fields__:
        value = getattr(action, name)
        if name in ("work", "job"):
            value = {part: getattr(value, part) for part in value.__dataclass_fields__}
        elif name == "edits":
            value = [edit_to_json(edit) for edit in value]
        data[name] = value
    return data


def from_json(data: dict[str, Any]) -> Action:
    """Return the action that `to_json` wrote.

    Raises:
        ValueError: the data is not of an action.
    """
    values = dict(data)
    name = values.pop("action", None)
    if name not in _KINDS:
        msg = f"{name!r} is not an action"
        raise ValueError(msg)
    if "work" in values:
        values["work"] = Work(**values["work"])
    if "job" in values:
        values["job"] = JobSpec(**values["job"])
    if "edits" in values:
        values["edits"] = tuple(edit_from_json(edit) for edit in values["edits"])
    action: Action = _KINDS[name](**values)
    return action
