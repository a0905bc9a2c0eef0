"""A search in the whole window: opened, run, looked at, a point opened as a study, closed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QStyleOptionTab, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from fsconsole.app.study.search import findings
from fsconsole.batch.search.search_file import read_search
from fsconsole.batch.study.task import CellResult
from fsconsole.console.analyse.central_tabs import EXPERIMENT, SEARCH, STUDY
from fsconsole.console.analyse.search.controller import SearchController
from fsconsole.console.analyse.search.new_search import NewSearchDialog
from fsconsole.console.analyse.workspace import AnalyseWorkspace
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.elided import NamesDelegate
from fsconsole.console.window import ConsoleWindow
from tests.batch.search.small_search import TEXT, Here, write_search
from tests.batch.study.small import HereExecutor, undated_text
from tests.console.conftest import Answers
from tests.texts import says, wording


def analyse_of(window: ConsoleWindow) -> AnalyseWorkspace:
    found = window.workspace("analyse")
    assert isinstance(found, AnalyseWorkspace)
    return found


def opened(qtbot: QtBot, window: ConsoleWindow, path: Path) -> SearchController:
    window.files.open(path)
    controller = analyse_of(window).search_controller
    controller._make_executor = Here
    qtbot.waitUntil(lambda: controller.search is not None)
    return controller


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_search(tmp_path)


@pytest.fixture
def done(qtbot: QtBot, empty_window: ConsoleWindow, small: Path) -> Iterator[SearchController]:
    controller = opened(qtbot, empty_window, small)
    assert empty_window.table.trigger("search.run")
    qtbot.waitUntil(lambda: controller.has_result)
    return controller  # type: ignore[return-value] # nothing is left to do behind it


def test_a_search_is_opened_run_and_shown(
    empty_window: ConsoleWindow, done: SearchController, small: Path
) -> None:
    analyse = analyse_of(empty_window)
    assert analyse.centre.shown == SEARCH
    assert analyse.centre.bar.tabText(SEARCH) == "Small"
    result = done.page.result
    assert result is not None
    assert done.page.findings.text() == " ".join(findings(result))
    assert [row.number for row in done.page.model.rows] == [point.number for point in result.points]
    titles = done.page.model.titles
    assert titles[:2] == ("Point", "Policy")
    assert titles[-6:] == (
        "Share miss of A, points", "Held out", "Wait growth", "Held out", "Average wait of A, h", "Held out",
    )  # fmt: skip
    assert done.page.run.isHidden()
    assert small.with_name("small.results").is_dir()
    # All of it is done.
    assert not empty_window.table.trigger("search.run")
    assert empty_window.table.trigger("search.close")
    assert not empty_window.stack.shows_workspaces()


def test_a_long_name_leaves_room_for_the_other_tabs(
    qtbot: QtBot, empty_window: ConsoleWindow, tmp_path: Path
) -> None:
    name = "A search of " + "many " * 21 + "settings"
    empty_window.resize(1600, 1000)
    opened(qtbot, empty_window, write_search(tmp_path, TEXT.replace("name: Small", f"name: {name}")))
    bar = analyse_of(empty_window).centre.bar
    qtbot.waitUntil(lambda: bar.tabText(SEARCH) == name)
    shown = [place for place in range(bar.count()) if bar.isTabVisible(place)]
    assert len(shown) == 3
    assert all(bar.rect().contains(bar.tabRect(place)) for place in shown)
    option = QStyleOptionTab()
    bar.initStyleOption(option, SEARCH)
    start, _, end = option.text.partition("\N{HORIZONTAL ELLIPSIS}")
    assert start
    assert end
    assert name.startswith(start)
    assert name.endswith(end)
    assert bar.tabToolTip(SEARCH) == name


def test_values_that_miss_their_bound_are_red(done: SearchController) -> None:
    model = done.page.model
    place = model.place("share_of_A")
    for row, point in enumerate(model.rows):
        ink = model.data(model.index(row, place), Qt.ItemDataRole.ForegroundRole)
        assert (ink == colour("danger")) == (point.chosen[0] > 31)


def test_a_red_value_stays_red_while_its_row_is_selected(done: SearchController) -> None:
    table = done.page.table
    names = [column.key for column in done.page.model.columns]
    red = next(
        index
        for row in range(done.page.model.rowCount())
        for index in [done.page.model.index(row, at) for at in range(len(names))]
        if index.data(Qt.ItemDataRole.ForegroundRole) is not None
    )
    delegate, option = table.itemDelegateForIndex(red), QStyleOptionViewItem()
    assert isinstance(delegate, NamesDelegate)
    delegate.initStyleOption(option, red)
    shown = option.palette.color(QPalette.ColorRole.HighlightedText)
    assert shown == red.data(Qt.ItemDataRole.ForegroundRole)


def test_a_click_on_a_point_selects_its_row(qtbot: QtBot, done: SearchController) -> None:
    plot = done.page.plot
    qtbot.waitUntil(lambda: plot.width() > 300 and plot.isVisible())
    number = plot.picture.numbers[2]
    x, y = plot.place_of(*plot.picture.chosen[2])
    with qtbot.waitSignal(plot.picked) as picked:
        QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))
    (found,) = done.page.points
    # Points may lie over each other: the one that was picked is the one that is selected.
    assert picked.args == [found.number]
    place = plot.picture.numbers.index(found.number)
    assert plot.picture.chosen[place].tolist() == pytest.approx(plot.picture.chosen[2].tolist(), rel=0.05)
    assert plot.selected == found.number
    assert number > 0


def test_other_goals_are_drawn_where_they_are_chosen(done: SearchController) -> None:
    page, result = done.page, done.page.result
    assert result is not None
    page.across.setCurrentIndex(2)
    assert page.plot.picture.titles == ("Average wait of A, h", "Wait growth")
    assert page.plot.picture.chosen[:, 0].tolist() == [point.chosen[2] for point in result.points]
    assert page.plot.picture.held_out[1:, 1].tolist() == [
        point.held_out[1] for point in result.points[1:] if point.held_out is not None
    ]
    drawn = [item.getData() for item in page.plot.getPlotItem().items if isinstance(item, pg.ScatterPlotItem)]
    assert tuple(page.plot.picture.held_out[0]) in {place for xy in drawn for place in zip(*xy, strict=True)}


@pytest.mark.watch_allows(
    "focus", reason="what is read in a thread takes the focus when its page comes", issue="calm"
)
def test_a_point_opens_as_a_study_and_is_run(
    qtbot: QtBot, empty_window: ConsoleWindow, done: SearchController
) -> None:
    analyse = analyse_of(empty_window)
    analyse.study_controller._make_executor = HereExecutor
    # No point is selected.
    assert not empty_window.table.trigger("search.point")
    done.page.table.select([done.page.model.rows[1].number])
    (point,) = done.page.points
    plot = done.page.plot
    qtbot.waitUntil(lambda: plot.width() > 300 and plot.isVisible())
    place = plot.picture.numbers.index(point.number)
    at = QPoint(*map(round, plot.place_of(*plot.picture.chosen[place])))
    shown = plot.number_at(at.x(), at.y())
    done.page.table.select([shown])  # of points that lie over each other the one that a click finds
    (point,) = done.page.points
    QTest.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: analyse.study_controller.is_complete)
    assert analyse.centre.shown == STUDY
    state = analyse.study_controller.selection.state
    assert state is not None
    assert point.policy in state.numbers.policies
    assert state.name.split(", ") == ["Small", f"point {point.number}"]
    qtbot.waitUntil(lambda: not analyse.study_controller.is_running)


def test_the_points_are_copied(empty_window: ConsoleWindow, done: SearchController) -> None:
    assert empty_window.table.trigger("search.copy")
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 1 + len(done.page.model.rows)
    assert lines[1].split("\t")[0] == "baseline"


def test_a_folder_of_a_search_opens_too(
    qtbot: QtBot, empty_window: ConsoleWindow, done: SearchController, small: Path
) -> None:
    empty_window.table.trigger("search.close")
    again = opened(qtbot, empty_window, small.with_name("small.results"))
    assert again.has_result
    assert again.name == "Small"


class Gated(Here):
    """Answers for the baseline and the first generation of settings, then waits."""

    most = 3

    def answers(self, timeout_s: float) -> list[CellResult]:
        return super().answers(timeout_s) if len(self.done) < self.most else []


class GatedEarly(Gated):
    """Answers for the baseline and the first ten settings, then waits."""

    most = 2


def test_a_search_is_stopped_and_goes_on(qtbot: QtBot, empty_window: ConsoleWindow, small: Path) -> None:
    controller = opened(qtbot, empty_window, small)
    controller._make_executor = Gated
    controller.run()
    qtbot.waitUntil(lambda: "of 60 settings" in controller.words)
    assert empty_window.table.trigger("search.stop")
    qtbot.waitUntil(lambda: not controller.is_running)
    assert not controller.has_result
    controller._make_executor = Here
    controller.run()
    qtbot.waitUntil(lambda: controller.has_result)


def test_a_search_that_stops_early_is_not_said_to_be_untried(
    qtbot: QtBot, empty_window: ConsoleWindow, small: Path
) -> None:
    controller = opened(qtbot, empty_window, small)
    texts = [label.text() for label in controller.body.findChildren(QLabel)]
    assert says(texts, "console.analyse.search.settings-none-tried-yet", count="60")
    controller.run()
    assert empty_window.table.trigger("search.stop")
    qtbot.waitUntil(lambda: not controller.is_running)
    texts = [label.text() for label in controller.body.findChildren(QLabel)]
    assert says(texts, "console.analyse.search.stopped-after-of-settings-run", begun="0", count="60")


def test_a_search_that_stops_within_a_generation_says_how_many_are_kept(
    qtbot: QtBot, empty_window: ConsoleWindow, small: Path
) -> None:
    controller = opened(qtbot, empty_window, small)
    controller._make_executor = GatedEarly
    controller.run()
    qtbot.waitUntil(lambda: "10 of 60 settings done" in controller.words)
    assert empty_window.table.trigger("search.stop")
    qtbot.waitUntil(lambda: not controller.is_running)
    words = "Stopped after 10 of 60 settings. Run the search again to continue."
    assert words in [label.text() for label in controller.body.findChildren(QLabel)]
    assert empty_window.table.trigger("search.close")
    controller = opened(qtbot, empty_window, small)
    assert words in [label.text() for label in controller.body.findChildren(QLabel)]


def test_a_wrong_file_is_reported_and_leaves_no_tab(
    qtbot: QtBot, empty_window: ConsoleWindow, small: Path, answers: Answers
) -> None:
    small.write_text(TEXT.replace("scale: log", "scale: lg", 1))
    controller = analyse_of(empty_window).search_controller
    controller.questions = answers
    controller.open(small)
    qtbot.waitUntil(lambda: bool(answers.reported))
    assert "scale: must" in str(answers.reported[0][1][0])
    assert not controller.is_open
    assert analyse_of(empty_window).centre.shown == EXPERIMENT


@pytest.fixture
def dialog(qtbot: QtBot, look: ConsoleStyle, answers: Answers) -> NewSearchDialog:
    made = NewSearchDialog(answers)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: bool(made.train.text()))
    return made


def test_the_dialog_writes_a_search_and_has_it_run(
    qtbot: QtBot, dialog: NewSearchDialog, tmp_path: Path
) -> None:
    assert dialog.test.text() == "1997-06 1997-07"
    dialog.name.setText("Six users at 25 %")
    dialog.users.setText("3 6 14 15 67 84")
    dialog.share.setValue(25)
    assert Path(dialog.file.text()).name == "six-users-at-25.yaml"
    dialog.file.setText(str(tmp_path / "mine"))
    with qtbot.waitSignal(dialog.made) as made:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert made.args == [tmp_path / "mine.yaml"]
    spec = read_search(tmp_path / "mine.yaml")
    assert spec.groups == {"group": ("3", "6", "14", "15", "67", "84"), "others": None}
    share, growth, _ = spec.goals
    assert (share.target, share.at_most, share.days, growth.at_most) == (0.25, 3, 7, 1.2)
    assert spec.test == ("1997-06", "1997-07")


def test_a_search_on_a_generated_trace_which_has_no_dates(
    qtbot: QtBot, dialog: NewSearchDialog, answers: Answers, empty_window: ConsoleWindow, tmp_path: Path
) -> None:
    own = tmp_path / "own.swf"
    own.write_text(undated_text())
    answers.to_open = own
    dialog.browse_trace()
    qtbot.waitUntil(lambda: dialog.train.text().startswith("days"))
    assert dialog.train.text() == wording("batch.days-to", edge="1", edge_2="30")
    assert dialog.test.text() == wording("batch.days-to", edge="31", edge_2="60")
    dialog.users.setText("1")
    dialog.budget.setValue(10)
    dialog.file.setText(str(tmp_path / "mine.yaml"))
    with qtbot.waitSignal(dialog.made):
        dialog.buttons.verb.click()
    controller = opened(qtbot, empty_window, tmp_path / "mine.yaml")
    assert empty_window.table.trigger("search.run")
    qtbot.waitUntil(lambda: controller.has_result)
    assert controller.search is not None
    assert controller.search.result is not None
    assert controller.search.result.points[0].held_out is not None


def test_what_is_wrong_keeps_the_dialog_open(dialog: NewSearchDialog, tmp_path: Path) -> None:
    dialog.file.setText(str(tmp_path / "mine.yaml"))
    dialog.users.setText("3 4711")
    dialog.buttons.verb.click()
    assert says(dialog.problem, "batch.search.trace-has-no-user", unknown="", unknown_2="'4711'")
    dialog.users.setText("3")
    dialog.windows.setText("2h 1d 2d")
    dialog.buttons.verb.click()
    assert dialog.problem == wording("app.study.write-from-and-to-example", name="Window")
    assert not (tmp_path / "mine.yaml").exists()
