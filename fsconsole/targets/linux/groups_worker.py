"""Worker that changes groups of this machine: one change after the other, each logged, in its own thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from fsconsole.linux import commands
from fsconsole.linux.accounting import Reading, charged_s
from fsconsole.linux.changes import Run
from fsconsole.linux.idle_weights import idle_weights
from fsconsole.linux.plan import Kind, Step
from fsconsole.linux.share_tree_groups import HeldError, ShareTreeGroups, check_shown, shares_words
from fsconsole.linux.sharer import Sharer, active_leaves
from fsconsole.linux.users import user_number
from fsconsole.recording.audit import AuditRow
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.linux.audit import GroupsAudit, LinuxError, error_words
from fsconsole.targets.linux.state import Memory, Pending
from fsconsole.targets.serial_executor import SerialExecutor
from fsconsole.text.words import count_words

_CLOSE_S = 5.0


class GroupsWorker:
    """Changes the groups of one root.

    Attributes:
        groups: what it changes.
        tree: the one in force; that it began with while none is. Replaced, never changed.
        sharer: gives the kernel a memory; None where the weights are those of the shares.
        memory: how.
        is_held: whether the sharer sets no weights now; usage is still counted.
        doing: what is being done, in words.
        problem: why weights could not be set again, in a sentence.
    """

    def __init__(
        self,
        groups: ShareTreeGroups,
        tree: ShareTree,
        changed: Callable[[], None],
        *,
        log: Path | None = None,
        run: Run | None = None,
        sys: Path = Path("/sys"),
    ) -> None:
        """Call `changed`, in the thread, after each change; `log` is the audit log's file."""
        self.groups, self.tree = groups, tree.copy()
        self.sharer: Sharer | None = None
        self.memory: Memory | None = None
        self.is_held = False
        self.doing = self.problem = ""
        self._changed, self._run, self._sys = changed, run, sys
        self._audit = GroupsAudit(groups.root, log)
        self._executor = SerialExecutor("linux groups")
        self._children: list[int] = []
        self._before: Reading | None = None
        self._set_soon = threading.Event()

    @property
    def audit(self) -> tuple[AuditRow, ...]:
        """Changes made from here, oldest first."""
        return self._audit.rows

    # -- what is asked for -----------------------------------------------------------------------------------

    def pending(self, tree: ShareTree) -> Future[Pending]:
        """Return the steps that would make the groups those of a tree; nothing is changed."""
        wanted = tree.copy()
        return self._executor.submit(lambda: self._pending(wanted))

    def apply(
        self, tree: ShareTree, who: str, why: str = "", shown: Sequence[str] | None = None
    ) -> Future[str]:
        """Make the groups those of a tree, by the steps that were shown, if any; the future has the changes,
        in words.
        """
        wanted = tree.copy()

        def work() -> str:
            self.groups.hold()
            check_shown(shown, self._pending(wanted).lines)
            done = self.groups.apply(wanted, before=self._groups_in_force(), run=self._run)
            self.tree = wanted
            if self.sharer is not None:
                self.sharer = Sharer(wanted, self.sharer.half_life_s, dict(self.sharer.usage))
            return f"{count_words(done, 'step')} done"

        return self._change("apply", "", work, who, why)

    def release(self, who: str, why: str = "") -> Future[str]:
        """Revert everything; the future has the reverted and remaining changes, in words."""

        def work() -> str:
            self._forget_memory()
            found = self.groups.release(self._run)
            done = f"{count_words(found.done, 'change')} reverted"
            return "; ".join((done, *found.left))

        return self._change("release", "", work, who, why)

    def assign(
        self, node: int, pids: Sequence[int], login: str, who: str, why: str = "", *, children: bool = False
    ) -> Future[str]:
        """Move processes, with `children` those that they have started, and all of a user into a
        node's group.

        The result is what was done, in words, or LinuxError where none could be moved.
        """
        weights = [
            *map(str, pids),
            *(["with children"] if children else []),
            *([f"all of {login}"] if login else []),
        ]

        def work() -> str:
            self._must_be_applied(moves=True)
            wanted = [*pids, *(self.groups.started_by(pids) if children else ())]
            wanted += self._pids_of(login) if login else []
            problems = self.groups.move(wanted, self.groups.paths(self.tree)[node])
            moved = count_words(len(wanted) - len(problems), "process", "processes")
            if problems and len(problems) == len(wanted):
                raise LinuxError(problems[0])
            return "; ".join((f"{moved} moved to {self.tree.path(node)}", *problems))

        return self._change("assign", ", ".join(weights), work, who, why, on=self._path(node))

    def start(self, node: int, words: Sequence[str], who: str, why: str = "") -> Future[str]:
        """Start a command below a node."""

        def work() -> str:
            self._must_be_applied(moves=False)
            path = self.groups.paths(self.tree)[node]
            if self.groups.hierarchy.is_of_systemd:
                started = commands.start(commands.scope(Path(path).name, words), lambda _: [])
            else:
                started = commands.start(words, lambda pids: self.groups.move(pids, path))
            self._children.append(started)
            return f"process {started} started in {self.tree.path(node)}: {words[0]}"

        return self._change("start", " ".join(words), work, who, why, on=self._path(node))

    def remember(self, memory: Memory, who: str, why: str = "") -> Future[str]:
        """Set weights by the Share rule from now on.

        The future has LinuxError where the groups in force are not those of the tree.
        """

        def work() -> str:
            self._must_be_applied(moves=False)
            self.groups.hold()  # It reads what others have done.
            if other := self.groups.why_other(self.tree):
                raise LinuxError(
                    f"The groups in force are not those of the tree. {other}. Apply the tree first."
                )
            self._before = self.groups.reading(self.tree)
            self.sharer, self.memory = Sharer(self.tree, memory.half_life_s), memory
            self.sharer.begin_with(self._before.used_s, os.cpu_count() or 1)
            return f"weights are set every {memory.delta_s:g} s, usage halves in {memory.half_life_s:g} s"

        return self._change("weigh by usage", "", work, who, why)

    def forget(self, who: str, why: str = "") -> Future[str]:
        """Set the weights back to those of the shares."""

        def work() -> str:
            self._forget_memory()
            return shares_words(self.groups.set_shares(self.tree, run=self._run))

        # The weights of the shares must come back even if the disk is full.
        return self._change("weigh by shares", "", work, who, why, must_log=False)

    def note(self, action: str, before: str, after: str, who: str, why: str) -> None:
        """Write an action of the console itself into the audit log."""
        self._executor.submit(lambda: self._audit.note(action, before, after, who, why))

    def set_weights_soon(self) -> None:
        """Request that the sharer reads usage and sets weights, unless that is requested already."""
        if self.sharer is not None and not self._set_soon.is_set():
            self._set_soon.set()
            self._executor.submit(self._set_weights)

    def close(self, *, wait: bool) -> None:
        """Accept no more changes; restore the weights of the shares where the kernel had a memory."""
        if self.sharer is not None:
            self.forget("console", "closed")
        self._executor.submit(self.groups.leave)
        self._executor.close(_CLOSE_S if wait else 0.0)

    # -- in the thread ---------------------------------------------------------------------------------------

    def _pending(self, tree: ShareTree) -> Pending:
        groups = self.groups
        try:
            found = groups.plan(tree, self._groups_in_force())
            cpus = os.cpu_count() or 1
            found_idle = idle_weights(tree, groups.hierarchy, found.groups, sys=self._sys, cpus=cpus)
            idle = tuple((one.node, one.text) for one in found_idle)
        except OSError as error:
            return Pending(problem=f"{error.filename}: {error.strerror}.")
        steps = [step for step in found.steps if not self._is_sharers(step, tree)]
        return Pending(
            tuple(map(str, steps)),
            frozenset(step.node for step in steps if step.node is not None),
            found.weights,
            found.notes,
            idle,
        )

    def _is_sharers(self, step: Step, tree: ShareTree) -> bool:
        """Return True if a weight is another one only because the sharer has set it."""
        if self.sharer is None or step.kind not in (Kind.WRITE, Kind.RUN) or step.node is None:
            return False
        if step.kind is Kind.WRITE and step.path.name != self.groups.hierarchy.limits.file:
            return False
        siblings = [(node.id, node.shares) for node in tree.siblings(step.node)]
        there = self.tree.siblings(step.node) if step.node in self.tree else ()
        return siblings == [(node.id, node.shares) for node in there]

    def _groups_in_force(self) -> dict[int, str] | None:
        return self.groups.paths(self.tree) if self.groups.is_applied() else None

    def _path(self, node: int) -> str:
        return self.tree.path(node) if node in self.tree else ""

    def _forget_memory(self) -> None:
        self.sharer = self.memory = None

    def _must_be_applied(self, *, moves: bool) -> None:
        if moves and self.groups.hierarchy.is_of_systemd:
            raise LinuxError("systemd owns the control groups here. Start commands in its slices instead.")
        if not self.groups.is_applied():
            raise LinuxError("No groups yet. Apply the tree first.")

    def _pids_of(self, login: str) -> list[int]:
        uid = user_number(login)
        if uid is None:
            raise LinuxError(f"User {login!r} not found on this machine.")
        found = [pid for pid in self.groups.processes_of([uid])[uid] if pid != os.getpid()]
        if not found:
            raise LinuxError(f"{login} has no process.")
        return found

    def _set_weights(self) -> None:
        """Run one delta of the sharer; a failure is reported and tried again at the next one.

        While it is held, the kernel keeps the weights that were set last.
        """
        self._set_soon.clear()
        sharer, before, groups = self.sharer, self._before, self.groups
        if sharer is None or before is None:
            return
        try:
            now = groups.reading(self.tree)
            passed_s, charged = now.at_s - before.at_s, charged_s(before, now)
            self._before = now
            sharer.take(charged, passed_s)
            if self.is_held:
                return
            active = active_leaves(self.tree, charged, passed_s, groups.waiting(self.tree))
            groups.set_weights(self.tree, sharer.weights(active, groups.hierarchy.limits), run=self._run)
            self.problem = ""
        except (OSError, HeldError) as error:
            self.problem = f"Cannot set weights: {error_words(error)}."
        finally:
            groups.let_go()

    def _change(
        self, action: str, after: str, work: Callable[[], str], who: str, why: str, *, on: str = "",
        must_log: bool = True,
    ) -> Future[str]:  # fmt: skip
        def task() -> str:
            self.doing = action
            self._changed()
            try:
                text = self._audit.change(action, work, who, why, after=after, on=on, must_log=must_log)
                problem = self._audit.problem
                return f"{text}, but it was not logged. {problem}" if problem else text
            finally:
                self.groups.let_go()
                self.doing = ""
                self._changed()

        return self._executor.submit(task)

    def reap(self) -> None:
        """Release commands of ours that have ended."""
        self._children = [child for child in self._children if not commands.has_ended(child)]
