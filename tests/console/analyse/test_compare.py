"""Compare: rows are filled in, run beside the window, and shown as curves and differences."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.app.comparison import compare_sources
from fsconsole.app.runs.diff import largest_first
from fsconsole.app.runs.diff_words import sentences
from fsconsole.cli.main import run as run_command
from fsconsole.console.actions import ActionTable
from fsconsole.console.analyse.compare import controller
from fsconsole.console.analyse.compare.controller import CompareController
from fsconsole.console.analyse.compare.variant_row import RECORDED, Row
from fsconsole.console.analyse.workspace import AnalyseWorkspace
from fsconsole.console.document import Document
from fsconsole.console.export_dialog import ExportDialog
from fsconsole.console.session import ConsoleSession
from fsconsole.experiments.comparing import DASHES, Variant
from fsconsole.experiments.experiment import Asked, Cancelled, Progress
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.text import numbers
from tests.console.conftest import Answers
from tests.texts import says, wording

Role = Qt.ItemDataRole


@pytest.fixture
def workspace(qtbot: QtBot, empty_session: ConsoleSession) -> Iterator[AnalyseWorkspace]:
    path = examples() / "two-organisations.yaml"
    empty_session.open(Document(read_scenario(path), name=path.name))
    frame = QWidget()
    qtbot.addWidget(frame)
    made = AnalyseWorkspace(empty_session, ActionTable(frame))
    qtbot.addWidget(made)
    made.add_actions()
    made.resize(1400, 800)
    made.show()
    made.table.trigger("analyse.compare")
    qtbot.waitUntil(lambda: made.is_comparing)
    yield made
    made.compare_controller.cancel()
    made.experiment_controller.runner.close()


@pytest.fixture
def compare_controller(workspace: AnalyseWorkspace) -> CompareController:
    return workspace.compare_controller


def run(qtbot: QtBot, compare_controller: CompareController) -> None:
    QTest.mouseClick(compare_controller.form.run, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not compare_controller.is_running)
    assert compare_controller.comparison is not None


def simulated(*arguments: str) -> int:
    """Exit status of a command, of a minute."""
    return run_command([*arguments, "--until", "60"])


def row_named(compare_controller: CompareController, name: str) -> QModelIndex:
    model = compare_controller.differences.view.model()
    names = [str(model.index(row, 0).data()).strip() for row in range(model.rowCount())]
    return model.index(names.index(name), 0)


def drawn(compare_controller: CompareController) -> list[str]:
    spec = compare_controller.plot.figures.spec
    return [] if spec is None else [curve.name for curve in spec.curves]


def held(started: threading.Event) -> Any:
    """A comparison that goes on until it is cancelled."""

    def hold(*_: object, progress: Progress, cancelled: Asked, **_more: object) -> None:
        progress(0.4)
        started.set()
        while not cancelled():
            threading.Event().wait(0.005)
        raise Cancelled

    return hold


def test_a_preset_fills_the_rows_and_its_run_gives_curves_and_differences(
    qtbot: QtBot, compare_controller: CompareController
) -> None:
    compare_controller.form.presets.actions()[0].trigger()
    assert [row.settings.text() for row in compare_controller.form.rows] == [
        "policy.adjgroups=off", "policy.adjgroups=share", "policy.adjgroups=integral", "",
    ]  # fmt: skip
    assert not compare_controller.form.rows[3].is_run
    run(qtbot, compare_controller)
    spec = compare_controller.plot.figures.spec
    assert spec is not None
    assert [one.split() for one in spec.caption.split(", ")] == [
        ["A", "share", "adjgroups=off"],
        ["B", "share", "adjgroups=share"],
        ["C", "share", "adjgroups=integral"],
    ]
    assert [curve.name for curve in spec.curves[:3]] == ["A (A)", "A (B)", "A (C)"]
    assert tuple(curve.dash for curve in spec.curves[:3]) == DASHES[:3]
    assert spec.curves[0].colour == compare_controller.plot._session.curves.style(1).colour_token
    model = compare_controller.differences.model
    titles = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    assert titles[:4] == ["Node", "A", "B", "C"]
    assert [title.split() for title in titles[4:]] == [[name, "\N{MINUS SIGN}", "A"] for name in "BC"]
    tip = model.headerData(1, Qt.Orientation.Horizontal, Role.ToolTipRole)
    assert says(tip, "console.analyse.compare.cpu-with-variant-in", letter="A")
    assert "adjgroups=off" in tip
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)


def test_the_table_counts_over_the_range_typed(qtbot: QtBot, compare_controller: CompareController) -> None:
    run(qtbot, compare_controller)
    compare_controller.differences.until.setText("30 min")
    u4 = row_named(compare_controller, "u4")
    assert [u4.siblingAtColumn(column).data() for column in (1, 2, 3)] == ["100.0", "100.0", "0.0"]
    assert compare_controller.differences.counted == wording(
        "console.analyse.compare.of-cpu-time-used-from", start="00:00:00", end="00:30:00"
    )
    compare_controller.differences.since.setText("40 min")
    assert says(compare_controller.differences.counted, "console.analyse.compare.from-must-be-earlier-than")


def test_a_click_on_a_header_sorts_and_the_table_is_copied_as_shown(
    qtbot: QtBot, workspace: AnalyseWorkspace, compare_controller: CompareController
) -> None:
    run(qtbot, compare_controller)
    compare_controller.differences.until.setText("30 min")
    compare_controller.differences.view.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    workspace.table.trigger("analyse.compare_copy")
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[0][:2] == [
        "Node",
        wording("console.analyse.compare.cpu-with-variant-in", letter="A", name="unchanged"),
    ]
    assert sorted(line[0] for line in lines[1:3]) == ["root/B", "root/B/u4"]
    assert lines[1][1:] == ["100", "100", "0"]


def test_wrong_settings_are_reported_below_their_field_and_nothing_can_run(
    compare_controller: CompareController,
) -> None:
    row = compare_controller.form.rows[0]
    row.settings.setText("policy.adjgrups=off")
    assert "policy.adjgroups" in row.fault.text()
    assert not row.fault.isHidden()
    assert not compare_controller.form.run.isEnabled()
    row.settings.setText("policy.nu=0.5")
    needs = wording("shares.scenario.needs-number-to", first="above", lowest="1", highest="100", unit="")
    assert f"policy.nu: {needs.rstrip()}" in row.fault.text()
    row.settings.setText("policy.nu=1.5")
    assert row.fault.isHidden()
    assert compare_controller.form.run.isEnabled()
    compare_controller.form.until.setText("soon")
    assert not compare_controller.form.run.isEnabled()


def test_cancel_leaves_what_was_compared_before(
    qtbot: QtBot,
    workspace: AnalyseWorkspace,
    compare_controller: CompareController,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run(qtbot, compare_controller)
    messages: list[str] = []
    workspace.session.message.connect(messages.append)
    before, started = compare_controller.comparison, threading.Event()
    monkeypatch.setattr(controller, "compare_sources", held(started))
    compare_controller.run()
    qtbot.waitUntil(lambda: compare_controller.form.progress.text() == "Running, 40\xa0%")
    assert workspace.table.qaction("analyse.compare_cancel").isEnabled()
    QTest.mouseClick(compare_controller.form.cancel, Qt.MouseButton.LeftButton)
    assert not compare_controller.is_running
    assert compare_controller.comparison is before
    assert before is not None
    (message,) = messages
    cancelled, stays = message.split(". ")
    assert cancelled == "Comparison cancelled"
    assert stays == f"{before.legend()} stays."
    assert compare_controller.form.run.isVisible()


def test_what_cannot_be_run_is_reported_above_the_plot(
    qtbot: QtBot, compare_controller: CompareController, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = OSError("no room for so many samples")

    def fail(_scenario: Scenario, _variants: Sequence[Variant], _until_s: float, **_: object) -> None:
        raise error

    monkeypatch.setattr(controller, "compare_sources", fail)
    compare_controller.run()
    qtbot.waitUntil(lambda: not compare_controller.is_running)
    assert str(error) in compare_controller.centre._error.text
    monkeypatch.setattr(controller, "compare_sources", compare_sources)
    retry = compare_controller.centre._error.findChild(QPushButton, "Retry")
    assert isinstance(retry, QPushButton)
    QTest.mouseClick(retry, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: compare_controller.comparison is not None)
    assert compare_controller.centre._error.isHidden()


def test_a_change_of_the_document_is_noted_until_it_is_undone(
    qtbot: QtBot, empty_session: ConsoleSession, compare_controller: CompareController
) -> None:
    run(qtbot, compare_controller)
    document = empty_session.document
    assert document is not None
    assert compare_controller.plot.remark == ""
    document.set_settings({"policy.half_life_s": 60.0})
    assert compare_controller.plot.remark == wording(
        "console.analyse.compare.document-has-changed-since-this"
    )
    document.stack.undo()
    assert compare_controller.plot.remark == ""


def test_a_row_of_the_table_selects_its_node_and_the_plot_follows(
    qtbot: QtBot, empty_session: ConsoleSession, compare_controller: CompareController
) -> None:
    run(qtbot, compare_controller)
    compare_controller.plot.whose.choose("selected")
    assert drawn(compare_controller) == []
    assert says(compare_controller.plot.remark, "console.analyse.compare.no-node-selected-click-row")
    view, u3 = compare_controller.differences.view, row_named(compare_controller, "u3")
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(u3.siblingAtColumn(1)).center()
    )
    assert len(empty_session.selection) == 1
    assert drawn(compare_controller) == ["u3 (A)", "u3 (B)"]


def test_the_compared_figure_is_the_one_that_is_exported(
    qtbot: QtBot, workspace: AnalyseWorkspace, compare_controller: CompareController
) -> None:
    assert not workspace.table.qaction("analyse.export").isEnabled()
    run(qtbot, compare_controller)
    workspace.export_figure()
    dialog = workspace.findChild(ExportDialog)
    assert dialog is not None
    assert dialog.spec is compare_controller.plot.figures.spec
    dialog.reject()


def test_the_tab_of_the_experiments_brings_them_back(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    workspace.experiments_dock.raise_()
    qtbot.waitUntil(lambda: not workspace.is_comparing)
    qtbot.waitUntil(workspace.experiment_controller.claims.isVisible)


def test_another_document_has_not_been_compared(
    qtbot: QtBot, empty_session: ConsoleSession, compare_controller: CompareController
) -> None:
    run(qtbot, compare_controller)
    empty_session.open(Document(read_scenario(examples() / "convex-series-1.yaml")))
    assert compare_controller.comparison is None
    assert compare_controller.form.until.text() == "20 min"
    empty_session.open(None)
    assert not compare_controller.form.run.isEnabled()


def test_recorded_runs_are_compared_with_what_differs_shaded(
    qtbot: QtBot, workspace: AnalyseWorkspace, compare_controller: CompareController, tmp_path: Path
) -> None:
    for name, half_life in (("a.run", "30 s"), ("b.run", "8 h")):
        changed, out = ("--set", f"policy.half_life_s={half_life}"), ("--out", str(tmp_path / name))
        assert simulated("simulate", str(examples() / "two-organisations.yaml"), *changed, *out) == 0
    form = compare_controller.form
    form.rows[0].policy.fill(RECORDED)
    assert not form.run.isEnabled()
    QTest.keyClicks(form.rows[0].settings, str(tmp_path / "missing.run"))
    assert "missing.run" in form.rows[0].fault.text()
    form.rows[0].show_row(Row(RECORDED, str(tmp_path / "a.run")))
    form.rows[1].show_row(Row(RECORDED, str(tmp_path / "b.run")))
    run(qtbot, compare_controller)
    assert says(compare_controller.plot.remark, "app.runs.first-difference-at")
    comparison = compare_controller.comparison
    assert comparison is not None
    node = comparison.tree.find("u4").id
    a, b = comparison.figure("normalised_usage", (node,), leave_out_system=False).curves
    assert a.band == ()
    for edge, wanted in zip(b.band, (a.y, b.y), strict=True):
        assert np.array_equal(edge, wanted)
    workspace.session.document.set_settings({"policy.half_life_s": 60.0})  # type: ignore[union-attr]
    assert "has changed" not in compare_controller.plot.remark
    found, differences = comparison.diff, compare_controller.differences
    assert found is not None
    QTest.mouseClick(differences.page.button("runs"), Qt.MouseButton.LeftButton)
    assert differences.of_runs.table.isVisible()
    first = differences.of_runs.model.rows[0]
    assert first == largest_first(found.samples)[0]
    assert found.samples.weight(first) == max(map(found.samples.weight, found.samples.largest.values()))
    assert "Half-life of usage: 30 s \N{RIGHTWARDS ARROW} 8 h" in differences.of_runs.words.text()
    workspace.table.trigger("analyse.compare_copy")
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == len(list(sentences(found))) + 1 + len(found.samples.largest)
    assert any(" %\t" in line for line in lines)
    assert not any(numbers.PERCENT in line for line in lines)
    form.rows[1].show_row(Row("flat"))
    run(qtbot, compare_controller)
    assert not differences.page.isVisible()
    assert differences.view.isVisible()


def test_what_is_counted_is_what_both_runs_have(
    qtbot: QtBot, compare_controller: CompareController, tmp_path: Path
) -> None:
    a, b = str(tmp_path / "a.run"), str(tmp_path / "b.run")
    assert simulated("simulate", str(examples() / "two-organisations.yaml"), "--out", a) == 0
    assert run_command(["run", "branch", a, "--at", "40s", "--until", "90s", "--out", b]) == 0
    compare_controller.form.fill([Row(RECORDED, a), Row(RECORDED, b)])
    compare_controller.form.until.setText("2 min")
    run(qtbot, compare_controller)
    differences = compare_controller.differences
    assert (differences.since.text(), differences.until.text()) == ("40 s", "60 s")
    assert differences.counted == wording(
        "console.analyse.compare.of-cpu-time-used-from", start="00:00:40", end="00:01:00"
    )
    differences.since.setText("70 s")
    differences.until.setText("80 s")
    start, end = "00:00:40", "00:01:00"
    assert says(differences.counted, "console.analyse.compare.no-samples-in-this-time")
    assert re.findall(r"[\d:]{8}", differences.counted) == [start, end]
    assert differences.model.rows == ()


def test_a_run_of_another_tree_leaves_the_curves_of_the_first(
    qtbot: QtBot, compare_controller: CompareController, tmp_path: Path
) -> None:
    out = tmp_path / "other.run"
    assert simulated("simulate", str(examples() / "convex-series-1.yaml"), "--out", str(out)) == 0
    rows = compare_controller.form.rows
    rows[1].show_row(Row(RECORDED, str(out)))
    run(qtbot, compare_controller)
    assert says(compare_controller.plot.remark, "app.is-from-another-tree-it", name="other.run")
    names = drawn(compare_controller)
    assert names
    assert all(name.endswith("(A)") for name in names)
    assert compare_controller.differences.counted == wording(
        "console.analyse.compare.nothing-to-compare-runs-share"
    )
    # Two runs of that tree are compared though another one is open.
    rows[0].show_row(Row(RECORDED, str(out)))
    run(qtbot, compare_controller)
    names = drawn(compare_controller)
    assert names[:2] == ["u11 (A)", "u11 (B)"]
    spec = compare_controller.plot.figures.spec
    assert spec is not None
    assert len({curve.colour for curve in spec.curves}) > 1
    QTest.keyClick(compare_controller.differences.view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)


def test_seeds_give_medians_in_bands(qtbot: QtBot, compare_controller: CompareController) -> None:
    form = compare_controller.form
    form.seeds.setValue(2)
    form.until.setText("30 s")
    run(qtbot, compare_controller)
    spec = compare_controller.plot.figures.spec
    assert spec is not None
    assert says(spec.caption, "experiments.medians-of-seeds-shaded-from", seeds="2")
    assert all(len(curve.band) == 2 for curve in spec.curves)
    assert says(compare_controller.plot.remark, "app.all-seeds-give-same-run")


def test_a_comparison_is_exported_as_a_report(
    qtbot: QtBot, workspace: AnalyseWorkspace, compare_controller: CompareController, tmp_path: Path
) -> None:
    assert not workspace.table.qaction("analyse.report").isEnabled()
    run(qtbot, compare_controller)
    answers = Answers()
    answers.to_save = (tmp_path / "compared", 1)
    workspace.questions = answers
    with qtbot.waitSignals([workspace.session.message] * 2):
        assert workspace.table.trigger("analyse.report")
    text = (tmp_path / "compared.html").read_text("utf-8")
    assert says(text, "app.reports.comparison-of-runs")
    assert answers.asked == ["Export report"]
