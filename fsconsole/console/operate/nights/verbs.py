"""The operator's actions on a night: their dialogs, their conditions, and the actions themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QWidget

from fsconsole.console.actions import Action
from fsconsole.console.arming import READ_ONLY
from fsconsole.console.operate.alert_bars import Alerts
from fsconsole.console.operate.nights.controller import KILLED, NightController
from fsconsole.console.operate.nights.queue_panel import QueuePanel
from fsconsole.neardedicated.view import JobCard
from fsconsole.targets.base import MACHINE

NO_NIGHT = "Near-dedicated scheduling is not set up here"
_MENU = "Target"


class NightVerbs:
    """Opens dialogs over a window, and gives the actions; `usual_s` is the length on the job card."""

    def __init__(
        self,
        controller: NightController,
        queue: QueuePanel,
        alerts: Alerts,
        parent: QWidget,
        usual_s: Callable[[], float],
    ) -> None:
        self._controller, self._queue, self._alerts = controller, queue, alerts
        self._parent, self._usual_s = parent, usual_s

    # -- what is done ---------------------------------------------------------------------------------------

    def toggle_armed(self) -> None:
        """Arm, or be read-only again."""
        arming = self._controller.arming
        arming.disarm() if arming.is_armed else arming.arm()

    def start(self) -> None:
        """Ask for the end of the window and open it."""
        from fsconsole.console.operate.nights.dialogs import StartWindowDialog

        if self._controller.night is not None:
            StartWindowDialog(self._controller, self._controller.night, self._parent.window()).open()

    def stop(self) -> None:
        """Ask what happens to the running job and close the window."""
        from fsconsole.console.operate.nights.dialogs import StopDialog

        if self._controller.night is not None:
            StopDialog(self._controller, self._controller.night, self._parent.window()).open()

    def extend(self, by_s: float = 0.0) -> None:
        """Ask for the extension; the default is the card's length."""
        from fsconsole.console.operate.nights.dialogs import ExtendDialog

        if (job := self._job) is not None:
            by_s = by_s or job.extension_s or self._usual_s()
            ExtendDialog(self._controller, job, by_s, self._parent.window()).open()

    def kill(self) -> None:
        """Ask whether to kill the running job."""
        from fsconsole.console.operate.nights.dialogs import KillDialog

        if (job := self._job) is not None:
            KillDialog(self._controller, job, self._parent.window()).open()

    def note(self) -> None:
        """Ask for the note to the next operator."""
        from fsconsole.console.operate.nights.dialogs import ShiftNoteDialog

        ShiftNoteDialog(self._controller, self._parent.window()).open()

    def choices(self) -> None:
        """Show the preferences of operators: who acts, and where alerts go."""
        from fsconsole.console.preferences_dialog import PreferencesDialog

        PreferencesDialog(self._controller.session.preferences, self._parent.window(), "operate").open()

    # -- whether it can be done -----------------------------------------------------------------------------

    @property
    def _job(self) -> JobCard | None:
        """The job that an armed operator may act on."""
        night = self._controller.night
        job = night.job if night is not None and self._controller.is_armed else None
        return None if job is None or job.is_over else job

    def _has_job(self) -> bool:
        return self._job is not None

    def _can_start(self) -> bool:
        """Return True if the window may be opened, or opened again while its last job runs."""
        night = self._controller.night
        return (
            night is not None
            and self._controller.is_armed
            and (night.window.closing or not night.window.is_open)
        )

    def _can_stop(self) -> bool:
        """Return True if the window may be closed, or its last job killed with it."""
        night = self._controller.night
        return night is not None and night.window.is_open and self._controller.is_armed

    def _why_not(self, otherwise: str) -> str:
        if self._controller.night is None:
            return NO_NIGHT
        return otherwise if self._controller.is_armed else READ_ONLY

    def _why_no_job(self) -> str:
        night = self._controller.night
        is_over = night is not None and night.job is not None and night.job.is_over
        return self._why_not(KILLED if is_over else "No job is running")

    def _why_not_queue(self, otherwise: str) -> str:
        return self._why_not(otherwise if self._queue.table.selected_job else "Select a queued job first")

    # -- the actions ----------------------------------------------------------------------------------------

    def actions(self) -> list[Action]:
        """Return arming, the window, the job, the queue, alerts."""
        acting = (*self._job_actions(), *self._queue_actions(), *self._alert_actions())
        acts = [replace(action, acts=True) for action in acting]
        return [*self._arming_actions(), *acts, self._preferences_action()]

    def _arming_actions(self) -> list[Action]:
        arming = self._controller.arming
        return [
            Action(
                "operate.arm", "&Armed", self.toggle_armed, keys=("Ctrl+Shift+A",), icon="armed", menu=_MENU,
                group="arming", needs=MACHINE, words="arm disarm read-only unlock lock",
                tip="Allow kill, extend and queue moves on the machine, or make it read-only again",
                enabled=lambda: arming.is_armed or (self._controller.night is not None and arming.can_arm()),
                checked=lambda: arming.is_armed,
                why_not=lambda: self._controller.session.locked or NO_NIGHT,
            ),
            Action(
                "operate.keep_armed", "&Keep armed", arming.keep, menu=_MENU, group="arming", needs=MACHINE,
                tip="Restart the arming timer", enabled=lambda: arming.is_armed, why_not=lambda: READ_ONLY,
            ),
        ]  # fmt: skip

    def _job_actions(self) -> list[Action]:
        why_not = self._why_not
        return [
            Action(
                "operate.start_window", "&Start window…", self.start, icon="start-window", menu=_MENU,
                group="window", needs=MACHINE, words="open near-dedicated",
                tip="Open the near-dedicated window now", enabled=self._can_start,
                why_not=lambda: why_not("The window is already open"),
            ),
            Action(
                "operate.stop_window", "S&top window…", self.stop, icon="stop-window", menu=_MENU,
                group="window", needs=MACHINE, words="close near-dedicated", tip=(
                    "Start no more "
                    "near-dedicated jobs"
                ),
                enabled=self._can_stop, why_not=lambda: why_not("The window is closed"),
            ),
            Action(
                "operate.extend", "&Extend…", self.extend, keys=("Ctrl+Shift+E",), icon="extend", menu=_MENU,
                group="job", needs=MACHINE, words="watchdog estimate longer",
                tip="Move the watchdog's kill time of the running job", enabled=self._has_job,
                why_not=self._why_no_job,
            ),
            Action(
                "operate.kill", "&Kill…", self.kill, keys=("Ctrl+Shift+K",), icon="kill", menu=_MENU,
                group="job", needs=MACHINE, words="abort end", tip="Kill the running job. Its work is lost",
                enabled=self._has_job, why_not=self._why_no_job,
            ),
        ]  # fmt: skip

    def _queue_actions(self) -> list[Action]:
        queue, why_not = self._queue, self._why_not_queue
        return [
            Action(
                "operate.move_up", "Move job &up", partial(queue.move_by, -1), keys=("Alt+Up",), menu=_MENU,
                group="queue", needs=MACHINE, local=True, tip="Move the selected job before the one above it",
                enabled=partial(queue.can_move, -1), why_not=lambda: why_not("The job is already first"),
            ),
            Action(
                "operate.move_down", "Move job &down", partial(queue.move_by, 1), keys=("Alt+Down",),
                menu=_MENU, group="queue", needs=MACHINE, local=True,
                tip="Move the selected job after the one below it", enabled=partial(queue.can_move, 1),
                why_not=lambda: why_not("The job is already last"),
            ),
            Action(
                "operate.hold", "&Hold job", queue.hold, icon="locked", menu=_MENU, group="queue",
                needs=MACHINE, tip="Hold the selected job until it is released",
                enabled=partial(queue.can_hold, held=False), why_not=lambda: why_not(
                    "The job is "
                    "already held"
                ),
            ),
            Action(
                "operate.release", "&Release job", queue.release, menu=_MENU, group="queue", needs=MACHINE,
                tip=(
                    "Release the selected job so that "
                    "it can start"
                ), enabled=partial(queue.can_hold, held=True),
                why_not=lambda: why_not("The job is not held"),
            ),
        ]  # fmt: skip

    def _alert_actions(self) -> list[Action]:
        return [
            Action(
                "operate.acknowledge", "Ac&knowledge alert", self._alerts.acknowledge_first, icon="ok",
                menu=_MENU, group="alerts", needs=MACHINE, tip="Acknowledge the first alert that was shown",
                enabled=lambda: bool(self._alerts.alerts),
                why_not=lambda: "No unacknowledged alerts",
            ),
            Action(
                "operate.note", "Shift &note…", self.note, icon="user", menu=_MENU, group="alerts",
                needs=MACHINE, words="handover shift", tip="Write a note for the next operator",
                enabled=lambda: bool(self._controller.machine), why_not=lambda: "Nothing is open",
            ),
        ]  # fmt: skip

    def _preferences_action(self) -> Action:
        return Action(
            "operate.preferences", "Operate &preferences…", self.choices, icon="settings", menu=_MENU,
            group="end", needs=MACHINE, words="settings notification command",
            tip="Change the name in the audit log, the minutes armed and the delivery of alerts",
        )  # fmt: skip
