"""A census of hostile names: every one is shown and spoken letter by letter."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox, QToolTip
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.command_search import CommandSearch
from fsconsole.console.files.questions import Questions
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.resources import examples
from fsconsole.shares.scenario.problems import Problem
from tests.console.cluster.play import PlayTarget, night_state
from tests.console.hostile_names import NAME, Census, Trap, census, hostile_cluster, hostile_scenario, trap
from tests.console.words_in_sight import settle

__all__ = ["census", "trap"]

_FILE = f"x{NAME}\n\u202e<img src=fifo>.yaml"
_WHOLE = pytest.mark.whole("takes a census of all that a window shows; one of a cluster is in every run")
# What the system's own dialogs give where a user leaves them.
_NOTHING_CHOSEN: dict[str, object] = {
    "exec": 0,
    "getExistingDirectory": "",
    "getOpenFileName": ("", ""),
    "getOpenFileNames": ([], ""),
    "getSaveFileName": ("", ""),
}


def open_scenario(qtbot: QtBot, window: ConsoleWindow, example: str, trap: Trap) -> None:
    path = trap.path.with_name(_FILE)
    path.write_text(hostile_scenario((examples() / f"{example}.yaml").read_text(), trap.path.name))
    window.files.open(path)
    session = window.session
    qtbot.waitUntil(lambda: session.target is not None and session.target.at() is not None)


def open_cluster(qtbot: QtBot, window: ConsoleWindow, trap: Trap) -> None:
    target = PlayTarget(hostile_cluster(night_state(), str(trap.path)))
    window.clusters.connections.make = lambda _: target
    window.clusters.connections.open(target)
    cluster = window.session.offer(CLUSTER)
    assert cluster is not None
    qtbot.waitUntil(lambda: cluster.state.tree is not None)


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("cluster", marks=pytest.mark.dear("takes a census of all that a window shows")),
        *(pytest.param(one, marks=_WHOLE) for one in ("near-dedicated-ymp", "convex-series-1")),
    ],
)
def test_window_and_dialogs_show_hostile_names_literally(
    qtbot: QtBot,
    empty_window: ConsoleWindow,
    census: Census,
    trap: Trap,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
) -> None:
    monkeypatch.chdir(trap.path.parent)
    for name, nothing in _NOTHING_CHOSEN.items():
        monkeypatch.setattr(QFileDialog, name, lambda *_args, nothing=nothing, **_more: nothing)
    window = empty_window
    window.resize(1600, 1000)
    if place == "cluster":
        open_cluster(qtbot, window, trap)
    else:
        open_scenario(qtbot, window, place, trap)
    document = window.session.document
    assert document is not None
    dialogs: set[str] = set()
    for workspace in WORKSPACES:
        window.show_workspace(workspace)
        window.session.select((document.tree.root.children[0],))
        assert window.current is not None
        for dock in window.current.docks:
            dock.bring_forward()
            settle(dock)
            census.take(dock)
        settle(window)
        census.take(window)
        if "operate.arm" in window.table:
            window.table.trigger("operate.arm")
        for action in window.table:
            if action.name.endswith("…") or action.id == "commands":
                window.table.trigger(action.id)
                dialogs |= take_dialogs(census)
    QToolTip.hideText()
    assert len(dialogs) > 8
    assert not census.faults, "\n".join(census.faults)
    kinds = {"label", "DisplayRole", "tooltip", "painted text", "spoken name", "menu item", "window title"}
    assert kinds <= census.seen.keys()
    assert not trap.is_sprung


def take_dialogs(census: Census) -> set[str]:
    """Take down what an action has opened, and close it."""
    QApplication.processEvents()
    seen = set()
    for one in QApplication.topLevelWidgets():
        if isinstance(one, QDialog | CommandSearch) and one.isVisible():
            seen.add(type(one).__name__)
            census.take(one)
            one.close()
    return seen


def test_questions_show_hostile_names_literally(
    qtbot: QtBot, empty_window: ConsoleWindow, census: Census, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, nothing in _NOTHING_CHOSEN.items():
        monkeypatch.setattr(QFileDialog, name, lambda *_args, nothing=nothing, **_more: nothing)
    name = f"x{NAME}<img src='{trap.path}'>\u202e"
    values: dict[str, Any] = {
        "str": name,
        "int": 3,
        "bool": True,
        "Path": Path(f"/tmp/{name}"),
        "Sequence[str]": [name],
        "Sequence[int]": [3],
        "Sequence[Problem]": [Problem(f"{name} is not a name")],
    }
    questions, asked = Questions(empty_window), set()

    def leave() -> None:
        for box in QApplication.topLevelWidgets():
            if isinstance(box, QDialog) and box.isVisible():
                asked.add(call)
                census.take(box)
                box.reject()

    for call, ask in inspect.getmembers(questions, inspect.ismethod):
        if call.startswith("_") or call.endswith(("to_open", "to_save", "folder")):
            continue
        given = {one.name: values[str(one.annotation)] for one in inspect.signature(ask).parameters.values()}
        monkeypatch.setattr(QMessageBox, "exec", QMessageBox.show)
        ask(**given)
        leave()
    assert len(asked) > 12
    assert not census.faults, "\n".join(census.faults)
    assert not trap.is_sprung
