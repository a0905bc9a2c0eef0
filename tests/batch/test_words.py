"""Times and node-hours in words."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.batch.clock import Clock, hours_words
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


def test_node_hours() -> None:
    assert [hours_words(seconds) for seconds in (7200, 9000, 3600 * 1234.4)] == ["2", "2.5", "1234"]
