"""Staged edits on the disk: of consoles that live, and of consoles that were killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.app.cluster.saved_edits import FORMAT, edits_of, read_stored, rows_of, stored
from fsconsole.console.app import SignalHandler
from fsconsole.console.cluster.auto_save import EditsAutoSave, SavedEditsFile, left_files, saved_edits_folder
from fsconsole.console.cluster.notices import StagedNotice
from fsconsole.console.window import ConsoleWindow
from fsconsole.operating_system import ENDING_SIGNALS
from fsconsole.shares.edits import Insert, SetShares
from fsconsole.shares.tree import Kind, Node
from tests.console.cluster.play import PlayTarget, cluster_tree
from tests.texts import naming, says

HEP, ANNA = "root/physics/hep", "root/physics/hep/fs_anna"
_OTHER_CONSOLE = """
import sys, time
from pathlib import Path
from fsconsole.console.cluster.auto_save import SavedEditsFile
file = SavedEditsFile.begin(Path(sys.argv[1]))
file.write([{"do": "shares", "key": ["hep", "", ""], "shares": 9}])
print("kept", flush=True)
time.sleep(300)
"""


def files() -> list[Path]:
    return sorted(saved_edits_folder("lab").glob("*.json"))


def leave(path: str, shares: int, when: str) -> None:
    """What a console leaves that was killed."""
    tree = cluster_tree()
    wanted = tree.shares.copy()
    SetShares.of(wanted.find(path).id, shares).apply(wanted)
    saved_edits_folder("lab").mkdir(parents=True, exist_ok=True)
    file = saved_edits_folder("lab") / f"{path.rsplit('/', 1)[-1]}.json"
    file.write_text(json.dumps({"when": when, "rows": rows_of(tree, wanted)}))


def shares(window: ConsoleWindow, path: str) -> int:
    assert window.session.document is not None
    return window.session.document.tree.find(path).shares


def set_shares(window: ConsoleWindow, path: str, value: int) -> None:
    document = window.session.document
    assert document is not None
    document.edit("Set shares", [SetShares.of(document.tree.find(path).id, value)])


def opened(window: ConsoleWindow, play: PlayTarget) -> StagedNotice:
    window.show_workspace("design")
    window.clusters.connections.open(play)
    notice = window.findChild(StagedNotice)
    assert notice is not None
    return notice


def click(notice: StagedNotice, name: str) -> None:
    button = notice.findChild(QPushButton, name)
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def other_console() -> Iterator[subprocess.Popen[str]]:
    """Another console that has one edit staged for the lab."""
    child = subprocess.Popen(
        [sys.executable, "-c", _OTHER_CONSOLE, str(saved_edits_folder("lab"))],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "kept\n"
        yield child
        child.send_signal(signal.SIGKILL)


def test_edits_are_kept_while_they_are_staged(qtbot: QtBot, cluster_window: ConsoleWindow) -> None:
    set_shares(cluster_window, HEP, 7)
    qtbot.waitUntil(lambda: len(files()) == 1)
    assert json.loads(files()[0].read_text())["rows"] == [
        {"do": "shares", "key": ["hep", "", ""], "shares": 7}
    ]
    cluster_window.table.trigger("undo")
    qtbot.waitUntil(lambda: files() == [])


def test_consoles_that_were_killed_are_offered_one_after_the_other(
    qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget
) -> None:
    leave(HEP, 7, "2026-11-22T11:00:00+00:00")
    leave(ANNA, 25, "2026-11-22T10:00:00+00:00")
    before = shares_of_lab(ANNA)
    notice = opened(empty_window, play)
    assert notice.isVisible()
    assert notice.text.split()[:2] == ["1", "change"]
    assert says(notice.text, "console.cluster.staged-for-on-but-not", name="lab")
    click(notice, "Restore")
    assert (shares(empty_window, HEP), shares(empty_window, ANNA)) == (7, before)
    assert notice.isVisible()
    click(notice, "Restore")
    assert (shares(empty_window, HEP), shares(empty_window, ANNA)) == (7, 25)
    assert notice.isHidden()
    qtbot.waitUntil(lambda: len(files()) == 1)  # both are in this console's own now
    assert len(json.loads(files()[0].read_text())["rows"]) == 2


def shares_of_lab(path: str) -> int:
    return cluster_tree().shares.find(path).shares


def test_what_is_not_wanted_goes(qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget) -> None:
    leave(HEP, 7, "2026-11-22T11:00:00+00:00")
    notice = opened(empty_window, play)
    click(notice, "Discard")
    assert notice.isHidden()
    assert files() == []
    assert shares(empty_window, HEP) == shares_of_lab(HEP)


def test_what_was_not_answered_stays_for_another_time(
    qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget
) -> None:
    leave(HEP, 7, "2026-11-22T11:00:00+00:00")
    opened(empty_window, play)
    assert left_files(saved_edits_folder("lab")) == []  # this console holds it
    empty_window.session.open(None)
    assert [kept.rows[0]["shares"] for _, kept in left_files(saved_edits_folder("lab"))] == [7]


def test_what_a_living_console_stages_is_its_own(
    qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget, other_console: subprocess.Popen[str]
) -> None:
    its_own = files()
    notice = opened(empty_window, play)
    assert notice.isHidden()
    set_shares(empty_window, HEP, 7)
    qtbot.waitUntil(lambda: len(files()) == 2)
    assert [json.loads(path.read_text())["rows"][0]["shares"] for path in its_own] == [9]
    empty_window.table.trigger("undo")
    qtbot.waitUntil(lambda: files() == its_own)
    other_console.send_signal(signal.SIGKILL)
    other_console.wait()
    assert [kept.rows[0]["shares"] for _, kept in left_files(saved_edits_folder("lab"))] == [9]


def test_what_is_damaged_is_not_offered() -> None:
    saved_edits_folder("lab").mkdir(parents=True)
    for name, text in (("a", "{"), ("b", '{"when": "yesterday", "rows": []}'), ("c", "[]")):
        (saved_edits_folder("lab") / f"{name}.json").write_text(text)
    console = QObject()
    auto_save = EditsAutoSave("lab", console)
    reported: list[str] = []
    auto_save.failed.connect(reported.append)
    assert auto_save.offered is None
    assert len(reported) == 3
    assert says(reported[0], naming("a.json"))


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"program": "fsconsole 99.0.0", "rows": [{"do": "add", "name": "ann", "mood": 1}]},
        {"program": "fsconsole 99.0.0", "rows": [{"do": "swap"}]},
    ],
)
def test_edits_of_a_newer_console_wait_and_are_reported(
    empty_window: ConsoleWindow, play: PlayTarget, change: dict[str, object]
) -> None:
    folder = saved_edits_folder("lab")
    folder.mkdir(parents=True)
    text = json.dumps({**FORMAT.header(), "when": "2027-01-01T00:00:00+00:00", "rows": [], **change})
    (folder / "new.json").write_text(text)
    notice = opened(empty_window, play)
    assert not notice.is_wanted
    assert says(empty_window.session.preferences.problem, naming("new.json", "a newer"))
    assert (folder / "new.json").read_text() == text


@pytest.mark.parametrize("kind", [Kind.USER, Kind.GROUP])
def test_limits_of_a_new_node_are_staged_once_and_older_programs_report_them(kind: Kind) -> None:
    """Programs until 25 November 2026 added the node without them, and did not say so."""
    base = cluster_tree()
    wanted = base.shares.copy()
    new = Node(wanted.new_id(), "new", 3, kind, foreign={"MaxJobs": "5"})
    Insert(wanted.find(HEP).id, 0, (new,)).apply(wanted)
    contents = json.loads(json.dumps(stored(rows_of(base, wanted), datetime.now().astimezone())))
    assert [row["do"] for row in contents["rows"]] == ["add", "limits"]
    (edit,), lost = edits_of(read_stored(contents), base, base.shares.copy())
    assert isinstance(edit, Insert)
    assert (lost, edit.nodes[0].foreign) == (0, {"MaxJobs": "5"})


@pytest.mark.usefixtures("qapp")
def test_what_is_forgotten_while_it_is_written_does_not_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = Event(), Event()
    write = SavedEditsFile.write

    def slow(self: SavedEditsFile, rows: list[dict[str, object]]) -> None:
        begun.set()
        may_end.wait(60)
        write(self, rows)

    monkeypatch.setattr(SavedEditsFile, "write", slow)
    tree = cluster_tree()
    wanted = tree.shares.copy()
    SetShares.of(wanted.find(HEP).id, 7).apply(wanted)
    parent = QObject()
    auto_save = EditsAutoSave("lab", parent)
    auto_save.keep(tree, wanted)
    assert begun.wait(60)
    auto_save.forget()  # does not wait for the disk
    may_end.set()
    auto_save.close()
    assert not auto_save._tasks.is_busy()
    assert files() == []


@pytest.mark.parametrize("number", ENDING_SIGNALS)
def test_a_signal_leaves_what_is_staged_to_the_next_start(
    qtbot: QtBot, cluster_window: ConsoleWindow, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """A logout, a lost terminal or `kill` deleted it."""
    before = {one: signal.getsignal(one) for one in ENDING_SIGNALS}
    died: list[int] = []
    monkeypatch.setattr(os, "kill", lambda _pid, which: died.append(which))
    monkeypatch.setattr("fsconsole.targets.slurm.child._IS_OVER", Event())  # This process goes on.
    set_shares(cluster_window, ANNA, 25)
    qtbot.waitUntil(lambda: len(files()) == 1)
    handler = SignalHandler(cluster_window.session, cluster_window)
    try:
        set_shares(cluster_window, HEP, 7)  # It is not on the disk yet.
        handler._there.send(bytes([number]))
        qtbot.waitUntil(lambda: died == [number])
    finally:
        signal.set_wakeup_fd(-1)
        handler._notifier.setEnabled(False)
        for end in (handler._here, handler._there):
            end.close()
        for one, action in before.items():
            signal.signal(one, action)
    ((file, kept),) = left_files(saved_edits_folder("lab"))
    assert {row["key"][0] for row in kept.rows} == {"hep"}
    assert sorted(row["shares"] for row in kept.rows) == [7, 25]
    file.release()


def test_taken_edits_stay_too_when_the_console_is_ended(
    qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget
) -> None:
    leave(HEP, 7, "2026-11-22T11:00:00+00:00")
    leave(ANNA, 25, "2026-11-22T10:00:00+00:00")
    click(opened(empty_window, play), "Restore")
    empty_window.session.ending.emit()
    empty_window.session.close_target()
    found = [kept.rows[0]["shares"] for _, kept in left_files(saved_edits_folder("lab"))]
    assert {7, 25} <= set(found)


def test_what_was_reverted_at_the_last_moment_does_not_come_back(
    qtbot: QtBot, cluster_window: ConsoleWindow
) -> None:
    set_shares(cluster_window, HEP, 7)
    qtbot.waitUntil(lambda: len(files()) == 1)
    cluster_window.table.trigger("undo")
    cluster_window.session.ending.emit()
    cluster_window.session.close_target()
    assert files() == []


def test_two_clusters_of_one_name_do_not_share_staged_edits() -> None:
    here, there = (saved_edits_folder("cluster", f"ssh login{number}") for number in (1, 2))
    file = SavedEditsFile.begin(here)
    file.write([{"do": "shares", "key": ["hep", "", ""], "shares": 9}])
    file.release()
    assert left_files(there) == []
    assert EditsAutoSave("cluster", QObject(), "ssh login2").offered is None
    assert EditsAutoSave("cluster", QObject(), "ssh login1").offered is not None
