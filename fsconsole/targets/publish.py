"""Snapshots of a simulated machine, made in its worker thread."""

from __future__ import annotations

import time
from collections import deque

import numpy as np

from fsconsole.machine import kernel
from fsconsole.machine.machine import Machine
from fsconsole.machine.sample import Sample
from fsconsole.recording.series import TieredSeries
from fsconsole.targets.base import Happening, ProcessRow, Snapshot

TABLE_S = 0.25


class Publisher:
    """Feeds the live series and makes snapshots; tables are made anew four times a second at most."""

    def __init__(self, series: TieredSeries) -> None:
        """Write into a series."""
        self._series = series
        self._serial = 0
        self._used: deque[tuple[int, dict[int, int]]] = deque()
        self._table: tuple[ProcessRow, ...] = ()
        self._table_at = (-1.0, -1)
        self._happenings: tuple[Happening, ...] = ()

    def watch(self, machine: Machine) -> None:
        """Listen to the machine's samples; the one at time 0 is taken now."""
        self._keep(machine, machine.sample())
        machine.listeners.append(lambda sample: self._keep(machine, sample))

    def snapshot(self, machine: Machine, *, running: bool, speed: float, real_speed: float) -> Snapshot:
        """The machine as it is now."""
        self._serial += 1
        flat, state = machine.flat, machine.state
        if len(machine.happened) != len(self._happenings):
            fresh = machine.happened[len(self._happenings) :]
            self._happenings += tuple(Happening(tick / machine.spec.hz, text) for tick, text in fresh)
        return Snapshot(
            serial=self._serial,
            tick=machine.tick,
            time_s=machine.now_s,
            running=running,
            speed=speed,
            real_speed=real_speed,
            sample=machine.sample(),
            logged_in=frozenset(int(node) for node in flat.ids[state.logged_in]),
            processes=self._processes(machine, running=running),
            happenings=self._happenings,
            tree_revision=len(machine.journal),
            increment=state.increment.copy(),
        )

    def _keep(self, machine: Machine, sample: Sample) -> None:
        self._series.append(sample.time_s, sample.ids.tolist(), sample.columns)
        table = machine.processes
        self._used.append(
            (machine.tick, dict(zip(table.pid.tolist(), table.cpu_ticks.tolist(), strict=True)))
        )
        window = machine.spec.ticks(machine.scenario.plot.rate_window_s)
        while len(self._used) > 1 and self._used[1][0] <= machine.tick - window:
            self._used.popleft()

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
        return self._table

    def _stale(self, machine: Machine) -> bool:
        table = machine.processes
        return any(
            row.pid != pid or row.nice != nice
            for row, pid, nice in zip(self._table, table.pid.tolist(), table.nice.tolist(), strict=True)
        )

    def _rows(self, machine: Machine) -> list[ProcessRow]:
        table, flat, hz = machine.processes, machine.flat, machine.spec.hz
        tick, used = self._used[0]
        ticks = max(1, machine.tick - tick)
        running = (table.state == kernel.RUNNABLE) & (table.last_run == machine.tick - 1) & (machine.tick > 0)
        words = np.where(table.state == kernel.SLEEPING, "sleeping", np.where(running, "running", "runnable"))
        columns = (
            table.pid, table.command, flat.ids[table.owner], table.nice, table.priority,
            machine.state.increment[table.owner], table.cpu_ticks, words,
        )  # fmt: skip
        return [
            ProcessRow(
                pid, machine.commands[command], node, nice, priority, increment,
                min(1.0, (cpu - used.get(pid, 0)) / ticks), cpu / hz, state,
            )
            for pid, command, node, nice, priority, increment, cpu, state in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ]  # fmt: skip
