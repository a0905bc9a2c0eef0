"""Observe of a run on disk: the protocol alone is enough, no view knows what kind of target it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.cli.main import run as run_command
from fsconsole.console.document import Document
from fsconsole.console.live.columns import place_of
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.base import Target
from tests.console.live.recorded import Opened, RecordedSource


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two minutes of Convex series 6."""
    path = tmp_path_factory.mktemp("recorded") / "six.run"
    example = examples() / "convex-series-6.yaml"
    assert run_command(["simulate", str(example), "--until", "120s", "--out", str(path)]) == 0
    return path


@pytest.fixture
def source(run: Path) -> RecordedSource:
    return RecordedSource(run)


@pytest.fixture
def observe(
    empty_window: ConsoleWindow, empty_session: ConsoleSession, source: RecordedSource, qtbot: QtBot
) -> LiveWorkspace:
    """Observe at the front, with the run open."""
    scenario = read_scenario(examples() / "convex-series-6.yaml")
    empty_window.resize(1600, 1000)
    empty_session.open(Document(scenario, name="six.run"), Opened(source))
    empty_window.show_workspace("observe")
    found = empty_window.workspace("observe")
    assert isinstance(found, LiveWorkspace)
    qtbot.waitUntil(lambda: found.panel.isVisible() and bool(found.panel.drawn.nodes), timeout=20_000)
    empty_window.activateWindow()
    found.panel.setFocus()
    return found


def test_a_recorded_run_is_a_target(source: RecordedSource) -> None:
    target: Target = source
    assert target.clock.epoch_s is None


def test_plots_draw_what_was_recorded(observe: LiveWorkspace, source: RecordedSource) -> None:
    document = observe.session.document
    assert document is not None
    u11 = document.tree.find("u11").id
    observe.session.show_nodes([u11])
    times, values = observe.panel.rows["charge"].plot.curve_data(u11)
    assert times[0] == 0.0
    assert times[-1] == source.now_s == 120.0
    expected = source.curves("charge", (u11,), 0.0, 120.0, 100)[1][0]
    np.testing.assert_array_equal(values, expected)


def test_the_legend_has_the_targets_columns_and_values(
    observe: LiveWorkspace, source: RecordedSource
) -> None:
    view, document = observe.legend.view, observe.session.document
    assert document is not None
    shown = {name for name in ("cpu_rate", "allocated_share", "effective_share", "raw_shares")
             if not view.isColumnHidden(place_of(name))}  # fmt: skip
    assert shown == {"cpu_rate", "allocated_share"}
    u11 = document.tree.find("u11").id
    observe.session.set_leave_out_system(False)
    cell = view.legend.data(view.legend.index_of(u11, place_of("allocated_share")))
    assert cell == f"{100 * source.at().values('allocated_share', (u11,))[0]:.1f}"


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
    assert "somebody wrote a note" in observe.plot_controls.cursor_words.text() or at > 30.0


def test_a_plot_is_exported_with_where_it_is_from(observe: LiveWorkspace) -> None:
    figure = observe.exports.figure("charge")
    assert figure is not None
    assert figure.provenance.origin == "recorded"
    assert figure.curves[0].x[-1] == 120.0
