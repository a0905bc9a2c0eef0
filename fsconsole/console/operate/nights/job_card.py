"""The job that runs: how far it is, how well it uses the machine, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from fsconsole.app.nights.times import Times, mw
from fsconsole.console.arming import READ_ONLY
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.operate.job_card import EXTEND_MIN, Figure, JobCard, enable
from fsconsole.console.operate.nights.controller import KILLED, NightController
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import scaled, tall
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, Gap, hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.figures.painted_text import draw_text
from fsconsole.neardedicated.job_view import end_words
from fsconsole.neardedicated.view import Efficiency, NightView
from fsconsole.neardedicated.view import JobCard as JobView
from fsconsole.text import durations, numbers
from fsconsole.text.words import capitalised, count_words

_BAR, _LINE = 13, 17
_HALF, _ALL = 0.5, 1.0
_LABELS_PX = 42  # Width of the labels of the axis.
_SHOWN = 36  # Values shown: three hours in steps of five minutes.
_Align = Qt.AlignmentFlag


class EfficiencyBar(QWidget):
    """The last interval's efficiency from 0 to 100 %; warn below the required line."""

    accessible_role = Role.Chart

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._efficiency: float | None = None
        self._required = 0.88
        self._is_whole = True
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def is_low(self) -> bool:
        """Whether it is below the line, over an interval in which it computed all the time."""
        return self._is_whole and self._efficiency is not None and self._efficiency < self._required

    def show_values(self, efficiency: float | None, required: float, *, is_whole: bool = True) -> None:
        """Show other values, fractions; the interval is not whole where it holds a part of the setup."""
        self._efficiency, self._required, self._is_whole = efficiency, required, is_whole
        text = numbers.spoken_percent("CPU efficiency", efficiency, 1)
        self.setAccessibleName(f"{text}, required {numbers.percent(required, 0, unit=False)}")
        self.update()

    @property
    def _token(self) -> str:
        if not self._is_whole:
            return "muted"
        return "warn" if self.is_low else "ok"

    def sizeHint(self) -> QSize:
        return QSize(200, tall(_BAR + 21))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setFont(tabular_font("caption"))
            width = self.width()
            paint.track(painter, QRect(0, 2, width, _BAR))
            if self._efficiency is not None:
                filled = round(width * min(max(self._efficiency, 0.0), 1.0))
                painter.fillRect(0, 2, filled, _BAR, colour(self._token))
            at = round(width * self._required)
            painter.fillRect(at - 1, 0, 2, _BAR + 5, colour("text"))
            self._paint_words(painter, at)

    def _paint_words(self, painter: QPainter, at: int) -> None:
        width, top = self.width(), _BAR + 4
        line = tall(_LINE)
        painter.setPen(colour("muted"))
        rect = QRectF(0, top, width, line)
        draw_text(painter, rect, _Align.AlignLeft | _Align.AlignBottom, "0")
        draw_text(painter, rect, _Align.AlignRight | _Align.AlignBottom, "100")
        for part in (25, 50):
            if part / 100 < self._required - 0.3:
                draw_text(
                    painter,
                    QRectF(width * part / 100 - 40, top, 80, line),
                    _Align.AlignHCenter | _Align.AlignBottom,
                    str(part),
                )
        painter.setPen(colour("text"))
        room = QRectF(0, top, min(at + 2, width - scaled(28)), line)
        text = f"required {numbers.percent(self._required, 0)}"
        draw_text(painter, room, _Align.AlignRight | _Align.AlignBottom, text)


_WORDS_PX = 36  # Height from which texts fit.


class EfficiencyHistory(Chart):
    """The efficiency of each interval as a line up to 100 %, with the required one dashed.

    The axis begins at 50 %, or at 0 where a value or the required one is below that.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: tuple[Efficiency, ...] = ()
        self._required = 0.88
        self._times: Times | None = None
        self._setup_s = 0.0
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # Screen readers can then read it.
        self.setAccessibleName("History of efficiency")
        self.setAccessibleDescription("No data yet")
        self.setMinimumHeight(40)

    def show_values(
        self, points: tuple[Efficiency, ...], required: float, times: Times, setup_s: float
    ) -> None:
        """Show other values; `setup_s` is how long the job prepared."""
        self._points = tuple(point for point in points if point.efficiency is not None)[-_SHOWN:]
        self._required, self._times, self._setup_s = required, times, setup_s
        last = self._points[-1] if self._points else None
        text = f"{numbers.percent(last.efficiency)} at {times.short(last.time_s)}" if last else "none yet"
        self.setAccessibleDescription(f"{text}, required {numbers.percent(required, 0)}")
        self.setToolTip(
            "\n".join(f"{times.short(one.time_s)}  {numbers.percent(one.efficiency)}" for one in self._points)
        )
        self.update()

    def text_twin(self) -> TextTwin:
        """Return a line for each interval of the job."""
        times = self._times
        if times is None:
            return TextTwin()
        columns: tuple[Column[Efficiency], ...] = (
            Column("To", lambda one: times.short(one.time_s), order=lambda one: one.time_s),
            Column(
                "Efficiency",
                lambda one: numbers.percent(one.efficiency),
                order=lambda one: one.efficiency,
                is_number=True,
            ),
            Column("Required", lambda _one: numbers.percent(self._required, 0), is_number=True),
            Column("About", lambda one: "partly setup" if one.partly_setup else ""),
        )
        return rows_twin(self._points, columns)

    def sizeHint(self) -> QSize:
        return QSize(200, 60)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setFont(tabular_font("caption"))
            left, width = scaled(_LABELS_PX), self.width()
            self._paint_axis(painter, left)
            dashed = QPen(colour("text"), 1)
            dashed.setDashPattern([3, 3])
            painter.setPen(dashed)
            y = round(self.height_of(self._required)) + 0.5
            painter.drawLine(QPointF(left, y), QPointF(width, y))
            places = self._places()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(colour("ok"), 1.5))
            painter.drawPolyline(places)
            self._paint_points(painter, places)
            self._paint_words(painter)
            if self.hasFocus():
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
                paint.frame(painter, self.rect(), "accent")

    @property
    def least(self) -> float:
        """Efficiency at the lower end of the axis."""
        lowest = min((one.efficiency or 0.0 for one in self._points), default=_ALL)
        return _HALF if min(lowest, self._required) >= _HALF else 0.0

    @property
    def _has_words(self) -> bool:
        """Whether there is room for words below the line."""
        return self.height() >= _WORDS_PX + tall(_LINE)

    def _paint_axis(self, painter: QPainter, left: int) -> None:
        low, high = (round(self.height_of(end)) for end in (self.least, _ALL))
        painter.fillRect(left, high, 1, low - high, colour("line2"))
        painter.fillRect(left, low, self.width() - left, 1, colour("line2"))
        if self.height() < _WORDS_PX:
            return  # Labels would lie over each other.
        painter.setPen(colour("muted"))
        line = tall(_LINE)
        align = _Align.AlignRight | _Align.AlignVCenter
        for end, y in ((self.least, low - line + 4), (_ALL, high - 4)):
            rect = QRectF(0, y, left - 4, line)
            draw_text(painter, rect, align, numbers.percent(end, 0, unit=end == _ALL))

    def _places(self) -> list[QPointF]:
        left = scaled(_LABELS_PX) + 8
        step = max(0.0, (self.width() - left - 4) / max(len(self._points) - 1, 7))
        return [
            QPointF(left + step * at, self.height_of(one.efficiency or 0.0))
            for at, one in enumerate(self._points)
        ]

    def height_of(self, efficiency: float) -> float:
        """Return the place of an efficiency, px from the top."""
        part = (min(max(efficiency, self.least), _ALL) - self.least) / (_ALL - self.least)
        below = tall(_LINE) if self._has_words else 0
        return 4 + (1 - part) * (self.height() - 12 - below)

    def _paint_points(self, painter: QPainter, places: list[QPointF]) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for at, one in zip(places, self._points, strict=True):
            token = "ok" if (one.efficiency or 0.0) >= self._required else "warn"
            painter.setBrush(colour("muted" if one.partly_setup else token))
            painter.drawEllipse(at, 2.5, 2.5)

    def _paint_words(self, painter: QPainter) -> None:
        """Write the first value, with the preparation, and the lowest of the last ones below the line."""
        if not self._points or self._times is None or not self._has_words:
            return
        painter.setPen(colour("muted"))
        setup = f", setup {durations.length_words(self._setup_s)}" if self._setup_s else ""
        texts = [f"{self._point_words(self._points[0])}{setup}"]
        if len(self._points) > 3:
            lowest = min(self._points[3:], key=lambda one: one.efficiency or 0.0)
            texts.append(self._point_words(lowest))
        room = QRectF(
            scaled(_LABELS_PX), self.height() - tall(_LINE), self.width() - scaled(_LABELS_PX), tall(_LINE)
        )
        widths = map(QFontMetricsF(painter.font()).horizontalAdvance, texts)
        if sum(widths) + scaled(12) > room.width():
            texts = texts[-1:]
        sides = (_Align.AlignLeft, _Align.AlignRight)
        for side, words in zip(sides, texts, strict=False):
            draw_text(painter, room, side | _Align.AlignVCenter, words)

    def _point_words(self, point: Efficiency) -> str:
        time = "" if self._times is None else self._times.short(point.time_s)
        return f"{numbers.percent(point.efficiency)} at {time}"


class JobPanel(JobCard):
    """The card. Signals: kill_wanted(); extend_wanted(seconds)."""

    kill_wanted = Signal()
    extend_wanted = Signal(float)

    def __init__(self, controller: NightController) -> None:
        super().__init__("Current job", "Kill job…", "Extend job…")
        self._controller = controller
        self._elapsed, self._estimate, self._watchdog = (
            Figure(words, self.card, big=True) for words in ("Elapsed", "Estimate", "Watchdog in")
        )
        self._cpu, self._memory, self._sds = (
            Figure(words, self.card) for words in ("CPU used", "Memory", "SDS")
        )
        self._swaps, self._sds_wait, self._mflops = (
            Figure(words, self.card) for words in ("Swaps", "Waited for SDS", "Mflop/s")
        )
        self.end = MutedLabel("", self.card)
        self.end.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._offered_min = self.by.value()
        self._share = PlainLabel("", self.card, font=tabular_font("section", semibold=True))
        self._share_caption = MutedLabel("CPU efficiency", self.card)
        self.bar = EfficiencyBar(self.card)
        self.history = EfficiencyHistory(self.card)
        self._share_caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.history.setMaximumHeight(120)
        self._build_ui()
        self.kill.clicked.connect(self.kill_wanted)
        self.extend.clicked.connect(lambda: self.extend_wanted.emit(self.by.seconds))
        self.by.edited.connect(self._refresh)
        controller.changed.connect(self._refresh)
        controller.arming.changed.connect(self._refresh)
        theme().changed.connect(self._refresh)

    def set_low(self, *, low: bool) -> None:
        """Hide the history first where there is little room."""
        self.history.setMinimumHeight(0 if low else 40)
        self.history.setMaximumHeight(30 if low else 120)

    # -- inside ---------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        facts = QWidget(self.card)
        vbox(
            STRETCH,
            _row(self._elapsed, self._estimate, self._watchdog),
            self.end,
            Gap(7),
            STRETCH,
            hbox((self._share_caption, 1), self._share, spacing=INHERIT),
            self.bar,
            (self.history, 6),
            Gap(5),
            STRETCH,
            _row(self._cpu, self._memory, self._sds),
            Gap(4),
            STRETCH,
            _row(self._swaps, self._sds_wait, self._mflops),
            STRETCH,
            on=facts,
            margins=(0, 7, 0, 0),
        )
        parts = (*self.head(), (scrolling(facts), 1), Gap(5), self.foot(0))
        vbox(*parts, on=self.card, margins=(12, 8, 12, 0))

    @Slot()
    def _refresh(self) -> None:
        night = self._controller.night
        job = night.job if night is not None else None
        self.card.setVisible(job is not None)
        is_over = job is not None and job.is_over
        why_not = KILLED if is_over else "" if self._controller.is_armed else READ_ONLY
        for widget in (self.kill, self.by):
            enable(widget, why_not)
        enable(self.extend, why_not or self.by.problem)
        if job is not None and night is not None and self.isVisible():
            self._show(job, night)

    def _show(self, job: JobView, night: NightView) -> None:
        self.title.say(job.person, job.name)
        is_well = job.state == "Running" and not job.waiting_for
        self.chip.show_state(job.state, "ok" if is_well else "warn", "run" if is_well else "warning")
        cpus = count_words(job.tasks, "CPU")
        about = f"Request {job.request}, queue {job.queue}, {cpus}, l-node {job.node}"
        self.show_about(f"{about}. Waits for {job.waiting_for}" if job.waiting_for else about)
        left_s = max(job.watchdog_s - night.time_s, 0.0)
        self._elapsed.say(durations.duration(job.elapsed_s))
        self._estimate.say(durations.duration(job.estimate_s))
        if job.is_over:
            self._watchdog.say(numbers.UNKNOWN)
        else:
            self._watchdog.say(durations.duration(left_s), token="danger" if left_s < 900 else "text")
        self._show_end(job)
        self._show_efficiency(job, night)
        self._show_use(job, night)

    def _show_end(self, job: JobView) -> None:
        """Show the end at its pace; offer the extension that it needs, unless another one was chosen."""
        words = "" if job.is_over else end_words(job, self._controller.times.short)
        self.end.setText(capitalised(words))
        self.end.setToolTip(words and f"{self.end.text()}, at the pace of the last interval")
        offered_min = round(job.extension_s / 60) or EXTEND_MIN
        is_offered = self.by.value() == self._offered_min and not self.by.problem
        if is_offered and not self.by.hasFocus():
            self.by.setValue(offered_min)
            self._offered_min = offered_min

    def _show_efficiency(self, job: JobView, night: NightView) -> None:
        is_whole = not (job.history and job.history[-1].partly_setup)
        self.bar.show_values(job.efficiency, night.required_efficiency, is_whole=is_whole)
        self._share.setText("preparing" if job.efficiency is None else numbers.percent(job.efficiency))
        caption = "CPU efficiency, last interval" + ("" if is_whole else ", partly setup")
        if job.below_since_s is not None:
            caption += f", below {numbers.percent(night.required_efficiency, 0)} since "
            caption += self._controller.times.short(job.below_since_s)
        self._share_caption.setText(caption)
        mean = numbers.percent(job.mean_efficiency)
        self._share.setToolTip(f"{mean} since its preparation")
        self.history.show_values(job.history, night.required_efficiency, self._controller.times, job.setup_s)

    def _show_use(self, job: JobView, night: NightView) -> None:
        self._cpu.say(durations.duration(job.cpu_s), f"of {durations.duration(job.requested_cpu_s)}")
        self._memory.say(mw(job.memory_mw), f"of {numbers.fixed(night.memory_mw, 1)}")
        self._sds.say(mw(job.sds_mw), f"of {numbers.fixed(night.sds_mw, 1)}")
        self._swaps.say(str(job.swaps), f"{numbers.fixed(job.swap_s)} s")
        self._sds_wait.say(f"{numbers.fixed(job.sds_wait_s)} s")
        self._mflops.say(numbers.thousands(job.mflops))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()


def _row(*figures: Figure) -> QGridLayout:
    row = QGridLayout()
    row.setSpacing(8)
    for column, figure in enumerate(figures):
        row.addWidget(figure, 0, column)
        row.setColumnStretch(column, 1)
        row.setColumnMinimumWidth(column, 60)
    return row
