from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.text import numbers as n


@pytest.mark.parametrize(
    ("fraction", "digits", "text"),
    [
        (0.19125, 3, "19.125\xa0%"),
        (0.6, 2, "60.00\xa0%"),
        (1.0, 3, "100.000\xa0%"),
        (0.402, 1, "40.2\xa0%"),
        (0.0, 1, "0.0\xa0%"),
        (-0.00001, 1, "0.0\xa0%"),
        (-0.0255, 2, "\u22122.55\xa0%"),
        (12.5, 1, "1\u202f250.0\xa0%"),
        (None, 1, "\u2013"),
        (math.nan, 1, "\u2013"),
        (math.inf, 1, "inf"),
    ],
)
def test_percent_has_fixed_digits(fraction: float | None, digits: int, text: str) -> None:
    assert n.percent(fraction, digits) == text


def test_the_unit_of_a_percent_can_stand_in_the_header() -> None:
    assert n.percent(0.5, 1, unit=False) == "50.0"


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (0.0255, "+2.55"),
        (-0.0255, "\u22122.55"),
        (0.0, "0.00"),
        (0.00001, "0.00"),
        (-0.00001, "0.00"),
        (None, "\u2013"),
        (math.nan, "\u2013"),
        (math.inf, "+inf"),
        (-math.inf, "\u2212inf"),
    ],
)
def test_points_are_signed_with_a_true_minus(difference: float | None, text: str) -> None:
    assert n.points(difference, 2) == text


def test_points_can_say_their_unit() -> None:
    assert n.points(-0.0255, 2, unit=True) == "\u22122.55 points"
    assert n.points(None, 2, unit=True) == "\u2013"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (7, "7"),
        (22920, "22\u202f920"),
        (73.1, "73.10"),
        (289.2, "289.2"),
        (0.04321, "0.043"),
        (9999.6, "10\u202f000"),
        (999_999, "999\u202f999"),
        (999_999.0, "1.000 M"),
        (1_000_000, "1.000 M"),
        (104_200_000.0, "104.2 M"),
        (-104_200_000.0, "\u2212104.2 M"),
        (999_960_000, "1.000 G"),
        (2.5e9, "2.500 G"),
        (3e12, "3.000 T"),
        (4.5e15, "4.500 P"),
        (6.02e18, "6.020 E"),
        (None, "\u2013"),
        (math.nan, "\u2013"),
        (math.inf, "inf"),
    ],
)
def test_live_numbers_have_four_significant_digits(value: float | None, text: str) -> None:
    assert n.si(value) == text


def test_a_unit_follows_the_letter() -> None:
    assert n.si(104_200_000.0, "W") == "104.2 MW"
    assert n.si(5, "W") == "5 W"


@given(st.floats(min_value=1e6, max_value=9.99e20))
def test_si_is_within_half_a_step_of_the_value(value: float) -> None:
    number, letter = n.si(value).replace(n.NARROW_SPACE, "").split(" ")
    shown = float(number) * {"M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}[letter]
    assert shown == pytest.approx(value, rel=0.5e-3 * 1.001)


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_thousands_read_back(value: int) -> None:
    text = n.thousands(value)
    assert int(text.replace(n.NARROW_SPACE, "").replace(n.MINUS, "-")) == value
    assert all(len(part) == 3 for part in text.split(n.NARROW_SPACE)[1:])


def test_copied_numbers_keep_every_digit() -> None:
    assert n.full(104_212_345.678) == "104212345.678"
    assert n.full(22920) == "22920"
    assert n.full(-0.5) == "-0.5"
    assert n.full(None) == "\u2013"
    assert n.full(-math.inf) == "-inf"


def test_a_bar_can_be_heard() -> None:
    answer = n.spoken_percent("share of machine", 0.19125, 3)
    assert answer.split() == ["share", "of", "machine", "19.125", "percent"]
    answer = n.spoken_percent("share of group", None, 2)
    assert answer.split() == ["share", "of", "group", "unknown"]


def test_terminals_and_documents_have_commas_and_plain_spaces() -> None:
    text = f"{n.thousands(1_234_567)} jobs, {n.percent(0.255)}, a\u202fb"
    assert n.on_terminal(text).split(", ") == ["1,234,567 jobs", "25.5 %", "a\u202fb"]


@pytest.mark.parametrize(
    ("low", "high", "text", "plain"),
    [
        (-0.72, 0.36, "\u22120.7 to +0.4", "-0.7 to +0.4"),
        (0.0, 0.0, "0", "0"),
        (-0.01, 0.04, "0", "0"),
        (-0.01, 0.36, "0.0 to +0.4", "0.0 to +0.4"),
        (None, None, "\u2013", "-"),
        (math.nan, math.nan, "\u2013", "-"),
        (-math.inf, 1.0, "\u2212inf to +1.0", "-inf to +1.0"),
    ],
)
def test_a_range_of_differences_that_is_nothing_is_0(
    low: float | None, high: float | None, text: str, plain: str
) -> None:
    assert n.signed_range(low, high, 1) == text
    assert n.plain_signed_range(low, high, 1) == plain


def test_a_plain_difference_that_rounds_to_nothing_has_no_sign() -> None:
    assert [n.plain_signed(value, 1) for value in (0.04, -0.04, 0.0, 1.25, -1234.5)] == [
        "0.0", "0.0", "0.0", "+1.2", "-1234.5",
    ]  # fmt: skip
