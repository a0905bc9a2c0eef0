"""Names, roles, labels and values for assistive technology, in every workspace and in its dialogs."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.study_file import read_study
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.command_search import CommandSearch
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.resources import examples
from fsconsole.targets.slurm.location import example_capture
from tests.batch.study.small import HereExecutor, write_small
from tests.console.assistive import hard_to_hit, unspoken
from tests.console.words_in_sight import settle

PLACES = {
    "machine": examples() / "convex-series-1.yaml",
    "night": examples() / "near-dedicated-ymp.yaml",
    "cluster": example_capture(),
}
_DEAR = pytest.mark.dear("opens all dialogs of all workspaces")
_WHOLE = pytest.mark.whole("opens all dialogs of all workspaces; those of a machine are opened in every run")
# Dialogs that have no ellipsis: they only show something.
_SHOWING = ("help", "keyboard", "glossary", "about", "commands")

# What the system's own dialogs give where a person leaves them.
_NOTHING_CHOSEN: dict[str, object] = {
    "exec": 0,
    "getExistingDirectory": "",
    "getOpenFileName": ("", ""),
    "getOpenFileNames": ([], ""),
    "getSaveFileName": ("", ""),
}


def opened(qtbot: QtBot, window: ConsoleWindow, path: Path) -> None:
    """Open a machine, a night or a capture and wait until there is something to show."""
    session = window.session
    window.files.open(path)
    qtbot.waitUntil(lambda: session.target is not None and session.target.at() is not None)
    cluster = session.offer(CLUSTER)
    qtbot.waitUntil(lambda: cluster is None or cluster.state.standing is not None)


@pytest.mark.watch_allows(
    "focus", reason="the page of welcome drops the focus when a capture is read", issue="calm"
)
@pytest.mark.parametrize("place", PLACES)
def test_all_docks_of_all_workspaces_can_be_read_and_hit(
    qtbot: QtBot, empty_window: ConsoleWindow, place: str
) -> None:
    empty_window.resize(1600, 1000)
    faults = unspoken(empty_window) + hard_to_hit(empty_window)
    opened(qtbot, empty_window, PLACES[place])
    for workspace in WORKSPACES:
        empty_window.show_workspace(workspace)
        assert empty_window.current is not None
        settle(empty_window)
        faults += unspoken(empty_window) + hard_to_hit(empty_window)
        for dock in empty_window.current.docks:
            dock.bring_forward()
            settle(dock)
            faults += unspoken(dock) + hard_to_hit(dock)
    assert not faults, "\n".join(sorted(set(faults)))


def test_all_pages_of_a_study_can_be_read_and_hit(
    qtbot: QtBot, empty_window: ConsoleWindow, tmp_path: Path
) -> None:
    path = write_small(tmp_path)
    run_study(read_study(path), path.with_suffix(""), HereExecutor())
    empty_window.resize(1600, 1000)
    empty_window.files.open_study(path)
    controller = empty_window.stack.analyse.study_controller
    qtbot.waitUntil(lambda: controller.study is not None)
    page = controller.page
    faults = []
    for at in range(page.bar.count()):
        page.bar.setCurrentIndex(at)
        settle(empty_window)
        faults += unspoken(page) + hard_to_hit(page)
    assert page.bar.count() > 5
    assert not faults, "\n".join(sorted(set(faults)))


@pytest.mark.watch_allows("focus", reason="the page of welcome goes with the focus", issue="calm")
@pytest.mark.parametrize(
    "place",
    [
        pytest.param("machine", marks=_DEAR),
        *(pytest.param(one, marks=_WHOLE) for one in ("night", "cluster")),
    ],
)
def test_all_dialogs_that_actions_open_can_be_read(
    qtbot: QtBot, empty_window: ConsoleWindow, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    for name, nothing in _NOTHING_CHOSEN.items():
        monkeypatch.setattr(QFileDialog, name, lambda *_args, nothing=nothing, **_more: nothing)
    opened(qtbot, empty_window, PLACES[place])
    faults: list[str] = []
    seen: set[str] = set()
    for workspace in WORKSPACES:
        empty_window.show_workspace(workspace)
        document = empty_window.session.document
        assert document is not None
        empty_window.session.select((document.tree.root.children[0],))
        if "operate.arm" in empty_window.table:
            empty_window.table.trigger("operate.arm")
        for action in empty_window.table:
            if action.name.endswith("…") or action.id in _SHOWING:
                empty_window.table.trigger(action.id)
                faults += _read_and_close(seen)
    assert not faults, "\n".join(sorted(set(faults)))
    assert {"CommandSearch", "GlossaryDialog", "KeyboardDialog", "HelpDialog", "NewStudyDialog"} <= seen
    assert len(seen) > 10


def _read_and_close(seen: set[str]) -> list[str]:
    """Faults of what an action has opened."""
    faults = []
    QApplication.processEvents()
    for one in QApplication.topLevelWidgets():
        if isinstance(one, QDialog | CommandSearch) and one.isVisible():
            seen.add(type(one).__name__)
            faults += unspoken(one)
            one.close()
    return faults
