"""An operator at a real cluster: finds jobs, kills, extends, suspends them, and sees who displaced whom."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.operate.jobs.dialogs import ExtendJobs, JobDialog
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.target import SlurmTarget
from fsconsole.targets.slurm.tools import Answer, Tools
from tests.slurm.lab.demo_tree import SYSTEM_PEOPLE
from tests.slurm.lab.lab import Lab
from tests.texts import says, wording

Wait = Callable[[Callable[[], bool]], None]
USER, OTHER = SYSTEM_PEOPLE[:2]  # both in ocean
_MANY, _GROUPS = 300, 2  # Jobs, which go in groups of 50, and groups that are sent before the click.


@pytest.fixture
def lab(slurm_lab: Lab) -> Iterator[Lab]:
    """A cluster on which nothing runs, before and after."""
    slurm_lab.cancel_all()
    yield slurm_lab
    slurm_lab.cancel_all()


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    return qtbot.waitUntil


@pytest.fixture
def operate(empty_window: ConsoleWindow, lab: Lab, wait: Wait) -> JobsWorkspace:
    """Connected and armed, in Operate."""
    empty_window.resize(1600, 1000)
    place = Location(tuple(shlex.split(lab.via)), "lab")
    empty_window.clusters.connections.open(SlurmTarget(place))
    wait(lambda: empty_window.session.offer(CLUSTER) is not None)
    cluster = empty_window.session.offer(CLUSTER)
    assert cluster is not None
    empty_window.show_workspace("operate")
    made = empty_window.workspace("operate")
    assert isinstance(made, JobsWorkspace)
    wait(lambda: cluster.state.settings is not None and made.controller.answers)
    cluster.arming.arm()
    return made


def jobs_shown(operate: JobsWorkspace) -> dict[int, str]:
    """Numbers and states, as the table has them."""
    model = operate.jobs.table.jobs
    return {model.job(row).job_id: str(model.index(row, 1).data()) for row in range(model.rowCount())}


@pytest.fixture
def asked(operate: JobsWorkspace, wait: Wait) -> Callable[[str], JobDialog]:
    """The dialog of an action, in front."""

    def found(action: str) -> JobDialog:
        assert operate.table.trigger(f"cluster.{action}")
        open_ones = (one for one in QApplication.topLevelWidgets() if one.isVisible())
        made = next(one for one in open_ones if isinstance(one, JobDialog))
        made.activateWindow()
        wait(made.isActiveWindow)
        return made

    return found


def test_jobs_are_found_extended_suspended_and_killed(
    operate: JobsWorkspace, lab: Lab, wait: Wait, asked: Callable[[str], JobDialog]
) -> None:
    mine = lab.submit(USER, "ocean")
    others = lab.submit(OTHER, "ocean")
    operate.controller.refresh()
    wait(lambda: {mine, others} <= jobs_shown(operate).keys())
    wait(lambda: jobs_shown(operate)[mine] == "Running")

    QTest.keyClicks(operate.jobs.box, f"user={USER} state:running")
    assert list(jobs_shown(operate)) == [mine]
    operate.jobs.table.select([mine])

    before = lab.run("squeue", "-h", "-j", str(mine), "-o", "%l").stdout.strip()
    extend = asked("extend")
    assert isinstance(extend, ExtendJobs)
    extend.by.setValue(10)
    QTest.keyClick(extend.reason, Qt.Key.Key_Return)
    wait(lambda: "<b>Extend" in operate.results.words.text() and bool(operate.results.reports))
    assert ": done" in operate.results.words.text().replace("</b>", "")
    assert lab.run("squeue", "-h", "-j", str(mine), "-o", "%l").stdout.strip() != before

    assert operate.table.trigger("cluster.suspend")  # at once: it can be resumed
    QTest.keyClick(operate.jobs.box, Qt.Key.Key_Escape)
    wait(lambda: lab.job_states().get(mine) == "SUSPENDED")
    wait(lambda: jobs_shown(operate).get(mine) == "Suspended")

    operate.jobs.table.select([mine, others])
    kill = asked("kill")
    assert kill.heading.text() == wording(
        "console.operate.jobs.kill-on", jobs="2 jobs", cluster=operate.controller.name
    )
    QTest.keyClicks(kill.reason, "for a test")
    QTest.keyClick(kill, Qt.Key.Key_K, Qt.KeyboardModifier.AltModifier)
    wait(lambda: "<b>Kill 2 jobs:</b> 2 done" in operate.results.words.text())
    wait(lambda: not {mine, others} & {job for job, state in lab.job_states().items() if state == "RUNNING"})
    wait(lambda: any(row.why == "for a test" for row in operate.controller.audit))


def test_a_dedicated_job_is_seen_to_displace_another(
    operate: JobsWorkspace, lab: Lab, wait: Wait, asked: Callable[[str], JobDialog]
) -> None:
    def sizes() -> list[int]:
        state = operate.controller.state
        return [] if state is None else [node.cpus for node in state.nodes]

    wait(lambda: bool(sizes()))
    cpus = max(sizes())
    batch = [lab.submit(USER, "ocean", cpus=cpus) for _ in sizes()]
    wait(lambda: all(lab.job_states().get(job) == "RUNNING" for job in batch))
    dedicated = lab.submit(OTHER, "ocean", "-p", "dedicated", cpus=cpus)
    wait(lambda: "SUSPENDED" in lab.job_states().values())
    operate.controller.refresh()

    def is_seen() -> bool:
        view = operate.controller.near
        return view is not None and bool(view.displaced)

    wait(is_seen)
    view = operate.controller.near
    assert view is not None
    assert view.displaced[0].by[0].job_id == dedicated
    assert view.displaced[0].job.job_id in batch
    operate.jobs.table.select([view.displaced[0].job.job_id])
    resume = asked("resume")
    assert says(resume.known.text(), "slurm.slurm-suspended-job-for-another")
    assert not resume.verb.isEnabled()
    resume.reject()


@pytest.mark.whole("300 jobs on a real cluster, which keep it busy for what comes after")
def test_a_kill_of_many_jobs_is_stopped_in_the_middle(
    operate: JobsWorkspace,
    lab: Lab,
    wait: Wait,
    asked: Callable[[str], JobDialog],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was sent is done and read back; the others stay as they are in Slurm, not in the window alone."""
    array = lab.submit(USER, "ocean", "--hold", f"--array=0-{_MANY}")
    # A task that is changed alone is a job of its own; the last one keeps the array from going as a whole.
    lab.run("scontrol", "update", f"JobId={array}_[0-{_MANY - 1}]", "Nice=5")
    operate.controller.refresh()

    def tasks() -> list[int]:
        columns = operate.controller.columns
        return [] if columns is None else columns.ids[columns.arrays == array].tolist()

    wait(lambda: len(tasks()) == _MANY + 1)
    operate.controller.choose(sorted(tasks())[:-1])
    kill = asked("kill")
    counts, groups, stopped, run = list[int](), list[Sequence[str]](), Event(), Tools.run

    def hold_up(tools: Tools, command: Sequence[str], **more: Any) -> Answer:
        """Let the third group wait for the click, which a slow window would else be too late with."""
        groups.extend([command] if command[0] == "scancel" else [])
        if len(groups) > _GROUPS:
            stopped.wait()
        return run(tools, command, **more)

    def stop_once_begun() -> None:
        pending = operate.controller.pending
        if pending is not None and pending.sent:
            counts.append(pending.sent)
            kill.stop_button.click()
            stopped.set()

    monkeypatch.setattr(Tools, "run", hold_up)
    operate.controller.progressed.connect(stop_once_begun)
    QTest.keyClick(kill, Qt.Key.Key_K, Qt.KeyboardModifier.AltModifier)
    wait(lambda: bool(operate.results.reports))
    operate.controller.progressed.disconnect(stop_once_begun)
    done = sum(report.result.is_done for report in operate.results.reports)
    assert (counts[0], done) == (50, 50 * (_GROUPS + 1))
    wait(lambda: f"{done} done, {_MANY - done} not sent" in operate.results.words.text())
    left = lab.run("squeue", "-h", "-r", "-o", "%i").stdout.split()
    assert len(left) == _MANY + 1 - done
    killed = {report.on for report in operate.results.reports if report.result.is_done}
    assert killed == {row.on for row in operate.controller.audit if row.result.is_done} & killed
    lab.run("scancel", str(array))
