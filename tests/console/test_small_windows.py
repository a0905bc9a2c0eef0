"""The console can be read in small windows and with large text: nothing important is cut or covered."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.live.legend import LegendView
from fsconsole.console.mode_button import ModeButton
from fsconsole.console.past_button import PastButton
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.sizes import set_sizes
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from tests.console.conftest import Answers
from tests.console.words_in_sight import is_whole, scrolls, settle, unreadable

SMALLEST = (900, 600)
SIZES = (SMALLEST, (1000, 688), (1280, 800), (1600, 1000))
TEXTS = (0, 14, 18)
_SPECIFIED_PX = 13
_LEAST_NAME_PX = 110
_LEAST_ROOM = (900, 570)  # at the text of the specification: a workspace has room without scrolling
_SCENARIOS = {
    "design": "navoceano-c916",
    "observe": "convex-series-6",
    "operate": "near-dedicated-ymp",
    "analyse": "convex-series-1",
}
CASES = (
    ("welcome", "present"),
    ("design", "present"),
    ("design", "past"),
    ("observe", "present"),
    ("observe", "past"),
    ("operate", "present"),
    ("operate", "past"),
    ("operate", "armed"),
    ("analyse", "present"),
)


@pytest.fixture
def usual_text(qapp: QApplication) -> Iterator[None]:
    yield
    set_sizes(qapp, 0, "normal")


@pytest.fixture
def opened(
    qtbot: QtBot, empty_session: ConsoleSession, answers: Answers, usual_text: None
) -> Iterator[Callable[[str, str], ConsoleWindow]]:
    """Opens a window of a workspace, in a state; it is closed before the session is."""
    made: list[ConsoleWindow] = []

    def open_window(workspace: str, state: str) -> ConsoleWindow:
        session = empty_session
        if workspace in _SCENARIOS:
            path = examples() / f"{_SCENARIOS[workspace]}.yaml"
            session.open(Document(read_scenario(path), name=path.name))
            qtbot.waitUntil(lambda: session.snapshot is not None)
        window = ConsoleWindow(session, answers)
        made.append(window)
        window.stack.wanted = workspace
        window.resize(*SIZES[-1])
        with qtbot.waitActive(window):
            window.show()
        _bring_about(qtbot, window, state)
        window.setUpdatesEnabled(False)  # places are looked at, not pictures
        return window

    yield open_window
    answers.answer = "discard"
    for window in made:
        window.close()
        window.deleteLater()


def _bring_about(qtbot: QtBot, window: ConsoleWindow, state: str) -> None:
    session = window.session
    document, snapshot = session.document, session.snapshot
    if document is None or snapshot is None:
        return
    ticks = document.scenario.machine.ticks(120.0) - snapshot.tick
    session.step(ticks)
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.tick >= ticks)
    if state == "past":
        session.past.go(60.0)
        qtbot.waitUntil(lambda: session.past.snapshot is not None)
    elif state == "armed":
        window.table.trigger("operate.arm")
        mode = window.findChild(ModeButton)
        assert isinstance(mode, ModeButton)
        assert mode.text().startswith("Armed")


@pytest.mark.parametrize(("workspace", "state"), CASES)
def test_all_that_is_in_sight_can_be_read(
    qapp: QApplication, opened: Callable[[str, str], ConsoleWindow], workspace: str, state: str
) -> None:
    window = opened(workspace, state)
    found: list[str] = []
    for text_px in TEXTS:
        set_sizes(qapp, text_px, "roomy" if text_px == max(TEXTS) else "normal")
        for size in SIZES:
            window.resize(*size)
            settle(window)
            where = f"{size[0]}x{size[1]}, text {text_px or 'as the system'}"
            # The window is not larger.
            assert window.size().toTuple() == size, where
            found += [f"{where}: {one}" for one in unreadable(window)]
            found += [f"{where}: {one} is not whole" for one in _marks(window, state) if not is_whole(one)]
            if _has_room(size, text_px) and scrolls(window):
                found.append(f"{where}: the workspace scrolls")
    assert not found, "\n".join(found)


def _marks(window: ConsoleWindow, state: str) -> list[PastButton | ModeButton]:
    """What tells past from present and armed from read-only: these are in sight whatever gives way."""
    past, mode = window.findChild(PastButton), window.findChild(ModeButton)
    assert isinstance(past, PastButton)
    assert past.isVisible() is (state == "past")
    marks: list[PastButton | ModeButton] = [past] if state == "past" else []
    return [*marks, mode] if isinstance(mode, ModeButton) and mode.isVisible() else marks


def _has_room(size: tuple[int, int], text_px: int) -> bool:
    scale = max(text_px, _SPECIFIED_PX) / _SPECIFIED_PX
    return all(px / scale >= least for px, least in zip(size, _LEAST_ROOM, strict=True))


def test_the_smallest_window_leaves_room_for_more_than_it_needs(
    qapp: QApplication, opened: Callable[[str, str], ConsoleWindow]
) -> None:
    window = opened("observe", "present")
    for text_px in TEXTS:
        set_sizes(qapp, text_px, "roomy")
        settle(window)
        least = window.minimumSizeHint()
        assert least.width() <= SMALLEST[0]
        assert least.height() <= SMALLEST[1]
    window.resize(*SMALLEST)
    settle(window)
    legend = window.findChild(LegendView)
    assert isinstance(legend, LegendView)
    assert legend.columnWidth(0) >= _LEAST_NAME_PX
