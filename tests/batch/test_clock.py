"""What clocks show where a machine stands; expected values by `TZ=... date -d @SECONDS`."""

from __future__ import annotations

from datetime import datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.clock import local_time, local_times, unix_times

STOCKHOLM = "Europe/Stockholm"
KTH_BEGINS = 843480031


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        (STOCKHOLM, "1996-09-23 14:00:31"),
        ("America/Chicago", "1996-09-23 07:00:31"),
        ("", "1996-09-23 12:00:31"),
        ("Middle/Earth", "1996-09-23 12:00:31"),
    ],
)
def test_clocks_are_those_of_the_zone_or_of_utc_where_it_is_not_known(zone: str, shown: str) -> None:
    assert str(local_time(KTH_BEGINS, zone)) == shown


def test_clocks_change_between_two_seconds() -> None:
    shown = local_times(pl.Series([846377999, 846378000]), STOCKHOLM).dt.strftime("%H:%M:%S")
    assert shown.to_list() == ["02:59:59", "02:00:00"]


def test_a_time_shown_twice_is_the_first_and_one_jumped_over_an_hour_later() -> None:
    shown = [datetime(1996, 10, 27, 2), datetime(1997, 3, 30, 2, 30)]  # noqa: DTZ001 (of the zone)
    assert unix_times(shown, STOCKHOLM) == [846374400, 859685400]


@given(st.integers(0, 2**32))
def test_what_clocks_show_is_shown_at_that_second_or_an_hour_before(unix_s: int) -> None:
    found = unix_times([local_time(unix_s, STOCKHOLM)], STOCKHOLM)[0]
    assert found in (unix_s, unix_s - 3600)
