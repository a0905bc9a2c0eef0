from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.parsers.values import length_s
from fsconsole.text.durations import (
    axis_time,
    clock,
    cursor_time,
    day_duration,
    duration,
    hours_minutes,
    in_words,
    length_words,
    minutes,
    plot_time,
    seconds,
    short_duration,
    slurm_limit,
    typed_seconds,
)
from tests.texts import refuses, span

_UNITS_S = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_LENGTHS = st.integers(0, 10**9)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("120", 120),
        ("120 s", 120),
        ("2 min", 120),
        ("8h", 28800),
        ("1 d", 86400),
        ("100 ms", 0.1),
        ("-2 h", -7200),
    ],
)
def test_units(text: str, wanted: float) -> None:
    assert seconds(text) == wanted


@pytest.mark.parametrize("text", ["", "h", "8 x", "8 hours", "1h30", "nan", "inf", "1 2", "8 H"])
def test_what_is_no_time(text: str) -> None:
    with refuses(ValueError, "text.is-not-time-write-seconds"):
        seconds(text)


def test_a_message_shows_the_ends_of_a_long_text() -> None:
    with refuses(ValueError, "text.is-not-time-write-seconds") as error:
        seconds("x" * 1_000_000)
    assert re.match("'x+…x+' ", str(error.value))
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    ("time_s", "wanted"),
    [
        (28800, "8 h"),
        (1200, "20 min"),
        (120, "120 s"),
        (86400, "1 d"),
        (0, "0 s"),
        (0.25, "0.25 s"),
        (90, "90 s"),
    ],
)
def test_in_words(time_s: float, wanted: str) -> None:
    assert in_words(time_s) == wanted


@given(st.floats(-1e300, 1e300) | st.integers(-(10**6), 10**6).map(lambda n: n * 60.0))
def test_words_are_read_back_exactly(time_s: float) -> None:
    assert seconds(in_words(time_s)) == time_s


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0:00:00"),
        (7.9, "0:00:07"),
        (59.9999999, "0:01:00"),
        (6480, "1:48:00"),
        (360_000, "100:00:00"),
        (-90, "\u22120:01:30"),
        (-0.2, "0:00:00"),
        (None, "\u2013"),
        (math.nan, "\u2013"),
        (math.inf, "inf"),
    ],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_durations_with_tenths() -> None:
    assert duration(471.64, 1) == "0:07:51.6"
    assert duration(59.97, 1) == "0:00:59.9"


@pytest.mark.parametrize(
    ("seconds", "text"), [(970, "00:16:10"), (85510, "23:45:10"), (93600, "26:00:00"), (None, "\u2013")]
)
def test_the_clock_goes_on_beyond_a_day(seconds: float | None, text: str) -> None:
    assert clock(seconds) == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("9:20", 560), ("00:09:20", 560), ("26:00:00", 93_600), ("0:01.5", 1.5), ("9 min 20 s", 560),
     ("1 d 12 h", 129_600), ("1 d 2 h 3 min 4 s", 93_784), ("90", 90), ("2 h", 7200), ("100 ms", 0.1),
     ("30m", 1800), ("1 h 5 m", 3900)],
)  # fmt: skip
def test_times_are_typed_as_windows_show_them(text: str, wanted: float) -> None:
    assert typed_seconds(text) == wanted


@pytest.mark.parametrize("text", ["9:75", "1:2:3:4", "20 s 9 min", "1 h 2 h", "9:", "", "1 h x"])
def test_what_no_window_shows_is_no_time(text: str) -> None:
    with refuses(ValueError, "text.is-not-time-write-seconds"):
        typed_seconds(text)


@given(st.floats(0, 1e9))
def test_what_is_shown_of_a_time_can_be_typed(time_s: float) -> None:
    assert abs(typed_seconds(clock(time_s)) - time_s) <= 1
    assert abs(typed_seconds(length_words(time_s)) - time_s) <= 3600


def test_days_are_counted_on_long_axes() -> None:
    week_s = 7 * 86_400.0
    texts = [axis_time(days * 86_400.0, 0.0, week_s) for days in (0, 0.5, 2, 2.25)]
    assert texts == ["0", "12 h", "2 d", span(d=2, h=6)]
    assert axis_time(86_400.0, 0.0, 2 * 86_400.0) == "24:00:00"
    assert axis_time(610, 0, 970) == "10:10"


def test_plot_times_suit_the_range() -> None:
    assert plot_time(610, 970) == "10:10"
    assert plot_time(3600, 3600) == "60:00"
    assert plot_time(7200, 36_000) == "02:00:00"
    assert plot_time(None, 36_000) == "\u2013"
    assert minutes(math.inf) == "inf"


@given(st.integers(0, 10**7), st.integers(1, 10**7))
def test_two_plot_times_that_look_alike_are_the_same_time(time_s: int, last_s: int) -> None:
    parts = [int(part) for part in plot_time(time_s, last_s).split(":")]
    minutes_s = 60 * parts[-2] + parts[-1]
    assert minutes_s + (3600 * parts[0] if len(parts) == 3 else 0) == time_s


def test_the_cursor_tag_gives_clock_and_seconds() -> None:
    assert cursor_time(610, 970).split(", ") == ["10:10", "610 s"]


@pytest.mark.parametrize(
    ("time_s", "words"),
    [
        (0, "0 s"),
        (47, "47 s"),
        (59.9, "59 s"),
        (60.0, "1 min"),
        (28 * 60, "28 min"),
        (88 * 60, "1 h 28 min"),
        (200, "3 min 20 s"),
        (3600, "1 h"),
        (3661.0, "1 h 1 min"),
        (11520, "3 h 12 min"),
        (90_000.0, "1 d 1 h"),
        (190800, "2 d 5 h"),
        (-3.0, "0 s"),
        (math.inf, "forever"),
    ],
)
def test_lengths_in_words(time_s: float, words: str) -> None:
    assert length_words(time_s) == words


def _read(words: str) -> int:
    parts = words.split()
    return sum(int(count) * _UNITS_S[unit] for count, unit in zip(parts[::2], parts[1::2], strict=True))


@given(_LENGTHS, _LENGTHS)
def test_longer_times_never_read_shorter(one: int, other: int) -> None:
    first, second = sorted((one, other))
    assert _read(length_words(first)) <= _read(length_words(second))


@given(_LENGTHS)
def test_words_leave_out_less_than_their_last_unit(time_s: int) -> None:
    words = length_words(time_s)
    below = {"d": 3600, "h": 60}.get(words.split()[1], 1)
    assert 0 <= time_s - _read(words) < below


@given(_LENGTHS)
def test_all_that_is_written_with_colons_is_the_same_time(time_s: int) -> None:
    assert all(
        length_s(text) == time_s
        for text in (slurm_limit(time_s), short_duration(time_s), day_duration(time_s), duration(time_s))
    )
    assert length_s(f"{hours_minutes(time_s)}:00") == time_s // 60 * 60


@given(st.floats(-1e9, 1e9))
def test_signs_stand_before_what_is_not_nothing(time_s: float) -> None:
    for text in (duration(time_s), short_duration(time_s), hours_minutes(time_s), minutes(time_s)):
        digits = text.removeprefix("\N{MINUS SIGN}")
        assert (digits != text) == (time_s < 0 and digits.strip("0:") != "")


def test_limits_that_are_none() -> None:
    assert length_s(slurm_limit(math.inf)) == math.inf
    assert slurm_limit(None) == "not said"


@pytest.mark.parametrize(
    ("time_s", "text"),
    [
        (None, "\u2013"),
        (math.nan, "\u2013"),
        (math.inf, "inf"),
        (86399, "23:59:59"),
        (604800, "7-00:00:00"),
        (-90000, "\u22121-01:00:00"),
    ],
)
def test_from_a_day_on_days_are_reported(time_s: float | None, text: str) -> None:
    assert day_duration(time_s) == text


def test_short_forms() -> None:
    assert [short_duration(time_s) for time_s in (38 * 60 + 18, 3599.4, 7267)] == [
        "38:18",
        "59:59",
        "2:01:07",
    ]
    assert (hours_minutes(16200), duration(8081), short_duration(526)) == ("4:30", "2:14:41", "8:46")
    assert [hours_minutes(time_s) for time_s in (16200, 59, -1800, None)] == [
        "4:30",
        "0:00",
        "\u22120:30",
        "\u2013",
    ]
