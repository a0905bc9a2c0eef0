"""What the doctor finds in a cluster stands in the list of problems of Design."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.scenario.problems import Problem, Severity
from tests.texts import says, slots_in, wording


def test_findings_of_a_capture_are_listed_and_choose_their_node(qtbot: QtBot, window: ConsoleWindow) -> None:
    assert window.table.trigger("example_slurm_capture")
    session = window.session
    qtbot.waitUntil(lambda: session.offer(CLUSTER) is not None)
    cluster, design = session.offer(CLUSTER), window.workspace("design")
    assert cluster is not None
    assert isinstance(design, DesignWorkspace)
    panel = design.bottom.problems

    def broken() -> list[Problem]:
        """Those of the doctor, which name commands; the quick check of the tree comes before them."""
        errors = [one for one in panel.rows.rows if one.severity is Severity.ERROR]
        return [one for one in errors if "sacctmgr" in one.text]

    qtbot.waitUntil(lambda: bool(broken()))
    (found,) = broken()  # mia has a job and no shares
    broken_rule = wording("app.doctor.user-with-work-has-no")
    assert f"{broken_rule}: " + wording("app.doctor.has-0-shares-and-jobs", name="mia") in found.text
    assert says(found.text, "app.doctor.sacctmgr-modify-user-where-account", name="mia", account="teaching")
    effect = slots_in(found.text, "app.doctor.fairshare-at-next-calculation")["changes"]
    assert effect.split() == ["mia", "0"]  # What stands before the first full stop.
    document = session.document
    assert document is not None
    assert found.node is not None
    assert document.tree.node(found.node).name == "mia"
    panel.clicked.emit(panel.model().index(panel.rows.rows.index(found), 0))
    assert session.selection == (found.node,)
    assert window.files.close()
    qtbot.waitUntil(lambda: not panel.rows.rows)
