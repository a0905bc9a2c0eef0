"""The sweep: how far a study is, its cells, pause and stop."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from fsconsole.app.study.state import CellState, SweepProgress
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.sweep_cells import SweepCells, paint_state
from fsconsole.console.style import paint
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.sizes import scaled, tall
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.words import count_words

_BAR_PX = 8


class SweepPanel(QWidget):
    """Counts and time left, the bar, the cells, what their colours mean, and what can be done.

    Signals: run_wanted(), pause_wanted() (to pause, or go on), stop_wanted(), opened(cell).
    """

    run_wanted = Signal()
    pause_wanted = Signal()
    stop_wanted = Signal()
    opened = Signal(object)

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self.progress = SweepProgress()
        self.cells = SweepCells(selection, self)
        self.counts = PlainLabel("", self, font=tabular_font(semibold=True))
        self.where = MutedLabel("", self)
        self.left = PlainLabel("", self, font=tabular_font())
        self._bar = _Bar(selection, self)
        self._legend = _Legend(self)
        self.run = self._button("Run study", "run", self.run_wanted)
        self.pause = self._button("Pause", "pause", self.pause_wanted)
        self.stop = self._button("Stop…", "", self.stop_wanted)
        self._build_ui()
        self.cells.opened.connect(self.opened)
        selection.study_changed.connect(self._refresh)
        selection.results_changed.connect(self._refresh)
        self._refresh()

    def show_progress(self, progress: SweepProgress) -> None:
        """Show the progress of the study."""
        self.progress = progress
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        state, progress = self._selection.state, self.progress
        count = state.count() if state is not None else {}
        total = len(state.cells) if state is not None else 0
        self.counts.setText(f"{count.get('done', 0)} of {count_words(total, 'cell')}")
        failed = count.get("failed", 0)
        others = count.get("of another version", 0)
        parts = [f"{failed} failed"] if failed else []
        parts += [f"{others} of another version"] if others else []
        if progress.is_busy and progress.workers:
            parts.append(f"{progress.workers} workers")
        self.where.setText(", ".join(parts))
        self.where.setToolTip(progress.where)
        self.left.setText(progress.left)
        self._legend.show_states(failed=bool(failed), others=bool(others))
        self._show_buttons(is_open=state is not None, is_left=count.get("done", 0) < total or not total)
        self._bar.update()

    def _show_buttons(self, *, is_open: bool, is_left: bool) -> None:
        mode = self.progress.mode
        self.run.setVisible(mode == "idle" and is_left)
        self.run.setEnabled(is_open)
        self.pause.setVisible(mode != "idle")
        self.pause.setEnabled(mode in ("running", "pausing", "paused"))
        is_held = mode in ("pausing", "paused")
        self.pause.setText("Go on" if is_held else "Pause")
        put_icon(self.pause, "run" if is_held else "pause")
        self.stop.setVisible(mode != "idle")
        self.stop.setEnabled(mode != "stopping")

    def _button(self, word: str, icon: str, wanted: object) -> QPushButton:
        made = QPushButton(word, self, autoDefault=False)
        if icon:
            put_icon(made, icon)
        made.clicked.connect(wanted)
        return made

    def _build_ui(self) -> None:
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        self.where.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        top = hbox(self.counts, (self.where, 1), self.left, spacing=10)
        foot = hbox((self._legend, 1), self.run, self.pause, self.stop, spacing=6)
        vbox(top, self._bar, (scrolling(self.cells), 1), foot, on=self, margins=(12, 8, 12, 8), spacing=6)

    def sizeHint(self) -> QSize:
        return QSize(340, 280)


class _Bar(QWidget):
    """What is done, and hatched what is being done, as parts of all."""

    def __init__(self, selection: StudySelection, parent: QWidget) -> None:
        super().__init__(parent)
        self._selection = selection
        self.setFixedHeight(_BAR_PX)
        theme().changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint.track(painter, self.rect())
            state = self._selection.state
            if state is not None and state.cells:
                count, total = state.count(), len(state.cells)
                ended = self.width() * (count["done"] + count["failed"]) / total
                begun = self.width() * count["running"] / total
                painter.fillRect(QRectF(0, 0, ended, _BAR_PX), colour("accent"))
                painter.fillRect(QRectF(ended, 0, begun, _BAR_PX), paint.hatch(painter, colour("accent")))


class _Legend(QWidget):
    """What the colours of cells mean; words that do not fit are left out from the right."""

    _SIGN, _GAP = 10, 10

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._states: tuple[CellState, ...] = ("done", "running", "waiting")
        self.setFont(tabular_font("caption"))
        theme().changed.connect(self.update)

    def show_states(self, *, failed: bool, others: bool) -> None:
        """Set whether the legend includes failed cells, and those of another version."""
        states: tuple[CellState, ...] = ("done", "running", "waiting")
        states = ("of another version", *states) if others else states
        self._states = ("failed", *states) if failed else states
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(120), tall(20))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            x, middle, side = 0.0, self.height() / 2, scaled(self._SIGN)
            for state in self._states:
                wide = self.fontMetrics().horizontalAdvance(state)
                if x + side + 4 + wide > self.width():
                    break
                paint_state(painter, QRectF(x, middle - side / 2, side, side), state)
                painter.setPen(colour("text"))
                place = QRectF(x + side + 4, 0, wide + 2, self.height())
                draw_text(painter, place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, state)
                x += side + 4 + wide + self._GAP
