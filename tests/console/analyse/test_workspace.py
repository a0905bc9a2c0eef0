"""Analyse: experiments are run by key and click, and what came of them is shown."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.actions import ActionTable
from fsconsole.console.analyse import experiment_controller as controller_module
from fsconsole.console.analyse.claims_model import COPIED_HEADERS, EXPECTED, MEASURED, VERDICT, ClaimsModel
from fsconsole.console.analyse.claims_panel import ClaimsPanel
from fsconsole.console.analyse.experiment_controller import NotesPanel
from fsconsole.console.analyse.experiment_model import ExperimentModel
from fsconsole.console.analyse.figure_tabs import tab_words
from fsconsole.console.analyse.workspace import AnalyseWorkspace
from fsconsole.console.export_dialog import ExportDialog
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import fixed_font
from fsconsole.experiments import questions
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Cancelled, Experiment, Note, Progress, Result
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_words import in_most
from fsconsole.figures.spec import Axis, Curve, FigureSpec
from tests.texts import says, wording

TIMES = np.arange(0.0, 100.0, 10.0)
FIGURE = FigureSpec(
    "plot-1", "Plot 1: CPU", Axis("CPU rate", "%", 100.0, "fraction"), (Curve("u1", TIMES, TIMES / 100),)
)
PRINTED = Origin.paper("section 8")
GOOD = Claim("CPU of both", (25.0, 75.0), (25.1, 74.9), 0.5, "%", ("u1", "u2"), origin=PRINTED)
BAD = Claim("CPU at the end", 50.0, 60.0, 0.5, "%", origin=PRINTED)


def experiment(name: str, measure: Callable[[Progress, Asked], Result], paper: str = "A 1991") -> Experiment:
    return Experiment(name, f"Title of {name}", paper, "What it shows.", measure)


def quick(name: str, *claims: Claim) -> Experiment:
    notes = (Note("ours", "This much is ours."),)
    return experiment(name, lambda _progress, _asked: Result(name, claims, (FIGURE,), notes))


class Held:
    """An experiment that goes on until it is let go or stopped; the window must stay alive meanwhile."""

    def __init__(self, name: str) -> None:
        self.go = threading.Event()
        self.experiment = experiment(name, self.measure, "B 1996")

    def measure(self, progress: Progress, asked: Asked) -> Result:
        progress(0.4)
        while not self.go.wait(0.005):
            if asked():
                raise Cancelled
        return Result(self.experiment.name, (GOOD,), (FIGURE,))


GONE = OSError("convex-series-1.yaml is gone")


def broken(_progress: Progress, _asked: Asked) -> Result:
    raise GONE


@pytest.fixture
def held() -> Held:
    return Held("held")


@pytest.fixture
def workspace(
    qtbot: QtBot, empty_session: ConsoleSession, held: Held, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AnalyseWorkspace]:
    known = (quick("good", GOOD), quick("bad", GOOD, BAD), experiment("broken", broken), held.experiment)
    monkeypatch.setattr(controller_module, "experiments", lambda: known)
    frame = QWidget()
    qtbot.addWidget(frame)
    made = AnalyseWorkspace(empty_session, ActionTable(frame))
    qtbot.addWidget(made)
    made.add_actions()
    made.resize(1400, 800)
    made.show()
    yield made
    made.experiment_controller.runner.close()


def run(qtbot: QtBot, workspace: AnalyseWorkspace, name: str) -> None:
    workspace.experiment_controller.select(name)
    with qtbot.waitSignal(workspace.experiment_controller.runner.idle):
        assert workspace.table.trigger("analyse.run")


def state(workspace: AnalyseWorkspace, name: str) -> str:
    return workspace.experiment_controller.model.progress(name).text


def test_experiments_stand_under_their_paper_and_have_not_run(workspace: AnalyseWorkspace) -> None:
    model = workspace.experiment_controller.model
    papers = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert papers == ["A 1991", "B 1996"]
    assert model.index(0, 0, model.index(1, 0)).data().split() == ["Title", "of", "held"]
    assert model.index_of("good").siblingAtColumn(1).data() == "not run"
    assert not model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsSelectable
    assert not workspace.table.qaction("analyse.export").isEnabled()
    assert not workspace.table.qaction("analyse.stop").isEnabled()


def test_enter_runs_the_selected_experiment_and_shows_figure_claims_and_notes(
    qtbot: QtBot, workspace: AnalyseWorkspace
) -> None:
    workspace.experiment_controller.select("good")
    workspace.experiment_controller.list.setFocus()
    with qtbot.waitSignal(workspace.experiment_controller.runner.idle):
        QTest.keyClick(workspace.experiment_controller.list, Qt.Key.Key_Return)
    assert state(workspace, "good").split() == ["1", "of", "1"]
    assert workspace.experiment_controller.figures.spec is FIGURE
    assert workspace.experiment_controller.claims.model.rowCount() == 1
    assert not workspace.experiment_controller.claims.failures.isVisibleTo(workspace)
    assert workspace.table.qaction("analyse.export").isEnabled()
    assert workspace.status_text() == (
        wording(
            "experiments.of-claims-hold",
            found=wording("console.analyse.experiments-run", experiments="4", results="1") + ", 1",
            counted="1",
        )
    )


def test_what_an_experiment_prints_stands_below_the_notes_in_its_columns(qtbot: QtBot) -> None:
    panel = NotesPanel()
    qtbot.addWidget(panel)
    panel.show_notes((Note("ours", "This much is ours."),), "User   Wall\nsbert  2:12")
    (shown,) = panel.findChildren(QPlainTextEdit)
    expected = "User   Wall\nsbert  2:12"
    assert shown.toPlainText() == expected
    assert (shown.lineWrapMode(), shown.isReadOnly()) == (QPlainTextEdit.LineWrapMode.NoWrap, True)
    assert shown.font().family() == fixed_font().family()
    panel.show_notes(())
    sheet = panel.widget()
    assert sheet is not None
    assert not sheet.findChildren(QPlainTextEdit)


def test_notes_say_when_they_come(qtbot: QtBot) -> None:
    panel = NotesPanel()
    qtbot.addWidget(panel)
    assert [label.text() for label in panel.findChildren(QLabel)] == [
        wording("console.analyse.remarks-appear-when-experiment-has")
    ]
    panel.show_notes((Note("ours", "This much is ours."),))
    sheet = panel.widget()
    assert sheet is not None
    assert not any("appear" in label.text() for label in sheet.findChildren(QLabel))


def test_a_claim_that_fails_says_why_in_a_sentence(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    run(qtbot, workspace, "bad")
    assert state(workspace, "bad").split() == ["1", "of", "2"]
    assert workspace.experiment_controller.claims.failures.isVisibleTo(workspace)
    assert says(
        workspace.experiment_controller.claims.failures.text(),
        "experiments.expected-tolerance",
        who="60 %",
        by="10",
        side="above",
        expected="50",
    )
    assert workspace.experiment_controller.model.progress("bad").token == "warn"


def test_sentences_of_failed_claims_leave_room_for_the_claims(qtbot: QtBot) -> None:
    panel = ClaimsPanel()
    qtbot.addWidget(panel)
    panel.resize(440, 600)
    panel.show()
    retested = tuple(
        Claim(f"waits of policy {n}", 10.0, 7.0, 2.0, "months", is_retested=True, origin=PRINTED)
        for n in range(24)
    )
    panel.show_claims((*retested, Claim("jobs", 5.0, 6.0, 0.0, origin=PRINTED)))
    message = panel.failures.text()
    answer = message.count("The paper's finding does not hold on these data:")
    # Said once, not 24 times.
    assert answer == 1
    assert message.splitlines()[-2:] == [
        f"{wording('experiments.does-not-hold')}:",
        wording(
            "experiments.expected-tolerance",
            text="jobs",
            shown="",
            unit="",
            who="6",
            by="1",
            side="above",
            expected="5",
            tolerance="0",
        ),
    ]
    qtbot.waitUntil(lambda: panel.view.height() >= 450)
    # The rest is scrolled to.
    assert panel.failures.height() > 150
    panel.show_claims(retested[:1])
    qtbot.waitUntil(lambda: panel.view.height() > 500)


def test_the_window_stays_alive_while_an_experiment_runs_and_stop_takes_it_back(
    qtbot: QtBot, workspace: AnalyseWorkspace, held: Held
) -> None:
    workspace.experiment_controller.select("held")
    workspace.table.trigger("analyse.run")
    qtbot.waitUntil(lambda: state(workspace, "held") == "running 40\xa0%")
    workspace.experiment_controller.select("good")
    workspace.table.trigger("analyse.run")
    assert state(workspace, "good") == "waiting"
    assert workspace.table.qaction("analyse.stop").isEnabled()
    with qtbot.waitSignal(workspace.experiment_controller.runner.idle):
        workspace.table.trigger("analyse.stop")
    assert (state(workspace, "held"), state(workspace, "good")) == ("not run", "not run")
    assert not workspace.table.qaction("analyse.stop").isEnabled()


def test_running_again_after_a_stop_works(qtbot: QtBot, workspace: AnalyseWorkspace, held: Held) -> None:
    workspace.experiment_controller.select("held")
    workspace.experiment_controller.run_current()
    qtbot.waitUntil(lambda: state(workspace, "held") == "running 40\xa0%")
    with qtbot.waitSignal(workspace.experiment_controller.runner.idle):
        workspace.experiment_controller.runner.stop()
    held.go.set()
    run(qtbot, workspace, "held")
    assert state(workspace, "held").split() == ["1", "of", "1"]


def test_run_all_goes_through_the_list_once(qtbot: QtBot, workspace: AnalyseWorkspace, held: Held) -> None:
    held.go.set()
    started: list[str] = []
    workspace.experiment_controller.runner.started.connect(started.append)
    with qtbot.waitSignal(workspace.experiment_controller.runner.idle):
        workspace.table.trigger("analyse.run_all")
        workspace.table.trigger("analyse.run_all")
    assert started == ["good", "bad", "broken", "held"]


def test_an_experiment_that_cannot_run_says_so_and_the_next_one_does(
    qtbot: QtBot, workspace: AnalyseWorkspace
) -> None:
    run(qtbot, workspace, "broken")
    assert state(workspace, "broken") == "failed"
    assert workspace.experiment_controller.model.progress("broken").tip == str(GONE)
    run(qtbot, workspace, "good")
    assert state(workspace, "good").split() == ["1", "of", "1"]


def test_another_selection_shows_its_own_result(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    run(qtbot, workspace, "bad")
    workspace.experiment_controller.select("held")
    assert workspace.experiment_controller.figures.view is None
    assert workspace.experiment_controller.claims.model.rowCount() == 0
    workspace.experiment_controller.select("bad")
    assert workspace.experiment_controller.figures.spec is FIGURE
    assert workspace.experiment_controller.claims.model.rowCount() == 2


def test_the_pointer_reads_values_off_the_figure(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    run(qtbot, workspace, "good")
    view = workspace.experiment_controller.figures.view
    assert view is not None
    with qtbot.waitSignal(view.pointed) as signal:
        QTest.mouseMove(view, QPoint(view.width() // 2, view.height() // 3))
    seconds, _, rest = str(signal.args[0] if signal.args else "").partition(" s:  ")
    expected = f"u1 {float(seconds):.1f}  %"
    assert rest == expected  # the curve is 1 % a second


def test_arrow_keys_walk_along_the_samples(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    run(qtbot, workspace, "good")
    view = workspace.experiment_controller.figures.view
    assert view is not None
    messages: list[str] = []
    view.pointed.connect(messages.append)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Escape):
        QTest.keyClick(view, key)
    expected = ["90 s:  u1 90.0  %", "80 s:  u1 80.0  %", "90 s:  u1 90.0  %", ""]
    assert messages == expected


def test_claims_are_copied_as_rows_for_a_spreadsheet(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    run(qtbot, workspace, "bad")
    workspace.experiment_controller.claims.view.setFocus()
    QTest.keyClick(
        workspace.experiment_controller.claims.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier
    )
    everything = QGuiApplication.clipboard().text().splitlines()
    assert everything[0].split("\t") == list(COPIED_HEADERS)
    assert everything[2].split("\t") == [
        f"{GOOD.text}, %",
        "u2",
        "75",
        "74.9",
        "0.5",
        "holds",
        "",
        f"paper: {PRINTED.place}",
    ]
    assert len(everything) == 4
    view = workspace.experiment_controller.claims.view
    view.setCurrentIndex(workspace.experiment_controller.claims.model.index(1, 0))
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    (row,) = QGuiApplication.clipboard().text().splitlines()[1:]
    assert row.split("\t") == [
        *(f"{BAD.text}, %", "", "50", "60", "0.5", "fails", ""),
        f"paper: {PRINTED.place}",
    ]


def test_the_figure_is_copied_as_picture_and_svg(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    run(qtbot, workspace, "good")
    workspace.table.trigger("analyse.copy")
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    assert b"<svg" in bytes(data.data("image/svg+xml").data())
    QGuiApplication.clipboard().clear()  # Qt would take it down after Python has gone


def test_ctrl_e_exports_the_figure_shown(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    run(qtbot, workspace, "good")
    QTest.keyClick(workspace.experiment_controller.list, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: workspace.findChild(ExportDialog) is not None)
    dialog = workspace.findChild(ExportDialog)
    assert dialog is not None
    assert dialog.spec is FIGURE
    dialog.reject()


def test_what_is_being_measured_says_so_and_offers_to_stop(
    qtbot: QtBot, workspace: AnalyseWorkspace, held: Held
) -> None:
    workspace.experiment_controller.select("held")
    workspace.experiment_controller.run_current()
    stop = next(
        button
        for button in workspace.experiment_controller.figures.findChildren(QPushButton)
        if button.text() == "Stop"
    )
    with qtbot.waitSignal(workspace.experiment_controller.runner.idle):
        QTest.mouseClick(stop, Qt.MouseButton.LeftButton)
    assert state(workspace, "held") == "not run"


def test_a_narrow_window_has_notes_behind_claims(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    workspace.adapt(narrow=True, low=False)
    assert workspace.notes_dock in workspace.tabifiedDockWidgets(workspace.claims_dock)
    workspace.adapt(narrow=False, low=False)
    assert workspace.notes_dock not in workspace.tabifiedDockWidgets(workspace.claims_dock)


def test_both_models_are_sound(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    mode = QAbstractItemModelTester.FailureReportingMode.Fatal
    experiments = ExperimentModel(workspace.experiment_controller.experiments)
    claims = ClaimsModel()
    testers = [QAbstractItemModelTester(model, mode) for model in (experiments, claims)]
    claims.show_claims(
        (GOOD, BAD, replace(GOOD, measured=(0.0, 75.0)), Claim("so", True, False, origin=PRINTED))
    )
    experiments.set_progress("good", workspace.experiment_controller.model.progress("bad"))
    claims.show_claims(())
    assert len(testers) == 2


def test_figures_are_called_by_what_they_show(qtbot: QtBot, workspace: AnalyseWorkspace) -> None:
    run(qtbot, workspace, "good")
    bar = workspace.experiment_controller.figures.bar
    assert [bar.tabText(tab) for tab in range(bar.count())] == ["CPU"]
    assert bar.tabToolTip(0).split(": ") == ["Plot 1", "CPU"]


def test_numbers_of_a_claim_have_as_many_decimals_each(workspace: AnalyseWorkspace) -> None:
    model = ClaimsModel(workspace)
    model.show_claims((replace(GOOD, measured=(19.1, 19.18)),))
    top = model.index(0, 0)
    assert [model.index(row, MEASURED, top).data() for row in range(2)] == ["19.10", "19.18"]


def test_counts_have_no_decimals(workspace: AnalyseWorkspace) -> None:
    model = ClaimsModel(workspace)
    model.show_claims(
        (
            Claim("Months", 10.0, 9.0, 2.0, "months", origin=PRINTED),
            Claim("Days", 10.0, 9.5, 2.0, "days", origin=PRINTED),
        )
    )
    shown = [model.index(0, MEASURED, model.index(row, 0)).data() for row in range(2)]
    assert shown == ["9", "9.500"]


def test_numbers_of_a_claim_stand_in_rows_of_their_own(workspace: AnalyseWorkspace) -> None:
    model = ClaimsModel(workspace)
    model.show_claims((replace(GOOD, measured=(25.1, 70.0)), Claim("It is so", True, False, origin=PRINTED)))
    top = model.index(0, 0)
    title = f"{GOOD.text}, %"
    assert top.data() == title
    assert top.data(Qt.ItemDataRole.AccessibleTextRole) == f"{title}: fails"
    second = model.index(1, 0, top)
    cells = [second.siblingAtColumn(column).data() for column in range(model.columnCount())]
    assert cells == ["u2", "75", "70.00", "0.5", "fails"]
    assert model.index(0, VERDICT, top).data() == "holds"
    truth = model.index(0, 0, model.index(1, 0))
    assert (truth.siblingAtColumn(EXPECTED).data(), truth.siblingAtColumn(MEASURED).data()) == (
        "true",
        "false",
    )
    assert model.rowCount(QModelIndex()) == 2


def test_the_real_experiments_run_in_the_window(qtbot: QtBot, empty_session: ConsoleSession) -> None:
    frame = QWidget()
    qtbot.addWidget(frame)
    made = AnalyseWorkspace(empty_session, ActionTable(frame))
    qtbot.addWidget(made)
    made.experiment_controller.select("junglas-6")
    with qtbot.waitSignal(made.experiment_controller.runner.idle):
        made.experiment_controller.run_current()
    assert state(made, "junglas-6").split() == ["5", "of", "5"]
    assert made.experiment_controller.figures.spec is not None
    assert made.experiment_controller.figures.spec.title == (
        "Plot 9" + ": " + wording("experiments.cpu-rate-over-10-s")
    )


def test_figures_that_show_the_same_have_their_numbers_in_tabs() -> None:
    titles = ["Fig. 4(a): Slowdown", "Fig. 4(b): Slowdown", "Fig. 4(c): maximum wait", "Daily load"]
    assert tab_words(titles) == [*titles[:2], "Maximum wait", "Daily load"]


def test_rows_that_are_not_claims_and_what_is_not_decided_are_shown_as_such(
    workspace: AnalyseWorkspace,
) -> None:
    model = ClaimsModel(workspace)
    ours = Origin.ours("a reference simulator", "The paper prints none.")
    setup = Claim("Setup", 526.0, 526.0, 1.0, "s", origin=PRINTED, kind="input")
    swings = Claim("Swings", False, False, origin=ours, kind="discrepancy")
    longer = in_most("Longer", [True] * 6 + [False] * 4, origin=PRINTED)
    model.show_claims((setup, swings, longer, replace(GOOD, origin=ours, why_tolerance="Two deviations.")))
    titles = [model.index(row, 0).data() for row in range(4)]
    assert titles == [
        "Input: Setup, s",
        "Discrepancy: Swings (ours)",
        "Longer, months",
        "CPU of both, % (ours)",
    ]
    words = [model.index(0, VERDICT, model.index(row, 0)).data() for row in range(4)]
    assert words == ["input", "discrepancy", "not decided", "holds"]
    expected = "p = 0.38"
    assert model.index(0, 0, model.index(2, 0)).data() == expected
    tips = [model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in range(4)]
    assert says(tips[2], "experiments.chance-gives-at-least-as", format_probability="0.38")
    assert "Source of the expected value: ours: a reference simulator. The paper prints none." in tips[3]
    assert "Tolerance: Two deviations." in tips[3]
    assert model.line(2, 0)[-3:] == ("not decided", "0.38", "paper: section 8")


def test_experiments_are_grouped_by_question_on_demand(
    workspace: AnalyseWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "Is it bad?"
    monkeypatch.setitem(questions.QUESTIONS, question, ("bad",))
    controller, table = workspace.experiment_controller, workspace.table
    controller.select("bad")
    table.trigger("analyse.by_question")
    assert controller.model.index(0, 0).data() == question
    assert controller.current is not None
    assert controller.current.name == "bad"
    assert table.qaction("analyse.by_question").isChecked()
    table.trigger("analyse.by_question")
    assert controller.model.index(0, 0).data() == controller.experiments[0].paper
