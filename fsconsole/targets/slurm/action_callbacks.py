"""Callbacks during an action on jobs or nodes of a cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from fsconsole.targets.slurm.reports import ActionReport

Reports = tuple[ActionReport, ...]


@dataclass(frozen=True, slots=True)
class ActionCallbacks:
    """Callbacks; by themselves nobody can stop the action.

    Attributes:
        report_done: is called with every report as soon as it is there.
        begin: is called with the jobs, or a node, and the command before each; why not to send it, or empty.
        pause: waits so many seconds; True, and sooner, where nothing is to be sent or read any more.
        is_stopped: whether to leave what was not sent yet; what was sent is read back anyway.
        on_sent: is called before the first command on jobs and after each, with how many jobs were sent so
            far, and of how many.
        check: is called with the reports of a dry run by what was just read, before anything is sent; raises
            to stop the action.
    """

    report_done: Callable[[ActionReport], None] = lambda _report: None
    begin: Callable[[str, tuple[str, ...]], str] = lambda _on, _command: ""
    pause: Callable[[float], bool] = threading.Event().wait
    is_stopped: Callable[[], bool] = lambda: False
    on_sent: Callable[[int, int], None] = lambda _jobs, _of: None
    check: Callable[[Reports], None] = lambda _reports: None
