"""The Control panel: block diagram, redistribution plot and step response of the selected node."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from fsconsole.console.insight.asked import Asked
from fsconsole.console.insight.diagram_view import DiagramView
from fsconsole.console.insight.fair_view import FairPanel
from fsconsole.console.insight.pair import Pair
from fsconsole.console.insight.step_panel import StepPanel
from fsconsole.console.look.fonts import tabular_font
from fsconsole.console.look.theme import colour, theme
from fsconsole.console.session import ConsoleSession
from fsconsole.console.table_pace import TablePace
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.dock import DockHeader
from fsconsole.machine.insight.control import Control

_FAIR_PX = 260


class ControlPanel(QWidget):
    """The running policy as a control system; it asks four times a second while it is seen.

    Attributes:
        pages: chooses diagram or step response; it is for the dock's header.
        told: called with words for the dock's header: the policy and whom the diagram shows.
    """

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.pair = Pair(session, self)
        self.control: Control | None = None
        self.told: Callable[[str], None] = lambda _words: None
        self.pages = SegmentedButtons((("diagram", "Block diagram"), ("step", "Step response")), "Show", self)
        self.diagram = DiagramView(self)
        self.fair = FairPanel(session, self)
        self.step = StepPanel(session, self.pair, self)
        self._warning = QLabel(self)
        self._stack = QStackedWidget(self)
        self._asked = Asked(self)
        self._pace = TablePace()
        self._answered: object = None
        self._lay_out()
        session.frame.connect(self._heed_frame)
        self.pair.changed.connect(self._ask_again)
        theme().changed.connect(self._colour_warning)
        self._colour_warning()
        self.pages.chosen.connect(self._turn)
        self._asked.came.connect(self._show)
        self._asked.failed.connect(self._show_failure)

    @property
    def warning(self) -> str:
        """What may keep the policy from settling."""
        return self._warning.text()

    def _lay_out(self) -> None:
        now = QWidget(self)
        row = QHBoxLayout(now)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.diagram, 1)
        row.addWidget(self.fair)
        self.fair.setFixedWidth(_FAIR_PX)
        self._stack.addWidget(now)
        self._stack.addWidget(self.step)
        self._warning.setWordWrap(True)
        self._warning.setFont(tabular_font("table"))
        self._warning.setContentsMargins(12, 4, 12, 2)
        self._warning.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._warning)
        column.addWidget(self._stack, 1)

    @Slot(object)
    def _heed_frame(self) -> None:
        if self._pace.is_due(self._session.snapshot):
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Ask again where somebody sees it and something may have changed."""
        snapshot, target, node = self._session.snapshot, self._session.target, self.pair.first
        if not self.isVisible() or snapshot is None or target is None or self._asked.is_waiting:
            return
        question = (id(target), snapshot.tick, snapshot.tree_revision, node)
        if node is None or question == self._answered:
            return
        self._answered = question
        self._pace.keep()
        self._asked.ask(target.control(node))

    @Slot()
    def _ask_again(self) -> None:
        self._asked.forget()
        self._answered = None
        self.refresh()

    @Slot(object)
    def _show(self, control: Control) -> None:
        self.control = control
        self.diagram.show_diagram(control.diagram)
        self.fair.show_line(control.fair_line)
        self.step.show_control(control)
        told = f"Warning: {'. '.join(control.warnings)}." if control.warnings else ""
        self._warning.setText(told)
        self._warning.setVisible(bool(control.warnings))
        self.told(f"{control.title}: {control.diagram.about}")
        self.refresh()

    @Slot(str)
    def _show_failure(self, reason: str) -> None:
        self.control = None
        self.diagram.show_diagram(None)
        self.fair.show_line(None)
        self.told(reason)

    @Slot()
    def _colour_warning(self) -> None:
        palette = self._warning.palette()
        palette.setColor(QPalette.ColorRole.WindowText, colour("warn"))
        self._warning.setPalette(palette)

    @Slot(object)
    def _turn(self, page: str) -> None:
        self._stack.setCurrentIndex(0 if page == "diagram" else 1)

    def sizeHint(self) -> QSize:
        """As high as the process table."""
        return QSize(900, 200)

    def minimumSizeHint(self) -> QSize:
        """The least that can be read."""
        return QSize(560, 112)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up."""
        super().showEvent(event)
        self.refresh()


def control_in(header: DockHeader, session: ConsoleSession, parent: QWidget) -> ControlPanel:
    """A panel whose policy and whose choice of pages stand in a dock's header."""
    made = ControlPanel(session, parent)
    made.told = header.set_remark
    header.add_widget(made.pages)
    return made
