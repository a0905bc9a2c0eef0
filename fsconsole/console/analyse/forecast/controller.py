"""The forecast in Analyse: a dock below the middle, or a page in the middle where the window is low."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, QSize, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from fsconsole.console.actions import Action
from fsconsole.console.analyse.central_tabs import FORECAST, CentralTabs, Placeholder, StashedDocks
from fsconsole.console.files.questions import Questions
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, hbox, vbox
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT, Dock, DockBody
from fsconsole.console.widgets.lazy_widget import LazyWidget

if TYPE_CHECKING:
    from fsconsole.console.analyse.forecast.panel import ForecastPanel

LEAST_PX = (560, 200)
_LEAST = QSize(560, 170)  # Without the header.
_WORDS = "slurm forecast machine simulated fairshare usage sshare dampening half-life shares planned jobs"


class ForecastController(QObject):
    """Has one panel, made when it is first seen, and moves it between the dock and the middle.

    Signals: changed() when what can be done has changed.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._centre: CentralTabs | None = None
        self._is_wanted = False
        self._had_focus = False
        session.document_changed.connect(self._on_document)
        cast("QApplication", QApplication.instance()).focusChanged.connect(self._on_focus)
        self.questions = Questions(parent)
        self.lazy_panel: LazyWidget[ForecastPanel] = LazyWidget(self._make, _LEAST)
        self._in_dock, self._in_page, self._head_in_dock, self._head_in_page = (
            Placeholder() for _ in range(4)
        )
        self.dock = Dock("forecast", "Forecast", self._in_dock, parent)
        self.dock.setMinimumSize(*LEAST_PX)
        self.dock.header.add_widget(self._head_in_dock)
        self.page = self._made_page()
        self.stashed_docks = StashedDocks((self.dock,))
        self._is_low = False
        self._in_dock.hold(self.lazy_panel)

    @property
    def panel(self) -> ForecastPanel:
        """The panel, made now if it was not."""
        return self.lazy_panel.widget

    @property
    def is_page(self) -> bool:
        """Whether it is a page in the middle now."""
        return self.stashed_docks.are_stashed

    @property
    def is_wanted(self) -> bool:
        """Whether the user has opened it while no document was open."""
        return self._is_wanted

    @property
    def is_in_front(self) -> bool:
        """Whether it is the page in front, or the focus is in it: export and copy are about it."""
        return (self._centre is not None and self._centre.shown == FORECAST) or self.has_focus

    @property
    def has_focus(self) -> bool:
        """Whether it has the keyboard focus."""
        here = QApplication.focusWidget()
        return here is not None and self.lazy_panel.is_made and self._is_inside(here)

    @property
    def has_figure(self) -> bool:
        """Whether there is a figure to export."""
        return self.lazy_panel.is_made and self.panel.plots.current is not None

    def fit(self, *, low: bool) -> None:
        """Show it as a page in a low window, as a dock else; closed docks stay closed."""
        self._is_low = low
        self.stashed_docks.stash(is_wanted=low)
        is_page = self.stashed_docks.are_stashed
        (self._in_page if is_page else self._in_dock).hold(self.lazy_panel)
        if self.lazy_panel.is_made:
            (self._head_in_page if is_page else self._head_in_dock).hold(self.panel.head)
        if self._centre is not None:
            self._centre.show_forecast(is_there=is_page)

    def set_tabs(self, centre: CentralTabs) -> None:
        """Have the tabs in which its page is one."""
        self._centre = centre

    def want(self) -> None:
        """Want it, also where nothing is open; Welcome comes back once something was."""
        self._is_wanted = self._session.document is None

    def show(self) -> None:
        """Bring it to the front, with the focus where typing begins."""
        if not self.is_page:
            self.dock.show()
            self.fit(low=self._is_low)
        if not self.is_page:
            self.dock.set_collapsed(False)
            self.dock.raise_()
        elif self._centre is not None:
            self._centre.turn(FORECAST)
        self.panel.suit()
        self.panel.take_focus()

    def open_capture(self) -> None:
        """Ask for a capture to forecast from."""
        self.show()
        self.panel.mode.choose("cluster")
        self.panel.cluster.ask_capture()

    def export(self) -> None:
        """Write the figure that had the focus last to files."""
        self.panel.export()

    def copy(self) -> None:
        """Put that figure on the clipboard."""
        self.panel.copy()

    def actions(self, show: Action) -> list[Action]:
        """Return the user's actions, after the one that shows it."""
        menu, group = "Simulation", "forecast"
        return [
            show,
            Action(
                "forecast.open", "Forecast from sshare's output…", self.open_capture, menu=menu, group=group,
                tip="Read a file with the output of sshare -l -a -P", words=_WORDS,
            ),
            Action(
                "forecast.export", "Export forecast…", self.export, menu="File", group="exchange",
                enabled=lambda: self.has_figure, words=_WORDS, why_not=lambda: "Open the forecast first",
                tip="Export the last selected figure of the forecast, or its data",
            ),
        ]  # fmt: skip

    @Slot()
    def end(self) -> None:
        """Stop all calculations, because the window closes."""
        if self.lazy_panel.is_made:
            self.panel.end()

    def _make(self, parent: QWidget) -> ForecastPanel:
        from fsconsole.console.analyse.forecast.panel import ForecastPanel

        made = ForecastPanel(self._session, self.questions, parent)
        (self._head_in_page if self.is_page else self._head_in_dock).hold(made.head)
        made.changed.connect(self._on_changed)
        self.dock.header.set_remark(made.words)
        return made

    @Slot()
    def _on_document(self) -> None:
        self._is_wanted = False

    @Slot()
    def _on_focus(self) -> None:
        """Export is about the forecast while it has the focus."""
        if not isValid(self.lazy_panel):  # The window is closing.
            return
        has_focus = self.has_focus
        if has_focus is not self._had_focus:
            self._had_focus = has_focus
            self.changed.emit()

    @Slot()
    def _on_changed(self) -> None:
        self.dock.header.set_remark(self.panel.words)
        self.changed.emit()

    def _is_inside(self, widget: QWidget) -> bool:
        return self.lazy_panel.isAncestorOf(widget) or self.panel.head.isAncestorOf(widget)

    def _made_page(self) -> QWidget:
        page = QWidget()
        set_control_height(page, DOCK_CONTROL_HEIGHT)
        head = hbox(STRETCH, self._head_in_page, margins=(12, 4, 8, 4), spacing=INHERIT)
        vbox(head, (self._in_page, 1), on=page)
        return DockBody(page)
