"""The tables of the user page: users of a run, and one user's jobs."""

from __future__ import annotations

from collections.abc import Callable

from fsconsole.console.analyse.study.jobs_columns import ShownColumn, difference, number
from fsconsole.text.durations import duration


def name(user: str) -> str:
    """A user as figures call him."""
    return f"#{user}"


def user_columns() -> tuple[ShownColumn, ...]:
    """Of the users of a run."""
    of = "of all of the user's jobs in the period, node-hours"
    wait = "of the user's jobs, hours"
    return (
        ShownColumn("user", "User", name, "Who; S1 and S2 have a reason", sorted_by="user_order", width=64),
        ShownColumn("type", "Type", str, "S1 or S2 of the paper", is_number=False, width=52, tip_of="reason"),
        ShownColumn("jobs", "Jobs", number(), "How many jobs count", width=60),
        ShownColumn("dev_nh", "Deviation, node-h", difference(), "Used less entitled", width=130),
        ShownColumn("max_wait_h", "Max wait, h", number(1), f"Longest wait {wait}", width=110),
        ShownColumn("avg_wait_h", "Avg wait, h", number(2), f"Mean wait {wait}", width=96),
        ShownColumn(
            "longer_wait_h",
            "Waits longer, h",
            difference(2),
            "Mean wait less that of the same user under FCFS, or under the first policy without FCFS",
            width=116,
        ),
        ShownColumn("p99_wait_h", "p99 wait, h", number(1), f"Wait that 99 % stay below {wait}", width=96),
        ShownColumn(
            "avg_bounded_slowdown", "Avg slowdown", number(2), "Mean bounded slowdown, 60 s", width=108
        ),
        ShownColumn("node_hours", "Size, node-h", number(), "Node-hours that these jobs ask for", width=100),
        ShownColumn("usage_nh", "Used, node-h", number(), f"Usage {of}", width=100),
        ShownColumn("entitled_nh", "Entitled, node-h", number(), f"Entitled share {of}", width=118),
    )


def job_columns(moment: Callable[[int], str]) -> tuple[ShownColumn, ...]:
    """Of one user's jobs; `moment` says when a second of the trace is."""
    return (
        ShownColumn("job_id", "Job", str, "Number of the job in the trace", width=70),
        ShownColumn("nodes", "Nodes", number(), "Nodes that it needs", width=60),
        ShownColumn("runtime_s", "Runs, h:mm:ss", duration, "How long it runs", width=120),
        ShownColumn("submit_s", "Submitted", moment, "When it came", width=150),
        ShownColumn("start_s", "Started", moment, "When it started", width=150),
        ShownColumn("wait_s", "Waited, h:mm:ss", duration, "How long it waited", width=146),
        ShownColumn("slowdown", "Slowdown", number(2), "Bounded slowdown, 60 s", width=84),
        ShownColumn("lost", "Reservations lost", number(), "How often it lost a reservation", width=126),
    )
