"""Docks that are closed, collapsed, shown alone and brought back, as a person does it."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.commands import DOCK_MENU
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import HEADER_HEIGHT, Dock
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace import Workspace
from tests.texts import wording

WORKSPACES = ("design", "observe", "operate", "analyse")


def shown(qtbot: QtBot, window: ConsoleWindow, name: str) -> Workspace:
    window.show_workspace(name)
    qtbot.waitUntil(window.workspace(name).isVisible)
    for _ in range(3):  # the docks get their places one turn of the event loop after the other
        qtbot.wait(1)
    return window.workspace(name)


def in_sight(workspace: Workspace) -> set[str]:
    return {dock.objectName() for dock in workspace.findChildren(Dock) if not dock.visibleRegion().isEmpty()}


def is_low(dock: Dock) -> bool:
    return dock.height() <= HEADER_HEIGHT


def is_high(dock: Dock) -> bool:
    return dock.height() > HEADER_HEIGHT


def listed(window: ConsoleWindow) -> dict[str, QAction]:
    menu = window.table.menu(DOCK_MENU)
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions() if action.isCheckable()}


@pytest.mark.parametrize("name", WORKSPACES)
def test_all_docks_are_listed_closed_and_brought_back(qtbot: QtBot, window: ConsoleWindow, name: str) -> None:
    workspace = shown(qtbot, window, name)
    rows = listed(window)
    assert list(rows) == [dock.windowTitle() for dock in workspace.docks]
    for dock in workspace.docks:
        if dock.isHidden():
            continue
        listed(window)[dock.windowTitle()].trigger()
        assert dock.isHidden()
        assert not listed(window)[dock.windowTitle()].isChecked()
        listed(window)[dock.windowTitle()].trigger()
        assert not dock.isHidden()


@pytest.mark.parametrize("name", WORKSPACES)
def test_a_double_click_shows_a_dock_alone_and_all_again(
    qtbot: QtBot, window: ConsoleWindow, name: str
) -> None:
    workspace = shown(qtbot, window, name)
    before = {dock.objectName(): dock.geometry() for dock in workspace.findChildren(Dock)}
    seen = in_sight(workspace)
    dock = next(one for one in workspace.docks if one.objectName() in seen)
    QTest.mouseDClick(dock.header, Qt.MouseButton.LeftButton, pos=QPoint(30, 12))
    qtbot.waitUntil(lambda: in_sight(workspace) == {dock.objectName()})
    qtbot.waitUntil(lambda: dock.width() >= workspace.width() - 20)
    QTest.mouseDClick(dock.header, Qt.MouseButton.LeftButton, pos=QPoint(30, 12))
    qtbot.waitUntil(lambda: in_sight(workspace) == seen)
    qtbot.waitUntil(
        lambda: {one.objectName(): one.geometry() for one in workspace.findChildren(Dock)} == before
    )


def test_f11_and_escape_do_the_same_by_keys(qtbot: QtBot, window: ConsoleWindow) -> None:
    workspace = shown(qtbot, window, "design")
    seen = in_sight(workspace)
    tree = workspace.findChild(Dock, "design_tree")
    assert isinstance(tree, Dock)
    tree.content.setFocus()
    QTest.keyClick(tree.content, Qt.Key.Key_F11)
    qtbot.waitUntil(lambda: in_sight(workspace) == {"design_tree"})
    QTest.keyClick(tree.content, Qt.Key.Key_F11)
    qtbot.waitUntil(lambda: in_sight(workspace) == seen)
    QTest.keyClick(tree.content, Qt.Key.Key_F11)
    qtbot.waitUntil(lambda: in_sight(workspace) == {"design_tree"})
    QTest.keyClick(workspace, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: in_sight(workspace) == seen)


def test_what_is_asked_for_brings_all_docks_back(qtbot: QtBot, window: ConsoleWindow) -> None:
    workspace = shown(qtbot, window, "design")
    seen = in_sight(workspace)
    tree = workspace.findChild(Dock, "design_tree")
    assert isinstance(tree, Dock)
    workspace.maximiser.toggle(tree)
    window.table.trigger("why")
    qtbot.waitUntil(lambda: in_sight(workspace) == seen)
    assert workspace.maximiser.dock is None


def test_the_dots_of_a_dock_open_its_menu(qtbot: QtBot, window: ConsoleWindow) -> None:
    workspace = shown(qtbot, window, "design")
    dock = workspace.findChild(Dock, "design_map")
    assert isinstance(dock, Dock)
    assert dock.header.button is not None
    menu = dock.header.menu
    QTest.mouseClick(dock.header.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(menu.isVisible)
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dock.is_collapsed)
    assert not menu.isVisible()


@pytest.mark.parametrize("name", WORKSPACES)
def test_every_dock_collapses_and_expands_without_a_warning(
    qtbot: QtBot, window: ConsoleWindow, name: str
) -> None:
    workspace = shown(qtbot, window, name)
    for dock in [one for one in workspace.docks if one.isVisible()]:
        dock.toggle_collapsed()
        qtbot.waitUntil(partial(is_low, dock))
        dock.toggle_collapsed()
        qtbot.waitUntil(partial(is_high, dock))


def test_the_plots_stay_in_the_middle_of_observe(qtbot: QtBot, window: ConsoleWindow) -> None:
    workspace = shown(qtbot, window, "observe")
    plots = workspace.findChild(Dock, "observe.plots")
    assert isinstance(plots, Dock)
    plots.header.menu.aboutToShow.emit()
    offered = [action.text() for action in plots.header.menu.actions() if action.isVisible()]
    assert offered == [wording("console.widgets.maximise-or-restore-f11")]
    plots.toggle_collapsed()
    assert not plots.is_collapsed


def test_a_collapsed_dock_leaves_the_width_of_others_and_comes_back_as_high(
    qtbot: QtBot, window: ConsoleWindow
) -> None:
    workspace = shown(qtbot, window, "design")
    share_map, node = (workspace.findChild(Dock, name) for name in ("design_map", "design_node"))
    assert isinstance(share_map, Dock)
    assert isinstance(node, Dock)
    before, beside = share_map.size(), node.geometry()
    share_map.toggle_collapsed()
    qtbot.waitUntil(lambda: share_map.height() == 28)
    assert not share_map.content.isVisible()
    assert share_map.width() == before.width()
    assert node.geometry() == beside
    share_map.toggle_collapsed()
    qtbot.waitUntil(lambda: share_map.size() == before)
    assert share_map.content.isVisible()


def test_closed_and_collapsed_docks_are_so_at_the_next_start(
    qtbot: QtBot, session: ConsoleSession, window: ConsoleWindow
) -> None:
    workspace = shown(qtbot, window, "design")
    share_map, problems = (workspace.findChild(Dock, name) for name in ("design_map", "design_problems"))
    assert isinstance(share_map, Dock)
    assert isinstance(problems, Dock)
    share_map.toggle_collapsed()
    problems.close()
    qtbot.waitUntil(lambda: share_map.height() == 28)
    window.keep_state()
    again = ConsoleWindow(session)
    qtbot.addWidget(again)
    again.restore_state()
    again.show_workspace("design")
    again.resize(1600, 1000)
    with qtbot.waitActive(again):
        again.show()
    other = shown(qtbot, again, "design")
    found = {dock.objectName(): dock for dock in other.findChildren(Dock)}
    qtbot.waitUntil(lambda: found["design_map"].height() == 28)
    assert found["design_problems"].isHidden()
    again.table.trigger("reset_layout")
    qtbot.waitUntil(lambda: found["design_map"].height() > 100)
    assert not found["design_problems"].isHidden()


@pytest.mark.parametrize("name", ["observe", "operate"])
def test_the_workspace_in_front_at_the_start_has_its_docks_as_they_were(
    qtbot: QtBot, session: ConsoleSession, window: ConsoleWindow, name: str
) -> None:
    workspace = shown(qtbot, window, name)
    closed = next(dock for dock in workspace.docks if not dock.isHidden())
    closed.close()
    window.keep_state()
    again = ConsoleWindow(session)
    qtbot.addWidget(again)
    again.restore_state()
    again.resize(1600, 1000)
    with qtbot.waitActive(again):
        again.show()
    other = shown(qtbot, again, name)
    found = {dock.objectName(): dock for dock in other.findChildren(Dock)}
    assert found[closed.objectName()].isHidden()
    again.keep_state()
    assert found[closed.objectName()].isHidden()


def test_why_is_shown_whole_where_it_was_collapsed(qtbot: QtBot, window: ConsoleWindow) -> None:
    workspace = shown(qtbot, window, "observe")
    why = workspace.findChild(Dock, "observe.why")
    assert isinstance(why, Dock)
    why.set_collapsed(True)
    window.table.trigger("why")
    assert not why.is_collapsed
    qtbot.waitUntil(partial(is_high, why))
