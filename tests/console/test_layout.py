"""Docks get their first sizes from the workspace; a layout that a person has chosen stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.notices import RestoreNotice
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.lazy_widget import LazyWidget
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace import LAYOUT_VERSION
from fsconsole.console.workspace_stack import WORKSPACES
from tests.console.conftest import notice_of

_A_LITTLE_PX = 16  # docks round, and some adapt to the window


@pytest.fixture
def windows(qtbot: QtBot, session: ConsoleSession, tmp_path: Path) -> Iterator[list[ConsoleWindow]]:
    """Windows that a test makes, with preferences of their own; closed at its end."""
    session.preferences = Preferences(tmp_path)
    made: list[ConsoleWindow] = []
    yield made
    for window in made:
        window.close()
        window.deleteLater()


def shown(qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow], name: str, width: int) -> None:
    """Add a window that shows a workspace."""
    window = ConsoleWindow(session)
    windows.append(window)
    window.show_workspace(name)
    window.resize(width, 800 if width < 1500 else 1000)
    with qtbot.waitActive(window):
        window.show()
    qtbot.waitUntil(window.workspace(name).isVisible)


def test_the_node_dock_is_slim_in_a_narrow_window(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "design", 1280)
    design = windows[0].workspace("design")
    assert isinstance(design, DesignWorkspace)
    qtbot.waitUntil(lambda: 330 <= design.node_dock.width() <= 350)
    assert design.tree_dock.width() > 900
    assert design.changes_dock.isHidden()


def test_sizes_that_a_person_gave_outlive_a_start(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "observe", 1280)
    first = windows[0].workspace("observe")
    assert isinstance(first, LiveWorkspace)
    qtbot.waitUntil(lambda: first.legend_dock.width() == 376)
    first.resizeDocks([first.legend_dock], [460], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: first.legend_dock.width() == 460)
    windows[0].keep_state()
    shown(qtbot, session, windows, "observe", 1280)
    second = windows[1].workspace("observe")
    assert isinstance(second, LiveWorkspace)
    qtbot.waitUntil(lambda: second.legend_dock.width() == 460)
    windows[1].resize(1600, 1000)  # of another class: it has its own layout
    qtbot.waitUntil(lambda: second.legend_dock.width() == 390)
    windows[1].resize(1280, 800)
    qtbot.waitUntil(lambda: second.legend_dock.width() == 460)
    windows[1].table.trigger("reset_layout")
    qtbot.waitUntil(lambda: second.legend_dock.width() == 376)


def test_what_a_person_drags_is_there_again_when_the_window_has_its_size_again(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "observe", 1600)
    observe = windows[0].workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    legend = observe.legend_dock
    qtbot.waitUntil(lambda: legend.width() == 390)
    between = QPoint(legend.geometry().right() + 2, legend.geometry().center().y())
    QTest.mousePress(observe, Qt.MouseButton.LeftButton, pos=between)
    QTest.mouseMove(observe, between + QPoint(60, 0))
    qtbot.waitUntil(lambda: legend.width() == 450)
    QTest.mouseRelease(observe, Qt.MouseButton.LeftButton, pos=between + QPoint(60, 0))
    windows[0].resize(1280, 800)
    qtbot.waitUntil(lambda: legend.width() == 376)
    windows[0].resize(1600, 1000)
    qtbot.waitUntil(lambda: legend.width() == 450)


def test_a_layout_of_a_small_window_is_not_used_in_a_large_one(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    def columns(window: ConsoleWindow) -> tuple[int, ...]:
        design = window.workspace("design")
        assert isinstance(design, DesignWorkspace)
        return (design.tree_dock.width(), design.node_dock.width(), design.why_dock.height())

    shown(qtbot, session, windows, "design", 1600)
    qtbot.waitUntil(lambda: columns(windows[0])[1] > 450)
    fresh = columns(windows[0])
    shown(qtbot, session, windows, "design", 1280)
    qtbot.waitUntil(lambda: columns(windows[1])[1] < 360)
    windows[1].keep_state()
    shown(qtbot, session, windows, "design", 1600)
    qtbot.waitUntil(lambda: columns(windows[2]) == fresh)


@pytest.mark.parametrize("name", ["design", "observe", "operate"])
def test_docks_have_their_sizes_again_in_a_window_that_is_shown_already(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow], name: str
) -> None:
    def sizes(window: ConsoleWindow) -> dict[str, QSize]:
        docks = window.workspace(name).findChildren(Dock)
        return {dock.objectName(): dock.size() for dock in docks if dock.isVisible()}

    def is_as_before() -> bool:
        now = sizes(windows[1])
        apart = [(now[dock] - before[dock]).toTuple() for dock in now.keys() & before.keys()]
        return now.keys() == before.keys() and all(max(map(abs, one)) <= _A_LITTLE_PX for one in apart)

    other = "observe" if name == "design" else "design"
    shown(qtbot, session, windows, other, 1600)
    windows[0].show_workspace(name)
    qtbot.waitUntil(windows[0].workspace(name).isVisible)
    qtbot.wait(0)  # sizes are shared out a turn later
    before = sizes(windows[0])
    windows[0].keep_state()
    shown(qtbot, session, windows, other, 1600)
    windows[1].show_workspace(name)
    qtbot.waitUntil(is_as_before)


def test_changes_get_their_dock_back_in_a_wider_window(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "design", 1280)
    windows[0].keep_state()
    shown(qtbot, session, windows, "design", 1600)
    design = windows[1].workspace("design")
    assert isinstance(design, DesignWorkspace)
    qtbot.waitUntil(design.changes_dock.isVisible)
    windows[1].resize(1280, 800)
    qtbot.waitUntil(design.changes_dock.isHidden)
    windows[1].table.trigger("reset_layout")
    assert design.changes_dock.isHidden()
    assert design.bottom.tabs.count() == 4


def test_every_workspace_follows_the_window_to_the_smallest_size_and_back(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "observe", 1600)
    window = windows[0]
    for name in WORKSPACES:
        window.show_workspace(name)
    for name in (*WORKSPACES, *reversed(WORKSPACES)):
        for size in ((1280, 800), (1600, 1000)):
            window.show_workspace(name)
            window.resize(*size)
            qtbot.waitUntil(lambda: fits(window))
            assert (window.width(), window.height()) == size
    session.open(None)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: window.size() == QSize(1280, 800))


def fits(window: ConsoleWindow) -> bool:
    """Return True if the workspace in front has the room that it needs, and the docks are inside."""
    workspace = window.current
    assert workspace is not None
    needs = workspace.minimumSizeHint()
    return workspace.rect().contains(QRect(QPoint(0, 0), needs)) and all(
        workspace.rect().contains(dock.geometry())
        for dock in workspace.findChildren(Dock)
        if dock.content.isVisible()
    )


def test_the_side_docks_of_design_become_tabs_and_stand_under_each_other_again(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "design", 1600)
    window, design = windows[0], windows[0].workspace("design")
    assert isinstance(design, DesignWorkspace)
    sides = [design.node_dock, design.what_if_dock, design.why_dock]
    for _ in range(2):
        qtbot.waitUntil(lambda: [dock.content.isVisible() for dock in sides] == [True, True, True])
        qtbot.waitUntil(lambda: len({dock.x() for dock in sides}) == 1)
        assert sorted(sides, key=Dock.y) == sides
        window.resize(1280, 800)
        qtbot.waitUntil(lambda: [dock.content.isVisible() for dock in sides] == [True, False, False])
        design.show_what_if()
        qtbot.waitUntil(lambda: [dock.content.isVisible() for dock in sides] == [False, True, False])
        window.resize(1600, 1000)
    design.why_dock.close()
    window.resize(1280, 800)
    qtbot.waitUntil(design.node_dock.content.isVisible)
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: [dock.content.isVisible() for dock in sides] == [True, True, False])


def test_no_layout_is_saved_while_docks_are_moved(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of a layout would be kept, and Qt would write down docks that have no place yet."""
    shown(qtbot, session, windows, "design", 1600)
    design = windows[0].workspace("design")
    assert isinstance(design, DesignWorkspace)
    as_first = design.saveState(LAYOUT_VERSION)
    design.tabifyDockWidget(design.node_dock, design.changes_dock)
    moved = design.saveState(LAYOUT_VERSION)
    is_moving, saved = False, []

    def restore(state: QByteArray, version: int = 0) -> bool:
        nonlocal is_moving
        is_moving = True
        try:
            return QMainWindow.restoreState(design, state, version)
        finally:
            is_moving = False

    def save(version: int = 0) -> QByteArray:
        saved.append(is_moving)
        return QMainWindow.saveState(design, version)

    monkeypatch.setattr(design, "restoreState", restore)
    monkeypatch.setattr(design, "saveState", save)
    for state in (as_first, moved, as_first):
        saved.clear()
        design.restoreState(state, LAYOUT_VERSION)
        qtbot.waitUntil(lambda: saved != [])
        assert True not in saved


def test_nothing_is_made_or_worked_out_behind_another_tab(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "observe", 1600)
    observe = windows[0].workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    late = observe.why_dock.content
    assert isinstance(late, LazyWidget)
    qtbot.waitUntil(lambda: not late.isVisible())
    assert not late.is_made
    observe.show_why()
    qtbot.waitUntil(observe.why_panel.isVisible)
    assert QApplication.activeWindow() is windows[0]  # nothing that was made has been a window
    assert not observe.machine.processes.isVisible()
    observe.machine.process_dock.raise_()
    qtbot.waitUntil(lambda: not observe.why_panel.isVisible())
    assert observe.machine.processes.isVisible()


@pytest.mark.parametrize("width", [1280, 1600])
@pytest.mark.parametrize("name", ["design", "observe", "operate"])
def test_a_notice_moves_nothing(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow], name: str, width: int
) -> None:
    shown(qtbot, session, windows, name, width)
    workspace, notice = windows[0].workspace(name), notice_of(windows[0], RestoreNotice)
    seen: list[list[QRect]] = []

    def are_settled() -> bool:
        docks = [dock.geometry() for dock in workspace.findChildren(Dock) if dock.content.isVisible()]
        seen.append([workspace.geometry(), *docks])
        return len(seen) > 10 and all(one == seen[-1] for one in seen[-10:])

    qtbot.waitUntil(are_settled)
    before = seen[-1]
    notice.say("Edits that were not saved are here.")
    qtbot.waitUntil(notice.isVisible)
    seen.clear()
    qtbot.waitUntil(are_settled)
    assert seen == [before] * len(seen)
    notice.put_away()
    assert notice.isHidden()
    seen.clear()
    qtbot.waitUntil(are_settled)
    assert seen == [before] * len(seen)
