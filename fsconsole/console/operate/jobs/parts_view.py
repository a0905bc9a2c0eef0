"""How the reading of each part of the cluster goes: when, how long it took, what is wrong, what is next."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.targets.slurm.state import Part, PartName
from fsconsole.text import moments, numbers

_SECOND_MS = 1000
READS = {
    PartName.SETTINGS: "scontrol show config",
    PartName.TREE: "sacctmgr show assoc",
    PartName.USAGE: "sshare",
    PartName.JOBS: "squeue",
    PartName.PARTITIONS: "scontrol show partition",
    PartName.NODES: "sinfo",
    PartName.RESERVATIONS: "scontrol show reservation",
}


PartRow = tuple[PartName, Part]


class PartsView(Table[PartRow]):
    """A row for each part; times go on each second while it is seen."""

    def __init__(self, controller: JobController, parent: QWidget | None = None) -> None:
        model = RowModel(PART_COLUMNS, key=lambda row: row[0])
        super().__init__(
            model, "How the cluster answers", parent, controller.session.preferences, "cluster/parts"
        )
        self._controller = controller
        self._timer = QTimer(self)
        self._timer.setInterval(_SECOND_MS)
        self._timer.timeout.connect(self._refresh)
        controller.changed.connect(self._refresh)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        state = self._controller.state
        parts = state.parts if state is not None else {}
        self.rows.set_rows([(name, parts.get(name) or Part()) for name in PartName])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()


def state_of(part: Part) -> tuple[str, str, str]:
    """A part's state as a word, an icon and the token of its ink."""
    if part.problem:
        return "fails", "warning", "danger"
    if part.is_reading:
        return "reading", "waiting", "muted"
    if part.as_of_s is None:
        return "not read", "waiting", "muted"
    return ("partly", "warning", "warn") if part.notes else ("answers", "ok", "ok")


def _took(row: PartRow) -> str:
    part = row[1]
    is_known = part.as_of_s is not None or part.problem
    return f"{numbers.fixed(part.took_s, 2)} s" if is_known else numbers.UNKNOWN


def _ink(row: PartRow) -> str:
    word, _, token = state_of(row[1])
    return token if word in ("fails", "partly") else ""


def _problem(row: PartRow) -> str:
    return row[1].problem or (row[1].notes[0] if row[1].notes else "")


def _tip(row: PartRow) -> str:
    name, part = row
    lines = [f"{name.capitalize()}: {READS[name]}", part.problem, *part.notes[:20]]
    if part.is_reading:
        lines.append(f"being read since {moments.clock(part.began_s)}")
    return "\n".join(line for line in lines if line)


PART_COLUMNS: tuple[Column[PartRow], ...] = (
    Column("Part", lambda row: row[0].capitalize(), tip=_tip, width=110),
    Column("State", lambda row: state_of(row[1])[0], tip=_tip, ink=_ink,
           icon=lambda row: state_of(row[1])[1:], width=110),
    Column("As of", lambda row: moments.clock(row[1].as_of_s), tip=_tip, width=84),
    Column("Took", _took, tip=_tip, width=72),
    Column("Next", lambda row: moments.clock(row[1].next_s) if row[1].next_s else numbers.UNKNOWN,
           tip=_tip, width=84),
    Column("Problem", _problem, tip=_tip, ink=_ink),
)  # fmt: skip
