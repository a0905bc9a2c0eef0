"""What lies in the area that is selected on the machine over time: its users, one run or two."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QSize, Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.batch.insight.area_sums import Area, AreaSums, UserInArea, area_sums
from fsconsole.console.analyse.study.gantt_scene import Scene
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.text.durations import duration
from fsconsole.text.numbers import UNKNOWN, fixed, percent, thousands
from fsconsole.text.words import count_words

_HOUR_S = 3600.0
_ROWS, _FEWEST_ROWS = 6, 3


@dataclass(frozen=True, slots=True)
class _Line:
    """A user in the area, with what the run beside has of them there."""

    user: str
    own: UserInArea
    other: UserInArea | None


class GanttArea(QWidget):
    """Sums in a line for each run, then a row for each user, those who use most of the area first.

    Signals: user_picked(name).
    """

    user_picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.remark = MutedLabel("", self)
        self.model: RowModel[_Line] = RowModel(_COLUMNS, self, key=lambda line: line.user)
        self.table = Table(self.model, "Users in the area", self)
        self.remark.setContentsMargins(12, 2, 12, 2)
        vbox(self.remark, (self.table, 1), on=self)
        self.table.clicked.connect(self._on_clicked)
        self.hide()

    def sizeHint(self) -> QSize:
        """Room for six users; a drag of the edge above gives more."""
        return self._size_of(_ROWS)

    def minimumSizeHint(self) -> QSize:
        return self._size_of(_FEWEST_ROWS)

    def _size_of(self, rows: int) -> QSize:
        rows_px = rows * self.table.verticalHeader().defaultSectionSize()
        head_px = self.remark.sizeHint().height() + self.table.horizontalHeader().sizeHint().height()
        return QSize(super().sizeHint().width(), head_px + rows_px)

    def show_area(self, area: Area | None, scene: Scene | None, other: Scene | None) -> None:
        """Sum up an area of a run, and of another one beside it; None hides it."""
        if area is None or scene is None:
            self.hide()
            self.model.set_rows(())
            return
        sums = area_sums(scene.schedule, scene.lanes, area)
        beside = area_sums(other.schedule, other.lanes, area) if other is not None else None
        self.remark.setText("\n".join(self._words(scene, sums, other, beside)))
        for place, column in enumerate(_COLUMNS):
            self.table.setColumnHidden(place, column in _BELOW and beside is None)
        users = scene.schedule.jobs.users
        by_user = {one.user: one for one in beside.users} if beside is not None else {}
        nothing = {one: UserInArea(one, 0, 0.0, 0.0, 0, None) for one in by_user}
        own = {one.user: one for one in sums.users}
        rows = nothing | own
        order = sorted(rows.values(), key=lambda one: (-one.node_seconds, one.user))
        self.model.set_rows([_Line(users[one.user], one, by_user.get(one.user)) for one in order])
        self.show()

    @staticmethod
    def _words(scene: Scene, sums: AreaSums, other: Scene | None, beside: AreaSums | None) -> list[str]:
        """Return the area, then each run in it."""
        area, say = sums.area, scene.time.words
        nodes = count_words(round(area.bottom - area.top), "node")
        lines = [f"{say(int(area.begin_s))} to {say(int(area.end_s))}, {nodes}"]
        runs = [(scene, sums)]
        if other is not None and beside is not None:
            runs.append((other, beside))
        for one, of_it in runs:
            mean = of_it.mean_wait_s
            facts = [
                f"{one.schedule.label}: {count_words(of_it.jobs, 'job')}",
                f"{percent(of_it.busy_part, 1)} busy",
                f"{thousands(of_it.node_seconds / _HOUR_S)} node-hours",
                f"{thousands(of_it.started)} started",
                *([f"waited {duration(mean)} on average"] if mean is not None else []),
            ]
            lines.append(", ".join(facts))
        return lines

    def show_user(self, user: str) -> None:
        """Highlight the row of a user; none for an empty name."""
        self.model.light((lambda line: bool(line.user == user)) if user else None)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        line = self.model.row_at(index.row())
        if line is not None:
            self.user_picked.emit(line.user)


def _hours(one: UserInArea | None) -> str:
    return fixed(one.node_seconds / _HOUR_S if one is not None else 0.0, 1)


def _wait(one: UserInArea | None) -> str:
    return UNKNOWN if one is None or one.mean_wait_s is None else duration(one.mean_wait_s)


_BELOW: tuple[Column[_Line], ...] = (
    Column(
        "Node-hours below", lambda line: _hours(line.other), "Node-hours in the run below", is_number=True,
        width=140,
    ),
    Column(
        "Mean wait below", lambda line: _wait(line.other), "Mean wait in the run below", is_number=True,
        width=140,
    ),
)  # fmt: skip
_COLUMNS: tuple[Column[_Line], ...] = (
    Column("User", lambda line: f"#{line.user}", width=0),
    Column(
        "Jobs", lambda line: thousands(line.own.jobs), "Jobs that run at least partly in the area",
        is_number=True, width=70,
    ),
    Column(
        "Node-hours", lambda line: _hours(line.own), "Node-hours used in the area", is_number=True, width=110,
    ),
    Column(
        "Of area, %", lambda line: fixed(100 * line.own.part, 1), "Share of the area used by these jobs",
        is_number=True, width=100,
    ),
    Column(
        "Started", lambda line: thousands(line.own.started), "Jobs that start in the area", is_number=True,
        width=80,
    ),
    Column(
        "Mean wait", lambda line: _wait(line.own), "Mean wait of the jobs that start in the area",
        is_number=True, width=110,
    ),
    *_BELOW,
)  # fmt: skip
