"""The strip that says how the cluster answers, where it does not as it should."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.widgets.strip import Strip
from fsconsole.targets.slurm.link_trouble import link_trouble
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.text import moments, numbers

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


class LinkBar(Strip):
    """Hidden while all is well. Signals: details_wanted()."""

    details_wanted = Signal()

    def __init__(self, controller: JobController, parent: QWidget | None = None) -> None:
        super().__init__(*_LOOKS[Link.SLOW], parent)
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
        said = strip_words(state) if state is not None and lone_trouble(state) is None else ""
        self.setVisible(bool(said))
        if state is None or not said:
            return
        self._ground, self._icon, self._ink = _LOOKS[state.link]
        self.words.setText(escape(said))
        self.words.setToolTip(said)
        self.setAccessibleName(said)
        self.update()


def strip_words(state: ClusterState) -> str:
    """`slurmctld of lab does not answer … Jobs are from 14:31:20.`; empty where all is well.

    Nor is anything said of the first readings: the target box and the docks say that they go on, and a strip
    that comes and goes as a cluster is opened would move the docks.
    """
    if state.link in (Link.ANSWERS, Link.CONNECTING):
        return ""
    parts = dict(state.parts)
    trouble = link_trouble(state, moments.clock)
    if trouble is not None:
        return trouble.text if trouble.as_of else f"{trouble.text} Nothing was read yet."
    if state.link is Link.NO_ANSWER:
        return f"{state.name} does not answer. Nothing was read yet."
    return f"{state.name} answers slowly{_slowest(parts)}"


def lone_trouble(state: ClusterState | None) -> PartName | None:
    """The only part that fails, where a dock of its own says so; else the strip speaks for all of them."""
    if state is None or state.link is Link.NO_ANSWER:
        return None
    failed = [name for name, part in state.parts.items() if part.problem]
    return failed[0] if len(failed) == 1 and failed[0] in IN_DOCKS else None


def _slowest(parts: dict[PartName, Part]) -> str:
    """`: jobs is being read since 14:31:20`, or which part took longest."""
    reading = next((name for name, part in parts.items() if part.is_reading), None)
    if reading is not None:
        return f": {reading} is being read since {moments.clock(parts[reading].began_s)}"
    slowest = max(parts, key=lambda name: parts[name].took_s, default=None)
    took_s = parts[slowest].took_s if slowest is not None else 0.0
    return f": {slowest} took {numbers.fixed(took_s, 1)} s" if took_s else ""
