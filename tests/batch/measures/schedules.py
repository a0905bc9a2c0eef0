"""Schedules to measure: small ones by hand, arbitrary ones, and those of KTH that an exact reference made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from hypothesis import strategies as st

from fsconsole.batch.job_table import Floats, Ints, JobTable, job_table
from fsconsole.batch.reference_usage import entitled_nodes
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.traces.read import read_trace
from fsconsole.resources import resource

Row = tuple[str, int, int, int, int]  # owner, submit, start, runtime, nodes


def by_hand(rows: Sequence[Row], cluster_nodes: int, *, simulation_s: float = 0.0) -> Schedule:
    """A schedule of these jobs, in this order; owners have equal shares."""
    users = tuple(dict.fromkeys(row[0] for row in rows))
    owner = np.array([users.index(row[0]) for row in rows], dtype=np.int64)
    submit, start, runtime, nodes = (np.array([row[k] for row in rows], dtype=np.int64) for k in range(1, 5))
    ids = np.arange(1, len(rows) + 1)
    jobs = job_table(ids, submit, runtime, nodes, owner, users)
    order = np.argsort(submit, kind="stable")
    shares = np.ones(len(users))
    return Schedule(jobs, cluster_nodes, None, shares, start[order], None, simulation_s, "by hand")


@st.composite
def schedules(draw: st.DrawFn, users: int = 4, cluster_nodes: int = 12) -> Schedule:
    """Jobs that start whenever, whether they fit or not, and users of any shares."""
    count = draw(st.integers(1, 14))

    def column(lowest: int, highest: int) -> Ints:
        numbers = st.lists(st.integers(lowest, highest), min_size=count, max_size=count)
        return np.array(draw(numbers), dtype=np.int64)

    jobs = job_table(
        np.arange(count),
        column(0, 60),
        column(1, 50),
        column(1, cluster_nodes),
        column(0, users - 1),
        tuple("abcdefgh"[:users]),
    )
    shares = draw(st.lists(st.sampled_from([1.0, 2.0, 0.5, 7.25]), min_size=users, max_size=users))
    return Schedule(jobs, cluster_nodes, None, np.array(shares), jobs.submit_s + column(0, 70))


def entitled_plainly(schedule: Schedule, edges_s: Ints) -> Floats:
    """Node-seconds entitled by rule 7 anew at each event, float64 [users, bins]; slow."""
    jobs, shares = schedule.jobs, [Fraction(share) for share in schedule.shares.tolist()]
    requested: Counter[int] = Counter()
    owner, nodes = jobs.user.tolist(), jobs.nodes.tolist()
    changes = list(zip(jobs.submit_s.tolist(), owner, nodes, strict=True))
    changes += zip(schedule.end_s.tolist(), owner, (-jobs.nodes).tolist(), strict=True)
    marks = [(edge, 0, 0) for edge in edges_s.tolist()]
    made = np.zeros((len(jobs.users), len(edges_s) - 1))
    now = 0
    for at, user, change in sorted([*changes, *marks], key=lambda row: row[0]):
        bin_ = int(np.searchsorted(edges_s, now, side="right")) - 1
        if at > now and 0 <= bin_ < made.shape[1]:
            for active, entitled in entitled_nodes(schedule.cluster_nodes, shares, +requested).items():
                made[active, bin_] += float(entitled) * (at - now)
        now = at
        requested[user] += change
    return made


@cache
def kth_jobs() -> JobTable:
    """The bundled KTH trace."""
    return read_trace(resource("traces/KTH-SP2-1996-2.swf.gz"), cluster_nodes=100).jobs


def kth_schedule(shared: Path, name: str) -> Schedule:
    """A schedule of KTH from the folder of expected results, such as `kth-relshare-1d`."""
    jobs = kth_jobs()
    path = shared / "traces" / "expected" / f"{name}.csv.gz"
    rows = pl.read_csv(path).select("job_id", pl.col("start").cast(pl.Int64)).sort("job_id")
    found = np.searchsorted(rows["job_id"].to_numpy(), jobs.job_id)
    start_s = rows["start"].to_numpy()[found]
    return Schedule(jobs, 100, None, np.ones(len(jobs.users)), start_s, source=name)
