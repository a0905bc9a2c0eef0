"""Protocol of a target: values that a console can read at any time, and actions that it offers.

A simulated machine, a recorded run, a real cluster and Linux are targets. Views ask the session for its
target and never for a kind of target. A capability is what only some targets have. A view asks for it, and
shows nothing if the target does not offer it.
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
    """Time of a target, in seconds.

    Attributes:
        first_s: time of the first known value.
        until_s: time at which the run is meant to end; None for a run without end.
        epoch_s: seconds since 1970 at time 0; None for simulated time.
    """

    first_s: float = 0.0
    until_s: float | None = None
    epoch_s: float | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """Status of a target in words: a line for the status bar, and a full text for the tooltip."""

    text: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Nodes to plot together, because they have something in common.

    Attributes:
        title: name of the group, such as `Users with work`.
        nodes: nodes of the tree, in its order.
        nobody: text if there are no such nodes, with what to do.
    """

    title: str
    nodes: Callable[[ShareTree], Sequence[int]]
    nobody: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """Source of the values in a figure.

    Attributes:
        title: beginning of the figure's title.
        source: name of the target, such as `Slurm cluster lab`.
        settings: settings that affect the values, by name.
        origin: how the values were obtained.
    """

    title: str
    source: str
    settings: Mapping[str, Any]
    origin: str


def without_system(quantity: str) -> str:
    """Return the name of a quantity without system groups; see `Target.rescaled`."""
    return f"{quantity}_without_system"


def column_of(target: Target, quantity: str, *, leave_out_system: bool) -> str:
    """Return the column of a quantity, with or without system groups."""
    return without_system(quantity) if leave_out_system and quantity in target.rescaled else quantity


class Target(Protocol):
    """A machine or cluster that the console shows; no method blocks. Times are seconds of `clock`."""

    @property
    def name(self) -> str:
        """Name in the console."""
        ...

    @property
    def node_title(self) -> str:
        """Word for a node of its tree."""
        ...

    @property
    def root_title(self) -> str:
        """Title of the root; empty for the name that it has."""
        ...

    @property
    def quantities(self) -> tuple[str, ...]:
        """Quantities to plot for nodes, from the top."""
        ...

    def leading(self, *, is_low: bool) -> tuple[str, ...]:
        """Return the quantities to plot until the user chooses others; fewer in a low window."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns besides the nodes' names, from left to right."""
        ...

    @property
    def rescaled(self) -> frozenset[str]:
        """Quantities that the target also offers as fractions without system groups."""
        ...

    def unused(self) -> frozenset[str]:
        """Return columns that mean nothing with the settings that the target has now."""
        ...

    @property
    def fault(self) -> str:
        """Sentence on the error that stopped the target for good, and its time; empty while it runs."""
        ...

    @property
    def fault_report(self) -> str:
        """Full report of the fault; empty without one."""
        ...

    @property
    def clock(self) -> Clock:
        """Clock of the target's times."""
        ...

    @property
    def now_s(self) -> float:
        """Present time, s on the target's clock."""
        ...

    @property
    def is_moving(self) -> bool:
        """True if new values may arrive without a request."""
        ...

    @property
    def look_ms(self) -> int:
        """Interval at which to look for new values while the target moves."""
        ...

    def look(self) -> int:
        """Read new values; return a number that grows with every visible change."""
        ...

    def status(self) -> Status:
        """Return the status of the target."""
        ...

    def tree(self) -> ShareTree | None:
        """Return the target's share tree; None while it is unknown."""
        ...

    def at(self, time_s: float | None = None) -> Moment | None:
        """Return the target's values at a time, by default now; None while they are unknown."""
        ...

    def times(self, start_s: float, end_s: float, points: int | None = None) -> Floats:
        """Return the times of the samples between two times, s [k], as far as they are kept separately.

        With `points` also return older times that represent several samples; at most about 2 * `points` of
        them.
        """
        ...

    def span_at(self, time_s: float) -> tuple[float, float]:
        """Return the times between which `at` gives the largest values, or that one time."""
        ...

    def keep(self, times: Iterable[float]) -> None:
        """Keep the values at these times, whatever their age; release all others."""
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
        """Return past and planned events, in order of time."""
        ...

    def choices(self) -> tuple[Choice, ...]:
        """Return groups of nodes to plot; the first group is drawn until the user chooses."""
        ...

    def about(self) -> About:
        """Return the source of the target's values."""
        ...

    def offer(self, capability: Capability[T]) -> T | None:
        """Return the target's implementation of a capability; None if it does not offer it."""
        ...

    def close(self, *, wait: bool = False) -> None:
        """End threads and free resources; with `wait`, wait at most some seconds for them."""
        ...
