"""The process table: numpy columns in pid order, as the kernel wants them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import tick_kernel
from fsconsole.shares.scenario.actions import Work
from fsconsole.shares.scenario.spec import MachineSpec

_MASK = 2**64 - 1
_COST_BITS = 24


class Start(NamedTuple):
    """Equal processes that start: their pids, `given` (owner, command, person, nice, device), their work."""

    pids: range
    given: dict[str, Any]
    work: Work


@dataclass(eq=False)
class ProcessTable:
    """One value per living process; `tick_kernel.Columns` describes the kernel's columns.

    Attributes:
        command, person: its command and the person who started it, as rows of the machine's lists of texts.
        syscalls_per_s: system calls per CPU second.
        clicks, sds_clicks: memory and SDS that it needs, in clicks of 512 words; of the processes of one
            image (a multitasked job) the first has them.
        image: pid of the first process of the image that it belongs to, its own if alone.
        held: reasons why it may not run, bits of `blocking`; 0 if it may. kept: its state without them.
        system_fraction: part of its CPU time that is system time.
        mflops: millions of floating-point operations per second of user time.
        locked_fraction: part of the time in which locked I/O is under way.
    """

    pid: NDArray[np.int64]
    owner: NDArray[np.int64]
    command: NDArray[np.int64]
    person: NDArray[np.int64]
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
    io_mean: NDArray[np.float64]
    exponential: NDArray[np.bool_]
    stream: NDArray[np.uint64]
    decay: NDArray[np.float64]
    tick_cost: NDArray[np.float64]
    burst_cost: NDArray[np.float64]
    device: NDArray[np.int64]
    syscalls_per_s: NDArray[np.float64]
    clicks: NDArray[np.int64]
    sds_clicks: NDArray[np.int64]
    image: NDArray[np.int64]
    held: NDArray[np.int64]
    kept: NDArray[np.int64]
    system_fraction: NDArray[np.float64]
    mflops: NDArray[np.float64]
    locked_fraction: NDArray[np.float64]

    @classmethod
    def empty(cls) -> ProcessTable:
        """Return a table without processes."""
        return cls(**{item.name: np.zeros(0, _dtype(str(item.type))) for item in fields(cls)})

    def __len__(self) -> int:
        return len(self.pid)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, [processes] each."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def kernel_columns(self) -> tick_kernel.Columns:
        """Return the kernel's columns; they are the same arrays."""
        return tick_kernel.Columns(*(getattr(self, name) for name in tick_kernel.Columns._fields))

    def append(self, starts: Sequence[Start], hz: int, seed: int) -> None:
        """Add runnable processes; their pids are the next higher ones. `price` sets prices and decay.

        All starts of a scenario come at once: each call copies every column.
        """
        rows = [_values(start.given, start.work, hz) for start in starts]
        counts = [len(start.pids) for start in starts]
        pids = [pid for start in starts for pid in start.pids]
        first = len(self)
        for name, column in self.columns().items():
            if name in ("pid", "image"):
                fresh = np.array(pids, np.int64)
            elif name == "stream":
                fresh = np.array([_stream(seed, pid) for pid in pids], np.uint64)
            else:
                fresh = np.repeat(np.array([row.get(name, 0) for row in rows], column.dtype), counts)
            setattr(self, name, np.concatenate((column, fresh)))
        has_bursts = np.repeat([start.work.burst_s is not None for start in starts], counts)
        for row in (first + np.flatnonzero(has_bursts)).tolist():
            self.burst_left[row] = tick_kernel.draw_ticks(
                self.stream, row, self.burst_mean[row], self.exponential[row]
            )

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Remove all but the processes that are kept, bool [processes]."""
        for name, column in self.columns().items():
            setattr(self, name, column[kept])

    def row_of(self, pid: int) -> int:
        """Return the row of a pid.

        Raises:
            LookupError: no such process lives.
        """
        row = int(np.searchsorted(self.pid, pid))
        if row == len(self) or self.pid[row] != pid:
            msg = f"no process {pid}. It may have ended"
            raise LookupError(msg)
        return row

    def count_by_owner(self, n: int, *, runnable: bool) -> NDArray[np.int64]:
        """Return the number of (runnable) processes of each row of the tree, int64 [rows]."""
        owners = self.owner[self.state == tick_kernel.RUNNABLE] if runnable else self.owner
        return np.bincount(owners, minlength=n).astype(np.int64)

    def price(self, spec: MachineSpec, rate: float, device_costs: NDArray[np.float64]) -> None:
        """Set decay and costs of all processes.

        A tick costs the same for all (Junglas), or (60 - nice)/40 of it (Share kernel). All costs are
        multiples of one power of two, about 1e-7 of the largest, so that their sums are exact in any order.

        Args:
            spec: costs and decay of the machine.
            rate: the factor of the calendar of costs.
            device_costs: cost of a burst at each device, [devices].
        """
        self.decay = spec.k2 * (self.nice.astype(np.float64) + spec.k3)
        factor = (60 - self.nice) / 40 if spec.nice_cost == "share" else np.ones(len(self))
        calls = spec.syscall_cost * self.syscalls_per_s / spec.hz
        tick_cost = (spec.tick_cost * factor + calls) * rate
        burst_cost = np.append(device_costs, 0.0)[self.device] * rate
        largest = max(tick_cost.max(initial=0.0), burst_cost.max(initial=0.0))
        step = 2.0 ** (np.frexp(largest)[1] - _COST_BITS)
        self.tick_cost = np.rint(tick_cost / step) * step
        self.burst_cost = np.rint(burst_cost / step) * step


def _values(given: dict[str, Any], work: Work, hz: int) -> dict[str, Any]:
    """Return a fresh process's values by column; all others are 0."""
    return {
        **given,
        "state": tick_kernel.RUNNABLE,
        "last_run": -1,
        "burst_left": tick_kernel.NEVER,
        "cpu_left": tick_kernel.NEVER if work.cpu_s is None else max(1, round(work.cpu_s * hz)),
        "burst_mean": (work.burst_s or 0.0) * hz,
        "sleep_mean": work.sleep_s * hz,
        "io_mean": work.io_s * hz,
        "exponential": work.spread == "exponential",
        "syscalls_per_s": work.syscalls_per_s,
        "clicks": work.clicks,
        "sds_clicks": work.sds_clicks,
        "system_fraction": work.system_fraction,
        "mflops": work.mflops,
        "locked_fraction": work.locked_fraction,
    }


def _stream(seed: int, pid: int) -> int:
    """Return the start of a process's own stream of random lengths."""
    return (seed * 0xD1342543DE82EF95 + pid * 0xDA942042E4DD58B5) & _MASK


def _dtype(annotation: str) -> type:
    for name in ("float64", "bool_", "uint64"):
        if name in annotation:
            return getattr(np, name)  # type: ignore[no-any-return]
    return np.int64
