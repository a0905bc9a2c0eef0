"""Arrays and dependencies in the table of jobs, as an operator uses them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from fsconsole.console.operate.jobs.dialogs import PlainJobDialog
from fsconsole.console.operate.jobs.job_facts import several_facts
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.slurm.job_change import JobVerb
from fsconsole.slurm.parsers.squeue_text import read_squeue_text
from tests.console.cluster import play
from tests.slurm.captured import captured
from tests.texts import says, wording

Publish = Callable[..., None]
Dialog = Callable[[type[QDialog]], QDialog]


@pytest.fixture
def arrays(operate: JobsWorkspace, publish: Publish) -> JobsWorkspace:
    """The jobs of captures/arrays: an array of which four tasks run, and what waits for it."""
    publish(jobs=read_squeue_text(captured("arrays/squeue-O.txt"), play.NOW_S).items)
    return operate


def test_an_array_is_one_row_that_opens_and_closes(arrays: JobsWorkspace) -> None:
    table = arrays.jobs.table
    # 35 has ended lately.
    assert table.jobs.ids.tolist() == [-1, 2, 7, 8, 9, 10, 11, 12, 13, 14, 35]
    # Each task is a job, also those that wait together.
    assert arrays.jobs.counts == (69, 69)
    table.setFocus()
    table.selectRow(0)
    assert [job.label for job in arrays.controller.jobs] == ["1_[4-29%4]", "1_0", "1_1", "1_2", "1_3"]
    assert says(arrays.job.about.toolTip(), "console.operate.jobs.actions-apply-to-all-of")
    QTest.keyClick(table, Qt.Key.Key_Right)
    assert table.jobs.ids.tolist()[:7] == [-1, 1, 3, 4, 5, 6, 2]
    # The selection stays.
    assert table.selected_ids == [-1]
    table.selectRow(3)
    assert [job.label for job in arrays.controller.jobs] == ["1_1"]
    QTest.keyClick(table, Qt.Key.Key_Left)
    # The row of the array stands for its tasks.
    assert table.selected_ids == [-1]
    at = table.visualRect(table.jobs.index(0, 0)).topLeft() + QPoint(8, 8)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert len(table.jobs.ids) == 16
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert len(table.jobs.ids) == 11


def test_several_records_count_tasks_and_part_cpus(arrays: JobsWorkspace) -> None:
    arrays.jobs.table.selectRow(0)
    jobs = arrays.controller.jobs  # four tasks run, 26 wait in one record, each on one CPU
    selection = arrays.controller.selection
    assert selection is not None
    facts = dict(several_facts(selection))
    assert facts["States"].split(", ") == ["26 pending", "4 running"]
    assert facts["Users"] == f"{jobs[0].user} (30)"
    assert facts["CPUs"].split(", ") == ["26 requested", "4 allocated"]


def test_what_is_done_to_an_array_is_done_to_all_of_it(
    armed: JobsWorkspace, arrays: JobsWorkspace, dialog: Dialog, target: play.PlayTarget, qtbot: QtBot
) -> None:
    arrays.jobs.table.selectRow(0)
    arrays.verbs.ask(JobVerb.KILL)
    asking = dialog(PlainJobDialog)
    assert isinstance(asking, PlainJobDialog)
    state = wording("slurm.running-pending", running="4", pending="26")
    array = wording("app.jobs.array-of", label="1", user="fs_anna", state=state)
    assert asking.heading.text() == wording("console.operate.jobs.kill-on", jobs=array, cluster="lab")
    assert asking.verb.text() == "&Kill array"
    # 26 of the 30 wait in one record.
    assert "30 jobs" in asking.windowTitle()
    assert asking._state.text() == wording("console.operate.jobs.cpus-together", asked="30")
    assert arrays.job_dock.header._remark.text().startswith("30 ")
    with qtbot.waitSignal(asking.accepted):
        asking.verb.click()
    assert target.asked[-1].change.jobs == ("1",)


def test_the_way_to_what_a_job_waits_for(arrays: JobsWorkspace, window: ConsoleWindow) -> None:
    panel = arrays.jobs
    panel.box.setText("name:task")
    panel.table.selectRow(0)
    facts = dict(arrays.job.why.facts)
    assert facts["Waits for"].startswith(
        wording("app.jobs.to-end-without-error", job="1_3") + ", " + "now running"
    )
    assert arrays.job.awaited.text() == wording("console.operate.jobs.go-to", awaited="1_3")
    arrays.job.awaited.click()
    assert [job.label for job in arrays.controller.jobs] == ["1_3"]
    assert panel.box.text() == ""
    assert dict(arrays.job.facts.facts)["Awaited by"].split()[0] == "10_[0-29]"
    panel.go_to("7")
    assert window.table.trigger("cluster.show_awaited")
    assert panel.table.selected_ids == [-1]
