"""Docks: a header, a body, and what the body shows when there is nothing, not yet or no longer anything."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDockWidget,
    QMainWindow,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from fsconsole.console.style import paint
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.style.fonts import tabular_font, ui_font
from fsconsole.console.style.plain_words import menu_words
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import keep_height, keep_width, tall
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.dock_states import EmptyNotice, ErrorStrip
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.console.widgets.folding import Folding
from fsconsole.text.visible_text import visible_line

HEADER_HEIGHT = 28
DOCK_CONTROL_HEIGHT = 24  # Smallest size for a pointer.
_FOCUS_PX = 2
_LEAST_TITLE_PX = 80


class DockHeader(QWidget):
    """Title in semibold, a muted remark beside it, and controls at the right; 28 px high.

    Signals: double_clicked().
    """

    accessible_role = Role.Grouping

    double_clicked = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.menu = QMenu(self)
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        self.setFont(ui_font("table"))
        self._title = ElidedLabel(self, loses=Qt.TextElideMode.ElideRight, token="text")
        self._title.setFont(ui_font("section", semibold=True))
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.set_title(title)
        self._remark = ElidedLabel(self, loses=Qt.TextElideMode.ElideRight)
        self.button: QToolButton | None = None
        self._has_focus = False
        self._layout = hbox(self._title, (self._remark, 1), on=self, margins=(10, 0, 6, 0), spacing=8)
        self._folding = Folding(self, self._layout)

    def set_title(self, title: str) -> None:
        """Show another title in the header."""
        self._title.setText(title)
        wide = self._title.sizeHint().width()
        self._title.setMinimumWidth(min(wide, _LEAST_TITLE_PX))  # A long name does not widen the dock.

    def set_remark(self, text: str, *, at_end: bool = False) -> None:
        """Show muted words beside the title, such as a count, or at the right end, such as a file."""
        side = Qt.AlignmentFlag.AlignRight if at_end else Qt.AlignmentFlag.AlignLeft
        self._remark.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self._remark.setText(text)

    def add_widget(self, widget: QWidget, rank: int = 0) -> None:
        """Put a control at the right end, before the button of the dock itself.

        Where there is no room it folds away, those of high rank first.
        """
        if isinstance(widget, QCheckBox):
            keep_height(widget, DOCK_CONTROL_HEIGHT)
        self._layout.insertWidget(self._layout.count() - (self.button is not None), widget)
        self._folding.add(widget, rank)

    def add_button(self) -> None:
        """Put a button with `menu` at the right end."""
        self.button = QToolButton(self)
        self.button.setText("\N{VERTICAL ELLIPSIS}")
        self.button.setToolTip("Collapse, maximise or close this dock")
        self.button.setAccessibleName(f"Dock {self._title.text()}")
        self.button.setAutoRaise(True)
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The menu View has all its entries too.
        keep_width(self.button, DOCK_CONTROL_HEIGHT)
        # With a menu of its own, Qt would draw an arrow beside the dots.
        self.button.clicked.connect(self._pop_up_menu)
        self._layout.addWidget(self.button)

    def _pop_up_menu(self) -> None:
        if self.button is not None:
            self.menu.popup(self.button.mapToGlobal(self.button.rect().bottomLeft()))

    def mark_maximised(self, is_maximised: bool) -> None:
        """Show in the tooltip how all docks come back."""
        self.setToolTip("Double-click or press F11 to show all docks again" if is_maximised else "")

    def mark_focus(self, *, has_focus: bool) -> None:
        """Show by a line of accent whether the keyboard is in this dock."""
        self._has_focus = has_focus
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), tall(HEADER_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._folding.least_px(), tall(HEADER_HEIGHT))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # A double click does not float a dock.
        self.double_clicked.emit()
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("raised"))
            paint.frame(painter, self.rect())
            if self._has_focus:
                painter.fillRect(0, self.height() - _FOCUS_PX, self.width(), _FOCUS_PX, colour("accent"))


class DockBody(QWidget):
    """Content of a dock under a strip for errors, with a notice over it when it is empty."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = content
        self._error = ErrorStrip(self)
        self._empty = EmptyNotice(content)
        vbox(self._error, (content, 1), on=self, margins=(1, 0, 1, 1))
        keeps_room = content.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        content.setSizePolicy(keeps_room)

    def show_empty(self, sentence: str, button: str = "", run: Callable[[], object] | None = None) -> None:
        """Show in the middle why it is empty, with a button to change that."""
        self._empty.say(sentence, button, run)

    def show_content(self) -> None:
        """Take away the notice of emptiness."""
        self._empty.hide()

    def show_error(
        self,
        sentence: str,
        retry: Callable[[], object] | None = None,
        details: Callable[[], object] | None = None,
    ) -> None:
        """Show a strip under the header, with Retry and Details where useful; content stays."""
        self._error.say(sentence, retry, details)

    def clear_error(self) -> None:
        """Take the strip away."""
        self._error.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
            for edge in (Qt.Edge.LeftEdge, Qt.Edge.RightEdge, Qt.Edge.BottomEdge):
                paint.rule(painter, self.rect(), edge)


class Dock(QDockWidget):
    """A dock widget with our header and body; docks move but do not float away by accident.

    Signals: maximise_wanted() when it is to be shown alone, or all again; collapsed(bool).

    Attributes:
        title: the title as words; `windowTitle` doubles each &, since Qt shows it in tabs and menus.
    """

    maximise_wanted = Signal()
    collapsed = Signal(bool)

    def __init__(
        self,
        name: str,
        title: str,
        content: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        """`name` identifies the dock in saved layouts and never changes."""
        super().__init__(parent)
        self._heights_px: dict[Dock, int] = {}  # Heights of all docks before this one was collapsed.
        self._least_px = 0  # Minimum height of this dock before it was collapsed.
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setFont(tabular_font())
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        self.header = DockHeader(title, self)
        self.body = DockBody(content)
        self.header.double_clicked.connect(self.maximise_wanted)
        self._make_menu()
        self.setTitleBarWidget(self.header)
        self.setWidget(self.body)
        feature = QDockWidget.DockWidgetFeature
        self.setFeatures(feature.DockWidgetMovable | feature.DockWidgetClosable)
        self.visibilityChanged.connect(self._follow_sight)

    def setWindowTitle(self, title: str) -> None:
        self.title = visible_line(title)
        self.setAccessibleName(self.title)
        super().setWindowTitle(menu_words(title))

    @property
    def content(self) -> QWidget:
        """The widget the dock was made for."""
        return self.body.content

    @property
    def is_collapsed(self) -> bool:
        """Whether only the header shows."""
        return self.body.maximumHeight() == 0

    @property
    def is_closable(self) -> bool:
        """Whether it can be closed and collapsed; docks in the middle of a workspace cannot."""
        return bool(self.features() & QDockWidget.DockWidgetFeature.DockWidgetClosable)

    def set_collapsed(self, is_collapsed: bool) -> None:
        """Show only the header, or the whole dock at its former height; tabs beside it do the same."""
        if is_collapsed is self.is_collapsed:
            return
        workspace = self.parentWidget()
        if not isinstance(workspace, QMainWindow):
            return
        if is_collapsed:
            shown = [dock for dock in workspace.findChildren(Dock) if dock.isVisible()]
            self._heights_px = {dock: dock.height() for dock in shown if not dock.is_collapsed}
        tabs = [dock for dock in workspace.tabifiedDockWidgets(self) if isinstance(dock, Dock)]
        for dock in (self, *tabs):
            dock.limit_height(is_collapsed=is_collapsed)
        if not is_collapsed and self._heights_px:
            docks, heights = list(self._heights_px), list(self._heights_px.values())
            workspace.resizeDocks(docks, heights, Qt.Orientation.Vertical)
            self._heights_px = {}
        self.collapsed.emit(is_collapsed)

    def bring_forward(self) -> None:
        """Bring it into sight, whole."""
        self.show()
        self.raise_()
        self.set_collapsed(False)

    def limit_height(self, *, is_collapsed: bool) -> None:
        """Leave room for the header alone, or for all again; `set_collapsed` is what others call."""
        if is_collapsed and not self.is_collapsed:
            self._least_px = self.minimumHeight()
        self.setMinimumHeight(0 if is_collapsed else self._least_px)
        # With a hidden body, the dock could not be wider than its header.
        self.body.setMaximumHeight(0 if is_collapsed else _QWIDGETSIZE_MAX)
        self.setMaximumHeight(tall(HEADER_HEIGHT) if is_collapsed else _QWIDGETSIZE_MAX)
        self._rest_unless_seen()

    def _make_menu(self) -> None:
        menu = self.header.menu
        self._collapse = menu.addAction("Collapse", self.toggle_collapsed)
        menu.addAction("Maximise or restore\tF11", self.maximise_wanted.emit)
        self._close = menu.addAction("Close", self.close)
        menu.aboutToShow.connect(self._offer)
        self.header.add_button()

    @Slot()
    def _offer(self) -> None:
        for action in (self._collapse, self._close):
            action.setVisible(self.is_closable)
        self._collapse.setText("Expand" if self.is_collapsed else "Collapse")

    @Slot(bool)
    def _follow_sight(self, is_seen: bool) -> None:
        if is_seen:
            self._rest_unless_seen()
        # Qt emits the signal before docks have their positions.
        QTimer.singleShot(0, self, self._rest_unless_seen)

    @Slot()
    def _rest_unless_seen(self) -> None:
        """Hide the content where it is collapsed, and of a tab behind others, which Qt calls visible."""
        place = self.geometry()
        is_behind = place.right() < 0 or place.bottom() < 0
        self.content.setVisible(not is_behind and not self.is_collapsed)

    @Slot()
    def toggle_collapsed(self) -> None:
        """Show only the header, or all again."""
        self.set_collapsed(self.is_closable and not self.is_collapsed)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.WindowTitleChange and self.titleBarWidget() is not None:
            self.header.set_title(self.title)


_QWIDGETSIZE_MAX = (1 << 24) - 1
