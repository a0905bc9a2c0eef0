"""The choice of plots in the export dialog: one figure of one or several of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from fsconsole.console.kit.forms import SwitchField
from fsconsole.figures.spec import FigureSpec


class PlotChoice:
    """Which plots are exported, and the figure of them.

    Attributes:
        titles: of all that can be chosen, by name, from the top.
        chosen: names of those that are, in the same order.
    """

    def __init__(
        self,
        titles: Mapping[str, str],
        chosen: Sequence[str],
        figure_of: Callable[[Sequence[str]], FigureSpec | None],
    ) -> None:
        """Begin with some of the plots; `figure_of` gives one figure of several."""
        self.titles, self._figure_of = titles, figure_of
        self.chosen = tuple(chosen)
        first = figure_of(self.chosen)
        if first is None:
            msg = "all plots are hidden. Show a plot to export it"
            raise ValueError(msg)
        self._figure = first

    def figure(self) -> FigureSpec:
        """Return the figure of what is chosen; the last one where its plots are gone with their target."""
        return self._figure

    def choose(self, chosen: Sequence[str]) -> bool:
        """Choose others; whether there is a figure of them."""
        names = tuple(name for name in self.titles if name in chosen)
        figure = self._figure_of(names) if names else None
        if figure is None:
            return False
        self.chosen, self._figure = names, figure
        return True


class PlotPicker(QWidget):
    """A switch for each plot, one of which is on at least. Signals: changed()."""

    changed = Signal()

    def __init__(self, choice: PlotChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = choice
        self.switches = {name: SwitchField(title, self) for name, title in choice.titles.items()}
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(8)
        layout.setVerticalSpacing(4)
        for number, (name, switch) in enumerate(self.switches.items()):
            switch.setChecked(name in choice.chosen)
            switch.toggled.connect(partial(self._on_toggled, name))
            layout.addWidget(switch, number // 2, number % 2, Qt.AlignmentFlag.AlignLeft)

    def _on_toggled(self, name: str, _is_on: bool) -> None:
        chosen = [one for one, switch in self.switches.items() if switch.isChecked()]
        if self._choice.choose(chosen):
            self.changed.emit()
        else:  # The last plot stays visible.
            self.switches[name].setChecked(True)
