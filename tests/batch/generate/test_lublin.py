"""The Lublin-Feitelson model by its published parameters."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from fsconsole.batch.generate.lublin import day_weights, generate_lublin, offered_load, with_load
from tests.texts import refuses

JOBS = 40_000
generated = cache(generate_lublin)


def sigmas(part: float) -> float:
    """Four standard deviations of a part counted among the jobs."""
    return float(4 * np.sqrt(part * (1 - part) / JOBS))


def test_the_part_of_serial_jobs_is_the_published_one() -> None:
    # A parallel job has at least 2^0.8 = 1.7 nodes, which round to 2.
    assert (generated(JOBS, 128, 1).nodes == 1).mean() == pytest.approx(0.244, abs=sigmas(0.244))


def test_sizes_follow_a_uniform_distribution_in_two_stages() -> None:
    sizes = generated(JOBS, 128, 1).nodes
    # Of parallel jobs 86 % lie between 2^0.8 and 2^4.5. Powers of two round that up to 2^5 for 4.5 and more,
    # so that above 2^4.5 = 22.6 are the 14 % of the second stage.
    above = 0.14 * (1 - 0.244)
    assert (sizes > 22.6).mean() == pytest.approx(above, abs=sigmas(above))
    powers = (sizes & (sizes - 1)) == 0
    assert powers.mean() > 0.244 + 0.576
    assert sizes.max() == 128


def test_logarithms_of_runtimes_have_the_means_of_the_two_gammas() -> None:
    jobs = generated(JOBS, 128, 1)
    logs = np.log(jobs.runtime_s + 0.5)
    short = np.clip(0.78 - 0.0054 * jobs.nodes, 0, 1)
    expected = (short * 4.2 * 0.94 + (1 - short) * 312 * 0.03).mean()
    # Shape by scale squared is a gamma's variance; between the two lies most of the rest.
    spread = np.sqrt(
        (short * 4.2 * 0.94**2 + (1 - short) * 312 * 0.03**2).mean() + 0.25 * (9.36 - 3.948) ** 2
    )
    assert logs.mean() == pytest.approx(expected, abs=4 * spread / np.sqrt(JOBS) + 0.02)
    assert np.log(jobs.runtime_s).max() <= 12


def gamma_above(bound: float, shape: float, scale: float) -> float:
    """The part of a gamma distribution above a bound."""
    at = np.linspace(1e-6, 40, 400_001)
    density = at ** (shape - 1) * np.exp(-at / scale)
    return float(density[at > bound].sum() / density.sum())


def test_larger_jobs_run_longer() -> None:
    jobs = generated(JOBS, 128, 1)
    short, bound = gamma_above(7, 4.2, 0.94), 7  # of the long ones 5 in a million are below it
    for size in (1, 32, 128):
        first = 0.78 - 0.0054 * size
        part = first * short + 1 - first
        chosen = jobs.nodes == size
        error = np.sqrt(part * (1 - part) / chosen.sum())
        assert (np.log(jobs.runtime_s[chosen]) > bound).mean() == pytest.approx(part, abs=4 * error + 0.002)


def test_jobs_come_by_the_half_hours_of_the_day() -> None:
    jobs = generated(JOBS, 128, 1)
    by_day = np.bincount(jobs.submit_s // 1800 % 48, minlength=48) / JOBS
    weights = day_weights()
    assert weights.mean() == pytest.approx(1)
    assert np.argmax(weights) in (27, 28)  # (shape - 1) x scale = 28.4 half hours: two in the afternoon
    # Gaps vary, so that counts spread more than those of independent arrivals would.
    assert np.abs(by_day - weights / 48).max() < 0.004


def test_the_mean_gap_is_that_of_the_gamma_below_its_bound() -> None:
    shape, scale = 10.2303 * 1.0225, 0.4871
    at = np.linspace(1e-3, 13, 200_001)
    density = at ** (shape - 1) * np.exp(-at / scale)
    mean = (np.exp(at) * density).sum() / density.sum()
    second = (np.exp(2 * at) * density).sum() / density.sum()
    error = np.sqrt((second - mean**2) / JOBS)
    measured = generated(JOBS, 128, 1).submit_s[-1] / JOBS
    assert measured == pytest.approx(mean, abs=4 * error)


@pytest.mark.parametrize("nodes", [1, 3, 100, 1000])
def test_any_machine_gets_jobs_that_fit(nodes: int) -> None:
    jobs = generate_lublin(500, nodes, 4)
    assert jobs.nodes.min() >= 1
    assert jobs.nodes.max() <= nodes
    assert jobs.cluster_nodes == nodes
    assert len(jobs) == 500


def test_a_seed_gives_the_same_jobs_again() -> None:
    first, again, other = (generate_lublin(200, 64, seed, users=5) for seed in (7, 7, 8))
    assert (first.submit_s == again.submit_s).all()
    assert (first.runtime_s == again.runtime_s).all()
    assert (first.runtime_s != other.runtime_s).any()
    assert set(first.users) <= {"1", "2", "3", "4", "5"}


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"nodes": 0}, {"seed": -1}, {"users": 0}])
def test_numbers_that_are_too_small_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} is "):
        generate_lublin(**{"jobs": 5, "nodes": 8, "seed": 1} | wrong)


@pytest.mark.parametrize("load", [0.3, 0.8, 1.5])
def test_gaps_are_stretched_to_a_load(load: float) -> None:
    jobs = generated(5000, 128, 1)
    made = with_load(jobs, load)
    assert offered_load(made) == pytest.approx(load, rel=1e-3)
    assert (made.runtime_s == jobs.runtime_s).all()
    span = jobs.submit_s[-1] - jobs.submit_s[0]
    parts = (made.submit_s - made.submit_s[0]) / (made.submit_s[-1] - made.submit_s[0])
    assert np.abs(parts - (jobs.submit_s - jobs.submit_s[0]) / span).max() < 1e-4


def test_a_load_is_above_0() -> None:
    with refuses(ValueError, "batch.generate.load-is-it-must-be"):
        with_load(generated(10, 8, 1), 0.0)
