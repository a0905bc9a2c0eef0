from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from fsconsole.console.welcome.page import WelcomePage
from fsconsole.console.welcome.rows import Row
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.formats import FORMATS
from tests.texts import wording

_LEFT = Qt.MouseButton.LeftButton


def welcome(window: ConsoleWindow) -> WelcomePage:
    page = window.findChild(WelcomePage)
    assert isinstance(page, WelcomePage)
    return page


def rows(window: ConsoleWindow) -> dict[str, Row]:
    return {row.text(): row for row in welcome(window).recent.findChildren(Row) if row.isVisible()}


def test_there_is_a_card_with_a_picture_for_every_example(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    cards = welcome(empty_window).cards
    assert set(cards) == set(examples().glob("*.yaml"))
    qtbot.waitUntil(lambda: all(card.accessibleDescription() for card in cards.values()))
    picture = cards[examples() / "two-organisations.yaml"].picture
    assert picture is not None
    # Fig. 2-3: two organisations of two users each, all equal.
    assert sorted(picture.shares.tolist()) == [0.25] * 4 + [0.5] * 2 + [1.0]


def test_every_card_says_what_its_example_shows(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    page = welcome(empty_window)
    qtbot.waitUntil(lambda: page.is_complete)
    words = [card.picture.words for card in page.cards.values() if card.picture is not None]
    assert len(set(words)) == len(words)
    assert "Groups weighted by their number of users" in " ".join(words)


def test_a_card_opens_its_example_in_observe_by_key(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    empty_window.session.preferences.set_value("workspace", "design")
    empty_window.restore_state()
    card = welcome(empty_window).cards[examples() / "convex-series-6.yaml"]
    card.setFocus()
    with qtbot.waitSignal(empty_window.session.document_changed):
        QTest.keyClick(card, Qt.Key.Key_Space)
    document = empty_window.session.document
    assert document is not None
    assert document.name == "convex-series-6.yaml"
    assert empty_window.current is empty_window.workspace("observe")


def test_new_by_a_click(empty_window: ConsoleWindow) -> None:
    row = welcome(empty_window).findChild(Row, "new")
    assert isinstance(row, Row)
    QTest.mouseClick(row, _LEFT)
    assert empty_window.session.document is not None


def test_all_other_formats_and_linux_are_named(empty_window: ConsoleWindow) -> None:
    page = welcome(empty_window)
    row = page.findChild(Row, "other_formats")
    assert isinstance(row, Row)
    assert row.text() == wording("console.welcome.other-formats", others="14")
    named = {"slurm", "sharecf", "yaml"}
    menu = row.findChild(QMenu)
    assert isinstance(menu, QMenu)
    listed = {action.text() for action in menu.actions()}
    wanted = {empty_window.table.qaction(f"import_{form.name}") for form in FORMATS if form.name not in named}
    assert set(menu.actions()) == wanted
    assert all(form.title in row.toolTip() for form in FORMATS if form.name not in named)
    assert len(listed) == 14
    QTest.mouseClick(row, _LEFT)
    assert menu.isVisible()
    menu.close()
    linux = [label.text() for label in page.findChildren(MutedLabel) if "Linux" in label.text()]
    assert linux == [
        wording(
            "console.welcome.linux-open-any-tree-then",
            linux_way=wording("console.welcome.choose-open-on-this-machine"),
        )
    ]


def test_a_missing_recent_file_can_be_removed_or_located(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, tmp_path: Path
) -> None:
    recent = empty_window.files.recent
    moved = tmp_path / "moved.yaml"
    moved.write_bytes((examples() / "two-organisations.yaml").read_bytes())
    for name in ("gone.yaml", "old.yaml"):
        recent.add(tmp_path / name)
    qtbot.waitUntil(lambda: set(rows(empty_window)) == {"gone.yaml", "old.yaml"})
    answers.missing = "remove"
    QTest.mouseClick(rows(empty_window)["gone.yaml"], _LEFT)
    qtbot.waitUntil(lambda: set(rows(empty_window)) == {"old.yaml"})
    answers.missing, answers.to_open = "locate", moved
    with qtbot.waitSignal(empty_window.session.document_changed):
        QTest.mouseClick(rows(empty_window)["old.yaml"], _LEFT)
    assert [entry.path for entry in recent.entries()] == [moved]


def test_the_list_of_recent_files_is_filtered_by_typing(
    qtbot: QtBot, empty_window: ConsoleWindow, tmp_path: Path
) -> None:
    for name in ("one.yaml", "two.yaml"):
        empty_window.files.recent.add(tmp_path / name)
    QTest.keyClicks(welcome(empty_window).recent.box, "tw")
    qtbot.waitUntil(lambda: set(rows(empty_window)) == {"two.yaml"})
