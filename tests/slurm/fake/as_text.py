"""What squeue -O, sinfo -o and scontrol print of what the tools printed in other forms.

Standard library alone.

A field of squeue is like `JobID:0|`: as it is, with `|` behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

TYPE_CHECKING = False  # `typing` itself takes 2 ms of each call.
if TYPE_CHECKING:
    from typing import Any

    Job = Mapping[str, Any]

_NO_TIME = "N/A"


def squeue_lines(text: str, form: str) -> Iterator[str]:
    """Lines of `squeue -h -O FORM` with SLURM_TIME_FORMAT=%s, of jobs as `squeue --json` printed them.

    Jobs that have ended are left out, as squeue does by itself; KeyError for a field that is not known here.
    """
    fields = [field.partition(":0") for field in form.split(",")]
    for job in json.loads(text)["jobs"]:
        if job["job_state"] in ("PENDING", "RUNNING", "SUSPENDED", "COMPLETING"):
            yield "".join(_FIELDS[name](job) + suffix for name, _, suffix in fields) + "\n"


def sinfo_lines(text: str, form: str) -> Iterator[str]:
    """Lines of `sinfo -N -h -o FORM`, of what `sinfo -N -l` printed; KeyError for a field not known here.

    What stands behind a field in FORM is printed behind it.
    """
    for line in text.splitlines():
        words = line.split(None, 10)
        if len(words) == 11 and words[0] != "NODELIST":
            name, _, partition, state, cpus = words[:5]
            busy = {"allocated": int(cpus), "mixed": int(cpus) // 2}.get(state, 0)
            fields = {
                "%N": name,
                "%R": partition.rstrip("*"),
                "%T": state,
                "%c": cpus,
                "%E": words[10].strip(),
            }
            fields["%C"] = f"{busy}/{int(cpus) - busy}/0/{cpus}"
            yield "|".join(fields[field[:2]] + field[2:] for field in form.split("|")) + "\n"


def node_lines(text: str) -> str:
    """What `scontrol -o show node` prints, of lines of `sinfo -N -h -o %N|%R|%T|%c|%C|%E`."""
    nodes: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, partition, state, cpus, use, reason = line.split("|", 5)
        bare = state.rstrip("*")
        flags = "+DRAIN" * bare.startswith("drain") + "+NOT_RESPONDING" * (bare != state)
        base = {"drained": "IDLE", "draining": "MIXED"}.get(bare, bare.upper())
        end = "" if reason.strip() in ("", "none") else f" Reason={reason} [root@2026-11-20T09:36:20]"
        head = f"NodeName={name} CPUAlloc={use.partition('/')[0]} CPUTot={cpus} State={base}{flags}"
        nodes.setdefault(name, [f"{head} Partitions=", end]).insert(-1, f"{partition},")
    return "".join("".join(pieces[:-1]).rstrip(",") + pieces[-1] + "\n" for pieces in nodes.values())


def in_one_line(text: str) -> str:
    """What scontrol prints with -o, of what it printed without it."""
    return "".join(re.sub("\n +", " ", block.strip("\n")) + "\n" for block in text.split("\n\n") if block)


def as_delimited(text: str, delimiter: str) -> str:
    """What `sacct -p --delimiter` prints, of what `sacct -P` printed."""
    columns = text.partition("\n")[0].count("|")
    lines = (line.split("|", columns) for line in text.splitlines())
    return "".join("".join(f"{field}{delimiter}" for field in line) + "\n" for line in lines)


def _time(name: str) -> Callable[[Job], str]:
    return lambda job: str(job[name] or _NO_TIME)


def _text(name: str, otherwise: str = "") -> Callable[[Job], str]:
    return lambda job: otherwise if job[name] in ("", None) else str(job[name])


def _length(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}" if days or rest >= 3600 else ""
    return f"{days}-{clock:0>8}" if days else clock or f"{rest // 60}:{rest % 60:02}"


def _task(job: Job) -> str:
    return str(
        job["array_task_string"] or (_NO_TIME if job["array_task_id"] is None else job["array_task_id"])
    )


def _limit(job: Job) -> str:
    return "UNLIMITED" if job["time_limit"] is None else _length(job["time_limit"] * 60)


def _het(name: str) -> Callable[[Job], str]:
    return lambda job: str(job[name]) if job["het_job_id"] else _NO_TIME


_FIELDS: Mapping[str, Callable[[Job], str]] = {
    "JobID": _text("job_id"),
    "ArrayJobID": lambda job: str(job["array_job_id"] or job["job_id"]),
    "ArrayTaskID": _task,
    "HetJobID": _het("het_job_id"),
    "HetJobOffset": _het("het_job_offset"),
    "UserName": _text("user_name"),
    "Account": _text("account"),
    "Partition": _text("partition"),
    "QOS": _text("qos"),
    "State": _text("job_state"),
    "Reason": _text("state_reason"),
    "NodeList": _text("nodes"),
    "NumNodes": _text("node_count"),
    "NumCPUs": _text("cpus"),
    "TimeLimit": _limit,
    "SubmitTime": _time("submit_time"),
    "EligibleTime": _time("eligible_time"),
    "StartTime": _time("start_time"),
    "EndTime": _time("end_time"),
    "TimeUsed": lambda job: _length(job["pre_sus_time"]),
    "PriorityLong": _text("priority"),
    "RestartCnt": _text("restart_cnt"),
    "Requeue": lambda job: str(int(job["requeue"])),
    "exit_code": _text("exit_code"),
    "AssocID": _text("association_id"),
    "Reservation": _text("resv_name", "(null)"),
    "tres-alloc": lambda job: str(job["tres_alloc_str"] or job["tres_req_str"]),
    "Dependency": _text("dependency", "(null)"),
    "Name": _text("name"),
}
