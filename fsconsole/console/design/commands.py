"""What can be done in Design, as rows of the action table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from fsconsole.console.actions import Action
from fsconsole.console.design.bulk.commands import BulkEditing
from fsconsole.console.design.columns import Column
from fsconsole.console.design.share_map import ShareMap
from fsconsole.console.design.simulation_load import SimulationLoad
from fsconsole.console.design.tree_editor import TreeEditor
from fsconsole.console.design.tree_panel import TreeControls
from fsconsole.console.design.tree_view import ShareTreeView
from fsconsole.console.design.what_if.what_if import WhatIf
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.name_dialog import NameDialog
from fsconsole.policies.registry import POLICIES, stability_warnings
from fsconsole.targets.base import MACHINE

# Context menu of the table and the map. An empty id is a separator.
NODE_MENU = (
    "rename_node",
    "add_user",
    "add_group",
    "edit_nodes",
    "set_limits",
    "duplicate_node",
    "duplicate_as",
    "remove_node",
    "",
    "cut_nodes",
    "copy_nodes",
    "paste_nodes",
    "paste_columns",
    "",
    "move_up",
    "move_down",
    "move_out",
    "move_in",
    "",
    "why",
    "zoom_map",
    "expand_all",
    "collapse_all",
)
TREE_KEYS = NODE_MENU[: NODE_MENU.index("zoom_map")]
MAP_KEYS = (
    "rename_node",
    "add_user",
    "add_group",
    "duplicate_node",
    "remove_node",
    "cut_nodes",
    "copy_nodes",
    "paste_nodes",
    "move_up",
    "move_down",
    "border_left",
    "border_right",
)
_NEW_TITLE = "What if"
# Additional keywords of actions for the command search.
_WORDS = {
    "edit_nodes": "bulk several scale multiply equal shares kind note",
    "duplicate_as": "copy group",
    "paste_columns": "csv tsv spreadsheet table",
    "import_rows": "csv tsv spreadsheet table columns",
}


class DesignCommands:
    """Commands on nodes, map, parameters and demands; the keys of nodes act in their views alone."""

    def __init__(
        self,
        session: ConsoleSession,
        controls: TreeControls,
        share_map: ShareMap,
        editing: TreeEditor,
        what_if: WhatIf,
        parent: QWidget,
    ) -> None:
        """Take the parts of Design; `parent` is the parent of dialogs."""
        self._session, self._parent = session, parent
        self._controls, self._view, self._map = controls, controls.view, share_map
        self._editing, self._what_if = editing, what_if
        self.bulk = BulkEditing(session, parent)
        self.questions = Questions(parent)
        self._tasks = Tasks(parent)

    def actions(self, show_what_if: Callable[[], object], loads: SimulationLoad) -> list[Action]:
        """Return all rows of the action table; the workspace calls it."""
        of_machine = [*self._machine_actions(loads), *self._what_if_actions(show_what_if)]
        return [
            *self._node_actions(),
            *self._place_actions(),
            *self._view_actions(),
            *(replace(action, needs=MACHINE) for action in of_machine),
        ]

    def _on_nodes(
        self,
        action_id: str,
        text: str,
        run: Callable[[], object],
        keys: tuple[str, ...] = (),
        icon: str = "",
        group: str = "nodes",
    ) -> Action:
        """Return an action that needs a selected node other than the root."""
        return Action(
            action_id, text, self._unless_editing(run), keys=keys, icon=icon, menu="Edit", group=group,
            enabled=lambda: self._editing.has_nodes, why_not=lambda: "Select a node other than the root",
            words=f"node tree {_WORDS.get(action_id, '')}".strip(), local=True,
            acts=action_id != "copy_nodes",
        )  # fmt: skip

    def _on_tree(
        self, action_id: str, text: str, run: Callable[[], object], key: str, icon: str = ""
    ) -> Action:
        """Return an action that needs an open document."""
        return Action(
            action_id, text, self._unless_editing(run), keys=(key,) if key else (), icon=icon, menu="Edit",
            group="nodes", enabled=self._has_document, why_not=lambda: "Nothing is open",
            words=f"node tree {_WORDS.get(action_id, '')}".strip(), local=True, acts=True,
        )  # fmt: skip

    def _node_actions(self) -> list[Action]:
        editing = self._editing
        return [
            self._on_tree("rename_node", "Re&name or edit cell", self._edit_cell, "F2"),
            self._on_tree("add_user", "Add &user", editing.add_user, "Ins", "add-user"),
            self._on_tree("add_group", "Add &group", editing.add_group, "Shift+Ins", "add-group"),
            self._on_nodes("edit_nodes", "&Edit nodes…", self.bulk.edit_nodes, ("Shift+F2",)),
            self._on_nodes("duplicate_node", "&Duplicate", editing.duplicate, ("Ctrl+D",)),
            self._on_nodes("duplicate_as", "Duplicate &as…", self.bulk.duplicate_as, ("Ctrl+Shift+D",)),
            self._on_nodes("remove_node", "Remo&ve", editing.remove, ("Del",), "delete"),
            self._on_nodes("cut_nodes", "Cu&t", editing.cut, ("Ctrl+X",), group="clipboard"),
            self._on_nodes("copy_nodes", "&Copy", editing.copy, ("Ctrl+C",), group="clipboard"),
            self._on_tree("paste_nodes", "&Paste", editing.paste, "Ctrl+V"),
            self._on_tree("paste_columns", "Paste by co&lumns…", self.bulk.paste_columns, "Ctrl+Shift+V"),
            self._on_tree("import_rows", "I&mport rows…", self.bulk.import_file, ""),
        ]

    def _place_actions(self) -> list[Action]:
        editing, share_map = self._editing, self._map
        return [
            self._on_nodes("move_up", "Move up", editing.move_up, ("Alt+Up",), group="place"),
            self._on_nodes("move_down", "Move down", editing.move_down, ("Alt+Down",), group="place"),
            self._on_nodes("move_out", "Move out of group", editing.move_out, ("Alt+Left",), group="place"),
            self._on_nodes(
                "move_in", "Move into group above", editing.move_in, ("Alt+Right",), group="place"
            ),
            self._on_nodes(
                "border_left",
                "Move right border left",
                lambda: share_map.move_right_border(-1),
                ("Alt+Left",),
                group="borders",
            ),
            self._on_nodes(
                "border_right",
                "Move right border right",
                lambda: share_map.move_right_border(1),
                ("Alt+Right",),
                group="borders",
            ),
        ]

    def _view_actions(self) -> list[Action]:
        return [
            Action(
                "find_node", "&Find node", self._controls.find_node, keys=("Ctrl+F",), icon="search",
                menu="Edit", group="find", enabled=self._has_document, local=True,
            ),
            Action(
                "expand_all", "Expand all", self._view.expandAll, menu="View", group="tree",
                enabled=self._has_document,
            ),
            Action(
                "collapse_all", "Collapse all", self._collapse_all, menu="View", group="tree",
                enabled=self._has_document,
            ),
            Action(
                "zoom_map", "Zoom map to node", self._zoom_map, menu="View", group="tree",
                enabled=lambda: bool(self._session.selection), why_not=lambda: "Select a group",
                words="share map",
            ),
        ]  # fmt: skip

    def _machine_actions(self, loads: SimulationLoad) -> list[Action]:
        return [
            Action(
                "parameters", "Para&meters…", self._ask_parameters, icon="settings", menu="Simulation",
                group="parameters", tip="Show and change the constants of machine and policy",
                enabled=self._has_document,
                words="half-life settings constants", acts=True,
            ),
            *self._policies(),
            Action(
                "plan_load", "Plan &load…", loads.plan, icon="user", menu="Simulation",
                group="parameters", tip="Plan the load of users: hours, demands or a trace",
                enabled=lambda: loads.can_plan, why_not=lambda: "Add a user to the tree first",
                words="log everyone in workload trace sacct swf jobs",
            ),
            Action(
                "simulate", "S&imulate", loads.simulate, icon="run", menu="Simulation", group="run",
                tip="Run the machine and show the plots", enabled=self._has_document,
            ),
        ]  # fmt: skip

    def _policies(self) -> list[Action]:
        """Return one choice per policy; a running machine changes at its next delta, keeping all usages."""
        return [
            Action(
                f"policy.{policy.name}", policy.title, partial(self.set_policy, policy.name),
                menu="Simulation/Policy", tip=policy.source, enabled=self._has_document,
                checked=partial(self._has_policy, policy.name), choice="policy", words="policy scheduler",
                acts=True,
            )
            for policy in POLICIES.values()
        ]  # fmt: skip

    def _what_if_actions(self, show_what_if: Callable[[], object]) -> list[Action]:
        what_if = self._what_if
        return [
            Action(
                "show_what_if", "What if", show_what_if, menu="View", group="tree",
                enabled=self._has_document, words="demand saturated idle surplus",
            ),
            Action(
                "keep_demands", "Keep demands as report…", self.ask_to_keep_demands, menu="Edit",
                group="demands", enabled=lambda: what_if.can_keep,
                why_not=lambda: "Type a demand in What if first", words="what if save demand report",
            ),
            Action(
                "forget_demands", "Forget typed demands", lambda: what_if.choose(what_if.source), menu="Edit",
                group="demands", enabled=lambda: what_if.has_typed, why_not=lambda: "No demands were typed",
                words="what if",
            ),
            Action(
                "export_map", "Export share map…", self.export_map, menu="File", group="exchange",
                enabled=self._has_document, why_not=lambda: "Open a tree first",
                tip="Export the share map as SVG, PDF or PNG", words="picture image tree icicle",
            ),
            Action(
                "what_if_report", "Export what-if report…", self.export_what_if, menu="File",
                group="exchange", enabled=lambda: self._has_document() and what_if.outlook is not None,
                why_not=lambda: "Open a tree and show What if first",
                tip="Export the what-if result as PDF or web page", words="pdf html findings",
            ),
        ]  # fmt: skip

    # -- what is done -------------------------------------------------------------------------------------

    def export_map(self) -> None:
        """Ask for a file, and draw the tree's share map into it."""
        from fsconsole.figures.export import FIGURE_FORMATS, export_map, picture_format

        document = self._session.document
        if document is None:
            return
        stem = Path(document.name).stem
        filters = [f"{form.upper()} (*.{form})" for form in FIGURE_FORMATS]
        answer = self.questions.file_to_save("Export share map", Path.home() / f"{stem}-map.svg", filters)
        if answer is None:
            return
        path, chosen = answer
        form = picture_format(path)
        if form is None:
            form = FIGURE_FORMATS[chosen]
            path = path.with_name(f"{path.name}.{form}")
        try:
            export_map(document.tree, document.scenario.title or stem, path, form)
        except OSError as error:
            self._session.message.emit(f"Cannot write {path.name}: {describe_error(error)}")
            return
        self._session.message.emit(f"{path.name} written to {path.parent}")

    def export_what_if(self) -> None:
        """Write a report of the what-if as it is shown."""
        from fsconsole.app.reports.tree_report import tree_report
        from fsconsole.console.files.report_export import export_report

        document, outlook = self._session.document, self._what_if.outlook
        if document is not None and outlook is not None:
            scenario = replace(document.scenario, tree=outlook.tree.copy())
            stem = Path(document.name).stem
            make = partial(tree_report, scenario, outlook, stem)
            export_report(self.questions, self._tasks, f"{stem}-what-if", make, self._session.message.emit)

    def _has_document(self) -> bool:
        return self._editing.has_document

    def _unless_editing(self, run: Callable[[], object]) -> Callable[[], None]:
        """Return a command that waits while a cell is edited: its keys belong to the editor then."""

        def run_it() -> None:
            if self._view.state() is not ShareTreeView.State.EditingState:
                run()

        return run_it

    def _edit_cell(self) -> None:
        """Edit the current cell if it can be, else the name."""
        chosen = self._session.selection
        if chosen:
            column = Column(max(self._view.currentIndex().column(), 0))
            flags = self._view.index_of(chosen[0], column).flags()
            is_editable = bool(flags & Qt.ItemFlag.ItemIsEditable) and self._view.hasFocus()
            self._view.edit_node(chosen[0], column if is_editable else Column.NAME)

    def _collapse_all(self) -> None:
        """Close all groups but the root."""
        self._view.collapseAll()
        self._view.expand(self._view.index_of(0))

    def _zoom_map(self) -> None:
        """Have the selected node span the map."""
        self._map.zoom_to(self._session.selection[0])

    def _ask_parameters(self) -> None:
        """Ask for settings of machine and policy."""
        from fsconsole.console.design.parameters_dialog import ParametersDialog

        if self._session.document is not None:
            ParametersDialog(self._session.document, self._parent).open()

    def _has_policy(self, name: str) -> bool:
        """Return True if the open document has the named policy."""
        document = self._session.document
        return document is not None and document.settings["policy.name"] == name

    def set_policy(self, name: str) -> None:
        """Take another policy as an undoable edit; a running machine follows at its next delta."""
        if self._session.document is not None and not self._has_policy(name):
            document = self._session.document
            document.set_settings({"policy.name": name})
            if warnings := stability_warnings(document.scenario.policy):
                self._session.message.emit(warnings[0])

    def ask_to_keep_demands(self) -> None:
        """Ask for the name of the report of the demands."""
        KeepDialog(self._what_if, self._parent).open()


class KeepDialog(NameDialog):
    """A title for the demands shown; the title of the report they began with is offered."""

    def __init__(self, what_if: WhatIf, parent: QWidget | None = None) -> None:
        self._what_if = what_if
        self._offered = what_if.source.title if what_if.source.report is not None else _NEW_TITLE
        label = "Title of the report. A report with the same title is replaced"
        super().__init__("Keep demands as report", label, "Keep report", self._offered, parent)
        self.textValueSelected.connect(self._keep)

    def _keep(self, title: str) -> None:
        self._what_if.keep(title.strip() or self._offered)
