"""The diary in the console: written beside an open cluster, opened as a run, with the jobs as they were."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.notices import DiaryNotice
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.operate.nights.workspace import NightsWorkspace
from fsconsole.console.operator_preferences import OperatorPreferences
from fsconsole.console.window import ConsoleWindow
from fsconsole.targets.slurm import diary as diaries
from fsconsole.targets.slurm.diary import Diary, diary_folder, parts_of
from tests.console.conftest import Answers, notice_of
from tests.targets.slurm.test_diary import NOON_S, _state, _take
from tests.texts import says, wording


def _week(window: ConsoleWindow) -> Path | None:
    cluster = window.session.offer(CLUSTER)
    parts = parts_of(diary_folder(cluster.name)) if cluster is not None else []
    return next((part for part in parts if list(part.glob("changes-*.bin"))), None)


def test_an_open_cluster_is_written_down(cluster_window: ConsoleWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: _week(cluster_window) is not None)
    messages: list[str] = []
    cluster_window.files.message.connect(messages.append)
    cluster_window.table.trigger("cluster.open_diary")
    qtbot.waitUntil(lambda: cluster_window.session.is_recorded)
    target = cluster_window.session.target
    assert target is not None
    qtbot.waitUntil(lambda: target.status().text == "Target: recorded, complete")
    # The message still stands when the diary of the cluster that was closed is complete.
    qtbot.waitUntil(lambda: bool(messages))
    assert messages[-1].endswith(" opened")
    document = cluster_window.session.document
    assert document is not None
    assert "fs_anna" in {node.name for node in document.tree.walk()}


def test_none_is_written_where_nobody_wants_it(
    empty_window: ConsoleWindow, qtbot: QtBot, play: object
) -> None:
    OperatorPreferences(empty_window.session.preferences).diary_weeks = -1
    empty_window.clusters.connections.open(play)  # type: ignore[arg-type]
    cluster = empty_window.session.offer(CLUSTER)
    assert cluster is not None
    assert cluster.source.diary is None
    with qtbot.waitSignal(empty_window.session.message) as signal:
        empty_window.table.trigger("cluster.open_diary")
    assert signal.args == [wording("console.cluster.no-diary-yet-it-starts")]


def test_a_diary_that_fails_is_reported_and_the_console_goes_on(
    empty_window: ConsoleWindow, qtbot: QtBot, play: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "disk full", "/diary")

    monkeypatch.setattr(diaries, "DiaryWriter", full)
    notice = notice_of(empty_window, DiaryNotice)
    empty_window.clusters.connections.open(play)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: not notice.isHidden())
    assert notice.text.split(": ")[-2].endswith("disk full")
    assert notice.text.endswith("/diary.")
    cluster = empty_window.session.offer(CLUSTER)
    assert cluster is not None
    qtbot.waitUntil(lambda: cluster.source.newest is not None)


def test_jobs_are_shown_as_they_were(empty_window: ConsoleWindow, qtbot: QtBot, tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S), _state(NOON_S + 300, jobs=()), _state(NOON_S + 600))
    diary.close()
    empty_window.resize(1280, 800)
    empty_window.files.open(parts_of(tmp_path)[0])
    session = empty_window.session
    qtbot.waitUntil(lambda: session.is_recorded)
    empty_window.show_workspace("observe")
    observe = empty_window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    side, target = observe.diary, session.target
    assert target is not None
    qtbot.waitUntil(lambda: len(side.jobs.rows.rows) == 1)
    assert side.dock.isVisible()
    epoch_s = target.clock.epoch_s or 0.0
    session.past.go(NOON_S + 350 - epoch_s)
    assert len(side.jobs.rows.rows) == 0
    side.head.head_moved.emit(NOON_S + 10 - epoch_s)
    assert [job.user for job in side.jobs.rows.rows] == ["anna"]
    session.past.leave()
    assert session.past.time_s is None


def test_design_has_the_recorded_shares_and_operate_nothing_of_a_simulation(
    empty_window: ConsoleWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S))
    diary.close()
    empty_window.files.open(parts_of(tmp_path)[0])
    session = empty_window.session
    qtbot.waitUntil(lambda: session.is_recorded)
    document = session.document
    assert document is not None
    parts = {node.name: document.machine_share(node.id) for node in document.tree.walk()}
    # physics 40 and bio 30; neuro has `parent`, so that ida's 3 stand beside the 2 of genomics
    assert parts["physics"] == pytest.approx(40 / 70)
    assert parts["neuro"] == pytest.approx(30 / 70 * 3 / 5)
    start = document.scenario.machine.start
    assert (start.year, start.month, start.day, start.weekday()) == (2026, 11, 23, 0)
    empty_window.show_workspace("operate")
    operate = empty_window.workspace("operate")
    assert isinstance(operate, NightsWorkspace)
    assert not operate.transport.isVisible()
    shown = [label.text() for label in operate.window_dock.findChildren(QLabel) if label.isVisible()]
    assert any(says(text, "console.operate.nights.this-is-diary-of-cluster") for text in shown)
    (button,) = [
        one for one in operate.window_dock.findChildren(QPushButton)
        if one.isVisible() and one.text() == "Show Observe"
    ]  # fmt: skip
    button.click()
    assert empty_window.stack.is_shown("observe")


def test_a_week_is_exported_as_a_report(empty_window: ConsoleWindow, qtbot: QtBot, tmp_path: Path) -> None:
    diary = Diary(folder=tmp_path)
    _take(diary, _state(NOON_S), _state(NOON_S + 300))
    diary.close()
    empty_window.files.open(parts_of(tmp_path)[0])
    qtbot.waitUntil(lambda: empty_window.session.is_recorded)
    observe = empty_window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    answers, shown = Answers(), list[str]()
    answers.to_save = (tmp_path / "week.html", 1)
    observe.exports.questions = answers
    empty_window.session.message.connect(shown.append)
    assert observe.table.trigger("observe.report")
    qtbot.waitUntil(lambda: any(words.startswith("week.html written") for words in shown))
    assert "anna" in (tmp_path / "week.html").read_text("utf-8")
