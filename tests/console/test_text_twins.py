"""What maps and plots show can be read as a table, from the keyboard alone."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

import fsconsole.console
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.figure_view import FigureView
from fsconsole.console.kit.text_twin import Chart, TextTwin, TwinDialog, curves_twin
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.style.roles import Role
from fsconsole.console.window import ConsoleWindow
from fsconsole.figures.spec import Axis, Curve, FigureSpec
from tests.console.assistive import accessible, description_of, unspoken
from tests.console.live.running import go_to
from tests.console.test_glossary import PLAIN, TERMS, term
from tests.texts import says, wording


def cells(twin: TextTwin) -> list[list[str]]:
    """Titles, then what the rows say."""
    return [
        [column.title for column in twin.columns],
        *([column.text(row) for column in twin.columns] for row in twin.rows),
    ]


def shown_table(window: ConsoleWindow, focus: QWidget) -> TwinDialog:
    """The dialog that the keys open while a view has the focus."""
    window.activateWindow()
    focus.setFocus()
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(focus, Qt.Key.Key_T, both)
    found = window.findChild(TwinDialog)
    assert isinstance(found, TwinDialog)
    return found


def test_the_share_map_is_read_as_a_table(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.show_workspace("design")
    design = window.current
    assert isinstance(design, DesignWorkspace)
    view, document = design.share_map, window.session.document
    qtbot.waitUntil(view.isVisible)
    assert document is not None
    dialog = shown_table(window, view)
    assert dialog.box.currentText() == "Share map"
    rows = [dialog.model.cells(row) for row in dialog.model.rows]
    assert [row[0] for row in rows] == [node.name for node in document.tree.walk()]
    titles = dialog.model.titles
    user = dict(zip(titles, rows[[row[0] for row in rows].index("u21")], strict=True))
    assert user["Group"] == document.tree.path(document.tree.find("gr2").id)
    assert user["Shares"] == "100"
    assert user[wording("console.design.share-of-group-2")] == "33.33\xa0%"
    assert unspoken(dialog) == []
    assert accessible(view).role() is QAccessible.Role.Chart
    assert dialog.about.text() == description_of(view)
    assert says(dialog.about.text(), "console.design.largest-shares-of-machine")
    dialog.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == len(rows) + 1
    assert lines[0] == "\t".join(titles)
    dialog.close()


def test_the_map_says_what_is_below_the_node_it_is_zoomed_to(window: ConsoleWindow) -> None:
    window.show_workspace("design")
    design, document = window.current, window.session.document
    assert isinstance(design, DesignWorkspace)
    assert document is not None
    group = document.tree.find("gr2")
    design.share_map.zoom_to(group.id)
    below = wording("console.design.below", id=document.tree.path(group.id), children="3 nodes")
    assert description_of(design.share_map).startswith(f"{below}.")
    names = [line[0] for line in cells(design.share_map.text_twin())[1:]]
    assert names == ["gr2", "u21", "u22", "u23"]


def test_a_plot_is_read_at_steps_with_its_extremes(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.show_workspace("observe")
    observe = window.current
    assert isinstance(observe, LiveWorkspace)
    go_to(window.session, 30.0, qtbot.waitUntil)
    plot = observe.panel.plots[1]
    dialog = shown_table(window, plot)
    assert dialog.box.count() == len(observe.panel.plots) + 1  # the time strip
    assert dialog.box.currentText() == wording("console.live.plots.plot-of", title=plot.quantity.title)
    first = [dialog.model.cells(row) for row in dialog.model.rows]
    assert [row[0] for row in first[:3]] == ["smallest", "largest", "last"]
    node = window.session.document.tree.find("u11").id  # type: ignore[union-attr]
    _, values = plot.curve_data(node)
    place = dialog.model.titles.index("u11 [%]")
    known = values[np.isfinite(values)] * 100
    expected = [known.min(), known.max(), known[-1]]
    assert [float(row[place]) for row in first[:3]] == pytest.approx(expected, rel=1e-3)
    dialog.box.setCurrentIndex(1)
    assert dialog.table.accessibleName() == dialog.box.currentText()
    assert "u11" in dialog.about.text()
    assert unspoken(dialog) == []
    dialog.close()


def test_values_of_a_figure_are_in_the_units_of_its_axes(qtbot: QtBot) -> None:
    x = np.arange(200.0)
    curve = Curve("u1", x, np.where(x == 199, np.nan, x / 400))
    spec = FigureSpec("f", "Rates", Axis("rate", "%", 100.0), (curve,), caption="Of one user.")
    view = FigureView(spec)
    qtbot.addWidget(view)
    titles, least, largest, last, first, *_, end = cells(view.text_twin())
    assert [title.split() for title in titles] == [["Time"], ["u1", "rate", "[%]"]]
    assert (least, largest, last) == (["smallest", "0"], ["largest", "49.50"], ["last", "49.50"])
    assert (first, end) == (["0 s", "0"], ["199 s", "–"])
    assert len(view.text_twin().rows) == 63
    assert view.accessibleName() == f"{spec.title}. {spec.caption}"
    assert description_of(view).split() == ["rate", "by", "time:", "u1"]


def test_all_places_that_have_names_are_read() -> None:
    twin = curves_twin("Month", np.arange(2.0), str, [("a", np.array([3.0, 4.5]))], kinds=("Oct", "Nov"))
    assert cells(twin) == [["Month", "a"], ["Oct", "3.000"], ["Nov", "4.500"]]
    assert cells(curves_twin("Month", np.empty(0), str, [])) == [["Month"]]


def test_a_figure_offers_its_table_where_the_menu_is_wanted(qtbot: QtBot, window: ConsoleWindow) -> None:
    figure = FigureSpec("f", "Rates", Axis("rate"), (Curve("u1", np.arange(3.0), np.arange(3.0)),))
    observe = window.current
    assert observe is not None
    view = FigureView(figure, observe)
    view.show()
    here = view.rect().center()
    wanted = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, here, view.mapToGlobal(here))
    QApplication.sendEvent(view, wanted)
    menu = view.findChild(QMenu)
    assert isinstance(menu, QMenu)
    assert [action.objectName() for action in menu.actions()] == ["show_table"]
    menu.actions()[0].trigger()
    dialog = window.findChild(TwinDialog)
    assert isinstance(dialog, TwinDialog)
    assert dialog.box.currentText().startswith("Rates.")
    menu.close()
    dialog.close()


def test_the_time_strip_is_read_as_a_table(window: ConsoleWindow, qtbot: QtBot) -> None:
    window.show_workspace("observe")
    observe = window.current
    assert isinstance(observe, LiveWorkspace)
    strip = observe.machine.transport.strip
    qtbot.waitUntil(strip.isVisible)
    strip.setFocus()
    dialog = shown_table(window, strip)
    assert dialog.box.currentText() == "Time strip"
    assert {term(title) for title in dialog.model.titles} <= TERMS | PLAIN
    events = [(flag.is_planned, text) for flag in strip._flags() for text in flag.texts]
    rows = [dialog.model.cells(row) for row in dialog.model.rows]
    assert events
    assert [(kind == "planned", about) for _, kind, about in rows] == events
    dialog.close()


# Charts that are read in another way.
READ_ELSEWHERE = {
    "EfficiencyBar",  # its name has its one value
    "ExportPreview",  # of a figure, whose values the dialog writes as CSV
}


def test_all_charts_can_be_read_as_tables() -> None:
    for module in pkgutil.walk_packages(fsconsole.console.__path__, "fsconsole.console."):
        importlib.import_module(module.name)
    charts, more = set[type[QWidget]](), [QWidget]
    while more:
        kind = more.pop()
        more += kind.__subclasses__()
        if kind.__module__.startswith("fsconsole.") and getattr(kind, "accessible_role", None) is Role.Chart:
            charts.add(kind)
    silent = {
        kind.__name__ for kind in charts if getattr(kind, "text_twin", Chart.text_twin) is Chart.text_twin
    }
    assert silent - {"Chart"} == READ_ELSEWHERE
