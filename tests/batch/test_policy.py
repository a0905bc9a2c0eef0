"""What policies are called, and which of their parameters mean anything."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.multifactor import Multifactor
from fsconsole.batch.policy import POLICIES, BatchPolicy, UsageWeights
from fsconsole.batch.simulate import simulate
from tests.batch.workloads import random_workload, workloads

# Another value of each parameter than the usual one.
OTHERS: dict[str, Any] = {
    "window_s": 40_000,
    "origin_s": 9_000,
    "expected_usage": False,
    "form": "difference",
    "decay": 0.5,
    "carry_reservation": True,
    "reservations": 2,
    "boundary_passes": True,
    "lxf_bound_s": 3600,
    "lxf_printed_bound_s": 3600,
    "weights": UsageWeights(0.0, 1.0, 1.0),
    "multifactor": Multifactor(fairshare=0, job_size=100_000, half_life_s=3600),
}


def test_every_parameter_has_another_value_here() -> None:
    assert {item.name for item in fields(BatchPolicy)} == {"order", *OTHERS}


def _changed(name: str, parameter: str) -> BatchPolicy:
    return replace(POLICIES[name], **{parameter: OTHERS[parameter]})


_ALL = [
    (name, parameter)
    for name in POLICIES
    for parameter in OTHERS
    if _changed(name, parameter) != POLICIES[name]
]
_MEANT = [(name, parameter) for name, parameter in _ALL if POLICIES[name].means(parameter)]


@pytest.mark.parametrize(("name", "parameter"), [pair for pair in _ALL if pair not in _MEANT])
@given(workload=workloads())
def test_what_means_nothing_changes_no_start(
    name: str, parameter: str, workload: tuple[JobTable, int]
) -> None:
    made, changed = (simulate(*workload, one) for one in (POLICIES[name], _changed(name, parameter)))
    np.testing.assert_array_equal(changed.start_s, made.start_s)


@pytest.mark.parametrize(("name", "parameter"), _MEANT)
def test_what_means_something_changes_a_start_of_some_workload(name: str, parameter: str) -> None:
    policies = POLICIES[name], _changed(name, parameter)
    made = (
        [simulate(jobs, 16, policy).start_s for policy in policies]
        for jobs in (random_workload(seed, 300, 16, 1.5) for seed in range(30))
    )
    assert any((changed != usual).any() for usual, changed in made)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("parameter", OTHERS)
def test_labels_differ_by_what_means_something_and_by_nothing_else(
    policy: BatchPolicy, parameter: str
) -> None:
    changed = replace(policy, **{parameter: OTHERS[parameter]})
    differs = policy.means(parameter) and changed != policy
    assert (changed.label != policy.label) == differs


def test_labels_tell_close_numbers_apart() -> None:
    decayed = {BatchPolicy("relshare", decay=decay).label for decay in (0.5, 0.999999, 0.9999999, 0.1 + 0.2)}
    assert len(decayed) == 4
    assert "RelShare(1d), decay 0.5" in decayed
    weighted = [BatchPolicy("weighted", weights=UsageWeights(used)).label for used in (1.0, 1.0 + 1e-9)]
    assert [label.split()[-1] for label in weighted] == ["1/0.7/3", "1.000000001/0.7/3"]


@pytest.mark.parametrize("weights", [(-1.0,), (1.0, np.inf), (1.0, 1.0, np.nan), (1.0, 1.0, 0.0)])
def test_weights_below_0_or_not_finite_or_none_of_nodes_are_refused(weights: tuple[float, ...]) -> None:
    with pytest.raises(
        ValueError, match=r"^(used|running|slots): .* is not a finite number (above|of at least) 0$"
    ):
        UsageWeights(*weights)


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(1, 10**6))
def test_a_second_lies_in_one_window_of_those_that_begin_at_the_origin(
    second: int, origin_s: int, window_s: int
) -> None:
    start_s = BatchPolicy("relshare", window_s, origin_s).window_start_s(second)
    assert start_s <= second < start_s + window_s
    assert (start_s - origin_s) % window_s == 0
