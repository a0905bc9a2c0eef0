"""The list of experiments at the left of Analyse."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from fsconsole.console.analyse.experiment_model import ExperimentModel

LIST_WIDTH = 368


class ExperimentList(QTreeView):
    """The experiments by paper."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Experiments")
        self.setUniformRowHeights(True)
        self.setIndentation(16)
        self.setIconSize(QSize(16, 16))

    def sizeHint(self) -> QSize:
        return QSize(LIST_WIDTH, 600)

    def show_experiments(self, model: ExperimentModel) -> None:
        """All papers open; names get what the progress leaves."""
        self.setModel(model)
        self.expandAll()
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
