"""Policies for tests of laws: all orders and parameters, with windows short enough for small workloads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from fsconsole.batch.job_table import Floats
from fsconsole.batch.policy import BatchPolicy, UsageWeights

_WEIGHTS = (UsageWeights(), UsageWeights(1.0, 0.0, 1e-9), UsageWeights(0.0, 1 / 3, 2.5))


def policies_by_user(decays: tuple[float, ...] = (0.0, 0.0, 0.5, 0.9)) -> st.SearchStrategy[BatchPolicy]:
    """Policies by user with one reservation."""
    return st.builds(
        BatchPolicy,
        order=st.sampled_from(["relshare", "relshare", "upper", "lower", "weighted"]),
        window_s=st.sampled_from([1, 7, 60, 100_000]),
        origin_s=st.sampled_from([0, 3, 1000, -5]),
        expected_usage=st.booleans(),
        form=st.sampled_from(["ratio", "difference"]),
        decay=st.sampled_from(decays),
        carry_reservation=st.booleans(),
        boundary_passes=st.booleans(),
        weights=st.sampled_from(_WEIGHTS),
    )


def shares_of(users: int) -> st.SearchStrategy[Floats]:
    """Shares that are equal, small whole numbers, or anything."""
    whole = st.lists(st.integers(1, 3).map(float), min_size=users, max_size=users)
    any_of_them = st.lists(st.floats(1e-6, 1e6), min_size=users, max_size=users)
    return st.one_of(st.just([1.0] * users), whole, any_of_them).map(np.array)


def policies_with_several_reservations() -> st.SearchStrategy[BatchPolicy]:
    """Any policy, with one reservation or more."""
    others = st.sampled_from(
        [BatchPolicy("fcfs"), BatchPolicy("sjf"), BatchPolicy("lxf")]
        + [BatchPolicy("lxf", lxf_bound_s=bound_s) for bound_s in (5, 60)]
        + [BatchPolicy("lxf", lxf_printed_bound_s=bound_s) for bound_s in (5, 60)]
    )
    counts = st.sampled_from([1, 2, 3, 5, 100])
    return st.builds(
        lambda policy, count: replace(policy, reservations=count),
        st.one_of(others, policies_by_user()),
        counts,
    )
