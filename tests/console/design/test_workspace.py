from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QScrollArea,
)
from pytestqt.qtbot import QtBot

from fsconsole.app.tree.share_entry import parse_shares
from fsconsole.app.tree.source import source_of
from fsconsole.console.design.columns import Column
from fsconsole.console.design.parameters_dialog import ParametersDialog
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.console.kit.forms import FaultLabel
from fsconsole.console.style.theme import colour
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.edits import Remove, SetShares
from fsconsole.shares.scenario.parameters import PARAMETERS, choices, default_of, parsed, written
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import MachineSpec, Scenario, settings_of
from fsconsole.shares.tree import Kind, ShareTree
from fsconsole.text import numbers
from fsconsole.text.words import count_words
from tests.texts import says, wording

Key, Modifier = Qt.Key, Qt.KeyboardModifier


def names(document: Document, group: str) -> list[str]:
    return [node.name for node in document.tree.children(document.tree.find(group).id)]


def select(workspace: DesignWorkspace, document: Document, *wanted: str) -> None:
    workspace.session.select([document.tree.find(name).id for name in wanted])
    workspace.table.refresh()


def finish_editor(qtbot: QtBot, workspace: DesignWorkspace, text: str) -> None:
    editor = workspace.tree_view.viewport().focusWidget()
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: workspace.tree_view.state() is not workspace.tree_view.State.EditingState)


def test_the_tree_is_edited_by_keys_alone(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    view = workspace.tree_view
    select(workspace, document, "p2104")
    QTest.keyClick(view, Key.Key_Insert)
    finish_editor(qtbot, workspace, "p2105")
    assert names(document, "Lab A1") == ["p2101", "p2104", "p2105", "p2107"]
    QTest.keyClick(view, Key.Key_Up, Modifier.AltModifier)
    assert names(document, "Lab A1") == ["p2101", "p2105", "p2104", "p2107"]
    QTest.keyClick(view, Key.Key_Left, Modifier.AltModifier)
    assert names(document, "Air Force") == ["Lab A1", "p2105", "Lab A2"]
    QTest.keyClick(view, Key.Key_Right, Modifier.AltModifier)
    assert names(document, "Lab A1")[-1] == "p2105"
    QTest.keyClick(view, Key.Key_D, Modifier.ControlModifier)
    assert names(document, "Lab A1")[-1] == "p2105 copy"
    QTest.keyClick(view, Key.Key_Delete)
    assert names(document, "Lab A1")[-1] == "p2105"
    QTest.keyClick(view, Key.Key_Z, Modifier.ControlModifier)
    assert names(document, "Lab A1")[-1] == "p2105 copy"
    select(workspace, document, "Lab A2")
    QTest.keyClick(view, Key.Key_Insert, Modifier.ShiftModifier)
    finish_editor(qtbot, workspace, "Team")
    assert document.tree.find("Team").kind is Kind.GROUP
    QTest.keyClick(view, Key.Key_F2)
    finish_editor(qtbot, workspace, "Team 1")
    assert names(document, "Lab A2") == ["Team 1"]


def test_alt_and_arrows_in_the_map_move_the_border(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    select(workspace, document, "Army")
    workspace.share_map.setFocus()
    QTest.keyClick(workspace.share_map, Key.Key_Right, Modifier.AltModifier)
    assert [document.tree.find(name).shares for name in ("Army", "Navy R&D")] == [31, 29]
    QTest.keyClick(workspace.share_map, Key.Key_Left, Modifier.AltModifier)
    assert [document.tree.find(name).shares for name in ("Army", "Navy R&D")] == [30, 30]


def test_a_subtree_is_copied_and_pasted_whole(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    document.tree.find("p2101").usage = 7.0
    select(workspace, document, "Lab A1")
    QTest.keyClick(workspace.tree_view, Key.Key_C, Modifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("Name\tKind\tShares\tNote\nLab A1\tgroup\t3\t\n")
    select(workspace, document, "Army")
    QTest.keyClick(workspace.tree_view, Key.Key_V, Modifier.ControlModifier)
    assert names(document, "Army") == ["Lab A1"]
    army = document.tree.find("Army").id
    copied = document.tree.child_named(document.tree.children(army)[0].id, "p2101")
    assert copied is not None
    assert copied.usage == 7.0
    assert document.stack.count() == 1


def test_rows_of_a_spreadsheet_are_checked_first(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    select(workspace, document, "Army")
    QGuiApplication.clipboard().setText("u1\tuser\t5\nu2\tuser\tmany\n")
    QTest.keyClick(workspace.tree_view, Key.Key_V, Modifier.ControlModifier)
    box = workspace.findChild(QMessageBox)
    assert isinstance(box, QMessageBox)
    assert box.informativeText().startswith("Line 2:")
    assert says(box.informativeText(), "app.tree.is-not-number-of-shares", text="'many'")
    box.close()
    assert document.stack.count() == 0
    QGuiApplication.clipboard().setText("u1\tuser\t5\nu2\tuser\t6\n")
    workspace.tree_view.setFocus()
    QTest.keyClick(workspace.tree_view, Key.Key_V, Modifier.ControlModifier)
    assert names(document, "Army") == ["u1", "u2"]


def test_what_is_pasted_can_be_seen(qtbot: QtBot, workspace: DesignWorkspace, document: Document) -> None:
    view = workspace.tree_view
    for round_ in range(3):
        select(workspace, document, "DoD")
        rows = "".join(f"u{round_}{number}\t{number}\n" for number in range(6))
        QGuiApplication.clipboard().setText(rows)
        QTest.keyClick(view, Key.Key_V, Modifier.ControlModifier)
        added = [document.tree.find(f"u{round_}{number}").id for number in range(6)]
        assert list(workspace.session.selection) == added
        for node in (added[0], added[-1]):
            assert view.viewport().rect().contains(view.visualRect(view.index_of(node)))


def test_find_as_you_type(qtbot: QtBot, workspace: DesignWorkspace, document: Document) -> None:
    QTest.keyClick(workspace.tree_view, Key.Key_F, Modifier.ControlModifier)
    QTest.keyClicks(workspace.controls.search, "2107")
    assert not workspace.tree_view.index_of(document.tree.find("p2101").id).isValid()
    QTest.keyClick(workspace.controls.search, Key.Key_Return)
    assert workspace.session.selection == (document.tree.find("p2107").id,)
    workspace.controls.search.setFocus()
    QTest.keyClick(workspace.controls.search, Key.Key_Escape)
    assert workspace.tree_view.index_of(document.tree.find("p2101").id).isValid()
    assert workspace.tree_view.hasFocus()


def test_a_search_without_a_hit_says_so(qtbot: QtBot, workspace: DesignWorkspace, document: Document) -> None:
    search, view = workspace.controls.search, workspace.tree_view
    QTest.keyClick(view, Key.Key_F, Modifier.ControlModifier)
    QTest.keyClicks(search, "p9")
    assert view.tree_model.rowCount() == 0
    [show_all] = [button for button in view.findChildren(QPushButton) if button.isVisible()]
    QTest.mouseClick(show_all, Qt.MouseButton.LeftButton)
    assert (search.text(), view.tree_model.rowCount(), show_all.isVisible()) == ("", 1, False)
    assert view.hasFocus()
    QTest.keyClicks(search, "p9")
    workspace.table.trigger("add_group")
    finish_editor(qtbot, workspace, "p9")
    assert search.text() == ""
    assert workspace.session.selection == (document.tree.find("p9").id,)


def test_changes_in_words_and_undo_to_here(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    army, navy = document.tree.find("Army").id, document.tree.find("Navy R&D").id
    document.edit("Set shares", [SetShares(((army, 26), (navy, 34)))])
    document.edit("Set shares", [SetShares.of(army, 27)])
    document.edit("Set shares", [SetShares.of(army, 28)])
    changes = workspace.changes
    model = changes.model()
    assert model.rowCount() == 3
    first = [model.index(2, column).data() for column in range(5)]
    assert [cell.split(", ") for cell in first] == [
        ["Set shares"],
        ["Army", "Navy R&D"],
        ["30", "30"],
        ["26", "34"],
        ["−2.55", "+2.55"],
    ]
    changes.setCurrentIndex(model.index(2, 0))
    changes.undo_to_here()
    assert document.tree.node(army).shares == 26
    assert model.rowCount() == 1
    changes.clicked.emit(model.index(0, 0))
    assert workspace.session.selection == (army, navy)
    document.stack.setClean()
    assert model.rowCount() == 0


def test_the_changes_say_what_a_restored_copy_is(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document, tmp_path: Path
) -> None:
    changes, model = workspace.changes, workspace.changes.model()
    army = document.tree.find("Army").id
    document.mark_restored()
    assert model.index(0, 0).data() == wording("console.design.restored-copy-document-differs-from")
    assert changes.isFirstColumnSpanned(0, QModelIndex())
    document.edit("Set shares", [SetShares.of(army, 26)])
    document.edit("Set shares", [SetShares.of(army, 27)])
    assert [model.index(row, 0).data()[:8] for row in range(3)] == ["Set shar", "Set shar", "Restored"]
    changes.setCurrentIndex(model.index(2, 0))
    changes.undo_to_here()
    assert document.tree.node(army).shares == 30
    document.stack.redo()
    document.mark_saved(tmp_path / "kept.yaml", "")
    assert model.rowCount() == 0
    document.stack.undo()
    texts = [label.text() for label in changes.findChildren(QLabel) if label.isVisible()]
    assert texts == ["1 " + wording("console.design.saved-change-is-undone")]
    # The header of Problems follows a file that got another name.
    header = workspace.bottom_dock.header
    qtbot.waitUntil(lambda: any(one.text() == "kept.yaml" for one in header.findChildren(QLabel)))


def test_problems_jump_to_the_node_and_its_line(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    problems = workspace.bottom.problems
    for model in (problems.rows, workspace.changes.rows):
        QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    p2101 = document.tree.find("p2101").id
    document.edit("Set shares", [SetShares.of(p2101, 0)])
    qtbot.waitUntil(lambda: any(row.node == p2101 for row in _rows(workspace)))
    at = next(at for at, row in enumerate(_rows(workspace)) if row.node == p2101)
    assert "zero shares" in _rows(workspace)[at].text
    problems.clicked.emit(problems.model().index(at, 0))
    assert workspace.session.selection == (p2101,)
    source = workspace.bottom.source
    workspace.bottom.tabs.setCurrentIndex(1)
    line = source.toPlainText().split("\n")[_rows(workspace)[at].line - 1]
    assert "p2101" in line
    assert source.extraSelections()
    note = workspace.tree_view.tree_model.index_of(p2101, Column.NOTE)
    assert "zero shares" in note.data()


def _rows(workspace: DesignWorkspace) -> tuple[Problem, ...]:
    return tuple(workspace.bottom.problems.rows.rows)


@pytest.mark.parametrize("name", ["convex-series-1", "navoceano-c916", "slurm-lab"])
def test_lines_of_the_source_are_those_of_the_nodes(name: str) -> None:
    scenario = read_scenario(examples() / f"{name}.yaml")
    source = source_of(scenario)
    lines = source.text.split("\n")
    assert len(source.lines) == len(scenario.tree)
    for node in scenario.tree.walk():
        assert node.name in lines[source.line_of(node.id) - 1]


def test_the_node_in_full(qtbot: QtBot, workspace: DesignWorkspace, document: Document) -> None:
    panel = workspace.node_panel
    select(workspace, document, "p2101")
    shares = panel.editor("Shares")
    shares.setFocus()
    shares.selectAll()
    QTest.keyClicks(shares, "4")
    QTest.keyClick(shares, Key.Key_Return)
    assert document.tree.find("p2101").shares == 4
    last_use = panel.editor("Last use")
    QTest.keyClicks(last_use, "2 h")
    QTest.keyClick(last_use, Key.Key_Return)
    assert document.tree.find("p2101").last_use_s == -7200
    usage = panel.editor("Usage at start")
    usage.selectAll()
    QTest.keyClicks(usage, "much")
    QTest.keyClick(usage, Key.Key_Return)
    assert says(panel.fault, "console.design.is-not-amount-write-number")
    fault = next(one for one in panel.findChildren(FaultLabel) if one.text() == panel.fault)
    qtbot.waitUntil(lambda: not fault.visibleRegion().isEmpty())
    assert usage.y() < fault.y() < panel.editor(wording("console.design.charge-at-start")).y()
    assert usage.property("look") == "error"
    select(workspace, document, "Army")
    assert panel.fault == ""
    assert not usage.isVisible()
    panel.system.setFocus()
    QTest.keyClick(panel.system, Key.Key_Space)
    assert document.tree.find("Army").system
    document.stack.undo()
    assert not panel.system.isChecked()


def test_shares_of_the_node_are_shown_while_they_are_typed(
    workspace: DesignWorkspace, document: Document
) -> None:
    """A percentage is of the group, and rounded to whole shares: the share of group is that of the shares."""
    panel, preview = workspace.node_panel, workspace.preview
    select(workspace, document, "Army")
    army = document.tree.find("Army")
    shares = panel.editor("Shares")
    shares.setFocus()
    shares.selectAll()
    QTest.keyClicks(shares, "31 %")
    tried = parse_shares("31 %", document.tree, army.id)
    assert preview.pairs == ((army.id, tried),)
    part = preview.shown.part_of_group(army.id)
    assert part != pytest.approx(0.31, abs=1e-4)
    found = panel.findChildren(QLabel)
    words = f"{numbers.percent(part, numbers.PERCENT_OF_GROUP_DIGITS)} by {count_words(tried, 'share')}"
    assert words in [label.text() for label in found]
    assert document.tree.find("Army").shares == army.shares
    QTest.keyClicks(shares, "x")
    assert not preview.tries(army.id)
    QTest.keyClick(shares, Key.Key_Backspace)
    QTest.keyClick(shares, Key.Key_Return)
    assert document.tree.find("Army").shares == tried
    assert not preview.tries(army.id)


def test_a_dragged_border_shows_in_the_node_and_is_reported_once(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    army = document.tree.find("Army")
    share_map, shares = workspace.share_map, workspace.node_panel.editor("Shares")
    border = share_map.layout_of_boxes.boundary_right_of(document.flat.row_of[army.id])
    assert border is not None
    middle = round(border.left.y + border.left.h / 2)
    messages: list[str] = []
    workspace.session.message.connect(messages.append)
    QTest.mousePress(share_map, Qt.MouseButton.LeftButton, pos=QPoint(round(border.x), middle))
    QTest.mouseMove(share_map, QPoint(round(border.x - border.left.w / 6), middle))
    tried = workspace.preview.shares(army.id)
    assert tried < army.shares
    assert shares.text() == str(tried)
    assert messages[-1] == wording("console.design.dragging-boundary", label="Army", label_2="Navy R&D")
    assert "ragging" not in workspace.status_text()
    QTest.keyClick(share_map, Key.Key_Escape)
    assert shares.text() == str(army.shares)
    assert messages[-1] == ""
    QTest.mouseRelease(share_map, Qt.MouseButton.LeftButton)


def test_the_pointer_is_shown_in_tree_and_map_alike(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    view, share_map, navy = workspace.tree_view, workspace.share_map, document.tree.find("Navy R&D").id
    row = view.visualRect(view.index_of(navy))
    elsewhere = QPoint(row.right() - 6, row.center().y())  # beside the name

    def ink() -> str:
        return view.viewport().grab().toImage().pixelColor(elsewhere).name()

    def point_at_box() -> None:
        """Where it is by now: docks take their sizes after they are shown."""
        box = share_map.layout_of_boxes.of_row(document.flat.row_of[navy])
        assert box is not None
        QTest.mouseMove(share_map, QPoint(round(box.x + box.w / 2), round(box.y + box.h / 2)))

    def is_lit() -> bool:
        point_at_box()
        return ink() == colour("hover").name() != plain

    plain = ink()
    qtbot.waitUntil(is_lit)
    QApplication.sendEvent(share_map, QEvent(QEvent.Type.Leave))
    assert ink() == plain
    with qtbot.waitSignal(view.hovered) as signal:
        QTest.mouseMove(view.viewport(), row.center())
    assert signal.args == [navy]


def test_parameters_are_checked_and_set_as_one_change(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    workspace.table.trigger("parameters")
    dialog = workspace.findChild(ParametersDialog)
    assert isinstance(dialog, ParametersDialog)
    half_life = cast("QLineEdit", dialog.field("policy.half_life_s"))
    assert half_life.text() == "120 s"
    half_life.setText("soon")
    assert "soon" in dialog.fault("policy.half_life_s")
    assert not dialog.set_button.isEnabled()
    half_life.setText("8 h")
    delta = cast("QLineEdit", dialog.field("policy.delta_s"))
    delta.setText("0.7 ms")
    assert dialog.fault("policy.delta_s").startswith("policy.delta_s: ")
    assert says(dialog.fault("policy.delta_s"), "shares.scenario.needs-whole-number-of-ticks")
    assert dialog.fault("policy.delta_s").endswith(".")
    delta.setText("2 s")
    cast("QComboBox", dialog.field("policy.adjgroups")).setCurrentText("share")
    dialog.accept()
    assert document.settings["policy.half_life_s"] == 28_800.0
    assert document.settings["policy.delta_s"] == 2.0
    assert document.settings["policy.adjgroups"] == "share"
    assert document.stack.count() == 1
    document.stack.undo()
    assert document.settings["policy.half_life_s"] == 120.0


def test_parameters_follow_others_beside_what_is_entered(
    workspace: DesignWorkspace, document: Document
) -> None:
    workspace.table.trigger("parameters")
    dialog = workspace.findChild(ParametersDialog)
    assert isinstance(dialog, ParametersDialog)
    half_life = cast("QLineEdit", dialog.field("policy.half_life_s"))
    half_life.setText("8 h")
    document.set_settings({"policy.half_life_s": 60.0, "policy.delta_s": 2.0}, "Outside")
    assert half_life.text() == "8 h"
    dialog.accept()
    assert (document.settings["policy.half_life_s"], document.settings["policy.delta_s"]) == (28_800.0, 2.0)


def test_all_of_the_parameters_is_seen_in_a_narrow_dialog(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    document.set_settings({"memory.size_mw": 60.0, "memory.sds_mw": 256.0})  # Bold: the widest name.
    dialog = ParametersDialog(document, workspace)
    qtbot.addWidget(dialog)
    dialog.show()
    bar = dialog.findChildren(QScrollArea)[0].horizontalScrollBar()
    for width in (1240, 800):
        dialog.resize(width, 600)
        qtbot.waitUntil(lambda: bar.maximum() == 0)
    cast("QLineEdit", dialog.field("policy.half_life_s")).setText("a very long text that is not a time " * 4)
    qtbot.waitUntil(lambda: bool(dialog.fault("policy.half_life_s")))
    QApplication.sendPostedEvents()
    assert bar.maximum() == 0


def test_the_dialog_names_keys_and_keeps_digits_that_it_does_not_show(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    document.set_settings({"machine.k2": 0.01})
    dialog = ParametersDialog(document, workspace)
    qtbot.addWidget(dialog)
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    assert set(document.settings) <= shown
    assert "s" not in shown
    assert not any("^" in text for text in shown)
    dialog.defaults_button.click()
    k2 = cast("QLineEdit", dialog.field("machine.k2"))
    assert k2.text() == "0.0149775"
    dialog.accept()
    assert document.settings["machine.k2"] == MachineSpec().k2


def test_parameters_are_found_marked_reset_and_say_what_they_do(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    workspace.table.trigger("parameters")
    dialog = workspace.findChild(ParametersDialog)
    assert isinstance(dialog, ParametersDialog)
    QTest.keyClicks(dialog.search, "half-life usage")
    shown = [one.key for one in PARAMETERS if dialog.field(one.key).isVisible()]
    assert shown == ["policy.half_life_s", "policy.level_half_lives_s"]
    fields = [dialog.field(key) for key in shown]
    qtbot.waitUntil(lambda: fields[1].y() - fields[0].y() < 4 * fields[0].height())
    QTest.keyClick(dialog.search, Key.Key_Return)
    row = dialog.row("policy.half_life_s")
    assert dialog.focusWidget() is row.field
    assert says(row.effect, "app.cpu-time-from-ago-counts", half_s="120 s", half_s_2="240 s")
    assert not row.reset.isVisible()
    cast("QLineEdit", row.field).setText("8 h")
    assert says(row.effect, "app.cpu-time-from-ago-counts", half_s="8 h")
    assert row.reset.isVisible()
    dialog.search.clear()
    dialog.changed_only.fill(True)
    shown = [one.key for one in PARAMETERS if dialog.field(one.key).isVisible()]
    assert shown == ["policy.half_life_s"]
    assert dialog.sections.item(2).text() == "Policy (1)"
    QTest.mouseClick(row.reset, Qt.MouseButton.LeftButton)
    assert cast("QLineEdit", row.field).text() == "120 s"
    assert not row.reset.isVisible()


def test_every_setting_has_a_parameter_that_reads_its_default_back() -> None:
    assert {one.key for one in PARAMETERS} == set(settings_of(MachineSpec(), PolicySpec()))
    for parameter in PARAMETERS:
        text = written(parameter, default_of(parameter))
        default = default_of(parameter)
        assert parsed(parameter, text) == (
            pytest.approx(default, rel=1e-5) if isinstance(default, float) else default
        )
        assert len(text) <= 20
        assert not choices(parameter) or text in choices(parameter)


def test_words_and_fields_have_their_room(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    edit, severity = workspace.changes, workspace.bottom.problems
    assert edit.columnWidth(0) >= edit.fontMetrics().horizontalAdvance("Set parameters") + 6
    assert edit.columnWidth(5) >= edit.fontMetrics().horizontalAdvance("00:00") + 12
    assert edit.columnWidth(5) < edit.columnWidth(1)
    assert severity.columnWidth(0) >= severity.fontMetrics().horizontalAdvance("Warning") + 16 + 12
    widths = set()
    for shares in (1, 90_000):
        document.edit("Set shares", [SetShares.of(document.tree.find("p2101").id, shares)])
        for name in ("Machine", "p2104"):
            select(workspace, document, name)
            QApplication.processEvents()
            widths.add(workspace.node_panel.editor("Shares").width())
    assert len(widths) == 1


def test_narrow_windows_take_changes_into_the_tabs(
    qtbot: QtBot, workspace: DesignWorkspace, window: ConsoleWindow, document: Document
) -> None:
    document.edit("Set shares", [SetShares.of(document.tree.find("Army").id, 5)])
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: workspace.bottom.tabs.count() == 4)
    assert workspace.bottom.tabs.tabText(3) == "Changes 1"
    assert not workspace.changes_dock.isVisible()
    assert workspace.tree_view.isColumnHidden(Column.NOTE)
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: workspace.bottom.tabs.count() == 3)
    qtbot.waitUntil(workspace.changes.isVisible)
    assert not workspace.tree_view.isColumnHidden(Column.NOTE)


def test_an_empty_tree_offers_a_group(qtbot: QtBot, workspace: DesignWorkspace, document: Document) -> None:
    for node in list(document.tree.children(0)):
        document.edit("Remove", [Remove(node.id)])
    assert workspace.session.selection == ()
    workspace.editing.add_group()
    assert len(document.tree) == 2


def test_nothing_open(qtbot: QtBot, workspace: DesignWorkspace) -> None:
    workspace.session.open(None)
    for command in ("add_user", "duplicate_node", "paste_nodes", "find_node"):
        assert not workspace.table.trigger(command)
    workspace.share_map.grab()
    workspace.tree_view.grab()
    assert workspace.status_text() == ""


def test_every_control_has_a_name(workspace: DesignWorkspace) -> None:
    for widget in QApplication.allWidgets():
        takes_focus = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isVisible()
        if takes_focus and workspace.isAncestorOf(widget):
            assert widget.accessibleName() or getattr(widget, "text", str)(), widget


def test_a_lone_root_is_counted_and_told_as_what_it_is(workspace: DesignWorkspace) -> None:
    workspace.session.open(Document(Scenario(ShareTree("root", 100))))
    assert workspace.status_text().split(", ")[:2] == ["1 node", "1 level"]
    outlook = workspace.what_if.outlook
    assert outlook is not None
    assert outlook.sentences == [wording("app.tree.tree-has-no-users-add")]
    assert outlook.unused_fraction(0) == 0.0  # what the map hatches
    workspace.editing.add_group()
    assert workspace.status_text().split()[:4] == ["2", "nodes,", "2", "levels"]
