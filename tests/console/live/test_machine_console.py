"""The machine console by keys and clicks."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.live.machine import line_output
from fsconsole.console.live.machine.machine_console import (
    MOST_LINES,
    LineHistory,
    MachineConsole,
    completed,
    machine_in_prompt,
    prompt_of,
    typed_lines,
)
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.simulated import SimulatedTarget

Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def until(qtbot: QtBot) -> Until:
    return qtbot.waitUntil


@pytest.fixture
def console(window: ConsoleWindow, until: Until) -> MachineConsole:
    """The console of Observe, with the focus."""
    window.show_workspace("observe")
    found = window.workspace("observe")
    assert isinstance(found, LiveWorkspace)
    until(found.machine.console.isVisible)
    window.activateWindow()
    found.machine.console.setFocus()
    until(found.machine.console.input.hasFocus)
    return found.machine.console


def text(console: MachineConsole) -> str:
    return console.output.toPlainText()


def remark(observe: LiveWorkspace) -> str:
    return "\n".join(label.text() for label in observe.machine.console_dock.header.findChildren(QLabel))


def enter(console: MachineConsole, line: str) -> None:
    QTest.keyClicks(console.input, line)
    QTest.keyClick(console.input, Qt.Key.Key_Return)


def test_a_command_is_answered_below_it(console: MachineConsole, until: Until) -> None:
    enter(console, "pl u11")
    until(lambda: "charge" in text(console))
    first, second, *_ = text(console).splitlines()
    expected = "convex# pl u11"
    assert first == expected
    assert second.startswith("u11")
    assert console.input.text() == ""


def test_what_is_wrong_is_reported_and_life_goes_on(console: MachineConsole, until: Until) -> None:
    for line, one in (("nonsense", "unknown command"), ("lim u11 shares=x", "lim: "), ("pl", "pl: ")):
        enter(console, line)
        until(lambda one=one: one in " ".join(text(console).split()))  # type: ignore[misc]
    assert "Traceback" not in text(console)


def test_space_and_letters_are_text_here(
    console: MachineConsole, session: ConsoleSession, until: Until
) -> None:
    QTest.keyClicks(console.input, "s [].")
    assert console.input.text() == "s []."
    assert session.playback is not None
    assert not session.playback.is_running


def test_up_and_down_go_through_what_was_run(console: MachineConsole) -> None:
    for line in ("date", "pl u11", "pl u11"):
        enter(console, line)
    QTest.keyClicks(console.input, "begun")
    shown = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, *[Qt.Key.Key_Down] * 3):
        QTest.keyClick(console.input, key)
        shown.append(console.input.text())
    assert shown == ["pl u11", "date", "date", "pl u11", "begun", "begun"]


def test_lines_run_in_order_even_when_typed_ahead(console: MachineConsole, until: Until) -> None:
    for line in ("lim u11 shares=50", "pl u11", "date"):
        console.run(line)
    until(lambda: "next delta in" in text(console))
    lines = [line for line in text(console).splitlines() if line.startswith("convex# ")]
    expected = ["convex# lim u11 shares=50", "convex# pl u11", "convex# date"]
    assert lines == expected
    shown = text(console).split()
    assert shown[shown.index("shares") + 1 :][:2] == ["50", "of"]


def paste(console: MachineConsole, words: str) -> None:
    QGuiApplication.clipboard().setText(words)
    QTest.keyClick(console.input, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def test_lines_that_are_pasted_run_one_by_one(console: MachineConsole, until: Until) -> None:
    paste(console, "lim u11 shares=7\nlim u12 shares=8\npl u12")
    until(lambda: text(console).count("changed: ") == 2)
    assert console.input.text() == "pl u12"
    QTest.keyClick(console.input, Qt.Key.Key_Return)
    until(lambda: "shares 8 of 15" in text(console))
    QTest.keyClick(console.input, Qt.Key.Key_Up)
    QTest.keyClick(console.input, Qt.Key.Key_Up)
    expected = "lim u12 shares=8"
    assert console.input.text() == expected


def test_a_long_paste_is_not_cut_off_and_control_c_drops_what_waits(
    console: MachineConsole, until: Until
) -> None:
    paste(console, "lim u11 shares=7\n" * 10_000 + "lim u11 shares=9")
    expected = "lim u11 shares=9"
    assert console.input.text() == expected
    QTest.keyClick(console.input, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    enter(console, "date")
    until(lambda: "next delta" in text(console))
    answer = text(console).count("lim u11 shares=7")
    assert answer < 10_000


def test_lines_below_sharecf_are_its_input(console: MachineConsole, until: Until) -> None:
    paste(console, "sharecf\n/gr1/u11 shares=5\n")
    until(lambda: "changed: u11" in text(console))


def test_lines_end_at_line_ends_alone() -> None:
    assert typed_lines("pl u\u2028\x0c11") == ([], "pl u\u2028\x0c11")
    assert typed_lines("a\r\nb\nc") == (["a", "b"], "c")
    assert typed_lines("sharecf\n/a shares=1") == (["sharecf\n/a shares=1"], "")


def test_tab_completes_commands_and_users(console: MachineConsole, until: Until) -> None:
    QTest.keyClicks(console.input, "pwi")
    QTest.keyClick(console.input, Qt.Key.Key_Tab)
    until(lambda: console.input.text() == "pwintf ")
    assert console.input.hasFocus()
    console.input.setText("pl u1")
    QTest.keyClick(console.input, Qt.Key.Key_Tab)
    until(lambda: "u11  u12" in text(console))
    assert console.input.text() == "pl u1"


def test_control_c_copies_or_drops_the_line(console: MachineConsole, until: Until) -> None:
    enter(console, "date")
    until(lambda: "next delta" in text(console))
    console.output.selectAll()
    QTest.keyClick(console.input, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == text(console)
    cursor = console.output.textCursor()
    cursor.clearSelection()
    console.output.setTextCursor(cursor)
    QTest.keyClicks(console.input, "nothing of this")
    QTest.keyClick(console.input, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert console.input.text() == ""
    expected = "convex# nothing of this"
    assert text(console).splitlines()[-1] == expected


@pytest.mark.parametrize("way", ["command", "keys"])
def test_clear(console: MachineConsole, until: Until, way: str) -> None:
    enter(console, "date")
    until(lambda: "next delta" in text(console))
    if way == "command":
        enter(console, "clear")
    else:
        QTest.keyClick(console.input, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert text(console) == ""


def test_the_oldest_lines_go(console: MachineConsole) -> None:
    console.output.add_answer("\n".join(map(str, range(line_output.KEPT_LINES + 500))))
    assert console.output.blockCount() == 2000
    assert text(console).startswith("500\n")


def test_what_is_typed_over_the_answers_goes_to_the_prompt(console: MachineConsole, until: Until) -> None:
    enter(console, "date")
    until(lambda: "next delta" in text(console))
    QTest.mouseClick(console.output.viewport(), Qt.MouseButton.LeftButton)
    assert console.output.hasFocus()
    QTest.keyClicks(console.output, "p")
    assert console.input.hasFocus()
    assert console.input.text() == "p"


def test_the_prompt_is_accent_in_both_themes(console: MachineConsole, until: Until) -> None:
    enter(console, "date")
    until(lambda: "next delta" in text(console))
    for mode in ("light", "dark"):
        theme().set_mode(mode)
        first = console.output.document().begin().begin().fragment()
        assert first.text() == "convex# "
        assert first.charFormat().foreground().color() == colour("accent")


def test_f6_comes_and_goes(console: MachineConsole, window: ConsoleWindow) -> None:
    window.table.trigger("next_dock")
    assert not console.input.hasFocus()
    window.table.trigger("previous_dock")
    assert console.input.hasFocus()


def test_another_document_begins_anew(
    console: MachineConsole, window: ConsoleWindow, session: ConsoleSession, until: Until
) -> None:
    enter(console, "date")
    window.files.open(examples() / "convex-series-6.yaml")
    until(lambda: session.document is not None and session.document.name == "convex-series-6.yaml")
    assert text(console) == ""
    enter(console, "pl u22")
    until(lambda: "charge" in text(console))


def test_what_was_asked_of_another_document_answers_nothing_here(
    console: MachineConsole, session: ConsoleSession, until: Until
) -> None:
    held = threading.Event()
    assert isinstance(session.target, SimulatedTarget)
    session.target.ask(lambda _: held.wait(30))
    enter(console, "date")
    session.open(Document(read_scenario(examples() / "convex-series-6.yaml")))
    enter(console, "pl u22")
    held.set()
    until(lambda: "charge" in text(console))
    assert text(console).splitlines()[1].startswith("u22")


def test_a_machine_that_is_built_anew_answers_too(
    console: MachineConsole, session: ConsoleSession, until: Until
) -> None:
    session.restart()
    enter(console, "pl u11")
    until(lambda: "charge" in text(console))


def test_prompts() -> None:
    names = ("Convex C2", "Convex", "Simulated Y-MP 8/64", "C2, simulated", "", "8/64", "SGI Origin 2000")
    prompts = ("c2", "convex", "y-mp", "c2", "machine", "machine", "origin")
    assert tuple(machine_in_prompt(name) for name in names) == prompts
    assert (prompt_of("c2"), prompt_of("c2", "u21")) == ("c2# ", "u21@c2$ ")


def test_prompt_and_head_of_the_dock_follow_sl(
    console: MachineConsole, window: ConsoleWindow, session: ConsoleSession, until: Until
) -> None:
    found = window.workspace("observe")
    assert isinstance(found, LiveWorkspace)
    assert "as operator" in remark(found)
    for line in ("sl u21", "sl nobody", "date"):
        console.run(line)
    until(lambda: "next delta" in text(console))
    assert "u21@convex$ date" in text(console)
    assert "as u21" in remark(found)
    enter(console, "sl")
    until(lambda: "as operator" in remark(found))
    enter(console, "sl u22")
    until(lambda: "as u22" in remark(found))
    session.restart()  # another machine, another shell
    assert "as operator" in remark(found)
    enter(console, "date")
    assert text(console).endswith("convex# date")


def test_completion_goes_as_far_as_the_words_agree() -> None:
    assert completed("pl u", ("u11", "u12")) == "pl u1"
    assert completed("pl u1", ("u11", "u12")) == "pl u1"
    expected = "pl u11 "
    assert completed("pl u11", ("u11",)) == expected
    assert completed("", ("pl",)) == "pl "
    assert completed("x ", ()) == "x "


def test_history_is_not_endless() -> None:
    history = LineHistory()
    for number in range(MOST_LINES + 10):
        history.add(str(number))
    steps = [history.step(-1, "") for _ in range(MOST_LINES + 5)]
    assert steps[-1] == "10"


def test_help_and_what_is_wrong_need_no_scrolling_sideways(
    console: MachineConsole, session: ConsoleSession, until: Until
) -> None:
    for line in ("charge --help", "lim u11 shares=1 nothing=2", "help"):
        console.run(line)
    until(lambda: "# help" in text(console) and not session.line.is_waiting)
    assert console.output.horizontalScrollBar().maximum() == 0
    assert "MAXUSERS" in text(console)


def test_prose_follows_the_width_and_all_else_stays(qtbot: QtBot) -> None:
    def resized(width: int) -> list[str]:
        output.resize(width, 300)
        return output.toPlainText().splitlines()

    host = QWidget()
    qtbot.addWidget(host)
    output = line_output.LineOutput(host)
    host.resize(1200, 400)
    host.show()
    table = "name  " + "x" * 150
    sentence = "half-life of usage in hours, or as a time with its unit such as 600s, from the next delta on"
    resized(900)
    output.add_command("c2# ", "help")
    output.add_answer(sentence, is_prose=True)
    output.add_command("c2# ", "pl")
    output.add_answer(table)
    output.add_answer(sentence, is_prose=True)
    wide = output.toPlainText()
    assert wide.splitlines() == ["c2# help", sentence, "c2# pl", table, sentence]
    narrow = resized(350)
    assert narrow.count("c2# help") == narrow.count("c2# pl") == narrow.count(table) == 1
    filled = [line for line in narrow if line.startswith("half-life") or line in sentence]
    assert len(filled) > 4
    assert all(len(line) <= output.columns() for line in filled)
    assert " ".join(narrow).split() == " ".join(wide.splitlines()).split()
    resized(350)
    assert resized(900) == wide.splitlines()
    output.clear()
    assert resized(350) == []
