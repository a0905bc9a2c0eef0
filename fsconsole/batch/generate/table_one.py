"""Table I of Vasupongayya: ten months of an Itanium cluster at NCSA, as the paper prints them.

The figures agree with each other: jobs divided by users give the average number of jobs per user; users times
their average node-hours, jobs times the average job, and the printed fraction of 128 nodes in the month give
the same node-hours, each within its rounding (February 2004 has 29 days). If the paper contradicts itself, a
month has a note. The traces themselves are not public.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime

from fsconsole.batch.months import WARM_UP_S, Period
from fsconsole.batch.policy import DAY_S, HOUR_S
from fsconsole.text.nearest import nearest_or_all

CLUSTER_NODES = 128


@dataclass(frozen=True, slots=True)
class Stats:
    """Printed average, median and maximum."""

    avg: float
    median: float
    largest: float


@dataclass(frozen=True, slots=True)
class PrintedMonth:
    """A row of Table I.

    Attributes:
        name: the paper's name, month/year.
        demand: demand of its jobs, as a fraction of the machine for the month.
        users, jobs: their numbers.
        user_jobs: jobs per user.
        size_nh: nodes x runtime of a job, node-hours.
        user_nh: nodes x runtime of all jobs of a user, node-hours.
        nodes: nodes of a job.
        runtime_h: runtime of a job, hours; the largest is the limit of the month.
        note: contradictions elsewhere in the paper.
    """

    name: str
    demand: float
    users: int
    jobs: int
    user_jobs: Stats
    size_nh: Stats
    user_nh: Stats
    nodes: Stats
    runtime_h: Stats
    note: str = ""

    @property
    def year_and_month(self) -> tuple[int, int]:
        """Year and month, such as (2003, 7)."""
        month, year = self.name.split("/")
        return 2000 + int(year), int(month)

    @property
    def length_s(self) -> int:
        """Seconds of the calendar month."""
        return monthrange(*self.year_and_month)[1] * DAY_S

    @property
    def start_unix_s(self) -> int:
        """Start of the month in seconds since 1970, by UTC."""
        return int(datetime(*self.year_and_month, 1, tzinfo=UTC).timestamp())

    @property
    def limit_s(self) -> int:
        """Longest runtime that the machine allowed in the month."""
        return round(self.runtime_h.largest * HOUR_S)

    @property
    def total_nh(self) -> float:
        """Node-hours of all jobs: users times their average, the finest of the three ways."""
        return self.users * self.user_nh.avg


def _note(users: int) -> str:
    return f"Table V counts {users} users. Table I's averages per user use the number here."


MONTHS = (
    PrintedMonth(
        "6/03", 0.82, 73, 2191, Stats(30.0, 8, 659), Stats(34.5, 0.8, 960.0), Stats(1034.7, 24.0, 24071),
        Stats(12.1, 4, 128), Stats(1.4, 0.20, 12),
    ),
    PrintedMonth(
        "7/03", 0.89, 68, 1400, Stats(20.6, 8, 145), Stats(60.6, 1.3, 1536.0), Stats(1247.4, 145.7, 16719),
        Stats(23.5, 8, 128), Stats(1.9, 0.18, 12),
    ),
    PrintedMonth(
        "8/03", 0.79, 73, 3221, Stats(44.1, 8, 1873), Stats(23.4, 0.0, 1536.0), Stats(1031.6, 120.0, 14346),
        Stats(7.3, 1, 128), Stats(1.1, 0.00, 12), _note(74),
    ),
    PrintedMonth(
        "9/03", 0.72, 74, 3057, Stats(41.3, 15, 703), Stats(21.7, 0.1, 912.0), Stats(895.5, 72.5, 18499),
        Stats(9.1, 1, 128), Stats(1.4, 0.03, 12),
    ),
    PrintedMonth(
        "10/03", 0.71, 75, 4149, Stats(55.3, 15, 1151), Stats(16.3, 0.4, 912.0), Stats(899.5, 114.7, 8060),
        Stats(5.0, 1, 128), Stats(2.0, 0.13, 12), _note(77),
    ),
    PrintedMonth(
        "11/03", 0.73, 81, 3443, Stats(42.5, 17, 665), Stats(19.5, 0.7, 1536.0), Stats(827.1, 27.6, 10183),
        Stats(6.0, 1, 128), Stats(2.5, 0.15, 12),
    ),
    PrintedMonth(
        "12/03", 0.74, 61, 3521, Stats(57.7, 14, 635), Stats(20.1, 1.1, 1152.0), Stats(1159.3, 23.2, 17776),
        Stats(5.6, 1, 128), Stats(3.6, 0.33, 24),
    ),
    PrintedMonth(
        "1/04", 0.73, 53, 3156, Stats(59.5, 17, 679), Stats(22.1, 5.1, 1920.0), Stats(1313.6, 317.4, 10340),
        Stats(10.7, 2, 128), Stats(4.5, 1.10, 24),
    ),
    PrintedMonth(
        "2/04", 0.74, 73, 3969, Stats(54.4, 28, 541), Stats(16.6, 0.3, 1824.0), Stats(900.3, 93.3, 8931),
        Stats(5.0, 2, 128), Stats(3.1, 0.11, 24),
    ),
    PrintedMonth(
        "3/04", 0.75, 70, 3466, Stats(49.5, 15.5, 1234), Stats(20.6, 0.0, 1832.8), Stats(1018.0, 46.1, 12892),
        Stats(5.8, 1, 128), Stats(2.4, 0.00, 24),
    ),
)  # fmt: skip


def printed_month(name: str) -> PrintedMonth:
    """Return the row of Table I of that name.

    Raises:
        ValueError: the name is unknown; the message suggests the nearest one.
    """
    known = {month.name: month for month in MONTHS}
    if name not in known:
        msg = f"Table I has no month {name!r}{nearest_or_all(name, known)}"
        raise ValueError(msg)
    return known[name]


def period_of_month(name: str) -> Period:
    """Return the period of the month in its generated workload, whose second 0 is 7 days before.

    Raises:
        ValueError: as for `printed_month`.
    """
    month = printed_month(name)
    return Period(WARM_UP_S, WARM_UP_S + month.length_s, name)
