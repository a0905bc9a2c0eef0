"""The whole forecast: one user, a cluster or a simulated machine, and the content of the header."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from fsconsole.app.forecast.entry import number, plain
from fsconsole.console.analyse.forecast.cluster_page import ClusterPage
from fsconsole.console.analyse.forecast.machine_page import MachinePage, can_forecast
from fsconsole.console.analyse.forecast.one_form import OnePage
from fsconsole.console.analyse.forecast.plots import ForecastPlots
from fsconsole.console.cluster.session import CLUSTER as OPEN_CLUSTER
from fsconsole.console.figure_view import PX_PER_INCH, copy_figure
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.forms import FaultLabel, name_fault
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import icons
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.figures.spec import FigureSpec
from fsconsole.slurm.damping import MOST_WHOLE

ONE, CLUSTER, MACHINE = "one", "cluster", "machine"
KEY = "forecast/mode"
_NONE = "none"
_OFFERED = (_NONE, "0.5", "2", "5", "10")
_WIDTH_PX = 76


class CompareBox(QWidget):
    """None, one of those offered, or one that is typed. Signals: chosen(d), None for none."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QComboBox(self)
        self.fault = FaultLabel()
        self.box.setEditable(True)
        self.box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.box.addItems(_OFFERED)
        self.box.setFixedWidth(_WIDTH_PX)
        self.box.setAccessibleName("Compare with dampening factor d")
        self.box.setToolTip("Second dampening factor at the same mean usage: none, or a number such as 2")
        hbox(MutedLabel("Compare d =", self), self.box, on=self, spacing=6)
        self.box.editTextChanged.connect(self._on_typed)

    def show_damping(self, damping: float | None) -> None:
        """Show another one, without a signal."""
        with QSignalBlocker(self.box):
            self.box.setEditText(_NONE if damping is None else plain(damping))
        self._show_fault("")

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        try:
            damping = None if text.strip() in ("", _NONE) else number(text, 0, MOST_WHOLE, "2", above=True)
        except ValueError as error:
            self._show_fault(name_fault("Compare", f"{error}, or none"))
            return
        self._show_fault("")
        self.chosen.emit(damping)

    def _show_fault(self, fault: str) -> None:
        self.fault.say(fault)
        for widget in (self.box, *self.box.findChildren(QLineEdit)):
            set_look(widget, "error" if fault else "")


class ForecastPanel(QWidget):
    """Pages of one user, of a cluster and of a simulated machine. Signals: changed() with other figures."""

    changed = Signal()

    def __init__(self, session: ConsoleSession, questions: Questions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._questions = session, questions
        self.mode = SegmentedButtons(
            ((ONE, "One user"), (CLUSTER, "Cluster"), (MACHINE, "Machine")), "Forecast of"
        )
        self.compare, self.export_button = CompareBox(), QToolButton()
        self.one = OnePage(session.preferences, self)
        self._cluster: ClusterPage | None = None
        self._machine: MachinePage | None = None
        self._of: object = None
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.one)
        self._outs: list[tuple[QAction, str]] = []
        self.head = self._made_head()
        self._name_outs()
        self.compare.fault.setContentsMargins(12, 2, 12, 2)
        vbox(self.compare.fault, (self._stack, 1), on=self)
        self.compare.show_damping(self.one.form.asked.compared)
        self.compare.chosen.connect(self.one.form.compare)
        self.one.changed.connect(self.changed)
        self.mode.chosen.connect(self._on_mode)
        session.target_changed.connect(self._on_target)
        remembered = session.preferences.value(KEY, ONE)
        self.mode.choose(remembered if remembered in (ONE, CLUSTER, MACHINE) else ONE)

    def suit(self) -> None:
        """Turn to what is open, once for each document: a cluster, or a simulated machine."""
        session = self._session
        opened = session.document or session.target
        if opened is None or self._of is opened:
            return
        self._of = opened
        if session.offer(OPEN_CLUSTER) is not None:
            self.mode.choose(CLUSTER)
        elif can_forecast(session):
            self.mode.choose(MACHINE)

    @property
    def cluster(self) -> ClusterPage:
        """The page of a cluster, made when it is first wanted."""
        if self._cluster is None:
            made = self._cluster = ClusterPage(self._session, self._questions, self)
            self._stack.addWidget(made)
            made.changed.connect(self.changed)
        return self._cluster

    @property
    def machine(self) -> MachinePage:
        """The page of a simulated machine, made when it is first wanted."""
        if self._machine is None:
            made = self._machine = MachinePage(self._session, self)
            self._stack.addWidget(made)
            made.changed.connect(self.changed)
        return self._machine

    @property
    def page(self) -> OnePage | ClusterPage | MachinePage:
        """The page in front."""
        if self.mode.value == CLUSTER:
            return self.cluster
        return self.machine if self.mode.value == MACHINE else self.one

    @property
    def plots(self) -> ForecastPlots:
        """The plots of the page in front."""
        return self.page.plots

    @property
    def words(self) -> str:
        """What the forecast is of, for the header."""
        if self.mode.value == MACHINE:
            return "a copy of the simulated machine"
        if self.mode.value != CLUSTER:
            return "one user, classic fairshare"
        cluster = self.cluster.form.cluster
        is_fair_tree = cluster is not None and cluster.is_fair_tree
        return "a cluster, Fair Tree" if is_fair_tree else "a cluster, classic fairshare"

    def take_focus(self) -> None:
        """Put the focus where typing begins."""
        page = self.page
        if isinstance(page, ClusterPage | MachinePage):
            page.form.node.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            view = self.one.form.table.view
            if not view.currentIndex().isValid():
                view.setCurrentIndex(view.model().index(0, 1))
            view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def export(self, spec: FigureSpec | None = None) -> None:
        """Write a figure, else the one that had the focus last, to files."""
        chosen = spec or self.plots.current
        if chosen is None:
            return
        from fsconsole.console.export_dialog import ExportDialog

        dialog = ExportDialog(lambda: chosen, self.window(), preferences=self._session.preferences)
        dialog.message.connect(self._session.message)
        dialog.open()

    def copy(self, spec: FigureSpec | None = None) -> None:
        """Put a figure on the clipboard, as it is on paper."""
        chosen = spec or self.plots.current
        if chosen is not None:
            copy_figure(chosen, self.plots.paper_style(), 2 * PX_PER_INCH)
            self._session.message.emit(f"Copied {chosen.title}")

    def end(self) -> None:
        """Stop all calculations, because the window closes."""
        for page in (self._cluster, self._machine):
            if page is not None:
                page.end()

    @Slot()
    def _on_target(self) -> None:
        if self.isVisible():
            self.suit()

    @Slot(object)
    def _on_mode(self, mode: str) -> None:
        focused, before = QApplication.focusWidget(), self._stack.currentWidget()
        has_focus = focused is not None and before.isAncestorOf(focused)
        if has_focus:
            self.mode.setFocus()  # Otherwise a plot gets the focus, and Export would then refer to that plot.
        self._stack.setCurrentWidget(self.page)
        if has_focus:
            self.take_focus()
        self.compare.setVisible(mode == ONE)
        self._name_outs()
        self._session.preferences.set_value(KEY, mode)
        self.changed.emit()

    def _made_head(self) -> QWidget:
        """Return the content of the dock's header, or of the space beside the tab."""
        menu = QMenu(self.export_button)
        for words, act in (("Export", self.export), ("Copy", self.copy)):
            for place in range(2):
                self._outs.append((menu.addAction("", partial(self._with_figure, act, -1 - place)), words))
        icons.put_icon(self.export_button, "export")
        self.export_button.setToolTip("Export or copy the forecast")
        self.export_button.setAccessibleName("Export or copy the forecast")
        self.export_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export_button.setAutoRaise(True)
        self.export_button.setMenu(menu)
        head = QWidget()
        hbox(self.compare, self.mode, self.export_button, on=head, spacing=8)
        return head

    def _name_outs(self) -> None:
        """Name the two plots of the page in front, the lower one first."""
        names = ("allocated shares", "parts") if self.mode.value == MACHINE else ("fairshare", "usage")
        for (action, words), name in zip(self._outs, 2 * names, strict=True):
            action.setText(f"{words} {name}{'…' if words == 'Export' else ''}")

    def _with_figure(self, act: Callable[[FigureSpec], object], place: int) -> None:
        if self.plots.figures:
            act(self.plots.figures[place])
