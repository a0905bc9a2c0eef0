"""Times and lists in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.batch.words import (
    Clock,
    count_words,
    hours_words,
    jobs_words,
    length_words,
    ordinal,
)
from tests.batch.insight.workloads import table

_JOBS = table([(0, 1, 1, 0)])


def test_a_trace_without_a_date_counts_days() -> None:
    clock = Clock(_JOBS)
    assert [clock(0), clock(86400 + 3661)] == ["day 0 00:00", "day 1 01:01:01"]
    assert Clock(_JOBS, beside_s=5)(3600) == "01:00"


def test_a_trace_with_a_date_tells_the_time_on_its_machine() -> None:
    """KTH's header: UnixStartTime 843480031 is StartTime Mon Sep 23 14:00:31 CEST 1996."""
    kth = replace(_JOBS, unix_start_s=843480031, time_zone="Europe/Stockholm")
    assert Clock(kth)(0) == "1996-09-23 14:00:31"
    assert Clock(kth, beside_s=0)(29) == "14:01"
    assert Clock(replace(kth, time_zone=""))(0) == "1996-09-23 12:00:31"
    assert Clock(replace(kth, time_zone="Nowhere/Nothing"))(0) == "1996-09-23 12:00:31"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (200, "3 min 20 s"),
        (3600, "1 h"),
        (11520, "3 h 12 min"),
        (190800, "2 d 5 h"),
    ],
)
def test_lengths(seconds: int, words: str) -> None:
    assert length_words(seconds) == words


def test_counts_lists_and_hours() -> None:
    assert [count_words(count, "node") for count in (1, 2, 2000)] == ["1 node", "2 nodes", "2,000 nodes"]
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 21, 112)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "21st",
        "112th",
    ]
    assert jobs_words([7]) == "job 7"
    assert jobs_words([7, 9, 12, 14]) == "jobs 7, 9, 12 and 14"
    assert jobs_words([7, 9, 12, 14, 15]) == "jobs 7, 9, 12 and 2 more"
    assert [hours_words(seconds) for seconds in (7200, 9000, 3600 * 1234.4)] == ["2", "2.5", "1234"]
