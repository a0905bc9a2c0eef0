"""What is typed of one user: jobs, dampening factor, hours, half-life, how far to look."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from fsconsole.console.analyse.forecast.entry import (
    MOST_HOURS,
    MOST_WEEKS,
    WEEK_S,
    number,
    optional,
    plain,
)
from fsconsole.console.analyse.forecast.fields import FieldLine, TypedField
from fsconsole.console.analyse.forecast.jobs import IN_WEEKS
from fsconsole.console.analyse.forecast.jobs_model import JobsModel
from fsconsole.console.analyse.forecast.jobs_table import JobsTable
from fsconsole.console.analyse.forecast.one_user import PAPER_SAYS, OneUser
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.number_box import NumberBox
from fsconsole.slurm.damping import MOST_WHOLE, damping_for
from fsconsole.text.durations import length_words

_LEAST_D, _DIGITS = 0.001, 3
_SLIDER = (-100, 150)  # hundredths of a power of ten: d from 0.1 to 31.6
_STEPS = 100
_NEARLY = 1e-9


class OneForm(QWidget):
    """Signals: changed() when something else is asked for; what is wrong is told below its field."""

    changed = Signal()

    def __init__(self, asked: OneUser, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self.model = JobsModel(IN_WEEKS, WEEK_S, self)
        self.table = JobsTable(self.model, self)
        self.damping, self.slider = NumberBox(self), QSlider(Qt.Orientation.Horizontal, self)
        self.target = TypedField("Target hours", partial(_hours, what="u*", above=True), 76)
        self.half_life = TypedField("Half-life in days", _days, 48)
        self.usage = TypedField("Usage now in core-hours", partial(_hours, what="Usage"), 76)
        self.until = TypedField("Weeks to look ahead", _weeks, 48)
        self.wished = TypedField("Fairshare wished for", wish, 60)
        self.note, self.whole, self.reached = (MutedLabel("", self, "caption") for _ in range(3))
        self._lay_out()
        self.show_asked(asked)
        self._listen()

    @property
    def asked(self) -> OneUser:
        """What is asked for, of what is right."""
        return self._asked

    @property
    def is_right(self) -> bool:
        """Whether all fields are."""
        return all(field.is_right for field in self._fields)

    def show_asked(self, asked: OneUser) -> None:
        """Show something else to ask for; nothing is told."""
        self._asked = asked
        self.model.show_jobs(asked.jobs)
        self._show_damping()
        self.target.show_text(plain(asked.target_h))
        self.half_life.show_text(plain(asked.half_life_d))
        self.usage.show_text(plain(asked.usage_h))
        self.until.show_text(plain(asked.until_wk))
        self.wished.show_text("" if asked.wished is None else plain(asked.wished))
        self._say()

    def compare(self, damping: float | None) -> None:
        """Compare with another d, or none."""
        self._ask(replace(self._asked, compared=damping))

    def show_reached(self, reached_s: float | None) -> None:
        """Say when the wish holds for good."""
        self.reached.setText("" if reached_s is None else reached_words(reached_s))

    @property
    def _fields(self) -> tuple[TypedField[float], ...]:
        return (self.target, self.half_life, self.usage, self.until)

    @Slot()
    def _take_fields(self) -> None:
        """What is wrong stays as it was before."""
        asked = self._asked
        if self.target.is_right:
            asked = replace(asked, target_h=self.target.value)
        if self.half_life.is_right:
            asked = replace(asked, half_life_d=self.half_life.value)
        if self.usage.is_right:
            asked = replace(asked, usage_h=self.usage.value)
        if self.until.is_right:
            asked = replace(asked, until_wk=self.until.value)
        if self.wished.is_right:
            asked = replace(asked, wished=self.wished.value)
        self._ask(asked)

    @Slot()
    def _take_jobs(self) -> None:
        self._ask(replace(self._asked, jobs=self.model.jobs))

    @Slot(float)
    def _take_damping(self, damping: float) -> None:
        """The target hours go with d, the mean usage stays."""
        target_h = self._asked.mean_h * damping
        self._ask(replace(self._asked, damping=damping, target_h=float(f"{target_h:.12g}")))
        self.target.show_text(plain(self._asked.target_h))
        self._show_damping()

    @Slot(int)
    def _take_slider(self, place: int) -> None:
        self.damping.setValue(10 ** (place / _STEPS))

    def _ask(self, asked: OneUser) -> None:
        if asked != self._asked:
            self._asked = asked
            self._say()
            self.changed.emit()

    def _show_damping(self) -> None:
        """Both controls of d, without telling."""
        for control in (self.damping, self.slider):
            control.blockSignals(True)
        self.damping.setValue(self._asked.damping)
        self.slider.setValue(round(_STEPS * math.log10(self._asked.damping)))
        for control in (self.damping, self.slider):
            control.blockSignals(False)

    def _say(self) -> None:
        """The paper's contradiction beside its own table, and what Slurm makes of d."""
        asked = self._asked
        self.note.setText(PAPER_SAYS)
        self.note.setVisible(asked.is_papers)
        choice = damping_for(asked.target_h, asked.mean_h)
        is_whole = abs(asked.damping - choice.whole) < _NEARLY
        self.whole.setText(
            f"Slurm takes whole factors from 1 on: {choice.whole} halves at {choice.halves_at_h:.0f} h."
        )
        self.whole.setVisible(not is_whole)

    def _listen(self) -> None:
        self.model.changed.connect(self._take_jobs)
        self.damping.valueChanged.connect(self._take_damping)
        self.slider.valueChanged.connect(self._take_slider)
        for field in self._fields:
            field.changed.connect(self._take_fields)
        self.wished.changed.connect(self._take_fields)

    def _lay_out(self) -> None:
        self._set_up_damping()
        for label in (self.note, self.whole):
            label.setWordWrap(True)
        self.target.setToolTip("Core-hours at which fairshare is one half: u* = d × mean usage")
        self.wished.setToolTip("A fairshare above 0 to 1: when is it reached, and stays?")
        fields = QVBoxLayout()
        fields.setContentsMargins(12, 0, 12, 8)
        fields.setSpacing(5)
        fields.addLayout(self._damping_line())
        fields.addWidget(FieldLine(("u* = d × mean usage", self.target, "h")))
        fields.addWidget(FieldLine(("Half-life", self.half_life, "d"), ("Look ahead", self.until, "wk")))
        fields.addWidget(self.whole)
        fields.addWidget(self.note)
        fields.addWidget(FieldLine(("Usage now", self.usage, "core-h")))
        fields.addWidget(FieldLine(("Reach F of", self.wished, self.reached)))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.table, 1)
        layout.addLayout(fields)

    def _set_up_damping(self) -> None:
        self.damping.setRange(_LEAST_D, MOST_WHOLE)
        self.damping.setDecimals(_DIGITS)
        self.damping.setSingleStep(0.1)
        self.damping.setKeyboardTracking(True)
        self.damping.setFixedWidth(84)
        self.slider.setRange(*_SLIDER)
        self.slider.setPageStep(_STEPS // 4)
        for control in (self.damping, self.slider):
            control.setAccessibleName("Dampening factor d")
            control.setToolTip("FairShareDampeningFactor; the target hours go with it")

    def _damping_line(self) -> QHBoxLayout:
        label = QLabel("Dampening d", self)
        label.setFont(tabular_font())
        label.setBuddy(self.damping)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(label)
        line.addWidget(self.slider, 1)
        line.addWidget(self.damping)
        return line

    def sizeHint(self) -> QSize:
        """Room for the table and all lines."""
        return QSize(284, super().sizeHint().height())


def reached_words(reached_s: float) -> str:
    """When a wished fairshare is reached for good, in words."""
    if math.isinf(reached_s):
        return "never, if so"
    return f"after {length_words(reached_s)}, for good" if reached_s else "now and from now on"


def wish(text: str) -> float | None:
    """A fairshare that is wished for, or nothing."""
    return optional(text, "F", 0, 1, "0.5")


def _hours(text: str, what: str, *, above: bool = False) -> float:
    return number(text, what, 0, MOST_HOURS, "10000", above=above)


def _days(text: str) -> float:
    return number(text, "Half-life", 0, 10_000, "7", above=True)


def _weeks(text: str) -> float:
    return number(text, "Look ahead", 0, MOST_WEEKS, "8", above=True)
