"""The page of one user: plots at the left, what they are of at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from fsconsole.app.forecast.one_figures import figures_of
from fsconsole.app.forecast.one_user import OneUser, look
from fsconsole.console.analyse.forecast.one_form import OneForm
from fsconsole.console.analyse.forecast.plots import ForecastPlots
from fsconsole.console.preferences import Preferences
from fsconsole.console.widgets.scrolling import scrolling

KEY = "forecast/one"
SIDE_PX = 300


class OnePage(QWidget):
    """Follows the form at once: it is a matter of a millisecond. Signals: changed() with other figures."""

    changed = Signal()

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self.form = OneForm(OneUser.from_json(preferences.value(KEY, {})))
        self.plots = ForecastPlots(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(side_by_side(self.plots, scrolling(self.form)))
        self.form.changed.connect(self._follow)
        self.plots.changed.connect(self.changed)
        self._show()

    @Slot()
    def _follow(self) -> None:
        self._preferences.set_value(KEY, self.form.asked.to_json())
        self._show()

    def _show(self) -> None:
        found = look(self.form.asked)
        self.form.show_reached(found.reached_s)
        self.plots.show_figures(figures_of(found), found.asked.jobs, found.asked.until_s)


def side_by_side(plots: QWidget, side: QWidget) -> QSplitter:
    """Plots, and at the right what they are of, as wide as a person likes."""
    parts = QSplitter(Qt.Orientation.Horizontal)
    for part in (plots, side):
        parts.addWidget(part)
    side.setMinimumWidth(SIDE_PX - 20)
    plots.setMinimumWidth(260)
    parts.setSizes([2 * SIDE_PX, SIDE_PX])
    parts.setStretchFactor(0, 1)
    parts.setStretchFactor(1, 0)
    parts.setHandleWidth(1)
    parts.setChildrenCollapsible(False)
    return parts
