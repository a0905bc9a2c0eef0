"""Lengths of time as people and as Slurm write them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.length_words import jobs_words, limit_words, span_words
from fsconsole.slurm.parsers.values import length_s


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0 s"),
        (59.9, "59 s"),
        (60.0, "1 min"),
        (3661.0, "1 h 1 min"),
        (90_000.0, "1 d 1 h"),
        (-3.0, "0 s"),
    ],
)
def test_spans(seconds: float, words: str) -> None:
    assert span_words(seconds) == words
    assert span_words(math.inf) == "for ever"


@given(st.integers(0, 10**9))
def test_limits_are_read_back_as_they_were(seconds: int) -> None:
    assert length_s(limit_words(float(seconds))) == seconds


def test_limits_that_are_none() -> None:
    assert length_s(limit_words(math.inf)) == math.inf
    assert limit_words(None) == "not said"


def test_of_many_jobs_the_first_are_named() -> None:
    assert jobs_words(["7"]) == "job 7"
    assert jobs_words(["7", "9_1"]) == "jobs 7 and 9_1"
    assert jobs_words(["1", "2", "3", "4"]) == "jobs 1, 2, 3 and 4"
    assert jobs_words([str(number) for number in range(1, 1007)]) == "jobs 1, 2, 3 and 1,003 more"
