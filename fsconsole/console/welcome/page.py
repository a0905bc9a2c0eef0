"""The Welcome page: start, import, examples, recent files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QMenu, QScrollArea, QVBoxLayout, QWidget

from fsconsole.app.examples import examples_by_title
from fsconsole.console.actions import ActionTable
from fsconsole.console.cluster.connection_controller import ConnectionController
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.style import icons, paint
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.icons import WELCOME_SIZE
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.console.tour.steps import TOURS
from fsconsole.console.welcome.cards import Card, Picture, read_pictures
from fsconsole.console.welcome.recent_list import RecentList
from fsconsole.console.welcome.rows import Row
from fsconsole.console.widgets.boxes import STRETCH, Gap, hbox, vbox
from fsconsole.console.widgets.buttons import flat_button
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel, RichLabel, SectionLabel
from fsconsole.shares.formats import FORMATS
from fsconsole.text.words import listed

_COLUMNS = 2
_WIDEST = 1440
_THREE_COLUMNS_PX = 1150
_LINUX_WAY = "choose Open on this machine in the menu Target"
_TITLE_PX = 11  # Added to the largest font size of the console.


class WelcomePage(QScrollArea):
    """Three columns; it scrolls where the window is too small."""

    def __init__(self, table: ActionTable, files: FileController, connections: ConnectionController) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        # Its cards and rows take the focus and scroll the page.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._files = files
        self._table = table
        self.cards: dict[Path, Card] = {}
        self._tasks = Tasks(self)
        self._is_read = False
        page = _Ground()
        self.recent = RecentList(files, connections, page)
        self._start = self._start_column(page)
        columns = (self._start, 22), (self._example_column(page), 44), (self.recent, 24)
        self._row = hbox(*columns, on=page, spacing=56)
        self.setWidget(page)

    def _start_column(self, page: QWidget) -> QVBoxLayout:
        title = PlainLabel("fsconsole", page)
        font = ui_font("figure", semibold=True)
        font.setPixelSize(font.pixelSize() + _TITLE_PX)
        title.setFont(font)
        purpose = MutedLabel(
            "Fair-share scheduling: design, observe, operate, analyse.", page, "base", wraps=True
        )
        start = partial(self._start_row, page)
        linux = MutedLabel(f"Linux: open any tree, then {_LINUX_WAY}.", page, wraps=True)
        return vbox(
            title,
            purpose,
            Gap(16),
            Hint(self._table, page),
            Gap(16),
            SectionLabel("Start", page),
            Gap(4),
            start("new", "tree", "New share tree", "Start from one root"),
            start("open", "folder", "Open…", "Scenario or share tree"),
            start("open_run", "record", "Open run…", "Folder of a recorded run"),
            start("connect_slurm", "monitor", "Connect to Slurm…", "A real cluster, read-only at first"),
            Gap(24),
            SectionLabel("Import a tree from", page),
            Gap(4),
            start("import_slurm", "slurm", "Slurm", "sacctmgr dump file"),
            start("import_sharecf", "file", "Convex", "Share database (sharesh output)"),
            self._other_formats(page),
            Gap(8),
            linux,
            STRETCH,
        )

    def _other_formats(self, page: QWidget) -> Row:
        """Return a row that lists all other formats of trees."""
        others = [form for form in FORMATS if form.name not in ("yaml", "slurm", "sharecf")]
        made = Row(
            "file", f"{len(others)} other formats", "Grid Engine, PBS, LSF, Kueue, …", page, large=True
        )
        made.setObjectName("other_formats")
        made.setToolTip(listed([form.title for form in others]))
        menu = QMenu(made)
        for form in others:
            menu.addAction(self._table.qaction(f"import_{form.name}"))
        made.clicked.connect(lambda: menu.popup(made.mapToGlobal(QPoint(0, made.height()))))
        return made

    def _start_row(self, page: QWidget, action_id: str, icon: str, title: str, more: str) -> Row:
        action = self._table.qaction(action_id)
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        made = Row(icon, title, more, page, right=keys, large=True)
        made.setObjectName(action_id)
        made.clicked.connect(action.trigger)
        return made

    def _example_column(self, page: QWidget) -> QVBoxLayout:
        remark = MutedLabel("each runs in the simulator at once", page)
        top = hbox(SectionLabel("Example trees", page), remark, STRETCH, spacing=10)
        grid = QGridLayout()
        grid.setSpacing(16)
        row = 0
        for group, examples in examples_by_title():
            grid.addWidget(MutedLabel(group, page), row, 0, 1, _COLUMNS)
            for number, (path, title) in enumerate(examples):
                card = Card(title, page)
                card.clicked.connect(partial(self._open, path))
                grid.addWidget(card, row + 1 + number // _COLUMNS, number % _COLUMNS)
                self.cards[path] = card
            row = grid.rowCount()
        return vbox(top, grid, Gap(10), STRETCH, spacing=10)

    @property
    def is_complete(self) -> bool:
        """Whether all cards have their picture."""
        return all(card.picture is not None for card in self.cards.values())

    def end_work(self) -> None:
        """Stop reading examples: the window closes."""
        self._tasks.cancel()

    def _open(self, path: Path, _checked: bool = False) -> None:
        """Open an example in Observe, since examples are there to be run."""
        self._files.open(path)
        if self._files.is_reading:
            self._table.trigger("show_observe")

    def _show_picture(self, path: Path, picture: Picture) -> None:
        self.cards[path].show_picture(picture)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place_recent()
        side = max(24, min(80, self.width() // 20), (self.width() - _WIDEST) // 2)
        top = 40 if self.height() > 700 else 24
        self._row.setContentsMargins(side, top, side, 24)
        self._row.setSpacing(56 if self.width() > 1400 else 32)
        super().resizeEvent(event)

    def _place_recent(self) -> None:
        """Place recent files beside the examples; in a narrow window below the ways to start."""
        is_beside = self.width() >= scaled(_THREE_COLUMNS_PX)
        if is_beside is (self._row.indexOf(self.recent) >= 0):
            return
        if is_beside:
            self._start.removeWidget(self.recent)
            self._row.addWidget(self.recent, 24)
        else:
            self._row.removeWidget(self.recent)
            self._start.insertWidget(self._start.count() - 1, self.recent)
        self.recent.setContentsMargins(0, 0 if is_beside else 24, 0, 0)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_read:
            self._is_read = True
            call = partial(read_pictures, list(self.cards))
            self._tasks.run_task(call, lambda _: None, on_progress=self._show_picture)


class Hint(QFrame):
    """What to try first: the tours."""

    def __init__(self, table: ActionTable, parent: QWidget) -> None:
        super().__init__(parent)
        text = RichLabel(self)
        text.setText("<b>First time here?</b> Take a tour:")
        tours = [table.qaction(f"tour_{tour.id}") for tour in TOURS]
        self.tours = [flat_button(one.text(), one.toolTip(), one.trigger, self) for one in tours]
        self._lines = vbox(text, hbox(*self.tours, STRETCH, spacing=4), on=self, spacing=4)
        self._leave_room()

    def _leave_room(self) -> None:
        self._lines.setContentsMargins(24 + scaled(WELCOME_SIZE), 10, 8, 10)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # The size of text has changed, and with it that of the icon.
        if event.type() is QEvent.Type.StyleChange:
            self._leave_room()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("raised"))
            paint.frame(painter, self.rect())
            icons.draw_icon(painter, "plots", "accent", self.rect().adjusted(12, 0, 0, 0), WELCOME_SIZE)


class _Ground(QWidget):
    """Surface of the welcome page."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
