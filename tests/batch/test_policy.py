"""What policies are called, and which of their parameters mean anything."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import POLICIES, BatchPolicy, UsageWeights
from fsconsole.batch.simulate import simulate
from tests.batch.workloads import workloads

# Another value of each parameter than the usual one.
OTHERS: dict[str, Any] = {
    "window_s": 7,
    "origin_s": 3,
    "expected_usage": False,
    "form": "difference",
    "decay": 0.5,
    "carry_reservation": True,
    "reservations": 2,
    "boundary_passes": True,
    "lxf_bound_s": 30,
    "weights": UsageWeights(0.0, 1.0, 1.0),
}


def test_every_parameter_has_another_value_here() -> None:
    assert {item.name for item in fields(BatchPolicy)} == {"order", *OTHERS}


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("parameter", OTHERS)
@given(workload=workloads())
def test_what_means_nothing_changes_no_start(
    name: str, parameter: str, workload: tuple[JobTable, int]
) -> None:
    policy = replace(POLICIES[name], window_s=20)
    changed = replace(policy, **{parameter: OTHERS[parameter]})
    if not (policy.means(parameter) or changed.means(parameter)):
        np.testing.assert_array_equal(
            simulate(*workload, changed).start_s, simulate(*workload, policy).start_s
        )


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


@pytest.mark.parametrize("weights", [(-1.0,), (1.0, np.inf), (1.0, 1.0, np.nan)])
def test_weights_below_0_or_not_finite_are_refused(weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="none may be below 0"):
        UsageWeights(*weights)


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(1, 10**6))
def test_a_second_lies_in_one_window_of_those_that_begin_at_the_origin(
    second: int, origin_s: int, window_s: int
) -> None:
    start_s = BatchPolicy("relshare", window_s, origin_s).window_start_s(second)
    assert start_s <= second < start_s + window_s
    assert (start_s - origin_s) % window_s == 0
