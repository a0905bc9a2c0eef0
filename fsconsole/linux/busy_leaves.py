"""Measurements with endless processes in leaves of a share tree on one CPU: the CPU time of each leaf.

At the end the groups are removed and the processes killed; they also end with this program.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from fsconsole.linux import commands
from fsconsole.linux.hierarchy import PROC, ControlGroupsError, find_hierarchy, text_in
from fsconsole.linux.share_tree_groups import ShareTreeGroups
from fsconsole.linux.sharer import Sharer
from fsconsole.operating_system import usable_cpus
from fsconsole.shares.tree import ROOT_ID, ShareTree
from fsconsole.text.words import capitalised

Floats = npt.NDArray[np.float64]
_ENDLESS = (
    "import os, signal, sys\n"
    "os.sched_setaffinity(0, {int(sys.argv[1])})\n"
    "os.kill(os.getpid(), signal.SIGSTOP)\n"
    "while os.getppid() == int(sys.argv[2]):\n"
    "    for _ in range(200000):\n"
    "        pass\n"
)
_ROOT_WEIGHT = 20  # This many times the usual weight leaves other programs little of the CPU.
_LOOK_S = 0.2
_END_S = 5.0
_URGENT = -10


def why_not() -> str:
    """Return a sentence why this machine cannot measure groups; empty if it can."""
    try:
        found = find_hierarchy()
    except ControlGroupsError as error:
        text = str(error)
        return f"{capitalised(text)}."
    if found.is_of_systemd:
        return "systemd owns the control groups here."
    if not os.access(found.cpu, os.W_OK):
        return f"{found.cpu} is not writable. Only root can change control groups."
    return ""


def quietest_cpu() -> int:
    """Return the CPU that was most idle for a moment, of those that this program may use."""
    before = _idle_ticks()
    time.sleep(_LOOK_S)
    after = _idle_ticks()
    return max(sorted(usable_cpus()), key=lambda cpu: after.get(cpu, 0) - before.get(cpu, 0))


def _idle_ticks() -> dict[int, int]:
    found = {}
    for line in (text_in(PROC / "stat") or "").splitlines():
        words = line.split()
        if words and words[0].startswith("cpu") and words[0][3:].isdigit():
            found[int(words[0][3:])] = int(words[4])
    return found


def _state(pid: int) -> str:
    """Return the state letter of /proc/PID/stat; empty if the process does not exist."""
    words = (text_in(PROC / str(pid) / "stat") or "").rpartition(")")[2].split()
    return words[0] if words else ""


def _send(name: str, pid: int) -> None:
    os.kill(pid, signal.Signals[name])  # By name, as other systems do not have them all.


@contextmanager
def _urgent() -> Iterator[None]:
    """Raise the priority of this thread within a `with` block, where that is permitted."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        before = os.getpriority(os.PRIO_PROCESS, thread)
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, thread, _URGENT)
        try:
            yield
        finally:
            with suppress(PermissionError):
                os.setpriority(os.PRIO_PROCESS, thread, before)
    else:
        yield


@dataclass(slots=True)
class Gained:
    """CPU time of leaves, as the kernel charged it.

    Attributes:
        leaves: their nodes.
    """

    leaves: tuple[int, ...]
    _times: list[float] = field(default_factory=list)
    _cpu_s: list[list[float]] = field(default_factory=list)

    @property
    def times(self) -> Floats:
        """Times of the readings, s since the beginning, [k]."""
        return np.array(self._times)

    @property
    def cpu_s(self) -> Floats:
        """CPU time of the leaves at each reading, s since the beginning, [k, leaves]."""
        return np.array(self._cpu_s)

    def take(self, time_s: float, cpu_s: Sequence[float]) -> None:
        """Add a reading: CPU time of each leaf in s since the beginning."""
        self._times.append(time_s)
        self._cpu_s.append(list(cpu_s))

    def parts(self, start_s: float, end_s: float) -> Floats:
        """Return each leaf's part of the CPU time of all between the readings nearest to two times,
        [leaves].
        """
        first, last = (int(np.argmin(np.abs(self.times - at))) for at in (start_s, end_s))
        given = self.cpu_s[last] - self.cpu_s[first]
        return np.asarray(given / max(float(given.sum()), 1e-9))


class BusyLeaves:
    """Groups of a tree on one CPU of this machine.

    Attributes:
        groups: the groups.
        cpu: number of the CPU that all processes are bound to.
    """

    def __init__(self, tree: ShareTree, groups: ShareTreeGroups, cpu: int) -> None:
        """Take groups that are applied; `busy_leaves` creates and removes them."""
        self.groups, self.cpu = groups, cpu
        self._tree = tree
        self._pids: dict[int, int] = {}
        self._begun: set[int] = set()

    def start(self, leaves: Sequence[int]) -> None:
        """Start an endless process in each leaf, which waits for `begin`.

        Raises:
            OSError: a process cannot be started.
        """
        paths = self.groups.paths(self._tree)
        for leaf in leaves:
            move = partial(self._move, paths[leaf])
            words = [sys.executable, "-I", "-S", "-c", _ENDLESS, str(self.cpu), str(os.getpid())]
            self._pids[leaf] = commands.start(words, move)
        until = time.monotonic() + _END_S
        for pid in self._pids.values():
            while _state(pid) not in ("T", "") and time.monotonic() < until:
                time.sleep(0.01)

    def _move(self, path: str, pids: Iterable[int]) -> list[str]:
        return self.groups.move(pids, path)

    def begin(self, leaves: Iterable[int]) -> None:
        """Resume the processes of leaves."""
        for leaf in leaves:
            _send("SIGCONT", self._pids[leaf])
            self._begun.add(leaf)

    def run(
        self,
        gained: Gained,
        until_s: float,
        delta_s: float,
        look: Callable[[float], None],
        sharer: Sharer | None = None,
    ) -> None:
        """Read the CPU time each delta up to a time; a sharer takes the usage and sets new weights.

        Usage counts as fractions of the tree's CPU time, as if the tree had the CPU alone. `look` is called
        at each reading, with the time; its exceptions are passed on.
        """
        began = time.monotonic() - (gained.times[-1] if len(gained.times) else 0.0)
        before = self.groups.reading(self._tree).used_s
        zero = [before[leaf] for leaf in gained.leaves]
        known = list(gained.cpu_s[-1]) if len(gained.times) else [0.0] * len(zero)
        if not len(gained.times):
            gained.take(0.0, known)
        passed_s = float(gained.times[-1])
        while passed_s < until_s:
            look(passed_s)
            time.sleep(max(0.0, min(passed_s + delta_s, until_s) - (time.monotonic() - began)))
            used, now_s = self.groups.reading(self._tree).used_s, time.monotonic() - began
            gained.take(
                now_s, [k + used[leaf] - z for leaf, z, k in zip(gained.leaves, zero, known, strict=True)]
            )
            if sharer is not None:
                charged = {leaf: used[leaf] - before[leaf] for leaf in gained.leaves}
                self._share(sharer, charged, now_s - passed_s)
            before, passed_s = used, now_s

    def _share(self, sharer: Sharer, charged: dict[int, float], passed_s: float) -> None:
        total = sum(charged.values())
        if total <= 0:
            return
        sharer.take({leaf: passed_s * used / total for leaf, used in charged.items()}, passed_s)
        active = frozenset(self._begun)  # A leaf that waits for the CPU a whole delta is active too.
        self.groups.set_weights(self._tree, sharer.weights(active, self.groups.hierarchy.limits))

    def end(self) -> None:
        """Kill the processes and wait for them."""
        for pid in self._pids.values():
            try:
                _send("SIGKILL", pid)
            except ProcessLookupError:
                continue
        until = time.monotonic() + _END_S
        for pid in self._pids.values():
            while not commands.has_ended(pid) and time.monotonic() < until:
                time.sleep(0.01)


@contextmanager
def busy_leaves(tree: ShareTree, root: str) -> Iterator[BusyLeaves]:
    """Create groups for a tree and remove them at the end.

    Raises:
        ControlGroupsError: the machine has no usable control groups.
        ChangeError: a group cannot be created.
        HeldError: another program changes these groups.
        OSError: the undo log cannot be read or written.
    """
    groups = ShareTreeGroups(root)
    made = BusyLeaves(tree, groups, quietest_cpu())
    try:
        groups.release()  # A measurement that was killed leaves its groups.
        groups.apply(tree)
        groups.set_weights(tree, {ROOT_ID: _ROOT_WEIGHT * groups.hierarchy.limits.usual})
        with _urgent():
            yield made
    finally:
        made.end()
        groups.release()
        groups.let_go()
