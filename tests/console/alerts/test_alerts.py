"""Alerts in the console: their preferences, and an alert of Operate on its way out and acknowledged."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.app.alerts import channels
from fsconsole.app.alerts.conditions import Condition
from fsconsole.console.alerts.form import NO_CHANNEL, TEST, AlertsForm
from fsconsole.console.alerts.notice import AlertNotice
from fsconsole.console.alerts.preferences import AlertPreferences
from fsconsole.console.operate import alert_bars
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.preferences_dialog import PreferencesDialog
from fsconsole.console.window import ConsoleWindow
from fsconsole.neardedicated.view import Alert
from fsconsole.targets.slurm.state import Link
from fsconsole.text.words import listed
from tests.app.alerts.test_channels import Server, script
from tests.console.cluster.play import PlayTarget, cluster_state, parts_failed
from tests.console.conftest import notice_of
from tests.texts import says, wording

LEFT = Qt.MouseButton.LeftButton
LOW = Alert("efficiency:41877", "warn", "weather is at 40 %", 60.0)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture
def choices(empty_window: ConsoleWindow) -> AlertPreferences:
    return AlertPreferences(empty_window.session.preferences)


@pytest.fixture
def form(empty_window: ConsoleWindow, qtbot: QtBot) -> AlertsForm:
    """The dialog as a user opens it."""
    QTest.keyClick(empty_window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    dialog = empty_window.findChild(PreferencesDialog)
    assert isinstance(dialog, PreferencesDialog)
    qtbot.waitUntil(dialog.isVisible)
    return dialog.alerts


def test_conditions_are_chosen_and_remembered(form: AlertsForm, choices: AlertPreferences) -> None:
    assert choices.conditions == frozenset(Condition)
    QTest.mouseClick(
        form.conditions[Condition.SDS], LEFT, pos=form.conditions[Condition.SDS].rect().topLeft()
    )
    form.conditions[Condition.PENDING].setFocus()
    QTest.keyClick(form.conditions[Condition.PENDING], Qt.Key.Key_Space)
    assert Condition.PENDING not in choices.conditions
    again = AlertsForm(form._choices._preferences)
    assert not again.conditions[Condition.PENDING].isChecked()
    assert again.conditions[Condition.CONTROLLER].isChecked()
    again.deleteLater()


def test_what_is_wrong_is_reported_and_not_taken(form: AlertsForm, choices: AlertPreferences) -> None:
    QTest.keyClicks(form.webhook, "file:///etc")
    assert says(form.webhook.fault.text(), "app.alerts.is-not-address-of-webhook", text="file:///etc")
    QTest.keyClicks(form.mail, "-oQ/tmp")
    assert says(form.mail.fault.text(), "app.alerts.is-not-mail-address-write")
    assert (choices.webhook, choices.mail) == ("", "-" if choices.mail else "")
    form.mail.clear()
    QTest.keyClicks(form.mail, "ops@example.org,root")
    assert choices.mail == "ops@example.org, root"


def test_the_test_goes_out_on_each_channel(
    form: AlertsForm, server: Server, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    QTest.mouseClick(form.test, LEFT)
    assert form.result.text() == NO_CHANNEL
    out, mail = tmp_path / "out", tmp_path / "mail"
    code = f"import sys\nopen({str(mail)!r}, 'w').write(sys.stdin.read())"
    program = script(tmp_path, code, "sendmail")
    monkeypatch.setattr(channels, "find_sendmail", lambda: program)
    tool = script(tmp_path, f"import sys\nopen({str(out)!r}, 'w').write(sys.argv[-1])")
    QTest.keyClicks(form.command, tool)
    QTest.keyClicks(form.mail, "ops@example.org")
    QTest.keyClicks(form.webhook, server.url)
    QTest.mouseClick(form.test, LEFT)
    assert not form.test.isEnabled()
    qtbot.waitUntil(form.test.isEnabled)
    went_well = listed(["program", "mail", "webhook"])
    assert form.result.text() == wording("console.alerts.delivered-by", went_well=went_well)
    assert out.read_text() == TEST
    assert "To: ops@example.org" in mail.read_text()
    assert server.posted[0]["text"] == TEST
    server.status = 500
    QTest.mouseClick(form.test, LEFT)
    qtbot.waitUntil(form.test.isEnabled)
    delivered = wording("console.alerts.delivered-by", went_well=listed(["program", "mail"]))
    assert form.result.text().startswith(f"{delivered} ")
    refused = form.result.text().removeprefix(delivered)
    assert says(refused, "app.alerts.webhook-for-alerts-was-refused", code="500")


def test_a_machines_alert_runs_a_program_once_without_a_shell(
    empty_window: ConsoleWindow, choices: AlertPreferences, tmp_path: Path, qtbot: QtBot
) -> None:
    out = tmp_path / "alert"
    code = "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + '\\n')"
    choices.command = (sys.executable, "-c", code, str(out))
    centre, alert = empty_window.alerts, replace(LOW, text="$(touch /tmp/no) & so on")
    centre.update("Y-MP", (alert,), str)
    centre.update("Y-MP", (alert,), str)
    qtbot.waitUntil(lambda: out.exists() and out.read_text().endswith("\n"))
    qtbot.waitUntil(lambda: not centre.dispatcher.waiting)
    assert out.read_text() == f"{alert.text}\n"


def test_an_alert_that_nobody_chose_stays_here(
    empty_window: ConsoleWindow, choices: AlertPreferences, server: Server
) -> None:
    choices.webhook = server.url
    choices.set_condition(Condition.EFFICIENCY, is_on=False)
    empty_window.alerts.update("Y-MP", (LOW,), str)
    assert empty_window.alerts.dispatcher.waiting == 0


def test_a_channel_that_fails_is_reported_once_and_stays_in_sight(
    empty_window: ConsoleWindow, choices: AlertPreferences, qtbot: QtBot
) -> None:
    choices.command = ("/nowhere/at-all",)
    messages: list[str] = []
    empty_window.session.message.connect(messages.append)
    notice = notice_of(empty_window, AlertNotice)
    empty_window.alerts.update("Y-MP", (LOW,), str)
    qtbot.waitUntil(lambda: not notice.isHidden())
    words = "The program for alerts could not be started: /nowhere/at-all: No such file or directory."
    assert (messages, notice.text) == ([words], words)
    assert empty_window.alerts.dispatcher.waiting == 1
    choices.command = ()
    empty_window.alerts.update("Y-MP", (LOW,), str)
    qtbot.waitUntil(notice.isHidden)


def test_a_cluster_that_is_gone_is_an_alert_of_operate(
    empty_window: ConsoleWindow,
    choices: AlertPreferences,
    server: Server,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choices.webhook = server.url
    play = PlayTarget(cluster_state())
    empty_window.resize(1600, 1000)
    empty_window.clusters.connections.open(play)
    empty_window.show_workspace("operate")
    operate = empty_window.workspace("operate")
    assert isinstance(operate, JobsWorkspace)
    assert not operate.alerts.alerts
    choices.most_pending = 1
    play.publish(link=Link.NO_ANSWER, parts=parts_failed("slurmctld does not respond"))
    qtbot.waitUntil(lambda: len(server.posted) > 0 and len(operate.alerts.alerts) == 1)
    shown = operate.alerts.alerts[0]  # another notice shows the other one
    assert shown.text == wording("app.alerts.jobs-are-pending-more-than", count="2", most="1")
    qtbot.waitUntil(lambda: not empty_window.alerts.dispatcher.waiting)
    posted = "; ".join(str(one["text"]) for one in server.posted)
    assert posted == (
        wording(
            "app.alerts.jobs-are-pending-more-than",
            count=wording("app.alerts.does-not-respond", name="lab") + "; 2",
            most="1",
        )
    )
    assert server.posted[0]["target"] == "lab"
    monkeypatch.setattr(alert_bars, "READ_S", 0.0)
    QTest.mouseClick(operate.alerts.bars[0].seen, LEFT)
    assert not operate.alerts.alerts
    assert play.notes[-1][:2] == ("acknowledge", shown.text)
