"""Look of the console and page at its start, as the user chose them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from PySide6.QtWidgets import QApplication

from fsconsole.console.preferences import Preferences
from fsconsole.console.style.sizes import TEXT_SIZES, RowHeight, set_sizes
from fsconsole.console.style.theme import ThemeMode, theme
from fsconsole.figures.style.palette import CurveColours

StartPage = Literal["last", "welcome"]
THEMES: tuple[tuple[ThemeMode, str], ...] = (
    ("system", "As the system"),
    ("light", "Light"),
    ("dark", "Dark"),
)
CURVE_COLOURS: tuple[tuple[CurveColours, str], ...] = (
    ("usual", "Usual"),
    ("safe", "Safe for colour-blind eyes"),
)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GeneralPreferences:
    """Look and start page.

    Attributes:
        theme: "system" follows the desktop.
        curves: colours of curves; the safe ones differ by their dashes too.
        text_px: size of plain text in logical pixels; 0 follows the desktop.
        row_height: height of the rows of tables and trees.
        start_page: whether the console opens what was open last, or shows Welcome.
    """

    theme: ThemeMode = "system"
    curves: CurveColours = "usual"
    text_px: int = 0
    row_height: RowHeight = "normal"
    start_page: StartPage = "last"

    @classmethod
    def read(cls, preferences: Preferences) -> GeneralPreferences:
        """Return the stored preferences; values that are not offered get their default."""
        return cls(
            _one_of(get_args(ThemeMode), preferences.value("theme"), cls().theme),
            _one_of(get_args(CurveColours), preferences.value("curves"), cls().curves),
            _one_of(TEXT_SIZES, preferences.value("text_px"), cls().text_px),
            _one_of(get_args(RowHeight), preferences.value("row_height"), cls().row_height),
            _one_of(get_args(StartPage), preferences.value("start_page"), cls().start_page),
        )

    def remember(self, preferences: Preferences) -> None:
        """Remember them for the next start."""
        preferences.set_value("theme", self.theme)
        preferences.set_value("curves", self.curves)
        preferences.set_value("text_px", self.text_px)
        preferences.set_value("row_height", self.row_height)
        preferences.set_value("start_page", self.start_page)

    def apply(self, app: QApplication) -> None:
        """Give everything on screen this look."""
        theme().set_curves(self.curves)
        theme().set_mode(self.theme)
        set_sizes(app, self.text_px, self.row_height)


def _one_of(offered: Iterable[T], found: object, default: T) -> T:
    """Return the option that was found, in its own type: True is not 1 here."""
    return next((one for one in offered if type(one) is type(found) and one == found), default)
