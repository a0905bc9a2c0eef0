"""The protocol of a target: what a console looks at, at any time, and what it can have done there.

A simulated machine, a recorded run, a real cluster and Linux are targets. Views ask the session for its
target and never for a kind of target. What only some targets have is a capability: a view asks for it, and
shows nothing where it is not offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from fsconsole.shares.flat import Floats
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.capabilities import (
    CLOCK_HOLDS,
    EXPLAINER,
    HOLD,
    MACHINE,
    MAX_SPEED,
    PAST_JOBS,
    PLAYBACK,
    RECORDING,
    REFRESH,
    REWIND,
    RUN_FOLDER,
    SPEEDS,
    Capability,
    ClockHolds,
    Explained,
    Explainer,
    Hold,
    Machine,
    Offers,
    PastJobs,
    Playback,
    Recording,
    Refresh,
    Rewind,
    RewindError,
)
from fsconsole.targets.events import Event
from fsconsole.targets.moments import Moment, Note, PastMoment

__all__ = [
    "CLOCK_HOLDS",
    "EXPLAINER",
    "HOLD",
    "MACHINE",
    "MAX_SPEED",
    "PAST_JOBS",
    "PLAYBACK",
    "RECORDING",
    "REFRESH",
    "REWIND",
    "RUN_FOLDER",
    "SPEEDS",
    "About",
    "Capability",
    "Choice",
    "Clock",
    "ClockHolds",
    "Explained",
    "Explainer",
    "Hold",
    "Machine",
    "Moment",
    "Note",
    "Offers",
    "PastJobs",
    "PastMoment",
    "Playback",
    "Recording",
    "Refresh",
    "Rewind",
    "RewindError",
    "Status",
    "Target",
    "column_of",
    "without_system",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Clock:
    """How a target counts time, in seconds.

    Attributes:
        first_s: when what is known begins.
        until_s: when the run is meant to end; None where it goes on without end.
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
        """Return the quantities that are plotted unless somebody chooses; fewer in a low window."""
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
        """Return columns that mean nothing with the settings that the target has now."""
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
        """Present time, s on the target's clock."""
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
        """Return how it does."""
        ...

    def tree(self) -> ShareTree | None:
        """Return the share tree as the target has it; None while that is not known."""
        ...

    def at(self, time_s: float | None = None) -> Moment | None:
        """Return the target at a time, or now; None while nothing is known of it."""
        ...

    def times(self, start_s: float, end_s: float, points: int | None = None) -> Floats:
        """Return when values were taken between two times, s [k], as far as they are still told apart one by
        one.

        With `points` also older times, which stand for several; at most about 2 * `points` of them.
        """
        ...

    def span_at(self, time_s: float) -> tuple[float, float]:
        """Return the times between which `at` gives the largest values, or that one time."""
        ...

    def keep(self, times: Iterable[float]) -> None:
        """Keep the values at these times as they are, however old they become; let go of others."""
        ...

    def revision(self, quantity: str) -> int:
        """Return a number that grows with every value of a quantity."""
        ...

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k], between two times, at most about 2 * `points` of
        them.
        """
        ...

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest values over all nodes, [k] each; NaN if none is known."""
        ...

    def watch(self, nodes: Iterable[int]) -> None:
        """Keep the curves of these nodes, however large the tree."""
        ...

    def events(self) -> Sequence[Event]:
        """Return what happened and what is planned, in order of time."""
        ...

    def choices(self) -> tuple[Choice, ...]:
        """Return the nodes that are worth a curve; the first are drawn until the user chooses."""
        ...

    def about(self) -> About:
        """Return where its values are from."""
        ...

    def offer(self, capability: Capability[T]) -> T | None:
        """Return what does something that only some targets can do; None where it cannot be done here."""
        ...

    def close(self, *, wait: bool = False) -> None:
        """End threads and free what is held; `wait` for it at most some seconds."""
        ...
