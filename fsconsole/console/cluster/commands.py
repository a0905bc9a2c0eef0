"""The window's rows of the action table about clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action
from fsconsole.console.cluster.session import CLUSTER

if TYPE_CHECKING:
    from fsconsole.console.cluster.window_integration import WindowIntegration

_WORDS = "cluster slurm ssh target"


def cluster_actions(here: WindowIntegration) -> list[Action]:
    """Connect stands in the menu always, the others while a cluster is open."""
    return [
        Action(
            "connect_slurm", "&Connect to Slurm…", here.connections.ask, icon="slurm", menu="Target",
            group="connection",
            tip="A real cluster, through Slurm's own tools here or behind a command such as ssh",
            words=_WORDS,
        ),
        Action(
            "cluster.refresh", "Re&fresh now", here.refresh, keys=("F5",), icon="redo", menu="Target",
            group="reading", tip="Read the cluster again; usage waits for the site's period",
            enabled=here.is_live, why_not=lambda: "A capture does not change",
            words=f"reload read update {_WORDS}", short="Refresh", needs=CLUSTER,
        ),
        _of_cluster(
            "cluster.disconnect",
            "&Disconnect",
            here.connections.disconnect_cluster,
            group="connection",
            tip="Close the cluster; nothing is changed there",
        ),
        _of_cluster(
            "cluster.simulate",
            "&Simulate this tree",
            here.connections.simulate,
            group="connection",
            tip="Leave the cluster and open its tree, as edited, on a simulated machine",
        ),
        *_of_changes(here),
    ]  # fmt: skip


def _of_changes(here: WindowIntegration) -> list[Action]:
    return [
        Action(
            "cluster.arm", "&Arm or disarm", here.toggle_armed, keys=("Ctrl+Shift+A",), icon="armed",
            menu="Target", group="changes",
            tip="Let changes be applied to the cluster, or be read-only again", enabled=here.can_arm,
            checked=here.is_armed,
            why_not=lambda: "A capture can be looked at, and nothing can be done to it", words=_WORDS,
            needs=CLUSTER,
        ),
        Action(
            "cluster.apply", "A&pply changes…", here.ask_apply, keys=("Ctrl+Return",), icon="ok",
            menu="Target", group="changes",
            tip="What is staged, as the commands that would be run; nothing is done before you confirm",
            enabled=here.can_apply, why_not=here.why_not_apply,
            words=f"change set edits commands dry run {_WORDS}", short="Apply…", needs=CLUSTER,
        ),
        Action(
            "cluster.revert", "&Revert to the cluster", here.revert_all, icon="undo", menu="Target",
            group="changes",
            tip="Stage nothing: the tree becomes what the cluster has, and Undo brings the edits back",
            enabled=here.has_staged, why_not=lambda: "Nothing is staged",
            words=f"discard change set {_WORDS}", needs=CLUSTER,
        ),
    ]  # fmt: skip


def _of_cluster(action_id: str, text: str, run: Callable[[], object], *, group: str, tip: str) -> Action:
    return Action(action_id, text, run, menu="Target", group=group, tip=tip, words=_WORDS, needs=CLUSTER)
