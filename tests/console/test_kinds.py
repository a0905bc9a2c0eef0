"""Each kind of file and folder through the window's opener: the right workspace, or what the commands say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from fsconsole.app.kinds import Kind, refusal
from fsconsole.console.analyse.compare.variant_row import RECORDED, Row, VariantRow
from fsconsole.console.cluster.document import ClusterDocument
from fsconsole.console.recorded.run_session import DiaryDocument, RunDocument
from fsconsole.console.window import ConsoleWindow
from fsconsole.experiments.comparing import DASHES
from fsconsole.shares.scenario.read import read_scenario
from tests.cli.conftest import Cli, cli
from tests.cli.kinds import DIARIES, RUNS, make_kinds
from tests.cli.test_census import KINDS

__all__ = ["cli"]  # pytest takes fixtures from a module's names

STUDIES = ("study", "search", "study_folder", "search_folder")
REFUSED = ("sshare", "swf", "sacct", "schedule", "plan", "folder")
FILES = tuple(name for name in KINDS if name not in (*RUNS, *DIARIES, *STUDIES, *REFUSED, "capture"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_kinds(tmp_path_factory.mktemp("kinds"))


@pytest.mark.parametrize("name", [*RUNS, *DIARIES, *FILES])
def test_what_has_a_tree_becomes_a_document(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, made: dict[str, Path], name: str
) -> None:
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.files.open(made[name])
    own = {Kind.RUN: RunDocument, Kind.DIARY: DiaryDocument}.get(KINDS[name])
    document = empty_window.session.document
    assert isinstance(document, RunDocument) if own else not isinstance(document, RunDocument)
    assert own in (None, type(document))
    assert not answers.reported


@pytest.mark.watch_allows("focus", reason="the page of welcome goes with the focus", issue="calm")
def test_a_capture_becomes_a_cluster(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, made: dict[str, Path]
) -> None:
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.files.open(made["capture"])
    assert isinstance(empty_window.session.document, ClusterDocument)
    assert not answers.reported


@pytest.mark.parametrize("name", STUDIES)
def test_studies_and_searches_open_in_analyse(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, made: dict[str, Path], name: str
) -> None:
    empty_window.files.open(made[name])
    analyse = empty_window.stack.analyse
    assert empty_window.current is analyse
    if "search" in name:
        qtbot.waitUntil(lambda: analyse.search_controller.search is not None)
    else:
        qtbot.waitUntil(lambda: analyse.study_controller.study is not None)
    assert not answers.reported


@pytest.mark.parametrize("name", REFUSED)
def test_the_rest_is_refused_in_the_words_of_the_commands(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, made: dict[str, Path], name: str, cli: Cli
) -> None:
    with qtbot.waitSignal(empty_window.files.reading_ended):
        empty_window.files.open(made[name])
    ((_, (problem,)),) = answers.reported
    told = cli("tree", "show", made[name])
    assert told.status != 0
    assert told.err.strip().endswith(problem.text)
    assert empty_window.session.document is None
    if KINDS[name] is not Kind.FILE:
        ended = cli("open", made[name])
        assert (ended.status != 0, ended.err.strip().endswith(problem.text)) == (True, True)


@pytest.mark.parametrize("name", [name for name in KINDS if name not in STUDIES])
def test_open_study_and_open_run_name_what_is_neither(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Any, made: dict[str, Path], name: str
) -> None:
    opened = QSignalSpy(empty_window.files.study_wanted)
    if KINDS[name] is not Kind.FILE:
        empty_window.files.open_study(made[name])
        ((_, (problem,)),) = answers.reported
        assert problem.text == refusal(made[name], "a study or a search", KINDS[name])
        assert opened.count() == 0
        assert not empty_window.files.recent.entries()
    answers.to_open = made[name]
    if KINDS[name] not in (Kind.RUN, Kind.DIARY):
        answers.reported.clear()
        empty_window.files.ask_open_run()
        ((_, (problem,)),) = answers.reported
        assert problem.text.startswith(refusal(made[name], "a run folder", KINDS[name]))


@pytest.mark.parametrize("name", KINDS)
def test_compare_takes_runs_of_simulated_machines_alone(
    qtbot: QtBot, made: dict[str, Path], name: str, cli: Cli
) -> None:
    row = VariantRow("A", DASHES[0], is_needed=True)
    qtbot.addWidget(row)
    row.show_row(Row(RECORDED, str(made[name])))
    found = row.variant(read_scenario(made["scenario"]))
    assert (found is not None) == (name in RUNS)
    if name not in RUNS:
        told = cli("compare", made["scenario"], "--policy", "share", "--until", "1s", "--run", made[name])
        assert told.err.strip().endswith(row.fault.text())
        assert row.fault.text()
