"""The state common to all views: the document, the target, the selection and the time cursor.

Views follow the session's signals and send it requests; they never call each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import Signal, SignalInstance, Slot

from fsconsole.console.connections import every
from fsconsole.console.curves import NodeCurves
from fsconsole.console.document import Document
from fsconsole.console.document_intake import DocumentIntake
from fsconsole.console.document_runs import DocumentRuns, KeptRun
from fsconsole.console.kit.consent import TypedEntry
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.machine_line import MachineLine
from fsconsole.console.past_view import PastView
from fsconsole.console.preferences import Preferences
from fsconsole.console.run_notes import RunNotes
from fsconsole.console.sight import Sight
from fsconsole.policies.words import plain
from fsconsole.recording.journal import Outcome
from fsconsole.recording.notes import Notes
from fsconsole.shares.edits import Edit
from fsconsole.shares.scenario.actions import Action, ChangeTree, SetSetting
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import (
    EXPLAINER,
    MACHINE,
    PLAYBACK,
    RECORDING,
    REWIND,
    RUN_FOLDER,
    Capability,
    Machine,
    Moment,
    Playback,
    Rewind,
    Target,
)
from fsconsole.targets.events import Event, with_notes
from fsconsole.targets.simulated import SimulatedTarget
from fsconsole.targets.snapshot import Snapshot

T = TypeVar("T")
# Capabilities while nothing is open: those of a simulated machine.
_AT_FIRST = (PLAYBACK, RECORDING, REWIND, MACHINE, EXPLAINER)
QUIET_FRAMES = 15


class Attached(Protocol):
    """An open target, with the console's functions for it beyond viewing."""

    @property
    def source(self) -> Target:
        """Target that is attached."""
        ...

    @property
    def news(self) -> SignalInstance:
        """Signal that its follower emits after looking at the target."""
        ...

    def offer(self, capability: Capability[T]) -> T | None:
        """Return the implementation of a capability in the console; None if there is not one."""
        ...

    def follow(self) -> None:
        """React to something new on the target."""
        ...

    def close(self, *, wait: bool = False) -> None:
        """End the target and all that belongs to it."""
        ...

    def deleteLater(self) -> None: ...


class ConsoleSession(Sight):
    """The state that views share.

    `frame` comes at 30 Hz at most, and only when the target shows something new: paused and unchanged costs
    nothing. Data flows: target -> `frame` -> views; person -> `document.edit` or `act` -> target -> `frame`.

    Attributes:
        curves: colour and dash of every node.
        line: the machine's shell.
        preferences: settings kept between starts.
        intake: lets the document follow the target.
        notes: notes on instants of the run.
        runs: other runs of the document, which can be shown again.
    """

    leaving = Signal()  # The document is opened again, or another one: editors close and enter nothing.
    typed_wanted = Signal(object)  # Carries a list, to which parts append the `TypedEntry`s they have.
    not_entered = Signal(str)  # What is half typed cannot be entered any more, since its node is gone.
    document_changed = Signal()  # Another document or none is open.
    edited = Signal(object)  # The tree of the open document has changed: tuple of edits.
    settings_changed = Signal(object)
    past_moved = Signal()  # Another instant or the present is shown.
    target_changed = Signal()
    paced = Signal()  # The target was started, paused, or set to another speed.
    frame = Signal()  # The target has new data to show.
    outcome = Signal(object)  # Outcome of an action of this console.
    taken_in = Signal(object)  # Ids of nodes that other users have changed.
    conflicted = Signal(str)  # A change in this console conflicts with an external one.
    conflict_settled = Signal()  # A conflict is resolved.
    ending = Signal()  # The program ends and cannot ask: unsaved work stays on the disk for the next start.
    message = Signal(str)

    def __init__(self, preferences: Preferences | None = None) -> None:
        """Start without a document; by default with the user's own preferences."""
        super().__init__()
        self.curves = NodeCurves(self._tree_of_document, self._is_undrawn, self)
        self.line = MachineLine(
            lambda: self.machine, lambda: self.folder, lambda: self.locked, self._past_of_line, self
        )
        self.preferences = preferences or Preferences(parent=self)
        self._document: Document | None = None
        self.intake = DocumentIntake(lambda: self._document, self)
        self._target: Target | None = None
        self._attached: Attached | None = None
        self._doing = ""  # Text that precedes the machine's answer to the present request.
        self.notes = RunNotes(self)
        self.runs = DocumentRuns(self)
        # Events of the target, and the same with notes.
        self._events: tuple[Sequence[Event], Sequence[Event]] = ((), ())
        self.past = PastView(lambda: self._target, self)
        self._seen = (0, 0)
        self._instants = 0  # Instants of the past that have arrived.
        self._last_seen: Snapshot | None = None
        self._idle = 0
        self._tasks = Tasks(self)
        self._timer = every(self, 0, self._on_timeout)
        self.document_changed.connect(self.curves.restart)
        self.document_changed.connect(self.line.forget)
        self.target_changed.connect(self.curves.on_target_changed)
        self.target_changed.connect(self.line.reset_user)
        self.edited.connect(self.curves.follow)
        self.line.asked.connect(self.look_again)
        self.intake.taken_in.connect(self.taken_in)
        self.intake.conflicted.connect(self.conflicted)
        self.intake.message.connect(self.message)
        self.past.moved.connect(self._on_past_moved)
        self.past.arrived.connect(self._on_past_arrived)
        self.past.failed.connect(self.message)
        self.notes.changed.connect(self._on_notes_changed)
        self.notes.failed.connect(self.message)

    # -- document -----------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """Where file dialogs begin: the document's folder, the user's home where it has none."""
        path = self._document.path if self._document is not None else None
        return path.parent if path is not None else Path.home()

    @property
    def document(self) -> Document | None:
        """Document that is open; None for none."""
        return self._document

    @property
    def typed_entries(self) -> tuple[TypedEntry, ...]:
        """What is half typed into the document."""
        found: list[TypedEntry] = []
        self.typed_wanted.emit(found)
        return tuple(found)

    def open(self, document: Document | None, attached: Attached | None = None) -> None:
        """Show another document; None closes.

        It is of the target that is attached to it; without one it has a simulated machine of its own, paused
        at time 0.
        """
        self.leaving.emit()
        if self._target is not None and (attached is None or self._target is not attached.source):
            self._target.close()
        self._target = None if attached is None else attached.source
        if self._attached is not None and self._attached is not attached:
            self._attached.close()
            self._attached.deleteLater()
        if attached is not None and self._attached is not attached:
            attached.news.connect(self.look_again)
        self._attached = attached
        if self._document is not None:
            self._document.edited.disconnect(self._on_edited)
            self._document.settings_changed.disconnect(self._on_settings)
        self.past.forget()
        before, self._document = self._document, document
        self._selection = self._selection if before is document else ()
        self._cursor_s = None
        self._shown = ()
        self.runs.close()
        self.notes.begin(self.offer(RUN_FOLDER))
        if document is not None:
            document.edited.connect(self._on_edited)
            document.settings_changed.connect(self._on_settings)
            self._leave_out_system = document.scenario.plot.leave_out_system
            self._shown = document.scenario.plot.nodes
        self.document_changed.emit()
        if before is not None and before is not document:
            before.retire()
        if document is not None:
            self.restart()
        self._look_at_all()

    # -- target -------------------------------------------------------------------------------------------

    @property
    def target(self) -> Target | None:
        """Displayed target of the session."""
        return self._target

    @property
    def revision(self) -> tuple[int, ...]:
        """Other numbers with everything new that can be seen of the target, and with another target."""
        return (*self._seen, self._instants)

    def offer(self, capability: Capability[T]) -> T | None:
        """Return the implementation of a capability by the console or the target; None without one."""
        found = None if self._attached is None else self._attached.offer(capability)
        if found is not None or self._target is None:
            return found
        return self._target.offer(capability)

    def shows(self, capability: Capability[Any]) -> bool:
        """Return True if views have something for a capability: the target offers it, or none is open that
        would not.
        """
        if self._target is None:
            return capability in _AT_FIRST
        return self.offer(capability) is not None or (capability is PLAYBACK and self.is_recorded)

    @property
    def machine(self) -> Machine | None:
        """Displayed machine; None if the target is not one, or shows no processes."""
        return self.offer(MACHINE)

    @property
    def playback(self) -> Playback | None:
        """Control of the displayed time; None if it passes by itself."""
        if self.past.is_on or self.is_recorded:
            return self.past
        return self.offer(PLAYBACK)

    @property
    def moment(self) -> Moment | None:
        """Displayed moment: a past instant, or the present."""
        if self.past.moment is not None:
            return self.past.moment
        return None if self._target is None else self._target.at()

    @property
    def locked(self) -> str:
        """Why nothing can be done to the target, in a sentence; empty where something can."""
        if self.past.is_on:
            return "The past cannot be changed. Return to the present first."
        return "A recorded run cannot be changed." if self.is_recorded else ""

    @property
    def is_recorded(self) -> bool:
        """Whether all of the target's time has passed."""
        target = self._target
        return target is not None and target.offer(RUN_FOLDER) is not None

    @property
    def is_running(self) -> bool:
        """Whether the displayed time passes, of a target with a controllable time."""
        return self.playback is not None and self.playback.is_running

    @property
    def unkept_notes(self) -> Notes:
        """Notes on runs of the document that no run folder keeps."""
        runs = [(one.notes, one.folder) for one in (*self.runs.before, *self.runs.after)]
        return tuple(
            note
            for notes, folder in [*runs, (self.notes.notes, self.notes.folder)]
            if folder is None
            for note in notes
        )

    def events(self) -> Sequence[Event]:
        """Return events of the target, planned events, and notes."""
        events = () if self._target is None else self._target.events()
        if events is not self._events[0]:
            self._events = events, with_notes(events, self.notes.marks())
        return self._events[1]

    @property
    def snapshot(self) -> Snapshot | None:
        """Machine at the displayed instant."""
        moment = self.moment
        if isinstance(moment, Snapshot):
            return moment
        return self._last_seen if self.past.is_on else self.newest

    @property
    def newest(self) -> Snapshot | None:
        """The machine's newest snapshot."""
        machine = self.machine
        return machine.snapshot() if machine is not None else None

    def restart(self) -> None:
        """Begin another run of the document, paused at time 0; where no run can be begun, begin to look."""
        if self._attached is not None:
            self._wake()
            self.target_changed.emit()
        elif self._document is not None:
            self.runs.start_over()

    def run_at_hand(self) -> KeptRun | None:
        """Return the displayed run, if another one can be started beside it."""
        target, document = self._target, self._document
        if not isinstance(target, SimulatedTarget) or self._attached is not None or document is None:
            return None
        tree, settings = document.present.tree, document.settings
        return KeptRun(target, self.intake.outside, self.notes.notes, self.notes.folder, tree, settings)

    def show_run(self, run: KeptRun) -> None:
        """Show another run of the same document."""
        self._tasks.cancel()
        self._target, self.intake.outside = run.target, run.outside
        self.notes.turn_to(run.notes, run.folder)
        run.target.watch(self._shown)
        self._seen = (0, 0)
        self._wake()
        self.set_cursor(None)  # A time of the previous run is not a time of this one.
        self.target_changed.emit()

    def act(self, action: Action, who: str = "", why: str = "") -> Future[Outcome] | None:
        """Send an action to the target; `outcome` and the future report the result."""
        machine = self.machine
        if machine is None:
            return None
        if self.locked:
            self.message.emit(self.locked)
            return None
        self.intake.outside.submitted(action)
        asked = machine.submit(action, who, why)
        self._watch(asked, self._doing)
        return asked

    def step_edits(self, doing: str, step: Callable[[], object]) -> None:
        """Undo or redo an edit, and name it in a message, also if the machine's answer follows."""
        self._doing = f"{doing}. "
        step()
        self._doing = ""
        self.message.emit(doing)

    @Slot()
    def look_again(self) -> None:
        """Read the target again after another request to it."""
        self._wake()
        self._on_timeout()

    def run(self) -> None:
        """Let simulated or recorded time pass."""
        if self.playback is not None:
            self.playback.run()
            self._wake()
            self.paced.emit()

    def pause(self) -> None:
        """Stop simulated or recorded time."""
        if self.playback is not None:
            self.playback.pause()
            self._wake()
            self.paced.emit()

    def set_speed(self, speed: float) -> None:
        """Set the speed in seconds of the target per second."""
        if self.playback is not None:
            self.playback.set_speed(speed)
            self._wake()
            self.paced.emit()

    def step(self, ticks: int) -> None:
        """Pause and advance by a number of ticks."""
        if self.playback is not None:
            self._watch(self.playback.step(ticks))

    def record(self, path: Path, *, overwrite: bool = False) -> None:
        """Write what happens from now on into a run folder."""
        recording = self.offer(RECORDING)
        if recording is not None:
            self._watch(recording.start_recording(path, overwrite=overwrite))

    def stop_recording(self) -> None:
        """Close the run folder."""
        recording = self.offer(RECORDING)
        if recording is not None:
            self._watch(recording.stop_recording())

    # -- what is looked at --------------------------------------------------------------------------------

    @property
    def can_leave_out_system(self) -> bool:
        target, document = self._target, self._document
        has_column = target is None or bool(target.rescaled)
        return has_column and document is not None and bool(document.flat.is_system.any())

    def _watch_shown(self) -> None:
        if self._target is not None:
            self._target.watch(self._shown)

    def close(self) -> None:
        """End the target's thread; the document stays for viewing, without signals."""
        self._timer.stop()
        self.preferences.write()
        if self._document is not None:
            self._document.retire()
        self.close_target()

    def close_target(self) -> None:
        """Close the target and its threads, because the program ends."""
        self.runs.close()
        if self._target is not None:
            self._target.close(wait=True)
            self._target = None
        if self._attached is not None:
            self._attached.close(wait=True)
            self._attached = None

    # -- inside -------------------------------------------------------------------------------------------

    def _tree_of_document(self) -> ShareTree | None:
        return self._document.tree if self._document is not None else None

    def _past_of_line(self) -> tuple[Rewind, float] | None:
        """Return the displayed past instant, and the source of the machine's state then."""
        rewind, time_s = self.offer(REWIND), self.past.time_s
        if not self.past.is_on:
            time_s = self.moment.time_s if self.is_recorded and self.moment is not None else None
        return None if rewind is None or time_s is None else (rewind, time_s)

    def _is_undrawn(self) -> bool:
        """Return True if nothing is drawn yet that would change its colour."""
        snapshot = self.newest
        return self.shows(PLAYBACK) and (snapshot is None or snapshot.time_s == 0)

    @Slot()
    def _on_past_moved(self) -> None:
        """Show another instant: the cursor at once, the rest as it arrives."""
        if self._document is not None:
            self._document.locked = self.locked
        if not self.past.is_on:
            self._last_seen = None
            self.intake.show_present()
        self.set_cursor(self.past.time_s)
        self.past_moved.emit()
        if not self.past.is_on:
            if (snapshot := self.newest) is not None:
                self.intake.take_in(snapshot)
            if self.moment is not None:
                self.frame.emit()

    @Slot()
    def _on_past_arrived(self) -> None:
        """Show an instant, whose data are complete."""
        snapshot = self.past.snapshot
        self._last_seen = snapshot or self._last_seen
        self._instants += 1
        if snapshot is not None:
            self.intake.show_past(snapshot)
        self.frame.emit()

    @Slot()
    def _on_notes_changed(self) -> None:
        events = self._events[0]
        self._events = events, with_notes(events, self.notes.marks())

    def _wake(self) -> None:
        self._idle = 0
        if self._target is not None and not self._timer.isActive():
            self._timer.start(self._target.look_ms)

    def _on_edited(self, edits: tuple[Edit, ...]) -> None:
        tree = self._document.tree if self._document is not None else None
        if tree is not None:
            self.select(node for node in self._selection if node in tree)
        if not self.intake.is_on:
            self.act(ChangeTree(tuple(edits)))
        self.edited.emit(edits)

    def _on_settings(self, values: dict[str, Any]) -> None:
        if not self.intake.is_on:
            for key, value in values.items():
                self.act(SetSetting(key, value))
        self.settings_changed.emit(values)

    def _on_timeout(self) -> None:
        target = self._target
        if target is None:
            return
        seen = (id(target), target.look())
        if self._timer.interval() != target.look_ms:
            self._timer.setInterval(target.look_ms)
        if seen != self._seen:
            self._seen = seen
            self._idle = 0
            if self._attached is not None:
                self._attached.follow()
            if target.at() is not None:
                if (snapshot := self.newest) is not None:
                    self.notes.follow_recording(snapshot.recording)
                    if not self.past.is_on:
                        self.intake.take_in(snapshot)
                self.frame.emit()
            return
        # An answer may arrive shortly before its frame, so rest only after some frames without changes.
        self._idle += 1
        if self._idle > QUIET_FRAMES and not (
            target.is_moving or self._tasks.is_busy() or self.line.is_waiting
        ):
            self._timer.stop()

    def _watch(self, future: Future[Any], doing: str = "") -> None:
        self._tasks.watch(future, partial(self._on_answer, doing), partial(self._on_error, doing))
        self._wake()

    def _on_error(self, doing: str, error: Exception) -> None:
        self.message.emit(f"{doing}{error}")

    def _on_answer(self, doing: str, result: object) -> None:
        self._wake()
        if isinstance(result, str):
            self.message.emit(result)
        elif isinstance(result, Outcome):
            self.outcome.emit(result)
            self.message.emit(f"{doing}{plain(result.text)}")
