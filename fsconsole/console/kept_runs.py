"""Runs of the open scenario: starting over discards none of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsconsole.console.external_changes import OutsideChanges
from fsconsole.recording.notes import Notes
from fsconsole.shares.diff import diff
from fsconsole.shares.scenario.actions import Action, ChangeTree, SetSetting
from fsconsole.shares.scenario.spec import settings_of
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.simulated import SimulatedTarget

MOST = 6  # runs that are kept beside the one that is looked at: each holds its curves and its keyframes


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run that is not looked at now, paused.

    Attributes:
        outside: what had come from elsewhere and was taken into the document.
        notes, folder: what was written about it, and in which run folder that is kept.
    """

    target: SimulatedTarget
    outside: OutsideChanges
    notes: Notes
    folder: Path | None

    def catch_up(self, tree: ShareTree, settings: dict[str, Any]) -> list[Action]:
        """What is to be done to its machine, so that it has the document's tree and settings again."""
        snapshot = self.target.snapshot()
        if snapshot is None or snapshot.tree is None:
            return []
        scenario = self.target.scenario
        known = settings_of(scenario.machine, scenario.policy)
        for entry in snapshot.journal:
            if isinstance(entry.action, SetSetting):
                known[entry.action.key] = entry.action.value
        edits = diff(snapshot.tree, tree)
        changed = [SetSetting(key, value) for key, value in settings.items() if known.get(key) != value]
        return [*([ChangeTree(tuple(edits))] if edits else []), *changed]


class KeptRuns:
    """Runs before and after the one that is looked at, in the order in which they were begun."""

    def __init__(self) -> None:
        """None yet."""
        self.before: list[KeptRun] = []
        self.after: list[KeptRun] = []

    def keep(self, run: KeptRun) -> None:
        """Keep the run that was looked at; another one begins behind all others."""
        run.target.pause()
        self.before += [run, *self.after]
        self.after = []
        while len(self.before) > MOST:
            self.before.pop(0).target.close()

    def turn(self, run: KeptRun, step: int) -> KeptRun | None:
        """Give the run before (-1) or after (1), and keep the one that was looked at in its place."""
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
