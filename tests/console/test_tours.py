"""The tours act on the real console: after each step what it says is so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.tour.steps import TOURS, Tour
from fsconsole.console.welcome.page import Hint
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.window import ConsoleWindow


def _shares(window: ConsoleWindow, name: str) -> int:
    document = window.session.document
    assert document is not None
    return next(node.shares for node in document.tree.walk() if node.name == name)


def _is_clean(window: ConsoleWindow) -> bool:
    document = window.session.document
    return document is not None and document.stack.isClean()


def _now_s(window: ConsoleWindow) -> float:
    return 0.0 if window.session.moment is None else window.session.moment.time_s


def _study_done(window: ConsoleWindow) -> bool:
    controller = window.stack.analyse.study_controller
    return controller.study is not None and not controller.is_running


# What must be so after a step, beside its dock being in sight.
_SO: dict[tuple[str, int], Callable[[ConsoleWindow], bool]] = {
    ("admin", 2): lambda window: _shares(window, "B") == 150 and not _is_clean(window),
    ("admin", 6): lambda window: _shares(window, "B") == 50 and _is_clean(window),
    ("operator", 1): lambda window: _now_s(window) >= 2400 and not window.session.is_running,
    ("operator", 4): lambda window: (
        window.table["operate.arm"].checked is not None and window.table.qaction("operate.arm").isChecked()
    ),
    ("operator", 6): lambda window: not window.table.qaction("operate.arm").isChecked(),
    ("analyst", 1): lambda window: bool(window.stack.analyse.experiment_controller.results),
    ("analyst", 4): _study_done,
    ("analyst", 5): lambda window: window.stack.analyse.study_controller.page.shown == "users",
}


@pytest.mark.parametrize("tour", TOURS, ids=lambda tour: tour.id)
def test_a_tour_does_what_it_says(qtbot: QtBot, window: ConsoleWindow, tour: Tour) -> None:
    tours = window.tours
    assert len(tour.steps) == 7
    window.table.trigger(f"tour_{tour.id}")
    for at, step in enumerate(tour.steps):
        qtbot.waitUntil(lambda: tours.is_ready, timeout=20_000)
        assert tours.at == at
        assert tours.card.title.text() == step.title
        so = _SO.get((tour.id, at))
        if so is not None:
            qtbot.waitUntil(lambda so=so: so(window), timeout=20_000)  # type: ignore[misc]
        if step.dock:
            dock = window.findChild(Dock, step.dock)
            assert dock is not None, step.dock
            assert dock.isVisible()
        QTest.mouseClick(tours.card.next, Qt.MouseButton.LeftButton)
    assert tours.tour is None
    assert not tours.card.isVisible()
    assert not tours.frame.isVisible()


def test_a_tour_begins_on_welcome_and_ends_at_any_step(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    window = empty_window
    hint = window.findChild(Hint)
    assert hint is not None
    QTest.mouseClick(hint.tours[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.tours.is_ready, timeout=20_000)
    QTest.keyClick(window.tours.card.next, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.tours.is_ready and window.tours.at == 1)
    QTest.mouseClick(window.tours.card.back, Qt.MouseButton.LeftButton)
    assert window.tours.at == 0
    QTest.mouseClick(window.tours.card.end, Qt.MouseButton.LeftButton)
    assert window.tours.tour is None
