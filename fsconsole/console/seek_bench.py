"""How long the console takes to show any instant of a run, and whether it is the run as it was."""

from __future__ import annotations

import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop

from fsconsole.app.runs.straight import straight_run
from fsconsole.console.stage import Stage
from fsconsole.recording.run import RunError, RunReader
from fsconsole.targets.base import REWIND
from fsconsole.targets.run_machine import last_tick
from fsconsole.targets.run_scenario import scenario_of

_SIZE = (1600, 1000)
_WAIT_S = 120.0


@dataclass(frozen=True, slots=True)
class Seeks:
    """The results of all seeks.

    Attributes:
        took_s: time of each, from the request to the last painted view.
        identical: whether all checkpoints are those of the straight run, byte for byte.
        span_s: length of the run.
    """

    took_s: tuple[float, ...]
    identical: bool
    span_s: float

    def percentile_ms(self, percent: int) -> float:
        """Return the time that so many percent of the seeks did not exceed, in milliseconds."""
        ordered = sorted(self.took_s)
        return 1000 * ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def measure(path: Path, count: int, seed: int, workspace: str) -> Seeks:
    """Open a run folder in an offscreen window, and go to random instants in random order.

    Each seek begins without a machine at hand, and ends when the views of the workspace at the front are
    painted. Another process runs the whole of it straight through, and both are compared.

    Raises:
        RunError: for a folder that cannot be read.
        RuntimeError: where the console does not show an instant in time.
    """
    run = RunReader(path)
    hz = scenario_of(run).machine.hz
    first = min((tick for tick, _ in run.checkpoints()), default=0)
    end = min(last_tick(run, hz), round(run.last_s() * hz))  # The console does not go beyond the samples.
    if end <= first:
        missing = "; ".join(gap.why for gap in run.gaps)
        raise RunError(f"{path} contains no samples{f': {missing}' if missing else ''}")
    ticks = np.random.default_rng(seed).integers(first, end, count, endpoint=True).tolist()
    straight = straight_run(path, ticks)
    took, same = [], True
    with Stage(*_SIZE) as stage:
        stage.window.files.open(path)
        stage.wait_for(lambda: stage.session.snapshot is not None)
        stage.window.show_workspace(workspace)
        stage.settle()
        for tick in ticks:
            took.append(_seek(stage, tick, hz))
            rewind = stage.session.offer(REWIND)
            if rewind is None:
                raise RuntimeError(f"{path} contains no states")
            kept = rewind.checkpoint(tick / hz).result(_WAIT_S)
            same = same and sha256(kept).hexdigest() == straight[tick]
            rewind.forget()
    return Seeks(tuple(took), same, (end - first) / hz)


def _seek(stage: Stage, tick: int, hz: int) -> float:
    """Go to an instant and wait until all of it is painted; how long that took in seconds."""
    past, wait = stage.session.past, QEventLoop.ProcessEventsFlag.WaitForMoreEvents
    began = time.perf_counter()
    past.go(tick / hz)
    while past.snapshot is None or past.snapshot.tick != tick:
        QCoreApplication.processEvents(wait)
        if time.perf_counter() - began > _WAIT_S:
            raise RuntimeError(f"{tick / hz:g} s was not shown within {_WAIT_S:g} s")
    QCoreApplication.sendPostedEvents()
    QCoreApplication.processEvents()
    # Paint outdated parts now instead of at the next frame of the display.
    QCoreApplication.sendEvent(stage.window, QEvent(QEvent.Type.UpdateRequest))
    return time.perf_counter() - began
