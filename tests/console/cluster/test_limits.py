"""Limits, QOS and weights of a cluster beside the node that is selected in Design."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.node_panel import NodePanel
from fsconsole.console.window import ConsoleWindow
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.target import SlurmTarget
from tests.texts import says, wording

_CAPTURE = Path(__file__).parents[2] / "data" / "slurm" / "26.05"


def test_limits_follow_the_selection(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    window = empty_window
    window.show_workspace("design")
    window.clusters.connections.open(SlurmTarget(capture_place(_CAPTURE)))
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is not None)
    (panel,) = window.findChildren(NodePanel)
    cluster = window.session.offer(CLUSTER)
    assert cluster is not None
    qtbot.waitUntil(lambda: cluster.state.tree is not None)

    def node(path: str) -> int:
        document = window.session.document
        assert document is not None
        return document.tree.find(path).id if len(document.tree) > 1 else -1

    def shown() -> dict[str, str]:
        return dict(panel.association.facts.facts)

    qtbot.waitUntil(lambda: node("root/science/ocean/games") > 0)
    window.session.select([node("root/science/ocean/games")])
    qtbot.waitUntil(lambda: "QOS high" in shown())
    assert shown()[wording("app.cluster.limits-in-force")].split(", ") == ["MaxJobs 3", "MaxWall 1-00:00:00"]
    assert shown()["QOS high"].split(", ")[:3] == [
        "priority 10",
        wording("app.cluster.usage-counts-times", usage_factor="2"),
        "GrpTRES cpu=16",
    ]
    window.session.select([node("root")])
    qtbot.waitUntil(lambda: "TRESBillingWeights" in shown())
    assert shown()["PriorityWeightTRES"] == "cpu=1000,mem=2000"
    assert not says(shown(), "app.cluster.limits-in-force")
    assert not panel.dialect.has_limits  # a capture of before: whose limits they are was not asked
