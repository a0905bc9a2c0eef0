"""Commands that open the dialogs for many nodes; each dialog is read when it is first wanted."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from fsconsole.app.tree.rearrange import place_beside, tops
from fsconsole.app.tree.together import members
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.document import Document
from fsconsole.console.files.questions import Questions
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dialog import MessageBox
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.yaml_nodes import text_in

_FILTERS = ("Rows (*.csv *.tsv *.txt)", "All files (*)")


class BulkEditing:
    """Edits, duplicates and imports many nodes, having asked how."""

    def __init__(self, session: ConsoleSession, window: QWidget) -> None:
        """Use `window` as the parent of dialogs."""
        self._session, self._window = session, window
        self.questions = Questions(window)

    def edit_nodes(self) -> None:
        """Ask for new values of the selected nodes."""
        from fsconsole.console.design.bulk.edit_nodes import EditNodesDialog

        document = self._open_document()
        if document is not None and (nodes := members(document.tree, self._session.selection)):
            of_cluster = self._session.offer(CLUSTER) is not None
            EditNodesDialog(document, nodes, self._window, of_cluster=of_cluster).open()

    def duplicate_as(self) -> None:
        """Ask for the names of copies of the first selected node."""
        from fsconsole.console.design.bulk.duplicate_group import DuplicateDialog

        document = self._open_document()
        if document is not None and (nodes := tops(document.tree, self._session.selection)):
            DuplicateDialog(document, nodes[0], self._session.select, self._window).open()

    def paste_columns(self) -> None:
        """Ask for the meaning of the columns on the clipboard."""
        self._import(QGuiApplication.clipboard().text())

    def import_file(self) -> None:
        """Ask for a file of rows, and for the meaning of its columns."""
        path = self.questions.file_to_open("Import rows", Path.home(), _FILTERS)
        if path is None:
            return
        try:
            text = text_in(path)
        except (OSError, ScenarioError) as error:
            self._refuse(f"{path.name} cannot be read", str(error))
            return
        self._import(text)

    def _import(self, text: str) -> None:
        from fsconsole.app.tree.spreadsheet import CellsError, parse_cells
        from fsconsole.console.design.bulk.import_rows import ImportRowsDialog

        document, session = self._open_document(), self._session
        if document is None:
            return
        try:
            lines = parse_cells(text)
        except CellsError as error:
            self._refuse("Cannot import these rows", str(error))
            return
        beside = session.selection[0] if session.selection else document.tree.root.id
        place = place_beside(document.tree, beside)
        ImportRowsDialog(document, lines, place, session.select, self._window).open()

    def _open_document(self) -> Document | None:
        """Return the document if it can be edited now."""
        document = self._session.document
        if document is not None and document.locked:
            self._session.message.emit(document.locked)
            return None
        return document

    def _refuse(self, title: str, text: str) -> None:
        MessageBox(self._window, title, text).show_remark()
