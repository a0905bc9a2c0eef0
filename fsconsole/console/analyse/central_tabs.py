"""The middle of Analyse: study, experiment, comparison and, in a low window, the forecast, behind tabs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QDockWidget, QStackedWidget, QWidget

from fsconsole.console.style.plain_words import menu_words
from fsconsole.console.style.sizes import scaled
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.tabs import PageTabs

_MOST_PX = 360  # Width of a tab.
STUDY, EXPERIMENT, COMPARE, FORECAST, SEARCH = range(5)
_TITLES = ("Study", "Experiment", "Compare", "Forecast", "Search")


class Placeholder(QWidget):
    """Holds a widget that comes later."""

    def __init__(self) -> None:
        super().__init__()
        vbox(on=self)

    def hold(self, widget: QWidget) -> None:
        """Show the widget in this place."""
        layout = self.layout()
        if layout is not None:
            layout.addWidget(widget)


class StashedDocks:
    """Docks that are hidden while something else needs their room; docks closed by the user stay closed."""

    def __init__(self, docks: Sequence[QDockWidget]) -> None:
        self._docks = docks
        self._away: tuple[QDockWidget, ...] = ()

    @property
    def are_stashed(self) -> bool:
        """Whether any dock is hidden."""
        return bool(self._away)

    def stash(self, *, is_wanted: bool) -> None:
        """Put the docks away, or give them back."""
        if not is_wanted:
            self.restore()
        elif not self._away:
            self._away = tuple(dock for dock in self._docks if not _is_closed(dock))
            for dock in self._away:
                dock.hide()

    def restore(self) -> None:
        """Show the hidden docks again."""
        away, self._away = self._away, ()
        for dock in away:
            dock.show()

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Restore all docks within a `with` block, and stash them again afterwards."""
        were_stashed = bool(self._away)
        self.restore()
        try:
            yield
        finally:
            self.stash(is_wanted=were_stashed)


class RestingDocks(StashedDocks):
    """Docks that are hidden until the user opens them; an opened one stays open the next time."""

    def __init__(self, docks: Sequence[QDockWidget]) -> None:
        super().__init__(docks)
        self._opened: tuple[QDockWidget, ...] = ()

    def stash(self, *, is_wanted: bool) -> None:
        """Hide the docks except those that the user opened, or show them again."""
        were_stashed = self.are_stashed
        super().stash(is_wanted=is_wanted)
        if self.are_stashed and not were_stashed:
            for dock in self._opened:
                dock.show()

    def restore(self) -> None:
        """Show the hidden docks again."""
        if self.are_stashed:
            self._opened = tuple(dock for dock in self._away if not dock.isHidden())
        super().restore()


def _is_closed(dock: QDockWidget) -> bool:
    """Return True if a dock was hidden, not merely never shown yet."""
    return dock.isHidden() and dock.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)


class NameTabs(PageTabs):
    """Tabs of names: a long one loses its middle, and its tooltip has it whole."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(name, parent)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)

    def show_name(self, place: int, name: str) -> None:
        """Show a name on a tab."""
        self.setTabText(place, menu_words(name))
        self.setTabToolTip(place, name)

    def tabSizeHint(self, place: int) -> QSize:
        return super().tabSizeHint(place).boundedTo(QSize(scaled(_MOST_PX), self.maximumHeight()))


class CentralTabs(QWidget):
    """Pages behind tabs. Signals: turned(place) when another has come to the front."""

    turned = Signal(int)

    def __init__(self, pages: Sequence[QWidget], parent: QWidget | None = None) -> None:
        """`pages` are those of study, experiment, comparison, forecast and search."""
        super().__init__(parent)
        self._there: set[int] = set()
        self.bar = NameTabs("Study, experiment, comparison, forecast or search", self)
        self._stack = QStackedWidget(self)
        for title, page in zip(_TITLES, pages, strict=True):
            self.bar.addTab(title)
            self._stack.addWidget(page)
        self.bar.setCurrentIndex(EXPERIMENT)
        self._stack.setCurrentIndex(EXPERIMENT)
        self._fit_bar()
        vbox(self.bar, (self._stack, 1), on=self)
        self.bar.currentChanged.connect(self._turn)

    @property
    def shown(self) -> int:
        """The page in front."""
        return self._stack.currentIndex()

    def turn(self, place: int) -> None:
        """Bring a page to the front."""
        self.bar.setCurrentIndex(place)

    def show_study(self, name: str) -> None:
        """Name the study; empty where there is none, and then it has no tab."""
        self.bar.show_name(STUDY, name or _TITLES[STUDY])
        self._offer(STUDY, is_there=bool(name))

    def show_search(self, name: str) -> None:
        """Name the search; empty where there is none, and then it has no tab."""
        self.bar.show_name(SEARCH, name or _TITLES[SEARCH])
        self._offer(SEARCH, is_there=bool(name))

    def show_forecast(self, *, is_there: bool) -> None:
        """Give the forecast a tab, or take it away."""
        self._offer(FORECAST, is_there=is_there)

    def name_experiment(self, name: str) -> None:
        """Show the experiment's name on its tab."""
        self.bar.show_name(EXPERIMENT, name or _TITLES[EXPERIMENT])

    def _offer(self, place: int, *, is_there: bool) -> None:
        if is_there:
            self._there.add(place)
        else:
            self._there.discard(place)
            if self.shown == place:
                self.turn(EXPERIMENT)
        self._fit_bar()

    def _fit_bar(self) -> None:
        """Show tabs only beside further pages: experiment and comparison alone have docks."""
        for place in (STUDY, FORECAST, SEARCH):
            self.bar.setTabVisible(place, place in self._there)
        self.bar.setVisible(bool(self._there))

    @Slot(int)
    def _turn(self, place: int) -> None:
        self._stack.setCurrentIndex(place)
        self.turned.emit(place)
