"""Users of July 2003 (and others of Table IV) as the paper prints them, as tables of users."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from fsconsole.batch.measures.policy_runs import PolicyRun
from fsconsole.batch.measures.users import USER_COLUMNS
from fsconsole.batch.policy import BatchPolicy

HOUR = 3600
DAY = 24 * HOUR
FCFS, LXF = BatchPolicy("fcfs"), BatchPolicy("lxf")
RELSHARE = {
    window_s: BatchPolicy("relshare", window_s) for window_s in (4 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY)
}

# Tables II(a) and IV(a): dev, maximum wait, average wait, average bounded slowdown under each policy.
FARES: dict[tuple[str, str], tuple[tuple[float, ...], ...]] = {
    ("7/03", "8"): ((-2907.8, 82.8, 21.1, 168.1), (-1606.5, 26.6, 4.6, 34.7), (-7245.0, 280.7, 80.7, 907.2)),
    ("7/03", "21"): ((-1706.0, 65.6, 11.4, 126.6), (-1611.1, 63.5, 6.3, 28.9), (-667.8, 109.5, 11.9, 103.8)),
    ("7/03", "24"): (
        (-1787.6, 114.8, 26.1, 459.5),
        (-894.3, 30.7, 8.8, 122.4),
        (-4592.9, 283.8, 73.3, 2033.2),
    ),
    ("7/03", "49"): ((1532.0, 66.2, 11.5, 106.7), (-1373.0, 179.8, 16.0, 42.6), (68.6, 163.5, 23.7, 108.4)),
    ("7/03", "71"): ((6585.3, 105.1, 29.1, 148.2), (3803.6, 143.5, 27.7, 45.8), (4582.9, 211.2, 31.8, 94.1)),
    ("7/03", "70"): ((-1040.8, 49.0, 25.7, 54.1), (-581.3, 60.0, 17.4, 25.8), (423.5, 20.1, 8.9, 28.8)),
    ("8/03", "113"): ((-1178.6, 35.6, 19.2, 59.9), (-351.6, 28.7, 11.4, 15.9), (-411.5, 30.6, 12.4, 61.4)),
    ("11/03", "103"): ((-355.1, 33.9, 8.9, 141.7), (-483.0, 32.4, 2.9, 27.8), (424.8, 20.5, 1.1, 2.8)),
    ("11/03", "166"): ((-393.0, 32.1, 4.6, 6.2), (-273.6, 37.8, 3.2, 3.1), (-103.4, 13.9, 1.2, 2.3)),
}
# Tables II(b) and IV(b): jobs, total N x T; min, avg, median, max of N, T, N x T.
JOBS: dict[str, tuple[float, ...]] = {
    "8": (53, 1452, 1, 75.8, 128, 128, 0.0, 1.6, 0.2, 12.0, 0.0, 27.4, 15.6, 180.0),
    "21": (49, 4030, 1, 45.7, 32, 128, 0.0, 1.1, 0.4, 6.0, 0.0, 82.3, 6.4, 768.0),
    "24": (44, 827, 1, 57.4, 32, 128, 0.0, 0.5, 0.3, 3.0, 0.0, 18.8, 8.1, 95.5),
    "71": (58, 11693, 32, 48.8, 32, 100, 0.0, 3.2, 1.6, 10.0, 0.6, 201.6, 51.1, 1000.0),
    "49": (83, 6051, 1, 12.7, 1, 32, 0.0, 3.9, 1.5, 12.0, 0.0, 72.9, 1.5, 384.0),
    "70": (7, 1144.4, 7, 53.0, 52, 104, 0.1, 3.1, 0.2, 12.0, 0.8, 163.5, 22.8, 624.0),
    "113": (13, 1258.0, 16, 30.8, 32, 32, 0.0, 3.1, 2.5, 5.7, 0.2, 96.8, 80.0, 183.9),
    "103": (49, 6233.6, 1, 21.0, 16, 48, 0.0, 2.8, 0.2, 12.0, 0.0, 127.2, 0.9, 576.0),
    "166": (85, 774.7, 1, 1.0, 1, 1, 0.0, 9.1, 11.8, 12.0, 0.0, 9.1, 11.8, 12.0),
}
# Table VI, July 2003: maximum waits under FCFS, LXF and windows of 4 h, 12 h, 1 d, 2 d, 7 d, with its marks.
WINDOWS: dict[str, tuple[str, ...]] = {
    "71": ("105.1", "143.5", "127.2", "159.1", "211.2", "#310.2", "#451.1"),
    "24": ("114.8", "30.7", "151.1", "159.4", "#283.8", "*53.8", "*30.8"),
    "70": ("49.0", "60.0", "44.6", "59.6", "*20.1", "*22.0", "*15.3"),
    "107": ("78.1", "76.7", "#92.2", "42.6", "*23.5", "37.4", "*20.2"),
}
# Table VII, July 2003: deviation, the same columns.
DEVIATIONS: dict[str, tuple[float, ...]] = {
    "71": (6585.3, 3803.6, 5700.6, 5884.6, 4582.9, 3016.5, -1095.3),
    "24": (-1787.6, -894.3, -2748.2, -2686.7, -4592.9, -1570.5, -385.6),
    "70": (-1040.8, -581.3, -435.0, -669.4, 423.5, -5.7, 369.5),
    "107": (-1224.5, -1803.6, -1505.5, -783.1, -262.9, -183.3, 340.4),
}
LARGEST = (1, 1, 128, 128, 128, 128, 12.0, 12.0, 12.0, 12.0, 1536.0, 1536.0, 1536.0, 1536.0)  # Table I

_SIZES = list(USER_COLUMNS)[10:]


def users(rows: Mapping[str, Mapping[str, float]]) -> pl.DataFrame:
    """A table of users, with nothing in the columns that are not given; jobs of one each."""
    made = [{"user": user, "jobs": 1} | dict(row) for user, row in rows.items()]
    return pl.DataFrame([{name: row.get(name) for name in USER_COLUMNS} for row in made], schema=USER_COLUMNS)


def run(month: str, policy: BatchPolicy, rows: Mapping[str, Mapping[str, float]]) -> PolicyRun:
    """A run with these users."""
    return PolicyRun(month, users(rows), policy, policy.label)


def tables_ii_and_iv() -> list[PolicyRun]:
    """Three months under three policies: the printed users, and one with the month's largest job."""
    runs = []
    for month in ("7/03", "8/03", "11/03"):
        for place, policy in enumerate((FCFS, LXF, RELSHARE[DAY])):
            rows = {"largest": _row((0.0, 1.0, 1.0, 1.0), LARGEST)}
            for (when, user), fares in FARES.items():
                if when == month:
                    rows[user] = _row(fares[place], JOBS[user])
            runs.append(run(month, policy, rows))
    return runs


def _row(fare: tuple[float, ...], jobs: tuple[float, ...]) -> dict[str, float]:
    fared = dict(zip(("dev_nh", "max_wait_h", "avg_wait_h", "avg_bounded_slowdown"), fare, strict=True))
    return fared | dict(zip(("jobs", "node_hours", *_SIZES), jobs, strict=True))


def tables_vi_and_vii() -> list[PolicyRun]:
    """July 2003 under seven policies."""
    return [
        run(
            "7/03",
            policy,
            {
                user: {"max_wait_h": float(waits[place].strip("#*")), "dev_nh": DEVIATIONS[user][place]}
                for user, waits in WINDOWS.items()
            },
        )
        for place, policy in enumerate((FCFS, LXF, *RELSHARE.values()))
    ]
