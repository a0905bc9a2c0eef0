"""One scenario under many seeds, on all cores: median and band of every quantity and node.

The results depend on scenario, settings and seeds alone, not on the number of processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import numpy as np

from fsconsole.batch.study.executors import cores
from fsconsole.experiments.comparing import Variant, check_variant, sample_s_for
from fsconsole.experiments.experiment import Asked, Cancelled, Progress
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.variant_run import VariantRun, run_variant
from fsconsole.figures.of_nodes import NodeSeries
from fsconsole.figures.spec import Floats
from fsconsole.operating_system import leave_signals_to_parent
from fsconsole.shares.scenario.spec import Scenario, SettingError

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

MOST_SEEDS = 200
LOW, HIGH = 0.05, 0.95
_LOOK_S = 0.1
_Band = Mapping[int, tuple[Floats, Floats]]


class EnsembleError(RuntimeError):
    """Processes ended before their time; the message shows a remedy."""


@dataclass(frozen=True, eq=False, slots=True)
class EnsembleRun(VariantRun):
    """A variant under several seeds: each value is the median over them.

    Attributes:
        seeds: those of the members.
        members: one run for each seed.
        bands: of each quantity and whether system groups are left out, lower and upper values by node.
    """

    seeds: tuple[int, ...] = ()
    members: tuple[VariantRun, ...] = ()
    bands: dict[tuple[str, bool], _Band] = field(default_factory=dict)

    def band(self, quantity: str, *, leave_out_system: bool) -> _Band:
        """Return the 5th and the 95th percentile of the members by node, each [k]."""
        key = (quantity, leave_out_system)
        if key not in self.bands:
            self._summarise(quantity, leave_out_system=leave_out_system)
        return self.bands[key]

    def series(self, quantity: str, *, leave_out_system: bool) -> NodeSeries:
        """Return the median of the members."""
        if not leave_out_system:
            return self.quantities[quantity]
        if quantity not in self._rescaled:
            self._summarise(quantity, leave_out_system=True)
        return self._rescaled[quantity]

    def cpu(self, start_s: float, end_s: float, *, leave_out_system: bool) -> dict[int, float]:
        """Return the median of the members' CPU time between two samples."""
        found = self._cpu(start_s, end_s, leave_out_system=leave_out_system)
        return {node: float(np.median(values)) for node, values in found.items()}

    def cpu_band(
        self, start_s: float, end_s: float, *, leave_out_system: bool
    ) -> Mapping[int, tuple[float, float]]:
        """Return the 5th and the 95th percentile of the members' CPU time between two samples."""
        found = self._cpu(start_s, end_s, leave_out_system=leave_out_system)
        return {node: _ends(values) for node, values in found.items()}

    def _cpu(self, start_s: float, end_s: float, *, leave_out_system: bool) -> dict[int, Floats]:
        parts = [one.cpu(start_s, end_s, leave_out_system=leave_out_system) for one in self.members]
        return {node: np.array([part.get(node, 0.0) for part in parts]) for node in parts[0]}

    def _summarise(self, quantity: str, *, leave_out_system: bool) -> None:
        series = [one.series(quantity, leave_out_system=leave_out_system) for one in self.members]
        median, band = quantiles(series)
        self.bands[quantity, leave_out_system] = band
        if leave_out_system:
            self._rescaled[quantity] = median

    @classmethod
    def of(cls, seeds: Sequence[int], members: Sequence[VariantRun]) -> EnsembleRun:
        """Summarise runs of the same samples, one for each seed."""
        first = members[0]
        found = {name: quantiles([one.quantities[name] for one in members]) for name in first.quantities}
        bands: dict[tuple[str, bool], _Band] = {(name, False): band for name, (_, band) in found.items()}
        medians = {name: median for name, (median, _) in found.items()}
        return cls(first.tree, medians, seeds=tuple(seeds), members=tuple(members), bands=bands)


def quantiles(series: Sequence[NodeSeries]) -> tuple[NodeSeries, _Band]:
    """Return median, 5th and 95th percentile of a quantity in several runs; NaN where no run has a value."""
    first = series[0]
    nodes = list(dict.fromkeys(node for one in series for node in one.values))
    nothing = np.full(len(first.times), np.nan)
    medians, bands = {}, {}
    for node in nodes:
        low, middle, high = _quantiles(np.array([one.values.get(node, nothing) for one in series]))
        medians[node], bands[node] = middle, (low, high)
    return NodeSeries(first.quantity, first.times, medians), bands


def _quantiles(values: Floats) -> Floats:
    """Return quantiles of the known values, [runs, k], for each column, [3, k]; NaN if none is known."""
    found = np.full((3, values.shape[1]), np.nan)
    missing = np.isnan(values).sum(axis=0)
    some = (missing > 0) & (missing < len(values))
    asked = (LOW, 0.5, HIGH)
    found[:, missing == 0] = np.quantile(values[:, missing == 0], asked, axis=0)
    if some.any():  # nanquantile is slow, so it is called only for these rows.
        found[:, some] = np.nanquantile(values[:, some], asked, axis=0)
    return found


def run_ensembles(
    scenario: Scenario,
    variants: Sequence[Variant],
    until_s: float,
    seeds: Sequence[int],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    cancelled: Asked | None = None,
) -> tuple[EnsembleRun, ...]:
    """Run every variant under every seed, with `workers` processes, by default one a core.

    Raises:
        SettingError: a variant, or the number of seeds, cannot be.
        Cancelled: `cancelled` said so.
        EnsembleError: a process ended before its time.
    """
    check_seeds(len(seeds))
    for variant in variants:
        check_variant(scenario, variant)
    count = len(variants) * len(seeds)
    sample_s = sample_s_for(scenario, until_s, runs=len(seeds))
    jobs = [(variant, seed) for variant in variants for seed in seeds]
    context = get_context("spawn")  # A spawned child does not inherit the threads and locks of the window.
    stop, done = context.Event(), context.Array("d", count, lock=False)
    size = min(count, cores() if workers is None else workers)
    pool = ProcessPoolExecutor(size, mp_context=context, initializer=_begin, initargs=(stop, done))
    try:
        waiting = [
            pool.submit(_member, scenario, variant.settings, until_s, sample_s, seed, number)
            for number, (variant, seed) in enumerate(jobs)
        ]
        runs = _collected(waiting, lambda: sum(done) / count, progress, cancelled)
    except BrokenProcessPool as error:
        msg = "A worker process ended, perhaps for lack of memory. Run fewer seeds at a time."
        raise EnsembleError(msg) from error
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    size = len(seeds)
    return tuple(EnsembleRun.of(seeds, runs[at : at + size]) for at in range(0, count, size))


def check_seeds(count: int) -> None:
    """Raise SettingError unless there can be so many seeds."""
    if not 1 < count <= MOST_SEEDS:
        msg = f"seeds: {count} is out of range. Write a number from 2 to {MOST_SEEDS}. Example: 20"
        raise SettingError(msg)


def seeds_of(scenario: Scenario, count: int) -> tuple[int, ...]:
    """Return the scenario's seed and those that follow it."""
    return tuple(range(scenario.seed, scenario.seed + count))


def _collected(
    waiting: Sequence[Future[VariantRun]],
    fraction: Callable[[], float],
    progress: Progress | None,
    cancelled: Asked | None,
) -> list[VariantRun]:
    """Wait for all runs, and raise the first error."""
    left = set(waiting)
    while left:
        done, left = wait(left, _LOOK_S, FIRST_EXCEPTION)
        for future in done:
            future.result()
        if cancelled is not None and cancelled():
            raise Cancelled
        if progress is not None:
            progress(fraction())
    return [future.result() for future in waiting]


def _ends(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, (LOW, HIGH))
    return float(low), float(high)


# -- in the processes ---------------------------------------------------------------------------------------


class _Process:
    """Objects that a process shares with its parent process."""

    stop: Event
    done: Any


def _begin(stop: Event, done: Any) -> None:
    leave_signals_to_parent()
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    _Process.stop, _Process.done = stop, done


def _member(
    scenario: Scenario, settings: Mapping[str, Any], until_s: float, sample_s: float, seed: int, number: int
) -> VariantRun:
    def report(fraction: float) -> None:
        _Process.done[number] = fraction

    return run_variant(scenario, settings, until_s, sample_s, Steps(report, _Process.stop.is_set), seed)
