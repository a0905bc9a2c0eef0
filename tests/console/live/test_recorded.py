"""Observe of a run on disk: the protocol alone is enough, no view knows what kind of target it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from fsconsole.cli.main import run as run_command
from fsconsole.console.live.legend_model import place_of, users_below
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.notices import FaultNotice
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.resources import examples
from fsconsole.shares.tree import ROOT_ID
from fsconsole.targets.base import Target
from fsconsole.targets.recorded.target import RecordedTarget
from tests.console.conftest import notice_of
from tests.console.live.running import Until, observed_run
from tests.texts import wording


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two minutes of Convex series 6, of which the values are left and no state of the machine."""
    path = tmp_path_factory.mktemp("recorded") / "six.run"
    example = examples() / "convex-series-6.yaml"
    assert run_command(["simulate", str(example), "--until", "120s", "--out", str(path)]) == 0
    shutil.rmtree(path / "checkpoints")
    (path / "events.jsonl").write_text('{"time_s": 30.0, "text": "note written"}\n', "utf-8")
    return path


@pytest.fixture
def source(observe: LiveWorkspace) -> RecordedTarget:
    found = observe.session.target
    assert isinstance(found, RecordedTarget)
    return found


@pytest.fixture
def observe(empty_window: ConsoleWindow, run: Path, until: Until) -> LiveWorkspace:
    return observed_run(empty_window, run, until)


def test_a_recorded_run_is_a_target(source: RecordedTarget) -> None:
    target: Target = source
    assert target.clock.epoch_s is None


def test_plots_draw_what_was_recorded(observe: LiveWorkspace, source: RecordedTarget) -> None:
    document = observe.session.document
    assert document is not None
    u11 = document.tree.find("u11").id
    observe.session.show_nodes([u11])
    times, values = observe.panel.rows["charge"].plot.curve_data(u11)
    assert times[0] == 0.0
    assert times[-1] == source.now_s == 120.0
    expected = source.curves("charge", (u11,), 0.0, 120.0, 1000)[1][0]
    np.testing.assert_array_equal(values, expected)


def test_the_legend_has_the_targets_columns_and_values(
    observe: LiveWorkspace, source: RecordedTarget
) -> None:
    view, document = observe.legend.view, observe.session.document
    assert document is not None
    shown = {name for name in ("cpu_rate", "allocated_share", "effective_share", "raw_shares")
             if not view.isColumnHidden(place_of(name))}  # fmt: skip
    assert shown == {"cpu_rate", "allocated_share", "effective_share"}
    u11 = document.tree.find("u11").id
    observe.session.set_leave_out_system(False)
    cell = view.legend.data(view.legend.index_of(u11, place_of("allocated_share")))
    moment = source.at()
    assert moment is not None
    assert cell == f"{100 * moment.values('allocated_share', (u11,))[0]:.1f}"


def test_what_only_machines_or_clusters_have_is_not_there(observe: LiveWorkspace) -> None:
    assert observe.present == ()
    for side in observe.sides:
        assert side.head.isHidden()
        assert all(dock.isHidden() for dock in side.docks)
    table = observe.table
    assert not table.qaction("observe.step").isVisible()
    assert not table.qaction("observe.hold").isVisible()
    assert table.qaction("observe.export").isVisible()


def test_the_cursor_walks_over_samples_and_events(observe: LiveWorkspace) -> None:
    plot = observe.panel.rows["charge"].plot
    place = QPointF(plot.scales.x_of(60.2), plot.plot_area().center().y()).toPoint()
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    at = observe.session.cursor_s
    assert at is not None
    QTest.keyClick(observe.panel, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert observe.session.cursor_s == 30.0
    assert "note written" in observe.plot_controls.cursor_words.text() or at > 30.0


def test_a_plot_is_exported_with_where_it_is_from(observe: LiveWorkspace) -> None:
    figure = observe.exports.figure("charge")
    assert figure is not None
    assert figure.provenance.origin == wording("targets.recorded.recorded-in", name="six.run")
    assert figure.curves[0].x[-1] == 120.0


def test_the_status_line_names_the_target(observe: LiveWorkspace, empty_window: ConsoleWindow) -> None:
    assert empty_window.frame.status.target.text == wording(
        "targets.recorded.target-recorded", state_words="complete"
    )
    assert observe.status_text() == ""


def test_where_nothing_explains_there_is_no_why(observe: LiveWorkspace, empty_window: ConsoleWindow) -> None:
    assert observe.why_dock.isHidden()
    assert observe.why_dock not in observe.docks
    assert not observe.table.qaction("why").isVisible()
    QTest.keyClick(observe.panel, Qt.Key.Key_W)
    assert observe.why_dock.isHidden()
    empty_window.show_workspace("design")
    assert not observe.table.qaction("why").isVisible()


def test_curves_are_chosen_by_the_menu_of_a_node(observe: LiveWorkspace) -> None:
    session, document = observe.session, observe.session.document
    assert document is not None
    tree = document.tree
    group = next(one for one in tree.walk() if one.is_group and not one.system and one.id != ROOT_ID)
    texts = menu_texts(observe, group.id)
    assert list(texts) == [
        wording("console.live.draw-curve-of-itself", name=group.name),
        wording("console.live.draw-only-users-of", name=group.name),
    ]
    texts[f"Draw only the users of {group.name}"].trigger()
    assert set(session.shown) == set(users_below(tree, group.id))
    texts[f"Draw the curve of {group.name} itself"].trigger()
    assert group.id in session.shown
    assert menu_texts(observe, group.id)[
        wording("console.live.draw-curve-of-itself", name=group.name)
    ].isChecked()
    u11 = tree.find("u11").id
    session.select([u11])
    menu_texts(observe, u11)["Draw only u11"].trigger()
    assert session.shown == (u11,)
    assert observe.panel.drawn.nodes == (u11,)


def menu_texts(observe: LiveWorkspace, node: int) -> dict[str, QAction]:
    """The entries of a node's menu."""
    for menu in observe.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        delete(menu)
    observe.legend.view.menu_of(node, QPoint(0, 0))
    (menu,) = observe.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    found = {one.text(): one for one in menu.actions() if not one.isSeparator()}
    menu.hide()
    return found


def test_where_no_curve_is_drawn_the_only_choice_is_offered(observe: LiveWorkspace) -> None:
    session, notice = observe.session, observe.plots_dock.body._empty
    session.show_nodes(())
    assert notice is not None
    assert notice._sentence.text() == wording("console.live.no-curve-to-draw")
    QTest.mouseClick(notice._button, Qt.MouseButton.LeftButton)
    assert session.document is not None
    tree = session.document.tree
    users = [one.id for one in tree.walk() if not one.is_group and not tree.is_system(one.id)]
    assert list(session.shown) == users
    assert notice.isHidden()
    assert observe.curve_choice.button.text() == f"{len(session.shown)} curves"


def test_boxes_of_the_legend_draw_and_hide(observe: LiveWorkspace) -> None:
    session, legend = observe.session, observe.legend.view.legend
    assert session.document is not None
    u11 = session.document.tree.find("u11").id
    session.show_nodes([u11])
    box = legend.index_of(u11)
    assert box.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    assert legend.setData(box, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert session.shown == ()


def test_the_range_is_zoomed_and_shown_whole(observe: LiveWorkspace) -> None:
    observe.span.fix(20.0, 40.0)
    assert (observe.span.start_s, observe.span.end_s) == (20.0, 40.0)
    assert observe.table.trigger("observe.whole")
    assert (observe.span.start_s, observe.span.end_s) == (0.0, 120.0)
    assert observe.table.trigger("observe.follow")
    assert observe.span.mode == "follow"


def test_system_groups_are_left_out_of_curves_and_legend(
    observe: LiveWorkspace, source: RecordedTarget
) -> None:
    session = observe.session
    assert session.document is not None
    tree = session.document.tree
    assert session.can_leave_out_system
    system = next(one for one in tree.walk() if tree.is_system(one.id) and not one.is_group)
    session.set_leave_out_system(False)
    session.show_nodes([system.id])
    assert system.id in observe.panel.drawn.nodes
    assert observe.table.trigger("observe.leave_out")
    assert system.id not in observe.panel.drawn.nodes
    assert observe.legend.view.legend.remark(system.id).startswith("left out")


def test_a_plot_is_copied_and_its_values_are_written(
    observe: LiveWorkspace, source: RecordedTarget, tmp_path: Path
) -> None:
    QGuiApplication.clipboard().clear()
    assert observe.table.trigger("observe.copy_plot")
    assert not QGuiApplication.clipboard().image().isNull()
    assert observe.session.document is not None
    u11 = observe.session.document.tree.find("u11").id
    observe.session.show_nodes([u11])
    figure = observe.exports.figure("charge")
    assert figure is not None
    assert [curve.name for curve in figure.curves] == ["u11"]
    expected = source.curves("charge", (u11,), 0.0, 120.0, 1000)[1][0]
    np.testing.assert_allclose(figure.curves[0].y, expected, rtol=1e-6)


def test_other_workspaces_show_what_they_can(observe: LiveWorkspace, empty_window: ConsoleWindow) -> None:
    for name in ("design", "operate", "analyse", "observe"):
        empty_window.show_workspace(name)
        assert empty_window.current is not None
        assert empty_window.current.isVisible()
    assert not observe.table.qaction("operate.kill").isVisible()


def test_every_workspace_and_the_target_box_take_a_recorded_run(
    observe: LiveWorkspace, empty_window: ConsoleWindow, source: RecordedTarget, qtbot: QtBot
) -> None:
    assert empty_window.frame.bar.target.name == source.name
    for name in WORKSPACES:
        empty_window.show_workspace(name)
        qtbot.waitUntil(empty_window.workspace(name).isVisible)
        empty_window.table.refresh()
    assert not empty_window.table.trigger("operate.arm")


def test_a_menu_of_another_target_exports_nothing(observe: LiveWorkspace) -> None:
    running = observe.exports.menu("running")
    for action in running.actions():
        action.trigger()
    assert QApplication.activeModalWidget() is None


def test_a_fault_of_any_target_is_reported(
    observe: LiveWorkspace, empty_window: ConsoleWindow, source: RecordedTarget
) -> None:
    source.fault = "The run's folder was removed at 60 s"
    source._serial += 1
    observe.session.look_again()
    notice = notice_of(empty_window, FaultNotice)
    assert notice.isVisible()
    assert notice.text == source.fault
