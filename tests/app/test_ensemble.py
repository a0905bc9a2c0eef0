"""Many seeds: what comes out depends on the seeds alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fsconsole.app.ensemble import HIGH, LOW, quantiles, run_ensembles, seeds_of
from fsconsole.experiments.comparing import Variant
from fsconsole.experiments.experiment import Cancelled
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.variant_run import run_variant
from fsconsole.figures.of_nodes import NodeSeries
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario, SettingError
from tests.laws import tries
from tests.texts import refuses

UNTIL_S = 240.0
PLAIN = (Variant("as it is"),)


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    """Swapping, where much happens by chance."""
    return read_scenario(examples() / "memory-thrash.yaml")


def test_the_number_of_processes_makes_no_difference(scenario: Scenario) -> None:
    seeds = seeds_of(scenario, 3)
    progress: list[float] = []
    (one,) = run_ensembles(scenario, PLAIN, UNTIL_S, seeds, workers=1, progress=progress.append)
    (two,) = run_ensembles(scenario, PLAIN, UNTIL_S, seeds, workers=2)
    assert progress == sorted(progress)
    assert progress[-1] == 1.0
    for quantity in one.quantities:
        ours, theirs = (run.band(quantity, leave_out_system=False) for run in (one, two))
        for node, (low, high) in ours.items():
            assert np.array_equal(low, theirs[node][0], equal_nan=True)
            assert np.array_equal(high, theirs[node][1], equal_nan=True)
    straight = run_variant(
        scenario, {}, UNTIL_S, one.times[1], Steps(lambda _: None, lambda: False), seeds[2]
    )
    member = one.members[2].quantities["cpu_s"].values
    assert all(np.array_equal(values, member[node]) for node, values in
               straight.quantities["cpu_s"].values.items())  # fmt: skip
    widths = [high - low for low, high in one.cpu_band(0, UNTIL_S, leave_out_system=False).values()]
    assert max(widths) > 0.01
    assert min(widths) >= 0


def test_cancel_ends_the_processes(scenario: Scenario) -> None:
    with pytest.raises(Cancelled):
        run_ensembles(scenario, PLAIN, 1e6, seeds_of(scenario, 2), workers=2, cancelled=lambda: True)


@pytest.mark.parametrize("count", [0, 1, 201])
def test_too_few_or_too_many_seeds_are_refused(scenario: Scenario, count: int) -> None:
    with refuses(SettingError, "app.seeds-is-out-of-range", count=count):
        run_ensembles(scenario, PLAIN, UNTIL_S, range(count))


@given(arrays(float, (5, 4), elements=st.floats(0, 1e6) | st.just(float("nan"))))
@tries(50)
def test_quantiles_leave_out_what_is_not_there(values: np.ndarray) -> None:
    times = np.arange(4.0)
    series = [NodeSeries("charge", times, {7: row}) for row in values]
    median, bands = quantiles(series)
    for at in range(4):
        known = values[:, at][~np.isnan(values[:, at])]
        wanted = np.quantile(known, (LOW, 0.5, HIGH)) if len(known) else [np.nan] * 3
        found = (bands[7][0][at], median.values[7][at], bands[7][1][at])
        assert np.allclose(found, wanted, equal_nan=True)
