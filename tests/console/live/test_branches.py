"""Branches in Observe: begun at an instant, run beside the run, which stays as it is; shown and removed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog

from fsconsole.app.runs.branches import LiveBranch
from fsconsole.console.live.branches.dialog import BranchDialog
from fsconsole.console.live.branches.table import BranchTable
from fsconsole.console.live.plots.layer import between
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.policies.words import setting_value
from fsconsole.recording.run import RunReader
from fsconsole.shares.edits import SetShares
from fsconsole.targets.base import REWIND
from fsconsole.targets.live import LIVE_COLUMNS
from fsconsole.targets.run_machine import machine_at_tick
from fsconsole.targets.run_scenario import scenario_of
from fsconsole.targets.simulated import SimulatedTarget
from tests.console.conftest import Answers
from tests.console.live.running import Until, go_to, node
from tests.texts import Expected, naming, says, worded, wording

LEFT = Qt.MouseButton.LeftButton


def dialog_of(observe: LiveWorkspace) -> BranchDialog:
    return observe.findChildren(BranchDialog)[-1]


def add(dialog: BranchDialog, kind: str, subject: str, value: str = "") -> None:
    """As a person does: what, to what, the button."""
    dialog.changes.kind.fill(kind)
    dialog.changes.subject.setEditText(subject)
    if value:
        QTest.keyClicks(dialog.changes.value, value)
    QTest.mouseClick(dialog.changes.add, LEFT)


def press_run(dialog: BranchDialog) -> None:
    QTest.mouseClick(dialog.buttons.buttons()[0], LEFT)


def branch(observe: LiveWorkspace, until: Until, *changes: tuple[str, str, str], end: str = "") -> LiveBranch:
    """Begin a branch at the instant that is shown and wait for its end."""
    branches = observe.machine.branches
    before = len(branches.tree.branches)
    QTest.keyClick(observe.panel, Qt.Key.Key_B)
    dialog = dialog_of(observe)
    for change in changes:
        add(dialog, *change)
    if end:
        dialog.until.selectAll()
        QTest.keyClicks(dialog.until, end)
    press_run(dialog)
    until(lambda: len(branches.tree.branches) > before)
    made = branches.tree.branches[-1]
    until(lambda: made.state in ("done", "failed"))
    assert made.state == "done", made.problem
    return made


def state_of(observe: LiveWorkspace) -> bytes:
    target = observe.session.target
    assert isinstance(target, SimulatedTarget)
    return target.checkpoint().result(timeout=60)


def test_without_changes_it_is_the_run_in_every_value(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 600.0, until)
    before = state_of(observe)
    session.past.go(250.0)
    made = branch(observe, until)
    assert state_of(observe) == before
    assert (made.at_s, made.until_s, made.changed) == (250.0, 600.0, "no changes")
    target = session.target
    assert target is not None
    nodes = [node(session, name) for name in ("u11", "u22")]
    for column in LIVE_COLUMNS:
        times, values = target.curves(column, nodes, 255.0, 600.0, 10_000)
        ours, found = made.curves(column, nodes, 255.0, 600.0, 10_000)
        after = times >= ours[1]
        assert np.array_equal(times[after], ours[1:])
        assert np.array_equal(values[:, after], found[:, 1:], equal_nan=True)
    assert len(ours) > 30
    assert observe.machine.branches.dock.header._remark.text() == wording(
        "console.live.branches.is-shown-paler-behind-run", name="Branch 1", branch=""
    )


def test_changes_are_made_there_and_shown_beneath_the_run(
    observe: LiveWorkspace, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, branches = observe.session, observe.machine.branches
    go_to(session, 600.0, until)
    session.past.go(200.0)
    changes = (("shares", "u11", "3000"), ("parameter", "Half-life of usage (policy.half_life_s)", "30 s"))
    made = branch(observe, until, *changes)
    assert "u11: " in made.changed
    assert says(made.changed, "shares.scenario.half-life-of-usage")
    until(lambda: " differs most: " in branches.dock.header._remark.text())
    reference = observe.panel.reference
    assert reference is not None
    assert (reference.curves, reference.since_s) == (made, 200.0)
    assert branches.shown is made
    u11 = node(session, "u11")
    charge = observe.panel.rows["charge"].plot
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(tmp_path / "b"), ""))
    messages: list[str] = []
    (tmp_path / "b.run").mkdir()
    asked: list[Path] = []

    def may_replace(path: Path) -> bool:
        asked.append(path)
        return len(asked) > 1

    monkeypatch.setattr(branches.questions, "replace_run", may_replace)
    assert observe.table.trigger("branches.save")
    assert asked == [tmp_path / "b.run"]
    assert not list((tmp_path / "b.run").iterdir())
    session.message.connect(messages.append)
    assert observe.table.trigger("branches.save")
    until(lambda: "Branch 1 saved to b.run" in messages)
    saved = RunReader(tmp_path / "b.run")
    assert (saved.state, saved.manifest["branch"]["at_s"]) == ("complete", 200.0)
    machine = machine_at_tick(saved, scenario_of(saved), 600 * 60)
    assert tuple(machine.journal) == made.journal
    session.past.leave()
    observe.panel.refresh()
    assert session.target is not None
    ours = session.target.curves("charge", [u11], 0, 600, 2000)[1][0, -1]
    assert made.curves("charge", [u11], 0, 600, 2000)[1][0, -1] > ours
    layer = charge._layers[0]
    assert sum(item.isVisible() for item in layer.items) >= 2
    assert observe.table.trigger("branches.alone")
    assert observe.panel.reference is None
    assert not any(item.isVisible() for item in layer.items)


def test_a_branch_becomes_the_run_that_all_views_show(observe: LiveWorkspace, until: Until) -> None:
    session, table = observe.session, observe.table
    document, run = session.document, session.target
    assert document is not None
    u11, u21 = node(session, "u11"), node(session, "gr1")
    shares = document.tree.node(u21).shares
    u11_shares, half_life_s = document.tree.node(u11).shares, document.settings["policy.half_life_s"]
    go_to(session, 300.0, until)
    document.edit("Set shares", [SetShares.of(u21, 5)])  # later than the branch begins
    go_to(session, 600.0, until)
    session.past.go(200.0)
    assert session.newest is not None
    done = [entry.action for entry in session.newest.journal]
    at_200 = session.offer(REWIND)
    assert at_200 is not None
    before = at_200.checkpoint(150.0).result(20)
    changes = (("shares", "u11", "3000"), ("parameter", "Half-life of usage (policy.half_life_s)", "30 s"))
    made = branch(observe, until, *changes)
    messages: list[str] = []
    session.message.connect(messages.append)
    until(lambda: table.trigger("branches.enter"))
    target = session.target
    assert isinstance(target, SimulatedTarget)
    assert target is not run
    until(lambda: session.newest is not None and len(session.newest.journal) >= 2)
    assert document.tree.node(u11).shares == 3000
    assert document.settings["policy.half_life_s"] == 30.0
    # It goes on by itself to where it had come to.
    until(lambda: session.newest is not None and session.newest.time_s == made.reached_s == 600.0)
    assert not session.is_running
    assert says(
        messages, "console.live.branches.continues-to-time-it-had", name="Branch 1", reached_s="00:10:00"
    )
    _, ours = target.curves("charge", [u11], 500.0, 600.0, 1000)
    _, theirs = made.curves("charge", [u11], 500.0, 600.0, 1000)
    assert np.array_equal(ours[:, -5:], theirs[:, -5:])
    assert target.rewinder.checkpoint(150.0).result(20) == before  # what was before is the past of both
    assert table.trigger("run.before")
    assert session.target is run
    assert messages[-1] == wording("console.run-before-up-to", end="00:10:00")
    assert (document.tree.node(u11).shares, document.tree.node(u21).shares) == (u11_shares, 5)
    assert document.settings["policy.half_life_s"] == half_life_s
    go_to(session, 620.0, until)
    assert session.newest is not None
    assert [entry.action for entry in session.newest.journal] == done
    assert table.trigger("run.after")
    assert document.tree.node(u11).shares == 3000
    assert document.settings["policy.half_life_s"] == 30.0
    for _ in range(
        8
    ):  # to and fro (2 each), then settings, shares, the branch's tree, and the edit before it
        assert table.trigger("undo")
    assert document.tree.node(u11).shares == shares


def test_a_branch_is_left_by_another_and_both_are_removed(observe: LiveWorkspace, until: Until) -> None:
    session, branches = observe.session, observe.machine.branches
    go_to(session, 400.0, until)
    session.past.go(100.0)
    first = branch(observe, until, ("login", "u12", ""))
    session.past.go(200.0)
    assert observe.table.trigger("branches.below")
    dialog = dialog_of(observe)
    assert dialog.at.text() == "00:03:20"
    press_run(dialog)
    until(lambda: len(branches.tree.branches) == 2)
    second = branches.tree.branches[-1]
    until(lambda: second.state == "done")
    assert (second.parent, second.at_s) == (first.number, 200.0)
    assert [entry.to_json() for entry in second.journal] == [entry.to_json() for entry in first.journal]
    u12 = [node(session, "u12")]
    ours, theirs = (one.curves("cpu_rate", u12, 220, 400, 5000) for one in (first, second))
    assert np.array_equal(ours[1], theirs[1], equal_nan=True)
    assert [one.name for one in branches.tree.origins(second)] == ["Branch 2", "Branch 1"]
    table: BranchTable = branches.table
    names = [table.rows.cells(row)[0] for row in table.rows.rows]
    expected = ["This run", "    Branch 1", "        Branch 2"]
    assert names == expected
    table.select([first.number])
    assert observe.table.trigger("branches.remove")
    gone = list(branches.tree.branches)
    assert gone == []
    assert observe.panel.reference is None
    assert observe.table.trigger("branches.restore")
    assert branches.tree.branches == [first, second]
    assert branches.shown is first
    back = first.curves("cpu_rate", u12, 220, 400, 5000)
    assert np.array_equal(back[1], ours[1], equal_nan=True)


@pytest.mark.parametrize(
    ("kind", "subject", "value", "message"),
    [
        ("shares", "nobody", "3", worded("shares.scenario.node-not-found-in-tree", reference="nobody")),
        ("parameter", "policy.halflife", "3", naming("Did you mean policy.half_life_s")),
        ("login", "u11", "", worded("console.live.machine.is-already-logged-in", name="u11")),
        ("start", "u11", "many", naming("'many' is not a number of processes")),
    ],
)
def test_what_cannot_be_is_reported_in_the_dialog(
    observe: LiveWorkspace, until: Until, kind: str, subject: str, value: str, message: Expected
) -> None:
    go_to(observe.session, 60.0, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_B)
    dialog = dialog_of(observe)
    dialog.changes.kind.fill(kind)
    dialog.changes.subject.setEditText(subject)
    QTest.keyClicks(dialog.changes.value, value)
    press_run(dialog)
    until(lambda: says(dialog.problem, message))
    assert isinstance(dialog.buttons, QDialogButtonBox)
    assert dialog.buttons.isEnabled()
    assert observe.machine.branches.tree.branches == []
    dialog.reject()


def test_a_long_branch_can_be_cancelled(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 60.0, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_B)
    dialog = dialog_of(observe)
    dialog.until.selectAll()
    QTest.keyClicks(dialog.until, "20000 d")
    press_run(dialog)
    branches = observe.machine.branches
    until(lambda: bool(branches.tree.branches) and branches.tree.branches[0].state == "running")
    assert observe.table.trigger("branches.cancel")
    until(lambda: branches.tree.branches[0].state == "cancelled")
    assert 60.0 <= branches.tree.branches[0].reached_s < 20_000 * 86_400
    observe.session.open(None)
    assert branches.tree.branches == []


def test_what_is_shaded_lies_where_both_are_known_and_differ() -> None:
    times, values = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, np.nan, 3.0])
    outline = between(times, values, np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.0, 0.0]))
    assert outline is not None
    assert outline[0].tolist() == [1.0, 2.0, 3.0, 3.0, 2.0, 1.0]
    assert outline[1].tolist() == [1.0, 2.0, 3.0, 0.0, 0.0, 1.0]
    assert between(times, values, times, values) is None
    assert between(times[:1], values[:1], times[3:], values[3:]) is None


def is_laid_under(observe: LiveWorkspace) -> bool:
    """Return True if another run is shown beneath the plots."""
    return observe.panel.reference is not None


def test_each_run_of_a_document_has_its_own_branches(observe: LiveWorkspace, until: Until) -> None:
    session, branches = observe.session, observe.machine.branches
    go_to(session, 200.0, until)
    session.past.go(100.0)
    made = branch(observe, until, ("shares", "u11", "3000"))
    assert is_laid_under(observe)
    session.restart()
    until(lambda: session.snapshot is not None)
    assert not branches.tree.branches
    assert not is_laid_under(observe)
    session.runs.turn(-1)
    until(lambda: session.snapshot is not None)
    assert branches.tree.branches == [made]
    branches.table.select([made.number])
    assert is_laid_under(observe)


def test_a_wrong_change_is_reported_beside_the_field_and_a_right_one_with_what_it_was(
    observe: LiveWorkspace, until: Until
) -> None:
    go_to(observe.session, 60.0, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_B)
    dialog = dialog_of(observe)
    changes = dialog.changes
    wrong = (
        ("parameter", "Half-life of usage (policy.half_life_s)", "soon", "'soon'"),
        ("parameter", "half life", "3 s", "'half life' is not a parameter. Choose one from the list."),
        ("parameter", "half-l", "3 s", "'half-l' can be Half-life of usage (policy.half_life_s), "),
        ("parameter", "Half-life of usage (policy.half_life_s)", "", "the value is missing"),
        ("policy", "shaer", "", "Did you mean share"),
        ("shares", "u11", "many", "'many' is not a whole number of shares. Type 30, 30 % or ="),
        (
            "shares",
            "u99",
            "30",
            wording("shares.scenario.node-not-found-in-tree", reference="u99", reference_2=""),
        ),
        ("login", "u99", "", "u99"),
    )
    for kind, subject, value, text in wrong:
        changes.value.clear()
        add(dialog, kind, subject, value)
        assert text in changes.fault.text()
        assert changes.fault.isVisible()
        assert changes.list.count() == 0
    changes.subject.setEditText("u11")
    assert not changes.fault.isVisible()
    document = observe.session.document
    assert document is not None
    before = setting_value("policy.half_life_s", document.settings["policy.half_life_s"])
    changes.value.clear()
    add(dialog, "parameter", "half-life of usage", "30 s")  # its begin, in any case
    label, _, values = changes.list.item(0).text().partition(": ")
    assert label == wording("shares.scenario.half-life-of-usage")
    assert [one.strip() for one in values.split("\N{RIGHTWARDS ARROW}")] == [before, "30 s"]
    shares = document.tree.node(node(observe.session, "u11")).shares
    add(dialog, "shares", "u11", "3000")
    assert says(changes.list.item(1).text(), "console.kit.shares", meant="u11", shares=shares, value="3000")
    dialog.reject()


def test_the_run_that_was_looked_at_is_the_reference_of_the_other(
    observe: LiveWorkspace, until: Until
) -> None:
    session = observe.session
    messages: list[str] = []
    session.message.connect(messages.append)

    def reference() -> str:
        found = observe.panel.references.reference
        return "" if found is None else found.name

    go_to(session, 120.0, until)
    session.restart()
    until(lambda: session.snapshot is not None and session.snapshot.tick == 0)
    assert reference() == wording("console.live.plots.run-before", length="2 min")
    assert observe.table.trigger("run.before")
    assert not reference()  # the other has not moved yet
    assert observe.table.trigger("run.after")
    go_to(session, 60.0, until)
    assert observe.table.trigger("run.before")
    assert reference() == wording("console.live.plots.run-after", length="1 min")
    assert not [text for text in messages if "no curve" in text]


def test_an_instant_between_whole_seconds_is_readable_and_exact(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 1573 / 60, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_B)
    dialog = dialog_of(observe)
    assert dialog.at.text() == "00:00:26"
    dialog.until.selectAll()
    QTest.keyClicks(dialog.until, "40 s")
    press_run(dialog)
    branches = observe.machine.branches
    until(lambda: bool(branches.tree.branches) and branches.tree.branches[0].state == "done")
    assert branches.tree.branches[0].at_s == 1573 / 60


def test_a_branch_beyond_the_present_is_brought_into_sight(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 600.0, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_B)
    dialog = dialog_of(observe)
    dialog.until.selectAll()
    QTest.keyClicks(dialog.until, "30:00")
    press_run(dialog)
    branches = observe.machine.branches
    until(lambda: bool(branches.tree.branches) and branches.tree.branches[0].state == "done")
    span = observe.panel._span
    until(lambda: span.end_s > 1790)
    assert span.start_s < 600 < span.end_s
    span.show_whole()
    assert span.end_s >= 1800
    branches.show_run_alone()
    assert span.end_s == 1200  # as long as the scenario


def test_what_is_typed_and_names_no_subject_is_not_thrown_away(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 60.0, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_B)
    dialog = dialog_of(observe)
    dialog.changes.kind.fill("shares")
    dialog.changes.kind.changed.emit()
    QTest.keyClicks(dialog.changes.value, "3200")
    press_run(dialog)
    assert says(dialog.problem, "console.kit.nothing-is-chosen-choose-or")
    assert not observe.machine.branches.tree.branches
    dialog.reject()


def test_what_a_branch_changes_can_be_exported_as_it_is_shown(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 600.0, until)
    session.past.go(200.0)
    branch(observe, until, ("shares", "u11", "3000"))
    figure = observe.exports.figure("cpu_rate")
    assert figure is not None
    names = [curve.name for curve in figure.curves]
    (beneath,) = [curve for curve in figure.curves if curve.name.split(", ") == ["u11", "Branch 1"]]
    assert beneath.name in names
    assert beneath.x.min() >= 200.0
    assert len(beneath.band) == 2
    (shown,) = observe.machine.branches.tree.branches
    named = f"Branch 1 (at 3 min 20 s: {shown.changed})"
    assert wording("console.live.plots.dotted-with-difference-shaded").format(named) in figure.caption
    (told,) = figure.provenance.to_json()["branches"]
    assert (told["name"], told["at_s"], told["changes"]) == ("Branch 1", 200.0, shown.start.effects)
    assert shown.start.effects
    observe.machine.branches.show_run_alone()
    alone = observe.exports.figure("cpu_rate")
    assert alone is not None
    assert not [curve.name for curve in alone.curves if "Branch" in curve.name]
    assert alone.provenance.branches == ()


def test_branches_that_no_folder_holds_are_asked_about(
    observe: LiveWorkspace, window: ConsoleWindow, answers: Answers, tmp_path: Path, until: Until
) -> None:
    session = observe.session
    go_to(session, 60.0, until)
    session.past.go(30.0)
    branch(observe, until)
    session.restart()  # another run: the branches of the one before are kept with it
    answers.asked = []
    assert not window.files.close()
    (asked,) = answers.asked
    assert re.findall(r"\d\d:\d\d:\d\d", asked) == ["00:00:30", "00:01:00"]
    assert asked.startswith("leave Branch")
    assert asked.endswith("convex-series-6.yaml")
    answers.answer, answers.asked = "save", []
    assert not window.files.close()  # no folder was chosen
    assert answers.asked[1:] == [
        (wording("console.files.save-branch-as-run", number="1") + ": convex-series-6-branch-1.run")
    ]
    answers.to_save = (tmp_path / "kept.run", 0)
    assert window.files.close()
    assert RunReader(tmp_path / "kept.run").state == "complete"


def test_a_branch_that_was_given_up_for_a_file_that_cannot_be_read_is_asked_about_again(
    observe: LiveWorkspace, window: ConsoleWindow, answers: Answers, tmp_path: Path, until: Until
) -> None:
    go_to(observe.session, 60.0, until)
    observe.session.past.go(30.0)
    branch(observe, until)
    bad = tmp_path / "bad.yaml"
    bad.write_text("a: [", "utf-8")
    answers.answer, answers.asked = "discard", []
    window.files.open(bad)
    until(lambda: bool(answers.reported))
    assert answers.asked == []
    answers.answer, document = "cancel", observe.session.document
    window.files.new()
    assert [asked.split()[1] for asked in answers.asked] == ["Branch"]
    assert observe.session.document is document


def test_a_branch_that_was_saved_goes_without_a_question(
    observe: LiveWorkspace, window: ConsoleWindow, answers: Answers, tmp_path: Path, until: Until
) -> None:
    branches = observe.machine.branches
    go_to(observe.session, 60.0, until)
    observe.session.past.go(30.0)
    made = branch(observe, until)
    answers.to_save = (tmp_path / "kept.run", 0)
    branches.questions = answers
    assert observe.table.trigger("branches.save")
    until(lambda: made.is_saved)
    answers.asked = []
    assert window.files.close()
    assert answers.asked == []
