"""The strip above: how the cluster answers, as of when its values are, when they are read next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QToolButton, QWidget

from fsconsole.console.connections import every
from fsconsole.console.live.cluster.current_cluster import CurrentCluster
from fsconsole.console.style import paint
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.sizes import keep_height
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox
from fsconsole.console.widgets.chips import Chip
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.targets.slurm.link_words import PART_TITLES
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.text import moments, numbers
from fsconsole.text.durations import length_words

HEIGHT = 44
_SECOND_MS = 1000
Tone = Literal["neutral", "ok", "warn", "danger"]

LINKS: Mapping[Link, tuple[str, Tone]] = {
    Link.CONNECTING: ("Connecting", "neutral"),
    Link.ANSWERS: ("Answers", "ok"),
    Link.SLOW: ("Slow", "warn"),
    Link.PARTLY: ("Partly fails", "warn"),
    Link.NO_ANSWER: ("No answer", "danger"),
}
_MOST_SLOW = 3


def part_words(name: PartName, part: Part, now_s: float, *, is_short: bool = False) -> str:
    """Return a part's age and its next reading: `Usage as of 14:31:20, next in 42 s`."""
    title = PART_TITLES[name]
    if part.as_of_s is None:
        return f"{title} not read yet" if not part.problem else f"Cannot read {title}"
    words = f"{title} as of {moments.clock(part.as_of_s)}"
    if part.is_reading and not is_short:
        waited = max(now_s - part.began_s, 0.0)
        return f"{words}, reading for {numbers.fixed(waited)} s" if waited >= 2 else f"{words}, reading"
    wait_s = part.next_s - now_s
    if is_short or part.next_s <= 0:
        return words
    return f"{words}, next in {length_words(wait_s)}" if wait_s >= 1 else f"{words}, next now"


def trouble_words(state: ClusterState) -> str:
    """Return problems with the parts that have them; empty without a problem."""
    parts_of: dict[str, list[str]] = {}
    for name, part in state.parts.items():
        if part.problem:
            parts_of.setdefault(part.problem, []).append(PART_TITLES[name])
    if not parts_of:
        return _slow_words(state) if state.link is Link.SLOW else ""
    if len(parts_of) == 1 and state.link is Link.NO_ANSWER:
        return next(iter(parts_of))
    return "; ".join(f"{', '.join(names)}: {problem}" for problem, names in parts_of.items())


def _slow_words(state: ClusterState) -> str:
    """Return the slowest parts with their times."""
    slow = sorted(state.parts.items(), key=lambda item: -item[1].took_s)
    parts = [
        f"{PART_TITLES[name]} took {numbers.fixed(part.took_s, 1)} s"
        for name, part in slow
        if part.took_s > 1
    ]
    return ", ".join(parts[:_MOST_SLOW])


def period_words(calc_period_s: float) -> str:
    """Return the reason why usage is not read more often."""
    if not calc_period_s > 0:
        return ""
    return f"Slurm recalculates usage every {length_words(calc_period_s)}. The console reads it no more often"


class ClusterHead(QWidget):
    """One row; no time of a cluster can be run, but what is shown can be held.

    Signals: hold_wanted() to hold or to go on, refresh_wanted().
    """

    hold_wanted = Signal()
    refresh_wanted = Signal()

    def __init__(self, watch: CurrentCluster, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._watch = watch
        self._is_narrow = False
        keep_height(self, HEIGHT)
        self.hold = _button(self, "pause", "Hold", "Freeze the values shown. Reading continues (Space)")
        self.refresh_now = _button(self, "redo", "Read now", "Read the cluster again now (F5)")
        self.chip = Chip(parent=self)
        self.words = {name: MutedLabel("", self) for name in (PartName.USAGE, PartName.JOBS)}
        self.period = MutedLabel("", self)
        self.problem = ElidedLabel(self, Qt.AlignmentFlag.AlignRight, Qt.TextElideMode.ElideRight)
        self._build_ui()
        self.hold.clicked.connect(self.hold_wanted)
        self.refresh_now.clicked.connect(self.refresh_wanted)
        self._second = every(self, _SECOND_MS, self.refresh)
        watch.changed.connect(self.refresh)
        watch.begun.connect(self.refresh)

    def set_narrow(self, *, narrow: bool) -> None:
        """Show fewer words in a narrow window."""
        self._is_narrow = narrow
        style = Qt.ToolButtonStyle
        for button in (self.hold, self.refresh_now):
            button.setToolButtonStyle(style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the present state."""
        cluster, source = self._watch.cluster, self._watch.source
        if cluster is None or source is None:
            return
        state = cluster.state
        self._show_hold(is_held=source.is_held)
        is_capture = cluster.captured_s is not None
        word, tone = LINKS[state.link]
        self.chip.show_state(*(("Capture", "neutral") if is_capture else (word, tone)))
        for button in (self.hold, self.refresh_now):
            button.setVisible(not is_capture)
        self.chip.setToolTip(trouble_words(state))
        held = self._watch.digest if source.is_held else None
        shown = held.state if held is not None else state
        for name, label in self.words.items():
            part = shown.parts.get(name, Part())
            is_short = self._is_narrow or held is not None
            words = part_words(name, part, self._watch.now_s, is_short=is_short)
            label.setText(words)
            label.setToolTip(words)
        period = "" if state.settings is None or is_capture else period_words(state.settings.calc_period_s)
        self.period.setText("" if self._is_narrow else period)
        self._show_problem(state.link, trouble_words(state), is_held=source.is_held)

    def _show_problem(self, link: Link, words: str, *, is_held: bool) -> None:
        digest, cluster = self._watch.digest, self._watch.cluster
        captured_s = cluster.captured_s if cluster is not None else None
        if captured_s is not None:
            self.problem.setText(f"Captured {moments.whole(captured_s)}" + (f"; {words}" if words else ""))
        elif is_held and digest is not None:
            self.problem.setText(f"Frozen since {moments.clock(self._held_s)}")
        else:
            self.problem.setText("" if link in (Link.ANSWERS, Link.CONNECTING) else words)

    def _show_hold(self, *, is_held: bool) -> None:
        if is_held and not self.hold.isChecked():
            self._held_s = self._watch.now_s
        self.hold.setChecked(is_held)
        self.hold.setText("Resume" if is_held else "Hold")
        self.hold.setAccessibleName(self.hold.text())
        put_icon(self.hold, "run" if is_held else "pause")

    def _build_ui(self) -> None:
        self._held_s = 0.0
        self.hold.setCheckable(True)
        set_look(self.hold, "boxed")
        parts = (self.hold, self.refresh_now, self.chip, *self.words.values(), self.period)
        hbox(*parts, (self.problem, 1), on=self, margins=(8, 0, 12, 0), spacing=16)

    def sizeHint(self) -> QSize:
        return QSize(900, HEIGHT)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._second.start()
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._second.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("raised"))
            paint.frame(painter, self.rect())


def _button(parent: QWidget, icon: str, words: str, tip: str) -> QToolButton:
    made = QToolButton(parent)
    put_icon(made, icon)
    made.setText(words)
    made.setToolTip(tip)
    made.setAccessibleName(words)
    made.setAutoRaise(True)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return made
