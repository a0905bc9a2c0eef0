"""The inside of the window: tool bar, notices, workspaces, status bar, from top to bottom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Slot
from PySide6.QtGui import QAction, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from fsconsole.console.actions import ActionTable
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.kit.bar_room import BarRoom
from fsconsole.console.status_line import StatusLine
from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import control_height, set_control_height
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.icons import TAB_SIZE
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.console.target_box import TargetBox
from fsconsole.console.widgets.buttons import tool_button
from fsconsole.console.widgets.dock import HEADER_CONTROL_HEIGHT
from fsconsole.console.widgets.dock_states import LoadingStrip
from fsconsole.console.workspace import NARROW_PX
from fsconsole.text.numbers import percent

HEIGHT = 42
_SEARCH_WIDTH = 154
_LEAST_PX = 1000
_PAST_RULE = 3  # below the bar, while the past is looked at
_WORDS, _ICON = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly


class Frame(QWidget):
    """Holds the parts; while a file is read a strip says so above the workspaces."""

    def __init__(
        self,
        bar: FrameBar,
        files: FileController,
        notices: Sequence[QWidget],
        stack: QStackedWidget,
        status: StatusLine,
    ) -> None:
        """`notices` are strips that show themselves."""
        super().__init__()
        self.bar, self.stack, self.status = bar, stack, status
        self.loading = LoadingStrip(self.stack, self)
        set_control_height(self.loading, HEADER_CONTROL_HEIGHT)
        self._files = files
        self._name = ""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.notices = BarRoom(self.stack, (self.loading, *notices), self)
        for part in (bar, self.notices):
            layout.addWidget(part)
        layout.addWidget(self.stack, 1)
        layout.addWidget(status)
        files.reading_began.connect(self._begin)
        files.reading_progressed.connect(self._progress)
        files.reading_ended.connect(self.loading.finish)

    @Slot(str)
    def _begin(self, name: str) -> None:
        self._name = name
        self.loading.start(f"Reading {name}", self._files.cancel_reading)

    @Slot(float)
    def _progress(self, part: float) -> None:
        self.loading.start(f"Reading {self._name}, {percent(part, 0)}", self._files.cancel_reading)


class FrameBar(QWidget):
    """Tabs | actions | stretch | search | target; words give way to icons in a narrow window."""

    def __init__(self, table: ActionTable, tabs: Iterable[str], search: str) -> None:
        """`tabs` are ids of the actions that show workspaces, `search` that of the command search."""
        super().__init__()
        self._table = table
        self._buttons: list[QToolButton] = []
        self._probe = _measure(self)
        self.setFixedHeight(HEIGHT)
        self.setFont(ui_font())
        self._parts = layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 0)
        layout.setSpacing(4)
        for action_id in tabs:
            layout.addWidget(self._tab(table.qaction(action_id)))
        layout.addWidget(_Rule(self))
        self._actions = QHBoxLayout()
        self._actions.setSpacing(4)
        layout.addLayout(self._actions)
        layout.addStretch(1)
        self.search = _SearchButton(table.qaction(search), self)
        layout.addWidget(self.search)
        self.target = TargetBox(self)
        self.target.widened.connect(self._show_words)
        layout.addSpacing(4)
        layout.addWidget(self.target)
        self._mode: QWidget | None = None
        self._past: QWidget | None = None

    def show_past(self, widget: QWidget) -> None:
        """Put what says that the past is looked at before the search; it shows itself."""
        self._past = widget
        self._parts.insertWidget(self._parts.indexOf(self.search), widget)

    def show_actions(self, action_ids: Iterable[str]) -> None:
        """Put a workspace's actions on the bar; an empty id parts them."""
        while (item := self._actions.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        self._buttons = []
        for action_id in action_ids:
            if action_id and not self._table.is_present(self._table[action_id]):
                continue
            self._actions.addWidget(self._action(action_id) if action_id else _Rule(self))
        self._show_words()

    def show_mode(self, widget: QWidget | None) -> None:
        """Put a workspace's own widget at the right end, instead of the last one."""
        if self._mode is not None:
            self._parts.removeWidget(self._mode)
            self._mode.hide()
        self._mode = widget
        if widget is not None:
            self._parts.addWidget(widget)
            widget.show()
        self._show_words()

    def _tab(self, action: QAction) -> QToolButton:
        made = tool_button(action, self, look="tab")
        made.setFixedHeight(HEIGHT)
        made.setIconSize(QSize(TAB_SIZE, TAB_SIZE))
        made.setFont(ui_font("section"))
        return made

    def _action(self, action_id: str) -> QToolButton:
        made = tool_button(self._table.qaction(action_id), self)
        made.show()  # a hidden button would count as without width until Qt shows it
        self._buttons.append(made)
        return made

    @Slot()
    def _show_words(self) -> None:
        """Words beside icons go where the window is narrow or has no room for them."""
        is_roomy = self.window().width() >= NARROW_PX and self._width_with_words() <= self.width()
        for button in self._buttons:
            button.setToolButtonStyle(_WORDS if is_roomy or button.icon().isNull() else _ICON)

    def _width_with_words(self) -> int:
        """The least width with words on all buttons, whatever they show now."""
        for layout in (self._actions, self._parts):  # a layout renews what is inside it only when it is drawn
            layout.invalidate()
        # Invalidating asks for this event, in which we may be: without an end, while nothing happens.
        QCoreApplication.removePostedEvents(self, QEvent.Type.LayoutRequest)
        self._parts.activate()
        added = (self._words_of(button) - button.sizeHint().width() for button in self._buttons)
        return self._parts.minimumSize().width() + sum(added)

    def _words_of(self, button: QToolButton) -> int:
        """Width of a button with its word."""
        probe = self._probe
        probe.setFont(button.font())
        probe.setIcon(button.icon())
        probe.setIconSize(button.iconSize())
        probe.setText(button.text())
        return probe.sizeHint().width()

    def minimumSizeHint(self) -> QSize:
        # What icons need: words never hold the window wide.
        return QSize(min(super().minimumSizeHint().width(), _LEAST_PX), HEIGHT)

    def event(self, event: QEvent) -> bool:
        # Some part may need another width now, such as that which shows the mode.
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._show_words()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_words()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("raised"))
        paint.rule(painter, self.rect(), Qt.Edge.BottomEdge)
        if self._past is not None and not self._past.isHidden():
            painter.fillRect(0, self.height() - _PAST_RULE, self.width(), _PAST_RULE, colour("warn"))
        painter.end()


def _measure(parent: QWidget) -> QToolButton:
    """A button that is never seen, to tell how wide others are with words."""
    made = QToolButton(parent)
    made.setAutoRaise(True)
    made.setToolButtonStyle(_WORDS)
    made.hide()
    return made


class _Rule(QFrame):
    """Upright rule between groups of buttons."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(17, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(8, 11, 1, HEIGHT - 22, colour("line"))
        painter.end()


class _SearchButton(QAbstractButton):
    """Looks like a field and opens the command search."""

    def __init__(self, action: QAction, parent: QWidget) -> None:
        super().__init__(parent)
        self._keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.setAccessibleName("Commands")
        self.setToolTip(action.toolTip())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFont(ui_font("table"))
        self.clicked.connect(action.trigger)

    def sizeHint(self) -> QSize:
        return QSize(scaled(_SEARCH_WIDTH), control_height(self))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        border = "accent" if self.hasFocus() else "edge"
        paint.box(painter, self.rect(), "hover" if self.underMouse() else "surface", border)
        middle = (self.height() - 16) // 2
        painter.drawPixmap(9, middle, icons.pixmap("search", "muted", 16, self.devicePixelRatioF()))
        painter.setPen(colour("muted"))
        align = Qt.AlignmentFlag
        painter.drawText(self.rect().adjusted(31, 0, 0, 0), align.AlignVCenter | align.AlignLeft, "Commands")
        keys = self.rect().adjusted(0, 0, -9, 0)
        metrics = painter.fontMetrics()
        needed = 31 + metrics.horizontalAdvance("Commands") + metrics.horizontalAdvance(f"  {self._keys}")
        if needed <= keys.right():
            painter.drawText(keys, align.AlignVCenter | align.AlignRight, self._keys)
        painter.end()
