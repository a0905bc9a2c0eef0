from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLockFile, Qt, QTimer
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.console.files import locks
from fsconsole.console.files.copies import Copy, CopyFacts, base_of, copies_folder, left_copies
from fsconsole.console.notices import PreferencesNotice, RestoreNotice
from fsconsole.console.window import ConsoleWindow
from fsconsole.recording.notes import Note
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.read import parse_scenario, read_scenario
from fsconsole.shares.scenario.write import write_text
from tests.console.conftest import notice_of
from tests.disks import fails_with
from tests.texts import says, wording

# A console that edits, waits until its copy is kept, says so and does nothing more.
_CHILD = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from fsconsole.console.document import Document
from fsconsole.console.files.auto_save import AutoSave
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.read import read_scenario

path = Path(sys.argv[1])
app = QApplication([])
session = ConsoleSession()
auto_save = AutoSave(session)
auto_save.kept.connect(lambda when: print("kept", flush=True))
document = Document(read_scenario(path), path, text=path.read_text("utf-8"))
session.open(document)
node = next(node for node in document.tree.walk() if node.name == "a1")
document.edit("Set shares", [SetShares.of(node.id, 77)])
document.edit("Set shares", [SetShares.of(node.id, 78)])
app.exec()
"""


def start_child(path: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "kept\n"
    return child


def kill(child: subprocess.Popen[str]) -> None:
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert child.stdout is not None
    child.stdout.close()


def example_in(folder: Path) -> Path:
    path = folder / "mine.yaml"
    scenario = read_scenario(examples() / "two-organisations.yaml")
    leaf = next(node for node in scenario.tree.walk() if not node.is_group)
    leaf.name = "a1"
    path.write_text(write_text(scenario), "utf-8")
    return path


def facts_of(path: Path | None, edits: int = 1, when: datetime | None = None) -> CopyFacts:
    return CopyFacts("mine.yaml", path, "", edits, when or datetime.now().astimezone())


def press(window: ConsoleWindow, word: str) -> None:
    button = notice_of(window, RestoreNotice).findChild(QPushButton, word)
    assert isinstance(button, QPushButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.watch_allows(
    "focus", reason="what is read in a thread takes the focus when its page comes", issue="calm"
)
def test_unsaved_changes_survive_a_kill(qtbot: QtBot, empty_window: ConsoleWindow, tmp_path: Path) -> None:
    path = example_in(tmp_path)
    before = path.read_text("utf-8")
    child = start_child(path)
    empty_window.restorer.look()
    # The other console lives and holds its copy.
    assert not notice_of(empty_window, RestoreNotice).isVisible()
    kill(child)
    empty_window.restorer.look()
    assert notice_of(empty_window, RestoreNotice).text.startswith(
        wording("console.was-not-saved-last-time", name="mine.yaml")
    )
    assert notice_of(empty_window, RestoreNotice).text.split()[-3:] == ["2", "more", "edits."]
    with qtbot.waitSignal(empty_window.session.document_changed):
        press(empty_window, "Restore")
    document = empty_window.session.document
    assert document is not None
    assert next(node for node in document.tree.walk() if node.name == "a1").shares == 78
    assert document.is_modified
    assert document.path == path
    assert path.read_text("utf-8") == before
    assert not notice_of(empty_window, RestoreNotice).isVisible()
    assert empty_window.files.save()
    assert next(node for node in read_scenario(path).tree.walk() if node.name == "a1").shares == 78
    assert not list(copies_folder().glob("*.yaml"))


def test_a_restored_document_is_still_kept(qtbot: QtBot, empty_window: ConsoleWindow, tmp_path: Path) -> None:
    copy = Copy.begin()
    copy.write(example_in(tmp_path).read_text("utf-8"), facts_of(None))
    copy.release()
    empty_window.restorer.look()
    with qtbot.waitSignal(empty_window.session.document_changed):
        press(empty_window, "Restore")
    assert len(list(copies_folder().glob("*.yaml"))) == 1
    document = empty_window.session.document
    assert document is not None
    with qtbot.waitSignal(empty_window.auto_save.kept):
        document.edit("Set shares", [SetShares.of(document.tree.root.children[0], 9)])
    kept = list(copies_folder().glob("*.yaml"))
    assert len(kept) == 1
    assert parse_scenario(kept[0].read_text("utf-8")).tree.node(document.tree.root.children[0]).shares == 9


def test_a_copy_goes_when_its_changes_are_undone_saved_or_discarded(
    qtbot: QtBot, window: ConsoleWindow, answers: Any
) -> None:
    document = window.session.document
    assert document is not None
    for leave in (document.stack.undo, window.files.close):
        with qtbot.waitSignal(window.auto_save.kept):
            document.edit("Set shares", [SetShares.of(document.tree.root.children[0], 7)])
        assert len(list(copies_folder().glob("*.yaml"))) == 1
        answers.answer = "discard"
        leave()
        assert not list(copies_folder().glob("*.yaml"))


def test_a_note_on_a_run_is_kept(qtbot: QtBot, window: ConsoleWindow) -> None:
    with qtbot.waitSignal(window.auto_save.kept):
        window.session.notes.add(5.0, "a note")
    (path,) = copies_folder().glob("*.json")
    assert [note["text"] for note in json.loads(path.read_text("utf-8"))["notes"]] == ["a note"]
    window.session.notes.undo()
    assert not list(copies_folder().glob("*.json"))


def test_notes_come_back_with_the_copy(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    path, session = example_in(tmp_path), empty_window.session
    copy = Copy.begin()
    text = path.read_text("utf-8")
    facts = CopyFacts(
        "mine.yaml", path, base_of(text), 0, datetime.now().astimezone(), (Note(5.0, "a", number=1),)
    )
    copy.write(text, facts)
    copy.release()
    empty_window.restorer.look()  # although the file says the same
    assert notice_of(empty_window, RestoreNotice).text.endswith(
        wording("console.it-has-on-run-which", notes="1 note")
    )
    with qtbot.waitSignal(session.document_changed):
        press(empty_window, "Restore")
    assert [(note.time_s, note.text) for note in session.notes.notes] == [(5.0, "a")]
    assert not empty_window.files.close()
    assert answers.asked[0].split()[:3] == ["leave", "1", "notes"]


def test_a_run_that_was_not_recorded_is_reported_as_lost(
    qtbot: QtBot, window: ConsoleWindow, tmp_path: Path
) -> None:
    session = window.session
    document, machine = session.document, session.machine
    assert document is not None
    assert machine is not None
    for has_run in (False, True):
        if has_run:
            qtbot.waitUntil(lambda: session.newest is not None)
            session.step(5)
            qtbot.waitUntil(lambda: session.newest is not None and session.newest.time_s > 0)
        with qtbot.waitSignal(window.auto_save.kept):
            document.edit("Set shares", [SetShares.of(document.tree.root.children[0], 7 + has_run)])
        (path,) = copies_folder().glob("*.json")
        assert json.loads(path.read_text("utf-8"))["has_run"] is has_run
    facts = replace(facts_of(None), has_run=True)
    copy = Copy.begin()
    copy.write("x", facts)
    copy.release()
    window.restorer.look()
    assert notice_of(window, RestoreNotice).text.endswith(wording("console.its-run-was-not-recorded"))


def test_a_copy_is_discarded_only_after_a_yes(empty_window: ConsoleWindow, answers: Any) -> None:
    copy = Copy.begin()
    copy.write("x", facts_of(None))
    copy.release()
    empty_window.restorer.look()
    press(empty_window, "Discard copy…")
    assert copy.text_path.exists()
    answers.yes = True
    press(empty_window, "Discard copy…")
    assert not copy.text_path.exists()
    assert not notice_of(empty_window, RestoreNotice).isVisible()


def test_a_copy_that_cannot_be_read_is_reported_and_stays(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any
) -> None:
    copy = Copy.begin()
    copy.write("tree: [", facts_of(None))
    copy.release()
    empty_window.restorer.look()
    press(empty_window, "Restore")
    qtbot.waitUntil(lambda: bool(answers.reported))
    assert copy.text_path.exists()


def test_two_consoles_do_not_see_each_others_copies(tmp_path: Path) -> None:
    one, other = Copy.begin(tmp_path), Copy.begin(tmp_path)
    one.write("x", facts_of(None))
    other.write("y", facts_of(None))
    assert left_copies(tmp_path) == []
    one.release()
    assert [copy.read() for copy in left_copies(tmp_path)] == ["x"]


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_copy_is_offered_whatever_clocks_say_of_the_file(
    empty_window: ConsoleWindow, tmp_path: Path, hours: int
) -> None:
    """A file server's clock may be ahead, and one's own stepped back."""
    path = example_in(tmp_path)
    copy = Copy.begin()
    when = datetime.now().astimezone() + timedelta(hours=hours)
    base = base_of(path.read_text("utf-8"))
    copy.write("edited", CopyFacts("mine.yaml", path, base, 1, when))
    copy.release()
    empty_window.restorer.look()
    assert notice_of(empty_window, RestoreNotice).text.split()[-3:] == ["1", "more", "edit."]


def test_a_copy_of_a_file_that_was_changed_since_is_offered_and_says_so(
    empty_window: ConsoleWindow, tmp_path: Path
) -> None:
    path = example_in(tmp_path)
    copy = Copy.begin()
    base = base_of(path.read_text("utf-8"))
    copy.write("edited", CopyFacts("mine.yaml", path, base, 1, datetime.now().astimezone()))
    copy.release()
    path.write_text("version: 1\ntree: {name: other}\n", "utf-8")
    empty_window.restorer.look()
    assert notice_of(empty_window, RestoreNotice).text.endswith(
        wording("console.file-has-been-changed-since")
    )


def test_a_copy_that_was_saved_before_the_end_is_removed(tmp_path: Path) -> None:
    path, folder = example_in(tmp_path), tmp_path / "unsaved"
    copy = Copy.begin(folder)
    copy.write(path.read_text("utf-8"), facts_of(path))
    copy.release()
    assert left_copies(folder) == []
    assert not copy.text_path.exists()


def test_a_copy_whose_facts_are_damaged_is_offered(empty_window: ConsoleWindow) -> None:
    copy = Copy.begin()
    copy.write("x", facts_of(None))
    copy.release()
    copy.text_path.with_suffix(".json").write_text("[", "utf-8")
    empty_window.restorer.look()
    assert notice_of(empty_window, RestoreNotice).text.startswith(
        wording("console.was-not-saved-last-time", name="restored.yaml")
    )


def test_facts_come_back(tmp_path: Path) -> None:
    facts = CopyFacts("ü.yaml", tmp_path / "ü.yaml", base_of("x"), 3, datetime.now().astimezone())
    copy = Copy.begin(tmp_path)
    copy.write("x", facts)
    assert copy.facts() == facts


def test_what_is_no_copy_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}", "utf-8")
    (tmp_path / "b.json").write_bytes(b"\xff")
    assert left_copies(tmp_path) == []
    assert left_copies(tmp_path / "nowhere") == []


def test_a_copy_is_kept_while_one_change_follows_the_other(qtbot: QtBot, window: ConsoleWindow) -> None:
    document = window.session.document
    assert document is not None
    node, kept = document.tree.children(0)[0].id, QSignalSpy(window.auto_save.kept)
    values = iter(range(1, 1_000_000))
    timer = QTimer(window)
    timer.timeout.connect(lambda: document.edit("Set shares", [SetShares.of(node, next(values))]))
    timer.start(50)
    qtbot.waitUntil(lambda: kept.count() > 1)
    timer.stop()


def test_a_copy_that_cannot_be_read_leaves_the_others_offered(tmp_path: Path) -> None:
    good = Copy.begin(tmp_path)
    good.write("good", CopyFacts("a", None, "", 1, datetime.now().astimezone()))
    good.release()
    for name, text in (("deep", "[" * 100_000), ("list", "[]")):
        (tmp_path / f"{name}.json").write_text(text)
        (tmp_path / f"{name}.yaml").write_text("x")
    os.mkfifo(tmp_path / "pipe.json")
    assert sorted(copy.read() for copy in left_copies(tmp_path)) == ["good", "x", "x"]


def test_a_copy_of_a_newer_program_waits_and_is_reported(tmp_path: Path) -> None:
    copy = Copy.begin(tmp_path)
    copy.write("x", CopyFacts("a", None, "", 1, datetime.now().astimezone()))
    copy.release()
    (facts,) = tmp_path.glob("*.json")
    text = json.dumps(json.loads(facts.read_text()) | {"version": 99})
    facts.write_text(text)
    reported: list[str] = []
    assert left_copies(tmp_path, reported.append) == []
    assert says(reported[0], "shares.is-from-newer-fsconsole-its", place=facts, number=99)
    assert facts.read_text() == text
    facts.write_text(json.dumps(json.loads(text) | {"version": 1}))
    assert [one.read() for one in left_copies(tmp_path)] == ["x"]


def two_left(folder: Path) -> tuple[Copy, Copy]:
    """Two copies that were left, the older one first."""
    left = []
    for name in ("older", "newer"):
        copy = Copy.begin()
        copy.write(example_in(folder).read_text("utf-8"), facts_of(folder / f"{name}.yaml"))
        copy.release()
        left.append(copy)
    os.utime(left[0].text_path, (1, 1))
    return left[0], left[1]


@pytest.mark.watch_allows(
    "focus", reason="what is read in a thread takes the focus when its page comes", issue="calm"
)
def test_what_is_being_restored_is_not_discarded_and_no_other_is_in_its_place(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    older, newer = two_left(tmp_path)
    empty_window.restorer.look()
    offered = empty_window.restorer.offered
    assert offered is not None
    answers.yes = True
    with qtbot.waitSignal(empty_window.session.document_changed):
        press(empty_window, "Restore")
        press(empty_window, "Discard copy…")
    assert older.text_path.exists()
    assert newer.text_path.exists()
    document = empty_window.session.document
    assert document is not None
    assert document.path == offered.path


def test_edits_made_while_a_copy_is_read_are_asked_about(
    qtbot: QtBot, window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    copy = Copy.begin()
    copy.write(example_in(tmp_path).read_text("utf-8"), facts_of(None))
    copy.release()
    window.restorer.look()
    document = window.session.document
    assert document is not None
    press(window, "Restore")
    document.edit("Set shares", [SetShares.of(document.tree.root.children[0], 7)])
    qtbot.waitUntil(lambda: bool(answers.asked))
    assert [asked.split(maxsplit=3) for asked in answers.asked] == [["save", "changes", "to", document.name]]
    assert window.session.document is document
    assert copy.text_path.exists()
    assert notice_of(window, RestoreNotice).isVisible()


def test_a_signal_leaves_a_copy_with_the_newest_edit(window: ConsoleWindow) -> None:
    document = window.session.document
    assert document is not None
    document.edit("Set shares", [SetShares.of(document.tree.children(0)[0].id, 7717)])
    window.session.ending.emit()
    window.session.close_target()
    (path,) = copies_folder().glob("*.yaml")
    assert "shares: 7717" in path.read_text("utf-8")


def test_copies_are_offered_where_no_lock_can_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk or a folder that cannot be written hid what was not saved."""
    copy = Copy.begin()
    copy.write("text", CopyFacts("a", None, "", 1, datetime.now().astimezone()))
    assert left_copies() == []  # It is held.
    copy.release()
    with monkeypatch.context() as patch:
        patch.setattr(locks, "_lock", lambda path: QLockFile(str(tmp_path / "none" / path.name)))
        assert [one.read() for one in left_copies()] == ["text"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_folder_that_cannot_be_written_is_reported_once_and_its_copies_stay(
    qtbot: QtBot, window: ConsoleWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    copy = Copy.begin()
    copy.write("text", CopyFacts("a", None, "", 1, datetime.now().astimezone()))
    copy.release()
    document = window.session.document
    assert document is not None
    nodes = [node.id for node in document.tree.walk() if node.parent is not None]
    with monkeypatch.context() as patch:
        patch.setattr(locks, "_lock", lambda path: QLockFile(str(tmp_path / "none" / path.name)))
        patch.setattr(Path, "touch", fails_with(number))
        window.restorer.look()
        assert window.restorer.offered is not None
        notice = notice_of(window, PreferencesNotice)
        for value in (7717, 7718):
            with qtbot.waitSignal(window.auto_save.failed):
                document.edit("Set shares", [SetShares.of(nodes[0], value)])
        assert says(notice.text, "console.files.cannot-save-copy-of-unsaved")
        assert notice.text.count(os.strerror(number)) == 1
        assert [path.read_text() for path in copies_folder().glob("*.yaml")] == ["text"]
    document.edit("Set shares", [SetShares.of(nodes[0], 7719)])
    qtbot.waitUntil(lambda: len(list(copies_folder().glob("*.yaml"))) == 2)
