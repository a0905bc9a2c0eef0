"""`scontrol show job`, with or without -o: all fields of a job.

Source: scontrol(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from datetime import UTC, tzinfo

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError, Listing
from fsconsole.slurm.parsers.scontrol_records import listing
from fsconsole.slurm.parsers.values import (
    count,
    exit_code,
    known_count,
    length_s,
    moment_s,
    named,
    non_null,
    resource,
)

_NEEDED = ("JobId", "UserId", "JobState", "Partition")
# What an action is computed from, or addressed to; see `scontrol_records`.
_CERTAIN = ("TimeLimit", "ArrayJobId", "ArrayTaskId", "HetJobId", "HetJobOffset")
_TRES = ("AllocTRES", "TRES", "ReqTRES")  # Since 23.02, allocation and request are separate.
_NUMBER_BEHIND = re.compile(r"\([0-9]+\)$")


def read_scontrol_job(text: str, zone: tzinfo = UTC, mark: str = "") -> Listing[Job]:
    """Read the jobs; ScenarioError if problems prevent reading any of them.

    Args:
        text: output of scontrol, in either form.
        zone: time zone of the process that printed it; irrelevant with SLURM_TIME_FORMAT=%s.
        mark: what SLURM_TIME_FORMAT has behind each time (see `marks`); empty if nothing.
    """
    return listing(text, "job", _NEEDED, lambda fields: _job(fields, zone), mark, _CERTAIN)


def _job(fields: Mapping[str, str], zone: tzinfo) -> Job:
    def name(key: str) -> str:
        return sys.intern(named(fields.get(key, "")))

    def whole(key: str) -> int:
        return count(fields.get(key, ""))

    def when_s(key: str) -> int | None:
        return moment_s(fields.get(key, ""), zone)

    elapsed_s = length_s(fields.get("RunTime", ""))
    return Job(
        job_id=_number(fields["JobId"]),
        name=fields.get("JobName", ""),
        user=sys.intern(_NUMBER_BEHIND.sub("", fields["UserId"])),
        account=name("Account"),
        partition=name("Partition"),
        qos=name("QOS"),
        states=tuple(sys.intern(state) for state in fields["JobState"].split(",")),
        reason=non_null(fields.get("Reason", "")),
        array_job_id=whole("ArrayJobId"),
        array_tasks=non_null(fields.get("ArrayTaskId", "")),
        het_job_id=whole("HetJobId"),
        het_offset=whole("HetJobOffset"),
        nodes=non_null(fields.get("NodeList", "")),
        node_count=known_count(fields, "NumNodes"),
        cpus=known_count(fields, "NumCPUs"),
        billing=_billing(fields),
        time_limit_s=length_s(fields.get("TimeLimit", "")),
        submit_s=when_s("SubmitTime"),
        eligible_s=when_s("EligibleTime"),
        start_s=when_s("StartTime"),
        end_s=when_s("EndTime"),
        suspend_s=when_s("SuspendTime"),
        ran_before_s=known_count(fields, "SecsPreSuspend") if when_s("SuspendTime") else 0,
        elapsed_s=None if elapsed_s is None else int(min(elapsed_s, 2**53)),
        priority=count(fields["Priority"]) if non_null(fields.get("Priority", "")) else None,
        exit_code=exit_code(fields.get("ExitCode", "")),
        restarts=whole("Restarts") if non_null(fields.get("Restarts", "")) else None,
        may_requeue=fields["Requeue"] == "1" if fields.get("Requeue") in ("0", "1") else None,
        reservation=name("Reservation"),
        dependency=name("Dependency"),
        tres=next(filter(None, (non_null(fields.get(key, "")) for key in _TRES)), ""),
    )


def _number(text: str) -> int:
    number = count(text)
    if not number:
        msg = f"{text!r} is not a job number"
        raise DamagedError(msg)
    return number


def _billing(fields: Mapping[str, str]) -> float | None:
    """Read billing of the allocation; newer versions report that of the request separately."""
    had = resource(fields.get("AllocTRES", ""), "billing")
    return resource(fields.get("TRES", ""), "billing") if had is None else had
