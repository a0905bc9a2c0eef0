"""One row for all notices: the most important first, a way to the others, and nothing that takes the keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.notice_bar import NoticeBar
from fsconsole.console.notice_line import NoticeLine
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.widgets.strip import Importance

LEFT = Qt.MouseButton.LeftButton


class Row:
    """A line of three notices over a page with a field."""

    def __init__(self) -> None:
        self.window, self.page = QWidget(), QWidget()
        self.page.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.field = QLineEdit(self.page)
        self.line = NoticeLine(self.page)
        layout = QVBoxLayout(self.window)
        for part in (self.line, self.page):
            layout.addWidget(part)
        self.window.resize(900, 300)
        self.news, self.alert, self.fault = map(
            self._notice, (Importance.INFORMATION, Importance.ALERT, Importance.FAULT)
        )
        self.line.add((self.news, self.alert, self.fault))

    def _notice(self, importance: Importance) -> NoticeBar:
        def put_away() -> None:
            notice.put_away()

        notice = NoticeBar("raised", "warning", "warn", (("Close", put_away),), importance)
        return notice

    @property
    def shown(self) -> list[NoticeBar]:
        return [one for one in (self.news, self.alert, self.fault) if one.isVisible()]


@pytest.fixture
def row(qtbot: QtBot, look: ConsoleStyle) -> Iterator[Row]:
    made = Row()
    with qtbot.waitActive(made.window):
        made.window.show()
    yield made
    made.window.close()


def close_of(notice: NoticeBar) -> QPushButton:
    found = notice.findChild(QPushButton)
    assert isinstance(found, QPushButton)
    return found


def test_the_most_important_notice_is_shown_and_all_are_counted(row: Row) -> None:
    assert (row.shown, row.line.count_words) == ([], "")
    row.alert.say("alert")
    assert (row.shown, row.line.count_words) == ([row.alert], "")
    row.news.say("news")
    assert row.shown == [row.alert]
    assert row.line.count_words.split() == ["1", "of", "2"]
    row.fault.say("fault")
    assert row.shown == [row.fault]
    assert row.line.count_words.split() == ["1", "of", "3"]
    row.fault.put_away()
    row.alert.put_away()
    assert (row.shown, row.line.count_words) == ([row.news], "")


def test_the_others_are_a_step_away_until_something_worse_comes(row: Row) -> None:
    row.news.say("news")
    row.alert.say("alert")
    after, before = (row.line.findChildren(QWidget, name)[0] for name in ("after", "before"))
    for button, shown, words in (
        (after, row.news, "2 of 2"), (after, row.alert, "1 of 2"), (before, row.news, "2 of 2"),
    ):  # fmt: skip
        QTest.mouseClick(button, LEFT)
        assert (row.shown, row.line.count_words) == ([shown], words)
    row.alert.say("alert, changed")
    assert row.shown == [row.news]
    row.fault.say("fault")
    assert row.shown == [row.fault]


def test_a_notice_takes_neither_room_nor_focus(row: Row) -> None:
    row.field.setFocus()
    QTest.keyClicks(row.field, "15")
    places = [row.line.geometry(), row.page.geometry()]
    for notice in (row.news, row.fault):
        notice.say("now")
        QApplication.processEvents()
        assert QApplication.focusWidget() is row.field
        assert [row.line.geometry(), row.page.geometry()] == places
    row.fault.put_away()
    QApplication.processEvents()
    assert [row.line.geometry(), row.page.geometry()] == places
    assert (row.field.text(), row.field.isModified()) == ("15", True)


def test_what_has_the_focus_stays_until_it_is_used(row: Row) -> None:
    row.news.say("news")
    close_of(row.news).setFocus()
    row.fault.say("fault")
    assert row.shown == [row.news]
    assert row.line.count_words.split() == ["2", "of", "2"]
    row.news.put_away()
    assert row.shown == [row.news]
    assert row.line.count_words.split() == ["1", "of", "2"]
    assert QApplication.focusWidget() is close_of(row.news)
    row.field.setFocus()
    assert (row.shown, row.line.count_words) == ([row.fault], "")
    close_of(row.fault).setFocus()
    QTest.keyClick(close_of(row.fault), Qt.Key.Key_Space)
    assert row.shown == []
    assert QApplication.focusWidget() is row.page


def test_what_the_pointer_is_over_stays_until_it_is_left(qtbot: QtBot, row: Row) -> None:
    row.news.say("news")
    QTest.mouseMove(row.news)
    qtbot.waitUntil(row.line.underMouse)
    row.fault.say("fault")
    assert row.shown == [row.news]
    QTest.mouseMove(row.page)
    qtbot.waitUntil(lambda: row.shown == [row.fault])


def test_notices_of_a_page_are_shown_there_alone(row: Row) -> None:
    owner = QWidget(row.window)
    mine = NoticeBar("raised", "warning", "warn", (), Importance.FAULT)
    row.line.add((mine,), owner)
    mine.say("mine")
    row.news.say("news")
    assert (row.shown, row.line.count_words) == ([row.news], "")
    row.line.show_page(owner)
    assert row.line.front is mine
    assert row.line.count_words.split() == ["1", "of", "2"]
    row.line.show_page(None)
    assert (row.line.front, row.line.count_words) == (row.news, "")
