"""A search as a page: what came out in sentences, the front in two goals, its points as a table."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHeaderView, QPushButton, QSplitter, QWidget

from fsconsole.app.study.search import BASELINE, Point, SearchResult, axis_title, axis_words, findings
from fsconsole.batch.search.spec import Goal
from fsconsole.console.analyse.search.front_plot import FrontPicture, FrontPlot
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.icons import put_icon
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.copying import copy_rows
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT
from fsconsole.console.widgets.labels import InkLabel, MutedLabel
from fsconsole.text.numbers import fixed, full
from fsconsole.text.words import capitalised

_MARGIN = (10, 6, 10, 6)
_IN_POLICY = ("policy", "window", "decay", "expected_usage", "form", "reservations", "boundary_passes")
_WIDTHS = {"point": 70, "policy": 190}
_POLICY_COLUMN = 1
_GOAL_PX, _HELD_OUT_PX, _AXIS_PX = 92, 60, 70  # Narrow, because titles wrap.
_SIGNS = "Filled: months of the choice. Ring: held-out months. Cross: baseline. Dashed: bound."


class SearchPage(QWidget):
    """Shows a search. Signals: run_wanted(), stop_wanted(), point_wanted() of what is selected."""

    run_wanted = Signal()
    stop_wanted = Signal()
    point_wanted = Signal()
    picked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.result: SearchResult | None = None
        self.progress = MutedLabel("", self)
        self.findings = InkLabel(self)
        self.across, self.up = QComboBox(self), QComboBox(self)
        self.plot = FrontPlot(self)
        self.model: RowModel[Point] = RowModel(
            (_point_column(), _policy_column()), self, key=lambda point: point.number
        )
        self.table: Table[Point] = Table(self.model, "Points of the front", self, sorts=True)
        self.run, self.stop, self.open = (
            QPushButton(words, self) for words in ("Run search", "Stop", "Open as study")
        )
        self._build_ui()
        self._connect_signals()

    @property
    def points(self) -> list[Point]:
        """The selected points of the front; not the baseline."""
        return [point for point in self.table.selected() if point.number != BASELINE]

    def show_result(self, result: SearchResult | None) -> None:
        """Show the results of a search; None before any are known."""
        before = None if self.result is None else self.result.spec.goals
        self.result = result
        self.findings.setText("" if result is None else " ".join(findings(result)))
        for part in self._of_result:
            part.setVisible(result is not None)
        if result is None:
            self.model.set_rows(())
            self.plot.show_picture(FrontPicture())
            return
        if result.spec.goals != before or self.across.count() == 0:
            self._offer_goals(result)
        self.model.set_columns(_columns(result))
        self.model.set_rows(result.points)
        self.table.set_widths({**_WIDTHS})
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)  # A stretched last column would put its number far to the right.
        header.setSectionResizeMode(_POLICY_COLUMN, QHeaderView.ResizeMode.Stretch)
        self._draw()

    def show_progress(self, words: str, *, is_running: bool, is_left: bool) -> None:
        """Show how far the search is, and what can be done."""
        self.progress.setText(words)
        self.run.setVisible(not is_running and is_left)
        self.stop.setVisible(is_running)

    def copy_all(self) -> None:
        """Put the table on the clipboard as tab-separated lines."""
        copy_rows((self.model.titles, *map(self.model.cells, self.model.rows)))

    # -- inside -------------------------------------------------------------------------------------------

    def _offer_goals(self, result: SearchResult) -> None:
        goals, front = result.spec.goals, result.spec.front_goals
        for box, place in ((self.across, front[0]), (self.up, front[min(1, len(front) - 1)])):
            with QSignalBlocker(box):
                box.clear()
                for goal in goals:
                    box.addItem(_title(goal))
                box.setCurrentIndex(place)

    @Slot()
    def _draw(self) -> None:
        result = self.result
        places = [self.across.currentIndex(), self.up.currentIndex()]
        if result is None or min(places) < 0:
            return
        goals = [result.spec.goals[place] for place in places]
        chosen = [[point.chosen[place] for place in places] for point in result.points]
        held = [
            [np.nan if point.held_out is None else _known(point.held_out[place]) for place in places]
            for point in result.points
        ]
        has_test = any(point.held_out is not None for point in result.points)
        self.plot.show_picture(
            FrontPicture(
                (_title(goals[0]), _title(goals[1])),
                result.values[:, places],
                tuple(point.number for point in result.points),
                np.array(chosen, dtype=np.float64).reshape(-1, 2),
                np.array(held if has_test else [], dtype=np.float64).reshape(-1, 2),
                (_bound(goals[0]), _bound(goals[1])),
            )
        )

    @Slot(int)
    def _pick(self, number: int) -> None:
        self.table.select([number])
        self.table.setFocus()

    @Slot(int)
    def _open(self, number: int) -> None:
        self._pick(number)
        self.point_wanted.emit()

    @Slot()
    def _on_selected(self) -> None:
        chosen = self.table.selected()
        self.plot.select(chosen[0].number if chosen else -1)
        self.open.setEnabled(bool(self.points))
        self.picked.emit()

    @Slot()
    def _on_activated(self) -> None:
        if self.points:
            self.point_wanted.emit()

    def _build_ui(self) -> None:
        put_icon(self.run, "run")
        put_icon(self.stop, "stop-window")
        self.open.setEnabled(False)
        self.open.setToolTip("Run the selected setting on all months of the search to see every job and user")
        self.across.setAccessibleName("Goal across")
        self.up.setAccessibleName("Goal up")
        for box, words in ((self.across, "across"), (self.up, "up")):
            box.setToolTip(f"Goal to draw {words}")
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.table.setSelectionMode(Table.SelectionMode.ExtendedSelection)
        self.table.setSelectionBehavior(Table.SelectionBehavior.SelectRows)
        against = MutedLabel("against", self)
        line = hbox(
            self.up, against, self.across, (self.progress, 1),
            self.open, self.stop, self.run, margins=_MARGIN, spacing=8,
        )  # fmt: skip
        signs = MutedLabel(
            "Filled: months of the choice. Ring: held-out months. Cross: baseline. Dashed: bound.",
            self,
            "caption",
        )
        top = QWidget(self)
        vbox((self.plot, 1), hbox(signs, margins=(10, 0, 10, 4)), on=top)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(top)
        split.addWidget(self.table)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setChildrenCollapsible(False)
        keeps_room = split.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        split.setSizePolicy(keeps_room)
        self._of_result = (self.up, against, self.across, self.open, split)
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        vbox(line, hbox((self.findings, 1), margins=(10, 0, 10, 6)), (split, 1), on=self)

    def _connect_signals(self) -> None:
        self.across.currentIndexChanged.connect(self._draw)
        self.up.currentIndexChanged.connect(self._draw)
        self.plot.picked.connect(self._pick)
        self.plot.opened.connect(self._open)
        self.table.selectionModel().selectionChanged.connect(self._on_selected)
        self.table.activated.connect(self._on_activated)
        self.run.clicked.connect(self.run_wanted)
        self.stop.clicked.connect(self.stop_wanted)
        self.open.clicked.connect(self.point_wanted)


def _columns(result: SearchResult) -> list[Column[Point]]:
    axes = [axis.name for axis in result.spec.axes if axis.name not in _IN_POLICY]
    columns = [_point_column(), _policy_column()]
    columns += [_axis_column(name) for name in axes]
    for place in range(len(result.spec.goals)):
        columns.append(_goal_column(result, place))
        if result.test:
            columns.append(_held_out_column(result, place))
    return columns


def _point_column() -> Column[Point]:
    return Column(
        "Point", lambda point: point.label, (
            "Number of the setting. The others are "
            "compared with the baseline"
        ),
        name="point", order=lambda point: point.number, width=_WIDTHS["point"],
    )  # fmt: skip


def _policy_column() -> Column[Point]:
    return Column(
        "Policy", lambda point: point.policy, name="policy", is_name=True, width=_WIDTHS["policy"],
    )  # fmt: skip


def _axis_column(name: str) -> Column[Point]:
    title = capitalised(axis_title(name))
    return Column(
        title, lambda point: axis_words(name, point.settings.get(name)), name=name,
        order=lambda point: point.settings.get(name, -1), is_number=True, width=_AXIS_PX,
    )  # fmt: skip


def _goal_column(result: SearchResult, place: int) -> Column[Point]:
    goal = result.spec.goals[place]

    def tip(point: Point) -> str:
        words = [full(point.chosen[place])]
        if goal.excess(point.chosen[place]) > 0:
            words.append(f"misses the bound: {goal.bound_words}")
        if result.is_best(point, place):
            words.append("best point")
        elif result.is_tied(point, place):
            words.append("tied with the best: the months do not decide the difference")
        return ", ".join(words)

    def text(point: Point) -> str:
        return f"{'~ ' if result.is_tied(point, place) else ''}{fixed(point.chosen[place], 2)}"

    return Column(
        _title(goal), text, f"Measured on the months of the choice: {', '.join(result.train)}", name=goal.key,
        is_number=True, width=_GOAL_PX, order=lambda point: point.chosen[place], tip=tip,
        ink=lambda point: "danger" if goal.excess(point.chosen[place]) > 0 else "",
        font=lambda point: tabular_font(semibold=True) if result.is_best(point, place) else None,
    )  # fmt: skip


def _held_out_column(result: SearchResult, place: int) -> Column[Point]:
    goal = result.spec.goals[place]

    def value(point: Point) -> float:
        return float("nan") if point.held_out is None else _known(point.held_out[place])

    return Column(
        "Held out", lambda point: fixed(value(point), 2),
        f"{_title(goal)} on held-out months: {', '.join(result.test)}",
        name=f"held_out:{goal.key}", is_number=True, width=_HELD_OUT_PX, order=value,
        ink=lambda point: "danger" if goal.excess(value(point)) > 0 else "",
    )  # fmt: skip


def _title(goal: Goal) -> str:
    unit = f", {goal.unit}" if goal.unit else ""
    return f"{goal.label[0].upper()}{goal.label[1:]}{unit}"


def _bound(goal: Goal) -> float:
    bound = goal.at_most if goal.at_most is not None else goal.at_least
    return float("nan") if bound is None else bound


def _known(value: float | None) -> float:
    return float("nan") if value is None else value
