"""Up to four policies or parameter sets on one scenario and one seed, run side by side."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from fsconsole.experiments.experiment import Asked, Cancelled, Progress
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.variant_run import VariantRun, run_variant
from fsconsole.figures.of_nodes import event_marks, figure_of
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.spec import Curve, FigureSpec, Floats, Provenance
from fsconsole.figures.style.curves import DASH_DOT, DASHED, DOTTED, SOLID, CurveStyle
from fsconsole.shares.scenario.settings import parse_setting, setting_text
from fsconsole.shares.scenario.spec import Scenario, SettingError, settings_of
from fsconsole.shares.tree import ShareTree

LETTERS = "ABCD"
# The first one is solid, so that the reference of all stands out.
DASHES = (SOLID, DASHED, DOTTED, DASH_DOT)
_MOST_SAMPLES = 1200
_MOST_VALUES = 1_000_000  # Memory limits the samples x nodes of one run.
_COMMA = re.compile(r",(?![^\[]*\])")  # A comma inside brackets separates values, not settings.


@dataclass(frozen=True, slots=True)
class Variant:
    """The name of a run, and its settings that differ from the scenario.

    A recorded run has its `folder`.
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None

    @property
    def settings_text(self) -> str:
        """Settings as users write them, with commas, or the run folder; empty without any."""
        if self.folder is not None:
            return f"recorded in {self.folder}"
        return ", ".join(f"{key}={setting_text(key, value)}" for key, value in self.settings.items())


@dataclass(frozen=True, slots=True)
class ComparedNode:
    """A node's values in every variant: CPU of the range (fraction), usage and charge at its end.

    Usage is in cost units, charge in CPU seconds; NaN if the node was absent. `cpu_bands` has lower and upper
    value of each variant with several seeds.
    """

    node: int
    path: str
    cpu: tuple[float, ...]
    usage: tuple[float, ...]
    charge: tuple[float, ...]
    cpu_bands: tuple[tuple[float, float] | None, ...] = ()

    def differences(self, quantity: str = "cpu") -> tuple[float, ...]:
        """Return the values of each further variant minus the first one's."""
        first, *others = getattr(self, quantity)
        return tuple(value - first for value in others)

    def overlaps(self, at: int) -> bool:
        """Return True if the band of a variant overlaps that of the first one; False for single runs."""
        first, other = (self.cpu_bands[place] if self.cpu_bands else None for place in (0, at))
        if first is None or other is None:
            return False
        return max(first[0], other[0]) <= min(first[1], other[1])


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs of one scenario with different settings, and recorded runs.

    Attributes:
        seeds: number of seeds of each variant; with several, values are medians with bands.
        remarks: further sentences on the runs.
    """

    scenario: Scenario
    variants: tuple[Variant, ...]
    runs: tuple[VariantRun, ...]
    digest: str = ""
    seeds: int = 1
    remarks: tuple[str, ...] = ()

    @property
    def times(self) -> Floats:
        """Times of the samples of the first run, s [k]."""
        return self.runs[0].times

    @property
    def tree(self) -> ShareTree:
        """Tree of the first run at its end."""
        return self.runs[0].tree

    @property
    def common_s(self) -> tuple[float, float]:
        """First and last time in seconds that all runs have; the last is before the first without any."""
        firsts, lasts = zip(*((float(run.times[0]), float(run.times[-1])) for run in self.runs), strict=True)
        return max(firsts), min(lasts)

    def range_s(self, start_s: float, end_s: float) -> tuple[float, float]:
        """Return the samples of the first run nearest to two times, as the range for CPU time.

        Times outside the common range are moved into it: a branch begins later than its run.
        """
        run = self.runs[0]
        start_s, end_s = self._in_all(start_s, end_s)
        return float(run.times[run.nearest(start_s)]), float(run.times[run.nearest(end_s)])

    def _in_all(self, start_s: float, end_s: float) -> tuple[float, float]:
        first_s, last_s = self.common_s
        return max(start_s, first_s), max(min(end_s, last_s), first_s)

    def table(
        self, start_s: float, end_s: float, nodes: Iterable[int] | None = None, *, leave_out_system: bool
    ) -> tuple[ComparedNode, ...]:
        """Return a row for every node, or for the requested ones, in the order of the tree.

        Nodes that are missing from a run are left out.
        """
        tree = self.tree
        start_s, end_s = self._in_all(start_s, end_s)
        cpu = [run.cpu(start_s, end_s, leave_out_system=leave_out_system) for run in self.runs]
        bands = [run.cpu_band(start_s, end_s, leave_out_system=leave_out_system) for run in self.runs]
        usage, charge = (
            [(run.quantities[name].values, run.nearest(end_s)) for run in self.runs]
            for name in ("usage", "charge")
        )
        wanted = None if nodes is None else set(nodes)
        return tuple(
            ComparedNode(
                node.id,
                tree.path(node.id),
                tuple(one[node.id] for one in cpu),
                tuple(float(values[node.id][at]) for values, at in usage),
                tuple(float(values[node.id][at]) for values, at in charge),
                tuple(band.get(node.id) for band in bands),
            )
            for node in tree.walk()
            if (wanted is None or node.id in wanted) and all(node.id in one for one in cpu)
        )

    def figure(
        self,
        quantity: str,
        nodes: Iterable[int],
        *,
        leave_out_system: bool,
        styles: Mapping[int, CurveStyle] | None = None,
    ) -> FigureSpec:
        """Return a figure of a quantity of some nodes, in their colours and the variants' dashes.

        A run without a node has no curve for it.

        Raises:
            ValueError: the quantity is unknown.
        """
        chosen, tree = [node for node in dict.fromkeys(nodes) if node in self.tree], self.tree
        names = [variant.name for variant in self.variants]
        series = [run.series(quantity, leave_out_system=leave_out_system) for run in self.runs]
        known = [[node for node in chosen if node in one.values] for one in series]
        drawn = [
            figure_of(
                tree,
                one,
                nodes_of_run,
                name=f"compare-{quantity.replace('_', '-')}",
                title=f"Compared: {quantity_named(quantity).title}",
                events=event_marks(self.scenario),
                styles=styles,
            )
            for one, nodes_of_run in zip(series, known, strict=True)
        ]
        bands = [run.band(quantity, leave_out_system=leave_out_system) for run in self.runs]
        found = [
            {
                node: replace(curve, band=band.get(node, ()))
                for node, curve in zip(nodes_of_run, figure.curves, strict=True)
            }
            for figure, nodes_of_run, band in zip(drawn, known, bands, strict=True)
        ]
        if len(found) == 2 and not any(bands):
            found[1] |= _shaded(*found)
        by_node = [
            replace(
                curves[node],
                name=f"{curves[node].name} ({letter})",
                dash=dash,
                path=f"{curves[node].path} ({letter} {called})",
            )
            for node in chosen
            for curves, letter, dash, called in zip(found, LETTERS, DASHES, names, strict=False)
            if node in curves
        ]
        return replace(drawn[0], curves=tuple(by_node), caption=self.legend(), provenance=self._provenance())

    def lettered(self) -> tuple[tuple[str, Variant], ...]:
        """Return the variants with their letters."""
        return tuple(zip(LETTERS, self.variants, strict=False))

    def legend(self) -> str:
        """Return the names of the variants by letter, and the meaning of the bands."""
        names = ", ".join(f"{letter} {variant.name}" for letter, variant in self.lettered())
        if self.seeds > 1:
            return f"{names}. Medians of {self.seeds} seeds, shaded from the 5th to the 95th percentile"
        return names

    def _provenance(self) -> Provenance:
        notes = [
            f"{letter} {one.name}: {one.settings_text or 'the scenario as it is'}"
            for letter, one in self.lettered()
        ]
        return Provenance(
            scenario=self.scenario.title,
            scenario_digest=self.digest,
            seed=self.scenario.seed,
            settings=settings_of(self.scenario.machine, self.scenario.policy),
            remarks=(*notes, *self.remarks),
        )


def _shaded(first: Mapping[int, Curve], second: Mapping[int, Curve]) -> dict[int, Curve]:
    """Return curves of the second of two runs, with the area to those of the first as bands.

    Bands are empty where the first one has no value.
    """
    return {node: _shaded_curve(first[node], curve) for node, curve in second.items() if node in first}


def _shaded_curve(first: Curve, second: Curve) -> Curve:
    other = np.interp(second.x, first.x, first.y, left=np.nan, right=np.nan)
    return replace(second, band=(np.where(np.isnan(other), second.y, other), second.y))


def parse_settings(text: str) -> dict[str, Any]:
    """Return settings of `KEY=VALUE, KEY=VALUE`; an empty text has none.

    Raises:
        SettingError: a setting is wrong; the message names it.
    """
    parts = (part.strip() for part in _COMMA.split(text))
    return dict(parse_setting(part) for part in parts if part)


def compare(
    scenario: Scenario,
    variants: Sequence[Variant],
    until_s: float,
    *,
    digest: str = "",
    progress: Progress | None = None,
    cancelled: Asked | None = None,
) -> Comparison:
    """Run two to four variants side by side.

    `progress` gets the mean of all runs from several threads, one at a time. `scenario` must not change until
    it returns.

    Raises:
        Cancelled: `cancelled` returned True.
        SettingError: a variant is not possible.
    """
    check_count(len(variants))
    runs = run_variants(scenario, variants, until_s, progress=progress, cancelled=cancelled)
    return Comparison(scenario, tuple(variants), runs, digest)


def check_count(count: int) -> None:
    """Check the number of variants.

    Raises:
        SettingError: so many variants cannot be compared.
    """
    if not 2 <= count <= len(LETTERS):
        what = "Add a policy, variant or run" if count < 2 else "Leave some out"
        msg = f"two to four variants can be compared, not {count}. {what}"
        raise SettingError(msg)


def run_variants(
    scenario: Scenario,
    variants: Sequence[Variant],
    until_s: float,
    *,
    progress: Progress | None = None,
    cancelled: Asked | None = None,
) -> tuple[VariantRun, ...]:
    """Run variants at the same time, each in a thread; errors are those of `compare`."""
    for variant in variants:
        check_variant(scenario, variant)
    watch = _Watch(len(variants), progress or (lambda _: None), cancelled or (lambda: False))
    sample_s = sample_s_for(scenario, until_s)
    with ThreadPoolExecutor(min(len(variants), os.cpu_count() or 1)) as pool:
        waiting = [
            pool.submit(run_variant, scenario, variant.settings, until_s, sample_s, watch.steps(number))
            for number, variant in enumerate(variants)
        ]
        try:
            return tuple(future.result() for future in waiting)
        except BaseException:
            watch.stop()  # The other runs are not needed any more.
            raise


def check_variant(scenario: Scenario, variant: Variant) -> None:
    """Check the settings of a variant.

    Raises:
        SettingError: the scenario cannot have its settings; the message names the variant.
    """
    try:
        scenario.with_settings(variant.settings)
    except SettingError as error:
        msg = f"{variant.name}: {error}"
        raise SettingError(msg) from None


def sample_s_for(scenario: Scenario, until_s: float, runs: int = 1) -> float:
    """Return the scenario's time between samples, or a longer one if memory requires it."""
    allowed = max(2, min(_MOST_SAMPLES, _MOST_VALUES // (len(scenario.tree) * runs)))
    times = -(-until_s // (scenario.plot.sample_s * allowed))
    return scenario.plot.sample_s * max(1.0, times)


class _Watch:
    """The common progress and cancellation of several runs."""

    def __init__(self, runs: int, progress: Progress, cancelled: Asked) -> None:
        self._done = [0.0] * runs
        self._progress, self._cancelled = progress, cancelled
        self._lock = Lock()
        self._is_over = False

    def steps(self, number: int) -> Steps:
        """Return the progress and cancellation of one run."""
        return Steps(lambda fraction: self._report_progress(number, fraction), self._ends)

    def stop(self) -> None:
        """Cancel all runs."""
        self._is_over = True

    def _ends(self) -> bool:
        return self._is_over or self._cancelled()

    def _report_progress(self, number: int, fraction: float) -> None:
        with self._lock:
            if self._is_over:
                raise Cancelled
            self._done[number] = fraction
            self._progress(sum(self._done) / len(self._done))
