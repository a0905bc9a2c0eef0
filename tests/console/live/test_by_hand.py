"""Logins and processes by hand, in Observe's dialogs and its process table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QMenu
from pytestqt.qtbot import QtBot

from fsconsole.console.live.legend_model import LegendModel, place_of
from fsconsole.console.live.machine.dialogs import LoginDialog, NiceDialog, StartDialog
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import Remove, SetShares
from fsconsole.shares.scenario.actions import Login
from fsconsole.shares.tree import ROOT_ID
from tests.console.live.running import Until, go_to, node, now
from tests.texts import says, wording


def dialog_of(kind: type) -> object:
    return next((widget for widget in QApplication.topLevelWidgets() if isinstance(widget, kind)), None)


def accept(dialog: LoginDialog | StartDialog | NiceDialog, qtbot: QtBot) -> None:
    box = dialog.buttons
    chosen = next(b for b in box.buttons() if box.buttonRole(b) == QDialogButtonBox.ButtonRole.AcceptRole)
    QTest.mouseClick(chosen, Qt.MouseButton.LeftButton)


def test_u21_logged_in_by_hand_gets_his_shares(
    observe: LiveWorkspace, window: ConsoleWindow, qtbot: QtBot, until: Until
) -> None:
    session = observe.session
    go_to(session, 100.0, until)
    u21 = node(session, "u21")
    legend = observe.legend.view.legend
    assert legend.remark(u21) == wording("targets.not-logged-in")
    window.table.trigger("observe.login")
    dialog = dialog_of(LoginDialog)
    assert isinstance(dialog, LoginDialog)
    QTest.keyClicks(dialog.user, "nobody")
    accept(dialog, qtbot)
    assert says(dialog.problem, "console.live.machine.not-found-choose-name-of", name="nobody")
    dialog.user.clearEditText()
    QTest.keyClicks(dialog.user, "u21")
    accept(dialog, qtbot)
    until(lambda: u21 in now(session).logged_in)
    go_to(session, 200.0, until)
    observe.legend.refresh()
    assert legend.remark(u21) == ""
    assert legend.data(legend.index_of(u21, place_of("allocated_share"))) == "40.0"
    assert any(
        flag.text == wording("shares.scenario.logs-in", who="u21") for flag in observe.session.events()
    )


def test_processes_are_started_reniced_and_ended_by_keyboard(
    observe: LiveWorkspace, window: ConsoleWindow, qtbot: QtBot, until: Until
) -> None:
    session, table = observe.session, observe.machine.processes.table
    session.select([node(session, "u11")])
    window.table.trigger("observe.start")
    dialog = dialog_of(StartDialog)
    assert isinstance(dialog, StartDialog)
    assert dialog.user.currentText() == "u11"
    dialog.command.setText("wave")
    dialog.count.setValue(2)
    dialog.work.kind.setCurrentIndex(1)
    accept(dialog, qtbot)
    until(lambda: sum(row.command == "wave" for row in table.processes.rows) == 2)
    pids = {row.pid for row in table.processes.rows if row.command == "wave"}
    table.select(pids)
    window.activateWindow()
    table.setFocus()
    until(table.hasFocus)
    QTest.keyClick(table, Qt.Key.Key_F2)
    renice = dialog_of(NiceDialog)
    assert isinstance(renice, NiceDialog)
    renice.nice.setValue(39)
    accept(renice, qtbot)
    until(lambda: {row.nice for row in table.processes.rows if row.pid in pids} == {39})
    assert {row.pid for row in table.selected()} == pids
    window.activateWindow()
    table.setFocus()
    until(table.hasFocus)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    until(lambda: not any(row.pid in pids for row in table.processes.rows))


def test_the_process_table_filters_sorts_and_copies(
    observe: LiveWorkspace, qtbot: QtBot, until: Until
) -> None:
    session, panel = observe.session, observe.machine.processes
    go_to(session, 970.0, until)
    panel.refresh()
    model = panel.table.processes
    rates = [row.cpu_rate for row in model.rows]
    assert rates == sorted(rates, reverse=True)
    QTest.keyClicks(panel.search, "u2")
    assert {model.charged_to(row.node) for row in model.rows} == {"u21", "u22"}
    panel.search.clear()
    panel.sleeping.setChecked(False)
    assert all(row.state != "sleeping" for row in model.rows)
    panel.table.selectRow(0)
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    titles, cells = (row.split("\t") for row in QGuiApplication.clipboard().text().splitlines())
    assert len(titles) == len(cells) == model.columnCount()
    assert cells[0] == str(model.rows[0].pid)
    assert float(cells[model.place("cpu")]) == pytest.approx(model.rows[0].cpu_rate)


def test_the_arrow_points_down_where_the_largest_stand_first(
    observe: LiveWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = observe.machine.processes.table
    header, cpu = table.horizontalHeader(), table.processes.place("cpu")
    pointed_up: list[bool] = []
    monkeypatch.setattr(
        "fsconsole.console.style.paint.arrow", lambda *_, up, **_others: pointed_up.append(up)
    )
    header.setSortIndicator(cpu, Qt.SortOrder.DescendingOrder)
    header.grab()
    assert set(pointed_up) == {False}
    pointed_up.clear()
    header.setSortIndicator(cpu, Qt.SortOrder.AscendingOrder)
    header.grab()
    assert set(pointed_up) == {True}


def test_log_out_of_a_process_names_the_user(observe: LiveWorkspace, until: Until) -> None:
    session, table = observe.session, observe.machine.processes.table
    u11 = node(session, "u11")
    until(lambda: u11 in now(session).logged_in and bool(table.processes.rows))
    table.select({row.pid for row in table.processes.rows if row.node == u11})
    menu = QMenu()
    observe.machine.operator.add_log_out(menu, {row.node for row in table.selected()})
    assert [action.text() for action in menu.actions()] == [
        wording("console.live.machine.log-out", who="u11")
    ]
    menu.actions()[0].trigger()
    until(lambda: u11 not in now(session).logged_in)
    menu.clear()
    observe.machine.operator.add_log_out(menu, {ROOT_ID})
    assert menu.isEmpty()


def test_log_in_twice_is_reported(observe: LiveWorkspace, qtbot: QtBot) -> None:
    session = observe.session
    with qtbot.waitSignal(session.message) as signal:
        session.act(Login(node(session, "u11")))
    assert signal.args == [wording("console.live.machine.is-already-logged-in", name="u11")]


def test_rows_that_have_gone_are_not_told_of(six: ConsoleSession) -> None:
    """A view may still name rows of before an edit; Qt warns of ranges that are not valid."""
    model = LegendModel(six)
    calls: list[tuple[QModelIndex, QModelIndex]] = []
    model.dataChanged.connect(lambda first, last: calls.append((QModelIndex(first), QModelIndex(last))))
    gr2 = node(six, "gr2")
    parent = model.index_of(gr2)
    assert six.document is not None
    six.document.edit("Remove", [Remove(node(six, "u21"))])
    last_row = model.rowCount(parent) - 1
    model.emit_values([(parent, 0, 7)])
    model.emit_checks([(parent, last_row + 1, 7)])
    six.document.edit("Remove", [Remove(gr2)])
    model.emit_values([(parent, 0, 0)])
    model.emit_checks([(parent, 0, 0), (QModelIndex(), 5, 3)])
    assert [(first.row(), last.row()) for first, last in calls] == [(0, last_row)]
    assert all(first.isValid() and last.isValid() for first, last in calls)


def test_a_change_of_shares_is_named_in_its_flag(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 60.0, until)
    u22 = node(session, "u22")
    assert session.document is not None
    before = session.document.tree.node(u22).shares
    session.document.edit("Set shares", [SetShares.of(u22, 800)])
    until(lambda: any(flag.text == f"u22: {before} → 800 shares" for flag in observe.session.events()))


def test_button_and_status_bar_agree_on_the_end(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    session = observe.session
    go_to(session, 1200.0, until)
    until(lambda: observe.machine.transport.bar.chip.text == "Ended")
    until(lambda: window.frame.status.target.text == "Target: simulated, ended")
    go_to(session, 1204.0, until)
    until(lambda: window.frame.status.target.text == "Target: simulated, paused")
    assert observe.machine.transport.bar.chip.text == "Paused"
