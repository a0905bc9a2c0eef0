"""Compare in Design: the open tree beside another one, as a person uses it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.app.tree.comparison import TITLES, compare_trees
from fsconsole.console.design.compare_panel import ComparePanel
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.shares.edits import Move, Remove, SetField, SetShares, apply_all
from fsconsole.shares.formats import all_endings
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import ShareTree
from tests.console.conftest import Answers
from tests.shares.trees import junglas_tree
from tests.texts import says, wording


def shown(qtbot: QtBot, workspace: DesignWorkspace) -> ComparePanel:
    workspace.table.trigger("compare_trees")
    panel = workspace.bottom.compare
    qtbot.waitUntil(lambda: panel.isVisible() and panel.comparison is not None)
    return panel


def rows(panel: ComparePanel) -> dict[str, str]:
    return {row.path.rpartition("/")[2]: row.words for row in panel.rows.rows}


def click(panel: ComparePanel, at: int) -> None:
    place = panel.table.visualRect(panel.rows.index(at, 0)).center()
    QTest.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_every_kind_of_difference_has_its_words() -> None:
    before = junglas_tree()
    after = before.copy()
    u11, u12, g2, u21 = (before.find(name).id for name in ("u11", "u12", "g2", "u21"))
    apply_all(after, [Remove(u12), Move(u11, g2, 0), SetField(g2, "system", True), SetShares.of(u21, 7)])
    found = {row.path: row for row in compare_trees(before, after).differences()}
    assert found["root/g1/u12"].words == "Removed: " + wording("app.tree.with", kind="user", shares="1 share")
    assert found["root/g2/u11"].words == wording("app.tree.from", what="Moved", before="root/g1")
    flag, _, now = found["root/g2"].words.partition("→")
    assert flag.split()[:2] == ["System", "flag"]
    assert flag.strip().endswith(wording("app.no-system-group"))
    assert now.strip() == "system group"
    assert found["root/g2/u21"].words.split() == ["Shares", "1", "→", "7"]
    assert found["root/g2/u22"].words == "Entitled share"
    kinds = [row.kinds for row in compare_trees(before, after).differences(edited_alone=True)]
    assert ("moved",) in kinds
    assert () not in kinds


def test_the_fewest_nodes_are_called_reordered() -> None:
    before = ShareTree()
    for name in "abcdef":
        before.add(0, name)
    after = before.copy()
    apply_all(after, [Move(before.find("a").id, 0, 5)])
    assert [row.path for row in compare_trees(before, after).differences()] == ["root/a"]


def test_edits_show_against_the_saved_tree_until_it_is_saved(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document, tmp_path: Path
) -> None:
    panel = shown(qtbot, workspace)
    assert panel.summary.text() == wording("app.tree.trees-are-equal")
    army = document.tree.find("Army").id
    document.edit("Set shares", [SetShares.of(army, 10)])
    qtbot.waitUntil(lambda: "Army" in rows(panel))
    assert rows(panel)["Army"].split() == ["Shares", "30", "→", "10"]
    place = [row.node for row in panel.rows.rows].index(army)
    workspace.session.select(())
    click(panel, place)
    assert workspace.session.selection == (army,)
    panel.copy_table()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == list(TITLES)
    assert len(lines) == 1 + len(panel.rows.rows)
    assert {"19.125 %", "7.969 %"} <= set(lines[1 + place].split("\t"))
    panel.questions = answers = Answers()
    answers.to_save = (tmp_path / "out.csv", 0)
    panel.ask_export()
    written = [line.split(",") for line in (tmp_path / "out.csv").read_text().splitlines()]
    (army_row,) = [row for row in written if row[0] == "Machine/User/DoD/Army"]
    assert army_row[1].split() == ["Shares", "30", "→", "10"]
    assert army_row[2:] == ["0.19124999999999998", "0.0796875"]
    document.mark_saved(tmp_path / "x.yaml", "")
    qtbot.waitUntil(lambda: panel.summary.text() == "The trees are equal.")


def test_a_removed_node_leads_to_the_group_that_held_it(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    panel = shown(qtbot, workspace)
    lab = document.tree.find("Lab A1")
    leaf = document.tree.node(lab.children[0]).name
    document.edit("Remove", [Remove(lab.id)])
    qtbot.waitUntil(lambda: leaf in rows(panel))
    click(panel, [row.path.rpartition("/")[2] for row in panel.rows.rows].index(leaf))
    assert workspace.session.selection == (document.tree.find("Air Force").id,)


def test_changed_nodes_come_first_and_settings_that_differ_are_named(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document, tmp_path: Path
) -> None:
    panel = shown(qtbot, workspace)
    other = document.tree.copy()
    last = list(other.walk())[-1]
    apply_all(other, [SetShares.of(last.id, last.shares + 5)])
    path = tmp_path / "other.yaml"
    settings = document.scenario.with_settings({"policy.half_life_s": 77.0})
    path.write_text(write_text(replace(settings, tree=other)))
    panel.choose_file(path)
    qtbot.waitUntil(lambda: bool(panel.rows.rows))
    assert [bool(row.changes) for row in panel.rows.rows][:2] == [True, False]
    half_life = wording("shares.scenario.half-life-of-usage") + " 77 s"
    assert says(panel.settings.text(), "console.design.settings-differ")
    assert f": {half_life} \N{RIGHTWARDS ARROW}" in panel.settings.text()
    document.set_settings({"policy.half_life_s": 77.0})
    assert panel.settings.isHidden()


def test_a_file_that_is_no_tree_is_reported_where_the_differences_would_be(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document, tmp_path: Path
) -> None:
    panel = shown(qtbot, workspace)
    path = tmp_path / "notes.md"
    path.write_text("# Notes: *a*\n\t- x: [")
    panel.choose_file(path)
    qtbot.waitUntil(lambda: "notes.md cannot be read" in panel._notice._sentence.text())
    assert panel._notice.isVisible()
    assert panel.comparison is None
    document.edit("Set shares", [SetShares.of(document.tree.find("Army").id, 10)])
    qtbot.wait(0)
    assert says(panel._notice._sentence.text(), "console.design.bulk.cannot-be-read-2", name="notes.md")
    panel.choose_saved()
    qtbot.waitUntil(lambda: "Army" in rows(panel))
    assert panel._notice.isHidden()


def test_the_filter_lists_each_ending_once() -> None:
    endings = all_endings()
    assert len(endings) == len(set(endings))
    assert "*.yaml" in endings
