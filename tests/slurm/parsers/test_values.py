"""Single values, as the man pages say that they are printed."""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.pipes import header
from fsconsole.slurm.parsers.values import count, exit_code, length_s, moment_s, named, non_null, resource


@given(st.integers(0, 5 * 10**8))
def test_lengths_as_slurm_writes_them_come_back(seconds: int) -> None:
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    assert length_s(f"{days}-{hour:02}:{minute:02}:{second:02}") == seconds
    assert length_s(f"{minutes}:{second:02}") == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30", 1800), ("5 min", 300), ("10 sec", 10), ("UNLIMITED", math.inf), ("N/A", None), ("", None)],
)
def test_other_lengths(text: str, seconds: float | None) -> None:
    assert length_s(text) == seconds


@given(st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)))  # noqa: DTZ001 (the clock is given apart)
def test_moments_come_back(when: datetime) -> None:
    whole = when.replace(microsecond=0, tzinfo=UTC)
    assert moment_s(f"{whole:%Y-%m-%dT%H:%M:%S}", UTC) == whole.timestamp()
    assert moment_s(str(int(whole.timestamp())), UTC) == whole.timestamp()


@pytest.mark.parametrize("text", ["Unknown", "None", "N/A", "", "0", "(null)"])
def test_no_moment(text: str) -> None:
    assert moment_s(text, UTC) is None


def test_counts_that_are_shortened_or_ranges() -> None:
    assert [count(text) for text in ("8", "2K", "1.5K", "1-4", "", "N/A")] == [8, 2048, 1536, 1, 0, 0]


def test_resources() -> None:
    assert resource("cpu=6,node=1,billing=6", "billing") == 6
    assert resource("cpu=6", "billing") is None
    assert resource("billing=nan,billing=3", "billing") is None
    assert exit_code("0:15") == (0, 15)


def test_words_for_nothing_may_be_names() -> None:
    assert (non_null("None"), named("none"), named("(null)")) == ("", "none", "")


@given(st.text(max_size=20))
def test_anything_else_is_read_or_refused(text: str) -> None:
    for read in (length_s, count, exit_code, lambda value: moment_s(value, UTC)):
        with suppress(DamagedError):  # anything else would be a fault
            read(text)


@given(st.lists(st.sampled_from(["", "A", "a ", "b", "B#2", "c#d"]), max_size=12))
def test_columns_of_a_header_are_numbered(columns: list[str]) -> None:
    """Held against counting all names before each one."""
    expected: list[str] = []
    for column in columns:
        stem = column.replace(" ", "").lower()
        before = sum(1 for name in expected if name.partition("#")[0] == stem)
        expected.append(f"{stem}#{before + 1}" if before else stem)
    assert header(columns) == expected


def test_a_header_of_many_columns_is_read_in_one_pass() -> None:
    """A quadratic way would compare five thousand million pairs."""
    assert header([""] * 100_000)[-1] == "#100000"
