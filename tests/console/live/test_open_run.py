"""Runs as documents: opened from anywhere, followed, cut short, damaged; shown whole at any instant."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest

from fsconsole.cli.main import run as run_command
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.live.plots.figure import figure_of_plot
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.recorded.notices import RunNotice
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import colour
from fsconsole.console.transport_bar import TransportBar
from fsconsole.console.window import ConsoleWindow
from fsconsole.machine.checkpoint import capture, save
from fsconsole.recording.run_writer import RunWriter
from fsconsole.resources import examples
from fsconsole.shares.scenario.actions import SetSetting
from fsconsole.targets.base import REWIND
from fsconsole.targets.recorded import keyframes
from fsconsole.targets.recorded.target import RecordedTarget
from fsconsole.targets.run_machine import machine_at_tick
from fsconsole.targets.snapshot import Snapshot
from tests.console.conftest import Answers, notice_of
from tests.console.live.running import Until
from tests.format_samples import SAMPLES
from tests.texts import Expected, refuses, says, worded, wording

SERIES_6 = examples() / "convex-series-6.yaml"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three minutes of Convex series 6."""
    path = tmp_path_factory.mktemp("recorded") / "six.run"
    assert run_command(["simulate", str(SERIES_6), "--until", "180s", "--out", str(path)]) == 0
    return path


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "six.run"))


def opened(window: ConsoleWindow, path: Path, until: Until) -> RecordedTarget:
    window.files.open(path)
    until(lambda: isinstance(window.session.target, RecordedTarget))
    target = window.session.target
    assert isinstance(target, RecordedTarget)
    return target


def end_of(session: ConsoleSession, until: Until) -> Snapshot:
    """The machine at the end, as soon as it stands there."""
    until(lambda: session.newest is not None)
    assert session.newest is not None
    return session.newest


def test_a_run_is_dropped_on_the_window_and_becomes_its_document(
    empty_window: ConsoleWindow, run: Path, until: Until
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(run))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    empty_window.dropEvent(QDropEvent(QPointF(9, 9), copy, data, left, none))
    until(lambda: empty_window.session.document is not None)
    assert "six.run" in empty_window.windowTitle()
    assert not empty_window.isWindowModified()
    assert [entry.path for entry in empty_window.files.recent.entries()] == [run]
    assert empty_window.files.recent.entries()[0].is_there
    document = empty_window.session.document
    assert document is not None
    with refuses(ValueError, "console.recorded-run-cannot-be-changed"):
        document.set_settings({"policy.half_life_s": 5.0})


def test_file_open_takes_a_file_of_the_folder_and_it_is_the_last_one_at_the_next_start(
    empty_window: ConsoleWindow, answers: Answers, run: Path, until: Until
) -> None:
    answers.to_open = run / "manifest.json"
    assert empty_window.table.trigger("open")
    until(lambda: isinstance(empty_window.session.target, RecordedTarget))
    empty_window.session.open(None)
    empty_window.files.open_last()
    until(lambda: isinstance(empty_window.session.target, RecordedTarget))
    assert empty_window.files.close()
    assert empty_window.session.document is None


def test_all_of_an_instant_is_shown_and_it_is_the_run_as_it_was(
    empty_window: ConsoleWindow, run: Path, until: Until
) -> None:
    session, target = empty_window.session, opened(empty_window, run, until)
    empty_window.show_workspace("observe")
    observe = empty_window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    newest = end_of(session, until)
    assert newest.time_s == 180.0
    session.past.go(71.25)
    until(lambda: isinstance(session.moment, Snapshot) and session.moment.time_s == 71.25)
    rewind = target.offer(REWIND)
    assert rewind is not None
    assert target.scenario is not None
    straight = machine_at_tick(target.run, target.scenario, 4275)
    assert rewind.checkpoint(71.25).result(20) == save(straight)
    assert session.snapshot is not None
    assert len(session.snapshot.processes) == len(straight.processes) > 0
    assert session.act(SetSetting("policy.half_life_s", 5.0)) is None
    session.past.leave()
    assert session.snapshot is newest


def test_a_run_that_begins_later_is_shown_where_and_as_it_was(
    empty_window: ConsoleWindow, run: Path, tmp_path: Path, until: Until
) -> None:
    """A branch from 60 s on with other shares: its document, its strip, its figures, its map."""
    path = tmp_path / "later.run"
    changes = ["--shares", "root/gr2/u21=50", "--set", "policy.half_life_s=8"]
    assert run_command(["run", "branch", str(run), "--at", "60s", *changes, "--out", str(path)]) == 0
    session, target = empty_window.session, opened(empty_window, path, until)
    document = session.document
    assert document is not None
    end_of(session, until)
    u21 = document.tree.find("u21").id
    until(lambda: document.tree.node(u21).shares == 50)
    assert document.settings["policy.half_life_s"] == 8.0

    empty_window.show_workspace("observe")
    observe = empty_window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    strip = observe.machine.transport.strip
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() // 2, 24))
    assert session.past.time_s == pytest.approx(120.0, abs=1.0)
    figure = figure_of_plot(session, "cpu_rate", observe.panel.drawn)
    assert figure is not None
    assert figure.curves[0].x[0] >= 60.0
    assert target.clock.first_s == 60.0

    session.past.leave()
    empty_window.show_workspace("design")
    design = empty_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    share_map = design.share_map
    boxes = share_map.layout_of_boxes
    places = ((x, y) for y in range(4, share_map.height(), 5) for x in range(4, share_map.width()))
    x, y = next(place for place in places if boxes.boundary_at(*place))
    messages: list[str] = []
    session.message.connect(messages.append)
    QTest.mousePress(share_map, Qt.MouseButton.LeftButton, pos=QPoint(x, y))
    QTest.mouseMove(share_map, QPoint(x + 60, y))
    QTest.mouseRelease(share_map, Qt.MouseButton.LeftButton, pos=QPoint(x + 60, y))
    assert messages[-1] == wording("console.recorded-run-cannot-be-changed")


def test_a_run_that_is_being_written_is_followed_to_its_end(
    empty_window: ConsoleWindow, tmp_path: Path, until: Until
) -> None:
    from fsconsole.machine.machine import Machine
    from fsconsole.neardedicated.build import makers_of
    from fsconsole.shares.scenario.read import parse_scenario

    text = SERIES_6.read_text("utf-8")
    scenario = parse_scenario(text)
    machine = Machine(scenario, makers_of(scenario))
    writer = RunWriter(machine, tmp_path / "x.run", scenario_text=text, capture=lambda: capture(machine))
    writer(machine.sample())
    machine.listeners.append(writer)
    machine.advance_to(30)
    writer.keep_up()
    writer._samples.flush()
    writer._samples._background.drain()
    target = opened(empty_window, tmp_path / "x.run", until)
    assert target.status().text == (
        "Target: " + "recorded, " + wording("targets.recorded.still-being-written")
    )
    until(lambda: target.now_s == 30.0)
    machine.act(SetSetting("policy.half_life_s", 30.0))
    machine.advance_to(60)
    writer.close(tick=machine.tick)
    until(lambda: target.now_s == 60.0 and target.status().text == "Target: recorded, complete")
    until(lambda: end_of(empty_window.session, until).time_s == 60.0)
    assert any("half" in text.lower() for event in target.events() for text in event.texts)


KILLED = """
import sys
from fsconsole.cli.main import main
from fsconsole.recording import sample_writer
sample_writer.TAIL_EVERY_S = 0.02
main()
"""


def test_a_run_that_was_killed_opens_and_says_so(
    empty_window: ConsoleWindow, tmp_path: Path, until: Until
) -> None:
    path = tmp_path / "x.run"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    arguments = ["simulate", str(SERIES_6), "--until", "3000 h", "--out", str(path)]
    child = subprocess.Popen([sys.executable, "-c", KILLED, *arguments], env=environment)
    try:
        until(lambda: any(tail.stat().st_size for tail in path.glob("tail-*.bin")))
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
    target = opened(empty_window, path, until)
    notice = notice_of(empty_window, RunNotice)
    until(notice.isVisible)
    assert says(notice.text, "targets.recorded.recording-was-cut-short-at")
    assert says(target.status().text, "targets.recorded.cut-short-at")
    assert (
        target.events()[-1].texts[-1] == wording("targets.recorded.recording-was-cut-short")
        or target.events()[-1].is_planned
    )
    assert end_of(empty_window.session, until).time_s == pytest.approx(target.now_s, abs=1)


@pytest.mark.parametrize("name", ["run-1-22-nov", "run-1-25-nov"])
def test_a_run_of_which_an_older_program_kept_the_machine_is_shown_as_sampled(
    empty_window: ConsoleWindow, tmp_path: Path, until: Until, name: str
) -> None:
    """The machine that this program makes of the scenario may not be the one that ran."""
    run = shutil.copytree(SAMPLES / name / "x.run", tmp_path / "old.run")
    target = opened(empty_window, run, until)
    notice = notice_of(empty_window, RunNotice)
    until(notice.isVisible)
    assert says(notice.text, "shares.is-from-older-fsconsole-its")
    assert says(notice.text, "targets.take-its-scenario-out-fsconsole", path=str(run))
    empty_window.session.past.go(20.0)
    until(lambda: empty_window.session.moment is not None)
    assert (target.offer(REWIND), empty_window.session.newest) == (None, None)
    assert not isinstance(empty_window.session.moment, Snapshot)


def test_a_missing_chunk_is_a_gap_in_plots_and_is_named(
    empty_window: ConsoleWindow, run: Path, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsconsole.recording import sample_writer

    monkeypatch.setattr(sample_writer, "CHUNK_ROWS", 1)
    shutil.rmtree(run)
    assert run_command(["simulate", str(SERIES_6), "--until", "180s", "--out", str(run)]) == 0
    (run / "samples-000003.parquet").unlink()  # 32 to 47 s
    target = opened(empty_window, run, until)
    notice = notice_of(empty_window, RunNotice)
    until(notice.isVisible)
    assert says(notice.text, "targets.recorded.is-missing", path="samples-000003.parquet")
    assert target.status().text == (
        wording("targets.recorded.target-recorded", state_words="complete, ") + "1 gap"
    )
    assert target.scenario is not None
    u11 = target.scenario.tree.find("u11").id
    moment = target.at(40.0)
    assert moment is not None
    assert np.isnan(moment.values("charge", (u11,))).all()
    times, values = target.curves("charge", (u11,), 0.0, 180.0, 1000)
    inside = (times >= 32) & (times < 48)
    assert inside.any()
    assert np.isnan(values[0][inside]).all()
    # What was sampled is gone; the machine itself can still stand there.
    empty_window.session.past.go(40.0)
    until(lambda: isinstance(empty_window.session.moment, Snapshot))
    observe = empty_window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    empty_window.show_workspace("observe")
    until(lambda: bool(observe.panel.plots))
    plot = observe.panel.plots[0]
    until(lambda: bool(plot._overlay.gaps))
    ((begin, end),) = plot._overlay.gaps
    assert (begin, end) == pytest.approx((32.0, 48.0), abs=1.1)
    observe.span.show_whole()
    picture = plot.viewport().grab().toImage()
    x = round(plot.scales.x_of(34.0))
    assert any(picture.pixelColor(x, y) == colour("line2") for y in range(10, 50))
    assert empty_window.files.close()
    assert notice.isHidden()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda path: (path / "manifest.json").unlink(),
            worded("recording.is-not-run-folder-is", manifest="manifest.json"),
        ),
        (
            lambda path: (path / "manifest.json").write_text("{"),
            worded("recording.is-damaged", name="manifest.json"),
        ),
        (
            lambda path: (path / "manifest.json").write_text('{"format": "fsconsole run", "version": 1}'),
            worded("recording.is-damaged"),
        ),
    ],
)
def test_what_is_wrong_with_a_folder_is_reported_and_what_is_open_stays(
    empty_window: ConsoleWindow, answers: Answers, run: Path, until: Until, damage: object, message: Expected
) -> None:
    assert callable(damage)
    damage(run)
    empty_window.files.open(run)
    until(lambda: bool(answers.reported))
    heading, problems = answers.reported[0]
    assert heading == wording("console.files.cannot-open", name="six.run")
    assert says(str(problems[0]), message)
    assert empty_window.session.document is None


def test_where_checkpoints_are_missing_for_long_there_are_the_values_alone(
    empty_window: ConsoleWindow, run: Path, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyframes, "FURTHEST_S", 100.0)
    for checkpoint in (run / "checkpoints").glob("*.npz"):
        if int(checkpoint.stem):
            checkpoint.unlink()
    target = opened(empty_window, run, until)
    until(lambda: any("The nearest checkpoint is 3 min earlier." in words for words in target.problems()))
    moment = empty_window.session.moment
    assert moment is not None
    assert moment.time_s == 180.0
    bar = empty_window.findChild(TransportBar)
    assert bar is not None
    assert (bar.clock.text(), bar.chip.text) == ("00:03:00", "Recorded")
    empty_window.session.past.go(50.0)
    until(lambda: isinstance(empty_window.session.moment, Snapshot))


def test_a_run_folder_is_chosen_and_another_folder_is_told_to_be_none(
    window: ConsoleWindow, answers: Answers, run: Path, until: Until
) -> None:
    answers.to_open = run.parent
    assert window.table.trigger("open_run")
    (name, problems), answers.reported = answers.reported[0], []
    assert name == wording("console.files.cannot-open", name=run.parent.name)
    assert says(problems[0].text, "console.files.choose-folder-that-record-run")
    answers.to_open = run
    assert window.table.trigger("open_run")
    until(lambda: isinstance(window.session.target, RecordedTarget))
    assert not answers.reported


def test_a_folder_that_is_deleted_stays_as_it_was_read(
    empty_window: ConsoleWindow, run: Path, until: Until
) -> None:
    session, target = empty_window.session, opened(empty_window, run, until)
    end_of(session, until)
    nodes = tuple(node.id for node in target.tree().walk())
    before = target.at(100.0)
    assert before is not None
    values = before.values("charge", nodes)
    shutil.rmtree(run)
    session.look_again()
    until(lambda: "can no longer be read" in " ".join(target.problems()))
    assert target.now_s == 180.0
    assert np.array_equal(target.at(100.0).values("charge", nodes), values)  # type: ignore[union-attr]


def test_a_branch_says_of_which_run_it_is_and_where_the_scenario_ended(
    empty_window: ConsoleWindow, run: Path, tmp_path: Path, until: Until
) -> None:
    out = tmp_path / "other.run"
    arguments = ["run", "branch", str(run), "--at", "60s", "--until", "1300s", "--out", str(out)]
    assert run_command(arguments) == 0
    target = opened(empty_window, out, until)
    assert target.state_words == (
        "complete, " + wording("targets.recorded.branch-of-from", name="six.run", branch="00:01:00")
    )
    empty_window.show_workspace("observe")
    observe = empty_window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    lane = observe.machine.transport.load
    until(lambda: observe.span.whole_s > 1200)
    assert lane.end_s == 1200
    expected = "00:20:50  scenario ended at 00:20:00"
    assert lane.describe(1250.0) == expected
    lane.resize(600, lane.height())
    picture = lane.grab().toImage()
    x = round(lane._scale.x(1290.0))
    assert any(picture.pixelColor(x, y) == colour("line2") for y in range(lane.height()))


def test_a_run_is_exported_as_a_report(
    empty_window: ConsoleWindow, run: Path, until: Until, tmp_path: Path
) -> None:
    window = empty_window
    observe = window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    assert not observe.table.qaction("observe.report").isEnabled()
    opened(window, run, until)
    answers, shown = Answers(), list[str]()
    answers.to_save = (tmp_path / "six.html", 1)
    observe.exports.questions = answers
    window.session.message.connect(shown.append)
    assert observe.table.trigger("observe.report")
    until(lambda: any(words.startswith("six.html written") for words in shown))
    text = (tmp_path / "six.html").read_text("utf-8")
    assert wording("app.reports.under-policy", manifest="share") in text
    assert text.partition(wording("app.reports.under-policy", manifest="share"))[0].endswith(" 0:03:00")
