"""What alerts are raised for, and how they are delivered, as the operator has chosen."""

from __future__ import annotations

from functools import partial

from fsconsole.app.alerts.channels import post_webhook, run_command, send_mail
from fsconsole.app.alerts.cluster import MOST_PENDING
from fsconsole.app.alerts.conditions import Condition
from fsconsole.app.alerts.dispatcher import Deliver
from fsconsole.console.operator_preferences import OperatorPreferences

PROGRAM, MAIL, WEBHOOK = "program", "mail", "webhook"


class AlertPreferences(OperatorPreferences):
    """Read again each time, so that a change acts at once."""

    @property
    def conditions(self) -> frozenset[Condition]:
        """What an alert is delivered for; all of them at first."""
        off = self._preferences.value("alerts/off", [])
        return frozenset(one for one in Condition if one.value not in off)

    def set_condition(self, condition: Condition, *, is_on: bool) -> None:
        """Deliver alerts of a condition from now on, or none."""
        wanted = self.conditions | {condition} if is_on else self.conditions - {condition}
        self._preferences.set_value("alerts/off", sorted(one.value for one in Condition if one not in wanted))

    @property
    def most_pending(self) -> int:
        """Jobs that may be pending before it is an alert."""
        return max(1, int(self._preferences.value("alerts/most_pending", MOST_PENDING)))

    @most_pending.setter
    def most_pending(self, count: int) -> None:
        self._preferences.set_value("alerts/most_pending", count)

    @property
    def mail(self) -> str:
        """Addresses with commas between; empty for none."""
        return str(self._preferences.value("alerts/mail", ""))

    @mail.setter
    def mail(self, to: str) -> None:
        self._preferences.set_value("alerts/mail", to)

    @property
    def webhook(self) -> str:
        """The address that alerts are posted to; empty for none."""
        return str(self._preferences.value("alerts/webhook", ""))

    @webhook.setter
    def webhook(self, url: str) -> None:
        self._preferences.set_value("alerts/webhook", url)

    def ways(self) -> dict[str, tuple[object, Deliver | None]]:
        """Return the setting of each channel, and what delivers on it; None where that is off."""
        return {
            PROGRAM: (self.command, partial(run_command, self.command) if self.command else None),
            MAIL: (self.mail, partial(send_mail, self.mail) if self.mail else None),
            WEBHOOK: (self.webhook, partial(post_webhook, self.webhook) if self.webhook else None),
        }
