from __future__ import annotations

import errno
import os
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.files.problems_dialog import ProblemsDialog
from fsconsole.console.files.questions import Questions
from fsconsole.console.files.recent import RECENT_MENU
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares import formats
from fsconsole.shares.edits import Remove, SetShares
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.read import parse_scenario, read_scenario
from fsconsole.shares.scenario.write import save_scenario
from tests.shares.formats.dialects import EXAMPLES as DIALECTS
from tests.shares.formats.test_toy_format import TOY
from tests.texts import says, wording

PATIENCE_MS = 30_000  # on a machine that is busy with other things

SMALL = """# A header comment
version: 1
title: Small
tree:
  name: root
  shares: 100
  children:
    - {name: a, shares: 30}  # the favoured one
    - {name: b, shares: 70}
"""
SLURM = (
    "Cluster - 'lab':Fairshare=1\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=1\n"
    "Account - 'phys':Fairshare=3\nParent - 'phys'\nUser - 'ann':DefaultAccount='phys':Fairshare=2\n"
)


def document_of(session: ConsoleSession) -> Document:
    assert session.document is not None
    return session.document


def open_and_wait(qtbot: QtBot, window: ConsoleWindow, path: Path) -> Document:
    with qtbot.waitSignal(window.session.document_changed):
        window.files.open(path)
    return document_of(window.session)


def set_shares(document: Document, name: str, shares: int) -> None:
    node = next(node for node in document.tree.walk() if node.name == name)
    document.edit("Set shares", [SetShares.of(node.id, shares)])


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, "utf-8")
    return path


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """The same without the comment that saving would lose."""
    path = tmp_path / "plain.yaml"
    path.write_text(SMALL.replace("  # the favoured one", ""), "utf-8")
    return path


def test_a_file_is_opened_and_shown(qtbot: QtBot, empty_window: ConsoleWindow, small: Path) -> None:
    document = open_and_wait(qtbot, empty_window, small)
    assert [node.name for node in document.tree.walk()] == ["root", "a", "b"]
    assert document.path == small
    assert not document.is_modified
    assert empty_window.windowTitle().split() == ["small.yaml[*]", "-", "fsconsole"]
    assert [entry.path for entry in empty_window.files.recent.entries()] == [small]


def test_what_is_wrong_with_a_file_is_reported_and_nothing_changes(
    qtbot: QtBot, window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(SMALL.replace("shares: 30", "shares: -3").replace("shares: 70", "shares: x"), "utf-8")
    before = window.session.document
    with qtbot.waitSignal(window.files.reading_ended):
        window.files.open(bad)
    heading, problems = answers.reported[0]
    assert heading == wording("console.files.cannot-open", name="bad.yaml")
    assert [problem.line for problem in problems] == [8, 9]
    assert window.session.document is before
    assert bad.read_text("utf-8").count("-3") == 1


def test_a_file_that_is_not_there_is_reported(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any
) -> None:
    with qtbot.waitSignal(empty_window.files.reading_ended):
        empty_window.files.open(Path("/nowhere/at/all.yaml"))
    assert os.strerror(errno.ENOENT) in answers.reported[0][1][0].text


def test_the_list_of_problems_can_be_copied(qtbot: QtBot, window: ConsoleWindow) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(SMALL.replace("shares: 30", "shares: -3"))
    dialog = ProblemsDialog("bad.yaml", caught.value.problems, "Cannot open bad.yaml", window)
    dialog.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.list.setFocus()
    QTest.keyClick(dialog.list, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert says(copied.removeprefix("bad.yaml: "), "shares.scenario.line-column", line="8")
    dialog.close()


@pytest.mark.parametrize("count", [1, 4, 9, 40])
def test_the_list_of_problems_shows_whole_rows(qtbot: QtBot, window: ConsoleWindow, count: int) -> None:
    problems = [Problem(f"shares: {number} is too many. Take fewer.") for number in range(count)]
    dialog = ProblemsDialog("bad.yaml", problems, "Cannot open bad.yaml", window)
    dialog.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    height = dialog.list.viewport().height()
    row = dialog.list.visualRect(dialog.list.indexAt(QPoint(1, 1))).height()
    assert height % row == 0
    assert height // row == min(max(count, 4), 16)
    assert dialog.list.allColumnsShowFocus()
    dialog.close()


def test_save_by_keyboard_takes_the_mark_away(qtbot: QtBot, empty_window: ConsoleWindow, plain: Path) -> None:
    document = open_and_wait(qtbot, empty_window, plain)
    set_shares(document, "a", 50)
    assert empty_window.isWindowModified()
    QTest.keyClick(empty_window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert not empty_window.isWindowModified()
    assert read_scenario(plain).tree.node(1).shares == 50
    assert plain.read_text("utf-8").splitlines()[0].split() == ["#", "A", "header", "comment"]


def test_comments_are_lost_only_after_a_yes_and_stay_in_a_copy(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, small: Path
) -> None:
    document = open_and_wait(qtbot, empty_window, small)
    set_shares(document, "a", 50)
    assert not empty_window.files.save()
    assert [asked.split() for asked in answers.asked] == [["lose", "comments", "in", "lines", "[8]"]]
    assert small.read_text("utf-8") == SMALL
    answers.yes = True
    assert empty_window.files.save()
    assert small.with_name("small.yaml.bak").read_text("utf-8") == SMALL
    assert "favoured" not in small.read_text("utf-8")


def test_a_file_changed_by_others_is_not_written_over_unasked(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, plain: Path
) -> None:
    document = open_and_wait(qtbot, empty_window, plain)
    set_shares(document, "a", 50)
    plain.write_text(plain.read_text("utf-8").replace("70", "71"), "utf-8")
    assert not empty_window.files.save()
    assert answers.asked == ["overwrite plain.yaml"]
    assert "71" in plain.read_text("utf-8")
    answers.yes = True
    assert empty_window.files.save()
    assert "71" not in plain.read_text("utf-8")


def test_a_file_changed_during_the_question_is_asked_about_again(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = open_and_wait(qtbot, empty_window, plain)
    set_shares(document, "a", 50)
    plain.write_text(plain.read_text("utf-8").replace("70", "71"), "utf-8")
    asked = list[str]()

    def overwrite(name: str) -> str:
        asked.append(plain.read_text("utf-8"))
        if len(asked) == 1:
            plain.write_text(plain.read_text("utf-8").replace("71", "72"), "utf-8")
        return "overwrite"

    monkeypatch.setattr(answers, "overwrite_changed", overwrite)
    assert empty_window.files.save()
    assert ["71" in text for text in asked] == [True, False]


def test_a_file_changed_by_others_stays_where_one_saves_elsewhere(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, plain: Path
) -> None:
    document = open_and_wait(qtbot, empty_window, plain)
    set_shares(document, "a", 50)
    theirs = plain.read_text("utf-8").replace("70", "71")
    plain.write_text(theirs, "utf-8")
    answers.elsewhere = True
    assert not empty_window.files.save()  # no place was chosen
    assert document.path == plain
    answers.to_save = (plain.with_name("mine.yaml"), 0)
    assert empty_window.files.save()
    assert plain.read_text("utf-8") == theirs
    assert document.path == plain.with_name("mine.yaml")
    assert not document.is_modified
    assert "50" in document.path.read_text("utf-8")


@pytest.mark.parametrize(
    ("word", "answer"), [("Save as…", "save_as"), ("Overwrite", "overwrite"), ("Cancel", "cancel")]
)
def test_the_question_about_a_changed_file_has_a_button_for_each_way(
    qtbot: QtBot, empty_window: ConsoleWindow, word: str, answer: str
) -> None:
    def press() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        buttons = {button.text().replace("&", ""): button for button in box.buttons()}
        QTest.mouseClick(buttons[word], Qt.MouseButton.LeftButton)

    QTimer.singleShot(0, press)
    assert Questions(empty_window).overwrite_changed("x.yaml") == answer


def test_an_example_is_never_written_over(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    path = examples() / "convex-series-1.yaml"
    document = open_and_wait(qtbot, empty_window, path)
    assert document.path is None
    assert document.name == "convex-series-1.yaml"
    answers.to_save = (tmp_path / "mine", 0)
    assert empty_window.files.save()
    assert document.name == "mine.yaml"
    assert read_scenario(tmp_path / "mine.yaml").tree.node(1).name == "Daemon"


def test_work_of_a_removed_user_goes_with_him(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    document = open_and_wait(qtbot, empty_window, examples() / "convex-series-6.yaml")
    u21 = next(node for node in document.tree.walk() if node.name == "u21")
    document.edit("Remove", [Remove(u21.id)])
    answers.to_save = (tmp_path / "fewer.yaml", 0)
    assert empty_window.files.save()
    saved = read_scenario(tmp_path / "fewer.yaml")
    assert not saved.events
    empty_window.session.restart()
    qtbot.waitUntil(lambda: empty_window.session.snapshot is not None)
    snapshot = empty_window.session.snapshot
    assert snapshot is not None
    assert snapshot.fault is None


@pytest.mark.parametrize(("answer", "leaves"), [("cancel", False), ("discard", True), ("save", True)])
def test_closing_asks_for_unsaved_changes(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, plain: Path, answer: str, leaves: bool
) -> None:
    document = open_and_wait(qtbot, empty_window, plain)
    set_shares(document, "a", 50)
    answers.answer = answer
    assert empty_window.files.close() is leaves
    assert [asked.split() for asked in answers.asked] == [["save", "changes", "to", "plain.yaml"]]
    assert (empty_window.session.document is None) is leaves
    assert (read_scenario(plain).tree.node(1).shares == 50) is (answer == "save")


def test_a_window_with_unsaved_changes_stays_open(window: ConsoleWindow, answers: Any) -> None:
    set_shares(document_of(window.session), "u11", 50)
    assert not window.close()
    assert window.isVisible()
    answers.answer = "discard"
    assert window.close()


def test_new_is_a_tree_of_one_root(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    QTest.keyClick(empty_window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert len(document_of(empty_window.session).tree) == 1
    assert empty_window.windowTitle().split() == ["untitled.yaml[*]", "-", "fsconsole"]


def test_a_slurm_dump_becomes_a_new_document(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    dump = tmp_path / "lab.cfg"
    dump.write_text(SLURM, "utf-8")
    answers.to_open = dump
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.table.trigger("import_slurm")
    document = document_of(empty_window.session)
    assert document.path is None
    assert document.name == "lab.yaml"
    assert "ann" in [node.name for node in document.tree.walk()]
    answers.to_save = (tmp_path / "again", 0)  # the first filter is that of the document's own format
    empty_window.table.trigger("export_tree")
    assert (tmp_path / "again.cfg").read_text("utf-8") == dump.read_text("utf-8")
    assert document.path is None


@pytest.mark.parametrize(
    ("typed", "chosen", "written", "begins"),
    [
        ("new.dump", 1, "new.dump", "Cluster - "),
        ("new.dump", 0, "new.dump", "Cluster - "),
        ("new.YAML", 0, "new.YAML", "version: 1"),
        ("new.sharecf", 0, "new.sharecf", "/ name=root"),
        ("new.v2", 0, "new.v2.cfg", "Cluster - "),
        ("new.v2", 1, "new.v2.yaml", "version: 1"),
    ],
)
def test_the_suffix_that_is_typed_decides_what_is_exported(
    qtbot: QtBot,
    empty_window: ConsoleWindow,
    answers: Any,
    tmp_path: Path,
    typed: str,
    chosen: int,
    written: str,
    begins: str,
) -> None:
    dump = tmp_path / "lab.cfg"
    dump.write_text(SLURM, "utf-8")
    answers.to_open = dump
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.table.trigger("import_slurm")
    answers.to_save = (tmp_path / typed, chosen)
    empty_window.table.trigger("export_tree")
    assert [path.name for path in tmp_path.iterdir() if path != dump] == [written]
    assert (tmp_path / written).read_text("utf-8").startswith(begins)


def test_a_share_database_becomes_a_new_document(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    database = tmp_path / "shares.sharecf"
    database.write_text(
        "/ name=root shares=1000 flags=group\n/gr1 shares=2 flags=group\n/gr1/ann shares=7\n", "utf-8"
    )
    answers.to_open = database
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.table.trigger("import_sharecf")
    assert document_of(empty_window.session).tree.find("gr1/ann").shares == 7


def test_a_tree_in_two_files_is_imported_as_one(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    banks, users = tmp_path / "banks.csv", tmp_path / "users.csv"
    banks.write_text("root,,1\nA,root,60\n", "utf-8")
    users.write_text("ana,5011,A,2,5,7,9,\n", "utf-8")
    answers.to_open, answers.more_to_open = users, [banks]
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.table.trigger("import_flux")
    assert document_of(empty_window.session).tree.find("A/ana").shares == 2
    banks.write_text("root,,1\nA,rot,60\n", "utf-8")
    empty_window.table.trigger("import_flux")
    qtbot.waitUntil(lambda: bool(answers.reported))
    _, problems = answers.reported[-1]
    assert [(problem.file, problem.line) for problem in problems] == [("banks.csv", 2)]


def test_a_tree_of_another_scheduler_is_opened_by_content_and_exported_with_what_it_loses(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    manifests = tmp_path / "queues.yaml"
    manifests.write_text(DIALECTS["kueue"], "utf-8")
    open_and_wait(qtbot, empty_window, manifests)
    document = document_of(empty_window.session)
    assert document.tree.find("important-org").shares == 75
    assert document.name == "queues-scenario.yaml"  # the manifests are not written over
    answers.to_save = (tmp_path / "again.yaml", 0)
    empty_window.table.trigger("export_tree")
    assert (tmp_path / "again.yaml").read_text("utf-8") == DIALECTS["kueue"]
    assert answers.reported == []
    answers.to_save = (tmp_path / "tree.sge", 0)
    empty_window.table.trigger("export_tree")
    assert "name=important-org" in (tmp_path / "tree.sge").read_text("utf-8")
    assert "left out: nominalQuota cpu default-flavor (kueue) of 1 node (line 41)" in str(answers.reported)


def test_problems_of_a_tree_of_another_scheduler_have_the_lines_of_its_file(
    qtbot: QtBot, empty_window: ConsoleWindow, tmp_path: Path
) -> None:
    manifests = tmp_path / "queues.yaml"
    manifests.write_text(DIALECTS["kueue"].replace('weight: "0.25"', 'weight: "0"'), "utf-8")
    open_and_wait(qtbot, empty_window, manifests)
    empty_window.show_workspace("design")
    design = empty_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    panel = design.bottom.problems

    def of_the_weight() -> list[Problem]:
        return [one for one in panel.rows.rows if "regular-org has weight 0" in one.text]

    qtbot.waitUntil(lambda: bool(of_the_weight()))
    (found,) = of_the_weight()
    line = DIALECTS["kueue"].splitlines().index('  name: "regular-org"') - 2  # where its object begins
    assert (found.file, found.line) == ("queues.yaml", line)


@pytest.fixture
def toy_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more format in the registry."""
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, TOY))


@pytest.mark.usefixtures("toy_format")
def test_a_format_of_the_registry_can_be_imported_and_exported(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    answers.to_open = tmp_path / "some.toy"
    answers.to_open.write_text("toy\nanna 3\n", "utf-8")
    assert empty_window.table.qaction("import_toy").text() == "Toy tree…"
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.table.trigger("import_toy")
    assert document_of(empty_window.session).tree.find("anna").shares == 3
    answers.to_save = (tmp_path / "again", 0)
    empty_window.table.trigger("export_tree")
    assert (tmp_path / "again.toy").read_text("utf-8") == "toy\nanna 3\n"


def test_a_file_that_cannot_be_written_is_reported(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, plain: Path, tmp_path: Path
) -> None:
    document = open_and_wait(qtbot, empty_window, plain)
    answers.to_save = (tmp_path / "no such folder" / "x.yaml", 0)
    assert not empty_window.files.save_as()
    assert answers.reported[0][0] == wording("console.files.cannot-write", name="x.yaml")
    assert document.path == plain


def test_a_file_dropped_on_the_window_is_opened(
    qtbot: QtBot, empty_window: ConsoleWindow, plain: Path
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(plain))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPointF(9, 9).toPoint(), copy, data, left, none)
    empty_window.dragEnterEvent(entered)
    assert entered.isAccepted()
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.dropEvent(QDropEvent(QPointF(9, 9), copy, data, left, none))
    assert document_of(empty_window.session).path == plain


def test_reading_can_be_cancelled(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    large = tmp_path / "large.yaml"
    rows = "".join(f"    - {{name: u{row}, shares: 1}}\n" for row in range(20_000))
    large.write_text(SMALL + rows, "utf-8")
    desk: FileController = empty_window.files
    began, ended = QSignalSpy(desk.reading_began), QSignalSpy(desk.reading_ended)
    desk.open(large)
    assert (began.count(), ended.count()) == (1, 0)
    assert empty_window.stack.shows_workspaces()
    with qtbot.assertNotEmitted(empty_window.session.document_changed, wait=300):
        desk.cancel_reading()
    assert ended.count() == 1
    assert not answers.reported


def test_a_later_file_wins_over_one_still_being_read(
    qtbot: QtBot, empty_window: ConsoleWindow, plain: Path
) -> None:
    empty_window.files.open(examples() / "navoceano-c916.yaml")
    document = open_and_wait(qtbot, empty_window, plain)
    assert document.path == plain


def test_problem_lines_say_where() -> None:
    place = wording("shares.scenario.line-column", line="3", column="2")
    assert str(Problem("no", line=3, column=2)).startswith(place)


def test_recent_files_are_remembered_newest_first(
    empty_window: ConsoleWindow, tmp_path: Path, plain: Path, small: Path
) -> None:
    recent = empty_window.files.recent
    for path in (plain, small, plain):
        recent.add(path)
    assert [entry.path for entry in recent.entries()] == [plain, small]
    recent.relocate(small, tmp_path / "moved.yaml")
    assert [entry.is_there for entry in recent.entries()] == [True, False]
    menu = empty_window.table.menu(RECENT_MENU)
    menu.aboutToShow.emit()
    assert [action.isEnabled() for action in menu.actions()[:2]] == [True, False]
    recent.remove(plain)
    assert [entry.path.name for entry in recent.entries()] == ["moved.yaml"]


def test_the_window_lives_and_stays_while_a_file_is_written(
    qtbot: QtBot, empty_window: ConsoleWindow, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a file that was being read meanwhile is shown once it is written."""
    document, desk = open_and_wait(qtbot, empty_window, plain), empty_window.files
    seen: list[object] = []
    lived = Event()

    def look() -> None:
        seen.append((empty_window.close(), empty_window.session.document is document))
        lived.set()

    def slow(*arguments: Any, **options: Any) -> Any:
        assert lived.wait(PATIENCE_MS / 1000)
        return save_scenario(*arguments, **options)

    monkeypatch.setattr("fsconsole.shares.scenario.write.save_scenario", slow)
    desk.open(examples() / "two-organisations.yaml")
    set_shares(document, "a", 41)
    QTimer.singleShot(200, empty_window, look)
    assert desk.save()
    assert seen == [(False, True)]
    qtbot.waitUntil(lambda: empty_window.session.document is not document)
    assert "shares: 41" in plain.read_text("utf-8")


@pytest.mark.parametrize("ask", ["save_as", "ask_export"])
def test_a_pipe_is_neither_waited_for_nor_replaced(
    window: ConsoleWindow, tmp_path: Path, answers: Any, ask: str
) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    answers.to_save = (pipe, 0)
    getattr(window.files, ask)()
    assert pipe.is_fifo()
    ((heading, _),) = answers.reported
    assert heading == wording("console.files.cannot-write", name="pipe.yaml")
