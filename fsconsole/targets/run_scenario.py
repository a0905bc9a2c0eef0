"""Scenario and journal of a run folder's machine, read without building the machine."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import replace
from itertools import zip_longest

from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import FORMAT, MANIFEST, RunError
from fsconsole.shares.input_files import read_limited
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.settings import value_of
from fsconsole.shares.scenario.spec import Scenario, SettingError


def scenario_of(run: RunReader) -> Scenario:
    """Return the scenario of the run's machine: the file's, with the run's settings and samples.

    Raises:
        RunError: the run's files cannot be read, are damaged or are newer.
        ScenarioError: its scenario is wrong.
    """
    manifest = run.manifest
    found = parse_scenario(run.scenario_text, f"{run.path}: scenario")
    try:
        settings = {key: value_of(key, value) for key, value in manifest["settings"].items()}
        plot = replace(found.plot, sample_s=manifest["sample_s"], rate_window_s=manifest["rate_window_s"])
        changed = replace(found.with_settings(settings), seed=manifest["seed"], plot=plot)
        problems = plot.problems(changed.machine)
    except (SettingError, KeyError, ArithmeticError) as error:
        raise RunError(str(FORMAT.fault(manifest, run.path / MANIFEST, error))) from error
    if problems:
        msg = f"{run.path / MANIFEST} is damaged: {problems[0][0]} {problems[0][1]}"
        raise RunError(msg)
    return changed


def way_out(run: RunReader) -> str:
    """Return the way to go on with a run that only another version of the program can resume."""
    return f"Take its scenario out: fsconsole run scenario {shlex.quote(str(run.path))}"


def journal_of(run: RunReader) -> list[JournalEntry]:
    """Return the external actions on the run's machine, oldest first; RunError if the journal is damaged.

    A lost or changed line may leave a journal that is still readable; checkpoints reveal that.
    """
    kept = _journal_kept(run)  # It is read before the journal, which may grow during the reading.
    try:
        entries = [JournalEntry.from_json(entry) for entry in run.journal()]
    except ValueError as error:
        raise RunError(str(FORMAT.fault(run.manifest, f"the journal of {run.path}", error))) from error
    if entries[: len(kept)] != kept:
        pairs = zip_longest(entries[: len(kept)], kept)
        line = next(at for at, (entry, was) in enumerate(pairs, 1) if entry != was)
        msg = f"the journal of {run.path} is damaged: line {line} contradicts the checkpoint"
        raise RunError(msg)
    return entries


def _journal_kept(run: RunReader) -> list[JournalEntry]:
    """Return the journal in the newest sound checkpoint."""
    from fsconsole.machine.checkpoint import CheckpointError, journal_in

    for _, path in reversed(run.checkpoints()):
        with suppress(OSError, CheckpointError):
            return journal_in(read_limited(path))
    return []
