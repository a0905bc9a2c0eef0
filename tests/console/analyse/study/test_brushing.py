"""A user picked on one page of a study stands out on all of them; filters are there again the next time."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from fsconsole.console.analyse.study.figures_page import FIGURES, FiguresPage
from fsconsole.console.analyse.study.gantt_page import GanttPage
from fsconsole.console.analyse.study.jobs_page import ComparePage
from fsconsole.console.analyse.study.overview import Overview
from fsconsole.console.analyse.study.page import StudyPage
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.tables_page import TablesPage
from fsconsole.console.analyse.study.user_page import UserPage
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.name_dialog import NameDialog
from fsconsole.console.widgets.search_box import SearchBox

_BACK = Qt.ItemDataRole.BackgroundRole
_LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def study(qtbot: QtBot, kth_selection: StudySelection) -> StudyPage:
    made = StudyPage(kth_selection)
    qtbot.addWidget(made)
    made.resize(1100, 800)
    made.show()
    return made


def test_a_user_picked_among_users_stands_out_on_the_other_pages(
    qtbot: QtBot, study: StudyPage, kth_selection: StudySelection
) -> None:
    study.show_page("users")
    users = study.page("users")
    assert isinstance(users, UserPage)
    qtbot.waitUntil(lambda: users.model.rowCount() > 3)
    place = users.view.visualRect(users.model.index(2, 0)).center()
    QTest.mouseClick(users.view.viewport(), _LEFT, pos=place)
    user = kth_selection.user
    assert user == users.model.value(2, "user")
    assert study.user.isVisible()
    assert study.user.text().startswith(f"#{user}")

    study.show_page("overview")
    overview = study.page("overview")
    assert isinstance(overview, Overview)
    shown = overview.deviation.spec
    assert shown is not None
    assert any(word.startswith(f"#{user}: ") for word in shown.curves[0].labels)

    assert shown.curves[0].lit is not None

    study.show_page("figures")
    figures = study.page("figures")
    assert isinstance(figures, FiguresPage)
    figures.bar.setCurrentIndex(FIGURES.index("Waits"))
    qtbot.waitUntil(lambda: len(figures.specs) == 3)
    boxes, own = figures.specs[2].curves
    assert boxes.shape == "box"
    assert any(own.labels)
    assert f"user #{user}" in figures.specs[2].caption

    study.show_page("compare")
    jobs = study.page("compare")
    assert isinstance(jobs, ComparePage)
    qtbot.waitUntil(lambda: jobs.model.rowCount() > 0)
    for row in range(jobs.model.rowCount()):
        lit = jobs.model.data(jobs.model.index(row, 0), _BACK)
        is_own = jobs.model.value(row, "user") == user
        assert (lit == colour("hover")) is is_own
    assert any(jobs.model.value(row, "user") == user for row in range(jobs.model.rowCount()))

    study.show_page("machine")
    machine = study.page("machine")
    assert isinstance(machine, GanttPage)
    qtbot.waitUntil(lambda: machine.scene is not None)
    assert f"#{user}" in machine.legend.accessibleName()

    QTest.mouseClick(study.user, _LEFT)
    assert kth_selection.user == ""
    assert not study.user.isVisible()
    assert jobs.model.data(jobs.model.index(0, 0), _BACK) is None
    study.show_page("figures")
    assert len(figures.specs[2].curves) == 1


def test_a_row_of_a_table_by_user_selects_the_user(
    qtbot: QtBot, study: StudyPage, kth_selection: StudySelection
) -> None:
    study.show_page("tables")
    tables = study.page("tables")
    assert isinstance(tables, TablesPage)
    qtbot.waitUntil(lambda: bool(tables.tables))
    of_users = [
        place
        for place, table in enumerate(tables.tables)
        if len(table.frame) and "user" in [column.name for column in table.columns]
    ]
    assert of_users
    tables.bar.setCurrentIndex(of_users[0])
    at = tables.view.visualRect(tables.model.index(0, 0)).center()
    QTest.mouseClick(tables.view.viewport(), _LEFT, pos=at)
    assert kth_selection.user
    assert tables.model.data(tables.model.index(0, 0), _BACK) == colour("hover")


def test_a_filter_is_in_force_again_for_the_same_study(
    qtbot: QtBot, study: StudyPage, kth_selection: StudySelection
) -> None:
    study.show_page("users")
    users = study.page("users")
    assert isinstance(users, UserPage)
    QTest.keyClicks(users.filter, "#8")
    QTest.keyClick(users.filter, Qt.Key.Key_Return)
    state = kth_selection.state
    assert state is not None
    again = UserPage(kth_selection)
    qtbot.addWidget(again)
    assert again.filter.text() == "#8"
    completer = again.filter.completer()
    assert completer is not None
    model = completer.model()
    assert model is not None
    assert model.index(0, 0).data() == "#8"
    preferences = kth_selection.session.preferences
    again.filter.keep(preferences, "study/filter/users", "Another study")
    assert again.filter.text() == ""


def test_a_filter_is_named_used_in_a_study_opened_again_and_deleted(
    qtbot: QtBot, study: StudyPage, kth_selection: StudySelection
) -> None:
    study.show_page("users")
    users = study.page("users")
    assert isinstance(users, UserPage)
    box = users.filter
    qtbot.waitUntil(lambda: users.model.rowCount() > 3)
    everyone = users.model.rowCount()
    _open_by_key(qtbot, box)
    assert [action.isEnabled() for action in box.menu.actions() if action.text()] == [False, False]
    QTest.keyClick(box.menu, Qt.Key.Key_Escape)
    QTest.keyClicks(box, "#8")
    found = users.model.rowCount()
    assert 0 < found < everyone
    _name_it(qtbot, box, "Eights & more")
    box.clear()
    QTest.keyClicks(box, "#9")
    _name_it(qtbot, box, "")

    preferences = kth_selection.session.preferences
    preferences.write()
    again = UserPage(kth_selection)
    qtbot.addWidget(again)
    again.filter.keep(Preferences(preferences.path.parent), "study/filter/users", "Another study")
    again.show()
    assert again.filter.text() == ""
    qtbot.waitUntil(lambda: again.model.rowCount() == everyone)
    _open_by_key(qtbot, again.filter)
    shown = [action.text().split("\t") for action in again.filter.menu.actions()]
    assert [parts[-1] for parts in shown[:2]] == ["#9", "#8"]
    assert shown[1][0].split() == ["Eights", "&&", "more"]
    QTest.keyClick(again.filter.menu, Qt.Key.Key_Down)
    QTest.keyClick(again.filter.menu, Qt.Key.Key_Down)
    QTest.keyClick(again.filter.menu, Qt.Key.Key_Return)
    assert again.filter.text() == "#8"
    assert again.model.rowCount() == found

    _open_by_key(qtbot, again.filter)
    QTest.keyClick(again.filter.menu, Qt.Key.Key_D)
    delete = again.filter.menu.activeAction().menu()
    assert isinstance(delete, QMenu)
    qtbot.waitUntil(delete.isVisible)
    QTest.keyClick(delete, Qt.Key.Key_Return)
    again.filter.open_menu()
    assert [action.text().split("\t")[-1] for action in again.filter.menu.actions()][:2] == ["#8", ""]
    QTest.keyClick(again.filter.menu, Qt.Key.Key_Escape)


def _open_by_key(qtbot: QtBot, box: SearchBox) -> None:
    QTest.keyClick(box, Qt.Key.Key_Down)
    qtbot.waitUntil(box.menu.isVisible)


def _name_it(qtbot: QtBot, box: SearchBox, name: str) -> None:
    """Press Down, N, type a name over the one that is offered, press Enter."""
    _open_by_key(qtbot, box)
    QTest.keyClick(box.menu, Qt.Key.Key_N)
    dialog = box.findChild(NameDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    assert dialog.textValue() == box.text()
    line = dialog.findChild(QLineEdit)
    assert line is not None
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClicks(line, name)
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: box.findChild(NameDialog) is None)


def test_the_tabs_stay_whole_beside_a_marked_user(study: StudyPage, kth_selection: StudySelection) -> None:
    tabs_px = study.bar.sizeHint().width()
    study.resize(tabs_px + 40, study.height())
    kth_selection.select_user("214")
    assert study.user.isVisible()
    assert study.bar.width() >= tabs_px
    assert study.user.mapTo(study, study.user.rect().topLeft()).y() >= study.bar.geometry().bottom()
    study.resize(2 * tabs_px, study.height())
    assert study.user.isVisible()
    assert study.user.mapTo(study, study.user.rect().topLeft()).y() < study.bar.geometry().bottom()
    study.resize(tabs_px + 40, study.height())
    kth_selection.select_user("")
    assert not study.user.isVisible()
