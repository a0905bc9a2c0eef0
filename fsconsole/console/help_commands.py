"""The Help menu and the command search, which finds more than commands."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QMainWindow

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.help.viewer import FocusHelp
from fsconsole.console.session import ConsoleSession
from fsconsole.console.workspace_stack import WorkspaceStack


class HelpCommands(QObject):
    """Carries out what helps to find something or to understand it."""

    def __init__(
        self,
        window: QMainWindow,
        session: ConsoleSession,
        table: ActionTable,
        stack: WorkspaceStack,
        files: FileController,
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._table = window, session, table
        self._stack, self._files = stack, files
        self.focus_help = FocusHelp(window, lambda: stack.current)

    def actions(self) -> list[Action]:
        """Return rows of the action table."""
        return [
            Action(
                "commands", "&Commands…", self._search, keys=("Ctrl+K",), icon="search", menu="View",
                group="commands", tip="Find a command, node, parameter, example, term or help page",
                words="find search palette",
            ),
            Action(
                "help", "&Help", self.focus_help.show, keys=("F1",), menu="Help", group="help",
                tip="Open the help page of the focused item", words="manual documents pages",
            ),
            Action(
                "keyboard", "&Keyboard", self._show_keyboard, keys=("Shift+F1",), menu="Help", group="help",
                words="shortcuts",
            ),
            Action(
                "glossary", "&Glossary", self._show_glossary, menu="Help", group="help",
                words="terms words meaning",
            ),
            Action("about", "&About fsconsole", self._show_about, menu="Help", group="help", words="version"),
        ]  # fmt: skip

    @Slot()
    def _search(self) -> None:
        from fsconsole.console.command_search import CommandSearch
        from fsconsole.console.search_sources import SearchSources

        sources = SearchSources(
            self._session,
            recent=self._files.recent_actions,
            show_node=self._show_node,
            show_parameter=self._show_parameter,
            show_term=self._show_glossary,
            show_help=self.focus_help.open,
            show_experiment=self._show_experiment if self._stack.shows_workspaces() else None,
            show_job=self._show_job,
            docks=lambda: self._stack.current.docks if self._stack.current is not None else (),
            why_locked=self._table.locked,
        )
        popup = CommandSearch(self._table, self._window, sources.entries, self.focus_help.show)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.open()

    # -- what is found --------------------------------------------------------------------------------------

    def _show_node(self, node: int) -> None:
        """Select a node, in a workspace that shows nodes."""
        current = self._stack.current
        if current is None or current.id not in ("design", "observe"):
            self._stack.show_workspace("design")
        self._session.select((node,))

    def _show_experiment(self, name: str) -> None:
        self._stack.show_workspace("analyse")
        self._stack.analyse.experiment_controller.select(name)

    def _show_job(self, job_id: int) -> None:
        from fsconsole.console.operate.jobs.workspace import JobsWorkspace

        self._stack.show_workspace("operate")
        operate = self._stack.current
        if isinstance(operate, JobsWorkspace):
            operate.show_job(job_id)

    def _show_parameter(self, key: str) -> None:
        from fsconsole.console.design.parameters_dialog import ParametersDialog

        if self._session.document is not None:
            dialog = ParametersDialog(self._session.document, self._window)
            dialog.open()
            dialog.show_parameter(key)

    # -- help -----------------------------------------------------------------------------------------------

    def _show_keyboard(self) -> None:
        from fsconsole.console.help.dialogs import KeyboardDialog

        KeyboardDialog(self._table, self._window).open()

    def _show_glossary(self, term: str = "") -> None:
        from fsconsole.console.help.dialogs import GlossaryDialog

        dialog = GlossaryDialog(self._window)
        dialog.box.setText(term)
        dialog.open()

    def _show_about(self) -> None:
        from fsconsole.console.help.dialogs import AboutDialog

        AboutDialog(self._window).open()
