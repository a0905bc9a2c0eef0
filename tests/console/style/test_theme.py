from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QColor, QIcon, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.style.icons import icon, pixmap, put_icon
from fsconsole.console.style.theme import Theme, colour, qpalette, theme
from fsconsole.figures.style.palette import DARK, LIGHT, SAFE_DARK, SAFE_LIGHT, palette_of


@pytest.fixture(autouse=True)
def light_again(qapp: QApplication) -> Iterator[None]:
    theme().set_mode("light")
    yield
    theme().set_curves("usual")
    theme().set_mode("system")


def test_there_is_one_theme(qapp: QApplication) -> None:
    assert theme() is theme()
    assert isinstance(theme(), Theme)


def test_a_mode_overrides_the_system(qtbot: QtBot, qapp: QApplication) -> None:
    with qtbot.waitSignal(theme().changed):
        theme().set_mode("dark")
    assert theme().mode == "dark"
    assert theme().is_dark
    assert colour("surface") == QColor(DARK.surface)
    assert qapp.palette().color(QPalette.ColorRole.Base) == QColor(DARK.surface)


def test_safe_curves_are_those_of_the_screen_and_of_exports(qtbot: QtBot, qapp: QApplication) -> None:
    with qtbot.waitSignal(theme().changed):
        theme().set_curves("safe")
    assert colour("c1") == QColor(SAFE_LIGHT.c1)
    assert colour("surface") == QColor(LIGHT.surface)
    assert palette_of("light") is SAFE_LIGHT
    theme().set_mode("dark")
    assert theme().is_dark
    assert colour("c1") == QColor(SAFE_DARK.c1)


def test_nothing_is_reported_when_nothing_changes(qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(theme().changed):
        theme().set_mode("light")


def test_unknown_tokens_are_refused(qapp: QApplication) -> None:
    with pytest.raises(KeyError):
        colour("mauve")


def test_selected_text_stays_text(qapp: QApplication) -> None:
    made = qpalette(LIGHT)
    assert made.color(QPalette.ColorRole.Highlight) == QColor(LIGHT.sel)
    assert made.color(QPalette.ColorRole.HighlightedText) == QColor(LIGHT.text)


def _inked(
    shown: QIcon, mode: QIcon.Mode = QIcon.Mode.Normal, state: QIcon.State = QIcon.State.Off
) -> QColor:
    """Colour of the most opaque pixel."""
    image = shown.pixmap(QSize(16, 16), mode, state).toImage()
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return max(pixels, key=lambda pixel: pixel.alpha())


def _near(first: QColor, second: QColor) -> bool:
    pairs = zip(first.getRgb()[:3], second.getRgb()[:3], strict=True)  # type: ignore[index]
    return all(abs(a - b) <= 4 for a, b in pairs)


def test_icons_are_drawn_in_a_token(qapp: QApplication) -> None:
    assert _near(_inked(icon("kill", "danger")), QColor(LIGHT.danger))
    assert icon("kill", "danger") is icon("kill", "danger")


def test_checked_icons_have_their_own_colour(qapp: QApplication) -> None:
    both = icon("plots", "text", on="accent")
    assert _near(_inked(both, state=QIcon.State.On), QColor(LIGHT.accent))
    assert _near(_inked(both), QColor(LIGHT.text))


def test_disabled_icons_are_faint(qapp: QApplication) -> None:
    assert _inked(icon("run"), QIcon.Mode.Disabled).alpha() < 140


def test_icons_on_things_follow_the_theme(qapp: QApplication) -> None:
    action = QAction("Run")
    put_icon(action, "run")
    assert _near(_inked(action.icon()), QColor(LIGHT.text))
    theme().set_mode("dark")
    assert _near(_inked(action.icon()), QColor(DARK.text))


def test_a_second_icon_replaces_the_first(qapp: QApplication) -> None:
    action = QAction("Run")
    put_icon(action, "run")
    put_icon(action, "pause", "ok")
    theme().set_mode("dark")
    assert _near(_inked(action.icon()), QColor(DARK.ok))


def test_pixmaps_are_sharp_on_fine_screens(qapp: QApplication) -> None:
    made = pixmap("run", "text", 16, 2.0)
    assert made.size() == QSize(32, 32)
    assert made.deviceIndependentSize().toSize() == QSize(16, 16)


def test_unknown_icons_are_refused(qapp: QApplication) -> None:
    with pytest.raises(FileNotFoundError):
        icon("unicorn")
