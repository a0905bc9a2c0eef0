"""Policies, parameter sets and recorded runs side by side, also under many seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fsconsole.app.ensemble import EnsembleRun, run_ensembles, seeds_of
from fsconsole.app.runs.diff import RunsDiff, runs_diff
from fsconsole.app.runs.diff_words import short_sentences
from fsconsole.app.runs.series import places_of, recorded_run
from fsconsole.experiments.comparing import Comparison, Variant, check_count, run_variants
from fsconsole.experiments.experiment import Asked, Progress
from fsconsole.experiments.variant_run import VariantRun
from fsconsole.recording.run import RunReader
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.text.durations import length_words

_MOST_SENTENCES = 4


@dataclass(frozen=True, eq=False)
class SourcesComparison(Comparison):
    """Simulated or recorded variants.

    Attributes:
        diff: differences between two recorded runs, as in `fsconsole run diff`; None for other variants.
    """

    diff: RunsDiff | None = None


def compare_sources(
    scenario: Scenario,
    variants: Sequence[Variant],
    until_s: float,
    *,
    seeds: int = 1,
    digest: str = "",
    workers: int | None = None,
    progress: Progress | None = None,
    cancelled: Asked | None = None,
) -> SourcesComparison:
    """Run two to four variants, or read those that were recorded, and hold them side by side.

    With several `seeds` each variant runs under the scenario's and those that follow it.

    Raises:
        SettingError: a variant, or how many there are, cannot be.
        RunError: a run folder is damaged or holds nothing yet.
        Cancelled: `cancelled` said so.
    """
    check_count(len(variants))
    readers = {at: RunReader(one.folder) for at, one in enumerate(variants) if one.folder is not None}
    found: dict[int, VariantRun] = {}
    known = places_of(scenario.tree)
    for at, reader in readers.items():
        found[at] = recorded_run(reader, known).until(until_s)
        known |= places_of(found[at].tree)  # Nodes that only two runs contain are also matched by path.
    to_run = {at: one for at, one in enumerate(variants) if one.folder is None}
    if to_run and seeds > 1:
        ensembles = run_ensembles(
            scenario, tuple(to_run.values()), until_s, seeds_of(scenario, seeds), workers=workers,
            progress=progress, cancelled=cancelled,
        )  # fmt: skip
        found |= zip(to_run, ensembles, strict=True)
    elif to_run:
        runs = run_variants(scenario, tuple(to_run.values()), until_s, progress=progress, cancelled=cancelled)
        found |= zip(to_run, runs, strict=True)
    ordered = tuple(found[at] for at in range(len(variants)))
    diff = None if to_run or len(readers) != 2 else runs_diff(*readers.values())
    remarks = (
        *_short(variants, ordered),
        *_chance(ordered),
        *_strangers(variants, ordered),
        *(() if diff is None else short_sentences(diff, _MOST_SENTENCES)),
    )
    seeds = seeds if to_run else 1
    return SourcesComparison(scenario, tuple(variants), ordered, digest, seeds, remarks, diff)


def named_run(folder: Path) -> Variant:
    """Return a recorded run as something to compare."""
    return Variant(folder.name, folder=folder)


def _strangers(variants: Sequence[Variant], runs: Sequence[VariantRun]) -> list[str]:
    """Describe runs without a node in common with the first one: nothing of them can be compared."""
    paths = [set(run.tree.paths().values()) - {run.tree.root.name} for run in runs]
    below = [{path.partition("/")[2] for path in found} for found in paths]
    return [
        f"{variant.name} is from another tree: it has no node in common with {variants[0].name}."
        for variant, found in zip(variants[1:], below[1:], strict=True)
        if below[0].isdisjoint(found)
    ]


def _short(variants: Sequence[Variant], runs: Sequence[VariantRun]) -> list[str]:
    """Describe runs that begin after others or end before them, by more than a sample."""
    first_s = min(float(run.times[0]) for run in runs)
    end_s = max(float(run.times[-1]) for run in runs)
    found = []
    for variant, run in zip(variants, runs, strict=True):
        step_s = max(np.diff(run.times[-2:]), default=0.0)
        began_s, last_s = float(run.times[0]), float(run.times[-1])
        if began_s - first_s > step_s:
            found.append(
                f"{variant.name} begins at {length_words(began_s)}. All variants are compared from "
                "that time on."
            )
        if end_s - last_s > step_s:
            found.append(
                f"{variant.name} ends at {length_words(last_s)}. All variants are compared up to that time."
            )
    return found


def _chance(runs: Sequence[VariantRun]) -> list[str]:
    """Describe where seeds make no difference, which a band without width would leave open."""
    ensembles = [run for run in runs if isinstance(run, EnsembleRun)]
    if not ensembles or not all(map(_is_certain, ensembles)):
        return []
    return ["All seeds give the same run: this scenario has no randomness."]


def _is_certain(run: EnsembleRun) -> bool:
    first = run.members[0].quantities["cpu_s"].values
    return all(
        np.array_equal(values, other.quantities["cpu_s"].values[node], equal_nan=True)
        for other in run.members[1:]
        for node, values in first.items()
    )
