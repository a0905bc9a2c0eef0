"""Used and entitled node-seconds: the paper's example, the plain rule, laws, and a real trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import Ints
from fsconsole.batch.measures.entitlement import edges_of, used_and_entitled
from fsconsole.batch.schedule import Schedule
from tests.batch.measures.schedules import by_hand, entitled_plainly, kth_schedule, schedules
from tests.texts import refuses

# Edges of bins that may begin before anything happens and end behind all of it.
bins = st.lists(st.integers(0, 200), min_size=2, max_size=6, unique=True).map(
    lambda edges: np.array(sorted(edges))
)
ALL = np.array([0, 10_000])


def test_the_papers_example_of_an_hour() -> None:
    # III-C: 10 nodes for 20 minutes, then 15 for 40, make 800 node-minutes. Two users beside one want 20
    # each of 30 nodes; one of these leaves after 20 minutes.
    minute = 60
    rows = [("a", 0, 0, 60 * minute, 20), ("b", 0, 0, 20 * minute, 20), ("c", 0, 0, 60 * minute, 20)]
    _, entitled = used_and_entitled(by_hand(rows, 30), np.array([0, 60 * minute]))
    assert entitled[0, 0] / minute == pytest.approx(800)
    assert entitled[0, 0] / 3600 == pytest.approx(13.333, abs=1e-3)


def test_capped_users_leave_the_rest_to_others_round_after_round() -> None:
    # 128 nodes: 1 is capped in the first round, 40 (of 127/3 = 42.3) in the second, then 87/2 are left each.
    rows = [("a", 0, 0, 10, 1), ("b", 0, 0, 10, 40), ("c", 0, 5, 10, 100), ("d", 0, 5, 10, 128)]
    _, entitled = used_and_entitled(by_hand(rows, 128), np.array([0, 1]))
    assert entitled[:, 0].tolist() == [1, 40, 43.5, 43.5]


def test_waiting_entitles_and_only_running_uses() -> None:
    used, entitled = used_and_entitled(by_hand([("a", 100, 150, 10, 4)], 8), np.array([0, 120, 155, 1000]))
    assert used.tolist() == [[0, 20, 20]]
    assert entitled.tolist() == [[80, 140, 20]]


def test_a_job_that_an_imported_schedule_starts_too_early_requests_from_then_on() -> None:
    used, entitled = used_and_entitled(by_hand([("a", 100, 20, 10, 4)], 8), np.array([0, 1000]))
    assert used.tolist() == [[40]]
    assert entitled.tolist() == [[40]]


@given(schedules(), bins)
def test_equals_the_rule_applied_anew_at_each_event(schedule: Schedule, edges_s: Ints) -> None:
    _, entitled = used_and_entitled(schedule, edges_s)
    assert entitled == pytest.approx(entitled_plainly(schedule, edges_s), rel=1e-12, abs=1e-9)


@given(schedules())
def test_used_sums_to_the_work_and_entitled_stays_within_machine_and_requests(schedule: Schedule) -> None:
    used, entitled = used_and_entitled(schedule, ALL)
    jobs = schedule.jobs
    assert used.sum() == jobs.node_seconds.sum()
    edges_s = edges_of(schedule, None)
    assert entitled.sum() <= schedule.cluster_nodes * (edges_s[1] - edges_s[0]) * (1 + 1e-12)
    requested = np.bincount(jobs.user, jobs.nodes * (schedule.end_s - jobs.submit_s), len(jobs.users))
    assert (entitled[:, 0] <= requested * (1 + 1e-12)).all()
    assert used_and_entitled(schedule, edges_s)[1] == pytest.approx(entitled)


@given(schedules(), bins)
def test_adjoining_bins_add_up(schedule: Schedule, edges_s: Ints) -> None:
    used, entitled = used_and_entitled(schedule, edges_s)
    used_whole, entitled_whole = used_and_entitled(schedule, edges_s[[0, -1]])
    assert (used.sum(axis=1) == used_whole[:, 0]).all()
    assert entitled.sum(axis=1) == pytest.approx(entitled_whole[:, 0], rel=1e-12, abs=1e-9)


@given(schedules(), st.permutations(range(4)))
def test_users_may_be_numbered_in_any_way(schedule: Schedule, number: list[int]) -> None:
    jobs = schedule.jobs
    old_of_new = np.argsort(number)
    renumbered = replace(
        jobs, user=np.array(number)[jobs.user], users=tuple(jobs.users[k] for k in old_of_new)
    )
    other = replace(schedule, jobs=renumbered, shares=schedule.shares[old_of_new])
    used, entitled = used_and_entitled(schedule, ALL)
    used_other, entitled_other = used_and_entitled(other, ALL)
    assert (used_other == used[old_of_new]).all()
    assert entitled_other == pytest.approx(entitled[old_of_new], rel=1e-12)


def test_very_unlike_shares_lose_no_digits() -> None:
    rows = [("a", 0, 0, 10, 60), ("b", 0, 0, 10, 100), ("c", 0, 0, 10, 100)]
    schedule = replace(by_hand(rows, 100), shares=np.array([1e12, 1e-6, 3e-6]))
    _, entitled = used_and_entitled(schedule, np.array([0, 10]))
    assert entitled[:, 0] == pytest.approx([600, 100, 300], rel=1e-12)


def test_edges_must_rise() -> None:
    schedule = by_hand([("a", 0, 0, 1, 1)], 1)
    for edges_s in ([], [5], [5, 5], [5, 4]):
        with refuses(ValueError, "batch.measures.bins-of-time-need-at"):
            used_and_entitled(schedule, np.array(edges_s, dtype=np.int64))


def test_a_schedule_without_jobs_has_a_moment_of_nothing() -> None:
    nothing = by_hand([], 4)
    used, entitled = used_and_entitled(nothing, edges_of(nothing, None))
    assert used.shape == entitled.shape == (0, 1)


@pytest.mark.parametrize("column", ["usage_nh", "entitled_nh"])
def test_kth_under_relshare_equals_an_exact_reference(shared: Path, column: str) -> None:
    expected = pl.read_csv(shared / "traces" / "expected" / "kth-relshare-1d-users.csv.gz")
    schedule = kth_schedule(shared, "kth-relshare-1d")
    used, entitled = used_and_entitled(schedule, edges_of(schedule, None))
    measured = (used if column == "usage_nh" else entitled)[:, 0] / 3600
    named = dict(zip(schedule.jobs.users, measured.tolist(), strict=True))
    found = [named[str(user)] for user in expected["user"]]
    assert found == pytest.approx(expected[column].to_list(), abs=1e-6)
