"""Common functions of experiments on Brady, Ciuffini and Hardy: nights, accounts, memory over time, bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.experiments.measure import Example, Measured
from fsconsole.figures.spec import Axis, Curve, Expected, FigureSpec, Floats, Provenance
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW

if TYPE_CHECKING:
    from fsconsole.machine.jobs.account import JobAccount
    from fsconsole.machine.machine import Machine
    from fsconsole.machine.memory.images import Image
    from fsconsole.machine.memory.manager import MemoryManager
    from fsconsole.neardedicated.view import ReportView

PAPER = "Brady, Ciuffini, Hardy 1996, near-dedicated"
MEMORY_AXIS = Axis("memory held", "MW", 1.0, "MW")
BAR_COLOURS = ("c2", "c4", "c1", "c3")
BARS = 0.8  # All bars of a kind take this fraction of their room.


def night_of(run: Measured) -> ReportView:
    """Return the report of a run's last window.

    Raises:
        LookupError: the run had no window.
    """
    from fsconsole.neardedicated.view_of import night_view

    view = night_view(run.machine)
    if view is None or view.night is None:
        msg = f"{run.scenario.title} has had no near-dedicated window"
        raise LookupError(msg)
    return view.night


def accounts_of(run: Measured) -> list[JobAccount]:
    """Return the accounts of the near-dedicated jobs that ended in a run's last window, in order."""
    from fsconsole.machine.jobs.batch import Batch
    from fsconsole.machine.parts import part_of

    batch = part_of(run.machine, Batch)
    return [] if batch is None else [batch.ja(row.request) for row in night_of(run).jobs]


def mean_of(accounts: Sequence[JobAccount], name: str) -> float:
    """Return the mean of a component over jobs."""
    return float(np.mean([getattr(account, name) for account in accounts]))


def memory_of(machine: Machine) -> MemoryManager:
    """Return the memory of a machine.

    Raises:
        LookupError: its scenario has none.
    """
    from fsconsole.machine.memory.manager import MemoryManager
    from fsconsole.machine.parts import part_of

    memory = part_of(machine, MemoryManager)
    if memory is None:
        msg = f"{machine.scenario.title} does not define memory"
        raise LookupError(msg)
    return memory


def images_of(machine: Machine, command: str) -> list[Image]:
    """Return the images of the processes of a command, in order of pid."""
    return [image for image in memory_of(machine).images.values() if command_of(machine, image) == command]


def command_of(machine: Machine, image: Image) -> str:
    """Return the command of the first process of an image."""
    table = machine.processes
    return machine.commands[int(table.command[table.row_of(image.pid)])]


class MemoryWatch:
    """Memory of each command's processes at each sample, in MW, including images on their way."""

    def __init__(self) -> None:
        """Start without samples."""
        self._times: list[float] = []
        self._held: list[Counter[str]] = []

    def __call__(self, machine: Machine) -> None:
        """Record the memory of a machine."""
        held: Counter[str] = Counter()
        for image in memory_of(machine).images.values():
            if image.in_memory:
                held[command_of(machine, image)] += image.clicks
        self._times.append(machine.now_s)
        self._held.append(held)

    def of(self, command: str) -> tuple[Floats, Floats]:
        """Return times in s and memory in MW of a command, [k] each."""
        held = [clicks[command] / CLICKS_PER_MW for clicks in self._held]
        return np.array(self._times), np.array(held)


def bar_figure(
    name: str,
    title: str,
    caption: str,
    kinds: Sequence[str],
    bars: Mapping[str, Sequence[float]],
    y_axis: Axis,
    provenance: Provenance,
    expected: Mapping[str, Mapping[str, float]] | None = None,
) -> FigureSpec:
    """Return bars by name, one of each kind; `expected` has the paper's values by bar and kind."""
    places = np.arange(len(kinds), dtype=np.float64)
    curves = [
        Curve(label, places, np.array(values, np.float64), colour)
        for (label, values), colour in zip(bars.items(), BAR_COLOURS, strict=False)
    ]
    width, labels = BARS / len(bars), list(bars)
    squares = [
        Expected(kinds.index(kind) - BARS / 2 + (labels.index(label) + 0.46) * width, value)
        for label, by_kind in (expected or {}).items()
        for kind, value in by_kind.items()
    ]
    x_axis = Axis("component", kinds=tuple(kinds))
    return FigureSpec(
        name, title, y_axis, tuple(curves), x_axis, caption, "", (), tuple(squares), None, provenance
    )


def with_loads(example: Example, words: str, **work: object) -> Example:
    """Return an example with changed work of all processes."""
    loads = tuple(
        replace(load, work=replace(load.work, **work))  # type: ignore[arg-type]
        for load in example.scenario.workloads
    )
    return example.changed(words, workloads=loads)


def with_jobs(example: Example, words: str, **job: object) -> Example:
    """Return an example with changes to all jobs."""
    jobs = tuple(replace(item, **job) for item in example.scenario.jobs)  # type: ignore[arg-type]
    return example.changed(words, jobs=jobs)
