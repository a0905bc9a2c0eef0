"""A study's numbers as plain values: means, intervals and p-values of policies, for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from fsconsole.app.study.significance import Interval, Significance
    from fsconsole.batch.study.folder import StudyFolder


_OF_UNITS = {
    "interval": "bootstrap-t; percentiles of samples, expanded, for p99_wait_h of blocks of weeks",
    "test": "paired, sign flips, two-sided",
    "correction": "step-down min-P over policies, by measure",
}
_OF_DRAWS = {
    "interval": "percentiles over resampled traces",
    "test": "paired, bootstrap of users, two-sided",
    "correction": "step-down max-T over policies, by measure",
}


def significance_facts(known: Significance) -> dict[str, Any]:
    """Return the data and methods behind intervals and p-values."""
    from fsconsole.batch.significance.bootstrap import LEVEL, SAMPLES, SEED
    from fsconsole.batch.significance.paired import ALPHA

    units = known.units
    return {
        "unit": units.unit if units is not None else None,
        "units": units.count if units is not None else 0,
        "reference": known.reference or None,
        "level": LEVEL,
        "alpha": ALPHA,
        "samples": SAMPLES,
        "seed": SEED,
        **(_OF_DRAWS if units is not None and units.is_resampled else _OF_UNITS),
        "reason": known.reason or None,
        "not_decided": {measure: sorted(tied) for measure, tied in known.tied.items()},
    }


def means_of(found: pl.DataFrame, known: Significance) -> list[dict[str, Any]]:
    """Return a row for each policy over all units: means, intervals, and differences from the reference."""
    from fsconsole.app.study.significance import values_shown

    units = known.units
    if units is None or known.reason:
        return []
    return [
        {"policy": policy, "units": units.count, **values, **_of(known, policy, list(values))}
        for policy, values in values_shown(found, units).items()
    ]


def rows_with_intervals(
    stored: StudyFolder, found: pl.DataFrame, known: Significance
) -> list[dict[str, Any]]:
    """Return a row for each cell, with intervals and p-values over blocks of its weeks if it has enough.

    If each policy of the study has one run, these are the intervals and p-values of the study.
    """
    from fsconsole.app.study.significance import NOTHING_KNOWN, significance_of_run

    parts = {}
    rows = []
    for row in found.to_dicts():
        key = (row["workload"], row["seed"])
        if key not in parts:
            is_whole = len(found.select("workload", "seed").unique()) == 1
            parts[key] = known if is_whole else NOTHING_KNOWN
            if not is_whole and not stored.is_resampled:  # A single draw does not have intervals.
                parts[key] = significance_of_run(stored, *key, known.reference)
        own = parts[key] if not parts[key].reason else NOTHING_KNOWN
        measures = [name for name in row if name in _measures(known, own)]
        rows.append({**row, **_of(own, row["policy"], measures)})
    return rows


def _measures(*known: Significance) -> set[str]:
    return {name for one in known if one.units is not None for name in one.units.measures}


def _of(known: Significance, policy: str, measures: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "interval": {name: _ends(known.interval(policy, name)) for name in measures},
        "p_value": dict.fromkeys(measures),
        "difference": {},
    }
    for name in measures:
        one = known.contrasts.get((policy, name))
        if one is not None:
            found["p_value"][name] = _known(one.p_adjusted)
            found["difference"][name] = {
                "value": _known(one.difference),
                "interval": _ends(one.interval),
                "p_value": _known(one.p_adjusted),
                "p_value_uncorrected": _known(one.p_value),
                "effect_size": _known(one.effect),
                "units_lower": one.lower,
                "units_higher": one.higher,
                "is_decided": one.is_decided,
            }
    return found


def _ends(interval: Interval) -> list[float] | None:
    return [interval.low, interval.high] if interval.is_known else None


def _known(value: float) -> float | None:
    return value if value == value else None
