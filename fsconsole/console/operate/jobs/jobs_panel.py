"""The jobs of the cluster with what finds them: typed terms, kinds of state, the selected node."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from fsconsole.app.jobs.columns import Bools, JobColumns, below
from fsconsole.app.jobs.filter import FilterError, Term, chosen, read_filter
from fsconsole.app.jobs.words import ICONS, MAY_HIDE_JOBS, TITLES
from fsconsole.console.connections import every
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.operate.jobs.jobs_table import JobsTable
from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.fonts import semibold, tabular_font
from fsconsole.console.style.sizes import scaled, tall
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.buttons import Switch
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.widgets.labels import PlainLabel
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.figures.painted_text import draw_text
from fsconsole.slurm.job_labels import JobIndex
from fsconsole.slurm.jobs import Sort
from fsconsole.targets.slurm.state import PartName
from fsconsole.text import numbers

_PLACEHOLDER = "Find jobs: words, user:anna state:running cpus>16"
_LONGEST_NODE = 14
_HEIGHT = 24
_GAP, _PADDING = 4, 8


class StateChips(QWidget):
    """One button for each kind of state; none pressed shows all. Signals: changed() by the user."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons = {sort: _StateButton(sort, self) for sort in Sort}
        hbox(*self._buttons.values(), on=self, spacing=4)
        for button in self._buttons.values():
            button.toggled.connect(self.changed)

    @property
    def wanted(self) -> frozenset[Sort]:
        """States whose chips are pressed."""
        return frozenset(sort for sort, button in self._buttons.items() if button.isChecked())

    def clear(self) -> None:
        """Release all pressed chips."""
        for button in self._buttons.values():
            button.setChecked(False)

    def button(self, sort: Sort) -> QAbstractButton:
        """Return the button of one kind."""
        return self._buttons[sort]

    def say(self, counts: Mapping[Sort, int]) -> None:
        """Show the number of jobs in each state."""
        for sort, button in self._buttons.items():
            button.say(counts.get(sort, 0))

    def set_narrow(self, *, narrow: bool) -> None:
        """Show icons and numbers alone in little room."""
        for button in self._buttons.values():
            button.set_narrow(narrow=narrow)


class _StateButton(QAbstractButton):
    """Icon, word, number."""

    def __init__(self, sort: Sort, parent: QWidget) -> None:
        super().__init__(parent)
        self._sort = sort
        self._count = 0
        self._is_narrow = False
        self.setCheckable(True)
        self.setFont(tabular_font())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._name()

    def say(self, count: int) -> None:
        if count != self._count:
            self._count = count
            self._name()

    def set_narrow(self, *, narrow: bool) -> None:
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._name()

    def _name(self) -> None:
        title = TITLES[self._sort]
        self.setText(numbers.thousands(self._count) if self._is_narrow else self._words())
        self.setAccessibleName(self._words())
        self.setToolTip(
            f"{title}: {numbers.thousands(self._count)}\nShow only these. Click again to show all"
        )
        self.updateGeometry()
        self.update()

    def _words(self) -> str:
        return f"{TITLES[self._sort]} {numbers.thousands(self._count)}"

    def sizeHint(self) -> QSize:
        words = QFontMetrics(semibold(self.font())).horizontalAdvance(self.text())
        return QSize(words + scaled(icons.ROW_SIZE) + _GAP + 2 * _PADDING, tall(_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            is_on = self.isChecked()
            ground = "accent" if is_on else "hover" if self.underMouse() else "surface"
            border = "accent" if self.hasFocus() or is_on else "edge"
            paint.box(painter, self.rect(), ground, border)
            if self.hasFocus():
                inner = self.rect().adjusted(2, 2, -2, -2)
                paint.box(painter, inner, "", "onaccent" if is_on else "accent", radius=paint.BOX_RADIUS)
            ink = "onaccent" if is_on else "text"
            icon_px = icons.draw_icon(
                painter, ICONS[self._sort], ink, self.rect().adjusted(_PADDING, 0, 0, 0)
            )
            painter.setFont(semibold(self.font()) if is_on else self.font())
            painter.setPen(colour(ink))
            room = QRect(_PADDING + icon_px + _GAP, 0, self.width(), self.height())
            draw_text(painter, room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())


class JobsPanel(QWidget):
    """The table below a row of what finds jobs."""

    def __init__(self, controller: JobController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._terms: tuple[Term, ...] = ()
        self._nodes: tuple[int, ...] = ()
        self._of_jobs: tuple[int, ...] = ()  # Selected in the tree because of selected jobs.
        self._is_selecting = False
        self._shown: JobColumns | None = None
        self._warming = every(self, 0, self._warm)
        self.box = SearchBox(_PLACEHOLDER, self, 120)
        self.box.setToolTip(_HELP)
        self.box.keep(controller.session.preferences, "operate/job-filter")
        self.chips = StateChips(self)
        self.only = Switch("Only selected node", self)
        self.table = JobsTable(controller.session.preferences, self)
        self.empty = EmptyNotice(self.table)
        self.wrong = PlainLabel("", self, font=tabular_font())
        self.wrong.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.wrong.setContentsMargins(12, 0, 12, 4)
        self.wrong.hide()
        self._build_ui()
        self._ink()
        self.box.textChanged.connect(self._read)
        self.box.escaped.connect(self.table.setFocus)
        self.chips.changed.connect(self._refresh)
        self.only.toggled.connect(self._on_selection)
        self.table.chosen.connect(self._choose)
        theme().changed.connect(self._ink)
        controller.changed.connect(self._on_state_changed)
        controller.session.selection_changed.connect(self._on_selection)

    @property
    def counts(self) -> tuple[int, int]:
        """Jobs that are shown, and all; each task of an array is one."""
        columns = self._controller.columns
        return self.table.jobs.found_count, int(columns.tasks.sum()) if columns is not None else 0

    def set_narrow(self, *, narrow: bool) -> None:
        """Show shorter chips in a narrow panel."""
        self.chips.set_narrow(narrow=narrow)

    # -- inside ---------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        top = hbox((self.box, 1), self.chips, self.only, margins=(8, 6, 8, 6), spacing=8)
        vbox(top, self.wrong, (self.table, 1), on=self)

    @Slot()
    def _ink(self) -> None:
        shade = QPalette(self.wrong.palette())
        shade.setColor(QPalette.ColorRole.WindowText, colour("danger"))
        self.wrong.setPalette(shade)

    @Slot(str)
    def _read(self, text: str) -> None:
        """Read the filter; a fault is shown and the former filter stays."""
        try:
            self._terms = read_filter(text)
        except FilterError as error:
            set_look(self.box, "error")
            self.wrong.setText(str(error))
            self.wrong.show()
            return
        set_look(self.box, "")
        self.wrong.hide()
        self._refresh()

    @Slot()
    def _on_state_changed(self) -> None:
        """Show another state; most of them have the same jobs."""
        if not self.isVisible():
            return
        self.table.jobs.mute(is_muted=not self._controller.is_fresh)
        if self._controller.columns is not self._shown:
            self._refresh()

    @Slot()
    def _refresh(self) -> None:
        if not self.isVisible():
            return
        columns = self._shown = self._controller.columns
        if columns is None:
            self.chips.say({})
            self.table.jobs.show(None, None)
            self.empty.say("No cluster is open.")
            return
        found = self._found(columns)
        counted = slice(None) if found is None else found
        kinds = np.bincount(columns.sorts[counted], columns.tasks[counted], minlength=len(Sort))
        self.chips.say({sort: int(kinds[place]) for place, sort in enumerate(Sort)})
        wanted = self.chips.wanted
        if wanted:
            of_kind = np.array([sort in wanted for sort in Sort])[columns.sorts]
            found = of_kind if found is None else found & of_kind
        self.table.jobs.mute(is_muted=not self._controller.is_fresh)
        self.table.jobs.show(columns, found)
        self._show_emptiness(columns)
        self._warming.start()

    def _show_emptiness(self, columns: JobColumns) -> None:
        if self.table.jobs.rowCount():
            self.empty.hide()
        elif not self._controller.was_read(PartName.JOBS):
            self.empty.say("Jobs have not been read yet.")
        elif not len(columns):
            state = self._controller.state
            is_private = state is not None and state.settings is not None and "jobs" in state.settings.private
            private = f" {MAY_HIDE_JOBS}" if is_private else ""
            self.empty.say(f"{self._controller.name} shows no jobs.{private}")
        else:
            self.empty.say("No job matches.", "Show all jobs", self.show_all)

    def go_to(self, label: str) -> bool:
        """Select a job or an array; all jobs show where the filter leaves it out. Whether it is known."""
        columns = self._controller.columns
        if columns is None or not JobIndex(columns.jobs).find(label):
            return False
        if not self.table.select_label(label):
            self.show_all()
            self.table.select_label(label)
        return True

    @Slot()
    def show_all(self) -> None:
        """Clear the filter and the chips."""
        self.only.setChecked(False)
        self.chips.clear()
        self.box.clear()

    @Slot()
    def _warm(self) -> None:
        """Compute the columns of future searches, one at a time while the program is idle."""
        columns = self._controller.columns
        if columns is None or not columns.warm_up():
            self._warming.stop()

    def _found(self, columns: JobColumns) -> Bools | None:
        """Return True for each job that passes the filter terms and the node, [jobs]; None for all."""
        found = chosen(columns, self._terms) if self._terms else None
        state = self._controller.state
        if self.only.isChecked() and self._nodes and state is not None and state.tree is not None:
            inside = np.isin(columns.nodes, list(below(state.tree, self._nodes)))
            found = inside if found is None else found & inside
        return found

    @Slot()
    def _choose(self) -> None:
        """Select the associations of the selected jobs too, so that all views agree; clear them together."""
        self._controller.choose(self.table.selected_jobs)
        nodes = self.table.jobs.nodes(self.table.selected_rows)
        session = self._controller.session
        if session.document is None:
            return
        is_of_jobs = bool(self._of_jobs) and session.selection == self._of_jobs
        if nodes or (is_of_jobs and not self._controller.jobs):
            self._is_selecting = True
            session.select(node for node in nodes if node in session.document.tree)
            self._is_selecting = False
            self._of_jobs = session.selection

    @Slot()
    def _on_selection(self) -> None:
        """Follow what is selected elsewhere; a job selected in the table does not narrow the table."""
        if (self._is_selecting and self.only.isChecked()) or not self.isVisible():
            return
        self._nodes = self._controller.session.selection
        document = self._controller.session.document
        known = [node for node in self._nodes if document is not None and node in document.tree]
        first = document.tree.node(known[0]).name if document is not None and known else ""
        self.only.setText(f"Only {_short(first, len(known))}" if known else "Only selected node")
        self.only.setToolTip(
            f"Show only jobs of the {numbers.thousands(len(known))} selected nodes and of all "
            "nodes below them"
            if len(known) > 1
            else "Show only jobs of the node selected in the share tree, and of all nodes below it"
        )
        self.only.updateGeometry()
        if self.only.isChecked() or self.sender() is self.only:
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_selection()
        self._refresh()


def _short(name: str, count: int) -> str:
    first = name if len(name) <= _LONGEST_NODE else f"{name[: _LONGEST_NODE - 1]}…"
    return first if count == 1 else f"{first} and {numbers.thousands(count - 1)} more"


_HELP = (
    "A word matches any column, a term one: user:anna state:pending reason=Resources partition=batch "
    "cpus>16\nelapsed>2h, left<30m, fairshare<0.2. Prefix - excludes. Use quotes for "
    "spaces.\nStates and reasons also match Slurm's words: PENDING, PD, Resources"
)
