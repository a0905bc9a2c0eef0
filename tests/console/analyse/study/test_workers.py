"""Where runs are worked out: typed, kept, refused with what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.batch.study.executors import LocalExecutor
from fsconsole.console.analyse.study.controller import StudyController
from fsconsole.console.analyse.study.workers import Workers, WorkersDialog, workers_of
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import ConsoleStyle
from tests.texts import refuses


@pytest.mark.parametrize(
    ("text", "workers"),
    [("", Workers()), (" 3 ", Workers(3)), ("tcp://n01:8786", Workers(None, "tcp://n01:8786"))],
)
def test_numbers_and_addresses_are_read_and_written(text: str, workers: Workers) -> None:
    assert Workers.read(text) == workers
    assert Workers.read(str(workers)) == workers


@pytest.mark.parametrize("text", ["0", "99999"])
def test_numbers_out_of_range_are_refused(text: str) -> None:
    with refuses(ValueError, "console.analyse.study.is-not-number-of-processes", text=text):
        Workers.read(text)


@pytest.mark.parametrize("text", ["many", "http://n01", "tcp://"])
def test_what_is_neither_is_refused(text: str) -> None:
    with refuses(ValueError, "console.analyse.study.is-neither-number-of-processes", text=repr(text)):
        Workers.read(text)


def test_processes_of_this_machine() -> None:
    executor = Workers(3).executor()
    assert isinstance(executor, LocalExecutor)
    assert executor.workers == 3


def test_the_choice_is_kept(qtbot: QtBot, look: ConsoleStyle, tmp_path: Path) -> None:
    preferences = Preferences(tmp_path)
    dialog = WorkersDialog(preferences)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.where.setText("many")
    dialog.accept()
    assert dialog.isVisible()
    assert "tcp://host:8786" in dialog.problem
    assert workers_of(preferences) == Workers()
    dialog.where.setText("tcp://n01:8786")
    dialog.accept()
    assert workers_of(preferences).address == "tcp://n01:8786"
    preferences.set_value("study/workers", "nonsense of an older program")
    assert workers_of(preferences) == Workers()


def test_a_cluster_that_is_not_there_is_reported_in_the_strip(
    qtbot: QtBot, empty_session: ConsoleSession, study_controller: StudyController, small: Path
) -> None:
    empty_session.preferences.set_value("study/workers", "tcp://127.0.0.1:9")
    study_controller._make_executor = study_controller.chosen_executor
    study_controller.open(small)
    qtbot.waitUntil(lambda: study_controller.study is not None)
    study_controller.run()
    qtbot.waitUntil(lambda: not study_controller.is_running)
    assert "tcp://127.0.0.1:9" in study_controller.body._error.text
