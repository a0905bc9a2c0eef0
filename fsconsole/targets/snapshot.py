"""A simulated machine at one moment, as its worker thread publishes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.sample import Sample
from fsconsole.neardedicated.view import NightView
from fsconsole.policies.words import plain_change, words_of
from fsconsole.recording.audit import AuditRow
from fsconsole.recording.journal import JournalEntry
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import MachineSpec, Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import Note
from fsconsole.targets.events import Event
from fsconsole.targets.external_changes import OutsideChange
from fsconsole.targets.live import LIVE_COLUMNS
from fsconsole.text.words import listed, plural


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
    """Something that happened to the machine."""

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
        held: what the clock is held at, in words; empty where it is not.
        recording: the run folder being written; recording_problem says why one ended by itself.
        outside: what commands changed in tree and settings so far, in order.
        answered: how many submitted actions have been answered.
        night: what an operator sees of near-dedicated scheduling; None where the scenario has none.
        audit: the last actions of people and of control, done or refused, the newest last.
        audit_problem: why an action could not be written into the audit log on disk; empty while all were.
        tree, flat: the share tree, and its rows; None where the engine stopped before there was one.
        at_work: ids of nodes that have processes.
        machine, policy: the settings in force; None where the engine stopped before there were any.
    """

    serial: int
    tick: int
    time_s: float
    running: bool
    sample: Sample
    logged_in: frozenset[int]
    processes: tuple[ProcessRow, ...]
    speed: float = 0.0
    real_speed: float = 0.0
    happenings: tuple[Happening, ...] = ()
    journal: tuple[JournalEntry, ...] = ()
    fault: str | None = None
    held: str = ""
    recording: Path | None = None
    recording_problem: str = ""
    outside: tuple[OutsideChange, ...] = ()
    answered: int = 0
    increment: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    runnable: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    night: NightView | None = None
    audit: tuple[AuditRow, ...] = ()
    audit_problem: str = ""
    tree: ShareTree | None = None
    flat: FlatTree | None = None
    at_work: frozenset[int] = frozenset()
    machine: MachineSpec | None = None
    policy: PolicySpec | None = None

    def values(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return values of nodes in one of `live.LIVE_COLUMNS`, [nodes]; NaN where the machine has no such
        node.
        """
        row_of = {} if self.flat is None else self.flat.row_of
        column = self.sample.columns[quantity]
        rows = [row_of.get(node, -1) for node in nodes]
        return np.array([column[row] if row >= 0 else np.nan for row in rows], np.float64)

    def last_known(self, quantity: str, nodes: Sequence[int]) -> Floats:
        """Return values of nodes in one of `live.LIVE_COLUMNS`, [nodes]; a machine has its present ones."""
        return self.values(quantity, nodes)

    def remark(self, node: int) -> str:
        """Return the reason why a node has no values: its user is not logged in, or no user below it is."""
        row = None if self.flat is None else self.flat.row_of.get(node)
        if self.flat is None or row is None:
            return "not logged in"
        if self.flat.is_leaf[row]:
            return "" if node in self.logged_in or node in self.at_work else "not logged in"
        columns = self.sample.columns
        if columns["allocated_share"][row] > 0 or columns["cpu_rate"][row] > 0:
            return ""
        return "no user logged in" if self.flat.end[row] > row + 1 else "no users"

    def note(self, _quantity: str, _node: int) -> Note:
        """Return an empty note: all values of a simulated machine are known."""
        return Note()

    def trouble(self, _quantity: str) -> str:
        """Return an empty text: all values are of this moment."""
        return ""


def has_ended(snapshot: Snapshot, until_s: float) -> bool:
    """Return True if a machine has reached the end of its scenario."""
    return not snapshot.running and snapshot.time_s > 0 and abs(snapshot.time_s - until_s) < 1e-6


def failed(before: Snapshot | None, reason: str) -> Snapshot:
    """Return the last snapshot, marked as the one at which the engine stopped."""
    if before is not None:
        return replace(before, serial=before.serial + 1, running=False, fault=reason)
    nothing = Sample(0, 0.0, np.zeros(0, np.int64), {name: np.zeros(0) for name in LIVE_COLUMNS}, np.zeros(0))
    return Snapshot(1, 0, 0.0, False, nothing, frozenset(), (), fault=reason)


_LOGGED = re.compile(r"(.*) logged (in|out)", re.DOTALL)
_CHANGED = re.compile(r"(.*): ([^:→]*) → ([^→]*) shares?", re.DOTALL)
_NAMES = 3


def machine_events(
    scenario: Scenario, tree: ShareTree, happenings: Iterable[Happening], now_s: float
) -> tuple[Event, ...]:
    """Return the scenario's timeline and the actions by hand, in order of time."""
    words: dict[float, list[str]] = {}
    first = _first_logins(scenario, tree)
    if first:
        words[0.0] = [first]
    planned = set()
    for event in scenario.events:
        planned.add(round(event.at_s, 3))
        text = words_of(event.action, tree)
        if text:
            words.setdefault(event.at_s, []).append(text)
    for happening in happenings:
        if round(happening.time_s, 3) not in planned:
            words.setdefault(happening.time_s, []).append(_short(happening.text))
    nets = {at: _net(texts) for at, texts in words.items()}
    return tuple(Event(at, nets[at], at > now_s) for at in sorted(nets) if nets[at])


def _net(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the net effect of all actions at one instant: reverted shares have never been in force."""
    before: dict[str, str] = {}
    lines: dict[str, None] = {}
    for text in texts:
        if (change := _CHANGED.fullmatch(text)) is None:
            lines[text] = None
            continue
        node, old, new = change.groups()
        first = before.setdefault(node, old)
        for earlier in [one for one in lines if one.startswith(f"{node}: {first} → ")]:
            del lines[earlier]
        if new != first:
            lines[f"{node}: {first} → {new} {plural(int(new), 'share')}"] = None
    return tuple(lines)


def _first_logins(scenario: Scenario, tree: ShareTree) -> str:
    names = [tree.node(node).name for node in scenario.logins if node in tree and not tree.is_system(node)]
    return f"{listed(names, _NAMES)} {plural(len(names), 'logs', 'log')} in" if names else ""


def _short(text: str) -> str:
    text = _LOGGED.sub(r"\1 logs \2", text)
    return plain_change(text)
