"""The operator, and the preferences for operating."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.console.preferences import Preferences
from fsconsole.recording.audit import login_name

MINUTES = 10
DIARY_WEEKS = 13


class OperatorPreferences:
    """Preferences of Operate, read again each time, so that a change acts at once."""

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences

    @property
    def who(self) -> str:
        """Who acts, in the audit log."""
        return str(self._preferences.value("operate/who", "")).strip() or login_name()

    @who.setter
    def who(self, name: str) -> None:
        self._preferences.set_value("operate/who", name.strip())

    @property
    def armed_minutes(self) -> int:
        """How long an armed console stays so, min."""
        return max(1, int(self._preferences.value("operate/armed_minutes", MINUTES)))

    @armed_minutes.setter
    def armed_minutes(self, minutes: int) -> None:
        self._preferences.set_value("operate/armed_minutes", minutes)

    @property
    def diary_weeks(self) -> int:
        """How many weeks of the diary of a cluster stay: 0 for all, below that none is written."""
        return int(self._preferences.value("operate/diary_weeks", DIARY_WEEKS))

    @diary_weeks.setter
    def diary_weeks(self, weeks: int) -> None:
        self._preferences.set_value("operate/diary_weeks", weeks)

    @property
    def notifies(self) -> bool:
        """Whether alerts come as notifications of the desktop too."""
        return bool(self._preferences.value("operate/notifies", False))

    @notifies.setter
    def notifies(self, does: bool) -> None:
        self._preferences.set_value("operate/notifies", does)

    @property
    def command(self) -> tuple[str, ...]:
        """The program that an alert runs, and its arguments; empty for none."""
        return tuple(str(part) for part in self._preferences.value("operate/command", []))

    @command.setter
    def command(self, parts: Sequence[str]) -> None:
        self._preferences.set_value("operate/command", list(parts))
