"""`squeue --json`: the jobs that slurmctld knows, in the form of any version that has it.

22.05 writes plain numbers and one word of state; later versions write objects and lists.
Note that `-j` and other filters do not act on what 22.05 prints as JSON: it prints every job.
Source: output of Slurm 22.05.8; the forms of 23.02 and 23.11 (data parsers v0.0.39, v0.0.40) as published.
"""

from __future__ import annotations

import math
import sys

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing
from fsconsole.slurm.parsers.json_list import (
    Record,
    line_of,
    number,
    records,
    whole,
    word_list,
    words,
)
from fsconsole.slurm.parsers.values import resource

_NEEDED = ("job_id", "job_state", "partition")


def read_squeue(text: str) -> Listing[Job]:
    """Read the jobs; ScenarioError if problems prevent reading any of them."""
    found = Findings()
    jobs = []
    for place, record in records(text, "jobs", found, "squeue --json"):
        try:
            jobs.append(_job(record))
        except DamagedError as error:
            found.add(line_of(text, place, found), f"a job was left out: {error}")
    return found.listing(jobs)


def _job(record: Record) -> Job:
    missing = [name for name in _NEEDED if record.get(name) is None]
    if "user_name" not in record and "user_id" not in record:
        missing.append("user_name")
    if missing:
        msg = f"it has no {', '.join(missing)}"
        raise DamagedError(msg)
    states = word_list(record["job_state"], "job_state")
    job_id = whole(record["job_id"], "job_id")
    if job_id is None or not states:
        msg = "its number or state is empty"
        raise DamagedError(msg)
    return Job(
        job_id=job_id,
        name=_text(record, "name"),
        user=_name(record, "user_name") or str(_count(record, "user_id")),
        account=_name(record, "account"),
        partition=_name(record, "partition"),
        qos=_name(record, "qos"),
        states=tuple(sys.intern(state) for state in states),
        reason=_reason(_name(record, "state_reason")),
        array_job_id=_count(record, "array_job_id"),
        array_tasks=_tasks(record),
        het_job_id=_count(record, "het_job_id"),
        het_offset=_count(record, "het_job_offset"),
        nodes=_text(record, "nodes"),
        node_count=_known(record, "node_count"),
        cpus=_known(record, "cpus"),
        billing=_billing(record),
        tres=_text(record, "tres_req_str" if states[0] == "PENDING" else "tres_alloc_str"),
        time_limit_s=_limit_s(record),
        submit_s=_when_s(record, "submit_time"),
        eligible_s=_when_s(record, "eligible_time"),
        start_s=_when_s(record, "start_time"),
        end_s=_when_s(record, "end_time"),
        suspend_s=_when_s(record, "suspend_time"),
        ran_before_s=_known(record, "pre_sus_time") if _when_s(record, "suspend_time") else 0,
        priority=whole(record.get("priority"), "priority"),
        exit_code=_exit_code(record.get("exit_code")),
        restarts=whole(record.get("restart_cnt"), "restart_cnt"),
        may_requeue=record["requeue"] if isinstance(record.get("requeue"), bool) else None,
        association_id=whole(record.get("association_id"), "association_id"),
        reservation=_name(record, "resv_name"),
        dependency=_name(record, "dependency"),
    )


def _text(record: Record, key: str) -> str:
    return words(record.get(key), key)


def _name(record: Record, key: str) -> str:
    """Return a text that many jobs have alike; it is kept once."""
    return sys.intern(words(record.get(key), key))


def _count(record: Record, key: str) -> int:
    return whole(record.get(key), key) or 0


def _known(record: Record, key: str) -> int:
    found = whole(record.get(key), key)
    if found is None:
        msg = f"it has no {key}"
        raise DamagedError(msg)
    return found


def _when_s(record: Record, key: str) -> int | None:
    return whole(record.get(key), key) or None


def _billing(record: Record) -> float | None:
    """Read billing of a job's allocation, or of its request while it is pending."""
    had = number(record.get("billable_tres"), "billable_tres")
    return resource(_text(record, "tres_req_str"), "billing") if had is None else had


def _reason(text: str) -> str:
    return "" if text == "None" else text


def _tasks(record: Record) -> str:
    task = whole(record.get("array_task_id"), "array_task_id")
    return _text(record, "array_task_string") if task is None else str(task)


def _limit_s(record: Record) -> float | None:
    minutes = number(record.get("time_limit"), "time_limit")
    return None if minutes is None else minutes * 60.0


def _exit_code(value: object) -> tuple[int, int] | None:
    """Read the exit code from the number that wait(2) gives, or from an object with both parts."""
    if isinstance(value, dict) and "return_code" in value:
        signal = value.get("signal")
        which = signal.get("id", signal.get("signal_id")) if isinstance(signal, dict) else signal
        status = whole(value["return_code"], "return_code")
        return None if status is None else (status, whole(which, "signal") or 0)
    both = number(value, "exit_code")
    if both is None or not 0 <= both < math.inf:
        return None
    return int(both) >> 8 & 0xFF, int(both) & 0x7F
