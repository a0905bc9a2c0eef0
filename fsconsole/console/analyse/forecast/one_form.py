"""The page of one user: plots, and the form of jobs, dampening factor, hours, half-life, how far to look."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from fsconsole.app.forecast.entry import (
    MOST_HOURS,
    MOST_WEEKS,
    WEEK_S,
    number,
    optional,
    plain,
)
from fsconsole.app.forecast.jobs import IN_WEEKS
from fsconsole.app.forecast.one_figures import figures_of
from fsconsole.app.forecast.one_user import PAPER_NOTE, OneUser, look
from fsconsole.console.analyse.forecast.jobs_table import JobsModel, JobsTable
from fsconsole.console.analyse.forecast.plots import ForecastPlots, side_by_side
from fsconsole.console.kit.forms import FieldLine, Fields, NumberField, TypedField
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.slurm.damping import MOST_WHOLE, damping_for
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import thousands

# Labels of fields, which name their faults too.
_TARGET, AHEAD, WISHED = "u* = d × mean usage", "Look ahead", "Reach F of"
_LEAST_D, _DIGITS = 0.001, 3
_TIP_OF_D = "FairShareDampeningFactor. The target hours depend on it"
_SLIDER = (-100, 150)  # Hundredths of a power of ten: d from 0.1 to 31.6.
_STEPS = 100
_NEARLY = 1e-9
_KEY = "forecast/one"


class OneForm(QWidget):
    """The form of one user's forecast; faults are shown below the fields. Signals: changed()."""

    changed = Signal()

    def __init__(self, asked: OneUser, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self.model = JobsModel(IN_WEEKS, WEEK_S, self)
        self.table = JobsTable(self.model, self)
        self.damping = NumberField(
            "Dampening factor d", _LEAST_D, MOST_WHOLE, decimals=_DIGITS, step=0.1, tip=_TIP_OF_D, parent=self
        )
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.target = TypedField(
            _TARGET,
            partial(number, low=0, high=MOST_HOURS, example="10000", above=True),
            76,
            write=plain,
            tip="Target hours: core-hours at which fairshare is one half",
        )
        self.half_life = TypedField(
            "Half-life in days",
            partial(number, low=0, high=10_000, example="7", above=True),
            48,
            write=plain,
        )
        self.usage = TypedField(
            "Usage now in core-hours",
            partial(number, low=0, high=MOST_HOURS, example="10000"),
            76,
            write=plain,
        )
        self.until = TypedField(
            AHEAD,
            partial(number, low=0, high=MOST_WEEKS, example="8", above=True),
            48,
            write=plain,
        )
        self.wished = TypedField(
            WISHED,
            wish,
            60,
            write=plain,
            tip="Fairshare above 0, at most 1. The forecast shows when it is reached permanently",
        )
        self.fields = Fields(
            self,
            target_h=self.target,
            half_life_d=self.half_life,
            usage_h=self.usage,
            until_wk=self.until,
            wished=self.wished,
        )
        self.note, self.whole, self.reached = (MutedLabel("", self, "caption") for _ in range(3))
        self._build_ui()
        self.show_asked(asked)
        self._connect_signals()

    @property
    def asked(self) -> OneUser:
        """Values of the correct fields."""
        return self._asked

    def show_asked(self, asked: OneUser) -> None:
        """Show other values without a signal."""
        self._asked = asked
        self.model.show_jobs(asked.jobs)
        self._show_damping()
        self.fields.fill(asked)
        self._show_notes()

    def compare(self, damping: float | None) -> None:
        """Compare with another d, or none."""
        self._ask(replace(self._asked, compared=damping))

    def show_reached(self, reached_s: float | None) -> None:
        """Show when the wish holds for good."""
        self.reached.setText("" if reached_s is None else reached_words(reached_s))

    @Slot()
    def _take_fields(self) -> None:
        self._ask(self.fields.read(self._asked))

    @Slot()
    def _take_jobs(self) -> None:
        self._ask(replace(self._asked, jobs=self.model.jobs))

    @Slot(float)
    def _take_damping(self, damping: float) -> None:
        """Take a dampening, and the target hours that follow from it; the mean usage stays."""
        target_h = self._asked.mean_h * damping
        self._ask(replace(self._asked, damping=damping, target_h=float(f"{target_h:.12g}")))
        self.target.fill(self._asked.target_h)
        self._show_damping()

    @Slot(int)
    def _take_slider(self, place: int) -> None:
        self.damping.setValue(10 ** (place / _STEPS))

    def _ask(self, asked: OneUser) -> None:
        if asked != self._asked:
            self._asked = asked
            self._show_notes()
            self.changed.emit()

    def _show_damping(self) -> None:
        """Show d in both of its controls, without signals."""
        with QSignalBlocker(self.damping), QSignalBlocker(self.slider):
            self.damping.setValue(self._asked.damping)
            self.slider.setValue(round(_STEPS * math.log10(self._asked.damping)))

    def _show_notes(self) -> None:
        """Show the paper's contradiction beside its own table, and what Slurm makes of d."""
        asked = self._asked
        self.note.setText(PAPER_NOTE)
        self.note.setVisible(asked.is_papers)
        choice = damping_for(asked.target_h, asked.mean_h)
        is_whole = abs(asked.damping - choice.whole) < _NEARLY
        halves_at = f"{choice.whole} halves at {thousands(choice.halves_at_h)} h"
        self.whole.setText(f"Slurm accepts only whole factors of 1 or more: {halves_at}.")
        self.whole.setVisible(not is_whole)

    def _connect_signals(self) -> None:
        self.model.changed.connect(self._take_jobs)
        self.damping.valueChanged.connect(self._take_damping)
        self.slider.valueChanged.connect(self._take_slider)
        self.fields.changed.connect(self._take_fields)

    def _build_ui(self) -> None:
        self._set_up_damping()
        for label in (self.note, self.whole):
            label.setWordWrap(True)
        fields = vbox(
            self._damping_line(),
            FieldLine((_TARGET, self.target, "h")),
            FieldLine(("Half-life", self.half_life, "d"), (AHEAD, self.until, "wk")),
            self.whole,
            self.note,
            FieldLine(("Usage now", self.usage, "core-h")),
            FieldLine((WISHED, self.wished, self.reached)),
            margins=(12, 0, 12, 8),
            spacing=5,
        )
        vbox((self.table, 1), fields, on=self, spacing=6)

    def _set_up_damping(self) -> None:
        self.damping.setFixedWidth(84)
        self.slider.setRange(*_SLIDER)
        self.slider.setPageStep(_STEPS // 4)
        self.slider.setAccessibleName(self.damping.accessibleName())
        self.slider.setToolTip(_TIP_OF_D)

    def _damping_line(self) -> QHBoxLayout:
        label = PlainLabel("Dampening d", self, font=tabular_font(), buddy=self.damping)
        return hbox(label, (self.slider, 1), self.damping, spacing=8)

    def sizeHint(self) -> QSize:
        return QSize(284, super().sizeHint().height())


class OnePage(QWidget):
    """Follows the form at once: it is a matter of a millisecond. Signals: changed() with other figures."""

    changed = Signal()

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self.form = OneForm(OneUser.from_json(preferences.value(_KEY, {})))
        self.plots = ForecastPlots(self)
        vbox(side_by_side(self.plots, scrolling(self.form)), on=self)
        self.form.changed.connect(self._on_asked)
        self.plots.changed.connect(self.changed)
        self._show()

    @Slot()
    def _on_asked(self) -> None:
        self._preferences.set_value(_KEY, self.form.asked.to_json())
        self._show()

    def _show(self) -> None:
        found = look(self.form.asked)
        self.form.show_reached(found.reached_s)
        self.plots.show_figures(figures_of(found), found.asked.jobs, found.asked.until_s)


def reached_words(reached_s: float) -> str:
    """Return in words when a wanted fairshare is reached for good."""
    if math.isinf(reached_s):
        return "never in this forecast"
    return f"after {length_words(reached_s)}, for good" if reached_s else "now, for good"


def wish(text: str) -> float | None:
    """Return a fairshare that is wished for, or nothing."""
    return optional(text, 0, 1, "0.5")
