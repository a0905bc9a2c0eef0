"""The figures of an experiment, one tab each, with the values under the pointer below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from fsconsole.console.figure_view import FigureView
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.tabs import PageTabs
from fsconsole.figures.spec import FigureSpec
from fsconsole.text.words import capitalised

_LINE_PX = 18
_VALUES_IN_LINE = 8


class FigureTabs(QWidget):
    """Tabs of figures. Signals: changed() when another figure is shown, or none."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = PageTabs("Figures", self)
        self._views = QStackedWidget(self)
        self._values = MutedLabel("", self, wraps=True)
        self._values.setContentsMargins(12, 0, 12, 4)
        vbox(self.bar, (self._views, 1), self._values, on=self)
        self.bar.currentChanged.connect(self._show)

    @property
    def view(self) -> FigureView | None:
        """The view of the figure shown."""
        shown = self._views.currentWidget()
        return shown if isinstance(shown, FigureView) else None

    @property
    def spec(self) -> FigureSpec | None:
        """Figure in front; None for none."""
        return self.view.spec if self.view is not None else None

    def show_figures(self, specs: Sequence[FigureSpec]) -> None:
        """Show other figures; the same place among the tabs stays in front if there is one."""
        place = max(0, self.bar.currentIndex())
        with QSignalBlocker(self.bar):
            while self.bar.count():
                self.bar.removeTab(0)
            while (old := self._views.widget(0)) is not None:
                self._views.removeWidget(old)
                old.deleteLater()
            for spec, words in zip(specs, tab_words([spec.title for spec in specs]), strict=True):
                self._add(spec, words)
            self.bar.setCurrentIndex(min(place, len(specs) - 1))
        self.bar.setVisible(bool(specs))
        self._show(self.bar.currentIndex())

    def _add(self, spec: FigureSpec, words: str) -> None:
        tab = self.bar.addTab(words)
        self.bar.setTabToolTip(tab, spec.title)
        view = FigureView(spec, self)
        view.pointed.connect(self._values.setText)
        self._views.addWidget(view)

    @Slot(int)
    def _show(self, index: int) -> None:
        self._views.setCurrentIndex(index)
        self._values.setText("")
        curves = len(self.spec.curves) if self.spec is not None else 0
        # Reserve room for all values, so that the figure keeps its size when the cursor appears.
        self._values.setMinimumHeight(_LINE_PX * (1 + curves // _VALUES_IN_LINE) + 4)
        self.changed.emit()


def tab_words(titles: Sequence[str]) -> list[str]:
    """Return titles of figures without their numbers; where two titles are the same, with them."""
    parts = [title.partition(": ") for title in titles]
    whats = [what or number for number, _, what in parts]
    return [
        _capitalised(what) if whats.count(what) == 1 else title
        for what, title in zip(whats, titles, strict=True)
    ]


def _capitalised(words: str) -> str:
    return capitalised(words)
