"""Figs. 1 to 4 of the paper for the study at hand: the parts of a figure side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QSizePolicy,
    QWidget,
)

from fsconsole.app.study.figure_runs import (
    PARTS_BY_DAY,
    cells_by_day,
    cells_of_waits,
    days_of,
    share_errors_over_time,
    specs_by_day,
    user_wait_figures,
    waits_of,
)
from fsconsole.app.study.significance import with_intervals
from fsconsole.app.study.state import StudyState, users_by_change
from fsconsole.console.analyse.study.of_runs import OfRuns
from fsconsole.console.analyse.study.plot import Sign, Signs
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.view import StudyView
from fsconsole.console.figure_view import FigureView
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.buttons import Switch
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT, DockBody
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.tabs import PageTabs
from fsconsole.figures.multiples import is_panel, multiples_of, on_log_axis
from fsconsole.figures.of_batch import figure_1, figure_4
from fsconsole.figures.of_fairness import share_error_figure
from fsconsole.figures.of_waits import wait_figures
from fsconsole.figures.spec import FigureSpec, FigureStyle
from fsconsole.figures.study_numbers import StudyNumbers
from fsconsole.figures.style.curves import DASHED, DOTTED, SOLID

FIGURES = ("Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4", "Waits", "Share error")
_WAITS, _SHARE_ERROR = 4, 5
_PANELS = 4  # Small multiples in a row.
_ABOUT = (
    "Measures of the policies, windows of a day",
    "Jobs of a user by day: waiting at the start of the day, new, started",
    "Node-hours of a user by day: demand, usage, entitled share",
    "Slowdown and maximum wait over windows",
    "All waits: percentiles, and the number of jobs up to each wait",
    "Entitled share that users did not get, day by day",
)


class PartView(FigureView):
    """One part of a figure; bars have no names of their own, for the page has a key. Signals: focused()."""

    focused = Signal()
    text_size = "caption"

    def style_shown(self) -> FigureStyle:
        """Return the style without names if the page has a key, or the title is the name."""
        return replace(super().style_shown(), names=not (self.spec.has_key or is_panel(self.spec)))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()

    def sizeHint(self) -> QSize:
        return QSize(390, 280)


class FiguresPage(StudyView):
    """Tabs of figures over their parts; a user and a workload to choose for what is by day."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self._days = OfRuns(self, days_of)
        self._waits = OfRuns(self, waits_of)
        self._errors = OfRuns(self, share_errors_over_time)
        self._current: PartView | None = None
        self.views: list[PartView] = []
        self.specs: tuple[FigureSpec, ...] = ()
        self.bar = PageTabs("Figures of the study", self)
        self.workload = QComboBox(self)
        self.user = QComboBox(self)
        self.log = Switch("Log", self)
        self.multiples = Switch("Apart", self)
        self.key = Signs(self)
        self._values = MutedLabel("", self)
        self._sheet = QWidget(self)
        self._grid = QGridLayout(self._sheet)
        self.body = DockBody(self._sheet, self)
        self._build_ui()
        self._connect_signals()
        self._on_study_changed()

    @property
    def current_figure(self) -> FigureSpec | None:
        """The part that has or had the focus, else the first; with names in full."""
        place = self.views.index(self._current) if self._current in self.views else 0
        return self.specs[place] if self.specs else None

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _on_study_changed(self) -> None:
        """Show the workloads and users of another study."""
        self._days.forget()
        self._waits.forget()
        self._errors.forget()
        state = self._selection.state
        self._fill(self.workload, state.workloads if state is not None else ())
        self._fill_users()
        self._show()

    @Slot()
    def _refresh(self) -> None:
        """Draw what is done since."""
        if self.user.count() == 0:
            self._fill_users()
        self._show()

    @Slot()
    def _on_cell_selected(self) -> None:
        cell = self._selection.cell
        if cell is not None and cell.workload != self.workload.currentText():
            self.workload.setCurrentText(cell.workload)

    @Slot()
    def _on_user_selected(self) -> None:
        place = self.user.findData(self._selection.user)
        if place >= 0:
            self.user.setCurrentIndex(place)
        if self.bar.currentIndex() == _WAITS:
            self._show()

    @Slot()
    def _pick_workload(self) -> None:
        self._fill_users()
        self._show()

    @Slot()
    def _pick_user(self) -> None:
        self._selection.select_user(self._chosen_user)
        self._show()

    def _fill_users(self) -> None:
        """Offer the users of the workload, those whose maximum wait grows most first, as in Table II."""
        state = self._selection.state
        users = users_by_change(state, self.workload.currentText()) if state is not None else ()
        self._fill(self.user, users, "User #")
        place = self.user.findData(self._selection.user)
        if place >= 0:
            with QSignalBlocker(self.user):
                self.user.setCurrentIndex(place)

    @property
    def _chosen_user(self) -> str:
        return str(self.user.currentData() or "")

    @staticmethod
    def _fill(box: QComboBox, words: Sequence[str], before: str = "") -> None:
        with QSignalBlocker(box):
            box.clear()
            for word in words:
                box.addItem(f"{before}{word}", word)

    @Slot()
    def _show(self) -> None:
        """Draw the figure chosen with what is there."""
        if not self.isVisible():
            return
        state, figure = self._selection.state, self.bar.currentIndex()
        is_by_day = figure in (1, 2)
        self.user.setVisible(is_by_day)
        is_of_workload = is_by_day or figure in (_WAITS, _SHARE_ERROR)
        self.workload.setVisible(is_of_workload and self.workload.count() > 1)
        if state is None or state.summary.is_empty():
            self._put(())
            self.body.show_content()  # A notice above all pages shows that no cell is done yet.
        elif is_by_day:
            self._show_by_day(state, figure)
        elif figure == _WAITS:
            self._show_waits(state)
        elif figure == _SHARE_ERROR:
            self._show_share_error(state)
        else:
            make, numbers = figure_1 if figure == 0 else figure_4, self._numbers(state)
            self._put(make(numbers), make(numbers, are_brief=True))
            self._show_empty_unless_drawn("No policy of this study has several windows.")

    def _numbers(self, state: StudyState) -> StudyNumbers:
        """Return the numbers of a study, with intervals where its one workload has them."""
        if len(state.workloads) != 1:
            return state.numbers
        return with_intervals(state.numbers, {state.workloads[0]: self._selection.significance.of()})

    def _show_by_day(self, state: StudyState, figure: int) -> None:
        workload, user = self.workload.currentText(), self._chosen_user
        cells = cells_by_day(state, workload)
        found = self._days.of(state, cells)
        if found is None:
            self._put(())
            self.body.show_empty("Computing days…" if cells else "No cell of this workload is done yet.")
            return
        self._put(specs_by_day(found, user, figure))
        self._show_empty_unless_drawn("Choose a user." if not user else f"User #{user} has no jobs here.")

    def _show_waits(self, state: StudyState) -> None:
        workload = self.workload.currentText()
        cells = cells_of_waits(state, workload)
        found = self._waits.of(state, cells)
        if found is None:
            self._put(())
            self.body.show_empty("Reading waits…" if cells else "No cell of this workload is done yet.")
            return
        boxes = user_wait_figures(state, workload, cells, self._selection.user)
        made = (
            (*wait_figures(state.numbers, workload, found, are_brief=is_brief), *boxes)
            for is_brief in (False, True)
        )
        self._put(*(made if found else ((), ())))
        self._show_empty_unless_drawn("No job of this workload is measured.")

    def _show_share_error(self, state: StudyState) -> None:
        workload = self.workload.currentText()
        cells = cells_of_waits(state, workload)
        found = self._errors.of(state, cells)
        if found is None:
            self._put(())
            self.body.show_empty("Computing days…" if cells else "No cell of this workload is done yet.")
            return
        made = (
            (share_error_figure(state.numbers, workload, found, are_brief=is_brief),)
            for is_brief in (False, True)
        )
        self._put(*(made if found else ((), ())))
        self._show_empty_unless_drawn("No cell of this workload is done yet.")

    def _show_empty_unless_drawn(self, sentence: str) -> None:
        if self.views:
            self.body.show_content()
        else:
            self.body.show_empty(sentence)

    @Slot(str)
    def _on_failed(self, words: str) -> None:
        self.body.show_empty(f"Cannot compute the figure: {words}")

    def _put(self, specs: Sequence[FigureSpec], shown: Sequence[FigureSpec] = ()) -> None:
        """Put the parts side by side, as they are `shown`; views that are there show other figures."""
        shown, parts = shown or specs, len(specs)
        self.log.setVisible(any(on_log_axis(spec) is not spec for spec in specs))
        self.multiples.setVisible(any(len(multiples_of(spec)) > 1 for spec in specs))
        if self.log.isChecked():
            specs, shown = (tuple(map(on_log_axis, some)) for some in (specs, shown))
        if self.multiples.isChecked():
            specs = shown = tuple(panel for spec in specs for panel in multiples_of(spec))
        self.specs = tuple(specs)
        is_by_day = self.bar.currentIndex() in (1, 2)
        is_apart = len(specs) > parts
        signs = () if is_apart else key_of(self.specs, shown)
        self.key.show_signs(signs)
        self.key.setVisible(bool(signs))
        while len(self.views) > len(specs):
            self.views.pop().deleteLater()
        while len(self.views) < len(specs):
            view = PartView(shown[len(self.views)], self._sheet)
            view.pointed.connect(self._values.setText)
            view.focused.connect(self._focus)
            self.views.append(view)
        columns = _PANELS if is_apart else 1 if parts == PARTS_BY_DAY and is_by_day else 2
        for place, (view, spec) in enumerate(zip(self.views, shown, strict=True)):
            view.show_figure(spec)
            self._grid.addWidget(view, place // columns, place % columns)
        self.changed.emit()

    @Slot()
    def _focus(self) -> None:
        view = self.sender()
        if isinstance(view, PartView):
            self._current = view

    def _build_ui(self) -> None:
        for words, about in zip(FIGURES, _ABOUT, strict=True):
            self.bar.setTabToolTip(self.bar.addTab(words), about)
        for box, name in ((self.workload, "Workload"), (self.user, "User")):
            box.setAccessibleName(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.user.setToolTip("User to plot, sorted by the growth of the maximum wait")
        self.key.setContentsMargins(12, 0, 12, 0)
        self.key.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(1)
        self._values.setContentsMargins(12, 2, 12, 4)
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        self.log.setToolTip("Draw lines on a logarithmic axis")
        self.multiples.setToolTip("Draw a small plot for each line, with the other lines in grey")
        line = hbox(
            self.bar,
            STRETCH,
            self.log,
            self.multiples,
            self.workload,
            self.user,
            margins=(0, 0, 8, 0),
            spacing=8,
        )
        layout = vbox(line, self.key, (self.body, 1), self._values, on=self)
        layout.setAlignment(self._values, Qt.AlignmentFlag.AlignBottom)

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self._on_study_changed)
        selection.results_changed.connect(self._refresh)
        selection.cell_selected.connect(self._on_cell_selected)
        selection.user_selected.connect(self._on_user_selected)
        selection.significance.computed.connect(self._show)
        for of_runs in (self._days, self._waits, self._errors):
            of_runs.computed.connect(self._show)
            of_runs.failed.connect(self._on_failed)
        self.bar.currentChanged.connect(self._show)
        for switch in (self.log, self.multiples):
            switch.toggled.connect(self._show)
        self.workload.currentIndexChanged.connect(self._pick_workload)
        self.user.currentIndexChanged.connect(self._pick_user)


def key_of(specs: Sequence[FigureSpec], shown: Sequence[FigureSpec]) -> tuple[Sign, ...]:
    """Return full names with their colours, for bars and for figures whose names are shortened."""
    if not specs:
        return ()
    full, brief = ([curve for spec in some for curve in spec.curves] for some in (specs, shown))
    if not specs[0].has_key and [curve.name for curve in full] == [curve.name for curve in brief]:
        return ()
    forms = {SOLID: "line", DASHED: "dashed", DOTTED: "dotted"}
    signs = [
        (curve.name, curve.colour, "bar" if specs[0].has_key else forms.get(curve.dash, "line"))
        for curve in full
        if curve.name
    ]
    return tuple(dict.fromkeys(signs))  # type: ignore[arg-type]
