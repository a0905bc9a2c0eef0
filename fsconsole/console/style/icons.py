"""Line icons tinted by the palette, sharp at every screen scale."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol, cast

from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, Qt, Slot
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap

from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import theme
from fsconsole.resources import resource

ROW_SIZE = 16
WELCOME_SIZE = 22

_DISABLED_OPACITY = 0.45


class TakesIcon(Protocol):
    """What an icon can be put on: a QAction, a button, a menu."""

    def setIcon(self, icon: QIcon, /) -> None:
        """Show the icon on the control."""


def icon(name: str, token: str = "text", *, on: str | None = None, size: int = ROW_SIZE) -> QIcon:
    """Return the icon resources/icons/NAME.svg drawn in a token's colour.

    `on` is the token of the checked state; size is in logical pixels, at the text of the specification. The
    icon has the colours of the theme in force: what outlives a change of theme or text is given its icon by
    `put_icon`. FileNotFoundError for an unknown name.
    """
    palette, px = theme().palette, scaled(size)
    return _icon(
        name, palette.hex(token), palette.hex(on or token), palette.hex("muted"), px, _device_ratios()
    )


def pixmap(name: str, token: str = "text", size: int = ROW_SIZE, ratio: float | None = None) -> QPixmap:
    """Return an icon as a pixmap, for delegates, models and painters; size is at the specified text.

    The device ratio, when not given, is that of the finest screen.
    """
    return _pixmap(name, theme().palette.hex(token), scaled(size), ratio or sharpest_ratio())


def draw_icon(painter: QPainter, name: str, token: str, at: QRect, size: int = ROW_SIZE) -> int:
    """Draw an icon at the left of a place, in the middle of its height; return its width in pixels."""
    drawn = pixmap(name, token, size, painter.device().devicePixelRatioF())
    painter.drawPixmap(at.x(), at.y() + (at.height() - scaled(size)) // 2, drawn)
    return scaled(size)


def sharpest_ratio() -> float:
    """Return the device pixels per logical pixel on the finest screen."""
    return _device_ratios()[-1]


def put_icon(target: QObject, name: str, token: str = "text", *, on: str | None = None) -> None:
    """Give target (QAction, button, menu) an icon that follows the theme; replaces an earlier one."""
    for old in target.findChildren(_Tint, options=Qt.FindChildOption.FindDirectChildrenOnly):
        old.setParent(None)
        old.deleteLater()
    _Tint(target, name, token, on)


class _Tint(QObject):
    """Lives as a child of what bears the icon and draws it again when the theme changes."""

    def __init__(self, target: QObject, name: str, token: str, on: str | None) -> None:
        super().__init__(target)
        self._spec = (name, token, on)
        theme().changed.connect(self.apply)
        self.apply()

    @Slot()
    def apply(self) -> None:
        """Set the icon in the colours of the present theme."""
        target = self.parent()
        if target is not None:
            name, token, on = self._spec
            cast("TakesIcon", target).setIcon(icon(name, token, on=on))


@lru_cache(maxsize=256)
def _icon(
    name: str, colour: str, on_colour: str, disabled_colour: str, size: int, ratios: tuple[float, ...]
) -> QIcon:
    made = QIcon()
    for ratio in ratios:
        normal = _pixmap(name, colour, size, ratio)
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Selected):
            made.addPixmap(normal, mode, QIcon.State.Off)
            if on_colour != colour:
                made.addPixmap(_pixmap(name, on_colour, size, ratio), mode, QIcon.State.On)
        faded = _faded(_pixmap(name, disabled_colour, size, ratio))
        for state in (QIcon.State.Off, QIcon.State.On):
            made.addPixmap(faded, QIcon.Mode.Disabled, state)
    return made


@lru_cache(maxsize=1024)
def _pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    from PySide6.QtSvg import QSvgRenderer

    drawing = QSvgRenderer(QByteArray(_svg(name).replace(b"currentColor", colour.encode())))
    made = QPixmap(round(size * ratio), round(size * ratio))
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        drawing.render(painter, QRectF(made.rect()))
    made.setDevicePixelRatio(ratio)
    return made


def _faded(source: QPixmap) -> QPixmap:
    made = source.copy()
    with QPainter(made) as painter:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
        painter.fillRect(made.rect(), QColor.fromRgbF(0, 0, 0, _DISABLED_OPACITY))
    return made


@lru_cache(maxsize=128)
def _svg(name: str) -> bytes:
    return resource(f"icons/{name}.svg").read_bytes()


def _device_ratios() -> tuple[float, ...]:
    return tuple(sorted({screen.devicePixelRatio() for screen in QGuiApplication.screens()}))
