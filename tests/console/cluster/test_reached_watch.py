"""After an apply the console holds fairshare against what it predicted, as a person sees it."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.apply_dialog import ApplyDialog
from fsconsole.console.cluster.change_set_worker import STAGING, ChangeSetWorker
from fsconsole.console.cluster.gains_panel import GainsPanel
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import SetShares
from fsconsole.slurm.associations import Fairshare
from fsconsole.targets.slurm.state import Part, PartName
from tests.console.cluster.play import PlayTarget
from tests.texts import says, wording

HEP = "root/physics/hep"


@pytest.fixture
def applied(qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget) -> ApplyDialog:
    """hep has seven shares now, and sshare has not been read since."""
    window, settings = cluster_window, play.now.settings
    assert settings is not None
    play.publish(settings=replace(settings, flags=frozenset(("NO_FAIR_TREE",))))
    _look(window)
    document = window.session.document
    assert document is not None
    document.edit("Set shares", [SetShares.of(document.tree.find(HEP).id, 7)])
    staging = _staging(window)
    qtbot.waitUntil(lambda: bool(staging.staged.gains) and not staging.is_working)
    assert window.table.trigger("cluster.apply")
    dialog = next(one for one in window.findChildren(ApplyDialog) if one.isVisible())
    dialog.arm.click()
    dialog.apply.click()
    qtbot.waitUntil(lambda: dialog.report is not None)
    return dialog


def _staging(window: ConsoleWindow) -> ChangeSetWorker:
    staging = window.session.offer(STAGING)
    assert staging is not None
    return staging


def _look(window: ConsoleWindow) -> None:
    cluster = window.session.offer(CLUSTER)
    assert cluster is not None
    cluster.look()


def _read_sshare(window: ConsoleWindow, play: PlayTarget, staging: ChangeSetWorker, more: float) -> None:
    """sshare prints what was predicted, with so much added to fs_ben in hep; slurmctld has calculated."""
    tree, standing = play.now.tree, play.now.standing
    assert tree is not None
    assert standing is not None
    fairshare, usage = standing.printed.fairshare.copy(), standing.norm_usage.copy()
    for gain in staging.staged.gains.values():
        fairshare[list(tree.nodes).index(gain.node)] = round(gain.after, 6)
    row = tree.stored.tree.user.index("fs_ben")
    fairshare[row] += more
    usage[row] += 0.01
    printed = replace(standing.printed, fairshare=fairshare)
    computed = Fairshare(
        printed.norm_shares, printed.effective_usage, printed.fairshare, printed.level_fs
    )  # all of it is consistent
    now = replace(standing, printed=printed, computed=computed, norm_usage=usage)
    part = Part(as_of_s=time.time() + 60)
    play.publish(standing=now, parts={**play.now.parts, PartName.USAGE: part})
    _look(window)


def _wait(qtbot: QtBot, staging: ChangeSetWorker) -> None:
    qtbot.waitUntil(lambda: staging.reached.result is not None)


def test_all_as_predicted(
    qtbot: QtBot, applied: ApplyDialog, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    staging = _staging(cluster_window)
    with qtbot.waitSignal(staging.reached.settled):
        _read_sshare(cluster_window, play, staging, 0.0)
    assert says(staging.reached.sentence, "app.cluster.fairshare-of-is-as-predicted")
    assert applied.reached.text() == staging.reached.sentence
    assert applied.reached.isVisible()
    assert play.notes[-1][:3] == ("compare fairshare", "lab", "predicted")
    assert staging.reached.sentence in play.notes[-1]


def test_what_differs_is_named_with_its_likely_reason(
    qtbot: QtBot, applied: ApplyDialog, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    staging = _staging(cluster_window)
    _read_sshare(cluster_window, play, staging, 0.02)
    _wait(qtbot, staging)
    ben = wording("slurm.in-2", user="fs_ben", account="hep")
    assert says(staging.reached.sentence, "app.cluster.has-instead-of", name=ben)
    assert says(staging.reached.sentence, "app.cluster.usage-changed-to", keys=ben)
    applied.reject()
    staging.revert_all()
    design = cluster_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    design.expected_dock.setVisible(True)
    design.expected_dock.raise_()
    panel = cluster_window.findChild(GainsPanel)
    assert panel is not None
    qtbot.waitUntil(panel.isVisible)
    qtbot.waitUntil(lambda: panel.model.titles[2] == "Predicted")
    assert panel.model.rows[0].name == ben
    assert panel.summary == staging.reached.headline
    assert says(panel.summary, "app.cluster.of-as-predicted")
