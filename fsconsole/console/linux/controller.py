"""Opening a share tree on this machine, leaving it, and releasing what a console left that was killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.document import Document
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.kit.consent import UnsavedWork, may_lose
from fsconsole.console.kit.tasks import Tasks, describe_error, run_and_wait
from fsconsole.console.linux.session import LINUX, LinuxSession
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.late_input import after_dialogs
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.linux.audit import LinuxError
from fsconsole.targets.linux.groups_worker import GroupsWorker
from fsconsole.targets.linux.target import LinuxTarget

MakeTarget = Callable[[ShareTree], LinuxTarget]
MakeWorker = Callable[[str], GroupsWorker]
LookForLeft = Callable[[], list[str]]


def linux_target(tree: ShareTree) -> LinuxTarget:
    """Return a tree on this machine; not for the window's thread."""
    from fsconsole.linux.share_tree_groups import ShareTreeGroups

    return LinuxTarget(lambda changed: GroupsWorker(ShareTreeGroups(), tree, changed))


def worker_of(root: str) -> GroupsWorker:
    """Return a worker that releases the groups of a root; not for the window's thread."""
    from fsconsole.linux.share_tree_groups import ShareTreeGroups

    return GroupsWorker(ShareTreeGroups(root), ShareTree(), lambda: None)


def left_roots() -> list[str]:
    """Return roots of applied groups that no console has open; not for the window's thread."""
    from fsconsole.linux.share_tree_groups import left_behind

    return left_behind()


class LinuxController(QObject):
    """Puts the open tree onto this machine's control groups, and takes it off.

    Attributes:
        make, make_worker, look_for_left: make targets; tests replace this machine's by them.
        left: roots whose groups are in force and that no console has open.

    Signals: failed(sentence) where it came to nothing; began() before an attempt; message(text) for the
    status bar; left_changed() with other roots.
    """

    failed = Signal(str)
    began = Signal()
    message = Signal(str)
    left_changed = Signal()

    def __init__(self, session: ConsoleSession, files: FileController, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._files = session, files
        self.make: MakeTarget = linux_target
        self.make_worker: MakeWorker = worker_of
        self.look_for_left: LookForLeft = left_roots
        self.left: tuple[str, ...] = ()
        self._tasks = Tasks(self)
        self._is_wanted = False
        files.losses.append(self._groups_in_force)
        session.document_changed.connect(self._on_document)

    # -- coming ---------------------------------------------------------------------------------------------

    def open_next(self) -> None:
        """Open the tree that is being read as soon as it is there."""
        self._is_wanted = True

    @Slot()
    def open(self) -> None:
        """Open the document's tree on this machine; read-only, and nothing is written yet."""
        document = self._session.document
        if document is None or self._tasks.is_busy("open") or self._session.offer(LINUX) is not None:
            return
        self.began.emit()
        tree = document.tree.copy()
        made = partial(self._on_made, document)
        self._tasks.run(lambda: self.make(tree), made, self._on_failed, latest="open")

    def _may_take(self, document: Document) -> bool:
        """Return True if the open run or cluster may be left; edits of a file stay with it."""
        if document.is_of_file and not document.locked:
            return may_lose(self._files.unkept.losses)
        return self._files.may_leave()

    def _on_made(self, document: Document, target: LinuxTarget) -> None:
        after_dialogs(self, partial(self._show_made, document, target))

    def _show_made(self, document: Document, target: LinuxTarget) -> None:
        if document is not self._session.document or not self._may_take(document):
            target.close()
            return
        if not document.is_of_file or document.locked:
            scenario = document.present
            document = Document(scenario, name=f"{scenario.title or 'tree'}.yaml")
        linux = LinuxSession(target, document, self._session.preferences, self._session)
        linux.acted.connect(self.message)
        linux.refused.connect(self.message)
        self._session.open(document, linux)
        self.look()
        self.message.emit("Opened on this machine, read-only")

    def _on_failed(self, error: Exception) -> None:
        words = describe_error(error).rstrip(".")
        self.failed.emit(f"Cannot open the tree on this machine: {words}.")

    @Slot()
    def _on_document(self) -> None:
        if self._is_wanted and self._session.document is not None:
            self._is_wanted = False
            # Deferred until all views have the document.
            self._tasks.run(lambda: None, lambda _: self.open())

    # -- going ----------------------------------------------------------------------------------------------

    def simulate(self) -> None:
        """Close the groups here and run the tree, as edited, on a simulated machine."""
        document = self._session.document
        if self._session.offer(LINUX) is None or document is None:
            return
        if may_lose(lambda: (*self._files.unkept.losses(), *self._groups_in_force())):
            self._session.open(document)
            self.look()

    def _groups_in_force(self) -> Iterator[UnsavedWork]:
        linux = self._session.offer(LINUX)
        if linux is not None and linux.state.is_applied:
            yield UnsavedWork((linux, linux.worker.tree), partial(self._may_leave, linux))

    def _may_leave(self, linux: LinuxSession) -> bool:
        """Ask about applied groups; return False if the tree must stay open."""
        linux.arming.look()
        is_armed = linux.arming.is_armed
        answer = self._files.questions.leave_groups(linux.worker.groups.root, is_armed=is_armed)
        return answer == "discard" or (answer == "save" and self._release(linux))

    def _release(self, linux: LinuxSession) -> bool:
        """Release the groups, wait and return whether it worked; a failure is shown, and the tree stays."""
        asked = linux.worker.release(linux.arming.choices.who, "left")
        try:
            self.message.emit(run_and_wait(asked.result, self))
        except LinuxError as error:
            self.failed.emit(f"Cannot release the groups: {str(error).rstrip('.')}.")
            return False
        return True

    # -- what was left --------------------------------------------------------------------------------------

    def look(self) -> None:
        """Look for applied groups that no console has open."""
        self._tasks.run(self.look_for_left, self._on_left, lambda _: None, latest="left")

    def release_left(self) -> None:
        """Release them once that is confirmed."""
        roots = self.left
        if not roots or self._tasks.is_busy("release") or not self._files.questions.release_groups(roots):
            return
        who = self._who()

        def work() -> str:
            lines = []
            for root in roots:
                worker = self.make_worker(root)
                try:
                    lines.append(worker.release(who, "left by an earlier console").result())
                finally:
                    worker.close(wait=False)
            return "; ".join(lines)

        self._tasks.run(work, self._on_released, self._on_unreleased, latest="release")

    def _who(self) -> str:
        from fsconsole.console.operator_preferences import OperatorPreferences

        return OperatorPreferences(self._session.preferences).who

    def _on_left(self, roots: list[str]) -> None:
        self.left = tuple(roots)
        self.left_changed.emit()

    def _on_released(self, text: str) -> None:
        self.message.emit(text)
        self.look()

    def _on_unreleased(self, error: Exception) -> None:
        self.failed.emit(describe_error(error))
        self.look()
