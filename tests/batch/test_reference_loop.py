"""The plain loop is right by looking at it, by published schedules, and by laws."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import POLICIES, BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.schedule import Schedule
from tests.batch.workloads import (
    KTH_NODES,
    KTH_STARTS,
    assert_lawful,
    kth,
    starts_digest,
    table_of,
    workloads,
)

FILES = {
    "fcfs-backfill": "kth-fcfs-backfill",
    "lxf-backfill": "kth-lxf-backfill",
    "relshare": "kth-relshare-1d",
    "relshare-no-expected": "kth-relshare-1d-no-expected",
}


def starts(rows: list[tuple[int, int, int, int]], nodes: int, policy: BatchPolicy) -> list[int]:
    users = 1 + max(user for *_, user in rows)
    return list(simulate_plainly(table_of(rows, users), nodes, policy).start_s)


@pytest.mark.parametrize("name", ["fcfs-backfill", "lxf-backfill"])
def test_kth_is_scheduled_as_published(name: str) -> None:
    schedule = simulate_plainly(kth(), KTH_NODES, POLICIES[name])
    assert starts_digest(schedule) == KTH_STARTS[name]


@pytest.mark.parametrize("name", FILES)
def test_digests_are_of_the_published_files(name: str, shared: Path) -> None:
    with gzip.open(shared / "traces" / "expected" / f"{FILES[name]}.csv.gz", "rt") as file:
        start_of = {int(row["job_id"]): int(float(row["start"])) for row in csv.DictReader(file)}
    jobs = kth()
    assert sorted(start_of) == sorted(jobs.job_id.tolist())
    start_s = np.array([start_of[job] for job in jobs.job_id.tolist()])
    published = Schedule(jobs, KTH_NODES, None, np.ones(len(jobs.users)), start_s)
    assert starts_digest(published) == KTH_STARTS[name]


@pytest.mark.parametrize("name", POLICIES)
@given(workload=workloads())
def test_laws_of_all_policies(name: str, workload: tuple[JobTable, int]) -> None:
    jobs, nodes = workload
    assert_lawful(simulate_plainly(jobs, nodes, POLICIES[name]))


@pytest.mark.parametrize(("runtime_s", "start_s"), [(8, 2), (9, 15)])
def test_a_short_job_goes_ahead_where_it_ends_by_the_reserved_start(runtime_s: int, start_s: int) -> None:
    rows = [(0, 10, 3, 0), (1, 5, 4, 0), (2, runtime_s, 1, 0)]
    assert starts(rows, 4, POLICIES["fcfs-backfill"]) == [0, 10, start_s]


def test_a_long_job_goes_ahead_on_nodes_that_the_reservation_leaves() -> None:
    rows = [(0, 10, 3, 0), (1, 5, 3, 0), (2, 99, 1, 0), (3, 99, 1, 0)]
    assert starts(rows, 4, POLICIES["fcfs-backfill"]) == [0, 10, 2, 15]


def test_all_completions_of_a_second_count_for_the_nodes_beside_a_reservation() -> None:
    rows = [(0, 10, 1, 0), (0, 10, 1, 0), (1, 5, 3, 0), (2, 99, 1, 0)]
    assert starts(rows, 4, POLICIES["fcfs-backfill"]) == [0, 0, 10, 2]


def test_the_largest_slowdown_goes_first() -> None:
    # At 100 the short job's slowdown is (40 + 10)/10 = 5, that of the one before it (90 + 60)/60 = 2.5.
    rows = [(0, 100, 1, 0), (10, 60, 1, 0), (60, 10, 1, 0)]
    assert starts(rows, 1, POLICIES["lxf-backfill"]) == [0, 110, 100]
    # With a printed bound of 60 s its slowdown is (40 + 10)/60.
    assert starts(rows, 1, BatchPolicy("lxf", lxf_printed_bound_s=60)) == [0, 100, 160]
    # With a bound of 60 s it counts as 60 s long: (40 + 60)/60, still behind 2.5.
    assert starts(rows, 1, BatchPolicy("lxf", lxf_bound_s=60)) == [0, 100, 160]


def test_a_bound_counts_short_runtimes_as_this_long() -> None:
    # At 200 the job of 110 s has a slowdown of (120 + 110)/110 = 2.09. That of 1 s has (70 + 60)/60 = 2.17
    # with the bound of 60 s, and (70 + 1)/60 = 1.18 as printed.
    rows = [(0, 200, 1, 0), (80, 110, 1, 0), (130, 1, 1, 0)]
    assert starts(rows, 1, BatchPolicy("lxf", lxf_bound_s=60)) == [0, 201, 200]
    assert starts(rows, 1, BatchPolicy("lxf", lxf_printed_bound_s=60)) == [0, 200, 310]
