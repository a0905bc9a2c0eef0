"""The study at a glance: two measures over windows or months, deviations by user, the table."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.plot import NOTHING, Plot
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.table_panel import StudyTablePanel
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox
from fsconsole.figures.of_batch import (
    LONGEST_WAIT,
    SLOWDOWN,
    Deviation,
    Measure,
    UsersOf,
    deviation_by_user,
    over_windows,
    over_workloads,
)
from fsconsole.figures.spec import FigureSpec
from fsconsole.figures.study_numbers import short_name

_SMALL = ((SLOWDOWN, "Average bounded slowdown"), (LONGEST_WAIT, "Maximum wait, h"))
_TABLE_PX = 256  # Eight rows and their headers. More than half of the height is for plots.
_LOW_TABLE_PX = 160
_PLOTS = 0.56  # Fraction of the remaining height for the small plots.
_DEVIATION = "Deviation by user: used minus entitled, 1000 node-hours"


class Overview(QSplitter):
    """Plots above, the table below."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._selection = selection
        self.small = tuple(Plot(title, self) for _, title in _SMALL)
        self.deviation = Plot(_DEVIATION, self, is_named=False, has_x_title=False)
        self.table = StudyTablePanel(selection, self)
        self._shown: Deviation | None = None
        self._is_persons = False  # Whether the user has set the division of the height.
        self._build_ui()
        self._connect_signals()
        self._refresh()

    @property
    def figures(self) -> tuple[FigureSpec, ...]:
        """The figures, as they are exported."""
        return tuple(plot.spec for plot in (*self.small, self.deviation))

    @property
    def current_figure(self) -> FigureSpec:
        """The figure that has the focus, else the first."""
        plots = (*self.small, self.deviation)
        return next((plot.spec for plot in plots if plot.figure.hasFocus()), plots[0].spec)

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _refresh(self) -> None:
        """Draw what is done by now."""
        for (measure, title), plot in zip(_SMALL, self.small, strict=True):
            spec = self._small_figure(measure)
            if spec is not None:
                plot.show_figure(spec, title)
        self._on_cell_selected()

    def _small_figure(self, measure: Measure) -> FigureSpec | None:
        """Return a measure over windows on the workload chosen, over the workloads where all are."""
        state, workload = self._selection.state, self.table.chosen_workload
        if state is None:
            return None
        if workload or len(state.workloads) == 1:
            return over_windows(state.numbers, workload or state.workloads[0], measure)
        return over_workloads(state.numbers, measure, list(state.numbers.policies), are_brief=True)

    @Slot()
    def _on_cell_selected(self) -> None:
        """Draw the deviations of the selected run's users."""
        made = self._deviation()
        self._shown = made
        if made is None:
            self.deviation.show_figure(NOTHING, _DEVIATION)
            return
        bar = "light" if made.spec.has_light_bars else "bar"
        signs = [
            (curve.name, curve.colour, "tick" if curve.shape == "tick" else bar) for curve in made.spec.curves
        ]
        seed = self._selection.cell.seed if self._selection.cell is not None else None
        title = _DEVIATION if seed is None else f"{_DEVIATION}, seed {seed}"
        self.deviation.show_figure(made.spec, title, made.words, signs)  # type: ignore[arg-type]

    def _deviation(self) -> Deviation | None:
        state, cell = self._selection.state, self._selection.cell
        if state is None or cell is None:
            return None
        chosen = self._users_of(cell, cell.policy.label)
        if chosen is None:
            return None
        base = self._selection.reference(cell.workload)
        beside = self._users_of(cell, base) if base != cell.policy.label else None
        return deviation_by_user(chosen, beside, lit=self._selection.user)

    def _users_of(self, cell: Cell, label: str) -> UsersOf | None:
        """Return the users of a policy on the jobs of a run."""
        state = self._selection.state
        users = state.users_of(cell.workload, label, cell.seed) if state is not None else None
        if state is None or users is None or users.is_empty():
            return None
        return UsersOf(short_name(label), state.numbers.styles[label], users)

    @Slot()
    def _keep_sizes(self) -> None:
        self._is_persons = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        # The table gets the height of its rows and the plots share the rest, until the user moves a border.
        super().resizeEvent(event)
        if not self._is_persons:
            height = self.height()
            table = _TABLE_PX if height > 2 * _TABLE_PX else max(_LOW_TABLE_PX, height * 2 // 5)
            rest = max(height - table, 0)
            self.setSizes([round(_PLOTS * rest), round((1 - _PLOTS) * rest), table])

    @Slot(int)
    def _pick_user(self, place: int) -> None:
        """Select the user of the clicked bar everywhere."""
        if self._shown is not None and 0 <= place < len(self._shown.users):
            self._selection.select_user(self._shown.users[place])

    def _build_ui(self) -> None:
        top = _Pair(self.small[0], self.small[1], self)
        for part in (top, self.deviation, self.table):
            self.addWidget(part)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.deviation.figure.setAccessibleName("Deviation by user")

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self._refresh)
        selection.results_changed.connect(self._refresh)
        selection.cell_selected.connect(self._on_cell_selected)
        selection.user_selected.connect(self._on_cell_selected)
        self.table.workload.currentIndexChanged.connect(self._refresh)
        self.splitterMoved.connect(self._keep_sizes)
        self.deviation.figure.clicked.connect(self._pick_user)


class _Pair(QWidget):
    """Two plots side by side with a rule between and below them."""

    def __init__(self, left: Plot, right: Plot, parent: QWidget) -> None:
        super().__init__(parent)
        hbox((left, 1), (right, 1), on=self, margins=(0, 0, 0, 1), spacing=1)

    def sizeHint(self) -> QSize:
        return QSize(700, 200)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.width() // 2, 0, 1, self.height(), colour("line"))
            painter.fillRect(0, self.height() - 1, self.width(), 1, colour("line"))
