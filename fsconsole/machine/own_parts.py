"""The parts that a machine has by what its scenario says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsconsole.machine.parts import Part

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


def own_parts(machine: Machine) -> tuple[Part, ...]:
    """In the order in which they act."""
    parts: list[Part] = []
    memory = machine.scenario.machine.memory
    if memory.size_mw or memory.sds_mw:
        from fsconsole.machine.memory.manager import MemoryManager

        parts.append(MemoryManager(machine))
    if machine.scenario.queues:
        from fsconsole.machine.jobs.batch import Batch

        parts.append(Batch(machine))
    return tuple(parts)
