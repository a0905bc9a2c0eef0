from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.command_search import CommandSearch, find, score
from tests.texts import wording

Done = list[str]


@pytest.fixture
def done() -> Done:
    return []


@pytest.fixture
def search(qtbot: QtBot, done: Done) -> CommandSearch:
    window = QMainWindow()
    qtbot.addWidget(window)
    names = ["Undo", "Redo", "Add user", "Add group", "Leave out system groups", "Save as\u2026"]
    actions = [
        Action(name, name, lambda name=name: done.append(name), enabled=lambda name=name: name != "Redo")  # type: ignore[misc]
        for name in names
    ]
    made = CommandSearch(ActionTable(window, actions), window)
    window.resize(900, 600)
    with qtbot.waitExposed(window):
        window.show()
    made.open()
    return made


def _names(search: CommandSearch) -> list[str]:
    return [search.model.index(row).data() for row in range(search.model.rowCount())]


@pytest.mark.parametrize(
    ("typed", "best"),
    [
        ("undo", "Undo"),
        ("lo", "Leave out system groups"),
        ("ag", "Add group"),
        ("sys", "Leave out system groups"),
        ("SAVE", "Save as\u2026"),
        ("user", "Add user"),
    ],
)
def test_a_part_of_the_name_finds_it(search: CommandSearch, typed: str, best: str) -> None:
    QTest.keyClicks(search.box, typed)
    assert _names(search)[0] == best


def test_what_begins_like_it_comes_first() -> None:
    actions = [Action(name, name, lambda: None) for name in ("Undo to here", "Find unused node", "Undo")]
    assert [one.action.name for one in find("und", actions)][:2] == [
        "Undo",
        wording("console.design.undo-to-here"),
    ]


def test_menu_and_further_words_are_found_too() -> None:
    actions = [
        Action("dark", "Dark", lambda: None, menu="View/Theme"),
        Action("q", "Leave", lambda: None, words="quit exit"),
    ]
    assert [one.action.id for one in find("theme", actions)] == ["dark"]
    assert [one.action.id for one in find("quit", actions)] == ["q"]


_FULL = [
    Action("armed", "Armed", lambda: None, menu="Target", tip="Let kill go to the machine"),
    Action("dark", "Dark", lambda: None, menu="View/Theme"),
    Action("c916", "NAVOCEANO C916", lambda: None, menu="File/Open example"),
    Action("six", "Convex series 6", lambda: None, menu="File/Open example"),
]


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("dark", ["dark"]),
        ("example: navoceano c916", ["c916"]),
        ("Open example: conv", ["six"]),
        ("theme: dark", ["dark"]),
        ("c916 navo", ["c916"]),
        ("oceano", ["c916"]),
        (": ", []),
        ("dk", []),
    ],
)
def test_a_shown_title_is_found_and_nothing_that_only_has_the_letters(typed: str, wanted: list[str]) -> None:
    assert [one.action.id for one in find(typed, _FULL)] == wanted


@given(
    st.text("abc -:", max_size=8), st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=4)
)
def test_words_match_as_every_way_of_reading_them_does(typed: str, words: list[str]) -> None:
    """By trying all ways to cut a word into beginnings of the name's words, in order."""

    def cuts(letters: str, rest: list[str]) -> bool:
        return not letters or any(
            rest[at].startswith(letters[:size]) and cuts(letters[size:], rest[at + 1 :])
            for at in range(len(rest))
            for size in range(1, len(letters) + 1)
        )

    wanted = typed.replace("-", " ").replace(":", " ").split()
    name = " ".join(words)
    matches = bool(wanted) and all(cuts(word, words) or word in name for word in wanted)
    assert (score(typed, name) is not None) == matches


def test_what_nothing_matches_is_reported(search: CommandSearch) -> None:
    QTest.keyClicks(search.box, "zzz")
    assert search.nothing.isVisible()
    search.box.clear()
    assert not search.nothing.isVisible()


def test_a_mistyped_word_finds_what_is_like_it() -> None:
    assert [one.action.id for one in find("navocaeno", _FULL)] == ["c916"]
    assert find("qqqqqq", _FULL) == []


def test_a_mistyped_word_is_found_before_first_letters_of_many_words() -> None:
    names = ("Examples of products in their window", "Export map")
    actions = [Action(name, name, lambda: None) for name in names]
    assert [one.action.name for one in find("exprt", actions)] == ["Export map", names[0]]


def test_a_command_that_cannot_be_run_says_why_and_stands_above_texts(qtbot: QtBot, look: object) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    why = "Arm the console first"
    kill = Action("kill", "Kill", lambda: None, enabled=lambda: False, why_not=lambda: why)
    page = Action("Help alerts", "Alerts", lambda: None, menu="Search/Help", words="kill")
    search = CommandSearch(ActionTable(window, [kill]), window, lambda typed: [page] if typed else [])
    search.open()
    QTest.keyClicks(search.box, "kill")
    assert _names(search) == ["Kill", "Help: Alerts"]
    assert search.model.index(0).data(Qt.ItemDataRole.UserRole) == why
    assert search.view.currentIndex().row() == 1  # the first that can be run
    assert not search.grab().isNull()
    search.close()


def test_letters_that_are_not_there_match_nothing() -> None:
    assert score("xyz", "Undo") is None
    assert find("zzz", [Action("undo", "Undo", lambda: None)]) == []


def test_enter_does_the_current_row(qtbot: QtBot, search: CommandSearch, done: Done) -> None:
    QTest.keyClicks(search.box, "add")
    QTest.keyClick(search.box, Qt.Key.Key_Down)
    QTest.keyClick(search.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: done == ["Add group"])
    assert not search.isVisible()


def test_arrows_stop_at_the_ends(search: CommandSearch) -> None:
    QTest.keyClick(search.box, Qt.Key.Key_Up)
    assert search.view.currentIndex().row() == 0
    QTest.keyClick(search.box, Qt.Key.Key_PageDown)
    assert search.view.currentIndex().data() == "Save as\u2026"


def test_what_cannot_be_done_stands_last_and_does_nothing(search: CommandSearch, done: Done) -> None:
    assert _names(search)[-1] == "Redo"
    place = search.view.visualRect(search.model.index(5)).center()
    QTest.mouseClick(search.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.keyClicks(search.box, "redo")
    QTest.keyClick(search.box, Qt.Key.Key_Return)
    assert done == []
    assert search.isVisible()


def test_escape_leaves(search: CommandSearch) -> None:
    QTest.keyClick(search.box, Qt.Key.Key_Escape)
    assert not search.isVisible()


def test_a_click_does_the_row(qtbot: QtBot, search: CommandSearch, done: Done) -> None:
    place = search.view.visualRect(search.model.index(2)).center()
    QTest.mouseClick(search.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert done == []  # not while the click is under way: the action may take the list away
    qtbot.waitUntil(lambda: done == ["Add group"])


def test_it_opens_empty_again(search: CommandSearch) -> None:
    QTest.keyClicks(search.box, "undo")
    search.close()
    search.open()
    assert search.box.text() == ""
    assert search.model.rowCount() == 6
    assert not search.grab().isNull()


def test_words_of_a_question_that_no_name_has_are_left_out(search: CommandSearch) -> None:
    QTest.keyClicks(search.box, "does the user add")
    assert _names(search) == ["Add user"]
