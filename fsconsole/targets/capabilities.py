"""Capabilities of some targets: their protocols, and how callers ask for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from fsconsole.targets.moments import Moment

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
    """A capability of some targets; `Target.offer` gives the object that has it."""

    name: str


class Playback(Protocol):
    """Time that can be run, stopped and stepped."""

    @property
    def is_running(self) -> bool:
        """True if time passes, or was just started."""
        ...

    @property
    def speed(self) -> float:
        """Seconds of the target per second; `MAX_SPEED` is as fast as it goes."""
        ...

    def run(self) -> None:
        """Start simulated or recorded time."""
        ...

    def pause(self) -> None:
        """Stop simulated or recorded time."""
        ...

    def set_speed(self, speed: float) -> None:
        """Set the speed in seconds of the target per second."""
        ...

    def step(self, ticks: int) -> Future[None]:
        """Pause and advance by a number of ticks."""
        ...


class ClockHolds(Protocol):
    """The clock can be held where something happens."""

    @property
    def hold_rules(self) -> tuple[HoldRule, ...]:
        """Events here at which the clock can be held."""
        ...

    @property
    def holds(self) -> frozenset[str]:
        """Names of the rules at which it is held."""
        ...

    def hold_at(self, rules: Iterable[str]) -> None:
        """Hold the clock at these rules from now on, by name; others than are known here count nothing."""
        ...


class Explained(Protocol):
    """Explanation why one node goes before another."""

    @property
    def rule(self) -> str:
        """Name of the policy, or of Slurm's algorithm, that decides."""
        ...

    @property
    def rule_title(self) -> str:
        """Title of the policy or algorithm that decides."""
        ...

    @property
    def levels(self) -> Sequence[Any]:
        """Common levels, then the levels on the way to each node; each has node, name, depth, which, ..."""
        ...

    @property
    def leaves_out_system(self) -> bool:
        """Whether shares and usage are of the machine without system groups."""
        ...

    @property
    def leaf(self) -> int:
        """Explained node: the requested node, or the leaf that represents it."""
        ...

    @property
    def verdict(self) -> str:
        """Sentences on the node that goes first, with reasons."""
        ...

    @property
    def standing(self) -> str:
        """Further facts on the node; may be empty."""
        ...

    @property
    def compared(self) -> tuple[str, ...]:
        """Names of the nodes with factors; empty if priorities do not consist of factors."""
        ...

    @property
    def factors(self) -> Sequence[Any]:
        """Factors of the priorities; each has label, texts, fulls, note, source, ..."""
        ...


class Explainer(Protocol):
    """Capability to explain why one goes before another."""

    @property
    def has_factors(self) -> bool:
        """True if the explainer covers processes, whose priorities consist of factors."""
        ...

    def why(
        self, node: int, other: int | None = None, pid: int | None = None, *, at: Moment | None = None
    ) -> Future[Any]:
        """Request an `Explained`; LookupError if there is no explanation.

        Args:
            node: node to explain; for a group, one of its users is explained.
            other: node to compare it with.
            pid: process of the first node.
            at: time of the target to explain; None for the newest.
        """
        ...


class RewindError(LookupError):
    """An instant cannot be reached; the message gives the reason."""


class Rewind(Protocol):
    """Capability to show any past instant as it was, and to continue from it."""

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
        """Drop the restored state, so that the next request is answered from stored data alone."""
        ...

    def journal(self) -> Sequence[JournalEntry]:
        """Return the actions on the machine from outside, oldest first."""
        ...


class Recording(Protocol):
    """Capability to write events into a run folder."""

    def start_recording(self, path: Path, *, overwrite: bool = False) -> Future[str]:
        """Record from now on; the future has the words for the status bar."""
        ...

    def stop_recording(self) -> Future[str]:
        """Complete the run folder."""
        ...


class Machine(Protocol):
    """Machine with processes: its scenario, its state, and immediate actions.

    Attributes:
        scenario: scenario of the machine; checkpoints belong to it.
    """

    scenario: Scenario

    def snapshot(self) -> Snapshot | None:
        """Return the newest snapshot; None before the first one."""
        ...

    def submit(self, action: Action, who: str = "", why: str = "") -> Future[Outcome]:
        """Queue an action; the future returns its outcome. Journal and audit log record `who` and `why`."""
        ...

    def command(self, line: str, who: str, folder: Path | None = None, signs: str = "") -> Future[Reply]:
        """Queue a command line. Each `who` has a separate shell, which reads files from `folder`, if any.

        Journal and audit log record `signs`, or `who` if that is empty.
        """
        ...

    def complete(self, line: str) -> Future[tuple[str, ...]]:
        """Return the words that the last one of a command line may become."""
        ...

    def control(self, node: int, *, at: Moment | None = None) -> Future[Control]:
        """Request the policy's block diagram and fair line at a node; LookupError if it has none.

        `at` is a time of the target; None for the newest.
        """
        ...

    def checkpoint(self) -> Future[bytes]:
        """Ask for the whole state, to try things on a copy; `load` takes it with `scenario`."""
        ...


class PastJobs(Protocol):
    """The jobs of a cluster as they were."""

    def at(self, time_s: float) -> tuple[Any, ...] | None:
        """Return all jobs (`slurm.jobs.Job`) at a time of the clock; None if they are unknown."""
        ...


class Hold(Protocol):
    """Capability to freeze the display while reading goes on."""

    @property
    def is_held(self) -> bool:
        """True while the display is frozen."""
        ...

    def hold(self, *, is_held: bool) -> None:
        """Show no other values from now on, or the newest ones again."""
        ...


class Refresh(Protocol):
    """Capability to read again."""

    def refresh(self) -> None:
        """Read all parts that may be read now."""
        ...


EXPLAINER: Capability[Explainer] = Capability("saying why")
HOLD: Capability[Hold] = Capability("freezing the values shown")
REFRESH: Capability[Refresh] = Capability("reading again")
CLOCK_HOLDS: Capability[ClockHolds] = Capability("holding the clock at events")
PLAYBACK: Capability[Playback] = Capability("time that can be run and stopped")
PAST_JOBS: Capability[PastJobs] = Capability("recorded jobs")
REWIND: Capability[Rewind] = Capability("a view of the past")
RUN_FOLDER: Capability[Path] = Capability("an open run folder")
RECORDING: Capability[Recording] = Capability("run folders")
MACHINE: Capability[Machine] = Capability("processes and actions on a machine")


class Offers:
    """Capabilities of a target."""

    def __init__(self) -> None:
        self._offered: dict[Capability[Any], Any] = {}

    def add(self, capability: Capability[T], what: T) -> None:
        """Offer a capability and the object that has it."""
        self._offered[capability] = what

    def get(self, capability: Capability[T]) -> T | None:
        """Return the offered capability; None if it is not offered."""
        found: T | None = self._offered.get(capability)
        return found
