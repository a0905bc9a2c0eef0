"""The rows of the action table that belong to Observe of a cluster."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action
from fsconsole.console.cluster.session import CLUSTER

if TYPE_CHECKING:
    from fsconsole.console.cluster.observe.workspace import ClusterObserveWorkspace

_ID = "cluster.observe"


def cluster_observe_actions(workspace: ClusterObserveWorkspace) -> list[Action]:
    """Hold, range, export, cursor."""
    return [*_time(workspace), *_plots(workspace), *_cursor(workspace)]


def _time(workspace: ClusterObserveWorkspace) -> list[Action]:
    return [
        Action(
            f"{_ID}.hold", "&Hold what is shown", workspace.hold, ("Space",), "pause", "View", "cluster",
            "Values stay as they are; the cluster is read all the same", workspace.is_open, workspace.is_held,
            words="pause stop freeze", needs=CLUSTER,
        ),
    ]  # fmt: skip


def _plots(workspace: ClusterObserveWorkspace) -> list[Action]:
    span = workspace.span
    return [
        Action(
            f"{_ID}.follow", "&Follow the present", lambda: span.follow(span.follow_s), (), "", "View",
            "plots", "The plots show the last hour, or what was chosen", workspace.is_open,
            lambda: span.mode == "follow", needs=CLUSTER,
        ),
        Action(
            f"{_ID}.whole", "Show all &since connected", span.show_whole, (), "", "View", "plots", "",
            workspace.is_open, lambda: span.mode == "whole", needs=CLUSTER,
        ),
        Action(
            f"{_ID}.export", "&Export plot…", workspace.exports.export_plot, ("Ctrl+E",), "export", "File",
            "exchange", "A plot as PNG, SVG or PDF, its data as CSV or Parquet", workspace.is_open,
            local=True, needs=CLUSTER,
        ),
        Action(
            f"{_ID}.copy_plot", "Copy plot", workspace.exports.copy_plot, (), "", "Edit", "copy",
            "Put the first plot onto the clipboard as a picture", workspace.is_open, needs=CLUSTER,
        ),
    ]  # fmt: skip


def _cursor(workspace: ClusterObserveWorkspace) -> list[Action]:
    rows = (
        ("cursor_left", "Cursor back by one reading", -1, "Left"),
        ("cursor_right", "Cursor on by one reading", 1, "Right"),
    )
    return [
        Action(
            f"{_ID}.{name}", text, partial(workspace.panel.move_cursor, step), (key,),
            enabled=workspace.is_open, local=True, needs=CLUSTER,
        )
        for name, text, step, key in rows
    ]  # fmt: skip
