from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.app.nights.replan import with_window
from fsconsole.app.nights.times import read_length
from fsconsole.console.actions import ActionTable
from fsconsole.console.arming import READ_ONLY
from fsconsole.console.document import Document
from fsconsole.console.kit.docks import focus_next_dock
from fsconsole.console.operate import alert_bars
from fsconsole.console.operate.controls import LengthSpin
from fsconsole.console.operate.job_card import Figure
from fsconsole.console.operate.nights.dock_words import window_words
from fsconsole.console.operate.nights.job_card import EfficiencyBar, EfficiencyHistory
from fsconsole.console.operate.nights.queue_table import ChipRole
from fsconsole.console.operate.nights.state_chart import StateChart
from fsconsole.console.operate.nights.workspace import NightsWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.window import ConsoleWindow
from fsconsole.neardedicated.view import Efficiency, NightView
from fsconsole.recording.journal import Outcome
from fsconsole.resources import examples
from fsconsole.shares.scenario.actions import (
    Acknowledge,
    ExtendJob,
    HoldJob,
    KillJob,
    MoveJob,
    MoveWindow,
    OrderQueue,
    ReleaseJob,
)
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.text.numbers import NARROW_SPACE
from tests.console.assistive import description_of, is_reached, unspoken
from tests.console.conftest import Answers
from tests.console.operate import nights
from tests.console.operate.conftest import Sent
from tests.console.test_glossary import PLAIN, TERMS, term
from tests.console.test_text_twins import cells, shown_table
from tests.console.words_in_sight import settle
from tests.texts import says, span, wording

_FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal
_ALT = Qt.KeyboardModifier.AltModifier


def on_end(operate: NightsWorkspace) -> QPoint:
    """The middle of the end mark."""
    layout = operate.timeline.shown_layout
    assert layout is not None
    assert layout.end_x is not None
    return QPoint(round(layout.end_x), operate.timeline.height() // 2)


def at_time(operate: NightsWorkspace, time_s: float) -> QPoint:
    layout = operate.timeline.shown_layout
    assert layout is not None
    return QPoint(round(layout.axis.x(time_s)), operate.timeline.height() // 2)


# -- the time line ----------------------------------------------------------------------------------------


def test_the_end_mark_is_dragged_and_lanes_follow_before_release(armed: NightsWorkspace, sent: Sent) -> None:
    line, wanted = armed.timeline, nights.WATCHDOG + 3 * nights.H
    to = at_time(armed, wanted)
    QTest.mousePress(line, Qt.MouseButton.LeftButton, pos=on_end(armed))
    QTest.mouseMove(line, to)
    assert line.wanted_s == wanted
    assert line.night is not None
    assert [bar.request for bar in line.night.plan_by_estimate] == [41881]
    assert sent.actions == []
    QTest.mouseRelease(line, Qt.MouseButton.LeftButton, pos=to)
    assert sent.last == MoveWindow(end_s=wanted)
    assert line.wanted_s is None


def test_esc_puts_a_dragged_mark_back(armed: NightsWorkspace, sent: Sent) -> None:
    line, to = armed.timeline, at_time(armed, nights.WATCHDOG)
    QTest.mousePress(line, Qt.MouseButton.LeftButton, pos=on_end(armed))
    QTest.mouseMove(line, to)
    QTest.keyClick(line, Qt.Key.Key_Escape)
    QTest.mouseRelease(line, Qt.MouseButton.LeftButton, pos=to)
    assert line.wanted_s is None
    assert line.night is armed.controller.night
    assert sent.actions == []


def test_arrows_move_the_mark_by_five_minutes_and_enter_does_it(armed: NightsWorkspace, sent: Sent) -> None:
    line = armed.timeline
    line.setFocus()
    for _ in range(3):
        QTest.keyClick(line, Qt.Key.Key_Left)
    assert line.wanted_s == nights.END - 900.0
    QTest.keyClick(line, Qt.Key.Key_Right)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert sent.last == MoveWindow(end_s=nights.END - 600.0)


def test_nothing_moves_while_read_only(operate: NightsWorkspace, sent: Sent) -> None:
    line, to = operate.timeline, at_time(operate, nights.WATCHDOG)
    QTest.mousePress(line, Qt.MouseButton.LeftButton, pos=on_end(operate))
    QTest.mouseMove(line, to)
    QTest.mouseRelease(line, Qt.MouseButton.LeftButton, pos=to)
    QTest.keyClick(line, Qt.Key.Key_Left)
    assert line.wanted_s is None
    assert sent.actions == []


def test_a_window_never_ends_before_now(armed: NightsWorkspace) -> None:
    armed.timeline.propose(0.0)
    assert armed.timeline.wanted_s is not None
    assert armed.timeline.wanted_s > nights.NOW


def test_the_start_moves_before_the_window_is_open(armed: NightsWorkspace, sent: Sent) -> None:
    early = replace(nights.night(), job=None, time_s=0.0)
    armed.controller.show(replace(early, window=replace(early.window, is_open=False)), ())
    line = armed.timeline
    QTest.keyClick(line, Qt.Key.Key_Up)
    assert line.mark == "start"
    QTest.keyClick(line, Qt.Key.Key_Right)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert sent.last == MoveWindow(start_s=nights.START + 300.0)


# -- the job ----------------------------------------------------------------------------------------------


def test_kill_and_extend_wait_until_armed_and_say_why(operate: NightsWorkspace) -> None:
    assert not operate.job.kill.isEnabled()
    assert operate.job.kill.toolTip() == READ_ONLY
    assert READ_ONLY in operate.table.qaction("operate.kill").toolTip()
    operate.controller.arming.arm()
    assert operate.job.kill.isEnabled()
    assert operate.job.extend.isEnabled()
    operate.controller.arming.disarm()
    assert not operate.job.extend.isEnabled()


def test_low_efficiency_is_reported_since_when(operate: NightsWorkspace) -> None:
    low = replace(nights.job(), efficiency=0.81, below_since_s=2400.0)
    operate.controller.show(replace(nights.night(), job=low), ())
    bar = operate.job.findChild(EfficiencyBar)
    assert bar is not None
    assert bar.is_low
    assert bar.accessibleName() == wording(
        "console.operate.nights.required",
        text=wording("text.percent", what="CPU efficiency", text="81.0"),
        required="88",
    )
    assert (
        wording("console.operate.nights.below-since", required_efficiency="88\xa0%") + "23:30"
        in operate.job._share_caption.text()
    )


def test_numbers_of_the_job_are_whole_after_design_in_a_narrow_window(operate: NightsWorkspace) -> None:
    window = operate.window()
    window.resize(1280, 800)
    assert isinstance(window, ConsoleWindow)
    for workspace in ("design", "operate"):
        window.show_workspace(workspace)
        settle(window)
    figures = operate.job.findChildren(Figure)
    assert len(figures) == 9
    for figure in figures:
        assert figure.value.width() >= figure.value.sizeHint().width(), figure.accessibleName()


def test_states_that_are_cut_are_whole_in_the_tooltip(operate: NightsWorkspace) -> None:
    chart = operate.findChild(StateChart)
    assert chart is not None
    night = operate.controller.night
    assert night is not None
    tips = {chart.tip_at(x, y) for x in range(0, chart.width(), 10) for y in range(0, chart.height(), 10)}
    states = {f"{state}: {words}" for state, _, words in cells(chart.text_twin())[1:]}
    assert tips == {"", chart.sentence, *states}
    assert f"{night.phase.value}: {night.phase_text[night.phase]}" in tips


def test_long_words_do_not_widen_the_card(operate: NightsWorkspace) -> None:
    before = operate.job.minimumSizeHint().width()
    waiting = replace(nights.job(), waiting_for="memory and SDS, which the daemon takes from others" * 3)
    operate.controller.show(replace(nights.night(), job=replace(waiting, name="n" * 80)), ())
    assert operate.job.minimumSizeHint().width() == before


def test_without_a_job_the_card_says_so(armed: NightsWorkspace) -> None:
    closed = nights.empty_night()
    armed.controller.show(replace(closed, window=replace(closed.window, is_open=False)), ())
    buttons = [one.text() for one in armed.job_dock.findChildren(QPushButton) if one.isVisible()]
    assert "Start window…" in buttons


LENGTHS = {
    "1:15": 75, "0:05": 5, "2 h": 120, "1 d": 1440, "90 min": 90, "0:45 h": 45, "1 h 30 min": 90,
    "-10 min": -10, "-0:30": -30, "\N{MINUS SIGN}1:00 h": -60, "1.5h": 90, "30m": 30, "300 s": 5,
}  # fmt: skip
NOT_LENGTHS = (
    "", "-", "-10", "45", "9" * 30, "1e3", "nan", "inf h", "2401 h", "99:00:00", "3x", "90 s", "1:75", "0:3",
    "--5 min", "9" * 400 + ":00", "1e999 h", " h", "30 min extra", "\N{ARABIC-INDIC DIGIT FIVE}:00",
)  # fmt: skip


@pytest.fixture
def spin(qtbot: QtBot) -> LengthSpin:
    made = LengthSpin(30, least=-1440)
    qtbot.addWidget(made)
    made.show()
    made.setFocus()
    return made


def type_over(spin: LengthSpin, text: str) -> None:
    spin.selectAll()
    QTest.keyClick(spin, Qt.Key.Key_Delete)
    for letter in text:
        spin.lineEdit().insert(letter)  # QTest has keys for Latin letters alone.


@pytest.mark.parametrize(("typed", "minutes"), LENGTHS.items())
def test_lengths_are_typed(spin: LengthSpin, typed: str, minutes: int) -> None:
    type_over(spin, typed)
    assert (spin.text(), spin.problem, spin.value()) == (typed, "", minutes)
    QTest.keyClick(spin, Qt.Key.Key_Return)
    assert (spin.problem, spin.value(), read_length(spin.text())) == ("", minutes, 60.0 * minutes)


@pytest.mark.parametrize("end", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Left])
@pytest.mark.parametrize("typed", NOT_LENGTHS)
def test_a_text_that_is_not_a_length_stays_and_has_a_problem(
    qtbot: QtBot, spin: LengthSpin, typed: str, end: Qt.Key
) -> None:
    with qtbot.waitSignal(spin.edited):
        type_over(spin, typed)
    QTest.keyClick(spin, end)
    spin.clearFocus()
    assert spin.text() == typed
    assert spin.problem
    assert spin.value() == 30
    with qtbot.waitSignal(spin.edited):
        spin.setFocus()
        type_over(spin, "0:20 h")
    assert (spin.value(), spin.problem) == (20, "")


def test_arrows_bring_the_last_length_back(qtbot: QtBot, spin: LengthSpin) -> None:
    type_over(spin, "-10")
    with qtbot.waitSignal(spin.edited):
        QTest.keyClick(spin, Qt.Key.Key_Up)
    assert spin.problem == ""
    assert read_length(spin.text()) == spin.seconds


@given(st.text("0123456789:.-\N{MINUS SIGN} hdminse", max_size=9))
def test_the_length_in_sight_is_the_one_that_is_chosen(qapp: QApplication, text: str) -> None:
    spin = LengthSpin(30, least=-1440)
    type_over(spin, text)
    assert spin.text() == text
    assert spin.problem or read_length(spin.text()) == spin.seconds
    spin.deleteLater()


@pytest.mark.parametrize("typed", ["-10", ""])
def test_the_card_extends_by_lengths_alone(armed: NightsWorkspace, typed: str) -> None:
    card = armed.job
    type_over(card.by, typed)
    assert (card.extend.isEnabled(), card.extend.toolTip()) == (False, card.by.problem)
    armed.controller.changed.emit()
    assert card.by.text() == typed
    type_over(card.by, "0:20")
    assert card.extend.isEnabled()


# -- the queue --------------------------------------------------------------------------------------------


def test_alt_and_arrows_move_a_job(armed: NightsWorkspace, sent: Sent) -> None:
    table = armed.queue.table
    table.setFocus()
    table.select([41881])
    QTest.keyClick(table, Qt.Key.Key_Up, _ALT)
    assert sent.last == MoveJob(41881, 3)
    QTest.keyClick(table, Qt.Key.Key_Down, _ALT)
    assert sent.last == MoveJob(41881, 5)
    assert table.selected_job is not None
    assert table.selected_job.request == 41881


def test_the_first_job_does_not_go_up(armed: NightsWorkspace, sent: Sent) -> None:
    armed.queue.table.select([41878])
    assert not armed.table.trigger("operate.move_up")
    assert sent.actions == []


def test_a_row_is_dragged_and_the_foot_says_what_it_changes(armed: NightsWorkspace, sent: Sent) -> None:
    table = armed.queue.table
    port = table.viewport()
    rows = [table.rowViewportPosition(row) + 12 for row in range(6)]
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=QPoint(120, rows[3]))
    QTest.mouseMove(port, QPoint(120, rows[2] + 3))
    QTest.mouseMove(port, QPoint(120, rows[2] - 4))
    assert table.drop_place == 3
    assert says(armed.queue.sentence, "app.nights.moves-to-position-and", name="gyre-08", place="3")
    assert armed.queue.sentence.endswith("after ccm-0219c.")
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=QPoint(120, rows[2] - 4))
    assert sent.last == MoveJob(41881, 3)
    assert table.drop_place == 0


def test_esc_leaves_a_drag_of_a_row(armed: NightsWorkspace, sent: Sent) -> None:
    table = armed.queue.table
    port = table.viewport()
    rows = [table.rowViewportPosition(row) + 12 for row in range(6)]
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=QPoint(120, rows[0]))
    QTest.mouseMove(port, QPoint(120, rows[2]))
    QTest.mouseMove(port, QPoint(120, rows[4] + 3))
    assert table.drop_place == 5
    QTest.keyClick(table, Qt.Key.Key_Escape)
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=QPoint(120, rows[4]))
    assert sent.actions == []


def test_hold_and_release(armed: NightsWorkspace, sent: Sent) -> None:
    armed.queue.table.select([41878])
    assert not armed.table.trigger("operate.release")
    assert armed.table.trigger("operate.hold")
    armed.queue.table.select([41883])
    assert armed.table.trigger("operate.release")
    assert [action for action, _, _ in sent.actions] == [HoldJob(41878), ReleaseJob(41883)]


def test_the_order_says_how_long_it_is_by_hand_and_is_chosen(armed: NightsWorkspace, sent: Sent) -> None:
    order = armed.queue.order
    assert order.currentText() == wording("console.operate.nights.order-by-hand", until="until 23:50")
    assert sent.actions == []
    order.setFocus()
    QTest.keyClick(order, Qt.Key.Key_Home)
    order.activated.emit(order.findData("shortest"))
    assert sent.last == OrderQueue("shortest")


@pytest.mark.parametrize("left_s", [0.0, 300.0, 1800.0, 3600.0, 7200.0])
def test_the_watchdogs_words_never_vanish(operate: NightsWorkspace, left_s: float) -> None:
    watchdog_s = nights.END - left_s
    job = replace(nights.job(), watchdog_s=watchdog_s, estimate_s=watchdog_s - nights.START)
    operate.controller.show(replace(nights.night(), job=job), ())
    layout = operate.timeline.shown_layout
    assert layout is not None
    assert layout.watchdog_x is not None
    image = operate.timeline.grab().toImage()
    ratio, lane = image.devicePixelRatio(), layout.lanes[0]
    rows = range(round((lane.y + 6) * ratio), round((lane.y + lane.height - 6) * ratio))
    danger = colour("danger").rgb()
    inked = {x for y in rows for x in range(image.width()) if image.pixel(x, y) == danger}
    beside = {x for x in inked if abs(x / ratio - layout.watchdog_x) > 3}
    # Letters, not the mark alone.
    assert len(beside) > 20


def test_the_queue_has_words_beside_colours(qtbot: QtBot, operate: NightsWorkspace) -> None:
    model = operate.queue.table.queue
    fits = [model.index(row, model.place("fit")).data() for row in range(model.rowCount())]
    assert fits == ["Fits", "Fits", wording("neardedicated.does-not-fit"), "Fits", "Takes chances", "Held"]
    assert model.headerData(model.place("fit"), Qt.Orientation.Horizontal) == wording(
        "console.operate.nights.in-at", left=span(h=4, min=30) + " left", at_s="03:00"
    )


def test_jobs_keep_their_selection_when_the_order_changes(operate: NightsWorkspace) -> None:
    table = operate.queue.table
    table.select([41881])
    turned = tuple(replace(row, place=place) for place, row in enumerate(reversed(nights.queue()), 1))
    operate.controller.show(replace(nights.night(), queue=turned), ())
    assert table.selected_job is not None
    assert table.selected_job.request == 41881
    operate.controller.show(replace(nights.night(), queue=turned[1:]), ())
    assert table.selected_job.request == 41881


# -- arming, alerts, records ------------------------------------------------------------------------------


def test_the_bar_says_where_actions_go_and_a_reason_goes_with_one(armed: NightsWorkspace, sent: Sent) -> None:
    assert armed.armed.isVisible()
    assert armed.controller.machine in armed.armed.words.text()
    assert "hale" in armed.armed.words.text()
    armed.armed.reason.setText("short job")
    armed.queue.table.select([41881])
    armed.queue.move_by(-1)
    armed.queue.move_by(1)
    assert [why for _, _, why in sent.actions] == ["short job", ""]
    assert armed.armed.reason.text() == ""
    QTest.mouseClick(armed.armed.disarm, Qt.MouseButton.LeftButton)
    assert armed.armed.isHidden()


def test_read_only_actions_are_not_sent(operate: NightsWorkspace, sent: Sent) -> None:
    for action in (KillJob(41877), ExtendJob(41877, 60.0)):
        operate.controller.act(action)
    assert sent.actions == []


def test_the_mode_is_at_the_right_of_the_tool_bar(window: ConsoleWindow, operate: NightsWorkspace) -> None:
    mode = operate.mode_widget()
    assert mode is not None
    assert mode.isVisible()
    assert mode.accessibleName() == "Read-only"
    QTest.mouseClick(mode, Qt.MouseButton.LeftButton)
    assert mode.accessibleName().startswith("Armed ")
    window.show_workspace("observe")
    assert mode.isHidden()
    window.show_workspace("operate")
    assert mode.isVisible()


def test_alerts_are_acknowledged_by_the_keyboard(
    operate: NightsWorkspace, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alert_bars, "READ_S", 0.0)
    operate.controller.show(replace(nights.night(), alerts=nights.alerts()), ())
    assert [one.level for one in operate.alerts.alerts] == ["danger", "warn"]
    assert operate.table.trigger("operate.acknowledge")
    assert sent.actions == [(Acknowledge("watchdog:41877"), "hale", "")]
    seen = tuple(replace(one, acknowledged_by="hale") for one in nights.alerts())
    operate.controller.show(replace(nights.night(), alerts=seen), ())
    assert not operate.alerts.alerts
    assert not operate.table.trigger("operate.acknowledge")


def test_arming_stands_in_the_audit_log_at_its_place(armed: NightsWorkspace) -> None:
    log = armed.records.audit.log
    cells = [log.cells(row) for row in log.rows]
    assert ("hale", "arm", "Convex", "read-only", "armed", "done") in [row[1:7] for row in cells]
    refused = next(row for row in cells if row[6] == "refused")
    assert refused[7] == nights.audit()[-1].text
    assert cells[0][0] == "23:40:00"


def test_tooltips_of_the_audit_log_have_cells_whole_and_the_result(armed: NightsWorkspace) -> None:
    log = armed.records.audit.log
    for row, line in enumerate(log.rows):
        for column, cell in enumerate(log.cells(line)):
            tip = log.index(row, column).data(Qt.ItemDataRole.ToolTipRole) or ""
            assert cell in tip.split("\n") or not cell
            assert line.row.text in tip


def test_reports_are_shown_and_exported(operate: NightsWorkspace, answers: Answers, tmp_path: Path) -> None:
    operate.questions = answers
    assert operate.table.trigger("operate.report")
    assert says(
        operate.records.night.toPlainText(), "neardedicated.near-dedicated-performance-report", when=""
    )
    for form, name in ((0, "night.txt"), (1, "jobs.csv"), (2, "use.csv")):
        answers.to_save = (tmp_path / name, form)
        assert operate.table.trigger("operate.export")
    assert (tmp_path / "night.txt").read_text() == operate.records.night.toPlainText()
    assert (tmp_path / "jobs.csv").read_text().startswith("request,user,name,start,")
    assert (tmp_path / "use.csv").read_text().startswith("end,cpu_user_fraction,")
    assert answers.asked[-1].removeprefix("Export ") == "ND report"
    assert operate.table.trigger("operate.audit")
    answers.to_save = (tmp_path / "audit.csv", 1)
    assert operate.table.trigger("operate.export")
    assert (tmp_path / "audit.csv").read_text().splitlines()[0] == ",".join(operate.records.audit.log.titles)


def test_a_report_has_a_form_with_figures(
    qtbot: QtBot, operate: NightsWorkspace, answers: Answers, tmp_path: Path
) -> None:
    operate.questions = answers
    operate.table.trigger("operate.report")
    for form, name in ((3, "night.pdf"), (4, "night.html")):
        answers.to_save = (tmp_path / name, form)
        with qtbot.waitSignals([operate.session.message] * 2):
            assert operate.table.trigger("operate.export")
        assert (tmp_path / name).stat().st_size > 5000
    page = (tmp_path / "night.html").read_text("utf-8")
    assert says(page, "app.reports.near-dedicated-night-of")
    expected = "nd report scenario.yaml --at"
    assert expected in page
    # The scenario is printed below the command.
    assert page.partition("rate_window_s: ")[2].startswith("10 s")


def test_a_file_that_cannot_be_written_is_reported(
    qtbot: QtBot, operate: NightsWorkspace, answers: Answers, tmp_path: Path
) -> None:
    operate.questions = answers
    answers.to_save = (tmp_path / "nowhere" / "audit.txt", 0)
    with qtbot.waitSignal(operate.session.message) as signal:
        operate.table.trigger("operate.export")
    assert signal.args[0].startswith(wording("console.operate.cannot-write", name="audit.txt", value=""))


@pytest.mark.parametrize("kept", [5, 7])
def test_new_rows_come_in_at_the_top_and_the_oldest_go(
    qtbot: QtBot, operate: NightsWorkspace, kept: int
) -> None:
    log, rows = operate.records.audit.log, nights.audit()
    tester = QAbstractItemModelTester(log, _FATAL)
    table = operate.records.audit
    table.selectRow(1)
    more = tuple(replace(rows[-1], tick=rows[-1].tick + number, who="rosa") for number in (1, 2))
    operate.controller.show(nights.night(), (*rows, *more)[-kept:])
    assert [line.row.who for line in log.rows[:3]] == ["rosa", "rosa", "hale"]
    assert tester.model().rowCount() == kept
    assert [index.row() for index in table.selectionModel().selectedRows()] == [3]


def test_the_queue_is_a_proper_model(operate: NightsWorkspace) -> None:
    tester = QAbstractItemModelTester(operate.queue.table.queue, _FATAL)
    operate.controller.show(replace(nights.night(), queue=nights.queue()[2:]), ())
    operate.controller.show(nights.empty_night(), ())
    assert tester.model().rowCount() == 0


# -- the workspace ----------------------------------------------------------------------------------------


def test_every_dock_is_reached_by_keys(window: ConsoleWindow, armed: NightsWorkspace) -> None:
    seen = set()
    for _ in range(12):
        focus_next_dock(armed, 1)
        widget = QApplication.focusWidget()
        seen |= {
            dock.objectName()
            for dock in armed.findChildren(Dock)
            if widget is not None and dock.isAncestorOf(widget)
        }
    wanted = {"window", "job", "queue", "records", "state", "memory", "use"}
    assert seen == {f"operate.{name}" for name in wanted}


@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000), (1920, 1080)])
def test_everything_has_room_with_all_notices(
    qtbot: QtBot, window: ConsoleWindow, armed: NightsWorkspace, size: tuple[int, int]
) -> None:
    window.resize(*size)
    armed.controller.show(replace(nights.night(), alerts=nights.alerts()), nights.audit())
    armed.controller.leave_note("Tape 3 is out of order.")
    assert window.frame.notices.count_words.split()[::2] == ["1", "4"]
    qtbot.waitUntil(lambda: armed.minimumSizeHint().height() <= armed.height())
    assert window.size() == QSize(*size)

    def all_inside() -> bool:
        shown = [dock for dock in armed.findChildren(Dock) if dock.content.isVisible()]
        return all(armed.rect().contains(dock.geometry()) for dock in shown)

    qtbot.waitUntil(all_inside)
    layout = armed.timeline.shown_layout
    assert layout is not None
    assert len(layout.lanes) == 4


def test_notices_move_nothing(qtbot: QtBot, window: ConsoleWindow, operate: NightsWorkspace) -> None:
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: window.height() == 800)
    for _ in range(9):  # docks get their places one turn of the event loop after the other
        QApplication.processEvents()
    docks = [dock for dock in operate.findChildren(Dock) if dock.content.isVisible()]
    before = [dock.geometry() for dock in docks]
    operate.controller.arming.arm()
    qtbot.waitUntil(operate.armed.isVisible)
    operate.controller.show(replace(nights.night(), alerts=nights.alerts()), nights.audit())
    qtbot.waitUntil(operate.alerts.bars[0].isVisible)
    assert operate.armed.isHidden()
    for _ in range(9):
        QApplication.processEvents()
    assert [dock.geometry() for dock in docks] == before
    operate.controller.show(nights.night(), nights.audit())
    qtbot.waitUntil(operate.armed.isVisible)
    operate.controller.arming.disarm()
    assert window.frame.notices.front is None
    for _ in range(9):
        QApplication.processEvents()
    assert [dock.geometry() for dock in docks] == before


def test_controls_have_names(operate: NightsWorkspace) -> None:
    parts = (
        operate.timeline, operate.queue.table, operate.queue.order, operate.job.by, operate.use,
        operate.chart, operate.memory, operate.records.audit, operate.records.tabs,
        operate.records.export_button, operate.armed.reason, operate.job.history,
    )  # fmt: skip
    assert all(part.accessibleName() for part in parts)
    assert description_of(operate.chart).startswith("Running, ")


@pytest.mark.parametrize(
    ("dock", "name", "row"),
    [
        ("memory_dock", "Memory and SDS", ("Memory", "ND job", "27.3", "45.5\xa0%")),
        (
            "use_dock",
            "System use",
            ("23:05", "92.0\xa0%", "4.0\xa0%", "4.0\xa0%", "1 115", "sbert", "90.0\xa0%"),
        ),
        ("state_dock", "Control state", ("Running", "yes", "38 min 18 s")),
        ("job_dock", "History of efficiency", ("23:10", "53.6\xa0%", "88\xa0%", "")),
    ],
)
def test_what_is_painted_of_a_night_is_read_as_a_table(
    window: ConsoleWindow, operate: NightsWorkspace, dock: str, name: str, row: tuple[str, ...]
) -> None:
    getattr(operate, dock).bring_forward()
    content = getattr(operate, dock).content
    dialog = shown_table(window, content if is_reached(content) else operate.job.history)
    assert dialog.box.currentText() == name
    rows = [dialog.model.cells(one) for one in dialog.model.rows]
    assert row in [tuple(cell.replace(NARROW_SPACE, " ") for cell in cells) for cells in rows]
    assert {term(title) for title in dialog.model.titles} <= TERMS | PLAIN
    assert unspoken(dialog) == []
    assert dialog.about.text() == description_of(dialog.views[0])
    dialog.close()


def test_the_table_of_memory_holds_all_of_it(operate: NightsWorkspace) -> None:
    night = operate.controller.night
    assert night is not None
    _titles, *rows = cells(operate.memory.text_twin())
    for kind, size in (("Memory", night.memory_mw), ("SDS", night.sds_mw)):
        assert sum(float(row[2]) for row in rows if row[0] == kind) == pytest.approx(size, abs=0.3)


def test_a_scenario_without_nights_says_so_and_offers_the_example(
    window: ConsoleWindow, operate: NightsWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    operate.controller.show(None)
    assert operate.status_text() == wording("console.operate.nights.near-dedicated-scheduling-is-not")
    assert not operate.table.trigger("operate.arm")
    button = next(
        one for one in operate.window_dock.findChildren(QPushButton) if one.text() == "Open the example"
    )
    ran: list[str] = []
    monkeypatch.setattr(ActionTable, "trigger", lambda _table, name: ran.append(name))
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert ran == ["example_near-dedicated-ymp"]


def test_an_operator_kills_the_running_job_of_a_real_night(
    qtbot: QtBot, window: ConsoleWindow, session: ConsoleSession
) -> None:
    path = examples() / "near-dedicated-ymp.yaml"
    session.open(Document(read_scenario(path), name=path.name))
    window.show_workspace("operate")
    workspace = window.workspace("operate")
    assert isinstance(workspace, NightsWorkspace)
    controller = workspace.controller
    qtbot.waitUntil(lambda: controller.night is not None)
    session.step(session.document.scenario.machine.ticks(1800.0) if session.document else 0)
    qtbot.waitUntil(lambda: controller.night is not None and controller.night.job is not None)
    assert controller.night is not None
    job = controller.night.job
    assert job is not None
    controller.arming.choices.who = "hale"
    controller.arming.arm()
    outcomes: list[Outcome] = []
    controller.act(KillJob(job.request), "user asked", outcomes.append)
    qtbot.waitUntil(lambda: bool(outcomes))
    assert outcomes[0].done
    qtbot.waitUntil(lambda: any(row.action == "kill job" for row in controller.audit))
    row = next(row for row in controller.audit if row.action == "kill job")
    assert (row.who, row.why, row.done) == ("hale", "user asked", True)
    controller.act(KillJob(job.request), "again", outcomes.append)
    qtbot.waitUntil(lambda: len(outcomes) == 2)
    assert not outcomes[1].done
    assert outcomes[1].text


def test_a_window_made_larger_gets_all_docks_side_by_side(qtbot: QtBot, operate: NightsWorkspace) -> None:
    window = operate.window()
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: operate.memory_dock in operate.tabifiedDockWidgets(operate.state_dock))
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: not operate.state_dock.visibleRegion().isEmpty())
    for dock in (operate.state_dock, operate.memory_dock, operate.use_dock):
        assert operate.tabifiedDockWidgets(dock) == []
        assert dock.isVisible()
    assert operate.state_dock.x() > operate.use_dock.geometry().right()
    assert operate.memory_dock.y() > operate.state_dock.y()


# -- a window that is closing, and one that is being moved ------------------------------------------------


def closing() -> NightView:
    return replace(nights.night(), window=replace(nights.night().window, closing=True))


def test_a_closing_window_promises_nothing_and_can_be_started_again(armed: NightsWorkspace) -> None:
    armed.controller.show(closing(), ())
    rows = armed.queue.table.queue
    assert rows.index(0, rows.place("fit")).data() == "Not started"
    assert rows.index(0, rows.place("why")).data() == wording("console.operate.nights.window-is-closing")
    assert rows.headerData(rows.place("fit"), Qt.Orientation.Horizontal) == "Closing"
    assert says(armed.queue.sentence, "console.operate.nights.not-started-window-is-closing")
    assert armed.queue.sentence.split()[:2] == ["6", "jobs"]
    assert "arrow keys" not in window_words(armed.controller.night, nights.TIMES, is_armed=True)
    assert armed.table["operate.start_window"].enabled()
    assert armed.table.qaction("operate.start_window").isEnabled()
    armed.controller.show(nights.night(), ())
    assert rows.index(0, rows.place("fit")).data() == "Fits"
    assert not armed.table["operate.start_window"].enabled()


def test_a_moved_mark_is_planned_once_and_dims_what_fits_now(
    armed: NightsWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float | None] = []

    def counting(night: NightView, start_s: float | None, end_s: float | None) -> NightView:
        asked.append(end_s)
        return with_window(night, start_s, end_s)

    monkeypatch.setattr("fsconsole.console.operate.nights.timeline.with_window", counting)
    line, rows = armed.timeline, armed.queue.table.queue
    line.propose(nights.END - 3600)
    for _ in range(3):
        line.grab()
        line.propose(nights.END - 3590)
    assert asked == [nights.END - 3600]
    assert rows.index(0, rows.place("fit")).data(ChipRole)[0] == "neutral"
    line.put_back()
    assert rows.index(0, rows.place("fit")).data(ChipRole)[0] == "ok"


def test_the_foot_of_the_queue_counts_what_the_lanes_start(operate: NightsWorkspace) -> None:
    texts = [label.text() for label in operate.findChildren(QLabel)]
    assert says(texts, "console.operate.nights.if-jobs-run-as-long", by_pace="3")


def test_an_interval_with_a_part_of_the_setup_is_not_low(qtbot: QtBot) -> None:
    bar = EfficiencyBar()
    qtbot.addWidget(bar)
    bar.show_values(0.348, 0.88, is_whole=False)
    assert not bar.is_low
    bar.show_values(0.348, 0.88)
    assert bar.is_low


def test_each_efficiency_has_a_height_of_its_own_above_the_axis(qtbot: QtBot) -> None:
    history = EfficiencyHistory()
    qtbot.addWidget(history)
    history.resize(300, 100)
    for values, least in (((0.91, 0.77), 0.5), ((0.3, 0.077), 0.0)):
        points = tuple(Efficiency(300.0 * at, value) for at, value in enumerate(values, 1))
        history.show_values(points, 0.88, nights.TIMES, 0.0)
        heights = [history.height_of(value) for value in (1.0, *values, least)]
        assert history.least == least
        assert heights == sorted(set(heights))
        assert not history.grab().isNull()


def test_a_job_without_progress_has_no_expected_end(operate: NightsWorkspace) -> None:
    stuck = replace(nights.job(), expected_end_s=nights.WATCHDOG, needs_until_s=None)
    operate.controller.show(replace(nights.night(), job=stuck), ())
    words = wording("neardedicated.killed-at-no-progress-now", watchdog_s="03:00")
    assert operate.job.end.text().casefold() == words.casefold()


def test_a_job_too_slow_for_the_watchdog_says_so_and_the_extension_that_it_needs_is_offered(
    operate: NightsWorkspace,
) -> None:
    needs_s = nights.WATCHDOG + 91 * 60.0
    slow = replace(nights.job(), expected_end_s=nights.WATCHDOG, needs_until_s=needs_s)
    operate.controller.show(replace(nights.night(), job=slow), ())
    words = wording("neardedicated.killed-at-needs-until-about", watchdog_s="03:00", needs_until_s="04:31")
    assert operate.job.end.text().casefold() == words.casefold()
    assert operate.job.by.seconds == 95 * 60.0
    operate.job.by.setValue(20)
    operate.controller.show(replace(nights.night(), job=replace(slow, needs_until_s=needs_s + 3600.0)), ())
    assert operate.job.by.value() == 20  # what was chosen stays
