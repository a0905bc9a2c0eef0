"""Notes in Observe: written at the instant that is shown, listed, undone, kept by a recording."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from fsconsole.console.live.notes.dialog import NoteDialog
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.figures.spec import EventMark
from fsconsole.recording.notes import Note, NoteMark, read_notes
from fsconsole.recording.run_format import NOTES
from fsconsole.targets.events import Event, with_notes
from tests.console.conftest import Answers
from tests.console.live.running import Until, go_to
from tests.texts import says, wording

LEFT = Qt.MouseButton.LeftButton


def dialog_of(observe: LiveWorkspace) -> NoteDialog:
    return observe.findChildren(NoteDialog)[-1]  # one that was closed goes a moment later


def write(observe: LiveWorkspace, text: str, end: str = "") -> None:
    """As a person does: the key, the text, the button."""
    QTest.keyClick(observe.panel, Qt.Key.Key_N)
    dialog = dialog_of(observe)
    QTest.keyClicks(dialog.text, text)
    if end:
        QTest.keyClicks(dialog.until, end)
    QTest.mouseClick(dialog.buttons.buttons()[0], LEFT)


def texts(observe: LiveWorkspace) -> list[str]:
    return [note.text for note in observe.notes.table.rows.rows]


def menu_texts(observe: LiveWorkspace) -> list[str]:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    found = [action.text() for action in menu.actions() if action.text()]
    menu.close()
    return found


def test_a_note_is_written_where_the_view_stands_and_leads_back(observe: LiveWorkspace, until: Until) -> None:
    session, notes = observe.session, observe.notes
    go_to(session, 300.0, until)
    session.past.go(120.0)
    write(observe, "look here", "150 s")
    assert session.past.time_s == 120.0
    assert [(note.time_s, note.until_s) for note in session.notes.notes] == [(120.0, 150.0)]
    assert any(event.time_s == 120.0 and event.texts == ("look here",) for event in session.events())
    session.past.leave()
    notes.show()
    notes.table.selectRow(0)
    QTest.keyClick(notes.table, Qt.Key.Key_Return)
    assert (session.past.time_s, session.cursor_s) == (120.0, 120.0)
    QTest.keyClick(observe.panel, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert not session.notes.neighbour(120.0, -1)
    session.past.leave()
    assert observe.table.trigger("notes.previous")
    assert session.past.time_s == 120.0
    assert not observe.table.trigger("notes.previous")


def test_an_empty_note_and_a_wrong_time_are_refused(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 60.0, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_N)
    dialog = dialog_of(observe)
    QTest.mouseClick(dialog.buttons.buttons()[0], LEFT)
    assert dialog.problem == "Text: " + wording("recording.note-is-empty-write-text")
    dialog.time.selectAll()
    QTest.keyClicks(dialog.time, "soon")
    QTest.mouseClick(dialog.buttons.buttons()[0], LEFT)
    assert says(dialog.problem, "text.is-not-time-write-seconds", shown="'soon'")
    dialog.reject()
    assert observe.session.notes.notes == ()


def test_notes_are_changed_removed_and_undone_by_keys(observe: LiveWorkspace, until: Until) -> None:
    session, notes = observe.session, observe.notes
    go_to(session, 60.0, until)
    write(observe, "one")
    write(observe, "two")
    document = session.document
    assert document is not None
    notes.show()
    notes.table.selectAll()
    QTest.keyClick(notes.table, Qt.Key.Key_Delete)
    assert texts(observe) == []
    QTest.keyClick(notes.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert texts(observe) == ["one", "two"]
    notes.table.selectRow(0)
    QTest.keyClick(notes.table, Qt.Key.Key_F2)
    dialog = dialog_of(observe)
    dialog.text.selectAll()
    QTest.keyClicks(dialog.text, "three")
    QTest.mouseClick(dialog.buttons.buttons()[0], LEFT)
    assert texts(observe) == ["three", "two"]
    shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    for key, expected in ((Qt.KeyboardModifier.ControlModifier, "one"), (shift, "three")):
        QTest.keyClick(notes.table, Qt.Key.Key_Z, key)
        assert texts(observe) == [expected, "two"]
    assert not document.stack.canUndo()


def test_all_of_one_instant_can_be_read_on_the_line(observe: LiveWorkspace, until: Until) -> None:
    session, strip = observe.session, observe.machine.transport.strip
    go_to(session, 200.0, until)
    session.notes.add(100.0, "first")
    session.notes.add(100.0, "second")
    flag = next(event for event in session.events() if event.time_s == 100.0)
    assert flag.label == "first (+1)"
    x = round(strip.scale.x(100.0))
    QTest.mouseClick(strip, LEFT, pos=QPoint(x + 12, 8))  # on its words
    assert session.past.time_s == 100.0
    strip.setFocus()
    QTest.keyClick(strip, Qt.Key.Key_Return)
    expected = ["00:01:40  note: first", "00:01:40  note: second", "Add note here…", "Show as &table…"]
    assert menu_texts(observe) == expected


def test_a_recording_takes_the_notes_with_it(
    observe: LiveWorkspace, until: Until, tmp_path: Path, qtbot: QtBot
) -> None:
    session = observe.session
    go_to(session, 60.0, until)
    session.notes.add(30.0, "before")
    assert "in memory" in observe.notes.dock.header._remark.text()
    session.record(tmp_path / "x.run")
    until(lambda: session.notes.folder is not None)
    session.notes.add(40.0, "while")
    assert [note.text for note in read_notes(tmp_path / "x.run")] == ["before", "while"]
    session.notes.undo()
    assert [note.text for note in read_notes(tmp_path / "x.run")] == ["before"]
    session.stop_recording()
    until(lambda: session.newest is not None and session.newest.recording is None)
    session.notes.add(45.0, "after")
    assert [note.text for note in read_notes(tmp_path / "x.run")] == ["before", "after"]
    session.notes.undo()
    messages: list[str] = []
    session.notes.failed.connect(messages.append)
    (tmp_path / "x.run" / NOTES).write_text("{")
    session.notes.add(50.0, "kept")
    assert says(messages[0], "shares.is-damaged")
    assert texts(observe) == ["before", "kept"]
    assert (tmp_path / "x.run" / NOTES).read_text() == "{"


def test_notes_are_exported(observe: LiveWorkspace, tmp_path: Path) -> None:
    observe.session.notes.add(0.0, "start")
    path = tmp_path / "notes.md"
    answers = Answers()
    answers.to_save = (path, 0)
    observe.notes.questions = answers
    assert observe.table.trigger("notes.export")
    assert says(path.read_text().splitlines()[0], "app.runs.notes-on")


def test_events_and_notes_stand_on_one_line() -> None:
    events = [Event(5.0, ("a", "b")), Event(9.0, ("later",), is_planned=True)]
    found = with_notes(events, [(9.0, "n"), (5.0, "m"), (1.0, "k")])
    assert [(event.time_s, event.texts, event.notes) for event in found] == [
        (1.0, ("k",), 1),
        (5.0, ("a", "b", "m"), 1),
        (9.0, ("later",), 0),
        (9.0, ("n",), 1),
    ]
    assert found[1].label == "a (+2)"
    assert Note(1.0, "x").text == "x"


def test_notes_that_no_folder_keeps_are_asked_about(
    observe: LiveWorkspace, window: ConsoleWindow, answers: Answers, tmp_path: Path, until: Until
) -> None:
    session, files = observe.session, window.files
    go_to(session, 10.0, until)
    session.notes.add(5.0, "first run")
    session.restart()
    session.notes.add(0.0, "second run")
    answers.asked = []
    assert not files.close()
    (asked,) = answers.asked
    assert asked.split()[:3] == ["leave", "2", "notes"]
    assert asked.endswith("convex-series-6.yaml")
    answers.answer, answers.to_save = "save", (tmp_path / "kept.md", 0)
    assert files.close()
    kept = (tmp_path / "kept.md").read_text()
    assert "first run" in kept
    assert "second run" in kept


def test_notes_stand_in_the_plots_apart_from_events(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 10.0, until)
    session.notes.add(5.0, "first")
    session.notes.add(5.0, "second", 8.0)
    session.notes.add(7.0, "later")
    top, below = (row.plot._overlay for row in list(observe.panel.rows.values())[:2])
    assert top.notes == (NoteMark(5.0, 8.0, "first (+1)"), NoteMark(7.0, None, "later"))
    assert [(note.time_s, note.text) for note in below.notes] == [(5.0, ""), (7.0, "")]
    assert not [time_s for time_s, _ in top.events if time_s in (5.0, 7.0)]
    figure = observe.exports.figure("cpu_rate")
    assert figure is not None
    assert figure.notes == (
        EventMark(5.0, "first (+1)", 8.0, is_note=True),
        EventMark(7.0, "later", is_note=True),
    )


def test_each_note_of_an_instant_is_visited(observe: LiveWorkspace, until: Until) -> None:
    session, table = observe.session, observe.notes.table
    go_to(session, 20.0, until)
    for time_s, text in ((5.0, "a"), (5.0, "b"), (9.0, "c")):
        session.notes.add(time_s, text)
    session.past.go(1.0)
    seen = []
    for step in ("next", "next", "next", "previous", "previous"):
        assert observe.table.trigger(f"notes.{step}")
        seen.append((table.selected()[0].text, session.past.time_s))
    assert seen == [("a", 5.0), ("b", 5.0), ("c", 9.0), ("b", 5.0), ("a", 5.0)]
    assert not observe.table.trigger("notes.previous")


def test_a_note_beyond_the_end_of_the_run_is_refused(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 20.0, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_N)
    dialog = dialog_of(observe)
    QTest.keyClicks(dialog.text, "later")
    dialog.time.selectAll()
    QTest.keyClicks(dialog.time, "5000 s")
    QTest.mouseClick(dialog.buttons.buttons()[0], LEFT)
    assert dialog.problem == (
        "Time: " + wording("console.live.notes.run-has-reached-choose-earlier", now_s="20 s")
    )
    assert not observe.session.notes.notes
    dialog.time.selectAll()
    QTest.keyClicks(dialog.time, "20 s")
    QTest.mouseClick(dialog.buttons.buttons()[0], LEFT)
    assert texts(observe) == ["later"]
