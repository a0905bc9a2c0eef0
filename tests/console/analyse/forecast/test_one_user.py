"""One user: the paper's Figure 3, and laws of what is ours."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.forecast.entry import WEEK_S, number, optional, plain
from fsconsole.app.forecast.jobs import (
    IN_WEEKS,
    MOST_JOBS,
    Job,
    in_hours,
    jobs_from_json,
    jobs_to_json,
    next_job,
)
from fsconsole.app.forecast.one_figures import figures_of
from fsconsole.app.forecast.one_user import PAPER_NOTE, OneUser, look, reached_s
from fsconsole.slurm.damping import controlled
from tests.texts import refuses

PAPER = ((2.0, 0.703), (2.5, 0.779), (4.0, 0.498), (5.0, 0.349), (6.5, 0.508))

jobs = st.lists(
    st.builds(
        lambda cores, start, length: Job(cores, start * 3600.0, (start + length) * 3600.0),
        st.floats(0, 500),
        st.integers(0, 900),
        st.integers(1, 900),
    ),
    max_size=5,
).map(tuple)


def test_it_begins_with_the_papers_table_and_gives_what_its_equations_give() -> None:
    found = look(OneUser())
    assert found.marks_s == tuple(week * WEEK_S for week, _ in PAPER)
    for week, expected in PAPER:
        assert found.fairshare_at(week * WEEK_S) == pytest.approx(expected, abs=5e-4)
    usage, fairshare = figures_of(found)
    assert [words for words in fairshare.curves[0].labels if words] == [f"{value}" for _, value in PAPER]
    assert fairshare.caption.endswith(PAPER_NOTE)
    assert fairshare.provenance.remarks == (PAPER_NOTE,)
    assert usage.curves[1].labels[0].startswith("u* 10")


def test_another_table_says_nothing_of_the_paper() -> None:
    for other in (OneUser(target_h=9000.0), OneUser(jobs=()), OneUser(half_life_d=8.0)):
        assert not other.is_papers
        assert PAPER_NOTE not in figures_of(look(other))[1].caption


def test_twice_the_factor_is_the_square_root_of_fairshare() -> None:
    found = look(OneUser(compared=2.0))
    assert found.compared is not None
    np.testing.assert_allclose(found.compared.fairshare**2, found.path.fairshare)


def test_a_target_far_above_all_usage_is_not_drawn() -> None:
    assert [curve.name for curve in figures_of(look(OneUser(target_h=1e9)))[0].curves] == ["usage"]


@given(jobs, st.floats(0, 50_000), st.floats(0.05, 0.95))
def test_from_when_it_is_reached_fairshare_stays_as_wished_and_just_before_it_does_not(
    planned: tuple[Job, ...], usage_h: float, wished: float
) -> None:
    asked = OneUser(jobs=planned, usage_h=usage_h, wished=wished)
    found = reached_s(asked)
    assert found is not None
    assert math.isfinite(found)
    far = max(found, *(job.end_s for job in planned), WEEK_S) + WEEK_S
    path = controlled(usage_h, [job.spell for job in planned], asked.target_h, far, asked.half_life_s, 3000)
    after, before = path.times_s >= found, path.times_s < found
    assert (path.fairshare[after] >= wished * (1 - 1e-9)).all()
    if before.any():
        assert path.fairshare[before][-1] <= wished * (1 + 1e-9) + 0.02
        late = controlled(usage_h, [job.spell for job in planned], asked.target_h, found, asked.half_life_s)
        assert late.fairshare[-1] == pytest.approx(wished, rel=1e-6)


def test_all_of_fairshare_is_never_reached_once_something_was_used() -> None:
    assert reached_s(OneUser(wished=1.0)) == math.inf
    assert reached_s(OneUser(jobs=(), wished=1.0)) == 0.0
    assert reached_s(OneUser()) is None


def test_what_is_remembered_comes_back_and_what_cannot_be_does_not() -> None:
    asked = OneUser(jobs=(Job(3, 0, 60.0),), damping=0.5, target_h=7.0, compared=None, wished=0.25)
    assert OneUser.from_json(asked.to_json()) == asked
    for odd in ({"jobs": [[1]]}, {"jobs": [[1, 5, 2]]}, {"damping": -1}, {"until_wk": "far"}, {"wished": 2}):
        assert OneUser.from_json(odd) == OneUser()
    assert jobs_from_json([[1, 0, 1]] * (MOST_JOBS + 1), ()) == ()


@pytest.mark.parametrize(
    ("column", "text", "expected"),
    [
        (0, "84", Job(84, 2.5 * WEEK_S, 4 * WEEK_S)),
        (1, "1,5", Job(56, 1.5 * WEEK_S, 4 * WEEK_S)),
        (2, " 5 ", Job(56, 2.5 * WEEK_S, 5 * WEEK_S)),
    ],
)
def test_cells_in_weeks(column: int, text: str, expected: Job) -> None:
    assert IN_WEEKS[column].typed(Job(56, 2.5 * WEEK_S, 4 * WEEK_S), text) == expected


@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        (0, "many", "'many' is not a number from 0 to .*. Example: 28"),
        (0, "-1", "from 0"),
        (1, "4", "the start must be before the end, week"),
        (2, "2.5", "the end must be after the start, week"),
        (2, "1e9", "to 520"),
    ],
)
def test_wrong_cells_say_what_would_be_right(column: int, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        IN_WEEKS[column].typed(Job(56, 2.5 * WEEK_S, 4 * WEEK_S), text)


def test_a_job_in_hours_moves_as_a_whole() -> None:
    job = Job(8, 3600.0, 7200.0)
    columns = in_hours(lambda one: one)
    assert columns[1].typed(job, "2") == Job(8, 7200.0, 10800.0)
    assert columns[2].typed(job, "0.5") == Job(8, 3600.0, 5400.0)
    assert [column.words(job) for column in columns] == ["8", "1", "1"]


def test_a_job_in_hours_is_cores_or_resources_with_their_price() -> None:
    use = in_hours(lambda one: replace(one, cores=5.0) if one.requests else one)[0]
    found = use.typed(Job(8, 0, 3600.0), " cpus=4,gres=gpu:2 ")
    assert found == Job(5, 0, 3600.0, "cpus=4,gres=gpu:2")
    assert use.words(found) == "cpus=4,gres=gpu:2"
    assert use.typed(found, "3") == Job(3, 0, 3600.0)
    with refuses(ValueError, "app.forecast.is-not-key-value-with"):
        use.typed(found, "cores=4")
    (kept,) = jobs_from_json(jobs_to_json([found]), ())
    assert math.isnan(kept.cores)
    assert (kept.end_s, kept.requests) == (3600.0, found.requests)
    assert next_job([found], 60.0) == replace(found, start_s=3600.0, end_s=3660.0)
    for odd in ([["cpu=4", 0, 1]], [["cpus=4", 2, 1]], [["", 0, 1]]):
        assert jobs_from_json(odd, ()) == ()


def test_a_new_job_follows_the_last() -> None:
    assert next_job((), 60.0) == Job(1, 0, 60.0)
    assert next_job((Job(7, 10.0, 20.0),), 60.0) == Job(7, 20.0, 80.0)


def test_numbers_and_times_as_people_write_them() -> None:
    assert number("10 000", 0, 1e6, "1") == 10_000
    assert number("2,5", 0, 1e6, "1") == 2.5
    assert optional(" ", 0, 1, "0.5") is None
    for text in ("nan", "inf", "0x1", ""):
        with refuses(ValueError, "app.forecast.is-not-number-example", least="above", example="0.5"):
            number(text, 0, 1, "0.5", above=True)
    assert (plain(0.1), plain(1e6), plain(2.5)) == ("0.1", "1000000", "2.5")


def test_events_of_the_figure_on_paper_are_the_jobs() -> None:
    usage, _ = figures_of(look(replace(OneUser(), until_wk=3.0)))
    assert [(event.at_s / WEEK_S, event.text) for event in usage.events] == [
        (0, "28 cores"),
        (2.5, "56 cores"),
    ]
