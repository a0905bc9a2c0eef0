"""The change set in Design: the changes to the cluster, row by row."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.app.cluster.preview import commands_text, with_foreseen
from fsconsole.console.cluster.change_table import change_model, lines_of, span_refusals
from fsconsole.console.cluster.staging_panel import StagingPanel
from fsconsole.console.kit.tables import FlatTree
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.dock_states import EmptyNotice, ErrorStrip
from fsconsole.slurm.change_set import Change, ChangeSet


class ChangeSetPanel(StagingPanel):
    """Click selects the nodes of rows; Delete, or the menu, takes rows back.

    Signals: count_changed(int) with the number of rows.
    """

    count_changed = Signal(int)

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = change_model()
        self.table = FlatTree(self.model, "Change set", self, session.preferences, "cluster/change_set")
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.setMinimumSize(0, 48)
        if self.table.columns is not None:
            self.table.columns.leave_out((self.model.place("result"),))
        self._revert = QAction("Revert to the cluster", self.table)
        self._revert.setShortcut("Del")
        self._revert.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self._revert.triggered.connect(self.revert_selected)
        self.table.addAction(self._revert)
        self._strip = ErrorStrip(self)
        self._notice = EmptyNotice(self.table)
        vbox(self._strip, self.table, on=self)
        self.table.clicked.connect(self._on_chosen)
        self.table.activated.connect(self._on_chosen)
        self.table.customContextMenuRequested.connect(self._show_menu)
        self.watch()

    def follow(self) -> None:
        """Show the change set; an older one stays until the new one is computed."""
        staging, cluster = self.staging, self.cluster
        if staging is None or cluster is None:
            return
        if staging.nodes and staging.is_working:
            self.count_changed.emit(staging.count)
            return
        lines = lines_of(with_foreseen(staging.staged, cluster.state))
        self.model.set_rows(lines)
        span_refusals(self.table, self.model)
        self.count_changed.emit(len(lines))
        if staging.problem:
            self._strip.say(staging.problem, None, None)
        else:
            self._strip.hide()
        if lines or staging.problem:
            self._notice.hide()
        elif cluster.state.tree is None:
            self._notice.say(f"Cannot stage changes: the associations of {cluster.name} were not read.")
        else:
            self._notice.say(f"Nothing is staged. The tree is the same as on {cluster.name}.")

    @Slot()
    def revert_selected(self) -> None:
        """Make the nodes of the selected rows what they are in the cluster."""
        staging = self.staging
        nodes = list(dict.fromkeys(line.node for line in self.table.selected()))
        if staging is not None and nodes:
            staging.revert(nodes)

    def copy_commands(self) -> None:
        """Copy the commands of the selected rows as shell text."""
        lines = [line.what for line in self.table.selected()]
        changes = ChangeSet(tuple(one for one in lines if isinstance(one, Change)))
        if self.cluster is not None:
            QGuiApplication.clipboard().setText(commands_text(changes, self.cluster.target.place.prefix))

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        lines = self.table.selected() or [self.model.rows[index.row()]]
        self.select_nodes(line.node for line in lines)

    @Slot(QPoint)
    def _show_menu(self, at: QPoint) -> None:
        if not self.table.selected():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self._revert)
        copy = QAction("Copy commands", menu)
        copy.triggered.connect(self.copy_commands)
        menu.addAction(copy)
        menu.popup(self.table.viewport().mapToGlobal(at))
