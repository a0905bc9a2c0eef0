from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.cluster.why_ticket import WhyDialog
from fsconsole.console.window import ConsoleWindow
from fsconsole.slurm.parsers.sshare import ShownInPartError, read_sshare
from fsconsole.targets.slurm.tools import Answer
from tests.console.cluster.play import PlayTarget
from tests.slurm.captured import captured
from tests.texts import says


def answered(qtbot: QtBot, window: ConsoleWindow, action: str) -> WhyDialog:
    """The dialog of an action, once the answer is there."""
    window.table.refresh()
    assert window.table.trigger(action)
    dialog = [one for one in window.findChildren(WhyDialog) if one.isVisible()][-1]
    qtbot.waitUntil(lambda: dialog.text.toPlainText() != "Reading…")
    return dialog


def select(window: ConsoleWindow, *names: str) -> None:
    document = window.session.document
    assert document is not None
    window.session.select(document.tree.find(name).id for name in names)


def test_selected_users_and_accounts_are_explained_and_copied(
    qtbot: QtBot, cluster_window: ConsoleWindow
) -> None:
    select(cluster_window, "fs_finn", "fs_gina")
    dialog = answered(qtbot, cluster_window, "cluster.why")
    text = dialog.text.toPlainText()
    assert says(text, "app.slurm_why.order-of-and", first="fs_finn@genomics", second="fs_gina@genomics")
    assert says(text, "app.slurm_why.change-that-helps", change="")
    QTest.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == text
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    select(cluster_window, "genomics")
    assert says(
        answered(qtbot, cluster_window, "cluster.why").text.toPlainText(),
        "app.slurm_why.position-of-account",
        name="genomics",
    )
    select(cluster_window, "genomics", "fs_finn")
    cluster_window.table.refresh()
    assert not cluster_window.table.trigger("cluster.why")


def test_a_job_selected_in_operate_is_explained(qtbot: QtBot, cluster_window: ConsoleWindow) -> None:
    cluster_window.show_workspace("operate")
    workspace = cluster_window.stack.workspace("operate")
    controller = workspace.controller  # type: ignore[attr-defined]
    pending = next(job for job in controller.state.jobs if job.is_pending)
    controller.choose([pending.job_id])
    dialog = answered(qtbot, cluster_window, "cluster.why_job")
    assert says(
        dialog.text.toPlainText(), "app.slurm_why.job-of-is-pending-2", label=pending.label, user=pending.user
    )


def test_memory_in_use_is_counted_by_what_scontrol_says(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    """The command line answers by the same function; the job's card has its sentence too."""
    tree = play.now.tree
    assert tree is not None
    row = tree.stored.tree.account.index("hep")
    own = tuple({"GrpTRES": "mem=10G"} if at == row else {} for at in range(len(tree.stored.tree)))
    job = replace(play.now.jobs[0], account="hep", user="fs_ben")
    running = replace(job, job_id=901, states=("RUNNING",), reason="None", nodes="n1")
    waits = replace(job, job_id=902, states=("PENDING",), reason="AssocGrpMemLimit", nodes="")
    play.publish(tree=replace(tree, stored=replace(tree.stored, own=own)), jobs=(running, waits))

    def scontrol(command: Sequence[str], *, limit_s: float = 60.0) -> Answer:
        assert tuple(command)[-4:] == ("scontrol", "-a", "show", "job")
        line = captured("preempted/scontrol-show-job-oneline.txt").splitlines()[0]  # of 22.05.8
        texts = [
            line.replace("JobId=39 ", f"JobId={number} ").replace("TRES=cpu=8,", f"TRES=cpu=1,mem={mem},")
            for number, mem in ((901, "8000M"), (902, "4G"))
        ]
        return Answer(tuple(command), 0, stdout="\n".join(texts))

    play.run = scontrol
    cluster_window.show_workspace("operate")
    workspace = cluster_window.stack.workspace("operate")
    controller = workspace.controller  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: controller.state.jobs and controller.state.jobs[-1].job_id == 902)
    controller.choose([902])
    text = answered(qtbot, cluster_window, "cluster.why_job").text.toPlainText()
    assert says(text, "app.slurm_why.of-it-is-in-use", found="mem=8000M")
    assert "GrpTRES=mem=12096M" in text


def test_a_user_is_answered_from_their_own_rows_where_usage_is_private(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    with pytest.raises(ShownInPartError) as caught:
        read_sshare(captured("private/classic-fs_anna.psv"))
    assert play.now.settings is not None
    private = replace(play.now.settings, values={**play.now.settings.values, "privatedata": "usage"})
    play.publish(standing=None, shown=caught.value.shown, settings=private)
    session = cluster_window.session
    cluster = session.offer(CLUSTER)
    assert cluster is not None
    qtbot.waitUntil(lambda: cluster.state.shown is not None)
    tree = play.now.tree
    assert tree is not None
    session.select([next(node for node, key in tree.keys.items() if key == ("astro", "fs_anna", ""))])
    text = answered(qtbot, cluster_window, "cluster.why").text.toPlainText()
    assert says(text, "app.slurm_why.has-fairshare", standing="fs_anna", factor="0.0656")
    assert says(text, "app.slurm_why.its-position-among-others-is")
    assert says(text, "app.slurm_why.sshare-showed-only-to-user", setting="PrivateData=usage", shown="2 rows")
