"""The dialog for a new study: what is chosen becomes a file; what is wrong is said in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from fsconsole.app.study.choice import file_name, free_path, trace_facts
from fsconsole.batch.multifactor import Multifactor
from fsconsole.batch.policy import UsageWeights
from fsconsole.batch.study.plan import plan_of
from fsconsole.batch.study.spec import ModelWorkload, MonthWorkload, TraceWorkload
from fsconsole.batch.study.study_file import read_study
from fsconsole.console.analyse.study.new_study import NewStudyDialog
from fsconsole.console.style.application_style import ConsoleStyle
from tests.batch.study.small import swf_text, undated_text, write_small
from tests.console.conftest import Answers
from tests.texts import Expected, says, worded, wording


@pytest.fixture
def dialog(qtbot: QtBot, look: ConsoleStyle, answers: Answers) -> NewStudyDialog:
    made = NewStudyDialog(answers)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(made)
    made.show()
    return made


def test_enter_writes_the_study_and_has_it_run(qtbot: QtBot, dialog: NewStudyDialog, tmp_path: Path) -> None:
    name = "KTH, two windows"
    dialog.name.setText(name)
    dialog.windows.setText("1d 7d")
    saved = wording("console.analyse.study.results-are-saved-beside-file")
    assert dialog.remark.text() == saved.format("4 cells")
    assert Path(dialog.file.text()).name == "kth-two-windows.yaml"
    dialog.file.setText(str(tmp_path / "new" / "mine"))
    with qtbot.waitSignal(dialog.made) as made:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert made.args == [tmp_path / "new" / "mine.yaml"]
    spec = read_study(tmp_path / "new" / "mine.yaml")
    assert spec.name == name
    assert spec.workloads == (TraceWorkload("KTH-SP2-1996-2", None, "whole"),)
    assert [policy.label for policy in spec.policies][2:] == ["RelShare(1d)", "RelShare(7d)"]


def test_what_is_wrong_keeps_the_dialog_open(dialog: NewStudyDialog, tmp_path: Path) -> None:
    dialog.file.setText(str(tmp_path / "study.yaml"))
    dialog.windows.setText("1d soon")
    dialog.buttons.verb.click()
    assert dialog.isVisible()
    assert says(dialog.problem, "app.study.fair-share-windows-is-not", text="'soon'")
    assert not (tmp_path / "study.yaml").exists()
    dialog.windows.setText("1d")
    assert not dialog.problem


def test_a_place_that_cannot_be_written_is_reported(dialog: NewStudyDialog, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    dialog.file.setText(str(tmp_path / "file" / "study.yaml"))
    dialog.buttons.verb.click()
    assert dialog.isVisible()
    assert says(dialog.problem, "console.analyse.study.cannot-be-written-choose-another")


def test_fields_that_mean_nothing_are_off(dialog: NewStudyDialog) -> None:
    assert not dialog.seeds.isEnabled()
    assert not dialog.months.isEnabled()
    dialog.part.setCurrentIndex(2)
    assert dialog.months.isEnabled()
    dialog.trace.setCurrentIndex(dialog.trace.findText("7/03, generated after the paper's Table I"))
    assert dialog.seeds.isEnabled()
    assert not dialog.procs.isEnabled()
    assert not dialog.months.isEnabled()
    for name, box in dialog.policies.items():
        box.setChecked(name.endswith("backfill"))
    assert not dialog.windows.isEnabled()


def test_a_generated_month(qtbot: QtBot, dialog: NewStudyDialog, tmp_path: Path) -> None:
    dialog.trace.setCurrentIndex(dialog.trace.findText("7/03, generated after the paper's Table I"))
    dialog.seeds.setText("1-3")
    dialog.file.setText(str(tmp_path / "july.yaml"))
    with qtbot.waitSignal(dialog.made):
        dialog.buttons.verb.click()
    spec = read_study(tmp_path / "july.yaml")
    assert (spec.workloads, spec.seeds) == ((MonthWorkload("7/03"),), (1, 2, 3))


def test_settings_of_a_policy_are_typed_and_written(
    qtbot: QtBot, dialog: NewStudyDialog, tmp_path: Path
) -> None:
    slurm, lsf = dialog.settings["multifactor"], dialog.settings["weights"]
    assert not slurm.isVisible()
    dialog.policies["slurm-multifactor"].setFocus()
    QTest.keyClick(dialog.policies["slurm-multifactor"], Qt.Key.Key_Space)
    assert slurm.isVisible()
    assert not lsf.isVisible()
    assert [field.text() for field in slurm.fields.values()] == ["1000", "10000", "1000", "1000", "0", "14 d"]
    tip = slurm.fields["half_life_s"].toolTip()
    assert tip.startswith("PriorityDecayHalfLife")
    assert "Time in which usage without new cost falls to half" in tip
    QTest.keyClick(dialog.policies["weighted-usage"], Qt.Key.Key_Space)
    _retype(lsf.fields["running"], "1.5")
    _retype(slurm.fields["age"], "0")
    _retype(slurm.fields["qos"], "250")
    _retype(slurm.fields["half_life_s"], "30s")
    dialog.windows.setText("1d")
    dialog.file.setText(str(tmp_path / "slurm.yaml"))
    assert slurm.fields["half_life_s"].fault.text() == (
        "Slurm multifactor: Half-life: 30 s is too short. Write at least 1 min, or 0 for no decay."
    )
    dialog.buttons.verb.click()
    assert "at least 1 min" in dialog.problem
    assert not (tmp_path / "slurm.yaml").exists()
    _retype(slurm.fields["half_life_s"], "7d")
    assert not dialog.problem
    with qtbot.waitSignal(dialog.made):
        QTest.keyClick(slurm.fields["half_life_s"], Qt.Key.Key_Return)
    text = (tmp_path / "slurm.yaml").read_text()
    assert "multifactor: {age: 0, qos: 250, half_life: 7 d}" in text
    assert "weights: {used: 0.7, running: 1.5, slots: 3}" in text
    policies = read_study(tmp_path / "slurm.yaml").policies
    assert policies[-1].multifactor == Multifactor(age=0, qos=250, half_life_s=7 * 86_400)
    assert policies[-1].label == "Slurm multifactor, age 0, qos 250, half_life 7 d"
    assert policies[-2].weights == UsageWeights(running=1.5)


def test_settings_of_a_policy_that_is_not_chosen_are_not_asked(
    qtbot: QtBot, dialog: NewStudyDialog, tmp_path: Path
) -> None:
    box, fields = dialog.policies["slurm-multifactor"], dialog.settings["multifactor"].fields
    QTest.keyClick(box, Qt.Key.Key_Space)
    _retype(fields["age"], "many")
    QTest.keyClick(box, Qt.Key.Key_Space)
    dialog.file.setText(str(tmp_path / "without.yaml"))
    with qtbot.waitSignal(dialog.made):
        dialog.buttons.verb.click()
    assert all(policy.order != "multifactor" for policy in read_study(tmp_path / "without.yaml").policies)


def test_the_buttons_stay_on_the_screen_with_all_rows(qtbot: QtBot, dialog: NewStudyDialog) -> None:
    qtbot.waitUntil(lambda: dialog.inside.months.rowCount() > 0)
    dialog.part.setCurrentIndex(2)
    QTest.keyClick(dialog.beside, Qt.Key.Key_Space)
    for name in ("weighted-usage", "slurm-multifactor"):
        dialog.policies[name].setFocus()
        QTest.keyClick(dialog.policies[name], Qt.Key.Key_Space)
    screen = dialog.screen().availableGeometry()
    slurm = dialog.settings["multifactor"]
    qtbot.waitUntil(slurm.isVisible)
    assert dialog.focusWidget() is dialog.policies["slurm-multifactor"]
    assert screen.contains(dialog.frameGeometry())
    assert dialog.width() > slurm.sizeHint().width()
    assert dialog.height() >= min(dialog.sizeHint().height(), screen.height() * 0.9)
    assert screen.contains(dialog.buttons.mapToGlobal(dialog.buttons.rect().bottomRight()))
    _retype(slurm.fields["age"], "soon")
    QTest.keyClick(slurm.fields["age"], Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not dialog._wrong.visibleRegion().isEmpty())
    assert dialog._wrong.text() == wording("batch.is-not-whole-number-of", word="'soon'")


def _retype(field: QLineEdit, text: str) -> None:
    field.selectAll()
    QTest.keyClicks(field, text)


def test_a_model_with_a_load_of_its_own(qtbot: QtBot, dialog: NewStudyDialog, tmp_path: Path) -> None:
    assert not dialog.jobs.isVisible()
    dialog.trace.setCurrentIndex(dialog.trace.findText("Lublin and Feitelson's model, generated"))
    assert dialog.jobs.isVisible()
    dialog.jobs.setValue(300)
    dialog.load.setValue(80)
    dialog.file.setText(str(tmp_path / "model.yaml"))
    dialog.buttons.verb.click()
    assert says(dialog.problem, "app.study.enter-number-of-processors-of")
    dialog.procs.setValue(64)
    dialog.seeds.setText("1-2")
    with qtbot.waitSignal(dialog.made):
        dialog.buttons.verb.click()
    spec = read_study(tmp_path / "model.yaml")
    assert (spec.workloads, spec.seeds) == ((ModelWorkload(300, 64, load=0.8),), (1, 2))
    jobs = {cell.source: cell for cell in plan_of(spec).cells}
    assert len(jobs) == 2


def test_a_model_of_the_same_size_runs_beside_a_trace(
    qtbot: QtBot, dialog: NewStudyDialog, tmp_path: Path
) -> None:
    assert dialog.beside.isVisible()
    assert not dialog.jobs.isVisible()
    assert not dialog.seeds.isEnabled()
    QTest.keyClick(dialog.beside, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: dialog.jobs.value() == 28_481)
    assert dialog.jobs.isVisible()
    assert dialog.seeds.isEnabled()
    assert (dialog.people.value(), dialog.load.value()) == (214, 69)
    dialog.windows.setText("1d")
    dialog.seeds.setText("1-2")
    runs = (
        "On the trace 3 cells; on the model 6 cells, 3 for each of 2 seeds. "
        "Results are saved beside the file."
    )
    assert dialog.remark.text() == runs
    dialog.part.setCurrentIndex(2)
    dialog.months.setText("1996-10")
    assert dialog.jobs.value() == dialog.inside.months.rows[1].jobs
    dialog.load.setValue(75)
    dialog.file.setText(str(tmp_path / "both.yaml"))
    with qtbot.waitSignal(dialog.made):
        dialog.buttons.verb.click()
    trace, model = read_study(tmp_path / "both.yaml").workloads
    assert trace == TraceWorkload("KTH-SP2-1996-2", None, ("1996-10",))
    assert model == ModelWorkload(dialog.jobs.value(), 100, 214, 0.75)


def test_a_model_beside_a_trace_that_is_still_being_read(
    qtbot: QtBot, dialog: NewStudyDialog, tmp_path: Path
) -> None:
    dialog.windows.setText("1d")
    dialog.file.setText(str(tmp_path / "soon.yaml"))
    dialog._facts = None
    dialog.beside.setChecked(True)
    with qtbot.waitSignal(dialog.made):
        dialog.buttons.verb.click()
    model = read_study(tmp_path / "soon.yaml").workloads[1]
    assert model == ModelWorkload(28_481, 100, 214, 0.69)


def test_months_of_the_trace_are_shown_and_picked(qtbot: QtBot, dialog: NewStudyDialog) -> None:
    qtbot.waitUntil(lambda: dialog.inside.months.rowCount() > 0)
    assert not dialog.inside.isVisible()
    dialog.part.setCurrentIndex(2)
    assert dialog.inside.isVisible()
    october = dialog.inside.months.rows[1]
    assert october.name == "1996-10"
    trace = trace_facts("KTH-SP2-1996-2")
    assert sum(one.jobs for one in dialog.inside.months.rows) == trace.jobs
    for row, keys in ((1, Qt.KeyboardModifier.NoModifier), (3, Qt.KeyboardModifier.ControlModifier)):
        at = dialog.inside.visualRect(dialog.inside.months.index(row, 0)).center()
        QTest.mouseClick(dialog.inside.viewport(), Qt.MouseButton.LeftButton, keys, at)
    assert dialog.months.text() == "1996-10 1996-12"


def test_spans_of_a_trace_without_dates_are_picked(
    qtbot: QtBot, dialog: NewStudyDialog, answers: Answers, tmp_path: Path
) -> None:
    answers.to_open = tmp_path / "own.swf"
    answers.to_open.write_text(undated_text())
    dialog.browse_trace()
    qtbot.waitUntil(lambda: dialog.inside.months.rowCount() == 2)
    days = [wording("batch.days-to", edge=first, edge_2=last) for first, last in ((1, 60), (1, 30), (31, 60))]
    assert dialog.about.text().split(", ")[:4] == ["520 jobs", "3 users", days[0], "8 processors"]
    dialog.part.setCurrentIndex(2)
    dialog.inside.selectAll()
    assert dialog.months.text() == " ".join(days[1:])
    dialog.windows.setText("1d")
    assert says(
        dialog.remark.text(),
        "console.analyse.study.for-each-of-months",
        cells="6 cells",
        each="3",
        repeats="2",
    )
    dialog.file.setText(str(tmp_path / "own.yaml"))
    with qtbot.waitSignal(dialog.made):
        dialog.buttons.verb.click()
    (workload,) = read_study(tmp_path / "own.yaml").workloads
    assert workload == TraceWorkload("own.swf", None, tuple(days[1:]))


def test_users_of_a_trace_drawn_anew(qtbot: QtBot, dialog: NewStudyDialog, tmp_path: Path) -> None:
    dialog.users.setCurrentIndex(1)
    assert dialog.seeds.isEnabled()
    dialog.seeds.setText("1-40")
    dialog.windows.setText("1d")
    assert says(
        dialog.remark.text(),
        "console.analyse.study.for-each-of-seeds",
        cells="120 cells",
        each="3",
        repeats="40",
    )
    dialog.file.setText(str(tmp_path / "drawn.yaml"))
    with qtbot.waitSignal(dialog.made):
        dialog.buttons.verb.click()
    spec = read_study(tmp_path / "drawn.yaml")
    assert spec.workloads == (TraceWorkload("KTH-SP2-1996-2", None, "whole", resample=True),)
    assert spec.seeds == tuple(range(1, 41))


def test_the_number_of_all_runs_is_reported_before(dialog: NewStudyDialog) -> None:
    dialog.windows.setText("1d")
    dialog.part.setCurrentIndex(1)
    # The trace is not read for that.
    assert says(dialog.remark.text(), "console.analyse.study.for-each-month", cells="3 cells")
    dialog.part.setCurrentIndex(2)
    dialog.months.setText("1996-10, 1996-11")
    assert says(
        dialog.remark.text(),
        "console.analyse.study.for-each-of-months",
        cells="6 cells",
        each="3",
        repeats="2",
    )
    dialog.trace.setCurrentIndex(dialog.trace.findText("7/03, generated after the paper's Table I"))
    assert dialog.remark.text().startswith("3 cells.")
    dialog.seeds.setText("1-5 7")
    assert says(
        dialog.remark.text(),
        "console.analyse.study.for-each-of-seeds",
        cells="18 cells",
        each="3",
        repeats="6",
    )
    dialog.seeds.setText("one")
    assert says(dialog.remark.text(), "console.analyse.study.for-each-seed", cells="3 cells")


def test_files_are_chosen_in_dialogs(
    qtbot: QtBot, dialog: NewStudyDialog, answers: Answers, tmp_path: Path
) -> None:
    write_small(tmp_path)
    answers.to_open, answers.to_save = tmp_path / "small.swf", (tmp_path / "chosen.yaml", 0)
    dialog.browse_trace()
    dialog.browse_file()
    assert dialog.trace.currentText() == "small.swf"
    dialog.name.setText("Another name")
    # The place chosen stays.
    assert dialog.file.text() == str(tmp_path / "chosen.yaml")
    with qtbot.waitSignal(dialog.made):
        dialog.buttons.verb.click()
    assert read_study(tmp_path / "chosen.yaml").workloads == (TraceWorkload("small.swf", None, "whole"),)
    answers.to_open = None
    dialog.browse_shares()
    assert dialog.shares.text() == ""


def test_a_file_that_is_there_is_not_written_over(
    dialog: NewStudyDialog, tmp_path: Path, answers: Answers
) -> None:
    there = tmp_path / "mine.yaml"
    there.write_text("something else")
    dialog.file.setText(str(tmp_path / "mine"))
    dialog.buttons.verb.click()
    assert dialog.isVisible()
    assert says(dialog.problem, "app.study.already-exists-in-choose-another", name="mine.yaml")
    assert there.read_text() == "something else"
    answers.to_save = there, 0  # the file dialog has asked whether to replace it
    dialog.browse_file()
    dialog.buttons.verb.click()
    assert read_study(there).name == "Parallel jobs"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", worded("app.study.enter-file-for")),
        ("  ", worded("app.study.enter-file-for")),
        ("~nobody-here/x.yaml", worded("app.study.is-not-user-s-home")),
    ],
)
def test_a_file_that_cannot_be_is_reported(dialog: NewStudyDialog, typed: str, message: Expected) -> None:
    dialog.file.setText(typed)
    dialog.buttons.verb.click()
    assert dialog.isVisible()
    assert says(dialog.problem, message)


def test_a_share_tree_in_the_home_of_nobody_is_reported(dialog: NewStudyDialog, tmp_path: Path) -> None:
    dialog.file.setText(str(tmp_path / "study.v2"))
    dialog.shares.setText("~nobody-here/tree.yaml")
    dialog.buttons.verb.click()
    assert says(dialog.problem, "app.study.is-not-user-s-home")
    dialog.shares.setText("")
    dialog.buttons.verb.click()
    # Studies are known by their suffix.
    assert (tmp_path / "study.v2.yaml").is_file()


def test_files_are_called_by_free_names_that_are_not_too_long(tmp_path: Path) -> None:
    answer = len(file_name("very long " * 40))
    assert answer < 100
    path = tmp_path / file_name("Parallel jobs")
    assert free_path(path) == path
    path.write_text("")
    (tmp_path / "parallel-jobs-2.results").mkdir()
    assert free_path(path).name == "parallel-jobs-3.yaml"


# -- the trace chosen --------------------------------------------------------------------------------------


@pytest.fixture
def nameless(tmp_path: Path) -> Path:
    """A trace whose header names no processors; its largest job takes 8."""
    lines = swf_text().splitlines(keepends=True)
    path = tmp_path / "own" / "mine.swf"
    path.parent.mkdir()
    path.write_text("".join(line for line in lines if "MaxProcs" not in line))
    return path


def test_a_trace_without_processors_is_reported_before_the_dialog_closes(
    qtbot: QtBot, dialog: NewStudyDialog, answers: Answers, nameless: Path
) -> None:
    answers.to_open = nameless
    dialog.browse_trace()
    dialog.windows.setText("2d")
    dialog.buttons.verb.click()
    assert dialog.isVisible()
    assert dialog.problem == wording("app.study.does-not-give-its-number", name="mine.swf", largest="8")
    assert dialog.procs.hasFocus()
    assert (dialog.windows.text(), dialog.trace.currentText()) == ("2d", "mine.swf")
    # Nothing is written.
    assert list(nameless.parent.iterdir()) == [nameless]
    dialog.procs.setValue(8)
    assert not dialog.problem
    with qtbot.waitSignal(dialog.made) as made:
        dialog.buttons.verb.click()
    assert made.args == [nameless.with_name("mine.yaml")]
    assert read_study(made.args[0]).workloads == (TraceWorkload("mine.swf", 8, "whole"),)


def test_what_the_trace_has_is_shown_at_once(
    qtbot: QtBot, dialog: NewStudyDialog, answers: Answers, nameless: Path
) -> None:
    qtbot.waitUntil(lambda: "214 users" in dialog.about.text())
    known, left_out, not_modelled = dialog.about.text().splitlines()
    assert not_modelled.startswith(wording("batch.traces.not-modelled-here"))
    jobs, users, months, machine, load = known.split(", ")
    assert (jobs, users) == ("28\u202f481 jobs", "214 users")
    assert months.split() == ["1996-09", "to", "1997-08"]
    assert (machine, load) == ("100 processors", "load 69\xa0%")
    kind = wording("batch.traces.no-runtime-above-0")
    assert left_out == wording("app.study.left-out", count="8 jobs", kind=kind)
    assert dialog.months.placeholderText() == "1996-09 1996-10"
    assert dialog.about.height() >= dialog.about.heightForWidth(dialog.about.width())
    answers.to_open = nameless
    dialog.browse_trace()
    qtbot.waitUntil(lambda: "3 users" in dialog.about.text())
    *counts, months, machine = dialog.about.text().split(", ")
    assert (counts, machine) == (["40 jobs", "3 users"], "processors unknown")
    assert months.split() == ["1996-10", "to", "1996-11"]
    assert dialog.name.text() == "mine"
    assert Path(dialog.file.text()) == nameless.with_name("mine.yaml")
    dialog.trace.setCurrentIndex(dialog.trace.findText("7/03, generated after the paper's Table I"))
    assert dialog.about.text() == ""
    assert dialog.months.placeholderText() == ""


def test_a_name_that_is_typed_stays(dialog: NewStudyDialog, answers: Answers, nameless: Path) -> None:
    dialog.name.selectAll()
    QTest.keyClicks(dialog.name, "Our machine")
    answers.to_open = nameless
    dialog.browse_trace()
    assert dialog.name.text() == "Our machine"
    assert Path(dialog.file.text()) == nameless.with_name("our-machine.yaml")


def test_a_file_that_is_not_a_trace_is_reported_and_keeps_the_dialog(
    qtbot: QtBot, dialog: NewStudyDialog, answers: Answers, tmp_path: Path
) -> None:
    answers.to_open = tmp_path / "letter.txt"
    answers.to_open.write_text("Dear all,\n")
    dialog.browse_trace()
    qtbot.waitUntil(lambda: bool(dialog.about.text()) and "Reading" not in dialog.about.text())
    assert dialog.about.height() >= dialog.about.heightForWidth(dialog.about.width())
    dialog.buttons.verb.click()
    assert dialog.isVisible()
    assert "letter.txt" in dialog.problem
    assert not dialog.problem.startswith("Reading")


def test_a_month_that_the_trace_lacks_is_reported(dialog: NewStudyDialog, tmp_path: Path) -> None:
    dialog.part.setCurrentIndex(2)
    dialog.months.setText("2050-01")
    dialog.file.setText(str(tmp_path / "study.yaml"))
    dialog.buttons.verb.click()
    assert dialog.isVisible()
    assert "no month '2050-01'. It has months from 1996-09 to 1997-08" in dialog.problem
    assert not (tmp_path / "study.yaml").exists()


def test_studies_of_bundled_traces_have_a_folder_of_their_own(dialog: NewStudyDialog) -> None:
    assert Path(dialog.file.text()).parent.name == "fsconsole"
