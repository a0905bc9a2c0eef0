"""The Control panel: block diagram, redistribution plot and step response of the selected node."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from fsconsole.console.insight.diagram_view import DiagramView
from fsconsole.console.insight.fair_view import FairPanel
from fsconsole.console.insight.paced_query import PacedQuery
from fsconsole.console.insight.pair import Pair
from fsconsole.console.insight.step_panel import StepPanel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.dock import DockHeader
from fsconsole.console.widgets.labels import InkLabel
from fsconsole.machine.insight.control import Control

_FAIR_PX = 260


class ControlPanel(QWidget):
    """The running policy as a control system; it queries four times a second while it is visible.

    Attributes:
        pages: chooses diagram or step response; it is for the dock's header.
        on_policy_changed: called with words for the dock's header: the policy and whom the diagram shows.
    """

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.pair = Pair(session, self)
        self.control: Control | None = None
        self.on_policy_changed: Callable[[str], None] = lambda _words: None
        self.pages = SegmentedButtons((("diagram", "Block diagram"), ("step", "Step response")), "Show", self)
        self.diagram = DiagramView(self)
        self.fair = FairPanel(session, self)
        self.step = StepPanel(session, self.pair, self)
        self._warning = InkLabel(self)
        self._stack = QStackedWidget(self)
        self._query = PacedQuery(
            session, self, lambda: self.pair.first, self._question, self._show, self._show_failure
        )
        self._build_ui()
        self.pair.changed.connect(self._on_pair_changed)
        session.document_changed.connect(self._clear)
        self.pages.chosen.connect(self._turn)

    @property
    def warning(self) -> str:
        """What may keep the policy from settling."""
        return self._warning.text()

    def _build_ui(self) -> None:
        now = QWidget(self)
        hbox((self.diagram, 1), self.fair, on=now, spacing=INHERIT)
        self.fair.setFixedWidth(_FAIR_PX)
        self._stack.addWidget(now)
        self._stack.addWidget(self.step)
        self._warning.setFont(tabular_font("table"))
        self._warning.setContentsMargins(12, 4, 12, 2)
        self._warning.hide()
        vbox(self._warning, (self._stack, 1), on=self)

    @Slot()
    def refresh(self) -> None:
        """Query again if the panel is visible and the target may have changed."""
        self._query.refresh()

    def _question(self) -> Future[Control] | None:
        node, session = self.pair.first, self._session
        if node is None or session.machine is None:
            return None
        return session.machine.control(node, at=session.snapshot if session.past.is_on else None)

    @Slot()
    def _on_pair_changed(self) -> None:
        if self.pair.first is None:
            self._clear()
        self._query.ask_again()

    @Slot()
    def _clear(self) -> None:
        """Show nothing of a tree that is closed."""
        self._query.forget()
        self._show_failure("")

    def _show(self, control: Control) -> None:
        self.control = control
        self.diagram.show_diagram(control.diagram)
        self.fair.show_line(control.fair_line)
        self.step.show_control(control)
        warning = f"Warning: {'. '.join(control.warnings)}." if control.warnings else ""
        self._warning.say(warning, "warn")
        self.on_policy_changed(f"{control.title}: {control.diagram.about}")
        self.refresh()

    def _show_failure(self, reason: str) -> None:
        self.control = None
        self.diagram.show_diagram(None)
        self.fair.show_line(None)
        self._warning.hide()
        self.on_policy_changed(reason)

    @Slot(object)
    def _turn(self, page: str) -> None:
        self._stack.setCurrentIndex(0 if page == "diagram" else 1)

    def sizeHint(self) -> QSize:
        return QSize(900, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(480, 112)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()


def control_in(header: DockHeader, session: ConsoleSession, parent: QWidget) -> ControlPanel:
    """Return a panel whose policy and choice of pages are in a dock's header."""
    made = ControlPanel(session, parent)
    made.on_policy_changed = header.set_remark
    header.add_widget(made.pages)
    return made
