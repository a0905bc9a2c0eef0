"""Running a scenario for an experiment: samples of all nodes in memory, with progress and cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fsconsole.experiments.experiment import Asked, Cancelled, Progress
from fsconsole.figures.of_nodes import NodeSeries
from fsconsole.figures.spec import Floats, Provenance
from fsconsole.neardedicated.build import makers_of
from fsconsole.resources import examples
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.scenario.spec import Event, Scenario, digest

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine
    from fsconsole.machine.sample import Sample

SAMPLE_S = 10.0  # Junglas measured about every 10 s.


@dataclass(frozen=True, eq=False)
class Example:
    """An example scenario, the digest of its file, and changes since it was read, in words."""

    scenario: Scenario
    digest: str
    changes: tuple[str, ...] = ()

    @classmethod
    def named(cls, name: str) -> Example:
        """Return the example of that file name without its extension."""
        from fsconsole.shares.scenario.read import read_scenario

        path = examples() / f"{name}.yaml"
        return cls(read_scenario(path), digest(path.read_text("utf-8")))

    def changed(self, words: str, **fields: Any) -> Example:
        """Return an example with other fields of its scenario; `words` describe the change."""
        return replace(
            self, scenario=replace(self.scenario, **fields), changes=(*self.changes, f"Changed: {words}")
        )

    def with_usage(self, usage: Mapping[str, float]) -> Example:
        """Return an example with other initial usages, in cost units, by name of the leaf."""
        tree = self.scenario.tree.copy()
        for name, value in usage.items():
            tree.writable(tree.find(name).id).usage = value
        words = ", ".join(f"{name} {value:.4g}" for name, value in usage.items())
        return self.changed(f"usages at 0: {words}", tree=tree)

    def with_processes(self, user: str, more: int) -> Example:
        """Return an example with `more` further endless processes of a user."""
        start = StartProcess(self.scenario.tree.find(user).id, Work(), count=more)
        return self.changed(
            f"{more} more endless processes of {user}", events=(Event(0.0, start), *self.scenario.events)
        )


@dataclass
class Steps:
    """Progress over several runs of one experiment; `part` is the present run's fraction of the whole."""

    progress: Progress
    cancelled: Asked
    done: float = 0.0
    part: float = 1.0

    def at(self, fraction: float) -> None:
        """Report the progress of the present run.

        Raises:
            Cancelled: the run was cancelled.
        """
        if self.cancelled():
            raise Cancelled
        self.progress(min(1.0, self.done + self.part * fraction))

    def next(self, part: float) -> Steps:
        """Return the progress of a run that is a fraction `part` of the whole; runs follow each other."""
        here = Steps(self.progress, self.cancelled, self.done, part)
        self.done += part
        return here


@dataclass(eq=False)
class Measured:
    """A run with its samples: times [k] and, by quantity and node, values [k].

    `watched` names columns of the policy's state that are recorded beside the quantities of samples. The tree
    must keep its structure during the run.
    """

    machine: Machine
    digest: str = ""
    remarks: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    _samples: list[Sample] = field(default_factory=list)
    _states: list[tuple[Floats, ...]] = field(default_factory=list)

    @property
    def scenario(self) -> Scenario:
        """Scenario of the run."""
        return self.machine.scenario

    def node(self, name: str) -> int:
        """Return the id of the node of that name."""
        return self.machine.tree.find(name).id

    def nodes(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Return the ids of the nodes of those names."""
        return tuple(map(self.node, names))

    @property
    def times(self) -> Floats:
        """Times of the samples, s [k]."""
        return np.array([sample.time_s for sample in self._samples])

    def series(self, quantity: str, *, leave_out_system: bool = False) -> NodeSeries:
        """Return a quantity of all nodes over time."""
        table = np.array([sample.columns[quantity] for sample in self._samples])
        ids = self._samples[0].ids.tolist()
        found = NodeSeries(quantity, self.times, dict(zip(ids, table.T, strict=True)))
        return found.without_system(self.machine.tree) if leave_out_system else found

    def state(self, column: str, name: str) -> Floats:
        """Return a watched column of the policy's state for a node, [k]."""
        row, place = self.machine.flat.row_of[self.node(name)], self.watched.index(column)
        return np.array([values[place][row] for values in self._states])

    def cpu_s(self, name: str) -> Floats:
        """Return CPU time of a node since the beginning, s [k]."""
        row = self._samples[0].ids.tolist().index(self.node(name))
        return np.array([sample.cpu_s[row] for sample in self._samples])

    def cpu_parts(self, name: str, *, of_machine: bool = False) -> tuple[Floats, Floats]:
        """Return times in s, and a node's fraction of CPU time since the sample before, [k - 1] each.

        Fractions are of the CPU time of all shared users; with `of_machine` of the machine's, with times in
        the middle between samples.
        """
        row = self._samples[0].ids.tolist().index(self.node(name))
        given = np.diff([sample.cpu_s for sample in self._samples], axis=0)
        if of_machine:
            there = np.diff(self.times) * self.machine.spec.cpus
            return (self.times[1:] + self.times[:-1]) / 2, given[:, row] / there
        whole = given[:, self.machine.flat.is_leaf].sum(axis=1)
        return self.times[1:], given[:, row] / np.maximum(whole, 1e-9)

    def percent_at(
        self, quantity: str, names: tuple[str, ...], time_s: float, *, leave_out_system: bool = False
    ) -> tuple[float, ...]:
        """Return values of a share in % in the sample nearest to a time."""
        series = self.series(quantity, leave_out_system=leave_out_system)
        row = int(np.argmin(np.abs(series.times - time_s)))
        return tuple(100 * float(series.values[node][row]) for node in self.nodes(names))

    def cpu_percent(self, names: tuple[str, ...], start_s: float, end_s: float) -> tuple[float, ...]:
        """Return CPU time between two samples, in % of that of all shared users."""
        first, last = (int(np.argmin(np.abs(self.times - at))) for at in (start_s, end_s))
        given = self._samples[last].cpu_s - self._samples[first].cpu_s
        ids = self._samples[0].ids.tolist()
        leaves = given * self.machine.flat.is_leaf
        return tuple(100 * float(given[ids.index(node)]) / float(leaves.sum()) for node in self.nodes(names))

    def take(self, sample: Sample) -> None:
        """Record a sample; a listener of the machine."""
        self._samples.append(sample)
        columns = self.machine.state.columns()
        self._states.append(tuple(columns[name].astype(np.float64) for name in self.watched))

    @property
    def provenance(self) -> Provenance:
        """Provenance for the figures of this run."""
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
    watched: tuple[str, ...] = (),
    beside: Callable[[Machine], None] | None = None,
) -> Measured:
    """Run an example up to a time.

    `beside` is called with the machine at each sample.

    Raises:
        Cancelled: the run was cancelled.
    """
    # Importing it compiles the engine, so only a measurement does.
    from fsconsole.machine.machine import machine_for

    made_of = example.scenario
    machine = machine_for(made_of, settings, sample_s=sample_s, makers=makers_of(made_of))
    result = Measured(machine, example.digest, (*example.changes, *remarks), watched)
    machine.listeners.append(result.take)
    if beside is not None:
        look = beside
        machine.listeners.append(lambda _: look(machine))
    result.take(machine.sample())
    until_s = machine.spec.ticks(until_s) / machine.spec.hz  # The machine's times are whole ticks.
    while machine.now_s < until_s:
        steps.at(machine.now_s / until_s)
        machine.advance_to(min(machine.now_s + 2 * sample_s, until_s))
    steps.at(1.0)
    return result
