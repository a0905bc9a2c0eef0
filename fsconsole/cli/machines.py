"""Machines of scenarios and of run folders, at a time; and what was done to one, kept in a new run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import click

from fsconsole.cli.errors import UserError, of_file
from fsconsole.cli.reading import STDIN, read_text, scenario_of
from fsconsole.cli.values import input_file
from fsconsole.machine.checkpoint import CheckpointError, load, save
from fsconsole.machine.machine import Machine
from fsconsole.machine.shell import Reply, Shell
from fsconsole.machine.summary import summary_of
from fsconsole.neardedicated.build import makers_of
from fsconsole.neardedicated.shell import COMMANDS
from fsconsole.recording.audit import login_name
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import MANIFEST, RUNNING
from fsconsole.recording.run_writer import RunWriter
from fsconsole.shares.input_files import read_limited
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.settings import value_of
from fsconsole.shares.scenario.spec import Scenario, SettingError
from fsconsole.text.durations import in_words


def machine_at(source: Path, at_s: float | None, *, recorded: bool = False) -> tuple[Machine, str]:
    """The machine of a scenario (else at 0 s) or run folder (else at its end), and the scenario's text.

    `recorded` takes a run's machine at its newest checkpoint, where no time is given: nothing is run for it.
    """
    if source != STDIN and source.is_dir():
        if recorded and at_s is None:
            run = RunReader(source)
            return at_newest_checkpoint(run)[0], run.scenario_text
        return _of_run(RunReader(source), at_s)
    scenario, text = scenario_of(input_file(str(source)))
    machine = Machine(scenario, makers_of(scenario))
    machine.advance_to(at_s or 0.0)
    return machine, text


def _of_run(run: RunReader, at_s: float | None) -> tuple[Machine, str]:
    """From the newest checkpoint before the time on, with what was done from outside since."""
    text = run.scenario_text
    scenario = _scenario_of(run, text)
    journal = _journal_of(run)
    known = end_of(run, scenario.machine.hz)
    end = known if at_s is None else scenario.machine.ticks(at_s)
    if end > known:
        told = in_words(known / scenario.machine.hz)
        click.echo(f"fsconsole: beyond the run's end ({told}), simulated", err=True)
    machine = _loaded(run, scenario, end)
    machine.replay([entry for entry in journal[len(machine.journal) :] if entry.tick <= end])
    machine.advance(end)
    return machine, text


def at_newest_checkpoint(run: RunReader) -> tuple[Machine, list[JournalEntry]]:
    """The machine of a run folder where it can be taken up at once, and what was done to it after that."""
    scenario = _scenario_of(run, run.scenario_text)
    journal = _journal_of(run)
    last = max((tick for tick, _ in run.checkpoints()), default=0)
    machine = _loaded(run, scenario, last)
    return machine, journal[len(machine.journal) :]


def _journal_of(run: RunReader) -> list[JournalEntry]:
    try:
        return [JournalEntry.from_json(entry) for entry in run.journal()]
    except ValueError as error:
        msg = f"the journal of {run.path} is damaged: {error}"
        raise UserError(msg) from error


def _scenario_of(run: RunReader, text: str) -> Scenario:
    """What the run's machine was made of: the file's scenario with the settings and samples of the run."""
    manifest = run.manifest
    found = parse_scenario(text, f"{run.path}: scenario")
    try:
        settings = {key: value_of(key, value) for key, value in manifest["settings"].items()}
        plot = replace(found.plot, sample_s=manifest["sample_s"], rate_window_s=manifest["rate_window_s"])
        changed = replace(found.with_settings(settings), seed=manifest["seed"], plot=plot)
        problems = plot.problems(changed.machine)
    except (SettingError, KeyError, ArithmeticError) as error:
        wrong = f"{error} is missing" if isinstance(error, KeyError) else error
        msg = f"{run.path / MANIFEST} is damaged: {wrong}"
        raise UserError(msg) from error
    if problems:
        msg = f"{run.path / MANIFEST} is damaged: {problems[0][0]} {problems[0][1]}"
        raise UserError(msg)
    return changed


def _loaded(run: RunReader, scenario: Scenario, end: int) -> Machine:
    """The machine of the newest checkpoint that does not lie behind a tick; UserError where there is none."""
    kept = run.checkpoints()
    problem = f"it begins at {kept[0][0] / scenario.machine.hz:g} s" if kept else "it holds no checkpoint"
    for tick, path in reversed(kept):
        if tick > end:
            continue
        try:
            machine = load(read_limited(path), scenario, makers_of(scenario))
        except (CheckpointError, OSError) as error:
            problem = f"{path.name} is damaged: {of_file(error) if isinstance(error, OSError) else error}"
            continue
        if machine.tick <= end:
            return machine
        problem = f"it begins at {machine.now_s:g} s"
    msg = f"{run.path} cannot be taken up at {end / scenario.machine.hz:g} s: {problem}"
    raise UserError(msg)


def end_of(run: RunReader, hz: int) -> int:
    """The last tick that the folder tells of."""
    known = [0, *(tick for tick, _ in run.checkpoints()), *(entry.tick for entry in _journal_of(run)[-1:])]
    if run.state == RUNNING:  # goes on, or was killed: its samples know more than its checkpoints
        last = run.samples(["time_s"])["time_s"].max()
        known.append(round(float(str(last or 0.0)) * hz))
    return max(known)


def shell_of(machine: Machine) -> Callable[[str], Reply]:
    """The machine's shell for the person at the terminal."""
    shell = Shell(machine, read_file=_read_file, more=COMMANDS)
    shell.session.signs = login_name()
    return shell.run


def _read_file(name: str) -> str:
    return read_text(Path(name))


class Kept:
    """Keeps what is done to a machine in a new run folder; use it as a context."""

    def __init__(self, machine: Machine, path: Path, text: str, *, force: bool) -> None:
        """Begin the folder with the machine as it stands; RunError where that cannot be."""
        self._machine = machine
        self._writer = RunWriter(
            machine, path, scenario_text=text, save=lambda: save(machine), overwrite=force
        )
        self._writer(machine.sample())

    def __enter__(self) -> Kept:
        self._machine.listeners.append(self._writer)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        machine, is_complete = self._machine, kind is None
        machine.listeners.remove(self._writer)
        summary = summary_of(machine) if is_complete else None
        self._writer.close(complete=is_complete, summary=summary, tick=machine.tick)
