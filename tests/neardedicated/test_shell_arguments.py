"""Times as an operator types them."""

from __future__ import annotations

from datetime import datetime

import pytest

from fsconsole.neardedicated.shell_arguments import length_s, moment_s
from tests.texts import Expected, naming, refuses, worded

START = datetime(1996, 2, 19, 22, 50)  # noqa: DTZ001 (the machine's own clock)
NOW_S = 600.0  # 23:00


@pytest.mark.parametrize(
    ("typed", "time_s"),
    [
        ("23:30", 600 + 1800),
        ("07:30", 600 + 8.5 * 3600),
        ("7:30:15", 600 + 8.5 * 3600 + 15),
        ("22:50", 86400),
        ("23:00", 600 + 86400),  # now is over
        ("+30min", 600 + 1800),
        ("+ 2 h", 600 + 7200),
        ("2h", 7200),
        (" 2 h ", 7200),
        ("601", 601),
    ],
)
def test_times_to_come(typed: str, time_s: float) -> None:
    assert moment_s(typed, NOW_S, START) == time_s


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("24:00", worded("neardedicated.is-not-time-of-day")),
        ("23:60", worded("neardedicated.is-not-time-of-day")),
        ("10min", worded("neardedicated.counts-from-machine-s-0", now="23:00:00")),
        ("-5", worded("neardedicated.counts-from-machine-s-0")),
        ("soon", naming("'soon' is not a time. Write a time of day such as 23:30")),
        ("", worded("neardedicated.is-not-time")),
        ("+", worded("neardedicated.is-not-time")),
        ("+1e300h", worded("neardedicated.too-long")),
        ("nan", worded("neardedicated.is-not-time")),
        ("23:30pm", worded("neardedicated.is-not-time")),
        ("٢٣:٣٠", worded("neardedicated.is-not-time")),
    ],
)
def test_what_is_none_is_reported(typed: str, message: Expected) -> None:
    with refuses(ValueError, message):
        moment_s(typed, NOW_S, START)


@pytest.mark.parametrize(
    ("typed", "time_s"), [("30min", 1800), ("+2 h", 7200), ("-10min", -600), ("90s", 90)]
)
def test_lengths(typed: str, time_s: float) -> None:
    assert length_s(typed) == time_s


@pytest.mark.parametrize("typed", ["30", "41877", "", "soon", "0min", "1e300h", "--5min", "min"])
def test_a_length_needs_its_unit(typed: str) -> None:
    with pytest.raises(ValueError, match=r"is not a (time|duration)|changes nothing|too long"):
        length_s(typed)
