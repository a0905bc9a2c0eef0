"""A capture opened like a file: a cluster to look at, with nothing to act on."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.targets.slurm.place import MANIFEST, capture_place, captured_folder, example_capture


def test_the_example_opens_and_cannot_be_armed(qtbot: QtBot, window: ConsoleWindow) -> None:
    session = window.session
    assert window.table.trigger("example_slurm_capture")
    qtbot.waitUntil(lambda: session.cluster is not None, timeout=60_000)
    cluster = session.cluster
    assert cluster is not None
    assert captured_folder(cluster.target.place.prefix) == example_capture()
    qtbot.waitUntil(lambda: cluster.state.standing is not None, timeout=60_000)
    assert cluster.name == "testlab"
    assert not window.table.trigger("cluster.arm")
    assert not cluster.arming.is_armed
    assert "capture" in window.frame.status.target.text
    assert window.desk.close()
    assert session.cluster is None


def test_its_list_is_opened_as_a_file_is(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.desk.open(example_capture() / MANIFEST)
    qtbot.waitUntil(lambda: window.session.cluster is not None, timeout=60_000)
    assert window.session.document is not None
    assert len(window.session.document.tree) == 23


def test_the_way_to_a_capture_opens_it_as_at_a_restart(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.clusters.desk.connect_to(capture_place(example_capture()).prefix)
    qtbot.waitUntil(lambda: window.session.cluster is not None, timeout=60_000)
    assert window.clusters.desk.recent.places()[0].words == f"testlab  (capture in {example_capture()})"


def test_why_of_a_machine_takes_its_header_along(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.show_workspace("design")
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    window.show_why()
    pages = design.why_panel.pages
    qtbot.waitUntil(pages.isVisible)
    window.desk.open(example_capture())
    qtbot.waitUntil(lambda: window.session.cluster is not None, timeout=60_000)
    qtbot.waitUntil(lambda: not pages.isVisible())
    assert design.why_dock.header._remark.text() == ""
    window.desk.open_example()
    qtbot.waitUntil(lambda: window.session.cluster is None, timeout=60_000)
    qtbot.waitUntil(pages.isVisible)
