"""The process table of a simulated machine, as a snapshot has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsconsole.machine.process_words import states
from fsconsole.targets.snapshot import ProcessRow

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


def process_rows(machine: Machine, used_before: dict[int, int], since_tick: int) -> list[ProcessRow]:
    """All processes in pid order; CPU rates since a tick when the CPU ticks by pid were `used_before`."""
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
