from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.nights.replan import (
    expected_plan,
    free_s,
    move_sentence,
    moved,
    waiting_of,
    with_window,
)
from fsconsole.app.nights.times import Times, read_length
from fsconsole.console.kit.lanes import TOP
from fsconsole.console.operate.nights import dock_words
from fsconsole.console.operate.nights.controller import NoteStore, ShiftNote
from fsconsole.console.operate.nights.dialogs import effect_sentence
from fsconsole.console.operate.nights.state_chart import boxes_of, edges_of, taken_edges
from fsconsole.console.operate.nights.timeline_geometry import clear_of, layout_of, span_of
from fsconsole.neardedicated.plan import extend_effect
from fsconsole.neardedicated.view import Phase, Window
from fsconsole.text.durations import hours_minutes
from tests.console.operate import nights
from tests.console.operate.nights import END, EXPECTED, NOW, START, TIMES, WATCHDOG, H, night
from tests.texts import says, span, wording

SIZE = (1580.0, 186.0)


# -- times ------------------------------------------------------------------------------------------------


def test_seconds_are_times_of_day() -> None:
    assert TIMES.clock(NOW) == "23:45:10"
    assert TIMES.short(END) == "07:30"
    assert TIMES.short(None) == "–"
    assert TIMES.date(START).split() == ["Mon", "19", "Feb", "1996"]
    assert TIMES.date(END).split() == ["Tue", "20", "Feb", "1996"]


@given(st.floats(0, 1e6))
def test_a_snapped_time_is_on_five_minutes_and_near(time_s: float) -> None:
    snapped = TIMES.snapped(time_s)
    assert abs(snapped - time_s) <= 150.001
    assert TIMES.day_s(round(snapped, 3)) % 300 == pytest.approx(0, abs=1e-3)


def test_the_next_time_of_the_clock_is_tomorrow_where_it_has_gone_by() -> None:
    assert TIMES.next_at(6, 0, NOW) == END - 1.5 * H
    assert TIMES.next_at(23, 45, NOW) == NOW - 10 + 24 * H


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (1800, "0:30"), (15000, "4:10"), (-1800, "−0:30"), (None, "–")]
)
def test_lengths(seconds: float | None, text: str) -> None:
    assert hours_minutes(seconds) == text
    if seconds is not None:
        assert read_length(text) == seconds


def test_what_is_no_length() -> None:
    answer = read_length("half an hour")
    assert answer is None
    assert read_length("1:75") is None


# -- the time line ----------------------------------------------------------------------------------------


def test_marks_and_bars_stand_at_their_times() -> None:
    layout = layout_of(night(), TIMES, *SIZE)
    assert layout.start_x == pytest.approx(layout.axis.x(START))
    assert layout.end_x == pytest.approx(layout.axis.x(END))
    assert layout.watchdog_x == pytest.approx(layout.axis.x(WATCHDOG))
    assert layout.expected_x == pytest.approx(layout.axis.x(EXPECTED))
    done, rest = layout.bars[:2]
    assert (done.kind, rest.kind) == ("done", "rest")
    assert done.x + done.width == pytest.approx(rest.x) == pytest.approx(layout.axis.x(NOW))
    assert [bar.item for bar in layout.lanes[2].bars] == [41878, 41879, 41881]
    too_long = layout.bars[-1]
    assert too_long.beyond
    label, *times = too_long.words.split(", ")
    assert label.split() == ["3", "ramos", "coupled-lr"]
    assert times == ["estimate " + span(h=6, min=15), "ends 09:15"]
    kills, estimate = layout.beside
    assert kills == wording("console.operate.nights.watchdog-kills-at", watchdog_s="03:00")
    length, _, origin = estimate.partition("=")
    assert length.strip() == "estimate " + span(h=4)
    assert origin.split() == ["16", "h", "CPU", "×", "2", "÷", "8", "CPUs"]
    assert layout.spare is not None
    assert layout.spare[1] == span(min=30) + " left"


def test_the_watchdog_says_an_extension() -> None:
    extended = replace(night(), job=replace(nights.job(), watchdog_s=WATCHDOG + 1800))
    assert (
        layout_of(extended, TIMES, *SIZE)
        .beside[1]
        .startswith(
            wording("console.operate.nights.extended-by", length=span(min=30), origin="estimate " + span(h=4))
        )
    )


@given(st.floats(600, 3000), st.floats(80, 500))
def test_nothing_leaves_the_plot(width: float, height: float) -> None:
    layout = layout_of(night(), TIMES, width, height)
    assert layout.lanes[0].y == TOP
    for bar in layout.bars:
        assert layout.axis.left - 1e-6 <= bar.x
        assert bar.x + bar.width <= layout.axis.right + 1e-6
    for upper, lower in zip(layout.lanes, layout.lanes[1:], strict=False):
        assert upper.y + upper.height == pytest.approx(lower.y)


@given(st.floats(0, 40000))
def test_places_and_times_are_each_others_inverse(time_s: float) -> None:
    layout = layout_of(night(), TIMES, *SIZE)
    if layout.axis.from_s <= time_s <= layout.axis.to_s:
        assert layout.axis.time(layout.axis.x(time_s)) == pytest.approx(time_s, abs=1e-3)


def test_a_mark_is_taken_hold_of_within_reach() -> None:
    layout = layout_of(night(), TIMES, *SIZE)
    assert layout.end_x is not None
    assert layout.start_x is not None
    assert layout.mark_at(layout.end_x - 5) == "end"
    assert layout.mark_at(layout.start_x + 5) == "start"
    assert layout.mark_at(layout.end_x - 9) is None


def test_a_night_without_a_window_is_drawn() -> None:
    none = replace(nights.empty_night(), window=Window(None, None, is_open=False))
    layout = layout_of(none, TIMES, *SIZE)
    assert layout.start_x is None
    assert layout.bars == ()
    assert span_of(none)[0] < NOW < span_of(none)[1]


def test_jobs_that_have_ended_stand_in_the_lane_of_the_running_one() -> None:
    ended = replace(nights.report().jobs[0], start_s=START, wall_s=300.0)
    shown = replace(night(), night=replace(nights.report(), jobs=(ended, *nights.report().jobs)))
    layout = layout_of(shown, TIMES, 1200, 186)
    over = [bar for bar in layout.bars if bar.kind == "over"]
    assert [(bar.x, bar.x + bar.width) for bar in over] == [
        (layout.axis.x(START), layout.axis.x(START + 300))
    ]
    assert over[0].tip == wording(
        "console.operate.nights.to-2", name="klim gyre-07", start_s="23:00", end_s="23:05", how="ended"
    )


def test_one_lane_has_the_running_job_alone() -> None:
    layout = layout_of(night(), TIMES, 900, 80, one_lane=True)
    assert len(layout.lanes) == 1
    assert layout.lanes[0].bars == layout.bars


# -- what runs when ---------------------------------------------------------------------------------------


def test_the_plan_is_that_of_the_controller() -> None:
    assert free_s(night(), by_pace=False) == WATCHDOG
    assert free_s(night(), by_pace=True) == EXPECTED
    assert [bar.request for bar in expected_plan(night())][:2] == [41878, 41879]


def test_an_earlier_end_leaves_jobs_out_before_it_is_made() -> None:
    earlier = with_window(night(), START, WATCHDOG + 3 * H)
    assert [bar.request for bar in earlier.plan_by_estimate] == [41881]
    assert {bar.request for bar in earlier.too_long} >= {41878, 41879, 41880}
    later = with_window(night(), START, WATCHDOG + 7 * H)
    assert 41880 not in {bar.request for bar in later.too_long}


@given(st.floats(0, 500), st.floats(0, 500), st.floats(1, 300), st.none() | st.floats(-50, 1100))
def test_words_are_not_crossed_by_a_mark(
    left: float, width: float, needed: float, mark: float | None
) -> None:
    right = left + width
    start, end = clear_of(left, right, needed, mark)
    assert left <= start
    assert start >= end or end <= right
    words_end = start + min(needed, max(end - start, 0.0))
    if mark is not None and words_end > start:
        assert not start < mark < words_end
    if mark is None or mark - left >= needed + 4 or right - mark >= needed + 8:
        # Words are whole where there is room.
        assert words_end - start == pytest.approx(min(needed, width))


@given(st.integers(1, 6), st.integers(-3, 12))
def test_a_move_loses_no_job(place: int, to: int) -> None:
    request = nights.queue()[place - 1].request
    after = [job.request for job in moved(waiting_of(night()), request, to)]
    assert sorted(after) == [row.request for row in nights.queue()]
    assert after.index(request) == min(max(to, 1), 6) - 1


def test_a_move_is_reported_in_words() -> None:
    shown = move_sentence(night(), 41881, 3)
    assert says(shown, "app.nights.moves-to-position-and", name="gyre-08", place="3")
    assert "still runs" in shown
    assert shown.endswith("after ccm-0219c.")
    first = move_sentence(night(), 41879, 1)
    assert "still" not in first
    assert "after ccm-0219a." in first
    assert says(move_sentence(night(), 41883, 1), "app.nights.does-not-run-in-this")


def test_an_extension_is_reported_before_it_is_done() -> None:
    effect = extend_effect(night(), 2.5 * H)
    assert effect is not None
    shown = effect_sentence(effect, TIMES)
    effects, _, names = shown.rpartition(": ")
    assert effects == " ".join(
        (
            wording("console.operate.nights.watchdog-moves-to", watchdog_s="05:30"),
            wording("console.operate.nights.window-ends-at", window_end_s="07:30"),
            "2",
            wording("console.operate.nights.queued-jobs-no-longer-fit"),
        )
    )
    assert names.split()[::2] == ["ccm-0219b", "ccm-0219c."]
    past = extend_effect(night(), 5 * H)
    assert past is not None
    assert says(
        effect_sentence(past, TIMES),
        "console.operate.nights.that-is-after-window-s",
        over="30 min",
        window_end_s="07:30",
    )


# -- the chart and the headers ----------------------------------------------------------------------------


@pytest.mark.parametrize("phase", list(Phase))
def test_the_chart_has_one_present_state(phase: Phase) -> None:
    shown = replace(night(), phase=phase)
    boxes = boxes_of(shown, 390, 140)
    assert len(boxes) == 5
    assert [box.phase for box in boxes if box.is_current] == [phase]
    assert len(edges_of(shown, boxes)) == 6


def test_the_way_of_the_job_is_taken() -> None:
    taken = taken_edges(night(), Phase.PREEMPTING)
    assert taken == {(Phase.SCANNING, Phase.PREEMPTING), (Phase.PREEMPTING, Phase.RUNNING)}


def test_headers() -> None:
    message = dock_words.window_words(night(), TIMES, is_armed=False)
    lengths = [span(h=8, min=30) + " long", span(h=7, min=44) + " left"]
    assert message.split(", ") == [TIMES.date(START), *lengths]
    assert dock_words.control_words(night(), TIMES) == wording(
        "console.operate.nights.watchdog-in", since="since 23:06", left_s=span(h=3, min=14)
    )
    assert dock_words.use_title(300.0) == wording("console.operate.nights.system-use-per", interval_s="5 min")
    closed = replace(nights.empty_night(), window=Window(END, END + H, is_open=False))
    assert says(
        dock_words.window_words(closed, TIMES, is_armed=False),
        "console.operate.nights.starts-in",
        start_s=span(h=7, min=44),
    )


# -- the shift note ---------------------------------------------------------------------------------------


def test_a_note_is_kept_for_each_machine(tmp_path: Path) -> None:
    store = NoteStore(tmp_path / "notes")
    assert store.read("Y-MP 8/64") is None
    store.write("Y-MP 8/64", ShiftNote("Tape fails.", "hale", "today"))
    assert store.read("Y-MP 8/64") == ShiftNote("Tape fails.", "hale", "today")
    assert store.read("Convex") is None
    store.write("Y-MP 8/64", ShiftNote("", "hale", "today"))
    assert store.read("Y-MP 8/64") is None


@pytest.mark.parametrize("rubbish", ["", "{}", "[1]", '{"text": 1}', "\x00"])
def test_a_note_that_cannot_be_read_is_none(tmp_path: Path, rubbish: str) -> None:
    store = NoteStore(tmp_path)
    (tmp_path / "convex.json").write_text(rubbish)
    assert store.read("convex") is None


def test_times_need_no_zone() -> None:
    assert Times(datetime(2000, 1, 1, 0, 0)).short(60.0) == "00:01"  # noqa: DTZ001
