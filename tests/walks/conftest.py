"""A console as it is started, a person in front of it, and the screens that walks are made on."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.general_preferences import GeneralPreferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.style.theme import ThemeMode
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from tests.console.conftest import look, pointer_beside_windows, qtbot, style
from tests.console.watched_tests import watch_of, watched
from tests.walks.walker import Walker

__all__ = ["look", "pointer_beside_windows", "qtbot", "style"]

_HERE = Path(__file__).parent
_BUILD = _HERE.parents[1] / "build" / "walks"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave all walks but three on the smallest screen to `make walks`."""
    for one in items:
        is_walk = _HERE in one.path.parents
        if is_walk and (one.path.stem not in EVERY_RUN or SCREENS[0].name not in one.name):
            one.add_marker(pytest.mark.whole("a minute or more at real speed"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watch a walk, places of controls too, and leave pictures of one that fails while it is open."""
    watch_of(item).geometry = True
    try:
        return (yield from watched(item))
    except (Exception, pytest.fail.Exception) as error:
        user = getattr(item, "funcargs", {}).get("user")
        if isinstance(user, Walker):
            user.keep_failure(error)
        raise


@dataclass(frozen=True, slots=True)
class Screen:
    """A size of the window and of text."""

    name: str
    width: int
    height: int
    text_px: int = 0


SCREENS = (
    Screen("1280x800", 1280, 800),
    Screen("1600x1000", 1600, 1000),
    Screen("largest-text", 1600, 1000, text_px=26),
)
# Walks of `make test`.
EVERY_RUN = ("test_readme", "test_job_waits", "test_thirty_percent")


@pytest.fixture(params=SCREENS, ids=lambda one: one.name)
def screen(request: pytest.FixtureRequest) -> Screen:
    """What the person looks at."""
    found: Screen = request.param
    return found


@pytest.fixture
def opened() -> Path | tuple[str, ...] | None:
    """The file or the way to a cluster that the console is started with; None as at a first start."""
    return None


@pytest.fixture
def mode() -> ThemeMode:
    """The theme."""
    return "light"


@pytest.fixture
def console(
    qtbot: QtBot,
    look: ConsoleStyle,
    screen: Screen,
    mode: ThemeMode,
    opened: Path | tuple[str, ...] | None,
) -> Iterator[ConsoleWindow]:
    """The console, started as `fsconsole` does."""
    session = ConsoleSession()
    GeneralPreferences(mode, text_px=screen.text_px).remember(session.preferences)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    GeneralPreferences.read(session.preferences).apply(app)
    window = ConsoleWindow(session)
    window.resize(screen.width, screen.height)
    window.painted.connect(lambda: _go_on(window, opened))
    with qtbot.waitActive(window):
        window.show()
    # The other workspaces are made behind the first one, and that takes turns of its own.
    qtbot.waitUntil(lambda: len(window.stack._workspaces) >= len(WORKSPACES))
    yield window
    session.open(None)
    window.close()
    window.deleteLater()
    GeneralPreferences("light").apply(app)


def _go_on(window: ConsoleWindow, opened: Path | tuple[str, ...] | None) -> None:
    """Do what the program does once its window is painted, but for logs and sockets of the user's own."""
    path, prefix = (opened, None) if not isinstance(opened, tuple) else (None, opened)
    window.start(path, prefix)
    QTimer.singleShot(300, window, window.stack.make_missing)


@pytest.fixture
def user(qtbot: QtBot, console: ConsoleWindow, screen: Screen, request: pytest.FixtureRequest) -> Walker:
    """A person in front of the console."""
    platform = QGuiApplication.platformName()
    display = screen.name if platform == "offscreen" else f"{screen.name}-{platform}"
    return Walker(qtbot, console, _BUILD / display / Path(request.path).stem.removeprefix("test_"))
