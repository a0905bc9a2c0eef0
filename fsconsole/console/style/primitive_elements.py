"""How the primitive elements of controls are drawn; called by the style alone."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QBrush, QColor, QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QStyle,
    QStyleOption,
    QStyleOptionFrame,
    QStyleOptionHeader,
    QStyleOptionToolButton,
    QStyleOptionViewItem,
    QWidget,
)

from fsconsole.console.style import paint
from fsconsole.console.style.controls import (
    CHILDREN,
    DOWN,
    ENABLED,
    FOCUS,
    HORIZONTAL,
    HOVER,
    KEYBOARD,
    ON,
    OPEN,
    PARTLY,
    READ_ONLY,
    SELECTED,
    ElementPainter,
    arrow_ink,
    field_border,
    is_on,
    is_primary,
    look_of,
    nothing,
)
from fsconsole.console.style.theme import colour

_Primitive = QStyle.PrimitiveElement


def painters() -> dict[QStyle.PrimitiveElement, ElementPainter]:
    """Return the primitive elements drawn here, each with its painter."""
    return {
        _Primitive.PE_PanelButtonCommand: _push_button,
        _Primitive.PE_FrameDefaultButton: nothing,
        _Primitive.PE_PanelButtonTool: _tool_button,
        _Primitive.PE_FrameButtonTool: nothing,
        _Primitive.PE_PanelLineEdit: _line_edit,
        _Primitive.PE_FrameLineEdit: _line_edit_frame,
        _Primitive.PE_Frame: _frame,
        _Primitive.PE_FrameDockWidget: _frame,
        _Primitive.PE_FrameMenu: _menu_frame,
        _Primitive.PE_PanelMenu: _menu_panel,
        _Primitive.PE_PanelTipLabel: _tip,
        _Primitive.PE_IndicatorBranch: _branch,
        _Primitive.PE_IndicatorCheckBox: _check_box,
        _Primitive.PE_IndicatorItemViewItemCheck: _check_box,
        _Primitive.PE_IndicatorRadioButton: _radio,
        _Primitive.PE_IndicatorArrowDown: _arrow_down,
        _Primitive.PE_IndicatorArrowUp: _arrow_up,
        _Primitive.PE_IndicatorHeaderArrow: _header_arrow,
        _Primitive.PE_PanelItemViewRow: _row,
        _Primitive.PE_PanelItemViewItem: _cell,
        _Primitive.PE_IndicatorDockWidgetResizeHandle: nothing,
        _Primitive.PE_PanelStatusBar: _status_bar,
        _Primitive.PE_FrameStatusBarItem: nothing,
        _Primitive.PE_FrameTabBarBase: _tab_base,
        _Primitive.PE_FrameFocusRect: _focus,
        _Primitive.PE_IndicatorToolBarSeparator: _tool_bar_rule,
        _Primitive.PE_IndicatorItemViewItemDrop: _drop_mark,
    }


def _push_button(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    enabled, focus = is_on(option, ENABLED), is_on(option, FOCUS)
    rect = option.rect
    if is_primary(option) and enabled:
        _primary_button(option, painter, focus=focus)
        return
    ground = (
        "sel" if is_on(option, DOWN) or is_on(option, ON) else "hover" if is_on(option, HOVER) else "raised"
    )
    if not enabled:
        paint.box(painter, rect, "raised", "line2")
    elif focus:
        paint.box(painter, rect, ground, "accent", border_width=2)
    else:
        paint.box(painter, rect, ground, "edge")


def _primary_button(option: QStyleOption, painter: QPainter, *, focus: bool) -> None:
    rect = option.rect
    paint.box(painter, rect, "accent")
    if focus:
        paint.box(painter, rect.adjusted(2, 2, -2, -2), "accent", "onaccent", radius=paint.RADIUS - 1)
    if is_on(option, DOWN) or is_on(option, HOVER):
        shade = QColor(colour("text" if is_on(option, DOWN) else "onaccent"))
        shade.setAlphaF(0.12)
        painter.fillRect(rect.adjusted(2, 2, -2, -2), shade)


def _tool_button(option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
    look, rect = look_of(widget), option.rect
    if look == "tab":
        _workspace_tab(option, painter)
        return
    enabled = is_on(option, ENABLED)
    down, hover = is_on(option, DOWN), is_on(option, HOVER) and enabled
    if look == "boxed":
        paint.box(
            painter, rect, "sel" if down else "hover" if hover else "surface", "edge" if enabled else "line2"
        )
    elif enabled and (look == "primary" or is_on(option, ON)):
        paint.box(painter, rect, "sel", "accent")
    elif down or hover:
        paint.box(painter, rect, "sel" if down else "hover")
    if is_on(option, FOCUS) and is_on(option, KEYBOARD):
        paint.box(painter, rect, "", "accent")


def tool_button_ground(option: QStyleOptionToolButton, painter: QPainter, widget: QWidget | None) -> None:
    """Paint the ground of tool buttons that always have one; Qt paints only the others'."""
    if look_of(widget) in ("boxed", "primary"):
        _tool_button(option, painter, widget)


def _workspace_tab(option: QStyleOption, painter: QPainter) -> None:
    rect = option.rect
    current = is_on(option, ON)
    if current:
        painter.fillRect(rect, colour("surface"))
        painter.fillRect(rect.x(), rect.bottom() - 1, rect.width(), 2, colour("accent"))
    elif is_on(option, HOVER) and is_on(option, ENABLED):
        painter.fillRect(rect, colour("hover"))
    if is_on(option, FOCUS) and is_on(option, KEYBOARD):
        paint.box(painter, rect.adjusted(2, 2, -2, -4), "", "accent")


def _line_edit(option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
    if cast("QStyleOptionFrame", option).lineWidth <= 0:
        if not _is_inside_box(widget):
            painter.fillRect(option.rect, colour("surface"))
        return
    is_taking = is_on(option, ENABLED) and not is_on(option, READ_ONLY)
    paint.box(painter, option.rect, "surface" if is_taking else "raised")
    _line_edit_frame(option, painter, widget)


def _line_edit_frame(option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
    border, width = field_border(option, widget)
    paint.box(painter, option.rect, "", border, border_width=width)


def _frame(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    paint.frame(painter, option.rect)


def _menu_panel(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    painter.fillRect(option.rect, colour("raised"))


def _menu_frame(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    paint.frame(painter, option.rect, "line2")


def _tip(option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
    painter.fillRect(option.rect, colour("surface"))
    _menu_frame(option, painter, widget)


def _branch(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    if is_on(option, CHILDREN):
        paint.chevron(
            painter,
            option.rect,
            is_open=is_on(option, OPEN),
            ink=colour("muted"),
            left_to_right=option.direction != Qt.LayoutDirection.RightToLeft,
        )


def _check_box(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    state = Qt.CheckState.Unchecked
    if is_on(option, PARTLY):
        state = Qt.CheckState.PartiallyChecked
    elif is_on(option, ON):
        state = Qt.CheckState.Checked
    focus = is_on(option, FOCUS) and is_on(option, KEYBOARD)
    paint.check_box(painter, option.rect, state, enabled=is_on(option, ENABLED), focus=focus)


def _radio(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    paint.radio(
        painter,
        option.rect,
        on=is_on(option, ON),
        enabled=is_on(option, ENABLED),
        focus=is_on(option, FOCUS) and is_on(option, KEYBOARD),
    )


def _arrow_down(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    paint.arrow(painter, option.rect, up=False, ink=arrow_ink(option))


def _arrow_up(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    paint.arrow(painter, option.rect, up=True, ink=arrow_ink(option))


def _header_arrow(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    """Paint the arrow up for ascending, which Qt calls SortDown."""
    indicator = cast("QStyleOptionHeader", option).sortIndicator
    up = indicator == QStyleOptionHeader.SortIndicator.SortDown
    paint.arrow(painter, option.rect, up=up, ink=colour("muted"), width=7)


def _row(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    item = cast("QStyleOptionViewItem", option)
    if is_on(option, SELECTED):
        painter.fillRect(option.rect, colour("sel"))
    elif QStyleOptionViewItem.ViewItemFeature.Alternate in item.features:
        painter.fillRect(option.rect, colour("alt"))


def _cell(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    item = cast("QStyleOptionViewItem", option)
    if is_on(option, SELECTED):
        painter.fillRect(option.rect, colour("sel"))
    elif is_on(option, HOVER) and is_on(option, ENABLED):
        painter.fillRect(option.rect, colour("hover"))
    elif item.backgroundBrush.style() is not Qt.BrushStyle.NoBrush:
        painter.fillRect(option.rect, QBrush(item.backgroundBrush))


def _status_bar(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    painter.fillRect(option.rect, colour("raised"))
    paint.rule(painter, option.rect, Qt.Edge.TopEdge)


def _tab_base(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    paint.rule(painter, option.rect, Qt.Edge.BottomEdge)


def _focus(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    if is_on(option, KEYBOARD):
        paint.box(painter, option.rect, "", "accent", radius=paint.BOX_RADIUS)


def _tool_bar_rule(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    rect = option.rect
    if is_on(option, HORIZONTAL):
        painter.fillRect(rect.center().x(), rect.center().y() - 11, 1, 22, colour("line"))
    else:
        painter.fillRect(rect.center().x() - 11, rect.center().y(), 22, 1, colour("line"))


def _drop_mark(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    """Paint the target of a dragged row: a frame on a row, or a line with a ring between rows."""
    rect = option.rect
    if rect.height() > 2:
        paint.box(painter, rect, "", "accent", border_width=2, radius=0)
        return
    painter.fillRect(rect.x() + 6, rect.y() - 1, rect.width() - 6, 2, colour("accent"))
    ring = QRect(0, 0, 8, 8)
    ring.moveCenter(QPoint(rect.x() + 4, rect.y()))
    paint.box(painter, ring, "surface", "accent", border_width=2, radius=4)


def _is_inside_box(widget: QWidget | None) -> bool:
    """Return True if a line edit is the text part of a combo or spin box, which draws the ground."""
    parent = widget.parentWidget() if widget is not None else None
    return isinstance(parent, QComboBox) or (parent is not None and parent.inherits("QAbstractSpinBox"))
