"""Fairshare=parent: Design, its what-if, Observe and the command line give the same parts, or say why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from fsconsole.cli.main import run
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.columns import Column
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.widgets.share_bar import ShareBarRole
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.saturation import saturated, split
from tests.texts import wording

DATA = Path(__file__).parents[2] / "data" / "slurm"
COUNTED = "Fairshare=parent counts as the mean of its siblings' shares, 2 (ours)."
PRINTED = "sshare prints the NormShares of the account above."


def test_a_user_with_the_share_parent_has_one_part_everywhere(qtbot: QtBot, window: ConsoleWindow) -> None:
    session = window.session
    window.files.open(DATA / "24.11")
    qtbot.waitUntil(lambda: session.offer(CLUSTER) is not None)
    cluster = session.offer(CLUSTER)
    assert cluster is not None
    qtbot.waitUntil(lambda: cluster.state.standing is not None)
    window.show_workspace("design")
    document, design = session.document, window.stack.workspace("design")
    assert document is not None
    assert isinstance(design, DesignWorkspace)
    backup = next(node.id for node in document.tree.walk() if node.name == "backup")
    model = design.tree_view.model()
    cell = design.tree_view.index_of(backup, Column.PART_OF_MACHINE)
    assert model.data(cell, Qt.ItemDataRole.ToolTipRole).endswith(f"%\n{COUNTED} {PRINTED}")
    assert model.data(cell, ShareBarRole.NOTE) == "(ours)"
    assert model.data(cell).endswith("%")
    assert model.data(cell, Qt.ItemDataRole.AccessibleTextRole).endswith("(ours)")
    part = document.machine_share(backup)
    what_if = split(document.flat, saturated(document.flat)).what_if[document.flat.row_of[backup]]
    assert part == pytest.approx(what_if) == pytest.approx(30 / 91 * 2 / 6 * 2 / 7)
    qtbot.waitUntil(lambda: session.moment is not None)
    assert session.moment is not None
    norm_shares = session.moment.values("norm_shares", [backup])[0]
    assert norm_shares == pytest.approx(0.109890)
    assert session.moment.note("norm_shares", backup).tip == f"{COUNTED} {PRINTED}"
    session.select((backup,))
    assert design.status_text().endswith(
        wording("console.design.sum-of-shares-in", name="imaging", total="7")
    )
    titles = [model.headerData(column, Qt.Orientation.Horizontal, 0) for column in Column]
    assert titles[Column.PART_OF_GROUP : Column.PART_OF_MACHINE + 1] == [
        wording("console.design.share-of-account"),
        wording("console.design.share-of-cluster"),
    ]
    captions = {label.text() for label in design.findChildren(QLabel)}
    assert captions >= {
        wording("console.design.share-of-account"),
        wording("console.design.share-of-cluster"),
    }
    assert not captions & {
        wording("console.design.share-of-group-2"),
        wording("console.design.share-of-machine-2"),
    }
    session.select((document.tree.find("imaging").id,))
    assert design.node_panel.kind.currentText() == "account"


def test_a_dump_has_the_parts_that_the_command_line_prints(
    qtbot: QtBot, window: ConsoleWindow, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = DATA / "running-dump.cfg"
    before = window.session.document
    window.files.open(dump)
    qtbot.waitUntil(lambda: window.session.document is not before)
    document = window.session.document
    assert document is not None
    design = window.stack.workspace("design")
    assert isinstance(design, DesignWorkspace)
    window.show_workspace("design")
    assert run(["tree", "show", "--json", str(dump)]) == 0
    printed = {one["path"]: one["machine_share"] for one in json.loads(capsys.readouterr().out)}
    tree = document.tree
    assert {tree.path(node.id): document.machine_share(node.id) for node in tree.walk()} == printed
    hugo = tree.find("fs_hugo").id
    assert design.tree_view.index_of(hugo, Column.SHARES).data() == "parent"
    assert document.machine_share(hugo) > 0
    what_if = split(document.flat, saturated(document.flat)).what_if[document.flat.row_of[hugo]]
    assert what_if == pytest.approx(document.machine_share(hugo))
    problems = design.bottom.problems.rows
    qtbot.waitUntil(lambda: any("Only Slurm has Fairshare=parent" in one.text for one in problems.rows))
