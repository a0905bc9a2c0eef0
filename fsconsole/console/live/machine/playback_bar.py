"""The transport of Observe, with what writes files, and the time strip under it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.actions import ActionTable
from fsconsole.console.live.machine.planned_load import PlannedLoad
from fsconsole.console.live.machine.strip import TimeStrip
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.console.transport_bar import TransportBar
from fsconsole.console.widgets.boxes import vbox
from fsconsole.targets.base import RECORDING
from fsconsole.targets.events import Event

_RECORD = "Record into a run folder"


class RecordingBar(TransportBar):
    """The transport with Record and Export at its right."""

    def __init__(self, session: ConsoleSession, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(session, table, parent)
        self.record = self.button("record", "Record", _RECORD, "observe.record")
        self.record.setCheckable(True)
        self.export = self.button("export", "Export…", "Export plots (Ctrl+E)", "observe.export")
        self.add_tools(self.record, self.export)
        session.frame.connect(self._show_recording)
        session.past_moved.connect(self._show_recording)

    def set_narrow(self, *, narrow: bool) -> None:
        """Show icons without words in a narrow window."""
        super().set_narrow(narrow=narrow)
        style = Qt.ToolButtonStyle
        look = style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon
        for button in (self.record, self.export):
            button.setToolButtonStyle(look)

    @Slot()
    def refresh(self) -> None:
        """Show the machine's newest state."""
        super().refresh()
        if hasattr(self, "record"):
            self._show_recording()

    @Slot()
    def _show_recording(self) -> None:
        """Show a run folder that is being written, at any displayed instant."""
        session = self._session
        path = session.newest.recording if session.newest is not None else None
        self.record.setVisible(session.offer(RECORDING) is not None)
        self.record.setEnabled(not session.locked)
        self.record.setChecked(path is not None)
        tip = f"Stop recording into {path}" if path else _RECORD
        self.record.setToolTip(session.locked or tip)


class PlaybackBar(QWidget):
    """The bar and the strip under it."""

    def __init__(
        self,
        session: ConsoleSession,
        table: ActionTable,
        span: TimeRange,
        flags: Callable[[], Sequence[Event]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.bar = RecordingBar(session, table, self)
        self.strip = TimeStrip(span, flags, self)
        self.load = PlannedLoad(session, span, self)
        vbox(self.bar, self.strip, self.load, on=self, margins=(0, 0, 0, 4))

    def sizeHint(self) -> QSize:
        load_px = 0 if self.load.isHidden() else self.load.height()
        return QSize(640, self.bar.height() + self.strip.height() + 4 + load_px)
