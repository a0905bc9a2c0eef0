"""The study in the middle of Analyse: its pages behind tabs, what it is of, and Export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QStackedWidget,
    QToolButton,
    QWidget,
)

from fsconsole.console.analyse.study.fair_starts import FairStarts
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.files.questions import Questions
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.console.widgets.tabs import PageTabs
from fsconsole.figures.spec import FigureSpec
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    from fsconsole.batch.study.plan import Source

_ROOMY_PX = 900
_SPACING_PX = 8
_LEAST_FACTS_PX = 40
# Fraction of the jobs from which jobs left out are mentioned. Smaller fractions appear only in the tooltip.
_MUCH = 0.01


@runtime_checkable
class ExportsItself(Protocol):
    """A page without figures or tables, which writes files of its own."""

    @property
    def has_something_to_export(self) -> bool:
        """Whether there is anything."""
        ...

    def export(self, questions: Questions) -> None:
        """Ask for a file and write it."""
        ...


@dataclass(frozen=True, slots=True)
class PageKind:
    """A page: its tab's words, the class (module:name) that is made with (selection, parent), its tooltip."""

    id: str
    title: str
    made_by: str
    tip: str

    def make(self, selection: StudySelection, parent: QWidget) -> QWidget:
        """Make the page of this kind."""
        module, _, name = self.made_by.partition(":")
        return cast("QWidget", getattr(import_module(module), name)(selection, parent))


_HERE = "fsconsole.console.analyse.study"
PAGES: Sequence[PageKind] = (
    PageKind("overview", "Overview", f"{_HERE}.overview:Overview", "Measures, deviations and the table"),
    PageKind(
        "figures", "Figures", f"{_HERE}.figures_page:FiguresPage", "Figs. 1 to 4 of the paper for this study"
    ),
    PageKind("tables", "Tables", f"{_HERE}.tables_page:TablesPage", "Tables of the paper for this study"),
    PageKind(
        "users", "Users", f"{_HERE}.user_page:UserPage", "Users who suffer, and why; days and jobs of a user"
    ),
    PageKind("machine", "Machine", f"{_HERE}.gantt_page:GanttPage", "Jobs on nodes over time, reservations"),
    PageKind("compare", "Job by job", f"{_HERE}.jobs_page:ComparePage", "Two schedules compared job by job"),
    PageKind("why", "Why", f"{_HERE}.why_page:WhyPage", "Reason why a job has not started at a time"),
)


class StudyPage(QWidget):
    """Tabs over the pages. Signals: changed() when another page is in front, export_wanted()."""

    changed = Signal()
    export_wanted = Signal()

    def __init__(
        self, selection: StudySelection, parent: QWidget | None = None, pages: tuple[PageKind, ...] = ()
    ) -> None:
        """`pages` are those of the registry unless given."""
        super().__init__(parent)
        self.setFont(tabular_font())  # Docks use this font too.
        self._selection = selection
        self.kinds = tuple(pages or PAGES)
        self._made: dict[str, QWidget] = {}
        self.bar = PageTabs("Pages of the study", self)
        self.export = QToolButton(self)
        self.user = QToolButton(self)
        self.fair_starts = FairStarts(self)
        self._facts = ElidedLabel(self, Qt.AlignmentFlag.AlignRight)
        self._below = QWidget(self)
        self._stack = QStackedWidget(self)
        self._build_ui()
        self.bar.currentChanged.connect(self._turn)
        self.export.clicked.connect(self.export_wanted)
        self.user.clicked.connect(self._forget_user)
        selection.user_selected.connect(self._show_user)
        selection.study_changed.connect(self._renew)
        for signal in (selection.study_changed, selection.results_changed, selection.cell_selected):
            signal.connect(self._refresh)
        self._turn(0)
        self._refresh()

    @property
    def shown(self) -> str:
        """Id of the page in front."""
        return self.kinds[self.bar.currentIndex()].id

    @property
    def facts(self) -> str:
        """What the study is of."""
        return self._facts.text()

    def page(self, page_id: str) -> QWidget:
        """Return a page, made now if it was not seen since the study was opened."""
        if page_id not in self._made:
            kind = next(kind for kind in self.kinds if kind.id == page_id)
            made = self._made[page_id] = kind.make(self._selection, self)
            self._stack.addWidget(made)
            if hasattr(made, "changed"):
                made.changed.connect(self.changed)
            if hasattr(made, "page_wanted"):
                made.page_wanted.connect(self.show_page)
        return self._made[page_id]

    @Slot(str)
    def show_page(self, page_id: str) -> None:
        """Bring a page to the front."""
        self.bar.setCurrentIndex([kind.id for kind in self.kinds].index(page_id))

    @property
    def current_figure(self) -> FigureSpec | None:
        """The figure of the page in front that Export is about."""
        found: FigureSpec | None = getattr(self.page(self.shown), "current_figure", None)
        return found

    # -- inside -------------------------------------------------------------------------------------------

    @Slot(int)
    def _turn(self, _place: int) -> None:
        self._stack.setCurrentWidget(self.page(self.shown))
        self.changed.emit()

    @Slot()
    def _renew(self) -> None:
        """Remove all pages when the study changes, so that nothing of the last study is left on one."""
        old = list(self._made.values())
        self._made.clear()
        for page in old:
            page.hide()
            self._stack.removeWidget(page)
            page.deleteLater()
        self._turn(self.bar.currentIndex())

    @Slot()
    def _refresh(self) -> None:
        self._facts.setText(self._words())
        source = self._source()
        self._facts.setToolTip("\n".join([self._words(), *(source.report if source is not None else ())]))

    @Slot()
    def _show_user(self) -> None:
        """Name the user who is marked on all pages."""
        user = self._selection.user
        self.user.setText(f"#{user} \N{MULTIPLICATION SIGN}")
        self.user.setAccessibleName(f"User #{user} is marked. Clear the mark")
        self.user.setVisible(bool(user))
        self._arrange()
        if (layout := self.layout()) is not None:
            layout.activate()  # The adjacent text gets its width immediately.

    @Slot()
    def _forget_user(self) -> None:
        self._selection.select_user("")

    def _source(self) -> Source | None:
        """Return the source of the selected run's jobs, with the report on reading them."""
        cell, folder = self._selection.cell, self._selection.folder
        return folder.plan.sources.get(cell.source) if cell is not None and folder is not None else None

    def _words(self) -> str:
        """Return workload, jobs and nodes of the selected run in words."""
        state, cell = self._selection.state, self._selection.cell
        if state is None:
            return ""
        if cell is None:
            return state.name
        jobs = state.numbers.spread(cell.workload, cell.policy.label, "jobs")
        many = f"{thousands(jobs.mean)} jobs, " if jobs.is_known else ""
        source = self._source()
        is_much = source is not None and jobs.is_known and source.dropped >= _MUCH * jobs.mean
        left_out = f", {thousands(source.dropped)} left out" if source is not None and is_much else ""
        words = f"{cell.workload}, {many}{thousands(cell.cluster_nodes)} nodes{left_out}"
        return f"{words}. {source.not_modelled}" if source is not None and source.not_modelled else words

    def _build_ui(self) -> None:
        for kind in self.kinds:
            self.bar.setTabToolTip(self.bar.addTab(kind.title), kind.tip)
        self.export.setText("Export…")
        self.export.setAccessibleName("Export the figure or table shown")
        self.export.setToolTip("Export the figure or table shown (Ctrl+E)")
        put_icon(self.export, "export")
        self.export.setAutoRaise(True)
        self.export.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        put_icon(self.user, "user")
        self.user.setToolTip("This user is marked on all pages. Click to clear the mark.")
        self.user.setAutoRaise(True)
        self.user.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.user.hide()
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        self._head = hbox(
            self.bar, (self._facts, 1), self.user, self.export, margins=(0, 0, 6, 1), spacing=_SPACING_PX
        )
        self._line = hbox(1, on=self._below, margins=(0, 0, 6, 1))
        vbox(self._head, self._below, self.fair_starts.strip, (self._stack, 1), on=self)
        self._below.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the marked user below the tabs where the tabs would be cut."""
        style = Qt.ToolButtonStyle
        words = style.ToolButtonTextBesideIcon if self.width() >= _ROOMY_PX else style.ToolButtonIconOnly
        self.export.setToolButtonStyle(words)
        is_marked = not self.user.isHidden()
        beside = (self.export, self.user) if is_marked else (self.export,)
        spare_px = self.width() - self.bar.sizeHint().width() - 2 * _SPACING_PX
        spare_px -= sum(button.sizeHint().width() + _SPACING_PX for button in beside)
        is_below = is_marked and spare_px < 0
        if is_below != (self._line.indexOf(self.user) >= 0):
            if is_below:
                self._line.addWidget(self.user)
            else:
                self._head.insertWidget(self._head.indexOf(self.export), self.user)
            self.user.setVisible(is_marked)  # Another parent hides it.
        self._below.setVisible(is_below)
        self._facts.setVisible(spare_px > _LEAST_FACTS_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            head = self.rect().adjusted(0, 0, 0, self._stack.y() - self.height())
            painter.fillRect(head, colour("raised"))
