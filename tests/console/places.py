"""Places of the controls in sight: where each is, and whether another widget covers it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDockWidget,
    QHeaderView,
    QLabel,
    QLineEdit,
    QSplitterHandle,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

_CONTROLS = (
    QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QTabBar, QSplitterHandle, QHeaderView,
    QDockWidget,
)  # fmt: skip
_BARS = ("FrameBar", "TransportBar")  # Their labels count, too.
# The line has its fixed place; what it shows comes and goes, but never under the pointer or the focus.
_CHANGING = ("NoticeLine",)


@dataclass(frozen=True)
class Place:
    """A control: its rectangle in its window, and whether its middle is in sight."""

    name: str
    rect: QRect
    is_in_sight: bool


Places = dict[QWidget, Place]


def places_of(windows: Sequence[QWidget]) -> Places:
    """Return the controls in sight of windows."""
    return {one: _place(one, window) for window in windows for one in _controls(window, in_bar=False)}


def differences(before: Places, now: Places) -> Iterator[str]:
    """Yield the changes of controls that were in sight before."""
    for widget, place in before.items():
        other = now.get(widget)
        if other is None:
            if place.is_in_sight:
                yield f"{place.name} at {_words(place.rect)} is gone"
        elif other.rect != place.rect:
            yield f"{place.name} went from {_words(place.rect)} to {_words(other.rect)}"
        elif place.is_in_sight and not other.is_in_sight:
            yield f"{place.name} at {_words(place.rect)} is covered"


def _controls(widget: QWidget, *, in_bar: bool) -> Iterator[QWidget]:
    if isinstance(widget, _CONTROLS) or (in_bar and isinstance(widget, QLabel)):
        yield widget
    if _is_one(widget, _CHANGING):
        return
    in_bar = in_bar or _is_one(widget, _BARS)
    for child in widget.children():
        if isinstance(child, QWidget) and not child.isWindow() and child.isVisible():
            if isinstance(widget, QAbstractItemView) and child is widget.viewport():
                continue  # Rows come and go.
            yield from _controls(child, in_bar=in_bar)


def _is_one(widget: QWidget, kinds: tuple[str, ...]) -> bool:
    return any(kind.__name__ in kinds for kind in type(widget).__mro__)


def _place(widget: QWidget, window: QWidget) -> Place:
    rect = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    seen = window.childAt(rect.center()) if window.rect().contains(rect.center()) else None
    in_sight = seen is not None and (seen is widget or widget.isAncestorOf(seen))
    return Place(_name(widget), rect, in_sight)


def _name(widget: QWidget) -> str:
    around = widget.parentWidget()
    while around is not None and not type(around).__module__.startswith("fsconsole"):
        around = around.parentWidget()
    return f"{named(widget)} of {type(around).__name__}" if around is not None else named(widget)


def _words(rect: QRect) -> str:
    return f"({rect.x()}, {rect.y()}) {rect.width()}x{rect.height()}"


def named(thing: object) -> str:
    """Return a widget as a person would find it, or any other argument as it is written."""
    if isinstance(thing, Qt.Key | Qt.MouseButton):
        return str(thing.name)
    if not isinstance(thing, QObject):
        return repr(thing)
    if not isValid(thing):
        return f"{type(thing).__name__}, deleted"
    texts: list[object] = [thing.objectName()]
    if isinstance(thing, QWidget):
        texts += [thing.accessibleName(), thing.text() if isinstance(thing, QAbstractButton | QLabel) else ""]
    shown = next((one for one in texts if one), "")
    return f"{type(thing).__name__} {shown!r}" if shown else type(thing).__name__
