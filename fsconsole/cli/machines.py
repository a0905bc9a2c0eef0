"""Machines of scenarios and of run folders, at a time; and the actions on one, kept in a new run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from fsconsole.app.kinds import run_at
from fsconsole.cli.errors import print_problem
from fsconsole.cli.reading import STDIN, read_text, scenario_of
from fsconsole.cli.values import input_file
from fsconsole.machine.checkpoint import capture
from fsconsole.machine.machine import Machine
from fsconsole.machine.shell import Reply, Shell
from fsconsole.machine.summary import summary_of
from fsconsole.neardedicated.build import makers_of
from fsconsole.neardedicated.shell import COMMANDS
from fsconsole.recording.audit import login_name
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_writer import RunWriter
from fsconsole.targets.run_machine import last_tick, machine_at_end, machine_at_tick
from fsconsole.targets.run_scenario import scenario_of as scenario_of_run
from fsconsole.text.durations import in_words


def machine_at(source: Path, at_s: float | None, *, recorded: bool = False) -> tuple[Machine, str]:
    """Return the machine of a scenario or run folder at a time, and the scenario's text.

    The default time is 0 s for a scenario and the end for a run folder. With `recorded` and no time, take the
    run's newest checkpoint without running further.
    """
    if source != STDIN and source.is_dir():
        run = run_at(source, is_simulated=True)
        if recorded and at_s is None:
            return machine_at_end(run)[0], run.scenario_text
        return _of_run(run, at_s)
    scenario, text = scenario_of(input_file(str(source)))
    machine = Machine(scenario, makers_of(scenario))
    machine.advance_to(at_s or 0.0)
    return machine, text


def _of_run(run: RunReader, at_s: float | None) -> tuple[Machine, str]:
    """Start from the newest checkpoint before the time, and repeat the actions from outside since."""
    text = run.scenario_text
    scenario = scenario_of_run(run)
    clock = scenario.machine
    known = last_tick(run, clock.hz)
    end = known if at_s is None else clock.ticks(at_s)
    if end > known:
        print_problem(f"the run ends at {in_words(known / clock.hz)}; the time after it is simulated")
    return machine_at_tick(run, scenario, end), text


def shell_of(machine: Machine) -> Callable[[str], Reply]:
    """Return the machine's shell for the person at the terminal."""
    shell = Shell(machine, read_file=_read_file, more=COMMANDS)
    shell.session.signs = login_name()
    return shell.run


def _read_file(name: str) -> str:
    return read_text(Path(name))


class Kept:
    """Context manager that records a machine in a new run folder."""

    def __init__(self, machine: Machine, path: Path, text: str, *, force: bool) -> None:
        """Begin the folder with the machine's present state.

        Raises:
            RunError: the folder cannot be written.
        """
        self._machine = machine
        self._new_folder = None if path.exists() else path
        self._is_discarded = False
        self._writer = RunWriter(
            machine, path, scenario_text=text, capture=lambda: capture(machine), overwrite=force
        )
        self._writer(machine.sample())

    def discard(self) -> None:
        """Remove the folder at the end if it is new, so that the corrected command can use its name."""
        self._is_discarded = True

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
        if self._is_discarded and self._new_folder is not None:
            shutil.rmtree(self._new_folder)
