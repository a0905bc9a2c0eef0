"""Requests of jobs to the memory manager, if the machine has one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.machine import Machine


class Image(Protocol):
    """The interface of an image for jobs; ticks and clicks."""

    where: str
    sds: str
    clicks: int
    swaps: int
    growing: bool
    grow_to: int | None
    sds_since: int
    settled_tick: int
    sds_lost: bool
    suspended: Literal["", "daemon", "hand"]

    def waits_ticks(self, now: int) -> tuple[int, int, int]:
        """Return ticks waited for memory, waited for SDS, and suspended."""
        ...


class Memory(Protocol):
    """The interface of the memory manager for jobs; the pid of its first process identifies an image."""

    images: Mapping[int, Image]

    def grow(self, pid: int, clicks: int) -> None:
        """Change the size of an image."""
        ...

    def ask_sds(self, pid: int, clicks: int) -> None:
        """Request SDS; the image is held until it has it."""
        ...

    def give_back_sds(self, pid: int) -> None:
        """Free an image's SDS, or withdraw its request."""
        ...


def memory_of(machine: Machine) -> Memory | None:
    """Return the machine's memory manager."""
    return cast("Memory | None", next((part for part in machine.parts if part.name == "memory"), None))


def image_of(machine: Machine, pid: int) -> Image | None:
    """Return an image by its pid; None without memory, or if it is gone."""
    memory = memory_of(machine)
    return None if memory is None else memory.images.get(pid)


def is_in_memory(machine: Machine, pid: int) -> bool:
    """Return True if an image is in memory with its full size; True if memory is not simulated."""
    image = image_of(machine, pid)
    return image is None or (image.where == "in" and not image.growing and image.grow_to is None)


def resize(machine: Machine, pid: int, clicks: int) -> None:
    """Change the size of an image, at once if memory is not simulated."""
    row, memory = machine.processes.row_of(pid), memory_of(machine)
    if memory is None or not machine.spec.memory.size_mw:
        machine.processes.clicks[row] = clicks
    elif machine.processes.clicks[row] != clicks:
        memory.grow(pid, clicks)


def ask_sds(machine: Machine, pid: int, clicks: int) -> None:
    """Request SDS, which is granted at once if it is not simulated."""
    memory = memory_of(machine)
    if memory is None or not machine.spec.memory.sds_mw:
        machine.processes.sds_clicks[machine.processes.row_of(pid)] = clicks
    else:
        memory.ask_sds(pid, clicks)


def give_back_sds(machine: Machine, pid: int) -> None:
    """Free the SDS of a process."""
    memory = memory_of(machine)
    if memory is None or not machine.spec.memory.sds_mw:
        machine.processes.sds_clicks[machine.processes.row_of(pid)] = 0
    else:
        memory.give_back_sds(pid)


def rows_of(machine: Machine, pids: Iterable[int]) -> NDArray[np.int64]:
    """Return rows of the living processes among these, int64 [living]."""
    wanted, living = np.array(list(pids), np.int64), machine.processes.pid
    if not len(living):
        return np.zeros(0, np.int64)
    rows = np.searchsorted(living, wanted)
    there = rows < len(living)
    there[there] = living[rows[there]] == wanted[there]
    return rows[there]
