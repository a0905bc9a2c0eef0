"""The transport: run, step, speed and holds of the simulated machine, and its clock, in every workspace."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QComboBox, QFrame, QMenu, QToolButton, QWidget

from fsconsole.console.actions import ActionTable
from fsconsole.console.past_view import loop_words
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import paint
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.fonts import fixed_font, semibold, tabular_font
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import keep_height, scaled
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.time_controls import STEPS, choose_step, chosen_step, held_words
from fsconsole.console.widgets.boxes import hbox
from fsconsole.console.widgets.buttons import SegmentedButtons, menu_button
from fsconsole.console.widgets.chips import Chip, ChipState
from fsconsole.console.widgets.elided import FittingLabel
from fsconsole.console.widgets.folding import Folding
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.targets.base import CLOCK_HOLDS, MAX_SPEED, PLAYBACK, RECORDING, SPEEDS, Playback
from fsconsole.targets.hold_rules import HOLD_RULES
from fsconsole.targets.snapshot import Snapshot, has_ended
from fsconsole.text import durations, numbers

HEIGHT, LOW_HEIGHT = 44, 32
_RUN_PX, _REAL_PX = 88, 90
_LONGEST_CLOCK = "0000:00:00"  # More than a year: nothing beside the clock moves within a run.
# Below this fraction of the requested speed, the machine does not keep up.
_KEEPS_UP = 0.9
_STATES = ("Starting", "Fault", "Running", "Ended", "Held", "Paused", "Recorded", "Past", "Loop")
_WORDS = {speed: "max" if speed == MAX_SPEED else f"×{speed:.0f}" for speed in SPEEDS}


class TransportBar(QWidget):
    """What passes the time of a machine; its buttons trigger actions of the table."""

    accessible_role = Role.ToolBar

    def __init__(self, session: ConsoleSession, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._table = session, table
        self._shown: tuple[object, ...] = ()
        keep_height(self, HEIGHT)
        self.restart = self.button(
            "to-start", "", "Start another run at time 0. This one is kept", "observe.restart"
        )
        self.run = self.button("run", "Run", "Run or pause (Space)", "observe.run")
        set_look(self.run, "boxed")
        self.live = self.button("pause", "Pause live", "", "past.live")
        set_look(self.live, "boxed")
        self.live.hide()
        self.step = self.button("step", "Step", "Pause and advance (.)", "observe.step")
        self.step_size = QComboBox(self)
        self.step_size.setAccessibleName("Length of a step")
        self.step_size.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.speed = SegmentedButtons([(speed, _WORDS[speed]) for speed in SPEEDS], "Speed", self)
        self.speed.setToolTip("Simulated seconds per second: [ slower, ] faster")
        self.clock = PlainLabel("00:00:00", self, font=semibold(fixed_font("clock")))
        self.clock.setAccessibleDescription("Simulated clock")
        self.date = FittingLabel(self)
        self.chip = Chip("Starting", parent=self)
        self.chip.reserve(*_STATES)
        self.real = MutedLabel("", self)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._fill_holds)
        self.holds = menu_button("Hold at", "Events that pause the clock", self._menu)
        self._build_ui()
        self.speed.chosen.connect(session.set_speed)
        self.step_size.currentIndexChanged.connect(self._on_step_chosen)
        session.frame.connect(self.refresh)
        session.paced.connect(self.refresh)
        session.past_moved.connect(self.refresh)
        session.target_changed.connect(self.refresh)
        session.document_changed.connect(self._on_document_changed)
        session.settings_changed.connect(self._fill_steps)
        theme().changed.connect(self._on_theme_changed)
        self._on_document_changed()

    def button(self, icon: str, words: str, tip: str, action_id: str) -> QToolButton:
        """Make a button of the bar that triggers an action of the table."""
        return _button(self, icon, words, tip, partial(self._table.trigger, action_id))

    def add_tools(self, *buttons: QToolButton) -> None:
        """Add buttons at the right, behind a rule."""
        layout = self.layout()
        if layout is not None:
            for widget in (_rule(self), *buttons):
                layout.addWidget(widget)
            for button in buttons:
                self._folding.add(button, 1)

    def set_low(self, *, low: bool) -> None:
        """Leave less room around the buttons in a low window."""
        keep_height(self, LOW_HEIGHT if low else HEIGHT)

    def set_narrow(self, *, narrow: bool) -> None:
        """Hide the measured speed in a narrow window."""
        self.real.setVisible(not narrow)

    @Slot()
    def refresh(self) -> None:
        """Show the machine's newest state."""
        playback, snapshot = self._session.playback, self._session.snapshot
        if playback is None:
            return
        self.speed.choose(playback.speed)
        self._show_choices()
        running = playback.is_running and (snapshot is None or snapshot.fault is None)
        live = self._live()
        shown = (running, None if live is None else live.is_running, self.run.text())
        if shown != self._shown:
            words = "Pause" if running else "Run"
            tip = "Run or pause (Space)"
            if live is not None:
                words = "Pause past" if running else "Play past"
                tip = _past_tip(is_live=live.is_running)
            _show_pace(self.run, words, tip, running=running)
            if live is not None:
                words = "Pause live" if live.is_running else "Run live"
                tip = (
                    "Pause the live end. The view stays in the past"
                    if live.is_running
                    else "Run the live end. The view stays in the past"
                )
                _show_pace(self.live, words, tip, running=live.is_running)
            self.live.setVisible(live is not None)
            self._shown = (running, None if live is None else live.is_running, self.run.text())
        self._show_state(snapshot)
        if snapshot is not None:
            self.run.setEnabled(snapshot.fault is None)
            self.step.setEnabled(snapshot.fault is None)
            past_s = self._session.past.time_s  # The data of the instant may not have arrived yet.
            self._show_time(snapshot.time_s if past_s is None else past_s)
        elif self._session.is_recorded and self._session.moment is not None:
            self._show_time(self._session.moment.time_s)

    def _live(self) -> Playback | None:
        """Return the control of the live end while the past is shown; None at the present."""
        session = self._session
        return session.offer(PLAYBACK) if session.past.is_on and not session.is_recorded else None

    def _show_state(self, snapshot: Snapshot | None) -> None:
        words, state, icon = state_of(snapshot, self._until_s())
        if snapshot is None and self._session.is_recorded:
            words = "Recorded"
        if self._session.past.is_on:
            words = "Past" if self._session.past.section is None else "Loop"
            state, icon = "warn", "scrub"
        self.chip.show_state(words, state, icon)
        held = "" if snapshot is None else held_words(snapshot)
        self.chip.setToolTip(loop_words(self._session.past) or held)
        late = snapshot is not None and is_late(snapshot)
        if snapshot is None or not snapshot.running or not snapshot.real_speed:
            self.real.setText("")
        else:
            self.real.setText(f"real ×{_speed_words(snapshot.real_speed)}")
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.PlaceholderText, colour("warn" if late else "muted"))
        self.real.setPalette(palette)

    def _show_time(self, time_s: float) -> None:
        document = self._session.document
        if document is None:
            return
        self.clock.setText(durations.clock(time_s))
        at = document.scenario.machine.start + timedelta(seconds=time_s)
        seconds, clock = f"{numbers.fixed(time_s, 1)} s", f"{at:%H:%M:%S}"
        self.date.say(
            f"{seconds}, {at:%a} {at.day} {at:%B %Y} {clock}",
            f"{seconds}, {at:%a} {at.day} {at:%b} {clock}",
            seconds,
        )

    def _show_choices(self) -> None:
        """Show the step and the holds that are chosen, here or in another workspace."""
        with QSignalBlocker(self.step_size):
            self.step_size.setCurrentIndex(STEPS.index(chosen_step(self._session)))
        target = self._session.target
        offered = None if target is None else target.offer(CLOCK_HOLDS)
        self.holds.setVisible(offered is not None)
        count = 0 if offered is None else len(offered.holds)
        self.holds.setText(f"Hold at ({count})" if count else "Hold at")
        self.restart.setVisible(self._session.offer(RECORDING) is not None)

    @Slot()
    def _fill_holds(self) -> None:
        """List all rules; those that are impossible in the scenario are disabled, with the reason."""
        self._menu.clear()
        target = self._session.target
        offered = None if target is None else target.offer(CLOCK_HOLDS)
        if offered is None:
            return
        known = {rule.name: rule for rule in offered.hold_rules}
        for rule in HOLD_RULES:
            toggle = partial(self._table.trigger, f"hold.{rule.name}")
            action = self._menu.addAction(known.get(rule.name, rule).title, toggle)
            action.setCheckable(True)
            action.setChecked(rule.name in offered.holds)
            action.setEnabled(rule.name in known)
            action.setToolTip(rule.tip if rule.name in known else rule.absent)

    @Slot(int)
    def _on_step_chosen(self, at: int) -> None:
        if at >= 0:
            choose_step(self._session, STEPS[at])

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
        words = {"tick": "tick", "second": "1 s", "delta": f"delta, {document.scenario.policy.delta_s:g} s"}
        with QSignalBlocker(self.step_size):
            self.step_size.clear()
            self.step_size.addItems([words[name] for name in STEPS])
        self._show_choices()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._show_state(self._session.snapshot)
        self.update()

    def _build_ui(self) -> None:
        acts = (self.restart, self.run, self.live, self.step, self.step_size, self.holds)
        times = (_rule(self), self.speed, _rule(self), self.clock, (self.date, 1), self.chip, self.real)
        layout = hbox(*acts, *times, on=self, margins=(12, 0, 8, 0), spacing=8)
        self._folding = Folding(self, layout)
        folded_last_to_first = (self.speed, self.step, self.step_size, self.restart, self.holds)
        for rank, one in enumerate(folded_last_to_first):
            self._folding.add(one, rank)
        self.real.setFont(tabular_font())
        self._fit_words()

    def _fit_words(self) -> None:
        # Not by the size hint: it is never below the width that was set before.
        self.clock.setFixedWidth(self.clock.fontMetrics().horizontalAdvance(_LONGEST_CLOCK) + 8)
        self.real.setMinimumWidth(scaled(_REAL_PX))
        # Qt cuts a button to its least width, whatever the length of its text.
        self.run.setMinimumWidth(max(scaled(_RUN_PX), self.run.sizeHint().width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._folding.least_px(), self.height())

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.StyleChange):
            self._fit_words()  # After a change of text, buttons compute their sizes later than the bar.
        return handled

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("raised"))
            paint.frame(painter, self.rect())


def _past_tip(*, is_live: bool) -> str:
    if is_live:
        return "Play or pause the past (Space). The live end continues"
    return "Play or pause the past (Space). The live end is paused"


def _show_pace(button: QToolButton, words: str, tip: str, *, running: bool) -> None:
    put_icon(button, "pause" if running else "run")
    button.setText(words)
    button.setAccessibleName(words)
    button.setToolTip(tip)


def state_of(snapshot: Snapshot | None, until_s: float) -> tuple[str, ChipState, str]:
    """Return (word, chip state, icon) of the machine's activity."""
    if snapshot is None:
        return "Starting", "neutral", ""
    if snapshot.fault is not None:
        return "Fault", "danger", "warning"
    if snapshot.running:
        return "Running", "ok", "run"
    if has_ended(snapshot, until_s):
        return "Ended", "neutral", ""
    return "Held" if snapshot.held else "Paused", "neutral", "pause"


def is_late(snapshot: Snapshot) -> bool:
    """Return True if the machine runs slower than the requested speed."""
    if not snapshot.running or snapshot.speed == MAX_SPEED or not snapshot.real_speed:
        return False
    return snapshot.real_speed < _KEEPS_UP * snapshot.speed


def _speed_words(speed: float) -> str:
    return numbers.thousands(speed) if speed >= 1000 else numbers.fixed(speed, 1)


def _button(parent: QWidget, icon: str, words: str, tip: str, wanted: Callable[[], object]) -> QToolButton:
    made = QToolButton(parent)
    put_icon(made, icon)
    made.setText(words)
    style = Qt.ToolButtonStyle
    made.setToolButtonStyle(style.ToolButtonTextBesideIcon if words else style.ToolButtonIconOnly)
    made.setToolTip(tip)
    made.setAccessibleName(words.removesuffix("…") or tip)
    made.setAutoRaise(True)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.clicked.connect(lambda _is_checked: wanted())
    return made


def _rule(parent: QWidget) -> QFrame:
    made = QFrame(parent)
    made.setFrameShape(QFrame.Shape.VLine)
    keep_height(made, 24)
    made.setForegroundRole(QPalette.ColorRole.Mid)
    made.setFrameShadow(QFrame.Shadow.Plain)
    return made
