from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fsconsole.batch.job_table import Bools, Floats
from fsconsole.batch.search.pareto import (
    best_front,
    chosen_of_front,
    crowding,
    fittest,
    front_of,
    ranks,
    spread,
)

_ELEMENTS = st.sampled_from([0.0, 0.1, 1.0, 2.5, 7.0, 1e9])
# Few values, so that rows are often equal in some goals or all.
_VALUES = st.integers(1, 4).flatmap(
    lambda goals: st.integers(1, 40).flatmap(
        lambda rows: arrays(np.float64, (rows, goals), elements=_ELEMENTS)
    )
)


def plain_front(values: Floats) -> Bools:
    """By the definition: all pairs."""
    return np.array(
        [not any((other <= own).all() and (other < own).any() for other in values) for own in values]
    )


@given(_VALUES)
def test_the_front_is_what_no_row_dominates(values: Floats) -> None:
    assert (front_of(values) == plain_front(values)).all()


@given(_VALUES)
def test_every_row_that_is_not_on_the_front_is_dominated_by_one_that_is(values: Floats) -> None:
    front = values[front_of(values)]
    for own in values[~front_of(values)]:
        assert ((front <= own).all(axis=1) & (front < own).any(axis=1)).any()


@given(_VALUES, st.randoms(use_true_random=False))
def test_the_front_does_not_depend_on_order_or_on_monotone_scales(values: Floats, random: object) -> None:
    order = np.array(sorted(range(len(values)), key=lambda _row: random.random()))  # type: ignore[attr-defined]
    assert (front_of(values[order]) == front_of(values)[order]).all()
    assert (front_of(np.cbrt(values) - 5) == front_of(values)).all()


def test_rows_without_a_value_are_never_on_the_front() -> None:
    values = np.array([[0.0, np.nan], [1.0, 1.0], [np.nan, np.nan]])
    assert front_of(values).tolist() == [False, True, False]


@given(_VALUES)
def test_the_first_rank_is_the_front_and_each_rank_the_front_of_what_is_left(values: Floats) -> None:
    rank = ranks(values, np.zeros(len(values)))
    for level in range(int(rank.max()) + 1):
        left = rank >= level
        assert (plain_front(values[left]) == (rank[left] == level)).all()


def test_rows_that_meet_bounds_are_before_those_that_miss_them_and_these_by_how_much() -> None:
    values = np.array([[5.0, 5.0], [0.0, 0.0], [1.0, 9.0], [0.0, 1.0]])
    excess = np.array([0.0, 2.0, 0.0, 0.5])
    assert ranks(values, excess).tolist() == [0, 2, 0, 1]


def test_the_front_has_what_none_beats_and_what_none_beats_of_those_that_meet_bounds() -> None:
    values = np.array([[0.0, 0.0], [3.0, 2.0], [3.0, 4.0], [1.0, 9.0]])
    excess = np.array([1.0, 0.0, 0.0, np.inf])
    assert best_front(values, excess).tolist() == [True, True, False, False]
    assert best_front(values, np.ones(4)).tolist() == [True, False, False, False]


@given(_VALUES, st.integers(1, 40))
def test_the_fittest_are_as_many_as_wanted_and_no_rank_is_passed_over(values: Floats, count: int) -> None:
    count = min(count, len(values))
    rank = ranks(values, np.zeros(len(values)))
    chosen = fittest(values, np.zeros(len(values)), count)
    assert len(set(chosen.tolist())) == count
    assert sorted(rank[chosen].tolist()) == sorted(rank.tolist())[:count]


def test_crowding_is_infinite_at_both_ends_and_adds_gaps_up_between() -> None:
    # Deb et al. 2002, section III-B: the side lengths of the cuboid between neighbours, by the goal's range.
    found = crowding(np.array([[0.0, 4.0], [1.0, 2.0], [4.0, 0.0]]))
    assert found.tolist() == [np.inf, 2.0, np.inf]


@given(_VALUES, st.integers(1, 40))
def test_spread_keeps_the_best_of_each_goal_and_never_more_than_wanted(values: Floats, count: int) -> None:
    chosen = spread(values, count)
    assert len(set(chosen.tolist())) == len(chosen) == min(count, len(values))
    if count >= values.shape[1]:
        assert (values[chosen].min(axis=0) == values.min(axis=0)).all()


def test_points_that_meet_bounds_are_chosen_first() -> None:
    values = np.array([[float(row), -float(row)] for row in range(10)])
    excess = np.where(np.arange(10) < 7, 1.0, 0.0)
    assert set(chosen_of_front(values, excess, 4).tolist()) >= {7, 8, 9}
    assert len(chosen_of_front(values, excess, 4)) == 4
    assert set(chosen_of_front(values, excess, 2).tolist()) <= {7, 8, 9}
