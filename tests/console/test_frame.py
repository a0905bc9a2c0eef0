"""The tool bar shows words or icons by the room there is alone, however often it is refreshed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget

from fsconsole.console.frame import FrameBar
from fsconsole.console.window import ConsoleWindow

_STEP_PX, _WHOLE_STEP_PX = 80, 20
_WORDS = Qt.ToolButtonStyle.ToolButtonTextBesideIcon


@pytest.fixture
def widths(pytestconfig: pytest.Config) -> tuple[int, ...]:
    """Widths around those at which words give way to icons; in a whole run, more of them."""
    step_px = _WHOLE_STEP_PX if pytestconfig.getoption("whole") else _STEP_PX
    return (1280, *range(1480, 2100, step_px))


def styles(bar: FrameBar) -> list[Qt.ToolButtonStyle]:
    return [button.toolButtonStyle() for button in bar._buttons]


@pytest.mark.parametrize("workspace", ["design", "observe", "operate", "analyse"])
def test_refreshes_change_nothing_at_any_width(
    window: ConsoleWindow, workspace: str, widths: tuple[int, ...]
) -> None:
    bar = window.frame.bar
    window.show_workspace(workspace)
    beside = QWidget()
    beside.setFixedWidth(300)
    bar.show_mode(beside)
    seen = set()
    for width in widths:
        window.resize(width, 1000)
        QApplication.processEvents()
        first = styles(bar)
        for number in range(6):
            bar.target.say("a name", tip=f"next in {number} s")
            if number % 2:
                QApplication.processEvents()
            assert styles(bar) == first, (width, number)
        if _WORDS in first:
            layout = bar.layout()
            assert layout is not None
            # Words that are shown have room.
            assert layout.minimumSize().width() <= bar.width()
        seen.add(_WORDS in first)
    assert seen == {True, False}


def test_a_bar_at_rest_asks_for_nothing(window: ConsoleWindow) -> None:
    bar, asked = window.frame.bar, []

    class Requests(QObject):
        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
            asked.append(event.type())
            return False

    window.show_workspace("design")
    for _ in range(50):
        QApplication.processEvents()
    requests = Requests(bar)
    bar.installEventFilter(requests)
    for _ in range(20):
        QApplication.processEvents()
    bar.removeEventFilter(requests)
    assert QEvent.Type.LayoutRequest not in asked


def test_words_come_back_as_soon_as_there_is_room(window: ConsoleWindow, widths: tuple[int, ...]) -> None:
    bar = window.frame.bar
    window.show_workspace("analyse")
    beside = QWidget()
    beside.setFixedWidth(300)
    bar.show_mode(beside)
    by_width: dict[tuple[int, str], list[Qt.ToolButtonStyle]] = {}
    for width in (*widths, *reversed(widths)):
        window.resize(width, 1000)
        for name in ("short", "a name so long that it takes all of its room"):
            bar.target.say(name)
            QApplication.processEvents()
            shown = styles(bar)
            assert by_width.setdefault((width, name), shown) == shown


@pytest.mark.parametrize(
    "name", ["Y-MP 8/64", "Simulated Y-MP 8/64", "Big, simulated, of three hundred processors"]
)
def test_the_target_is_whole_where_there_is_room(window: ConsoleWindow, name: str) -> None:
    """As in a box with room to spare; in a narrow window it takes its least width."""
    bar = window.frame.bar
    window.show_workspace("operate")
    window.resize(1900, 1000)
    bar.target.say(name)
    QApplication.processEvents()
    width, words = bar.target.width(), QRect(31, 0, bar.target.width() - 31 - 24, bar.target.height())
    shown = bar.target.grab(words).toImage()
    bar.target.setFixedWidth(width + 60)
    QApplication.processEvents()
    assert bar.target.grab(words).toImage() == shown
    assert bar.target.minimumSizeHint().width() <= 260


def test_words_give_way_where_the_mode_takes_their_room(window: ConsoleWindow) -> None:
    bar = window.frame.bar
    window.show_workspace("analyse")
    mode = QWidget()
    mode.setFixedWidth(60)
    bar.show_mode(mode)
    window.resize(1600, 1000)
    QApplication.processEvents()
    assert _WORDS in styles(bar)
    for width in range(60, 700, 20):
        mode.setFixedWidth(width)
        QApplication.processEvents()
        assert all(button.width() >= button.sizeHint().width() for button in bar._buttons), width
    assert _WORDS not in styles(bar)
