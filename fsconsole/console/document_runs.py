"""Runs of the open document: another one is begun, or leaves one at an instant; none is discarded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from fsconsole.app.runs.branch_tree import BranchTree
from fsconsole.console.document import Document
from fsconsole.console.document_intake import DocumentIntake
from fsconsole.console.external_changes import OutsideChanges
from fsconsole.console.past_view import PastView
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.notes import Notes
from fsconsole.shares.diff import diff
from fsconsole.shares.scenario.actions import Action, ChangeTree, SetSetting
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import Target
from fsconsole.targets.simulated import SimulatedTarget
from fsconsole.targets.snapshot import Snapshot

if TYPE_CHECKING:
    from fsconsole.app.runs.branches import LiveBranch

_SPEED = 10.0  # Simulated seconds per second, if no earlier run set a speed.
MOST = 6  # Runs kept in addition to the current one. Each keeps its curves and its keyframes.


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A paused run that is not displayed.

    Attributes:
        outside: external changes that were taken into the document.
        notes, folder: its notes, and the run folder in which they are kept.
        tree, settings: those of the document while it was looked at: its own, whatever other runs have.
    """

    target: SimulatedTarget
    outside: OutsideChanges
    notes: Notes
    folder: Path | None
    tree: ShareTree
    settings: Mapping[str, Any]


class Session(Protocol):
    """What runs are begun and shown in."""

    past: PastView
    intake: DocumentIntake

    @property
    def document(self) -> Document | None:
        """Document that is open; None for none."""
        ...

    @property
    def target(self) -> Target | None:
        """Target that is displayed now."""
        ...

    @property
    def newest(self) -> Snapshot | None:
        """The machine's newest snapshot."""
        ...

    def run_at_hand(self) -> KeptRun | None:
        """Return the displayed run, if another one can be started beside it."""
        ...

    def show_run(self, run: KeptRun) -> None:
        """Show another run of the same document."""
        ...

    def act(self, action: Action) -> object:
        """Send an action to the target."""
        ...


class DocumentRuns:
    """Runs before and after the displayed one, in the order of their starts.

    Attributes:
        before, after: those that are kept, paused.
        branches: of each run of the document; those of a run that is kept no longer go.
    """

    def __init__(self, session: Session) -> None:
        """Start without any runs."""
        self._session = session
        self.before: list[KeptRun] = []
        self.after: list[KeptRun] = []
        self.branches: WeakKeyDictionary[Target, BranchTree] = WeakKeyDictionary()

    def unsaved_branches(self) -> list[LiveBranch]:
        """Give the branches of all runs that no run folder holds."""
        return [branch for tree in self.branches.values() for branch in tree.unsaved]

    def start_over(self) -> None:
        """Build the machine again from the document, paused at time 0, at the speed it had; keep this run."""
        session, document = self._session, self._session.document
        if document is None:
            return
        session.past.forget()
        snapshot = session.newest
        if snapshot is not None:
            session.intake.take_in(snapshot)
        run = session.run_at_hand()
        if run is not None and run.target.now_s > 0 and not run.target.fault:
            self._keep(run)
        elif session.target is not None:
            session.target.close()
        speed = snapshot.speed if snapshot is not None and snapshot.speed else _SPEED
        session.show_run(_new_run(SimulatedTarget(pruned(document.present), speed=speed), document))

    def turn(self, step: int) -> None:
        """Show the run before (-1) or after (1) this one; the document gets its tree and settings."""
        session, document = self._session, self._session.document
        session.past.forget()
        run = session.run_at_hand()
        found = None if run is None else self._exchange(run, step)
        if found is None or document is None:
            return
        self._give(document, "Run before" if step < 0 else "Run after", found.tree, found.settings)
        session.show_run(found)

    def branch_off(
        self,
        checkpoint: bytes,
        at_s: float,
        state: tuple[ShareTree, Mapping[str, Any]],
        changes: Iterable[Action],
        later: Sequence[JournalEntry],
    ) -> None:
        """Look at a run that leaves this one at a checkpoint; this one is kept, and can be turned to.

        The document gets the tree and the settings of the checkpoint, and then the changes, undoably. What
        was done `later` to this run is done to the other too.
        """
        session, document = self._session, self._session.document
        session.past.forget()
        run = session.run_at_hand()
        if run is None or document is None:
            return
        run.target.pause()
        scenario = run.target.scenario
        tree, settings = state
        self._give(document, "Branch", tree, settings)
        self._keep(run)
        earlier = run.target.keyframes.until(scenario.machine.ticks(at_s))
        target = SimulatedTarget(
            scenario, speed=run.target.speed, begin=checkpoint, keyframes=earlier, later=later
        )
        session.show_run(_new_run(target, document))
        for change in changes:
            if isinstance(change, ChangeTree):
                document.edit("Branch", change.edits)
            elif isinstance(change, SetSetting):
                document.set_settings({change.key: change.value})
            else:
                session.act(change)

    def _give(self, document: Document, verb: str, tree: ShareTree, settings: Mapping[str, Any]) -> None:
        """Let the document have tree and settings of another run, undoably; no machine is sent them."""
        with self._session.intake.taking_in():
            document.edit(verb, diff(document.tree, tree))
            known = document.settings
            changed = {key: value for key, value in settings.items() if known.get(key, value) != value}
            if changed:
                document.set_settings(changed, verb)

    def _keep(self, run: KeptRun) -> None:
        """Keep the displayed run; a new one comes after all others."""
        run.target.pause()
        self.before += [run, *self.after]
        self.after = []
        while len(self.before) > MOST:
            # A run with unsaved notes or branches is dropped last, and only with the document.
            at = next((at for at, one in enumerate(self.before) if not self._holds_more(one)), None)
            if at is None:
                return
            self.before.pop(at).target.close()

    def _holds_more(self, run: KeptRun) -> bool:
        """Return True if notes or branches would be lost with a run."""
        tree = self.branches.get(run.target)
        return bool(run.notes and run.folder is None) or bool(tree is not None and tree.unsaved)

    def _exchange(self, run: KeptRun, step: int) -> KeptRun | None:
        """Return the run before (-1) or after (1), and keep the displayed one in its place."""
        from_side, to_side = (self.before, self.after) if step < 0 else (self.after, self.before)
        if not from_side:
            return None
        run.target.pause()
        found = from_side.pop(-1 if step < 0 else 0)
        to_side.insert(0 if step < 0 else len(to_side), run)
        return found

    def close(self) -> None:
        """Discard all: another document is opened, or the console ends."""
        for run in (*self.before, *self.after):
            run.target.close()
        self.before, self.after = [], []


def _new_run(target: SimulatedTarget, document: Document) -> KeptRun:
    return KeptRun(target, OutsideChanges(), (), None, document.present.tree, document.settings)
