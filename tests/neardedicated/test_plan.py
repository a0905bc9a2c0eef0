"""The pure parts: estimates, eligibility, the scan, lanes, rows, order, watchdog, schedule, times."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.neardedicated.eligibility import Demonstration, held_because, shown_efficiency
from fsconsole.neardedicated.fits import queue_rows
from fsconsole.neardedicated.job_view import done_s, pace_of
from fsconsole.neardedicated.plan import (
    could_take_chances,
    extend_effect,
    first_that_fits,
    lane_by_estimate,
    lane_by_pace,
    lane_of_too_long,
    next_planned,
)
from fsconsole.neardedicated.state import Run, Watchdog
from fsconsole.neardedicated.times import clock
from fsconsole.neardedicated.view import Efficiency, Fit
from fsconsole.neardedicated.waiting import Waiting, estimate_s, expected_s, is_moved, moves, ordered
from fsconsole.shares.scenario.job_spec import JobSpec
from fsconsole.text.words import listed
from tests.console.operate import nights
from tests.texts import span, wording

START = datetime(1996, 2, 19, 23, 0)  # noqa: DTZ001 (the machine's own clock)
HOUR = 3600.0


def waits(request: int, name: str, hours_asked: float, shown: float | None = 0.9, **given: Any) -> Waiting:
    asked_s = hours_asked * HOUR
    estimate = estimate_s(asked_s, 2.0, 8)
    expected = estimate if shown is None else asked_s / (8 * shown)
    held = held_because(shown, 0.88)
    usual: dict[str, Any] = {"shown": shown, "held": held, "eligible": not held}
    return Waiting(request, "u", name, asked_s, estimate, expected, **(usual | given))


# The mock-up's queue, 4:30 before the window's end.
B, C = waits(2, "ccm-0219b", 16, 0.899), waits(3, "ccm-0219c", 16, 0.899)
RAMOS, KLIM = waits(4, "coupled-lr", 25, 0.914), waits(5, "gyre-08", 6, 0.886)
OTA, DUNN = waits(6, "reanal-2", 64 / 3, 0.902, take_chances=True), waits(7, "spec-t42", 4, 0.713)
QUEUE = [B, C, RAMOS, KLIM, OTA, DUNN]
AT, END = 4 * HOUR, 8.5 * HOUR


def test_the_estimate_is_requested_time_times_two_over_processors() -> None:
    assert estimate_s(16 * HOUR, 2.0, 8) == 4 * HOUR  # Brady et al. section 3.2


def test_the_expected_time_is_that_at_the_shown_efficiency() -> None:
    job = JobSpec("ccm-0219a", "nd", 16 * HOUR, tasks=8)
    assert expected_s(job, 0.899, cpus=8) == pytest.approx(2.2247 * HOUR, rel=1e-4)
    assert expected_s(job, None, cpus=8) is None


def test_tasks_beyond_the_processors_do_not_make_it_faster() -> None:
    many, as_many = (JobSpec("a", "nd", 16 * HOUR, tasks=tasks) for tasks in (64, 4))
    assert expected_s(many, 0.9, cpus=4) == expected_s(as_many, 0.9, cpus=4)


def test_efficiency_must_be_shown_and_measured() -> None:
    assert held_because(None, 0.88) == wording("neardedicated.ja-has-not-shown-efficiency")
    assert held_because(0.713, 0.88) == wording(
        "neardedicated.is-below", shown="71.3\xa0%", required="88\xa0%"
    )
    assert held_because(0.88, 0.88) == ""


def test_a_job_that_has_ended_shows_what_it_did_for_the_next_one_of_its_name() -> None:
    measured = [
        Demonstration("dunn", "spec-t42", 0.7),
        Demonstration("dunn", "spec-t42", 0.9),
        Demonstration("dunn", "other", 0.95),
        Demonstration("ota", "spec-t42", 0.99),
    ]
    assert shown_efficiency("dunn", "spec-t42", None, measured) == 0.9
    assert shown_efficiency("dunn", "spec-t42", 0.713, measured) == 0.9
    assert shown_efficiency("dunn", "new", None, measured) is None


def test_the_scan_takes_the_first_that_fits() -> None:
    assert first_that_fits(QUEUE, AT, END) is B
    assert first_that_fits([RAMOS, KLIM], AT, END) is KLIM
    assert first_that_fits([DUNN, RAMOS], AT, END) is None
    assert first_that_fits(QUEUE, END, END) is None
    assert first_that_fits([], AT, END) is None
    assert first_that_fits([RAMOS], AT, None) is RAMOS


def test_a_job_takes_its_chances_only_when_it_is_next_in_line() -> None:
    assert first_that_fits([DUNN, OTA], AT, END) is OTA
    assert first_that_fits([RAMOS, OTA], AT, END) is None
    assert first_that_fits([OTA, KLIM], AT, END) is OTA


def test_lanes_of_the_mock_up() -> None:
    sure = lane_by_estimate(QUEUE, AT, END)
    assert [(bar.place, bar.start_s / HOUR, bar.end_s / HOUR) for bar in sure] == [(1, 4, 8)]
    likely = lane_by_pace(QUEUE, 2.22 * HOUR, END)
    assert [bar.place for bar in likely] == [1, 2, 4]
    assert likely[-1].end_s < END
    too_long = lane_of_too_long(QUEUE, AT, END)
    assert [(bar.place, bar.end_s / HOUR, bar.fits) for bar in too_long] == [(3, 10.25, False)]


def test_rows_of_the_mock_up() -> None:
    sure, likely = lane_by_estimate(QUEUE, AT, END), lane_by_pace(QUEUE, 2.22 * HOUR, END)
    rows = queue_rows(QUEUE, AT, END, sure, likely, START)
    assert [row.fit for row in rows] == [
        Fit.FITS, Fit.FITS, Fit.TOO_LONG, Fit.FITS, Fit.TAKES_CHANCES, Fit.NOT_ELIGIBLE,
    ]  # fmt: skip
    assert [row.why for row in rows] == [
        wording("neardedicated.to-spare", end_s="30 min"),
        wording("neardedicated.if-ends-early", before="job 1"),
        wording("neardedicated.too-long", length_words=span(h=1, min=45)),
        wording("neardedicated.if-end-early", before="jobs " + listed([1, 2])),
        wording("neardedicated.only-if-first-killed-at", start="07:30"),
        wording("neardedicated.is-below", shown="71.3\xa0%", required="88\xa0%"),
    ]


def test_what_fits_now_but_is_in_no_lane_says_how_much_is_left() -> None:
    rows = queue_rows([KLIM], AT, END, (), (), START)
    assert rows[0].why == wording("neardedicated.to-spare-if-it-goes", left_s="3 h")
    assert queue_rows([KLIM], AT, None, (), (), START)[0].why == wording(
        "neardedicated.window-has-no-planned-end"
    )


def planned(queue: list[Waiting], at_s: float, free_s: float | None = None) -> list[tuple[Fit, str]]:
    """Fit and reason of each job when the watchdog kills at `at_s` and the job may end at `free_s`."""
    likely = lane_by_pace(queue, at_s if free_s is None else free_s, END)
    rows = queue_rows(queue, at_s, END, lane_by_estimate(queue, at_s, END), likely, START)
    return [(row.fit, row.why) for row in rows]


def test_two_that_fit_alone_do_not_both_fit() -> None:
    slow = [waits(request, "j", 16, 0.5, held="", eligible=True) for request in (1, 2)]
    assert planned(slow, AT) == [
        (Fit.FITS, wording("neardedicated.to-spare", end_s="30 min")),
        (Fit.FITS, wording("neardedicated.to-spare-if-it-goes", left_s="30 min")),
    ]
    pair = [waits(request, "j", 6, 0.5, held="", eligible=True) for request in (1, 2)]
    assert [why for _, why in planned(pair, AT)] == [
        wording("neardedicated.to-spare", end_s="3 h"),
        wording("neardedicated.to-spare", end_s=span(h=1, min=30)),
    ]


def test_what_fits_only_if_the_running_job_ends_early_says_so() -> None:
    assert planned([RAMOS], AT, 2.2 * HOUR) == [
        (Fit.TOO_LONG, wording("neardedicated.if-ends-early", before=wording("neardedicated.running-job")))
    ]
    assert planned([RAMOS], AT, 2.3 * HOUR) == [
        (Fit.TOO_LONG, wording("neardedicated.too-long", length_words=span(h=1, min=45)))
    ]
    short = waits(9, "s", 0.5)
    shown = planned([short, RAMOS], AT, 2 * HOUR)
    running = wording("neardedicated.running-job")
    both = listed([running, "job 1"])
    assert shown[1] == (Fit.TOO_LONG, wording("neardedicated.if-end-early", before=both))
    many = [waits(request, "m", 0.1) for request in range(20, 25)]
    six = listed([running, wording("neardedicated.jobs-before-it", places="5")])
    answer = planned([*many, RAMOS], AT, 1 * HOUR)[-1][1]
    assert answer == wording("neardedicated.if-end-early", before=six)


def test_chances_are_taken_by_the_next_in_line_alone() -> None:
    assert planned([OTA], AT) == [(Fit.TAKES_CHANCES, wording("neardedicated.killed-at", start="07:30"))]
    assert planned([RAMOS, OTA], AT)[1] == (
        Fit.TAKES_CHANCES,
        wording("neardedicated.only-if-first-killed-at", start="07:30"),
    )
    assert planned([OTA], AT, 3 * HOUR)[0][1] == wording("neardedicated.killed-at", start="07:30")
    assert could_take_chances([RAMOS, OTA], AT, END) is OTA
    assert could_take_chances([OTA], AT, END) is None  # it is started
    assert could_take_chances([KLIM, RAMOS, OTA], AT, END) is None
    assert could_take_chances([RAMOS, OTA], END, END) is None


def test_held_and_not_eligible_are_two_things() -> None:
    by_hand = waits(8, "kept", 1, held="held by an operator", eligible=True)
    assert [fit for fit, _ in planned([by_hand, DUNN], AT)] == [Fit.HELD, Fit.NOT_ELIGIBLE]


def test_the_end_is_expected_by_what_is_left_of_the_cpu_time_asked_for() -> None:
    # The mock-up's job at 23:45 with 4:34:51 of 16 h used at 89.7 %; its watchdog kills at 03:00.
    now_s, used_s = 45 * 60.0, 4 * HOUR + 34 * 60 + 51
    ends_s = done_s(now_s, 16 * HOUR - used_s, 8, 0.897)
    assert ends_s == pytest.approx((2 * 60 + 20.5) * 60, abs=30)
    assert done_s(now_s, 16 * HOUR, 8, 0.1) == now_s + 20 * HOUR
    assert done_s(now_s, 16 * HOUR, 8, 0.0) == math.inf
    assert done_s(now_s, -5.0, 8, 0.9) == now_s  # never before now
    assert done_s(now_s, 1.0, 8, None) is None


@given(st.floats(0, 1e6), st.floats(-10, 1e6), st.integers(1, 64), st.floats(0.001, 1))
def test_until_its_end_a_job_uses_the_cpu_time_that_is_left(
    now_s: float, left_s: float, tasks: int, pace: float
) -> None:
    ends_s = done_s(now_s, left_s, tasks, pace)
    assert ends_s is not None
    assert (ends_s - now_s) * tasks * pace == pytest.approx(max(left_s, 0.0), rel=1e-6, abs=1e-3)


@given(st.floats(0, 1e5), st.floats(0, 1e5))
def test_the_extension_that_is_offered_is_enough_and_five_minutes_less_is_not(
    watchdog_s: float, needs_s: float
) -> None:
    job = replace(nights.job(), watchdog_s=watchdog_s, needs_until_s=needs_s)
    view = replace(nights.night(), job=job, time_s=0.0)
    effect = extend_effect(view, job.extension_s)
    assert effect is not None
    assert effect.needs_until_s is None
    assert (job.extension_s == 0) == (needs_s - watchdog_s < 60)
    if job.extension_s:
        less = extend_effect(view, job.extension_s - 360)
        assert less is not None
        assert less.needs_until_s == needs_s
        assert needs_s <= effect.watchdog_s < needs_s + 300


def test_the_pace_is_that_of_the_last_whole_interval() -> None:
    run = Run(1, "j", 0, Watchdog(0.0, 100.0))
    assert (pace_of(run, None, None), pace_of(run, 0.9, 0.2), pace_of(run, None, 0.8)) == (None, 0.9, 0.8)
    run.history.append(Efficiency(300.0, 0.348, partly_setup=True))
    assert pace_of(run, 0.9, 0.7) == 0.9
    run.history.append(Efficiency(600.0, 0.85))
    assert pace_of(run, 0.9, 0.7) == 0.85


jobs = st.lists(
    st.builds(
        waits,
        st.integers(1, 10_000),
        st.just("j"),
        st.floats(0.1, 60),
        st.sampled_from([None, 0.7, 0.9, 0.95]),
        take_chances=st.booleans(),
    ),
    max_size=8,
    unique_by=lambda job: job.request,
)


@given(jobs, st.floats(0, 8 * HOUR))
def test_a_lane_never_passes_the_end_and_runs_each_job_once(queue: list[Waiting], at_s: float) -> None:
    for lane in (lane_by_estimate(queue, at_s, END), lane_by_pace(queue, at_s, END)):
        assert all(bar.end_s <= END for bar in lane)
        assert len({bar.request for bar in lane}) == len(lane)
        assert all(one.end_s == other.start_s for one, other in pairwise(lane))


@given(jobs, st.floats(0, 8 * HOUR))
def test_a_job_that_the_plan_kills_takes_chances_and_does_not_fit(queue: list[Waiting], at_s: float) -> None:
    lanes = lane_by_estimate(queue, at_s, END), lane_by_pace(queue, at_s, END)
    for row in queue_rows(queue, at_s, END, *lanes, START):
        if "killed" in row.why:
            assert row.fit is Fit.TAKES_CHANCES
        if row.fit is Fit.FITS:
            assert "killed" not in row.why


def test_a_job_that_takes_chances_says_so_before_during_and_after_the_night() -> None:
    """The mock-up's queue: 8 h 30 min are left before and after the night, 4 h 30 min during it."""
    found = set()
    for at_s, queue in ((0.0, [B, OTA]), (AT, [OTA, KLIM]), (0.0, [C, OTA, DUNN])):
        lanes = lane_by_estimate(queue, at_s, END), lane_by_pace(queue, at_s, END)
        rows = queue_rows(queue, at_s, END, *lanes, START)
        found.add(next((row.fit, row.why) for row in rows if row.name == OTA.name))
    assert found == {(Fit.TAKES_CHANCES, wording("neardedicated.killed-at", start="07:30"))}


@given(jobs, st.sampled_from(["arrival", "shares", "shortest", "efficiency", "by-hand"]))
def test_moves_bring_the_queue_into_the_order(queue: list[Waiting], order: str) -> None:
    now, wanted = [job.request for job in queue], ordered(queue, order)
    result = list(now)
    for request, place in moves(now, wanted):
        result.remove(request)
        result.insert(place - 1, request)
    assert result == wanted
    assert sorted(result) == sorted(now)
    assert moves(wanted, wanted) == []


def test_orders() -> None:
    ranked = [waits(1, "a", 9, 0.9, rank=3.0), waits(2, "b", 3, 0.99, rank=1.0), waits(3, "c", 6, None)]
    assert ordered(ranked[::-1], "arrival") == [1, 2, 3]
    assert ordered(ranked, "shares") == [3, 2, 1]
    assert ordered(ranked, "shortest") == [2, 3, 1]
    assert ordered(ranked, "efficiency") == [2, 1, 3]
    assert ordered(ranked[::-1], "by-hand") == [3, 2, 1]


def test_jobs_that_come_and_go_are_no_moves() -> None:
    assert not is_moved([1, 3, 4], [1, 2, 3])
    assert is_moved([3, 1], [1, 2, 3])
    assert not is_moved([], [1, 2])


def test_the_watchdog_kills_at_the_estimate_extensions_included() -> None:
    dog = Watchdog(100.0, 1000.0)
    assert (dog.deadline_s, dog.how) == (1100.0, wording("neardedicated.killed-by-watchdog"))
    dog.extended_s = 300.0
    assert dog.deadline_s == 1400.0
    chances = Watchdog(100.0, 1000.0, end_s=700.0)
    assert (chances.deadline_s, chances.how) == (700.0, wording("neardedicated.killed-at-window-s-end"))
    chances.retry_s = 760.0
    assert chances.acts_s == 760.0


DAILY = ("daily 23:00-07:30",)
TEN_TO = datetime(1996, 2, 19, 22, 50)  # noqa: DTZ001


def test_the_schedule_in_the_machine_s_time() -> None:
    first = next_planned(DAILY, TEN_TO, 0.0, None)
    assert first is not None
    assert (first.start_s, first.end_s) == (600.0, 600.0 + 8.5 * HOUR)
    within = next_planned(DAILY, TEN_TO, 1000.0, None)
    assert within is not None
    assert (within.scheduled_s, within.start_s) == (600.0, 1000.0)
    after = next_planned(DAILY, TEN_TO, 1000.0, 600.0)
    assert after is not None
    assert after.start_s == 600.0 + 24 * HOUR
    assert next_planned((), TEN_TO, 0.0, None) is None


def test_a_window_right_after_another_is_not_passed_over() -> None:
    lines = ("daily 23:00-01:00", "daily 01:00-03:00")
    second = next_planned(lines, TEN_TO, 600.0 + 2 * HOUR, 600.0)
    assert second is not None
    assert second.start_s == 600.0 + 2 * HOUR


def test_times_in_words() -> None:
    assert clock(START, 8.5 * HOUR) == "07:30"
