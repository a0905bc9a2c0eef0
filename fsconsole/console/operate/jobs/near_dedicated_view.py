"""The near-dedicated class of the cluster: its timeline, its classes, rules of displacement, the nodes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QSizePolicy,
    QWidget,
)

from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.operate.jobs.near_dedicated_line import NearLine
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import theme
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.slurm.jobs import Sort
from fsconsole.slurm.near_dedicated import DedicatedView, NdClass, NdKind, Phase
from fsconsole.text import moments, numbers
from fsconsole.text.durations import length_words
from fsconsole.text.words import capitalised, count_words

_SIDE_PX, _NARROW_SIDE_PX = 470, 400


class NearView(QWidget):
    """Timeline at the left, classes at the right.

    Signals: job_chosen(number); class_wanted(NdClass) to look for its jobs.
    """

    job_chosen = Signal(int)
    class_wanted = Signal(object)

    def __init__(self, controller: JobController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._view: DedicatedView | None = None
        self.line = NearLine(self)
        model = RowModel(self._columns(), key=lambda one: (one.kind, one.name))
        self.classes = Table(model, "Near-dedicated classes", self)
        self.classes.setToolTip("Press Enter or double-click to find the jobs of a class")
        self.classes.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.rules = PlainLabel("", self, font=tabular_font(), wraps=True)
        self.nodes = MutedLabel("", self, wraps=True)
        self._side = QWidget(self)
        self._build_ui()
        self.line.job_chosen.connect(self.job_chosen)
        self.classes.activated.connect(self._on_class_activated)
        controller.changed.connect(self._ask)
        controller.near_changed.connect(self._refresh)
        controller.chosen.connect(self._on_jobs_chosen)
        theme().changed.connect(self._refresh)

    def set_compact(self, *, narrow: bool, low: bool) -> None:
        """Give the classes less room; if it is low, the rules of displacement are in their tooltips."""
        self._side.setFixedWidth(_NARROW_SIDE_PX if narrow else _SIDE_PX)
        for label in (self.rules, self.nodes):
            label.setVisible(not low)

    # -- inside ---------------------------------------------------------------------------------------------

    def _columns(self) -> tuple[Column[NdClass], ...]:
        def tip(one: NdClass) -> str:
            return class_tip(one, self._view.now_s if self._view is not None else 0.0)

        def count(title: str, jobs: Callable[[NdClass], int], width: int) -> Column[NdClass]:
            return Column(
                title, lambda one: numbers.thousands(jobs(one)), tip=tip, width=width, is_number=True
            )

        return (
            Column("Class", lambda one: one.name, tip=tip, width=84, is_name=True),
            Column("State", _what, tip=tip, width=142, stretches=True),
            count("Running", lambda one: one.counts[Sort.RUNNING], 64),
            count("Pending", lambda one: one.counts[Sort.WAITING], 70),
            count("Displaced", lambda one: len(one.displaced), 80),
        )

    def _build_ui(self) -> None:
        # The table takes the height that the lines below leave. At its usual height they would be cut off.
        self.classes.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        for label in (self.rules, self.nodes):
            label.setContentsMargins(8, 0, 8, 0)
        vbox((self.classes, 1), self.rules, self.nodes, on=self._side, margins=(0, 0, 0, 6), spacing=4)
        hbox((self.line, 1), self._side, on=self)
        self.set_compact(narrow=False, low=False)

    @Slot()
    def _ask(self) -> None:
        """Have it computed; the last result stays until then, muted where the cluster does not respond."""
        if self.isVisible():
            self._controller.look_near()
            if self._controller.near is None or not self._controller.is_fresh:
                self._refresh()

    @Slot()
    def _refresh(self) -> None:
        if not self.isVisible():
            return
        self._view = self._controller.near
        shown = None if self._view is None or self._view.is_empty else self._view
        self.classes.setVisible(shown is not None)
        self.line.show_view(shown, is_muted=not self._controller.is_fresh)
        self._show_classes()
        self._on_jobs_chosen()

    def _show_classes(self) -> None:
        view = self._view
        classes = view.classes if view is not None else ()
        self.classes.rows.set_rows(classes, is_stale=not self._controller.is_fresh)
        self.rules.setText(rules_words(view) if view is not None else "")
        self.nodes.setText(nodes_words(view) if view is not None else "")
        self.nodes.setToolTip("\n".join(view.notes) if view is not None else "")

    @Slot()
    def _on_jobs_chosen(self) -> None:
        self.line.select(frozenset(job.job_id for job in self._controller.jobs))

    @Slot(QModelIndex)
    def _on_class_activated(self, at: QModelIndex) -> None:
        self.class_wanted.emit(self.classes.rows.rows[at.row()])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()
        self._ask()


def _what(one: NdClass) -> str:
    if one.kind is NdKind.PARTITION:
        return ", ".join(filter(None, (f"tier {one.tier}", one.billing)))
    if one.phase is Phase.OVER:
        return "reserved, is over"
    if one.left_s is None:
        return "reserved"
    left = length_words(one.left_s)
    return f"reserved, begins in {left}" if one.phase is Phase.COMING else f"reserved, {left} left"


def class_tip(one: NdClass, now_s: float) -> str:
    """Return the tooltip with all facts on a class."""
    lines = [f"{capitalised(one.kind.value)} {one.name}: {_what(one)}"]
    if one.preempts:
        lines.append(f"Displaces jobs of {', '.join(one.preempts)}")
    if one.kind is NdKind.PARTITION and one.is_near_dedicated:
        lines.append("No class displaces its jobs")
    if one.start_s is not None and one.end_s is not None:
        lines.append(f"{moments.moment(one.start_s, now_s)} to {moments.moment(one.end_s, now_s)}")
    if one.users or one.accounts:
        lines.append(f"For {', '.join([*one.users, *one.accounts])}")
    if one.flags:
        lines.append(f"Flags {', '.join(one.flags)}")
    size = [count_words(len(one.nodes), "node")]
    if one.cpus is not None:
        size.append(count_words(one.cpus, "CPU"))
    lines.append(", ".join(size))
    return "\n".join(lines)


def rules_words(view: DedicatedView) -> str:
    """Return the rules of displacement: `dedicated displaces batch (suspend), scavenge (requeue).`"""
    by: dict[str, list[str]] = {}
    for rule in view.preemptions:
        by.setdefault(rule.by, []).append(f"{rule.of} ({rule.effect.value})")
    return "; ".join(f"{name} displaces {', '.join(others)}" for name, others in by.items())


def nodes_words(view: DedicatedView) -> str:
    """Return nodes and CPUs in words: `Nodes: 2 allocated, 1 mixed, 1 idle; 23 of 32 CPUs busy.`"""
    if not view.nodes:
        return ""
    counts = ", ".join(f"{numbers.thousands(one.nodes)} {one.state}" for one in view.nodes)
    busy = [one.busy_cpus for one in view.nodes]
    if any(count is None for count in busy):
        return f"Nodes: {counts}"
    used, total = sum(filter(None, busy)), sum(one.cpus for one in view.nodes)
    return f"Nodes: {counts}; {numbers.thousands(used)} of {numbers.thousands(total)} CPUs busy"
