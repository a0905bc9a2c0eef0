"""The rows of the action table that belong to Operate."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action
from fsconsole.console.operate.arming import READ_ONLY
from fsconsole.console.operate.nights.desk import KILLED

if TYPE_CHECKING:
    from fsconsole.console.operate.nights.workspace import OperateWorkspace

_MENU = "Target"
NO_NIGHT = "This scenario has no near-dedicated section"


def operate_actions(workspace: OperateWorkspace) -> list[Action]:
    """Arming, the window, the job, the queue, alerts, what is on record."""
    return [*_arming(workspace), *_job(workspace), *_queue(workspace), *_records(workspace)]


def _arming(workspace: OperateWorkspace) -> list[Action]:
    desk = workspace.desk
    night = desk.arming
    return [
        Action(
            "operate.arm", "&Armed", workspace.toggle_armed, ("Ctrl+Shift+A",), "armed", _MENU, "arming",
            "Let kill, extend and queue moves go to the machine; again: back to read-only",
            lambda: desk.night is not None or night.is_armed, lambda: night.is_armed, lambda: NO_NIGHT,
            words="arm disarm read-only unlock lock",
        ),
        Action(
            "operate.keep_armed", "&Keep armed", night.keep, (), "", _MENU, "arming",
            "Begin the minutes anew", lambda: night.is_armed, why_not=lambda: READ_ONLY,
        ),
    ]  # fmt: skip


def _job(workspace: OperateWorkspace) -> list[Action]:
    why, asking = workspace.why_not, workspace.asking

    def no_job() -> str:
        night = workspace.desk.night
        is_over = night is not None and night.job is not None and night.job.is_over
        return why(KILLED if is_over else "No job is running")

    return [
        Action(
            "operate.start_window", "&Start window…", asking.start, (), "start-window", _MENU,
            "window", "Open the near-dedicated window now", workspace.can_start,
            why_not=lambda: why("The window is open already"), words="open near-dedicated",
        ),
        Action(
            "operate.stop_window", "S&top window…", asking.stop, (), "stop-window", _MENU, "window",
            "Start no more jobs", workspace.can_stop, why_not=lambda: why("The window is closed"),
            words="close near-dedicated",
        ),
        Action(
            "operate.extend", "&Extend…", asking.extend, ("Ctrl+Shift+E",), "extend", _MENU, "job",
            "Let the watchdog kill the running job later", workspace.has_job,
            why_not=no_job, words="watchdog estimate longer",
        ),
        Action(
            "operate.kill", "&Kill…", asking.kill, ("Ctrl+Shift+K",), "kill", _MENU, "job",
            "Kill the running job; its work is lost", workspace.has_job,
            why_not=no_job, words="abort end",
        ),
    ]  # fmt: skip


def _queue(workspace: OperateWorkspace) -> list[Action]:
    panel = workspace.queue

    def why(otherwise: str) -> str:
        return workspace.why_not("Select a job of the queue" if not panel.table.selected else otherwise)

    return [
        Action(
            "operate.move_up", "Move job &up", partial(panel.move_by, -1), ("Alt+Up",), "", _MENU, "queue",
            "The selected job goes before the one above it", partial(panel.can_move, -1),
            why_not=lambda: why("It is the first one"), local=True,
        ),
        Action(
            "operate.move_down", "Move job &down", partial(panel.move_by, 1), ("Alt+Down",), "", _MENU,
            "queue", "The selected job goes behind the one below it", partial(panel.can_move, 1),
            why_not=lambda: why("It is the last one"), local=True,
        ),
        Action(
            "operate.hold", "&Hold job", panel.hold, (), "locked", _MENU, "queue",
            "The selected job is not started until it is released", partial(panel.can_hold, held=False),
            why_not=lambda: why("It is held already"),
        ),
        Action(
            "operate.release", "&Release job", panel.release, (), "", _MENU, "queue",
            "The selected job may be started again", partial(panel.can_hold, held=True),
            why_not=lambda: why("It is not held"),
        ),
    ]  # fmt: skip


def _records(workspace: OperateWorkspace) -> list[Action]:
    desk, alerts = workspace.desk, workspace.alerts
    pages = (("audit", "Audit log"), ("report", "ND report"), ("last_night", "Last night"))
    return [
        Action(
            "operate.acknowledge", "Ac&knowledge alert", alerts.acknowledge, (), "ok", _MENU, "alerts",
            "Say that the first alert was seen", lambda: bool(alerts.alerts),
            why_not=lambda: "There is no alert that nobody has seen",
        ),
        Action(
            "operate.note", "Shift &note…", workspace.asking.note, (), "user", _MENU, "alerts",
            "Leave a note for the next operator", lambda: bool(desk.machine),
            why_not=lambda: "Nothing is open", words="handover shift",
        ),
        *(
            Action(
                f"operate.{name}", words, partial(workspace.show_record, page), menu="View", group="records",
                enabled=lambda: desk.night is not None, why_not=lambda: NO_NIGHT,
                words="near-dedicated",
            )
            for page, (name, words) in enumerate(pages)
        ),
        Action(
            "operate.export", "Export record…", workspace.export_record, ("Ctrl+E",), "export", "File",
            "exchange", "Audit log or report as text or CSV", lambda: desk.night is not None, local=True,
            why_not=lambda: NO_NIGHT, words="audit report near-dedicated",
        ),
        Action(
            "operate.preferences", "Operate &preferences…", workspace.asking.choices, (), "settings", _MENU,
            "end", "Name in the audit log, minutes armed, where alerts go",
            words="settings notification command",
        ),
    ]  # fmt: skip
