"""The next reset of all usage is that of slurm.conf(5), on the cluster's calendar."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.parsers.scontrol_config import SlurmConfig, read_scontrol_config
from fsconsole.slurm.usage_reset import next_reset, reset_words, utc_offset_s
from fsconsole.targets.slurm.location import example_capture
from tests.texts import says

PERIODS = ("DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY")
TEXT = (example_capture() / "settings.txt").read_text()
READ = read_scontrol_config(TEXT)


def _with(period: str, offset_s: float | None = 0.0) -> SlurmConfig:
    return replace(READ, values={**READ.values, "priorityusageresetperiod": period}, utc_offset_s=offset_s)


def _begins(day: datetime, period: str) -> bool:
    """Whether a period begins at a midnight."""
    return {
        "DAILY": True,
        "WEEKLY": day.isoweekday() == 7,
        "MONTHLY": day.day == 1,
        "QUARTERLY": day.day == 1 and day.month in (1, 4, 7, 10),
        "YEARLY": (day.day, day.month) == (1, 1),
    }[period]


@given(
    st.integers(1_577_836_800, 2_114_380_800),
    st.sampled_from(PERIODS),
    st.sampled_from((-39600, -12600, 0, 20700, 46800)),
)
def test_the_next_reset_is_the_first_midnight_after_now_that_begins_a_period(
    now_s: int, period: str, offset_s: int
) -> None:
    zone = timezone(timedelta(seconds=offset_s))
    there = datetime.fromtimestamp(now_s, zone)
    found = next_reset(_with(period, offset_s), now_s)
    assert found is not None
    assert found.left_s == pytest.approx((found.at - there).total_seconds())
    midnight = there.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    while not _begins(midnight, period):
        midnight += timedelta(days=1)
    assert found.at == midnight


@pytest.mark.parametrize("period", ["NONE", "NOW", "", "(null)"])
def test_other_periods_have_no_date(period: str) -> None:
    assert next_reset(_with(period), 1.8e9) is None
    assert bool(reset_words(_with(period), 1.8e9)) is (period == "NOW")
    assert next_reset(None, 1.8e9) is None


def test_the_zone_is_that_of_the_cluster_where_its_clock_is_right() -> None:
    printed = datetime(2026, 11, 30, 17, 14, 9, tzinfo=UTC).timestamp()
    for offset_s in (-36000, 0, 3600, 20700):
        assert utc_offset_s(TEXT, printed - offset_s + 2) == offset_s
    assert utc_offset_s(TEXT, printed - 400) is None
    assert utc_offset_s(TEXT, printed + 30 * 86400) is None
    assert utc_offset_s("", printed) is None
    (words,) = reset_words(_with("DAILY", 20700.0), printed)
    assert says(words, "slurm.priorityusageresetperiod-slurm-sets-all-usage", period="DAILY")
    assert "2026-12-01 00:00" in words
