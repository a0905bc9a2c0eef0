"""Parts of a machine besides CPUs and devices: memory, jobs, daemons; each acts at ticks of its own
choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an action, for its answer and the audit log.

    Attributes:
        text: the answer in words.
        on: its object, such as `sbert ccm-0219a`; before, after: state of the object.
        pids: processes that it started or ended.
    """

    text: str
    on: str = ""
    before: str = ""
    after: str = ""
    pids: tuple[int, ...] = ()


class Part(Protocol):
    """A part of a machine. All its state is in the process table or in `to_json`.

    Attributes:
        name: unique among a machine's parts.
        handlers: handlers of its actions, by class; they raise `operate.Refused`.
    """

    name: str
    handlers: Mapping[type[Any], Callable[[Any], Done]]

    def start(self) -> None:
        """Do the work at time 0, after the scenario's processes have been created."""
        ...

    def next_tick(self) -> int | None:
        """Return the tick of its next action, after the machine's tick; None without one."""
        ...

    def act(self) -> None:
        """Act at the requested tick (or later, never earlier)."""
        ...

    def started(self, pids: tuple[int, ...]) -> None:
        """Handle processes that have been started."""
        ...

    def ended(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Handle processes, by row [ended], that have used up their CPU time.

        Returns:
            Rows of processes that must not end, int64 [kept].
        """
        ...

    def dropped(self, pids: NDArray[np.int64]) -> None:
        """Handle processes, by pid [dropped], that are gone from the table, for any reason."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Return the state as plain data."""
        ...

    def from_json(self, data: dict[str, Any]) -> None:
        """Restore the state that `to_json` returned, in place of `start`."""
        ...


# The machine that a part is made for is complete except for its parts.
PartMaker = Callable[["Machine"], Part]

_PartKind = TypeVar("_PartKind")


def part_of(machine: Machine, kind: type[_PartKind]) -> _PartKind | None:
    """Return a machine's part of a class; None without one."""
    return next((part for part in machine.parts if isinstance(part, kind)), None)


def own_parts(machine: Machine) -> tuple[Part, ...]:
    """Return the parts of a machine that its scenario requires, in the order of their actions."""
    parts: list[Part] = []
    memory = machine.scenario.machine.memory
    if memory.size_mw or memory.sds_mw:
        from fsconsole.machine.memory.manager import MemoryManager

        parts.append(MemoryManager(machine))
    if machine.scenario.queues:
        from fsconsole.machine.jobs.batch import Batch

        parts.append(Batch(machine))
    return tuple(parts)
