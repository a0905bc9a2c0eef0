"""Observe of a real cluster by keys and clicks."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QWheelEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.document import Document
from fsconsole.console.help.glossary import TERMS
from fsconsole.console.live.legend_model import NAMES, place_of
from fsconsole.console.live.plots.plot_curves import partner_of
from fsconsole.console.live.plots.plot_row import PlotRow
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.console.window import ConsoleWindow
from fsconsole.figures.data import columns_of
from fsconsole.shares.edits import Insert, SetShares
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.targets.slurm.state import Link, Part, PartName
from tests.console.cluster.observe.conftest import Clock
from tests.console.cluster.observe.readings import publish, read_again
from tests.console.cluster.play import NOW_S, PlayTarget, cluster_tree, parts_failed, parts_read, standing
from tests.slurm.captured import captured
from tests.texts import says, wording

CLOCK = time.strftime("%H:%M:%S", time.localtime(NOW_S))
Role = Qt.ItemDataRole


def node(observe: LiveWorkspace, account: str, user: str = "") -> int:
    """The node of an association."""
    digest = observe.cluster.watch.digest
    assert digest is not None
    assert digest.index is not None
    return digest.index.tree.nodes[digest.index.row_of_key[(account, user, "")]]


def cell(observe: LiveWorkspace, of: int, column: int, role: int = Role.DisplayRole) -> object:
    """What the associations show."""
    legend = observe.legend.view.legend
    return legend.data(legend.index_of(of, column), role)


def test_every_association_has_what_sshare_prints(observe: LiveWorkspace) -> None:
    read = read_sshare(captured("running.psv"))
    for row, (account, user) in enumerate(zip(read.tree.account, read.tree.user, strict=True)):
        of = node(observe, account, user)
        assert cell(observe, of, place_of("fairshare")) == f"{read.printed.fairshare[row]:.4f}"
        if row:
            part = 100 * read.printed.norm_shares[row]
            assert str(cell(observe, of, place_of("norm_shares"))) == f"{part:.2f}"
    assert cell(observe, node(observe, "neuro"), place_of("raw_shares")) == "parent"
    assert cell(observe, node(observe, "physics"), place_of("raw_shares")) == "40"


def test_models_keep_the_rules_of_qt(observe: LiveWorkspace, qtbot: QtBot) -> None:
    models: tuple[QAbstractItemModel, ...] = (
        observe.legend.view.legend,
        observe.cluster.partitions.partitions,
        observe.cluster.partitions.nodes,
        observe.why_panel.levels,
    )
    fail = QAbstractItemModelTester.FailureReportingMode.Fatal
    testers = [QAbstractItemModelTester(model, fail) for model in models]
    observe.show_why()
    observe.session.select((node(observe, "hep", "fs_ben"), node(observe, "hep", "fs_anna")))
    assert len(testers) == 4
    qtbot.waitUntil(lambda: observe.why_panel.levels.rowCount() == 5)


def test_the_users_who_used_most_are_drawn_first(observe: LiveWorkspace) -> None:
    read = read_sshare(captured("running.psv"))
    users = np.flatnonzero(read.tree.is_user)
    most = users[np.argsort(-read.tree.usage[users])[:5]]
    wanted = {node(observe, read.tree.account[row], read.tree.user[row]) for row in most}
    assert set(observe.session.shown) == wanted
    assert set(observe.panel.drawn.nodes) == wanted
    assert observe.curve_choice.button.text() == "5 curves"


def test_a_check_box_draws_and_another_click_does_not(observe: LiveWorkspace) -> None:
    legend, kim = observe.legend.view.legend, node(observe, "ops", "fs_kim")
    assert legend.setData(legend.index_of(kim), Qt.CheckState.Checked.value, Role.CheckStateRole)
    assert kim in observe.panel.drawn.nodes
    assert cell(observe, kim, place_of("node"), Role.CheckStateRole) == Qt.CheckState.Checked
    legend.setData(legend.index_of(kim), Qt.CheckState.Unchecked.value, Role.CheckStateRole)
    assert kim not in observe.panel.drawn.nodes


def test_curves_can_be_chosen_all_at_once(observe: LiveWorkspace) -> None:
    observe.curve_choice.draw(observe.curve_choice.choices[2])
    tree = cluster_tree().shares
    accounts = [one.id for one in tree.walk() if one.is_group and one.parent is not None]
    assert list(observe.session.shown) == accounts
    observe.curve_choice.draw(observe.curve_choice.choices[1])
    at_work = (("genomics", "fs_finn"), ("genomics", "fs_gina"), ("astro", "fs_emma"), ("neuro", "fs_jan"))
    assert set(observe.session.shown) == {node(observe, *key) for key in at_work}
    observe.session.show_nodes(())
    assert observe.curve_choice.button.text() == "0 curves"


@pytest.mark.usefixtures("minutes")
def test_a_curve_has_a_point_for_each_reading(observe: LiveWorkspace) -> None:
    first = observe.session.shown[0]
    times, values = observe.panel.rows["fairshare"].plot.curve_data(first)
    assert len(times) == 11
    assert np.allclose(np.diff(times), 60.0)
    assert np.allclose(values[1:] / values[:-1], 1 / 1.02, rtol=1e-5)
    assert (observe.span.start_s, observe.span.end_s - observe.span.start_s) == (times[0], 1200.0)


@pytest.mark.usefixtures("minutes")
def test_the_axis_ends_where_the_plots_do(observe: LiveWorkspace) -> None:
    for row in filter(PlotRow.isVisible, observe.panel.rows.values()):
        assert row.plot.width() + row.values.width() == observe.panel.axis.width()
    usage = observe.panel.rows["effective_usage"].values
    metrics = QFontMetricsF(tabular_font("table"))
    for text in usage.rows:  # name and "22.2 of 8.79" side by side, with the sample before them
        assert metrics.horizontalAdvance(text.name + text.text) < usage.width() - 50


def test_a_single_reading_is_a_dot(
    observe: LiveWorkspace, target: PlayTarget, clock: Clock, qtbot: QtBot
) -> None:
    first, plot = observe.session.shown[0], observe.panel.rows["fairshare"].plot
    assert len(plot.curve_data(first)[0]) == 1
    assert [node for node, _, _ in plot.dots] == list(observe.session.shown)
    assert observe.grab().size() == observe.size()
    read_again(observe, target, clock, qtbot)
    assert not plot.dots


@pytest.mark.usefixtures("minutes")
def test_shares_are_dotted_beside_the_effective_usage(observe: LiveWorkspace) -> None:
    first = observe.session.shown[0]
    digest = observe.cluster.watch.digest
    assert digest is not None
    assert digest.state.standing is not None
    plot = observe.panel.rows["effective_usage"].plot
    shares = plot.curve_data(partner_of(first))[1]
    assert np.allclose(shares, digest.state.standing.printed.norm_shares[first])
    assert len(observe.panel.rows["fairshare"].plot.curve_data(partner_of(first))[0]) == 0


def test_nothing_is_drawn_over_a_time_without_an_answer(
    observe: LiveWorkspace, target: PlayTarget, clock: Clock, qtbot: QtBot
) -> None:
    read_again(observe, target, clock, qtbot)
    for _ in range(3):
        clock.now_s += 20
        publish(observe, target, qtbot, parts=parts_failed("slurmctld does not respond"), link=Link.NO_ANSWER)
    read_again(observe, target, clock, qtbot)
    read_again(observe, target, clock, qtbot)
    for name in ("fairshare", "running"):
        values = observe.panel.rows[name].plot.curve_data(observe.session.shown[0])[1]
        assert np.isnan(values).tolist() == [False, False, True, False, False]


def test_without_an_answer_values_are_muted_and_say_as_of_when(
    observe: LiveWorkspace, target: PlayTarget, clock: Clock, qtbot: QtBot
) -> None:
    ben = node(observe, "hep", "fs_ben")
    assert cell(observe, ben, place_of("fairshare"), Role.ForegroundRole) is None
    clock.now_s += 30
    publish(observe, target, qtbot, parts=parts_failed("slurmctld does not respond"), link=Link.NO_ANSWER)
    assert observe.cluster.head.chip.text == "No answer"
    assert (
        observe.cluster.head.words[PartName.USAGE]
        .text()
        .startswith(wording("console.live.cluster.as-of", title="Usage", as_of_s=CLOCK))
    )
    assert observe.cluster.head.problem.text() == wording("targets.slurm.does-not-respond-2", who="slurmctld")
    for column in (place_of("fairshare"), place_of("cpu_count")):
        assert cell(observe, ben, column, Role.ForegroundRole) == colour("muted")
    tip = str(cell(observe, ben, place_of("fairshare"), Role.ToolTipRole))
    assert f"{CLOCK}: " + wording("targets.slurm.does-not-respond-2", who="slurmctld") in tip
    assert observe.cluster.partitions.partitions.is_stale
    assert observe.panel.rows["fairshare"].values.rows[0].text == "\N{EN DASH}"


def test_a_cause_is_reported_once_and_stays_while_nothing_answers(
    observe: LiveWorkspace, target: PlayTarget, qtbot: QtBot
) -> None:
    docks = (observe.plots_dock, observe.legend_dock, observe.cluster.partition_dock)
    for link in (Link.PARTLY, Link.NO_ANSWER):
        publish(observe, target, qtbot, parts=parts_failed("ssh cannot reach the host: refused"), link=link)
        strips = [dock.body.findChild(QPushButton, "Retry") for dock in docks]
        assert [strip is not None and strip.isVisible() for strip in strips] == [True, False, False]
    publish(observe, target, qtbot, parts=parts_read(), link=Link.ANSWERS)
    assert not any(
        strip.isVisible() for dock in docks for strip in dock.body.findChildren(QPushButton, "Retry")
    )


def test_a_part_that_fails_is_reported_where_it_belongs(
    observe: LiveWorkspace, target: PlayTarget, qtbot: QtBot
) -> None:
    publish(
        observe, target, qtbot, link=Link.PARTLY,
        parts={**parts_read(), PartName.TREE: Part(NOW_S, problem="slurmdbd refused")},
    )  # fmt: skip
    assert observe.cluster.head.chip.text == "Partly fails"
    assert observe.cluster.head.problem.text().split(": ")[:2] == ["Associations", "slurmdbd refused"]
    retry = observe.legend_dock.body.findChild(QPushButton, "Retry")
    assert retry is not None
    assert retry.isVisible()
    QTest.mouseClick(retry, Qt.MouseButton.LeftButton)
    assert target.refreshed == [()]
    ben = node(observe, "hep", "fs_ben")
    assert cell(observe, ben, place_of("raw_shares"), Role.ForegroundRole) == colour("muted")
    assert cell(observe, ben, place_of("fairshare"), Role.ForegroundRole) is None


def test_what_lags_is_marked_and_explained(observe: LiveWorkspace, target: PlayTarget, qtbot: QtBot) -> None:
    ben = node(observe, "hep", "fs_ben")
    before = target.now.standing
    assert before is not None
    publish(observe, target, qtbot, standing=replace(before, lagging={ben: "period behind"}))
    assert str(cell(observe, ben, place_of("fairshare"))).startswith("~")
    assert "period behind" in str(cell(observe, ben, place_of("fairshare"), Role.ToolTipRole))
    assert not str(cell(observe, node(observe, "hep"), place_of("fairshare"))).startswith("~")


def test_space_holds_what_is_shown_while_reading_goes_on(
    observe: LiveWorkspace, target: PlayTarget, clock: Clock, qtbot: QtBot
) -> None:
    ben = node(observe, "hep", "fs_ben")
    before = cell(observe, ben, place_of("fairshare"))
    QTest.keyClick(observe.panel, Qt.Key.Key_Space)
    assert observe.cluster.head.hold.text() == "Resume"
    source = observe.cluster.watch.source
    assert source is not None
    history = source.history
    clock.now_s += 60
    assert target.now.standing is not None
    halved = replace(target.now.standing.printed, fairshare=target.now.standing.printed.fairshare / 2)
    target.publish(standing=replace(target.now.standing, printed=halved), parts=parts_read(clock.now_s))
    assert observe.cluster.watch.cluster is not None
    observe.cluster.watch.cluster.look()
    qtbot.waitUntil(lambda: len(history.usage) == 2)
    assert cell(observe, ben, place_of("fairshare")) == before
    assert observe.cluster.head.words[PartName.USAGE].text() == wording(
        "console.live.cluster.as-of", title="Usage", as_of_s=CLOCK
    )
    QTest.keyClick(observe.panel, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: cell(observe, ben, place_of("fairshare")) != before)
    assert float(str(cell(observe, ben, place_of("fairshare")))) == pytest.approx(
        float(str(before)) / 2, abs=1e-4
    )


def test_read_now_asks_the_target(observe: LiveWorkspace, target: PlayTarget) -> None:
    QTest.mouseClick(observe.cluster.head.refresh_now, Qt.MouseButton.LeftButton)
    QTest.keyClick(observe.panel, Qt.Key.Key_F5)
    assert target.refreshed == [(), ()]


@pytest.mark.usefixtures("minutes")
def test_one_cursor_over_all_plots(observe: LiveWorkspace, qtbot: QtBot) -> None:
    plot = observe.panel.rows["fairshare"].plot
    first = observe.session.shown[0]
    times, values = plot.curve_data(first)
    place = QPointF(plot.scales.x_of(times[4]) + 1, plot.plot_area().center().y()).toPoint()
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert observe.session.cursor_s == times[4]
    assert observe.panel.rows["fairshare"].values.rows[0].text == f"{values[4]:.4f}"
    assert observe.panel.axis.tag == observe.span.exact(times[4])
    assert observe.plot_controls.cursor_words.text() == f"Cursor {observe.span.short(times[4])}"
    QTest.keyClick(observe.panel, Qt.Key.Key_Left)
    assert observe.session.cursor_s == times[3]
    QTest.keyClick(observe.panel, Qt.Key.Key_Escape)
    assert observe.session.cursor_s is None


@pytest.mark.usefixtures("minutes")
def test_the_wheel_zooms_dragging_pans_a_double_click_shows_all(observe: LiveWorkspace, qtbot: QtBot) -> None:
    plot = observe.panel.rows["cpus"].plot
    middle = plot.plot_area().center().toPoint()
    before = observe.span.end_s - observe.span.start_s
    place = QPointF(middle)
    wheel = QWheelEvent(
        place, plot.viewport().mapToGlobal(place), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(plot.viewport(), wheel)
    assert observe.span.mode == "fixed"
    width = observe.span.end_s - observe.span.start_s
    assert width < before
    assert observe.plot_controls.span_box.currentText() == "Fixed"
    QTest.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    shown = (observe.span.mode, observe.span.start_s)
    assert shown == ("whole", observe.span.first_s)


def test_fair_tree_has_level_fairshares(observe: LiveWorkspace, target: PlayTarget, qtbot: QtBot) -> None:
    settings, tree = target.now.settings, target.now.tree
    assert settings is not None
    assert tree is not None
    assert observe.legend.view.isColumnHidden(place_of("level_fs"))
    fair = replace(settings, flags=frozenset())
    publish(observe, target, qtbot, settings=fair, standing=standing(tree, captured("fairtree.psv")))
    assert not observe.legend.view.isColumnHidden(place_of("level_fs"))
    # FAIRSHARE.md: astro 0.547935, fs_lars with 0 shares 0, accounts have no rank.
    assert cell(observe, node(observe, "astro"), place_of("level_fs")) == "0.548"
    assert cell(observe, node(observe, "ops", "fs_lars"), place_of("level_fs")) == "0.000"
    assert cell(observe, node(observe, "astro"), place_of("fairshare")) == "\N{EN DASH}"
    observe.show_why()
    ben, emma = node(observe, "hep", "fs_ben"), node(observe, "astro", "fs_emma")
    observe.session.select((ben, emma))
    message = "fs_ben goes before fs_emma: fairshare 0.6000 against 0.4667."
    qtbot.waitUntil(lambda: observe.why_panel.verdict.startswith(message))
    titles = [
        observe.why_panel.levels.headerData(at, Qt.Orientation.Horizontal)
        for at in range(observe.why_panel.levels.columnCount())
    ]
    assert "LevelFS" in titles


def test_why_says_nothing_of_a_rule_that_nobody_knows(
    observe: LiveWorkspace, target: PlayTarget, qtbot: QtBot
) -> None:
    settings = target.now.settings
    assert settings is not None
    publish(observe, target, qtbot, settings=replace(settings, flags=frozenset({"DEPTH_OBLIVIOUS"})))
    observe.show_why()
    observe.session.select((node(observe, "hep", "fs_ben"), node(observe, "astro", "fs_emma")))
    qtbot.waitUntil(observe.why_panel.isVisible)
    observe.why_panel.refresh()
    labels = observe.why_panel.findChildren(QLabel)
    qtbot.waitUntil(lambda: any("DEPTH_OBLIVIOUS" in label.text() for label in labels))
    assert observe.why_panel.verdict == ""
    assert "Depth-oblivious fairshare" in observe.status_text()


def test_why_follows_the_selection(observe: LiveWorkspace, qtbot: QtBot) -> None:
    observe.show_why()
    qtbot.waitUntil(observe.why_panel.isVisible)
    ben, anna = node(observe, "hep", "fs_ben"), node(observe, "astro", "fs_anna")
    observe.session.select((ben, anna))
    printed = {one: float(str(cell(observe, one, place_of("fairshare")))) for one in (ben, anna)}
    ahead = "fs_ben" if printed[ben] > printed[anna] else "fs_anna"
    qtbot.waitUntil(lambda: observe.why_panel.verdict.startswith(f"{ahead} goes before "))
    names = [level.name for level in observe.why_panel.levels.rows]
    assert names == ["root", "physics", "hep", "fs_ben", "astro", "fs_anna"]
    tinted = [
        observe.why_panel.levels.index(row, 0).data(Role.BackgroundRole) is not None
        for row in range(len(names))
    ]
    assert tinted == [False, False, True, False, True, False]
    place = observe.why_panel.level_table.visualRect(observe.why_panel.levels.index(2, 0)).center()
    QTest.mouseClick(observe.why_panel.level_table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert observe.session.selection == (node(observe, "hep"),)


def test_what_is_staged_is_reported(observe: LiveWorkspace, qtbot: QtBot) -> None:
    document = observe.session.document
    assert document is not None
    hep = node(observe, "hep")
    fresh = Node(document.tree.next_id, "fs_new", 1, Kind.USER)
    document.edit("Add", [Insert(hep, 0, (fresh,)), SetShares.of(hep, 9)])
    legend = observe.legend.view.legend
    assert legend.remark(fresh.id) == wording("targets.slurm.staged-not-on-cluster")
    assert cell(observe, hep, place_of("raw_shares")) == "3"
    shares, staged = str(cell(observe, hep, place_of("raw_shares"), Role.ToolTipRole)).split(", ")
    assert shares.split()[-1] == "3"
    assert staged == "staged: 9"
    observe.show_why()
    observe.session.select((fresh.id,))
    qtbot.waitUntil(lambda: observe.why_panel.explanation is None)


def test_partitions_show_who_is_busy_and_sort(observe: LiveWorkspace) -> None:
    table = observe.cluster.partitions.partition_table
    model = observe.cluster.partitions.partitions
    rows = {row[0].name: at for at, row in enumerate(model.rows)}
    assert set(rows) == {"batch", "dedicated", "scavenge"}
    assert model.index(rows["batch"], 0).data() == "batch*"
    assert model.index(rows["batch"], 2).data().split() == ["23", "/", "32"]
    assert [model.index(rows[name], 5).data() for name in ("dedicated", "batch", "scavenge")] == [
        "20",
        "10",
        "1",
    ]
    table.sortByColumn(5, Qt.SortOrder.DescendingOrder)
    assert [row[0].name for row in model.rows] == ["dedicated", "batch", "scavenge"]
    groups = [(group.state, group.names, group.busy_cpus) for group in observe.cluster.partitions.nodes.rows]
    assert groups == [("allocated", "n[1,4]", 16), ("mixed", "n[2-3]", 7)]


@pytest.mark.usefixtures("minutes")
def test_a_plot_is_a_figure_with_all_its_data(observe: LiveWorkspace) -> None:
    exports = observe.exports
    figure = exports.figure("effective_usage")
    assert figure is not None
    assert figure.title == "lab: EffectvUsage"
    assert len(figure.curves) == 10  # five users, and the share of each
    columns = columns_of(figure)
    assert columns[0][1].tolist() == [60.0 * at for at in range(11)]
    assert figure.provenance.scenario.removeprefix("Slurm ") == "cluster lab"
    assert says(figure.x_axis.title, "console.live.plots.time-since", day="20")


def test_a_plot_is_exported(observe: LiveWorkspace, tmp_path: Path, qtbot: QtBot) -> None:
    from fsconsole.console.export_dialog import ExportDialog

    observe.session.preferences.set_value("export/folder", str(tmp_path))
    observe.exports.export_plot()
    dialog = observe.findChild(ExportDialog)
    assert dialog is not None
    assert dialog.isVisible()
    dialog.reject()


def test_curves_begin_when_the_cluster_is_connected(
    cluster: ClusterSession, target: PlayTarget, clock: Clock, empty_session: ConsoleSession, qtbot: QtBot
) -> None:
    """Also where nobody has looked at Observe yet."""
    qtbot.waitUntil(lambda: len(cluster.source.history.usage) == 1)
    clock.now_s += 60
    target.publish(parts=parts_read(clock.now_s))
    cluster.look()
    qtbot.waitUntil(lambda: len(cluster.source.history.usage) == 2)


def test_the_cluster_may_go_and_another_one_come(
    observe: LiveWorkspace, empty_window: ConsoleWindow, target: PlayTarget, qtbot: QtBot
) -> None:
    session = observe.session
    session.open(None)
    assert target.is_closed
    assert observe.cluster.watch.digest is None
    assert observe.status_text() == ""
    other = PlayTarget(replace(target.now, name="other"))
    made = ClusterSession(other, session.preferences)
    assert other.now.tree is not None
    session.open(Document(Scenario(other.now.tree.shares.copy()), name="other"), made)
    qtbot.waitUntil(lambda: observe.cluster.watch.digest is not None)
    assert observe.cluster.watch.cluster is made
    assert len(session.shown) == 5


def test_full_values_are_copied(observe: LiveWorkspace) -> None:
    ben = node(observe, "hep", "fs_ben")
    read = read_sshare(captured("running.psv"))
    row = list(zip(read.tree.account, read.tree.user, strict=True)).index(("hep", "fs_ben"))
    assert float(str(cell(observe, ben, place_of("fairshare"), CopyRole))) == read.printed.fairshare[row]
    hours = float(str(cell(observe, ben, place_of("raw_usage"), CopyRole)))
    assert hours == pytest.approx(read.raw_usage[row] / 3600)


def test_the_status_bar_says_how_large_it_is(observe: LiveWorkspace) -> None:
    text = observe.status_text()
    assert text.startswith("23 associations")
    assert "Classic fairshare" in text
    assert "Slurm 22.05.8" in text


def test_a_cluster_of_which_nobody_has_used_anything(
    observe: LiveWorkspace, target: PlayTarget, qtbot: QtBot
) -> None:
    """Then those with work are drawn, as soon as there are any."""
    observe.session.show_nodes(())
    before = target.now.standing
    assert before is not None
    fresh = PlayTarget(
        replace(target.now, jobs=(), standing=replace(before, norm_usage=np.zeros(len(before.norm_usage))))
    )
    made = ClusterSession(fresh, observe.session.preferences)
    assert fresh.now.tree is not None
    observe.session.open(Document(Scenario(fresh.now.tree.shares.copy()), name="lab"), made)
    qtbot.waitUntil(lambda: observe.cluster.watch.digest is not None)
    assert observe.session.shown == ()
    publish(observe, fresh, qtbot, jobs=target.now.jobs)
    assert node(observe, "neuro", "fs_jan") in observe.session.shown


def test_usage_that_was_not_tried_is_old_too_where_nothing_answers(
    observe: LiveWorkspace, target: PlayTarget, qtbot: QtBot
) -> None:
    parts = {**parts_failed("slurmctld does not respond"), PartName.USAGE: Part(NOW_S)}
    publish(observe, target, qtbot, parts=parts, link=Link.NO_ANSWER)
    ben = node(observe, "hep", "fs_ben")
    assert cell(observe, ben, place_of("fairshare"), Role.ForegroundRole) == colour("muted")
    assert says(
        str(cell(observe, ben, place_of("fairshare"), Role.ToolTipRole)), "targets.slurm.as-of", as_of_s=CLOCK
    )


def test_a_user_in_two_accounts_is_told_apart(observe: LiveWorkspace) -> None:
    observe.session.show_nodes([node(observe, key, "fs_anna") for key in ("astro", "hep")])
    names = [row.name for row in observe.panel.rows["fairshare"].values.rows]
    assert names == ["fs_anna (astro)", "fs_anna (hep)"]


def test_plots_and_associations_say_the_same_of_now(observe: LiveWorkspace) -> None:
    observe.curve_choice.draw(observe.curve_choice.choices[2])
    rows = observe.panel.rows["fairshare"].values.rows
    assert [row.text for row in rows] == [
        cell(observe, of, place_of("fairshare")) for of in observe.session.shown
    ]


def test_column_headers_are_terms(observe: LiveWorkspace) -> None:
    """Those of the field, or short for one that the tooltip begins with, or plain words."""
    plain = {
        "cpus",
        "pending",
        "running",
        "state",
        "cpus busy",
        "tier",
        "preempt mode",
        "max time",
        "billing",
    }
    plain |= {"nodes", "names", "reason", "level", "eff. ÷ share"}
    short = {"share": "normshares", "usage": "normusage", "eff.": "effectvusage", "usage h": "raw usage"}
    terms = {term.name.lower() for term in TERMS}
    models = (
        observe.legend.view.legend,
        observe.cluster.partitions.partitions,
        observe.cluster.partitions.nodes,
        observe.why_panel.levels,
    )
    target = observe.session.target
    assert target is not None
    for model in models:
        for column in range(model.columnCount()):
            if model is observe.legend.view.legend and column and NAMES[column] not in target.columns:
                continue
            across = Qt.Orientation.Horizontal
            title = str(model.headerData(column, across)).removesuffix("%").rstrip(", ").lower()
            tip = str(model.headerData(column, across, Role.ToolTipRole) or "").lower()
            if title in short:
                assert short[title] in terms
                assert tip.startswith(short[title])
            else:
                # A quotient of two terms is named by them.
                assert title in plain or set(title.split(" ÷ ")) <= terms
    figures = {"cpus in use", "jobs running", "jobs pending"}
    for row in observe.panel.rows.values():
        title = row.quantity.title.lower()
        assert title in terms or title in figures
