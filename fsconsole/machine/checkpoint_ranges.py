"""The ranges of a checkpoint's columns.

A value outside its range would make compiled functions access memory outside their arrays, and a run folder
may come from anywhere. So all columns are checked before any compiled function gets them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import tick_kernel
from fsconsole.machine.blocking import MARKED
from fsconsole.machine.processes import ProcessTable
from fsconsole.policies.registry import policy_of
from fsconsole.policies.share import SMALLEST_WEIGHT
from fsconsole.policies.state import SCALE, PolicyState
from fsconsole.shares.edits import MAX_SHARES
from fsconsole.shares.scenario.actions import MAX_CLICKS, MAX_PROCESSES, MAX_SYSCALLS_PER_S, NICE_LEVELS

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

Columns = dict[str, NDArray[Any]]

LAST_TICK = 2**53
_LARGEST = 1e60  # Sums and products of such numbers stay finite.
_LARGEST_INCREMENT = 10**16
_FLAT_KINDS = {
    "ids": np.int64,
    "parent": np.int64,
    "shares": np.float64,
    "is_leaf": np.bool_,
    "is_system": np.bool_,
}
_ANY_FLOAT, _ANY_COST = (-_LARGEST, _LARGEST), (0.0, _LARGEST)
_ANY_COUNT = (0, 2**62)
# These ranges depend on nothing else. All values of uint64 and bool columns are allowed.
_FIXED: dict[str, tuple[float, float]] = {
    "ran": _ANY_COUNT,
    "recent": _ANY_COUNT,
    "mean_runnable": (0, MAX_PROCESSES),
    "flat.ids": (0, 2**62),
    "flat.shares": (0, MAX_SHARES),
    **{f"state.{name}": _ANY_COST for name in PolicyState._fields},
    "state.logged_in": (0, 1),
    "state.lnode": (0, 1),
    "state.runnable": (0, MAX_PROCESSES),
    "state.processes": (0, MAX_PROCESSES),
    "state.clicks": _ANY_COUNT,
    "state.weight": (SMALLEST_WEIGHT, 1.0),
    "state.target": _ANY_FLOAT,
    "state.rank": _ANY_FLOAT,
    "state.increment": (0, _LARGEST_INCREMENT),
    "process.nice": (0, NICE_LEVELS - 1),
    "process.state": (tick_kernel.RUNNABLE, tick_kernel.HELD),
    "process.kept": (tick_kernel.RUNNABLE, tick_kernel.HELD),
    "process.held": (0, 2 * MARKED - 1),
    "process.burst_left": (-LAST_TICK, int(tick_kernel.NEVER)),
    "process.cpu_left": (-LAST_TICK, int(tick_kernel.NEVER)),
    "process.wake": (0, int(tick_kernel.NEVER)),
    "process.burst_mean": _ANY_COST,
    "process.sleep_mean": _ANY_COST,
    "process.io_mean": _ANY_COST,
    "process.tick_cost": _ANY_COST,
    "process.burst_cost": _ANY_COST,
    "process.syscalls_per_s": (0, MAX_SYSCALLS_PER_S),
    "process.clicks": (0, MAX_CLICKS),
    "process.sds_clicks": (0, MAX_CLICKS),
    "process.system_fraction": (0, 1),
    "process.mflops": _ANY_COST,
    "process.locked_fraction": (0, 1),
}  # fmt: skip


def problem_of(columns: Columns, machine: Machine) -> str:
    """Return the fault of columns, or an empty text.

    The machine has the checkpoint's tick, settings and lists of texts already.
    """
    return _of_form(columns) or _of_ranges(columns, machine) or _of_relations(columns, machine)


def _of_form(columns: Columns) -> str:
    kinds: dict[str, Any] = {f"flat.{name}": np.dtype(kind) for name, kind in _FLAT_KINDS.items()}
    kinds |= {f"state.{name}": column.dtype for name, column in PolicyState.empty(0).columns().items()}
    kinds |= {f"process.{name}": column.dtype for name, column in ProcessTable.empty().columns().items()}
    kinds |= {"ran": np.dtype(np.int64), "recent": np.dtype(np.int64), "mean_runnable": np.dtype(np.float64)}
    n, processes = len(columns["flat.ids"]), len(columns["process.pid"])
    for name, kind in kinds.items():
        column = columns[name]
        shape: tuple[int, ...] = (processes if name.startswith("process.") else n,)
        if name == "recent":
            shape = (len(column), n)
        if column.dtype != kind or column.shape != shape:
            return f"{name}: has the form {column.dtype} {column.shape}, expected {kind} {shape}"
    return "flat.ids: has no rows" if not n else ""


def _ranges(columns: Columns, machine: Machine) -> dict[str, tuple[float, float]]:
    """Return the range of each column, both ends allowed."""
    spec, given = machine.spec, machine.given
    second = spec.period_ticks(spec.decay_interval_s)
    # A priority may still gain this before it decays, and must stay within the range of the run queue.
    gain = int((second - machine.tick % second) * given.largest_increment)
    highest = min(2**62, 2**62 + 2**61 - gain)
    least = policy_of(machine.policy_spec).ranges(machine.policy_spec)
    return _FIXED | {
        **{f"state.{name}": (value, _LARGEST) for name, value in least.items()},
        "flat.parent": (-1, len(columns["flat.ids"]) - 2),
        "process.pid": (1, machine.next_pid - 1),
        "process.image": (1, machine.next_pid - 1),
        "process.owner": (0, len(columns["flat.ids"]) - 1),
        "process.command": (0, len(machine.commands) - 1),
        "process.person": (0, len(machine.persons) - 1),
        "process.priority": (0, highest),
        "process.last_run": (-1, machine.tick - 1),
        "process.cpu_ticks": (0, machine.tick),
        "process.decay": (0.0, spec.priority_decay(NICE_LEVELS - 1)),
        "process.device": (-1, len(machine.scenario.devices) - 1),
    }


def _of_ranges(columns: Columns, machine: Machine) -> str:
    for name, (lowest, highest) in _ranges(columns, machine).items():
        column = columns[name].reshape(-1)
        wrong = np.flatnonzero(~((column >= lowest) & (column <= highest)))  # NaN is not in any range.
        if len(wrong):
            row = int(wrong[0])
            return f"{name}: row {row} holds {column[row]}, expected {lowest} to {highest}"
    return ""


def _of_relations(columns: Columns, machine: Machine) -> str:
    """Return a violated relation between columns, or an empty text."""
    parent, pid = columns["flat.parent"], columns["process.pid"]
    if parent[0] != -1 or (parent[1:] < 0).any() or (parent >= np.arange(len(parent))).any():
        return "flat.parent: a row does not follow its parent. Expected the root, then all rows below it"
    if len(set(columns["flat.ids"].tolist())) < len(parent):
        return "flat.ids: an id occurs twice"
    if (np.diff(pid) <= 0).any():
        return "process.pid: expected pids in ascending order"
    for name in ("process.state", "process.kept"):
        at_device = np.isin(columns[name], (tick_kernel.QUEUED, tick_kernel.SERVED))
        if (at_device & (columns["process.device"] < 0)).any():
            return f"{name}: a process waits for a device, but process.device does not name it"
    most = max(machine.given.largest_increment, SCALE)
    own = columns["state.increment"][columns["process.owner"]]
    if (own < 1).any() or (own > most).any():
        found = f"{own.min()} to {own.max()}"
        return f"state.increment: owners of processes have {found}, expected 1 to {most:.0f}"
    return ""
