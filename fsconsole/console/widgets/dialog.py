"""Dialogs that stay inside the screen, however large the text is, and message boxes."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QDialogButtonBox,
    QLayout,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QStyle,
    QWidget,
)

from fsconsole.console.style.plain_words import title_words
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.late_input import hold_late_input
from fsconsole.console.widgets.lost_focus import leave_lost_widget

_TITLE_BAR_PX = 40


class Dialog(QDialog):
    """Base of dialogs: what does not fit on the screen scrolls, and the buttons stay in sight."""

    def __init__(self, title: str, parent: QWidget | None = None, *, is_kept: bool = False) -> None:
        """`is_kept` for one that is shown again after it was closed."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, not is_kept)

    def setWindowTitle(self, title: str) -> None:
        super().setWindowTitle(title_words(title))

    def setVisible(self, visible: bool) -> None:
        if visible and not self.isVisible():
            self.fit_screen()
            hold_late_input(self)
        super().setVisible(visible)

    def focusNextPrevChild(self, is_forward: bool) -> bool:
        return leave_lost_widget(self) or super().focusNextPrevChild(is_forward)

    def fit_screen(self) -> None:
        """Have the content scroll if the screen is too small for it, and keep the dialog inside."""
        room = self.screen().availableSize() - QSize(0, _TITLE_BAR_PX)
        layout = self.layout()
        if layout is None:
            return
        self.ensurePolished()
        layout.activate()
        if not _holds(room, layout.totalMinimumSize()):
            # Computed before the dialog is shown, because its parts are hidden for a moment afterwards.
            wanted = layout.totalSizeHint().expandedTo(self.size() if self.isVisible() else QSize())
            _scroll_content(self, layout)
            bar_px = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
            self.resize((wanted + QSize(bar_px, bar_px)).boundedTo(room))
        elif not _holds(room, self.size()):
            self.resize(self.size().boundedTo(room))

    def bring_into_sight(self, part: QWidget) -> None:
        """Scroll to a part where the content scrolls, once that is laid out."""
        area = self.findChild(_Area)
        if area is not None:
            QTimer.singleShot(0, part, lambda: area.ensureWidgetVisible(part))


class MessageBox(QMessageBox):
    """A question or a remark in a few words."""

    def __init__(self, parent: QWidget, text: str, more: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle("fsconsole")
        self.setText(text)
        self.setInformativeText(more)

    def add(self, words: str, role: QMessageBox.ButtonRole) -> QPushButton:
        """Add a button; one that rejects is what Enter and Esc press, unless another default is set."""
        made = self.addButton(words, role)
        if role is QMessageBox.ButtonRole.RejectRole:
            self.setDefaultButton(made)
            self.setEscapeButton(made)
        return made

    def show_remark(self) -> None:
        """Show it with a button that closes it, over a window that goes on."""
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.add("Close", self.ButtonRole.RejectRole)
        self.open()

    def setVisible(self, visible: bool) -> None:
        if visible:
            hold_late_input(self)
        super().setVisible(visible)


def _holds(room: QSize, size: QSize) -> bool:
    return size.width() <= room.width() and size.height() <= room.height()


def _scroll_content(dialog: QDialog, layout: QLayout) -> None:
    """Put all but the buttons into an area that scrolls."""
    focused = dialog.focusWidget()
    foot = _foot_of(layout)
    if foot is not None:
        layout.removeWidget(foot)
    content = QWidget()
    content.setLayout(layout)
    dialog.setMinimumSize(0, 0)  # The layout has set the minimum size of all its parts.
    area = _Area(dialog)
    area.setWidget(content)
    vbox(area, *([] if foot is None else [foot]), on=dialog)
    if isinstance(foot, QDialogButtonBox):
        foot.setContentsMargins(*dialog_margins(layout))
    area.show()
    if focused is not None:
        focused.setFocus()


def dialog_margins(layout: QLayout) -> tuple[int, int, int, int]:
    """Return margins of a dialog's buttons that match those of its content."""
    found = layout.contentsMargins()
    return found.left(), 0, found.right(), found.bottom()


def _foot_of(layout: QLayout) -> QWidget | None:
    """Return the last part of a column if that holds the buttons."""
    if not isinstance(layout, QBoxLayout) or not layout.count():
        return None
    item = layout.itemAt(layout.count() - 1)
    last = item.widget() if item is not None else None
    if last is None or not (isinstance(last, QDialogButtonBox) or last.findChildren(QDialogButtonBox)):
        return None
    return last


class _Area(QScrollArea):
    """An area of its content's preferred size, so that a dialog around it has that too."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)

    def setWidget(self, content: QWidget) -> None:
        super().setWidget(content)
        content.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        bar_px = self.verticalScrollBar().sizeHint().width()
        content = self.widget()
        return QSize(bar_px, bar_px) + (content.sizeHint() if content is not None else QSize())
