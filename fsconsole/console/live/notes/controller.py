"""The actions on notes in Observe: write, change, remove, show, export."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from fsconsole.console.actions import Action
from fsconsole.console.files.notes_export import export_notes
from fsconsole.console.files.questions import Questions
from fsconsole.console.live.notes.table import NotesTable
from fsconsole.console.live.side import LiveFrame
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.recording.notes import Note

_MENU = "Simulation/Notes"
_TABLE_MENU = ("notes.go", "notes.edit", "notes.remove", "", "notes.add", "notes.undo", "notes.export")
_SAME_S = 0.1  # The view shows whole ticks.
_EMPTY = "No notes yet. Add one at the instant shown."


class NotesController(QObject):
    """The dock of notes and its actions.

    Attributes:
        table: the notes.
        dock: its dock.
    """

    def __init__(self, session: ConsoleSession, workspace: LiveFrame) -> None:
        super().__init__(workspace)
        self._session, self._workspace = session, workspace
        self.questions = Questions(workspace)
        self.table = NotesTable(session.preferences, workspace)
        self.dock = Dock("observe.notes", "Notes", self.table, workspace)
        self.table.menu_of = lambda at: workspace.pop_up(at, _TABLE_MENU)
        self._connect_signals()
        self._on_changed()

    def actions(self) -> list[Action]:
        """Return rows of the action table."""
        is_open, notes = self._is_open, self._session.notes

        def is_chosen() -> bool:
            return bool(self.table.selected())

        def why_not() -> str:
            return "Select a note"

        return [
            Action(
                "notes.add", "&Add note…", self.add, keys=("N",), menu=_MENU, group="write", enabled=is_open,
                tip="Write a note at the instant shown", words="annotate comment bookmark mark",
            ),
            Action(
                "notes.previous", "&Previous note", partial(self.step, -1), keys=("Alt+Shift+Left",),
                menu=_MENU, group="go", enabled=lambda: self._next(-1) is not None,
                tip="Show the instant of the previous note", why_not=lambda: "No earlier note",
            ),
            Action(
                "notes.next", "&Next note", partial(self.step, 1), keys=("Alt+Shift+Right",), menu=_MENU,
                group="go", enabled=lambda: self._next(1) is not None,
                tip="Show the instant of the next note", why_not=lambda: "No later note",
            ),
            Action(
                "notes.show", "&Show list of notes", self.show, menu=_MENU, group="go", enabled=is_open,
                tip="Show the list of notes", words="dock jump",
            ),
            Action(
                "notes.undo", "&Undo note change", notes.undo, menu=_MENU, group="history",
                enabled=lambda: notes.can_undo, why_not=lambda: "No change of the notes to undo",
                tip="Undo the last change of the notes (Ctrl+Z in their list)",
            ),
            Action(
                "notes.redo", "&Redo note change", notes.redo, menu=_MENU, group="history",
                enabled=lambda: notes.can_redo, why_not=lambda: "No change of the notes to redo",
                tip="Redo the last change of the notes",
            ),
            Action(
                "notes.export", "E&xport notes…", self.export, menu=_MENU, group="out",
                enabled=lambda: bool(notes.notes), why_not=lambda: "No notes yet",
                tip="Export all notes as a Markdown document", words="markdown",
            ),
            Action(
                "notes.go", "&Go to note", self.go, keys=("Return",), local=True, enabled=is_chosen,
                why_not=why_not,
            ),
            Action(
                "notes.edit", "&Edit note…", self.edit, keys=("F2",), local=True, enabled=is_chosen,
                why_not=why_not,
            ),
            Action(
                "notes.remove", "&Remove note", self.remove, keys=("Del",), local=True, icon="delete",
                enabled=is_chosen, why_not=why_not,
            ),
        ]  # fmt: skip

    def wire(self) -> None:
        """Give the table its keys."""
        for name in ("go", "edit", "remove"):
            self.table.addAction(self._workspace.table.qaction(f"notes.{name}"))

    # -- what the actions do ---------------------------------------------------------------------------------

    def add(self, time_s: float | None = None) -> None:
        """Ask for a note on an instant, by default the displayed one."""
        from fsconsole.console.live.notes.dialog import NoteDialog

        if self._is_open():
            at_s = self._instant() if time_s is None else max(0.0, min(time_s, self._now_s()))
            NoteDialog(
                self._session.notes.add, round(at_s, 3), self._workspace,
                epoch_s=self._epoch_s(), now_s=self._now_s,
            ).open()  # fmt: skip

    def edit(self) -> None:
        """Ask for another text of the first selected note."""
        from fsconsole.console.live.notes.dialog import NoteDialog

        for note in self.table.selected()[:1]:
            write = partial(self._session.notes.rewrite, note)
            NoteDialog(write, note.time_s, self._workspace, note, self._epoch_s(), self._now_s).open()

    def remove(self) -> None:
        """Remove the selected notes."""
        removed = tuple(self.table.selected())
        self._session.notes.remove(removed)
        self._session.message.emit(f"{count_words(len(removed), 'note')} removed. Ctrl+Z brings it back.")

    def go(self) -> None:
        """Show the instant of the first selected note."""
        for note in self.table.selected()[:1]:
            self._look_at(note)

    def step(self, step: int) -> None:
        """Show the note after the displayed instant, or the one before it."""
        note = self._next(step)
        if note is not None:
            self._look_at(note)
            self.table.select([note.number])

    def show(self) -> None:
        """Bring the list into sight."""
        self.dock.bring_forward()
        self.table.setFocus()

    def export(self) -> None:
        """Ask for a file and write all notes as a document."""
        path = export_notes(
            self.questions, self._session, self._session.folder, self._session.notes.notes,
            self._session.message.emit,
        )  # fmt: skip
        if path is not None:
            self._session.message.emit(f"Notes exported to {path.name}")

    # -- inside ----------------------------------------------------------------------------------------------

    def _connect_signals(self) -> None:
        self._session.notes.changed.connect(self._on_changed)
        self._session.target_changed.connect(self._on_changed)
        self.table.undo_wanted.connect(self._session.notes.undo)
        self.table.redo_wanted.connect(self._session.notes.redo)
        self.table.wanted.connect(self.go)
        self.table.selectionModel().selectionChanged.connect(self._workspace.refresh_actions)

    @Slot()
    def _on_changed(self) -> None:
        notes = self._session.notes
        self.table.epoch_s = self._epoch_s()
        self.table.rows.set_rows(notes.notes)
        if notes.notes:
            self.dock.body.show_content()
        else:
            self.dock.body.show_empty(_EMPTY, "Add note…", self.add)
        kept = "" if notes.folder is not None or not notes.notes else ", in memory until a recording begins"
        self.dock.header.set_remark(f"{len(notes.notes)}{kept}" if notes.notes else "")
        self._workspace.refresh_actions()

    def _is_open(self) -> bool:
        return self._workspace.is_open()

    def _epoch_s(self) -> float | None:
        target = self._session.target
        return None if target is None else target.clock.epoch_s

    def _now_s(self) -> float:
        target = self._session.target
        return 0.0 if target is None else target.now_s

    def _instant(self) -> float:
        """Return the instant that is shown: that of the past, of the cursor, or the present."""
        shown = (self._session.past.time_s, self._session.cursor_s)
        return next((time_s for time_s in shown if time_s is not None), self._now_s())

    def _next(self, step: int) -> Note | None:
        """Return the note after the selected and displayed one, or after the displayed instant."""
        if not self._is_open():
            return None
        notes, at_s, chosen = self._session.notes, self._instant(), self.table.selected()
        if len(chosen) == 1 and chosen[0] in notes.notes and abs(chosen[0].time_s - at_s) < _SAME_S:
            beside = notes.notes.index(chosen[0]) + step
            return notes.notes[beside] if 0 <= beside < len(notes.notes) else None
        return notes.neighbour(at_s, step)

    def _look_at(self, note: Note) -> None:
        if note.time_s >= self._now_s():
            self._session.past.leave()
        else:
            self._session.past.go(note.time_s)
