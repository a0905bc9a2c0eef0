"""Sessions of users, read from a scenario's logins, workloads and events, and written back."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from fsconsole.shares.scenario.actions import (
    Action,
    EndProcesses,
    Login,
    Logout,
    StartProcess,
    Work,
)
from fsconsole.shares.scenario.spec import Event, Scenario
from fsconsole.text.numbers import thousands

COMMAND = "load"
MOST_SESSIONS = 50_000
_KINDS = (Login, Logout, StartProcess, EndProcesses)


@dataclass(frozen=True, slots=True)
class Session:
    """Processes of a leaf from a time on.

    Attributes:
        node: id of the leaf.
        start_s: begin of the processes.
        end_s: end of the processes; None if they end with their own work.
        process: the process; None for a logged-in user without work.
        logs_in: whether the user is logged in from start to end; not for batch jobs.
    """

    node: int
    start_s: float
    end_s: float | None
    process: StartProcess | None
    logs_in: bool = True

    @property
    def count(self) -> int:
        """Number of processes that the session starts."""
        return 0 if self.process is None else self.process.count

    def cpu_s(self, until_s: float) -> float:
        """Return the CPU time requested up to a time, as if each process had a processor to itself."""
        if self.process is None:
            return 0.0
        length_s = max((until_s if self.end_s is None else min(self.end_s, until_s)) - self.start_s, 0.0)
        work = self.process.work
        asked_s = length_s * duty(work)
        return self.count * (asked_s if work.cpu_s is None else min(asked_s, work.cpu_s))

    def busy_until(self, until_s: float) -> float:
        """Return the earliest time at which the work is done, or the end of the run."""
        ends = [until_s if self.end_s is None else min(self.end_s, until_s)]
        if self.process is not None and self.process.work.cpu_s is not None:
            ends.append(self.start_s + self.process.work.cpu_s / max(duty(self.process.work), 1e-9))
        return max(min(ends), self.start_s)


@dataclass(frozen=True, slots=True)
class Plan:
    """Planned load of a scenario.

    Attributes:
        sessions: sessions by leaf, in the order of their begin.
        kept: leaves with events that sessions cannot represent, and the number of these events.
    """

    sessions: Mapping[int, tuple[Session, ...]] = field(default_factory=dict)
    kept: Mapping[int, int] = field(default_factory=dict)

    def all(self) -> Iterator[Session]:
        """Yield all sessions, leaf by leaf."""
        for found in self.sessions.values():
            yield from found


def duty(work: Work) -> float:
    """Return the part of the time in which a process requests a processor if it has the machine to itself."""
    if work.burst_s is None:
        return 1.0
    cycle_s = work.burst_s + work.sleep_s + work.io_s
    return work.burst_s / cycle_s if cycle_s > 0 else 1.0


def has_load(scenario: Scenario) -> bool:
    """Return True if a user will ever log in or run a process, or if there are jobs."""
    is_work = any(_is_work(event.action) for event in scenario.events)
    return bool(scenario.logins or scenario.workloads or scenario.jobs or is_work)


def _is_work(action: Action) -> bool:
    from fsconsole.shares.scenario.actions import SubmitJob

    return isinstance(action, Login | StartProcess | SubmitJob)


def plan_of(scenario: Scenario) -> Plan:
    """Read the sessions of a scenario's leaves; those of people with accounts of their own stay as they are.

    What sessions cannot hold exactly is not made into sessions: writing them back gives the same scenario.
    """
    by_leaf: dict[int, list[tuple[float, Action]]] = defaultdict(list)
    for at_s, action in _lines(scenario):
        by_leaf[_node(action)].append((at_s, action))
    sessions: dict[int, tuple[Session, ...]] = {}
    kept: dict[int, int] = {}
    for node, lines in by_leaf.items():
        found = _sessions(node, lines)
        if found is not None and _in_order(_written(node, found)) == _in_order(lines):
            sessions[node] = tuple(found)
        else:
            kept[node] = len(lines)
    return Plan(sessions, kept)


def with_sessions(scenario: Scenario, sessions: Mapping[int, Sequence[Session]]) -> Scenario:
    """Return the scenario with other sessions of some leaves; ValueError for more than can be simulated.

    All that it says of other leaves, and whatever else happens, stays.
    """
    count = sum(len(of_leaf) for of_leaf in sessions.values())
    if count > MOST_SESSIONS:
        msg = (
            f"The plan has {thousands(count)} sessions, but at most {thousands(MOST_SESSIONS)} are "
            "allowed. Plan a "
            "shorter time."
        )
        raise ValueError(msg)
    lines = [line for node, of_leaf in sessions.items() for line in _written(node, distinct(of_leaf))]
    at_start = [action for at_s, action in lines if at_s == 0]
    events = [event for event in scenario.events if not _is_of(event.action, sessions)]
    events += [Event(at_s, action) for at_s, action in lines if at_s > 0]
    return replace(
        scenario,
        logins=(
            *(node for node in scenario.logins if node not in sessions),
            *(action.node for action in at_start if isinstance(action, Login)),
        ),
        workloads=(
            *(load for load in scenario.workloads if not _is_of(load, sessions)),
            *(action for action in at_start if isinstance(action, StartProcess)),
        ),
        events=tuple(sorted(events, key=lambda event: event.at_s)),
    )


def distinct(sessions: Sequence[Session]) -> list[Session]:
    """Return sessions with distinct commands where they overlap, because ends are by command."""
    made: list[Session] = []
    ends: dict[str, float] = {}  # The latest processes of each command end at these times.
    for one in sorted(sessions, key=lambda one: one.start_s):
        if one.process is not None:
            name, number = one.process.command, 2
            while one.start_s < ends.get(name, -math.inf) != _end(one):
                name, number = f"{one.process.command} {number}", number + 1
            ends[name] = max(_end(one), ends.get(name, -math.inf))
            one = replace(one, process=replace(one.process, command=name))
        made.append(one)
    return made


def load_steps(scenario: Scenario) -> list[tuple[float, float]]:
    """Return times with the processors asked for from then on, from 0 to the end of the run.

    Each process counts for the part of the time in which it wants a processor, until it is ended or could
    have done its work alone.
    """
    until_s = scenario.plot.until_s
    changes: dict[float, float] = defaultdict(float)
    for session in plan_of(scenario).all():
        if session.process is not None and session.start_s < until_s:
            asked = session.count * duty(session.process.work)
            changes[session.start_s] += asked
            changes[session.busy_until(until_s)] -= asked
    steps, asked = [(0.0, 0.0)], 0.0
    for at_s in sorted(changes):
        asked += changes[at_s]
        steps.append((at_s, max(asked, 0.0)))
    return steps


# -- one leaf -----------------------------------------------------------------------------------------------


def _lines(scenario: Scenario) -> Iterator[tuple[float, Action]]:
    yield from ((0.0, Login(node)) for node in scenario.logins)
    yield from ((0.0, load) for load in scenario.workloads if not load.person)
    for event in scenario.events:
        if isinstance(event.action, _KINDS) and not getattr(event.action, "person", ""):
            yield event.at_s, event.action


def _node(action: Action) -> int:
    node: int = getattr(action, "node")  # noqa: B009 (the union has other actions too)
    return node


def _is_of(action: Action, nodes: Mapping[int, object]) -> bool:
    is_own = isinstance(action, _KINDS) and not getattr(action, "person", "")
    return is_own and _node(action) in nodes


def _sessions(node: int, lines: Iterable[tuple[float, Action]]) -> list[Session] | None:
    """Return sessions from logins, starts and ends; None if a login or an end has no partner."""
    runs: list[Session] = []
    running: dict[str, list[int]] = {}  # These are positions in `runs`, by command.
    stays: list[tuple[float, float | None]] = []
    is_in = False
    for at_s, action in sorted(lines, key=lambda line: line[0]):
        match action:
            case Login():
                if is_in:
                    return None
                stays.append((at_s, None))
                is_in = True
            case StartProcess():
                running.setdefault(action.command, []).append(len(runs))
                runs.append(Session(node, at_s, None, action, logs_in=False))
            case EndProcesses(_, command):
                _end_runs(runs, running, at_s, command)
            case Logout(_, end_processes):
                if not is_in:
                    return None
                stays[-1] = (stays[-1][0], at_s)
                is_in = False
                if end_processes:
                    _end_runs(runs, running, at_s, None)
    runs = [replace(run, logs_in=_is_in(run, stays)) for run in runs]
    unions = set(_unions(run for run in runs if run.logs_in))
    idle = [Session(node, *stay, None) for stay in stays if stay not in unions]
    return sorted([*idle, *runs], key=lambda one: one.start_s)


def _end_runs(runs: list[Session], running: dict[str, list[int]], at_s: float, command: str | None) -> None:
    """End the processes of a command, or all."""
    for name in [command] if command is not None else list(running):
        for at in running.pop(name, ()):
            runs[at] = replace(runs[at], end_s=at_s)


def _written(node: int, sessions: Sequence[Session]) -> list[tuple[float, Action]]:
    """Return logins, starts and ends of a leaf in order; at the same time, ends come before starts."""
    runs = [one for one in sessions if one.process is not None]
    lines: list[tuple[float, int, Action]] = []
    done: set[int] = set()
    by_start = deque(sorted(range(len(runs)), key=lambda at: runs[at].start_s))
    # It is a heap of the end times of processes, so that the next end is first.
    running: list[tuple[float, int]] = []
    for start_s, end_s in _unions(one for one in sessions if one.logs_in):
        lines.append((start_s, 1, Login(node)))
        if end_s is None:
            continue
        while by_start and runs[by_start[0]].start_s < end_s:
            at = by_start.popleft()
            heappush(running, (_end(runs[at]), at))
        ended = []
        while running and running[0][0] <= end_s:
            ended.append(heappop(running))
        ends_all = not running
        if ends_all:
            done |= {at for run_end_s, at in ended if run_end_s == end_s}
        lines.append((end_s, 0, Logout(node, end_processes=ends_all)))
    ends: dict[tuple[float, str], Action] = {}
    for at, run in enumerate(runs):
        if run.process is None:
            continue
        lines.append((run.start_s, 2, run.process))
        if run.end_s is not None and at not in done:
            command = run.process.command
            ends[run.end_s, command] = EndProcesses(node, command)
    lines += [(at_s, -1, action) for (at_s, _), action in ends.items()]
    return [(at_s, action) for at_s, _, action in sorted(lines, key=lambda line: line[:2])]


def _in_order(lines: Iterable[tuple[float, Action]]) -> list[tuple[float, str]]:
    return sorted((at_s, repr(action)) for at_s, action in lines)


def _unions(sessions: Iterable[Session]) -> list[tuple[float, float | None]]:
    """Return times covered by sessions, those that meet as one."""
    found: list[tuple[float, float | None]] = []
    for one in sorted(sessions, key=lambda one: one.start_s):
        if found and (found[-1][1] is None or one.start_s <= found[-1][1]):
            start_s, end_s = found[-1]
            later = None if end_s is None or one.end_s is None else max(end_s, one.end_s)
            found[-1] = (start_s, later)
        else:
            found.append((one.start_s, one.end_s))
    return found


def _is_in(run: Session, stays: Sequence[tuple[float, float | None]]) -> bool:
    """Return True if a user is logged in all the time of a run; `stays` are in order and do not overlap."""
    at = bisect_right(stays, run.start_s, key=lambda stay: stay[0]) - 1
    end_s = stays[at][1] if at >= 0 else -math.inf
    return end_s is None or _end(run) <= end_s


def _end(run: Session) -> float:
    return math.inf if run.end_s is None else run.end_s
