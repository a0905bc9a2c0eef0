"""The state of the controller, as a checkpoint stores it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fsconsole.neardedicated.eligibility import Demonstration
from fsconsole.neardedicated.nd_window import Night
from fsconsole.neardedicated.plain import several
from fsconsole.neardedicated.plan import Planned
from fsconsole.neardedicated.view import Alert, Efficiency, Phase


@dataclass
class OpenNow:
    """The open window.

    Attributes:
        end_s: its end.
        by_hand: whether an operator has opened or moved it.
        closing: whether it was stopped by hand while a job runs, which continues to its end.
    """

    start_s: float
    end_s: float
    by_hand: bool = False
    closing: bool = False


KILLED_BY_WATCHDOG, KILLED_AT_END = "killed by watchdog", "killed at the window's end"


@dataclass
class Watchdog:
    """The watchdog that kills a job.

    Attributes:
        alive_since_s: start of the job.
        estimate_s: wall time that it was given.
        end_s: end of the window if the job takes chances and is killed there at the latest.
        extended_s: extensions by operators.
        retry_s: time of the next attempt if the job could not be killed.
    """

    alive_since_s: float
    estimate_s: float
    end_s: float | None = None
    extended_s: float = 0.0
    retry_s: float | None = None

    @property
    def deadline_s(self) -> float:
        """Time of the kill, with extensions."""
        by_estimate = self.alive_since_s + self.estimate_s
        return (by_estimate if self.end_s is None else min(by_estimate, self.end_s)) + self.extended_s

    @property
    def acts_s(self) -> float:
        """Time of its next action."""
        return self.deadline_s if self.retry_s is None else max(self.deadline_s, self.retry_s)

    @property
    def how(self) -> str:
        """Action in the words of the job summary."""
        by_estimate = self.alive_since_s + self.estimate_s
        is_early = self.end_s is not None and self.end_s < by_estimate
        return KILLED_AT_END if is_early else KILLED_BY_WATCHDOG


@dataclass
class Run:
    """The job that has been started.

    Attributes:
        watchdog: its watchdog.
        cpu_s, mflop: its use up to the last line of the report.
        efficiency, mflops: of the last interval.
        below_since_s: since when its efficiency is below the required one.
        history: efficiency of all intervals.
    """

    request: int
    label: str
    started_tick: int
    watchdog: Watchdog
    cpu_s: float = 0.0
    mflop: float = 0.0
    efficiency: float | None = None
    mflops: float = 0.0
    below_since_s: float | None = None
    history: list[Efficiency] = field(default_factory=list)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Run:
        """Return the job that `to_plain` wrote."""
        values = dict(data)
        values["watchdog"] = Watchdog(**values["watchdog"])
        values["history"] = several(Efficiency, values["history"])
        return cls(**values)


@dataclass
class Session:
    """Dedicated time: the work stopped for it.

    Attributes:
        queues: stopped queues. jobs: requests of checkpointed jobs. pids: suspended processes.
        others: requests that others were checkpointing or restarting.
        killed: number of jobs that could not be checkpointed; lost_cpu_s: their CPU time.
        is_over: whether the stopped work is returning.
        opened_again: whether an operator has reopened the window.
    """

    queues: list[str] = field(default_factory=list)
    jobs: list[int] = field(default_factory=list)
    pids: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    killed: int = 0
    lost_cpu_s: float = 0.0
    is_over: bool = False
    opened_again: bool = False


@dataclass
class State:
    """The state of the controller; ticks and times are the machine's.

    Attributes:
        phase, since_tick, edge: the phase, its start, and the phase before.
        called: whether an event requires an action.
        window: the open window; moved: the next one, if an operator has moved it.
        considered_s: start of the last scheduled window that was opened, or of an operator's stop.
        run: the started job; session: dedicated time.
        normal: settings to restore when preemption ends.
        scan_tick: next scan of the queue; seen: the queue at the last scan.
        reorder_tick, order, ordered: next sorting of the queue, its policy, and its last result.
        row_tick: next line of the report; None without an open window.
        refused: reasons of failed starts by job.
        night, last_night: records of the last two windows.
        events: alerts about events. acknowledged: ticks of acknowledgements, by key of the alert.
        note, note_tick: note for the next operator.
        shown: best efficiencies that `ja` has shown, by person and name; looked_at: the last request
            included.
    """

    order: str
    phase: Phase = Phase.IDLE
    since_tick: int = 0
    edge: Phase | None = None
    called: bool = True
    window: OpenNow | None = None
    moved: Planned | None = None
    considered_s: float | None = None
    run: Run | None = None
    session: Session | None = None
    normal: dict[str, Any] = field(default_factory=dict)
    scan_tick: int = 0
    seen: list[list[Any]] = field(default_factory=list)
    reorder_tick: int = 0
    ordered: list[int] = field(default_factory=list)
    row_tick: int | None = None
    refused: dict[int, str] = field(default_factory=dict)
    night: Night | None = None
    last_night: Night | None = None
    events: list[Alert] = field(default_factory=list)
    acknowledged: dict[str, int] = field(default_factory=dict)
    note: str = ""
    note_tick: int | None = None
    shown: list[Demonstration] = field(default_factory=list)
    looked_at: int = 0

    def enter(self, phase: Phase, tick: int) -> None:
        """Enter a phase at a tick."""
        self.phase, self.edge, self.since_tick = phase, self.phase, tick

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> State:
        """Return the state that `to_plain` wrote."""
        values = dict(data)
        values["phase"] = Phase(values["phase"])
        values["edge"] = None if values["edge"] is None else Phase(values["edge"])
        for name, kind in (("window", OpenNow), ("moved", Planned), ("session", Session)):
            values[name] = None if values[name] is None else kind(**values[name])
        for name, read in (
            ("run", Run.from_json),
            ("night", Night.from_json),
            ("last_night", Night.from_json),
        ):
            values[name] = None if values[name] is None else read(values[name])
        values["refused"] = {int(request): why for request, why in values["refused"].items()}
        values["events"] = several(Alert, values["events"])
        values["shown"] = several(Demonstration, values["shown"])
        return cls(**values)
