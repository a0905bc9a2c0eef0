"""A branch, in memory, of the run on display, with the curves of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fsconsole.app.runs.branch import Branch, fork_from
from fsconsole.app.runs.changes import ChangeTexts, effects
from fsconsole.figures.spec import BranchOrigin
from fsconsole.machine.checkpoint import save, unpack
from fsconsole.machine.sample import Sample
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.keyframes import Keyframes
from fsconsole.recording.series import TieredSeries
from fsconsole.shares.edits import tree_from_json
from fsconsole.shares.scenario.actions import Action, SetSetting
from fsconsole.shares.scenario.settings import value_of
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.live import LIVE_COLUMNS, MAX_KEPT_NODES, append_rows, kept_rows, live_sample
from fsconsole.targets.rewind import Rewinder
from fsconsole.targets.series_target import SeriesTarget

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

State = Literal["waiting", "running", "done", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class Start:
    """Start of a branch: its time, and the changes made there.

    Attributes:
        checkpoint: the run's whole state then.
        changes: what is done.
        effects: the same in words.
    """

    checkpoint: bytes
    changes: tuple[Action, ...]
    effects: tuple[str, ...]


def start_of(machine: Machine, texts: ChangeTexts) -> Start:
    """Read changes for a machine without applying them.

    Raises:
        SettingError: a setting is wrong.
        BranchError: a branch cannot have the changes.
    """
    changes = texts.actions(machine)
    return Start(save(machine), changes, tuple(effects(machine, changes)))


def document_state(checkpoint: bytes) -> tuple[ShareTree, dict[str, Any]]:
    """Return the share tree and the settings of a checkpoint.

    Raises:
        CheckpointError: the bytes are not of a checkpoint.
    """
    header, _ = unpack(checkpoint)
    settings = {key: value_of(key, value) for key, value in header["settings"].items()}
    return tree_from_json(**header["tree"]), settings


def settings_after(start: Start) -> dict[str, Any]:
    """Return the settings with which a branch begins, its changes among them."""
    _, settings = document_state(start.checkpoint)
    changed = (change for change in start.changes if isinstance(change, SetSetting))
    return settings | {change.key: change.value for change in changed}


class LiveBranch(SeriesTarget):
    """One branch: its changes, and its curves up to now.

    A thread runs it; others may read all of it as it runs.

    Attributes:
        number: from 1; `parent` is that of the branch that it leaves, None for the run itself.
        at_s, until_s: from where to where it goes.
        start: its state there, and what was changed.
        series: curves of `LIVE_COLUMNS`.
        reached_s: how far it has come.
        problem: why it failed, or what it could not do.
        is_stopped: whether it is to end where it is.
        is_saved: whether a run folder holds all of it.
    """

    def __init__(
        self,
        number: int,
        parent: int | None,
        scenario: Scenario,
        start: Start,
        journal: Sequence[JournalEntry],
        *,
        of: str,
        at_s: float,
        until_s: float,
        watched: Iterable[int] = (),
    ) -> None:
        """Prepare to leave a run named `of`; `journal` has all actions of that run."""
        self.number, self.parent = number, parent
        self.at_s, self.until_s = at_s, until_s
        self.start = start
        self.series = TieredSeries(LIVE_COLUMNS, min(len(scenario.tree), MAX_KEPT_NODES))
        self.state: State = "waiting"
        self.reached_s = at_s
        self.problem = ""
        self.is_stopped = False
        self.is_saved = False
        self._scenario = scenario
        self._of, self._given = of, tuple(journal)
        self._watched = frozenset(watched)
        self._journal: tuple[JournalEntry, ...] = ()
        self._rewinder: Rewinder | None = None

    @property
    def name(self) -> str:
        """Name of the branch."""
        return f"Branch {self.number}"

    @property
    def changed(self) -> str:
        """Changes that the branch starts with, in words."""
        return "; ".join(self.start.effects) or "no changes"

    @property
    def origin(self) -> BranchOrigin:
        """Return the words of a figure with its curves on the branch."""
        return BranchOrigin(self.name, self._of, self.at_s, self.start.effects)

    @property
    def journal(self) -> tuple[JournalEntry, ...]:
        """Actions of the branch from outside, once it has ended."""
        return self._journal

    @property
    def later(self) -> tuple[JournalEntry, ...]:
        """Actions of the run after this branch leaves it."""
        header, _ = unpack(self.start.checkpoint)
        return self._given[len(header["journal"]) :]

    def run(self, report: Callable[[float], None], is_stopped: Callable[[], bool]) -> None:
        """Run to the end, in a thread; `report` receives the time that is reached."""
        self.state = "running"
        try:
            branch = self._branch(None, self.until_s)
            machine = branch.machine
            self._keep(machine, machine.sample())
            machine.listeners.append(lambda sample: self._keep(machine, sample))
            is_complete = branch.run(report, is_stopped)
        except Exception as error:
            self.state, self.problem = "failed", str(error)
            raise
        self._journal = tuple(machine.journal)
        self.reached_s = machine.now_s
        if branch.refused:
            first, more = branch.refused[0], len(branch.refused) - 1
            self.problem = f"Not done here: {first.text}" + (f", and {more} more" if more else "")
        self.state = "done" if is_complete else "cancelled"

    def ask(self, time_s: float, texts: ChangeTexts) -> Future[Start]:
        """Request the start of a branch of this one, at an instant that it has reached."""
        if self._rewinder is None:
            keyframes = Keyframes()
            keyframes.add(self._scenario.machine.ticks(self.at_s), self.start.checkpoint)
            self._rewinder = Rewinder(self._scenario, keyframes, lambda: self._journal, is_whole=False)
        return self._rewinder.ask(time_s, lambda machine: start_of(machine, texts))

    def save(self, path: Path, report: Callable[[float], None], is_stopped: Callable[[], bool]) -> None:
        """Run it once more, into a run folder; it is the same run.

        Raises:
            RunError: the folder cannot be written.
        """
        is_ended = self.state != "running"
        if self._branch(path, self.reached_s).run(report, is_stopped):
            self.is_saved = is_ended

    def close(self) -> None:
        """End the thread that looks back."""
        if self._rewinder is not None:
            self._rewinder.close()

    def _branch(self, path: Path | None, until_s: float) -> Branch:
        fork = fork_from(self._of, self._scenario, self.start.checkpoint, self._given, until_s)
        return Branch(fork, self.start.changes, path, until_s=until_s, overwrite=path is not None)

    def _keep(self, machine: Machine, sample: Sample) -> None:
        live = live_sample(sample, machine.flat)
        append_rows(self.series, live, kept_rows(machine.flat, self._watched))
        self.reached_s = live.time_s
