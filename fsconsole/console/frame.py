"""The inside of the window: tool bar, notices, workspaces, status bar, from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from fsconsole.console.files.file_controller import FileController
from fsconsole.console.frame_bar import FrameBar
from fsconsole.console.kit.bar_room import BarRoom
from fsconsole.console.notices import ConflictNotice, FaultNotice, RestoreNotice
from fsconsole.console.status_line import StatusLine
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.widgets.dock import HEADER_CONTROL_HEIGHT
from fsconsole.console.widgets.dock_states import LoadingStrip
from fsconsole.text.numbers import percent

# What is left for a workspace in the smallest window, and something off.
_LEAST_PAGE = QSize(1000, 600)


class Pages(QStackedWidget):
    """Workspaces, one at a time; none holds the window larger than the smallest there may be.

    A workspace may need more until it has adapted itself, and those behind it adapt when they are shown.
    """

    def minimumSizeHint(self) -> QSize:
        page: QWidget | None = self.currentWidget()  # whatever its stub says, None while there are no pages
        return _LEAST_PAGE.boundedTo(page.minimumSizeHint()) if page is not None else QSize()


class Frame(QWidget):
    """Holds the parts; while a file is read a strip says so above the workspaces."""

    def __init__(
        self,
        bar: FrameBar,
        desk: FileController,
        notices: tuple[RestoreNotice, FaultNotice, ConflictNotice],
        status: StatusLine,
        more: Sequence[QWidget] = (),
    ) -> None:
        """`more` are further strips, which show themselves, below the notices."""
        super().__init__()
        self.bar, self.status = bar, status
        self.restore, self.fault, self.conflict = notices
        self.stack = Pages(self)
        self.loading = LoadingStrip(self.stack, self)
        set_control_height(self.loading, HEADER_CONTROL_HEIGHT)
        self._desk = desk
        self._name = ""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.notices = BarRoom(self.stack, (self.loading, *notices, *more), self)
        for part in (bar, self.notices):
            layout.addWidget(part)
        layout.addWidget(self.stack, 1)
        layout.addWidget(status)
        desk.reading_began.connect(self._begin)
        desk.reading_progressed.connect(self._progress)
        desk.reading_ended.connect(self.loading.finish)

    @Slot(str)
    def _begin(self, name: str) -> None:
        self._name = name
        self.loading.start(f"Reading {name}", self._desk.cancel_reading)

    @Slot(float)
    def _progress(self, part: float) -> None:
        self.loading.start(f"Reading {self._name}, {percent(part, 0)}", self._desk.cancel_reading)
