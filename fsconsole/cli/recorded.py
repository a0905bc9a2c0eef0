"""Running a machine from the command line into a run folder, and going on with one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsconsole.app.kinds import run_at
from fsconsole.app.runs.advance import advance as run_to
from fsconsole.cli.errors import UserError
from fsconsole.cli.interrupts import interrupts
from fsconsole.cli.progress import bar
from fsconsole.machine.checkpoint import capture
from fsconsole.machine.machine import Machine
from fsconsole.machine.summary import summary_of
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.run_format import RunError
from fsconsole.recording.run_writer import RunWriter
from fsconsole.targets.run_machine import last_tick, machine_at_end


@dataclass(frozen=True, slots=True)
class Resumed:
    """A resumed run: its machine, its intended end, and whether that was reached."""

    machine: Machine
    until_s: float
    complete: bool


def resume(path: Path, until_s: float | None, progress: bool | None) -> Resumed:
    """Continue a run folder from its newest checkpoint; UserError or RunError if that is impossible."""
    run = run_at(path, is_simulated=True)
    machine, journal = machine_at_end(run)
    planned = float(run.manifest.get("until_s", machine.scenario.plot.until_s))
    end_s = planned if until_s is None else until_s
    known_s = last_tick(run, machine.spec.hz) / machine.spec.hz
    if end_s < known_s or machine.spec.ticks(end_s) <= machine.tick:
        msg = f"{path} has already reached {known_s:g} s. Give a later end with --until TIME"
        raise UserError(msg)
    writer = RunWriter(machine, path, capture=lambda: capture(machine), until_s=end_s, goes_on=True)
    return Resumed(machine, end_s, record(machine, writer, end_s, progress, journal))


def record(
    machine: Machine,
    writer: RunWriter,
    until_s: float,
    progress: bool | None,
    journal: Sequence[JournalEntry] = (),
) -> bool:
    """Run to the end and complete the folder; return True if the end was reached. `journal` is
    repeated on the way.

    Raises:
        RunError: the folder cannot be written any more; the message says how to resume.
    """
    if writer.is_empty:
        writer(machine.sample())
    machine.listeners.append(writer)
    try:
        complete = advance(machine, until_s, progress, journal, writer.keep_up)
    except RunError as error:
        msg = f"{error}. The run reached {machine.now_s:.0f} s of {until_s:.0f} s. Once that folder can be"
        msg += f" written, continue with fsconsole simulate --resume {writer.path}"
        raise RunError(msg) from error
    writer.close(complete=complete, summary=summary_of(machine) if complete else None, tick=machine.tick)
    return complete


def advance(
    machine: Machine,
    until_s: float,
    progress: bool | None,
    journal: Sequence[JournalEntry] = (),
    between: Callable[[], None] = lambda: None,
) -> bool:
    """Run to a time unless interrupted; return whether it was reached."""
    end = machine.spec.ticks(until_s)
    with watched(until_s, progress) as (show, stopped):
        run_to(machine, end, journal, between=between, report=show, is_stopped=lambda: bool(stopped))
    return machine.tick >= end


@contextmanager
def watched(until_s: float, progress: bool | None) -> Iterator[tuple[Callable[[float], None], list[int]]]:
    """Yield a function to call with the simulated time, and a list for the signals that ask for an end."""
    text = "{task.completed:.0f} of {task.total:.0f} simulated s"
    with interrupts() as stopped, bar(until_s, wanted=progress, text=text) as show:
        yield show, stopped
