"""No work goes without a question, whatever is edited, undone, opened, discarded or fails in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.design.columns import Column
from fsconsole.console.design.node_panel import NodePanel
from fsconsole.console.design.parameters_dialog import ParametersDialog
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.files.questions import Answer, Questions
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets import late_input
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.read import read_scenario
from tests.console.conftest import Answers
from tests.laws import tries

SMALL = """version: 1
tree:
  name: root
  children:
    - {name: a, shares: 30}
    - {name: b, shares: 70}
"""
_STEPS = ("edit", "edit other", "undo", "redo", "open", "open bad", "new", "close")


class Scripted(Answers):
    """Answers by a script; while a question is open, others may edit."""

    def __init__(self) -> None:
        super().__init__()
        self.during: Callable[[], None] = lambda: None
        self.given: list[tuple[Answer, Document | None, int]] = []
        self.document: Callable[[], Document | None] = lambda: None

    def save_changes(self, name: str, machine: str, typed: Sequence[str] = ()) -> Answer:
        document = self.document()
        self.given.append((self.answer, document, document.revision if document is not None else 0))
        during, self.during = self.during, lambda: None
        during()
        return self.answer


def edit(session: ConsoleSession, row: int, shares: int) -> None:
    document = session.document
    if document is not None:
        nodes = [node.id for node in document.tree.walk() if node.parent is not None]
        if nodes:
            document.edit("Set shares", [SetShares.of(nodes[row % len(nodes)], shares)])


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, "utf-8")
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.yaml"
    path.write_bytes(b"a: [\xff")
    return path


@pytest.mark.dear("opens files in many orders")
@given(
    st.lists(
        st.tuples(
            st.sampled_from(_STEPS), st.sampled_from(["discard", "discard", "save", "cancel"]), st.booleans()
        ),
        min_size=2,
        max_size=8,
    )
)
@tries(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_edited_goes_by_an_answer_for_it_alone(
    qtbot: QtBot, empty_session: ConsoleSession, small: Path, bad: Path, steps: list[tuple[str, Answer, bool]]
) -> None:
    session, answers = empty_session, Scripted()
    files = FileController(session, answers)
    answers.document = lambda: session.document
    answers.to_save = (small.with_name("saved.yaml"), 0)
    answers.yes = True
    session.open(None)
    files.open(small)
    qtbot.waitUntil(lambda: not files.is_reading)
    for number, (step, answer, edits_during) in enumerate(steps):
        before = session.document
        answers.answer, answers.given = answer, []
        answers.during = partial(edit, session, number, 100 + number) if edits_during else lambda: None
        if step.startswith("edit"):
            edit(session, step == "edit other", 10 + number)
        elif step in ("undo", "redo") and before is not None:
            getattr(before.stack, step)()
        elif step.startswith("open"):
            files.open(bad if step == "open bad" else small)
            qtbot.waitUntil(lambda: not files.is_reading)
            assert step != "open bad" or (session.document is before and not answers.given)
        elif step == "new":
            files.new()
        elif step == "close":
            files.close()
        if before is not None and session.document is not before and before.is_modified:
            assert answers.given[-1] == ("discard", before, before.revision)
        if answers.given and answers.given[0][0] == "cancel":
            assert session.document is before
    files.deleteLater()


def drop(window: ConsoleWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left, none))


@pytest.mark.parametrize("way", ["open", "drop", "import", "recent"])
def test_a_file_is_read_before_changes_are_asked_about(
    qtbot: QtBot, window: ConsoleWindow, answers: Answers, bad: Path, way: str
) -> None:
    edit(window.session, 0, 77)
    document = window.session.document
    if way == "drop":
        drop(window, bad)
    elif way == "import":
        answers.to_open = bad
        window.table.trigger("import_slurm")
    elif way == "recent":
        window.files.recent.add(bad)
        window.files.recent_actions()[0].run()
    else:
        window.files.open(bad)
    qtbot.waitUntil(lambda: bool(answers.reported))
    assert not [asked for asked in answers.asked if asked.startswith("save")]
    assert window.session.document is document
    assert not window.close()  # asks
    assert [asked.split()[0] for asked in answers.asked if asked.startswith("save")] == ["save"]


def test_a_capture_that_cannot_be_read_asks_nothing(
    qtbot: QtBot, window: ConsoleWindow, answers: Answers, tmp_path: Path
) -> None:
    edit(window.session, 0, 77)
    document = window.session.document
    answers.answer = "discard"
    with qtbot.waitSignal(window.clusters.connections.failed):
        window.clusters.connections.open_capture(tmp_path)
    assert answers.asked == []
    assert window.session.document is document


@pytest.mark.parametrize(
    ("offered", "is_taken"),
    [
        (Qt.DropAction.CopyAction | Qt.DropAction.MoveAction, True),
        (Qt.DropAction.MoveAction, False),
    ],
)
def test_a_dropped_file_is_copied(
    qtbot: QtBot, empty_window: ConsoleWindow, small: Path, offered: Qt.DropAction, is_taken: bool
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(small))])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    event = QDropEvent(QPointF(9, 9), offered, data, left, none)
    event.setDropAction(Qt.DropAction.MoveAction)
    event.ignore()
    empty_window.dropEvent(event)
    assert event.isAccepted() is is_taken
    assert event.dropAction() is (Qt.DropAction.CopyAction if is_taken else Qt.DropAction.MoveAction)
    if is_taken:
        qtbot.waitUntil(lambda: empty_window.session.document is not None)


def test_no_field_takes_a_file(window: ConsoleWindow) -> None:
    for name in ("design", "observe", "analyse", "operate"):
        window.show_workspace(name)
    fields: list[Any] = window.findChildren(QLineEdit)
    visible = [one for one in fields if one.isVisible()]
    assert not [one.accessibleName() for one in visible if one.acceptDrops()]


# -- what is half typed ------------------------------------------------------------------------------------


def cell_editor(window: ConsoleWindow, node: int) -> QLineEdit:
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    design.tree_view.edit_node(node, Column.SHARES)
    (editor,) = [one for one in design.tree_view.viewport().findChildren(QLineEdit) if one.isVisible()]
    return editor


def field_editor(window: ConsoleWindow, node: int) -> QLineEdit:
    window.session.select([node])
    (panel,) = window.findChildren(NodePanel)
    return panel.editor("Shares")


EDITORS = {"cell": cell_editor, "field": field_editor}


def type_shares(window: ConsoleWindow, where: str, text: str) -> tuple[Document, int, QLineEdit]:
    """Type shares of u11, without entering them; return the document, the node and the editor."""
    window.show_workspace("design")
    document = window.session.document
    assert document is not None
    node = document.tree.find("u11").id
    editor = EDITORS[where](window, node)
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, text)
    editor.setCursorPosition(1)
    return document, node, editor


def is_as_left(editor: QLineEdit, text: str) -> bool:
    """Return True if an editor has the focus, with its text and its cursor."""
    found = (
        editor.isVisible(),
        editor.text(),
        editor.isModified(),
        editor.cursorPosition(),
        editor.hasFocus(),
    )
    return found == (True, text, True, 1, True)


@pytest.mark.parametrize("answer", ["cancel", "discard", "save"])
@pytest.mark.parametrize("where", EDITORS)
@pytest.mark.parametrize("changes", [False, True])
def test_what_is_half_typed_is_unsaved_work(
    qtbot: QtBot,
    window: ConsoleWindow,
    answers: Answers,
    small: Path,
    where: str,
    answer: Answer,
    changes: bool,
) -> None:
    if changes:
        edit(window.session, 0, 77)
    document, node, editor = type_shares(window, where, "4711")
    before = document.revision
    saved = small.with_name("saved.yaml")
    answers.answer, answers.to_save = answer, (saved, 0)
    window.files.open(small)
    qtbot.waitUntil(lambda: not window.files.is_reading)
    assert answers.asked[0].split(", ")[1:] == ["Shares of u11"]
    if answer == "cancel":
        assert window.session.document is document
        assert document.revision == before
        assert is_as_left(editor, "4711")
        QTest.keyClick(editor, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: document.tree.node(node).shares == 4711)
        return
    opened = window.session.document
    assert opened is not None
    assert opened is not document
    assert not opened.is_modified
    assert (document.tree.node(node).shares == 4711) == (answer == "save")
    assert not window.session.typed_entries
    if answer == "save":
        assert read_scenario(saved).tree.find("u11").shares == 4711


@pytest.mark.parametrize("where", EDITORS)
def test_what_is_half_typed_and_wrong_cannot_be_saved(
    window: ConsoleWindow, answers: Answers, small: Path, where: str
) -> None:
    document, _, editor = type_shares(window, where, "4x")
    answers.answer, answers.to_save = "save", (small.with_name("saved.yaml"), 0)
    assert not window.files.close()
    assert window.session.document is document
    assert (editor.isVisible(), editor.text(), editor.property("look")) == (True, "4x", "error")


@pytest.mark.parametrize("where", EDITORS)
def test_no_window_enters_what_is_half_typed(qtbot: QtBot, window: ConsoleWindow, where: str) -> None:
    document, _, editor = type_shares(window, where, "4711")
    dialog = Dialog("Question", window)
    with qtbot.waitActive(dialog):
        dialog.open()
    dialog.reject()
    window.activateWindow()
    qtbot.waitUntil(editor.hasFocus)
    assert is_as_left(editor, "4711")
    assert not document.is_modified


@pytest.mark.parametrize("where", EDITORS)
def test_a_file_that_is_read_for_long_leaves_what_is_typed(
    qtbot: QtBot, window: ConsoleWindow, small: Path, bad: Path, where: str
) -> None:
    """Neither the notice, nor the end of the reading, nor a file that cannot be read takes the focus."""
    document, _, editor = type_shares(window, where, "4711")
    reading = window.frame.reading
    reading.start("Reading a file")
    reading._on_very_long()
    assert is_as_left(editor, "4711")
    reading.finish()
    window.files.open(bad)
    qtbot.waitUntil(lambda: not window.files.is_reading)
    assert is_as_left(editor, "4711")
    assert not document.is_modified


def test_what_is_read_waits_for_a_dialog_about_the_document(
    qtbot: QtBot, window: ConsoleWindow, small: Path
) -> None:
    document = window.session.document
    assert document is not None
    dialog = ParametersDialog(document, window)
    dialog.open()
    half_life = dialog.field("policy.half_life_s")
    assert isinstance(half_life, QLineEdit)
    half_life.selectAll()
    QTest.keyClicks(half_life, "7 h")
    window.files.open(small)
    qtbot.waitUntil(lambda: not window.files._tasks.is_busy())
    assert (window.session.document, half_life.text()) == (document, "7 h")
    QTest.keyClick(half_life, Qt.Key.Key_Return)
    assert document.settings["policy.half_life_s"] == 25_200
    qtbot.waitUntil(lambda: not window.files.is_reading)
    assert window.session.document is document  # The question about the edit was cancelled.


def test_the_key_for_the_cell_does_not_answer_the_question(
    qtbot: QtBot, window: ConsoleWindow, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, node, editor = type_shares(window, "cell", "4711")
    passed: list[float] = [0.0]
    monkeypatch.setattr(late_input, "monotonic", lambda: passed[-1])
    boxes: list[QWidget] = []

    def press() -> None:
        box = QApplication.activeModalWidget()
        if box is None:
            return
        boxes.append(box)
        key = Qt.Key.Key_Return if len(boxes) == 1 else Qt.Key.Key_Escape
        focus: QWidget | None = box.focusWidget()
        QTest.keyClick(focus or box, key)
        passed.append(passed[-1] + late_input.READ_S)

    timer = QTimer(window)
    timer.timeout.connect(press)
    timer.start(10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window.files, "questions", Questions(window))
        window.files.open(small)
        qtbot.waitUntil(lambda: not window.files.is_reading)
    timer.stop()
    assert boxes[0] is boxes[-1]
    assert len(boxes) == 2
    assert window.session.document is document
    window.activateWindow()
    qtbot.waitUntil(editor.hasFocus)
    assert is_as_left(editor, "4711")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: document.tree.node(node).shares == 4711)
