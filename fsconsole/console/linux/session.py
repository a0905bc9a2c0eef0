"""What all views share of a tree on this machine: its state, what is not applied, whether one may act."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.arming import ARMING, Arming
from fsconsole.console.connections import every, once
from fsconsole.console.document import Document
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.preferences import Preferences
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.targets.base import Capability
from fsconsole.targets.linux.groups_worker import GroupsWorker
from fsconsole.targets.linux.state import LinuxState, Pending
from fsconsole.targets.linux.target import LinuxTarget

T = TypeVar("T")
_LOOK_MS, _AFTER_MS = 250, 120


class LinuxArming(Arming):
    """Permission of the console to change control groups."""

    def __init__(self, source: LinuxTarget, preferences: Preferences, parent: QObject) -> None:
        super().__init__(preferences, parent)
        self._source = source

    def can_arm(self) -> bool:
        """Return True if writing is permitted."""
        return not self._source.state.fixed

    def note(self, action: str, before: str, after: str, why: str) -> None:
        """Write an action into the audit log of the groups."""
        self._source.worker.note(action, before, after, self.choices.who, why)


class LinuxSession(QObject):
    """Follows the target, and computes the steps that the edited tree still needs.

    Implements `session.Attached`.

    Attributes:
        source: the target.
        document: the edited tree.
        arming: whether actions are allowed.
        state: the newest state.
        pending: unapplied steps of the document's tree, as of its newest edit or a slightly earlier one.

    Signals: changed() with another state, staged() with another `pending`, acted(sentence) and
    refused(sentence) with what came of an action.
    """

    news = Signal()
    changed = Signal()
    staged = Signal()
    acted = Signal(str)
    refused = Signal(str)

    def __init__(
        self, source: LinuxTarget, document: Document, preferences: Preferences, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.source, self.document = source, document
        self.state: LinuxState = source.state
        self.pending = Pending()
        self.arming = LinuxArming(source, preferences, self)
        self._offers: dict[Capability[Any], Any] = {LINUX: self, ARMING: self.arming}
        self._tasks = Tasks(self)
        self._seen: object = None
        self._timer = every(self, _LOOK_MS, self.look)
        self._timer.start()
        self._soon = once(self, _AFTER_MS, self._compute)
        document.edited.connect(self._on_edited)
        self.arming.changed.connect(self._hold)
        self._hold()
        self._compute()

    def offer(self, capability: Capability[T]) -> T | None:
        """Return the groups themselves, and arming."""
        return self._offers.get(capability)

    @property
    def worker(self) -> GroupsWorker:
        """Worker that changes the groups."""
        return self.source.worker

    @property
    def count(self) -> int:
        """How many steps are not applied."""
        return len(self.pending.lines)

    def problems(self) -> tuple[Problem, ...]:
        """Return weights that differ from the shares, or have no effect."""
        tree, pending = self.document.tree, self.pending
        node_at = {tree.path(node.id): node.id for node in tree.walk()}
        found = [(node_at.get(text.partition(": ")[0]), text, Severity.NOTE) for text in pending.notes]
        found += [(node, text, Severity.WARNING) for node, text in pending.idle]
        return tuple(
            Problem(text if node is None else text.partition(": ")[2], severity, node=node)
            for node, text, severity in found
        )

    def act(self, ask: Callable[[str], Future[str]], answered: Callable[[str], object]) -> bool:
        """Have something done as the person who acts; `answered` gets why it was not, else nothing.

        Returns whether it was asked for: not while the console is read-only.
        """
        self.arming.look()
        if not self.arming.is_armed:
            return False

        def done(text: str) -> None:
            answered("")
            self.acted.emit(text)
            self.look()
            self._compute()

        def failed(error: Exception) -> None:
            answered(str(error))
            self.refused.emit(str(error))
            self._compute()

        self._tasks.watch(ask(self.arming.choices.who), done, failed)
        return True

    @Slot()
    def look(self) -> None:
        """Report a new state."""
        if self.source.state.serial != self.state.serial:
            self.news.emit()

    @Slot()
    def follow(self) -> None:
        """Take in a new state, and see what is pending where the groups are others."""
        state = self.source.state
        if state is self.state:
            return
        self.state = state
        seen = (state.tree, state.is_applied, state.weights, state.memory)
        if seen != self._seen:
            self._seen = seen
            if state.memory is None:
                self._soon.start()
        self.changed.emit()

    def close(self, *, wait: bool = False) -> None:
        """Stop reading, disarm, and end the target."""
        self._timer.stop()
        self._soon.stop()
        self._tasks.cancel()
        self.arming.disarm("left")
        self.source.close(wait=wait)

    @Slot()
    def _hold(self) -> None:
        """Let weights by usage rest while the console is read-only."""
        self.worker.is_held = not self.arming.is_armed

    @Slot()
    def _on_edited(self) -> None:
        self._soon.start()

    @Slot()
    def _compute(self) -> None:
        self._tasks.watch(self.worker.pending(self.document.tree), self._take, self._fail, latest="pending")

    def _take(self, pending: Pending) -> None:
        self.pending = pending
        self.staged.emit()

    def _fail(self, error: Exception) -> None:
        self._take(Pending(problem=str(error)))


LINUX: Capability[LinuxSession] = Capability("control groups of this machine")
