"""What kind of option each part of the style is drawn with.

PySide keeps a Python object per address. As long as some Python object holds the frame of an earlier paint (a
traceback, a sampler), the next option at that place of the stack comes as an object of the earlier kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import (
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QStyleOptionHeader,
    QStyleOptionMenuItem,
    QStyleOptionProgressBar,
    QStyleOptionSlider,
    QStyleOptionSpinBox,
    QStyleOptionTab,
    QStyleOptionToolButton,
    QStyleOptionViewItem,
)

_Primitive = QStyle.PrimitiveElement
_Control = QStyle.ControlElement
_Complex = QStyle.ComplexControl
_Contents = QStyle.ContentsType

Part = QStyle.PrimitiveElement | QStyle.ControlElement | QStyle.ComplexControl | QStyle.ContentsType

_PRIMITIVES: dict[QStyle.PrimitiveElement, type[QStyleOption]] = {
    _Primitive.PE_PanelLineEdit: QStyleOptionFrame,
    _Primitive.PE_IndicatorHeaderArrow: QStyleOptionHeader,
    _Primitive.PE_PanelItemViewRow: QStyleOptionViewItem,
    _Primitive.PE_PanelItemViewItem: QStyleOptionViewItem,
}
_CONTROLS: dict[QStyle.ControlElement, type[QStyleOption]] = {
    _Control.CE_MenuBarItem: QStyleOptionMenuItem,
    _Control.CE_ProgressBarContents: QStyleOptionProgressBar,
    _Control.CE_PushButtonLabel: QStyleOptionButton,
    _Control.CE_ToolButtonLabel: QStyleOptionToolButton,
    _Control.CE_HeaderLabel: QStyleOptionHeader,
    _Control.CE_TabBarTabLabel: QStyleOptionTab,
    _Control.CE_ComboBoxLabel: QStyleOptionComboBox,
}
_COMPLEX: dict[QStyle.ComplexControl, type[QStyleOption]] = {
    _Complex.CC_ComboBox: QStyleOptionComboBox,
    _Complex.CC_SpinBox: QStyleOptionSpinBox,
    _Complex.CC_ScrollBar: QStyleOptionSlider,
    _Complex.CC_Slider: QStyleOptionSlider,
    _Complex.CC_ToolButton: QStyleOptionToolButton,
}
_CONTENTS: dict[QStyle.ContentsType, type[QStyleOption]] = {
    _Contents.CT_PushButton: QStyleOptionButton,
    _Contents.CT_ToolButton: QStyleOptionToolButton,
    _Contents.CT_MenuItem: QStyleOptionMenuItem,
    _Contents.CT_TabBarTab: QStyleOptionTab,
}
# Different parts have equal numbers, so each sort of part has its own table.
_KINDS: dict[type[Part], Mapping[Any, type[QStyleOption]]] = {
    _Primitive: _PRIMITIVES,
    _Control: _CONTROLS,
    _Complex: _COMPLEX,
    _Contents: _CONTENTS,
}


def fits(part: Part, option: QStyleOption | None) -> bool:
    """Return True if an option is of the kind that a part needs; False for a stale one, and for none."""
    kind = _KINDS[type(part)].get(part)
    return kind is None or isinstance(option, kind)
