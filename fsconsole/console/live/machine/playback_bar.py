"""The transport: run, step and speed of the simulated machine, its clock, and the time strip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from fsconsole.console.live.machine.strip import TimeStrip
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import paint
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.fonts import fixed_font, semibold, tabular_font
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.chips import Chip, ChipState
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.targets.base import MAX_SPEED, RECORDING, SPEEDS
from fsconsole.targets.events import Event
from fsconsole.targets.snapshot import Snapshot, has_ended
from fsconsole.text import durations, numbers

HEIGHT = 44
# Below this part of the speed asked for, the machine does not keep up.
_KEEPS_UP = 0.9
_WORDS = {speed: "max" if speed == MAX_SPEED else f"×{speed:.0f}" for speed in SPEEDS}


class TransportBar(QWidget):
    """The upper row of the transport.

    Signals: step_wanted(); record_wanted(); export_wanted(); restart_wanted(); run_wanted() for run or pause.
    """

    run_wanted = Signal()
    restart_wanted = Signal()
    step_wanted = Signal()
    record_wanted = Signal()
    export_wanted = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: tuple[object, ...] = ()
        self.setFixedHeight(HEIGHT)
        self.restart = _button(
            self, "to-start", "", "Discard this run and return to time 0", self.restart_wanted
        )
        self.run = _button(self, "run", "Run", "Run or pause (Space)", self.run_wanted)
        set_look(self.run, "boxed")
        self.step = _button(self, "step", "Step", "Pause and advance (.)", self.step_wanted)
        self.step_size = QComboBox(self)
        self.step_size.setAccessibleName("Length of a step")
        self.step_size.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.speed = SegmentedButtons([(speed, _WORDS[speed]) for speed in SPEEDS], "Speed", self)
        self.speed.setToolTip("Simulated seconds per second: [ slower, ] faster")
        self.clock = QLabel("00:00:00", self)
        self.clock.setFont(semibold(fixed_font("clock")))
        self.clock.setAccessibleName("Simulated clock")
        self.date = MutedLabel("", self)
        self.chip = Chip("Starting", parent=self)
        self.real = MutedLabel("", self)
        self.record = _button(self, "record", "Record", "Record into a run folder", self.record_wanted)
        self.record.setCheckable(True)
        self.export = _button(self, "export", "Export…", "Export a plot (Ctrl+E)", self.export_wanted)
        self._build_ui()
        self.speed.chosen.connect(session.set_speed)
        session.frame.connect(self.refresh)
        session.paced.connect(self.refresh)
        session.target_changed.connect(self.refresh)
        session.document_changed.connect(self._on_document_changed)
        session.settings_changed.connect(self._fill_steps)
        theme().changed.connect(self._on_theme_changed)
        self._on_document_changed()

    @property
    def step_ticks(self) -> int:
        """Ticks of one step."""
        return int(self.step_size.currentData() or 1)

    def set_narrow(self, *, narrow: bool) -> None:
        """Icons without words, and no measured speed, where the window is narrow."""
        style = Qt.ToolButtonStyle
        look = style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon
        self.record.setToolButtonStyle(look)
        self.export.setToolButtonStyle(look)
        self.real.setVisible(not narrow)

    @Slot()
    def refresh(self) -> None:
        """Show the machine's newest state."""
        playback, snapshot = self._session.playback, self._session.snapshot
        if playback is None:
            return
        self.speed.choose(playback.speed)
        running = playback.is_running and (snapshot is None or snapshot.fault is None)
        shown = (running, self.run.text())
        if shown != self._shown:
            put_icon(self.run, "pause" if running else "run")
            self.run.setText("Pause" if running else "Run")
            self.run.setAccessibleName("Pause" if running else "Run")
            self._shown = (running, self.run.text())
        self._show_state(snapshot)
        if snapshot is None:
            return
        self.run.setEnabled(snapshot.fault is None)
        self.step.setEnabled(snapshot.fault is None)
        self._show_recording()
        self._show_time(snapshot)

    def _show_recording(self) -> None:
        """A run folder that is being written, whatever instant is looked at."""
        session = self._session
        path = session.newest.recording if session.newest is not None else None
        can_record = session.offer(RECORDING) is not None
        self.record.setVisible(can_record)
        self.restart.setVisible(can_record)
        self.record.setEnabled(not session.locked)
        self.record.setChecked(path is not None)
        tip = f"Stop recording into {path}" if path else "Record into a run folder"
        self.record.setToolTip(session.locked or tip)

    def _show_state(self, snapshot: Snapshot | None) -> None:
        words, state, icon = state_of(snapshot, self._until_s())
        if self._session.past.is_on:
            words, state, icon = "Past", "warn", "scrub"
        self.chip.show_state(words, state, icon)
        late = snapshot is not None and is_late(snapshot)
        if snapshot is None or not snapshot.running or not snapshot.real_speed:
            self.real.setText("")
        else:
            self.real.setText(f"real ×{_speed_words(snapshot.real_speed)}")
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.PlaceholderText, colour("warn" if late else "muted"))
        self.real.setPalette(palette)

    def _show_time(self, snapshot: Snapshot) -> None:
        document = self._session.document
        if document is None:
            return
        self.clock.setText(durations.clock(snapshot.time_s))
        at = document.scenario.machine.start + timedelta(seconds=snapshot.time_s)
        date = f"{at:%a} {at.day} {at:%B %Y %H:%M:%S}"
        self.date.setText(f"{numbers.fixed(snapshot.time_s, 1)} s, {date}")

    def _until_s(self) -> float:
        document = self._session.document
        return document.scenario.plot.until_s if document is not None else 0.0

    @Slot()
    def _on_document_changed(self) -> None:
        self._fill_steps()
        self.refresh()

    @Slot()
    def _fill_steps(self) -> None:
        document = self._session.document
        if document is None:
            return
        spec, policy = document.scenario.machine, document.scenario.policy
        at = max(self.step_size.currentIndex(), 0) if self.step_size.count() else 2
        self.step_size.clear()
        self.step_size.addItem("tick", 1)
        self.step_size.addItem("1 s", spec.hz)
        self.step_size.addItem(f"delta, {policy.delta_s:g} s", spec.ticks(policy.delta_s))
        self.step_size.setCurrentIndex(at)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._show_state(self._session.snapshot)
        self.update()

    def _build_ui(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 8, 0)
        layout.setSpacing(8)
        for widget in (self.restart, self.run, self.step, self.step_size):
            layout.addWidget(widget)
        layout.addWidget(_rule(self))
        layout.addWidget(self.speed)
        layout.addWidget(_rule(self))
        layout.addWidget(self.clock)
        layout.addWidget(self.date, 1)
        for state in (self.chip, self.real):
            layout.addWidget(state)
        layout.addWidget(_rule(self))
        layout.addWidget(self.record)
        layout.addWidget(self.export)
        self.clock.setFixedWidth(self.clock.sizeHint().width() + 8)
        self.date.setMinimumWidth(1)
        self.real.setFont(tabular_font())
        self.real.setMinimumWidth(90)
        self.run.setMinimumWidth(88)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("raised"))
        paint.frame(painter, self.rect())
        painter.end()


class PlaybackBar(QWidget):
    """The bar and the strip under it."""

    def __init__(
        self,
        session: ConsoleSession,
        span: TimeRange,
        flags: Callable[[], Sequence[Event]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.bar = TransportBar(session, self)
        self.strip = TimeStrip(span, flags, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 4)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(self.strip)

    def sizeHint(self) -> QSize:
        return QSize(640, HEIGHT + 48 + 4)


def state_of(snapshot: Snapshot | None, until_s: float) -> tuple[str, ChipState, str]:
    """(word, chip state, icon) of what the machine does."""
    if snapshot is None:
        return "Starting", "neutral", ""
    if snapshot.fault is not None:
        return "Fault", "danger", "warning"
    if snapshot.running:
        return "Running", "ok", "run"
    if has_ended(snapshot, until_s):
        return "Ended", "neutral", ""
    return "Paused", "neutral", "pause"


def is_late(snapshot: Snapshot) -> bool:
    """Whether the machine runs slower than it was asked to."""
    if not snapshot.running or snapshot.speed == MAX_SPEED or not snapshot.real_speed:
        return False
    return snapshot.real_speed < _KEEPS_UP * snapshot.speed


def _speed_words(speed: float) -> str:
    return numbers.thousands(speed) if speed >= 1000 else numbers.fixed(speed, 1)


def _button(parent: QWidget, icon: str, words: str, tip: str, wanted: object) -> QToolButton:
    made = QToolButton(parent)
    put_icon(made, icon)
    made.setText(words)
    style = Qt.ToolButtonStyle
    made.setToolButtonStyle(style.ToolButtonTextBesideIcon if words else style.ToolButtonIconOnly)
    made.setToolTip(tip)
    made.setAccessibleName(words.removesuffix("…") or tip)
    made.setAutoRaise(True)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.clicked.connect(wanted)
    return made


def _rule(parent: QWidget) -> QFrame:
    made = QFrame(parent)
    made.setFrameShape(QFrame.Shape.VLine)
    made.setFixedHeight(24)
    made.setForegroundRole(QPalette.ColorRole.Mid)
    made.setFrameShadow(QFrame.Shadow.Plain)
    return made
