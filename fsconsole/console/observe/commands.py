"""The rows of the action table that belong to Observe."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action
from fsconsole.console.observe.legend import has_system_groups
from fsconsole.shares.tree import ROOT_ID

if TYPE_CHECKING:
    from fsconsole.console.observe.workspace import ObserveWorkspace

_MENU = "Simulation"


def observe_actions(workspace: ObserveWorkspace) -> list[Action]:
    """Step, record, users, processes, plots."""
    return [*_time(workspace), *_users(workspace), *_plots(workspace), *_cursor(workspace)]


def _time(workspace: ObserveWorkspace) -> list[Action]:
    is_open = workspace.is_open
    return [
        Action(
            "observe.step", "&Step", workspace.step, (".",), "step", _MENU, "time",
            "Pause and advance by a tick, a second or a delta", is_open, words="advance tick",
        ),
        Action(
            "observe.record", "R&ecord run", workspace.toggle_recording, (), "record", _MENU, "record",
            "Write what happens from now on into a run folder", is_open, workspace.recorder.is_recording,
            words="run folder save",
        ),
    ]  # fmt: skip


def _users(workspace: ObserveWorkspace) -> list[Action]:
    operator, table = workspace.operator, workspace.processes.table

    def nodes() -> set[int]:
        chosen = {row.node for row in table.selected()} | set(workspace.session.selection)
        return operator.logged_in(chosen)

    def has_processes() -> bool:
        return workspace.is_open() and bool(table.selected())

    def can_explain() -> bool:
        return has_processes() and table.selected()[0].node != ROOT_ID

    return [
        Action(
            "observe.login", "&Log in…", operator.log_in, (), "user", _MENU, "users",
            "A user logs in and counts as active", workspace.is_open,
        ),
        Action(
            "observe.logout", "Log &out", lambda: operator.log_out(nodes()), (), "", _MENU, "users",
            "The selected users log out; their processes end", lambda: workspace.is_open() and bool(nodes()),
            why_not=lambda: "Select a user who is logged in",
        ),
        Action(
            "observe.start", "Start &process…", operator.start, (), "add-user", _MENU, "users",
            "Start processes charged to a user", workspace.is_open, words="new load work",
        ),
        Action(
            "observe.why", "&Why this process", workspace.explain_process, (), "", _MENU, "users",
            "Why the selected process goes before another user's", can_explain,
            why_not=lambda: "Select a process that is not exempt", words="explain priority",
        ),
        Action(
            "observe.renice", "Re&nice…", lambda: operator.renice(table.selected()), ("F2", "Return"), "",
            _MENU, "users", "Give the selected processes another nice value", has_processes,
            why_not=lambda: "Select a process", local=True,
        ),
        Action(
            "observe.end", "&End process", lambda: operator.end(table.selected()), ("Del",), "delete",
            _MENU, "users", "End the selected processes", has_processes,
            why_not=lambda: "Select a process", words="kill stop", local=True,
        ),
    ]  # fmt: skip


def _plots(workspace: ObserveWorkspace) -> list[Action]:
    session, span = workspace.session, workspace.span

    def can_leave_out() -> bool:
        document = session.document
        return workspace.is_open() and document is not None and has_system_groups(document.flat)

    return [
        Action(
            "observe.leave_out", "Leave out s&ystem groups", workspace.toggle_system, ("S",), "", "View",
            "plots", "Rescale percentages to what is left", can_leave_out, lambda: session.leave_out_system,
            why_not=lambda: "The tree has no system groups",
        ),
        Action(
            "observe.follow", "&Follow the present", lambda: span.follow(span.follow_s), (), "", "View",
            "plots", "The plots show the last ten minutes, or what was chosen", workspace.is_open,
            lambda: span.mode == "follow",
        ),
        Action(
            "observe.whole", "Show the &whole run", span.show_whole, (), "", "View", "plots", "",
            workspace.is_open, lambda: span.mode == "whole",
        ),
        Action(
            "observe.control", "&Control", workspace.show_control, (), "", "View", "docks",
            "Block diagram, redistribution plot and step response of the selected node", workspace.is_open,
            words="control view diagram damping step response redistribution",
        ),
        Action(
            "observe.export", "&Export plot…", workspace.exports.export_plot, ("Ctrl+E",), "export", "File",
            "exchange", "A plot as PNG, SVG or PDF, its data as CSV or Parquet", workspace.is_open,
            local=True,
        ),
        Action(
            "observe.copy_plot", "Copy plot", workspace.exports.copy_plot, (), "", "Edit", "copy",
            "Put the first plot onto the clipboard as a picture", workspace.is_open,
        ),
    ]  # fmt: skip


def _cursor(workspace: ObserveWorkspace) -> list[Action]:
    panel = workspace.panel
    rows = (
        ("cursor_left", "Cursor back by one sample", partial(panel.move_cursor, -1), "Left"),
        ("cursor_right", "Cursor on by one sample", partial(panel.move_cursor, 1), "Right"),
        ("event_left", "Cursor to the previous event", partial(panel.move_to_event, -1), "Shift+Left"),
        ("event_right", "Cursor to the next event", partial(panel.move_to_event, 1), "Shift+Right"),
    )
    return [
        Action(f"observe.{name}", text, run, (key,), enabled=workspace.is_open, local=True)
        for name, text, run, key in rows
    ]
