"""A run without a stop, in another process, for comparison with instants of a run."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path

from fsconsole.machine.checkpoint import save
from fsconsole.recording.run import RunReader
from fsconsole.targets.run_machine import machine_before
from fsconsole.targets.run_scenario import journal_of, scenario_of


def straight_run(path: Path, ticks: Sequence[int]) -> dict[int, str]:
    """Return the SHA-256 of the checkpoint at each of some ticks, as another process finds them.

    Raises:
        RunError: for a folder that cannot be read.
    """
    ordered = sorted(set(ticks))
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return dict(zip(ordered, pool.submit(straight_digests, path, ordered).result(), strict=True))


def straight_digests(path: Path, ticks: Sequence[int]) -> list[str]:
    """Return the SHA-256 of the checkpoint at each of some ascending ticks, of a run from its first one on.

    No keyframe but the first is looked at: this is what all others are held against.
    """
    run = RunReader(path)
    scenario = scenario_of(run)
    machine = machine_before(run, scenario, min((tick for tick, _ in run.checkpoints()), default=0))
    journal, digests = journal_of(run), []
    for tick in ticks:
        machine.replay_until(tick, journal)
        digests.append(sha256(save(machine)).hexdigest())
    return digests
