"""Notes and branches of a run on disk: they are in its folder and beside it, and the run stays as it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from fsconsole.console.live.branches.dialog import BranchDialog
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.recording.notes import Note, change_notes, read_notes, with_note
from fsconsole.targets.live import LIVE_COLUMNS
from tests.cli.test_resume import recorded
from tests.console.live.running import Until, observed_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """500 s, in which an operator acts at 60, 200 and 203 s, with a note."""
    path = tmp_path / "x.run"
    recorded(path, 500, killed=False)
    change_notes(path, lambda notes: with_note(notes, Note(150.0, "look here", author="hale")))
    return path


@pytest.fixture
def observe(empty_window: ConsoleWindow, run: Path, until: Until) -> LiveWorkspace:
    return observed_run(empty_window, run, until)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(item): item.read_bytes() for item in sorted(folder.rglob("*")) if item.is_file()}


def test_its_notes_are_those_of_its_folder(observe: LiveWorkspace, run: Path) -> None:
    notes = observe.notes
    assert [note.text for note in notes.table.rows.rows] == ["look here"]
    notes.show()
    notes.table.selectRow(0)
    QTest.keyClick(notes.table, Qt.Key.Key_Return)
    assert observe.session.past.time_s == 150.0
    observe.session.notes.add(300.0, "and here")
    assert [note.text for note in read_notes(run)] == ["look here", "and here"]
    notes.table.selectAll()
    QTest.keyClick(notes.table, Qt.Key.Key_Delete)
    assert read_notes(run) == ()


def test_a_branch_without_changes_is_the_run(observe: LiveWorkspace, until: Until, run: Path) -> None:
    before, session = bytes_of(run), observe.session
    session.past.go(100.0)
    QTest.keyClick(observe.panel, Qt.Key.Key_B)
    dialog = observe.findChildren(BranchDialog)[-1]
    QTest.mouseClick(dialog.buttons.buttons()[0], Qt.MouseButton.LeftButton)
    branches = observe.machine.branches.tree
    until(lambda: bool(branches.branches) and branches.branches[0].state in ("done", "failed"))
    made = branches.branches[0]
    assert (made.state, made.problem, len(made.journal)) == ("done", "", 3)
    assert session.target is not None
    nodes = [node.id for node in session.target.tree().walk()]  # type: ignore[union-attr]
    for column in LIVE_COLUMNS:
        if column == "usage":
            continue
        times, values = session.target.curves(column, nodes, 110.0, 500.0, 10_000)
        ours, found = made.curves(column, nodes, 110.0, 500.0, 10_000)
        assert np.array_equal(times[times >= 110], ours[ours >= 110])
        assert np.allclose(values[:, times >= 110], found[:, ours >= 110], equal_nan=True, rtol=1e-6)
    assert bytes_of(run) == before
