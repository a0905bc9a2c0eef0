"""The theme in force: which palette is shown, and when it changes."""

from __future__ import annotations

from typing import Literal, cast

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPalette

from fsconsole.figures.style.palette import CurveColours, Palette, choose_curve_colours, dark, light
from fsconsole.figures.style.palette import pale as pale_on

ThemeMode = Literal["system", "light", "dark"]

_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}


class Theme(QObject):
    """Follows the system's light or dark scheme unless a mode overrides it.

    Signals: changed() after palette and application palette have been replaced.
    """

    changed = Signal()

    def __init__(self, app: QGuiApplication, mode: ThemeMode = "system") -> None:
        super().__init__(app)
        self._app = app
        self._mode: ThemeMode = mode
        self._colours: dict[str, QColor] = {}
        self._palette = self._wanted()
        app.setPalette(qpalette(self._palette))
        app.styleHints().colorSchemeChanged.connect(self._refresh)

    @property
    def mode(self) -> ThemeMode:
        """Mode of the setting: system, light or dark."""
        return self._mode

    @property
    def palette(self) -> Palette:
        """The colour table in force."""
        return self._palette

    @property
    def is_dark(self) -> bool:
        """Whether the dark table is in force."""
        return self._palette.name == "dark"

    def set_mode(self, mode: ThemeMode) -> None:
        """Override the system (light, dark) or follow it again (system)."""
        self._mode = mode
        self._app.styleHints().setColorScheme(_SCHEMES[mode])
        self._refresh()

    def set_curves(self, colours: CurveColours) -> None:
        """Draw curves in the usual colours, or in those that are safe for colour-blind eyes."""
        choose_curve_colours(colours)
        self._refresh()

    def colour(self, token: str) -> QColor:
        """Return the colour of a token; KeyError for an unknown one. Treat it as read-only."""
        found = self._colours.get(token)
        if found is None:
            found = self._colours[token] = QColor(self._palette.hex(token))
        return found

    @Slot()
    def _refresh(self) -> None:
        wanted = self._wanted()
        if wanted is self._palette:
            return
        self._palette = wanted
        self._colours.clear()
        self._app.setPalette(qpalette(wanted))
        self.changed.emit()

    def _wanted(self) -> Palette:
        if self._mode != "system":
            return dark() if self._mode == "dark" else light()
        return dark() if self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark else light()


_current: Theme | None = None


def theme() -> Theme:
    """Return the application's theme, made at the first call; RuntimeError before a QApplication exists."""
    global _current  # noqa: PLW0603 - one application, one theme
    if _current is None or not shiboken6.isValid(_current):
        app = QGuiApplication.instance()
        if app is None:
            raise RuntimeError("a theme needs a QApplication")
        _current = Theme(cast("QGuiApplication", app))
    return _current


def pale(token: str, *grounds: str) -> QColor:
    """Return a token's colour as pale as it can be on the ground of plots, and on other grounds by token."""
    palette = theme().palette
    return QColor(pale_on(palette.hex(token), palette.surface, *map(palette.hex, grounds)))


def colour(token: str) -> QColor:
    """Return the colour of a token in the present theme."""
    return theme().colour(token)


def qpalette(palette: Palette) -> QPalette:
    """Return the QPalette of a colour table: roles as section 2 of the specification lists them."""
    made = QPalette()
    for role, token in _ROLES.items():
        made.setColor(role, QColor(palette.hex(token)))
    disabled = QColor(palette.muted)
    disabled.setAlphaF(0.62)
    for role in _TEXT_ROLES:
        made.setColor(QPalette.ColorGroup.Disabled, role, disabled)
    return made


_Role = QPalette.ColorRole
_TEXT_ROLES = (_Role.WindowText, _Role.Text, _Role.ButtonText)
_ROLES: dict[QPalette.ColorRole, str] = {
    _Role.Window: "window",
    _Role.WindowText: "text",
    _Role.Base: "surface",
    _Role.AlternateBase: "alt",
    _Role.Text: "text",
    _Role.PlaceholderText: "muted",
    _Role.Button: "raised",
    _Role.ButtonText: "text",
    _Role.BrightText: "onaccent",
    _Role.Light: "surface",
    _Role.Midlight: "raised",
    _Role.Mid: "line",
    _Role.Dark: "line2",
    _Role.Shadow: "edge",
    # Selected text keeps the colour `text`. The style draws `onaccent` on an accent background.
    _Role.Highlight: "sel",
    _Role.HighlightedText: "text",
    _Role.Accent: "accent",
    _Role.Link: "accent",
    _Role.LinkVisited: "accent",
    _Role.ToolTipBase: "surface",
    _Role.ToolTipText: "text",
}
