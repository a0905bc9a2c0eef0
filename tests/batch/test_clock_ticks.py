"""Moments on the time axis are whole hours and days of the machine's clocks."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.batch.clock import Clock
from fsconsole.batch.job_table import JobTable, job_table

ONE = np.ones(1, dtype=np.int64)
# 26 Oct 1996 00:00 in Stockholm, 22:00 UTC of the day before; summer time ends on the 27th at 3:00.
SUMMER_S = 846280800
H = 3600


def trace(unix_start_s: int | None, zone: str = "") -> JobTable:
    return job_table(ONE, 0 * ONE, ONE, ONE, 0 * ONE, ("u",), unix_start_s=unix_start_s, time_zone=zone)


def test_days_stay_whole_where_clocks_are_set_back() -> None:
    ticks = Clock(trace(SUMMER_S, "Europe/Stockholm")).ticks(0, 72 * H, 6)
    assert [words for _, words in ticks] == ["26 Oct", "12:00", "27 Oct", "12:00", "28 Oct", "12:00"]
    assert [second / H for second, _ in ticks] == [0, 12, 24, 37, 49, 61]


def test_without_dates_days_are_counted_from_the_start_of_the_trace() -> None:
    time = Clock(trace(None))
    assert time.ticks(0, 2 * 86400, 2) == [(0.0, "day 0"), (86400.0, "day 1"), (172800.0, "day 2")]
    assert time.words(86400 + 5 * H + 62) == "day 1 05:01:02"


def test_a_zone_that_nobody_knows_is_utc() -> None:
    time = Clock(trace(SUMMER_S, "Nowhere/Atlantis"))
    assert time.words(60) == "1996-10-25 22:01"
    assert time.words(60, is_full=False) == "25 Oct 22:01"


def test_moments_of_a_column_all_have_their_seconds() -> None:
    dated, counted = Clock(trace(SUMMER_S, "Europe/Stockholm")), Clock(trace(None))
    assert [dated.words(s, is_exact=True) for s in (0, 61)] == ["1996-10-26 00:00:00", "1996-10-26 00:01:01"]
    assert counted.words(86400, is_exact=True) == "day 1 00:00:00"


@pytest.mark.parametrize("span_s", [40, 4000, 90_000, 3_000_000, 40_000_000, 4_000_000_000])
@pytest.mark.parametrize("most", [1, 5, 12])
def test_there_are_a_few_ticks_in_sight(span_s: int, most: int) -> None:
    begin = 12_345
    ticks = Clock(trace(0)).ticks(begin, begin + span_s, most)
    assert len(ticks) <= most + 1
    assert all(begin <= second <= begin + span_s for second, _ in ticks)
    assert len(ticks) >= most // 8
