"""How headers, tabs, boxes, sliders and bars are drawn; called by the style alone."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionComboBox,
    QStyleOptionMenuItem,
    QStyleOptionProgressBar,
    QStyleOptionSlider,
    QStyleOptionSpinBox,
    QWidget,
)

from fsconsole.console.style import paint
from fsconsole.console.style.controls import (
    DOWN,
    ENABLED,
    FOCUS,
    HOVER,
    KEYBOARD,
    SELECTED,
    ElementPainter,
    arrow_ink,
    field_border,
    is_on,
    nothing,
)
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text

_Control = QStyle.ControlElement
_Sub = QStyle.SubControl
_Hint = QStyle.StyleHint


def painters() -> dict[QStyle.ControlElement, ElementPainter]:
    """Return the control elements drawn here whole, each with its painter."""
    return {
        _Control.CE_HeaderSection: _header_section,
        _Control.CE_HeaderEmptyArea: _header_empty,
        _Control.CE_MenuBarItem: _menu_bar_item,
        _Control.CE_MenuBarEmptyArea: _menu_bar,
        _Control.CE_ToolBar: _tool_bar,
        _Control.CE_TabBarTabShape: _tab_shape,
        _Control.CE_ProgressBarGroove: _progress_groove,
        _Control.CE_ProgressBarContents: _progress_contents,
        _Control.CE_Splitter: nothing,
        _Control.CE_SizeGrip: nothing,
    }


def _header_section(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    hover = is_on(option, HOVER) and is_on(option, ENABLED)
    painter.fillRect(option.rect, colour("hover" if hover else "raised"))
    paint.rule(painter, option.rect, Qt.Edge.RightEdge)
    paint.rule(painter, option.rect, Qt.Edge.BottomEdge)


def _header_empty(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    painter.fillRect(option.rect, colour("raised"))
    paint.rule(painter, option.rect, Qt.Edge.BottomEdge)


def _menu_bar(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    painter.fillRect(option.rect, colour("raised"))


def _menu_bar_item(option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
    painter.fillRect(option.rect, colour("raised"))
    if is_on(option, SELECTED):
        paint.box(painter, option.rect, "sel" if is_on(option, DOWN) else "hover")
    underline = Qt.TextFlag.TextShowMnemonic
    if widget is not None and not widget.style().styleHint(_Hint.SH_UnderlineShortcut, option, widget):
        underline = Qt.TextFlag.TextHideMnemonic
    painter.setPen(option.palette.color(QPalette.ColorRole.ButtonText))
    text = cast("QStyleOptionMenuItem", option).text
    draw_text(painter, option.rect, Qt.AlignmentFlag.AlignCenter | underline, text)


def _tool_bar(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    painter.fillRect(option.rect, colour("raised"))
    paint.rule(painter, option.rect, Qt.Edge.BottomEdge)


def _tab_shape(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    rect = option.rect
    selected = is_on(option, SELECTED)
    hover = is_on(option, HOVER) and is_on(option, ENABLED)
    painter.fillRect(rect, colour("surface" if selected else "hover" if hover else "raised"))
    if selected:
        painter.fillRect(rect.x(), rect.bottom() - 1, rect.width(), 2, colour("accent"))
    else:
        paint.rule(painter, rect, Qt.Edge.BottomEdge)
    if is_on(option, FOCUS) and is_on(option, KEYBOARD):
        paint.box(painter, rect.adjusted(2, 2, -2, -4), "", "accent", radius=paint.BOX_RADIUS)


def _progress_groove(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    paint.track(painter, option.rect)


def _progress_contents(option: QStyleOption, painter: QPainter, _widget: QWidget | None) -> None:
    bar = cast("QStyleOptionProgressBar", option)
    rect = QRect(option.rect)
    if bar.maximum > bar.minimum:
        done = (bar.progress - bar.minimum) / (bar.maximum - bar.minimum)
        rect.setWidth(round(rect.width() * min(max(done, 0.0), 1.0)))
    if bar.progress >= bar.minimum:
        painter.fillRect(rect, colour("accent"))


def combo_box(style: QProxyStyle, option: QStyleOptionComboBox, painter: QPainter, widget: QWidget) -> None:
    """Paint a box with a triangle at its right end."""
    if option.frame:
        border, width = field_border(option, widget)
        lit = is_on(option, HOVER) and is_on(option, ENABLED) and not option.editable
        ground = "hover" if lit else "surface" if is_on(option, ENABLED) else "raised"
        paint.box(painter, option.rect, ground, border, border_width=width)
    place = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, _Sub.SC_ComboBoxArrow, widget)
    paint.arrow(painter, place, up=False, ink=arrow_ink(option))


def spin_box(style: QProxyStyle, option: QStyleOptionSpinBox, painter: QPainter, widget: QWidget) -> None:
    """Paint a box with two small triangles at its right end."""
    if option.frame:
        border, width = field_border(option, widget)
        ground = "surface" if is_on(option, ENABLED) else "raised"
        paint.box(painter, option.rect, ground, border, border_width=width)
    for up, sub in ((True, _Sub.SC_SpinBoxUp), (False, _Sub.SC_SpinBoxDown)):
        if sub in option.subControls:
            place = style.subControlRect(QStyle.ComplexControl.CC_SpinBox, option, sub, widget)
            paint.arrow(painter, place, up=up, ink=arrow_ink(option), width=7)


def scroll_bar(option: QStyleOptionSlider, painter: QPainter) -> None:
    """Paint a thin bar without arrows on the ground of the view."""
    painter.fillRect(option.rect, colour("surface"))
    if option.maximum <= option.minimum:
        return
    part = scroll_bar_part(option, _Sub.SC_ScrollBarSlider).adjusted(2, 2, -2, -2)
    held = is_on(option, DOWN) or is_on(option, HOVER)
    paint.box(painter, part, "edge" if held else "line2", radius=3)


def scroll_bar_part(option: QStyleOptionSlider, sub: QStyle.SubControl) -> QRect:
    """Return the place of the slider, the groove or the page areas beside the slider."""
    rect = option.rect
    if sub is _Sub.SC_ScrollBarGroove:
        return QRect(rect)
    horizontal = option.orientation is Qt.Orientation.Horizontal
    length = rect.width() if horizontal else rect.height()
    start, size = _slider_span(option, length)
    if sub is _Sub.SC_ScrollBarSubPage:
        start, size = 0, start
    elif sub is _Sub.SC_ScrollBarAddPage:
        start, size = start + size, length - start - size
    elif sub is not _Sub.SC_ScrollBarSlider:
        return QRect()
    if horizontal:
        return QRect(rect.x() + start, rect.y(), size, rect.height())
    return QRect(rect.x(), rect.y() + start, rect.width(), size)


def _slider_span(option: QStyleOptionSlider, length: int) -> tuple[int, int]:
    reach = option.maximum - option.minimum
    if reach <= 0:
        return 0, length
    size = min(max(length * option.pageStep // (reach + option.pageStep), 24), length)
    start = QStyle.sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, length - size, option.upsideDown
    )
    return start, size


def slider(style: QProxyStyle, option: QStyleOptionSlider, painter: QPainter, widget: QWidget) -> None:
    """Paint a track of 4 px, in accent up to a round handle."""
    kind = QStyle.ComplexControl.CC_Slider
    handle = style.subControlRect(kind, option, _Sub.SC_SliderHandle, widget)
    rect, middle = option.rect, handle.center()
    filled = "accent" if is_on(option, ENABLED) else "line2"
    if option.orientation is Qt.Orientation.Horizontal:
        track = QRect(rect.x(), middle.y() - 1, rect.width(), 4)
        done = QRect(track.x(), track.y(), middle.x() - track.x(), 4)
    else:
        track = QRect(middle.x() - 1, rect.y(), 4, rect.height())
        done = QRect(track.x(), middle.y(), 4, rect.bottom() - middle.y())
    paint.box(painter, track, "track", radius=2)
    paint.box(painter, done, filled, radius=2)
    knob = QRect(0, 0, 14, 14)
    knob.moveCenter(middle)
    paint.box(painter, knob, "surface", filled, border_width=2, radius=7)
    if is_on(option, FOCUS) and is_on(option, KEYBOARD):
        paint.box(painter, rect, "", "accent", radius=paint.BOX_RADIUS)
