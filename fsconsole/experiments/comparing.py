"""Up to four policies or parameter sets on one scenario and one seed, run side by side."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from fsconsole.experiments.experiment import Asked, Cancelled, Progress
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.variant_run import VariantRun, run_variant
from fsconsole.figures.of_nodes import event_marks, figure_of
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.spec import FigureSpec, Floats, Provenance
from fsconsole.figures.style.curves import DASH_DOT, DASHED, DOTTED, SOLID, CurveStyle
from fsconsole.shares.scenario.settings import parse_setting, setting_text
from fsconsole.shares.scenario.spec import Scenario, SettingError, settings_of
from fsconsole.shares.tree import ShareTree

LETTERS = "ABCD"
# A first, so that what all are held against is drawn solid.
DASHES = (SOLID, DASHED, DOTTED, DASH_DOT)
_MOST_SAMPLES = 1200
_MOST_VALUES = 1_000_000  # samples x nodes of one run, which bounds the memory
_COMMA = re.compile(r",(?![^\[]*\])")  # not inside the brackets of several values


@dataclass(frozen=True, slots=True)
class Variant:
    """What a run is called, and the settings in which it differs from the scenario."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """The settings as people write them, with commas; empty where there are none."""
        return ", ".join(f"{key}={setting_text(key, value)}" for key, value in self.settings.items())


@dataclass(frozen=True, slots=True)
class ComparedNode:
    """A node's values in every variant: CPU of the range (fraction), usage and charge at its end.

    Usage is in cost units, charge in CPU seconds; NaN where the node was not there.
    """

    node: int
    path: str
    cpu: tuple[float, ...]
    usage: tuple[float, ...]
    charge: tuple[float, ...]

    def differences(self, quantity: str = "cpu") -> tuple[float, ...]:
        """Each further variant less the first."""
        first, *others = getattr(self, quantity)
        return tuple(value - first for value in others)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs of one scenario that differ in settings alone."""

    scenario: Scenario
    variants: tuple[Variant, ...]
    runs: tuple[VariantRun, ...]
    digest: str = ""

    @property
    def times(self) -> Floats:
        """Times of the samples in seconds."""
        return self.runs[0].times

    @property
    def tree(self) -> ShareTree:
        """The tree at the end, which is the same in all runs."""
        return self.runs[0].tree

    def range_s(self, start_s: float, end_s: float) -> tuple[float, float]:
        """The samples nearest to two times, between which CPU time is counted."""
        run = self.runs[0]
        return float(run.times[run.nearest(start_s)]), float(run.times[run.nearest(end_s)])

    def table(
        self, start_s: float, end_s: float, nodes: Iterable[int] | None = None, *, leave_out_system: bool
    ) -> tuple[ComparedNode, ...]:
        """Every node, or those asked for, in the order of the tree; those that are gone are left out."""
        tree, at = self.tree, self.runs[0].nearest(end_s)
        cpu = [run.cpu(start_s, end_s, leave_out_system=leave_out_system) for run in self.runs]
        usage, charge = ([run.quantities[name] for run in self.runs] for name in ("usage", "charge"))
        wanted = None if nodes is None else set(nodes)
        return tuple(
            ComparedNode(
                node.id,
                tree.path(node.id),
                tuple(one[node.id] for one in cpu),
                tuple(float(one.values[node.id][at]) for one in usage),
                tuple(float(one.values[node.id][at]) for one in charge),
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
        """One quantity of some nodes, in their colours and the variants' dashes; ValueError if unknown."""
        chosen = tuple(nodes)
        tree, names = self.tree, [variant.name for variant in self.variants]
        known = [node for node in chosen if node in tree]
        drawn = [
            figure_of(
                tree,
                run.series(quantity, leave_out_system=leave_out_system),
                known,
                name=f"compare-{quantity.replace('_', '-')}",
                title=f"Compared: {quantity_named(quantity).title}",
                events=event_marks(self.scenario),
                styles=styles,
            )
            for run in self.runs
        ]
        curves = [
            replace(
                curve, name=f"{curve.name} ({letter})", dash=dash, path=f"{curve.path} ({letter} {called})"
            )
            for figure, letter, dash, called in zip(drawn, LETTERS, DASHES, names, strict=False)
            for curve in figure.curves
        ]
        per_variant = len(drawn[0].curves)
        by_node = [curve for place in range(per_variant) for curve in curves[place::per_variant]]
        return replace(drawn[0], curves=tuple(by_node), caption=self.legend(), provenance=self._provenance())

    def lettered(self) -> tuple[tuple[str, Variant], ...]:
        """The variants with their letters."""
        return tuple(zip(LETTERS, self.variants, strict=False))

    def legend(self) -> str:
        """Which letter is which variant."""
        return ", ".join(f"{letter} {variant.name}" for letter, variant in self.lettered())

    def _provenance(self) -> Provenance:
        return Provenance(
            scenario=self.scenario.title,
            scenario_digest=self.digest,
            seed=self.scenario.seed,
            settings=settings_of(self.scenario.machine, self.scenario.policy),
            remarks=tuple(
                f"{letter} {one.name}: {one.told or 'as the scenario is'}" for letter, one in self.lettered()
            ),
        )


def parse_settings(text: str) -> dict[str, Any]:
    """Settings of `KEY=VALUE, KEY=VALUE`; SettingError says which is wrong. Empty text has none."""
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
    """Run two to four variants side by side; Cancelled once asked, SettingError where one cannot be.

    `progress` hears the mean of all runs from several threads, one at a time. Nobody changes `scenario`
    meanwhile.
    """
    if not 2 <= len(variants) <= len(LETTERS):
        msg = f"two to four variants can be compared, not {len(variants)}"
        raise SettingError(msg)
    for variant in variants:
        _check(scenario, variant)
    watch = _Watch(len(variants), progress or (lambda _: None), cancelled or (lambda: False))
    sample_s = _sample_s(scenario, until_s)
    with ThreadPoolExecutor(min(len(variants), os.cpu_count() or 1)) as pool:
        waiting = [
            pool.submit(run_variant, scenario, variant.settings, until_s, sample_s, watch.steps(number))
            for number, variant in enumerate(variants)
        ]
        try:
            runs = tuple(future.result() for future in waiting)
        except BaseException:
            watch.stop()  # the others need not go on
            raise
    return Comparison(scenario, tuple(variants), runs, digest)


def _check(scenario: Scenario, variant: Variant) -> None:
    try:
        scenario.with_settings(variant.settings)
    except SettingError as error:
        msg = f"{variant.name}: {error}"
        raise SettingError(msg) from None


def _sample_s(scenario: Scenario, until_s: float) -> float:
    """The scenario's time between samples, or as often that as memory allows."""
    allowed = max(2, min(_MOST_SAMPLES, _MOST_VALUES // len(scenario.tree)))
    times = -(-until_s // (scenario.plot.sample_s * allowed))
    return scenario.plot.sample_s * max(1.0, times)


class _Watch:
    """One progress of several runs, and one wish to end for all."""

    def __init__(self, runs: int, progress: Progress, cancelled: Asked) -> None:
        self._done = [0.0] * runs
        self._progress, self._cancelled = progress, cancelled
        self._lock = Lock()
        self._is_over = False

    def steps(self, number: int) -> Steps:
        """What one run tells and asks."""
        return Steps(lambda fraction: self._tell(number, fraction), self._ends)

    def stop(self) -> None:
        """End all runs."""
        self._is_over = True

    def _ends(self) -> bool:
        return self._is_over or self._cancelled()

    def _tell(self, number: int, fraction: float) -> None:
        with self._lock:
            if self._is_over:
                raise Cancelled
            self._done[number] = fraction
            self._progress(sum(self._done) / len(self._done))
