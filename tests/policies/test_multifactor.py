"""Factors of Slurm's priority: what sprio and sshare of Slurm 22.05 printed at the same time."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.policies.multifactor import (
    age_factor,
    fairshare_factor,
    kept_after,
    kept_each_second,
    size_by_time_factor,
    size_factor,
)

# tests/data/slurm/limits: settings, nodes, priorities, usage. tests/slurm/captures/plain: jobs 19 and 22.
WEIGHT_FAIRSHARE, WEIGHT_SIZE = 100_000, 1000
CLUSTER = (4, 32)


@pytest.mark.parametrize(("cpus", "printed"), [(1, 141), (8, 250), (6, 219)])
def test_size_as_sprio_prints_it(cpus: int, printed: int) -> None:
    factor = size_factor(np.array([1.0]), np.array([float(cpus)]), CLUSTER, favor_small=False)
    assert round(WEIGHT_SIZE * float(factor[0])) == pytest.approx(printed, abs=0.51)
    small = size_factor(np.array([1.0]), np.array([float(cpus)]), CLUSTER, favor_small=True)
    assert small[0] == 1 - factor[0]


@pytest.mark.parametrize(
    ("user", "norm_shares", "effective_usage", "printed"),
    [("proxy", 0.087912, 0.329167, 7462), ("list", 0.164835, 0.218750, 39857)],
)
def test_fairshare_as_sprio_prints_it(
    user: str, norm_shares: float, effective_usage: float, printed: int
) -> None:
    factor = fairshare_factor(np.array([effective_usage]), np.array([norm_shares]), 1.0)
    assert WEIGHT_FAIRSHARE * float(factor[0]) == pytest.approx(printed, abs=1.5), user


def test_age_grows_up_to_the_most() -> None:
    assert [age_factor(age_s, 1000.0) for age_s in (0, 250, 1000, 5000)] == [0, 0.25, 1, 1]


def test_size_by_time() -> None:
    cpus, minutes = np.array([16.0, 16.0]), np.array([1.0, 8.0])
    assert size_by_time_factor(cpus, minutes, 32, favor_small=False).tolist() == [0.5, 0.0625]
    assert size_by_time_factor(cpus, minutes, 32, favor_small=True).tolist() == [0.5, 0.9375]


def test_usage_decays_by_slurms_three_digits_of_ln_2_as_slurmctld_logged_it() -> None:
    """PriorityDecayHalfLife=10, a calculation each minute; with all digits of ln 2 it keeps 1.4e-5 less."""
    assert kept_each_second(600.0) == pytest.approx(0.998845, abs=1e-15)
    assert kept_after(60.0, 600.0) == pytest.approx(0.933009354810673, abs=1e-14)
    assert kept_after(3600.0, 3600.0) == pytest.approx(0.5, rel=2e-4)
