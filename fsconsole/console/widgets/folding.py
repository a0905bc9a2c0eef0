"""Rows of controls that fold: what has no room goes into a panel that a button at the end opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLayoutItem,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from fsconsole.console.style import paint
from fsconsole.console.style.controls import control_height
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import Part, hbox, vbox

_ICON = Qt.ToolButtonStyle.ToolButtonIconOnly
_WORDS = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
_MARGIN = 6


def least_width(widget: QWidget) -> int:
    """Return the pixels below which a layout cuts a widget; 0 for one that its owner hides."""
    if widget.isHidden():
        return 0
    policy = widget.sizePolicy().horizontalPolicy()
    shrinks = bool(policy.value & QSizePolicy.PolicyFlag.ShrinkFlag.value)
    if policy is QSizePolicy.Policy.Ignored:
        return widget.minimumWidth()
    hint = widget.minimumSizeHint().width() if shrinks else -1
    if hint < 0:
        hint = widget.sizeHint().width()
    return min(max(hint, widget.minimumWidth()), widget.maximumWidth())


class Folding(QObject):
    """Keeps the controls of a row in it as far as there is room, those of low rank last to leave.

    The widgets are the same ones in the row and in the panel, so that their owners need not know.
    """

    def __init__(self, row: QWidget, layout: QHBoxLayout, *, watches: bool = True) -> None:
        """`layout` is the one of `row`; one that is not watched calls `fit` itself."""
        super().__init__(row)
        self._row, self._layout = row, layout
        self._ranks: dict[QWidget, int] = {}
        self._folded: list[QWidget] = []
        self._order: list[QWidget] = []
        self._is_fitting = False
        self._least_px: int | None = None
        self.panel = FoldedPanel(row)
        self.button = QToolButton(row)
        self.button.setText("\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}")
        self.button.setToolTip("Show the controls that do not fit")
        self.button.setAccessibleName("More")
        self.button.setAutoRaise(True)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(self._open)
        self.button.hide()
        self.least_of: Callable[[QWidget], int] = least_width
        if watches:
            row.installEventFilter(self)

    @property
    def folded(self) -> tuple[QWidget, ...]:
        """Widgets in the panel now."""
        return tuple(self._folded)

    def add(self, widget: QWidget, rank: int) -> None:
        """Let a widget of the row leave it; those of high rank leave first, of equal ones the last."""
        self._ranks[widget] = rank
        self._least_px = None

    def forget(self, widget: QWidget) -> None:
        """Leave a widget out that its owner takes away."""
        self._ranks.pop(widget, None)
        self._order = [one for one in self._order if one is not widget]
        self._folded = [one for one in self._folded if one is not widget]
        self.panel.forget(widget)

    def least_px(self) -> int:
        """Return the width of the row with all foldable parts folded."""
        if self._least_px is None:  # Qt requests it many times in each layout.
            firm = [one for one in self._parts() if one not in self._ranks]
            self._least_px = self._width_of([*firm, self.button] if self._ranks else firm)
        return self._least_px

    def fit(self) -> None:
        """Fold what has no room, and put back what has."""
        if self._is_fitting or not self._ranks:
            return
        self._is_fitting = True
        parts = self._parts()
        room = self._row.width()
        leaving = sorted(
            (one for one in parts if one in self._ranks and not one.isHidden()),
            key=lambda one: (self._ranks[one], parts.index(one)),
        )
        folded: list[QWidget] = []
        while leaving and self._width_of([one for one in parts if one not in folded], folded) > room:
            folded.append(leaving.pop())
        self._apply(folded)
        self._is_fitting = False

    # -- inside ---------------------------------------------------------------------------------------------

    def _items(self) -> list[QLayoutItem]:
        found = (self._layout.itemAt(at) for at in range(self._layout.count()))
        return [item for item in found if item is not None]

    def _parts(self) -> list[QWidget]:
        """Return all widgets of the row in order, including folded ones."""
        widgets = (item.widget() for item in self._items())
        here = [one for one in widgets if one is not None and one is not self.button]
        known = [one for one in self._order if one in here or one in self._folded]
        for at, one in enumerate(here):  # New widgets come after the widget that precedes them.
            if one not in known:
                known.insert(known.index(here[at - 1]) + 1 if at else 0, one)
        self._order = known
        return list(known)

    def _width_of(self, parts: list[QWidget], folded: list[QWidget] | None = None) -> int:
        shown = [self._least(one) for one in parts if one is self.button or not one.isHidden()]
        if folded:
            shown.append(self.button.sizeHint().width())
        margins = self._layout.contentsMargins()
        gaps = max(len(shown) - 1, 0) * self._layout.spacing()
        spacers = (item.spacerItem() for item in self._items())
        spaces = sum(one.minimumSize().width() for one in spacers if one is not None)
        return sum(shown) + gaps + spaces + margins.left() + margins.right()

    def _least(self, widget: QWidget) -> int:
        if widget is self.button:
            return widget.sizeHint().width()
        if self.panel.is_widened(widget):
            return control_height(self._row) if not widget.isHidden() else 0
        return self.least_of(widget)

    def _apply(self, folded: list[QWidget]) -> None:
        if set(folded) == set(self._folded):
            return
        parts = self._order
        for widget in [one for one in self._folded if one not in folded]:
            self._folded.remove(widget)
            before = [one for one in parts[: parts.index(widget)] if one not in self._folded]
            at = self._layout.indexOf(before[-1]) + 1 if before else 0
            self.panel.give_back(widget, self._row, self._layout, at)
        for widget in folded:
            if widget not in self._folded:
                self._layout.removeWidget(widget)
                self._folded.append(widget)
        self._folded.sort(key=parts.index)
        self.panel.hold(self._folded)
        if not self._folded:
            self.button.hide()
            self.panel.hide()
            return
        first = next((one for one in parts[parts.index(self._folded[-1]) :] if one not in self._folded), None)
        self._layout.removeWidget(self.button)
        at = self._layout.indexOf(first) if first is not None else self._layout.count()
        self._layout.insertWidget(at, self.button)
        self.button.show()

    def _open(self) -> None:
        self.panel.show_below(self.button)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            before, self._least_px = self._least_px, None
            self.fit()
            if before is not None and self.least_px() != before:
                self._row.updateGeometry()
        elif event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self.fit()
        return super().eventFilter(watched, event)


class FoldingRow(QWidget):
    """A row of controls over a page, which folds before it widens the page."""

    def __init__(self, *parts: Part, parent: QWidget, folded_last_to_first: Sequence[QWidget]) -> None:
        super().__init__(parent)
        self.folding = Folding(self, hbox(*parts, on=self, margins=(8, 4, 8, 4), spacing=8))
        for rank, one in enumerate(folded_last_to_first):
            self.folding.add(one, rank)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.folding.least_px(), super().minimumSizeHint().height())


class FoldedPanel(QWidget):
    """Opens below its button and closes by a click elsewhere; buttons show their words there."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._column = vbox(on=self, margins=(_MARGIN, _MARGIN, _MARGIN, _MARGIN), spacing=4)
        self._widened: list[QToolButton] = []

    def is_widened(self, widget: QWidget) -> bool:
        """Return True if a button shows words here that it does not show in the row."""
        return widget in self._widened

    def hold(self, widgets: list[QWidget]) -> None:
        """Show widgets one below the other."""
        for at, widget in enumerate(widgets):
            if self._column.indexOf(widget) >= 0:
                continue
            is_hidden = widget.isHidden()
            self._column.insertWidget(at, widget, 0, Qt.AlignmentFlag.AlignLeft)
            if isinstance(widget, QToolButton):
                widget.clicked.connect(self.hide)
                if widget.toolButtonStyle() is _ICON and widget.text() and not widget.icon().isNull():
                    self._widened.append(widget)
                    widget.setToolButtonStyle(_WORDS)
            widget.setVisible(not is_hidden)

    def give_back(self, widget: QWidget, row: QWidget, layout: QHBoxLayout, at: int) -> None:
        """Put a widget into the row again."""
        is_hidden = widget.isHidden()
        self._column.removeWidget(widget)
        if isinstance(widget, QToolButton):
            widget.clicked.disconnect(self.hide)
            if widget in self._widened:
                self._widened.remove(widget)
                widget.setToolButtonStyle(_ICON)
        widget.setParent(row)
        layout.insertWidget(at, widget)
        widget.setVisible(not is_hidden)

    def forget(self, widget: QWidget) -> None:
        """Leave a widget out that its owner takes away."""
        self._column.removeWidget(widget)
        self._widened = [one for one in self._widened if one is not widget]

    def show_below(self, button: QWidget) -> None:
        """Open with the right edge at that of a button."""
        self.setFont(button.font())
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width() - self.width(), button.height()))
        room = button.screen().availableGeometry()
        corner.setX(max(room.left(), corner.x()))
        corner.setY(min(corner.y(), room.bottom() - self.height()))
        self.move(corner)
        self.show()
        QApplication.sendEvent(self, QEvent(QEvent.Type.PolishRequest))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
            paint.frame(painter, self.rect(), "line2")
