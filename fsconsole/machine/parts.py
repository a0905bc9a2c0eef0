"""Parts of a machine beside CPUs and devices: memory, jobs, daemons; each acts at ticks of its own choice."""

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
    """What came of an action, for its answer and the audit log.

    Attributes:
        text: the answer in words.
        on: what it was done to, such as `sbert ccm-0219a`; before, after: what that was, and is now.
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
        handlers: actions that it carries out, by their class; they raise `operate.Refused`.
    """

    name: str
    handlers: Mapping[type[Any], Callable[[Any], Done]]

    def start(self) -> None:
        """Do what there is to do at 0, once the scenario's processes are there."""
        ...

    def next_tick(self) -> int | None:
        """Return when it wants to act next, after the machine's tick; None for never, as things stand."""
        ...

    def act(self) -> None:
        """Act, at the tick that it has asked for (or later, never earlier)."""
        ...

    def started(self, pids: tuple[int, ...]) -> None:
        """Note processes that have been started."""
        ...

    def ended(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Take out processes, by row [ended], that have used up their CPU time.

        Returns:
            Rows of those that shall not go but are taken on, int64 [kept].
        """
        ...

    def dropped(self, pids: NDArray[np.int64]) -> None:
        """Take out processes, by pid [dropped], that are gone from the table, for whatever reason."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Its state as plain data."""
        ...

    def from_json(self, data: dict[str, Any]) -> None:
        """Take the state of `to_json` on, in place of `start`."""
        ...


# Makes a part of a machine that stands but for its parts.
PartMaker = Callable[["Machine"], Part]

_PartKind = TypeVar("_PartKind")


def part_of(machine: Machine, kind: type[_PartKind]) -> _PartKind | None:
    """Return the part of a machine that is of a kind; None where it has none."""
    return next((part for part in machine.parts if isinstance(part, kind)), None)


def own_parts(machine: Machine) -> tuple[Part, ...]:
    """Return parts that a machine has by its scenario, in the order in which they act."""
    parts: list[Part] = []
    memory = machine.scenario.machine.memory
    if memory.size_mw or memory.sds_mw:
        from fsconsole.machine.memory.manager import MemoryManager

        parts.append(MemoryManager(machine))
    if machine.scenario.queues:
        from fsconsole.machine.jobs.batch import Batch

        parts.append(Batch(machine))
    return tuple(parts)
