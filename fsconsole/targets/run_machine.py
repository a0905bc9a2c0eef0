"""The machine of a run folder, at any tick that the folder leads to: a checkpoint, then the journal."""

from __future__ import annotations

from fsconsole.machine.checkpoint import CheckpointError, OtherCheckpointError, load
from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.build import makers_of
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RUNNING, SIMULATION, RunError
from fsconsole.shares.input_files import read_limited
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.run_scenario import journal_of, scenario_of, way_out


def last_tick(run: RunReader, hz: int) -> int:
    """Return the last tick of which the folder holds data."""
    known = [0, *(tick for tick, _ in run.checkpoints()), *(entry.tick for entry in journal_of(run)[-1:])]
    if run.state == RUNNING:  # The run continues or was killed, so its samples reach beyond its checkpoints.
        known.append(round(run.last_s() * hz))
    return max(known)


def begin_s_of(run: RunReader) -> float:
    """Return the time of the first checkpoint, at which a branch begins, in s; 0 without one."""
    if run.kind != SIMULATION or not (kept := run.checkpoints()):
        return 0.0
    return kept[0][0] / scenario_of(run).machine.hz


def end_s_of(run: RunReader) -> float:
    """Return the time of the last data of a run of any kind, in s."""
    if run.kind != SIMULATION:
        return run.last_s()
    hz = scenario_of(run).machine.hz
    return last_tick(run, hz) / hz


def machine_before(run: RunReader, scenario: Scenario, end: int) -> Machine:
    """Return the machine of the newest sound checkpoint up to a tick.

    Raises:
        RunError: there is none.
    """
    kept = run.checkpoints()
    problem = f"it begins at {kept[0][0] / scenario.machine.hz:g} s" if kept else "it has no checkpoint"
    for tick, path in reversed(kept):
        if tick > end:
            continue
        try:
            machine = load(read_limited(path), scenario, makers_of(scenario))
        except (CheckpointError, OSError) as error:
            reason = (error.strerror or error) if isinstance(error, OSError) else error
            problem = f"{path.name}: {reason}"
            if isinstance(error, OtherCheckpointError):
                problem = f"{problem}. {way_out(run)}"
            continue
        if machine.tick <= end:
            return machine
        problem = f"it begins at {machine.now_s:g} s"
    msg = f"{run.path} cannot be resumed at {end / scenario.machine.hz:g} s: {problem}"
    raise RunError(msg)


def machine_at_end(run: RunReader) -> tuple[Machine, list[JournalEntry]]:
    """Return the machine at the newest checkpoint, and the actions after that."""
    last = max((tick for tick, _ in run.checkpoints()), default=0)
    machine = machine_before(run, scenario_of(run), last)
    return machine, journal_of(run)[len(machine.journal) :]


def machine_at_tick(run: RunReader, scenario: Scenario, tick: int) -> Machine:
    """Return the machine at a tick, with all actions from outside up to then."""
    machine = machine_before(run, scenario, tick)
    machine.replay_until(tick, journal_of(run))
    return machine
