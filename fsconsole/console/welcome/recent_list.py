"""The list of files that were open lately."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.cluster.connection_controller import ConnectionController
from fsconsole.console.cluster.recent_clusters import RecentCluster, way_words
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.files.recent import RecentFile
from fsconsole.console.notices import day, day_and_time
from fsconsole.console.welcome.rows import Row
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, SectionLabel
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.recording.run_format import SUFFIX

_SUFFIX_ICONS = {SUFFIX: "recorded", ".cfg": "slurm", ".dump": "slurm"}


class RecentList(QWidget):
    """Rows that open a cluster or a file; a missing file can be located or removed."""

    def __init__(self, files: FileController, connections: ConnectionController, parent: QWidget) -> None:
        super().__init__(parent)
        self._files, self._connections = files, connections
        self.box = SearchBox("Filter", self, width=110)
        self._rows = vbox()
        top = hbox(SectionLabel("Recent", self), STRETCH, self.box, spacing=INHERIT)
        vbox(top, self._rows, STRETCH, on=self, spacing=6)
        self.box.textChanged.connect(self._fill)
        files.recent.changed.connect(self._fill)
        connections.recent.changed.connect(self._fill)

    @Slot()
    def _fill(self) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        typed = self.box.text().casefold()
        entries, clusters = self._files.recent.entries(), self._connections.recent.entries()
        self.box.setVisible(bool(entries or clusters))
        for cluster in clusters:
            if typed in cluster.words.casefold():
                self._rows.addWidget(self._cluster_row(cluster))
        for entry in entries:
            if typed in str(entry.path).casefold():
                self._rows.addWidget(self._row(entry))
        if not entries and not clusters:
            self._rows.addWidget(MutedLabel("Files that you open or save appear here.", self))

    def _cluster_row(self, cluster: RecentCluster) -> Row:
        made = Row(
            "monitor", cluster.cluster, way_words(cluster.prefix), self, right=day_and_time(cluster.when)
        )
        made.clicked.connect(partial(self._open_cluster, cluster))
        _offer_removal(made, partial(self._connections.recent.remove, cluster.prefix))
        return made

    def _open_cluster(self, cluster: RecentCluster, _checked: bool = False) -> None:
        self._connections.connect_to(cluster.prefix)

    def _row(self, entry: RecentFile) -> Row:
        right = day_and_time(entry.when) if entry.is_there else f"{day(entry.when)}, not found"
        icon = _SUFFIX_ICONS.get(entry.path.suffix.lower(), "tree")
        made = Row(icon, entry.path.name, entry.folder, self, right=right, muted=not entry.is_there)
        made.clicked.connect(partial(self._open, entry))
        _offer_removal(made, partial(self._files.recent.remove, entry.path))
        return made

    def _open(self, entry: RecentFile, _checked: bool = False) -> None:
        if entry.is_there:
            self._files.open(entry.path)
            return
        answer = self._files.questions.locate_or_remove(entry.path)
        if answer == "remove":
            self._files.recent.remove(entry.path)
        elif answer == "locate":
            found = self._files.questions.file_to_open(
                f"Locate {entry.path.name}", Path.home(), ("All files (*)",)
            )
            if found is not None:
                self._files.recent.relocate(entry.path, found)
                self._files.open(found)

    def showEvent(self, event: QShowEvent) -> None:
        self._fill()
        super().showEvent(event)


def _offer_removal(row: Row, remove: Callable[[], None]) -> None:
    """Give a row a menu that takes it off the list."""
    row.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    row.customContextMenuRequested.connect(partial(_show_menu, row, remove))


def _show_menu(row: Row, remove: Callable[[], None], at: QPoint) -> None:
    menu = QMenu(row)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addAction("Remove from the list", remove)
    menu.popup(row.mapToGlobal(at))
