"""The swap device: one transfer at a time, in the order of requests."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import ceil
from typing import Any, Literal

from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW, MemorySpec

Kind = Literal["out", "in", "sds out", "sds in"]


@dataclass(frozen=True, slots=True)
class Transfer:
    """An image, or its SDS, on its way to or from the swap device; sizes in clicks."""

    kind: Kind
    pid: int
    clicks: int

    @property
    def is_of_memory(self) -> bool:
        """True if memory is moved, not SDS."""
        return self.kind in ("out", "in")


@dataclass(slots=True)
class SwapDevice:
    """The queue of the device; its first transfer is under way once `end_tick` is set.

    Attributes:
        waiting: transfers in order; the first one may be under way.
        end_tick: end of the present transfer; None without one.
    """

    waiting: list[Transfer] = field(default_factory=list)
    end_tick: int | None = None

    def add(self, transfer: Transfer) -> None:
        """Append a transfer to the queue."""
        self.waiting.append(transfer)

    def begin(self, tick: int, hz: int, spec: MemorySpec) -> Transfer | None:
        """Begin the next transfer if none is under way; return it."""
        if self.end_tick is not None or not self.waiting:
            return None
        self.end_tick = tick + ticks_of(self.waiting[0].clicks, hz, spec)
        return self.waiting[0]

    def finish(self, tick: int) -> Transfer | None:
        """Return the transfer that has ended by now; None without one."""
        if self.end_tick is None or self.end_tick > tick:
            return None
        self.end_tick = None
        return self.waiting.pop(0)

    def forget(self, pid: int, kinds: tuple[Kind, ...] = ("out", "in", "sds out", "sds in")) -> None:
        """Cancel the transfers of an image, also one that is under way."""
        if self.waiting and self.waiting[0].pid == pid and self.waiting[0].kind in kinds:
            self.end_tick = None
        self.waiting = [item for item in self.waiting if item.pid != pid or item.kind not in kinds]

    @property
    def moves_memory(self) -> bool:
        """True if images are on their way, or about to be."""
        return any(item.is_of_memory for item in self.waiting)

    def to_json(self) -> dict[str, Any]:
        """Return the device's transfers as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SwapDevice:
        """Return the device that `to_json` wrote."""
        return cls([Transfer(**item) for item in data["waiting"]], data["end_tick"])


def ticks_of(clicks: int, hz: int, spec: MemorySpec) -> int:
    """Return the length of a transfer in whole ticks: clicks / (MW/s * clicks per MW)."""
    return ceil(clicks * hz / (spec.swap_mw_per_s * CLICKS_PER_MW))
