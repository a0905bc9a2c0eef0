"""The What if dock: demands typed, from a report, from the running machine; table, tree and map follow."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from fsconsole.app.tree.elsewhere.rules import RULES
from fsconsole.console.design.columns import Column as TreeColumn
from fsconsole.console.design.commands import KeepDialog
from fsconsole.console.design.what_if.rules_dialog import RulesDialog
from fsconsole.console.design.what_if.table_model import (
    BY_RULE,
    DEMAND,
    DIFFERENCE,
    ENTITLED,
    GROUP,
    MEASURED,
    WHAT_IF,
)
from fsconsole.console.design.what_if.what_if import MACHINE
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.edits import Remove, SetField, SetShares
from fsconsole.shares.scenario.read import parse_scenario, read_scenario
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.spec import Demand, DemandReport, Scenario
from fsconsole.shares.scenario.write import write_text
from fsconsole.text.words import listed
from tests.console.assistive import description_of
from tests.console.conftest import Answers
from tests.console.test_text_twins import cells
from tests.texts import says, wording

# Table 1-1 of the NAVOCEANO paper, parts of 10 551.0889 CPU hours; Support is System here.
TABLE = {
    "System": 219.8616,
    "NAVOCEANO": 1158.1426,
    "Army": 442.4701,
    "Navy R&D": 3705.8881,
    "Air Force": 4935.7895,
    "DoD Other": 88.9370,
}
TOTAL = 10551.0889
BUSY = ("Navy R&D", "Air Force")


def with_report() -> Scenario:
    scenario = replace(read_scenario(examples() / "navoceano-c916.yaml"), reports=())
    tree = scenario.tree
    demands = [
        Demand(tree.find(name).id, None if name in BUSY else hours / TOTAL, hours / TOTAL)
        for name, hours in TABLE.items()
    ]
    demands.append(Demand(tree.find("Staff").id, 0.0, 0.0))
    return replace(scenario, reports=(DemandReport("May 1995", tuple(demands)),))


@pytest.fixture
def workspace(qtbot: QtBot, window: ConsoleWindow, session: ConsoleSession) -> DesignWorkspace:
    window.resize(1600, 1000)
    session.open(Document(with_report()))
    window.show_workspace("design")
    made = window.workspace("design")
    assert isinstance(made, DesignWorkspace)
    model = made.what_if_panel.table.what_if_model
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    qtbot.waitUntil(made.what_if_panel.isVisible)
    return made


def index(workspace: DesignWorkspace, name: str, column: int) -> QModelIndex:
    model = workspace.what_if_panel.table.what_if_model
    for row in range(model.rowCount()):
        if model.index(row, GROUP).data() == name:
            return model.index(row, column)
    raise LookupError(name)


def node(workspace: DesignWorkspace, name: str) -> int:
    document = workspace.session.document
    assert document is not None
    return document.tree.find(name).id


def open_editor(workspace: DesignWorkspace, at: QModelIndex) -> QComboBox:
    table = workspace.what_if_panel.table
    table.setFocus()
    table.setCurrentIndex(at)
    table.edit(at)
    editor = table.indexWidget(at)
    assert isinstance(editor, QComboBox)
    return editor


def keep(editor: QComboBox, text: str) -> None:
    """Type a demand and Enter, as a person does: into the line of the box."""
    line = editor.lineEdit()
    assert line is not None
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def test_a_report_is_shown_with_the_papers_figures(workspace: DesignWorkspace) -> None:
    for name in BUSY:
        assert index(workspace, name, WHAT_IF).data() == "40.952"
        assert index(workspace, name, ENTITLED).data() == "19.125"
    assert index(workspace, "Navy R&D", DIFFERENCE).data() == "−5.83"
    assert index(workspace, "Air Force", DIFFERENCE).data() == "+5.83"
    assert index(workspace, "Army", DEMAND).data() == "4.19\xa0%"
    assert index(workspace, "Total, %", ENTITLED).data() == "100.00"
    panel = workspace.what_if_panel
    leaves = wording(
        "shares.cannot-use-its-and-leaves", name="Army", entitled="19.1\xa0%", amount="14.9 points"
    )
    left, measured = panel.sentence.split(". ")
    assert left.removeprefix(leaves).strip() == f"to {listed(['Navy R&D', 'Air Force'])}"
    assert says(measured, "shares.than-this")
    assert re.findall(r"(R&D|Force)\D*(5\.83)\D*?(less|more)", measured) == [
        ("R&D", "5.83", "less"),
        ("Force", "5.83", "more"),
    ]
    takers = panel.ribbons.layout_of_ribbons.takers
    expected = "Air Force +21.83 = 40.952\xa0%"
    assert panel.ribbons.label(takers[1], is_taker=True) == expected
    assert panel.caption.endswith("43.65")
    flows = cells(panel.ribbons.text_twin())
    assert flows[0] == ["From", "To", wording("console.design.what_if.points-of-machine")]
    assert ["Army", "Air Force", "7.47"] in flows
    assert sum(float(line[2]) for line in flows[1:]) == pytest.approx(43.65, abs=0.05)
    assert description_of(panel.ribbons) in panel.sentence


def test_a_demand_is_typed_into_the_table(workspace: DesignWorkspace) -> None:
    editor = open_editor(workspace, index(workspace, "Navy R&D", DEMAND))
    keep(editor, "20 %")
    assert index(workspace, "Navy R&D", WHAT_IF).data() == "20.000"
    assert workspace.what_if_panel.source.currentText().split(", ") == ["May 1995", "changed"]
    assert workspace.session.document is not None
    assert not workspace.session.document.is_modified


def test_a_digit_begins_a_demand_and_typed_ones_can_be_forgotten(workspace: DesignWorkspace) -> None:
    workspace.table.trigger("show_what_if")
    table = workspace.what_if_panel.table
    table.setCurrentIndex(index(workspace, "Air Force", GROUP))
    QTest.keyClick(table, Qt.Key.Key_3)
    editor = table.indexWidget(index(workspace, "Air Force", DEMAND))
    assert isinstance(editor, QComboBox)
    line = editor.lineEdit()
    assert line is not None
    QTest.keyClicks(line, "0")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert index(workspace, "Air Force", WHAT_IF).data() == "30.000"
    workspace.table.trigger("forget_demands")
    assert index(workspace, "Air Force", WHAT_IF).data() == "40.952"


def test_a_word_is_chosen_from_the_list(workspace: DesignWorkspace) -> None:
    editor = open_editor(workspace, index(workspace, "Army", DEMAND))
    editor.setCurrentIndex(editor.findText("saturated"))
    editor.activated.emit(editor.currentIndex())
    assert index(workspace, "Army", DEMAND).data() == "saturated"
    assert index(workspace, "Army", WHAT_IF).data() == index(workspace, "Navy R&D", WHAT_IF).data()


def test_a_wrong_demand_stays_in_the_editor_with_what_is_allowed(workspace: DesignWorkspace) -> None:
    at = index(workspace, "Army", DEMAND)
    editor = open_editor(workspace, at)
    editor.setEditText("lots")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    table = workspace.what_if_panel.table
    assert table.indexWidget(at) is editor
    assert table.demands.readout.isVisible()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert index(workspace, "Army", DEMAND).data() == "4.19\xa0%"


def test_a_demand_below_a_group_opens_it(workspace: DesignWorkspace) -> None:
    workspace.what_if.set_demand(node(workspace, "p2107"), 0.0)
    assert index(workspace, "p2107", WHAT_IF).data() == "0.000"
    assert index(workspace, "Lab A2", DEMAND).data() == "saturated"
    with pytest.raises(LookupError):
        index(workspace, "Air Force", GROUP)


def test_the_tree_shows_demands_and_takes_them(workspace: DesignWorkspace) -> None:
    view = workspace.tree_view
    army = view.index_of(node(workspace, "Army"), TreeColumn.DEMAND)
    assert army.data() == "4.19\xa0%"
    assert view.index_of(node(workspace, "User"), TreeColumn.DEMAND).data() == "saturated"
    assert view.index_of(0, TreeColumn.DEMAND).data() is None
    view.edit_node(node(workspace, "Army"), TreeColumn.DEMAND)
    editor = view.indexWidget(army)
    assert isinstance(editor, QComboBox)
    keep(editor, "idle")
    assert army.data() == "idle"
    assert index(workspace, "Army", WHAT_IF).data() == "0.000"


def test_it_follows_shares_before_and_after_they_are_kept(workspace: DesignWorkspace) -> None:
    navy, air_force = node(workspace, "Navy R&D"), node(workspace, "Air Force")
    workspace.preview.show(((navy, 60), (air_force, 30)))
    tried = index(workspace, "Navy R&D", WHAT_IF).data()
    assert float(tried) == pytest.approx(2 * float(index(workspace, "Air Force", WHAT_IF).data()), abs=0.01)
    document = workspace.session.document
    assert document is not None
    document.edit("Set shares", [SetShares(((navy, 60),))])
    workspace.preview.clear()
    assert index(workspace, "Navy R&D", WHAT_IF).data() == tried
    document.stack.undo()
    assert index(workspace, "Navy R&D", WHAT_IF).data() == "40.952"


def test_the_map_hatches_what_is_not_used(workspace: DesignWorkspace) -> None:
    outlook = workspace.what_if.outlook
    assert outlook is not None
    row = outlook.flat.row_of[node(workspace, "Army")]
    assert outlook.unused_fraction(row) == pytest.approx(1 - 442.4701 / TOTAL / 0.19125)
    with_hatch = workspace.share_map.grab().toImage()
    workspace.what_if.show_in_map(False)
    assert workspace.share_map.grab().toImage() != with_hatch


def test_demands_of_the_running_machine(qtbot: QtBot, workspace: DesignWorkspace) -> None:
    """Three processes that never end cannot use more than three of sixteen processors."""
    session, panel = workspace.session, workspace.what_if_panel
    at = next(at for at in range(panel.source.count()) if panel.source.itemData(at) == MACHINE)
    panel.source.setCurrentIndex(at)
    panel.source.activated.emit(at)
    assert session.document is not None
    session.step(session.document.scenario.machine.ticks(1800))
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.time_s >= 1800)
    outlook = workspace.what_if.outlook
    assert outlook is not None
    qtbot.waitUntil(lambda: index(workspace, "Army", MEASURED).data() != "–")
    outlook = workspace.what_if.outlook
    assert outlook is not None
    rows = {name: outlook.flat.row_of[node(workspace, name)] for name in ("p1101", "Army", "Air Force")}
    assert outlook.demand(rows["p1101"]) == pytest.approx(8 / 16)
    assert outlook.result.wants_more(rows["Air Force"])
    assert not outlook.result.wants_more(rows["Army"])
    assert says(panel.sentence, "shares.cannot-use-its-and-leaves")
    assert panel.sentence.split()[0] in {"Army", "Staff", "System"}
    assert "Air Force" in panel.sentence


def test_below_1500_px_node_and_what_if_are_tabs(
    qtbot: QtBot, workspace: DesignWorkspace, window: ConsoleWindow
) -> None:
    assert not workspace.tabifiedDockWidgets(workspace.node_dock)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: workspace.what_if_dock in workspace.tabifiedDockWidgets(workspace.node_dock))
    workspace.show_what_if()
    table = workspace.what_if_panel.table
    qtbot.waitUntil(table.isVisible)
    qtbot.waitUntil(lambda: table.isColumnHidden(MEASURED))
    assert not table.isColumnHidden(DIFFERENCE)
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: not workspace.tabifiedDockWidgets(workspace.node_dock))


def reports(workspace: DesignWorkspace) -> dict[str, dict[str, float | None]]:
    """Limits by node name of every report, as a file of the document says them."""
    document = workspace.session.document
    assert document is not None
    scenario = parse_scenario(write_text(pruned(document.scenario)))
    return {
        report.title: {scenario.tree.node(one.node).name: one.limit for one in report.demands}
        for report in scenario.reports
    }


def keep_as(qtbot: QtBot, workspace: DesignWorkspace, title: str) -> None:
    """Press the button, type a title, press Enter."""
    QTest.mouseClick(workspace.what_if_panel.keep, Qt.MouseButton.LeftButton)
    dialog = workspace.findChild(KeepDialog)
    assert dialog is not None
    line = dialog.findChild(QLineEdit)
    assert line is not None
    qtbot.waitUntil(line.isVisible)
    line.selectAll()
    QTest.keyClicks(line, title)
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: workspace.findChild(KeepDialog) is None)


def test_typed_demands_are_kept_as_a_report_and_undone(qtbot: QtBot, workspace: DesignWorkspace) -> None:
    panel, document = workspace.what_if_panel, workspace.session.document
    assert document is not None
    assert not panel.keep.isVisible()
    keep(open_editor(workspace, index(workspace, "Navy R&D", DEMAND)), "20 %")
    keep_as(qtbot, workspace, "June, planned")
    assert panel.source.currentText() == "June, planned"
    assert not panel.keep.isVisible()
    assert document.is_modified
    assert document.changes[0].after == "7 demands"
    kept = reports(workspace)
    assert list(kept) == ["May 1995", "June, planned"]
    assert kept["June, planned"]["Navy R&D"] == 0.2
    assert kept["June, planned"]["Air Force"] is None
    assert kept["June, planned"]["Army"] == pytest.approx(TABLE["Army"] / TOTAL, abs=1e-6)
    assert index(workspace, "Navy R&D", MEASURED).data() == "35.12"
    document.stack.undo()
    assert list(reports(workspace)) == ["May 1995"]
    assert panel.source.currentText().split(", ") == ["May 1995", "changed"]
    assert index(workspace, "Navy R&D", WHAT_IF).data() == "20.000"
    document.stack.redo()
    assert list(reports(workspace)) == ["May 1995", "June, planned"]


def test_a_report_replaces_one_of_its_title_and_loses_nodes_with_the_tree(
    qtbot: QtBot, workspace: DesignWorkspace
) -> None:
    document = workspace.session.document
    assert document is not None
    keep(open_editor(workspace, index(workspace, "Army", DEMAND)), "idle")
    keep_as(qtbot, workspace, "May 1995")
    assert reports(workspace)["May 1995"]["Army"] == 0
    assert len(reports(workspace)) == 1
    document.edit("Remove", [Remove(node(workspace, "Army"))])
    assert "Army" not in reports(workspace)["May 1995"]
    document.stack.undo()
    document.stack.undo()
    assert reports(workspace)["May 1995"]["Army"] == pytest.approx(TABLE["Army"] / TOTAL, abs=1e-6)


def test_what_the_machine_was_seen_to_want_is_kept(qtbot: QtBot, workspace: DesignWorkspace) -> None:
    session, panel = workspace.session, workspace.what_if_panel
    panel.source.setCurrentText(MACHINE.title)
    panel.source.activated.emit(panel.source.currentIndex())
    assert not panel.keep.isVisible()
    session.step(60 * 20)
    qtbot.waitUntil(panel.keep.isVisible)
    before = [index(workspace, name, WHAT_IF).data() for name in TABLE]
    keep_as(qtbot, workspace, "Seen")
    assert set(TABLE) <= set(reports(workspace)["Seen"])
    assert [index(workspace, name, WHAT_IF).data() for name in TABLE] == before


def choose_rule(qtbot: QtBot, workspace: DesignWorkspace, title: str) -> None:
    """Choose a rule, and wait for what it gives."""
    box = workspace.what_if_panel.rule
    box.setCurrentText(title)
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: not workspace.what_if.note)


def test_another_rule_stands_beside_what_the_tree_gives(qtbot: QtBot, workspace: DesignWorkspace) -> None:
    panel, table = workspace.what_if_panel, workspace.what_if_panel.table
    assert table.isColumnHidden(BY_RULE)
    before = workspace.share_map.grab().toImage()
    choose_rule(qtbot, workspace, "KAI")
    assert not table.isColumnHidden(BY_RULE)
    assert index(workspace, "Navy R&D", WHAT_IF).data() == "40.952"
    assert float(index(workspace, "Navy R&D", BY_RULE).data()) == pytest.approx(40.95, abs=0.1)
    assert "over quota" in index(workspace, "Navy R&D", BY_RULE).data(Qt.ItemDataRole.ToolTipRole)
    assert workspace.share_map.grab().toImage() != before
    assert panel.rule_map.isVisible()
    assert not panel.ribbons.isVisible()
    outlook = workspace.what_if.outlook
    assert outlook is not None
    navy = next(
        box for box in panel.rule_map.boxes if outlook.flat.ids[box.row] == node(workspace, "Navy R&D")
    )
    whole = panel.rule_map.boxes[0]
    assert navy.w / whole.w == pytest.approx(0.4095, abs=0.001)
    at = QPoint(round(navy.x + navy.w / 2), round(navy.y + navy.h / 2))
    QTest.mouseClick(panel.rule_map, Qt.MouseButton.LeftButton, pos=at)
    assert workspace.session.selection == (node(workspace, "Navy R&D"),)
    assert "KAI: 4" in panel.rule_map.tip_of(node(workspace, "Navy R&D"))
    titles, *lines = cells(panel.rule_map.text_twin())
    assert titles == ["Node", "KAI", "Entitled", "Reason"]
    assert len(lines) == len(outlook.flat.ids)
    (line,) = (line for line in lines if line[0].endswith("Navy R&D"))
    assert (line[1][:4], line[2]) == ("40.9", "19.125\xa0%")
    assert "over quota" in line[3]
    assert description_of(panel.rule_map) == wording(
        "console.design.what_if.by-box-for-each-node",
        share=wording("console.design.share-of-machine-2"),
        title="KAI",
    )
    workspace.what_if.set_demand(node(workspace, "Navy R&D"), 0.1)
    qtbot.waitUntil(lambda: index(workspace, "Navy R&D", BY_RULE).data() == "10.000")
    choose_rule(qtbot, workspace, "Share")
    assert table.isColumnHidden(BY_RULE)
    assert "KAI" not in panel.sentence


def test_classic_fairshare_differs_and_the_dock_says_by_how_much(
    qtbot: QtBot, workspace: DesignWorkspace
) -> None:
    choose_rule(qtbot, workspace, "Slurm classic")
    assert says(workspace.what_if_panel.sentence, "app.tree.compared-with-share-gives", title="Slurm classic")
    assert "Ours: " in workspace.what_if_panel._sentence.toolTip()


def test_all_rules_stand_side_by_side_in_a_table_and_a_map_of_each(
    qtbot: QtBot, workspace: DesignWorkspace
) -> None:
    what_if = workspace.what_if
    what_if.set_demand(node(workspace, "Navy R&D"), 0.1)
    workspace.what_if_panel.all_rules.click()
    (dialog,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, RulesDialog)]
    assert dialog.model.cells(dialog.model.rows[0])[3] == "…"
    qtbot.waitUntil(lambda: dialog.is_done)
    outlook = what_if.outlook
    assert outlook is not None
    row = outlook.flat.row_of[node(workspace, "Navy R&D")]
    cells = dict(zip(dialog.model.titles, dialog.model.cells(row), strict=True))
    assert cells["Demand"] == "10.00\xa0%"
    assert [cells[rule.title] for rule in RULES] == ["10.00"] * 6
    lab = outlook.flat.row_of[node(workspace, "Lab N1")]
    labs = dict(zip(dialog.model.titles, dialog.model.cells(lab), strict=True))
    assert (labs["Share"], labs[wording("app.tree.elsewhere.slurm-fair-tree")]) == ("6.67", "6.67")
    assert float(labs["Slurm classic"]) < 6.5
    assert all(one.boxes for one in dialog.maps.values())
    captions = {name: one.text() for name, one in dialog._captions.items()}
    assert all("Ours: " in text for text in captions.values())
    assert says(captions["kueue"], "app.tree.elsewhere.no-queue-has-nominal-quota")
    dialog.table.select([row])
    assert workspace.session.selection == (node(workspace, "Navy R&D"),)
    dialog.copy.click()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[0].split("\t") == ["Node", "Demand", "Entitled", *(rule.title for rule in RULES)]
    assert len(lines) == len(outlook.flat)
    assert lines[1 + dialog.model.rows.index(row)].split("\t")[1] == "10.00 %"
    dialog.close()


def test_a_rule_that_cannot_divide_says_why(qtbot: QtBot, workspace: DesignWorkspace) -> None:
    document = workspace.session.document
    assert document is not None
    army = node(workspace, "Army")
    document.edit("Set quota", [SetField(army, "foreign", {"kueue.nominalQuota cpu x": "much"})])
    box = workspace.what_if_panel.rule
    box.setCurrentText("Kueue")
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(
        lambda: (
            "the ClusterQueues share no resource with a nominal quota above 0"
            in workspace.what_if_panel.sentence
        )
    )


def test_what_if_is_exported_as_a_report(
    qtbot: QtBot, workspace: DesignWorkspace, answers: Answers, tmp_path: Path
) -> None:
    answers.to_save = (tmp_path / "what-if.html", 1)
    workspace.commands.questions = answers
    with qtbot.waitSignals([workspace.session.message] * 2):
        assert workspace.table.trigger("what_if_report")
    text = (tmp_path / "what-if.html").read_text("utf-8")
    leaves = wording(
        "shares.cannot-use-its-and-leaves", name="Army", entitled="19.1\xa0%", amount="14.9 points"
    )
    takers = listed(["Navy R&amp;D", "Air Force"])
    assert text.partition(leaves)[2].lstrip().startswith(f"to {takers}.")
    assert "Measured, %" in text


def test_the_share_map_is_exported_as_a_picture(
    workspace: DesignWorkspace, answers: Answers, tmp_path: Path
) -> None:
    messages: list[str] = []
    workspace.session.message.connect(messages.append)
    workspace.commands.questions = answers
    answers.to_save = (tmp_path / "map", 2)
    assert workspace.table.trigger("export_map")
    assert (tmp_path / "map.pdf").read_bytes().startswith(b"%PDF")
    answers.to_save = (tmp_path / "map.svg", 0)
    assert workspace.table.trigger("export_map")
    assert "Navy R&amp;D" in (tmp_path / "map.svg").read_text("utf-8")
    answers.to_save = (tmp_path / "nowhere" / "map.png", 0)
    assert workspace.table.trigger("export_map")
    answer = [words.partition(" to ")[0] for words in messages[:2]]
    assert answer == ["map.pdf written", "map.svg written"]
    assert messages[2].startswith(wording("console.design.cannot-write", name="map.png", error=""))
