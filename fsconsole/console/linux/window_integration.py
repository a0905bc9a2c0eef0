"""What the window has of this machine's control groups: their actions, the mode button, the notices."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.armed_bar import ArmedBar
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.linux.controller import LinuxController
from fsconsole.console.linux.notices import LeftGroupsNotice, LinuxFailedNotice
from fsconsole.console.linux.session import LINUX, LinuxSession
from fsconsole.console.mode_button import ModeButton
from fsconsole.console.session import ConsoleSession
from fsconsole.console.target_box import TargetBox
from fsconsole.console.widgets.strip import Notice
from fsconsole.operating_system import has_control_groups
from fsconsole.targets.linux.target import NAME

TARGET_MENU = ("linux.open", "linux.simulate")
_WORDS = "linux cgroup control groups cpu weight kernel target"
_NOT_APPLIED = "No groups yet. Apply the tree first"


class LinuxIntegration(QObject):
    """Joins control groups with the window's frame.

    Attributes:
        controller: opens and leaves them.

    Signals: changed() when what can be done may be something else.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession, files: FileController, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window
        self.controller = LinuxController(session, files, window)
        self.controller.message.connect(session.message)
        self.armed = ArmedBar(
            "Changes of control groups go to {target} after you confirm and are logged as {author}.",
            "Changes go to {target} as {author}.",
            lambda: NAME,
        )
        self._table: ActionTable | None = None
        self._box: TargetBox | None = None
        self._mode: ModeButton | None = None
        self._linux: LinuxSession | None = None
        session.document_changed.connect(self._watch)
        session.selection_changed.connect(self.changed)

    def notices(self) -> tuple[Notice, ...]:
        """Return notices of all workspaces: groups left, not opened, armed."""
        failed = LinuxFailedNotice(self.controller, self._session)
        return LeftGroupsNotice(self.controller), failed, self.armed

    def join(self, table: ActionTable, box: TargetBox) -> None:
        """Take over the target box while control groups are open; the table has the actions."""
        self._table, self._box = table, box
        self._watch()

    def mode_widget(self) -> QWidget | None:
        """Return the control for armed or read-only; None while no control groups are open."""
        if self._mode is None and self._linux is not None and self._table is not None:
            self._mode = ModeButton(self._linux.arming, self._table.qaction("linux.arm"))
        return self._mode

    # -- actions ---------------------------------------------------------------------------------------------

    def actions(self) -> list[Action]:
        """Return rows of the action table: opening is always in the menu, the others only with groups."""
        return [
            Action(
                "linux.open", "Open on this &machine (Linux)", self.controller.open, icon="linux",
                menu="Target", group="connection", enabled=self._can_open, why_not=self._why_not_open,
                tip="Use the tree as control groups of this machine. Nothing is written until you apply it",
                words=_WORDS,
            ),
            Action(
                "linux.simulate", "&Leave this machine", self.controller.simulate, menu="Target",
                group="connection", tip=(
                    "Close the groups here and run the tree, as "
                    "edited, on a simulated machine"
                ),
                words=_WORDS, needs=LINUX,
            ),
            Action(
                "linux.arm", "A&rmed for this machine", self.toggle_armed, keys=("Ctrl+Shift+A",),
                icon="armed", menu="Target", group="changes",
                tip="Allow changes of the groups, or make them read-only again",
                enabled=self._can_arm, why_not=lambda: self._linux.state.fixed if self._linux else "",
                checked=lambda: self._linux is not None and self._linux.arming.is_armed, words=_WORDS,
                needs=LINUX,
            ),
            Action(
                "linux.apply", "A&pply to this machine…", self.ask_apply, keys=("Ctrl+Return",), icon="ok",
                menu="Target", group="changes", enabled=self._can_apply,
                why_not=lambda: "The groups already match the tree", short="Apply…",
                tip="Show every write that makes the groups match the tree. Nothing is done before you "
                    "confirm",
                words=f"weights writes plan {_WORDS}", needs=LINUX, acts=True,
            ),
            *self._actions_of_groups(),
        ]  # fmt: skip

    def _actions_of_groups(self) -> list[Action]:
        return [
            Action(
                "linux.assign", "Ass&ign processes…", self.ask_assign, icon="user", menu="Target",
                group="groups", enabled=lambda: self._is_applied() and self.leaf() is not None,
                why_not=lambda: "Select a user of the tree first" if self._is_applied() else _NOT_APPLIED,
                tip="Move processes to the selected user, or start a command there",
                words=f"pid login start command move {_WORDS}", short="Assign…", needs=LINUX, acts=True,
            ),
            Action(
                "linux.memory", "&Weigh by usage…", self.ask_memory, menu="Target", group="groups",
                enabled=self._is_applied, why_not=lambda: _NOT_APPLIED,
                checked=self._has_memory,
                tip="Set the weights from past usage at intervals. The kernel itself ignores past usage",
                words=f"sharer share half-life decay usage {_WORDS}", short="By usage…", needs=LINUX,
                acts=True,
            ),
            Action(
                "linux.release", "&Release groups…", self.ask_release, icon="undo", menu="Target",
                group="groups", enabled=self._is_applied, why_not=lambda: _NOT_APPLIED,
                tip="Revert everything that was done on this machine", words=f"undo remove {_WORDS}",
                short="Release…", needs=LINUX, acts=True,
            ),
        ]  # fmt: skip

    def toggle_armed(self) -> None:
        """Arm, or be read-only again."""
        if self._linux is not None:
            arming = self._linux.arming
            arming.disarm() if arming.is_armed else arming.arm()

    def leaf(self) -> int | None:
        """Return the selected node, where processes can be in it."""
        document, chosen = self._session.document, self._session.selection
        if document is None or not chosen or chosen[0] not in document.tree:
            return None
        return None if document.tree.children(chosen[0]) else chosen[0]

    def ask_apply(self) -> None:
        """Show every write, and do them when that is confirmed."""
        from fsconsole.console.linux.dialogs import ApplyDialog

        if self._linux is not None:
            ApplyDialog(self._linux, self._window).open()

    def ask_release(self) -> None:
        """Take everything back when that is confirmed."""
        from fsconsole.console.linux.dialogs import ReleaseDialog

        if self._linux is not None:
            ReleaseDialog(self._linux, self._window).open()

    def ask_memory(self) -> None:
        """Begin or end weights by usage when that is confirmed."""
        from fsconsole.console.linux.dialogs import MemoryDialog

        document = self._session.document
        if self._linux is not None and document is not None:
            MemoryDialog(self._linux, document.scenario.policy, self._window).open()

    def ask_assign(self) -> None:
        """Ask for processes to assign to the selected user."""
        from fsconsole.console.linux.dialogs import AssignDialog

        node = self.leaf()
        if self._linux is not None and node is not None:
            AssignDialog(self._linux, node, self._window).open()

    # -- inside ---------------------------------------------------------------------------------------------

    def _can_open(self) -> bool:
        return (
            has_control_groups() and self._session.document is not None and self._session.offer(LINUX) is None
        )

    def _why_not_open(self) -> str:
        if not has_control_groups():
            return "Control groups need Linux"
        return (
            "The tree is already open here"
            if self._session.offer(LINUX) is not None
            else "Open a share tree first"
        )

    def _can_arm(self) -> bool:
        return self._linux is not None and self._linux.arming.can_arm()

    def _can_apply(self) -> bool:
        return self._linux is not None and self._linux.count > 0

    def _has_memory(self) -> bool:
        return self._linux is not None and self._linux.state.memory is not None

    def _is_applied(self) -> bool:
        return self._linux is not None and self._linux.state.is_applied

    @Slot()
    def _watch(self) -> None:
        linux = self._session.offer(LINUX)
        if linux is not self._linux:
            self._linux = linux
            if self._mode is not None:
                self._mode.hide()
                self._mode.deleteLater()
                self._mode = None
            if linux is not None:
                for signal in (linux.changed, linux.staged, linux.arming.changed):
                    signal.connect(self._on_changed)
            self.armed.watch(linux.arming if linux is not None else None)
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        if self._linux is not None and self._box is not None:
            state = self._linux.state
            remark = "cannot be read" if state.problem else "read-only" if state.fixed else ""
            tip = "\n".join(filter(None, (state.title, state.problem, state.fixed)))
            self._box.say(NAME, remark, icon="linux", token="warn" if remark else "muted", tip=tip)
        self.changed.emit()
