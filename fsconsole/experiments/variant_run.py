"""One run of a comparison: its samples by node, also where the tree changes on the way."""

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
    """What a machine has recorded by its end, and the tree that it has then.

    Attributes:
        tree: the tree at the end.
        quantities: a series of every column of samples and of `cpu_s`, the CPU seconds given since the
            start, for all nodes that there ever were; NaN while one was not there.
    """

    tree: ShareTree
    quantities: Mapping[str, NodeSeries]
    _rescaled: dict[str, NodeSeries] = field(default_factory=dict)

    @property
    def times(self) -> Floats:
        """Times of the samples, s [k]."""
        return self.quantities["cpu_s"].times

    def until(self, end_s: float) -> VariantRun:
        """Return the run without what comes after a time; the first sample stays."""
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
        """Return a quantity, rescaled to what is left without system groups where they are left out."""
        if not leave_out_system:
            return self.quantities[quantity]
        if quantity not in self._rescaled:
            self._rescaled[quantity] = self.quantities[quantity].without_system(self.tree)
        return self._rescaled[quantity]

    def band(self, _quantity: str, *, leave_out_system: bool) -> Mapping[int, tuple[Floats, Floats]]:
        """Return lower and upper values, [k] each, between which a quantity of each node lies; none of a
        single run.
        """
        return {}

    def cpu_band(
        self, _start_s: float, _end_s: float, *, leave_out_system: bool
    ) -> Mapping[int, tuple[float, float]]:
        """Lower and upper values between which `cpu` lies; none of a single run."""
        return {}

    def cpu(self, start_s: float, end_s: float, *, leave_out_system: bool) -> dict[int, float]:
        """CPU time between two samples by node, as a fraction of what all leaves got; 0 where nobody ran."""
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
        """Place of the sample nearest to a time."""
        return int(np.argmin(np.abs(self.times - time_s)))


def run_variant(
    scenario: Scenario,
    settings: Mapping[str, Any],
    until_s: float,
    sample_s: float,
    steps: Steps,
    seed: int | None = None,
) -> VariantRun:
    """Run a scenario with settings changed and keep a sample of 0, of the end and of every `sample_s`.

    `seed` replaces that of the scenario.
    """
    from fsconsole.machine.machine import machine_for  # compiles, so not before something is run

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
        for quantity in samples[0].columns:  # here rather than in the thread that shows them
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
    """Values over time by node id, from a row of values and of ids per sample."""
    found: dict[int, Floats] = {}
    start = 0
    for nodes, group in groupby(ids):
        end = start + sum(1 for _ in group)
        for node, values in zip(nodes, np.array(rows[start:end]).T, strict=True):
            found.setdefault(node, np.full(len(rows), np.nan))[start:end] = values
        start = end
    return found
