"""Weekly windows: when they are open, and what is told about lines that are none."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.scenario.weekly import DAYS, WeeklyWindows, window_problems
from tests.texts import Expected, naming, says, worded

MONDAY = datetime.fromisoformat("1996-02-19 00:00")  # the night of the paper's report
moments = st.integers(0, 28 * 1440).map(lambda minute: MONDAY + timedelta(minutes=minute))


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"1996-02-{text}")


def test_the_papers_night_runs_past_midnight() -> None:
    night = WeeklyWindows(("daily 23:00-07:30",))
    assert night.windows_after(at("19 22:50")) == (at("19 23:00"), at("20 07:30"))
    assert night.windows_after(at("19 23:00")) == (at("20 23:00"), at("21 07:30"))
    assert night.window_at(at("20 07:29")) == (at("19 23:00"), at("20 07:30"))
    assert night.window_at(at("20 07:30")) is None
    assert night.longest_s == 8.5 * 3600


def test_the_old_dedicated_window_on_working_days() -> None:
    early = WeeklyWindows(("mon-fri 01:00-06:00",))
    assert early.windows_after(at("23 06:00")) == (at("26 01:00"), at("26 06:00"))
    assert early.window_at(at("24 02:00")) is None


def test_a_window_may_be_a_day_long_and_there_may_be_none() -> None:
    whole = WeeklyWindows(("sun 00:00-24:00",))
    assert whole.windows_after(at("19 00:00")) == (at("25 00:00"), at("26 00:00"))
    assert WeeklyWindows(()).windows_after(MONDAY) is None
    assert WeeklyWindows(()).longest_s == 0


@given(st.sets(st.sampled_from(DAYS), min_size=1), st.integers(0, 1439), st.integers(1, 1440), moments)
def test_the_next_window_is_the_first_minute_that_is_open_after_a_closed_one(
    days: set[str], start: int, length: int, moment: datetime
) -> None:
    end = (start + length - 1) % 1440 + 1
    times = f"{start // 60:02}:{start % 60:02}-{end // 60:02}:{end % 60:02}"
    windows = WeeklyWindows((f"{','.join(sorted(days))} {times}",))
    after = windows.windows_after(moment)
    assert after is not None
    first, last = after
    assert moment < first <= moment + timedelta(days=7)
    assert DAYS[first.weekday()] in days
    assert (first.hour * 60 + first.minute, last - first) == (start, timedelta(minutes=length))
    assert windows.window_at(first) == after
    now = windows.window_at(moment)
    assert now is None or now[0] <= moment < now[1]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("23:00-07:30",), naming("cannot be read. Write DAYS HH:MM-HH:MM. Example: daily 23:00-07:30")),
        (("daily 23:00",), worded("shares.scenario.cannot-be-read-3")),
        (("daily 23:00-07:30 1",), worded("shares.scenario.cannot-be-read-3")),
        (("dayly 23:00-07:30",), naming("'dayly' in 'dayly 23:00-07:30' is not a day")),
        (
            ("daily 23:00-25:30",),
            worded("shares.scenario.in-is-not-time-of", text="'25:30'", line="'daily 23:00-25:30'"),
        ),
        (("daily 23:00-07:30", "sat 07:00-09:00"), naming("overlaps 'daily 23:00-07:30'")),
        (("sun 23:00-07:30", "mon 00:00-01:00"), naming("overlaps")),
        (("mon 01:00-02:00", "mon 01:00-02:00"), naming("overlaps")),
    ],
)
def test_lines_that_are_no_windows(lines: tuple[str, ...], message: Expected) -> None:
    (found,) = window_problems(lines)
    assert says(found, message)


def test_windows_may_touch() -> None:
    assert window_problems(("daily 23:00-24:00", "daily 00:00-07:30", "mon 07:30-08:00")) == []
