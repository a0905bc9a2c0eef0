"""One run of a comparison: its samples by node, even if the tree changes during the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from fsconsole.experiments.measure import Steps
from fsconsole.figures.of_nodes import NodeSeries
from fsconsole.figures.spec import Floats
from fsconsole.neardedicated.build import makers_of
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree

if TYPE_CHECKING:
    from fsconsole.machine.sample import Sample


@dataclass(frozen=True, eq=False, slots=True)
class VariantRun:
    """The complete records of a machine, and its final tree.

    Attributes:
        tree: the tree at the end.
        quantities: a series of every column of samples and of `cpu_s`, the CPU seconds given since the start,
            for all nodes of the run; NaN while a node was absent.
    """

    tree: ShareTree
    quantities: Mapping[str, NodeSeries]
    _rescaled: dict[str, NodeSeries] = field(default_factory=dict)

    @property
    def times(self) -> Floats:
        """Times of the samples, s [k]."""
        return self.quantities["cpu_s"].times

    def until(self, end_s: float) -> VariantRun:
        """Return the run up to a time; the first sample stays."""
        count = max(1, int(np.searchsorted(self.times, end_s, "right")))
        if count == len(self.times):
            return self
        cut = {
            name: NodeSeries(
                series.quantity,
                series.times[:count],
                {node: values[:count] for node, values in series.values.items()},
            )
            for name, series in self.quantities.items()
        }
        return VariantRun(self.tree, cut)

    def series(self, quantity: str, *, leave_out_system: bool) -> NodeSeries:
        """Return a quantity, rescaled without system groups if they are left out."""
        if not leave_out_system:
            return self.quantities[quantity]
        if quantity not in self._rescaled:
            self._rescaled[quantity] = self.quantities[quantity].without_system(self.tree)
        return self._rescaled[quantity]

    def band(self, _quantity: str, *, leave_out_system: bool) -> Mapping[int, tuple[Floats, Floats]]:
        """Return lower and upper values, [k] each, of a quantity by node; empty for a single run."""
        return {}

    def cpu_band(
        self, _start_s: float, _end_s: float, *, leave_out_system: bool
    ) -> Mapping[int, tuple[float, float]]:
        """Return lower and upper values of `cpu` by node; empty for a single run."""
        return {}

    def cpu(self, start_s: float, end_s: float, *, leave_out_system: bool) -> dict[int, float]:
        """Return CPU time between two samples by node, as a fraction of all leaves'; 0 if no process ran."""
        first, last = self.nearest(start_s), self.nearest(end_s)
        spent = {
            node: _known(values[last]) - _known(values[first])
            for node, values in self.quantities["cpu_s"].values.items()
            if node in self.tree
        }
        total = sum(value for node, value in spent.items() if not self.tree.node(node).is_group)
        parts = {node: np.array([value / total if total else 0.0]) for node, value in spent.items()}
        found = NodeSeries("cpu_rate", self.times[last : last + 1], parts)
        shown = found.without_system(self.tree) if leave_out_system else found
        return {node: float(value[0]) for node, value in shown.values.items()}

    def nearest(self, time_s: float) -> int:
        """Return the index of the sample nearest to a time."""
        return int(np.argmin(np.abs(self.times - time_s)))


def run_variant(
    scenario: Scenario,
    settings: Mapping[str, Any],
    until_s: float,
    sample_s: float,
    steps: Steps,
    seed: int | None = None,
) -> VariantRun:
    """Run a scenario with changed settings, with samples at 0, at the end and at every `sample_s`."""
    from fsconsole.machine.machine import machine_for  # Importing it compiles the engine, so only a run does.

    steps.at(0.0)
    machine = machine_for(scenario, settings, seed, sample_s=sample_s, makers=makers_of(scenario))
    samples = [machine.sample()]
    machine.listeners.append(samples.append)
    while machine.tick < machine.spec.ticks(until_s):
        steps.at(machine.now_s / until_s)
        machine.advance_to(min(machine.now_s + 2 * sample_s, until_s))
    if samples[-1].tick < machine.tick:
        samples.append(machine.sample())
    steps.at(1.0)
    run = VariantRun(machine.tree, _by_quantity(samples))
    if scenario.plot.leave_out_system:
        # Columns are computed here, not in the thread that shows the samples.
        for quantity in samples[0].columns:
            run.series(quantity, leave_out_system=True)
    return run


def _known(value: float) -> float:
    """Return the value, 0 for NaN."""
    return 0.0 if value != value else float(value)


def _by_quantity(samples: Sequence[Sample]) -> dict[str, NodeSeries]:
    times = np.array([sample.time_s for sample in samples])
    columns = {name: [sample.columns[name] for sample in samples] for name in samples[0].columns}
    columns["cpu_s"] = [sample.cpu_s for sample in samples]
    ids = [tuple(sample.ids.tolist()) for sample in samples]
    return {name: NodeSeries(name, times, _by_node(ids, rows)) for name, rows in columns.items()}


def _by_node(ids: Sequence[tuple[int, ...]], rows: Sequence[Floats]) -> dict[int, Floats]:
    """Return values over time by node id, from a row of values and of ids per sample."""
    found: dict[int, Floats] = {}
    start = 0
    for nodes, group in groupby(ids):
        end = start + sum(1 for _ in group)
        for node, values in zip(nodes, np.array(rows[start:end]).T, strict=True):
            found.setdefault(node, np.full(len(rows), np.nan))[start:end] = values
        start = end
    return found
