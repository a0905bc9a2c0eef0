"""The protocol of a target and the snapshot that it publishes."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.sample import Sample
from fsconsole.neardedicated.view import NightView
from fsconsole.recording.audit import AuditRow
from fsconsole.recording.journal import JournalEntry, Outcome
from fsconsole.recording.series import TieredSeries
from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.live import LIVE_COLUMNS
from fsconsole.targets.outside import OutsideChange

if TYPE_CHECKING:
    from fsconsole.machine.insight import Explanation
    from fsconsole.machine.insight.control import Control
    from fsconsole.machine.shell import Reply

MAX_SPEED = float("inf")
SPEEDS = (1.0, 10.0, 100.0, 1000.0, MAX_SPEED)


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """One process as the process table shows it.

    Attributes:
        node: id of the node that it is charged to; the root's is exempt.
        increment: priority points that a tick costs it now.
        cpu_rate: fraction of one CPU over the last rate window.
        cpu_s: CPU seconds used.
        state: running, runnable, sleeping, `waiting for` a device or `I/O on` it; why, if it is held back.
        person: who started it; empty for the node's own user.
    """

    pid: int
    command: str
    node: int
    nice: int
    priority: int
    increment: int
    cpu_rate: float
    cpu_s: float
    state: str
    person: str = ""


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to the machine, for marks in plots and the scrub bar."""

    time_s: float
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """The target at one moment; immutable, replaced as a whole.

    Attributes:
        serial: grows with each snapshot.
        running, speed: whether simulated time passes, and how many times as fast as real time (inf = max).
        real_speed: the speed reached lately.
        sample: values of every node, in `live.LIVE_COLUMNS`.
        logged_in: ids of leaves whose user is logged in.
        increment: priority points that a tick costs, per row of `sample.ids`.
        runnable: mean number of processes that could run lately, per row of `sample.ids`.
        processes: the process table in pid order.
        happenings: what happened so far, in order.
        journal: what was done from outside so far, in order.
        fault: what went wrong in the engine; it stands still then.
        recording: the run folder being written; recording_problem says why one ended by itself.
        outside: what commands changed in tree and settings so far, in order.
        answered: how many submitted actions have been answered.
        night: what an operator sees of near-dedicated scheduling; None where the scenario has none.
        audit: the last actions of people and of control, done or refused, the newest last.
        audit_problem: why an action could not be written into the audit log on disk; empty while all were.
    """

    serial: int
    tick: int
    time_s: float
    running: bool
    speed: float
    real_speed: float
    sample: Sample
    logged_in: frozenset[int]
    processes: tuple[ProcessRow, ...]
    happenings: tuple[Happening, ...] = ()
    journal: tuple[JournalEntry, ...] = ()
    fault: str | None = None
    recording: Path | None = None
    recording_problem: str = ""
    outside: tuple[OutsideChange, ...] = ()
    answered: int = 0
    increment: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    runnable: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    night: NightView | None = None
    audit: tuple[AuditRow, ...] = ()
    audit_problem: str = ""


def has_ended(snapshot: Snapshot, until_s: float) -> bool:
    """Whether a machine stands where its scenario ends."""
    return not snapshot.running and snapshot.time_s > 0 and abs(snapshot.time_s - until_s) < 1e-6


def failed(before: Snapshot | None, reason: str) -> Snapshot:
    """The last snapshot, marked as the one at which the engine stopped."""
    if before is not None:
        return replace(before, serial=before.serial + 1, running=False, fault=reason)
    nothing = Sample(0, 0.0, np.zeros(0, np.int64), {name: np.zeros(0) for name in LIVE_COLUMNS}, np.zeros(0))
    return Snapshot(1, 0, 0.0, False, 0.0, 0.0, nothing, frozenset(), (), fault=reason)


class Target(Protocol):
    """A machine that the console looks at and acts on; nothing here blocks.

    Attributes:
        name: what the console calls it.
        scenario: what its machine was made of, which a checkpoint belongs to.
        series: values of the watched nodes over time.
        fault_report: the whole story where the engine stopped; else empty.
        preparing: what is done before the first snapshot; empty after that.
    """

    name: str
    scenario: Scenario
    series: TieredSeries
    fault_report: str
    preparing: str

    @property
    def is_running(self) -> bool:
        """Whether time passes, or has just been told to."""
        ...

    @property
    def speed(self) -> float:
        """Seconds of the machine per second; `MAX_SPEED` is as fast as it goes."""
        ...

    def snapshot(self) -> Snapshot | None:
        """The newest snapshot; None before the first one."""
        ...

    def submit(self, action: Action, who: str = "", why: str = "") -> Future[Outcome]:
        """Queue an action; the future says what happened. `who` and `why` go into journal and audit."""
        ...

    def command(self, line: str, who: str, folder: Path | None = None, signs: str = "") -> Future[Reply]:
        """Queue a command line; every `who` has a shell of his own. Files are read from `folder`, if any.

        Journal and audit log call him `signs`, or `who` where that is empty.
        """
        ...

    def complete(self, line: str) -> Future[tuple[str, ...]]:
        """The words that the last one of a command line may become."""
        ...

    def why(self, node: int, other: int | None = None, pid: int | None = None) -> Future[Explanation]:
        """Ask why a node's processes go before or after another's; LookupError where it cannot be said."""
        ...

    def control(self, node: int) -> Future[Control]:
        """Ask for the policy's block diagram and fair line at a node; LookupError as `why`."""
        ...

    def checkpoint(self) -> Future[bytes]:
        """Ask for the machine's whole state, to try things on a copy; `load` takes it with `scenario`."""
        ...

    def watch(self, nodes: Iterable[int]) -> None:
        """Keep series of these nodes, however large the tree."""
        ...

    def run(self) -> None:
        """Let time pass."""
        ...

    def pause(self) -> None:
        """Stop time."""
        ...

    def set_speed(self, speed: float) -> None:
        """So many seconds of the machine per second."""
        ...

    def step(self, ticks: int) -> Future[None]:
        """Pause and advance by a number of ticks."""
        ...

    def start_recording(self, path: Path, *, overwrite: bool = False) -> Future[str]:
        """Record into a run folder from now on; the future has the words for the status bar."""
        ...

    def stop_recording(self) -> Future[str]:
        """Complete the run folder."""
        ...

    def close(self, *, wait: bool = False) -> None:
        """End threads and free what is held; `wait` for it at most some seconds."""
        ...
