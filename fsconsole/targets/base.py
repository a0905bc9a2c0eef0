"""The protocol of a target: what a console looks at, at any time, and what it can have done there.

A simulated machine, a recorded run, a real cluster and Linux are targets. Views ask the session for its
target and never for a kind of target. What only some targets have is a capability: a view asks for it, and
shows nothing where it is not offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from fsconsole.shares.flat import Floats
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.events import Event

if TYPE_CHECKING:
    from fsconsole.machine.insight.control import Control
    from fsconsole.machine.shell import Reply
    from fsconsole.recording.journal import JournalEntry, Outcome
    from fsconsole.shares.scenario.actions import Action
    from fsconsole.shares.scenario.spec import Scenario
    from fsconsole.targets.hold_rules import HoldRule
    from fsconsole.targets.snapshot import Snapshot

T = TypeVar("T")
MAX_SPEED = float("inf")
SPEEDS = (1.0, 10.0, 100.0, 1000.0, MAX_SPEED)


@dataclass(frozen=True, eq=False, slots=True)
class Capability(Generic[T]):
    """Something that some targets can do and others cannot; `Target.offer` gives what does it."""

    name: str


@dataclass(frozen=True, slots=True)
class Clock:
    """How a target counts time, in seconds.

    Attributes:
        first_s: when what is known begins.
        until_s: when the run is meant to end; None where it goes on for ever.
        epoch_s: seconds since 1970 at time 0; None where time is simulated.
    """

    first_s: float = 0.0
    until_s: float | None = None
    epoch_s: float | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """How a target does, in words: a line for the status bar, and all of it for the tooltip."""

    text: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Nodes that are worth a curve, by what they have in common.

    Attributes:
        title: `Users with work`.
        nodes: those of a tree, in its order.
        nobody: what to say where there are none, and what to do.
    """

    title: str
    nodes: Callable[[ShareTree], Sequence[int]]
    nobody: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """What figures say of where their values are from.

    Attributes:
        title: what titles of figures begin with.
        source: `Slurm cluster lab`.
        settings: what counts for the values, by name.
        origin: how they were obtained.
    """

    title: str
    source: str
    settings: Mapping[str, Any]
    origin: str


@dataclass(frozen=True, slots=True)
class Note:
    """What else is to be known of a value.

    Attributes:
        text: a word in place of the number; empty where the number stands.
        mark: stands before the number.
        tip: sentences about it.
    """

    text: str = ""
    mark: str = ""
    tip: str = ""


class Moment(Protocol):
    """A target at one time; immutable."""

    @property
    def time_s(self) -> float:
        """The time, as the target's clock counts."""
        ...

    def values(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Values of nodes, float64 [nodes]; NaN where nothing is known of that time."""
        ...

    def last_known(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """The same, and where nothing is known of that time what was known last."""
        ...

    def remark(self, node: int) -> str:
        """Words in place of all values of a node; empty where it has values."""
        ...

    def note(self, quantity: str, node: int) -> Note:
        """What else is to be known of a value."""
        ...

    def trouble(self, quantity: str) -> str:
        """Why the values of a quantity are older than this time; empty where they are not."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class PastMoment:
    """A time that has passed, as far as a target remembers it: its values and no more.

    Attributes:
        read: gives values of nodes in a quantity at a time.
    """

    time_s: float
    read: Callable[[str, Sequence[int], float], Floats]

    def values(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Values of nodes, float64 [nodes]; NaN where nothing is remembered."""
        return self.read(quantity, nodes, self.time_s)

    def last_known(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """The same: nothing older is looked up."""
        return self.values(quantity, nodes)

    def remark(self, _node: int) -> str:
        """Nothing is remembered of that."""
        return ""

    def note(self, _quantity: str, _node: int) -> Note:
        """Nothing is remembered of that."""
        return Note()

    def trouble(self, _quantity: str) -> str:
        """Nothing is remembered of that."""
        return ""


def without_system(quantity: str) -> str:
    """Name a quantity as it is asked for where system groups are left out; see `Target.rescaled`."""
    return f"{quantity}_without_system"


def column_of(target: Target, quantity: str, *, leave_out_system: bool) -> str:
    """Return what a target is asked for, so that a quantity is shown with or without system groups."""
    return without_system(quantity) if leave_out_system and quantity in target.rescaled else quantity


class Target(Protocol):
    """What is looked at; nothing here blocks. Times are seconds of `clock`."""

    @property
    def name(self) -> str:
        """What the console calls it."""
        ...

    @property
    def node_title(self) -> str:
        """What a node of its tree is called."""
        ...

    @property
    def root_title(self) -> str:
        """What the root is called; empty for the name that it has."""
        ...

    @property
    def quantities(self) -> tuple[str, ...]:
        """What is plotted of nodes, from the top."""
        ...

    def leading(self, *, is_low: bool) -> tuple[str, ...]:
        """The quantities that are plotted unless somebody chooses; fewer in a low window."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """What stands beside the nodes' names, from left to right."""
        ...

    @property
    def rescaled(self) -> frozenset[str]:
        """Quantities that it has once more `without_system`: of what is left without system groups."""
        ...

    def unused(self) -> frozenset[str]:
        """Columns that mean nothing with the settings that the target has now."""
        ...

    @property
    def fault(self) -> str:
        """What stopped the target for good, and when, in a sentence; empty while it goes."""
        ...

    @property
    def fault_report(self) -> str:
        """The whole story of the fault; else empty."""
        ...

    @property
    def clock(self) -> Clock:
        """How it counts time."""
        ...

    @property
    def now_s(self) -> float:
        """The present."""
        ...

    @property
    def is_moving(self) -> bool:
        """Whether something new may come without being asked for."""
        ...

    @property
    def look_ms(self) -> int:
        """How often it is worth while to look for something new, while it moves."""
        ...

    def look(self) -> int:
        """Take in what has come since the last call; the number grows with everything that can be seen."""
        ...

    def status(self) -> Status:
        """How it does."""
        ...

    def tree(self) -> ShareTree | None:
        """The share tree as the target has it; None while that is not known."""
        ...

    def at(self, time_s: float | None = None) -> Moment | None:
        """The target at a time, or now; None while nothing is known of it."""
        ...

    def times(self, start_s: float, end_s: float, points: int | None = None) -> Floats:
        """When values were taken between two times, as far as they are still told apart one by one.

        With `points` also older times, which stand for several; at most about 2 * `points` of them.
        """
        ...

    def span_at(self, time_s: float) -> tuple[float, float]:
        """From when to when `at` gives the largest values: one time where it gives those of that time."""
        ...

    def keep(self, times: Iterable[float]) -> None:
        """Keep the values at these times as they are, however old they become; let go of others."""
        ...

    def revision(self, quantity: str) -> int:
        """It grows with every value of a quantity."""
        ...

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]:
        """Times (k,) and values (n, k) between two times, at most about 2 * `points` of them."""
        ...

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Times, smallest and largest values over all nodes."""
        ...

    def watch(self, nodes: Iterable[int]) -> None:
        """Keep the curves of these nodes, however large the tree."""
        ...

    def events(self) -> Sequence[Event]:
        """What happened and what is planned, in order of time."""
        ...

    def choices(self) -> tuple[Choice, ...]:
        """Which nodes are worth a curve; the first of these are drawn where nobody chooses."""
        ...

    def about(self) -> About:
        """Where its values are from."""
        ...

    def offer(self, capability: Capability[T]) -> T | None:
        """What does something that only some targets can do; None where it cannot be done here."""
        ...

    def close(self, *, wait: bool = False) -> None:
        """End threads and free what is held; `wait` for it at most some seconds."""
        ...


class Playback(Protocol):
    """Time that can be run, stopped and stepped."""

    @property
    def is_running(self) -> bool:
        """Whether time passes, or has just been told to."""
        ...

    @property
    def speed(self) -> float:
        """Seconds of the target per second; `MAX_SPEED` is as fast as it goes."""
        ...

    def run(self) -> None:
        """Let time pass."""
        ...

    def pause(self) -> None:
        """Stop time."""
        ...

    def set_speed(self, speed: float) -> None:
        """So many seconds of the target per second."""
        ...

    def step(self, ticks: int) -> Future[None]:
        """Pause and advance by a number of ticks."""
        ...


class ClockHolds(Protocol):
    """The clock can be held where something happens."""

    @property
    def hold_rules(self) -> tuple[HoldRule, ...]:
        """What can happen here that the clock can be held at."""
        ...

    @property
    def holds(self) -> frozenset[str]:
        """Names of the rules at which it is held."""
        ...

    def hold_at(self, rules: Iterable[str]) -> None:
        """Hold the clock at these rules from now on, by name; others than are known here count nothing."""
        ...


class Explained(Protocol):
    """Why one node goes before another."""

    @property
    def rule(self) -> str:
        """By what it is decided: the name of a policy, or of Slurm's algorithm."""
        ...

    @property
    def rule_title(self) -> str:
        """The same as people read it."""
        ...

    @property
    def levels(self) -> Sequence[Any]:
        """What is common, the way to the one, the way to the other: each has node, name, depth, which, ..."""
        ...

    @property
    def leaf(self) -> int:
        """The node that was explained: the one asked for, or who stands for it."""
        ...

    @property
    def verdict(self) -> str:
        """Who goes first and why, in sentences."""
        ...

    @property
    def standing(self) -> str:
        """What else to know of it; empty for nothing."""
        ...

    @property
    def compared(self) -> tuple[str, ...]:
        """Whose factors there are, by name; empty where priorities are not made of factors."""
        ...

    @property
    def factors(self) -> Sequence[Any]:
        """What their priorities are made of: each has label, texts, fulls, note, source, ..."""
        ...


class Explainer(Protocol):
    """Can say why one goes before another."""

    @property
    def has_factors(self) -> bool:
        """Whether it explains processes, whose priorities are made of factors."""
        ...

    def why(
        self, node: int, other: int | None = None, pid: int | None = None, *, at: Moment | None = None
    ) -> Future[Any]:
        """Ask for an `Explained`; LookupError where it cannot be said.

        Args:
            node: who is explained; of a group one of its users.
            other: who is compared with it.
            pid: a process of the first that is meant.
            at: the time that is explained, of this target; the newest where it is None.
        """
        ...


class RewindError(LookupError):
    """An instant that cannot be reached; the message says why."""


class Rewind(Protocol):
    """Any instant that has passed can be looked at as it was, and gone on from."""

    def moment(self, time_s: float) -> Future[Any]:
        """Ask for the `Snapshot` of an instant; one that was asked for before and not begun is cancelled."""
        ...

    def checkpoint(self, time_s: float) -> Future[bytes]:
        """Ask for the whole state at an instant."""
        ...

    def ask(self, time_s: float, question: Callable[[Any], T]) -> Future[T]:
        """Ask something of the machine as it was at an instant; the question must not change it."""
        ...

    def forget(self) -> None:
        """Drop the state at hand, so that the next question is answered from what is kept alone."""
        ...

    def journal(self) -> Sequence[JournalEntry]:
        """Return what was done to the machine from outside, oldest first."""
        ...


class Recording(Protocol):
    """What happens can be written into a run folder."""

    def start_recording(self, path: Path, *, overwrite: bool = False) -> Future[str]:
        """Record from now on; the future has the words for the status bar."""
        ...

    def stop_recording(self) -> Future[str]:
        """Complete the run folder."""
        ...


class Machine(Protocol):
    """A machine with processes: what it is made of, what it does, and what can be done to it at once.

    Attributes:
        scenario: what it was made of, which a checkpoint belongs to.
        preparing: what is done before the first snapshot; empty after that.
    """

    scenario: Scenario
    preparing: str

    def snapshot(self) -> Snapshot | None:
        """The newest snapshot; None before the first one."""
        ...

    def submit(self, action: Action, who: str = "", why: str = "") -> Future[Outcome]:
        """Queue an action; the future says what happened. `who` and `why` go into journal and audit."""
        ...

    def command(self, line: str, who: str, folder: Path | None = None, signs: str = "") -> Future[Reply]:
        """Queue a command line; every `who` has a shell of their own. Files are read from `folder`, if any.

        Journal and audit log call that person `signs`, or `who` where that is empty.
        """
        ...

    def complete(self, line: str) -> Future[tuple[str, ...]]:
        """The words that the last one of a command line may become."""
        ...

    def control(self, node: int, *, at: Moment | None = None) -> Future[Control]:
        """Ask for the policy's block diagram and fair line at a node; LookupError where it has none.

        `at` is the time that is asked for, of this target; the newest where it is None.
        """
        ...

    def checkpoint(self) -> Future[bytes]:
        """Ask for the whole state, to try things on a copy; `load` takes it with `scenario`."""
        ...


class PastJobs(Protocol):
    """The jobs of a cluster as they were."""

    def at(self, time_s: float) -> tuple[Any, ...] | None:
        """All jobs (`slurm.jobs.Job`) at a time of the clock; None where they are not known."""
        ...


class Hold(Protocol):
    """What is shown can be held while more is read."""

    @property
    def is_held(self) -> bool:
        """Whether what is shown stays."""
        ...

    def hold(self, *, is_held: bool) -> None:
        """Show no other values from now on, or the newest ones again."""
        ...


class Refresh(Protocol):
    """What is looked at can be read again."""

    def refresh(self) -> None:
        """Read what may be read now."""
        ...


EXPLAINER: Capability[Explainer] = Capability("saying why")
HOLD: Capability[Hold] = Capability("holding what is shown")
REFRESH: Capability[Refresh] = Capability("reading again")
CLOCK_HOLDS: Capability[ClockHolds] = Capability("holding the clock at events")
PLAYBACK: Capability[Playback] = Capability("time that can be run and stopped")
PAST_JOBS: Capability[PastJobs] = Capability("jobs as they were")
REWIND: Capability[Rewind] = Capability("looking at the past as it was")
RUN_FOLDER: Capability[Path] = Capability("a run folder that is looked at")
RECORDING: Capability[Recording] = Capability("run folders")
MACHINE: Capability[Machine] = Capability("processes and actions on a machine")


class Offers:
    """What a target offers, by capability."""

    def __init__(self) -> None:
        self._offered: dict[Capability[Any], Any] = {}

    def add(self, capability: Capability[T], what: T) -> None:
        """Offer something."""
        self._offered[capability] = what

    def get(self, capability: Capability[T]) -> T | None:
        """What is offered; None where nothing is."""
        found: T | None = self._offered.get(capability)
        return found
