"""How the cluster answers: a strip where it does not as it should, and how each part of it is read."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.console.connections import every
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.widgets.strip import Importance, Notice
from fsconsole.targets.slurm.link_trouble import link_trouble
from fsconsole.targets.slurm.link_words import PART_TITLES
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.text import moments, numbers

_SECOND_MS = 1000
READS = {
    PartName.SETTINGS: "scontrol show config",
    PartName.TREE: "sacctmgr show assoc",
    PartName.USAGE: "sshare",
    PartName.JOBS: "squeue",
    PartName.PARTITIONS: "scontrol show partition",
    PartName.NODES: "scontrol show node",
    PartName.RESERVATIONS: "scontrol show reservation",
    PartName.QOS: "sacctmgr show qos",
}


PartRow = tuple[PartName, Part]
_LOOKS = {
    Link.SLOW: ("warnbg", "warning", "warn"),
    Link.PARTLY: ("warnbg", "warning", "warn"),
    Link.NO_ANSWER: ("dangerbg", "warning", "danger"),
}


IN_DOCKS = (
    PartName.JOBS,
    PartName.SETTINGS,
    PartName.PARTITIONS,
    PartName.RESERVATIONS,
    PartName.NODES,
)


class LinkBar(Notice):
    """Not wanted while all is well. Signals: details_wanted()."""

    details_wanted = Signal()

    def __init__(self, controller: JobController, parent: QWidget | None = None) -> None:
        super().__init__(*_LOOKS[Link.SLOW], Importance.FAULT, parent)
        self._controller = controller
        self.retry = QPushButton("Retry", self)
        self.retry.setAccessibleName("Read the cluster again now")
        self.details = QPushButton("Details", self)
        for button in (self.retry, self.details):
            self.line.addWidget(button)
        self.retry.clicked.connect(controller.refresh)
        self.details.clicked.connect(self.details_wanted)
        controller.changed.connect(self._refresh)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        state = self._controller.state
        text = strip_words(state) if state is not None and lone_trouble(state) is None else ""
        self.set_wanted(wanted=bool(text))
        if state is None or not text:
            return
        self._ground, self._icon, self._ink = _LOOKS[state.link]
        self.words.setText(escape(text))
        self.words.setToolTip(text)
        self.setAccessibleName(text)
        self.update()


def strip_words(state: ClusterState) -> str:
    """Return `slurmctld of lab does not respond … Jobs are from 14:31:20.`; empty if all is well.

    It is empty during the first readings too: the target box and the docks show their progress, and a notice
    that appears and disappears while a cluster opens would report nothing new.
    """
    if state.link in (Link.ANSWERS, Link.CONNECTING):
        return ""
    parts = dict(state.parts)
    trouble = link_trouble(state, moments.clock)
    if trouble is not None:
        return trouble.text if trouble.as_of else f"{trouble.text} No data has been read yet."
    if state.link is Link.NO_ANSWER:
        return f"{state.name} does not respond. No data has been read yet."
    return _slow_words(state.name, parts)


def lone_trouble(state: ClusterState | None) -> PartName | None:
    """Return the only failing part that a dock of its own reports; otherwise the strip reports all."""
    if state is None or state.link is Link.NO_ANSWER:
        return None
    failed = [name for name, part in state.parts.items() if part.problem]
    return failed[0] if len(failed) == 1 and failed[0] in IN_DOCKS else None


def _slow_words(cluster: str, parts: dict[PartName, Part]) -> str:
    """Return `lab answers slowly. The console has been reading jobs since 14:31:20.`, or the
    part that took longest.
    """
    reading = next((name for name, part in parts.items() if part.is_reading), None)
    if reading is not None:
        since = moments.clock(parts[reading].began_s)
        return f"{cluster} answers slowly. The console has been reading {reading} since {since}."
    slowest = max(parts, key=lambda name: parts[name].took_s, default=None)
    if slowest is None or not parts[slowest].took_s:
        return f"{cluster} answers slowly."
    took_s = numbers.fixed(parts[slowest].took_s, 1)
    return f"{cluster} answers slowly. Reading {slowest} took {took_s} s."


class PartsView(Table[PartRow]):
    """A row for each part; its times advance each second while it is visible."""

    def __init__(self, controller: JobController, parent: QWidget | None = None) -> None:
        model = RowModel(PART_COLUMNS, key=lambda row: row[0])
        super().__init__(model, "Cluster response", parent, controller.session.preferences, "cluster/parts")
        self._controller = controller
        self._timer = every(self, _SECOND_MS, self._refresh)
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
    """Return a part's state as a word, an icon and the token of its ink."""
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
    lines = [f"{PART_TITLES[name]}: {READS[name]}", part.problem, *part.notes[:20]]
    if part.is_reading:
        lines.append(f"Reading since {moments.clock(part.began_s)}")
    return "\n".join(line for line in lines if line)


PART_COLUMNS: tuple[Column[PartRow], ...] = (
    Column("Part", lambda row: PART_TITLES[row[0]], tip=_tip, width=110),
    Column("State", lambda row: state_of(row[1])[0], tip=_tip, ink=_ink,
           icon=lambda row: state_of(row[1])[1:], width=110),
    Column("As of", lambda row: moments.clock(row[1].as_of_s), tip=_tip, width=84),
    Column("Took", _took, tip=_tip, width=72),
    Column("Next", lambda row: moments.clock(row[1].next_s) if row[1].next_s else numbers.UNKNOWN,
           tip=_tip, width=84),
    Column("Problem", _problem, tip=_tip, ink=_ink),
)  # fmt: skip
