"""Another study on the same selection: nothing of the last one is left on any page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, QRect
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from fsconsole.app.study.reading import read_state
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.console.analyse.study.page import StudyPage
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.sweep_panel import SweepPanel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.dock_states import EmptyNotice
from tests.console.analyse.study.conftest import study_state


def cells_of_model(model: QAbstractItemModel, parent: QModelIndex | None = None) -> Iterator[str]:
    parent = parent or QModelIndex()
    for row in range(model.rowCount(parent)):
        for column in range(model.columnCount(parent)):
            yield str(model.index(row, column, parent).data())
        yield from cells_of_model(model, model.index(row, 0, parent))


def words_of(widget: QWidget) -> list[str]:
    """All that a widget and what is in it shows or says, sorted; tables with all their cells."""
    found = [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()]
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        found.append(widget.text())
    elif isinstance(widget, QComboBox):
        found += [widget.itemText(place) for place in range(widget.count())]
    elif isinstance(widget, QTabBar):
        found += [widget.tabText(place) for place in range(widget.count())]
    elif isinstance(widget, QAbstractItemView):
        found += cells_of_model(widget.model())
    for child in widget.children():
        if isinstance(child, QWidget) and not child.isHidden():
            found += words_of(child)
    return sorted(filter(None, found))


def no_notices_meet(page: QWidget) -> bool:
    places = []
    for notice in page.findChildren(EmptyNotice):
        if notice.isVisible():
            label = notice.findChild(QLabel)
            assert label is not None
            places.append(QRect(label.mapTo(page, QPoint()), label.size()))
    return not any(one.intersects(other) for one, other in combinations(places, 2))


def shown(qtbot: QtBot, selection: StudySelection) -> tuple[StudyPage, SweepPanel]:
    page, sweep = StudyPage(selection), SweepPanel(selection)
    for widget in (page, sweep):
        qtbot.addWidget(widget)
        widget.resize(1000, 700)
        widget.show()
    return page, sweep


def touch(qtbot: QtBot, page: StudyPage, selection: StudySelection) -> None:
    """Look at each page, and at all that its own tabs and switches show, with a user and a job selected."""
    assert selection.cell is not None
    qtbot.waitUntil(lambda: selection.runs.of(selection.cell) is not None)  # type: ignore[arg-type]
    run = selection.runs.of(selection.cell)
    assert run is not None
    selection.select_user(str(run.schedule.jobs.users[int(run.schedule.jobs.user[0])]))
    selection.select_job(int(run.schedule.jobs.job_id[0]))
    for kind in page.kinds:
        page.show_page(kind.id)
        made = page.page(kind.id)
        for tabs in made.findChildren(QTabBar):
            for place in range(tabs.count()):
                tabs.setCurrentIndex(place)
        for buttons in made.findChildren(SegmentedButtons):
            for button in buttons.findChildren(QAbstractButton):
                button.click()
        for box in made.findChildren(QLineEdit):
            box.setText("a word of the last study")


@pytest.mark.parametrize("in_front", [0, 1, 2, 3, 4, 5, 6])
def test_nothing_of_the_last_study_is_left(
    qtbot: QtBot, empty_session: ConsoleSession, kth_folder: StudyFolder, in_front: int
) -> None:
    used, fresh = StudySelection(empty_session), StudySelection(empty_session)
    page, sweep = shown(qtbot, used)
    used.show(read_state(kth_folder, "KTH"))
    touch(qtbot, page, used)
    page.bar.setCurrentIndex(in_front)
    other = study_state(("Other",), {cell.key: "waiting" for cell in study_state(("Other",)).cells})
    used.show(other)
    clean_page, clean_sweep = shown(qtbot, fresh)
    clean_page.bar.setCurrentIndex(in_front)
    fresh.show(other)
    assert words_of(sweep) == words_of(clean_sweep)
    for kind in (page.kinds[in_front], *page.kinds):
        for one in (page, clean_page):
            one.show_page(kind.id)
        assert words_of(page) == words_of(clean_page), kind.title
        assert page.grab().toImage() == clean_page.grab().toImage(), kind.title
        assert no_notices_meet(page), kind.title
    for selection in (used, fresh):
        selection.close()


def test_closing_leaves_nothing_either(
    qtbot: QtBot, empty_session: ConsoleSession, kth_folder: StudyFolder
) -> None:
    used, fresh = StudySelection(empty_session), StudySelection(empty_session)
    page, _ = shown(qtbot, used)
    used.show(read_state(kth_folder, "KTH"))
    touch(qtbot, page, used)
    used.show(None)
    clean, _ = shown(qtbot, fresh)
    for kind in page.kinds:
        for one in (page, clean):
            one.show_page(kind.id)
        assert words_of(page) == words_of(clean), kind.title
    for selection in (used, fresh):
        selection.close()


def test_the_same_study_further_on_keeps_its_pages(qtbot: QtBot, kth_selection: StudySelection) -> None:
    page, _ = shown(qtbot, kth_selection)
    page.show_page("users")
    before, state = page.page("users"), kth_selection.state
    assert state is not None
    kth_selection.update(state.with_run(state.cells[0], "running"))
    assert page.page("users") is before


def test_a_page_that_has_gone_hears_no_more_of_the_selection(
    qtbot: QtBot, empty_session: ConsoleSession, kth_folder: StudyFolder
) -> None:
    selection = StudySelection(empty_session)
    page, _ = shown(qtbot, selection)
    for _round in range(4):
        old = []
        for _ in range(4):
            selection.show(read_state(kth_folder, "KTH"))
            for kind in page.kinds:
                page.show_page(kind.id)
                old.append(page.page(kind.id))
        selection.show(None)
        with qtbot.waitSignal(old[0].destroyed):
            pass
        selection.show(None)
    selection.close()
