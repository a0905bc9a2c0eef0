"""Padding, dampening and the paper's models: its printed numbers, and laws."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.damping import controlled_fairshare, damping_for, implied_target_h
from fsconsole.slurm.padding import HOUR_S, UpkeepRule, lost_s, padding_s, until_lost_s, upkeep
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.slurm.population import (
    MODELS,
    Population,
    between_knots,
    bounded_pareto,
    counts_of,
    model_damping,
    model_fairshare,
    padded_fairshare,
    population_of,
)
from tests.texts import refuses

CAPTURES = Path(__file__).parent / "captures"
DAY_S = 24 * HOUR_S


@pytest.mark.parametrize(
    ("users", "target_h", "padding", "first_day"),
    [
        (2501, 10_000, 90e9, 8.48487e9),
        (2501, 20_000, 180e9, 16.9697e9),
        (3001, 10_000, 108e9, 10.182e9),
        (5001, 10_000, 180e9, 16.97e9),
    ],
)
def test_table_1(users: int, target_h: float, padding: float, first_day: float) -> None:
    assert padding_s(target_h, users) == padding
    assert lost_s(padding, DAY_S) == pytest.approx(first_day, rel=1e-4)


def test_the_daily_loss_that_lost_digits_in_print() -> None:
    assert lost_s(90e9, DAY_S) == pytest.approx(8484870216.2484, abs=1e-3)


def test_the_padding_is_half_of_what_it_is_for() -> None:
    """Equation 5 turned round: one user with u of u + w has a fairshare of one half."""
    users, used = 2501, 10_000 * HOUR_S
    part = used / (used + padding_s(10_000, users))
    assert 2 ** (-part * users) == pytest.approx(0.5)


def test_a_job_of_1_5e9_is_lost_in_four_hours_and_five_minutes() -> None:
    assert until_lost_s(90e9, 1.5e9) / HOUR_S == pytest.approx(4 + 5 / 60, abs=0.02)
    assert until_lost_s(90e9, 90e9) == math.inf


@pytest.mark.parametrize(("job", "lowest"), [(1.5e9, 0.967), (1.47e9, 0.982)])
def test_upkeep_dips(job: float, lowest: float) -> None:
    found = upkeep(UpkeepRule(90e9, job, job), 30 * DAY_S)
    assert found.lowest_fraction == pytest.approx(lowest, abs=5e-4)
    assert found.after_s.max() <= found.rule.padding_s


def test_upkeep_jobs_run_at_every_second_check_with_1_5e9_and_at_each_with_less() -> None:
    often, seldom = (
        found.times_s[found.after_s > found.before_s] / HOUR_S
        for found in (
            upkeep(UpkeepRule(90e9, 1.47e9, 1.47e9), 2 * DAY_S),
            upkeep(UpkeepRule(90e9, 1.5e9, 1.5e9), DAY_S),
        )
    )
    np.testing.assert_array_equal(often, np.arange(4, 49, 4))
    # Two jobs' worth is lost in 8 h and one given back, so that each check from then on finds enough missing.
    np.testing.assert_array_equal(seldom, np.arange(8, 25, 4))


@given(st.floats(1e6, 1e9), st.floats(1, 50))
def test_a_dampening_factor_halves_at_its_target(target: float, mean: float) -> None:
    choice = damping_for(target, mean)
    assert 2 ** -(target / (choice.exact * mean)) == pytest.approx(0.5)
    assert 1 <= choice.whole <= 65535


def test_slurm_takes_whole_factors_alone() -> None:
    choice = damping_for(10_000, 700)
    assert choice.exact == pytest.approx(14.2857, abs=1e-4)
    assert choice.whole == 14
    assert choice.halves_at_h == 9800
    assert damping_for(10_000, 30_000).whole == 1  # never 0


@given(st.floats(1e-3, 20), st.floats(1, 1e6))
def test_implied_target_is_what_made_the_fairshare(halvings: float, target: float) -> None:
    used = np.array([halvings * target])
    found = implied_target_h(controlled_fairshare(used, target), used)
    assert found[0] == pytest.approx(target, rel=1e-9)


def test_nothing_follows_from_a_fairshare_of_0_or_1() -> None:
    assert np.isnan(implied_target_h(np.array([0.0, 1.0]), np.array([10.0, 0.0]))).all()


def test_models_on_a_capture() -> None:
    found = population_of(read_sshare((CAPTURES / "drained.psv").read_text("utf-8")))
    assert len(found.usage_h) == 15
    assert (np.diff(found.usage_h) <= 0).all()
    assert model_damping(found, "model 1", 1.0) == 15 / found.active
    target = model_damping(found, "model 2", 0.05) * found.mean_h
    assert target == pytest.approx(0.05)


@given(st.lists(st.floats(0, 1e5), min_size=2, max_size=30).filter(any), st.floats(1, 1e5))
def test_laws_of_models(usages: list[float], target: float) -> None:
    people = Population(np.sort(np.array(usages))[::-1])
    free, counted, held = (model_fairshare(people, model, target) for model in MODELS)
    assert (counted >= free).all()
    np.testing.assert_allclose(held, controlled_fairshare(people.usage_h, target), atol=1e-9)
    # Beside (N - 1) u* of padding and without any other use, all halve at u*.
    users = len(people.usage_h) + 1
    mean = (people.usage_h.sum() + target * (users - 1)) / users
    padded = padded_fairshare(people, target * (users - 1))
    np.testing.assert_allclose(padded, controlled_fairshare(people.usage_h, mean))


def test_a_pareto_like_population_is_what_was_asked_for() -> None:
    people = bounded_pareto(2500, 380, 147_787.0, 700.0, seed=3)
    assert people.mean_h == pytest.approx(700, rel=1e-3)
    assert (people.active, people.usage_h[0], len(people.usage_h)) == (380, 147_787.0, 2500)
    assert people.part_of_first(0.2) >= 0.8
    again = bounded_pareto(2500, 380, 147_787.0, 700.0, seed=3)
    np.testing.assert_array_equal(people.usage_h, again.usage_h)
    assert not np.array_equal(people.usage_h, bounded_pareto(2500, 380, 147_787.0, 700.0, seed=4).usage_h)


def test_a_population_goes_through_its_knots() -> None:
    people = between_knots(10, [(1, 1000.0), (2, 400.0), (4, 100.0)])
    np.testing.assert_allclose(people.usage_h[:4], [1000, 400, 400 * 1.5**-2, 100])
    assert not people.usage_h[4:].any()


def test_counts_take_the_ends_in() -> None:
    found = counts_of(np.array([1.0, 0.5, 2.0**-20, 2.0**-21, 0.0]))
    assert (found.zero, found.half_or_less) == (2, 4)


def test_what_cannot_be_is_refused() -> None:
    with refuses(ValueError, "slurm.hours-and-users-padding-needs"):
        padding_s(10, 1)
    with refuses(ValueError, "slurm.no-check-within-s"):
        upkeep(UpkeepRule(1.0, 1.0, 1.0), 60)
    with refuses(ValueError, "slurm.target-hours-and-mean-usage"):
        damping_for(0, 1)
    with refuses(ValueError, "slurm.target-is-h-it-must"):
        controlled_fairshare(np.ones(1), 0)
    with refuses(ValueError, "slurm.no-pareto-like-law-between"):
        bounded_pareto(10, 5, 10.0, 1000.0, seed=1)
    with refuses(ValueError, "slurm.active-users-of-at-least"):
        bounded_pareto(10, 1, 10.0, 1.0, seed=1)
    with refuses(ValueError, "slurm.knots-must-begin-at-rank"):
        between_knots(10, [(2, 5.0), (3, 1.0)])
    with refuses(ValueError, "slurm.population-needs-finite-usages-of"):
        Population(np.zeros(3))
