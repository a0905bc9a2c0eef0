"""Running a scenario for an experiment: samples of all nodes in memory, with progress and cancel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fsconsole.experiments.experiment import Asked, Cancelled, Progress
from fsconsole.figures.of_nodes import NodeSeries
from fsconsole.figures.spec import Floats, Provenance
from fsconsole.resources import examples
from fsconsole.shares.scenario.spec import Scenario, digest

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine
    from fsconsole.machine.sample import Sample

SAMPLE_S = 10.0  # Junglas took his values about every 10 s


@dataclass(frozen=True, eq=False)
class Example:
    """An example scenario and the digest of its file."""

    scenario: Scenario
    digest: str

    @classmethod
    def named(cls, name: str) -> Example:
        """The example of that file name without its ending."""
        from fsconsole.shares.scenario.read import read_scenario

        path = examples() / f"{name}.yaml"
        return cls(read_scenario(path), digest(path.read_text("utf-8")))


@dataclass
class Steps:
    """Progress over several runs of one experiment; `part` is what the present one counts of the whole."""

    progress: Progress
    cancelled: Asked
    done: float = 0.0
    part: float = 1.0

    def at(self, fraction: float) -> None:
        """Tell how far the present run is; Cancelled if somebody asked for it."""
        if self.cancelled():
            raise Cancelled
        self.progress(min(1.0, self.done + self.part * fraction))

    def next(self, part: float) -> Steps:
        """The same watcher for a run that counts `part` of the whole; the runs follow each other."""
        here = Steps(self.progress, self.cancelled, self.done, part)
        self.done += part
        return here


@dataclass(eq=False)
class Measured:
    """A run with its samples: times (k,) and, by quantity and node, values (k,).

    The tree must keep its structure during the run.
    """

    machine: Machine
    digest: str = ""
    remarks: tuple[str, ...] = ()
    _samples: list[Sample] = field(default_factory=list)

    @property
    def scenario(self) -> Scenario:
        """What was run."""
        return self.machine.scenario

    def node(self, name: str) -> int:
        """Id of the node of that name."""
        return self.machine.tree.find(name).id

    def nodes(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Ids of the nodes of those names."""
        return tuple(map(self.node, names))

    @property
    def times(self) -> Floats:
        """Times of the samples in seconds."""
        return np.array([sample.time_s for sample in self._samples])

    def series(self, quantity: str, *, leave_out_system: bool = False) -> NodeSeries:
        """A quantity of all nodes."""
        table = np.array([sample.columns[quantity] for sample in self._samples])
        ids = self._samples[0].ids.tolist()
        found = NodeSeries(quantity, self.times, dict(zip(ids, table.T, strict=True)))
        return found.without_system(self.machine.tree) if leave_out_system else found

    def percent_at(
        self, quantity: str, names: tuple[str, ...], time_s: float, *, leave_out_system: bool = False
    ) -> tuple[float, ...]:
        """Values of a share in % in the sample at a time."""
        series = self.series(quantity, leave_out_system=leave_out_system)
        row = int(np.argmin(np.abs(series.times - time_s)))
        return tuple(100 * float(series.values[node][row]) for node in self.nodes(names))

    def cpu_percent(self, names: tuple[str, ...], start_s: float, end_s: float) -> tuple[float, ...]:
        """CPU time between two samples, in % of what all shared users got."""
        first, last = (int(np.argmin(np.abs(self.times - at))) for at in (start_s, end_s))
        given = self._samples[last].cpu_s - self._samples[first].cpu_s
        ids = self._samples[0].ids.tolist()
        leaves = given * self.machine.flat.is_leaf
        return tuple(100 * float(given[ids.index(node)]) / float(leaves.sum()) for node in self.nodes(names))

    def take(self, sample: Sample) -> None:
        """Listen to the machine."""
        self._samples.append(sample)

    @property
    def provenance(self) -> Provenance:
        """What to write into the figures."""
        return Provenance(
            scenario=self.scenario.title,
            scenario_digest=self.digest,
            seed=self.scenario.seed,
            settings=self.machine.settings,
            remarks=self.remarks,
        )


def measure(
    example: Example,
    until_s: float,
    steps: Steps,
    *,
    settings: Mapping[str, Any] | None = None,
    sample_s: float = SAMPLE_S,
    remarks: tuple[str, ...] = (),
) -> Measured:
    """Run an example up to a time; Cancelled once somebody asks for it."""
    from fsconsole.machine.machine import machine_for  # compiles, so not before something is measured

    machine = machine_for(example.scenario, settings, sample_s=sample_s)
    result = Measured(machine, example.digest, remarks)
    machine.listeners.append(result.take)
    result.take(machine.sample())
    while machine.now_s < until_s:
        steps.at(machine.now_s / until_s)
        machine.advance_to(min(machine.now_s + 2 * sample_s, until_s))
    steps.at(1.0)
    return result
