"""Nodes of a cluster and finished jobs, as an operator uses them."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from fsconsole.app.jobs.nodes import NodeView
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.operate.jobs import finished_panel
from fsconsole.console.operate.jobs.job_files_dialog import JobFilesDialog
from fsconsole.console.operate.jobs.node_dialog import NodeDialog
from fsconsole.console.operate.jobs.node_map import NodeMap, tip_of
from fsconsole.console.operate.jobs.results import ResultsDialog
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.widgets import late_input
from fsconsole.console.widgets.late_input import JUST_CHANGED, READ_S
from fsconsole.console.window import ConsoleWindow
from fsconsole.recording.audit import Result
from fsconsole.slurm.node_change import NodeChange, NodeVerb
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.targets.slurm.tools import Answer
from tests.console.assistive import description_of, unspoken
from tests.console.cluster import play
from tests.console.test_text_twins import shown_table
from tests.slurm.captured import captured
from tests.texts import says, wording

_ENDED_S = 1795658426  # the last one of captures/finished
Publish = Callable[..., None]
Dialog = Callable[[type[QDialog]], QDialog]


@pytest.fixture
def nodes(qtbot: QtBot, window: ConsoleWindow, operate: JobsWorkspace) -> JobsWorkspace:
    """The nodes in sight."""
    window.table.trigger("cluster.show_nodes")
    qtbot.waitUntil(lambda: operate.nodes.table.rows.rowCount() > 0)
    return operate


@pytest.fixture
def finished(
    qtbot: QtBot,
    window: ConsoleWindow,
    operate: JobsWorkspace,
    target: play.PlayTarget,
    cluster: ClusterSession,
    monkeypatch: pytest.MonkeyPatch,
) -> JobsWorkspace:
    """Finished jobs in sight, a minute after the last one ended; sacct answers as captured."""
    monkeypatch.setattr(cluster.source, "now", lambda: _ENDED_S + 60.0)
    text = captured("finished/sacct.psv")

    def run(command: Sequence[str], *, limit_s: float = 60.0) -> Answer:
        assert "sacct" in command
        return Answer(tuple(command), 0, text)

    target.run = run
    settings = target.now.settings
    assert settings is not None
    values = {**settings.values, "jobacctgathertype": "jobacct_gather/linux"}
    target.publish(settings=replace(settings, values=values))
    qtbot.waitUntil(lambda: cluster.state.settings is not settings)
    window.table.trigger("cluster.show_finished")
    qtbot.waitUntil(operate.finished.isVisible)
    qtbot.waitUntil(lambda: operate.finished.table.rows.rowCount() > 0)
    return operate


def _click(operate: JobsWorkspace, at: int) -> None:
    nodes_map = operate.nodes.map
    QTest.mouseClick(nodes_map, Qt.MouseButton.LeftButton, pos=nodes_map.cell(at).center())


def test_a_click_in_the_map_selects_the_node_and_its_jobs_are_found(nodes: JobsWorkspace) -> None:
    panel = nodes.nodes
    _click(nodes, 0)
    (view,) = panel.selected
    assert view.node.name == "n1"
    assert view.jobs
    assert says(tip_of(view), "console.operate.jobs.of-2", label=view.jobs[0].label, user=view.jobs[0].user)
    panel.jobs.click()
    assert nodes.jobs.box.text() == "node:n1"
    shown = nodes.jobs.table.jobs.rowCount()
    assert 0 < shown < len(nodes.controller.columns or ())
    QTest.keyClick(panel.map, Qt.Key.Key_Right)
    assert [one.node.name for one in panel.selected] == ["n2"]


def test_the_map_of_nodes_is_read_as_a_table(window: ConsoleWindow, nodes: JobsWorkspace) -> None:
    dialog = shown_table(window, nodes.nodes.map)
    assert dialog.box.currentText() == wording("console.operate.jobs.map-of-nodes")
    assert dialog.about.text() == description_of(nodes.nodes.map)
    assert dialog.about.text().partition(": ")[0] == f"{nodes.nodes.table.rows.rowCount()} nodes"
    rows = [dialog.model.cells(row) for row in dialog.model.rows]
    table = nodes.nodes.table.rows
    assert dialog.model.titles == table.titles
    assert rows == [table.cells(view) for view in table.rows]
    assert unspoken(dialog) == []
    dialog.close()


def test_read_only_nothing_is_drained(nodes: JobsWorkspace, dialog: Dialog, target: play.PlayTarget) -> None:
    _click(nodes, 2)
    nodes.nodes.ask(NodeVerb.DRAIN)
    asking = dialog(NodeDialog)
    assert isinstance(asking, NodeDialog)
    assert not asking.verb.isEnabled()
    asking.do_it()
    assert not target.asked_of_nodes
    asking.reject()


def test_a_node_is_drained_with_a_reason(
    armed: JobsWorkspace, nodes: JobsWorkspace, dialog: Dialog, target: play.PlayTarget, qtbot: QtBot
) -> None:
    _click(nodes, 2)
    nodes.nodes.ask(NodeVerb.DRAIN)
    asking = dialog(NodeDialog)
    assert isinstance(asking, NodeDialog)
    assert asking.problem.text() == wording("slurm.slurm-needs-reason-for-drain")
    QTest.keyClicks(asking.reason, "fan fails")
    assert "'Reason=fan fails'" in asking.command.text()
    with qtbot.waitSignal(asking.accepted):
        asking.verb.click()
    assert target.asked_of_nodes == [(NodeChange(NodeVerb.DRAIN, ("n3",), "fan fails"), "hale", "fan fails")]
    assert nodes.results.isVisible()
    assert nodes.results.words.text().partition("</b>")[::2] == ("<b>Drain n3:", " done.")
    nodes.results.show_details()
    details = dialog(ResultsDialog)
    assert isinstance(details, ResultsDialog)
    assert details.table.rows.titles[0] == "Node"
    details.reject()


def drained(target: play.PlayTarget, reasons: dict[str, str]) -> tuple[ClusterNode, ...]:
    """The nodes, those of `reasons` drained."""
    return tuple(
        replace(node, state="drained", reason=reasons[node.name]) if node.name in reasons else node
        for node in target.now.nodes
    )


@pytest.mark.parametrize("now", ["FIRE IN RACK, do not resume [ann]", "", None])
def test_a_resume_ends_what_was_in_sight(
    armed: JobsWorkspace,
    dialog: Dialog,
    target: play.PlayTarget,
    publish: Publish,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    now: str | None,
) -> None:
    """Another reason behind the question is another question; the target gets what was shown."""
    clock_s = [100.0]
    monkeypatch.setattr(late_input, "monotonic", lambda: clock_s[0])
    publish(nodes=drained(target, {"n1": "reboot [hale]", "n2": "reboot [hale]"}))
    asking = NodeDialog(armed.controller, NodeVerb.RESUME, ("n1", "n2"), armed.window())
    asking.open()
    assert asking.nodes.text() == "n[1-2]: Drained (reboot [hale])"
    assert asking.verb.isEnabled()
    shown = {"n1": "drained (reboot [hale])", "n2": "drained (reboot [hale])"}
    if now is not None:
        publish(nodes=drained(target, {"n1": now}))
        asking.do_it()
        assert target.asked_of_nodes == []
        assert asking.problem.text() == JUST_CHANGED
        shown["n1"] = f"drained ({now})" if now else "drained"
        assert asking.nodes.text().splitlines()[0] == f"n1: D{shown['n1'][1:]}"
        clock_s[0] += READ_S
        asking.refresh()
    with qtbot.waitSignal(asking.accepted):
        asking.verb.click()
    assert [change.was for change, *_ in target.asked_of_nodes] == [shown]


def test_what_is_refused_is_reported_and_the_dialog_stays(
    armed: JobsWorkspace, nodes: JobsWorkspace, dialog: Dialog, target: play.PlayTarget, qtbot: QtBot
) -> None:
    target.node_result = Result.REFUSED
    _click(nodes, 2)
    nodes.nodes.ask(NodeVerb.DRAIN)
    asking = dialog(NodeDialog)
    assert isinstance(asking, NodeDialog)
    QTest.keyClicks(asking.reason, "fan")
    asking.verb.click()
    qtbot.waitUntil(lambda: asking.problem.text().startswith("Refused"))
    assert asking.isVisible()
    asking.reject()


def test_only_what_can_be_resumed_is(
    nodes: JobsWorkspace, publish: Publish, target: play.PlayTarget, qtbot: QtBot
) -> None:
    assert nodes.nodes.why_not(NodeVerb.RESUME) == wording("console.operate.jobs.select-node")
    drained = [
        replace(node, state="drained", reason="fan") if node.name == "n3" else node
        for node in target.now.nodes
    ]
    publish(nodes=tuple(drained))
    _click(nodes, 2)
    qtbot.waitUntil(
        lambda: [(one.node.name, one.node.state) for one in nodes.nodes.selected] == [("n3", "drained")]
    )
    assert nodes.nodes.why_not(NodeVerb.RESUME) == ""
    assert nodes.nodes.why_not(NodeVerb.DRAIN) == wording("slurm.node-is-already", state="drained")
    assert "1 drained" in nodes.nodes.remark.text()


def test_reservations_with_their_nodes_and_jobs(
    operate: JobsWorkspace, window: ConsoleWindow, publish: Publish, target: play.PlayTarget, qtbot: QtBot
) -> None:
    first = next(job for job in target.now.jobs if job.is_pending)
    publish(jobs=tuple(replace(job, reservation="ded") if job is first else job for job in target.now.jobs))
    window.table.trigger("cluster.show_reservations")
    panel = operate.reservations
    qtbot.waitUntil(panel.isVisible)
    (view,) = panel.table.rows.rows
    shown = dict(zip(panel.table.rows.titles, panel.table.rows.cells(view), strict=True))
    assert shown["State"] == wording("app.jobs.active-ends-in", end_s="2 h")
    assert shown["Nodes"].startswith("n4 (1")
    assert shown[wording("console.operate.jobs.users-and-accounts-that-can")] == "user fs_kim"
    assert shown["Jobs"] == f"{first.label} ({first.user}, pending)"
    assert panel.remark.text() == "1 active."
    panel.table.selectRow(0)
    panel.jobs.click()
    assert operate.jobs.table.jobs.ids.tolist() == [first.job_id]
    window.table.trigger("cluster.show_reservations")
    panel.nodes.click()
    qtbot.waitUntil(lambda: [one.node.name for one in operate.nodes.selected] == ["n4"])
    assert says(
        tip_of(operate.nodes.selected[0], operate.controller.now_s), "app.jobs.reservation", name="ded"
    )


def test_finished_jobs_with_how_they_ended(finished: JobsWorkspace) -> None:
    panel = finished.finished
    shown = {one.job.label: panel.table.rows.cells(one) for one in panel.table.rows.rows}
    titles = panel.table.rows.titles
    assert shown["4"][titles.index(wording("console.operate.jobs.state-or-exit-code-at"))] == (
        wording("app.jobs.exit-status", status="127", status_2=wording("app.jobs.command-was-not-found"))
    )
    assert shown["1"][titles.index("CPU used")].startswith("26")
    ended, _, states = panel.remark.text().partition(": ")
    assert ended.split(maxsplit=3) == ["12", "jobs", "ended", wording("app.jobs.in-last", span="day")]
    assert states.split(", ")[:2] == ["5 failed", "5 completed"]


def test_terms_find_finished_jobs(finished: JobsWorkspace, qtbot: QtBot) -> None:
    panel = finished.finished
    QTest.keyClicks(panel.box, "user:mail state:failed")
    qtbot.waitUntil(lambda: [one.job.label for one in panel.table.rows.rows] == ["3", "5", "4"])
    panel.box.setText("user>3")
    assert says(panel.remark.text(), "app.jobs.is-text-use-contains-or", name="user")
    panel.box.setText("nothing-like-this")
    qtbot.waitUntil(panel.empty.isVisible)


def test_finished_jobs_are_sorted_and_stay_selected(finished: JobsWorkspace, qtbot: QtBot) -> None:
    panel = finished.finished
    panel.table.select([3, 5])
    at = panel.table.rows.titles.index("User")
    for order, is_down in ((Qt.SortOrder.AscendingOrder, False), (Qt.SortOrder.DescendingOrder, True)):
        with qtbot.waitSignal(panel.changed):
            panel.table.sortByColumn(at, order)
        users = [one.job.user for one in panel.table.rows.rows]
        assert users == sorted(users, reverse=is_down)
        assert sorted(one.job.job_id for one in panel.table.selected()) == [3, 5]
    with qtbot.waitSignal(panel.changed):
        panel.read()
    assert [one.job.user for one in panel.table.rows.rows] == users


def test_jobs_of_an_earlier_reading_are_freed_beside_the_window(
    finished: JobsWorkspace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In slices: who frees 100,000 jobs in one go has the GIL for as long."""
    panel, slices, threads = finished.finished, list[int](), set[int]()

    def sleep(_time_s: float) -> None:
        slices.append(1)
        threads.add(threading.get_ident())

    monkeypatch.setattr(finished_panel, "sleep", sleep)
    monkeypatch.setattr(finished_panel, "_SLICE", 5)
    before = panel.kept
    with qtbot.waitSignal(panel.changed):
        panel.read()
    assert panel.kept is not before
    qtbot.waitUntil(lambda: not panel._tasks.is_busy())
    # 12 jobs, their records, and rows.
    assert len(slices) >= 3 * -(-12 // 5)
    assert threading.get_ident() not in threads
    assert panel._gone == []


def test_finished_jobs_behind_other_tabs_are_not_read(operate: JobsWorkspace, qtbot: QtBot) -> None:
    """Qt shows them for a moment as the window opens."""
    qtbot.waitUntil(lambda: not operate.finished._when_shown.isActive())
    assert operate.finished.kept is None
    assert operate.finished.empty.isHidden()


def test_another_span_is_read(finished: JobsWorkspace, qtbot: QtBot) -> None:
    panel = finished.finished
    with qtbot.waitSignal(panel.changed):
        panel.span.setCurrentIndex(0)
    assert panel.kept is not None
    assert panel.kept.until_s - panel.kept.since_s == 3600


def test_a_database_that_is_away_is_reported(
    qtbot: QtBot, window: ConsoleWindow, operate: JobsWorkspace, target: play.PlayTarget
) -> None:
    """`no_answer` of the target stands for the tool's problem."""
    window.table.trigger("cluster.show_finished")
    panel = operate.finished
    qtbot.waitUntil(lambda: panel.empty.isVisible() and panel.again.isEnabled())
    assert panel.empty._sentence.text().split()[:2] == ["sacct", "not"]


def test_script_and_output_of_the_selected_job(
    qtbot: QtBot, window: ConsoleWindow, operate: JobsWorkspace, target: play.PlayTarget, dialog: Dialog
) -> None:
    written = ["first\n"]
    record = (
        "JobId=7\n   UserId=anna(7) GroupId=hep(7)\n   JobState=RUNNING\n   NodeList=n1\n"
        "   StdOut=/data/a b/7.out\n"
    )
    mark = f"fsconsole-job-output {stat.S_IFREG} 7 6 anna\n"

    def run(command: Sequence[str], *, limit_s: float = 60.0) -> Answer:
        answer = tuple(command)
        if "batch_script" in answer:
            return Answer(answer, 0, stderr="job script retrieval failed: Invalid user id\n")
        return Answer(answer, 0, f"{mark}{written[0]}" if answer[0] == "python3" else record)

    target.run = run
    operate.controller.choose([7])
    window.table.trigger("cluster.job_files")
    shown = dialog(JobFilesDialog)
    assert isinstance(shown, JobFilesDialog)
    qtbot.waitUntil(lambda: shown.output.toPlainText() == "first\n")
    assert shown.remark.text() == "/data/a b/7.out"
    written[0] = "first\nsecond\n"
    qtbot.waitUntil(lambda: shown.output.toPlainText() == written[0])
    shown.tabs.setCurrentIndex(1)
    assert says(
        shown.remark.text(),
        "targets.slurm.script-of-job-cannot-be",
        job="7",
        failed=wording("targets.slurm.only-its-user-operators-and"),
    )
    shown.reject()


def test_a_part_of_the_map_is_drawn_as_in_the_whole(qtbot: QtBot) -> None:
    """Of thousands of nodes only those that are seen are drawn."""
    made = NodeMap()
    qtbot.addWidget(made)
    made.resize(400, 100)
    node = replace(play.night_state().nodes[0], state="mixed", cpus=8, busy_cpus=5)
    views = [NodeView(replace(node, name=f"n{number}"), ()) for number in range(1000)]
    made.show_nodes(views, frozenset(("n200",)), frozenset(("n300",)))
    whole = made.grab().toImage()
    assert whole.height() > 240
    for top in (0, 37, 211, whole.height() - 60):
        part = QRect(0, top, 400, 60)
        assert made.grab(part).toImage() == whole.copy(part)
