"""What Target > Connect, Disconnect and their kin do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.cluster.connection_check import Verdict, failure
from fsconsole.console.cluster.change_set_worker import STAGING, ChangeSetWorker
from fsconsole.console.cluster.connection_attempt import ConnectionAttempt, MakeTarget, slurm_target
from fsconsole.console.cluster.document import ClusterDocument
from fsconsole.console.cluster.recent_clusters import RecentClusters, mark_of, place_of_mark, way_words
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.document import Document
from fsconsole.console.files.file_controller import LAST_KEY, FileController
from fsconsole.console.kit.consent import TypedEntry, UnsavedWork
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.late_input import after_dialogs
from fsconsole.shares.diff import diff
from fsconsole.targets.slurm.base import ClusterTarget
from fsconsole.targets.slurm.diary import Diary
from fsconsole.targets.slurm.location import Location, capture_place, captured_folder, captured_s
from fsconsole.targets.slurm.replay import CaptureError
from fsconsole.targets.slurm.state import ClusterState

if TYPE_CHECKING:
    from fsconsole.console.cluster.connect_dialog import ConnectDialog


class ConnectionController(QObject):
    """Opens clusters in the session and leaves them.

    Attributes:
        recent: recent clusters.
        make: makes targets; tests replace Slurm's tools by it.

    Signals: attempt_began(words), attempt_ended() around an attempt without a dialog, failed(sentence)
    where it came to nothing; message(text) for the status bar; apply_wanted() before leaving.
    """

    attempt_began = Signal(str)
    attempt_ended = Signal()
    failed = Signal(str)
    message = Signal(str)
    apply_wanted = Signal()

    def __init__(
        self, session: ConsoleSession, files: FileController, window: QWidget, make: MakeTarget = slurm_target
    ) -> None:
        super().__init__(window)
        self._session, self._files, self._window = session, files, window
        self.make = make
        self.recent = RecentClusters(session.preferences, self)
        self._attempt: ConnectionAttempt | None = None
        self._asking: ConnectDialog | None = None
        self._place: Location | None = None
        self._arrived: ClusterTarget | None = None
        files.losses.append(self._staged_edits)
        files.capture_wanted.connect(self.open_capture)

    # -- coming ---------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Ask for the place of Slurm's tools."""
        self._dialog().open()

    def connect_to(self, prefix: tuple[str, ...]) -> None:
        """Open a cluster, with a dialog on its answers; a capture answers at once."""
        folder = captured_folder(prefix)
        if folder is not None:
            self.open_capture(folder)
            return
        dialog = self._dialog()
        dialog.open()
        dialog.connect_now(prefix)

    @property
    def is_connecting(self) -> bool:
        """Whether a cluster is being read, with or without a dialog."""
        attempt = self._attempt if self._asking is None else self._asking.attempt
        return attempt is not None and attempt.verdict is Verdict.READING

    def last_place(self) -> Location | None:
        """Return the cluster that was open when the console ended; None where none was."""
        return place_of_mark(self._session.preferences.value(LAST_KEY))

    def reconnect(self, place: Location) -> None:
        """Open a cluster as soon as it is read, without a dialog: nothing waits for it."""
        self.cancel()
        self._place = place
        try:
            captured_s(place.prefix)
        except CaptureError as error:
            self.failed.emit(str(error))
            return
        self._attempt = ConnectionAttempt(place, self.make, self)
        self._attempt.changed.connect(self._on_changed)
        self.attempt_began.emit(f"Connecting to {self._name_of(place)}")
        self._attempt.start()

    @Slot(object)
    def open_capture(self, path: Path) -> None:
        """Open what was kept of a cluster: its folder, or the list in it."""
        self.reconnect(capture_place(path))

    @Slot()
    def retry(self) -> None:
        """Repeat the attempt that failed."""
        if self._place is not None:
            self.reconnect(self._place)

    @Slot()
    def cancel(self) -> None:
        """Leave the attempt to connect."""
        if self._attempt is not None:
            self._attempt.leave()
            self._attempt = None
            self.attempt_ended.emit()
        arrived, self._arrived = self._arrived, None
        if arrived is not None:
            arrived.close()

    @Slot(object)
    def open(self, target: ClusterTarget) -> None:
        """Show a cluster; the target is closed where the open document must stay."""
        self.cancel()
        if not self._files.may_leave():
            target.close()
            return
        self._files.cancel_reading()
        cluster = ClusterSession(target, self._session.preferences, self._session)
        weeks = cluster.arming.choices.diary_weeks
        if weeks >= 0 and captured_folder(target.place.prefix) is None:
            cluster.source.keep_diary(Diary(weeks))
        self.recent.add(target.place.prefix, cluster.name)
        self._session.preferences.set_value(LAST_KEY, mark_of(target.place.prefix))
        self._show(cluster)
        cluster.changed.connect(self._on_state)
        opened = f"{cluster.name} opened, read-only"
        self.message.emit(f"{opened}. {claimed}" if (claimed := cluster.state.claimed) else opened)

    # -- going ----------------------------------------------------------------------------------------------

    def disconnect_cluster(self) -> bool:
        """Leave the cluster; whether it is left."""
        return self._session.offer(CLUSTER) is not None and self._files.close()

    def simulate(self) -> None:
        """Leave the cluster and open its tree, as it is edited, on a simulated machine."""
        document, cluster = self._session.document, self._session.offer(CLUSTER)
        if document is None or cluster is None or not self._files.may_leave():
            return
        scenario = replace(document.scenario, tree=document.tree.copy(), title=f"{cluster.name}, simulated")
        machine = replace(scenario.machine, name=f"{cluster.name}, simulated")
        name = f"{cluster.name}.yaml"
        self._files.show(Document(replace(scenario, machine=machine), name=name), None)

    def _staged_edits(self) -> Iterator[UnsavedWork]:
        cluster, staging = self._session.offer(CLUSTER), self._session.offer(STAGING)
        document = self._session.document
        if cluster is None or staging is None or document is None:
            return
        if cluster.is_applying:
            ask = partial(self._files.questions.leave_applying, cluster.name)
            yield UnsavedWork((cluster, "applying"), ask)
        typed, staged = self._session.typed_entries, 0 if cluster.is_applying else staging.count
        if staging.base is not None and (staged or typed):
            state = (document, diff(staging.base, document.present.tree), typed)
            yield UnsavedWork(state, partial(self._may_leave_staged, cluster, staged, typed))

    def _may_leave_staged(self, cluster: ClusterSession, staged: int, typed: Sequence[TypedEntry]) -> bool:
        questions, places = self._files.questions, [entry.place for entry in typed]
        count = staged + len(typed)
        if cluster.captured_s is not None:
            return questions.discard_staged(cluster.name, count, places)
        answer = questions.leave_staged(cluster.name, count, places)
        if answer == "save" and all(entry.enter() for entry in typed):
            self.apply_wanted.emit()
        return answer == "discard"

    # -- inside ---------------------------------------------------------------------------------------------

    def _dialog(self) -> ConnectDialog:
        from fsconsole.console.cluster.connect_dialog import ConnectDialog

        self.cancel()
        used = [entry.prefix for entry in self.recent.entries()]
        prefixes = [prefix for prefix in used if captured_folder(prefix) is None]
        dialog = ConnectDialog(self.make, prefixes, self._window)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.reached.connect(self._on_reached)
        dialog.finished.connect(self._on_asked)
        self._asking = dialog
        return dialog

    @Slot()
    def _on_asked(self) -> None:
        self._asking = None

    def _name_of(self, place: Location) -> str:
        known = (entry for entry in self.recent.entries() if entry.prefix == place.prefix)
        entry = next(known, None)
        return entry.words if entry is not None else way_words(place.prefix)

    @Slot()
    def _on_changed(self) -> None:
        attempt = self._attempt
        if attempt is None or attempt.verdict is Verdict.READING:
            return
        if attempt.verdict is Verdict.FAILED:
            why = attempt.fault or (failure(attempt.state) if attempt.state is not None else "")
            name = self._name_of(attempt.place)
            self.cancel()
            self.failed.emit(f"{name} does not respond. {why}")
            return
        target = attempt.take()
        if target is not None:
            self._on_reached(target)

    @Slot(object)
    def _on_reached(self, target: ClusterTarget) -> None:
        self.cancel()
        self._arrived = target
        after_dialogs(self, self._open_arrived)

    def _open_arrived(self) -> None:
        target, self._arrived = self._arrived, None
        if target is not None:
            self.open(target)

    def _show(self, cluster: ClusterSession) -> None:
        """Open a document of the cluster as it is now."""
        document = ClusterDocument(cluster.name, cluster.state.tree)
        if (before := cluster.offer(STAGING)) is not None:
            before.close()
            before.deleteLater()
        cluster.add_offer(STAGING, ChangeSetWorker(self._session, cluster, document))
        self._session.open(document, cluster)

    @Slot(object)
    def _on_state(self, state: ClusterState) -> None:
        """Show the tree that could not be read at first, once it is there."""
        cluster, document = self._session.offer(CLUSTER), self._session.document
        is_late = isinstance(document, ClusterDocument) and not document.is_of_tree
        if cluster is not None and is_late and state.tree is not None:
            self._show(cluster)
