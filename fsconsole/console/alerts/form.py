"""The alerts of the preferences: what they are raised for, how they are delivered, and a test of that."""

from __future__ import annotations

import shlex
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QPushButton, QSystemTrayIcon, QWidget

from fsconsole.app.alerts.channels import DeliveryError, Message, addresses, checked_url
from fsconsole.app.alerts.conditions import TIPS, TITLES, Condition
from fsconsole.app.alerts.dispatcher import Deliver
from fsconsole.console.alerts.desktop import DesktopNotifications
from fsconsole.console.alerts.preferences import AlertPreferences
from fsconsole.console.kit.forms import (
    CountField,
    FieldLine,
    SwitchField,
    TypedField,
    align_fields,
    form_of,
    sections,
)
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.preferences import Preferences
from fsconsole.console.widgets.boxes import INHERIT, vbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.text.words import listed

TEST = "Test alert from fsconsole"
NO_CHANNEL = "No channel to test. Choose a channel first."
_FIELD_PX = 300
Results = tuple[list[str], list[str]]
_MOST = 10_000_000


class AlertsForm(QWidget):
    """Changes what alerts do; each change acts at once."""

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = AlertPreferences(preferences)
        self._desktop = DesktopNotifications(self)
        self._tasks = Tasks(self)
        self._build_ui()
        self._connect_signals()

    def _build_ui(self) -> None:
        choices = self._choices
        self.conditions = {one: SwitchField(TITLES[one], self, tip=TIPS[one]) for one in Condition}
        for one, switch in self.conditions.items():
            switch.fill(one in choices.conditions)
        self.most_pending = CountField("Pending jobs", 1, _MOST, choices.most_pending, self)
        self.notifies = SwitchField("Show desktop notification", self)
        self.notifies.fill(choices.notifies)
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self.notifies.setToolTip("This desktop does not show notifications now")
        self.command = TypedField(
            "Program to run for an alert", _parsed, _FIELD_PX, write=shlex.join,
            placeholder="Program and arguments, or empty",
            tip="The program runs without a shell; the alert's text is its last argument",
        )  # fmt: skip
        self.command.fill(choices.command)
        self.mail = TypedField(
            "Mail addresses", _checked_mail, _FIELD_PX, placeholder="Addresses, or empty",
            tip="Mail goes through the system's sendmail. Separate addresses with commas",
        )  # fmt: skip
        self.mail.fill(choices.mail)
        self.webhook = TypedField(
            "Webhook", checked_url, _FIELD_PX, placeholder="https://…, or empty",
            tip="Each alert is posted there as JSON",
        )  # fmt: skip
        self.webhook.fill(choices.webhook)
        self.test = QPushButton("Send test alert", self, autoDefault=False)
        self.result = MutedLabel("", self, wraps=True)
        pending = form_of(("Pending &above", FieldLine(("", self.most_pending, "jobs"))))
        causes = vbox(*self.conditions.values(), pending, spacing=INHERIT)
        delivery = form_of(
            ("Desktop", self.notifies),
            ("&Program", FieldLine(("", self.command, ""))),
            ("&Mail to", FieldLine(("", self.mail, ""))),
            ("Web&hook", FieldLine(("", self.webhook, ""))),
            ("", FieldLine(("", self.test, ""))),
            ("", self.result),
        )
        align_fields(pending, delivery)
        vbox(sections(("Alerts", causes), ("Delivery of alerts", delivery)), on=self)

    def _connect_signals(self) -> None:
        for one, switch in self.conditions.items():
            switch.changed.connect(partial(self._on_condition_changed, one))
        for field in (self.most_pending, self.notifies, self.command, self.mail, self.webhook):
            field.changed.connect(self._on_changed)
        self.test.clicked.connect(self._on_test)

    def _on_condition_changed(self, condition: Condition) -> None:
        self._choices.set_condition(condition, is_on=self.conditions[condition].read())

    @Slot()
    def _on_changed(self) -> None:
        choices = self._choices
        choices.most_pending = self.most_pending.read()
        choices.notifies = self.notifies.read()
        if self.command.is_right:
            choices.command = self.command.read()
        if self.mail.is_right:
            choices.mail = self.mail.read()
        if self.webhook.is_right:
            choices.webhook = self.webhook.read()

    @Slot()
    def _on_test(self) -> None:
        """Deliver a test on every chosen channel, and show the results."""
        ways = {name: deliver for name, (_, deliver) in self._choices.ways().items() if deliver is not None}
        went_well: list[str] = []
        problems: list[str] = []
        if self._choices.notifies:
            problem = self._desktop.show("fsconsole", TEST, is_danger=False)
            (problems if problem else went_well).append(problem or "desktop")
        if not ways:
            self._show_result(went_well, problems)
            return
        self.test.setEnabled(False)
        self.result.setText("Sending…")
        call = partial(_delivered, ways)
        self._tasks.run(call, partial(self._on_tested, went_well, problems), latest="test")

    def _on_tested(
        self, went_well: list[str], problems: list[str], found: tuple[list[str], list[str]]
    ) -> None:
        self.test.setEnabled(True)
        self._show_result(went_well + found[0], problems + found[1])

    def _show_result(self, went_well: list[str], problems: list[str]) -> None:
        sent = [f"Delivered by {listed(went_well)}."] if went_well else []
        self.result.setText(" ".join([*sent, *problems]) or NO_CHANNEL)


def _delivered(ways: dict[str, Deliver]) -> Results:
    """Deliver a test, in a thread: the channels that took it, and what went wrong with the others."""
    facts = {"key": "test", "level": "warn", "text": TEST, "since": "now"}
    went_well: list[str] = []
    problems: list[str] = []
    for name, deliver in ways.items():
        try:
            deliver(Message("fsconsole", (facts,)))
        except DeliveryError as error:
            problems.append(str(error))
        else:
            went_well.append(name)
    return went_well, problems


def _checked_mail(text: str) -> str:
    return ", ".join(addresses(text))


def _parsed(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise ValueError("a quote is not closed. Close each quote.") from error
