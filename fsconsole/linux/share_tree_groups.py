"""A share tree on this machine: its control groups, their undo log, and the lock against other programs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fsconsole.linux import accounting, changes
from fsconsole.linux.hierarchy import PROC, Hierarchy, find_hierarchy, group_name, node_name, number_in
from fsconsole.linux.plan import IDLE, ROOT_NAME, Plan, group_paths, plan, slices_in_force, weight_steps
from fsconsole.linux.processes import all_processes, descendants, pids_in, wants_cpu
from fsconsole.linux.undo_log import UndoLog
from fsconsole.operating_system import user_id
from fsconsole.recording.run_lock import RunLock, is_held
from fsconsole.shares.files import make_private_folder
from fsconsole.shares.tree import ROOT_ID, ShareTree
from fsconsole.text.words import listed

_LOG, _OPEN = "undo.jsonl", "open"
_PATIENCE_S, _AGAIN_S = 10.0, 0.02
_MOST_NAMED = 3


class HeldError(RuntimeError):
    """Another program changes these groups at the moment."""


class OtherStepsError(ValueError):
    """The steps are not those that were shown any more."""


def state_folder() -> Path:
    """Return the folder of the undo logs, one subfolder for each root, in the user's state folder."""
    from platformdirs import user_state_path

    return user_state_path("fsconsole") / "linux"


def left_behind(folder: Path | None = None, proc: Path = PROC) -> list[str]:
    """Return the names of roots whose groups were not released, without those open in a console.

    Raises:
        UndoLogError: a file is not an undo log.
        OSError: a log cannot be read.
    """
    logs = sorted((folder or state_folder()).glob(f"*/{_LOG}"))
    return [
        node_name(log.parent.name) for log in logs if not is_held(log.parent / _OPEN) and UndoLog(log, proc)
    ]


class ShareTreeGroups:
    """The control groups of one root.

    Attributes:
        hierarchy: the control groups of the machine.
        root: name of the root group.
        log: the undo log.
    """

    def __init__(
        self, root: str = ROOT_NAME, *, hierarchy: Hierarchy | None = None, folder: Path | None = None,
        proc: Path = PROC,
    ) -> None:  # fmt: skip
        """Read the present state of the groups.

        Raises:
            ControlGroupsError: the machine has no usable control groups.
            UndoLogError: the file is not an undo log.
            OSError: the log cannot be read.
            ValueError: the root has no name.
        """
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
        """Lock these groups against other consoles until `leave`.

        Raises:
            HeldError: another console has opened them.
        """
        folder = self._folder / _OPEN
        make_private_folder(folder)
        try:
            self._open = RunLock(folder)
        except BlockingIOError as error:
            raise HeldError(
                f"another console has opened the groups of {self.root}. Close it first"
            ) from error

    def leave(self) -> None:
        """Release the lock of `attend`."""
        if self._open is not None:
            self._open.release()
            self._open = None

    def why_fixed(self) -> str:
        """Return a sentence why groups cannot be changed here; empty if they can."""
        if self.hierarchy.is_of_systemd:
            return "" if user_id() == 0 else "Only root can set properties of systemd slices."
        own = self.hierarchy.cpu / group_name(self.root)
        folder = own if own.is_dir() else self.hierarchy.cpu
        if os.access(folder, os.W_OK):
            return ""
        return (
            f"{folder} is not writable. Only root, and users to whom root delegated a group, can "
            "change control groups."
        )

    def hold(self) -> None:
        """Lock these groups against changes by other programs until `let_go`.

        Raises:
            HeldError: another program changes them.
        """
        if self._lock is not None:
            return
        make_private_folder(self._folder)
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
        """Release the lock of `hold`."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def plan(self, tree: ShareTree, before: Mapping[int, str] | None = None) -> Plan:
        """Return the remaining steps for a tree; `before` has the groups of the tree in force."""
        log = self.log
        return plan(tree, self.hierarchy, self.root, ours=log.folders, before=before, commands=log.commands)

    def paths(self, tree: ShareTree) -> dict[int, str]:
        """Return the folder of each node's group below the top."""
        return group_paths(tree, self.root, are_slices=self.hierarchy.is_of_systemd)

    def is_applied(self) -> bool:
        """Return True if the root's group exists."""
        if self.hierarchy.is_of_systemd:
            return bool(self.log)
        return (self.hierarchy.cpu / group_name(self.root)).is_dir()

    def apply(
        self,
        tree: ShareTree,
        *,
        before: Mapping[int, str] | None = None,
        shown: Sequence[str] | None = None,
        after: changes.AfterStep = lambda _: None,
        run: changes.Run | None = None,
    ) -> int:
        """Turn a tree into groups, by the steps that were shown, if any; return the number of steps.

        Raises:
            ChangeError: a step failed.
            HeldError: another program changes these groups.
            OtherStepsError: other steps are necessary now.
        """
        self.hold()
        steps = self.plan(tree, before).steps
        check_shown(shown, [str(step) for step in steps])
        return changes.apply(steps, self.log, after=after, run=run)

    def set_weights(
        self,
        tree: ShareTree,
        weights: Mapping[int, int],
        *,
        after: changes.AfterStep = lambda _: None,
        run: changes.Run | None = None,
    ) -> int:
        """Set weights that differ from the shares; return the number of changed weights.

        Raises:
            ChangeError: a step failed.
            HeldError: another program changes these groups.
        """
        self.hold()
        steps = weight_steps(self.hierarchy, self.paths(tree), weights)
        return changes.apply(steps, self.log, after=after, run=run)

    def set_shares(self, tree: ShareTree, *, run: changes.Run | None = None) -> tuple[str, ...]:
        """Set the weights of the shares for the groups that are still there; make and remove no group.

        Returns:
            Paths of the nodes without a group, which others have removed.

        Raises:
            ChangeError: a step failed.
            HeldError: another program changes these groups.
        """
        self.hold()
        found, missing = self.plan(tree), dict.fromkeys(self._missing(tree))
        if self.hierarchy.is_of_systemd:
            steps = [step for step in found.steps if step.node is not None and step.node not in missing]
        else:
            steps = weight_steps(self.hierarchy, found.groups, found.weights)
        changes.apply(steps, self.log, run=run)
        return tuple(tree.path(node) for node in missing)

    def why_other(self, tree: ShareTree) -> str:
        """Return differences between the groups in force and those of a tree, in words; empty without any."""
        missing = [tree.path(node) for node in self._missing(tree)]
        paths = set(self.paths(tree).values())
        if self.hierarchy.is_of_systemd:
            others = slices_in_force(self.log.commands) - {Path(path).name for path in paths}
        else:
            top, own = self.hierarchy.cpu, f"{group_name(self.root)}/"
            ours = (folder.relative_to(top) for folder in self.log.folders if folder.is_relative_to(top))
            inside = (str(folder) for folder in ours if str(folder) not in paths and (top / folder).is_dir())
            others = frozenset(node_name(path.removeprefix(own)) for path in inside if path.startswith(own))
        words = [f"Without a group: {listed(missing, _MOST_NAMED)}"] if missing else []
        words += [f"Groups of another tree: {listed(sorted(others), _MOST_NAMED)}"] if others else []
        return ". ".join(words)

    def _missing(self, tree: ShareTree) -> list[int]:
        """Return the nodes without a group, in the tree's order."""
        paths = self.paths(tree)
        if self.hierarchy.is_of_systemd:
            units = slices_in_force(self.log.commands)
            return [node for node, path in paths.items() if node != ROOT_ID and Path(path).name not in units]
        return [node for node, path in paths.items() if not (self.hierarchy.cpu / path).is_dir()]

    def weights(self, tree: ShareTree) -> dict[int, int]:
        """Read the weight of each node with a group; 0 if it runs only while no other group wants to."""
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
        """Return the nodes with a process in their own group that runs or waits for a processor."""
        return frozenset(
            node
            for node, path in self.paths(tree).items()
            if any(wants_cpu(pid, self._proc) for pid in pids_in(self.hierarchy.cpu / path))
        )

    def to_release(self) -> list[str]:
        """Return the steps of `release` in order, one line each."""
        return changes.release_lines(self.log)

    def release(self, run: changes.Run | None = None, shown: Sequence[str] | None = None) -> changes.Released:
        """Undo all changes, those that were shown, if any; those that cannot be undone stay in the log.

        Raises:
            HeldError: another program changes these groups.
            OtherStepsError: other steps are necessary now.
        """
        self.hold()
        check_shown(shown, self.to_release())
        return changes.release(self.log, run=run, proc=self._proc)

    def move(self, pids: Iterable[int], group: str) -> list[str]:
        """Move processes into a group; return sentences on those that could not be moved.

        Raises:
            HeldError: another program changes these groups.
        """
        self.hold()
        return changes.move(pids, group, self.hierarchy, self.log, self._proc)

    def started_by(self, pids: Sequence[int]) -> list[int]:
        """Return all processes started by these, directly or not, without this program."""
        return [pid for pid in descendants(pids, self._proc) if pid != os.getpid()]

    def processes_of(self, uids: Iterable[int]) -> dict[int, list[int]]:
        """Return the processes of users, by uid."""
        found: dict[int, list[int]] = {uid: [] for uid in uids}
        for process in all_processes(self._proc):
            if process.uid in found:
                found[process.uid].append(process.pid)
        return found

    def reading(self, tree: ShareTree) -> accounting.Reading:
        """Read the CPU time charged to each node."""
        return accounting.read(self.hierarchy, self.paths(tree))


def shares_words(missing: Sequence[str]) -> str:
    """Return the result of `set_shares`, in words without a full stop."""
    words = "the weights follow the shares alone again"
    if missing:
        words += f", without those of removed groups: {listed(missing, _MOST_NAMED)}"
    return words


def check_shown(shown: Sequence[str] | None, now: Sequence[str]) -> None:
    """Raise OtherStepsError where the steps are not those that were shown, if any were."""
    if shown is None or list(shown) == list(now):
        return
    fresh = [line for line in now if line not in shown]
    gone = [line for line in shown if line not in now]
    words = ["nothing was changed: the steps have changed since they were shown"]
    words += [f"New: {listed(fresh, _MOST_NAMED)}"] if fresh else []
    words += [f"No longer needed: {listed(gone, _MOST_NAMED)}"] if gone else []
    raise OtherStepsError(". ".join(words))
