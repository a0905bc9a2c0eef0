"""A capture opened like a file: a cluster to look at, with nothing to act on."""

from __future__ import annotations

import json
import time
from datetime import datetime

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QScrollArea
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.files.questions import Questions
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.operate.jobs.priority_view import FactorBar
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.widgets.labels import InkLabel
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import SetShares
from fsconsole.targets.slurm.location import capture_place, captured_folder, example_capture
from fsconsole.targets.slurm.replay import MANIFEST
from fsconsole.targets.slurm.state import PartName
from tests.console.conftest import Answers
from tests.texts import wording


def test_the_example_opens_and_cannot_be_armed(qtbot: QtBot, window: ConsoleWindow) -> None:
    session = window.session
    assert window.table.trigger("example_slurm_capture")
    qtbot.waitUntil(lambda: session.offer(CLUSTER) is not None)
    cluster = session.offer(CLUSTER)
    assert cluster is not None
    assert captured_folder(cluster.target.place.prefix) == example_capture()
    qtbot.waitUntil(lambda: cluster.state.standing is not None)
    assert cluster.name == "testlab"
    assert not window.table.trigger("cluster.arm")
    assert not cluster.arming.is_armed
    assert "capture" in window.frame.status.target.text
    assert window.files.close()
    assert session.offer(CLUSTER) is None


def test_the_clock_of_a_capture_stands_still(
    qtbot: QtBot, window: ConsoleWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the time is here, all is as of the capture, and nothing is read again."""
    window.resize(1600, 1000)
    window.files.open(example_capture())
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is not None)
    cluster = window.session.offer(CLUSTER)
    assert cluster is not None
    qtbot.waitUntil(lambda: None not in (cluster.state.jobs, cluster.state.standing))
    captured_s = json.loads((example_capture() / MANIFEST).read_text())["captured_s"]
    qtbot.waitUntil(lambda: all(part.as_of_s == captured_s for part in cluster.state.parts.values()))
    assert {part.next_s for part in cluster.state.parts.values()} == {0.0}
    when = f"{datetime.fromtimestamp(captured_s).astimezone():%Y-%m-%d %H:%M:%S}"
    window.show_workspace("observe")
    observe = window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    head = observe.cluster.head
    qtbot.waitUntil(lambda: head.problem.text() == f"Captured {when}")
    assert head.chip.text == "Capture"
    assert not head.refresh_now.isVisible()
    shown = head.words[PartName.JOBS].text()
    assert shown == wording("console.operate.jobs.jobs-as-of", as_of_s=when[-8:])
    assert not window.table.trigger("cluster.refresh")
    window.show_workspace("operate")
    operate = window.workspace("operate")
    assert isinstance(operate, JobsWorkspace)
    running = next(job for job in cluster.state.jobs if job.state == "RUNNING")
    assert running.start_s is not None
    operate.controller.choose([running.job_id])
    monkeypatch.setattr(time, "time", lambda: captured_s + 86400.0)
    cluster.changed.emit(cluster.state)
    assert operate.controller.now_s == captured_s
    assert window.session.offer(CLUSTER) is cluster
    assert when in window.frame.status.target.text


def test_the_parts_of_a_priority_are_those_of_the_capture(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.files.open(example_capture())
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is not None)
    window.show_workspace("operate")
    operate = window.workspace("operate")
    assert isinstance(operate, JobsWorkspace)
    qtbot.waitUntil(lambda: operate.controller.columns is not None and operate.controller.is_fresh)
    operate.controller.choose([32])
    view = operate.job.priority
    qtbot.waitUntil(lambda: any(one.part for one in view.findChildren(FactorBar)))
    shown = {one.text().replace("\u202f", "") for one in view.findChildren(QLabel)}
    row = next(
        line.split("|")
        for line in (example_capture() / "priorities.txt").read_text().splitlines()
        if line.startswith("32|")
    )
    assert {row[7], row[8], f"Priority {row[3]}"} <= shown  # fairshare, job size, and the sum


def test_what_is_staged_for_a_capture_can_be_discarded_and_not_applied(
    qtbot: QtBot, window: ConsoleWindow, answers: Answers
) -> None:
    window.files.open(example_capture())
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is not None)
    document, staging = window.session.document, window.session.offer(STAGING)
    assert document is not None
    assert staging is not None
    node = next(one for one in document.tree.walk() if one.parent is not None)
    document.edit("Set shares", [SetShares.of(node.id, node.shares + 1)])
    qtbot.waitUntil(lambda: not staging.is_working)
    assert not window.files.close()
    assert answers.asked[-1].split()[::2] == ["discard", "changes", "testlab"]
    answers.yes = True
    assert window.files.close()


def test_the_question_for_a_capture_offers_no_apply(qtbot: QtBot, window: ConsoleWindow) -> None:
    seen: dict[str, str] = {}

    def discard() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            return
        seen["more"] = box.informativeText()
        by_text = {button.text(): button for button in box.buttons()}
        seen["buttons"] = ", ".join(sorted(by_text))
        by_text.get("&Discard changes", box.buttons()[0]).click()

    timer = QTimer()
    timer.timeout.connect(discard)
    timer.start(10)
    is_discarded = Questions(window).discard_staged("testlab", 1)
    timer.stop()
    assert is_discarded
    assert seen["buttons"].split(", ") == ["&Discard changes", "Cancel"]
    assert seen["more"] == wording("console.files.capture-folder-cannot-be-changed")


def test_its_list_is_opened_as_a_file_is(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.files.open(example_capture() / MANIFEST)
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is not None)
    assert window.session.document is not None
    assert len(window.session.document.tree) == 23


def test_the_way_to_a_capture_opens_it_as_at_a_restart(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.clusters.connections.connect_to(capture_place(example_capture()).prefix)
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is not None)
    expected = f"testlab  (capture in {example_capture()})"
    assert window.clusters.connections.recent.entries()[0].words == expected


def test_why_of_a_machine_takes_its_header_along(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.show_workspace("design")
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    window.table.trigger("why")
    pages = design.why_panel.pages
    qtbot.waitUntil(pages.isVisible)
    window.files.open(example_capture())
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is not None)
    qtbot.waitUntil(lambda: not pages.isVisible())
    assert design.why_dock.header._remark.text() == ""
    window.files.open_example()
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is None)
    qtbot.waitUntil(pages.isVisible)


def test_what_lags_is_read_whole_in_a_narrow_window(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.resize(1280, 800)
    window.files.open(example_capture())
    window.show_workspace("design")
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is not None)
    cluster = window.session.offer(CLUSTER)
    assert cluster is not None
    qtbot.waitUntil(lambda: cluster.state.standing is not None)
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    document = window.session.document
    assert document is not None
    window.session.select(node.id for node in document.tree.walk() if node.name == "ocean")
    qtbot.waitUntil(lambda: "NormUsage" in "".join(one.text() for one in design.findChildren(InkLabel)))
    area = next(one for one in design.node_dock.findChildren(QScrollArea) if one.isVisible())
    panel = area.widget()
    assert panel is not None
    qtbot.waitUntil(lambda: panel.width() <= area.viewport().width())


def test_the_legend_shows_the_users_whose_curves_are_drawn_first(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.files.open(example_capture())
    window.show_workspace("observe")
    observe = window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    qtbot.waitUntil(lambda: window.session.offer(CLUSTER) is not None)
    qtbot.waitUntil(lambda: len(window.session.shown) == 5)
    document = window.session.document
    assert document is not None
    drawn = {document.tree.node(node).name for node in window.session.shown}
    assert drawn == {"gina", "jan", "emma", "anna", "finn"}
    view = observe.legend.view
    qtbot.waitUntil(
        lambda: all(view.visualRect(view.legend.index_of(one)).isValid() for one in window.session.shown)
    )
