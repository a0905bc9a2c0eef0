from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.text.durations import in_words, seconds


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
    with pytest.raises(
        ValueError, match=r"is not a time\. Write seconds, or a number with ms, s, min, h or d"
    ):
        seconds(text)


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
