"""Planned jobs as a table that is edited in its cells, with buttons that add and remove."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from fsconsole.app.forecast.jobs import MOST_JOBS
from fsconsole.console.analyse.forecast.jobs_model import JobsModel
from fsconsole.console.kit.forms import FaultLabel
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.copying import copy_by_keys

_Index = QModelIndex | QPersistentModelIndex
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_ROW_PX = 24
_NUMBER_PX = 30
_ROWS_SHOWN = 4


class JobsTable(QWidget):
    """The table over its buttons; Ins adds a job, Del removes those selected."""

    def __init__(self, model: JobsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.view = _View(self)
        self.fault = FaultLabel(self)
        self.add, self.remove = QPushButton("Add job", self), QPushButton("Remove", self)
        self._set_up()
        self._lay_out()
        for key, act in ((Qt.Key.Key_Insert, self.add_job), (Qt.Key.Key_Delete, self.remove_jobs)):
            shortcut = QShortcut(QKeySequence(key), self.view)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
        self.add.clicked.connect(self.add_job)
        self.remove.clicked.connect(self.remove_jobs)
        self.view.selectionModel().selectionChanged.connect(self._follow)
        model.modelReset.connect(self._follow)
        self._follow()

    @Slot()
    def add_job(self) -> None:
        """Add a job behind the last one, ready to be edited."""
        row = self.model.add_job()
        if row >= 0:
            index = self.model.index(row, 1)
            self.view.setCurrentIndex(index)
            self.view.setFocus()
            self.view.edit(index)
        else:
            self.fault.say(f"{MOST_JOBS} jobs are as many as can be looked at")

    @Slot()
    def remove_jobs(self) -> None:
        """Remove the jobs that have a cell selected."""
        rows = {index.row() for index in self.view.selectionModel().selectedIndexes()}
        if rows:
            self.fault.say("")
            self.model.remove_jobs(rows)
            self.view.setCurrentIndex(self.model.index(min(*rows, self.model.rowCount() - 1), 1))

    @Slot()
    def _follow(self) -> None:
        self.remove.setEnabled(self.view.selectionModel().hasSelection())

    def _set_up(self) -> None:
        view, model = self.view, self.model
        view.setModel(model)
        view.setItemDelegate(CellDelegate(view, model, self.fault))
        view.setAccessibleName("Planned jobs")
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        triggers = QAbstractItemView.EditTrigger
        view.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)
        view.setTabKeyNavigation(False)
        view.setShowGrid(False)
        view.setFrameShape(QTableView.Shape.NoFrame)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(_ROW_PX)
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(0, _NUMBER_PX)
        copy_by_keys(view)

    def _lay_out(self) -> None:
        self.add.setToolTip("Add a job behind the last one (Ins)")
        self.remove.setToolTip("Remove the jobs selected (Del)")
        line = QHBoxLayout()
        line.setContentsMargins(12, 0, 12, 0)
        line.setSpacing(8)
        line.addWidget(self.add)
        line.addWidget(self.remove)
        line.addStretch(1)
        self.fault.setContentsMargins(12, 0, 12, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.fault)
        layout.addLayout(line)


class _View(QTableView):
    """As high as four rows if there is room."""

    def sizeHint(self) -> QSize:
        return QSize(240, (_ROWS_SHOWN + 1) * _ROW_PX)

    def minimumSizeHint(self) -> QSize:
        rows = min(max(self.model().rowCount() if self.model() is not None else 1, 2), _ROWS_SHOWN)
        return QSize(180, (rows + 1) * _ROW_PX)


class CellDelegate(QStyledItemDelegate):
    """A cell's text is checked with every key; a wrong one keeps the editor open."""

    def __init__(self, view: QTableView, model: JobsModel, fault: FaultLabel) -> None:
        super().__init__(view)
        self._model, self._fault = model, fault
        self._editor: QLineEdit | None = None
        self._cell = QPersistentModelIndex()

    @Slot()
    def _check(self) -> None:
        if self._editor is None:
            return
        try:
            self._model.typed(self._cell, self._editor.text())
        except ValueError as error:
            self._fault.say(str(error))
        else:
            self._fault.say("")
        set_look(self._editor, "error" if self._fault.text() else "")

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QLineEdit(parent)
        title = self._model.headerData(index.column(), Qt.Orientation.Horizontal)
        editor.setAccessibleName(f"{title} of job {index.row() + 1}")
        editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        editor.textEdited.connect(self._check)
        self._editor, self._cell = editor, QPersistentModelIndex(index)
        return editor

    def destroyEditor(self, editor: QWidget, index: _Index) -> None:
        self._editor = None
        self._fault.say("")
        super().destroyEditor(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        model.setData(index, cast("QLineEdit", editor).text())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Enter and Tab do not leave with a wrong text; leaving otherwise puts the old one back.
        if self._fault.text() and watched is self._editor:
            if event.type() is QEvent.Type.KeyPress and cast("QKeyEvent", event).key() in _ENDS:
                return True
            if event.type() is QEvent.Type.FocusOut:
                self.closeEditor.emit(watched, QStyledItemDelegate.EndEditHint.RevertModelCache)
                return True
        return super().eventFilter(watched, event)
