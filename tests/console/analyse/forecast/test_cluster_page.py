"""A cluster: captures and the live one, names, rivals, loads, new shares; by keys and clicks."""

from __future__ import annotations

import math
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.app.forecast.cluster import read_capture
from fsconsole.app.forecast.question import Answer, Own, Question, answer
from fsconsole.console.analyse.forecast import cluster_page as module
from fsconsole.console.analyse.forecast.cluster_page import READING, ClusterPage
from fsconsole.console.analyse.forecast.page import ANSWER
from fsconsole.console.analyse.forecast.panel import CLUSTER, ForecastPanel
from fsconsole.console.cluster.document import ClusterDocument
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import ThemeMode, colour, theme
from fsconsole.console.widgets.dock_states import ErrorStrip
from fsconsole.figures.style.palette import contrast
from fsconsole.shares.edits import SetShares
from fsconsole.slurm.solver import Means
from fsconsole.targets.slurm.location import capture_place, example_capture
from fsconsole.targets.slurm.target import SlurmTarget
from tests.console.analyse.forecast.conftest import CAPTURES
from tests.console.cluster.play import PlayTarget, cluster_state
from tests.console.conftest import Answers
from tests.slurm.captured import OLD_EXAMPLE
from tests.texts import says, wording

_Key = Qt.Key


def type_into(field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)


def names(page: ClusterPage) -> list[str]:
    """Curves of fairshare."""
    return [curve.name for curve in page.plots.figures[1].curves] if page.plots.figures else []


@pytest.fixture
def finn(qtbot: QtBot, page: ClusterPage) -> ClusterPage:
    """The forecast of a user."""
    type_into(page.form.node, "fs_finn")
    qtbot.waitUntil(lambda: names(page) == ["fs_finn"])
    return page


def test_without_a_capture_it_says_what_it_needs(
    qtbot: QtBot, panel: ForecastPanel, answers: Answers
) -> None:
    panel.mode.choose(CLUSTER)
    button = next(
        one for one in panel.cluster.plots.findChildren(QPushButton) if one.text() == "Open capture…"
    )
    qtbot.waitUntil(button.isVisible)
    answers.to_open = CAPTURES / "running.psv"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.cluster.form.source.text() == "running.psv, 23 associations")
    assert answers.asked == [wording("console.analyse.forecast.open-sshare-output")]
    assert panel.words == wording("console.analyse.forecast.cluster-classic-fairshare")


def test_a_user_is_found_by_a_part_of_his_name_and_the_keyboard(qtbot: QtBot, page: ClusterPage) -> None:
    field = page.form.node
    type_into(field, "ben")
    # A part of a name is not wrong.
    assert not field.fault.text()
    popup = field.completer().popup()
    assert popup is not None
    qtbot.waitUntil(popup.isVisible)
    QTest.keyClick(popup, _Key.Key_Down)
    QTest.keyClick(popup, _Key.Key_Return)
    assert field.text() == "hep/fs_ben"
    qtbot.waitUntil(lambda: names(page) == ["fs_ben"])


def test_down_in_the_empty_field_offers_all(qtbot: QtBot, page: ClusterPage) -> None:
    page.form.node.setFocus()
    QTest.keyClick(page.form.node, _Key.Key_Down)
    popup = page.form.node.completer().popup()
    assert popup is not None
    qtbot.waitUntil(popup.isVisible)
    assert popup.model().rowCount() == 22
    popup.hide()


def test_a_user_who_is_not_there_is_reported_and_the_last_forecast_is_muted(finn: ClusterPage) -> None:
    type_into(finn.form.node, "nobody")
    assert finn.form.node.property("look") == "error"
    assert says(
        finn.form.node.fault.text(),
        "app.forecast.has-no",
        name="drained.psv",
        what=wording("app.forecast.account-or-user"),
        text="'nobody'",
    )
    assert names(finn) == ["fs_finn"]
    assert finn.plots.is_stale
    titles = [one.text() for one in finn.plots.findChildren(QLabel) if one.isVisible()]
    assert says(titles, "console.analyse.forecast.out-of-date", words="Fairshare F")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_curves_that_are_out_of_date_stand_out_from_their_ground(finn: ClusterPage, mode: ThemeMode) -> None:
    theme().set_mode(mode)
    before = finn.plots.fairshare.grab().toImage().pixelColor(2, 2)
    type_into(finn.form.node, "nobody")
    for plot in (finn.plots.usage, finn.plots.fairshare):
        image = plot.grab().toImage()
        ground = image.pixelColor(2, 2)
        assert ground != before
        shown = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        for curve in plot.spec.curves:
            ink = colour(curve.colour).name()
            assert ink in shown
            assert contrast(ink, ground.name()) >= 3


def test_rivals_are_added_by_enter_and_removed_by_del(qtbot: QtBot, finn: ClusterPage) -> None:
    rivals = finn.form.rivals
    for name in ("hep/fs_ben", "fs_gina", "hep/fs_ben"):
        type_into(rivals.field, name)
        QTest.keyClick(rivals.field, _Key.Key_Return)
    assert rivals.names == ["hep/fs_ben", "fs_gina"]
    assert rivals.field.text() == ""
    qtbot.waitUntil(lambda: names(finn) == ["fs_finn", "fs_ben", "fs_gina"])
    assert "fs_ben" in finn.form.words.text()
    rivals.list.setFocus()
    rivals.list.setCurrentRow(0)
    QTest.keyClick(rivals.list, _Key.Key_Delete)
    qtbot.waitUntil(lambda: names(finn) == ["fs_finn", "fs_gina"])


def test_jobs_loads_and_the_wish_make_the_question(qtbot: QtBot, finn: ClusterPage) -> None:
    form = finn.form
    form.jobs.model.add_job()
    form.others.setCurrentIndex(2)
    assert form.cores.isVisibleTo(form)
    type_into(form.cores, "2")
    type_into(form.wished, "0.3")
    type_into(form.half_life, "0.5")
    question = form.question()
    assert question is not None
    expected = answer(question)
    assert expected.reached_s is not None
    qtbot.waitUntil(
        lambda: "Assumes that the others use 2 billing units a second in total." in form.words.text()
    )
    qtbot.waitUntil(lambda: "Reaches 0.3 in" in form.words.text())
    assert (question.others_rate, question.wished, question.decay.half_life_s) == (2.0, 0.3, 43200.0)
    assert finn.plots.figures[1].curves[-1].name == "F 0.3"
    form.others.setCurrentIndex(1)
    assert form.cores.isHidden()
    again = form.question()
    assert again is not None
    assert again.others_rate == 0.0


def test_new_shares_show_all_users_before_and_after(qtbot: QtBot, finn: ClusterPage) -> None:
    shares = finn.form.changes
    QAbstractItemModelTester(shares.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    finn.form.bar.setCurrentIndex(2)
    type_into(shares.name, "hep")
    assert shares.now.text() == "now 3"
    type_into(shares.value, "80x")
    fault = wording("app.forecast.is-not-number-of-shares", text="'80x'")
    assert shares.value.fault.text().split(": ") == ["New value", f"{fault}."]
    assert finn.form.question() is None
    type_into(shares.value, "80")
    qtbot.waitUntil(lambda: shares.model.rowCount() == 15)
    assert says(shares.words.text(), "app.forecast.of-users", users="15")
    assert shares.view.isEnabled()
    shares.view.setFocus()
    shares.view.selectRow(0)
    QTest.keyClick(shares.view, _Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    titles, cells = (row.split("\t") for row in QGuiApplication.clipboard().text().splitlines())
    assert len(titles) == len(cells)
    assert cells[0] == shares.model.index(0, 0).data()
    assert float(cells[3]) == pytest.approx(float(cells[2]) - float(cells[1]))
    shares.name.clear()
    qtbot.waitUntil(lambda: shares.model.rowCount() == 0)


def test_new_shares_alone_need_no_user(qtbot: QtBot, page: ClusterPage) -> None:
    type_into(page.form.changes.name, "hep/fs_ben")
    type_into(page.form.changes.value, "parent")
    qtbot.waitUntil(lambda: page.form.changes.model.rowCount() == 15)
    assert page.plots.figures == ()


def test_a_damaged_capture_is_reported_and_what_was_there_stays(
    qtbot: QtBot, finn: ClusterPage, answers: Answers, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.psv"
    bad.write_text((CAPTURES / "drained.psv").read_text().replace("|30|", "|many|"))
    finn.open_capture(bad)
    qtbot.waitUntil(finn.body._error.isVisible)
    assert finn.body._error.text.split()[:2] == ["bad.psv,", "line"]
    assert "'many'" in finn.body._error.text
    details = finn.body._error.findChild(QPushButton, "Details")
    assert details is not None
    QTest.mouseClick(details, Qt.MouseButton.LeftButton)
    assert answers.reported[0][0] == wording("console.analyse.forecast.cannot-use", value="bad.psv")
    assert names(finn) == ["fs_finn"]
    finn.open_capture(tmp_path / "gone.psv")
    qtbot.waitUntil(lambda: "gone.psv" in finn.body._error.text)


def test_a_newer_question_takes_the_place_of_one_that_is_worked_out(
    qtbot: QtBot, finn: ClusterPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def slow(question: Question, is_cancelled: Callable[[], bool]) -> Answer:
        threads.append(threading.current_thread())
        if len(threads) == 1:
            begun.set()
            assert go.wait(60)
        return answer(question, is_cancelled)

    monkeypatch.setattr(module, "answer", slow)
    type_into(finn.form.wished, "0.4")
    qtbot.waitUntil(begun.is_set)
    qtbot.waitUntil(lambda: finn.plots.is_stale)
    # What was there stays, muted.
    assert names(finn) == ["fs_finn"]
    type_into(finn.form.wished, "0.5")
    qtbot.waitUntil(lambda: names(finn) == ["fs_finn", "F 0.5"])
    assert not finn.plots.is_stale
    assert not finn.tasks.is_busy(ANSWER)
    go.set()
    threads[0].join()  # it has handed its answer over
    QCoreApplication.processEvents()
    # The older answer is not heard any more.
    assert names(finn) == ["fs_finn", "F 0.5"]


def test_all_that_was_typed_is_there_again(
    qtbot: QtBot, finn: ClusterPage, session_of_own: ConsoleSession, answers: Answers
) -> None:
    finn.form.rivals.show_names(["hep/fs_ben"])
    type_into(finn.form.half_life, "3")
    again = ClusterPage(session_of_own, answers)
    qtbot.addWidget(again)
    qtbot.waitUntil(lambda: names(again) == ["fs_finn", "fs_ben"])
    assert again.form.half_life.text() == "3"
    assert again.form.source.text().startswith("drained.psv")
    again.end()


def test_the_live_cluster_is_forecast_from_and_followed(
    qtbot: QtBot, panel: ForecastPanel, session_of_own: ConsoleSession, answers: Answers
) -> None:
    target = PlayTarget(cluster_state())
    live = ClusterSession(target, session_of_own.preferences)
    session_of_own.open(None, live)
    panel.suit()
    # It opens at what is open.
    assert panel.mode.value == CLUSTER
    page = panel.cluster
    qtbot.waitUntil(lambda: page.form.cluster is not None)
    cluster = page.form.cluster
    assert cluster is not None
    settings = target.now.settings
    assert settings is not None
    assert page.form.half_life.read() * 86400 == pytest.approx(settings.half_life_s)
    assert page.form.period.read() * 60 == pytest.approx(settings.calc_period_s)
    type_into(page.form.node, "fs_finn")
    qtbot.waitUntil(lambda: names(page) == ["fs_finn"])
    first = page.plots.figures[0].curves[0].y[0]
    standing = target.now.standing
    assert standing is not None
    target.publish(standing=replace(standing, raw_usage=standing.raw_usage * 2))
    live.look()
    qtbot.waitUntil(lambda: page.plots.figures[0].curves[0].y[0] == 2 * first)
    page.open_capture(CAPTURES / "drained.psv")
    qtbot.waitUntil(lambda: page.form.source.text().startswith("drained.psv"))
    target.publish(standing=replace(standing, raw_usage=standing.raw_usage * 3))
    live.look()
    # A capture stays what it is.
    assert not page.tasks.is_busy(READING)
    QTest.mouseClick(page.form.live, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.form.cluster is not None and page.form.cluster.name == target.now.name)
    session_of_own.open(None)
    assert page.form.live.isHidden()


def test_the_live_cluster_is_followed_while_somebody_looks(
    qtbot: QtBot, panel: ForecastPanel, session_of_own: ConsoleSession
) -> None:
    target = PlayTarget(cluster_state())
    live = ClusterSession(target, session_of_own.preferences)
    session_of_own.open(None, live)
    panel.mode.choose(CLUSTER)
    page = panel.cluster
    qtbot.waitUntil(lambda: page.form.cluster is not None and not page.tasks.is_busy(READING))
    panel.hide()
    standing = target.now.standing
    assert standing is not None
    target.publish(standing=replace(standing, raw_usage=standing.raw_usage * 2))
    live.look()
    assert not page.tasks.is_busy(READING)
    read = page.form.cluster
    panel.show()
    qtbot.waitUntil(lambda: page.form.cluster is not read)
    session_of_own.open(None)


def test_nothing_is_forecast_by_a_rule_that_nobody_knows(
    qtbot: QtBot, panel: ForecastPanel, session_of_own: ConsoleSession
) -> None:
    state = cluster_state()
    assert state.settings is not None
    settings = replace(state.settings, flags=frozenset({"DEPTH_OBLIVIOUS"}))
    live = ClusterSession(PlayTarget(replace(state, settings=settings)), session_of_own.preferences)
    session_of_own.open(None, live)
    panel.mode.choose(CLUSTER)
    page = panel.cluster
    (error,) = page.body.findChildren(ErrorStrip)
    qtbot.waitUntil(lambda: "cannot forecast: the cluster uses depth-oblivious" in error.text)
    assert page.form.cluster is None


def test_rivals_whom_another_capture_does_not_have_are_named(qtbot: QtBot, finn: ClusterPage) -> None:
    finn.form.rivals.show_names(["hep/fs_ben", "hep/fs_zoe"])
    finn.open_capture(CAPTURES / "running.psv")
    qtbot.waitUntil(lambda: finn.form.source.text().startswith("running.psv"))
    assert finn.form.rivals.field.fault.text() == wording(
        "console.analyse.forecast.not-in-this-cluster", missing="hep/fs_zoe"
    )
    qtbot.waitUntil(lambda: names(finn) == ["fs_finn", "fs_ben"])


def test_a_forecast_that_is_cancelled_can_be_asked_again(
    qtbot: QtBot, finn: ClusterPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def slow(question: Question, is_cancelled: Callable[[], bool]) -> Answer:
        assert go.wait(60)
        return answer(question, is_cancelled)

    monkeypatch.setattr(module, "answer", slow)
    type_into(finn.form.wished, "0.4")
    finn._cancel()
    assert finn.body._error.text == wording("console.analyse.forecast.forecast-was-cancelled")
    go.set()
    retry = finn.body._error.findChild(QPushButton, "Retry")
    assert retry is not None
    QTest.mouseClick(retry, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: names(finn) == ["fs_finn", "F 0.4"])
    assert finn.body._error.isHidden()


def _live(session: ConsoleSession) -> ClusterDocument:
    """A live cluster whose tree is open in Design."""
    target = PlayTarget(cluster_state())
    live = ClusterSession(target, session.preferences)
    document = ClusterDocument(live.name, live.state.tree)
    session.open(document, live)
    return document


@pytest.fixture
def live_page(
    qtbot: QtBot, panel: ForecastPanel, session_of_own: ConsoleSession
) -> Iterator[tuple[ClusterPage, ClusterDocument]]:
    """The forecast of a cluster that is open."""
    document = _live(session_of_own)
    panel.mode.choose(CLUSTER)
    qtbot.waitUntil(lambda: panel.cluster.form.cluster is not None)
    yield panel.cluster, document
    session_of_own.open(None)


def _shares(page: ClusterPage, document: ClusterDocument, name: str) -> int:
    cluster = page.form.cluster
    assert cluster is not None
    return document.tree.node(cluster.known.nodes[cluster.row(name)]).shares


def test_an_account_is_forecast_as_going_on_with_the_spread_of_its_users(
    qtbot: QtBot, page: ClusterPage
) -> None:
    type_into(page.form.node, "hep")
    qtbot.waitUntil(lambda: names(page) == ["hep"])
    assert page.form.own.read() == Own.SAME_USAGE
    band = page.plots.figures[1].curves[0].band
    assert band
    low, high = band
    assert (low <= page.plots.figures[1].curves[0].y).all()
    assert (high >= low).all()
    assert says(page.form.words.text(), "app.forecast.its-users-then-have-to")
    assert says(page.form.words.text(), "app.forecast.assumes-that-continues-to-use", name="hep")
    type_into(page.form.node, "hep/fs_ben")
    qtbot.waitUntil(lambda: names(page) == ["fs_ben"])
    assert page.form.own.read() == Own.NOTHING


def test_several_changes_are_listed_drawn_over_the_unchanged_and_removed(
    qtbot: QtBot, finn: ClusterPage
) -> None:
    changes = finn.form.changes
    QAbstractItemModelTester(changes.listed, QAbstractItemModelTester.FailureReportingMode.Fatal)
    type_into(changes.name, "genomics")
    type_into(changes.value, "9")
    QTest.keyClick(changes.value, _Key.Key_Return)
    assert (changes.name.text(), changes.value.text()) == ("", "")
    changes.kind.setCurrentIndex(1)
    type_into(changes.name, "hep/fs_ben")
    type_into(changes.value, "8")
    QTest.mouseClick(changes.add, Qt.MouseButton.LeftButton)
    changes.kind.setCurrentIndex(4)
    type_into(changes.value, "0")
    most = "65\N{NARROW NO-BREAK SPACE}535"
    fault = wording(
        "app.forecast.is-not-number-example",
        strip="0",
        least=wording("app.forecast.above-and-at-most", low="0"),
        high=most,
        example="2",
    )
    assert changes.value.fault.text().partition(": ")[::2] == ("New value", f"{fault}.")
    assert finn.form.question() is None
    type_into(changes.value, "2")
    QTest.keyClick(changes.value, _Key.Key_Return)
    texts = [[changes.listed.index(row, column).data() for column in range(3)] for row in range(3)]
    assert texts == [
        [wording("console.analyse.forecast.shares-of-2", node="genomics"), "2", "9"],
        [wording("app.forecast.work-of", names="hep/fs_ben"), "", "8 billing units"],
        ["Dampening factor", "", "2"],
    ]
    qtbot.waitUntil(lambda: names(finn) == ["fs_finn", "fs_finn, unchanged"])
    assert says(
        finn.form.words.text(),
        "app.forecast.assumes-that-usage-of-others",
        rest=wording("app.forecast.except-by-changes"),
    )
    before, after = finn.plots.figures[1].curves[1], finn.plots.figures[1].curves[0]
    np.testing.assert_array_equal(before.x, after.x)
    assert after.y[0] > before.y[0]
    finn.form.bar.setCurrentIndex(2)
    changes.list.setFocus()
    changes.list.selectAll()
    QTest.keyClick(changes.list, _Key.Key_Delete)
    assert changes.list.isHidden()
    qtbot.waitUntil(lambda: names(finn) == ["fs_finn"])


def test_work_that_a_change_gives_the_node_is_reported(qtbot: QtBot, finn: ClusterPage) -> None:
    changes = finn.form.changes
    changes.kind.setCurrentIndex(1)
    type_into(changes.name, "fs_finn")
    type_into(changes.value, "2")
    QTest.keyClick(changes.value, _Key.Key_Return)
    qtbot.waitUntil(
        lambda: "uses nothing, and 2 billing units a second with the changes." in finn.form.words.text()
    )


def marked(page: ClusterPage) -> list[str]:
    """Titles of the tabs with a wrong entry behind them."""
    bar = page.form.bar
    return [bar.tabText(place) for place in range(bar.count()) if not bar.tabIcon(place).isNull()]


def test_a_goal_out_of_reach_says_how_far_each_change_goes_and_offers_none(
    qtbot: QtBot, live_page: tuple[ClusterPage, ClusterDocument]
) -> None:
    page, _ = live_page
    goal = page.form.goal
    type_into(page.form.node, "fs_finn")
    type_into(goal.value, "0.99999")
    type_into(goal.when, "in 1 min")
    qtbot.waitUntil(lambda: any(not row.way.is_enough for row in goal.model.rows))
    assert (
        goal.stage.toolTip()
        == goal.try_it.toolTip()
        == wording("console.analyse.forecast.select-change-first")
    )
    place = next(at for at, row in enumerate(goal.model.rows) if not row.way.is_enough)
    goal.view.selectRow(place)
    for button in (goal.try_it, goal.stage, goal.copy):
        assert not button.isEnabled()
        assert button.toolTip() == wording("console.analyse.forecast.this-change-does-not-reach")
    assert "not enough" in goal.chosen.text()


def test_a_goal_without_an_answer_says_that_ways_follow_and_does_not_ask_for_what_is_there(
    qtbot: QtBot, live_page: tuple[ClusterPage, ClusterDocument], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, _ = live_page
    goal = page.form.goal

    def fails(*_: object) -> Answer:
        msg = "no memory left"
        raise ValueError(msg)

    type_into(page.form.node, "fs_finn")
    qtbot.waitUntil(lambda: names(page) == ["fs_finn"])
    assert says(goal.words.text(), "console.analyse.forecast.choose-user-or-account-value")
    monkeypatch.setattr(module, "answer", fails)
    type_into(goal.value, "0.5")
    type_into(goal.when, "in 1 min")
    (error,) = page.body.findChildren(ErrorStrip)
    qtbot.waitUntil(lambda: "no memory left" in error.text)
    assert goal.words.text() == wording("console.analyse.forecast.ways-to-reach-goal-appear")


def test_what_must_change_is_solved_tried_and_staged_in_design(
    qtbot: QtBot, live_page: tuple[ClusterPage, ClusterDocument]
) -> None:
    page, document = live_page
    goal = page.form.goal
    type_into(page.form.node, "fs_finn")
    qtbot.waitUntil(lambda: names(page) == ["fs_finn"])
    unchanged = page.plots.figures[1].curves[0].y[0]
    wished = f"{min(unchanged + 0.02, 0.99):.2f}"
    type_into(goal.value, wished)
    type_into(goal.when, "yesterday")
    assert says(goal.when.fault.text(), "app.forecast.is-not-time-write-day")
    assert marked(page) == ["Goal"]
    type_into(goal.when, "in 1 min")
    assert marked(page) == []
    qtbot.waitUntil(lambda: goal.model.rowCount() > 0)
    assert "without changes" in goal.words.text()
    rows = goal.model.rows
    place = next(at for at, row in enumerate(rows) if row.way.means is Means.SHARES and row.way.is_enough)
    way = rows[place].way
    goal.view.selectRow(place)
    QTest.mouseClick(goal.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().endswith(f"set fairshare={way.value}")
    QTest.mouseClick(goal.stage, Qt.MouseButton.LeftButton)
    cluster = page.form.cluster
    assert cluster is not None
    name = cluster.names[way.row]
    assert _shares(page, document, name) == way.value
    assert document.undo_words
    QTest.mouseClick(goal.try_it, Qt.MouseButton.LeftButton)
    assert page.form.bar.currentIndex() == 2
    assert page.form.changes.changes.shares == way.changes.shares
    qtbot.waitUntil(
        lambda: names(page)[:2] == ["fs_finn", f"F {wished}"] or "fs_finn, unchanged" in names(page)
    )
    qtbot.waitUntil(lambda: f"{float(wished):g} is reached" in goal.words.text())
    document.stack.undo()
    assert _shares(page, document, name) == way.now


@pytest.fixture
def captured(
    qtbot: QtBot, panel: ForecastPanel, session_of_own: ConsoleSession
) -> Iterator[tuple[ClusterPage, ClusterDocument]]:
    """User ben of the example capture, which is open in Design too, with the goal of half by Monday."""
    target = SlurmTarget(capture_place(OLD_EXAMPLE))
    live = ClusterSession(target, session_of_own.preferences)
    qtbot.waitUntil(lambda: all(part.as_of_s is not None for part in live.state.parts.values()))
    document = ClusterDocument(live.name, live.state.tree)
    session_of_own.open(document, live)
    panel.mode.choose(CLUSTER)
    page = panel.cluster
    qtbot.waitUntil(lambda: page.form.cluster is not None)
    type_into(page.form.node, "ocean/ben")
    page.form.own.fill(Own.NOTHING)
    type_into(page.form.goal.value, "0.5")
    type_into(page.form.goal.when, "Monday")
    qtbot.waitUntil(lambda: page.form.goal.model.rowCount() > 0)
    yield page, document
    session_of_own.open(None)
    live.close(wait=True)


def test_a_way_is_staged_with_the_changes_on_which_it_rests_and_reaches_the_goal(
    qtbot: QtBot,
    captured: tuple[ClusterPage, ClusterDocument],
    session_of_own: ConsoleSession,
) -> None:
    page, document = captured
    changes, goal = page.form.changes, page.form.goal
    assert goal.words.text().startswith("F of ocean/ben is 0.332 by")
    assert "without changes" in goal.words.text()
    for name, shares in (("ocean", "60"), ("medicine", "20")):
        type_into(changes.name, name)
        type_into(changes.value, shares)
        QTest.keyClick(changes.value, _Key.Key_Return)
    qtbot.waitUntil(lambda: goal.words.text().startswith("F of ocean/ben is 0.450 by"))
    assert (
        wording("app.forecast.with-changes-above") + ". " + wording("app.forecast.each-way-below-added-to")
        in goal.words.text()
    )
    goal.view.selectRow(0)
    assert goal.model.rows[0].step == "50 \N{RIGHTWARDS ARROW} 77"
    assert says(goal.chosen.text(), "console.analyse.forecast.it-needs-changes-above-they")
    messages: list[str] = []
    session_of_own.message.connect(messages.append)
    QTest.mouseClick(goal.stage, Qt.MouseButton.LeftButton)
    assert messages[0] == (
        "Staged 3 edits in Design. Apply or undo them there. They include the changes above, because the "
        "goal needs them."
    )
    staged = {name: _shares(page, document, name) for name in ("ocean", "medicine", "science")}
    assert staged == {"ocean": 60, "medicine": 20, "science": 77}
    QTest.mouseClick(goal.copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text().splitlines()
    assert [line.rpartition("=")[2] for line in copied] == ["60", "20", "77"]
    changes.list.selectAll()
    QTest.mouseClick(changes.remove, Qt.MouseButton.LeftButton)
    QTest.mouseClick(changes.take, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: goal.words.text().startswith("F of ocean/ben is 0.501 by"))
    assert "with the changes above: 0.5 is reached" in goal.words.text()
    changes.kind.setCurrentIndex(1)
    type_into(changes.name, "medicine")
    type_into(changes.value, "0")
    qtbot.waitUntil(lambda: not goal.words.text().startswith("F of ocean/ben is 0.501 by"))
    goal.view.selectRow(next(at for at, row in enumerate(goal.model.rows) if row.what == "Shares of science"))
    document.stack.undo()
    QTest.mouseClick(goal.stage, Qt.MouseButton.LeftButton)
    assert messages[1].endswith(
        "Design cannot stage work, usage, half-life or dampening. The goal needs the other changes too."
    )


def test_a_wrong_change_is_named_on_the_page_of_the_goal(
    qtbot: QtBot, captured: tuple[ClusterPage, ClusterDocument]
) -> None:
    page, _ = captured
    changes, goal = page.form.changes, page.form.goal
    type_into(changes.name, "ocean")
    type_into(changes.value, "60x")
    assert goal.words.text() == (
        wording("console.analyse.forecast.wrong-entry-in-tab-correct", titles="Changes")
    )
    assert goal.model.rowCount() == 0
    type_into(page.form.half_life, "x")
    assert says(
        goal.words.text(),
        "console.analyse.forecast.wrong-entry-in-tab-correct",
        titles="Changes, Source",
    )
    type_into(page.form.half_life, "1 h")
    type_into(changes.value, "60")
    qtbot.waitUntil(lambda: "with the changes above" in goal.words.text())
    assert goal.model.rowCount() > 0


def test_staged_edits_of_design_are_taken_as_changes(
    qtbot: QtBot, live_page: tuple[ClusterPage, ClusterDocument]
) -> None:
    page, document = live_page
    changes, cluster = page.form.changes, page.form.cluster
    assert cluster is not None
    QTest.mouseClick(changes.take, Qt.MouseButton.LeftButton)
    assert changes.fault.text() == wording("console.analyse.forecast.stage-new-shares-in-design-2")
    hep = cluster.row("hep")
    document.edit("Set shares", [SetShares.of(cluster.known.nodes[hep], 77)])
    QTest.mouseClick(changes.take, Qt.MouseButton.LeftButton)
    assert [(one.row, one.shares) for one in changes.changes.shares] == [(hep, 77)]
    assert changes.fault.text() == ""
    qtbot.waitUntil(lambda: changes.model.rowCount() > 0)
    document.stack.undo()
    assert _shares(page, document, "hep") != 77
    QTest.mouseClick(changes.stage, Qt.MouseButton.LeftButton)
    assert _shares(page, document, "hep") == 77


def test_nothing_is_staged_in_the_tree_of_another_document(
    live_page: tuple[ClusterPage, ClusterDocument], session_of_own: ConsoleSession
) -> None:
    page, document = live_page
    changes = page.form.changes
    cluster = page.form.cluster
    assert cluster is not None
    document.edit("Set shares", [SetShares.of(cluster.known.nodes[cluster.row("hep")], 77)])
    QTest.mouseClick(changes.take, Qt.MouseButton.LeftButton)
    assert changes.stage.isEnabled()
    other = _live(session_of_own)
    assert other is not document
    assert not changes.stage.isEnabled()
    assert not changes.take.isEnabled()


def test_edits_of_a_capture_file_cannot_be_staged(qtbot: QtBot, finn: ClusterPage) -> None:
    type_into(finn.form.goal.value, "0.5")
    type_into(finn.form.goal.when, "2 d")
    qtbot.waitUntil(lambda: finn.form.goal.model.rowCount() > 0)
    finn.form.goal.view.selectRow(0)
    assert not finn.form.goal.stage.isEnabled()
    assert says(finn.form.goal.stage.toolTip(), "console.analyse.forecast.design-shows-another-tree-connect")
    assert not finn.form.changes.take.isEnabled()
    assert finn.form.goal.try_it.isEnabled()


def test_a_capture_folder_gives_the_rule_and_priorities_of_new_jobs(
    qtbot: QtBot, panel: ForecastPanel, answers: Answers
) -> None:
    panel.mode.choose(CLUSTER)
    answers.to_open = CAPTURES.parents[1] / "data" / "slurm" / "limits" / "capture.json"
    page = panel.cluster
    page.ask_capture()
    qtbot.waitUntil(lambda: page.form.cluster is not None)
    assert page.form.half_life.text() == "1 h"
    type_into(page.form.node, "ocean/games")
    page.form.shown.setCurrentIndex(2)
    qtbot.waitUntil(lambda: len(page.plots.figures) == 2 and page.plots.figures[1].name.endswith("priority"))
    first = page.plots.figures[1].curves[0].y[0]
    type_into(page.form.job, "qos=high")
    qtbot.waitUntil(lambda: page.plots.figures[1].curves[0].y[0] == pytest.approx(first + 1000))
    type_into(page.form.job, "qos=low")
    assert says(page.form.job.fault.text(), "slurm.no-qos-choose-one-of")
    type_into(page.form.job, "cpus=4")
    question = page.form.question()
    assert question is not None
    assert question.mix is not None
    assert question.mix.title == wording("slurm.new-job-of-in", cpus="4 CPUs", name="batch")


def test_a_planned_job_takes_the_resources_that_the_command_line_takes_at_their_price(
    qtbot: QtBot, panel: ForecastPanel, session_of_own: ConsoleSession
) -> None:
    panel.mode.choose(CLUSTER)
    page = panel.cluster
    page.open_capture(example_capture())
    qtbot.waitUntil(lambda: page.form.cluster is not None)
    form, table = page.form, page.form.jobs
    type_into(form.node, "science/finn")
    assert form.own.read() == Own.TO_LIMITS

    form.bar.setCurrentIndex(1)
    table.add_job()
    editor = table.view.findChild(QLineEdit)
    assert editor is not None
    type_into(editor, "cpus=8,partition=gone")
    assert says(table.fault.text(), "slurm.no-partition-choose-one-of")
    type_into(editor, "cpus=8,partition=dedicated,qos=normal")
    assert table.fault.text() == ""
    QTest.keyClick(editor, _Key.Key_Return)
    charge = wording(
        "app.forecast.planned-job-of-is-charged",
        requests="cpus=8,partition=dedicated,qos=normal",
        cores="16 billing units a second",
    )
    qtbot.waitUntil(lambda: charge in form.words.text())
    assert "16 billing units" in page.plots.bars.accessibleDescription()
    assert form.price_fault.text() == ""
    assert form.to_json()["own"] == ""  # as usual: another node or cluster takes its own
    page.open_capture(CAPTURES / "drained.psv")
    qtbot.waitUntil(lambda: form.price_fault.text() != "")
    assert says(form.price_fault.text(), "app.forecast.has-no-priority-weights-capture", of="billing")
    assert form.question() is None


def test_the_page_takes_no_half_life_from_a_cluster_and_names_the_next_reset_of_usage(
    qtbot: QtBot, page: ClusterPage, tmp_path: Path
) -> None:
    folder = shutil.copytree(example_capture(), tmp_path / "reset")
    text = (folder / "settings.txt").read_text().replace("= NONE", "= MONTHLY")
    text = text.replace("PriorityDecayHalfLife   = 01:00:00", "PriorityDecayHalfLife   = 00:00:00")
    (folder / "settings.txt").write_text(text)
    page.form.show_cluster(read_capture(folder), "reset")
    type_into(page.form.node, "imaging/gina")
    qtbot.waitUntil(lambda: names(page) == ["gina"])
    assert page.form.is_right
    question = page.form.question()
    assert question is not None
    assert question.decay.half_life_s == math.inf
    key = "slurm.priorityusageresetperiod-slurm-sets-all-usage"
    assert says(page.form.words.text(), key, period="MONTHLY")
