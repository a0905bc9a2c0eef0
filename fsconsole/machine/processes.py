"""The process table: numpy columns in pid order, as the kernel wants them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import kernel
from fsconsole.shares.scenario.actions import Work
from fsconsole.shares.scenario.spec import MachineSpec

_MASK = 2**64 - 1


@dataclass(eq=False)
class ProcessTable:
    """One value per living process; see `kernel.run_ticks` for what the columns mean."""

    pid: NDArray[np.int64]
    owner: NDArray[np.int64]
    command: NDArray[np.int64]
    nice: NDArray[np.int64]
    state: NDArray[np.int64]
    priority: NDArray[np.int64]
    last_run: NDArray[np.int64]
    cpu_ticks: NDArray[np.int64]
    burst_left: NDArray[np.int64]
    cpu_left: NDArray[np.int64]
    wake: NDArray[np.int64]
    burst_mean: NDArray[np.float64]
    sleep_mean: NDArray[np.float64]
    exponential: NDArray[np.bool_]
    stream: NDArray[np.uint64]
    tick_cost: NDArray[np.float64]

    @classmethod
    def empty(cls) -> ProcessTable:
        """No processes."""
        return cls(**{item.name: np.zeros(0, _dtype(str(item.type))) for item in fields(cls)})

    def __len__(self) -> int:
        return len(self.pid)

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def append(
        self, pids: range, owner: int, command: int, nice: int, work: Work, spec: MachineSpec, seed: int
    ) -> None:
        """Add runnable processes that are alike; their pids are the next higher ones."""
        alike = {
            "owner": owner,
            "command": command,
            "nice": nice,
            "state": kernel.RUNNABLE,
            "priority": 0,
            "last_run": -1,
            "cpu_ticks": 0,
            "burst_left": kernel.NEVER,
            "cpu_left": kernel.NEVER if work.cpu_s is None else max(1, spec.ticks(work.cpu_s)),
            "wake": 0,
            "burst_mean": (work.burst_s or 0.0) * spec.hz,
            "sleep_mean": work.sleep_s * spec.hz,
            "exponential": work.spread == "exponential",
            "tick_cost": cost_of_tick(spec, nice),
        }
        first = len(self)
        for name, column in self.columns().items():
            if name == "pid":
                fresh = np.array(pids, np.int64)
            elif name == "stream":
                fresh = np.array([_stream(seed, pid) for pid in pids], np.uint64)
            else:
                fresh = np.full(len(pids), alike[name], column.dtype)
            setattr(self, name, np.concatenate((column, fresh)))
        if work.burst_s is not None:
            for row in range(first, len(self)):
                self.burst_left[row] = kernel.draw_ticks(
                    self.stream, row, self.burst_mean[row], self.exponential[row]
                )

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drop the processes that are not kept."""
        for name, column in self.columns().items():
            setattr(self, name, column[kept])

    def row_of(self, pid: int) -> int:
        """Row of a pid; LookupError where no such process lives."""
        row = int(np.searchsorted(self.pid, pid))
        if row == len(self) or self.pid[row] != pid:
            msg = f"no process {pid}: it has ended"
            raise LookupError(msg)
        return row

    def count_by_owner(self, n: int, *, runnable: bool) -> NDArray[np.int64]:
        """Number of (runnable) processes per row of the tree."""
        owners = self.owner[self.state == kernel.RUNNABLE] if runnable else self.owner
        return np.bincount(owners, minlength=n).astype(np.int64)


def cost_of_tick(spec: MachineSpec, nice: int) -> float:
    """Cost units of a tick: alike for all (Junglas), or (60 - nice)/40 of it (Share kernel)."""
    return spec.tick_cost * ((60 - nice) / 40 if spec.nice_cost == "share" else 1.0)


def _stream(seed: int, pid: int) -> int:
    """Where a process's own stream of random lengths starts."""
    return (seed * 0xD1342543DE82EF95 + pid * 0xDA942042E4DD58B5) & _MASK


def _dtype(annotation: str) -> type:
    for name in ("float64", "bool_", "uint64"):
        if name in annotation:
            return getattr(np, name)  # type: ignore[no-any-return]
    return np.int64
