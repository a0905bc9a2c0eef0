"""Design and Observe show the values of the text for a ticket and of sshare, by the same names."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.gains_panel import GainsPanel
from fsconsole.console.design.columns import Column
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.live.legend_model import COLUMNS, place_of
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import resource
from fsconsole.shares.edits import SetShares
from fsconsole.shares.parent_shares import counted_ours
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.jobs import Sort
from tests.console.cluster.play import PlayTarget
from tests.slurm.capture_state import state_of
from tests.slurm.made_captures import made_capture, made_tree
from tests.texts import wording


@pytest.fixture(params=["example", "Fair Tree"])
def play(request: pytest.FixtureRequest, tmp_path: Path) -> PlayTarget:
    """The example, in which jobs run, or a made cluster without any."""
    folder = resource("slurm-capture")
    if request.param != "example":
        folder = made_capture(tmp_path / "c", made_tree(2), by_rank=request.param == "Fair Tree")
    return PlayTarget(state_of(folder))


def test_design_and_observe_show_what_sshare_printed(
    cluster_window: ConsoleWindow, play: PlayTarget, qtbot: QtBot
) -> None:
    tree, standing = _read(play)
    design = cluster_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    model, view = design.tree_view.model(), design.tree_view

    def cell(node: int, column: Column) -> str:
        return (
            str(model.data(view.index_of(node, column)) or "").lstrip("~").removesuffix("\N{NO-BREAK SPACE}%")
        )

    ours, is_fair_tree = counted_ours(tree.shares), bool(play.now.settings and play.now.settings.is_fair_tree)
    for row, node in enumerate(tree.nodes):
        if not row:
            continue
        assert cell(node, Column.USAGE) == _fixed(100 * standing.norm_usage[row], 2)
        assert cell(node, Column.FAIRSHARE) == _fixed(standing.printed.fairshare[row], 6)
        if node not in ours and not is_fair_tree:
            shown = float(cell(node, Column.PART_OF_MACHINE))
            assert shown == pytest.approx(100 * standing.printed.norm_shares[row], abs=6e-4)
    cluster_window.show_workspace("observe")
    observe = cluster_window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    qtbot.waitUntil(lambda: observe.cluster.watch.digest is not None and observe.session.moment is not None)
    legend = observe.legend.view.legend
    digits = {
        "norm_shares": (100, 2),
        "norm_usage": (100, 2),
        "effective_usage": (100, 2),
        "fairshare": (1, 4),
    }
    columns = {
        "norm_shares": standing.printed.norm_shares, "norm_usage": standing.norm_usage,
        "effective_usage": standing.printed.effective_usage, "fairshare": standing.printed.fairshare,
    }  # fmt: skip
    for name, values in columns.items():
        scale, many = digits[name]
        for row, node in enumerate(tree.nodes):
            text = str(legend.data(legend.index_of(node, place_of(name)))).lstrip("~")
            assert text == _fixed(scale * values[row], many), (name, row)
    title = next(column.title for column in COLUMNS if column.quantity == "norm_shares")
    assert title.startswith("NormShares")
    digest = observe.cluster.watch.digest
    assert digest is not None
    assert f"{digest.counts[Sort.WAITING]} pending" in observe.status_text()


@pytest.mark.parametrize("play", ["example", "idle"], indirect=True)
def test_the_next_calculation_has_a_name_of_its_own(
    cluster_window: ConsoleWindow, play: PlayTarget, qtbot: QtBot
) -> None:
    tree, standing = _read(play)
    session = cluster_window.session
    document, staging = session.document, session.offer(STAGING)
    assert document is not None
    assert staging is not None
    panel = GainsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(900, 400)
    panel.show()
    account = next(node for node in tree.nodes[1:] if tree.shares.node(node).is_group)
    document.edit("Shares", [SetShares.of(account, 77)])
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0)
    has_moved = any(abs(gain.last - gain.before) > 1e-5 for gain in staging.staged.gains.values())
    assert has_moved is bool(standing.lagging)
    assert (wording("console.cluster.last-calculated-sshare-unchanged") in _shown(panel)) is has_moved


def test_why_says_that_it_leaves_out_staged_edits(
    cluster_window: ConsoleWindow, play: PlayTarget, qtbot: QtBot
) -> None:
    tree, _ = _read(play)
    document, note = cluster_window.session.document, wording("console.edits-are-staged-this-explains")
    assert document is not None
    cluster_window.show_workspace("observe")
    observe = cluster_window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    observe.show_why()
    users = [node for node in tree.nodes if not tree.shares.node(node).is_group]
    cluster_window.session.select(tuple(users[1:3]))
    qtbot.waitUntil(lambda: observe.why_panel.explanation is not None)
    assert note not in " ".join(_shown(observe.why_panel))
    document.edit("Shares", [SetShares.of(users[1], 77)])
    qtbot.waitUntil(lambda: note in " ".join(_shown(observe.why_panel)))
    document.stack.undo()
    qtbot.waitUntil(lambda: note not in " ".join(_shown(observe.why_panel)))


def _shown(panel: QWidget) -> list[str]:
    return [label.text() for label in panel.findChildren(QLabel) if label.isVisibleTo(panel)]


def _read(play: PlayTarget) -> tuple[ClusterTree, AssociationStatus]:
    assert play.now.tree is not None
    assert play.now.standing is not None
    return play.now.tree, play.now.standing


def _fixed(value: float, digits: int) -> str:
    return "\N{EN DASH}" if value != value else f"{value:.{digits}f}"
