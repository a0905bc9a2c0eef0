"""A large process among others, with a record of memory: common causes of the faults of swapping by
priority.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.near_dedicated import (
    MEMORY_AXIS,
    MemoryWatch,
    images_of,
)
from fsconsole.experiments.pictures import curve_figure
from fsconsole.figures.spec import EventMark, FigureSpec, Floats

LARGE = "climate"
START_S = 60.0
OFTEN = 10  # We chose this number of swap-outs from which on a process leaves often.


@dataclass(frozen=True, eq=False)
class Watched:
    """A run and the contents of its memory."""

    run: Measured
    memory: MemoryWatch

    def swaps(self, command: str) -> list[int]:
        """Return the number of swap-outs of each process of a command."""
        return [image.swaps for image in images_of(self.run.machine, command)]

    def waited_s(self) -> float:
        """Return the time that the large process waited for memory, to the end of the run if in vain."""
        (image,) = images_of(self.run.machine, LARGE)
        machine = self.run.machine
        waits = image.swap_wait_ticks
        if image.wants_since is not None:
            waits += machine.tick - image.wants_since
        return waits / machine.spec.hz

    def cpu_s(self) -> tuple[Floats, Floats]:
        """Return times and CPU time of the large process, s [k] each."""
        times, parts = self.run.cpu_parts("PRI_ND", of_machine=True)
        return times, np.cumsum(parts * np.diff(self.run.times)) * self.run.machine.spec.cpus

    def large_percent(self) -> float:
        """Return the CPU time of the large process in % of one processor."""
        seconds = float(self.run.cpu_parts("PRI_ND", of_machine=True)[1].mean())
        return 100 * seconds * self.run.machine.spec.cpus


def run_watched(
    example: Example, until_s: float, steps: Steps, settings: Mapping[str, Any] | None = None
) -> Watched:
    """Run an example until a time, and watch its memory every second."""
    memory = MemoryWatch()
    return Watched(measure(example, until_s, steps, settings=settings, sample_s=1.0, beside=memory), memory)


def memory_figure(name: str, title: str, caption: str, runs: Mapping[str, Watched]) -> FigureSpec:
    """Return the memory of the large process over time, a curve for each run."""
    first = next(iter(runs.values()))
    return curve_figure(
        name,
        title,
        caption,
        {label: watched.memory.of(LARGE) for label, watched in runs.items()},
        first.run.provenance,
        y_axis=MEMORY_AXIS,
        events=[EventMark(START_S, "starts")] if first.run.scenario.events else (),
    )
