"""The near-dedicated window as a timeline: what runs, what would, and marks that can be moved."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from fsconsole.app.nights.replan import with_window
from fsconsole.app.nights.times import STEP_S
from fsconsole.console.kit.lane_painter import LanesView
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.operate.nights.timeline_geometry import LABELS, NAMES, Layout, Mark, layout_of, span_of
from fsconsole.console.operate.nights.timeline_painter import TimelinePainter
from fsconsole.console.style.sizes import grown_px, scaled
from fsconsole.neardedicated.view import NightView
from fsconsole.shares.scenario.actions import MoveWindow
from fsconsole.text.durations import length_words

_ALL_LANES = 126  # Height of all lanes in px, at the text size of the specification.
_ONE_LANE = 62
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = {
    Qt.Key.Key_Left: -STEP_S,
    Qt.Key.Key_Right: STEP_S,
    Qt.Key.Key_PageDown: -3600.0,
    Qt.Key.Key_PageUp: 3600.0,
}


def _all_lanes() -> int:
    """Return the pixels that all lanes need."""
    return _ALL_LANES + (len(NAMES) + 2) * grown_px()


class Timeline(LanesView):
    """Lanes of jobs over the window.

    While a console is armed its end can be dragged, or moved by the arrow keys; so can its start before the
    window is open (Up and Down choose the mark). Lanes follow before it is done: letting go of the
    mark, or Enter, does it, Esc puts it back. Signals: proposed(words), what a move under way would do.
    """

    proposed = Signal(str)

    def __init__(self, controller: NightController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._mark: Mark = "end"
        self._wanted: float | None = None
        self._is_held = False
        self._span: tuple[float, float] | None = None
        self._planned: NightView | None = None
        self._kept: tuple[NightView, tuple[float, float], tuple[float, float] | None, Layout] | None = None
        self.setAccessibleName("Near-dedicated window")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._is_low = False
        self._fit_height()
        controller.changed.connect(self._refresh)
        controller.arming.changed.connect(self._refresh)

    def set_low(self, *, low: bool) -> None:
        """Keep all lanes visible even if the docks need the height."""
        self._is_low = low
        self._fit_height()

    def _fit_height(self) -> None:
        self.setMinimumHeight(_all_lanes() if self._is_low else _ONE_LANE + 3 * grown_px())

    # -- what is shown --------------------------------------------------------------------------------------

    @property
    def mark(self) -> Mark:
        """The mark that keys move."""
        return self._mark

    @property
    def wanted_s(self) -> float | None:
        """Where the mark is being moved to; None while none is."""
        return self._wanted

    @property
    def night(self) -> NightView | None:
        """The night as it is drawn: with the window as it is being moved."""
        return self._controller.night if self._wanted is None else self._planned

    @property
    def shown_layout(self) -> Layout | None:
        """Where everything is; None without a night."""
        night = self.night
        if night is None:
            return None
        one_lane = self.height() < _all_lanes()
        size = (float(self.width()), float(self.height()))
        kept = self._kept
        if kept is None or kept[0] is not night or kept[1:3] != (size, self._span):
            layout = layout_of(
                night, self._controller.times, *size, one_lane=one_lane, span=self._span,
                labels=scaled(round(LABELS)), grown=grown_px(),
            )  # fmt: skip
            kept = self._kept = (night, size, self._span, layout)
        return kept[3]

    def time_words(self, time_s: float) -> str:
        return self._controller.times.short(time_s)

    def _plan(self) -> None:
        """Plan once for the moved mark and for the machine's report."""
        night = self._controller.night
        if night is None or self._wanted is None:
            self._planned = None
        elif self._mark == "end":
            self._planned = with_window(night, night.window.start_s, self._wanted)
        else:
            self._planned = with_window(night, self._wanted, night.window.end_s)

    # -- moving a mark --------------------------------------------------------------------------------------

    def can_move(self, mark: Mark) -> bool:
        """Return True if a mark of the window may be moved now."""
        night = self._controller.night
        if night is None or not self._controller.is_armed:
            return False
        window = night.window
        if mark == "start":
            return window.start_s is not None and not window.is_open
        return window.end_s is not None and not window.closing

    def propose(self, time_s: float) -> None:
        """Show what it would be like with the mark at a time, on five minutes."""
        night = self._controller.night
        if night is None:
            return
        if self._span is None:
            self._span = span_of(night)
        wanted = self._within(night, self._controller.times.snapped(time_s))
        if wanted == self._wanted:
            return
        self._wanted = wanted
        self._plan()
        self.proposed.emit(self._describe_move(night))
        self.update()

    def apply(self) -> None:
        """Have the mark moved."""
        wanted, mark = self._wanted, self._mark
        self.put_back()
        if wanted is None:
            return
        is_end = mark == "end"
        self._controller.act(MoveWindow(end_s=wanted) if is_end else MoveWindow(start_s=wanted))

    def put_back(self) -> None:
        """Leave the window as it is."""
        self._wanted, self._span, self._is_held = None, None, False
        self._planned = None
        self.proposed.emit("")
        self.update()

    def _within(self, night: NightView, time_s: float) -> float:
        """Return the nearest time allowed: a window ends after now and after its start."""
        snap, window = self._controller.times.snapped, night.window
        if self._mark == "end":
            least = max(night.time_s, window.start_s or 0.0)
            return max(time_s, snap(least + STEP_S / 2))
        most = window.end_s if window.end_s is not None else time_s + STEP_S
        return min(max(time_s, snap(night.time_s + STEP_S / 2)), most - STEP_S)

    def _describe_move(self, night: NightView) -> str:
        before = night.window.end_s if self._mark == "end" else night.window.start_s
        if self._wanted is None or before is None:
            return ""
        times = self._controller.times
        by_s = self._wanted - before
        title = "End" if self._mark == "end" else "Start"
        move = f"{title} {times.short(before)} to {times.short(self._wanted)}"
        if not by_s:
            return move
        length = length_words(abs(by_s))
        way = f"{length} later" if by_s > 0 else f"{length} earlier"
        hint = (
            "Release the mouse button to apply it, press Esc to revert it."
            if self._is_held
            else "Press Enter to apply it, Esc to revert it."
        )
        return f"{move}, {way}. {hint}"

    @Slot()
    def _refresh(self) -> None:
        if self._wanted is not None and not self.can_move(self._mark):
            self.put_back()
        if self._mark == "start" and not self.can_move("start"):
            self._mark = "end"
        self._plan()
        self.setAccessibleDescription(self._spoken())
        self.update()

    def _spoken(self) -> str:
        night, times = self._controller.night, self._controller.times
        if night is None or night.window.start_s is None:
            return "No window is planned"
        window = f"Window {times.short(night.window.start_s)} to {times.short(night.window.end_s)}"
        return f"{window}, now {times.short(night.time_s)}"

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._kept = None
            self._fit_height()

    def sizeHint(self) -> QSize:
        return QSize(900, 186)

    def minimumSizeHint(self) -> QSize:
        return QSize(480, self.minimumHeight())

    def paintEvent(self, _event: QPaintEvent) -> None:
        layout, night = self.shown_layout, self.night
        if layout is None or night is None:
            return
        with QPainter(self) as painter:
            times = self._controller.times
            TimelinePainter(painter, layout, self.width(), self.height()).paint(
                start=f"Start {times.short(night.window.start_s)}",
                end=f"End {times.short(night.window.end_s)}",
                mark=self._mark,
                is_armed=self.can_move(self._mark),
                is_held=self._is_held or self._wanted is not None,
                focus=self.hasFocus(),
            )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        layout = self.shown_layout
        mark = layout.mark_at(event.position().x()) if layout is not None else None
        if event.button() is Qt.MouseButton.LeftButton and mark is not None and self.can_move(mark):
            self._mark, self._is_held = mark, True
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        layout = self.shown_layout
        if layout is None:
            return
        if self._is_held:
            self.propose(layout.axis.time(event.position().x()))
            return
        mark = layout.mark_at(event.position().x())
        can = mark is not None and self.can_move(mark)
        self.setCursor(Qt.CursorShape.SizeHorCursor if can else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._is_held and event.button() is Qt.MouseButton.LeftButton:
            self.apply() if self._wanted is not None else self.put_back()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS and self.can_move(self._mark):
            self._step(_STEPS[key])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.can_move("start"):
            self.put_back()
            self._mark = "end" if self._mark == "start" else "start"
        elif key in _ENTER and self._wanted is not None:
            self.apply()
        elif key is Qt.Key.Key_Escape and (self._wanted is not None or self._is_held):
            self.put_back()
        else:
            super().keyPressEvent(event)

    def _step(self, by_s: float) -> None:
        night = self._controller.night
        if night is None:
            return
        window = night.window
        at = self._wanted
        if at is None:
            at = window.end_s if self._mark == "end" else window.start_s
        if at is not None:
            self.propose(at + by_s)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason and self._wanted is not None:
            self.put_back()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()
