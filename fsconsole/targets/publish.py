"""Snapshots of a simulated machine, made in its worker thread."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Any

from fsconsole.machine.blocking import states
from fsconsole.machine.machine import Machine
from fsconsole.machine.sample import Sample
from fsconsole.neardedicated.view_of import night_view
from fsconsole.recording.audit import AuditRow
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.series import TieredSeries
from fsconsole.shares.flat import FlatTree, Ints
from fsconsole.shares.scenario.spec import PlotSpec
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.live import append_rows, kept_rows, live_sample
from fsconsole.targets.snapshot import Happening, ProcessRow, Snapshot

TABLE_S = 0.25
MOST_AUDIT = 500
SNAPSHOT_S = 1 / 40


class Publisher:
    """Makes snapshots, with tables that are remade four times a second at most, and feeds a live series."""

    def __init__(self, series: TieredSeries | None = None) -> None:
        """Write into a series, if any."""
        self._series = series
        self._serial = 0
        self._published_at = -math.inf
        self._used: deque[tuple[int, Ints, Ints]] = deque()
        self._table: tuple[ProcessRow, ...] = ()
        self._table_at = (-math.inf, -1)
        self._at_work: frozenset[int] = frozenset()
        self._tree: tuple[FlatTree | None, ShareTree] = (None, ShareTree())
        self._happenings: tuple[Happening, ...] = ()
        self._journal: tuple[JournalEntry, ...] = ()
        self._rows_of: tuple[FlatTree | None, frozenset[int], Ints | None] = (None, frozenset(), None)
        self._audit: tuple[AuditRow, ...] = ()
        self._audited = 0
        self.watched: frozenset[int] = frozenset()

    def watch(self, machine: Machine) -> None:
        """Listen to the machine's samples; the one at time 0 is taken now."""
        if machine.tick == 0:
            self._keep(machine, machine.sample())
        machine.listeners.append(lambda sample: self._keep(machine, sample))

    @property
    def is_due(self) -> bool:
        """True if the last snapshot is so old that a window would draw the next one."""
        return time.perf_counter() - self._published_at >= SNAPSHOT_S

    def snapshot(self, machine: Machine, *, running: bool = False, **more: Any) -> Snapshot:
        """Return the machine as it is now; `more` are fields that the publisher does not have."""
        self._serial += 1
        self._published_at = time.perf_counter()
        flat, state = machine.flat, machine.state
        if len(machine.happened) != len(self._happenings):
            fresh = machine.happened[len(self._happenings) :]
            self._happenings += tuple(Happening(tick / machine.spec.hz, text) for tick, text in fresh)
        self._journal += tuple(machine.journal[len(self._journal) :])
        return Snapshot(
            serial=self._serial,
            tick=machine.tick,
            time_s=machine.now_s,
            running=running,
            sample=live_sample(machine.sample(), flat),
            logged_in=frozenset(int(node) for node in flat.ids[state.logged_in]),
            processes=self._processes(machine, running=running),
            happenings=self._happenings,
            journal=self._journal,
            increment=state.increment.copy(),
            runnable=flat.group_sum(machine.mean_runnable),
            night=night_view(machine),
            audit=self._newest_audit(machine),
            tree=self._tree_of(machine),
            flat=flat,
            at_work=self._at_work,
            machine=machine.spec,
            policy=machine.policy_spec,
            **more,
        )

    def _tree_of(self, machine: Machine) -> ShareTree:
        """Return a copy for other threads, remade when the tree has changed."""
        if self._tree[0] is not machine.flat:
            self._tree = (machine.flat, machine.tree.copy())
        return self._tree[1]

    def _newest_audit(self, machine: Machine) -> tuple[AuditRow, ...]:
        if len(machine.audit) != self._audited:
            self._audited = len(machine.audit)
            self._audit = tuple(machine.audit[-MOST_AUDIT:])
        return self._audit

    def _keep(self, machine: Machine, sample: Sample) -> None:
        if self._series is not None:
            rows = self._kept_rows(machine.flat)
            append_rows(self._series, live_sample(sample, machine.flat), rows)
        table = machine.processes
        self._used.append((machine.tick, table.pid, table.cpu_ticks.copy()))
        window = machine.spec.ticks(machine.scenario.plot.rate_window_s)
        while len(self._used) > 1 and self._used[1][0] <= machine.tick - window:
            self._used.popleft()

    def _kept_rows(self, flat: FlatTree) -> Ints | None:
        if self._rows_of[0] is not flat or self._rows_of[1] is not self.watched:
            self._rows_of = (flat, self.watched, kept_rows(flat, self.watched))
        return self._rows_of[2]

    def _processes(self, machine: Machine, *, running: bool) -> tuple[ProcessRow, ...]:
        now = time.perf_counter()
        made_at, made_tick = self._table_at
        if (
            made_tick == machine.tick
            and len(self._table) == len(machine.processes)
            and not self._stale(machine)
        ):
            return self._table
        if running and now - made_at < TABLE_S:
            return self._table
        self._table_at = (now, machine.tick)
        self._table = tuple(self._rows(machine))
        self._at_work = frozenset(row.node for row in self._table)
        return self._table

    def _stale(self, machine: Machine) -> bool:
        table = machine.processes
        return any(
            row.pid != pid or row.nice != nice
            for row, pid, nice in zip(self._table, table.pid.tolist(), table.nice.tolist(), strict=True)
        )

    def _earlier(self, machine: Machine) -> tuple[int, Ints, Ints]:
        """Find the sample where the rate window begins; the nodes' CPU rates are taken from it too."""
        window = machine.spec.ticks(machine.scenario.plot.rate_window_s)
        if not self._used:  # For a machine that is taken up here, nothing is known of the time before.
            return machine.tick, machine.processes.pid, machine.processes.cpu_ticks
        before = [entry for entry in self._used if entry[0] < machine.tick] or [self._used[0]]
        return next((entry for entry in before if entry[0] >= machine.tick - window), before[-1])

    def _rows(self, machine: Machine) -> list[ProcessRow]:
        tick, pids, cpu_ticks = self._earlier(machine)
        return process_rows(machine, dict(zip(pids.tolist(), cpu_ticks.tolist(), strict=True)), tick)


def process_rows(machine: Machine, used_before: dict[int, int], since_tick: int) -> list[ProcessRow]:
    """Return all processes in pid order; CPU rates since a tick with the CPU ticks `used_before`."""
    table, flat, hz = machine.processes, machine.flat, machine.spec.hz
    ticks = max(1, machine.tick - since_tick)
    columns = (
        table.pid, table.command, table.person, flat.ids[table.owner], table.nice, table.priority,
        machine.state.increment[table.owner], table.cpu_ticks, states(machine),
    )  # fmt: skip
    return [
        ProcessRow(
            pid, machine.commands[command], node, nice, priority, increment,
            min(1.0, (cpu - used_before.get(pid, 0)) / ticks), cpu / hz, state, machine.persons[person],
        )
        for pid, command, person, node, nice, priority, increment, cpu, state in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]  # fmt: skip


def memory_s(plot: PlotSpec) -> float:
    """Return the time for which a publisher must have all samples before its snapshots are complete, s."""
    return plot.rate_window_s + plot.sample_s
