"""Design: share tree, share map, problems, changes and the selected node."""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from fsconsole.app.tree.limit_columns import qos_names
from fsconsole.app.tree.source import Source, worst_by_node
from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.design_docks import ClusterDesignDocks
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.bottom_pages import BottomPages, ContentHolder
from fsconsole.console.design.changes_panel import ChangesPanel
from fsconsole.console.design.checker import Checker
from fsconsole.console.design.commands import MAP_KEYS, NODE_MENU, TREE_KEYS, DesignCommands
from fsconsole.console.design.map_view import MapKey, map_switch
from fsconsole.console.design.node_panel import NodePanel
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.share_map import ShareMap
from fsconsole.console.design.simulation_load import SimulationLoad
from fsconsole.console.design.tree_editor import TreeEditor
from fsconsole.console.design.tree_panel import TreeControls
from fsconsole.console.design.tree_view import ShareTreeView
from fsconsole.console.design.what_if.what_if import WhatIf
from fsconsole.console.kit.text_twin import SHOW_TABLE
from fsconsole.console.linux.problems import LinuxProblems
from fsconsole.console.linux.session import LINUX
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.buttons import tool_button
from fsconsole.console.widgets.dialog import MessageBox
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.lazy_widget import LazyWidget
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.console.workspace import Workspace
from fsconsole.shares.tree import ROOT_ID
from fsconsole.targets.base import PLAYBACK
from fsconsole.text import numbers
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.console.design.what_if.panel import WhatIfPanel
    from fsconsole.console.insight.why_panel import WhyPanel

_SIDE_PX = 480
_WHAT_IF_PART_OF_REST = 0.60
_GAINS_PART = 0.50  # Fraction of the height, for a cluster, whose Why panel has more text.
_PROBLEMS_PART, _REFUSED_PART = 0.5, 0.34  # Fractions of the remaining height. A change set has many columns.
_NODE_PX = 205
_ASSOCIATION_PX = 330
_NARROW_SIDE_PX = 340
_HEIGHTS = (412, 294, 152)
_LOW_HEIGHTS = (290, 240, 152)
_JOINED_KEY = "design/changes_are_a_tab"


class DesignWorkspace(Workspace):
    """The tree as a table and as a map, and what is wrong with it and what was changed."""

    id = "design"
    title = "Design"
    icon = "tree"
    explains = True
    faces = ("", "-staging")

    def __init__(self, session: ConsoleSession, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(session, table, parent)
        self.preview = SharePreview(session)
        self.what_if = WhatIf(session, self.preview)
        self.editing = TreeEditor(session)
        self.checker = Checker(session)
        self.tree_view = ShareTreeView(session, self.preview, self)
        self.share_map = ShareMap(session, self.preview, self)
        self.bottom = BottomPages(session, self)
        self.changes = ChangesPanel(session, self)
        self.node_panel = NodePanel(session, self.preview, self)
        self._late_what_if = LazyWidget(self._made_what_if, QSize(_NARROW_SIDE_PX, 260))
        self._late_why = LazyWidget(self._made_why, QSize(_NARROW_SIDE_PX, 150))
        self.on_cluster = ClusterDesignDocks(session, self)
        self.on_linux = LinuxProblems(session, self)
        self._make_docks()
        self.controls = TreeControls(session, self.tree_dock, self.tree_view)
        self.commands = DesignCommands(
            session, self.controls, self.share_map, self.editing, self.what_if, self
        )
        self.load = SimulationLoad(session, self)
        self._connect_signals()
        self._watch_document()
        self.keep_default_layout()

    # -- making -------------------------------------------------------------------------------------------

    def _make_docks(self) -> None:
        self.tree_dock = Dock("design_tree", "Share tree", self.tree_view, self)
        self.map_dock = Dock("design_map", "Share map", self.share_map, self)
        self.bottom_dock = Dock("design_problems", "Problems", self.bottom, self)
        changes, staged = ContentHolder(self.changes), ContentHolder(self.on_cluster.late_changes)
        self.changes_dock = Dock("design_changes", "Changes since saved", changes, self)
        self.staged_dock = Dock("design_staged", "Change set", staged, self)
        self._lent = {self.changes_dock: changes, self.staged_dock: staged}
        for holder in (changes, staged):
            holder.wanted.connect(partial(self.bottom.take_changes, None))
        self.node_dock = Dock("design_node", "Node", scrolling(self.node_panel), self)
        self._name_node_of_form()
        self.what_if_dock = Dock("design_what_if", "What if", self._late_what_if, self)
        self.expected_dock = Dock("design_expected", "Expected FairShare", self.on_cluster.late_gains, self)
        self.why_dock = Dock("design_why", "Why", self._late_why, self)
        self.what_if_dock.header.add_widget(map_switch(self.what_if))
        self.map_dock.header.add_widget(MapKey(self.what_if))
        # All docks are in one area. Without a central widget, Qt divides the room between areas arbitrarily.
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.tree_dock)
        self.splitDockWidget(self.tree_dock, self.node_dock, Qt.Orientation.Horizontal)
        self.splitDockWidget(self.tree_dock, self.map_dock, Qt.Orientation.Vertical)
        self.splitDockWidget(self.map_dock, self.bottom_dock, Qt.Orientation.Vertical)
        self.splitDockWidget(self.bottom_dock, self.changes_dock, Qt.Orientation.Horizontal)
        self.splitDockWidget(self.changes_dock, self.staged_dock, Qt.Orientation.Horizontal)
        self.splitDockWidget(self.node_dock, self.what_if_dock, Qt.Orientation.Vertical)
        self.splitDockWidget(self.what_if_dock, self.expected_dock, Qt.Orientation.Vertical)
        self.splitDockWidget(self.expected_dock, self.why_dock, Qt.Orientation.Vertical)
        self.bottom.put_tabs(self.bottom_dock)

    def _name_node_of_form(self) -> None:
        """Show beside the form's title which of several selected nodes it edits."""
        count, node = len(self.session.selection), self.node_panel.node
        remark = "F2 rename" if node is None or count == 1 else f"{node.name}, one of {count} selected"
        self.node_dock.header.set_remark(remark, at_end=True)

    @property
    def _is_staging(self) -> bool:
        """Whether edits are staged for a target, which does not follow them by itself."""
        return self.session.offer(STAGING) is not None

    @property
    def _docks_of_edits(self) -> tuple[Dock, Dock]:
        """What was changed, and what would follow from it."""
        if self._is_staging:
            return self.staged_dock, self.expected_dock
        return self.changes_dock, self.what_if_dock

    @property
    def what_if_panel(self) -> WhatIfPanel:
        """Demands and what follows from them."""
        return self._late_what_if.widget

    @property
    def why_panel(self) -> WhyPanel:
        """Why one user goes before another."""
        return self._late_why.widget

    def _made_what_if(self, parent: QWidget) -> WhatIfPanel:
        from fsconsole.console.design.what_if.panel import WhatIfPanel

        made = WhatIfPanel(self.session, self.what_if, parent)
        made.keep_wanted.connect(self.commands.ask_to_keep_demands)
        return made

    def _made_why(self, parent: QWidget) -> WhyPanel:
        from fsconsole.console.insight.why_panel import why_in

        return why_in(self.why_dock.header, self.session, parent)

    def _connect_signals(self) -> None:
        session = self.session
        self.tree_view.follow_demands(self.what_if)
        self.share_map.follow_demands(self.what_if)
        self.share_map.cells = self.tree_view.tree_model.cells
        self.tree_view.menu_wanted.connect(partial(self.pop_up, action_ids=NODE_MENU))
        map_menu = (*NODE_MENU, "", SHOW_TABLE)
        self.share_map.menu_wanted.connect(partial(self.pop_up, action_ids=map_menu))
        self.share_map.zoomed.connect(self._show_zoom)
        self.share_map.hovered.connect(self.tree_view.show_hovered)
        self.tree_view.hovered.connect(self.share_map.show_hovered)
        self.editing.made.connect(self.tree_view.edit_node)
        self.editing.refused.connect(self._refuse)
        self.checker.checked.connect(self._show_checked)
        self.changes.count_changed.connect(partial(self._show_count, self.changes_dock))
        self.on_cluster.count_changed.connect(partial(self._show_count, self.staged_dock))
        self.on_cluster.faults_changed.connect(self._show_faults)
        self.on_linux.faults_changed.connect(self._show_faults)
        self.on_cluster.troubled.connect(self._show_trouble)
        self.load.begun.connect(partial(self.table.trigger, "show_observe"))
        session.document_changed.connect(self._watch_document)
        session.edited.connect(self._show_emptiness)
        session.selection_changed.connect(self._show_emptiness)
        session.selection_changed.connect(self._name_node_of_form)
        self._show_count(self.changes_dock, 0)

    def actions_of_workspace(self) -> list[Action]:
        """Return commands on nodes, the map and the parameters."""
        compare = Action(
            "compare_trees", "Compare trees", self.show_compare, menu="View", group="tree",
            enabled=lambda: self.session.document is not None, why_not=lambda: "Open a scenario first",
            tip="Show the differences from the saved tree, a file, an example or the cluster",
            words="diff difference side by side saved version",
        )  # fmt: skip
        limits = [
            Action(
                "set_limits", "Set &limits…", self._set_limits, menu="Edit", group="nodes",
                enabled=lambda: self.node_panel.dialect.has_limits,
                why_not=lambda: "Select an account or user with known limits of its own",
                tip="Edit GrpTRES, MaxJobs and other limits of the selected account or user",
                words="grptres maxjobs grpjobs maxwall limit association", needs=CLUSTER, acts=True,
            ),
            Action(
                "set_qos_limits", "Set &QOS limits…", self._set_qos_limits, menu="Edit", group="nodes",
                enabled=self._has_qos, why_not=lambda: "The QOS of the cluster were not read",
                tip="Edit limits, priority and usage factor of a QOS",
                words="quality of service usagefactor limit", needs=CLUSTER, acts=True,
            ),
        ]  # fmt: skip
        return [*self.commands.actions(self.show_what_if, self.load), *limits, compare]

    def tool_bar_ids(self) -> list[str]:
        """Undo, what makes and removes nodes, and the way to the plots or to the cluster."""
        edits = ["undo", "redo", "", "add_user", "add_group", "remove_node"]
        if self._is_staging:
            return [*edits, "", "cluster.apply"]
        if self.session.offer(LINUX) is not None:
            return [*edits, "", "linux.apply"]
        return [*edits, "", "simulate"] if self.session.shows(PLAYBACK) else edits

    def status_text(self) -> str:
        """Return the size of the tree and the shares of the selected node's group."""
        document, chosen = self.session.document, self.session.selection
        if document is None:
            return ""
        nodes, levels = len(document.tree), len(document.flat.levels)
        text = count_words(nodes, "node")
        text += ", 1 level" if levels == 1 else f", {levels} levels"
        group = document.tree.node(chosen[0]).parent if chosen else None
        if group is not None:
            flat = document.flat
            total = sum(int(flat.shares[flat.row_of[node.id]]) for node in document.tree.children(group))
            text += f"     Sum of shares in {document.tree.node(group).name}: {numbers.thousands(total)}"
        return text

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Hide the note and move Changes to the tabs if narrow; shrink the bottom to four rows if low.

        Tight: the bottom is a tab behind the map.
        """
        self.controls.set_narrow(narrow)
        changes = self._docks_of_edits[0]
        self.bottom.take_changes(self._lent[changes] if narrow else None)
        changes.setVisible(not narrow)
        self._stack_sides(narrow=narrow)
        if self.is_tight and self.bottom_dock not in self.tabifiedDockWidgets(self.map_dock):
            self.move_behind(self.map_dock, self.bottom_dock)
            QTimer.singleShot(0, self.map_dock, self.map_dock.raise_)  # Deferred until the tabs exist.
        self.session.preferences.set_value(_JOINED_KEY, narrow)

    def _stack_sides(self, *, narrow: bool) -> None:
        """Stack Node, What if and Why, or use tabs if there is no room."""
        others = [self._docks_of_edits[1], self.why_dock]
        tabs = [dock for dock in others if dock in self.tabifiedDockWidgets(self.node_dock)]
        if narrow:
            for dock in others:
                if dock not in tabs:
                    self.tabifyDockWidget(self.node_dock, dock)
            if not tabs:
                QTimer.singleShot(0, self.node_dock, self.node_dock.raise_)  # Deferred until the tabs exist.
        elif tabs:
            self._unstack()

    def _unstack(self) -> None:
        """Put tabs under each other; what is split from a tab would only become the next tab."""
        sides = [self.node_dock, self._docks_of_edits[1], self.why_dock]
        closed = [dock.isHidden() for dock in sides]
        for dock in sides:
            self.removeDockWidget(dock)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, sides[0], Qt.Orientation.Horizontal)
        for above, dock in pairwise(sides):
            self.splitDockWidget(above, dock, Qt.Orientation.Vertical)
        for dock, is_closed in zip(sides, closed, strict=True):
            dock.setHidden(is_closed)

    def restore_layout(self, state: QByteArray) -> None:
        """Give the changes their dock back where a narrow window had taken it."""
        super().restore_layout(state)
        if self.session.preferences.value(_JOINED_KEY, False):
            self._docks_of_edits[0].show()

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the docks their places, as far as the window has room."""
        is_staging, (changes, effects) = self._is_staging, self._docks_of_edits
        columns = [self.tree_dock, self.map_dock, self.bottom_dock]
        heights = list(_LOW_HEIGHTS if low else _HEIGHTS)
        if self.is_tight:
            columns, heights = columns[:2], [self.height() // 2, self.height() // 2]
        self.resizeDocks(columns, heights, Qt.Orientation.Vertical)
        side = self.side_px(_NARROW_SIDE_PX if narrow else _SIDE_PX)
        sides, widths = [self.tree_dock, self.node_dock], [self.width() - side, side]
        self.resizeDocks(sides, widths, Qt.Orientation.Horizontal)
        if not narrow:
            node = _ASSOCIATION_PX if is_staging else _NODE_PX
            rest = self.height() - node
            what_if = round((_GAINS_PART if is_staging else _WHAT_IF_PART_OF_REST) * rest)
            heights = [node, what_if, rest - what_if]
            sides = [self.node_dock, effects, self.why_dock]
            self.resizeDocks(sides, heights, Qt.Orientation.Vertical)
        if changes.isVisible():
            room = self.width() - side
            problems = round((_REFUSED_PART if is_staging else _PROBLEMS_PART) * room)
            widths = [problems, room - problems]
            self.resizeDocks([self.bottom_dock, changes], widths, Qt.Orientation.Horizontal)

    # -- commands -----------------------------------------------------------------------------------------

    def show_what_if(self) -> None:
        """Put the cursor into the demands."""
        self.what_if_dock.bring_forward()
        self.what_if_panel.table.setFocus()

    def _has_qos(self) -> bool:
        document = self.session.document
        return document is not None and bool(qos_names(document.tree))

    def _set_limits(self) -> None:
        self.node_dock.bring_forward()
        self.node_panel.dialect.enter_limits()

    def _set_qos_limits(self) -> None:
        """Set limits of QOS, which belong to the cluster and appear at the root."""
        self.session.select((ROOT_ID,))
        self.node_dock.bring_forward()
        self.node_panel.dialect.enter_limits(of_qos=True)

    def show_compare(self) -> None:
        """Show what differs between the open tree and another one."""
        self.bottom_dock.bring_forward()
        self.bottom.show_compare()

    def show_why(self) -> None:
        """Bring the explanation of the selected node into sight."""
        self.why_dock.bring_forward()
        self.why_panel.refresh()

    # -- following ----------------------------------------------------------------------------------------

    def _watch_document(self) -> None:
        of_machine, of_staging = (
            (self.changes_dock, self.what_if_dock),
            (self.staged_dock, self.expected_dock),
        )
        if self._is_staging and self.session.target is not None:
            self.staged_dock.setWindowTitle(f"Change set for {self.session.target.name}")
            self.show_face("-staging", of_machine)
        else:
            self.show_face("", of_staging)
        self._show_zoom()
        self._show_emptiness()

    def _show_emptiness(self) -> None:
        document = self.session.document
        if document is not None and not self.session.selection:
            self.node_dock.body.show_empty("No node selected.", "Find node", self.controls.find_node)
        else:
            self.node_dock.body.show_content()
        if document is not None and len(document.tree) == 1:
            self.map_dock.body.show_empty("The tree has no nodes yet.", "Add group", self.editing.add_group)
        else:
            self.map_dock.body.show_content()

    def _show_trouble(self, sentence: str) -> None:
        body = self.tree_dock.body
        body.show_error(sentence, self.on_cluster.retry) if sentence else body.clear_error()

    def _show_faults(self) -> None:
        self._show_checked(self.checker.source)

    def _show_checked(self, source: Source) -> None:
        document, source = self.session.document, self.on_linux.checked(self.on_cluster.checked(source))
        self.bottom.show_checked(source)
        self.bottom_dock.header.set_remark(document.name if document is not None else "", at_end=True)
        self.tree_view.tree_model.set_problems(worst_by_node(source.problems))

    def _show_count(self, dock: Dock, count: int) -> None:
        dock.header.set_remark(str(count) if count else "")
        if dock is self._docks_of_edits[0]:
            self.bottom.show_count(count)

    def _show_zoom(self) -> None:
        document, top = self.session.document, self.share_map.top
        path = document.tree.path(top) if document is not None and top else ""
        self.map_dock.header.set_remark(f"{path}   Backspace zooms out" if path else "")

    def _refuse(self, title: str, text: str) -> None:
        MessageBox(self, title, text).show_remark()

    def wire(self) -> None:
        """Give the views their keys."""
        for view, ids in ((self.tree_view, TREE_KEYS), (self.share_map, MAP_KEYS)):
            view.addActions([self.table.qaction(action_id) for action_id in ids if action_id])
        self.addAction(self.table.qaction("find_node"))
        for dock, action_id in product((self.changes_dock, self.staged_dock), ("undo", "redo")):
            if action_id in self.table:
                button = tool_button(self.table.qaction(action_id), dock, words=action_id == "undo")
                dock.header.add_widget(button)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.checker.set_active(False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.checker.set_active(True)
