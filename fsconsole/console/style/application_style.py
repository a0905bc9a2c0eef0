"""The console's style: Fusion with the shapes, sizes and colours of the specification.

Widgets that look special say so by the dynamic property `look` (a word of `Look`); how high controls
are is the property `controlHeight` of the nearest ancestor that has one. No style sheets.
"""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QLocale, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QImage, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QStyleOptionComboBox,
    QStyleOptionComplex,
    QStyleOptionHeader,
    QStyleOptionSlider,
    QStyleOptionSpinBox,
    QStyleOptionTab,
    QStyleOptionToolButton,
    QTabBar,
    QWidget,
)

from fsconsole.console.style import complex_controls, controls, paint, primitive_elements
from fsconsole.console.style.fonts import install_fonts, semibold
from fsconsole.console.style.header_titles import lines_that_fit, title_lines
from fsconsole.console.style.kinds import fits
from fsconsole.console.style.plain_words import PlainWords
from fsconsole.console.style.roles import describe_choice, install_roles
from fsconsole.console.style.sizes import row_px, scaled, tall
from fsconsole.console.style.theme import ThemeMode, qpalette, theme

HEADER_HEIGHT = 24
CONTROL_HEIGHT = 28
MENU_ROW_HEIGHT = 26
TAB_HEIGHT = 28
FIELD_MARGIN = 4

_Primitive = QStyle.PrimitiveElement
_Control = QStyle.ControlElement
_Complex = QStyle.ComplexControl
_Metric = QStyle.PixelMetric
_Hint = QStyle.StyleHint
_Contents = QStyle.ContentsType
_Sub = QStyle.SubControl
_Element = QStyle.SubElement

_METRICS: dict[QStyle.PixelMetric, int] = {
    _Metric.PM_ScrollBarExtent: 10,
    _Metric.PM_TabBarScrollButtonWidth: 24,
    _Metric.PM_ScrollBarSliderMin: 24,
    _Metric.PM_ScrollView_ScrollBarOverlap: 0,
    _Metric.PM_SplitterWidth: 4,
    _Metric.PM_DockWidgetSeparatorExtent: 4,
    _Metric.PM_DockWidgetTitleMargin: 6,
    _Metric.PM_SmallIconSize: 16,
    _Metric.PM_ButtonIconSize: 16,
    _Metric.PM_ToolBarIconSize: 16,
    _Metric.PM_TabBarIconSize: 16,
    _Metric.PM_IndicatorWidth: 14,
    _Metric.PM_IndicatorHeight: 14,
    _Metric.PM_ExclusiveIndicatorWidth: 14,
    _Metric.PM_ExclusiveIndicatorHeight: 14,
    _Metric.PM_TreeViewIndentation: 16,
    _Metric.PM_ToolBarItemSpacing: 4,
    _Metric.PM_ToolBarItemMargin: 0,
    _Metric.PM_ToolBarFrameWidth: 0,
    _Metric.PM_ToolBarSeparatorExtent: 17,
    _Metric.PM_ButtonShiftHorizontal: 0,
    _Metric.PM_ButtonShiftVertical: 0,
    _Metric.PM_TabBarTabShiftVertical: 0,
    _Metric.PM_TabBarTabShiftHorizontal: 0,
    _Metric.PM_TabBarTabHSpace: 24,
    _Metric.PM_TabBarTabOverlap: 0,
    _Metric.PM_TabBarBaseOverlap: 0,
    _Metric.PM_MenuBarPanelWidth: 0,
    _Metric.PM_MenuPanelWidth: 1,
    _Metric.PM_MenuVMargin: 4,
    _Metric.PM_FocusFrameHMargin: 5,
    _Metric.PM_HeaderMargin: 4,
    _Metric.PM_SliderLength: 14,
    _Metric.PM_SliderThickness: 20,
    _Metric.PM_SliderControlThickness: 14,
}

_GROW = frozenset(
    (
        _Metric.PM_SmallIconSize,
        _Metric.PM_ButtonIconSize,
        _Metric.PM_ToolBarIconSize,
        _Metric.PM_TabBarIconSize,
        _Metric.PM_IndicatorWidth,
        _Metric.PM_IndicatorHeight,
        _Metric.PM_ExclusiveIndicatorWidth,
        _Metric.PM_ExclusiveIndicatorHeight,
        _Metric.PM_TreeViewIndentation,
        _Metric.PM_ScrollBarExtent,
    )
)  # Sizes of elements beside text.

_HINTS: dict[QStyle.StyleHint, int] = {
    _Hint.SH_ItemView_ShowDecorationSelected: 1,
    _Hint.SH_Widget_Animation_Duration: 0,
    _Hint.SH_Widget_Animate: 0,
    _Hint.SH_DialogButtonBox_ButtonsHaveIcons: 0,
    _Hint.SH_ScrollBar_Transient: 0,
    _Hint.SH_EtchDisabledText: 0,
    _Hint.SH_ToolBar_Movable: 0,
    _Hint.SH_ComboBox_Popup: 0,
    _Hint.SH_TabBar_Alignment: int(Qt.AlignmentFlag.AlignLeft),
    _Hint.SH_Widget_ShareActivation: 0,  # As in Fusion, but asked for thousands of times for each window.
}

_TAB_ROOM = 4
_BESIDE_ICON_PX = 4
_MIN_HEIGHTS: dict[QStyle.ContentsType, int] = {
    _Contents.CT_MenuItem: MENU_ROW_HEIGHT,
    _Contents.CT_TabBarTab: TAB_HEIGHT,
    _Contents.CT_HeaderSection: HEADER_HEIGHT,
}
_CONTROLS = (
    _Contents.CT_PushButton,
    _Contents.CT_ComboBox,
    _Contents.CT_LineEdit,
    _Contents.CT_SpinBox,
    _Contents.CT_ToolButton,
)


class ConsoleStyle(QProxyStyle):
    """Fusion drawn the console's way."""

    def __init__(self) -> None:
        super().__init__("Fusion")
        self._words = PlainWords()
        self._primitives: dict[QStyle.PrimitiveElement, _PrimitivePainter] = primitive_elements.painters()
        self._controls: dict[QStyle.ControlElement, _ControlPainter] = {
            _Control.CE_PushButtonLabel: self._push_button_label,
            _Control.CE_ToolButtonLabel: self._tool_button_label,
            _Control.CE_HeaderLabel: self._header_label,
            _Control.CE_TabBarTabLabel: self._tab_label,
            _Control.CE_ComboBoxLabel: self._combo_box_label,
            **complex_controls.painters(),
        }

    def _push_button_label(self, option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
        if controls.is_primary(option) and controls.is_on(option, controls.ENABLED):
            controls.ink(option, QPalette.ColorRole.ButtonText, "onaccent")
            painter.setFont(semibold(painter.font()))
        super().drawControl(_Control.CE_PushButtonLabel, option, painter, widget)

    def _combo_box_label(self, option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
        """Paint the label elided, since Qt cuts it in the middle of a letter."""
        box = cast("QStyleOptionComboBox", option)
        room = self.subControlRect(_Complex.CC_ComboBox, box, QStyle.SubControl.SC_ComboBoxEditField, widget)
        icon = 0 if box.currentIcon.isNull() else box.iconSize.width() + _BESIDE_ICON_PX
        width = room.width() - icon - 2
        box.currentText = box.fontMetrics.elidedText(box.currentText, Qt.TextElideMode.ElideRight, width)
        super().drawControl(_Control.CE_ComboBoxLabel, box, painter, widget)

    def _tool_button_label(self, option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
        controls.prepare_tool_button(option, widget)
        super().drawControl(_Control.CE_ToolButtonLabel, option, painter, widget)

    def _header_label(self, option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
        controls.ink(option, QPalette.ColorRole.ButtonText, "muted")
        option.rect = option.rect.adjusted(2, 0, -2, 0)
        # Fusion draws the name of a selected section in bold, but the current column has no meaning here.
        option.state &= ~QStyle.StateFlag.State_On
        if isinstance(option, QStyleOptionHeader):
            metrics, room = option.fontMetrics, option.rect
            lines = title_lines(option.text, metrics, room.width(), lines_that_fit(metrics, room.height()))
            option.text = "\n".join(lines)
        super().drawControl(_Control.CE_HeaderLabel, option, painter, widget)

    def _tab_label(self, option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
        selected = controls.is_on(option, controls.SELECTED)
        controls.ink(option, QPalette.ColorRole.WindowText, "text" if selected else "muted")
        if selected:
            painter.setFont(semibold(painter.font()))
        if isinstance(option, QStyleOptionTab):  # Qt elides it to its width in the regular weight.
            room_px = (
                self.subElementRect(_Element.SE_TabBarTabText, option, cast("QWidget", widget)).width() + 1
            )
            metrics = QFontMetrics(painter.font())
            mode = Qt.TextElideMode.ElideRight
            if isinstance(widget, QTabBar) and widget.elideMode() is Qt.TextElideMode.ElideMiddle:
                mode = Qt.TextElideMode.ElideMiddle
            option.text = metrics.elidedText(option.text, mode, room_px)
        super().drawControl(_Control.CE_TabBarTabLabel, option, painter, widget)

    def _tool_button(self, option: QStyleOptionToolButton, painter: QPainter, widget: QWidget | None) -> None:
        primitive_elements.tool_button_ground(option, painter, widget)
        has_menu = controls.opens_menu(widget)
        if has_menu:
            # Fusion would draw its triangle in the lower corner.
            option.features &= ~QStyleOptionToolButton.ToolButtonFeature.HasMenu
        super().drawComplexControl(_Complex.CC_ToolButton, option, painter, widget)
        if has_menu:
            paint.arrow(painter, controls.menu_arrow_rect(option), up=False, ink=controls.arrow_ink(option))

    def _scroll_bar_rect(self, option: QStyleOptionSlider, sub: QStyle.SubControl) -> QRect:
        if sub in (_Sub.SC_ScrollBarAddLine, _Sub.SC_ScrollBarSubLine):
            return QRect()
        return complex_controls.scroll_bar_part(option, sub)

    def polish(self, target: QApplication | QPalette | Qt.GlobalColor | QColor | QWidget) -> None:
        """Give editors room beside their text, rows hover, choices a description, and labels plain words."""
        super().polish(target)
        if isinstance(target, QLineEdit):
            target.setTextMargins(FIELD_MARGIN, 0, FIELD_MARGIN, 0)
            target.setAcceptDrops(False)  # A file that is dropped is opened, wherever that is.
        elif isinstance(target, QAbstractItemView):
            target.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        elif isinstance(target, QComboBox | QTabBar):
            describe_choice(target)
        elif isinstance(target, QLabel):
            self._words.make_plain(target)

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        found = self._primitives.get(element)
        if found is None or not fits(element, option):
            super().drawPrimitive(element, option, painter, widget)
        else:
            found(option, painter, widget)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        found = self._controls.get(element)
        if found is None or not fits(element, option):
            super().drawControl(element, option, painter, widget)
        else:
            found(option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if not fits(control, option):
            super().drawComplexControl(control, option, painter, widget)
        elif control is _Complex.CC_ComboBox:
            complex_controls.combo_box(
                self, cast("QStyleOptionComboBox", option), painter, cast("QWidget", widget)
            )
        elif control is _Complex.CC_SpinBox:
            complex_controls.spin_box(
                self, cast("QStyleOptionSpinBox", option), painter, cast("QWidget", widget)
            )
        elif control is _Complex.CC_ScrollBar:
            complex_controls.scroll_bar(cast("QStyleOptionSlider", option), painter)
        elif control is _Complex.CC_ToolButton:
            self._tool_button(cast("QStyleOptionToolButton", option), painter, widget)
        elif control is _Complex.CC_Slider:
            complex_controls.slider(
                self, cast("QStyleOptionSlider", option), painter, cast("QWidget", widget)
            )
        else:
            super().drawComplexControl(control, option, painter, widget)

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        sub: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        # Scroll bars do not have arrows, so the slider can use the whole length.
        if control is _Complex.CC_ScrollBar and fits(control, option):
            return self._scroll_bar_rect(cast("QStyleOptionSlider", option), sub)
        found = super().subControlRect(control, option, sub, cast("QWidget", widget))
        if sub is _Sub.SC_ComboBoxEditField and control is _Complex.CC_ComboBox:
            found.adjust(FIELD_MARGIN, 0, 0, 0)
        return found

    def sizeFromContents(
        self, kind: QStyle.ContentsType, option: QStyleOption, size: QSize, widget: QWidget | None = None
    ) -> QSize:
        made = super().sizeFromContents(kind, option, size, cast("QWidget", widget))
        if kind is _Contents.CT_ScrollBar:
            return made
        if kind is _Contents.CT_ItemViewItem:
            made.setHeight(max(row_px(), size.height()))
        elif not fits(kind, option):
            return made
        elif kind in _CONTROLS:
            made = controls.control_size(kind, option, made, widget)
        elif kind in _MIN_HEIGHTS and not controls.is_menu_rule(kind, option):
            made.setHeight(
                max(tall(_MIN_HEIGHTS[kind]), made.height() if kind is _Contents.CT_MenuItem else 0)
            )
            if kind is _Contents.CT_TabBarTab:
                made.setWidth(made.width() + _TAB_ROOM + controls.semibold_excess(option))
        return made

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        # Sizes of the specification, otherwise those of Fusion.
        found = _METRICS.get(metric)
        if found is None:
            return super().pixelMetric(metric, option, widget)
        return scaled(found) if metric in _GROW else found

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        answer: QStyleHintReturn | None = None,
    ) -> int:
        # No animations. Whole rows are selected.
        found = _HINTS.get(hint)
        return found if found is not None else super().styleHint(hint, option, widget, answer)

    def generatedIconPixmap(
        self, mode: QIcon.Mode, pixmap: QPixmap | QImage, option: QStyleOption
    ) -> QPixmap:
        # Chips and icons keep their colours in selected rows.
        if mode is QIcon.Mode.Selected:
            return QPixmap(pixmap)
        return super().generatedIconPixmap(mode, pixmap, option)

    def standardPalette(self) -> QPalette:
        return qpalette(theme().palette)


_PrimitivePainter = Callable[[QStyleOption, QPainter, QWidget | None], None]
_ControlPainter = Callable[[QStyleOption, QPainter, QWidget | None], None]


def install_look(app: QApplication, mode: ThemeMode = "system") -> ConsoleStyle:
    """Give the application the console's formats, theme, fonts and style; the caller keeps the style."""
    install_formats()
    install_roles()
    theme().set_mode(mode)
    install_fonts(app)
    style = ConsoleStyle()
    app.setStyle(style)
    app.setPalette(qpalette(theme().palette))
    return style


def use_utf8() -> None:
    """Give Qt a UTF-8 locale where the environment has none, such as with LC_ALL=C.

    Call it before the application is made: Qt would switch to C.UTF-8 itself, but with a notice on stderr.
    """
    if sys.platform != "win32" and locale.nl_langinfo(locale.CODESET).upper() not in ("UTF-8", "UTF8"):
        os.environ["LC_ALL" if os.environ.get("LC_ALL") else "LC_CTYPE"] = "C.UTF-8"


def install_formats() -> None:
    """Let Qt and C read and write numbers with a point and without separators, and dates in English.

    Call it once the application is there: Qt sets the locale of the C library from the environment then.
    """
    plain = QLocale.c()
    plain.setNumberOptions(
        QLocale.NumberOption.OmitGroupSeparator | QLocale.NumberOption.RejectGroupSeparator
    )
    QLocale.setDefault(plain)
    for category in (locale.LC_NUMERIC, locale.LC_TIME):
        locale.setlocale(category, "C")
