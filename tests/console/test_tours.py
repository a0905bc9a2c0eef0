"""The tours act on the real console: after each step what it says is so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.design.changes_panel import ChangesPanel
from fsconsole.console.tour.steps import TOURS, Tour
from fsconsole.console.welcome.page import Hint
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import SetShares
from tests.console.conftest import Answers


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


@pytest.mark.watch_allows(
    "focus", reason="a step of a tour that opens a file takes the focus back to Next", issue="calm"
)
@pytest.mark.parametrize("tour", TOURS, ids=lambda tour: tour.id)
def test_a_tour_does_what_it_says(qtbot: QtBot, window: ConsoleWindow, tour: Tour) -> None:
    tours = window.tours
    assert len(tour.steps) == 7
    window.table.trigger(f"tour_{tour.id}")
    for at, step in enumerate(tour.steps):
        qtbot.waitUntil(lambda: tours.is_ready)
        assert tours.at == at
        assert tours.card.title.text() == step.title
        so = _SO.get((tour.id, at))
        if so is not None:
            qtbot.waitUntil(lambda so=so: so(window))  # type: ignore[misc]
        if step.dock:
            dock = window.findChild(Dock, step.dock)
            assert dock is not None, step.dock
            assert dock.isVisible()
        QTest.mouseClick(tours.card.next, Qt.MouseButton.LeftButton)
    assert tours.tour is None
    assert not tours.card.isVisible()
    assert not tours.frame.isVisible()


def show(qtbot: QtBot, window: ConsoleWindow, button: str, at: int) -> None:
    """Press Next or Back until a step is shown and done."""
    tours = window.tours
    qtbot.waitUntil(lambda: tours.is_ready)
    while tours.at != at:
        QTest.mouseClick(getattr(tours.card, button), Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: tours.is_ready)


@pytest.fixture
def admin(qtbot: QtBot, window: ConsoleWindow) -> ConsoleWindow:
    """Show the third step of the tour for admins: B has 150 shares."""
    window.table.trigger("tour_admin")
    show(qtbot, window, "next", 2)
    return window


def test_back_and_next_do_nothing_twice(qtbot: QtBot, admin: ConsoleWindow) -> None:
    document = admin.session.document
    assert document is not None
    edits = document.stack.count()
    show(qtbot, admin, "back", 1)
    show(qtbot, admin, "next", 2)
    assert document.stack.count() == edits


def test_a_tour_opens_its_example_again(qtbot: QtBot, admin: ConsoleWindow, answers: Answers) -> None:
    answers.answer = "discard"
    admin.files.open_example("three-users.yaml")
    qtbot.waitUntil(lambda: admin.session.document is not None and not admin.files.is_reading)
    show(qtbot, admin, "next", 3)
    assert _shares(admin, "B") == 150


def test_a_tour_ends_where_the_user_keeps_another_file(
    qtbot: QtBot, admin: ConsoleWindow, answers: Answers
) -> None:
    answers.answer = "discard"
    admin.files.open_example("three-users.yaml")
    qtbot.waitUntil(lambda: not admin.files.is_reading)
    answers.answer = "cancel"
    document = admin.session.document
    assert document is not None
    document.edit(
        "Set shares", [SetShares(((next(n.id for n in document.tree.walk() if n.parent is not None), 7),))]
    )
    QTest.mouseClick(admin.tours.card.next, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: admin.tours.tour is None)
    assert admin.session.document is document


def test_a_tour_comes_back_to_its_workspace_and_dock(qtbot: QtBot, admin: ConsoleWindow) -> None:
    admin.show_workspace("observe")
    qtbot.waitUntil(lambda: not admin.tours.frame.isVisible())
    show(qtbot, admin, "next", 4)
    assert admin.current is not None
    assert admin.current.id == "design"
    dock = admin.findChild(Dock, "design_problems")
    assert dock is not None
    dock.close()
    show(qtbot, admin, "back", 3)
    show(qtbot, admin, "next", 4)
    assert dock.isVisible()
    qtbot.waitUntil(admin.tours.frame.isVisible)


def test_a_tour_that_was_ended_goes_on_at_its_step(qtbot: QtBot, admin: ConsoleWindow) -> None:
    QTest.keyClick(admin.tours.card, Qt.Key.Key_Escape)
    assert admin.tours.tour is None
    admin.table.trigger("undo")
    admin.table.trigger("tour_admin")
    assert admin.tours.at == 2
    qtbot.waitUntil(lambda: admin.tours.is_ready)
    assert _shares(admin, "B") == 150


@pytest.mark.watch_allows(
    "focus", reason="a step of a tour that opens a file takes the focus back to Next", issue="calm"
)
def test_a_tour_arms_and_disarms_whatever_the_user_did(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.table.trigger("tour_operator")
    show(qtbot, window, "next", 3)
    window.table.trigger("operate.arm")
    show(qtbot, window, "next", 4)
    assert window.table.qaction("operate.arm").isChecked()
    show(qtbot, window, "next", 5)
    window.table.trigger("operate.arm")
    show(qtbot, window, "next", 6)
    assert not window.table.qaction("operate.arm").isChecked()


@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000)])
def test_a_tour_shows_the_changes_in_a_narrow_window_too(
    qtbot: QtBot, admin: ConsoleWindow, size: tuple[int, int]
) -> None:
    admin.resize(*size)
    show(qtbot, admin, "next", 5)
    changes = admin.findChild(ChangesPanel)
    assert changes is not None
    qtbot.waitUntil(changes.isVisible)
    dock = admin.findChild(Dock, "design_changes")
    assert dock is not None
    assert dock.isAncestorOf(changes)
    assert not admin.tours.card.geometry().intersects(admin.tours.frame.geometry())


def test_commands_that_steps_name_are_in_the_menus(qtbot: QtBot, window: ConsoleWindow) -> None:
    for workspace in ("design", "operate", "analyse"):
        window.show_workspace(workspace)
    paths = {f"{one.menu.replace('/', ' > ')} > {one.name.rstrip('…')}" for one in window.table}
    for step in (step for tour in TOURS for step in tour.steps):
        named = [path for path in paths if path in step.text]
        assert len(named) == step.text.split().count(">"), step.text


def test_a_tour_begins_on_welcome_and_ends_at_any_step(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    window = empty_window
    hint = window.findChild(Hint)
    assert hint is not None
    QTest.mouseClick(hint.tours[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.tours.is_ready)
    QTest.keyClick(window.tours.card.next, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.tours.is_ready and window.tours.at == 1)
    QTest.mouseClick(window.tours.card.back, Qt.MouseButton.LeftButton)
    assert window.tours.at == 0
    QTest.mouseClick(window.tours.card.end, Qt.MouseButton.LeftButton)
    assert window.tours.tour is None
