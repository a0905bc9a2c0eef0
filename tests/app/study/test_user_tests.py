"""Tests user by user: who is decided, who has too few months, and that chance is not taken for more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from fsconsole.app.study.user_facts import users_frame
from fsconsole.app.study.user_tests import FEW, HIGHER, LOWER, OPEN, user_tests
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.study_file import read_study
from tests.batch.measures.schedules import kth_jobs
from tests.batch.study.small import HereExecutor, run_kth_and_a_month, swf_text
from tests.texts import wording

POLICIES = ("FCFS-backfill", "RelShare(1d)")


def users_of(
    shifts: dict[str, float], months: int = 12, *, seed: int = 1, present: dict[str, int] | None = None
) -> pl.DataFrame:
    """Waits of users in months; `shifts` are hours that the second policy adds."""
    rng = np.random.default_rng(seed)
    rows = []
    for month in range(months):
        for user, shift in shifts.items():
            jobs = 5 + month if month < (present or {}).get(user, months) else 0
            wait = rng.gamma(4.0, 1.0)
            for policy in POLICIES:
                own = wait + (shift if policy == POLICIES[1] else 0.0) + 0.3 * rng.normal()
                known = (own, 2 * own) if jobs else (None, None)
                rows.append((f"KTH 1996-{month + 1:02}", policy, None, user, jobs, *known))
    schema = {
        "workload": pl.String, "policy": pl.String, "seed": pl.UInt64, "user": pl.String, "jobs": pl.Int64,
        "avg_wait_h": pl.Float64, "max_wait_h": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def verdicts(frame: pl.DataFrame) -> dict[str, str]:
    return dict(zip(frame["user"], frame["verdict"], strict=True))


@pytest.mark.parametrize("measure", ["avg_wait_h", "max_wait_h"])
def test_users_are_decided_by_their_months(measure: str) -> None:
    users = users_of({"a": 2.0, "b": -2.0, "c": 0.0, "d": 3.0}, present={"d": 4})
    found = user_tests(users, None, POLICIES[1], POLICIES[0], measure=measure)
    assert verdicts(found.frame) == {"a": HIGHER, "b": LOWER, "c": OPEN, "d": FEW}
    assert found.unit == "12 months"
    first = found.frame.filter(pl.col("user") == "a").row(0, named=True)
    shown = 2.0 if measure == "avg_wait_h" else 4.0
    assert first["low"] < shown < first["high"]
    assert (first["units"], first["higher"], first["lower"]) == (12, 12, 0)
    few = found.frame.filter(pl.col("user") == "d").row(0, named=True)
    assert (few["units"], few["p_adjusted"], few["low"]) == (4, None, None)


def test_the_difference_is_the_mean_over_all_jobs() -> None:
    users = users_of({"a": 1.0})
    found = user_tests(users, None, POLICIES[1], POLICIES[0]).frame.row(0, named=True)
    by_policy = [
        np.average(one["avg_wait_h"].to_numpy(), weights=one["jobs"].to_numpy())
        for one in (users.filter(pl.col("policy") == label) for label in POLICIES)
    ]
    assert found["difference"] == pytest.approx(by_policy[1] - by_policy[0])


def test_among_many_users_who_are_alike_any_is_decided_in_about_5_percent() -> None:
    names = {str(number): 0.0 for number in range(20)}
    found = [
        user_tests(users_of(names, seed=seed), None, POLICIES[1], POLICIES[0]).count(OPEN) < 20
        for seed in range(100)
    ]
    assert np.mean(found) <= 0.1


def test_benjamini_and_hochberg_decide_at_least_those_of_holm() -> None:
    users = users_of({str(number): 0.4 if number < 8 else 0.0 for number in range(16)})
    counts = [
        user_tests(users, None, POLICIES[1], POLICIES[0], correction=name).count(HIGHER)
        for name in ("holm", "bh")
    ]
    assert counts[0] < counts[1]


def test_what_cannot_be_tested_has_a_reason() -> None:
    users = users_of({"a": 1.0})
    seeds = users.with_columns(seed=(pl.int_range(pl.len()) % 2 + 1).cast(pl.UInt64))
    assert user_tests(seeds, None, *POLICIES).words.startswith(wording("app.study.no-tests-by-user-each"))
    few = users_of({"a": 1.0}, months=4)
    assert user_tests(few, None, *POLICIES).words == wording("app.study.no-tests-by-user-too")
    assert user_tests(users.head(0), None, *POLICIES).frame.is_empty()


def test_users_of_one_seed_are_the_same_in_all_months() -> None:
    """The only seed of a study was said to have different users."""
    users = users_of({"a": 1.0, "b": 0.0})
    found = user_tests(users.with_columns(seed=pl.lit(1, pl.UInt64)), None, POLICIES[1], POLICIES[0])
    assert found.frame.equals(user_tests(users, None, POLICIES[1], POLICIES[0]).frame)
    assert found.frame.height == 2


@pytest.fixture(scope="module")
def kth(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    """KTH as a whole and a month of it, which is done under FCFS alone."""
    folder = run_kth_and_a_month(tmp_path_factory.mktemp("whole"))
    folder.forget(folder.cells()[-1])
    return folder


def test_weeks_are_those_of_the_run_that_both_policies_have(kth: StudyFolder) -> None:
    found = user_tests(kth.users(), kth, POLICIES[1], POLICIES[0])
    assert found.unit == "49 weeks"
    assert found.frame["jobs"].sum() == len(kth_jobs())


def test_users_of_different_traces_are_not_the_same_people(tmp_path: Path) -> None:
    for name in ("a", "b"):
        every_s = 100_000 if name == "a" else 110_000
        (tmp_path / f"{name}.swf").write_text(swf_text(60, every_s=every_s))
    (tmp_path / "study.yaml").write_text(
        "version: 1\nname: Two\nworkloads: [{trace: a.swf, months: all}, {trace: b.swf, months: all}]\n"
        "policies: [fcfs-backfill, {policy: relshare, window: 1d}]\n"
    )
    folder = run_study(read_study(tmp_path / "study.yaml"), tmp_path / "out", HereExecutor())
    found = user_tests(folder.users(), folder, POLICIES[1], POLICIES[0])
    assert found.words == wording("app.study.users-of-different-traces-are")


def test_verdicts_stand_in_the_table_of_users() -> None:
    users = users_of({"1": 2.0, "2": 0.0, "3": 3.0}, present={"3": 4})
    tests = user_tests(users, None, POLICIES[1], POLICIES[0])
    one = users.filter((pl.col("policy") == POLICIES[1]) & (pl.col("workload") == "KTH 1996-01"))
    shown = users_frame(one, None, None, tests)
    assert shown["verdict"].to_list() == [HIGHER, OPEN, FEW]
    first, _, few = shown["verdict_tip"].to_list()
    assert "against FCFS-backfill, jobs in 12 of 12 months, p 0.0010 corrected" in first
    assert few.endswith("jobs in 4 of 12 months: too few to decide")
    assert set(users_frame(one, None)["verdict"]) == {""}
