"""Vasupongayya, sections II to IV: rules and measures on a few jobs, beside their definitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fsconsole.batch.job_table import Floats, JobTable, job_table
from fsconsole.batch.measures.fair_start import fair_starts
from fsconsole.batch.measures.fairness import gini, jain_index
from fsconsole.batch.measures.slowdown import p99, slowdown
from fsconsole.batch.measures.users import user_table
from fsconsole.batch.months import Period
from fsconsole.batch.policy import HOUR_S, BatchPolicy
from fsconsole.batch.simulate import simulate
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Note, Progress, Result
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_kth import DAILY, FCFS, LXF

NAME = "relshare-measures"
MINUTE_S = 60
SHARES = (1.0, 2.0, 3.0)
# Jobs are (submitted in s, runtime in s, nodes, user).
BACKFILLED = ((0, 100, 3, 0), (1, 100, 4, 0), (2, 98, 1, 0), (3, 100, 1, 0))
OVERTAKEN = ((0, 100, 2, 0), (10, 1000, 2, 0), (20, 20, 2, 0))
# By 300 s user 1 has used more, but user 0 will have used more by 1100 s.
EXPECTED = ((0, 300, 1, 1), (100, 1000, 1, 0), (110, 100, 1, 0), (120, 100, 1, 1))
# User 0 used the machine before it was empty for an hour.
RETURNED = ((0, 1000, 2, 0), (5000, 500, 2, 2), (5010, 100, 2, 0), (5020, 100, 2, 1))
COUNTS = (50, 100, 101, 150, 200)
NOTES = (
    Note(
        "ours",
        "The jobs are ours, few enough to follow by hand. Jain's index, Gini's coefficient and fair start "
        "times are not in the paper; studies report them beside its measures.",
    ),
)


def measure_definitions(progress: Progress, cancelled: Asked) -> Result:
    """Compare rules and measures with what follows from their definitions."""
    steps = Steps(progress, cancelled)
    steps.at(0.0)
    claims = [*_claims_of_entitlement(), *_claims_of_waits()]
    steps.next(0.3).at(1.0)
    claims += _claims_of_starts()
    steps.next(0.4).at(1.0)
    claims += _claims_of_fairness()
    steps.next(0.3).at(1.0)
    return Result(NAME, tuple(claims), (), NOTES)


def _jobs(rows: Sequence[tuple[int, int, int, int]]) -> JobTable:
    submit_s, runtime_s, nodes, owner = np.array(rows, np.int64).T
    users = tuple(f"user {place}" for place in range(int(owner.max()) + 1))
    return job_table(np.arange(1, len(rows) + 1), submit_s, runtime_s, nodes, owner, users)


def _entitled_nh(jobs: JobTable, nodes: int, shares: Floats | None = None) -> tuple[float, ...]:
    """Return the entitlement of each user in the first hour, node-hours."""
    schedule = simulate(jobs, nodes, FCFS, shares)
    table = user_table(schedule, None, Period(0, HOUR_S, "an hour")).sort("user")
    return tuple(map(float, table["entitled_nh"]))


def _claims_of_entitlement() -> tuple[Claim, ...]:
    """Return claims on section III-C: its example, and users who ask for less than their share."""
    three = _jobs(((0, 20 * MINUTE_S, 30, 2), (0, 40 * MINUTE_S, 30, 0), (0, 40 * MINUTE_S, 30, 1)))
    capped = _jobs(((0, HOUR_S, 5, 0), (0, HOUR_S, 60, 1), (0, HOUR_S, 60, 2)))
    return (
        Claim(
            "Entitled to 10 nodes for 20 min and 15 nodes for 40 min",
            800.0,
            60 * _entitled_nh(three, 30)[0],
            1e-9,
            "node-min",
            origin=Origin.paper("section III-C"),
        ),
        Claim(
            "Entitled nodes of users with 1, 2 and 3 shares who ask for 5, 60 and 60 of 60 nodes",
            (5.0, 22.0, 33.0),
            _entitled_nh(capped, 60, np.array(SHARES)),
            1e-9,
            "nodes",
            capped.users,
            origin=Origin.law("section III-C: capped at what is asked, the rest by shares"),
        ),
    )


def _claims_of_waits() -> tuple[Claim, ...]:
    waits, runtimes = np.array([600, 3600, 0]), np.array([30, 7200, 30])
    return (
        Claim(
            "Bounded slowdown of jobs of 30 s, 2 h and 30 s that wait for 10 min, 1 h and not at all",
            (10.5, 1.5, 0.5),
            tuple(map(float, slowdown(waits, runtimes))),
            1e-12,
            origin=Origin.law("section IV: (wait + T) / max(1 min, T)"),
        ),
        Claim(
            "99th percentile of 1 to n, by nearest rank: n",
            tuple(float(-(-99 * count // 100)) for count in COUNTS),
            tuple(float(p99(np.arange(1, count + 1))) for count in COUNTS),
            0.0,
            names=tuple(map(str, COUNTS)),
            origin=Origin.law("the least value that 99 % of all do not exceed"),
        ),
    )


def _starts(
    text: str,
    policy: BatchPolicy,
    rows: Sequence[tuple[int, int, int, int]],
    expected: tuple[float, ...],
    place: str,
    nodes: int = 2,
) -> Claim:
    """Return a claim on the starts of jobs on an empty machine, s."""
    starts = simulate(_jobs(rows), nodes, policy).start_s
    return Claim(
        f"Starts of {len(rows)} jobs under {text}",
        expected,
        tuple(map(float, starts)),
        0.0,
        "s",
        origin=Origin.law(place),
    )


def _claims_of_starts() -> tuple[Claim, ...]:
    return (
        _starts(
            "FCFS-backfill: the third fits before the reservation of the second, the fourth does not",
            FCFS,
            BACKFILLED,
            (0.0, 100.0, 2.0, 200.0),
            "section III-B: a job may start early if it does not delay the reservation",
            nodes=4,
        ),
        _starts(
            "LXF-backfill: the third has the larger slowdown and overtakes the second",
            LXF,
            OVERTAKEN,
            (0.0, 120.0, 100.0),
            "section III-B: largest (wait + T) / T first",
        ),
        _starts(
            "RelShare(1d): the last one's owner has used more so far, but the other's job goes on",
            DAILY,
            EXPECTED,
            (0.0, 100.0, 400.0, 300.0),
            "section II-B: future usage of running jobs counts",
        ),
        _starts(
            "RelShare(1d) without expected usage, the same jobs",
            replace(DAILY, expected_usage=False),
            EXPECTED,
            (0.0, 100.0, 300.0, 400.0),
            "section II-B: only past usage counts",
        ),
    )


def _claims_of_fairness() -> tuple[Claim, ...]:
    used, one_has_all = np.array([3.0, 3.0, 3.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 8.0])
    schedule = simulate(_jobs(RETURNED), 2, DAILY)
    return (
        Claim(
            "Jain's index where three of five users get the same and the others nothing",
            0.6,
            jain_index(used) or 0.0,
            1e-12,
            origin=Origin.law("Jain, Chiu and Hawe 1984: k of n users give k/n"),
        ),
        Claim(
            "Gini's coefficient where one of four has all, and of 4, 2, 3 and 1",
            (0.75, 0.25),
            (gini(one_has_all) or 0.0, gini(np.array([4.0, 2.0, 3.0, 1.0])) or 0.0),
            1e-12,
            origin=Origin.law("Gini 1912: half the mean absolute difference over the mean"),
        ),
        Claim(
            "Fair starts under RelShare(1d), where an owner used the machine an hour before in that window",
            (0.0, 5000.0, 5500.0, 5500.0),
            tuple(map(float, fair_starts(schedule))),
            0.0,
            "s",
            origin=Origin.law("Sabin, Kochhar and Sadayappan 2004: the start if no job arrives later"),
        ),
    )
