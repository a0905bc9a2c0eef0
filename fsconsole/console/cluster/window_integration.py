"""What the window has of clusters: their actions, the target's menu, the mode button, the notices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.armed_bar import ArmedBar
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.connection_attempt import log_in
from fsconsole.console.cluster.connection_controller import ConnectionController
from fsconsole.console.cluster.notices import (
    CheckedNotice,
    ConnectionNotice,
    DiaryNotice,
    FailedConnectionNotice,
    StagedNotice,
    UnfinishedNotice,
)
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.cluster.why_ticket import WhyTicket
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.mode_button import ModeButton
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.plain_words import menu_words
from fsconsole.console.target_box import TargetBox
from fsconsole.console.widgets.strip import Notice
from fsconsole.targets.slurm.diary import diary_folder, parts_of
from fsconsole.targets.slurm.link_words import link_words
from fsconsole.targets.slurm.state import ClusterState

_WORDS = "cluster slurm ssh target"


class WindowIntegration(QObject):
    """Joins clusters with the window's frame.

    Attributes:
        connections: opens and leaves clusters.

    Signals: changed() when what can be done with the cluster may be something else.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession, files: FileController, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._files, self._window = session, files, window
        self.connections = ConnectionController(session, files, window)
        self.connections.message.connect(session.message)
        self.connections.apply_wanted.connect(self.ask_apply)
        self.why = WhyTicket(session, window)
        self.armed = ArmedBar(
            "Actions go to {target} after you confirm and are logged as {author}.",
            "Actions go to {target} as {author}.",
            self._name_of_cluster,
        )
        self._table: ActionTable | None = None
        self._box: TargetBox | None = None
        self._more: tuple[str, ...] = ()
        self._mode: ModeButton | None = None
        self._cluster: ClusterSession | None = None
        self._tasks = Tasks(self)
        session.document_changed.connect(self._watch)

    def notices(self) -> tuple[Notice, ...]:
        """Return notices of all workspaces: on its way, not reached, edits left, armed."""
        return (
            ConnectionNotice(self.connections),
            FailedConnectionNotice(self.connections, self._session),
            StagedNotice(self._session),
            UnfinishedNotice(self._session),
            CheckedNotice(self._session),
            DiaryNotice(self._session),
            self.armed,
        )

    def join(self, table: ActionTable, box: TargetBox, more: Sequence[str] = ()) -> None:
        """Take over the target's menu, and a cluster that is open already; the table has the actions.

        `more` are ids of actions for the menu that open or leave other targets.
        """
        self._table, self._box, self._more = table, box, tuple(more)
        box.menu.aboutToShow.connect(self._fill_menu)
        self._watch()

    def awaits_data(self) -> bool:
        """Return True while a cluster is being reached, or a part of it is being read for the first time."""
        parts = self._cluster.state.parts.values() if self._cluster is not None else ()
        is_first = any(part.is_reading and part.as_of_s is None and not part.problem for part in parts)
        return is_first or self.connections.is_connecting

    def mode_widget(self) -> QWidget | None:
        """Return the control for armed or read-only; None while no cluster is open."""
        if self._mode is None and self._cluster is not None and self._table is not None:
            self._mode = ModeButton(self._cluster.arming, self._table.qaction("cluster.arm"))
        return self._mode

    # -- actions ---------------------------------------------------------------------------------------------

    def actions(self) -> list[Action]:
        """Return rows of the action table: Connect is always in the menu, the others only with a cluster."""
        return [
            Action(
                "connect_slurm", "&Connect to Slurm…", self.connections.ask, icon="slurm", menu="Target",
                group="connection",
                tip="Connect to a real cluster with Slurm's tools, locally or through a command such as ssh",
                words=_WORDS,
            ),
            Action(
                "cluster.refresh", "Re&fresh now", self.refresh, keys=("F5",), icon="redo", menu="Target",
                group="reading", tip=(
                    "Read the cluster again. Usage changes only once per "
                    "calculation period of the site"
                ),
                enabled=self.is_live, why_not=lambda: "A capture folder does not change",
                words=f"reload read update {_WORDS}", short="Refresh", needs=CLUSTER,
            ),
            Action(
                "cluster.log_in", "&Log in by ssh…", self.log_in, menu="Target", group="reading",
                tip="Let ssh ask for a password, a code or a new host key, once for all commands",
                enabled=self.can_log_in, why_not=lambda: "The host asks for nothing",
                words=f"password {_WORDS}", needs=CLUSTER,
            ),
            _of_cluster(
                "cluster.disconnect",
                "&Disconnect",
                self.connections.disconnect_cluster,
                group="connection",
                tip="Close the cluster. Nothing changes there",
            ),
            _of_cluster(
                "cluster.simulate",
                "&Simulate this tree",
                self.connections.simulate,
                group="connection",
                tip="Close the cluster and open its tree, as edited, on a simulated machine",
            ),
            _of_cluster(
                "cluster.open_diary",
                "Open &diary",
                self.open_diary,
                group="connection",
                tip="Close the cluster and open this week's readings of it as a run",
            ),
            *self.why.actions(),
            *self._actions_of_changes(),
        ]  # fmt: skip

    def _actions_of_changes(self) -> list[Action]:
        return [
            Action(
                "cluster.arm", "&Arm or disarm", self.toggle_armed, keys=("Ctrl+Shift+A",), icon="armed",
                menu="Target", group="changes",
                tip="Allow changes of the cluster, or make it read-only again", enabled=self.can_arm,
                checked=self.is_armed,
                why_not=lambda: "A capture folder is read-only", words=_WORDS,
                needs=CLUSTER,
            ),
            Action(
                "cluster.apply", "A&pply changes…", self.ask_apply, keys=("Ctrl+Return",), icon="ok",
                menu="Target", group="changes",
                tip="Show the staged changes as commands. Nothing runs before you confirm",
                enabled=self.can_apply, why_not=self.why_not_apply,
                words=f"change set edits commands dry run {_WORDS}", short="Apply…", needs=CLUSTER,
                acts=True,
            ),
            Action(
                "cluster.revert", "&Revert to the cluster", self.revert_all, icon="undo", menu="Target",
                group="changes",
                tip="Discard staged changes (Undo restores them)",
                enabled=self.has_staged, why_not=lambda: "Nothing is staged",
                words=f"discard change set {_WORDS}", needs=CLUSTER, acts=True,
            ),
        ]  # fmt: skip

    # -- what the actions ask -------------------------------------------------------------------------------

    def is_armed(self) -> bool:
        """Return True if the console may act on the cluster."""
        return self._cluster is not None and self._cluster.arming.is_armed

    def is_live(self) -> bool:
        """Return True if an open cluster can be read again, unlike a capture."""
        return self._cluster is not None and self._cluster.captured_s is None

    def can_arm(self) -> bool:
        """Return True if there is something to act on."""
        return self._cluster is not None and self._cluster.arming.can_arm()

    def toggle_armed(self) -> None:
        """Arm, or be read-only again."""
        if self._cluster is not None:
            arming = self._cluster.arming
            arming.disarm() if arming.is_armed else arming.arm()

    def refresh(self) -> None:
        """Read the cluster again."""
        if self._cluster is not None:
            self._cluster.target.refresh()
            self._session.message.emit(
                "Reading the cluster. Usage changes only once per calculation period of the site"
            )

    def can_log_in(self) -> bool:
        """Return True if the host would ask a person."""
        fault = self._cluster.state.fault if self._cluster is not None else None
        return fault is not None and fault.can_ask

    def log_in(self) -> None:
        """Let ssh ask in a window, then read the cluster again."""
        if self._cluster is not None:
            ask = partial(log_in, self._cluster.target.place)
            self._tasks.run_task(ask, self._on_logged_in, latest="log in")

    @Slot(object)
    def _on_logged_in(self, problem: str) -> None:
        if problem:
            self._session.message.emit(problem)
        else:
            self.refresh()

    def open_diary(self) -> None:
        """Open the newest week of the cluster's diary, in the cluster's place."""
        cluster = self._cluster
        parts = [] if cluster is None else parts_of(diary_folder(cluster.name, cluster.state.place))
        if parts:
            self._files.open(parts[-1])
        else:
            self._session.message.emit("No diary yet. It starts with the next reading of usage")

    def has_staged(self) -> bool:
        """Return True if the tree differs from the cluster's."""
        staging = self._session.offer(STAGING)
        return staging is not None and bool(staging.nodes)

    def can_apply(self) -> bool:
        """Return True if the dialog has content; it also shows the changes that cannot be applied."""
        return self.has_staged() and self._cluster is not None and not self._cluster.is_applying

    def why_not_apply(self) -> str:
        """Return the reason why there is nothing to apply."""
        if self._cluster is not None and self._cluster.is_applying:
            return "A change set is being applied"
        return "Nothing is staged. Edit shares, or add and move nodes, first"

    def ask_apply(self) -> None:
        """Show the change set as commands, and apply it when that is confirmed."""
        from fsconsole.console.cluster.apply_dialog import ApplyDialog

        staging = self._session.offer(STAGING)
        if self._cluster is not None and staging is not None:
            ApplyDialog(self._cluster, staging, self._window).open()

    def revert_all(self) -> None:
        """Revert all staged changes."""
        if (staging := self._session.offer(STAGING)) is not None:
            staging.revert_all()

    # -- inside ---------------------------------------------------------------------------------------------

    def _name_of_cluster(self) -> str:
        return self._cluster.name if self._cluster is not None else ""

    @Slot()
    def _watch(self) -> None:
        cluster = self._session.offer(CLUSTER)
        if cluster is not self._cluster:
            self._cluster = cluster
            if self._mode is not None:
                self._mode.hide()
                self._mode.deleteLater()
                self._mode = None
            if cluster is not None:
                cluster.changed.connect(self._on_state)
                cluster.arming.changed.connect(self.changed)
            self.armed.watch(cluster.arming if cluster is not None else None)
        staging = self._session.offer(STAGING)
        if cluster is not None and staging is not None:
            staging.changed.connect(self.changed)
            self._on_state(cluster.state)

    @Slot(object)
    def _on_state(self, state: ClusterState) -> None:
        if self._box is not None and self._cluster is not None:
            words = link_words(state, self._cluster.now_s(), self._cluster.captured_s)
            self._box.say(
                state.name,
                words.remark,
                icon=words.icon,
                token=words.token,
                tip=words.tip,
                is_polled=self._cluster.captured_s is None,
            )

    @Slot()
    def _fill_menu(self) -> None:
        if self._box is None or self._table is None:
            return
        self._table.refresh()
        menu = self._box.menu
        menu.clear()
        current = self._cluster.target.place.prefix if self._cluster is not None else None
        for entry in self.connections.recent.entries():
            action = QAction(menu_words(entry.words), menu)
            action.setCheckable(True)
            action.setChecked(entry.prefix == current)
            action.setEnabled(entry.prefix != current)
            action.triggered.connect(partial(self._connect_to, entry.prefix))
            menu.addAction(action)
        if not menu.isEmpty():
            menu.addSeparator()
        for name in ("connect_slurm", "cluster.simulate", "cluster.disconnect", *self._more):
            if self._table.is_present(self._table[name]):
                menu.addAction(self._table.qaction(name))

    def _connect_to(self, prefix: tuple[str, ...], _checked: bool = False) -> None:
        self.connections.connect_to(prefix)


def _of_cluster(action_id: str, text: str, run: Callable[[], object], *, group: str, tip: str) -> Action:
    return Action(action_id, text, run, menu="Target", group=group, tip=tip, words=_WORDS, needs=CLUSTER)
