"""The cells of a sweep: one for each run, by its state; a click opens the run."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QLineF, QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from fsconsole.app.study.state import CellState
from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.sweep_grid import Box, SweepGrid, SweepLayout
from fsconsole.console.kit.table_model import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import grown_px
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.words import listed

_MOST_LABEL_WIDTH_PART = 0.4
_ELIDED = Qt.TextElideMode.ElideRight
_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class SweepCells(Chart):
    """A row a workload, a column a policy. Signals: opened(cell) for a click, or Enter."""

    opened = Signal(object)

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._grid = SweepGrid((), (), ())
        self._at = (0, 0)
        self.setFont(tabular_font("caption"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        selection.study_changed.connect(self._on_study_changed)
        selection.results_changed.connect(self._refresh)
        selection.cell_selected.connect(self._on_cell_selected)
        theme().changed.connect(self.update)
        self._on_study_changed()

    @property
    def grid(self) -> SweepGrid:
        """The cells by row and column."""
        return self._grid

    @property
    def current(self) -> Cell | None:
        """The cell that the keys are at."""
        return self._grid.cell(*self._at)

    def layout_of_cells(self) -> SweepLayout:
        """Return the present layout of all cells."""
        metrics = QFontMetrics(self.font())
        widest = max((metrics.horizontalAdvance(name) for name in self._grid.rows), default=0)
        return SweepLayout(
            self._grid,
            self.width(),
            self.height(),
            min(widest + 2, _MOST_LABEL_WIDTH_PART * self.width()),
            grown_px(),
        )

    def words(self, cell: Cell) -> str:
        """Return a cell in words, for tooltips and screen readers."""
        state = self._selection.state
        if state is None:
            return cell.words
        failure = state.failures.get(cell.key, "")
        words = f"{cell.words}: {state.state(cell)}"
        return f"{words}. {failure}" if failure else words

    def text_twin(self) -> TextTwin:
        """Return a line for each run, with its state."""
        state = self._selection.state
        if state is None:
            return TextTwin()
        columns: list[Column[Cell]] = [
            Column("Workload", lambda cell: cell.workload),
            Column("Policy", lambda cell: cell.policy.label),
            Column("State", self._state),
        ]
        if any(cell.seed is not None for cell in state.cells):
            columns.insert(2, Column("Seed", lambda cell: "" if cell.seed is None else str(cell.seed)))
        if state.failures:
            columns.append(Column("Reason", lambda cell: state.failures.get(cell.key, "")))
        return rows_twin(state.cells, columns)

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _on_study_changed(self) -> None:
        state = self._selection.state
        self._grid = SweepGrid.of(state.cells if state is not None else ())
        self._at = (0, 0)
        self.setMinimumHeight(round(self.layout_of_cells().needed_height))
        self._name()
        self.update()

    @Slot()
    def _refresh(self) -> None:
        state = self._selection.state
        if state is not None and sum(cell is not None for row in self._grid.cells for cell in row) != len(
            state.cells
        ):
            self._on_study_changed()
        self._name()
        self.update()

    @Slot()
    def _on_cell_selected(self) -> None:
        cell = self._selection.cell
        place = self._grid.place_of(cell) if cell is not None else None
        if place is not None:
            self._move(*place)

    def _move(self, row: int, column: int) -> None:
        if self._grid.cell(row, column) is not None:
            self._at = (row, column)
            self._name()
            self.update()

    def _name(self) -> None:
        cell, state = self.current, self._selection.state
        counts = state.count() if state is not None else {}
        summary = listed([f"{count} {name}" for name, count in counts.items() if count])
        self.setAccessibleDescription(f"Runs of the study: {summary}" if summary else "")
        self.setAccessibleName(
            f"Cells of the study. {self.words(cell)}" if cell is not None else "Runs, none"
        )

    def _state(self, cell: Cell) -> CellState:
        return self._selection.state.state(cell) if self._selection.state is not None else "waiting"

    def _open(self, cell: Cell) -> None:
        self._selection.select_cell(cell)
        self.opened.emit(cell)

    # -- Qt's overrides -----------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(300, 180)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.layout_of_cells().place_at(event.position().x(), event.position().y())
        cell = self._grid.cell(*place) if place is not None else None
        if place is not None and cell is not None and event.button() is Qt.MouseButton.LeftButton:
            self._move(*place)
            self._open(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        cell = self.current
        if step is not None:
            self._move(self._at[0] + step[0], self._at[1] + step[1])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and cell is not None:
            self._open(cell)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self.layout_of_cells().place_at(event.pos().x(), event.pos().y())
            cell = self._grid.cell(*place) if place is not None else None
            QToolTip.showText(event.globalPos(), self.words(cell) if cell is not None else "", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            layout = self.layout_of_cells()
            self._paint_names(painter, layout)
            for row, cells in enumerate(self._grid.cells):
                for column, cell in enumerate(cells):
                    if cell is not None:
                        self._paint_cell(painter, layout.box(row, column), cell)
            if self.hasFocus() and self.current is not None:
                x, y, wide, high = layout.box(*self._at)
                frame = QRect(round(x) - 2, round(y) - 2, round(wide) + 4, round(high) + 4)
                paint.box(painter, frame, "", "accent", radius=paint.BOX_RADIUS)

    def _paint_names(self, painter: QPainter, layout: SweepLayout) -> None:
        metrics = painter.fontMetrics()
        painter.setPen(colour("muted"))
        right = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for row in layout.named_rows(metrics.height()):
            name = self._grid.rows[row]
            x, y, wide, high = layout.label(row)
            text = metrics.elidedText(name, _ELIDED, round(wide))
            draw_text(painter, QRectF(x, y, wide + 2, high), right, text)
        for column, name in enumerate(self._grid.columns):
            box = QRectF(*layout.head(column))
            text = metrics.elidedText(name, _ELIDED, round(box.width()))
            draw_text(painter, box, Qt.AlignmentFlag.AlignCenter, text if len(text) > 1 else "")

    def _paint_cell(self, painter: QPainter, box: Box, cell: Cell) -> None:
        place, state = QRectF(*box), self._state(cell)
        paint_state(painter, place, state)
        if cell == self._selection.cell:
            painter.setPen(QPen(colour("text"), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(place.adjusted(-0.5, -0.5, 0.5, 0.5))


def paint_state(painter: QPainter, place: QRectF, state: CellState) -> None:
    """Paint a cell by its state: full, hatched, empty or with an x, so that it is not the colour alone."""
    tokens = {
        "done": "ok",
        "running": "accent",
        "waiting": "edge",
        "failed": "danger",
        "of another version": "warn",
    }
    ink = colour(tokens[state])
    painter.save()
    if state in ("done", "failed"):
        painter.fillRect(place, ink)
    else:
        painter.fillRect(place, paint.hatch(painter, ink) if state == "running" else colour("surface"))
        painter.setPen(QPen(ink, 1.0))
        painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5))
    if state == "failed":
        half = min(place.height(), place.width()) / 2 - 2.5
        middle = place.center()
        painter.setPen(QPen(colour("onaccent"), 1.4))
        for sign in (-1, 1):
            reach = QPointF(half, sign * half)
            painter.drawLine(QLineF(middle - reach, middle + reach))
    painter.restore()
