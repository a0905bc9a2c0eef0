"""The inside of the window: tool bar, line of notices, workspaces, status bar, from top to bottom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt, Slot
from PySide6.QtGui import QAction, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from fsconsole.console.actions import ActionTable
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.notice_line import NoticeLine
from fsconsole.console.notices import ReadingNotice
from fsconsole.console.status_line import StatusLine
from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import control_height, set_look
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import keep_height, scaled, tall
from fsconsole.console.style.theme import colour
from fsconsole.console.target_box import TargetBox
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.buttons import tool_button
from fsconsole.console.widgets.folding import Folding, least_width
from fsconsole.console.widgets.strip import Notice
from fsconsole.console.workspace import narrow_px
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.numbers import percent

HEIGHT = 42
_SEARCH_WIDTH = 154
_LEAST_PX = 640
_MARGIN, _SPACING, _RULE_PX = 10, 4, 17
_PAST_RULE = 3  # Height of the rule below the bar while the past is shown.
_WORDS, _ICON = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly


class Frame(QWidget):
    """The layout of the window's parts; the line of notices shows that a file is being read."""

    def __init__(
        self,
        bar: FrameBar,
        files: FileController,
        notices: Sequence[Notice],
        stack: QStackedWidget,
        status: StatusLine,
    ) -> None:
        """`notices` are those of all workspaces."""
        super().__init__()
        self.bar, self.stack, self.status = bar, stack, status
        self.reading = ReadingNotice(self.stack, files.cancel_reading)
        self._name = ""
        self.notices = NoticeLine(self.stack, self)
        self.notices.add((self.reading, *notices))
        vbox(bar, self.notices, (stack, 1), status, on=self)
        files.reading_began.connect(self._begin)
        files.reading_progressed.connect(self._on_reading_progressed)
        files.reading_ended.connect(self.reading.finish)

    @Slot(str)
    def _begin(self, name: str) -> None:
        self._name = name
        self.reading.start(f"Reading {name}")

    @Slot(float)
    def _on_reading_progressed(self, part: float) -> None:
        self.reading.start(f"Reading {self._name}, {percent(part, 0)}")


class FrameBar(QWidget):
    """Tabs | actions | stretch | past | search | target | mode.

    In a narrow window these give way, one after the other: words of actions, the words of the search, the
    target's name, words of the tabs that are not in front, actions (into a panel), the last tab's word. Past
    and mode never do.
    """

    accessible_role = Role.ToolBar

    def __init__(self, table: ActionTable, tabs: Iterable[str], search: str) -> None:
        """`tabs` are ids of the actions that show workspaces, `search` that of the command search."""
        super().__init__()
        self._table = table
        self._buttons: list[QToolButton] = []
        self._rules: list[_Rule] = []
        self._probe, self._tab_probe = _measure(self), _measure(self)
        set_look(self._tab_probe, "tab")
        keep_height(self, HEIGHT)
        self.setFont(ui_font())
        self._tabs = [self._tab(table.qaction(action_id)) for action_id in tabs]
        self._first_rule = _Rule(self)
        margins = (_MARGIN, 0, _MARGIN, 0)
        self._parts = hbox(*self._tabs, self._first_rule, STRETCH, on=self, margins=margins, spacing=_SPACING)
        self.folding = Folding(self, self._parts, watches=False)  # Tab goes to its button before the search.
        self.search = _SearchButton(table.qaction(search), self)
        self.target = TargetBox(self)
        self.target.widened.connect(self._arrange)
        for part in (self.search, self.target):
            self._parts.addWidget(part)
        self._mode: QWidget | None = None
        self._past: QWidget | None = None

    def show_past(self, widget: QWidget) -> None:
        """Put the button of the past before the search; it shows itself."""
        self._past = widget
        self._parts.insertWidget(self._parts.indexOf(self.search), widget)

    def show_actions(self, action_ids: Iterable[str]) -> None:
        """Put a workspace's actions on the bar; an empty id parts them."""
        for widget in (*self._buttons, *self._rules):
            self.folding.forget(widget)
            self._parts.removeWidget(widget)
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()
        self._buttons, self._rules = [], []
        at = self._parts.indexOf(self._first_rule) + 1
        for action_id in action_ids:
            if action_id and not self._table.is_present(self._table[action_id]):
                continue
            widget = self._action(action_id) if action_id else self._rule()
            self._parts.insertWidget(at, widget)
            at += 1
        self._arrange()

    def show_mode(self, widget: QWidget | None) -> None:
        """Put a workspace's own widget at the right end, instead of the last one."""
        if self._mode is not None:
            self._parts.removeWidget(self._mode)
            self._mode.hide()
        self._mode = widget
        if widget is not None:
            self._parts.addWidget(widget)
            widget.show()
        self._arrange()

    def _tab(self, action: QAction) -> QToolButton:
        made = tool_button(action, self, look="tab")
        keep_height(made, HEIGHT)
        made.setFont(ui_font("section"))
        action.toggled.connect(self._arrange)
        return made

    def _action(self, action_id: str) -> QToolButton:
        made = tool_button(self._table.qaction(action_id), self)
        made.show()  # Until Qt shows a button, it counts with width 0.
        self._buttons.append(made)
        self.folding.add(made, 0)
        return made

    def _rule(self) -> _Rule:
        made = _Rule(self)
        made.show()
        self._rules.append(made)
        return made

    # -- what has room --------------------------------------------------------------------------------------

    @Slot()
    def _arrange(self) -> None:
        """Let as little give way as the width needs."""
        level = next((one for one in _LEVELS if self._width_at(one) <= self.width()), _LEVELS[-1])
        if self.window().width() < narrow_px():
            level = max(level, _LEVELS[1], key=_LEVELS.index)
        for button in self._buttons:
            if button not in self.folding.folded:
                button.setToolButtonStyle(_WORDS if level.actions or button.icon().isNull() else _ICON)
        for tab in self._tabs:
            tab.setToolButtonStyle(_WORDS if self._has_word(tab, level) else _ICON)
        for rule in (self._first_rule, *self._rules):
            rule.setVisible(level.rules)
        self.search.set_short(is_short=not level.search)
        self.target.set_short(is_short=not level.target)
        self.folding.fit()

    def _has_word(self, tab: QToolButton, level: _Level) -> bool:
        return level.tabs == "all" or (level.tabs == "front" and tab.isChecked())

    def _width_at(self, level: _Level) -> int:
        """Return the least width of the bar while it gives way so far; folded actions count where `folds` is
        off.
        """
        shown = [self._words_of(tab, self._tab_probe, words=self._has_word(tab, level)) for tab in self._tabs]
        rules = 1 + len(self._rules) if level.rules else 0
        shown += [_RULE_PX] * rules
        if level.folds:
            shown.append(self.folding.button.sizeHint().width() if self._buttons else 0)
        else:
            shown += [
                self._words_of(button, self._probe, words=level.actions or button.icon().isNull())
                for button in self._buttons
            ]
        shown.append(self.search.width_of(is_short=not level.search))
        if not self.target.isHidden():
            shown.append(self.target.least_px(is_short=not level.target))
        shown += [least_width(one) for one in (self._past, self._mode) if one is not None]
        shown = [width for width in shown if width]
        return sum(shown) + (len(shown) - 1) * _SPACING + 2 * _MARGIN

    def _words_of(self, button: QToolButton, probe: QToolButton, *, words: bool) -> int:
        """Return the width of a button with or without its text."""
        probe.setFont(button.font())
        probe.setIcon(button.icon())
        probe.setText(button.text())
        probe.setToolButtonStyle(_WORDS if words else _ICON)
        return probe.sizeHint().width()

    def minimumSizeHint(self) -> QSize:
        # Room for marks and icons. Texts never determine the least width of the window.
        return QSize(_LEAST_PX, tall(HEIGHT))

    def event(self, event: QEvent) -> bool:
        # Some part may need another width now, such as the one that shows the mode.
        handled = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.StyleChange):
            self._arrange()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("raised"))
            paint.rule(painter, self.rect(), Qt.Edge.BottomEdge)
            if self._past is not None and not self._past.isHidden():
                painter.fillRect(0, self.height() - _PAST_RULE, self.width(), _PAST_RULE, colour("warn"))


@dataclass(frozen=True, slots=True)
class _Level:
    """What still has its words or its room; `folds` where actions may go into the panel."""

    actions: bool = False
    search: bool = False
    target: bool = False
    tabs: Literal["all", "front", "none"] = "all"
    rules: bool = True
    folds: bool = False


_LEVELS = (
    _Level(actions=True, search=True, target=True),
    _Level(search=True, target=True),
    _Level(target=True),
    _Level(),
    _Level(tabs="front"),
    _Level(tabs="front", rules=False),
    _Level(tabs="front", rules=False, folds=True),
    _Level(tabs="none", rules=False, folds=True),
)


def _measure(parent: QWidget) -> QToolButton:
    """Return a hidden button for measuring the width of others with text."""
    made = QToolButton(parent)
    made.setAutoRaise(True)
    made.hide()
    return made


class _Rule(QFrame):
    """Upright rule between groups of buttons."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedWidth(_RULE_PX)
        keep_height(self, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(_RULE_PX // 2, 11, 1, self.height() - 22, colour("line"))


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
        self._is_short = False

    def set_short(self, *, is_short: bool) -> None:
        """Show the icon alone, or the words too."""
        if is_short is not self._is_short:
            self._is_short = is_short
            self.setFixedWidth(self.width_of(is_short=is_short))
            self.update()

    def width_of(self, *, is_short: bool) -> int:
        """Return the width with the icon alone, or with the words."""
        return control_height(self) + 6 if is_short else scaled(_SEARCH_WIDTH)

    def sizeHint(self) -> QSize:
        return QSize(self.width_of(is_short=self._is_short), control_height(self))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.setFixedWidth(self.width_of(is_short=self._is_short))

    def paintEvent(self, _event: QPaintEvent) -> None:
        border, width = ("accent", 2) if self.hasFocus() else ("edge", 1)
        ground = "hover" if self.underMouse() else "surface"
        with QPainter(self) as painter:
            paint.box(painter, self.rect(), ground, border, border_width=width)
            icons.draw_icon(painter, "search", "muted", self.rect().adjusted(9, 0, 0, 0))
            if not self._is_short:
                self._draw_words(painter)

    def _draw_words(self, painter: QPainter) -> None:
        painter.setPen(colour("muted"))
        align = Qt.AlignmentFlag
        draw_text(
            painter,
            self.rect().adjusted(15 + scaled(16), 0, 0, 0),
            align.AlignVCenter | align.AlignLeft,
            "Commands",
        )
        keys = self.rect().adjusted(0, 0, -9, 0)
        metrics = painter.fontMetrics()
        needed = (
            15
            + scaled(16)
            + metrics.horizontalAdvance("Commands")
            + metrics.horizontalAdvance(f"  {self._keys}")
        )
        if needed <= keys.right():
            draw_text(painter, keys, align.AlignVCenter | align.AlignRight, self._keys)
