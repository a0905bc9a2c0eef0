"""Branches: a run left at an instant, with changes, in a run folder of its own.

Law: a branch without changes equals its run byte for byte wherever both have data. So what was done to the
run from outside after that instant is done to the branch as well, unless it is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from fsconsole.app.runs.advance import Refusal, advance
from fsconsole.app.runs.changes import BranchError, effects
from fsconsole.machine.checkpoint import capture, load, save
from fsconsole.machine.machine import Machine
from fsconsole.machine.sample import Sample
from fsconsole.machine.summary import summary_of
from fsconsole.neardedicated.build import makers_of
from fsconsole.recording.audit import login_name
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RunError
from fsconsole.recording.run_writer import RunWriter
from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.spec import Scenario, settings_of
from fsconsole.shares.scenario.write import write_text
from fsconsole.targets.run_machine import last_tick, machine_before
from fsconsole.targets.run_scenario import journal_of, scenario_of
from fsconsole.text.durations import length_words

_FROM_START = ("settings", "policy")  # These manifest entries describe how the run began.


@dataclass(frozen=True, slots=True)
class Fork:
    """The instant at which a branch leaves its run.

    Attributes:
        of: the run's folder or name.
        machine: as it was then, with all that was done to it up to then.
        sample: that of the instant, where the run has one.
        later: what was done to the run from outside after that.
        end: last tick of the run.
        scenario_text: what the run was made of.
        begun_with: entries of its manifest that say how it began.
    """

    of: str
    machine: Machine
    sample: Sample | None
    later: tuple[JournalEntry, ...]
    end: int
    scenario_text: str
    begun_with: dict[str, Any]


def fork_of(run: RunReader, at_s: float) -> Fork:
    """Start a fork at an instant of a run folder; BranchError outside of the run, RunError for damage."""
    scenario = scenario_of(run)
    clock = scenario.machine
    tick, end = clock.ticks(at_s), last_tick(run, clock.hz)
    begin = min((at for at, _ in run.checkpoints()), default=0)
    if not begin <= tick <= end:
        held = f"The run covers {length_words(begin / clock.hz)} to {length_words(end / clock.hz)}"
        at = length_words(at_s)
        at = f"{at_s:.10g} s" if at in held else at  # The end is shown as typed, not rounded.
        msg = f"{run.path}: {at} is outside the run. {held}."
        raise BranchError(msg)
    journal = journal_of(run)
    machine, sample = _stand_at(run, scenario, journal, tick)
    later = tuple(journal[len(machine.journal) :])
    begun_with = {name: run.manifest[name] for name in _FROM_START}
    return Fork(str(run.path.resolve()), machine, sample, later, end, run.scenario_text, begun_with)


def fork_from(
    of: str, scenario: Scenario, checkpoint: bytes, journal: Sequence[JournalEntry], end_s: float
) -> Fork:
    """Start a fork at a checkpoint of a run up to `end_s`; `journal` has the run's actions."""
    machine = load(checkpoint, scenario, makers_of(scenario))
    settings = settings_of(scenario.machine, scenario.policy)
    plain = {
        key: value.isoformat() if isinstance(value, datetime) else value for key, value in settings.items()
    }
    begun_with = {"settings": plain, "policy": scenario.policy.name}
    later = tuple(journal[len(machine.journal) :])
    end = scenario.machine.ticks(end_s)
    return Fork(of, machine, _sample_of(machine), later, end, write_text(scenario), begun_with)


def _sample_of(machine: Machine) -> Sample | None:
    """Return the run's sample at this instant; None if there is none, or if an action followed it."""
    is_sampled = machine.tick % machine.spec.ticks(machine.scenario.plot.sample_s) == 0
    is_acted_on = bool(machine.journal) and machine.journal[-1].tick == machine.tick
    return machine.sample() if is_sampled and not is_acted_on else None


def _stand_at(
    run: RunReader, scenario: Scenario, journal: Sequence[JournalEntry], tick: int
) -> tuple[Machine, Sample | None]:
    """Return the machine at a tick, and its sample there before any action."""
    machine = None
    if tick:
        with suppress(RunError):  # The run may begin at this instant.
            machine = machine_before(run, scenario, tick - 1)
    machine = machine or machine_before(run, scenario, tick)
    taken: list[Sample] = [] if tick else [machine.sample()]
    machine.listeners.append(taken.append)
    machine.replay_until(tick, journal)
    machine.listeners.remove(taken.append)
    return machine, taken[-1] if taken and taken[-1].tick == tick else None


class Branch:
    """A machine that runs on from an instant of a run, into a folder of its own or in memory.

    Attributes:
        path: that folder; None for a branch that is in memory alone.
        machine: what runs.
        changes: what was changed, in words.
        refused: what was done to the run later and cannot be done to the branch.
    """

    def __init__(
        self,
        fork: Fork,
        changes: Sequence[Action],
        path: Path | None,
        *,
        until_s: float | None = None,
        is_later_kept: bool = True,
        overwrite: bool = False,
    ) -> None:
        """Begin the folder and make the changes.

        Args:
            fork: where it leaves its run; its machine becomes the branch's.
            changes: what is done there.
            path: the folder, if any.
            until_s: where the branch ends; None for where the run ends.
            is_later_kept: whether what was done to the run after that is done to the branch too.
            overwrite: whether another run there is replaced.

        Raises:
            BranchError: for changes that the machine refuses, or an end that lies before the instant.
            RunError: where the folder cannot be written.
        """
        machine = fork.machine
        self._end = fork.end if until_s is None else machine.spec.ticks(until_s)
        if self._end <= machine.tick:
            msg = f"The branch begins at {length_words(machine.now_s)}. Choose a later end."
            raise BranchError(msg)
        if path is not None:
            _check_apart(Path(fork.of), path)
        self.changes = effects(machine, changes)
        self.path, self.machine = path, machine
        self.refused: list[Refusal] = []
        self._later = fork.later if is_later_kept else ()
        self._writer = None if path is None else self._recorded(fork, path, overwrite=overwrite)
        who = login_name()
        for action in changes:
            machine.act(action, who)

    def _recorded(self, fork: Fork, path: Path, *, overwrite: bool) -> RunWriter:
        """Start the folder with the present machine, before any change."""
        machine = self.machine
        origin = {
            "of": fork.of,
            "state": sha256(save(machine)).hexdigest(),
            "at_s": machine.now_s,
            "tick": machine.tick,
            "changes": self.changes,
            "is_later_kept": self._later == fork.later,
        }
        writer = RunWriter(
            machine,
            path,
            scenario_text=fork.scenario_text,
            capture=lambda: capture(machine),
            overwrite=overwrite,
            until_s=self._end / machine.spec.hz,
            more={**fork.begun_with, "branch": origin},
        )
        if fork.sample is not None:
            writer(fork.sample)
        machine.listeners.append(writer)
        return writer

    @property
    def until_s(self) -> float:
        """End of the branch, in simulated seconds."""
        return self._end / self.machine.spec.hz

    def run(
        self,
        report: Callable[[float], None] = lambda _: None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Run to the end and complete the folder; return True if the end was reached.

        Args:
            report: called with the simulated time that has passed, in s.
            is_stopped: whether to end before that; the folder is readable then.

        Raises:
            RunError: where the folder cannot be written any more.
        """
        machine, writer = self.machine, self._writer
        keep_up = (lambda: None) if writer is None else writer.keep_up
        self.refused = advance(
            machine, self._end, self._later, between=keep_up, report=report, is_stopped=is_stopped
        )
        is_complete = machine.tick >= self._end
        if writer is None:
            return is_complete
        summary = summary_of(machine) if is_complete else None
        writer.close(complete=is_complete, summary=summary, tick=machine.tick)
        machine.listeners.remove(writer)
        return is_complete


def _check_apart(run: Path, branch: Path) -> None:
    """Raise BranchError for a folder that would touch the run's."""
    ours, theirs = branch.resolve(), run.resolve()
    if ours == theirs or theirs in ours.parents or ours in theirs.parents:
        msg = f"{branch} is inside the run's folder. Choose a folder beside it."
        raise BranchError(msg)
