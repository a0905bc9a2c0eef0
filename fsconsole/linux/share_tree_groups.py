"""A share tree on this machine: its control groups, the log that takes them back, and who may change them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fsconsole.linux import accounting, changes
from fsconsole.linux.hierarchy import PROC, Hierarchy, find_hierarchy, group_name, node_name, number_in
from fsconsole.linux.plan import IDLE, ROOT_NAME, Plan, group_paths, plan, weight_steps
from fsconsole.linux.processes import all_processes, descendants, pids_in, wants_cpu
from fsconsole.linux.undo_log import UndoLog
from fsconsole.recording.run_lock import RunLock, is_held
from fsconsole.shares.tree import ROOT_ID, ShareTree

_LOG, _OPEN = "undo.jsonl", "open"
_PATIENCE_S, _AGAIN_S = 10.0, 0.02


class HeldError(RuntimeError):
    """Another program changes these groups just now."""


def state_folder() -> Path:
    """Return where the undo logs are, a folder for each root, in the user's state folder."""
    from platformdirs import user_state_path

    return user_state_path("fsconsole") / "linux"


def left_behind(folder: Path | None = None, proc: Path = PROC) -> list[str]:
    """Return the roots whose groups were not released, by name, but for those that a console has open.

    UndoLogError, OSError.
    """
    logs = sorted((folder or state_folder()).glob(f"*/{_LOG}"))
    return [
        node_name(log.parent.name) for log in logs if not is_held(log.parent / _OPEN) and UndoLog(log, proc)
    ]


class ShareTreeGroups:
    """The control groups of one root.

    Attributes:
        hierarchy: where they are.
        root: the name of their root.
        log: what takes them back.
    """

    def __init__(
        self, root: str = ROOT_NAME, *, hierarchy: Hierarchy | None = None, folder: Path | None = None,
        proc: Path = PROC,
    ) -> None:  # fmt: skip
        """Look at what is there; ControlGroupsError, UndoLogError, OSError, ValueError without a name."""
        if not root.strip():
            raise ValueError("the root of the groups needs a name")
        self.hierarchy = hierarchy or find_hierarchy(proc)
        self.root = root
        self._proc = proc
        self._folder = (folder or state_folder()) / group_name(root)
        self.log = UndoLog(self._folder / _LOG, proc, self.hierarchy.tops)
        self._lock: RunLock | None = None
        self._open: RunLock | None = None

    def attend(self) -> None:
        """Be the one program that looks after these groups until `leave`; HeldError where one does."""
        folder = self._folder / _OPEN
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._open = RunLock(folder)
        except BlockingIOError as error:
            raise HeldError(
                f"another console has opened the groups of {self.root}. Close it first"
            ) from error

    def leave(self) -> None:
        """Let another program look after these groups."""
        if self._open is not None:
            self._open.release()
            self._open = None

    def why_fixed(self) -> str:
        """Say why groups cannot be changed here, in a sentence; empty where they can."""
        if self.hierarchy.is_of_systemd:
            return "" if os.geteuid() == 0 else "Only root can set properties of systemd slices."
        own = self.hierarchy.cpu / group_name(self.root)
        folder = own if own.is_dir() else self.hierarchy.cpu
        if os.access(folder, os.W_OK):
            return ""
        return (
            f"{folder} is not writable. Only root, and users to whom root delegated a group, can "
            "change control groups."
        )

    def hold(self) -> None:
        """Keep other programs from changing these groups until `let_go`; HeldError where one does."""
        if self._lock is not None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        until = time.monotonic() + _PATIENCE_S
        while self._lock is None:
            try:
                self._lock = RunLock(self._folder)
            except BlockingIOError as error:
                if time.monotonic() > until:
                    msg = (
                        f"another fsconsole is changing the groups of {self.root}. Wait until it has "
                        "finished, or end it"
                    )
                    raise HeldError(msg) from error
                time.sleep(_AGAIN_S)
        self.log = UndoLog(self._folder / _LOG, self._proc, self.hierarchy.tops)

    def let_go(self) -> None:
        """Let others change the groups."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def plan(self, tree: ShareTree, before: Mapping[int, str] | None = None) -> Plan:
        """Return what is still to be done for a tree; `before` has the groups of the one in force."""
        log = self.log
        return plan(tree, self.hierarchy, self.root, ours=log.folders, before=before, commands=log.commands)

    def paths(self, tree: ShareTree) -> dict[int, str]:
        """Return the folder of each node's group below the top."""
        return group_paths(tree, self.root, are_slices=self.hierarchy.is_of_systemd)

    def is_applied(self) -> bool:
        """Return whether the root's group is there."""
        if self.hierarchy.is_of_systemd:
            return bool(self.log)
        return (self.hierarchy.cpu / group_name(self.root)).is_dir()

    def apply(
        self,
        tree: ShareTree,
        *,
        before: Mapping[int, str] | None = None,
        after: changes.AfterStep = lambda _: None,
        run: changes.Run | None = None,
    ) -> int:
        """Make the groups those of a tree; return the number of steps. ChangeError, HeldError."""
        self.hold()
        return changes.apply(self.plan(tree, before).steps, self.log, after=after, run=run)

    def set_weights(
        self,
        tree: ShareTree,
        weights: Mapping[int, int],
        *,
        after: changes.AfterStep = lambda _: None,
        run: changes.Run | None = None,
    ) -> int:
        """Set other weights than those of the shares; return how many were others. ChangeError, HeldError."""
        self.hold()
        steps = weight_steps(self.hierarchy, self.paths(tree), weights)
        return changes.apply(steps, self.log, after=after, run=run)

    def weights(self, tree: ShareTree) -> dict[int, int]:
        """Read the weight of each node whose group has one; 0 where it runs only when no other wants to."""
        limits, found = self.hierarchy.limits, {}
        for node, path in self.paths(tree).items():
            folder = self.hierarchy.cpu / path
            weight = number_in(folder / limits.file)
            if weight is not None and node != ROOT_ID:
                found[node] = 0 if number_in(folder / IDLE) == 1 else weight
        return found

    def process_counts(self, tree: ShareTree) -> dict[int, int]:
        """Count the processes in each node's own group, without those below it."""
        paths = self.paths(tree)
        return {node: len(pids_in(self.hierarchy.cpu / path)) for node, path in paths.items()}

    def waiting(self, tree: ShareTree) -> frozenset[int]:
        """Return the nodes with a process in their own group that runs or waits for a processor now."""
        return frozenset(
            node
            for node, path in self.paths(tree).items()
            if any(wants_cpu(pid, self._proc) for pid in pids_in(self.hierarchy.cpu / path))
        )

    def to_release(self) -> list[str]:
        """Say what `release` would do, a line each, in order."""
        return changes.release_lines(self.log)

    def release(self, run: changes.Run | None = None) -> changes.Released:
        """Take back everything; ChangeError, HeldError."""
        self.hold()
        return changes.release(self.log, run=run, proc=self._proc)

    def move(self, pids: Iterable[int], group: str) -> list[str]:
        """Move processes into a group; return what could not be moved and why."""
        self.hold()
        return changes.move(pids, group, self.hierarchy, self.log, self._proc)

    def started_by(self, pids: Sequence[int]) -> list[int]:
        """Return the processes that these have started, directly or not, without this program."""
        return [pid for pid in descendants(pids, self._proc) if pid != os.getpid()]

    def processes_of(self, uids: Iterable[int]) -> dict[int, list[int]]:
        """Return the processes of users, by uid."""
        found: dict[int, list[int]] = {uid: [] for uid in uids}
        for process in all_processes(self._proc):
            if process.uid in found:
                found[process.uid].append(process.pid)
        return found

    def reading(self, tree: ShareTree) -> accounting.Reading:
        """Read what the kernel has charged to each node."""
        return accounting.read(self.hierarchy, self.paths(tree))
