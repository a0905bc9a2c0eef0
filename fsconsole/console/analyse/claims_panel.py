"""Claims of an experiment as a table, and under it why one fails or is not decided."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFrame, QHeaderView, QScrollArea, QTreeView, QWidget

from fsconsole.console.analyse.claims_model import COPIED_HEADERS as HEADERS
from fsconsole.console.analyse.claims_model import TEXT, ClaimsModel
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import scaled
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.copying import copy_rows, selected_cells
from fsconsole.console.widgets.labels import PlainLabel
from fsconsole.experiments.claims import Claim

CLAIMS_WIDTH = 440
_WIDTHS = (74, 80, 74, 100)
_MOST = 4  # Sentences take at most a quarter of the panel, since the claims are more important.
_LEAST_PX = 56


class ClaimsPanel(QWidget):
    """Table of claims, with sentences on failed or undecided claims below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ClaimsModel(self)
        self.view = QTreeView(self)
        self.view.setAccessibleName("Claims")
        self.view.setModel(self.model)
        self.view.setUniformRowHeights(True)
        self.view.setIndentation(16)
        self.view.setSelectionBehavior(QTreeView.SelectionBehavior.SelectRows)
        self.view.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._set_widths(self.view.header())
        self.failures = PlainLabel("", self, wraps=True, font=tabular_font())
        self.failures.setContentsMargins(12, 8, 12, 8)
        self.failures.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._failures_area = QScrollArea(self)
        self._failures_area.setFrameShape(QFrame.Shape.NoFrame)
        self._failures_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._failures_area.setWidgetResizable(True)
        self._failures_area.setWidget(self.failures)
        self._failures_area.setAccessibleName("Claims that fail or are not decided")
        self._failures_area.hide()
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.view)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy)
        vbox((self.view, 1), self._failures_area, on=self)

    def show_claims(self, claims: tuple[Claim, ...]) -> None:
        """Show these claims, all of them unfolded."""
        self.model.show_claims(claims)
        for row in range(len(claims)):
            self.view.setFirstColumnSpanned(row, QModelIndex(), True)
        self.view.expandAll()
        self.failures.setText("\n".join(_sentences(claims)))
        self._failures_area.setVisible(bool(self.failures.text()))
        self._fit_failures()

    @Slot()
    def copy(self) -> None:
        """Put the selected numbers on the clipboard as tab-separated lines, all where none is selected."""
        chosen = {
            self.model.index(row, 0, parent) for parent, rows, _ in selected_cells(self.view) for row in rows
        }
        lines = [
            self.model.line(group, row)
            for group in range(self.model.group_count())
            for row in range(self.model.row_count(group))
            if not chosen or chosen & {self.model.index(group, 0), self.model.below(group, row)}
        ]
        copy_rows((HEADERS, *lines))

    def sizeHint(self) -> QSize:
        return QSize(CLAIMS_WIDTH, 600)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # The sentences get the height that they need, up to a fraction of the panel.
        super().resizeEvent(event)
        self._fit_failures()

    def _fit_failures(self) -> None:
        wanted = max(self.failures.heightForWidth(self.width()), 0)  # Qt returns -1 for an empty label
        self._failures_area.setFixedHeight(min(wanted, max(_LEAST_PX, self.height() // _MOST)))

    def _set_widths(self, header: QHeaderView) -> None:
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(40)
        for column, width in enumerate(_WIDTHS, 1):
            header.resizeSection(column, scaled(width))


def _sentences(claims: tuple[Claim, ...]) -> list[str]:
    """Return the reasons why claims fail or are undecided, one a line, below a common explanation."""
    explained = sorted((claim for claim in claims if claim.explain()), key=lambda claim: not claim.fails)
    sentences: list[str] = []
    for head in dict.fromkeys(claim.head() for claim in explained):
        sentences += [f"{head}:", *(claim.explain() for claim in explained if claim.head() == head)]
    return sentences
