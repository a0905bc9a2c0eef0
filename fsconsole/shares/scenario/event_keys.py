"""What jobs, and events on jobs and windows, are called in files, field by field."""

from __future__ import annotations

from typing import Any

from fsconsole.shares.scenario import job_actions
from fsconsole.shares.scenario.job_spec import JobSpec

# What fields of jobs and of actions are called in files, where not by their own names.
CALLED: dict[type[Any], dict[str, str]] = {
    JobSpec: {"person": "user"},
    job_actions.OpenWindow: {"end_s": "until_s"},
}
# Events that are actions on jobs, queues and the window, field by field.
JOB_EVENTS: dict[str, type[Any]] = {
    "kill_job": job_actions.KillJob,
    "hold_job": job_actions.HoldJob,
    "release_job": job_actions.ReleaseJob,
    "move_job": job_actions.MoveJob,
    "run_job": job_actions.RunJob,
    "checkpoint_job": job_actions.CheckpointJob,
    "restart_job": job_actions.RestartJob,
    "extend_job": job_actions.ExtendJob,
    "set_queue": job_actions.SetQueue,
    "suspend_process": job_actions.SuspendProcess,
    "resume_process": job_actions.ResumeProcess,
    "open_window": job_actions.OpenWindow,
    "close_window": job_actions.CloseWindow,
    "move_window": job_actions.MoveWindow,
}
# Those that may say nothing more: `close_window: true`.
BARE_EVENTS = ("open_window", "close_window")
# Those of one value.
WORD_EVENTS: dict[str, type[Any]] = {
    "order_queue": job_actions.OrderQueue,
    "acknowledge": job_actions.Acknowledge,
    "write_note": job_actions.WriteNote,
}
