"""The rows of the action table that belong to Observe of any target."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action
from fsconsole.console.live.legend import has_system_groups

if TYPE_CHECKING:
    from fsconsole.console.live.workspace import LiveWorkspace


def live_actions(workspace: LiveWorkspace) -> list[Action]:
    """Range, cursor, export."""
    return [*_plots(workspace), *_cursor(workspace)]


def _plots(workspace: LiveWorkspace) -> list[Action]:
    session, span = workspace.session, workspace.span

    def can_leave_out() -> bool:
        document = session.document
        return workspace.is_open() and document is not None and has_system_groups(document.flat)

    return [
        Action(
            "observe.leave_out", "Leave out s&ystem groups", workspace.toggle_system, keys=("S",),
            menu="View", group="plots", tip="Rescale percentages to what is left", enabled=can_leave_out,
            checked=lambda: session.leave_out_system, why_not=lambda: "The tree has no system groups",
        ),
        Action(
            "observe.follow", "&Follow the present", lambda: span.follow(span.follow_s), menu="View",
            group="plots", tip="The plots show the time up to now, as long as was chosen",
            enabled=workspace.is_open, checked=lambda: span.mode == "follow",
        ),
        Action(
            "observe.whole", "Show the &whole run", span.show_whole, menu="View", group="plots",
            tip="All that is known, from the beginning", enabled=workspace.is_open,
            checked=lambda: span.mode == "whole",
        ),
        Action(
            "observe.export", "&Export plot…", workspace.exports.export_plot, keys=("Ctrl+E",), icon="export",
            menu="File", group="exchange", tip="A plot as PNG, SVG or PDF, its data as CSV or Parquet",
            enabled=workspace.is_open, local=True,
        ),
        Action(
            "observe.copy_plot", "Copy plot", workspace.exports.copy_plot, menu="Edit", group="copy",
            tip="Put the first plot onto the clipboard as a picture", enabled=workspace.is_open,
        ),
    ]  # fmt: skip


def _cursor(workspace: LiveWorkspace) -> list[Action]:
    panel = workspace.panel
    rows = (
        ("cursor_left", "Cursor back by one sample", partial(panel.move_cursor, -1), "Left"),
        ("cursor_right", "Cursor on by one sample", partial(panel.move_cursor, 1), "Right"),
        ("event_left", "Cursor to the previous event", partial(panel.move_to_event, -1), "Shift+Left"),
        ("event_right", "Cursor to the next event", partial(panel.move_to_event, 1), "Shift+Right"),
    )
    return [
        Action(f"observe.{name}", text, run, keys=(key,), enabled=workspace.is_open, local=True)
        for name, text, run, key in rows
    ]
