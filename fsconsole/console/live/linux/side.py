"""What Observe shows of control groups: what is in force above, the groups below."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from fsconsole.console.linux.session import LINUX
from fsconsole.console.live.linux.groups_panel import GroupsPanel
from fsconsole.console.live.linux.head import LinuxHead
from fsconsole.console.live.side import LiveFrame, Side
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock


class LinuxSide(Side):
    """A share tree on this machine."""

    needs = LINUX
    name = "linux"
    head: LinuxHead

    def __init__(self, session: ConsoleSession, workspace: LiveFrame) -> None:
        super().__init__(session, workspace)
        self.head = LinuxHead(workspace)
        self.groups = GroupsPanel(session)
        self.groups_dock = Dock("observe.groups", "Groups and weights", self.groups, workspace)
        workspace.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.groups_dock)
        self.groups.counted.connect(self.groups_dock.header.set_remark)
        self.docks = [self.groups_dock]

    def wire(self) -> None:
        """Connect the buttons of the strip."""
        self.head.wire(self.workspace.table)

    def begin(self) -> None:
        """Show other control groups."""
        linux = self.session.offer(LINUX)
        self.head.watch(linux)
        self.groups.watch(linux)

    def follow(self) -> None:
        """Show the groups as they were read again."""
        linux = self.session.offer(LINUX)
        body = self.workspace.plots_dock.body
        if linux is not None and linux.state.problem:
            body.show_error(linux.state.problem)
        else:
            body.clear_error()
        if linux is not None and not linux.state.is_applied and not len(linux.source.series):
            apply = partial(self.workspace.table.trigger, "linux.apply")
            body.show_empty("No group of the tree is on this machine yet.", "Apply…", apply)
        else:
            body.show_content()
        self.workspace.facts_changed.emit()

    def status_text(self) -> str:
        """Return the numbers of nodes and processes."""
        linux = self.session.offer(LINUX)
        return "" if linux is None else linux.source.facts()

    def add_node_actions(self, menu: QMenu, node: int) -> None:
        """Add the action that assigns processes to the node."""
        menu.addAction(self.workspace.table.qaction("linux.assign"))
