"""The parts of the generator keep to their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.generate.fixed_jobs import Medians, longer_and_larger
from fsconsole.batch.generate.month import arrivals, rhythm
from fsconsole.batch.generate.runtimes import Boxes, exchanged, fitted, fitted_to
from fsconsole.batch.generate.spread import TargetDistribution, spread_integers, spread_reals, usual_sizes
from tests.laws import tries
from tests.texts import refuses

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(8, 90), st.integers(2, 40), st.integers(2, 20), st.floats(0.05, 0.6))
def test_whole_numbers_have_count_median_maximum_and_total(
    seed: int, count: int, median: int, times: int, fullness: float
) -> None:
    largest = median * times
    upper = (count - 1) // 2 - 1  # how many may lie anywhere from median to largest
    least, most = count * median, count * median + upper * (largest - median)
    aim = TargetDistribution(count, median, largest, round(least + largest + fullness * (most - least)), 1)
    try:
        values = spread_integers(aim, np.random.default_rng(seed))
    except ValueError:  # what the lower half drew leaves no such total
        return
    assert len(values) == count
    assert np.median(values) == median
    assert values.max() == largest
    assert values.min() >= 1
    assert values.sum() == aim.total


@given(seeds, st.lists(st.floats(0.01, 5000), max_size=6))
def test_given_numbers_count_among_the_others(seed: int, known: list[float]) -> None:
    aim = TargetDistribution(70, 80.0, 9000.0, 70_000.0, 0.02)
    values = np.append(spread_reals(aim, np.random.default_rng(seed), known), known)
    assert len(values) == 70
    assert np.median(values) == pytest.approx(80.0)
    assert values.max() == 9000.0
    assert values.sum() == pytest.approx(70_000.0)


def test_numbers_that_cannot_come_to_the_total_are_refused() -> None:
    with refuses(ValueError, "batch.generate.no-numbers-add-up-to"):
        spread_reals(TargetDistribution(10, 5.0, 8.0, 500.0, 1.0), np.random.default_rng(1))
    with refuses(ValueError, "batch.generate.there-are-more-fixed-numbers"):
        spread_reals(TargetDistribution(5, 5.0, 8.0, 25.0, 1.0), np.random.default_rng(1), [7.0, 7.0])


@given(seeds, st.sampled_from([(1, 5.0), (1, 9.1), (2, 10.7), (4, 12.1), (8, 23.5)]))
def test_sizes_are_mostly_powers_of_two_and_come_to_their_average(seed: int, of: tuple[int, float]) -> None:
    median, average = of
    sizes = usual_sizes(
        TargetDistribution(3000, median, 128, 3000 * average, 1), np.random.default_rng(seed), 0.8
    )
    assert np.median(sizes) == median
    assert (sizes.min(), sizes.max()) == (1, 128)
    assert sizes.mean() == pytest.approx(average, abs=128 / 3000)  # one job more or less
    assert ((sizes & (sizes - 1)) == 0).mean() > 0.75


@given(seeds, st.integers(1, 199), st.integers(1, 199))
def test_jobs_above_both_medians_can_be_so(seed: int, longer: int, larger: int) -> None:
    rng = np.random.default_rng(seed)
    medians = Medians(600.0, 3000.0)
    nodes = rng.integers(1, 40, 200)
    is_longer, is_larger = longer_and_larger(medians, nodes, rng.normal(6, 2, 200), longer, larger)
    assert is_longer.sum() == longer
    assert not (is_larger & ~is_longer & (nodes * 600 < 3000)).any()
    must = is_longer & (nodes * 600 >= 3000)
    can = is_longer | (nodes * 600 >= 3000)
    assert is_larger.sum() == np.clip(larger, must.sum(), can.sum())
    assert is_larger[must].all()


def boxes_of(rng: np.random.Generator, jobs: int, users: int) -> Boxes:
    user = np.concatenate([np.arange(users), rng.integers(0, users, jobs - users)])
    least = rng.uniform(1, 50, jobs)
    most = least * rng.uniform(1, 80, jobs)
    nodes = rng.integers(1, 129, jobs)
    runtime = least + rng.random(jobs) * (most - least)
    sums = np.bincount(user, nodes * runtime).astype(np.float64)
    return Boxes(user, nodes, least, most, rng.logistic(size=jobs), sums)


@given(seeds)
@tries(25)
def test_runtimes_come_to_what_users_shall_have_within_their_limits(seed: int) -> None:
    boxes = boxes_of(np.random.default_rng(seed), 120, 9)
    for tilt in (0.0, 1.5):
        runtime_s = fitted(boxes, tilt)
        assert boxes.user_sums(runtime_s) == pytest.approx(boxes.user_node_s, rel=1e-6)
        assert (runtime_s >= boxes.least_s * (1 - 1e-9)).all()
        assert (runtime_s <= boxes.most_s * (1 + 1e-9)).all()


@given(seeds, st.floats(-2, 2))
@tries(15)
def test_a_total_that_some_tilt_has_is_found(seed: int, tilt: float) -> None:
    boxes = boxes_of(np.random.default_rng(seed), 120, 9)
    wanted = float(fitted(boxes, tilt).sum())
    assert fitted_to(boxes, wanted).sum() == pytest.approx(wanted, rel=1e-3)


@given(seeds)
@tries(25)
def test_exchanging_keeps_all_jobs_and_gets_users_nearer_to_what_they_shall_have(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = boxes_of(rng, 80, 12)
    wanted = rng.permutation(before.user_node_s)
    before = Boxes(before.user, before.nodes, before.least_s, before.most_s, before.place, wanted)
    after = exchanged(before)
    assert (after.user == before.user).all()
    bodies = [
        sorted(zip(one.nodes, one.least_s, one.most_s, one.place, strict=True)) for one in (before, after)
    ]
    assert bodies[0] == bodies[1]

    def missed(boxes: Boxes) -> float:
        low, high = boxes.user_sums(boxes.least_s), boxes.user_sums(boxes.most_s)
        over, under = np.log(1.05 * low / wanted), np.log(1.05 * wanted / high)
        return float((np.maximum(over, 0) + np.maximum(under, 0)).sum())

    assert missed(after) <= missed(before) + 1e-9


@given(seeds, st.integers(1, 400))
@tries(25)
def test_jobs_arrive_within_the_month(seed: int, jobs: int) -> None:
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, 10, jobs)
    submit_s = arrivals(owner, rng.uniform(0, 2000, jobs), 1056412800, 30 * 86400, rng)
    assert submit_s.min() >= 0
    assert submit_s.max() < 30 * 86400


def test_the_rhythm_is_of_hours_and_weekdays() -> None:
    parts = rhythm(1056412800, 7 * 86400).reshape(7, 24)  # from a Tuesday on
    assert parts.sum() == pytest.approx(1)
    by_day = parts.sum(axis=1)
    assert set(np.argsort(by_day)[:2].tolist()) == {4, 5}  # Saturday and Sunday
    assert parts.sum(axis=0).argmax() in range(12, 17)
