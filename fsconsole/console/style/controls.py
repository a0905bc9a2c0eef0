"""The properties of controls: state, look, size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionMenuItem,
    QStyleOptionTab,
    QStyleOptionToolButton,
    QToolButton,
    QWidget,
)

from fsconsole.console.style.fonts import semibold, ui_font
from fsconsole.console.style.sizes import scaled, tall
from fsconsole.console.style.theme import colour

Look = Literal["tab", "boxed", "primary", "error", ""]

_State = QStyle.StateFlag
ENABLED = _State.State_Enabled
SELECTED = _State.State_Selected
HOVER = _State.State_MouseOver
DOWN = _State.State_Sunken
ON = _State.State_On
READ_ONLY = _State.State_ReadOnly
PARTLY = _State.State_NoChange
FOCUS = _State.State_HasFocus
KEYBOARD = _State.State_KeyboardFocusChange
OPEN = _State.State_Open
CHILDREN = _State.State_Children
HORIZONTAL = _State.State_Horizontal

CONTROL_HEIGHT = 28
_NO_LOOK: Look = ""
_TAB_PADDING = 12
_WORD_PADDING = 6
_ICON_GAP = "\N{FOUR-PER-EM SPACE}"  # Fusion leaves 2 px between icon and text.
_MENU_ARROW = 16  # Room for the triangle of a button with a menu.
_SPARE = 8  # Width of the two blanks that Qt adds to a tool button's text.

ElementPainter = Callable[[QStyleOption, QPainter, QWidget | None], None]
_Contents = QStyle.ContentsType


def set_look(widget: QWidget, look: Look) -> None:
    """Have a widget drawn as a workspace tab, boxed or primary tool button, or a field in error."""
    if widget.property("look") != look:
        widget.setProperty("look", look)
        widget.update()


def set_control_height(container: QWidget, height: int) -> None:
    """Set the height in px of the controls in a container: 28 at most places, 24 in docks."""
    container.setProperty("controlHeight", height)


def control_height(widget: QWidget | None) -> int:
    """Return the height of controls at a widget's place."""
    while widget is not None:
        height = widget.property("controlHeight")
        if height is not None:
            return tall(int(height))
        widget = widget.parentWidget()
    return tall(CONTROL_HEIGHT)


def is_on(option: QStyleOption, flag: QStyle.StateFlag) -> bool:
    """Return True if a state flag is set."""
    return flag in option.state


def is_primary(option: QStyleOption) -> bool:
    """Return True if a push button is the one that Enter presses.

    Fusion draws the ground of a menu's ticked icons as a button's, with a plain option.
    """
    if not isinstance(option, QStyleOptionButton):
        return False
    return QStyleOptionButton.ButtonFeature.DefaultButton in option.features


def ink(option: QStyleOption, role: QPalette.ColorRole, token: str) -> None:
    """Have Fusion draw an enabled control's text in a token's colour."""
    if is_on(option, ENABLED):
        palette = option.palette
        palette.setColor(role, colour(token))
        option.palette = palette


def prepare_tool_button(option: QStyleOption, widget: QWidget | None) -> None:
    """Colour and place of a tool button's icon and words, before Fusion draws them."""
    button = cast("QStyleOptionToolButton", option)
    if _has_words(button) and not button.icon.isNull():
        button.text = _ICON_GAP + button.text
    if look_of(widget) == "tab":
        ink(option, QPalette.ColorRole.ButtonText, "accent" if is_on(option, ON) else "muted")
        option.rect = option.rect.adjusted(_TAB_PADDING, 0, -_TAB_PADDING, 0)
    elif _has_words(cast("QStyleOptionToolButton", option)):
        arrow = scaled(_MENU_ARROW) if opens_menu(widget) else 0
        option.rect = option.rect.adjusted(_WORD_PADDING, 0, -_WORD_PADDING - arrow, 0)


def opens_menu(widget: QWidget | None) -> bool:
    """Return True if a widget is a tool button with words that opens a menu."""
    if not isinstance(widget, QToolButton) or widget.menu() is None:
        return False
    return widget.toolButtonStyle() is not Qt.ToolButtonStyle.ToolButtonIconOnly


def menu_arrow_rect(option: QStyleOption) -> QRect:
    """Return the place of the triangle of a button that opens a menu."""
    rect = option.rect
    width = scaled(_MENU_ARROW)
    return QRect(rect.right() - width - 2, rect.y(), width, rect.height())


def control_size(
    kind: QStyle.ContentsType, option: QStyleOption, size: QSize, widget: QWidget | None
) -> QSize:
    """Return the size of a control: the height for its place, with room beside its text."""
    height = control_height(widget)
    if kind is _Contents.CT_ToolButton:
        return _tool_button_size(option, size, widget, height)
    if kind is _Contents.CT_PushButton:
        return QSize(_push_button_width(cast("QStyleOptionButton", option), height), height)
    return QSize(size.width(), height)


def is_menu_rule(kind: QStyle.ContentsType, option: QStyleOption) -> bool:
    """Return True if the measured element is the rule between groups of a menu."""
    if kind is not _Contents.CT_MenuItem:
        return False
    item = cast("QStyleOptionMenuItem", option)
    return item.menuItemType == QStyleOptionMenuItem.MenuItemType.Separator


def semibold_excess(option: QStyleOption) -> int:
    """Return the pixels by which the current tab's semibold text is wider than Qt measures it."""
    if not isinstance(option, QStyleOptionTab):
        return 0
    font = _font_of(option)
    key = (font.key(), option.text)
    if key not in _excess_px:
        text = option.text.replace("&", "")
        _excess_px[key] = _advance(semibold(font), text) - _advance(font, text)
    return _excess_px[key]


def _advance(font: QFont, text: str) -> int:
    return QFontMetrics(font).horizontalAdvance(text)


_excess_px: dict[tuple[str, str], int] = {}  # Qt measures each tab dozens of times before a window stands.


def _push_button_width(option: QStyleOptionButton, height: int) -> int:
    """Return the width of semibold words, icon, and room at both sides."""
    words = QFontMetrics(semibold(_font_of(option))).horizontalAdvance(option.text.replace("&", ""))
    icon = 0 if option.icon.isNull() else option.iconSize.width() + 4
    return max(words + icon + height, height)


def _font_of(option: QStyleOption) -> QFont:
    widget = cast("QWidget | None", option.styleObject)
    return widget.font() if widget is not None else ui_font()


def _tool_button_size(option: QStyleOption, size: QSize, widget: QWidget | None, height: int) -> QSize:
    if _has_words(cast("QStyleOptionToolButton", option)):
        size = QSize(size.width() + option.fontMetrics.horizontalAdvance(_ICON_GAP), size.height())
    if look_of(widget) == "tab":
        return QSize(size.width() + 2 * _TAB_PADDING - _SPARE, size.height())
    if _has_words(cast("QStyleOptionToolButton", option)):
        arrow = scaled(_MENU_ARROW) if opens_menu(widget) else 0
        return QSize(size.width() + 2 * _WORD_PADDING - _SPARE + arrow, height)
    return QSize(max(size.width(), height), height)


def _has_words(option: QStyleOptionToolButton) -> bool:
    return bool(option.text) and option.toolButtonStyle != Qt.ToolButtonStyle.ToolButtonIconOnly


def field_border(option: QStyleOption, widget: QWidget | None) -> tuple[str, float]:
    """Return token and width in px of an editor's border: danger in error, accent with focus."""
    if look_of(widget) == "error":
        return "danger", 2
    if not is_on(option, ENABLED):
        return "line2", 1
    return ("accent", 2) if is_on(option, FOCUS) else ("edge", 1)


def look_of(widget: QWidget | None) -> str:
    """Return the `Look` of a widget; empty without one."""
    return (widget.property("look") or _NO_LOOK) if widget is not None else _NO_LOOK


def arrow_ink(option: QStyleOption) -> QColor:
    """Return the colour of a control's small triangles."""
    return colour("muted" if is_on(option, ENABLED) else "line2")


def nothing(_option: QStyleOption, _painter: QPainter, _widget: QWidget | None) -> None:
    """Draw nothing in place of a part of a control."""
