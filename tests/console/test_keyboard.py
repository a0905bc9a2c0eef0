"""Ten tasks by keys alone, and what Tab goes through on the way: all of it in sight, none of it a trap."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.analyse.study.sweep_cells import SweepCells
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.cluster.why_ticket import WhyDialog
from fsconsole.console.design.what_if.table_model import GROUP, WHAT_IF
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.operate.nights.workspace import NightsWorkspace
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.figures.style.palette import contrast
from tests.batch.study.small import swf_text
from tests.console.conftest import Answers
from tests.console.keys import Keys, name_of
from tests.texts import says, wording

_LEAST_CONTRAST = 3.0
_LEAST_PIXELS = 30


@pytest.fixture
def keys(qtbot: QtBot, empty_window: ConsoleWindow) -> Keys:
    empty_window.resize(1280, 800)
    empty_window.activateWindow()
    return Keys(qtbot, empty_window)


def opened(window: ConsoleWindow, keys: Keys, words: str, workspace: str) -> None:
    """Open an example by its name and go to a workspace."""
    keys.command(words)
    keys.until(lambda: window.session.snapshot is not None or window.session.offer(CLUSTER) is not None)
    keys.press(f"Ctrl+{WORKSPACES.index(workspace) + 1}")


def shares_of(window: ConsoleWindow) -> dict[str, int]:
    document = window.session.document
    assert document is not None
    return {node.name: node.shares for node in document.tree.walk()}


def dialog_of(keys: Keys, kind: str) -> QDialog:
    keys.until(lambda: type(QApplication.activeModalWidget() or keys.focus.window()).__name__ == kind)
    found = keys.focus.window()
    assert isinstance(found, QDialog)
    return found


# -- ten tasks ------------------------------------------------------------------------------------------


def test_an_example_is_opened_from_welcome_and_run(empty_window: ConsoleWindow, keys: Keys) -> None:
    session = empty_window.session
    keys.tab_to("Open example Convex series 1")
    keys.press("Return")
    keys.until(lambda: session.snapshot is not None and empty_window.current is keys.focus)
    keys.until(empty_window.table.qaction("observe.run").isEnabled)
    keys.press("Space")
    keys.until(lambda: session.snapshot is not None and session.snapshot.time_s > 0)
    keys.press("Space")
    assert not session.is_running


def test_a_user_is_added_gets_shares_and_all_is_undone(empty_window: ConsoleWindow, keys: Keys) -> None:
    opened(empty_window, keys, "Two organisations", "design")
    before = shares_of(empty_window)
    keys.tab_to("Share tree")
    keys.press("Down", "Down", "Ins")
    keys.type("zoe")
    keys.press("Return", "Right", "Right")
    keys.type("30")
    keys.press("Return")
    assert shares_of(empty_window) == before | {"zoe": 30}
    messages: list[str] = []
    empty_window.session.message.connect(messages.append)
    keys.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert shares_of(empty_window) == before
    assert messages[0] == wording("console.design.shares-of", name="Undone", new="Set", total="zoe")
    keys.press("Ctrl+Shift+Z", "Ctrl+Shift+Z", "Ctrl+Shift+Z")
    assert shares_of(empty_window) == before | {"zoe": 30}
    assert says(messages, "console.design.shares-of", name="Redone", new="Set", total="zoe")


def test_a_node_is_found_and_its_shares_are_moved_in_the_map(empty_window: ConsoleWindow, keys: Keys) -> None:
    opened(empty_window, keys, "Two organisations", "design")
    document = empty_window.session.document
    assert document is not None
    before = shares_of(empty_window)
    keys.command("u3")
    keys.until(lambda: empty_window.session.selection == (document.tree.find("u3").id,))
    keys.command("Share map")
    assert name_of(keys.focus) == "Share map"
    keys.press("Up", "Up", "Down", "Alt+Right")
    assert shares_of(empty_window) != before


def test_what_if_shows_before_and_after(empty_window: ConsoleWindow, keys: Keys) -> None:
    opened(empty_window, keys, "Two organisations", "design")
    workspace = empty_window.current
    assert isinstance(workspace, DesignWorkspace)
    model = workspace.what_if_panel.table.what_if_model

    def given() -> dict[str, str]:
        rows = range(model.rowCount())
        return {model.index(row, GROUP).data(): model.index(row, WHAT_IF).data() for row in rows}

    keys.command("what if")
    keys.tab_to("What if")
    before = given()
    keys.press("Down", "Right")
    keys.type("0")
    keys.press("Return")
    assert given() != before


def test_a_near_dedicated_job_is_watched_extended_and_killed(empty_window: ConsoleWindow, keys: Keys) -> None:
    opened(empty_window, keys, "Near-dedicated Y-MP", "operate")
    workspace = empty_window.current
    assert isinstance(workspace, NightsWorkspace)
    controller = workspace.controller

    def watchdog_s() -> float:
        night = controller.night
        return 0.0 if night is None or night.job is None else night.job.watchdog_s

    def request() -> int:
        night = controller.night
        return 0 if night is None or night.job is None else night.job.request

    keys.press("]", "]", "]", "Space")
    keys.until(lambda: controller.night is not None and controller.night.job is not None)
    keys.press("Space")
    job = controller.night.job if controller.night is not None else None
    assert job is not None
    keys.press("Ctrl+Shift+A", "Ctrl+Shift+E")
    dialog_of(keys, "ExtendDialog")
    keys.type("nearly done")
    keys.press("Return")
    # The machine may show the new time before the dialog has its answer and closes.
    keys.until(lambda: watchdog_s() > job.watchdog_s and QApplication.activeModalWidget() is None)
    keys.press("Ctrl+Shift+K")
    dialog_of(keys, "KillDialog")
    keys.type("the owner asked for it")
    keys.tab_to("Kill job")
    keys.press("Space")
    keys.until(lambda: QApplication.activeModalWidget() is None)
    keys.press("Space")
    keys.until(lambda: request() != job.request)


@pytest.mark.usefixtures("no_workers")
def test_a_new_study_is_run_and_a_cell_opened(
    empty_window: ConsoleWindow, keys: Keys, answers: Answers, tmp_path: Path
) -> None:
    answers.to_open = tmp_path / "small.swf"
    answers.to_open.write_text(swf_text())
    keys.command("New study")
    dialog_of(keys, "NewStudyDialog")
    keys.tab_to("Workload: Trace file")
    keys.press("Space")
    keys.tab_to("Save as")
    keys.press("Ctrl+A")
    keys.type(str(tmp_path / "mine.yaml"))
    keys.press("Return")
    controller = empty_window.stack.analyse.study_controller
    keys.until(lambda: controller.study is not None and not controller.is_running)
    empty_window.activateWindow()
    cells = empty_window.findChild(SweepCells)
    assert cells is not None
    keys.command("Sweep")
    assert keys.focus is cells
    with keys.signal(cells.opened):
        keys.press("Right", "Return")


def test_two_runs_are_compared(empty_window: ConsoleWindow, keys: Keys) -> None:
    opened(empty_window, keys, "Convex series 1", "observe")
    workspace = empty_window.current
    assert isinstance(workspace, LiveWorkspace)
    branches = workspace.machine.branches
    keys.press("B")
    dialog_of(keys, "BranchDialog")
    keys.type("S")  # shares
    keys.tab_to("Parameter or node to change")
    keys.type("u11")
    keys.tab_to("Value")
    keys.type("3000")
    keys.tab_to("Add change")
    keys.press("Space")
    keys.tab_to("End")
    keys.press("Ctrl+A")
    keys.type("20 s")
    keys.tab_to("Run branch")
    keys.press("Space")
    keys.until(lambda: bool(branches.tree.branches) and branches.tree.branches[-1].state == "done")
    assert workspace.panel.reference is not None


def test_a_figure_is_exported(empty_window: ConsoleWindow, keys: Keys, tmp_path: Path) -> None:
    opened(empty_window, keys, "Convex series 1", "observe")
    keys.until(empty_window.table.qaction("observe.run").isEnabled)
    keys.press("Space")
    keys.until(lambda: empty_window.session.snapshot is not None and empty_window.session.snapshot.time_s > 0)
    keys.press("Space", "Ctrl+E")
    dialog_of(keys, "ExportDialog")
    keys.press("Ctrl+A")
    keys.type(str(tmp_path / "figure"))
    keys.press("Return")
    keys.until(lambda: QApplication.activeModalWidget() is None)
    made = {path.suffix: path.read_bytes() for path in tmp_path.iterdir() if path.stem == "figure"}
    assert made.keys() == {".pdf", ".json"}
    assert made[".pdf"].startswith(b"%PDF-")
    assert made[".pdf"].rstrip().endswith(b"%%EOF")
    assert json.loads(made[".json"])["quantity"]


@pytest.mark.watch_allows(
    "focus", reason="the page of welcome drops the focus when a capture is read", issue="calm"
)
def test_a_capture_of_slurm_is_opened_and_says_why(empty_window: ConsoleWindow, keys: Keys) -> None:
    opened(empty_window, keys, "Slurm cluster (a capture)", "design")
    cluster = empty_window.session.offer(CLUSTER)
    assert cluster is not None
    keys.until(lambda: cluster.state.standing is not None)
    keys.command("ocean")
    keys.command("ticket")
    dialog = dialog_of(keys, "WhyDialog")
    assert isinstance(dialog, WhyDialog)
    keys.until(lambda: "ocean" in dialog.text.toPlainText())
    keys.press("Esc")


def test_the_doctor_is_run_and_leads_to_the_place(empty_window: ConsoleWindow, keys: Keys) -> None:
    opened(empty_window, keys, "NAVOCEANO C916", "design")
    keys.command("Problems")
    dock = next(dock for dock in empty_window.current.docks if dock.objectName() == "design_problems")  # type: ignore[union-attr]
    assert dock.isAncestorOf(keys.focus)
    assert dock.header._has_focus


# -- what Tab goes through ------------------------------------------------------------------------------

PLACES = (
    ("", "welcome"),
    ("Two organisations", "design"),
    ("Convex series 1", "observe"),
    ("Near-dedicated Y-MP", "operate"),
    ("Convex series 1", "analyse"),
)


@pytest.mark.parametrize(
    ("example", "workspace"), PLACES, ids=["welcome", *(place for _, place in PLACES[1:])]
)
def test_tab_goes_round_through_what_is_in_sight_and_marks_it(
    empty_window: ConsoleWindow, keys: Keys, example: str, workspace: str
) -> None:
    if example:
        opened(empty_window, keys, example, workspace)
    keys.press("Tab")
    first = keys.focus
    stops, marked = [first], [_picture(first)]
    for _ in range(len(empty_window.keyboard_focus.stops())):
        keys.press("Tab")
        if keys.focus is first:
            break
        assert _is_in_sight(keys.focus), name_of(keys.focus)
        stops.append(keys.focus)
        marked.append(_picture(keys.focus))
    # The last one lets the focus go.
    assert keys.focus is first, name_of(keys.focus)
    assert set(stops) == set(empty_window.keyboard_focus.stops())
    keys.press("Shift+Tab")
    assert keys.focus is stops[-1]
    first.setFocus()
    for stop, with_focus in list(zip(stops, marked, strict=True))[1:]:
        dock = next((one for one in empty_window.findChildren(Dock) if one.isAncestorOf(stop)), None)
        if dock is None:
            # The focus is marked.
            assert _differing(with_focus, _picture(stop)) >= _LEAST_PIXELS, name_of(stop)


def test_the_dock_with_the_focus_has_a_mark_that_stands_out(empty_window: ConsoleWindow, keys: Keys) -> None:
    opened(empty_window, keys, "Two organisations", "design")
    keys.tab_to("Share tree")
    workspace = empty_window.current
    assert isinstance(workspace, DesignWorkspace)
    dock = next(dock for dock in workspace.docks if dock.isAncestorOf(keys.focus))
    with_focus = _picture(dock.header)
    keys.press("F6")
    assert not dock.isAncestorOf(keys.focus)
    assert _differing(with_focus, _picture(dock.header)) >= dock.header.width()


def _is_in_sight(stop: QWidget) -> bool:
    place = QRect(stop.mapTo(stop.window(), QPoint(0, 0)), stop.size())
    return stop.isVisible() and stop.window().rect().intersects(place)


def _picture(widget: QWidget) -> QImage:
    return widget.grab().toImage()


def _differing(one: QImage, other: QImage) -> int:
    """How many pixels differ by a contrast of 3:1 at least."""
    assert one.size() == other.size()
    pixels = ((x, y) for y in range(one.height()) for x in range(one.width()))
    pairs = ((one.pixel(x, y), other.pixel(x, y)) for x, y in pixels)
    return sum(contrast(_hex(a), _hex(b)) >= _LEAST_CONTRAST for a, b in pairs if a != b)


def _hex(pixel: int) -> str:
    return f"#{pixel & 0xFFFFFF:06X}"
