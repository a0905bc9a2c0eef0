"""Why and Control by keys and clicks."""

from __future__ import annotations

import random

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from fsconsole.app.why_columns import by_usage
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.console.figure_view import FigureView
from fsconsole.console.insight.diagram_view import value_text
from fsconsole.console.insight.fair_view import FairPlot
from fsconsole.console.insight.why_panel import WhyPanel
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.machine.insight import Explanation
from fsconsole.machine.insight.control import Child
from fsconsole.resources import examples
from fsconsole.shares.edits import Remove
from fsconsole.shares.scenario.read import read_scenario
from tests.console.assistive import description_of, unspoken
from tests.console.test_glossary import PLAIN, TERMS, term
from tests.console.test_text_twins import cells, shown_table
from tests.texts import says, wording


@pytest.fixture
def observe(window: ConsoleWindow, session: ConsoleSession, qtbot: QtBot) -> LiveWorkspace:
    window.show_workspace("observe")
    found = window.workspace("observe")
    assert isinstance(found, LiveWorkspace)
    qtbot.waitUntil(found.panel.isVisible)
    window.activateWindow()
    found.panel.setFocus()
    return found


def node(session: ConsoleSession, name: str) -> int:
    assert session.document is not None
    return session.document.tree.find(name).id


def advance(qtbot: QtBot, session: ConsoleSession, seconds: int) -> None:
    assert session.snapshot is not None
    tick = session.snapshot.tick + 60 * seconds
    session.step(60 * seconds)
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.tick == tick)


def explained(qtbot: QtBot, panel: WhyPanel, first: str, tick: int) -> None:
    """Wait for the explanation of a user at a tick."""
    qtbot.waitUntil(
        lambda: (found := of(panel)) is not None and (found.first.name, found.tick) == (first, tick)
    )


def of(panel: WhyPanel) -> Explanation | None:
    """What a machine explains."""
    found = panel.explanation
    return found if isinstance(found, Explanation) else None


def test_w_says_why_in_observe(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession, window: ConsoleWindow
) -> None:
    session.select([node(session, "u11"), node(session, "u21")])
    assert not observe.why_panel.isVisible()
    QTest.keyClick(observe.panel, Qt.Key.Key_W)
    qtbot.waitUntil(observe.why_panel.isVisible)
    panel = observe.why_panel
    explained(qtbot, panel, "u11", 0)
    for model in (panel.levels, panel.factors):
        QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    assert panel.explanation is not None
    assert says(panel.explanation.standing, "machine.insight.nothing-has-run-yet-this")
    advance(qtbot, session, 60)
    explained(qtbot, panel, "u11", 3600)
    assert wording("policies.their-paths-separate-below", common="the root") + ": gr1" in panel.verdict
    names = [panel.levels.index(row, 0).data() for row in range(panel.levels.rowCount())]
    assert names == ["gr1", "u11", "gr2", "u21"]
    result = next(row for row in panel.factors.rows if row.is_result)
    assert session.snapshot is not None
    row = int(np.flatnonzero(session.snapshot.sample.ids == node(session, "u11"))[0])
    assert int(result.fulls[0]) == session.snapshot.increment[row]


def test_nothing_is_asked_while_the_dock_is_hidden(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession
) -> None:
    panel, control = observe.why_panel, observe.machine.control
    qtbot.waitUntil(lambda: not panel.isVisible() and not control.isVisible())
    advance(qtbot, session, 5)
    qtbot.waitUntil(lambda: len(observe.machine.processes.table.processes.rows) > 0)
    # While the docks were put in their places they may have been seen for a moment, at 0 s.
    assert (seen := of(panel)) is None or seen.tick == 0
    assert control.control is None or control.control.time_s == 0


def test_a_combo_chooses_who_is_explained(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession
) -> None:
    observe.show_why()
    panel = observe.why_panel
    qtbot.waitUntil(lambda: panel.explanation is not None)
    at = panel.first.findData(node(session, "u22"))
    panel.first.setCurrentIndex(at)
    panel.first.activated.emit(at)
    explained(qtbot, panel, "u22", 0)
    session.select([node(session, "gr1")])
    explained(qtbot, panel, "u11", 0)  # a group stands for one of its users
    assert panel.first.currentData() == node(session, "u11")


def test_why_of_a_process(qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession) -> None:
    advance(qtbot, session, 10)
    table = observe.machine.processes.table
    qtbot.waitUntil(lambda: bool(table.processes.rows))
    chosen = next(row for row in table.processes.rows if row.node == node(session, "u21"))
    table.select({chosen.pid})
    observe.table.refresh()
    assert observe.table.trigger("observe.why")
    panel = observe.why_panel
    explained(qtbot, panel, "u21", 600)
    assert (found := of(panel)) is not None
    assert found.first.pid == chosen.pid


def test_w_says_why_in_design(qtbot: QtBot, window: ConsoleWindow, session: ConsoleSession) -> None:
    window.show_workspace("design")
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    session.select([node(session, "u12"), node(session, "u23")])
    design.tree_view.setFocus()
    qtbot.waitUntil(design.tree_view.hasFocus)
    QTest.keyClick(design.tree_view, Qt.Key.Key_W)
    explained(qtbot, design.why_panel, "u12", 0)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: design.why_dock in design.tabifiedDockWidgets(design.node_dock))
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: not design.tabifiedDockWidgets(design.node_dock))


def test_control_shows_the_diagram_of_the_selected_node(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession
) -> None:
    session.select([node(session, "u11")])
    advance(qtbot, session, 40)
    assert observe.table.trigger("observe.control")
    control = observe.machine.control
    qtbot.waitUntil(lambda: control.control is not None and control.control.time_s == 40.0)
    assert control.control is not None
    assert control.control.diagram.about == "u11"
    assert control.diagram.placed is not None
    square = next(item for item in control.diagram.placed.blocks if item.block.id == "square")
    assert "eq. 2" in control.diagram.text_at(*square.rect.middle)
    assert control.fair.plot.places is not None
    before = len(control.fair.plot.trail)
    advance(qtbot, session, 8)
    qtbot.waitUntil(lambda: len(control.fair.plot.trail) > before)
    assert not control.warning
    titles, now, aim, *trail = cells(control.fair.plot.text_twin())
    assert (titles[0], now[0], aim[0]) == ("Point", "Usage", "Target")
    assert trail[0][0].split() == ["1", "sample", "earlier"]
    assert len(trail) == len(control.fair.plot.trail) - 1
    described = description_of(control.fair.plot)
    assert says(described, "console.insight.has-used-target", name=titles[1], usage=now[1])


def test_the_block_diagram_is_read_as_a_table(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession, window: ConsoleWindow
) -> None:
    session.select([node(session, "u11")])
    advance(qtbot, session, 40)
    assert observe.table.trigger("observe.control")
    control = observe.machine.control
    qtbot.waitUntil(lambda: control.control is not None and control.control.time_s == 40.0)
    assert control.control is not None
    diagram = control.control.diagram
    dialog = shown_table(window, control.fair.across)
    dialog.box.setCurrentText("Block diagram of the policy")
    titles = dialog.model.titles
    assert {term(title) for title in titles} <= TERMS | PLAIN
    rows = [dict(zip(titles, dialog.model.cells(row), strict=True)) for row in dialog.model.rows]
    assert {row["Block"] for row in rows} == {block.title for block in diagram.blocks}
    into = {block.id: block.title for block in diagram.blocks}
    shown = {(row["From"], row["Block"], row["Quantity"], row["Value"]) for row in rows if row["Quantity"]}
    assert shown == {
        (into.get(wire.start, ""), into[wire.end], wire.label, value_text(wire)) for wire in diagram.wires
    }
    assert unspoken(dialog) == []
    dialog.close()


def test_control_warns_outside_the_stable_region(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession
) -> None:
    assert session.document is not None
    session.document.set_settings({"policy.name": "feedback", "policy.k_mu": (1.5,)})
    advance(qtbot, session, 4)
    observe.machine.show_control()
    control = observe.machine.control
    qtbot.waitUntil(lambda: control.control is not None and control.control.policy == "feedback")
    assert control.warning.startswith("Warning: ")
    assert "k_mu" in control.warning
    assert control.step.k_mu.value() == 1.5


def test_a_step_is_tried_on_a_copy(qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession) -> None:
    session.select([node(session, "u11"), node(session, "u21")])
    advance(qtbot, session, 20)
    observe.machine.show_control()
    control, step = observe.machine.control, observe.machine.control.step
    qtbot.waitUntil(lambda: control.control is not None)
    control.pages.choose("step")
    step.half_life.setValue(30.0)
    step.kind.setCurrentIndex(1)
    step.who.setCurrentIndex(step.who.findData(node(session, "u12")))
    QTest.mouseClick(step.button, Qt.MouseButton.LeftButton)
    assert step.is_busy
    qtbot.waitUntil(lambda: not step.is_busy)
    assert [response.settings for response in step.responses] == [{}, {"policy.half_life_s": 30.0}]
    # u12 stays logged in and counts: 25 of the 75 % of those with work (25, 16.7, 16.7 and 16.7).
    assert step.responses[0].measures.before == pytest.approx(0.25, abs=0.03)
    assert step.responses[0].measures.final == pytest.approx(1 / 3, abs=0.03)
    assert "settles after" in step.sentence
    assert session.snapshot is not None
    assert session.snapshot.tick == 1200


def test_a_step_is_tried_after_a_user_with_work_has_gone(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession
) -> None:
    """The copy is of what the machine was made of, and not of the document as edited since."""
    assert session.document is not None
    session.select([node(session, "u11"), node(session, "u21")])
    session.document.edit("Remove", [Remove(node(session, "u12"))])
    advance(qtbot, session, 8)
    observe.machine.show_control()
    step = observe.machine.control.step
    qtbot.waitUntil(lambda: observe.machine.control.control is not None)
    QTest.mouseClick(step.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not step.is_busy)
    assert "settle" in step.sentence
    # The machine has counted u12 out: u11 has all of its group.
    assert step.responses[0].allocated_share[0] == pytest.approx(0.5)


def test_a_step_of_a_node_that_goes_meanwhile_says_nothing(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession
) -> None:
    assert session.document is not None
    session.select([node(session, "u12")])
    advance(qtbot, session, 8)
    observe.machine.show_control()
    step = observe.machine.control.step
    qtbot.waitUntil(lambda: observe.machine.control.control is not None)
    QTest.mouseClick(step.button, Qt.MouseButton.LeftButton)
    session.document.edit("Remove", [Remove(node(session, "u12"))])
    qtbot.waitUntil(lambda: not step.is_busy)
    assert (step.sentence, step.button.isEnabled()) == ("", True)


def test_a_step_is_forgotten_with_its_node_and_with_its_document(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession
) -> None:
    """Another document may have a node of the same id."""
    session.select([node(session, "u12")])
    advance(qtbot, session, 8)
    observe.machine.show_control()
    control, step = observe.machine.control, observe.machine.control.step
    qtbot.waitUntil(lambda: control.control is not None)
    control.pages.choose("step")

    def tried() -> None:
        QTest.mouseClick(step.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: not step.is_busy)
        assert step.responses
        assert step.findChildren(FigureView)

    def is_empty() -> bool:
        return not step.responses and not step.sentence and not step.findChildren(FigureView)

    tried()
    assert session.document is not None
    session.document.edit("Remove", [Remove(node(session, "u12"))])
    qtbot.waitUntil(is_empty)
    session.select([node(session, "u11")])
    advance(qtbot, session, 8)
    tried()
    step.half_life.setValue(7.0)
    path = examples() / "convex-series-6.yaml"
    session.open(Document(read_scenario(path), name=path.name))
    qtbot.waitUntil(is_empty)
    qtbot.waitUntil(lambda: step.half_life.value() != 7.0)


def test_both_users_show_in_the_small_window(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession, window: ConsoleWindow
) -> None:
    window.resize(1280, 800)
    session.select([node(session, "u11"), node(session, "u21")])
    observe.show_why()
    panel = observe.why_panel
    explained(qtbot, panel, "u11", 0)
    table = panel.level_table
    last = panel.levels.index(3, 0)
    assert last.data() == "u21"
    qtbot.waitUntil(lambda: table.viewport().rect().contains(table.visualRect(last)))
    titles = [
        panel.levels.headerData(section, Qt.Orientation.Horizontal)
        for section in range(panel.levels.columnCount())
        if not table.isColumnHidden(section)
    ]
    shown = [column.title.split() for column in by_usage(leaves_out=True)[-3:]]
    assert [title.split() for title in titles[-3:]] == shown


def test_the_trail_stays_inside_the_axes(qtbot: QtBot, session: ConsoleSession) -> None:
    """Usage that was much larger before, as before usage is cleared, is not drawn over what stands beside."""
    shown, bare = FairPlot(session), FairPlot(session)
    for plot in (shown, bare):
        qtbot.addWidget(plot)
        plot.resize(250, 160)
    now = (Child(1, "a", 0.5, 1e5, 2e5), Child(2, "b", 0.5, 1e5, 2e5))
    shown.show_pair(Child(1, "a", 0.5, 1e6, 1e6), Child(2, "b", 0.5, 9e6, 9e6), is_ruling=True)
    shown.show_pair(*now, is_ruling=True)
    bare.show_pair(*now, is_ruling=True)
    assert (len(shown.trail), len(bare.trail)) == (2, 1)
    places = shown.places
    assert places is not None
    images = [plot.grab().toImage() for plot in (shown, bare)]
    assert images[0] != images[1]
    top = int(places.bottom - places.side_y)
    for x in range(250):
        for y in range(160):
            is_outside = not (places.left <= x <= places.left + places.side_x and top <= y <= places.bottom)
            assert not is_outside or images[0].pixel(x, y) == images[1].pixel(x, y)


def test_a_deep_tree_hides_common_levels_for_both_users(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession, window: ConsoleWindow
) -> None:
    window.resize(1280, 800)
    path = examples() / "navoceano-c916.yaml"
    session.open(Document(read_scenario(path), name=path.name))
    session.select([node(session, "p1103"), node(session, "p2107")])
    observe.show_why()
    panel, table = observe.why_panel, observe.why_panel.level_table
    qtbot.waitUntil(lambda: (found := of(panel)) is not None and found.first.name == "p1103")
    rows = range(panel.levels.rowCount())

    def seen() -> list[str]:
        indexes = [panel.levels.index(row, 0) for row in rows if not table.isRowHidden(row)]
        inside = table.viewport().rect()
        return [index.data() for index in indexes if inside.contains(table.visualRect(index))]

    qtbot.waitUntil(lambda: {"p1103", "p2107"} <= set(seen()))


def shown_words(panel: WhyPanel) -> set[str]:
    """All that the panel says of an answer."""
    cells = {
        str(model.index(row, column).data() or "")
        for model in (panel.levels, panel.factors)
        for row in range(model.rowCount())
        for column in range(model.columnCount())
    }
    labels = {label.text() for label in panel.findChildren(QLabel) if label.isVisibleTo(panel)}
    return (cells | labels) - {""}


@pytest.mark.parametrize("workspace_id", ["observe", "design"])
def test_why_says_nothing_of_a_tree_that_is_closed(
    qtbot: QtBot, window: ConsoleWindow, session: ConsoleSession, workspace_id: str
) -> None:
    window.show_workspace(workspace_id)
    found = window.workspace(workspace_id)
    assert isinstance(found, LiveWorkspace | DesignWorkspace)
    window.table.trigger("why")
    panel = found.why_panel
    session.select([node(session, "u11"), node(session, "u21")])
    explained(qtbot, panel, "u11", 0)
    window.table.trigger("new")
    assert panel.explanation is None
    assert shown_words(panel) == {"Compare", "with", wording("console.insight.no-users-to-compare-add")}
    qtbot.waitUntil(lambda: session.snapshot is not None)
    advance(qtbot, session, 60)
    assert panel.explanation is None
    session.open(None)
    assert shown_words(panel) <= {"Compare", "with"}


@pytest.mark.parametrize("seed", range(4))
def test_why_outlives_any_order_of_deletes_and_selections(
    qtbot: QtBot, observe: LiveWorkspace, session: ConsoleSession, window: ConsoleWindow, seed: int
) -> None:
    window.table.trigger("why")
    qtbot.waitUntil(observe.why_panel.isVisible)
    document, chance = session.document, random.Random(seed)
    assert document is not None
    for _ in range(60):
        nodes = [each.id for each in document.tree.walk() if each.parent is not None]
        match chance.choice(["select", "select", "remove", "undo"]):
            case "select" if nodes:
                session.select(chance.sample(nodes, min(len(nodes), chance.randint(1, 3))))
            case "remove" if nodes:
                document.edit("Remove", [Remove(chance.choice([*session.selection, *nodes]))])
            case "undo" if document.stack.canUndo():
                document.stack.undo()
        asked = {observe.why_panel.pair.leaf, observe.why_panel.pair.other} - {None}
        assert asked <= {each.id for each in document.tree.walk()}
        qtbot.wait(0)
